//! Faces as one feature sees them, and what is learned of them.

use std::borrow::Cow;
use std::sync::Arc;

use nalgebra::DMatrix;

use super::feature_space::each_times;
use super::{Augmentation, Feature, FeatureSpace, Space};
use crate::error::Result;
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::face_space::{FaceSpace, Weights};
use crate::kernel_pca::KernelPca;
use crate::metric::{FittedMetric, Metric};
use crate::pca::{ComponentCount, Pca, scaled as scaled_pixels};
use crate::scaled_space::ScaledSpace;

/// The faces of a gallery as one feature sees them, with their copies: made once, learned from often.
pub struct FeatureMatrix<'a> {
    pub(super) feature: Feature,
    pub(super) share: f64,
    pub(super) copies: Augmentation,
    /// The copies of each face stand side by side, the face itself first, then shifted ones, then all of these
    /// mirrored: d x (n c).
    pub(super) bytes: Cow<'a, FaceMatrix>,
}

impl<'a> FeatureMatrix<'a> {
    /// Some faces of this size (d x n) as a feature sees them, with their copies.
    pub(super) fn new(
        feature: Feature,
        share: f64,
        copies: Augmentation,
        size: FaceSize,
        shifted: &Cow<'a, FaceMatrix>,
    ) -> Self {
        let straight = match shifted {
            Cow::Borrowed(faces) => feature.of(faces),
            Cow::Owned(faces) => Cow::Owned(feature.of(faces).into_owned()),
        };
        let bytes = match copies {
            Augmentation::None => straight,
            Augmentation::Auto | Augmentation::Mirrored | Augmentation::Shifted => {
                let of_a_face = copies.shifts_of_a_face() * straight.size().pixels();
                let mut all = Vec::with_capacity(2 * straight.as_slice().len());
                for face in straight.as_slice().chunks_exact(of_a_face.max(1)) {
                    all.extend_from_slice(face);
                    let mirrored = all.len();
                    all.extend_from_slice(face);
                    feature.mirror(size, &mut all[mirrored..]);
                }
                let faces = FaceMatrix::from_pixels(straight.size(), all);
                Cow::Owned(faces.expect("whole faces of this size"))
            }
        };
        Self {
            feature,
            share,
            copies,
            bytes,
        }
    }

    /// The columns of all copies of some faces: n c.
    pub(super) fn columns(&self, faces: &[usize]) -> Vec<usize> {
        let copies = self.copies.of_a_face();
        let of_a_face = |face: &usize| face * copies..(face + 1) * copies;
        faces.iter().flat_map(of_a_face).collect()
    }

    /// The columns of some faces as they are: n.
    pub fn themselves(&self, faces: &[usize]) -> Vec<usize> {
        let copies = self.copies.of_a_face();
        faces.iter().map(|face| face * copies).collect()
    }

    /// The columns that a space of some faces is learned from: the faces and, where the copies have them, their mirror
    /// images. n or 2 n.
    pub fn learned_columns(&self, faces: &[usize]) -> Vec<usize> {
        let copies = self.copies.of_a_face();
        let step = match self.copies {
            Augmentation::None => 1,
            Augmentation::Auto | Augmentation::Mirrored | Augmentation::Shifted => copies / 2,
        };
        let of_a_face = |face: &usize| (face * copies..(face + 1) * copies).step_by(step);
        faces.iter().flat_map(of_a_face).collect()
    }

    /// The feature.
    pub fn feature(&self) -> Feature {
        self.feature
    }

    /// All copies of all faces, d x (n c).
    pub fn bytes(&self) -> &FaceMatrix {
        &self.bytes
    }

    /// Some faces, and their mirror images where the copies have them: what a space is learned from.
    pub fn learned(&self, faces: &[usize]) -> Result<FaceMatrix> {
        self.bytes.select(&self.learned_columns(faces))
    }

    /// The linear space of some faces.
    pub(super) fn linear(&self, faces: &[usize], pca: Pca) -> Result<Space> {
        let learned = self.learned(faces)?;
        let mut components = pca.fit(&learned)?;
        // Mirror images are not counted.
        components.faces = faces.len();
        let space = FaceSpace::new(learned.size(), &components);
        Ok(Space::Linear(Arc::new(space)))
    }

    /// The space of a kernel of some faces.
    pub(super) fn kernel(&self, faces: &[usize], pca: KernelPca) -> Result<Space> {
        let faces = self.learned(faces)?;
        Ok(Space::Kernel(Arc::new(pca.fit(&faces)?), faces.size()))
    }

    /// The space of scaled pixels of some faces.
    pub(super) fn scaled(&self, faces: &[usize], components: ComponentCount) -> Result<Space> {
        let learned = self.learned(faces)?;
        let mut found = scaled_pixels::fit(&learned, components)?;
        found.components.faces = faces.len();
        let space = ScaledSpace::new(learned.size(), &found);
        Ok(Space::Scaled(Arc::new(space)))
    }

    /// The weights of all copies of some faces, a face's side by side: k x (n c).
    pub(super) fn placed(&self, space: &Space, faces: &[usize]) -> Result<Weights> {
        Ok(space.project(&self.bytes.select(&self.columns(faces))?))
    }

    /// The metric of the weights of some faces with their copies (k x (n c)), whose people are `persons` (n).
    pub(super) fn metric(
        &self,
        metric: Metric,
        eigenvalues: &[f64],
        placed: &Weights,
        persons: &[usize],
    ) -> FittedMetric {
        let owners = each_times(persons, self.copies.of_a_face());
        metric.fit(eigenvalues, placed, &owners)
    }

    /// This feature with its space and the metric of the faces placed there, whose people are `persons` (n); and the
    /// coordinates of the faces with all their copies, a face's side by side: k x (n c).
    pub(super) fn feature_space(
        &self,
        space: Space,
        placed: &Weights,
        metric: Metric,
        persons: &[usize],
    ) -> (FeatureSpace, DMatrix<f32>) {
        let metric = self.metric(metric, space.eigenvalues(), placed, persons);
        let part = FeatureSpace::new(self.feature, self.share, space, metric);
        let enrolled = part.coordinates(placed);
        (part, enrolled)
    }
}
