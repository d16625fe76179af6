//! Pre-images: the face whose place in the space of the kernel is nearest to some weights, as well as it can be found.
//! Most points there belong to no face, so every pre-image is an approximation; its error is [`PreImage::rms`].
//!
//! Two ways:
//! - *ridge*: pixels are learned from weights by kernel ridge regression (G. Bakır, J. Weston & B. Schölkopf, NIPS 16,
//!   2004; scikit-learn's `inverse_transform`), about the mean face, so that the linear kernel rebuilds what linear PCA
//!   rebuilds;
//! - *fixed point*, for radial basis functions: z ← Σ γ_j k(z, x_j) x_j / Σ γ_j k(z, x_j) (S. Mika et al., NIPS 11,
//!   1999), from the ridge's answer on. A mixture of the faces learned from, which stays near them.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::KernelSpace;
use super::kernel::Function;

/// The ridge of the regression, in terms of the mean of the diagonal of its kernel matrix. Between 1e-4
/// and 1e-2 held-out faces are rebuilt about equally well.
pub const RIDGE: f64 = 1e-3;

/// A fixed point that moves by less than this, in gray levels a pixel, has been found.
const CONVERGED: f64 = 1e-3;
/// Steps after which the fixed point is taken as it is.
const MOST_STEPS: usize = 200;

/// A face rebuilt from its weights.
#[derive(Debug, Clone, PartialEq)]
pub struct PreImage {
    /// d gray levels, not clamped.
    pub levels: Vec<f32>,
    /// The method by which it was found.
    pub method: PreImageMethod,
}

/// The method by which a pre-image was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreImageMethod {
    /// By regression of pixels on weights.
    Ridge,
    /// By the fixed point, in a number of steps.
    FixedPoint {
        /// Number of steps.
        steps: usize,
        /// Whether it converged.
        converged: bool,
    },
}

impl PreImage {
    /// The distance from the face (d pixels), in gray levels a pixel (root mean square).
    pub fn rms(&self, face: &[u8]) -> f64 {
        let squares = self.levels.iter().zip(face);
        let sum: f64 = squares.map(|(&level, &pixel)| (f64::from(level) - f64::from(pixel)).powi(2)).sum();
        (sum / face.len().max(1) as f64).sqrt()
    }
}

/// Rebuilds faces from their weights in one kernel space.
#[derive(Debug, Clone)]
pub struct PreImages<'a> {
    space: &'a KernelSpace,
    mean: DVector<f64>,
    /// Weights of the faces learned from, k x n, the leading ones that the regression uses.
    weights: DMatrix<f64>,
    regression: Regression,
    /// Of the kernel matrix of the weights, ridge added: n x n.
    factor: Cholesky<f64, Dyn>,
}

/// The kernel of the regression, on weights.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Regression {
    /// w·v
    Linear,
    /// exp(-γ ‖w - v‖²)
    Rbf(f64),
}

impl Regression {
    fn of(self, a: &[f64], b: &[f64]) -> f64 {
        let pairs = a.iter().zip(b);
        match self {
            Self::Linear => pairs.map(|(a, b)| a * b).sum(),
            Self::Rbf(gamma) => libm::exp(-gamma * pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>()),
        }
    }
}

impl<'a> PreImages<'a> {
    /// Learns the regression from the faces of the space and their `leading` weights (at most k, at least 1).
    /// The linear kernel is regressed linearly, others by a radial basis function whose γ is one over the mean
    /// squared distance of two faces' weights; with `ridge` times the mean of the diagonal added to it.
    ///
    /// `None` if the regression has no solution, which a ridge above 0 excludes.
    pub fn learn(space: &'a KernelSpace, leading: usize, ridge: f64) -> Option<Self> {
        let k = leading.clamp(1, space.components());
        let weights = space.weights(&space.learned.faces).rows(0, k).into_owned();
        let n = weights.ncols();
        let regression = match space.learned.function {
            Function::Linear => Regression::Linear,
            // Weights are centred: the mean over pairs of ‖w - v‖² is twice their variance.
            _ => Regression::Rbf(1.0 / (2.0 * weights.norm_squared() / (n - 1) as f64)),
        };
        let mut kernels = DMatrix::from_fn(n, n, |i, j| regression.of(column(&weights, i), column(&weights, j)));
        let added = ridge * kernels.trace() / n as f64;
        for at in 0..n {
            kernels[(at, at)] += added;
        }
        Some(Self { mean: space.mean(), factor: kernels.cholesky()?, weights, regression, space })
    }

    /// The best pre-image of the weights: by the fixed point where the kernel allows, by the ridge otherwise.
    /// Weights beyond the leading ones are ignored.
    pub fn rebuild(&self, weights: &[f64]) -> PreImage {
        self.fixed_point(weights).unwrap_or_else(|| self.ridge(weights))
    }

    /// The pre-image by ridge regression.
    pub fn ridge(&self, weights: &[f64]) -> PreImage {
        let leading = &weights[..weights.len().min(self.weights.nrows())];
        let kernels =
            DVector::from_fn(self.weights.ncols(), |j, _| self.regression.of(leading, column(&self.weights, j)));
        let shares = self.factor.solve(&kernels);
        // m + Σ β_j (x_j - m)
        let levels = self.mixture(shares.as_slice(), 1.0 - shares.sum());
        PreImage { levels: levels.into_iter().map(|level| level as f32).collect(), method: PreImageMethod::Ridge }
    }

    /// The pre-image by the fixed point; `None` if the kernel is no radial basis function or no face is near enough.
    pub fn fixed_point(&self, weights: &[f64]) -> Option<PreImage> {
        let Function::Rbf(gamma) = self.space.learned.function else { return None };
        let faces = self.space.learned.columns();
        let n = faces.count();
        // P φ(x) = Σ γ_j φ(x_j): the mean of all, and the weights along the eigenvectors.
        let shares = self.space.coefficients.column_iter().map(|face| {
            let along = face.iter().zip(weights).take(self.weights.nrows());
            1.0 / n as f64 + along.map(|(a, w)| a * w).sum::<f64>()
        });
        let shares: Vec<f64> = shares.collect();
        let mut levels: Vec<f64> = self.ridge(weights).levels.iter().map(|&l| l.into()).collect();
        for step in 1..=MOST_STEPS {
            let near = faces.iter().zip(&shares).map(|(face, share)| {
                let pairs = levels.iter().zip(face);
                let distance: f64 = pairs.map(|(l, &p)| (l - f64::from(p)).powi(2)).sum();
                share * libm::exp(-gamma * distance)
            });
            let near: Vec<f64> = near.collect();
            let sum: f64 = near.iter().sum();
            if sum.is_nan() || sum <= f64::MIN_POSITIVE {
                return None;
            }
            let near: Vec<f64> = near.iter().map(|value| value / sum).collect();
            let next = self.mixture(&near, 0.0);
            let moved: f64 = next.iter().zip(&levels).map(|(a, b)| (a - b).powi(2)).sum();
            levels = next;
            let converged = (moved / levels.len() as f64).sqrt() < CONVERGED;
            if converged || step == MOST_STEPS {
                return Some(PreImage {
                    levels: levels.iter().map(|&level| level as f32).collect(),
                    method: PreImageMethod::FixedPoint { steps: step, converged },
                });
            }
        }
        None
    }

    /// Σ share_j x_j + rest m.
    fn mixture(&self, shares: &[f64], rest: f64) -> Vec<f64> {
        let mut levels: Vec<f64> = self.mean.iter().map(|level| level * rest).collect();
        for (face, share) in self.space.learned.columns().iter().zip(shares) {
            for (level, &pixel) in levels.iter_mut().zip(face) {
                *level += share * f64::from(pixel);
            }
        }
        levels
    }
}

fn column(matrix: &DMatrix<f64>, at: usize) -> &[f64] {
    &matrix.as_slice()[at * matrix.nrows()..][..matrix.nrows()]
}
