//! Parts of the squared distance between two faces: of places of the face, and of basis vectors.

use super::{Feature, FeatureSpace};
use crate::face_matrix::FaceSize;
use crate::features::texture;
use crate::metric::Measure;

/// Cells that a face is looked at in, whatever is compared: as texture has them.
pub const CELLS: (usize, usize) = (texture::COLUMNS, texture::ROWS);

/// A feature's squared distance between two faces, taken apart. Shares may be below zero: what differs there
/// goes with differences elsewhere in a way that is usual for one person, and brings the two together.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// The feature compared.
    pub feature: Feature,
    /// The squared distance; both lists below add up to it.
    pub squared_distance: f64,
    /// The contribution of each basis vector (k).
    pub of_basis: Vec<f64>,
    /// The contribution of each cell of the face: 7 x 8, row by row.
    pub of_cells: Vec<f64>,
}

impl FeatureSpace {
    /// Takes apart the squared distance between two faces as this part's feature sees them (bytes, d).
    ///
    /// The distance is that between T u and T v, where u and v are the faces' weights over the length that
    /// the metric normalises to. With w = u - v it is wᵀ TᵀT w: basis vector i contributes w_i (TᵀT w)_i.
    /// Weights are Uᵀ times the faces less their mean, so byte j contributes likewise, through U TᵀT w. Where pixels are
    /// scaled, D⁻¹U stands for U.
    ///
    /// `None` for a kernel: its space has no basis vectors, and no weight there belongs to any byte.
    pub fn split(&self, first: &[u8], second: &[u8], face: FaceSize) -> Option<Split> {
        let (basis, mean) = self.space.projector()?;
        let (u, first_scale) = self.normalised(first);
        let (v, second_scale) = self.normalised(second);
        let w: Vec<f64> = u.iter().zip(&v).map(|(u, v)| u - v).collect();
        let single: Vec<f32> = w.iter().map(|&w| w as f32).collect();
        let pull = self.metric.transposed(&self.metric.scaled(&single));
        let of_basis: Vec<f64> = w.iter().zip(&pull).map(|(w, pull)| w * pull).collect();

        let mut of_cells = vec![0.0; CELLS.0 * CELLS.1];
        let mut of_bytes = vec![0.0; first.len()];
        for (vector, pull) in basis.column_iter().zip(&pull) {
            for (sum, &value) in of_bytes.iter_mut().zip(vector.iter()) {
                *sum += f64::from(value) * pull;
            }
        }
        for (at, pull) in of_bytes.into_iter().enumerate() {
            let from_mean = |face: &[u8], scale: f64| (f64::from(face[at]) - mean[at]) * scale;
            let apart = from_mean(first, first_scale) - from_mean(second, second_scale);
            of_cells[self.cell(at, face)] += apart * pull;
        }
        Some(Split {
            feature: self.feature,
            squared_distance: of_basis.iter().sum(),
            of_basis,
            of_cells,
        })
    }

    /// The weights of a face over the length it is compared at, and what they were multiplied by.
    fn normalised(&self, bytes: &[u8]) -> (Vec<f64>, f64) {
        let faces = crate::face_matrix::FaceMatrix::from_pixels(self.space.size(), bytes.to_vec());
        let weights = faces.map_or_else(
            |_| Vec::new(),
            |face| self.space.project(&face).as_slice().to_vec(),
        );
        let length = match self.metric.metric().measure {
            Measure::Euclidean => 1.0,
            Measure::Cosine => {
                let scaled = self.metric.scaled(&weights);
                scaled.iter().map(|value| value * value).sum::<f64>().sqrt()
            }
        };
        let scale = if length > 0.0 {
            self.factor / length
        } else {
            0.0
        };
        let normalised = weights.iter().map(|&weight| f64::from(weight) * scale);
        (normalised.collect(), scale)
    }

    /// The cell of the face that a byte tells of.
    fn cell(&self, byte: usize, face: FaceSize) -> usize {
        match self.feature {
            Feature::Texture => byte / texture::CELL,
            Feature::Pixels => {
                let (width, height) = (face.width() as usize, face.height() as usize);
                let (x, y) = (byte % width, byte / width);
                (y * CELLS.1 / height) * CELLS.0 + x * CELLS.0 / width
            }
        }
    }
}
