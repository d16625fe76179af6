//! The direct route for more faces than pixels, and for any number of faces: n, Σx and Σxxᵀ are
//! accumulated in exact integers over chunks, so memory does not grow with the number of faces.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::kernel::{self, Kernel};
use super::spectrum::{self, Of, RANK_TOLERANCE};
use super::{Columns, ComponentCount, Components, PcaError, Solver};

/// Maximum number of faces that can be centred in 64 bits: n² x 255² < 2^63.
const SMALL: usize = 11_000_000;
const _: () = assert!((SMALL as u128).pow(2) * 255 * 255 < 1 << 63);

/// n, Σx and Σxxᵀ of faces of d pixels, in exact integers.
///
/// Adding faces is associative and commutative: any split into chunks, in any order, gives the same
/// sums bit for bit. Room for 10^12 faces: 10^12 x 255² < 2^63.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accumulator {
    pixels: usize,
    faces: usize,
    sums: Vec<i64>,
    /// d x d, upper triangle: `[i * d + j]` with i <= j.
    products: Vec<i64>,
}

impl Accumulator {
    /// The most pixels of a face: their sums take 3.2 GB.
    pub const MOST_PIXELS: usize = 20_000;

    /// More faces than this are refused. 10^12 x 255² < 2^63, so no sum overflows; centring, in 128 bits, has room for more.
    pub const MOST_FACES: usize = 1_000_000_000_000;

    /// Sums of no faces of d pixels; takes 8 d² bytes.
    ///
    /// # Errors
    /// More than [`MOST_PIXELS`](Self::MOST_PIXELS).
    pub fn new(pixels: usize) -> Result<Self, PcaError> {
        Self::check_pixels(pixels)?;
        Ok(Self { pixels, faces: 0, sums: vec![0; pixels], products: kernel::zeros(pixels) })
    }

    /// Whether a table of this number of pixels a side may be made.
    pub(crate) fn check_pixels(pixels: usize) -> Result<(), PcaError> {
        let most = Self::MOST_PIXELS;
        if pixels > most { Err(PcaError::TooManyPixels { pixels, most }) } else { Ok(()) }
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

    /// Adds the sums of other faces: associative and commutative, so in any order and by any tree. `None`, and nothing is
    /// changed, for faces of another d, or where there would be more than [`Accumulator::MOST_FACES`].
    #[must_use]
    pub fn merge(&mut self, other: &Self) -> Option<()> {
        let faces = self.faces + other.faces;
        if other.pixels != self.pixels || faces > Self::MOST_FACES {
            return None;
        }
        self.faces = faces;
        let add = |to: &mut [i64], from: &[i64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        add(&mut self.sums, &other.sums);
        add(&mut self.products, &other.products);
        Some(())
    }

    /// n, d, Σx (d numbers), and the upper triangle of Σxxᵀ, row by row (d (d + 1) / 2 numbers): half the sums' memory.
    pub fn pack(&self) -> Vec<i64> {
        let d = self.pixels;
        let mut packed = Vec::with_capacity(2 + d + triangle(d));
        packed.extend([self.faces as i64, d as i64]);
        packed.extend(&self.sums);
        let rows = self.products.chunks(d.max(1)).enumerate();
        rows.for_each(|(i, row)| packed.extend(&row[i..]));
        packed
    }

    /// The sums that were [packed](Self::pack). `None` where no faces of 8 bits have such sums, as far as can be told from
    /// each number and each pixel's variance, or faces have none or more than [`Accumulator::MOST_PIXELS`].
    pub fn unpack(packed: &[i64]) -> Option<Self> {
        let (&[n, d], rest) = packed.split_first_chunk()?;
        let (faces, d) = (usize::try_from(n).ok()?, usize::try_from(d).ok()?);
        let is_sized = faces <= Self::MOST_FACES && (1..=Self::MOST_PIXELS).contains(&d);
        if !is_sized || rest.len() != d + triangle(d) {
            return None;
        }
        let (totals, mut triangle) = rest.split_at(d);
        let white = 255;
        let within = |values: &[i64], most: i64| values.iter().all(|v| (0..=most).contains(v));
        if !within(totals, white * n) || !within(triangle, white * white * n) {
            return None;
        }
        let mut products = vec![0; d * d];
        for (i, &total) in totals.iter().enumerate() {
            let (row, rest) = triangle.split_at(d - i);
            if i128::from(n) * i128::from(row[0]) < i128::from(total).pow(2) {
                return None;
            }
            products[i * d + i..(i + 1) * d].copy_from_slice(row);
            triangle = rest;
        }
        Some(Self { pixels: d, faces, sums: totals.to_vec(), products })
    }

    /// Learns the components from the sums.
    ///
    /// # Errors
    /// Fewer than two faces, faces that are all alike, or a rule that cannot be applied.
    pub fn fit(self, wanted: ComponentCount) -> Result<Components, PcaError> {
        let (n, d) = (self.faces, self.pixels);
        PcaError::refuse_too_few(n)?;
        let mean = DVector::from_iterator(d, self.sums.iter().map(|&sum| sum as f64 / n as f64));
        spectrum::solve(self.scatter(), n, wanted, RANK_TOLERANCE)?.components(Of::Scatter, mean, n, Solver::Covariance)
    }

    /// XcXcᵀ, d x d: n times it, n Σxxᵀ - Σx Σxᵀ, is an integer and is rounded once. Consumes the sums:
    /// each number takes the place, bit for bit, of the integer it comes from.
    pub(crate) fn scatter(self) -> DMatrix<f64> {
        let (d, n) = (self.pixels, self.faces as f64);
        let (sums, mut table) = (self.sums, self.products);
        let count = self.faces as i64;
        let fits = self.faces <= SMALL;
        table.par_chunks_mut(d.max(1)).zip(&sums).enumerate().for_each(|(i, (row, &sum))| {
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
        kernel::mirror_upper(&mut table, d);
        DMatrix::from_vec(d, d, bytemuck::cast_vec(table))
    }
}

/// Entries of the upper triangle of d x d, the diagonal among them.
fn triangle(pixels: usize) -> usize {
    pixels * (pixels + 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accumulated(faces: &[u8], pixels: usize) -> Accumulator {
        let mut sums = Accumulator::new(pixels).unwrap();
        let columns = Columns::new(faces, pixels, faces.len() / pixels).unwrap();
        sums.add(columns).unwrap();
        sums
    }

    /// Sums of faces of two pixels.
    fn unpacked(faces: usize, totals: [i64; 2], products: [i64; 3]) -> Option<Accumulator> {
        let packed = [&[faces as i64, 2][..], &totals, &products].concat();
        Accumulator::unpack(&packed)
    }

    #[test]
    fn packing_loses_nothing() {
        for pixels in [1, 2, 3, 7, 50] {
            let faces: Vec<u8> = (0..pixels * 5).map(|i| (i * i % 251) as u8).collect();
            let accumulated = accumulated(&faces, pixels);
            let packed = accumulated.pack();
            assert_eq!(packed.len(), 2 + pixels + triangle(pixels));
            assert_eq!(packed[..2], [5, pixels as i64]);
            assert_eq!(Accumulator::unpack(&packed), Some(accumulated));
        }
    }

    #[test]
    fn sums_of_two_halves_are_those_of_the_whole() {
        let faces: Vec<u8> = (0..3 * 8).map(|i| (i * 37 % 256) as u8).collect();
        let sums = |faces| accumulated(faces, 3);
        let mut halves = sums(&faces[..9]);
        halves.merge(&sums(&faces[9..])).unwrap();
        assert_eq!(halves, sums(&faces));
        assert_eq!(halves.merge(&Accumulator::new(4).unwrap()), None, "faces of another d");
        assert_eq!(halves, sums(&faces), "nothing is changed then");
    }

    #[test]
    fn what_no_faces_have_is_refused() {
        let refused = |faces: usize, totals: [i64; 2], products: [i64; 3]| unpacked(faces, totals, products).is_none();
        assert!(!refused(2, [3, 0], [5, 0, 0]));
        assert!(refused(2, [-1, 0], [5, 0, 0]));
        assert!(refused(2, [511, 0], [65_025 * 2, 0, 0]));
        assert!(refused(2, [3, 0], [5, i64::MIN, 0]));
        assert!(refused(2, [3, 0], [65_025 * 2 + 1, 0, 0]));
        assert!(refused(2, [4, 0], [7, 0, 0]), "a negative variance");
        assert!(refused(Accumulator::MOST_FACES + 1, [0, 0], [0, 0, 0]));
        for wrong in [&[2, 2, 0, 0, 0, 0][..], &[2, -1], &[-1, 0], &[2], &[0, i64::MAX], &[0, 0]] {
            assert_eq!(Accumulator::unpack(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn there_is_room_for_the_most_faces_there_may_be() {
        let n = Accumulator::MOST_FACES as i64;
        let half = n / 2;
        let white = |n: i64| unpacked(n as usize, [255 * n, 0], [65_025 * n, 0, 0]).unwrap();
        let mut sums = white(half);
        sums.merge(&white(n - half)).unwrap();
        assert_eq!(sums, white(n));
        assert_eq!(sums.merge(&white(1)), None);
        // Half of them white, half of them black: the variance of one pixel is 127.5² n / (n - 1).
        let sums = unpacked(n as usize, [255 * half, 0], [65_025 * half, 0, 0]).unwrap();
        let found = sums.fit(crate::ComponentCount::Auto);
        let variance = 127.5_f64.powi(2) * n as f64 / (n - 1) as f64;
        assert!((found.unwrap().eigenvalues[0] / variance - 1.0).abs() < 1e-12);
    }
}
