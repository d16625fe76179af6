//! Matrices of `nalgebra`, and plain numbers, as `faer` sees them. Nothing is copied.

use faer::{MatMut, MatRef};
use nalgebra::DMatrix;

/// A matrix to read, by columns.
pub type View<'a, T = f64> = MatRef<'a, T>;
/// A matrix to write, by columns.
pub type ViewMut<'a, T = f64> = MatMut<'a, T>;

/// A nalgebra matrix as faer sees it; nothing is copied.
pub fn view<T: nalgebra::Scalar>(matrix: &DMatrix<T>) -> View<'_, T> {
    MatRef::from_column_major_slice(matrix.as_slice(), matrix.nrows(), matrix.ncols())
}

/// As [`view`], to write.
pub fn view_mut<T: nalgebra::Scalar>(matrix: &mut DMatrix<T>) -> ViewMut<'_, T> {
    let (rows, columns) = matrix.shape();
    MatMut::from_column_major_slice_mut(matrix.as_mut_slice(), rows, columns)
}

/// Whole columns of `rows` numbers each, lying one after the other.
pub fn columns<T: nalgebra::Scalar>(numbers: &[T], rows: usize) -> View<'_, T> {
    MatRef::from_column_major_slice(numbers, rows, numbers.len() / rows.max(1))
}

/// As [`columns`], to write.
pub fn columns_mut<T: nalgebra::Scalar>(numbers: &mut [T], rows: usize) -> ViewMut<'_, T> {
    let count = numbers.len() / rows.max(1);
    MatMut::from_column_major_slice_mut(numbers, rows, count)
}
