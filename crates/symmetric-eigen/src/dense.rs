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

/// Largest side that is factored at once.
const SIDE: usize = 48;

/// L⁻¹ (lower triangular) of a symmetric positive definite matrix L Lᵀ, of which the lower triangle is read; `None`
/// where it is not positive definite.
///
/// By halves, so that nearly all of it is products: with A = [A₁ · ; B A₂] and A₁ = L₁ L₁ᵀ, the rest is factored from
/// A₂ - C Cᵀ, C = B L₁⁻ᵀ, and L⁻¹ = [L₁⁻¹ 0 ; -L₂⁻¹ C L₁⁻¹ L₂⁻¹].
pub fn inverse_cholesky(matrix: DMatrix<f64>) -> Option<DMatrix<f64>> {
    let n = matrix.nrows();
    if n <= SIDE {
        return cholesky(matrix).map(|lower| inverse_lower(&lower));
    }
    let (half, rest) = (n / 2, n - n / 2);
    let first = inverse_cholesky(matrix.view((0, 0), (half, half)).into_owned())?;
    let corner = matrix.view((half, 0), (rest, half)).into_owned();
    let corner = product(view(&corner), view(&first.transpose()));
    let mut second = matrix.view((half, half), (rest, rest)).into_owned();
    let transposed = corner.transpose();
    par_add_product(
        view_mut(&mut second),
        view(&corner),
        view(&transposed),
        -1.0,
    );
    let second = inverse_cholesky(second)?;
    let mut inverse = DMatrix::zeros(n, n);
    inverse.view_mut((0, 0), (half, half)).copy_from(&first);
    let across = product(view(&corner), view(&first));
    let below = inverse.view_mut((half, 0), (rest, half));
    par_add_product(below, view(&second), view(&across), -1.0);
    inverse
        .view_mut((half, half), (rest, rest))
        .copy_from(&second);
    Some(inverse)
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

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::{add_outer, inverse_cholesky};
    use crate::random::Noise;

    #[test]
    fn inverse_cholesky_undoes_the_matrix_and_refuses_one_that_is_not_positive_definite() {
        for n in [1, 48, 49, 97, 300] {
            let noise = DMatrix::from_iterator(n, n, Noise::seeded(n as u64).take(n * n));
            let mut matrix = DMatrix::identity(n, n) * 0.1;
            add_outer(&mut matrix, &noise);
            let inverse = inverse_cholesky(matrix.clone()).expect("positive definite");
            let one = &inverse * &matrix * inverse.transpose();
            assert!((one - DMatrix::identity(n, n)).amax() < 1e-9, "{n}");
            assert_eq!(
                inverse.upper_triangle(),
                DMatrix::from_diagonal(&inverse.diagonal())
            );
            matrix[(n - 1, n - 1)] = -1.0;
            assert!(inverse_cholesky(matrix).is_none());
        }
    }
}
