//! The comparison of faces with the people enrolled: one trait, and the two comparisons that a model may hold.
//!
//! Everything above this module knows only [`Compare`]. Either comparison finds the nearest cluster in a PCA space
//! (docs/THEORY.md): [`Likelihoods`] in that of the background model, by likelihood ratios; [`Distances`] in a space
//! learned from the gallery alone.

mod distances;
mod likelihoods;
mod refit;
#[cfg(feature = "postgres")]
mod remote;

use std::fmt;
use std::sync::Arc;

use nalgebra::DMatrix;

use crate::dataset::Person;
use crate::decision::Acceptance;
use crate::error::Result;
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::gallery::Gallery;

pub use distances::Distances;
use distances::rank_neighbors;
pub use likelihoods::Likelihoods;
#[cfg(feature = "postgres")]
use likelihoods::SAME_FACE;
pub use refit::{Fold, Refitter};
#[cfg(feature = "postgres")]
pub use remote::*;

use crate::matcher::{DistanceParts, DistanceSettings};

/// Compares faces with the people of a gallery. People go by their positions in it.
pub trait Compare: fmt::Debug + Send + Sync {
    /// The face score below which a picture that was not found as a face, and is likely nobody's, is none.
    fn face_score_limit(&self) -> f64;

    /// The confidence beyond which a name is given; `None` where none ever is.
    fn threshold(&self, acceptance: Acceptance) -> Option<f64>;

    /// The method of comparison, in words.
    fn in_words(&self, settings: &DistanceSettings) -> String;

    /// Coordinates of faces (m x n): what the other methods take.
    fn describe(&self, faces: &FaceMatrix) -> DMatrix<f32>;

    /// How much a face (its coordinates, m) still shows once damage is taken off
    /// ([`Background::signal`](crate::background::Background::signal)); `None` where nothing is known of damage.
    fn signal(&self, _coordinates: &[f32]) -> Option<f64> {
        None
    }

    /// Whether a face (d pixels, its eyes in their places, with its coordinates, m) is like those that the background model was learned
    /// from ([`FaceClassifier::typicality`](crate::background::FaceClassifier::typicality)). Without one every face is.
    fn is_typical(&self, _face: (&[u8], FaceSize), _coordinates: &[f32]) -> bool {
        true
    }

    /// The people ranked for each probe (m x p), in order, `top` of them at most.
    fn rank(&self, probes: &DMatrix<f32>, top: usize, acceptance: Acceptance) -> Vec<Ranking>;

    /// Whether two faces (m x 2) show one person, enrolled or not; `None` where too few people are enrolled to tell.
    fn pair(&self, faces: &DMatrix<f32>, acceptance: Acceptance) -> Option<PairDecision>;

    /// Whether ranking would name a person for a probe (m x 1). `None` where it never does, or for nobody of that number.
    fn claim(&self, probe: &DMatrix<f32>, person: usize, acceptance: Acceptance) -> Option<PairDecision>;

    /// The evidence that the ranking of one face (d x 1) rests on. `coordinates` are those of the enrolled faces, where the model keeps
    /// them.
    /// Errors: parts of a model that do not fit together.
    fn explain(&self, gallery: &Gallery, coordinates: Option<&DMatrix<f32>>, face: &FaceMatrix) -> Result<Explanation>;
}

/// The comparison that a model holds.
#[derive(Debug, Clone)]
pub enum Comparer {
    /// By distances in a space learned from this gallery.
    Distances(Box<Distances>),
    /// By likelihood ratios of the background model, moved by this gallery.
    Likelihoods(Arc<Likelihoods>),
}

impl std::ops::Deref for Comparer {
    type Target = dyn Compare;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Distances(distances) => &**distances,
            Self::Likelihoods(likelihoods) => &**likelihoods,
        }
    }
}

impl Comparer {
    /// Whether it is one of so many people with faces of this size.
    pub fn fits(&self, size: FaceSize, people: usize) -> bool {
        match self {
            Self::Distances(distances) => {
                distances.matcher.space().size() == size && distances.calibration.is_sound(people)
            }
            Self::Likelihoods(likelihoods) => likelihoods.people().photos().len() == people,
        }
    }

    /// The comparison, if it is by distances.
    pub fn distances(&self) -> Option<&Distances> {
        if let Self::Distances(distances) = self { Some(distances) } else { None }
    }

    /// The comparison, if it is by likelihoods.
    pub fn likelihoods(&self) -> Option<&Likelihoods> {
        if let Self::Likelihoods(likelihoods) = self { Some(likelihoods) } else { None }
    }
}

/// A person a probe may be: their name, or in a [`Ranking`] their position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate<P = Person> {
    /// The person.
    pub person: P,
    /// With the background model the negative logarithm of the probability that it is this person and no stranger;
    /// without it the distance to the mean of the person's faces by the metric.
    pub distance: f64,
    /// Probability that the probe is this person, given that it may be a stranger.
    pub confidence: f64,
}

/// The people who are nearest to a probe.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// Nearest first.
    pub people: Vec<Candidate<usize>>,
    /// The confidence of the first, listed or not.
    pub confidence: f64,
    /// Probability that it is nobody enrolled; `None` where each confidence stands for itself.
    pub somebody_else: Option<f64>,
    /// Whether the first is near enough to be named.
    pub accepted: bool,
}

/// The decision whether a face shows a person, or two faces show one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairDecision {
    /// Whether it passes.
    pub passes: bool,
    /// Whether it is likely a face of somebody, whatever it looks like.
    pub is_somebody: bool,
    /// Probability that it is the same person.
    pub confidence: f64,
    /// The distance.
    pub distance: f64,
    /// The confidence that is needed.
    pub needed: f64,
}

/// The evidence that the ranking of a face rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The nearest person, and the next where there is one.
    pub nearest: Vec<EvidenceFor>,
    /// Where two people are compared by likelihoods, the evidence for the first rather than for the second, in each cell of the
    /// face (7 x 8, row by row), in standard deviations of strangers' scores.
    pub evidence_map: Option<Vec<f64>>,
}

/// Evidence for one person: their enrolled face that is nearest to the probe.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceFor {
    /// A position in [`Gallery::people`].
    pub person: usize,
    /// The distance to the person: what was decided by.
    pub distance: f64,
    /// A position in [`Gallery::enrolled`].
    pub face: usize,
    /// That face: d pixels.
    pub pixels: Vec<u8>,
    /// The squared distance between the probe and that face.
    pub squared: f64,
    /// The parts of that squared distance; `None` where likelihoods or a kernel compare, which have no such parts.
    pub parts: Option<DistanceParts>,
}
