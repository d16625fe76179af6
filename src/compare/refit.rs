//! Refitting a comparison to folds of a gallery, for evaluation and checks.

use nalgebra::DMatrix;

use super::likelihoods::ranking;
use super::{Comparer, Likelihoods, Ranking, rank_neighbors};
use crate::background::{Adaptation, People};
use crate::decision::Acceptance;
use crate::error::{Error, Result};
use crate::face_matrix::FaceMatrix;
use crate::gallery::Gallery;
use crate::kernel_pca::Kernel;
use crate::matcher::{Clusters, DistanceCalibration, DistanceSettings, Matcher, Neighbor, PixelScale};
use crate::pca::{InnerProducts, Pca};

/// Faces to learn from and probes: positions in the gallery, both increasing, none in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// Faces to learn from.
    pub learned: Vec<usize>,
    /// Faces to identify: each of a person of whom another photo is learned from.
    pub probes: Vec<usize>,
    /// The repeat of the whole protocol it belongs to, from 0.
    pub repeat: usize,
}

/// The comparison of a gallery, refitted to folds of it.
pub trait Refitter: Sync {
    /// Whether two folds are ranked faster together.
    fn belong_together(&self, one: &Fold, other: &Fold) -> bool;

    /// Of folds that belong together, for each the people ranked for each of its probes. People keep their numbers; whoever
    /// has no face to learn from is not ranked.
    /// Errors: faces that nothing can be learned from.
    fn rank(&self, folds: &[Fold]) -> Result<Vec<Vec<Ranking>>>;
}

impl Comparer {
    /// Hands this comparison of a gallery to `then`, to be refitted to folds of it. `coordinates` are those of the
    /// gallery's faces (m x n), where the model keeps them.
    ///
    /// # Errors
    /// Faces that nothing can be learned from; those of `then`.
    pub fn refitted<R>(
        &self,
        gallery: &Gallery,
        coordinates: Option<&DMatrix<f32>>,
        settings: (DistanceSettings, Pca),
        then: impl FnOnce(&dyn Refitter) -> Result<R>,
    ) -> Result<R> {
        let (persons, people) = (gallery.persons(), gallery.people().len());
        match self {
            Self::Distances(comparer) => then(&ByDistances {
                calibration: &comparer.calibration,
                faces: gallery.faces(),
                products: keeps_products(gallery.len(), settings).then(|| InnerProducts::of(gallery.faces())),
                settings,
                persons,
                people,
            }),
            Self::Likelihoods(comparer) => {
                then(&ByLikelihoods { comparer, coordinates: coordinates.ok_or(Error::Inconsistent)?, persons, people })
            }
        }
    }
}

fn keeps_products(faces: usize, (distance, pca): (DistanceSettings, Pca)) -> bool {
    let is_linear = distance.kernel == Kernel::Linear && distance.pixel_scale == PixelScale::Plain;
    // Parallel analysis shuffles pixels.
    is_linear && faces <= MOST_PRODUCTS && !pca.components.needs_faces()
}

/// Up to so many faces their inner products are kept, from which eigenfaces of any of them cost an eigenproblem.
const MOST_PRODUCTS: usize = 4000;

struct ByDistances<'a> {
    calibration: &'a DistanceCalibration,
    faces: &'a FaceMatrix,
    /// The inner products of the faces, where eigenfaces follow from them.
    products: Option<InnerProducts>,
    settings: (DistanceSettings, Pca),
    /// The person of each face, and the number of people.
    persons: Vec<usize>,
    people: usize,
}

impl ByDistances<'_> {
    /// The people by the faces that a fold learns from, and the coordinates of its probes.
    fn learned(&self, fold: &Fold, persons: &[usize]) -> Result<(Clusters, DMatrix<f32>)> {
        let (distance, pca) = self.settings;
        let Some(products) = &self.products else {
            let faces = self.faces.select(&fold.learned)?;
            let matcher = Matcher::learn(&faces, persons, self.people, distance, pca)?;
            return Ok((matcher.clusters().clone(), matcher.coordinates(&self.faces.select(&fold.probes)?)));
        };
        let space = products.fit(&fold.learned, pca.components)?;
        let variances = space.eigenvalues();
        let coordinates = |weights: DMatrix<f32>| distance.metric.coordinates(&weights, &variances);
        let clusters = Clusters::of_faces(&coordinates(space.training_weights()), persons, self.people);
        Ok((clusters.ok_or(Error::Inconsistent)?, coordinates(space.project(&fold.probes))))
    }
}

impl Refitter for ByDistances<'_> {
    fn belong_together(&self, _: &Fold, _: &Fold) -> bool {
        false
    }

    fn rank(&self, folds: &[Fold]) -> Result<Vec<Vec<Ranking>>> {
        let of_fold = |fold: &Fold| {
            let learned = fold.learned.iter();
            let persons: Vec<usize> = learned.map(|&face| self.persons[face]).collect();
            let (clusters, probes) = self.learned(fold, &persons)?;
            let ranked = clusters.rank_all(&probes, usize::MAX);
            let ranking = |neighbors: Vec<Neighbor>| {
                rank_neighbors(&neighbors, self.calibration, usize::MAX, Acceptance::default())
            };
            Ok(ranked.into_iter().map(ranking).collect())
        };
        folds.iter().map(of_fold).collect()
    }
}

/// The coordinates of all faces are known, so a fold teaches only how the background model is moved.
struct ByLikelihoods<'a> {
    comparer: &'a Likelihoods,
    /// Of all faces, 2k x n.
    coordinates: &'a DMatrix<f32>,
    /// The person of each face, and the number of people.
    persons: Vec<usize>,
    people: usize,
}

impl ByLikelihoods<'_> {
    fn persons_of(&self, faces: &[usize]) -> Vec<usize> {
        faces.iter().map(|&face| self.persons[face]).collect()
    }

    fn adaptation(&self, faces: &[usize]) -> Adaptation {
        Adaptation::learn(self.comparer.background(), self.coordinates, faces, &self.persons_of(faces))
    }

    /// The person of the probe, where a fold has a single one, and the faces of the others to learn from.
    fn single_probe<'p>(&'p self, fold: &'p Fold) -> Option<(usize, impl Iterator<Item = usize> + 'p)> {
        let [face] = fold.probes[..] else { return None };
        let person = self.persons[face];
        Some((person, fold.learned.iter().copied().filter(move |&at| self.persons[at] != person)))
    }
}

impl Refitter for ByLikelihoods<'_> {
    fn belong_together(&self, one: &Fold, other: &Fold) -> bool {
        match (self.single_probe(one), self.single_probe(other)) {
            (Some((person, others)), Some((same, like))) => person == same && others.eq(like),
            _ => false,
        }
    }

    fn rank(&self, folds: &[Fold]) -> Result<Vec<Vec<Ranking>>> {
        // One face more or less of a person hardly moves the model; without any of them it saw nothing of the face.
        let shared = folds.first().and_then(|fold| self.single_probe(fold)).map(|(_, others)| {
            let adaptation = self.adaptation(&others.collect::<Vec<_>>());
            (adaptation.rotated(self.coordinates), adaptation)
        });
        let of_fold = |fold: &Fold| {
            let persons = self.persons_of(&fold.learned);
            let (rotated, adaptation) = match &shared {
                Some((rotated, adaptation)) => (Some(rotated), adaptation.clone()),
                None => (None, self.adaptation(&fold.learned)),
            };
            let people =
                People::enroll_rotated(adaptation, rotated, self.coordinates, &fold.learned, &persons, self.people);
            let calibration = self.comparer.calibration();
            let people = people.allowing_for_light(calibration);
            people.with_scores(&self.coordinates.select_columns(&fold.probes), |_, scores| {
                let mut ranking = ranking(calibration, &scores, 0.0, usize::MAX, Acceptance::default());
                ranking.people.retain(|found| people.photos()[found.person] > 0);
                ranking
            })
        };
        Ok(folds.iter().map(of_fold).collect())
    }
}
