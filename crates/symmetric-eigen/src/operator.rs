//! A symmetric matrix known by what it does: all that block Lanczos needs of it.

use super::dense::{self, View, ViewMut};
use super::symmetric::symmetric_product;
use nalgebra::DMatrix;

/// A symmetric positive semi-definite matrix A (n x n), held in whatever form.
pub trait Symmetric: Sync {
    /// n.
    fn side(&self) -> usize;

    /// `out = A · block`, n x b. The same bits for any number of threads. `scratch` is memory to work in.
    fn apply(&self, block: View<'_>, out: ViewMut<'_>, scratch: &mut Vec<f64>);

    /// The length that rounding can give a column of `A · block` that should be zero; `scale` is about A's largest entry.
    fn dust(&self, scale: f64) -> f64;
}

impl Symmetric for DMatrix<f64> {
    fn side(&self) -> usize {
        self.nrows()
    }

    fn apply(&self, block: View<'_>, out: ViewMut<'_>, scratch: &mut Vec<f64>) {
        symmetric_product(out, dense::view(self), block, scratch);
    }

    fn dust(&self, scale: f64) -> f64 {
        4.0 * f64::EPSILON * scale * (self.nrows() as f64).sqrt()
    }
}
