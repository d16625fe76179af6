//! The direct route for more faces than pixels, and for any number of faces: n, Σx and Σxxᵀ are
//! accumulated in exact integers over chunks, so memory does not grow with the number of faces.

use std::f64::consts::SQRT_2;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::kernel::{self, Columns, Kernel, WrongTable};
use super::spectrum::{self, Block};
use super::symmetry::{Mirror, Parity, Symmetry};
use super::{ComponentCount, Components, PcaError, Solver};
use crate::face_matrix::FaceMatrix;

/// Maximum number of faces that can be centred in 64 bits: n² x 255² < 2^63.
const SMALL: usize = 11_000_000;
const _: () = assert!((SMALL as u128).pow(2) * 255 * 255 < 1 << 63);

/// n, Σx and Σxxᵀ of faces of d pixels, in exact integers.
///
/// Adding faces is associative and commutative: any split into chunks, in any order, gives the same
/// sums bit for bit. Room for 10^12 faces: 10^12 x 255² < 2^63. [`Sums`](super::Sums) are the same, to be kept and
/// added elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accumulator {
    pub(super) pixels: usize,
    pub(super) faces: usize,
    pub(super) sums: Vec<i64>,
    /// d x d, upper triangle: `[i * d + j]` with i <= j.
    pub(super) products: Vec<i64>,
}

impl Accumulator {
    /// Sums of no faces of d pixels; takes 8 d² bytes.
    pub fn new(pixels: usize) -> Self {
        Self {
            pixels,
            faces: 0,
            sums: vec![0; pixels],
            products: kernel::zeros(pixels),
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
    pub fn add<'a>(&mut self, faces: impl Into<Columns<'a>>) -> Result<(), WrongTable> {
        let columns = faces.into();
        kernel::accumulate_row_sums(columns, &mut self.sums)?;
        kernel::accumulate_covariance(columns, Kernel::best(), &mut self.products)?;
        self.faces += columns.count();
        Ok(())
    }

    /// Learns the components from the sums.
    ///
    /// # Errors
    /// Fewer than two faces, or faces that are all alike.
    pub fn components(self, wanted: ComponentCount) -> Result<Components, PcaError> {
        self.components_with_symmetry(wanted, Symmetry::None)
    }

    /// As [`components`](Self::components), of the faces and their mirror images if so asked.
    ///
    /// # Errors
    /// As `components`, and a mirror for faces of another length.
    pub fn components_with_symmetry(
        self,
        wanted: ComponentCount,
        symmetry: Symmetry<'_>,
    ) -> Result<Components, PcaError> {
        let (n, d) = (self.faces, self.pixels);
        let observations = match symmetry {
            Symmetry::None => n,
            Symmetry::Mirror(_) => 2 * n,
        };
        if observations < 2 {
            return Err(PcaError::TooFewFaces(n));
        }
        let mut mean = DVector::from_iterator(
            self.pixels,
            self.sums.iter().map(|&sum| sum as f64 / n as f64),
        );
        let blocks = match symmetry {
            Symmetry::None => vec![Block {
                rank: self.pixels.min(n - 1),
                scatter: self.scatter(),
                parity: None,
            }],
            Symmetry::Mirror(mirror) => {
                mirror.refuse_other(self.pixels)?;
                mirror.symmetrise(mean.as_mut_slice());
                self.folded(mirror)
            }
        };
        let mut found = spectrum::solve(blocks, n, wanted)?;
        found.apply(wanted, n, d)?;
        let mut basis = match symmetry {
            Symmetry::None => found.vectors.swap_remove(0),
            Symmetry::Mirror(mirror) => found.unfolded(mirror, &found.vectors),
        };
        spectrum::fix_signs(&mut basis);
        Ok(found.components(mean, basis, n, Solver::Covariance))
    }

    /// The even and the odd block of the scatter matrix of the faces and their mirror images, in free numbers.
    /// n times it is an integer, or one times √2 where a number that stays meets a pair.
    fn folded(mut self, mirror: &Mirror) -> Vec<Block> {
        let d = self.pixels;
        kernel::mirror_upper(&mut self.products, d).expect("the table is d x d");
        let (n, sums, products) = (self.faces as i128, &self.sums, &self.products);
        [Parity::Even, Parity::Odd]
            .into_iter()
            .map(|parity| {
                let sign = match parity {
                    Parity::Even => 1,
                    Parity::Odd => -1,
                };
                let orbits: Vec<_> = mirror.orbits(parity).collect();
                let side = orbits.len();
                let sum = |(p, q): (usize, Option<usize>)| {
                    i128::from(sums[p]) + i128::from(q.map_or(0, |q| sums[q]))
                };
                let entry = |row: usize, (p, q): (usize, Option<usize>)| {
                    let row = &products[row * d..][..d];
                    row[p] + sign * q.map_or(0, |q| row[q])
                };
                let mut scatter = DMatrix::zeros(side, side);
                scatter
                    .as_mut_slice()
                    .par_chunks_mut(side.max(1))
                    .zip(&orbits)
                    .for_each(|(column, &(p, q))| {
                        for (value, &other) in column.iter_mut().zip(&orbits) {
                            let product = entry(p, other) + sign * q.map_or(0, |q| entry(q, other));
                            let exact = match parity {
                                Parity::Even => n * i128::from(product) - sum((p, q)) * sum(other),
                                Parity::Odd => n * i128::from(product),
                            };
                            let scale = match (q, other.1) {
                                (Some(_), Some(_)) => 1.0,
                                (None, None) => 2.0,
                                _ => SQRT_2,
                            };
                            *value = scale * (exact as f64 / n as f64);
                        }
                    });
                let rank = match parity {
                    Parity::Even => side.min(self.faces - 1),
                    Parity::Odd => side.min(self.faces),
                };
                Block {
                    scatter,
                    rank,
                    parity: Some(parity),
                }
            })
            .collect()
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

pub(crate) fn refuse_too_many(pixels: usize) -> Result<(), PcaError> {
    if pixels > MOST_PIXELS {
        return Err(PcaError::TooManyPixels {
            pixels,
            most: MOST_PIXELS,
        });
    }
    Ok(())
}

/// Learns the components through the d x d covariance.
pub(super) fn fit(
    faces: Columns<'_>,
    wanted: ComponentCount,
    symmetry: Symmetry<'_>,
) -> Result<Components, PcaError> {
    refuse_too_many(faces.length())?;
    let mut sums = Accumulator::new(faces.length());
    sums.add(faces).expect("the sums were made for these faces");
    sums.components_with_symmetry(wanted, symmetry)
}
