//! The comparison of faces: settings, and the features that follow from them.

use super::{Augmentation, Feature, FeatureMatrix, Features, PixelScale};
use crate::error::{Error, Result};
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::gallery::ClusterRule;
use crate::kernel_pca::Kernel;
use crate::metric::Metric;

/// Settings of the comparison of faces.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Comparison {
    /// Features that are compared.
    pub features: Features,
    /// Augmentation of each enrolled face.
    pub copies: Augmentation,
    /// The kernel whose components are the weights of each feature.
    pub kernel: Kernel,
    /// Whether the pixels are scaled. They must be compared then, and not by a kernel.
    pub pixel_scale: PixelScale,
    /// The metric of the weights of each feature.
    pub metric: Metric,
    /// The points of a person with which a probe is compared.
    pub clusters: ClusterRule,
}

impl Comparison {
    /// The copies of each of a number of faces of this size.
    fn copies_of(&self, size: FaceSize, faces: usize) -> Augmentation {
        match (self.copies, self.features.shares(size).as_slice()) {
            (Augmentation::Auto, [(Feature::Pixels, _)])
                if faces <= Augmentation::SHIFTED_FACES =>
            {
                Augmentation::Shifted
            }
            (Augmentation::Auto, _) => Augmentation::Mirrored,
            (given, _) => given,
        }
    }

    /// Whether this feature's numbers are scaled before they are compared.
    pub(super) fn scales(&self, feature: Feature) -> bool {
        feature == Feature::Pixels && self.pixel_scale == PixelScale::Deviation
    }

    /// Refuses to scale pixels of faces of this size where that has no meaning: pixels that are not compared, or by a
    /// kernel.
    ///
    /// # Errors
    /// [`Error::PixelsNotScaled`].
    pub fn refuse_senseless(&self, size: FaceSize) -> Result<()> {
        if self.pixel_scale == PixelScale::Plain {
            return Ok(());
        }
        let reason = if self.kernel != Kernel::Linear {
            "a kernel compares gray levels as they are"
        } else if !self
            .features
            .shares(size)
            .iter()
            .any(|feature| feature.0 == Feature::Pixels)
        {
            "pixels are not compared, but their texture"
        } else {
            return Ok(());
        };
        Err(Error::PixelsNotScaled { reason })
    }

    /// The faces that each feature's space is learned from: these, seen as the feature does, and their mirror images
    /// where the copies have them. d x n, or d x 2 n.
    ///
    /// # Errors
    /// None for faces of one size.
    pub fn learned(&self, faces: &FaceMatrix) -> Result<Vec<FaceMatrix>> {
        let all: Vec<usize> = (0..faces.len()).collect();
        let plain = Self {
            copies: match self.copies_of(faces.size(), faces.len()) {
                // Shifts are projected, but not learned from.
                Augmentation::Shifted => Augmentation::Mirrored,
                other => other,
            },
            ..*self
        };
        plain
            .feature_matrices(faces)
            .iter()
            .map(|feature| feature.learned(&all))
            .collect()
    }

    /// The faces (d x n) as each feature sees them.
    pub fn feature_matrices<'a>(&self, faces: &'a FaceMatrix) -> Vec<FeatureMatrix<'a>> {
        let copies = self.copies_of(faces.size(), faces.len());
        let shifted = copies.shifts(faces);
        let shares = self.features.shares(faces.size()).into_iter();
        shares
            .map(|(feature, share)| {
                FeatureMatrix::new(feature, share, copies, faces.size(), &shifted)
            })
            .collect()
    }
}
