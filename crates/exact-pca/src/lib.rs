#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
#![deny(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod accumulator;
mod centring;
mod columns;
mod component_count;
mod cost;
mod error;
mod gram;
mod inner_products;
pub mod kernel;
pub mod kernel_pca;
mod krylov;
pub mod minimize;
mod products;
pub mod projection;
pub mod real;
mod rule;
pub mod scaled;
mod spectrum;

use nalgebra::{DMatrix, DVector};
use symmetric_eigen as eigen;

pub use accumulator::Accumulator;
pub use columns::Columns;
pub use component_count::{AUTO_LIMIT, AUTO_SHARE, ComponentCount};
pub use error::{PcaError, ShapeError};
pub use inner_products::{DualSpace, InnerProducts};
pub use rule::{Rule, SHUFFLES};

/// Which of the equivalent routes finds the eigenfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// The cheapest for the given d, n and number of components: see [`Solver::resolve`].
    #[default]
    Auto,
    /// Eigenvectors of the n x n matrix XᵀX, mapped back to images (the small trick).
    Gram,
    /// Eigenvectors of the d x d matrix XXᵀ.
    Covariance,
    /// Chosen by `Auto` alone, where the matrices of the other routes would not fit memory: a few leading eigenvectors by block
    /// Lanczos from a seeded start, neither matrix ever formed. Its accuracy is measured ([`Components::residual`]); where
    /// that of the others is not reached, they are taken.
    Lanczos,
    /// The images that rebuild the faces best, by alternating least squares from a seeded start: see
    /// [`minimize`]. To see and to check, not for speed; needs a fixed number of components.
    Minimize,
}

impl std::str::FromStr for Solver {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let chosen = [Self::Auto, Self::Gram, Self::Covariance, Self::Minimize];
        let found = chosen.into_iter().find(|solver| solver.name() == text);
        found.ok_or_else(|| format!("expected one of {}", chosen.map(Self::name).join(", ")))
    }
}

impl Solver {
    /// The name that a user types, and files hold.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Gram => "gram",
            Self::Covariance => "covariance",
            Self::Lanczos => "lanczos",
            Self::Minimize => "minimize",
        }
    }

    /// `Auto` becomes the route that is expected to be cheapest for d pixels x n faces: `Gram` where n is
    /// below d, `Covariance` otherwise, as a rule; `Lanczos` only where both are above 8000, few
    /// components are wanted, and it is clearly cheaper or the matrix would take over 8 GB.
    pub fn resolve(self, d: usize, n: usize, wanted: ComponentCount) -> Self {
        match self {
            Self::Auto => cost::cheapest(d, n, wanted),
            chosen => chosen,
        }
    }
}

/// Settings of a fit: the number of components, and the route.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pca {
    /// Number of components to keep.
    pub components: ComponentCount,
    /// The route; the result does not depend on it beyond rounding.
    pub solver: Solver,
}

/// The principal components of n faces of d pixels: what every solver returns.
#[derive(Debug, Clone, PartialEq)]
pub struct Components {
    /// The mean face, d values in gray levels (0 to 255).
    pub mean: DVector<f64>,
    /// The eigenfaces, d x k, in the order of `eigenvalues`; orthonormal to 1e-10, or to 1e-6 where the
    /// weakest still carries a four-thousandth of the variance and so may be computed in single precision.
    /// The pixel of largest magnitude of each is positive.
    pub basis: DMatrix<f64>,
    /// The variance along each eigenface, k values, decreasing; degrees of freedom n - 1.
    pub eigenvalues: Vec<f64>,
    /// The variance of the faces over all directions, kept or not: trace of the covariance, with the same degrees of freedom.
    pub total_variance: f64,
    /// n, the number of faces learned from.
    pub faces: usize,
    /// Accuracy of the eigenpairs: the largest ‖A v - λ v‖ over the largest λ, A being the matrix of
    /// the route (XcᵀXc or XcXcᵀ), at most 1e-9. An eigenvalue λ is right to this share of the largest one
    /// at least; an eigenface to about this times λ₁ over the gap to the next eigenvalue.
    pub residual: f64,
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
        variance_ratios(&self.eigenvalues, self.total_variance)
    }
}

/// Each eigenvalue over the total variance.
pub fn variance_ratios(eigenvalues: &[f64], total: f64) -> Vec<f64> {
    eigenvalues.iter().map(|value| value / total).collect()
}

impl Pca {
    /// Learns the principal components of the faces (d x n).
    ///
    /// # Errors
    /// Fewer than two faces, or faces that are all alike.
    pub fn fit<'a>(&self, faces: impl Into<Columns<'a>>) -> Result<Components, PcaError> {
        let faces = faces.into();
        // One entry into the thread pool instead of one for every parallel step.
        rayon::scope(|_| self.solve(faces))
    }

    fn solve(&self, faces: Columns<'_>) -> Result<Components, PcaError> {
        let (d, n) = (faces.length(), faces.count());
        let wanted = self.components.with_faces(faces)?;
        let mut solver = self.solver.resolve(d, n, wanted);
        if solver == Solver::Lanczos {
            if let Some(components) = krylov::fit(faces, wanted)? {
                return Ok(components);
            }
            solver = cost::exact(d, n, wanted);
        }
        match solver {
            Solver::Minimize => minimize::fit(faces, wanted, |_| {}),
            Solver::Covariance => Accumulator::of(faces)?.fit(wanted),
            _ => gram::fit(faces, wanted),
        }
    }
}

/// The distances of a face from a face space and within it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// ‖x - m - U w‖, the distance from face space, in gray levels times the square root of pixels.
    pub distance: f64,
    /// ‖x - m‖, the distance from the mean face.
    pub from_mean: f64,
}

impl Residual {
    /// The residual of a face at this squared distance from the mean face, with these weights: ‖x - m‖² = ‖w‖² + residual².
    pub fn new(from_mean_squared: f64, weights: &[f32]) -> Self {
        let inside: f64 = weights.iter().map(|&weight| f64::from(weight).powi(2)).sum();
        Self { distance: (from_mean_squared - inside).max(0.0).sqrt(), from_mean: from_mean_squared.sqrt() }
    }
}
