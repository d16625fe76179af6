#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
#![forbid(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod check;
mod cost;
mod dense;
mod implicit_ql;
mod inner;
mod lanczos;
mod operator;
mod orthogonal;
mod product;
mod random;
mod reduction;
mod symmetric;
#[cfg(test)]
mod tests;
mod tridiagonal;
mod views;

pub use cost::{expected_nanoseconds, usual_dimension};
pub use dense::{
    add_inner_products, add_outer, add_product, inner_product, inverse_cholesky, par_add_product, product,
};
pub use operator::Symmetric;
pub use orthogonal::extend;
pub use product::Number;
pub use random::Noise;
pub use views::{View, ViewMut, columns, columns_mut, for_each_rows, view, view_mut};

use nalgebra::DMatrix;
use rayon::prelude::*;
use reduction::{transform_back, tridiagonalise};

/// The accuracy that Full and Tridiagonal have to reach: residual over the largest eigenvalue, and `|VᵀV - I|`.
const EXACT: f64 = 1e-11;
/// Asymmetry, in terms of the largest entry, that is put down to rounding.
const ASYMMETRY: f64 = 1e-10;
/// Matrices with entries outside `2^±200` are scaled into range: their squares must not overflow.
const SAFE_EXPONENT: i32 = 200;

/// Leading eigenpairs of a symmetric positive semi-definite matrix, values in decreasing order.
#[derive(Debug, Clone)]
pub struct Eigenpairs {
    /// k eigenvalues, decreasing, as computed: where the rank is below k, some may be tiny and negative.
    pub values: Vec<f64>,
    /// n x k: the eigenvectors, orthonormal columns. Signs are arbitrary but reproducible.
    pub vectors: DMatrix<f64>,
    /// The method by which they were found.
    pub method: EigenMethod,
    /// The largest `‖A v - λ v‖`, in terms of the largest eigenvalue.
    pub residual: f64,
}

/// The method by which eigenpairs were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EigenMethod {
    /// All pairs of the tridiagonal form; residuals at rounding level.
    Full,
    /// The leading pairs of the tridiagonal form; residuals at rounding level.
    Tridiagonal,
    /// Block Lanczos in a space of this dimension; residuals below 1e-10.
    Lanczos {
        /// Dimension of the Krylov space in which the pairs were found.
        dimension: usize,
    },
}

/// Which method to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The one that is expected to be fastest.
    #[default]
    Auto,
    /// [`EigenMethod::Full`].
    Full,
    /// [`EigenMethod::Tridiagonal`].
    Tridiagonal,
    /// [`EigenMethod::Lanczos`].
    Lanczos,
}

/// The reason why a matrix has no eigendecomposition here. The fields say what the message says of them.
#[allow(missing_docs)]
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EigenError {
    /// The matrix is not square.
    #[error("an eigenproblem needs a square matrix, this one is {rows} x {columns}")]
    NotSquare { rows: usize, columns: usize },
    /// An entry is infinite or not a number.
    #[error("entry ({row}, {column}) of the matrix is not a finite number; check the values that went into it")]
    NotFinite { row: usize, column: usize },
    /// Entries on the two sides of the diagonal differ by more than rounding.
    #[error("the matrix is not symmetric at ({row}, {column}); fill both triangles with the same values")]
    NotSymmetric { row: usize, column: usize },
    /// Even the most reliable method missed the accuracy asked for.
    #[error("the eigensolver reached a residual of only {residual:.1e}; please report the data as a bug")]
    NotConverged { residual: f64 },
}

/// Finds the `k` leading eigenpairs, or all where there are no more, of a symmetric positive semi-definite matrix (n x n, both
/// triangles filled). The matrix is consumed: it is overwritten rather than copied.
///
/// Indefinite matrices are solved as well, with accuracy relative to the largest entry instead.
///
/// # Errors
/// If the matrix is not square, not finite, not symmetric; never for want of rank.
pub fn leading(mut matrix: DMatrix<f64>, k: usize, method: Method) -> Result<Eigenpairs, EigenError> {
    let n = matrix.nrows();
    let k = k.min(n);
    let largest = largest_entry(&matrix)?;
    if k == 0 || largest == 0.0 {
        let (values, vectors) = (vec![0.0; k], DMatrix::identity(n, k));
        return Ok(Eigenpairs { values, vectors, method: EigenMethod::Full, residual: 0.0 });
    }
    let (shrink, grow) = safe_scale(largest);
    if shrink != 1.0 {
        matrix *= shrink;
    }
    // One entry into the thread pool instead of one for every parallel step.
    let mut pairs = rayon::scope(|_| solve(matrix, k, method, largest * shrink))?;
    pairs.values.iter_mut().for_each(|value| *value *= grow);
    Ok(pairs)
}

/// All eigenpairs of a symmetric matrix of which the lower triangle is read, values in decreasing order, for what is kept in single
/// precision: not measured, their residuals and the vectors' inner products are some 1e-14. `None` where an entry is not finite.
pub fn all_unmeasured(matrix: DMatrix<f64>) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let n = matrix.nrows();
    if matrix.iter().all(|entry| entry.is_finite()) { by_tridiagonal(matrix, n) } else { None }
}

/// Finds the `k` leading eigenpairs of a matrix that is known only by its products with tall blocks, by block
/// Lanczos; `scale` is about its largest entry, and at most the largest eigenvalue.
///
/// Nothing where the accuracy of the other methods' contract (residual 1e-9, orthonormal to 1e-11) was not
/// reached in a Krylov space of 4 k + 600 dimensions, or where an eigenvalue was overlooked.
pub fn leading_of_operator(matrix: &impl Symmetric, k: usize, scale: f64) -> Option<Eigenpairs> {
    let k = k.min(matrix.side());
    if k == 0 {
        return None;
    }
    rayon::scope(|_| by_lanczos(matrix, k, scale))
}

fn solve(matrix: DMatrix<f64>, k: usize, method: Method, scale: f64) -> Result<Eigenpairs, EigenError> {
    let method = match method {
        Method::Auto => cost::cheapest(matrix.nrows(), k),
        chosen => chosen,
    };
    if method == Method::Lanczos
        && let Some(pairs) = by_lanczos(&matrix, k, scale)
    {
        return Ok(pairs);
    }
    by_reduction(matrix, k, method, scale)
}

/// By block Lanczos, if what comes out is as accurate as it should be.
fn by_lanczos(matrix: &impl Symmetric, k: usize, scale: f64) -> Option<Eigenpairs> {
    let found = lanczos::leading(matrix, k, scale)?;
    let sound = found.residual <= 10.0 * lanczos::TOLERANCE && check::orthogonality(&found.vectors) <= EXACT;
    sound.then_some(found)
}

/// By tridiagonal form: the leading pairs only or all, and ever more reliable ways until one passes.
fn by_reduction(mut matrix: DMatrix<f64>, k: usize, method: Method, scale: f64) -> Result<Eigenpairs, EigenError> {
    let diagonal: Vec<f64> = (0..matrix.nrows()).map(|i| matrix[(i, i)]).collect();
    let (diagonals, reflections) = tridiagonalise(&mut matrix);
    let leading_only = (method != Method::Full)
        .then(|| tridiagonal::leading(&diagonals, k))
        .flatten()
        .map(|pairs| (pairs, EigenMethod::Tridiagonal));
    let all = std::iter::once_with(|| Some((implicit_ql::leading(&diagonals, k)?, EigenMethod::Full)));
    // Judged in tridiagonal form, where it is cheap; and once more at the end.
    let norm = tridiagonal::norm(&diagonals);
    let solved = leading_only.into_iter().chain(all.flatten()).find_map(|((values, mut vectors), method)| {
        let passes = check::polish(&mut vectors) <= EXACT
            && tridiagonal::residual(&diagonals, &values, &vectors) <= EXACT * norm;
        passes.then_some((values, vectors, method))
    });
    let Some((values, mut vectors, method)) = solved else {
        return Err(EigenError::NotConverged { residual: f64::INFINITY });
    };
    transform_back(&matrix, &reflections, &mut vectors);
    restore(&mut matrix, &diagonal);
    let residual = check::residual(&matrix, &values, &vectors) / values[0].abs().max(scale);
    if residual.is_nan() || residual > EXACT {
        return Err(EigenError::NotConverged { residual });
    }
    Ok(Eigenpairs { values, vectors, method, residual })
}

/// The leading pairs of a matrix of which the lower triangle is read, without a check.
fn by_tridiagonal(mut matrix: DMatrix<f64>, k: usize) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let (diagonals, reflections) = tridiagonalise(&mut matrix);
    let (values, mut vectors) = tridiagonal::leading(&diagonals, k).or_else(|| implicit_ql::leading(&diagonals, k))?;
    check::polish_once(&mut vectors);
    transform_back(&matrix, &reflections, &mut vectors);
    Some((values, vectors))
}

/// Puts back the lower triangle and the diagonal that tridiagonal reduction overwrote.
fn restore(matrix: &mut DMatrix<f64>, diagonal: &[f64]) {
    const TILE: usize = 64;
    let n = matrix.nrows();
    for first in (0..n).step_by(TILE) {
        for top in (first..n).step_by(TILE) {
            for column in first..(first + TILE).min(n) {
                for row in top.max(column + 1)..(top + TILE).min(n) {
                    matrix[(row, column)] = matrix[(column, row)];
                }
            }
        }
    }
    matrix.set_diagonal(&nalgebra::DVector::from_column_slice(diagonal));
}

/// The largest absolute entry of a matrix that must be square, finite and symmetric.
fn largest_entry(matrix: &DMatrix<f64>) -> Result<f64, EigenError> {
    const TILE: usize = 64;
    let (rows, columns) = matrix.shape();
    if rows != columns {
        return Err(EigenError::NotSquare { rows, columns });
    }
    // The largest entry of each column; infinite if one is infinite or not a number.
    let bits = |column: &[f64]| column.iter().map(|x| x.to_bits() & (u64::MAX >> 1)).max().unwrap_or(0);
    let largest: Vec<f64> = matrix.as_slice().par_chunks(rows.max(1)).map(bits).map(f64::from_bits).collect();
    if let Some(column) = largest.iter().position(|x| !x.is_finite()) {
        let row = matrix.column(column).iter().position(|x| !x.is_finite()).unwrap_or(0);
        return Err(EigenError::NotFinite { row, column });
    }
    let largest = largest.into_iter().fold(0.0, f64::max);
    let allowed = ASYMMETRY * largest;
    let asymmetric = |first: usize| {
        (first..rows).step_by(TILE).find_map(|top| {
            (first..(first + TILE).min(rows)).find_map(|column| {
                (top.max(column + 1)..(top + TILE).min(rows))
                    .find(|&row| (matrix[(row, column)] - matrix[(column, row)]).abs() > allowed)
                    .map(|row| (row, column))
            })
        })
    };
    let tiles: Vec<usize> = (0..rows).step_by(TILE).collect();
    match tiles.par_iter().find_map_first(|&first| asymmetric(first)) {
        Some((row, column)) => Err(EigenError::NotSymmetric { row, column }),
        None => Ok(largest),
    }
}

/// A power of two that brings the entries into safe range (1 if they are), and its inverse.
fn safe_scale(largest: f64) -> (f64, f64) {
    let exponent = libm::log2(largest) as i32;
    if exponent.abs() <= SAFE_EXPONENT {
        return (1.0, 1.0);
    }
    // Entries below 2^-1000 have few bits left anyway; one factor cannot reach further.
    let shift = exponent.clamp(-1000, 1000);
    (2.0_f64.powi(-shift), 2.0_f64.powi(shift))
}
