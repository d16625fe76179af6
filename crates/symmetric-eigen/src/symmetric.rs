//! A symmetric matrix times a narrow block in f64. A large matrix takes longer to come from memory than to be multiplied,
//! so every entry off the diagonal is fetched once and serves on both sides of it.
//!
//! The columns are dealt to a fixed number of strips of about the same area. Each strip adds up its own part of the
//! result, and the parts are added in their order: the same bits for any number of threads.

use std::ops::Range;

use pulp::Simd;
use rayon::prelude::*;

use super::inner::{LEFT, RIGHT, columns, tile};
use super::views::{View, ViewMut};

/// Parts of the work.
const STRIPS: usize = 16;
/// Columns and rows of the matrix taken at a time: 12 columns of 512, 48 KiB, stay in the caches until they served twice.
const PANEL: usize = 12;
const STRETCH: usize = 512;
/// Columns of the result that a panel is added to in registers, two vectors of each.
const SPREAD: usize = 6;

/// `out = matrix · block`, n x b, of a symmetric matrix (n x n, both triangles filled). `scratch` is memory used again.
///
/// # Panics
/// If the sizes do not fit together.
pub fn symmetric_product(mut out: ViewMut<'_>, matrix: View<'_>, block: View<'_>, scratch: &mut Vec<f64>) {
    let (n, b) = (matrix.nrows(), block.ncols());
    assert_eq!((n, n), (matrix.ncols(), block.nrows()));
    assert_eq!((out.nrows(), out.ncols()), (n, b));
    let (matrix, block) = (columns(matrix), columns(block));
    let strips = strips(n, STRIPS, PANEL);
    let rows = |strip: &Range<usize>| n - strip.start;
    scratch.resize(strips.iter().map(rows).sum::<usize>() * b, 0.0);
    let mut rest = scratch.as_mut_slice();
    let mut parts = Vec::with_capacity(strips.len());
    for strip in strips {
        let (sums, later) = rest.split_at_mut(rows(&strip) * b);
        rest = later;
        parts.push((strip, sums));
    }
    parts.par_iter_mut().for_each(|(strip, sums)| {
        sums.fill(0.0);
        pulp::Arch::new().dispatch(Strip { matrix: &matrix, block: &block, columns: strip.clone(), sums });
    });
    let mut columns: Vec<_> = out.column_iter_mut().enumerate().collect();
    columns.par_iter_mut().for_each(|(number, out)| {
        let column = out.as_mut_slice();
        column.fill(0.0);
        for (strip, sums) in &parts {
            let part = &sums[*number * rows(strip)..][..rows(strip)];
            for (sum, value) in column[strip.start..].iter_mut().zip(part) {
                *sum += value;
            }
        }
    });
}

/// Ranges of columns of a symmetric matrix of side `n`, each a multiple of `panel` but the last, that hold about the same number
/// of entries below the diagonal: at most `count`.
pub(super) fn strips(n: usize, count: usize, panel: usize) -> Vec<Range<usize>> {
    // The columns from c on hold (n - c)² / 2 entries.
    let border = |strip: usize| {
        let share = ((count - strip) as f64 / count as f64).sqrt();
        (n - (share * n as f64) as usize).next_multiple_of(panel).min(n)
    };
    let mut strips: Vec<_> = (0..count).map(|at| border(at)..border(at + 1)).collect();
    strips.retain(|strip| !strip.is_empty());
    strips
}

/// Some columns of the matrix. Compiled once for each instruction set.
struct Strip<'a> {
    matrix: &'a [&'a [f64]],
    block: &'a [&'a [f64]],
    columns: Range<usize>,
    /// Their part of the result from the row of the first of them on, column after column.
    sums: &'a mut [f64],
}

impl pulp::WithSimd for Strip<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (n, start) = (self.matrix.len(), self.columns.start);
        for first in self.columns.clone().step_by(PANEL) {
            let panel = first..self.columns.end.min(first + PANEL);
            let left = &self.matrix[panel.clone()];
            let mut own = vec![[0.0; PANEL]; self.block.len()];
            add_inner(simd, &mut own, left, self.block, panel.clone());
            for from in (panel.end..n).step_by(STRETCH) {
                let rows = from..n.min(from + STRETCH);
                add_inner(simd, &mut own, left, self.block, rows.clone());
                let sums = self.sums.chunks_exact_mut(n - start);
                let sums = sums.map(|column| &mut column[from - start..rows.end - start]);
                add_outer_all(simd, sums, left, rows.clone(), self.block, first);
            }
            for (sums, own) in self.sums.chunks_exact_mut(n - start).zip(&own) {
                for (sum, own) in sums[first - start..].iter_mut().zip(&own[..panel.len()]) {
                    *sum += own;
                }
            }
        }
    }
}

/// Adds the inner products of the panel's columns with those of the block, over some rows: `leftᵀ · block`.
#[inline(always)]
fn add_inner<S: Simd>(simd: S, own: &mut [[f64; PANEL]], left: &[&[f64]], block: &[&[f64]], rows: Range<usize>) {
    let (threes, rest) = left.as_chunks::<LEFT>();
    let (fours, last) = block.as_chunks::<RIGHT>();
    for (l, three) in threes.iter().enumerate() {
        let three = three.map(|column| &column[rows.clone()]);
        for (r, four) in fours.iter().enumerate() {
            let sums = tile(simd, three, four.map(|column| &column[rows.clone()]));
            for (i, sums) in sums.iter().enumerate() {
                for (j, sum) in sums.iter().enumerate() {
                    own[r * RIGHT + j][l * LEFT + i] += sum;
                }
            }
        }
        for (r, column) in last.iter().enumerate() {
            let sums = tile(simd, three, [&column[rows.clone()]]);
            for (i, [sum]) in sums.iter().enumerate() {
                own[fours.len() * RIGHT + r][l * LEFT + i] += sum;
            }
        }
    }
    for (l, column) in rest.iter().enumerate() {
        for (own, other) in own.iter_mut().zip(block) {
            let [[sum]] = tile(simd, [&column[rows.clone()]], [&other[rows.clone()]]);
            own[threes.len() * LEFT + l] += sum;
        }
    }
}

/// Adds to columns of the result, over some rows, the panel's columns times its own rows of the block, from `first` on.
#[inline(always)]
fn add_outer_all<'a, S: Simd>(
    simd: S,
    mut sums: impl Iterator<Item = &'a mut [f64]>,
    left: &[&[f64]],
    rows: Range<usize>,
    block: &[&[f64]],
    first: usize,
) {
    let mut near: [&[f64]; PANEL] = [&[]; PANEL];
    for (near, column) in near.iter_mut().zip(left) {
        *near = &column[rows.clone()];
    }
    let left = &near[..left.len()];
    let (sixes, rest) = block.as_chunks::<SPREAD>();
    for six in sixes {
        let own = six.map(|column| &column[first..][..left.len()]);
        add_outer(simd, std::array::from_fn(|_| sums.next()), left, own);
    }
    for column in rest {
        add_outer(simd, [sums.next()], left, [&column[first..][..left.len()]]);
    }
}

/// Adds `left · own`, rows x C, to `C` columns.
#[inline(always)]
fn add_outer<S: Simd, const C: usize>(simd: S, sums: [Option<&mut [f64]>; C], left: &[&[f64]], own: [&[f64]; C]) {
    let mut sums = sums.map(Option::unwrap_or_default);
    let rows = sums[0].len();
    let mut factors = [[0.0; C]; PANEL];
    for (at, factors) in factors.iter_mut().take(left.len()).enumerate() {
        for c in 0..C {
            factors[c] = own[c][at];
        }
    }
    let pairs = rows / (2 * S::F64_LANES);
    let whole = pairs * 2 * S::F64_LANES;
    let mut registers: [&[S::f64s]; PANEL] = [&[]; PANEL];
    for (registers, column) in registers.iter_mut().zip(left) {
        *registers = &S::as_simd_f64s(&column[..whole]).0[..2 * pairs];
    }
    let registers = &registers[..left.len()];
    let lines = sums.each_mut().map(|column| &mut S::as_mut_simd_f64s(&mut column[..whole]).0[..2 * pairs]);
    for pair in 0..pairs {
        let (one, two) = (2 * pair, 2 * pair + 1);
        // Loops instead of maps over arrays, which are not inlined here.
        let mut low = [simd.splat_f64s(0.0); C];
        let mut high = low;
        for c in 0..C {
            (low[c], high[c]) = (lines[c][one], lines[c][two]);
        }
        for (column, factors) in registers.iter().zip(&factors) {
            let (a, b) = (column[one], column[two]);
            for c in 0..C {
                let factor = simd.splat_f64s(factors[c]);
                low[c] = simd.mul_add_e_f64s(a, factor, low[c]);
                high[c] = simd.mul_add_e_f64s(b, factor, high[c]);
            }
        }
        for c in 0..C {
            (lines[c][one], lines[c][two]) = (low[c], high[c]);
        }
    }
    for (c, sums) in sums.iter_mut().enumerate() {
        for (row, sum) in sums.iter_mut().enumerate().skip(whole) {
            for (column, factors) in left.iter().zip(&factors) {
                *sum += column[row] * factors[c];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::super::dense::{view, view_mut};
    use super::super::random::Noise;
    use super::symmetric_product;

    #[test]
    fn it_is_the_product_for_every_size_and_number_of_threads() {
        for (n, b) in [(1, 1), (5, 12), (24, 3), (25, 4), (280, 12), (777, 12), (1031, 7), (600, 13)] {
            let noise = Noise::seeded(n as u64).take(n * n);
            let half = DMatrix::from_iterator(n, n, noise);
            let matrix = &half + half.transpose();
            let block = DMatrix::from_iterator(n, b, Noise::seeded(2).take(n * b));
            let on = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                let mut out = DMatrix::from_element(n, b, f64::NAN);
                let mut scratch = vec![f64::NAN; 99];
                let pool = pool.build().expect("a pool");
                pool.install(|| {
                    let (matrix, block) = (view(&matrix), view(&block));
                    symmetric_product(view_mut(&mut out), matrix, block, &mut scratch);
                });
                out
            };
            let found = on(1);
            let error = (&found - &matrix * &block).amax();
            assert!(error < 1e-12 * n as f64, "{n} x {b}: {error}");
            assert!(found == on(3));
        }
    }
}
