//! Directions of gradients in fine cells (Dalal & Triggs 2005): where the edges of a face run.
//!
//! Each direction of a cell is measured against the gradients of all cells around it, so that a cell without edges
//! stays dark. As textures are, all is in whole numbers and symmetric.

use vectorised::vectorised_mut;

use super::cells::Grid;
use super::picture::{MAGNITUDE_STEPS, MOST_MAGNITUDE, SHARE_STEPS};
use super::roots::roots_of_parts;
use super::{DIRECTIONS, FACE, HEIGHT, Picture, WIDTH};

/// Gradients fainter than this, in gray levels a pixel, say little about direction: a flat cell has none.
const FAINT: f64 = 0.001;

/// Bytes of the directions of a face.
pub const fn length(grid: &Grid) -> usize {
    grid.cells() * DIRECTIONS
}

/// The weight of gradients too faint to have a direction, for a cell of average size.
pub(super) fn faint(grid: &Grid) -> f64 {
    let weight_of_a_pixel = 4.0 * FACE.pixels() as f64;
    FAINT * FACE.pixels() as f64 / grid.cells() as f64
        * weight_of_a_pixel
        * f64::from(MAGNITUDE_STEPS)
        * f64::from(SHARE_STEPS)
}

/// Weighted sums of gradient magnitudes by direction, [`DIRECTIONS`] for each cell of each grid, row by row.
pub fn sums<const N: usize>(face: &Picture, grids: [&Grid; N]) -> [Vec<u64>; N] {
    let mut gathered = grids.map(Gathered::new);
    vectorised_mut(
        #[inline(always)]
        || {
            for y in 0..HEIGHT {
                let row = face.gradients(y);
                for own in &mut gathered {
                    own.add(y, &row);
                }
            }
        },
    );
    gathered.map(|own| own.sums)
}

struct Gathered<'a> {
    grid: &'a Grid,
    /// Sums over the rows since the last gap, for each pixel across: magnitudes, and these times their row's weight below.
    whole: Row,
    below: Row,
    sums: Vec<u64>,
}

/// Of each pixel of a row, the magnitude of its gradient in each direction; at most two are not 0.
pub type Row = [[u32; DIRECTIONS]; WIDTH];

impl<'a> Gathered<'a> {
    fn new(grid: &'a Grid) -> Self {
        let rows_of_a_gap = HEIGHT.div_ceil(grid.rows) as u64 + 1;
        let most = rows_of_a_gap * 2 * HEIGHT as u64 * MOST_MAGNITUDE;
        assert!(most <= u64::from(u32::MAX), "too few rows of cells");
        Self { grid, whole: [[0; DIRECTIONS]; WIDTH], below: [[0; DIRECTIONS]; WIDTH], sums: vec![0; length(grid)] }
    }

    #[inline(always)]
    fn add(&mut self, y: usize, row: &Row) {
        let weight = self.grid.down[y].after;
        let sums = self.whole.as_flattened_mut().iter_mut().zip(self.below.as_flattened_mut());
        for ((whole, below), value) in sums.zip(row.as_flattened()) {
            *whole += value;
            *below += weight * value;
        }
        if self.grid.is_last_of_gap(y) {
            self.hand_out(self.grid.down[y].gap);
            self.whole.fill([0; DIRECTIONS]);
            self.below.fill([0; DIRECTIONS]);
        }
    }

    /// Adds what was gathered to the cells around the gap.
    #[inline(always)]
    fn hand_out(&mut self, gap_down: usize) {
        const TOGETHER: u32 = 2 * HEIGHT as u32;
        let mut first = 0;
        for gaps in self.grid.across.chunk_by(|a, b| a.gap == b.gap) {
            let mut corners = [[0_u64; DIRECTIONS]; 4];
            for (at, across) in gaps.iter().enumerate() {
                let (whole, below) = (&self.whole[first + at], &self.below[first + at]);
                let shares = [across.before, across.after].map(u64::from);
                for direction in 0..DIRECTIONS {
                    let above = u64::from(TOGETHER * whole[direction] - below[direction]);
                    let below = u64::from(below[direction]);
                    corners[0][direction] += above * shares[0];
                    corners[1][direction] += above * shares[1];
                    corners[2][direction] += below * shares[0];
                    corners[3][direction] += below * shares[1];
                }
            }
            first += gaps.len();
            for (cell, corner) in self.grid.around(gap_down, gaps[0].gap).into_iter().zip(corners) {
                let sums = &mut self.sums[cell * DIRECTIONS..][..DIRECTIONS];
                for (sum, value) in sums.iter_mut().zip(corner) {
                    *sum += value;
                }
            }
        }
    }
}

/// The sums of a cell and of the mirror image of another.
pub fn folded(sums: &[u64], own: usize, opposite: usize) -> [u64; DIRECTIONS] {
    let [own, opposite] = [own, opposite].map(|cell| &sums[cell * DIRECTIONS..][..DIRECTIONS]);
    std::array::from_fn(|direction| own[direction] + opposite[mirrored_direction(direction)])
}

/// Left and right change places: an eighth of a turn i becomes 4 - i.
pub const fn mirrored_direction(direction: usize) -> usize {
    (12 - direction) % 8
}

/// The directions of a face, of these [`sums`]: [`length`] bytes, cell by cell, row by row.
pub fn described(sums: &[u64], grid: &Grid) -> Vec<u8> {
    bytes(sums, grid.columns, faint(grid))
}

/// The directions of a face and its mirror image together, of these [`sums`]: half as many bytes, for the left half's cells.
///
/// # Panics
/// If the grid has no even number of columns.
pub fn described_folded(sums: &[u64], grid: &Grid) -> Vec<u8> {
    let pairs = mirrored::<u64, u64>(sums, grid);
    let folded: Vec<u64> = pairs.map(|(own, opposite)| own + opposite).collect();
    bytes(&folded, grid.columns / 2, 2.0 * faint(grid))
}

/// What each direction of the left half's cells has, and in a mirror: the opposite direction of the opposite cell.
///
/// # Panics
/// If the grid has no even number of columns.
pub fn mirrored<T: Copy, U: From<T>>(cells: &[T], grid: &Grid) -> impl Iterator<Item = (U, U)> {
    assert_eq!(grid.columns % 2, 0, "cells on both sides of the middle");
    grid.left_half().flat_map(move |(own, opposite)| {
        (0..DIRECTIONS).map(move |direction| {
            let there = opposite * DIRECTIONS + mirrored_direction(direction);
            (U::from(cells[own * DIRECTIONS + direction]), U::from(cells[there]))
        })
    })
}

/// Bytes of the sums of `columns` cells across: the roots of each over twice the mean of the nine cells around. Beyond
/// the border the outermost cells count again. `faint` is the weight of gradients too faint to count, for one cell.
fn bytes(sums: &[u64], columns: usize, faint: f64) -> Vec<u8> {
    let cells = sums.chunks_exact(DIRECTIONS);
    let totals: Vec<u64> = cells.clone().map(|cell| cell.iter().sum()).collect();
    let rows = totals.len() / columns;
    let mut bytes = vec![0; sums.len()];
    for (at, (cell, bytes)) in cells.zip(bytes.chunks_exact_mut(DIRECTIONS)).enumerate() {
        let beside = |at: usize, count: usize| [at.saturating_sub(1), at, (at + 1).min(count - 1)];
        let around = beside(at / columns, rows)
            .into_iter()
            .flat_map(|row| beside(at % columns, columns).map(|column| totals[row * columns + column]));
        let mean = around.sum::<u64>() as f64 / 9.0 + faint;
        roots_of_parts(cell, 2.0 * mean, bytes);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    static GRID: Grid = Grid::new(6, 7);

    fn face() -> Vec<u8> {
        (0..FACE.pixels()).map(|at| (at * at / 31 % 251) as u8).collect()
    }

    fn sums(face: &[u8]) -> Vec<u64> {
        let [sums] = super::sums(&Picture::new(face), [&GRID]);
        sums
    }

    #[test]
    fn a_face_and_its_mirror_image_fold_into_the_same() {
        let mirrored: Vec<u8> = face().chunks_exact(64).flat_map(|row| row.iter().rev().copied()).collect();
        let folded = |face: &[u8]| described_folded(&sums(face), &GRID);
        assert_eq!(folded(&face()), folded(&mirrored));
        assert_eq!(folded(&face()).len(), length(&GRID) / 2);
        let halves =
            |face: &[u8]| -> Vec<(u8, u8)> { super::mirrored(&described(&sums(face), &GRID), &GRID).collect() };
        let exchanged: Vec<(u8, u8)> = halves(&mirrored).iter().map(|&(a, b)| (b, a)).collect();
        assert_eq!(halves(&face()), exchanged);
    }

    #[test]
    fn cells_without_edges_stay_dark_beside_such_that_have_them() {
        // A slope to the right in the left half only.
        let face: Vec<u8> = (0..FACE.pixels()).map(|at| (at % 64).min(30) as u8 * 4).collect();
        let bytes = described(&sums(&face), &GRID);
        let cell = |column: usize| &bytes[(3 * GRID.columns + column) * DIRECTIONS..][..DIRECTIONS];
        // Where all nine cells are alike each is half of twice their mean, 180; those at the border have a little less.
        assert!((180..=190).contains(&cell(1)[0]));
        assert!(cell(1)[1..].iter().all(|&byte| byte == 0));
        assert!(cell(5).iter().all(|&byte| byte == 0));
        assert!(cell(2)[0] > 200 && cell(3)[0] < 90, "{:?}", cell(3));
    }
}
