#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
#![forbid(unsafe_code)]

// Work compiled for the vector instructions of the machine that it runs on.
//
// Closures given to `pulp` itself are called by way of `FnOnce`; those that only borrow are no `FnOnce` of their own,
// and what stands between was seen not to be inlined: their loops then ran on half as wide registers. Here they are
// called as what they are. Give them `#[inline(always)]`.

use pulp::{Arch, Simd, WithSimd};

/// Does work that changes nothing.
pub fn vectorised<R>(work: impl Fn() -> R) -> R {
    Arch::new().dispatch(Reading(work))
}

/// Does work that changes what it borrows.
pub fn vectorised_mut<R>(work: impl FnMut() -> R) -> R {
    Arch::new().dispatch(Changing(work))
}

/// The whole part of a number from 0 to below 2^22.
///
/// A cast is taken apart into one for each number, since it looks after every number. After adding 2^23 the last bits of
/// the number are the nearest whole one, which vector registers do at once.
#[inline(always)]
pub fn whole(number: f32) -> u32 {
    const SHIFT: f32 = (1 << 23) as f32;
    let nearest = number + SHIFT;
    (nearest.to_bits() & 0x7f_ffff) - u32::from(nearest - SHIFT > number)
}

/// Σ (a - b)² of 8-bit values, exactly.
pub fn squared_distance(a: &[u8], b: &[u8]) -> u64 {
    /// Maximum number of squared differences of 8-bit numbers whose sum fits 31 bits.
    const BLOCK: usize = 1 << 15;
    vectorised(
        #[inline(always)]
        || {
            let blocks = a.chunks(BLOCK).zip(b.chunks(BLOCK));
            blocks
                .map(|(a, b)| {
                    let squares = a.iter().zip(b).map(|(&a, &b)| {
                        // 16 bits hold a difference: products of neighbours are added in one instruction.
                        let difference = i32::from(i16::from(a) - i16::from(b));
                        difference * difference
                    });
                    squares.sum::<i32>() as u64
                })
                .sum()
        },
    )
}

/// Σ a b of 8-bit values, exactly.
pub fn inner_product(a: &[u8], b: &[u8]) -> i64 {
    /// Maximum number of products of 8-bit numbers whose sum fits 32 bits.
    const BLOCK: usize = 1 << 16;
    vectorised(
        #[inline(always)]
        || {
            let blocks = a.chunks(BLOCK).zip(b.chunks(BLOCK));
            blocks
                .map(|(a, b)| {
                    let products = a.iter().zip(b).map(|(&a, &b)| u32::from(a) * u32::from(b));
                    i64::from(products.sum::<u32>())
                })
                .sum()
        },
    )
}

/// Sums that [`products_in_lanes`] forms side by side.
const LANES: usize = 16;

/// Σ a b between each of some rows and each of some columns, all of one length, in single precision: in sixteen sums side by
/// side, added up in `f64` one after the other. A pair has the same bits however many are taken at once, on any machine.
///
/// # Panics
/// If one is shorter than the first row.
pub fn products_in_lanes<const R: usize, const C: usize>(rows: [&[f32]; R], columns: [&[f32]; C]) -> [[f64; C]; R] {
    Arch::new().dispatch(ProductsInLanes { rows, columns })
}

struct ProductsInLanes<'a, const R: usize, const C: usize> {
    rows: [&'a [f32]; R],
    columns: [&'a [f32]; C],
}

impl<const R: usize, const C: usize> WithSimd for ProductsInLanes<'_, R, C> {
    type Output = [[f64; C]; R];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [[f64; C]; R] {
        let Self { rows, columns } = self;
        let whole = rows.first().map_or(0, |row| row.len() / LANES * LANES);
        let count = whole / S::F32_LANES;
        let row_registers = rows.map(|row| &S::as_simd_f32s(&row[..whole]).0[..count]);
        let column_registers = columns.map(|column| &S::as_simd_f32s(&column[..whole]).0[..count]);
        // Where the sixteen take several registers, one is summed after the other: so those of all pairs stay in registers.
        let stride = LANES / S::F32_LANES;
        let mut lanes = [[[0.0_f32; LANES]; C]; R];
        for part in 0..stride {
            let mut sums = [[simd.splat_f32s(0.0); C]; R];
            for at in (part..count).step_by(stride) {
                for c in 0..C {
                    let column = column_registers[c][at];
                    for r in 0..R {
                        let product = simd.mul_f32s(row_registers[r][at], column);
                        sums[r][c] = simd.add_f32s(sums[r][c], product);
                    }
                }
            }
            for r in 0..R {
                for c in 0..C {
                    S::as_mut_simd_f32s(&mut lanes[r][c]).0[part] = sums[r][c];
                }
            }
        }
        let mut products = [[0.0; C]; R];
        for r in 0..R {
            for c in 0..C {
                let rest = rows[r][whole..].iter().zip(&columns[c][whole..]);
                let rest: f64 = rest.map(|(a, b)| f64::from(a * b)).sum();
                products[r][c] = lanes[r][c].iter().map(|&sum| f64::from(sum)).sum::<f64>() + rest;
            }
        }
        products
    }
}

struct Reading<F>(F);

impl<R, F: Fn() -> R> WithSimd for Reading<F> {
    type Output = R;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> R {
        (self.0)()
    }
}

struct Changing<F>(F);

impl<R, F: FnMut() -> R> WithSimd for Changing<F> {
    type Output = R;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> R {
        (self.0)()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_parts_are_those_of_a_cast() {
        for at in 0..40_000_u16 {
            let number = f32::from(at) / 64.0;
            assert_eq!(whole(number), number as u32, "{number}");
        }
        for number in [0.0, 0.999_999_94, 1.5, 2.5, 255.999_98, 4_194_303.5] {
            assert_eq!(whole(number), number as u32, "{number}");
        }
    }

    #[test]
    fn inner_products_are_exact_up_to_the_largest_face() {
        let white = vec![255; 1_000_000];
        assert_eq!(inner_product(&white, &white), 65_025_000_000);
        assert_eq!(inner_product(&[1, 2, 3], &[4, 5, 6]), 32);
    }

    #[test]
    fn a_product_in_lanes_has_the_same_bits_alone_and_among_others() {
        for length in [0, 5, 16, 53, 512] {
            let vectors: Vec<Vec<f32>> = (0..5)
                .map(|seed| (0..length).map(|at| ((at * 37 + seed * 11) % 101) as f32 / 7.0 - 6.0).collect())
                .collect();
            let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|at| vectors[at].as_slice());
            let together = products_in_lanes([a, b], [c, d, e]);
            for (row, products) in [a, b].into_iter().zip(together) {
                for (column, product) in [c, d, e].into_iter().zip(products) {
                    let mut lanes = [0.0_f32; LANES];
                    let (whole, rest) = row.split_at(length / LANES * LANES);
                    for (at, a) in whole.iter().enumerate() {
                        lanes[at % LANES] += a * column[at];
                    }
                    let rest = rest.iter().zip(&column[whole.len()..]);
                    let rest: f64 = rest.map(|(a, b)| f64::from(a * b)).sum();
                    let expected = lanes.iter().map(|&sum| f64::from(sum)).sum::<f64>() + rest;
                    assert_eq!(product.to_bits(), expected.to_bits(), "{length}");
                    assert_eq!(products_in_lanes([row], [column]), [[product]]);
                }
            }
        }
    }

    #[test]
    fn squares_of_the_largest_differences_do_not_overflow() {
        for pixels in [0, 1, 31, 100_003] {
            let (dark, bright) = (vec![0; pixels], vec![255; pixels]);
            assert_eq!(squared_distance(&dark, &bright), 65_025 * pixels as u64);
        }
        assert_eq!(squared_distance(&[3, 250, 0], &[250, 3, 7]), 2 * 247 * 247 + 49);
    }
}
