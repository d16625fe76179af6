//! The blocked walk over the upper triangle, the same for every instruction set.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::Tile;
use super::panel::{Panel, Step, Vectors, WIDTH};

/// Steps added at once: the 128 steps of a panel take 24 KiB and stay in the first-level cache.
pub(super) const STEPS: usize = 128;

/// Most bytes of a vector summed before the 32-bit sums are widened.
const LONGEST_STRETCH: usize = 16_384;

// 32 bits hold 33,025 products of two bytes, or 65,793 where one of them is less 128.
const _: () = assert!(LONGEST_STRETCH * 255 * 255 <= i32::MAX as usize);

/// Sums in the square where a panel of rows meets a panel of columns.
pub(super) const SQUARE: usize = WIDTH * WIDTH;

/// A rectangle of the result, owned by one task.
struct Block<'a> {
    /// First row and first column, in panels.
    first: (usize, usize),
    /// The part of each row of the result that lies in the rectangle.
    rows: Vec<&'a mut [i64]>,
}

/// Adds the inner products of the vectors with one another to the upper triangle of `into`, a row-major square.
pub(super) fn accumulate(vectors: Vectors<'_>, tile: Tile, into: &mut [i64]) {
    let (count, length) = (vectors.count(), vectors.length());
    if count == 0 || length == 0 {
        return;
    }
    let width = count.div_ceil(WIDTH);
    let mut panels: Vec<Panel> = (0..width).map(|_| Panel::new()).collect();
    let side = block_side(width);
    let mut blocks = cut(into, count, side);
    let stretch = stretch(count, length);
    for from in (0..length).step_by(stretch) {
        let to = length.min(from + stretch);
        panels.par_iter_mut().enumerate().with_max_len(1).for_each(|(index, panel)| {
            panel.fill(vectors, index * WIDTH, from..to, tile.layout);
        });
        blocks.par_iter_mut().with_max_len(1).for_each(|block| add_block(block, &panels, side, tile));
    }
}

/// Side of a block in panels: large, to reuse what it reads, but small enough to keep every thread busy to the end.
fn block_side(panels: usize) -> usize {
    let enough = 16 * rayon::current_num_threads();
    let blocks = |side: usize| panels.div_ceil(side) * (panels.div_ceil(side) + 1) / 2;
    [4, 2].into_iter().find(|&side| blocks(side) >= enough).unwrap_or(1)
}

/// Bytes of each vector to take at a time. Long stretches fill much fresh memory with panels, short ones go over the
/// results often; the two costs together are least near the square root of count x length.
fn stretch(count: usize, length: usize) -> usize {
    let best = count.saturating_mul(length).isqrt().clamp(2048, LONGEST_STRETCH);
    // Equal stretches, of whole groups of steps.
    length.div_ceil(length.div_ceil(best)).next_multiple_of(64)
}

/// Cuts the upper triangle into square blocks of `side` x `side` panels.
fn cut(into: &mut [i64], count: usize, side: usize) -> Vec<Block<'_>> {
    let width = side * WIDTH;
    let mut blocks = Vec::new();
    for (band, rows) in into.chunks_mut(width * count).enumerate() {
        let from = blocks.len();
        let block = |column| Block { first: (band * side, column * side), rows: Vec::with_capacity(width) };
        blocks.extend((band..count.div_ceil(width)).map(block));
        for row in rows.chunks_mut(count) {
            for (block, part) in blocks[from..].iter_mut().zip(row[band * width..].chunks_mut(width)) {
                block.rows.push(part);
            }
        }
    }
    blocks
}

/// Adds the products of the panels' present stretch to one block.
fn add_block(block: &mut Block<'_>, panels: &[Panel], side: usize, tile: Tile) {
    let (first_row, first_column) = block.first;
    let rows = &panels[first_row..panels.len().min(first_row + side)];
    let columns = &panels[first_column..panels.len().min(first_column + side)];
    let mut sums = vec![0; rows.len() * columns.len() * SQUARE];
    // Every square of the block: its place in panels, what is wanted of it and its sums.
    let places = (0..columns.len()).flat_map(|c| (0..rows.len()).map(move |r| (r, c)));
    let mut squares: Vec<_> = places
        .zip(sums.chunks_exact_mut(SQUARE))
        .filter_map(|((r, c), sums)| Some((r, c, Shape::of(first_row + r, first_column + c)?, sums)))
        .collect();

    // The last panels may hold fewer vectors; the tiles beyond are nobody's.
    let (height, width) = (block.rows.len(), block.rows.first().map_or(0, |row| row.len()));
    let size = |r: usize, c: usize| (height - r * WIDTH, width - c * WIDTH);

    let steps = rows[0].steps.len();
    for start in (0..steps).step_by(STEPS) {
        let range = start..steps.min(start + STEPS);
        for (r, c, part, sums) in &mut squares {
            let (a, b) = (&rows[*r].steps[range.clone()], &columns[*c].steps[range.clone()]);
            let (down, across) = size(*r, *c);
            add_square((a, down), (b, across), *part, tile, sums);
        }
    }
    for (r, c, part, sums) in squares {
        let result = block.rows[r * WIDTH..].iter_mut().take(WIDTH).filter_map(|row| row.get_mut(c * WIDTH..));
        widen_square(sums, &rows[r], part, tile, result);
    }
}

/// The entries of a square block that are computed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Whole,
    UpperTriangle,
}

impl Shape {
    /// The entries computed of the block in this row and column of panels.
    fn of(row: usize, column: usize) -> Option<Shape> {
        match row.cmp(&column) {
            Ordering::Less => Some(Shape::Whole),
            Ordering::Equal => Some(Shape::UpperTriangle),
            Ordering::Greater => None,
        }
    }
}

/// Adds the products of two panels to the sums of a square, tile after tile. With each: how many vectors, or more, count.
pub(super) fn add_square(
    (a, rows): (&[Step], usize),
    (b, columns): (&[Step], usize),
    part: Shape,
    tile: Tile,
    sums: &mut [i32],
) {
    let mut tiles = sums.chunks_exact_mut(tile.rows * tile.columns);
    for column in (0..WIDTH).step_by(tile.columns) {
        for (row, sums) in (0..WIDTH).step_by(tile.rows).zip(&mut tiles) {
            let below = part == Shape::UpperTriangle && row >= column + tile.columns;
            if below || row >= rows || column >= columns {
                continue;
            }
            // SAFETY: `Kernel::tile` gives a tile only if the processor has its instructions.
            unsafe { (tile.add)(a, row, b, column, sums) }
        }
    }
}

/// Adds a square of 32-bit sums, with what the tile's bias left out, to the rows of the result.
fn widen_square<'a>(sums: &[i32], panel: &Panel, part: Shape, tile: Tile, result: impl Iterator<Item = &'a mut [i64]>) {
    let tiles_down = WIDTH / tile.rows;
    for (i, result) in result.enumerate() {
        let missing = tile.bias * panel.sums[i];
        for (across, result) in result.chunks_mut(tile.columns).take(WIDTH / tile.columns).enumerate() {
            let line = (across * tiles_down + i / tile.rows) * tile.rows + i % tile.rows;
            let line = &sums[line * tile.columns..][..result.len()];
            // On the diagonal, what lies below it is left alone.
            let skip = match part {
                Shape::Whole => 0,
                Shape::UpperTriangle => i.saturating_sub(across * tile.columns).min(line.len()),
            };
            // SAFETY: `Kernel::tile` gives a tile only if the processor has its instructions.
            unsafe { (tile.widen)(&line[skip..], missing, &mut result[skip..]) }
        }
    }
}

/// Copies the upper triangle onto the lower, of a square on the diagonal of a table of `side` columns: `rows` are the rows
/// of the table from `first` on, and the square is as many of its columns from `first` on.
pub(super) fn mirror_upper(rows: &mut [i64], side: usize, first: usize) {
    /// Rows and columns copied at a time: both sides stay in the cache.
    const SQUARE: usize = 32;
    let count = rows.len() / side.max(1);
    if count <= SQUARE {
        for i in 1..count {
            for j in 0..i {
                rows[i * side + first + j] = rows[j * side + first + i];
            }
        }
        return;
    }
    let half = (count / 2).next_multiple_of(SQUARE);
    let (top, bottom) = rows.split_at_mut(half * side);
    bottom.par_chunks_mut(SQUARE * side).enumerate().for_each(|(band, rows)| {
        let across = first + half + band * SQUARE;
        for left in (0..half).step_by(SQUARE) {
            for (i, row) in rows.chunks_exact_mut(side).enumerate() {
                for j in left..half.min(left + SQUARE) {
                    row[first + j] = top[j * side + across + i];
                }
            }
        }
    });
    rayon::join(|| mirror_upper(top, side, first), || mirror_upper(bottom, side, first + half));
}
