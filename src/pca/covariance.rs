//! The direct route for more faces than pixels, and for any number of faces: n, Σx and Σxxᵀ are
//! accumulated in exact integers over chunks, so memory does not grow with the number of faces.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::kernel::{self, Columns, Kernel, WrongTable};
use super::{ComponentCount, Components, PcaError, Solver, spectrum};
use crate::face_matrix::FaceMatrix;

/// So many faces can be centred in 64 bits: n² x 255² < 2^63.
const SMALL: usize = 11_000_000;
const _: () = assert!((SMALL as u128).pow(2) * 255 * 255 < 1 << 63);

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

    /// XcXcᵀ, d x d: n times it, n Σxxᵀ - Σx Σxᵀ, is an integer and is rounded once. Consumes the sums:
    /// each number takes the place, bit for bit, of the integer it comes from.
    fn scatter(self) -> DMatrix<f64> {
        let (d, n) = (self.pixels, self.faces as f64);
        let (sums, mut table) = (self.sums, self.products);
        let count = self.faces as i64;
        let fits = self.faces <= SMALL;
        table
            .par_chunks_mut(d.max(1))
            .zip(&sums)
            .enumerate()
            .for_each(|(i, (row, &sum))| {
                for (entry, &other) in row.iter_mut().zip(&sums).skip(i) {
                    let scatter = if fits {
                        (count * *entry - sum * other) as f64
                    } else {
                        let wide = i128::from;
                        (wide(count) * wide(*entry) - wide(sum) * wide(other)) as f64
                    };
                    *entry = (scatter / n).to_bits().cast_signed();
                }
            });
        kernel::mirror_upper(&mut table, d).expect("the table is d x d");
        DMatrix::from_vec(d, d, bytemuck::cast_vec(table))
    }
}

/// Learns the components of any number of faces that come in chunks, in memory of 8 d² bytes and a chunk.
/// The same bits as [`Solver::Covariance`] gives for all faces at once, whatever the chunks.
///
/// # Errors
/// Fewer than two faces in all, faces that are all alike, or chunks of faces of different numbers of pixels.
pub fn fit_stream(
    chunks: impl IntoIterator<Item = FaceMatrix>,
    wanted: ComponentCount,
) -> Result<Components, PcaError> {
    let mut chunks = chunks.into_iter();
    let Some(first) = chunks.next() else {
        return Err(PcaError::TooFewFaces(0));
    };
    let expected = first.size().pixels();
    refuse_too_many(expected)?;
    let mut sums = Accumulator::new(expected);
    for chunk in std::iter::once(first).chain(chunks) {
        sums.add(&chunk).map_err(|_| PcaError::OtherPixels {
            expected,
            found: chunk.size().pixels(),
        })?;
    }
    sums.components(wanted)
}

/// The d x d sums of so many pixels take 3.2 GB; beyond, the machine would run out of memory without a word.
const MOST_PIXELS: usize = 20_000;

fn refuse_too_many(pixels: usize) -> Result<(), PcaError> {
    if pixels > MOST_PIXELS {
        return Err(PcaError::TooManyPixels {
            pixels,
            most: MOST_PIXELS,
        });
    }
    Ok(())
}

/// Learns the components through the d x d covariance.
pub(super) fn fit(faces: &FaceMatrix, wanted: ComponentCount) -> Result<Components, PcaError> {
    refuse_too_many(faces.size().pixels())?;
    let mut sums = Accumulator::new(faces.size().pixels());
    sums.add(faces).expect("the sums were made for these faces");
    sums.components(wanted)
}
