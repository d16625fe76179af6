//! Parts of the squared distance between two faces: of places of the face, and of basis vectors.

use super::Matcher;
use crate::face_matrix::FaceMatrix;

/// Cells that a face is looked at in, across and down.
pub const CELLS: (usize, usize) = (7, 8);

/// Parts of the squared distance between two faces. Shares of cells may be below zero.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceParts {
    /// The contribution of each basis vector (k); their sum is the squared distance.
    pub of_basis: Vec<f64>,
    /// The contribution of each cell of the face, 7 x 8, row by row; their sum is the squared distance but for rounding.
    pub of_cells: Vec<f64>,
}

impl Matcher {
    /// The parts of the squared distance between two faces (d x 1 each).
    ///
    /// With w the difference of their weights and F the diagonal factors of the metric it is wᵀF²w: basis vector i
    /// contributes (F_i w_i)². Weights are Uᵀ times the faces less their mean, so pixel j contributes the difference there
    /// times (U F² w)_j. Where pixels are scaled, D⁻¹U stands for U.
    ///
    /// `None` for a kernel: its space has no basis vectors, and no weight there belongs to any pixel.
    pub fn distance_parts(&self, first: &FaceMatrix, second: &FaceMatrix) -> Option<DistanceParts> {
        let (basis, _) = self.space.projector()?;
        let weights = [first, second].map(|face| self.space.project(face));
        let factors = self.metric.factors(self.space.eigenvalues());
        let differences = weights[0].iter().zip(weights[1].iter());
        let mut of_basis = Vec::with_capacity(basis.ncols());
        let mut of_pixels = vec![0.0; first.as_slice().len()];
        for (((a, b), factor), vector) in differences.zip(factors).zip(basis.column_iter()) {
            let difference = f64::from(*a) - f64::from(*b);
            let pull = difference * factor * factor;
            of_basis.push(difference * pull);
            for (sum, &value) in of_pixels.iter_mut().zip(vector.iter()) {
                *sum += f64::from(value) * pull;
            }
        }
        let mut of_cells = vec![0.0; CELLS.0 * CELLS.1];
        let (width, height) = (first.size().width() as usize, first.size().height() as usize);
        for (at, ((&a, &b), pull)) in first.as_slice().iter().zip(second.as_slice()).zip(of_pixels).enumerate() {
            let (x, y) = (at % width, at / width);
            let cell = (y * CELLS.1 / height) * CELLS.0 + x * CELLS.0 / width;
            of_cells[cell] += (f64::from(a) - f64::from(b)) * pull;
        }
        Some(DistanceParts { of_basis, of_cells })
    }
}
