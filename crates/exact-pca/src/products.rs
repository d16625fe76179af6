//! Large products straight from 8-bit faces: no copy of all faces in floating point is ever made.
//!
//! Pixels are taken in blocks of rows, each computed by one thread from a small buffer of its own, in an
//! order that does not depend on the number of threads.

use std::ops::Range;

use super::eigen::{self, Noise, View, ViewMut};
use super::{Columns, PcaError};
use nalgebra::DMatrix;
use vectorised::vectorised_mut;

/// Pixels of a tile: rows of the result computed by one thread at a time.
const PIXELS: usize = 128;
/// Blocks of pixels that one thread computes in a row, with the same tile.
const BLOCKS: usize = 4;
/// Faces of a tile: 128 x 256 numbers of 8 bytes stay in the second-level cache.
const FACES: usize = 256;
/// Columns orthonormalised at a time.
const COLUMNS: usize = 32;
/// Columns whose inner products are off by less than this are orthonormal.
const ORTHONORMAL: f64 = 1e-12;

/// `Xc = X - mean 1ᵀ` (d x n) as a factor of products, its columns taken in a given order; never held as
/// numbers in floating point, but for a tile of it.
#[derive(Clone, Copy)]
pub(crate) struct CentredFaces<'a> {
    faces: &'a [u8],
    mean: &'a [f64],
    order: &'a [usize],
}

impl<'a> CentredFaces<'a> {
    /// Column `j` is the face `order[j]`, below n; `mean` has d pixels.
    pub fn new(faces: Columns<'a>, mean: &'a [f64], order: &'a [usize]) -> Self {
        debug_assert_eq!(mean.len(), faces.length());
        Self { faces: faces.data(), mean, order }
    }

    /// `Xc A` (d x k) of coefficients `A` (n x k). Parallel over blocks of pixels.
    pub fn times(&self, coefficients: View<'_>, out: ViewMut<'_>) {
        self.for_each_tile(out, |out, tile, order| {
            eigen::add_product(out, tile, coefficients.rows(order.start, order.len()), 1.0);
        });
    }

    /// As [`times`](Self::times), the products of each tile in single precision. They are summed in f64.
    pub fn times_single(&self, coefficients: View<'_, f32>, out: ViewMut<'_>) {
        self.for_each_tile(out, |mut out, tile, order| {
            let (rows, columns) = out.shape();
            let mut part = vec![0.0; rows * columns];
            let factors = coefficients.rows(order.start, order.len());
            eigen::add_product(eigen::columns_mut(&mut part, rows), tile, factors, 1.0);
            for (mut sums, part) in out.column_iter_mut().zip(part.chunks(rows)) {
                add_widened(sums.as_mut_slice(), part);
            }
        });
    }

    /// Adds each tile's share to the same rows of `out`, from zero on; `add` gets the positions of its faces in the order.
    fn for_each_tile<T: Level>(&self, out: ViewMut<'_>, add: impl Fn(ViewMut<'_>, View<'_, T>, Range<usize>) + Sync) {
        eigen::for_each_rows(out, BLOCKS * PIXELS, &|above, mut out: ViewMut<'_>| {
            let mut tile = Vec::new();
            out.fill(0.0);
            for first in (0..out.nrows()).step_by(PIXELS) {
                let count = PIXELS.min(out.nrows() - first);
                for from in (0..self.order.len()).step_by(FACES) {
                    let faces = from..self.order.len().min(from + FACES);
                    let tile = self.tile(&mut tile, above + first, count, &self.order[faces.clone()]);
                    add(out.rows_mut(first, count), tile, faces);
                }
            }
        });
    }

    /// `Xcᵀ B` (n x k) of images `B` (d x k): the twin of [`times`](Self::times). Parallel over blocks of faces.
    pub fn transpose_times(&self, images: View<'_>, out: ViewMut<'_>) {
        eigen::for_each_rows(out, FACES, &|above, mut out: ViewMut<'_>| {
            let mut tile = Vec::new();
            out.fill(0.0);
            let order = &self.order[above..][..out.nrows()];
            for first in (0..self.mean.len()).step_by(PIXELS) {
                let count = PIXELS.min(self.mean.len() - first);
                let tile = self.tile(&mut tile, first, count, order);
                eigen::add_inner_products(out.as_view_mut(), tile, images.rows(first, count));
            }
        });
    }

    /// `count` pixels from `first` on of the faces in `order`, less the mean.
    fn tile<'t, T: Level>(&self, tile: &'t mut Vec<T>, first: usize, count: usize, order: &[usize]) -> View<'t, T> {
        tile.resize(count * order.len(), T::zero());
        let mean: Vec<T> = self.mean[first..first + count].iter().map(|&mean| nalgebra::convert(mean)).collect();
        for (centred, face) in tile.chunks_mut(count).zip(order) {
            let pixels = &self.faces[face * self.mean.len() + first..][..count];
            vectorised_mut(
                #[inline(always)]
                || {
                    for ((to, &pixel), &mean) in centred.iter_mut().zip(pixels).zip(&mean) {
                        *to = T::from(pixel) - mean;
                    }
                },
            );
        }
        eigen::columns(tile, count)
    }
}

fn add_widened(sums: &mut [f64], parts: &[f32]) {
    vectorised_mut(
        #[inline(always)]
        || {
            for (sum, &part) in sums.iter_mut().zip(parts) {
                *sum += f64::from(part);
            }
        },
    );
}

/// A gray level as a number.
trait Level: nalgebra::RealField + Copy + From<u8> {}
impl Level for f32 {}
impl Level for f64 {}

/// In what numbers products are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    /// f32 within tiles of 256 faces, f64 between them: twice as fast.
    Single,
    /// f64 throughout.
    Double,
}

/// `Xc A` (d x k): eigenvectors of the small Gram matrix become basis faces.
pub(crate) fn map_back(centred: CentredFaces<'_>, coefficients: &DMatrix<f64>, precision: Precision) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(centred.mean.len(), coefficients.ncols());
    match precision {
        Precision::Double => centred.times(eigen::view(coefficients), eigen::view_mut(&mut out)),
        Precision::Single => {
            let coefficients = coefficients.map(|x| x as f32);
            centred.times_single(eigen::view(&coefficients), eigen::view_mut(&mut out));
        }
    }
    out
}

/// About how far the columns of a tall matrix (d x k) are from orthonormal: the largest entry of `|(UᵀU - I) z|` for two vectors z
/// of random numbers between -1 and 1. A column that is off by more is noticed, in 1/k of the time that `UᵀU` takes.
pub(crate) fn orthonormality(basis: &DMatrix<f64>) -> f64 {
    const PROBES: usize = 2;
    let k = basis.ncols();
    let probes = DMatrix::from_iterator(k, PROBES, Noise::seeded(5).take(k * PROBES));
    let images = eigen::product(eigen::view(basis), eigen::view(&probes));
    let back = eigen::inner_product(eigen::view(basis), eigen::view(&images));
    // `amax` would overlook what is not a number.
    (back - probes).iter().fold(0.0, |most: f64, off| if off.is_nan() { f64::INFINITY } else { most.max(off.abs()) })
}

/// Makes the columns of a tall matrix (d x k, k ≤ d) orthonormal again, unless they are to 1e-12.
///
/// Basis faces mapped back from small eigenvalues have lost some orthogonality to the leading ones (their error is that of
/// the leading ones magnified). So leading columns stay and later ones are cleaned of them: block Gram-Schmidt, twice.
/// Directions keep their sign; a column that lies in the span of those before it gives way to some direction outside it.
/// Errors: if numbers are not finite.
pub(crate) fn reorthonormalise(basis: &mut DMatrix<f64>) -> Result<(), PcaError> {
    let (d, k) = basis.shape();
    let view = eigen::view(basis);
    let gram = eigen::inner_product(view, view) - DMatrix::identity(k, k);
    if !gram.iter().all(|x| x.is_finite()) {
        return Err(PcaError::Eigen("inner products of the basis are not finite".to_owned()));
    }
    let error = gram.amax();
    if error <= ORTHONORMAL {
        return Ok(());
    }
    // What projection leaves of a unit vector is rounding below this.
    let dust = f64::EPSILON * (d as f64).sqrt() * (1.0 + error);
    for first in (0..k).step_by(COLUMNS) {
        let count = COLUMNS.min(k - first);
        let (done, rest) = basis.as_mut_slice().split_at_mut(d * first);
        eigen::extend(eigen::columns(done, d), &mut rest[..d * count], dust, first as u64);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of faces (d x n), their mean and their order, as factors of products.
    fn centred<'a>(faces: &'a [u8], mean: &'a [f64], order: &'a [usize]) -> CentredFaces<'a> {
        let (d, n) = (mean.len(), order.len());
        CentredFaces::new(Columns::new(faces, d, n).expect("whole faces"), mean, order)
    }

    fn bytes(count: usize, seed: u64) -> Vec<u8> {
        Noise::seeded(seed).take(count).map(|x| (128.0 + 127.0 * x) as u8).collect()
    }

    #[test]
    fn products_with_centred_faces_are_what_they_say() {
        for (d, n, k) in [(1, 1, 1), (130, 5, 3), (300, 700, 9), (128, 256, 2), (5, 0, 2)] {
            let faces = bytes(d * n, 1);
            let mean: Vec<f64> = Noise::seeded(2).take(d).map(|x| 100.0 + x).collect();
            let order: Vec<usize> = (0..n).map(|j| (j * 7 + 3) % n).collect();
            let a = DMatrix::from_iterator(n, k, Noise::seeded(3).take(n * k));
            let x = DMatrix::from_fn(d, n, |i, j| f64::from(faces[order[j] * d + i]) - mean[i]);
            let found = map_back(centred(&faces, &mean, &order), &a, Precision::Double);
            let expected = &x * a;
            assert!((&found - &expected).amax() <= 1e-13 * (1.0 + expected.amax()) * (1 + n) as f64);
            let images = DMatrix::from_iterator(d, k, Noise::seeded(4).take(d * k));
            let mut found = DMatrix::zeros(n, k);
            centred(&faces, &mean, &order).transpose_times(eigen::view(&images), eigen::view_mut(&mut found));
            let expected = x.transpose() * images;
            assert!((found - &expected).amax() <= 1e-13 * (1.0 + expected.amax()) * (1 + d) as f64);
        }
    }

    #[test]
    fn single_precision_rounds_little() {
        for (d, n, k) in [(1, 1, 1), (130, 5, 3), (300, 700, 9), (257, 513, 33)] {
            let faces = bytes(d * n, 1);
            let mean: Vec<f64> = Noise::seeded(2).take(d).map(|x| 100.0 + x).collect();
            let order: Vec<usize> = (0..n).rev().collect();
            let a = DMatrix::from_iterator(n, k, Noise::seeded(3).take(n * k));
            let run = |precision| map_back(centred(&faces, &mean, &order), &a, precision);
            let (single, double) = (run(Precision::Single), run(Precision::Double));
            let scale = 128.0 * (n as f64).sqrt();
            assert!((single - double).amax() < 1e-6 * scale);
        }
    }

    #[test]
    fn what_is_not_orthonormal_is_noticed() {
        let (d, k) = (600, 70);
        let mut u = DMatrix::from_iterator(d, k, Noise::seeded(7).take(d * k));
        eigen::extend(eigen::columns(&[], d), u.as_mut_slice(), 0.0, 1);
        assert!(orthonormality(&u) < 1e-13);
        for off in [1e-5, 1e-2, f64::NAN] {
            let mut u = u.clone();
            u[(3, 69)] += off;
            let found = orthonormality(&u);
            assert!(found > 1e-7, "{off}: {found}");
        }
    }

    #[test]
    fn map_back_of_eigenvectors_is_orthonormal() {
        let (d, n) = (700, 90);
        let faces = bytes(d * n, 4);
        let mean: Vec<f64> =
            (0..d).map(|i| (0..n).map(|j| f64::from(faces[j * d + i])).sum::<f64>() / n as f64).collect();
        let x = DMatrix::from_fn(d, n, |i, j| f64::from(faces[j * d + i]) - mean[i]);
        let pairs = eigen::leading(x.transpose() * &x, n - 1, eigen::Method::Auto).expect("solved");
        let mut a = pairs.vectors;
        for (mut column, value) in a.column_iter_mut().zip(&pairs.values) {
            column /= value.sqrt();
        }
        let order: Vec<usize> = (0..n).collect();
        let u = map_back(centred(&faces, &mean, &order), &a, Precision::Double);
        assert!((u.transpose() * &u - DMatrix::identity(n - 1, n - 1)).amax() < 1e-10);
    }

    #[test]
    fn same_bits_for_any_number_of_threads() {
        let (d, n, k) = (2000, 300, 50);
        let faces = bytes(d * n, 9);
        let mean = vec![127.5; d];
        let order: Vec<usize> = (0..n).rev().collect();
        let a = DMatrix::from_iterator(n, k, Noise::seeded(10).take(n * k));
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| {
                let mut u = map_back(centred(&faces, &mean, &order), &a, Precision::Double);
                reorthonormalise(&mut u).expect("finite");
                let basis = u.map(|x| x as f32);
                let weights = crate::projection::project(&basis, &mean, &faces).expect("shapes fit");
                (u, weights)
            })
        };
        assert!(run(1) == run(2));
    }

    #[test]
    fn reorthonormalise_repairs_and_keeps_leading_columns() {
        let (d, k) = (600, 70);
        let mut u = DMatrix::from_iterator(d, k, Noise::seeded(7).take(d * k));
        eigen::extend(eigen::columns(&[], d), u.as_mut_slice(), 0.0, 1);
        let exact = u.clone();
        assert_eq!(reorthonormalise(&mut u), Ok(()));
        assert!(u == exact, "not needed");
        for j in 40..k {
            let lead = exact.column(j - 40) * 1e-4;
            u.set_column(j, &(exact.column(j) + lead));
        }
        assert_eq!(reorthonormalise(&mut u), Ok(()));
        assert!((u.transpose() * &u - DMatrix::identity(k, k)).amax() < 1e-14);
        assert!((u - exact).amax() < 1e-12);
    }

    #[test]
    fn reorthonormalise_replaces_columns_that_carry_nothing() {
        let mut u = DMatrix::from_iterator(90, 40, Noise::seeded(8).take(3600));
        let copy = u.column(0).into_owned();
        u.set_column(7, &copy);
        u.set_column(39, &copy);
        u.column_mut(20).fill(0.0);
        assert_eq!(reorthonormalise(&mut u), Ok(()));
        assert!((u.transpose() * &u - DMatrix::identity(40, 40)).amax() < 1e-14);
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        assert!(reorthonormalise(&mut DMatrix::from_element(4, 2, f64::NAN)).is_err());
    }
}
