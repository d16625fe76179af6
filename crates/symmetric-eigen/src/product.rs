//! General dense products in f32 and f64.
//!
//! Two registers of rows times six columns are summed in registers (the tile of BLIS for 16 registers: F. Van Zee & R. van
//! de Geijn, ACM Trans. Math. Softw. 41, 2015); the rows of the left factor are packed so that they come from the
//! first-level cache. Each sum runs in one order over stretches of [`DEPTH`], whoever computes it.

use nalgebra::Scalar;
use pulp::Simd;

use super::views::{View, ViewMut, for_each_rows};

/// Columns of the result that are summed in registers.
const WIDTH: usize = 6;
/// Terms summed in registers before they are added to the result: 16 rows of them fill the first-level cache.
const DEPTH: usize = 256;
/// Rows of a product computed by one thread at a time.
const ROW_BLOCK: usize = 128;
/// Lanes of the widest tile: two registers of 512 bits of f32.
const MOST_ROWS: usize = 32;

/// A number that vector registers hold.
pub trait Number: Scalar + Copy + Default + Send + Sync {
    /// A register of such numbers.
    type Register<S: Simd>: Copy;
    /// Numbers as registers, and what is left at the end.
    fn registers<S: Simd>(numbers: &[Self]) -> (&[Self::Register<S>], &[Self]);
    /// As [`registers`](Self::registers), to write.
    fn registers_mut<S: Simd>(numbers: &mut [Self]) -> (&mut [Self::Register<S>], &mut [Self]);
    /// A register of one number.
    fn splat<S: Simd>(simd: S, number: Self) -> Self::Register<S>;
    /// `a b + c`, fused where the machine can.
    fn multiply_add<S: Simd>(
        simd: S,
        a: Self::Register<S>,
        b: Self::Register<S>,
        c: Self::Register<S>,
    ) -> Self::Register<S>;
}

macro_rules! number {
    ($number:ty, $register:ident, $as_simd:ident, $as_mut_simd:ident, $splat:ident, $mul_add:ident) => {
        impl Number for $number {
            type Register<S: Simd> = S::$register;

            #[inline(always)]
            fn registers<S: Simd>(numbers: &[Self]) -> (&[S::$register], &[Self]) {
                S::$as_simd(numbers)
            }

            #[inline(always)]
            fn registers_mut<S: Simd>(numbers: &mut [Self]) -> (&mut [S::$register], &mut [Self]) {
                S::$as_mut_simd(numbers)
            }

            #[inline(always)]
            fn splat<S: Simd>(simd: S, number: Self) -> S::$register {
                simd.$splat(number)
            }

            #[inline(always)]
            fn multiply_add<S: Simd>(simd: S, a: S::$register, b: S::$register, c: S::$register) -> S::$register {
                simd.$mul_add(a, b, c)
            }
        }
    };
}

number!(f32, f32s, as_simd_f32s, as_mut_simd_f32s, splat_f32s, mul_add_e_f32s);
number!(f64, f64s, as_simd_f64s, as_mut_simd_f64s, splat_f64s, mul_add_e_f64s);

/// `out += alpha · left · right`. Parallel over row blocks of `out`.
///
/// # Panics
/// If the sizes do not fit together.
pub fn par_add_product<T: Number>(out: ViewMut<'_, T>, left: View<'_, T>, right: View<'_, T>, alpha: T) {
    for_each_rows(out, ROW_BLOCK, &|first, out: ViewMut<'_, T>| {
        let rows = out.nrows();
        add_product(out, left.rows(first, rows), right, alpha);
    });
}

/// As [`par_add_product`], on one thread: for callers that have split the work themselves.
///
/// # Panics
/// If the sizes do not fit together.
pub fn add_product<T: Number>(out: ViewMut<'_, T>, left: View<'_, T>, right: View<'_, T>, alpha: T) {
    assert_eq!(left.ncols(), right.nrows());
    assert_eq!((out.nrows(), out.ncols()), (left.nrows(), right.ncols()));
    pulp::Arch::new().dispatch(Product { out, left, right, alpha });
}

/// A product on one thread. Compiled once for each instruction set.
struct Product<'a, T: Number> {
    out: ViewMut<'a, T>,
    left: View<'a, T>,
    right: View<'a, T>,
    alpha: T,
}

impl<T: Number> pulp::WithSimd for Product<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { mut out, left, right, alpha } = self;
        let alpha = T::splat(simd, alpha);
        let height = 2 * size_of::<T::Register<S>>() / size_of::<T>();
        let mut packed = vec![T::default(); height * DEPTH.min(left.ncols())];
        for from in (0..left.ncols()).step_by(DEPTH) {
            let depth = DEPTH.min(left.ncols() - from);
            for top in (0..left.nrows()).step_by(height) {
                let rows = height.min(left.nrows() - top);
                let left = left.columns(from, depth).rows(top, rows);
                for (term, packed) in packed.chunks_exact_mut(height).take(depth).enumerate() {
                    packed[..rows].copy_from_slice(left.column(term));
                    packed[rows..].fill(T::default());
                }
                let (left, _) = T::registers::<S>(&packed[..height * depth]);
                let mut out = out.rows_mut(top, rows);
                for first in (0..right.ncols()).step_by(WIDTH) {
                    let width = WIDTH.min(right.ncols() - first);
                    let factors: [&[T]; WIDTH] = std::array::from_fn(|column| {
                        let column = right.column(first + column.min(width - 1));
                        &column[from..from + depth]
                    });
                    let sums = tile(simd, left, factors);
                    for (column, sums) in sums.iter().enumerate().take(width) {
                        let mut out = out.column_mut(first + column);
                        add(simd, out.as_mut_slice(), *sums, alpha);
                    }
                }
            }
        }
    }
}

/// Sums over all terms: two registers of the left factor for each, times a number of each column.
#[inline(always)]
fn tile<S: Simd, T: Number>(simd: S, left: &[T::Register<S>], right: [&[T]; WIDTH]) -> [[T::Register<S>; 2]; WIDTH] {
    let terms = left.len() / 2;
    let right = right.map(|column| &column[..terms]);
    let mut sums = [[T::splat(simd, T::default()); 2]; WIDTH];
    for (term, pair) in left.chunks_exact(2).enumerate() {
        for column in 0..WIDTH {
            let factor = T::splat(simd, right[column][term]);
            sums[column][0] = T::multiply_add(simd, pair[0], factor, sums[column][0]);
            sums[column][1] = T::multiply_add(simd, pair[1], factor, sums[column][1]);
        }
    }
    sums
}

/// Adds `alpha` times the sums to rows of a column, of which there may be fewer.
#[inline(always)]
fn add<S: Simd, T: Number>(simd: S, out: &mut [T], sums: [T::Register<S>; 2], alpha: T::Register<S>) {
    let height = 2 * size_of::<T::Register<S>>() / size_of::<T>();
    let mut padded = [T::default(); MOST_ROWS];
    let whole = out.len() == height;
    let rows = if whole {
        &mut *out
    } else {
        padded[..out.len()].copy_from_slice(out);
        &mut padded[..height]
    };
    let (registers, _) = T::registers_mut::<S>(rows);
    for (register, sum) in registers.iter_mut().zip(sums) {
        *register = T::multiply_add(simd, sum, alpha, *register);
    }
    if !whole {
        out.copy_from_slice(&padded[..out.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::Noise;
    use super::super::views::{columns, view, view_mut};
    use super::*;
    use nalgebra::DMatrix;

    #[test]
    fn every_size_is_what_it_should_be_and_the_same_on_any_threads() {
        let sizes = [(0, 2, 3), (1, 1, 1), (7, 0, 3), (7, 5, 0), (33, 300, 13), (400, 70, 6)];
        for (rows, depth, width) in sizes {
            let of = |rows, columns, seed| {
                let noise = Noise::seeded(seed).take(rows * columns);
                DMatrix::from_iterator(rows, columns, noise)
            };
            let (a, b, c) = (of(rows, depth, 1), of(depth, width, 2), of(rows, width, 3));
            let on = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                let mut out = c.clone();
                pool.build().expect("a pool").install(|| {
                    par_add_product(view_mut(&mut out), view(&a), view(&b), -0.5);
                });
                out
            };
            let found = on(1);
            let off = &found - (&c - &a * &b * 0.5);
            assert!(off.iter().all(|x| x.abs() < 1e-13 * (1.0 + depth as f64)));
            assert!(found == on(3));
        }
    }

    #[test]
    fn single_precision_and_parts_of_a_matrix() {
        let a: Vec<f32> = (0..60).map(|x| x as f32).collect();
        let b: Vec<f32> = (0..20).map(|x| (x % 7) as f32).collect();
        let mut out = DMatrix::<f32>::zeros(9, 2);
        // Columns 1 to 4 and rows 1 to 9 of a 10 x 6 matrix, rows 1 to 4 of a 10 x 2 one.
        let (left, right) = (columns(&a, 10).columns(1, 4).rows(1, 9), columns(&b, 10).rows(1, 4));
        add_product(view_mut(&mut out), left, right, 2.0);
        let (a, b) = (DMatrix::from_vec(10, 6, a), DMatrix::from_vec(10, 2, b));
        assert_eq!(out, a.view((1, 1), (9, 4)) * b.rows(1, 4) * 2.0);
    }
}
