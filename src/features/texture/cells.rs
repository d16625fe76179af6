//! How pixels are shared out among the cells around them.

use super::{CELL, Grid};

/// Where a pixel lies along a side.
pub struct Place {
    /// Between the middles of cells `gap - 1` and `gap`; beyond the outermost there is only one.
    pub gap: usize,
    /// What of the pixel goes to the cell before, and to the one after: together twice the side.
    pub before: u32,
    pub after: u32,
}

/// The places of all pixels along a side of so many cells.
pub fn places(side: u32, cells: usize) -> Vec<Place> {
    let whole = 2 * i64::from(side);
    (0..i64::from(side))
        .map(|at| {
            let position = (2 * at + 1) * cells as i64 - i64::from(side);
            let after = position.rem_euclid(whole);
            Place {
                gap: (position.div_euclid(whole) + 1) as usize,
                before: (whole - after) as u32,
                after: after as u32,
            }
        })
        .collect()
}

/// The cells on both sides of a gap.
pub fn beside(gap: usize, cells: usize) -> [usize; 2] {
    [gap.saturating_sub(1), gap.min(cells - 1)]
}

/// Adds what a row of gaps gathered to the cells around, and empties it.
pub fn hand_out(corners: &mut [[u64; 4]], gap: usize, grid: Grid, sums: &mut [u64]) {
    for (column_gap, bins) in corners.chunks_exact_mut(CELL).enumerate() {
        let rows = beside(gap, grid.rows);
        let columns = beside(column_gap, grid.columns);
        for (corner, (row, column)) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().enumerate() {
            let cell = (rows[row] * grid.columns + columns[column]) * CELL;
            for (sum, bin) in sums[cell..][..CELL].iter_mut().zip(bins.iter()) {
                *sum += bin[corner];
            }
        }
        bins.fill([0; 4]);
    }
}
