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
pub(crate) fn canonical_order(faces: &FaceMatrix) -> Vec<usize> {
    let mut order: Vec<usize> = (0..faces.len()).collect();
    order.sort_unstable_by(|&a, &b| faces.face(a).cmp(faces.face(b)).then(a.cmp(&b)));
    order
}

/// XᵀX in exact integers, n x n, both triangles.
pub fn uncentred(faces: &FaceMatrix) -> Vec<i64> {
    let n = faces.len();
    let mut gram = vec![0; n * n];
    let columns = Columns::new(faces.as_slice(), faces.size().pixels(), n)
        .expect("a face matrix is n columns of d pixels");
    kernel::accumulate_gram(columns, Kernel::best(), &mut gram).expect("the table is n x n");
    kernel::mirror_upper(&mut gram, n).expect("the table is n x n");
    gram
}

/// XcᵀXc from XᵀX (n x n, both triangles), rows and columns taken in the given order.
///
/// n² (XcᵀXc)_ij = n² G_ij - n (r_i + r_j) + S with the row sums r and the total S is an integer and is
/// computed as one, so each entry is the true value rounded once. Equal images give exact zeros.
pub fn centred(gram: &[i64], order: &[usize]) -> DMatrix<f64> {
    let n = order.len();
    let rows: Vec<&[i64]> = order.iter().map(|&i| &gram[i * n..][..n]).collect();
    let sums: Vec<i128> = rows
        .par_iter()
        .map(|row| row.iter().map(|&entry| i128::from(entry)).sum())
        .collect();
    let total: i128 = sums.iter().sum();
    let count = n as i128;
    let square = (count * count) as f64;
    // No term is larger than n² G_max, and there are four of them.
    let largest = gram.iter().step_by(n + 1).max().copied().unwrap_or(0);
    let small = 4 * count * count * i128::from(largest) <= i128::from(i64::MAX);
    let mut scatter = DMatrix::zeros(n, n);
    scatter
        .as_mut_slice()
        .par_chunks_mut(n.max(1))
        .zip(rows.par_iter().zip(&sums))
        .for_each(|(values, (row, &sum))| {
            let entries = values.iter_mut().zip(order).zip(&sums);
            // The integer is the same in 64 bits, where it fits, as in 128, and several times as fast.
            if small {
                let (count, rest) = (count as i64, (total - count * sum) as i64);
                for ((value, &i), &other) in entries {
                    *value = (count * (count * row[i] - other as i64) + rest) as f64 / square;
                }
            } else {
                for ((value, &i), &other) in entries {
                    let exact = count * (count * i128::from(row[i]) - sum - other) + total;
                    *value = exact as f64 / square;
                }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centring_is_exact_in_and_beyond_64_bits() {
        for power in [4, 20, 59] {
            let half = 1_i64 << power;
            let scatter = centred(&[2 * half, half, half, 2 * half], &[1, 0]);
            // (G₁₁ - 2 G₁₂ + G₂₂) / 4 on the diagonal.
            let value = half as f64 / 2.0;
            assert_eq!(scatter.as_slice(), [value, -value, -value, value]);
        }
    }
}
