//! The small trick of Turk and Pentland: n faces of d pixels, n < d, have at most n - 1 eigenfaces,
//! and these follow from the n x n matrix XᵀX instead of the d x d covariance.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::kernel::Columns;
use super::products::{self, Precision};
use super::spectrum::Spectrum;
use super::symmetry::{Mirror, Parity, Symmetry};
use super::{ComponentCount, Components, InnerProducts, PcaError};
use crate::vectors::vectorised_mut;

/// Eigenfaces may be mapped back in single precision where the weakest has at least this share of the total
/// scatter. Rounding adds to an eigenface about 0.3 x 6e-8 of its length for each time that all faces together
/// are longer than they are along it, here 63 times: 1e-6.
const SINGLE_SHARE: f64 = 1.0 / 4000.0;
/// Less work than this, in products of two numbers, is done in double precision anyway: it takes no time.
const SINGLE_WORK: usize = 100_000_000;
/// Eigenfaces mapped back in single precision must be orthonormal to this, or are mapped back again.
const SINGLE_ORTHONORMAL: f64 = 1e-6;

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
    let mapped = |precision| {
        products::map_back(faces.data(), mean, order, &coefficients, precision)
            .expect("faces, their mean and their Gram matrix fit together")
    };
    let weakest = found.scatter.last().copied().unwrap_or(0.0);
    let work = faces.length() * order.len() * found.count();
    if weakest >= SINGLE_SHARE * found.total && work >= SINGLE_WORK {
        let mut basis = mapped(Precision::Single);
        if let Some(mirror) = mirror {
            basis = symmetric(&basis, found, mirror, |_| Ok(()))?;
        }
        if products::orthonormality(&basis) <= SINGLE_ORTHONORMAL {
            return Ok(basis);
        }
    }
    let mut basis = mapped(Precision::Double);
    let orthonormal = |basis: &mut DMatrix<f64>| {
        products::reorthonormalise(basis)
            .map(drop)
            .map_err(|error| PcaError::Eigen(error.to_string()))
    };
    match mirror {
        Some(mirror) => symmetric(&basis, found, mirror, orthonormal),
        None => orthonormal(&mut basis).map(|()| basis),
    }
}

/// Even and odd eigenfaces from what was mapped back of faces without their mirror images; `repair` is done to
/// those of each parity in free numbers.
fn symmetric(
    basis: &DMatrix<f64>,
    found: &Spectrum,
    mirror: &Mirror,
    repair: impl Fn(&mut DMatrix<f64>) -> Result<(), PcaError>,
) -> Result<DMatrix<f64>, PcaError> {
    let parities = found.parities().unwrap_or_default();
    let [even, odd] = [Parity::Even, Parity::Odd].map(|parity| {
        let members = (0..parities.len()).filter(|&i| parities[i] == parity);
        let members: Vec<usize> = members.collect();
        let mut folded = mirror.fold(&basis.select_columns(&members), parity);
        repair(&mut folded).map(|()| folded)
    });
    Ok(found.unfolded(mirror, &[even?, odd?]))
}

/// The faces in an order that depends on nothing but their pixels, so that sums of floating-point numbers
/// over faces come out the same however the faces were listed.
pub(crate) fn canonical_order(faces: Columns<'_>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..faces.count()).collect();
    order.sort_unstable_by(|&a, &b| faces.column(a).cmp(&faces.column(b)).then(a.cmp(&b)));
    order
}

/// The mean of the chosen faces, d values: exact pixel sums divided once.
pub(crate) fn mean_face(faces: Columns<'_>, chosen: &[usize]) -> DVector<f64> {
    /// Pixels summed by one thread at a time.
    const PIXELS: usize = 2048;
    /// Maximum number of bytes whose sum fits 32 bits.
    const FACES: usize = 1 << 24;
    let n = chosen.len() as f64;
    let mut mean = DVector::zeros(faces.length());
    mean.as_mut_slice()
        .par_chunks_mut(PIXELS)
        .enumerate()
        .for_each(|(block, mean)| {
            let mut sums = vec![0_u64; mean.len()];
            for some in chosen.chunks(FACES) {
                let mut part = vec![0_u32; mean.len()];
                vectorised_mut(
                    #[inline(always)]
                    || {
                        for face in some.iter().filter_map(|&j| faces.column(j)) {
                            for (sum, &pixel) in part.iter_mut().zip(&face[block * PIXELS..]) {
                                *sum += u32::from(pixel);
                            }
                        }
                    },
                );
                sums.iter_mut()
                    .zip(part)
                    .for_each(|(sum, part)| *sum += u64::from(part));
            }
            for (mean, sum) in mean.iter_mut().zip(sums) {
                *mean = sum as f64 / n;
            }
        });
    mean
}
