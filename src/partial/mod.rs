//! Learning shared out among workers: a plan that all keep to, sums that each makes of its photos, and the basis of
//! all of them together.
//!
//! The sums are exact integers, so merging is associative and commutative: whatever the split, the order and the tree,
//! the basis is that of one process that saw all photos, bit for bit. Whatever runs the workers (Spark, Slurm, a shell)
//! need keep no order.

mod fingerprint;
mod merged_basis;
mod plan;

pub use fingerprint::Fingerprint;
pub use merged_basis::MergedBasis;
pub use plan::{Mirrors, Plan};

use crate::dataset::ContentHash;
use crate::error::{MergeProblem, PcaError, Result};
use crate::face_matrix::FaceMatrix;
use crate::matcher::Feature;
use crate::pca::Sums;
use crate::pca::covariance::Accumulator;

/// The part that some photos add to a basis: the sums of each feature of their faces, and fingerprints of the photos given.
#[derive(Debug, Clone, PartialEq)]
pub struct Partial {
    plan: Plan,
    /// One for each of [`Plan::features`].
    sums: Vec<Sums>,
    /// Photos that gave no face.
    skipped: u64,
    /// Fingerprints of the photos given to each worker whose faces are in the sums, increasing.
    given: Vec<Fingerprint>,
}

impl Partial {
    /// A part from what was kept of it. `None` where it does not fit together.
    pub fn from_parts(
        plan: Plan,
        sums: Vec<Sums>,
        skipped: u64,
        given: Vec<Fingerprint>,
    ) -> Option<Self> {
        let size = plan.preparation().size();
        let features = plan.summed();
        let fits = sums.len() == features.len()
            && sums
                .iter()
                .zip(&features)
                .all(|(sums, feature)| sums.pixels() == feature.size(size).pixels());
        let faces = sums.first().map_or(0, Sums::faces);
        let alike = sums.iter().all(|sums| sums.faces() == faces);
        let increasing = given.is_sorted_by(|a, b| a < b);
        let counted = given.is_empty() == (faces == 0) && given.len() <= faces;
        (fits && alike && increasing && counted).then_some(Self {
            plan,
            sums,
            skipped,
            given,
        })
    }

    /// The plan that all workers agreed on.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// n, the faces in the sums.
    pub fn faces(&self) -> usize {
        self.sums.first().map_or(0, Sums::faces)
    }

    /// Photos that gave no face.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The sums of each of [`Plan::features`].
    pub fn sums(&self) -> &[Sums] {
        &self.sums
    }

    /// Fingerprints of the photos given to each worker whose faces are in the sums, increasing; nothing of those that
    /// found none.
    pub fn given(&self) -> &[Fingerprint] {
        &self.given
    }

    /// All photos whose faces are in the sums, however they were split.
    pub fn photos(&self) -> Fingerprint {
        self.given.iter().copied().collect()
    }

    /// A worker's photos that both hold, if there are any.
    pub fn shared(&self, other: &Self) -> Option<Fingerprint> {
        let (few, many) = match self.given.len() < other.given.len() {
            true => (&self.given, &other.given),
            false => (&other.given, &self.given),
        };
        let mut few = few.iter().copied();
        few.find(|print| many.binary_search(print).is_ok())
    }

    /// Adds another part. Associative and commutative.
    ///
    /// # Errors
    /// Parts of different plans, the same part twice; then nothing is changed.
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeProblem> {
        if let Some((key, first, second)) = self.plan.difference(&other.plan) {
            return Err(MergeProblem::OtherPlan { key, first, second });
        }
        if self.shared(other).is_some() {
            return Err(MergeProblem::Twice);
        }
        let skipped = self.skipped.checked_add(other.skipped);
        let skipped = skipped.ok_or(MergeProblem::TooMany)?;
        // All features have as many faces: either all can be added, or the first cannot.
        for (sums, others) in self.sums.iter_mut().zip(&other.sums) {
            sums.add(others).ok_or(MergeProblem::TooMany)?;
        }
        self.skipped = skipped;
        self.given.extend(&other.given);
        self.given.sort_unstable();
        Ok(())
    }
}

/// Bytes of faces, as the feature sees them that has the most, that are gathered before they are summed up: enough to be
/// bound by arithmetic.
const GATHERED: usize = 32 << 20;

/// A worker's sums while photos come in: memory does not grow with their number.
#[derive(Debug)]
pub struct SumBuilder {
    plan: Plan,
    sums: Vec<Accumulator>,
    /// Faces not yet in the sums, one after the other.
    waiting: Vec<u8>,
    /// Bytes of `waiting` from which on they are summed up.
    enough: usize,
    faces: usize,
    skipped: u64,
    given: Fingerprint,
}

impl SumBuilder {
    /// Nothing yet. Takes 8 d² bytes for each feature.
    pub fn new(plan: Plan) -> Self {
        let size = plan.preparation().size();
        let of_feature = |feature: &Feature| feature.size(size).pixels();
        let features = plan.summed();
        let longest = features.iter().map(of_feature).max().unwrap_or(1);
        Self {
            sums: features
                .iter()
                .map(|feature| Accumulator::new(of_feature(feature)))
                .collect(),
            waiting: Vec::new(),
            enough: (GATHERED / longest).max(1) * size.pixels(),
            faces: 0,
            skipped: 0,
            given: Fingerprint::default(),
            plan,
        }
    }

    /// The plan that all workers agreed on.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// n, the faces added so far.
    pub fn faces(&self) -> usize {
        self.faces
    }

    /// Adds a face (d pixels) that was prepared by the plan, and the hash of its photo.
    ///
    /// # Errors
    /// A face of another size.
    pub fn add(&mut self, face: &[u8], photo: ContentHash) -> Result<()> {
        let expected = self.plan.preparation().size().pixels();
        if face.len() != expected {
            let found = face.len();
            return Err(PcaError::OtherPixels { expected, found }.into());
        }
        self.waiting.extend_from_slice(face);
        self.faces += 1;
        self.given = self.given.with(Fingerprint::of(photo));
        if self.waiting.len() >= self.enough {
            self.sum_up()?;
        }
        Ok(())
    }

    /// A photo gave no face.
    pub fn skip(&mut self) {
        self.skipped += 1;
    }

    /// The part that these photos make.
    ///
    /// # Errors
    /// None that `add` has not refused.
    pub fn finish(mut self) -> Result<Partial> {
        self.sum_up()?;
        let given = match self.faces {
            0 => Vec::new(),
            _ => vec![self.given],
        };
        Ok(Partial {
            plan: self.plan,
            sums: self.sums.into_iter().map(Sums::from).collect(),
            skipped: self.skipped,
            given,
        })
    }

    fn sum_up(&mut self) -> Result<()> {
        let size = self.plan.preparation().size();
        let faces = FaceMatrix::from_pixels(size, std::mem::take(&mut self.waiting))?;
        for (feature, sums) in self.plan.summed().iter().zip(&mut self.sums) {
            sums.add(&*feature.of(&faces))
                .expect("the sums were made for this feature");
        }
        Ok(())
    }
}
