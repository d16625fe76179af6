//! Exact sums of products of bytes: the Gram matrix `XᵀX` and the covariance accumulator `XXᵀ`.
//!
//! Faces are gray images of 8 bits, so every entry of either matrix is a sum of products of two bytes: a whole number,
//! found here without any rounding. Whole numbers may be added in any order, so the result is the same bit for bit for
//! any [`Kernel`], any number of threads and any split of the faces into chunks. Centring comes later, in `f64`.
//!
//! How it is fast (the scheme is that of Goto & van de Geijn, *Anatomy of high-performance matrix multiplication*,
//! ACM TOMS 34(3), 2008):
//! - `panel` copies 48 vectors at a time into an interleaved, zero-padded, aligned layout, which turns both products
//!   into the same loop, free of tails and of horizontal sums;
//! - `blocked` walks the upper triangle in blocks that fit the caches, one task of rayon for each block of the result;
//! - a `Tile` (one file for each instruction set) adds a handful of rows times a handful of columns in registers.
//!
//! This is the only module of the crate that contains `unsafe`.

#![allow(unsafe_code)]

mod blocked;
mod panel;
mod portable;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx_vnni;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use rayon::prelude::*;

use super::Columns;
use panel::Vectors;

/// Which instruction set does the sums. All give the same bits; they differ only in speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kernel {
    /// Plain Rust for any processor.
    Portable,
    /// x86-64 with AVX2: products of 16-bit numbers, 16 at a time.
    Avx2,
    /// x86-64 with AVX-VNNI: products of bytes, 32 at a time.
    AvxVnni,
    /// x86-64 with AVX-512 VNNI: products of bytes, 64 at a time.
    Avx512Vnni,
}

impl Kernel {
    /// Every kernel this program knows, slowest first.
    const ALL: [Kernel; 4] = [Kernel::Portable, Kernel::Avx2, Kernel::AvxVnni, Kernel::Avx512Vnni];

    /// The kernels this processor can run, slowest first. Never empty.
    pub fn available() -> Vec<Kernel> {
        Self::ALL.into_iter().filter(|kernel| kernel.is_available()).collect()
    }

    /// The fastest kernel this processor can run, found once.
    pub fn best() -> Kernel {
        static BEST: OnceLock<Kernel> = OnceLock::new();
        *BEST.get_or_init(|| {
            Self::ALL.into_iter().rev().find(|kernel| kernel.is_available()).unwrap_or(Kernel::Portable)
        })
    }

    /// Can this processor run it? (The standard library remembers the answer.)
    pub fn is_available(self) -> bool {
        match self {
            Kernel::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Kernel::AvxVnni => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni"),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Vnni => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vnni")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The name people know it by.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Portable => "portable",
            Kernel::Avx2 => "AVX2",
            Kernel::AvxVnni => "AVX-VNNI",
            Kernel::Avx512Vnni => "AVX-512 VNNI",
        }
    }

    /// The tile that does the sums: the portable one if this processor lacks the instructions asked for.
    fn tile(self) -> Tile {
        if !self.is_available() {
            return portable::TILE;
        }
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => avx2::TILE,
            #[cfg(target_arch = "x86_64")]
            Kernel::AvxVnni => avx_vnni::TILE,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Vnni => avx512::TILE,
            _ => portable::TILE,
        }
    }
}

/// The kernel of an instruction set: a small rectangle of the result, summed in registers.
#[derive(Clone, Copy)]
struct Tile {
    /// Rows of the rectangle; divides [`panel::WIDTH`].
    rows: usize,
    /// Columns of the rectangle; divides [`panel::WIDTH`].
    columns: usize,
    /// The layout it reads.
    layout: panel::Layout,
    /// The number subtracted from each byte of the columns before multiplying (VNNI multiplies unsigned bytes by signed
    /// ones): `bias` times the sum of the row is missing from its sums.
    bias: i64,
    /// Adds to the sums, row after row, the products of rows `row..` of `a` and columns `column..` of `b`, as long.
    ///
    /// # Safety
    /// The processor has the tile's instructions.
    add: unsafe fn(a: &[panel::Step], row: usize, b: &[panel::Step], column: usize, sums: &mut [i32]),
    /// [`widen`], compiled for these instructions.
    ///
    /// # Safety
    /// The processor has the tile's instructions.
    widen: unsafe fn(sums: &[i32], missing: i64, into: &mut [i64]),
}

/// Adds 32-bit sums, and to each of them what is missing, to 64-bit ones.
#[inline(always)]
fn widen(sums: &[i32], missing: i64, into: &mut [i64]) {
    for (entry, &sum) in into.iter_mut().zip(sums) {
        *entry += i64::from(sum) + missing;
    }
}

/// The table handed in has the wrong size for the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a table of {given} sums was given where {needed} are needed; make it anew for this number of pixels and faces"
)]
pub struct WrongTable {
    /// Sums it should hold.
    pub needed: usize,
    /// Sums it holds.
    pub given: usize,
}

/// A table of `side` x `side` sums, all zero, in memory that was written to. Fresh memory that is read first is a page of
/// zeros that all share, and replacing it at the first write interrupts every core: that took a sixth of a fit.
pub fn zeros(side: usize) -> Vec<i64> {
    const PAGE: usize = 4096 / size_of::<i64>();
    let mut table = vec![0; side * side];
    table.par_chunks_mut(PAGE).with_min_len(64).for_each(|page| page[0] = 0);
    table
}

/// Adds the uncentred Gram matrix `XᵀX` of the n columns: `into[i * n + j] += Σₚ X[p, i] X[p, j]` for `i <= j`.
///
/// Only the upper triangle (row-major) is touched.
///
/// # Errors
/// [`WrongTable`] unless `into` holds n x n sums.
pub fn accumulate_gram(columns: Columns<'_>, kernel: Kernel, into: &mut [i64]) -> Result<(), WrongTable> {
    accumulate(Vectors::Columns(columns), kernel, into)
}

/// Adds the uncentred covariance accumulator `XXᵀ` of d pixels x n faces: `into[p * d + q] += Σⱼ X[p, j] X[q, j]` for
/// `p <= q`. Chunks of faces may be added one after the other, in any order: the sum is exact.
///
/// Only the upper triangle (row-major) is touched.
///
/// # Errors
/// [`WrongTable`] unless `into` holds d x d sums.
pub fn accumulate_covariance(columns: Columns<'_>, kernel: Kernel, into: &mut [i64]) -> Result<(), WrongTable> {
    accumulate(Vectors::Rows(columns), kernel, into)
}

fn accumulate(vectors: Vectors<'_>, kernel: Kernel, into: &mut [i64]) -> Result<(), WrongTable> {
    check(into, vectors.count().saturating_mul(vectors.count()))?;
    add(vectors, kernel, into);
    Ok(())
}

fn add(vectors: Vectors<'_>, kernel: Kernel, into: &mut [i64]) {
    // One entry into the thread pool instead of one for every parallel step.
    rayon::scope(|_| blocked::accumulate(vectors, kernel.tile(), into));
}

/// Adds the sum of each of the d rows: `into[p] += Σⱼ X[p, j]`. Divided by n it is the mean face.
///
/// # Errors
/// [`WrongTable`] unless `into` holds d sums.
pub fn accumulate_row_sums(columns: Columns<'_>, into: &mut [i64]) -> Result<(), WrongTable> {
    check(into, columns.length())?;
    for column in columns.iter() {
        for (sum, &byte) in into.iter_mut().zip(column) {
            *sum += i64::from(byte);
        }
    }
    Ok(())
}

/// `XᵀX` of the n columns, n x n, both triangles.
pub(crate) fn gram(columns: Columns<'_>) -> Vec<i64> {
    let n = columns.count();
    let mut table = zeros(n);
    add(Vectors::Columns(columns), Kernel::best(), &mut table);
    mirror_upper(&mut table, n);
    table
}

/// Copies the upper triangle of a row-major table of `side` x `side` sums onto the lower one.
pub(crate) fn mirror_upper(table: &mut [i64], side: usize) {
    blocked::mirror_upper(table, side, 0);
}

fn check(table: &[i64], needed: usize) -> Result<(), WrongTable> {
    let given = table.len();
    if given == needed { Ok(()) } else { Err(WrongTable { needed, given }) }
}
