//! Inner products of tall columns in f64: `leftᵀ · right` of narrow blocks, which is most of what block Lanczos does.
//!
//! A general product packs its factors first. Where one of them is only twelve columns wide, that costs as much as the
//! product itself; and here both already lie in memory as they are read, column after column. So nothing is copied:
//! three columns are multiplied by four in registers, a stretch at a time that stays in the caches.
//!
//! Every sum is formed in the same order, whichever thread computes it and however many columns there are.

use super::views::{View, ViewMut, for_each_rows};
use pulp::Simd;

/// Columns of the left and of the right factor multiplied with one another in registers: twelve sums, and what
/// they are made of, fill the sixteen registers of AVX2.
pub(super) const LEFT: usize = 3;
pub(super) const RIGHT: usize = 4;
/// Rows at a time, and most columns of the right factor: 12 of 256, 24 KiB, stay in the first-level cache meanwhile.
const STRETCH: usize = 256;
const GROUP: usize = 12;
/// Columns of the left factor that one thread multiplies at a time.
const COLUMNS: usize = 8 * LEFT;

/// `out += leftᵀ · right`. Parallel over columns of `left`, the rows of `out`.
///
/// # Panics
/// If the sizes do not fit together.
pub fn par_add_inner_products(out: ViewMut<'_>, left: View<'_>, right: View<'_>) {
    for_each_rows(out, COLUMNS, &|first, out: ViewMut<'_>| {
        let left = left.columns(first, out.nrows());
        add_inner_products(out, left, right);
    });
}

/// `out += leftᵀ · right`, on one thread.
pub fn add_inner_products(out: ViewMut<'_>, left: View<'_>, right: View<'_>) {
    assert_eq!(left.nrows(), right.nrows());
    assert_eq!((out.nrows(), out.ncols()), (left.ncols(), right.ncols()));
    pulp::Arch::new().dispatch(Rows { out, left, right });
}

/// Some rows of the result. Compiled once for each instruction set.
struct Rows<'a> {
    out: ViewMut<'a>,
    left: View<'a>,
    right: View<'a>,
}

impl pulp::WithSimd for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { mut out, left, right } = self;
        let (left, right) = (columns(left), columns(right));
        let rows = left.first().map_or(0, |column| column.len());
        for from in (0..rows).step_by(STRETCH) {
            let to = rows.min(from + STRETCH);
            let left: Vec<&[f64]> = left.iter().map(|column| &column[from..to]).collect();
            let right: Vec<&[f64]> = right.iter().map(|column| &column[from..to]).collect();
            let (threes, rest) = left.as_chunks::<LEFT>();
            for (group, right) in right.chunks(GROUP).enumerate() {
                let mut out = out.columns_mut(group * GROUP, right.len());
                for (i, &three) in threes.iter().enumerate() {
                    add_lines(simd, out.rows_mut(i * LEFT, LEFT), three, right);
                }
                for (i, &one) in rest.iter().enumerate() {
                    let i = threes.len() * LEFT + i;
                    add_lines(simd, out.rows_mut(i, 1), [one], right);
                }
            }
        }
    }
}

/// The columns of a matrix, each as its rows in memory.
pub(super) fn columns(matrix: View<'_>) -> Vec<&[f64]> {
    (0..matrix.ncols()).map(|column| matrix.column(column)).collect()
}

/// Adds the inner products of some columns with all on the right to as many rows of the result.
#[inline(always)]
fn add_lines<S: Simd, const L: usize>(simd: S, mut out: ViewMut<'_>, left: [&[f64]; L], right: &[&[f64]]) {
    let (fours, rest) = right.as_chunks::<RIGHT>();
    for (j, &four) in fours.iter().enumerate() {
        let sums = tile(simd, left, four);
        for (l, sums) in sums.iter().enumerate() {
            for (r, sum) in sums.iter().enumerate() {
                out[(l, j * RIGHT + r)] += sum;
            }
        }
    }
    for (j, &one) in rest.iter().enumerate() {
        for (l, [sum]) in tile(simd, left, [one]).into_iter().enumerate() {
            out[(l, fours.len() * RIGHT + j)] += sum;
        }
    }
}

/// Inner products of a few columns with a few others.
#[inline(always)]
pub(super) fn tile<S: Simd, const L: usize, const R: usize>(
    simd: S,
    left: [&[f64]; L],
    right: [&[f64]; R],
) -> [[f64; R]; L] {
    let rows = left[0].len();
    let whole = rows / S::F64_LANES * S::F64_LANES;
    let registers = whole / S::F64_LANES;
    // Said here, the compiler leaves out the checks in the loop.
    let left_registers = left.map(|column| &S::as_simd_f64s(&column[..whole]).0[..registers]);
    let right_registers = right.map(|column| &S::as_simd_f64s(&column[..whole]).0[..registers]);
    let mut sums = [[simd.splat_f64s(0.0); R]; L];
    for i in 0..registers {
        let left: [S::f64s; L] = left_registers.map(|column| column[i]);
        for r in 0..R {
            let right = right_registers[r][i];
            for l in 0..L {
                sums[l][r] = simd.mul_add_e_f64s(left[l], right, sums[l][r]);
            }
        }
    }
    let registers = sums;
    let mut sums = [[0.0; R]; L];
    // Loops: a map over an array is not inlined here, and takes a third of the time.
    for (sums, registers) in sums.iter_mut().zip(registers) {
        for (sum, register) in sums.iter_mut().zip(registers) {
            *sum = simd.reduce_sum_f64s(register);
        }
    }
    for (sums, left) in sums.iter_mut().zip(left) {
        for (sum, right) in sums.iter_mut().zip(right) {
            for (a, b) in left[whole..].iter().zip(&right[whole..]) {
                *sum += a * b;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::super::dense;
    use super::super::random::Noise;
    use nalgebra::DMatrix;

    #[test]
    fn every_size_is_what_it_should_be_and_the_same_on_any_threads() {
        let sizes = [(0, 2, 3), (1, 1, 1), (7, 5, 3), (255, 25, 14), (600, 70, 4)];
        for (rows, left, right) in sizes {
            let of = |columns, seed| {
                let noise = Noise::seeded(seed).take(rows * columns);
                DMatrix::from_iterator(rows, columns, noise)
            };
            let (a, b) = (of(left, 1), of(right, 2));
            let on = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                let pool = pool.build().expect("a pool");
                pool.install(|| dense::inner_product(dense::view(&a), dense::view(&b)))
            };
            let found = on(1);
            assert!((&found - a.transpose() * &b).amax() < 1e-13 * (1.0 + rows as f64));
            assert!(found == on(3));
            // The same sums, whichever side a column stands on.
            let turned = dense::inner_product(dense::view(&b), dense::view(&a));
            assert!(found == turned.transpose());
        }
    }
}
