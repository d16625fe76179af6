//! A few leading eigenfaces where both d and n are large: block Lanczos from a seeded random start, on
//! the products `Xcᵀ(Xc V)` or `Xc(XcᵀV)` straight from bytes. Neither XᵀX (n x n) nor XXᵀ (d x d) is
//! ever formed, so memory is that of the faces and of some 2.5 k + 140 vectors of the shorter side.
//!
//! Source: G. H. Golub & R. Underwood (1977), see `eigen/lanczos.rs`. A randomised range finder (N. Halko,
//! P.-G. Martinsson & J. A. Tropp, SIAM Rev. 53, 2011) is the same start with a fixed, small number of
//! steps and none of the earlier blocks kept; here steps are made until residuals are small.

use nalgebra::DVector;

use super::eigen::{self, Symmetric, View, ViewMut};
use super::products::CentredFaces;
use super::spectrum::{self, Of, RANK_TOLERANCE};
use super::{Columns, ComponentCount, Components, PcaError, Solver, gram};

/// Learns the components without forming a matrix; `None` where the accuracy of the exact routes was not
/// reached, or so many components are wanted that these are cheaper.
/// Errors: fewer than two faces, or faces that are all alike.
pub(super) fn fit(faces: Columns<'_>, wanted: ComponentCount) -> Result<Option<Components>, PcaError> {
    let (d, n) = (faces.length(), faces.count());
    PcaError::refuse_too_few(n)?;
    let Some(ask) = spectrum::few(wanted, d.min(n)) else { return Ok(None) };
    let order = gram::canonical_order(faces);
    let mean = gram::mean_face(faces, &order);
    let (total, squares) = scatter(faces);
    if total <= 0.0 {
        return Err(PcaError::NoVariance(n));
    }
    let operator = Operator {
        faces: CentredFaces::new(faces, mean.as_slice(), &order),
        shape: (d, n),
        // Rounding is relative to the uncentred pixels in one of the two products, and to what they make of it in the other.
        dust: 4.0 * f64::EPSILON * (total * squares).sqrt(),
    };
    // The largest eigenvalue is at least the average one.
    let side = operator.side();
    let scale = total / side as f64;
    let Some(found) = eigen::leading_of_operator(&operator, ask, scale)
        .and_then(|pairs| spectrum::keep(pairs, side, total, wanted, RANK_TOLERANCE))
    else {
        return Ok(None);
    };
    let of = if n < d { Of::Gram(faces, &order) } else { Of::Scatter };
    found.components(of, mean, n, Solver::Lanczos).map(Some)
}

/// The scatter matrix of the shorter side as an operator, XcᵀXc (n x n) or XcXcᵀ (d x d): their eigenvalues are the same.
struct Operator<'a> {
    faces: CentredFaces<'a>,
    /// d, n.
    shape: (usize, usize),
    dust: f64,
}

impl Symmetric for Operator<'_> {
    fn side(&self) -> usize {
        self.shape.0.min(self.shape.1)
    }

    fn apply(&self, block: View<'_>, out: ViewMut<'_>, scratch: &mut Vec<f64>) {
        let (d, n) = self.shape;
        let between = d.max(n);
        scratch.resize(between * block.ncols(), 0.0);
        let middle = eigen::columns_mut(scratch, between);
        if n < d {
            self.faces.times(block, middle);
            self.faces.transpose_times(eigen::columns(scratch, between), out);
        } else {
            self.faces.transpose_times(block, middle);
            self.faces.times(eigen::columns(scratch, between), out);
        }
    }

    fn dust(&self, _: f64) -> f64 {
        self.dust
    }
}

/// The trace of the scatter matrix (an exact integer over n, rounded once), and the sum of all squared pixels.
fn scatter(faces: Columns<'_>) -> (f64, f64) {
    let mut sums = DVector::<u64>::zeros(faces.length());
    let mut squares = 0_u128;
    for face in faces.iter() {
        // At most 10^6 pixels of 255² each.
        let mut square = 0_u64;
        for (sum, &pixel) in sums.iter_mut().zip(face) {
            *sum += u64::from(pixel);
            square += u64::from(pixel).pow(2);
        }
        squares += u128::from(square);
    }
    let n = faces.count() as u128;
    let of_sums: u128 = sums.iter().map(|&sum| u128::from(sum).pow(2)).sum();
    // By the inequality of Cauchy and Schwarz this is not negative.
    let exact = n * squares - of_sums;
    (exact as f64 / n as f64, squares as f64)
}
