//! The space of a recogniser that pictures and tables are of.

use std::sync::Arc;

use super::Recognizer;
use crate::face_space::Weights;
use crate::kernel_pca::KernelPca;
use crate::matcher::Space;
use crate::pca::{ComponentCount, Pca, Solver, scaled, variance_ratios};

/// Up to so many components, those that are not kept are worth finding again.
const WORTH_FINDING: usize = 1000;

impl Recognizer {
    /// The space whose weights are shown: that of the kernel or of scaled pixels where faces are compared by these, the face
    /// space otherwise.
    pub fn display_space(&self) -> Space {
        self.matcher().map_or_else(|| self.linear_space(), |matcher| matcher.space().clone())
    }

    /// The face space of plain pixels, which every recogniser has.
    pub fn linear_space(&self) -> Space {
        Space::Linear(Arc::clone(&self.space))
    }

    /// The weights of the enrolled faces (k x n) in the [space that is shown](Self::display_space).
    pub fn shown_weights(&self, space: &Space) -> Weights {
        match space {
            Space::Linear(_) => self.weights().clone(),
            Space::Scaled(_) | Space::Kernel(..) => space.project(self.gallery.faces()),
        }
    }

    /// Each eigenvalue of the [space that is shown](Self::display_space) over the total variance; those of components
    /// that are not kept too, where they are quickly found again.
    pub fn shown_ratios(&self, space: &Space) -> Vec<f64> {
        self.all_ratios(space).unwrap_or_else(|| space.variance_ratios())
    }

    fn all_ratios(&self, space: &Space) -> Option<Vec<f64>> {
        let faces = self.gallery.faces();
        // Of one face the space is that of it and its mirror image.
        if faces.len() < 2 || faces.len().min(self.space().pixels()) > WORTH_FINDING {
            return None;
        }
        let components = ComponentCount::Share(1.0);
        match space {
            Space::Linear(_) => Some(Pca { components, solver: Solver::Auto }.fit(faces).ok()?.variance_ratios()),
            Space::Scaled(_) => Some(scaled::fit(faces, components).ok()?.components.variance_ratios()),
            Space::Kernel(space, _) => {
                let all = KernelPca { kernel: space.kernel(), components }.fit(faces).ok()?;
                Some(variance_ratios(all.eigenvalues(), all.total_variance()))
            }
        }
    }
}
