//! Principal components of pixels divided by their standard deviations: of the correlations instead of the
//! covariances. Every pixel then counts alike, however little it varies.
//!
//! With D the diagonal matrix of the deviations (n - 1 degrees of freedom), Z = D⁻¹(X - m 1ᵀ) and the eigenvectors U
//! of ZZᵀ, a face has the weights Uᵀ D⁻¹(x - m) and is rebuilt as m + D U w. So there are two pictures of a basis
//! face: u in the scaled space, where basis faces are orthonormal, and D u in gray levels.
//!
//! A pixel that is the same in all faces has no deviation to divide by. Whether it is one is decided in exact
//! integers; it carries nothing, and is zero in every basis face.

use nalgebra::{DMatrix, DVector};

use super::spectrum::{self, Of, RANK_TOLERANCE};
use super::{Accumulator, Columns, ComponentCount, Components, PcaError, Rule, Solver, eigen, gram, real, rule};

/// The components of scaled pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaledComponents {
    /// In the scaled space: basis U (d x k, orthonormal), eigenvalues without a unit, the total variance being the
    /// number of pixels that vary. The mean is in gray levels.
    pub components: Components,
    /// The standard deviation of each pixel, d gray levels; exactly 0 for a pixel that never changes.
    pub deviations: DVector<f64>,
}

/// Learns the components of scaled pixels.
///
/// # Errors
/// Fewer than two faces, faces that are all alike, or a rule that cannot be applied.
pub fn fit<'a>(faces: impl Into<Columns<'a>>, wanted: ComponentCount) -> Result<ScaledComponents, PcaError> {
    let faces = faces.into();
    let (d, n) = (faces.length(), faces.count());
    PcaError::refuse_too_few(n)?;
    let deviations = deviations(faces);
    if deviations.iter().all(|&deviation| deviation == 0.0) {
        return Err(PcaError::NoVariance(n));
    }
    let wanted = match wanted {
        // Shuffling leaves each pixel its deviation.
        ComponentCount::Rule(Rule::Parallel) => {
            let most = ComponentCount::Count(rule::MOST_PARALLEL);
            let eigenvalues = |faces: Columns<'_>| Ok(fit(faces, most)?.components.eigenvalues);
            ComponentCount::Count(rule::parallel(faces, eigenvalues)?)
        }
        other => other,
    };
    let order = gram::canonical_order(faces);
    let mean = gram::mean_face(faces, &order);
    let mut components = if n <= d {
        real::by_gram(eigen::view(&scaled(faces, &order, &mean, &deviations)), mean, wanted)?
    } else {
        let found = spectrum::solve(correlations(faces, &deviations)?, n, wanted, RANK_TOLERANCE)?;
        found.components(Of::RoundedScatter, mean, n, Solver::Covariance)?
    };
    // What is constant is zero to the last bit, whatever was rounded on the way.
    for (mut row, &deviation) in components.basis.row_iter_mut().zip(deviations.iter()) {
        if deviation == 0.0 {
            row.fill(0.0);
        }
    }
    Ok(ScaledComponents { components, deviations })
}

/// ZZᵀ, d x d: XcXcᵀ from exact integers, each entry over the deviations of its two pixels.
fn correlations(faces: Columns<'_>, deviations: &DVector<f64>) -> Result<DMatrix<f64>, PcaError> {
    let mut scatter = Accumulator::of(faces)?.scatter();
    let over = |value: f64, by: f64| if by > 0.0 { value / by } else { 0.0 };
    for (mut column, &one) in scatter.column_iter_mut().zip(deviations) {
        for (value, &other) in column.iter_mut().zip(deviations) {
            // The product of the two first, so that the matrix stays symmetric to the last bit.
            *value = over(*value, one * other);
        }
    }
    Ok(scatter)
}

/// The standard deviation of each pixel: n Σx² - (Σx)² in exact integers, rounded at the division and the root.
fn deviations(faces: Columns<'_>) -> DVector<f64> {
    let n = faces.count();
    let mut sums = vec![(0_u64, 0_u64); faces.length()];
    for face in (0..n).filter_map(|j| faces.column(j)) {
        for ((sum, squares), &pixel) in sums.iter_mut().zip(face) {
            *sum += u64::from(pixel);
            *squares += u64::from(pixel).pow(2);
        }
    }
    let n = n as u128;
    let freedom = (n * (n - 1)) as f64;
    let deviation = |(sum, squares): (u64, u64)| {
        let exact = n * u128::from(squares) - u128::from(sum).pow(2);
        (exact as f64 / freedom).sqrt()
    };
    DVector::from_iterator(sums.len(), sums.into_iter().map(deviation))
}

/// Z = D⁻¹(X - m 1ᵀ), d x n, its columns in this order; constant pixels are 0.
fn scaled(faces: Columns<'_>, order: &[usize], mean: &DVector<f64>, deviations: &DVector<f64>) -> DMatrix<f64> {
    let mut scaled = DMatrix::zeros(mean.len(), order.len());
    for (mut column, &face) in scaled.column_iter_mut().zip(order) {
        let pixels = column.iter_mut().zip(faces.column(face).unwrap_or_default());
        for ((value, &pixel), (mean, &deviation)) in pixels.zip(mean.iter().zip(deviations)) {
            if deviation > 0.0 {
                *value = (f64::from(pixel) - mean) / deviation;
            }
        }
    }
    scaled
}
