//! Matrices of `nalgebra`, and plain numbers, as they are read and written by products. Nothing is copied.

use nalgebra::{DMatrix, DMatrixViewMut, Scalar};

/// A matrix to read: columns whose rows lie side by side in memory.
#[derive(Debug, Clone, Copy)]
pub struct View<'a, T = f64> {
    numbers: &'a [T],
    rows: usize,
    columns: usize,
    /// Numbers from the start of a column to that of the next.
    stride: usize,
}

/// A matrix to write, by columns.
pub type ViewMut<'a, T = f64> = DMatrixViewMut<'a, T>;

impl<'a, T> View<'a, T> {
    /// Number of rows.
    pub fn nrows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn ncols(&self) -> usize {
        self.columns
    }

    /// The rows of a column.
    pub fn column(&self, number: usize) -> &'a [T] {
        &self.numbers[number * self.stride..][..self.rows]
    }

    /// Some rows of all columns.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn rows(self, first: usize, count: usize) -> Self {
        assert!(first + count <= self.rows);
        Self { numbers: self.numbers.get(first..).unwrap_or_default(), rows: count, ..self }
    }

    /// Some columns.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn columns(self, first: usize, count: usize) -> Self {
        assert!(first + count <= self.columns);
        Self { numbers: self.numbers.get(first * self.stride..).unwrap_or_default(), columns: count, ..self }
    }
}

/// A whole matrix, to read.
pub fn view<T: Scalar>(matrix: &DMatrix<T>) -> View<'_, T> {
    View { numbers: matrix.as_slice(), rows: matrix.nrows(), columns: matrix.ncols(), stride: matrix.nrows() }
}

/// A whole matrix, to write.
pub fn view_mut<T: Scalar>(matrix: &mut DMatrix<T>) -> ViewMut<'_, T> {
    matrix.as_view_mut()
}

/// Whole columns of `rows` numbers each, lying one after the other.
pub fn columns<T>(numbers: &[T], rows: usize) -> View<'_, T> {
    View { numbers, rows, columns: numbers.len() / rows.max(1), stride: rows }
}

/// As [`columns`], to write.
pub fn columns_mut<T: Scalar>(numbers: &mut [T], rows: usize) -> ViewMut<'_, T> {
    let count = numbers.len() / rows.max(1);
    ViewMut::from_slice(numbers, rows, count)
}

/// Hands out blocks of `block` rows (the last may have fewer), each with the number of its first row, in parallel.
pub fn for_each_rows<T: Scalar + Send + Sync>(
    out: ViewMut<'_, T>,
    block: usize,
    each: &(impl Fn(usize, ViewMut<'_, T>) + Sync),
) {
    hand_out(out, 0, block, each);
}

fn hand_out<T: Scalar + Send + Sync>(
    mut out: ViewMut<'_, T>,
    first: usize,
    block: usize,
    each: &(impl Fn(usize, ViewMut<'_, T>) + Sync),
) {
    let blocks = out.nrows().div_ceil(block);
    if blocks <= 1 {
        each(first, out);
        return;
    }
    let half = blocks / 2 * block;
    let (above, below) = out.rows_range_pair_mut(..half, half..);
    rayon::join(|| hand_out(above, first, block, each), || hand_out(below, first + half, block, each));
}
