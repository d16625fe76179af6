//! Products as new matrices, and Cholesky factors. The same bits for any number of threads.

pub use super::inner::{add_inner_products, par_add_inner_products};
pub use super::product::{add_product, par_add_product};
pub use super::views::{View, ViewMut, columns, columns_mut, view, view_mut};
use nalgebra::DMatrix;

/// `left · right` as a new matrix.
pub fn product(left: View<'_>, right: View<'_>) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(left.nrows(), right.ncols());
    par_add_product(view_mut(&mut out), left, right, 1.0);
    out
}

/// `sum += a · aᵀ`.
pub fn add_outer(sum: &mut DMatrix<f64>, a: &DMatrix<f64>) {
    let transposed = a.transpose();
    par_add_product(view_mut(sum), view(a), view(&transposed), 1.0);
}

/// `leftᵀ · right` of two tall matrices as a new matrix, without packing a factor first.
pub fn inner_product(left: View<'_>, right: View<'_>) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(left.ncols(), right.ncols());
    par_add_inner_products(view_mut(&mut out), left, right);
    out
}

/// L⁻¹ (lower triangular) of a symmetric positive definite matrix L Lᵀ, of which the lower triangle is read; `None`
/// where it is not positive definite.
pub fn inverse_cholesky(matrix: DMatrix<f64>) -> Option<DMatrix<f64>> {
    cholesky(matrix).map(|lower| inverse_lower(&lower))
}

/// L (lower triangular) of a symmetric positive definite matrix L Lᵀ, of which the lower triangle is read; `None`
/// where it is not positive definite.
pub fn cholesky(matrix: DMatrix<f64>) -> Option<DMatrix<f64>> {
    matrix.cholesky().map(|factors| factors.unpack())
}

/// The inverse of a lower triangular matrix.
pub fn inverse_lower(lower: &DMatrix<f64>) -> DMatrix<f64> {
    let mut inverse = DMatrix::identity(lower.nrows(), lower.nrows());
    // False where a number on the diagonal is zero: a Cholesky factor has none.
    lower.solve_lower_triangular_mut(&mut inverse);
    inverse
}
