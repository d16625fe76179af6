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

pub(crate) mod centring;
mod component_count;
mod cost;
pub mod covariance;
#[doc(hidden)]
pub mod eigen;
pub(crate) mod gram;
#[doc(hidden)]
pub mod inner_products;
#[doc(hidden)]
pub mod kernel;
pub(crate) mod leading;
#[doc(hidden)]
pub mod leave_one_out;
pub mod minimize;
#[doc(hidden)]
pub mod products;
#[doc(hidden)]
pub mod projection;
mod randomized;
pub mod real;
#[doc(hidden)]
pub mod rule;
#[doc(hidden)]
pub mod scaled;
#[doc(hidden)]
pub mod spectrum;
#[doc(hidden)]
pub mod sums;
#[doc(hidden)]
pub mod symmetry;

use nalgebra::{DMatrix, DVector};

pub use crate::error::PcaError;
pub use component_count::{AUTO_LIMIT, AUTO_SHARE, ComponentCount};
#[doc(hidden)]
pub use inner_products::{DualSpace, InnerProducts};
pub use kernel::Columns;
#[doc(hidden)]
pub use leave_one_out::{LeaveOneOut, OneLeftOut};
pub use rule::Rule;
pub use sums::Sums;
pub use symmetry::{Mirror, Parity, Symmetry};

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
    /// A few leading eigenvectors by block Lanczos from a seeded random start, neither matrix ever formed:
    /// for thousands of large faces. Falls back on an exact route where the accuracy of those is not
    /// reached, where more than a third of all components are wanted, or a share of the variance;
    /// [`Components::solver`] says what was done and [`Components::residual`] how accurate it is.
    Randomized,
    /// The images that rebuild the faces best, by alternating least squares from a seeded start: see
    /// [`minimize`]. To see and to check, not for speed; needs a fixed number of components.
    Minimize,
}

named!(Solver {
    Auto = "auto",
    Gram = "gram",
    Covariance = "covariance",
    Randomized = "randomized",
    Minimize = "minimize",
});

impl Solver {
    /// `Auto` becomes the route that is expected to be cheapest for d pixels x n faces: `Gram` where n is
    /// below d, `Covariance` otherwise, as a rule; `Randomized` only where both are above 8000, few
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
    /// The variance along each eigenface, k values, decreasing; degrees of freedom n - 1, or 2 n - 1 where
    /// mirror images were learned too.
    pub eigenvalues: Vec<f64>,
    /// The variance of the faces over all directions, kept or not: trace of the covariance, with the same
    /// degrees of freedom.
    pub total_variance: f64,
    /// n, the number of faces learned from, their mirror images not counted.
    pub faces: usize,
    /// Parity of each of the k eigenfaces in the mirror, where mirror images were learned too.
    pub parity: Option<Vec<Parity>>,
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
pub(crate) fn variance_ratios(eigenvalues: &[f64], total: f64) -> Vec<f64> {
    eigenvalues.iter().map(|value| value / total).collect()
}

impl Pca {
    /// Learns the principal components of the faces (d x n).
    ///
    /// # Errors
    /// Fewer than two faces, or faces that are all alike.
    pub fn fit<'a>(&self, faces: impl Into<Columns<'a>>) -> Result<Components, PcaError> {
        self.fit_with_symmetry(faces, Symmetry::None)
    }

    /// As [`fit`](Self::fit), but each face is learned together with its mirror image, if so asked. The exact
    /// routes only: `Randomized` takes the cheaper of them.
    ///
    /// # Errors
    /// As `fit`, and a mirror for faces of another length. One face with a mirror image unlike it is enough.
    pub fn fit_with_symmetry<'a>(
        &self,
        faces: impl Into<Columns<'a>>,
        symmetry: Symmetry<'_>,
    ) -> Result<Components, PcaError> {
        let faces = faces.into();
        // One entry into the thread pool instead of one for every parallel step.
        rayon::scope(|_| self.solve(faces, symmetry))
    }

    /// The route that is taken for d pixels x n faces; a first choice only where it is `Randomized`.
    fn route(&self, d: usize, n: usize, symmetry: Symmetry<'_>) -> Solver {
        match (symmetry, self.solver) {
            (Symmetry::Mirror(_), Solver::Auto | Solver::Randomized | Solver::Minimize) => {
                cost::exact(d, n, self.components, symmetry)
            }
            _ => self.solver.resolve(d, n, self.components),
        }
    }

    fn solve(&self, faces: Columns<'_>, symmetry: Symmetry<'_>) -> Result<Components, PcaError> {
        let (d, n) = (faces.length(), faces.count());
        let wanted = self.components.with_faces(faces)?;
        let mut solver = self.route(d, n, symmetry);
        if solver == Solver::Randomized {
            if let Some(components) = randomized::fit(faces, wanted)? {
                return Ok(components);
            }
            solver = cost::exact(d, n, wanted, symmetry);
        }
        match solver {
            Solver::Minimize => minimize::fit(faces, wanted, |_| {}),
            Solver::Covariance => covariance::fit(faces, wanted, symmetry),
            _ => gram::fit(faces, wanted, symmetry),
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
    /// Of a face at this squared distance from the mean face, with these weights. Pythagoras:
    /// ‖x - m‖² = ‖w‖² + residual².
    pub fn new(from_mean_squared: f64, weights: &[f32]) -> Self {
        let inside: f64 = weights
            .iter()
            .map(|&weight| f64::from(weight).powi(2))
            .sum();
        Self {
            distance: (from_mean_squared - inside).max(0.0).sqrt(),
            from_mean: from_mean_squared.sqrt(),
        }
    }
}
