//! A block of columns made orthonormal, and orthogonal to a basis, even where it depends on that basis or on itself.
//!
//! Gram-Schmidt, block by block against the basis and column by column within the block, all of it at least twice
//! ("twice is enough": L. Giraud, J. Langou & M. Rozložník, Comput. Math. Appl. 50, 2005). Cholesky QR, which is a few
//! large products, does the work within a block whose columns are far from alike; of others it would make nothing.

use super::dense::{self, View};
use super::random::Noise;
use nalgebra::DMatrix;

/// The coefficients of the columns of a block: `block = basis · onto + new · within`.
pub struct BlockCoefficients {
    /// m x b: the part that lay in the basis.
    pub onto: DMatrix<f64>,
    /// b x b, upper triangular: the rest, in terms of the new columns.
    pub within: DMatrix<f64>,
}

/// Replaces `block` (n x b, column after column) by orthonormal columns orthogonal to `basis` (n x m, orthonormal, m + b ≤ n).
///
/// What is left of a column after projection counts as nothing if it is no longer than `dust`: a random
/// direction takes its place. `seed` fixes those.
pub fn extend(basis: View<'_>, block: &mut [f64], dust: f64, seed: u64) {
    extend_near(basis, 0, block, dust, seed);
}

/// As [`extend`], for a block that is known to lie, but for rounding, in the columns of the basis from `near` on and
/// outside it: the first pass looks at these only.
pub fn extend_near(basis: View<'_>, near: usize, block: &mut [f64], dust: f64, seed: u64) -> BlockCoefficients {
    // A pass more for every column that turns out to be rounding error; they do not come in a row.
    const MOST_PASSES: u64 = 8;
    let n = basis.nrows();
    let b = block.len() / n.max(1);
    let mut coefficients =
        BlockCoefficients { onto: DMatrix::zeros(basis.ncols(), b), within: DMatrix::identity(b, b) };
    for pass in 0..MOST_PASSES {
        let from = if pass == 0 { near } else { 0 };
        let basis = basis.columns(from, basis.ncols() - from);
        let along = dense::inner_product(basis, dense::columns(block, n));
        dense::par_add_product(dense::columns_mut(block, n), basis, dense::view(&along), -1.0);
        let dust = if pass == 0 { dust } else { 0.0 };
        let (upper, lost) = orthonormalise(block, n, dust, seed ^ (pass << 56));
        let mut onto = coefficients.onto.rows_mut(from, along.nrows());
        onto += along * &coefficients.within;
        // Columns have length 1 after the first pass. One that loses much of it in a later pass was
        // mostly rounding error, magnified, and needs another.
        let is_orthogonal = lost == 0 && upper.diagonal().iter().all(|&length| length > 0.5);
        coefficients.within = upper * coefficients.within;
        if pass > 0 && is_orthogonal {
            break;
        }
    }
    coefficients
}

/// Orthonormal columns in place of `block`, the upper triangular factor, and how many columns were replaced.
fn orthonormalise(block: &mut [f64], n: usize, dust: f64, seed: u64) -> (DMatrix<f64>, usize) {
    if let Some(upper) = by_cholesky(block, n, dust) {
        return (upper, 0);
    }
    let b = block.len() / n.max(1);
    let mut upper = DMatrix::zeros(b, b);
    let mut lost = 0;
    for j in 0..b {
        let (done, rest) = block.split_at_mut(n * j);
        let column = &mut rest[..n];
        let along = project_out(done, column);
        let once = length(column);
        let along = along + project_out(done, column);
        upper.view_mut((0, j), (j, 1)).copy_from(&along);
        let mut size = length(column);
        upper[(j, j)] = size;
        // Not `size <= dust`: what is not a number is lost.
        if !(size > dust && size > 0.5 * once) {
            lost += 1;
            upper[(j, j)] = 0.0;
            column.iter_mut().zip(Noise::seeded(seed ^ ((j as u64) << 40))).for_each(|(x, r)| *x = r);
            project_out(done, column);
            project_out(done, column);
            size = length(column);
        }
        column.iter_mut().for_each(|x| *x /= size);
    }
    (upper, lost)
}

/// Makes `block` orthonormal to 1e-8, with the upper triangular factor; not where columns are alike or within `dust`.
fn by_cholesky(block: &mut [f64], n: usize, dust: f64) -> Option<DMatrix<f64>> {
    /// Condition up to which columns count as independent: the orthogonality lost is its square, times the unit of rounding.
    const ALIKE: f64 = 1e-4;
    let view = dense::columns(block, n);
    let lower = dense::cholesky(dense::inner_product(view, view))?;
    let sizes = lower.diagonal();
    let shortest = dust.max(ALIKE * sizes.max());
    // What is not a number is no length.
    if !sizes.iter().all(|&size| size > shortest) {
        return None;
    }
    let inverse = dense::inverse_lower(&lower).transpose();
    let columns = dense::product(view, dense::view(&inverse));
    block.copy_from_slice(columns.as_slice());
    Some(lower.transpose())
}

/// Takes the coefficients along the orthonormal columns `done` out of `column`, and returns them.
fn project_out(done: &[f64], column: &mut [f64]) -> DMatrix<f64> {
    let n = column.len();
    let done = dense::columns(done, n);
    let along = dense::inner_product(done, dense::columns(column, n));
    dense::add_product(dense::columns_mut(column, n), done, dense::view(&along), -1.0);
    along
}

fn length(column: &[f64]) -> f64 {
    column.iter().map(|x| x * x).sum::<f64>().sqrt()
}
