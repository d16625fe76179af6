//! Is it an eigendecomposition? Measured, not believed.

use super::dense;
use nalgebra::DMatrix;
use rayon::prelude::*;

/// The distance of vectors from orthonormality: the largest entry of `|VᵀV - I|` (infinite if any is not a number).
pub fn orthogonality(vectors: &DMatrix<f64>) -> f64 {
    largest(&gram_minus_identity(vectors))
}

/// Makes nearly orthonormal columns orthonormal to working accuracy by `V ← V - ½ V (VᵀV - I)`
/// (Newton-Schulz: the error is squared each time), moving each vector as little as possible.
/// Returns what error is left; columns far from orthonormal are left as they are.
pub fn polish(vectors: &mut DMatrix<f64>) -> f64 {
    const GOOD: f64 = 2e-15;
    const HOPELESS: f64 = 1e-3;
    const STEPS: usize = 3;
    let mut error = gram_minus_identity(vectors);
    for _ in 0..STEPS {
        let size = largest(&error);
        if size < GOOD || size.is_nan() || size * vectors.ncols() as f64 > HOPELESS * 10.0 {
            break;
        }
        take_off(vectors, &error);
        error = gram_minus_identity(vectors);
    }
    largest(&error)
}

/// One step of [`polish`] for eigenvectors found one by one: little more than rounding error is left, even of close values.
pub fn polish_once(vectors: &mut DMatrix<f64>) {
    take_off(vectors, &gram_minus_identity(vectors));
}

/// `V ← V - ½ V (VᵀV - I)`, the error given.
fn take_off(vectors: &mut DMatrix<f64>, error: &DMatrix<f64>) {
    let before = vectors.clone();
    dense::par_add_product(dense::view_mut(vectors), dense::view(&before), dense::view(error), -0.5);
}

/// The largest `‖A v - λ v‖` of all pairs, absolute.
pub fn residual(matrix: &DMatrix<f64>, values: &[f64], vectors: &DMatrix<f64>) -> f64 {
    largest_difference(&dense::product(dense::view(matrix), dense::view(vectors)), values, vectors)
}

/// The largest `‖w - λ v‖` where `w`, a column of `images`, is `A v`.
pub fn largest_difference(images: &DMatrix<f64>, values: &[f64], vectors: &DMatrix<f64>) -> f64 {
    let rows = vectors.nrows().max(1);
    let squares: Vec<f64> = values
        .par_iter()
        .zip(images.as_slice().par_chunks(rows))
        .zip(vectors.as_slice().par_chunks(rows))
        .map(|((&value, image), vector)| image.iter().zip(vector).map(|(w, v)| (w - value * v).powi(2)).sum())
        .collect();
    worst(squares).sqrt()
}

fn gram_minus_identity(vectors: &DMatrix<f64>) -> DMatrix<f64> {
    let view = dense::view(vectors);
    let mut gram = dense::inner_product(view, view);
    for i in 0..gram.nrows() {
        gram[(i, i)] -= 1.0;
    }
    gram
}

fn largest(matrix: &DMatrix<f64>) -> f64 {
    worst(matrix.iter().map(|x| x.abs()))
}

/// The largest of some numbers that are not negative; anything that is not a number counts as infinite.
fn worst(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().fold(0.0, |most: f64, x| if x.is_nan() { f64::INFINITY } else { most.max(x) })
}
