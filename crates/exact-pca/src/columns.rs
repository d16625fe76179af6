//! Borrowed matrices, column after column.

use nalgebra::{DMatrix, Scalar};

/// `count` columns (n) of `length` values each (d), one after the other in memory: faces, of bytes, where nothing else is said.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a, T = u8> {
    data: &'a [T],
    length: usize,
    count: usize,
}

impl<'a, T: Scalar> From<&'a DMatrix<T>> for Columns<'a, T> {
    fn from(matrix: &'a DMatrix<T>) -> Self {
        let (length, count) = matrix.shape();
        Self { data: matrix.as_slice(), length, count }
    }
}

impl<'a, T> Columns<'a, T> {
    /// Takes `data` as `count` columns of `length` values; `None` unless it holds exactly that many.
    pub fn new(data: &'a [T], length: usize, count: usize) -> Option<Self> {
        (length.checked_mul(count)? == data.len()).then_some(Self { data, length, count })
    }

    /// Number of columns (n).
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Values in each column (d).
    #[inline]
    pub fn length(&self) -> usize {
        self.length
    }

    /// Column `j`, or nothing where there is none.
    #[inline]
    pub fn column(&self, j: usize) -> Option<&'a [T]> {
        if j >= self.count {
            return None;
        }
        self.data.get(j * self.length..(j + 1) * self.length)
    }

    /// All values, column after column.
    #[inline]
    pub fn data(&self) -> &'a [T] {
        self.data
    }

    /// The columns in order, empty ones too.
    pub fn iter(&self) -> impl Iterator<Item = &'a [T]> + use<'a, T> {
        let (data, length) = (self.data, self.length);
        (0..self.count).filter_map(move |j| data.get(j * length..(j + 1) * length))
    }
}
