//! The space of weights: a face space, that of scaled pixels, or the space of a kernel.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use super::DistanceSettings;
use crate::error::Result;
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::face_space::{FaceSpace, Weights, share_kept};
use crate::kernel_pca::{Kernel, KernelPca, KernelSpace};
use crate::pca::{Pca, scaled, variance_ratios};
use crate::scaled_space::ScaledSpace;

/// Whether the pixels are scaled before they are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PixelScale {
    /// Gray levels as they are.
    #[default]
    Plain,
    /// Each pixel over its standard deviation among the faces learned from.
    Deviation,
}

named!(PixelScale {
    Deviation = "yes",
    Plain = "no",
});

/// A space of weights.
#[derive(Debug, Clone, PartialEq)]
pub enum Space {
    /// Linear: weights along basis faces.
    Linear(Arc<FaceSpace>),
    /// Linear, of pixels over their standard deviations.
    Scaled(Arc<ScaledSpace>),
    /// Of a kernel, learned from faces of this size: weights without basis faces.
    Kernel(Arc<KernelSpace>, FaceSize),
}

impl Space {
    /// Learns the space of faces (d x n).
    ///
    /// # Errors
    /// Fewer than two different faces; settings that exclude each other.
    pub fn learn(faces: &FaceMatrix, settings: DistanceSettings, pca: Pca) -> Result<Self> {
        settings.refuse_invalid()?;
        let components = pca.components;
        Ok(match (settings.kernel, settings.pixel_scale) {
            (Kernel::Linear, PixelScale::Plain) => Self::Linear(Arc::new(FaceSpace::learn(faces, pca)?)),
            (Kernel::Linear, PixelScale::Deviation) => {
                Self::Scaled(Arc::new(ScaledSpace::new(faces.size(), &scaled::fit(faces, components)?)))
            }
            (kernel, _) => Self::Kernel(Arc::new(KernelPca { kernel, components }.fit(faces)?), faces.size()),
        })
    }

    /// k, the number of components.
    pub fn components(&self) -> usize {
        self.eigenvalues().len()
    }

    /// The variance along each component, k values, decreasing.
    pub fn eigenvalues(&self) -> &[f64] {
        match self {
            Self::Linear(space) => space.eigenvalues(),
            Self::Scaled(space) => space.face_space().eigenvalues(),
            Self::Kernel(space, _) => space.eigenvalues(),
        }
    }

    /// The size of the faces.
    pub fn size(&self) -> FaceSize {
        match self {
            Self::Linear(space) => space.size(),
            Self::Scaled(space) => space.face_space().size(),
            Self::Kernel(_, size) => *size,
        }
    }

    /// The weights of each face (d x n), k x n.
    ///
    /// # Panics
    /// If the faces have another size.
    pub fn project(&self, faces: &FaceMatrix) -> Weights {
        match self {
            Self::Linear(space) => space.project(faces),
            Self::Scaled(space) => space.project(faces),
            Self::Kernel(space, _) => space.project(faces),
        }
    }

    /// The variance over all directions, kept or not.
    pub fn total_variance(&self) -> f64 {
        match self {
            Self::Linear(space) => space.total_variance(),
            Self::Scaled(space) => space.face_space().total_variance(),
            Self::Kernel(space, _) => space.total_variance(),
        }
    }

    /// Each eigenvalue over the total variance.
    pub fn variance_ratios(&self) -> Vec<f64> {
        variance_ratios(self.eigenvalues(), self.total_variance())
    }

    /// The share of the total variance that the kept components carry, 0 to 1.
    pub fn variance_kept(&self) -> f64 {
        share_kept(self.eigenvalues(), self.total_variance())
    }

    /// The mean face, d gray levels; for a kernel that of the faces it learned from.
    pub fn mean(&self) -> DVector<f64> {
        match self {
            Self::Linear(space) => space.mean().clone(),
            Self::Scaled(space) => space.face_space().mean().clone(),
            Self::Kernel(space, _) => space.mean(),
        }
    }

    /// The factor of a face less the mean that gives its weights (d x k), and that mean; `None` for a kernel.
    pub fn projector(&self) -> Option<(&DMatrix<f32>, &DVector<f64>)> {
        match self {
            Self::Linear(space) => Some((space.basis(), space.mean())),
            Self::Scaled(space) => Some((space.projector(), space.face_space().mean())),
            Self::Kernel(..) => None,
        }
    }

    /// The face space, if the space is one of plain pixels.
    pub fn linear(&self) -> Option<&Arc<FaceSpace>> {
        if let Self::Linear(space) = self { Some(space) } else { None }
    }

    /// The space of scaled pixels, if it is one.
    pub fn scaled(&self) -> Option<&Arc<ScaledSpace>> {
        if let Self::Scaled(space) = self { Some(space) } else { None }
    }
}
