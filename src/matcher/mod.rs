//! Classic eigenfaces (Turk & Pentland 1991): a person is the mean of their faces' weights, a probe whose mean is nearest.
//!
//! A face of d pixels becomes k weights in a space learned from the gallery (principal components; scaled pixels or a kernel
//! where these are asked for), which the metric turns into coordinates whose Euclidean distance it is.

mod calibration;
mod clusters;
mod distance;
mod distance_parts;
mod metric;
mod scan;
mod space;
mod tree;

use nalgebra::DMatrix;

use crate::error::{Error, Result};
use crate::face_matrix::FaceMatrix;
use crate::face_space::Weights;
use crate::kernel_pca::Kernel;
use crate::pca::Pca;

pub use calibration::{CalibrationBasis, DistanceCalibration, LeftOut};
pub use clusters::{Clusters, Neighbor};
pub(crate) use distance::squared_distance;
#[doc(hidden)]
pub use distance_parts::{CELLS, DistanceParts};
pub use metric::Metric;
pub use space::{PixelScale, Space};

/// Settings of the comparison by distances.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DistanceSettings {
    /// The kernel whose components are the weights.
    pub kernel: Kernel,
    /// Whether the pixels are scaled first; not with a kernel.
    pub pixel_scale: PixelScale,
    /// The metric of the weights.
    pub metric: Metric,
}

impl DistanceSettings {
    /// Refuses a kernel of scaled pixels.
    ///
    /// # Errors
    /// [`Error::PixelsNotScaled`].
    pub fn refuse_invalid(&self) -> Result<()> {
        match (self.pixel_scale, self.kernel) {
            (PixelScale::Plain, _) | (_, Kernel::Linear) => Ok(()),
            (PixelScale::Deviation, _) => Err(Error::PixelsNotScaled),
        }
    }

    /// The source of weights: "pixels", "scaled pixels", "the kernel rbf:auto".
    pub fn space_in_words(&self) -> String {
        match (self.kernel, self.pixel_scale) {
            (Kernel::Linear, PixelScale::Plain) => "pixels".to_owned(),
            (Kernel::Linear, PixelScale::Deviation) => "scaled pixels".to_owned(),
            (kernel, _) => format!("the kernel {kernel}"),
        }
    }
}

/// A space of weights, and the people of a gallery in it.
#[derive(Debug, Clone)]
pub struct Matcher {
    space: Space,
    metric: Metric,
    clusters: Clusters,
}

impl Matcher {
    /// Learns from faces (d x n); `persons` are theirs (n), from 0 up to `people`, in increasing order.
    ///
    /// # Errors
    /// Fewer than two different faces; settings that exclude each other.
    pub fn learn(
        faces: &FaceMatrix,
        persons: &[usize],
        people: usize,
        settings: DistanceSettings,
        pca: Pca,
    ) -> Result<Self> {
        let space = Space::learn(faces, settings, pca)?;
        let weights = space.project(faces);
        Self::from_parts(space, &weights, persons, people, settings.metric)
    }

    /// A matcher from its space and the weights of the enrolled faces (k x n); `persons` are theirs (n).
    ///
    /// # Errors
    /// Parts that do not fit together.
    pub fn from_parts(
        space: Space,
        weights: &Weights,
        persons: &[usize],
        people: usize,
        metric: Metric,
    ) -> Result<Self> {
        if weights.nrows() != space.components() {
            return Err(Error::Inconsistent);
        }
        let clusters = Clusters::of_faces(&metric.coordinates(weights, space.eigenvalues()), persons, people);
        Ok(Self { space, metric, clusters: clusters.ok_or(Error::Inconsistent)? })
    }

    /// The space of the weights.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The people as probes are compared with them.
    pub fn clusters(&self) -> &Clusters {
        &self.clusters
    }

    /// Coordinates (k x n) of faces (d x n): distances between them are what is compared.
    pub fn coordinates(&self, faces: &FaceMatrix) -> DMatrix<f32> {
        let weights = self.space.project(faces);
        self.metric.coordinates(&weights, self.space.eigenvalues())
    }
}
