//! The direct route for more faces than pixels, and for any number of faces: n, Σx and Σxxᵀ are
//! accumulated in exact integers over chunks, so memory does not grow with the number of faces.

use nalgebra::{DMatrix, DVector};

use super::kernel::{self, Columns, Kernel, WrongTable};
use super::{ComponentCount, Components, PcaError, Solver, spectrum};
use crate::face_matrix::FaceMatrix;

/// n, Σx and Σxxᵀ of faces of d pixels, in exact integers.
///
/// Adding faces is associative and commutative: any split into chunks, in any order, gives the same
/// sums bit for bit. Room for 10^9 faces: 10^9 x 255² < 2^63.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accumulator {
    pixels: usize,
    faces: usize,
    sums: Vec<i64>,
    /// d x d, upper triangle: `[i * d + j]` with i <= j.
    products: Vec<i64>,
}

impl Accumulator {
    /// Sums of no faces of d pixels; takes 8 d² bytes.
    pub fn new(pixels: usize) -> Self {
        Self {
            pixels,
            faces: 0,
            sums: vec![0; pixels],
            products: vec![0; pixels * pixels],
        }
    }

    /// n, the number of faces added so far.
    pub fn faces(&self) -> usize {
        self.faces
    }

    /// Adds faces of the same d.
    ///
    /// # Errors
    /// Faces of another d than the sums were made for.
    pub fn add(&mut self, faces: &FaceMatrix) -> Result<(), WrongTable> {
        let (d, n) = (faces.size().pixels(), faces.len());
        let columns = Columns::new(faces.as_slice(), d, n).ok_or(WrongTable {
            needed: d * n,
            given: faces.as_slice().len(),
        })?;
        kernel::accumulate_row_sums(columns, &mut self.sums)?;
        kernel::accumulate_covariance(columns, Kernel::best(), &mut self.products)?;
        self.faces += n;
        Ok(())
    }

    /// Learns the components from the sums.
    ///
    /// # Errors
    /// Fewer than two faces, or faces that are all alike.
    pub fn components(self, wanted: ComponentCount) -> Result<Components, PcaError> {
        let n = self.faces;
        if n < 2 {
            return Err(PcaError::TooFewFaces(n));
        }
        let mean = DVector::from_iterator(
            self.pixels,
            self.sums.iter().map(|&sum| sum as f64 / n as f64),
        );
        let found = spectrum::solve(self.scatter(), n, wanted)?;
        Ok(found.into_components(mean, n, Solver::Covariance))
    }

    /// XcXcᵀ, d x d: n times it, n Σxxᵀ - Σx Σxᵀ, is an integer and is rounded once. Consumes the sums
    /// so that the products and the matrix can share memory.
    fn scatter(self) -> DMatrix<f64> {
        let d = self.pixels;
        let (count, n) = (self.faces as i128, self.faces as f64);
        let sums = self.sums;
        let centred: Vec<f64> = self
            .products
            .into_iter()
            .enumerate()
            .map(|(at, product)| {
                let (i, j) = (at / d, at % d);
                if i > j {
                    return 0.0;
                }
                let exact = count * i128::from(product) - i128::from(sums[i]) * i128::from(sums[j]);
                exact as f64 / n
            })
            .collect();
        // Row by row with the upper triangle filled is column by column with the lower one filled.
        let mut scatter = DMatrix::from_vec(d, d, centred);
        scatter.fill_upper_triangle_with_lower_triangle();
        scatter
    }
}

/// Learns the components through the d x d covariance.
pub(super) fn fit(faces: &FaceMatrix, wanted: ComponentCount) -> Result<Components, PcaError> {
    let mut sums = Accumulator::new(faces.size().pixels());
    sums.add(faces).expect("the sums were made for these faces");
    sums.components(wanted)
}
