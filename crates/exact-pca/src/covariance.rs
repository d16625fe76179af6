//! The direct route for more faces than pixels, and for any number of faces: n, Σx and Σxxᵀ are
//! accumulated in exact integers over chunks, so memory does not grow with the number of faces.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::kernel::{self, Columns, Kernel};
use super::spectrum;
use super::{ComponentCount, Components, PcaError, Solver};

/// Maximum number of faces that can be centred in 64 bits: n² x 255² < 2^63.
const SMALL: usize = 11_000_000;
const _: () = assert!((SMALL as u128).pow(2) * 255 * 255 < 1 << 63);

/// n, Σx and Σxxᵀ of faces of d pixels, in exact integers.
///
/// Adding faces is associative and commutative: any split into chunks, in any order, gives the same
/// sums bit for bit. Room for 10^12 faces: 10^12 x 255² < 2^63.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accumulator {
    pub(super) pixels: usize,
    pub(super) faces: usize,
    pub(super) sums: Vec<i64>,
    /// d x d, upper triangle: `[i * d + j]` with i <= j.
    pub(super) products: Vec<i64>,
}

impl Accumulator {
    /// The most pixels of a face: their sums take 3.2 GB.
    pub const MOST_PIXELS: usize = 20_000;

    /// Sums of no faces of d pixels; takes 8 d² bytes.
    ///
    /// # Errors
    /// More than [`MOST_PIXELS`](Self::MOST_PIXELS).
    pub fn new(pixels: usize) -> Result<Self, PcaError> {
        Self::check_pixels(pixels)?;
        Ok(Self {
            pixels,
            faces: 0,
            sums: vec![0; pixels],
            products: kernel::zeros(pixels),
        })
    }

    /// Whether a table of so many pixels a side may be made.
    pub(crate) fn check_pixels(pixels: usize) -> Result<(), PcaError> {
        let most = Self::MOST_PIXELS;
        match pixels > most {
            true => Err(PcaError::TooManyPixels { pixels, most }),
            false => Ok(()),
        }
    }

    /// The sums of these faces.
    ///
    /// # Errors
    /// More pixels than [`MOST_PIXELS`](Self::MOST_PIXELS).
    pub fn of<'a>(faces: impl Into<Columns<'a>>) -> Result<Self, PcaError> {
        let faces = faces.into();
        let mut sums = Self::new(faces.length())?;
        sums.add(faces)?;
        Ok(sums)
    }

    /// n, the number of faces added so far.
    pub fn faces(&self) -> usize {
        self.faces
    }

    /// Adds faces of the same d.
    ///
    /// # Errors
    /// Faces of another d than the sums were made for.
    pub fn add<'a>(&mut self, faces: impl Into<Columns<'a>>) -> Result<(), PcaError> {
        let faces = faces.into();
        let (expected, found) = (self.pixels, faces.length());
        let other = |_| PcaError::OtherPixels { expected, found };
        kernel::accumulate_row_sums(faces, &mut self.sums).map_err(other)?;
        kernel::accumulate_covariance(faces, Kernel::best(), &mut self.products).map_err(other)?;
        self.faces += faces.count();
        Ok(())
    }

    /// Learns the components from the sums.
    ///
    /// # Errors
    /// Fewer than two faces, or faces that are all alike.
    pub fn fit(self, wanted: ComponentCount) -> Result<Components, PcaError> {
        let (n, d) = (self.faces, self.pixels);
        if n < 2 {
            return Err(PcaError::TooFewFaces(n));
        }
        let sums = self.sums.iter();
        let mean = DVector::from_iterator(d, sums.map(|&sum| sum as f64 / n as f64));
        let mut found = spectrum::solve(self.scatter(), d.min(n - 1), n, wanted)?;
        found.apply(wanted)?;
        let mut basis = std::mem::replace(&mut found.vectors, DMatrix::zeros(0, 0));
        spectrum::fix_signs(&mut basis);
        Ok(found.components(mean, basis, n, Solver::Covariance))
    }

    /// XcXcᵀ, d x d: n times it, n Σxxᵀ - Σx Σxᵀ, is an integer and is rounded once. Consumes the sums:
    /// each number takes the place, bit for bit, of the integer it comes from.
    pub(super) fn scatter(self) -> DMatrix<f64> {
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

/// Learns the components through the d x d covariance.
pub(super) fn fit(faces: Columns<'_>, wanted: ComponentCount) -> Result<Components, PcaError> {
    Accumulator::of(faces)?.fit(wanted)
}
