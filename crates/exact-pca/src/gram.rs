//! The small trick of Turk and Pentland: n faces of d pixels, n < d, have at most n - 1 eigenfaces,
//! and these follow from the n x n matrix XᵀX instead of the d x d covariance.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::products::{self, CentredFaces, Precision};
use super::spectrum::Spectrum;
use super::{Columns, ComponentCount, Components, InnerProducts, PcaError};
use vectorised::vectorised_mut;

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
pub(super) fn fit(faces: Columns<'_>, wanted: ComponentCount) -> Result<Components, PcaError> {
    let all: Vec<usize> = (0..faces.count()).collect();
    Ok(InnerProducts::of(faces).fit(&all, wanted)?.with_components(faces, usize::MAX)?.1)
}

/// Maps eigenvectors of XcᵀXc, whose rows are the faces in this order, to eigenfaces (d x k).
pub(super) fn eigenfaces(
    faces: Columns<'_>,
    order: &[usize],
    mean: &[f64],
    found: &Spectrum,
) -> Result<DMatrix<f64>, PcaError> {
    let coefficients = found.coefficients();
    let centred = CentredFaces::new(faces, mean, order);
    let mapped = |precision| products::map_back(centred, &coefficients, precision);
    let weakest = found.scatter.last().copied().unwrap_or(0.0);
    let work = faces.length() * order.len() * found.count();
    if weakest >= SINGLE_SHARE * found.total && work >= SINGLE_WORK {
        let basis = mapped(Precision::Single);
        if products::orthonormality(&basis) <= SINGLE_ORTHONORMAL {
            return Ok(basis);
        }
    }
    let mut basis = mapped(Precision::Double);
    products::reorthonormalise(&mut basis)?;
    Ok(basis)
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
    mean.as_mut_slice().par_chunks_mut(PIXELS).enumerate().for_each(|(block, mean)| {
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
            sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += u64::from(part));
        }
        for (mean, sum) in mean.iter_mut().zip(sums) {
            *mean = sum as f64 / n;
        }
    });
    mean
}
