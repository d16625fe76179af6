//! Where the weights of a view live: in a face space, or in the space of a kernel.

use std::sync::Arc;

use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::face_space::{FaceSpace, Weights};
use crate::kernel_pca::KernelSpace;

/// The space of one view.
#[derive(Debug, Clone, PartialEq)]
pub enum Space {
    /// Linear: weights along basis faces.
    Linear(Arc<FaceSpace>),
    /// Of a kernel: weights without basis faces.
    Kernel(Arc<KernelSpace>),
}

impl Space {
    /// k, the number of components.
    pub fn components(&self) -> usize {
        match self {
            Self::Linear(space) => space.components(),
            Self::Kernel(space) => space.components(),
        }
    }

    /// The variance along each component, k values, decreasing.
    pub fn eigenvalues(&self) -> &[f64] {
        match self {
            Self::Linear(space) => space.eigenvalues(),
            Self::Kernel(space) => space.eigenvalues(),
        }
    }

    /// The size of the faces as the view sees them.
    pub fn size(&self) -> FaceSize {
        match self {
            Self::Linear(space) => space.size(),
            Self::Kernel(space) => space.size(),
        }
    }

    /// The weights of each face (d x n), k x n.
    ///
    /// # Panics
    /// If the faces have another size.
    pub fn project(&self, faces: &FaceMatrix) -> Weights {
        match self {
            Self::Linear(space) => space.project(faces),
            Self::Kernel(space) => space.project(faces),
        }
    }

    /// The face space, if the space is linear.
    pub fn linear(&self) -> Option<&Arc<FaceSpace>> {
        match self {
            Self::Linear(space) => Some(space),
            Self::Kernel(_) => None,
        }
    }

    /// The space of the kernel, if there is one.
    pub fn kernel(&self) -> Option<&Arc<KernelSpace>> {
        match self {
            Self::Linear(_) => None,
            Self::Kernel(space) => Some(space),
        }
    }
}
