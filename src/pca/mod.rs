//! Principal component analysis of 8-bit faces.
//!
//! `fit` only dispatches. Every solver returns the same [`Components`], and one place
//! ([`spectrum`]) cuts the rank and the count and fixes the signs, so that solvers agree.
//!
//! A face is d bytes. The uncentred products of faces are therefore exact integers, and so is the
//! centring: n² times the centred Gram matrix is an integer matrix, rounded once when it becomes `f64`.
//! The result depends neither on the number of threads nor on the order of the faces.
//!
//! Source: M. Turk and A. Pentland, "Eigenfaces for recognition", J. Cognitive Neuroscience 3(1), 1991;
//! the small P x P trick is its section "Calculating eigenfaces".

pub mod covariance;
pub mod eigen;
pub mod gram;
pub mod kernel;
pub mod products;
pub mod projection;
pub mod spectrum;

use nalgebra::{DMatrix, DVector};

pub use crate::error::PcaError;
use crate::face_matrix::FaceMatrix;
pub use spectrum::ComponentCount;

/// Which of the equivalent routes finds the eigenfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// The cheaper of the two for the given d and n: see [`Solver::resolve`].
    #[default]
    Auto,
    /// Eigenvectors of the n x n matrix XᵀX, mapped back to images (the small trick).
    Gram,
    /// Eigenvectors of the d x d matrix XXᵀ.
    Covariance,
}

impl Solver {
    /// Every solver, in the order in which a user is told of them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Gram, Self::Covariance];

    /// `Auto` becomes the route with the smaller matrix.
    ///
    /// Sums of products cost n²d for Gram and d²n for covariance, the eigenproblem the cube of the side:
    /// both favour the smaller of n and d. Mapping back (2dnk) tips equal sides to covariance.
    pub fn resolve(self, d: usize, n: usize) -> Self {
        match self {
            Self::Auto if n < d => Self::Gram,
            Self::Auto => Self::Covariance,
            chosen => chosen,
        }
    }

    /// The name a user types for this solver.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Gram => "gram",
            Self::Covariance => "covariance",
        }
    }
}

impl std::str::FromStr for Solver {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|solver| solver.name() == text)
            .ok_or_else(|| format!("expected one of {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// What to fit: how many components, and by which route.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pca {
    /// How many components to keep.
    pub components: ComponentCount,
    /// The route; the result does not depend on it beyond rounding.
    pub solver: Solver,
}

/// The principal components of n faces of d pixels: what every solver returns.
#[derive(Debug, Clone, PartialEq)]
pub struct Components {
    /// The mean face, d values in gray levels (0 to 255).
    pub mean: DVector<f64>,
    /// The eigenfaces, d x k, orthonormal, in the order of `eigenvalues`.
    /// The pixel of largest magnitude of each is positive.
    pub basis: DMatrix<f64>,
    /// The variance along each eigenface, k values, decreasing; degrees of freedom n - 1.
    pub eigenvalues: Vec<f64>,
    /// The variance of the faces over all directions, kept or not: trace of the covariance, n - 1.
    pub total_variance: f64,
    /// n, the number of faces learned from.
    pub faces: usize,
    /// The route that was taken.
    pub solver: Solver,
}

impl Components {
    /// k, the number of eigenfaces.
    pub fn count(&self) -> usize {
        self.eigenvalues.len()
    }

    /// Each eigenvalue over the total variance (not over the kept part of it).
    pub fn variance_ratios(&self) -> Vec<f64> {
        self.eigenvalues
            .iter()
            .map(|value| value / self.total_variance)
            .collect()
    }
}

impl Pca {
    /// Learns the principal components of the faces (d x n).
    ///
    /// # Errors
    /// Fewer than two faces, or faces that are all alike.
    pub fn fit(&self, faces: &FaceMatrix) -> Result<Components, PcaError> {
        match self.solver.resolve(faces.size().pixels(), faces.len()) {
            Solver::Covariance => covariance::fit(faces, self.components),
            _ => gram::fit(faces, self.components),
        }
    }
}
