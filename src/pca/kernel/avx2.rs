//! The tile for AVX2: `vpmaddwd` multiplies 16 numbers of 16 bits and adds the products by twos.
//!
//! (`vpmaddubsw` multiplies 32 bytes, but its 16-bit sums of two products saturate. Splitting the bytes into parts
//! small enough takes five instructions or so where this takes four.)

use std::arch::x86_64::*;

use super::Tile;
use super::panel::{Layout, Step, WIDTH};

const ROWS: usize = 6;
/// Registers of 8 columns each.
const REGISTERS: usize = 2;
const COLUMNS: usize = 8 * REGISTERS;

pub(super) const TILE: Tile = Tile {
    rows: ROWS,
    columns: COLUMNS,
    layout: Layout::Pairs,
    bias: 0,
    add,
    widen,
};

/// See [`Tile::add`].
#[target_feature(enable = "avx2")]
fn add(a: &[Step], row: usize, b: &[Step], column: usize, sums: &mut [i32]) {
    // The caller promises this; said here, the compiler leaves out the checks further down.
    assert!(row + ROWS <= WIDTH && column + COLUMNS <= WIDTH && sums.len() == ROWS * COLUMNS);
    let mut tile: [[__m256i; REGISTERS]; ROWS] =
        std::array::from_fn(|i| std::array::from_fn(|r| load(&sums[i * COLUMNS + r * 8..])));
    for (a, b) in a.iter().zip(b) {
        let b: [__m256i; REGISTERS] = std::array::from_fn(|r| load(&b.0[column + r * 8..]));
        for (line, &a) in tile.iter_mut().zip(&a.0[row..row + ROWS]) {
            let a = _mm256_set1_epi32(a.cast_signed());
            for (sum, b) in line.iter_mut().zip(b) {
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(a, b));
            }
        }
    }
    for (sums, &new) in sums
        .as_chunks_mut::<8>()
        .0
        .iter_mut()
        .zip(tile.as_flattened())
    {
        // SAFETY: `sums` is 8 numbers of 32 bits, as large as the register; alignment is not asked for.
        unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), new) }
    }
}

/// The first 8 numbers of 32 bits.
#[target_feature(enable = "avx2")]
#[inline]
fn load<T: bytemuck::Pod>(numbers: &[T]) -> __m256i {
    assert!(size_of::<T>() == 4 && numbers.len() >= 8);
    // SAFETY: there are 8 numbers of 32 bits, as many as the register holds; alignment is not asked for.
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
}

/// See [`Tile::widen`].
#[target_feature(enable = "avx2")]
fn widen(sums: &[i32], missing: i64, into: &mut [i64]) {
    super::widen(sums, missing, into);
}
