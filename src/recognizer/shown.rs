//! The pixel space of a recogniser, for pictures, whatever features are compared.

use std::sync::Arc;

use super::{BasisOrigin, Recognizer};
use crate::error::Result;
use crate::face_matrix::FaceMatrix;
use crate::face_space::Weights;
use crate::kernel_pca::{Kernel, KernelPca};
use crate::matcher::{Feature, FeatureSpace, Matcher, Space};
use crate::pca::{ComponentCount, Pca, Solver, scaled, variance_ratios};

/// Up to so many components, those that are not kept are worth finding again.
const WORTH_FINDING: usize = 1000;

impl Recognizer {
    /// The space of pixels whose weights are shown: that of the kernel or of scaled pixels where faces are compared by
    /// these, the face space otherwise. A kernel that compares texture has no space of pixels: one is learned from the
    /// enrolled faces each time.
    ///
    /// # Errors
    /// Faces whose pixels are all alike to the kernel.
    pub fn shown_space(&self) -> Result<Space> {
        let part = self
            .matcher()
            .and_then(|matcher| matcher.feature_space(Feature::Pixels));
        match part {
            Some(part) => Ok(part.space().clone()),
            None if self.background().is_some()
                || self.settings().comparison.kernel == Kernel::Linear
                // A kernel takes two faces; this space has the mirror image of the one.
                || self.gallery.len() == 1 =>
            {
                Ok(self.linear_space())
            }
            None => {
                let pca = KernelPca {
                    kernel: self.settings().comparison.kernel,
                    components: self.settings().pca.components,
                };
                {
                    let faces = self.gallery.faces();
                    Ok(Space::Kernel(Arc::new(pca.fit(faces)?), faces.size()))
                }
            }
        }
    }

    /// The face space of plain pixels, which every recogniser has.
    pub fn linear_space(&self) -> Space {
        Space::Linear(self.identifier.shared_space())
    }

    /// The weights of the enrolled faces (k x n) in the [space that is shown](Self::shown_space).
    pub fn shown_weights(&self, space: &Space) -> Weights {
        match space {
            Space::Linear(_) => self.weights.clone(),
            Space::Scaled(_) | Space::Kernel(..) => space.project(self.gallery.faces()),
        }
    }

    /// Each eigenvalue of the [space that is shown](Self::shown_space) over the total variance; those of components
    /// that are not kept too, where they are quickly found again.
    pub fn shown_ratios(&self, space: &Space) -> Vec<f64> {
        let kept = space.variance_ratios();
        match self.all_ratios(space) {
            Some(all) if begins_alike(&all, &kept) => all,
            _ => kept,
        }
    }

    fn all_ratios(&self, space: &Space) -> Option<Vec<f64>> {
        let faces = self.learned_pixels().ok()?;
        let few = faces.len().min(self.space().pixels()) <= WORTH_FINDING;
        if !few || self.origin == BasisOrigin::Kept {
            return None;
        }
        let components = ComponentCount::Share(1.0);
        match space {
            Space::Linear(_) => {
                let solver = Solver::Auto;
                let all = Pca { components, solver }.fit(&faces).ok()?;
                Some(all.variance_ratios())
            }
            Space::Scaled(_) => {
                let all = scaled::fit(&faces, components).ok()?.components;
                Some(all.variance_ratios())
            }
            Space::Kernel(space, _) => {
                let kernel = space.kernel();
                let all = KernelPca { kernel, components }.fit(&faces).ok()?;
                Some(variance_ratios(all.eigenvalues(), all.total_variance()))
            }
        }
    }

    /// The faces that the shown space was learned from: with their mirror images where these are compared by pixels.
    fn learned_pixels(&self) -> Result<FaceMatrix> {
        let faces = self.gallery.faces();
        let is_of_pixels = |part: &FeatureSpace| part.feature() == Feature::Pixels;
        let parts = self
            .matcher()
            .map_or(&[] as &[FeatureSpace], Matcher::feature_spaces);
        let at = parts.iter().position(is_of_pixels);
        match at {
            Some(at) => {
                let mut learned = self.settings().comparison.learned(faces)?;
                Ok(learned.swap_remove(at))
            }
            None => faces.select(&(0..faces.len()).collect::<Vec<_>>()),
        }
    }
}

/// Whether the second begins as the first does: it may have been learned from other faces.
fn begins_alike(all: &[f64], kept: &[f64]) -> bool {
    all.len() >= kept.len()
        && all
            .iter()
            .zip(kept)
            .all(|(a, b)| (a - b).abs() <= 1e-6 + 1e-3 * b)
}
