//! The small trick of Turk and Pentland: n faces of d pixels, n < d, have at most n - 1 eigenfaces,
//! and these follow from the n x n matrix XᵀX instead of the d x d covariance.

use nalgebra::{DMatrix, DVector};

use super::kernel::Columns;
use super::spectrum::Spectrum;
use super::symmetry::{Mirror, Parity, Symmetry};
use super::{ComponentCount, Components, InnerProducts, PcaError, products};

/// Learns the components through the Gram matrix.
///
/// With C = XcᵀXc = V M Vᵀ the eigenfaces are U = Xc V M^(-1/2), their eigenvalues M / (n - 1).
pub(super) fn fit(
    faces: Columns<'_>,
    wanted: ComponentCount,
    symmetry: Symmetry<'_>,
) -> Result<Components, PcaError> {
    let all: Vec<usize> = (0..faces.count()).collect();
    let products = InnerProducts::with_symmetry(faces, symmetry)?;
    let space = products.fit(&all, wanted)?;
    let k = space.count();
    Ok(space.with_components(faces, k)?.1)
}

/// Maps eigenvectors of XcᵀXc, whose rows are the faces in this order, to eigenfaces (d x k); or those of its
/// even and its odd block.
pub(super) fn eigenfaces(
    faces: Columns<'_>,
    order: &[usize],
    mean: &[f64],
    found: &Spectrum,
    mirror: Option<&Mirror>,
) -> Result<DMatrix<f64>, PcaError> {
    let mut coefficients = DMatrix::zeros(order.len(), found.count());
    for ((mut column, scatter), (block, at)) in coefficients
        .column_iter_mut()
        .zip(&found.scatter)
        .zip(found.places())
    {
        column.copy_from(&found.vectors[block].column(at));
        column /= scatter.sqrt();
    }
    let mut basis = products::map_back(faces.data(), mean, order, &coefficients)
        .expect("faces, their mean and their Gram matrix fit together");
    let orthonormal = |basis: &mut DMatrix<f64>| {
        products::reorthonormalise(basis)
            .map(drop)
            .map_err(|error| PcaError::Eigen(error.to_string()))
    };
    let (Some(mirror), Some(parities)) = (mirror, found.parities()) else {
        orthonormal(&mut basis)?;
        return Ok(basis);
    };
    let folded = [Parity::Even, Parity::Odd].map(|parity| {
        let members = (0..parities.len()).filter(|&i| parities[i] == parity);
        let members: Vec<usize> = members.collect();
        let mut folded = mirror.fold(&basis.select_columns(&members), parity);
        orthonormal(&mut folded).map(|()| folded)
    });
    let [even, odd] = folded;
    Ok(found.unfolded(mirror, &[even?, odd?]))
}

/// The faces in an order that depends on nothing but their pixels, so that sums of floating-point numbers
/// over faces come out the same however the faces were listed.
pub(super) fn canonical_order(faces: Columns<'_>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..faces.count()).collect();
    order.sort_unstable_by(|&a, &b| faces.column(a).cmp(&faces.column(b)).then(a.cmp(&b)));
    order
}

/// The mean of the chosen faces, d values: exact pixel sums divided once.
pub(super) fn mean_face(faces: Columns<'_>, chosen: &[usize]) -> DVector<f64> {
    let mut sums = vec![0_u64; faces.length()];
    for face in chosen.iter().filter_map(|&j| faces.column(j)) {
        for (sum, &pixel) in sums.iter_mut().zip(face) {
            *sum += u64::from(pixel);
        }
    }
    let n = chosen.len() as f64;
    DVector::from_iterator(sums.len(), sums.into_iter().map(|sum| sum as f64 / n))
}
