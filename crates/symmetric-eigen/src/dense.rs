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
    par_add_product(view_mut(sum), view(a), view(&a.transpose()), 1.0);
}

/// Rows up to which adding up the lanes of an inner product takes longer than turning the left factor round.
const SHORT: usize = 512;

/// `leftᵀ · right` as a new matrix; of two tall matrices without packing a factor first.
pub fn inner_product(left: View<'_>, right: View<'_>) -> DMatrix<f64> {
    if left.nrows() <= SHORT {
        let turned = DMatrix::from_fn(left.ncols(), left.nrows(), |column, row| left.column(column)[row]);
        return product(view(&turned), right);
    }
    let mut out = DMatrix::zeros(left.ncols(), right.ncols());
    par_add_inner_products(view_mut(&mut out), left, right);
    out
}

/// Columns that are factored together, and the side of a triangle that is inverted at once.
const SIDE: usize = 48;

/// L⁻¹ (lower triangular) of a symmetric positive definite matrix L Lᵀ (its lower triangle is read); `None` if it is not.
pub fn inverse_cholesky(matrix: DMatrix<f64>) -> Option<DMatrix<f64>> {
    cholesky(matrix).map(|lower| inverse_lower(&lower))
}

/// L (lower triangular) of a symmetric positive definite matrix L Lᵀ (its lower triangle is read); `None` if it is not.
///
/// Column blocks whose part is subtracted from all to the right of them: nearly all of it is products. What is below a
/// block's triangle is solved for, not multiplied by an inverse: backward stable however close to singular the matrix is.
pub fn cholesky(mut matrix: DMatrix<f64>) -> Option<DMatrix<f64>> {
    let n = matrix.nrows();
    for from in (0..n).step_by(SIDE) {
        let side = SIDE.min(n - from);
        let (next, below) = (from + side, n - from - side);
        let triangle = matrix.view((from, from), (side, side)).into_owned().cholesky()?.unpack();
        let mut across = matrix.view((next, from), (below, side)).transpose();
        // False where a number on the diagonal is zero: a Cholesky factor has none.
        triangle.solve_lower_triangular_mut(&mut across);
        let down = across.transpose();
        par_add_product(matrix.view_mut((next, next), (below, below)), view(&down), view(&across), -1.0);
        matrix.view_mut((from, from), (side, side)).copy_from(&triangle);
        matrix.view_mut((next, from), (below, side)).copy_from(&down);
    }
    matrix.fill_upper_triangle(0.0, 1);
    Some(matrix)
}

/// The inverse of a lower triangular matrix without zeros on its diagonal: that of [A 0; B C] is [A⁻¹ 0; -C⁻¹ B A⁻¹ C⁻¹].
pub fn inverse_lower(lower: &DMatrix<f64>) -> DMatrix<f64> {
    let n = lower.nrows();
    let mut inverse = DMatrix::identity(n, n);
    if n <= SIDE {
        lower.solve_lower_triangular_mut(&mut inverse);
        return inverse;
    }
    let (half, rest) = (n / 2, n - n / 2);
    let first = inverse_lower(&lower.view((0, 0), (half, half)).into_owned());
    let second = inverse_lower(&lower.view((half, half), (rest, rest)).into_owned());
    let corner = lower.view((half, 0), (rest, half)).into_owned();
    let across = product(view(&corner), view(&first));
    par_add_product(inverse.view_mut((half, 0), (rest, half)), view(&second), view(&across), -1.0);
    inverse.view_mut((0, 0), (half, half)).copy_from(&first);
    inverse.view_mut((half, half), (rest, rest)).copy_from(&second);
    inverse
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::{add_outer, cholesky, inverse_cholesky};
    use crate::random::Noise;

    /// Ten directions, and a ten thousand millionth of them in all others.
    #[test]
    fn a_matrix_close_to_singular_is_factored() {
        let n = 300;
        let noise = DMatrix::from_iterator(n, 10, Noise::seeded(3).take(n * 10));
        let mut matrix = DMatrix::identity(n, n);
        add_outer(&mut matrix, &(noise * 1e5));
        let lower = cholesky(matrix.clone()).expect("positive definite");
        let off = (&lower * lower.transpose() - &matrix).amax() / matrix.amax();
        assert!(off < 1e-14, "{off}");
    }

    #[test]
    fn inverse_cholesky_undoes_the_matrix_and_refuses_one_that_is_not_positive_definite() {
        for n in [1, 48, 49, 97, 300] {
            let noise = DMatrix::from_iterator(n, n, Noise::seeded(n as u64).take(n * n));
            let mut matrix = DMatrix::identity(n, n) * 0.1;
            add_outer(&mut matrix, &noise);
            let inverse = inverse_cholesky(matrix.clone()).expect("positive definite");
            let one = &inverse * &matrix * inverse.transpose();
            assert!((one - DMatrix::identity(n, n)).amax() < 1e-9, "{n}");
            assert_eq!(inverse.upper_triangle(), DMatrix::from_diagonal(&inverse.diagonal()));
            matrix[(n - 1, n - 1)] = -1.0;
            assert!(inverse_cholesky(matrix).is_none());
        }
    }
}
