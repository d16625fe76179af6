//! Principal components as a minimisation: of all sets of k images C (d x k) and weights w_p, those that rebuild
//! the centred faces best, Σ‖C w_p - x_p‖² = ‖Xc - C W‖² least. C need not be orthonormal; whatever the minimiser,
//! its images span the space of the k leading eigenfaces.
//!
//! Found by alternating least squares from a seeded start: the best W for the images at hand, then the best images
//! for that W, and so on. For n faces below d pixels the images are mixtures of the faces, C = Xc A, and everything
//! follows from S = XcᵀXc; for more faces than pixels from S = XcXcᵀ. As only the span matters, it is kept by
//! orthonormal columns B, and a round of the two least squares problems becomes B ← orthonormal(S B): both problems
//! turn the span of B into that of S B. The objective is then tr S - tr BᵀSB.
//!
//! Slower than the other solvers, and it shares with them nothing but the exact sums of products: a way to see PCA,
//! and a check. The distance from the solution shrinks by λ_(k+1) / λ_k a round.

use nalgebra::DMatrix;

use super::centring::{Centring, Table};
use super::eigen::{self, Eigenpairs, Method, Noise};
use super::spectrum::{self, Of, RANK_TOLERANCE};
use super::{Accumulator, Columns, ComponentCount, Components, PcaError, Solver, gram};

/// A round of the minimisation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round {
    /// Counted from 0, the seeded start.
    pub number: usize,
    /// ‖Xc - C W‖² with the best W for the images at hand, in squared gray levels.
    pub objective: f64,
    /// The turn of the span in a round: ‖S B - B BᵀS B‖ over the largest eigenvalue in sight.
    pub residual: f64,
}

/// A span that turns by less is the minimiser's.
const TOLERANCE: f64 = 1e-10;
/// Rounds after which a span that still turns is an error.
const MOST_ROUNDS: usize = 5_000;
/// Seed of the start.
const SEED: u64 = 1991;

/// Learns the components by minimisation, and tells of each round.
///
/// # Errors
/// Fewer than two faces, faces that are all alike, no fixed number of components asked for, or no convergence.
pub fn fit<'a>(
    faces: impl Into<Columns<'a>>,
    wanted: ComponentCount,
    watch: impl FnMut(Round),
) -> Result<Components, PcaError> {
    let faces = faces.into();
    let (d, n) = (faces.length(), faces.count());
    PcaError::refuse_too_few(n)?;
    let ComponentCount::Count(count) = wanted else { return Err(PcaError::CountNeeded) };
    let order = gram::canonical_order(faces);
    let mean = gram::mean_face(faces, &order);
    let scatter = if n <= d {
        Centring::new(&Table::of(faces), order.clone()).scatter()
    } else {
        Accumulator::of(faces)?.scatter()
    };
    let total = scatter.trace();
    if total <= 0.0 {
        return Err(PcaError::NoVariance(n));
    }
    let rank = scatter.nrows().min(n - 1);
    let pairs = minimise(&scatter, total, count.min(rank), watch)?;
    let found = spectrum::keep(pairs, rank, total, wanted, RANK_TOLERANCE).ok_or(PcaError::CountNeeded)?;
    let of = if n <= d { Of::Gram(faces, &order) } else { Of::Scatter };
    found.components(of, mean, n, Solver::Minimize)
}

/// The k leading eigenpairs of S by alternating least squares; at the end the span is turned so that its columns are eigenvectors.
fn minimise(
    scatter: &DMatrix<f64>,
    total: f64,
    k: usize,
    mut watch: impl FnMut(Round),
) -> Result<Eigenpairs, PcaError> {
    let side = scatter.nrows();
    let mut span = DMatrix::from_iterator(side, k, Noise::seeded(SEED).take(side * k));
    orthonormalise(&mut span, 0.0);
    for number in 0..=MOST_ROUNDS {
        let next = eigen::product(eigen::view(scatter), eigen::view(&span));
        let within = eigen::inner_product(eigen::view(&span), eigen::view(&next));
        // The part of S B outside the span of B.
        let mut outside = next.clone();
        eigen::par_add_product(eigen::view_mut(&mut outside), eigen::view(&span), eigen::view(&within), -1.0);
        let largest = next.column_iter().map(|column| column.norm()).fold(0.0, f64::max);
        let residual = outside.norm() / largest.max(f64::MIN_POSITIVE);
        watch(Round { number, objective: (total - within.trace()).max(0.0), residual });
        if residual <= TOLERANCE {
            return eigenvectors(&span, within, residual);
        }
        span = next;
        orthonormalise(&mut span, f64::EPSILON * largest);
    }
    Err(PcaError::NotConverged { rounds: MOST_ROUNDS })
}

/// Orthonormal columns with the same span; columns no longer than `dust` carry nothing and are drawn anew.
fn orthonormalise(span: &mut DMatrix<f64>, dust: f64) {
    let side = span.nrows();
    eigen::extend(eigen::columns(&[], side), span.as_mut_slice(), dust, SEED);
}

/// Turns an invariant span, with T = BᵀSB, to eigenvectors.
fn eigenvectors(span: &DMatrix<f64>, mut within: DMatrix<f64>, residual: f64) -> Result<Eigenpairs, PcaError> {
    // Symmetric but for rounding.
    within = (&within + within.transpose()) / 2.0;
    let all = within.nrows();
    let mut pairs = eigen::leading(within, all, Method::Auto).map_err(|error| PcaError::Eigen(error.to_string()))?;
    pairs.vectors = eigen::product(eigen::view(span), eigen::view(&pairs.vectors));
    pairs.residual = residual.max(pairs.residual);
    Ok(pairs)
}
