//! The tile for any processor: single-precision numbers, which every compiler knows how to vectorise.
//!
//! Whole numbers up to 2²⁴ are exact in `f32`. A tile adds at most 128 steps of one byte each, so that its sums are at
//! most 128 * 255² = 8,323,200; then they are turned into integers.

use super::blocked::STEPS;
use super::panel::{Layout, Step, WIDTH};
use super::{Tile, widen};

const ROWS: usize = 6;
const COLUMNS: usize = 8;

const _: () = assert!(STEPS * 255 * 255 <= 1 << f32::MANTISSA_DIGITS);

pub(super) const TILE: Tile = Tile { rows: ROWS, columns: COLUMNS, layout: Layout::Singles, bias: 0, add, widen };

/// See [`Tile::add`].
fn add(a: &[Step], row: usize, b: &[Step], column: usize, sums: &mut [i32]) {
    // The caller promises this; said here, the compiler leaves out the checks further down.
    assert!(row + ROWS <= WIDTH && column + COLUMNS <= WIDTH && a.len() <= STEPS);
    let mut tile = [[0f32; COLUMNS]; ROWS];
    for (a, b) in a.iter().zip(b) {
        for (line, &a) in tile.iter_mut().zip(&a.0[row..row + ROWS]) {
            for (sum, &b) in line.iter_mut().zip(&b.0[column..column + COLUMNS]) {
                *sum = multiply_add(f32::from_bits(a), f32::from_bits(b), *sum);
            }
        }
    }
    for (sum, &new) in sums.iter_mut().zip(tile.as_flattened()) {
        *sum += new as i32;
    }
}

/// Exact either way: one instruction where the processor is sure to have it.
#[inline(always)]
fn multiply_add(a: f32, b: f32, sum: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) { a.mul_add(b, sum) } else { a * b + sum }
}
