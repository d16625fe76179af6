//! Directions of gradients in fine cells (Dalal & Triggs 2005): where the edges of a face run.
//!
//! Each direction of a cell is measured against the gradients of all cells around it, so that a cell without edges
//! stays dark. As textures are, all is in whole numbers and symmetric.

use super::roots::roots_of_parts;
use super::{DIRECTIONS, Grid, Picture, histograms, mirrored_direction};
#[cfg(test)]
use crate::face_matrix::FaceSize;

/// Bytes of the directions of a face.
pub const fn length(grid: Grid) -> usize {
    grid.columns * grid.rows * DIRECTIONS
}

/// The directions of a face: [`length`] bytes, cell by cell, row by row.
pub fn describe(face: &Picture, grid: Grid) -> Vec<u8> {
    let sums = histograms::<DIRECTIONS>(face, grid);
    bytes(&sums, grid.columns, grid.faint(face.size()))
}

/// The directions that a face and its mirror image have together: half as many bytes, of the cells of the left half.
///
/// # Panics
/// If the grid has no even number of columns.
pub fn describe_folded(face: &Picture, grid: Grid) -> Vec<u8> {
    let sums = histograms::<DIRECTIONS>(face, grid);
    let pairs = mirrored::<u64, u64>(&sums, grid);
    let folded: Vec<u64> = pairs.map(|(own, opposite)| own + opposite).collect();
    bytes(&folded, grid.columns / 2, 2.0 * grid.faint(face.size()))
}

/// What each direction of the left half of the cells has, and what it has in a mirror: of the cell opposite, the direction
/// opposite.
///
/// # Panics
/// If the grid has no even number of columns.
pub fn mirrored<T: Copy, U: From<T>>(cells: &[T], grid: Grid) -> impl Iterator<Item = (U, U)> {
    assert_eq!(grid.columns % 2, 0, "cells on both sides of the middle");
    cells
        .chunks_exact(grid.columns * DIRECTIONS)
        .flat_map(move |row| {
            (0..grid.columns / 2 * DIRECTIONS).map(move |at| {
                let (column, direction) = (at / DIRECTIONS, at % DIRECTIONS);
                let opposite = grid.columns - 1 - column;
                let there = opposite * DIRECTIONS + mirrored_direction(direction);
                (U::from(row[at]), U::from(row[there]))
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
        let around = beside(at / columns, rows).into_iter().flat_map(|row| {
            beside(at % columns, columns).map(|column| totals[row * columns + column])
        });
        let mean = around.sum::<u64>() as f64 / 9.0 + faint;
        roots_of_parts(cell, 2.0 * mean, bytes);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: FaceSize = FaceSize::ALIGNED;
    const GRID: Grid = Grid {
        columns: 6,
        rows: 7,
    };

    fn face() -> Vec<u8> {
        (0..SIZE.pixels())
            .map(|at| (at * at / 31 % 251) as u8)
            .collect()
    }

    #[test]
    fn a_face_and_its_mirror_image_fold_into_the_same() {
        let mirrored: Vec<u8> = face()
            .chunks_exact(64)
            .flat_map(|row| row.iter().rev().copied())
            .collect();
        let folded = |face: &[u8]| describe_folded(&Picture::new(face, SIZE), GRID);
        assert_eq!(folded(&face()), folded(&mirrored));
        assert_eq!(folded(&face()).len(), length(GRID) / 2);
        let halves = |face: &[u8]| -> Vec<(u8, u8)> {
            super::mirrored(&describe(&Picture::new(face, SIZE), GRID), GRID).collect()
        };
        let exchanged: Vec<(u8, u8)> = halves(&mirrored).iter().map(|&(a, b)| (b, a)).collect();
        assert_eq!(halves(&face()), exchanged);
    }

    #[test]
    fn cells_without_edges_stay_dark_beside_such_that_have_them() {
        // A slope to the right in the left half only.
        let face: Vec<u8> = (0..SIZE.pixels())
            .map(|at| (at % 64).min(30) as u8 * 4)
            .collect();
        let bytes = describe(&Picture::new(&face, SIZE), GRID);
        let cell = |column: usize| &bytes[(3 * GRID.columns + column) * DIRECTIONS..][..DIRECTIONS];
        // Where all nine cells are alike each is half of twice their mean, 180; those at the border have a little less.
        assert!((180..=190).contains(&cell(1)[0]));
        assert!(cell(1)[1..].iter().all(|&byte| byte == 0));
        assert!(cell(5).iter().all(|&byte| byte == 0));
        assert!(cell(2)[0] > 200 && cell(3)[0] < 90, "{:?}", cell(3));
    }
}
