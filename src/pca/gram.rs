//! The small trick of Turk and Pentland: n faces of d pixels, n < d, have at most n - 1 eigenfaces,
//! and these follow from the n x n matrix XᵀX instead of the d x d covariance.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::kernel::{self, Columns, Kernel};
use super::{ComponentCount, Components, PcaError, Solver, products, spectrum, spectrum::Spectrum};
use crate::face_matrix::FaceMatrix;

/// Learns the components through the Gram matrix.
///
/// With C = XcᵀXc = V M Vᵀ the eigenfaces are U = Xc V M^(-1/2), their eigenvalues M / (n - 1).
pub(super) fn fit(faces: &FaceMatrix, wanted: ComponentCount) -> Result<Components, PcaError> {
    let n = faces.len();
    if n < 2 {
        return Err(PcaError::TooFewFaces(n));
    }
    let order = canonical_order(faces);
    let gram = uncentred(faces);
    let scatter = centred(&gram, &order);
    drop(gram);
    let found = spectrum::solve(scatter, n, wanted)?;

    eigenfaces(faces, &order, mean_face(faces), found, Solver::Gram)
}

/// Maps eigenvectors of XcᵀXc, whose rows are the faces in this order, to eigenfaces.
pub(super) fn eigenfaces(
    faces: &FaceMatrix,
    order: &[usize],
    mean: DVector<f64>,
    mut found: Spectrum,
    solver: Solver,
) -> Result<Components, PcaError> {
    for (mut column, scatter) in found.vectors.column_iter_mut().zip(&found.scatter) {
        column /= scatter.sqrt();
    }
    let mut basis = products::map_back(faces.as_slice(), mean.as_slice(), order, &found.vectors)
        .expect("a face matrix, its mean and its Gram matrix fit together");
    products::reorthonormalise(&mut basis).map_err(|error| PcaError::Eigen(error.to_string()))?;
    found.vectors = basis;
    Ok(found.into_components(mean, faces.len(), solver))
}

/// The faces in an order that depends on nothing but their pixels, so that sums of floating-point numbers
/// over faces come out the same however the faces were listed.
pub(super) fn canonical_order(faces: &FaceMatrix) -> Vec<usize> {
    let mut order: Vec<usize> = (0..faces.len()).collect();
    order.sort_unstable_by(|&a, &b| faces.face(a).cmp(faces.face(b)).then(a.cmp(&b)));
    order
}

/// XᵀX in exact integers, n x n, the upper triangle filled (`[i * n + j]` with i <= j).
pub fn uncentred(faces: &FaceMatrix) -> Vec<i64> {
    let n = faces.len();
    let mut gram = vec![0; n * n];
    let columns = Columns::new(faces.as_slice(), faces.size().pixels(), n)
        .expect("a face matrix is n columns of d pixels");
    kernel::accumulate_gram(columns, Kernel::best(), &mut gram).expect("the table is n x n");
    gram
}

/// XcᵀXc from XᵀX (upper triangle), rows and columns taken in the given order.
///
/// n² (XcᵀXc)_ij = n² G_ij - n (r_i + r_j) + S with the row sums r and the total S is an integer and is
/// computed as one, so each entry is the true value rounded once. Equal images give exact zeros.
pub fn centred(gram: &[i64], order: &[usize]) -> DMatrix<f64> {
    let n = order.len();
    let entry = |i: usize, j: usize| i128::from(gram[i.min(j) * n + i.max(j)]);
    let sums: Vec<i128> = (0..n)
        .into_par_iter()
        .map(|i| (0..n).map(|j| entry(i, j)).sum())
        .collect();
    let total: i128 = sums.iter().sum();
    let count = n as i128;
    let square = (count * count) as f64;
    let mut scatter = DMatrix::zeros(n, n);
    scatter
        .as_mut_slice()
        .par_chunks_mut(n)
        .enumerate()
        .for_each(|(column, values)| {
            let j = order[column];
            for (value, &i) in values.iter_mut().zip(order) {
                let exact = count * (count * entry(i, j) - sums[i] - sums[j]) + total;
                *value = exact as f64 / square;
            }
        });
    scatter
}

/// The mean face, d values: exact pixel sums divided once.
pub fn mean_face(faces: &FaceMatrix) -> DVector<f64> {
    let mut sums = vec![0_u64; faces.size().pixels()];
    for j in 0..faces.len() {
        for (sum, &pixel) in sums.iter_mut().zip(faces.face(j)) {
            *sum += u64::from(pixel);
        }
    }
    let n = faces.len() as f64;
    DVector::from_iterator(sums.len(), sums.into_iter().map(|sum| sum as f64 / n))
}
