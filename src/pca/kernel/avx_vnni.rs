//! The tile for AVX-VNNI: `vpdpbusd` on registers of 32 bytes.

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
    layout: Layout::Quads,
    bias: 128,
    add,
    widen,
};

/// See [`Tile::add`].
#[target_feature(enable = "avx2,avxvnni")]
fn add(a: &[Step], row: usize, b: &[Step], column: usize, sums: &mut [i32]) {
    // The caller promises this; said here, the compiler leaves out the checks further down.
    assert!(row + ROWS <= WIDTH && column + COLUMNS <= WIDTH && sums.len() == ROWS * COLUMNS);
    // One factor is taken as unsigned, the other as signed: flipping the top bit subtracts 128.
    let flip = _mm256_set1_epi8(i8::MIN);
    let mut tile: [[__m256i; REGISTERS]; ROWS] =
        std::array::from_fn(|i| std::array::from_fn(|r| load(&sums[i * COLUMNS + r * 8..])));
    for (a, b) in a.iter().zip(b) {
        let b: [__m256i; REGISTERS] =
            std::array::from_fn(|r| _mm256_xor_si256(load(&b.0[column + r * 8..]), flip));
        for (line, &a) in tile.iter_mut().zip(&a.0[row..row + ROWS]) {
            let a = _mm256_set1_epi32(a.cast_signed());
            for (sum, b) in line.iter_mut().zip(b) {
                *sum = _mm256_dpbusd_avx_epi32(*sum, a, b);
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
#[target_feature(enable = "avx2,avxvnni")]
#[inline]
fn load<T: bytemuck::Pod>(numbers: &[T]) -> __m256i {
    assert!(size_of::<T>() == 4 && numbers.len() >= 8);
    // SAFETY: there are 8 numbers of 32 bits, as many as the register holds; alignment is not asked for.
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
}

/// See [`Tile::widen`].
#[target_feature(enable = "avx2,avxvnni")]
fn widen(sums: &[i32], missing: i64, into: &mut [i64]) {
    super::widen(sums, missing, into);
}
