//! Everything that takes part in recognising, as one value: what a model file holds.
//!
//! How photos are prepared, the face space, the metric, the gallery and the calibration belong together:
//! a probe can never be treated differently from the gallery.

mod calibrate;
mod decide;
mod described_gallery;
mod explain;
mod face_score_limit;
mod identification;
mod identify;
mod learn;
mod shown;
#[cfg(test)]
pub(crate) mod tests;
mod verify;

pub use crate::compare::{Candidate, Explanation};
pub use described_gallery::DescribedGallery;
pub use identification::{Identification, QueryOptions};
pub use identify::Probes;
#[cfg(feature = "postgres")]
pub(crate) use identify::by_photo;
pub use verify::{Verdict, Verification, verify_alone};

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::background::Prior;
use crate::compare::{Comparer, Likelihoods};
use crate::error::{Error, Result};
use crate::face_space::{FaceSpace, Weights};
use crate::gallery::Gallery;
use crate::matcher::{DistanceCalibration, DistanceSettings, Matcher};
use crate::pca::Pca;
use crate::preparation::Preparation;

/// Settings of learning; the defaults are measured (docs/RECIPES.md).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Settings {
    /// Knowledge before anybody is enrolled.
    pub prior: Prior,
    /// Settings of the fit of components.
    pub pca: Pca,
    /// Settings of the comparison by distances, which takes place without the background model.
    pub distance: DistanceSettings,
}

impl Settings {
    /// The defaults without the background model: all is learned from the gallery alone.
    pub fn without_background() -> Self {
        Self { prior: Prior::None, ..Self::default() }
    }
}

/// A learned recogniser: identifies faces among the enrolled people, and holds these. What is large is shared with clones.
#[derive(Debug, Clone)]
pub struct Recognizer {
    preparation: Preparation,
    settings: Settings,
    /// Of the pixels, whatever is compared: it shows the basis faces and tells faces from other things.
    space: Arc<FaceSpace>,
    gallery: Gallery,
    /// Weights of the enrolled faces, k x n.
    weights: Arc<Weights>,
    comparer: Comparer,
    /// Coordinates of the enrolled faces in the background model, 2 k' x n, where it compares.
    coordinates: Option<Arc<DMatrix<f32>>>,
}

impl Recognizer {
    /// A recogniser from stored parts.
    ///
    /// # Errors
    /// Parts that do not fit together.
    pub fn from_parts(
        preparation: Preparation,
        settings: Settings,
        space: Arc<FaceSpace>,
        gallery: Gallery,
        weights: Weights,
        comparer: Comparer,
        coordinates: Option<DMatrix<f32>>,
    ) -> Result<Self> {
        let (size, people) = (preparation.size(), gallery.people().len());
        let fits = space.size() == size
            && comparer.fits(size, people)
            && weights.shape() == (space.components(), gallery.len())
            && gallery.faces().size() == size
            && coordinates.as_ref().map(DMatrix::ncols) == comparer.likelihoods().map(|_| gallery.len());
        if !fits {
            return Err(Error::Inconsistent);
        }
        let (weights, coordinates) = (Arc::new(weights), coordinates.map(Arc::new));
        Ok(Self { preparation, settings, space, gallery, weights, comparer, coordinates })
    }

    /// Preparation of photos.
    pub fn preparation(&self) -> &Preparation {
        &self.preparation
    }

    /// Settings of learning.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// The face space.
    pub fn space(&self) -> &Arc<FaceSpace> {
        &self.space
    }

    /// The people enrolled, and their faces.
    pub fn gallery(&self) -> &Gallery {
        &self.gallery
    }

    /// Weights of the enrolled faces, k x n.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Coordinates of the enrolled faces in the background model (2 k' x n), where it compares.
    pub fn coordinates(&self) -> Option<&DMatrix<f32>> {
        self.coordinates.as_deref()
    }

    /// The comparison of faces.
    pub fn comparer(&self) -> &Comparer {
        &self.comparer
    }

    /// The matcher, where faces are compared by what this gallery alone teaches.
    pub fn matcher(&self) -> Option<&Matcher> {
        self.comparer.distances().map(|it| &it.matcher)
    }

    /// The calibration, where faces are compared by what this gallery alone teaches.
    pub fn calibration(&self) -> Option<&DistanceCalibration> {
        self.comparer.distances().map(|it| &it.calibration)
    }

    /// The background model moved by the gallery, where faces are compared by it.
    pub fn background(&self) -> Option<&Likelihoods> {
        self.comparer.likelihoods()
    }
}
