//! Shares of pixels in the cells around them.

use super::{HEIGHT, WIDTH};

/// Cells into which a face is divided, and the weights of its pixels in them.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    pub columns: usize,
    pub rows: usize,
    pub(super) across: [CellWeights; WIDTH],
    pub(super) down: [CellWeights; HEIGHT],
}

/// Weights of a pixel in the two nearest cells along a side.
#[derive(Debug, Clone, Copy)]
pub struct CellWeights {
    /// Between the middles of cells `gap - 1` and `gap`; beyond the outermost there is only one.
    pub gap: usize,
    /// The share of the pixel in the cell before, and in the one after: together twice the side.
    pub before: u32,
    pub after: u32,
}

impl Grid {
    pub const fn new(columns: usize, rows: usize) -> Self {
        Self { columns, rows, across: cell_weights(columns), down: cell_weights(rows) }
    }

    pub const fn cells(&self) -> usize {
        self.columns * self.rows
    }

    /// Each cell of the left half, a middle column too, and the one opposite, row by row.
    pub(super) fn left_half(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (columns, rows) = (self.columns, self.rows);
        (0..rows).flat_map(move |row| {
            let opposite = move |column| (row + 1) * columns - 1 - column;
            (0..columns.div_ceil(2)).map(move |column| (row * columns + column, opposite(column)))
        })
    }

    /// Whether a row of pixels is the last one in its gap between cells.
    pub(super) fn is_last_of_gap(&self, y: usize) -> bool {
        let next = self.down.get(y + 1);
        next.is_none_or(|next| next.gap != self.down[y].gap)
    }

    /// The cells around the place where a gap between rows and one between columns cross: above before and after, below
    /// before and after. Beyond the border they are the outermost.
    pub(super) fn around(&self, gap_down: usize, gap_across: usize) -> [usize; 4] {
        let [above, below] = beside(gap_down, self.rows);
        let [before, after] = beside(gap_across, self.columns);
        let cell = |row: usize, column: usize| row * self.columns + column;
        [cell(above, before), cell(above, after), cell(below, before), cell(below, after)]
    }
}

/// The weights of all pixels along a side of this number of cells.
pub const fn cell_weights<const SIDE: usize>(cells: usize) -> [CellWeights; SIDE] {
    let whole = 2 * SIDE;
    let mut weights = [CellWeights { gap: 0, before: 0, after: 0 }; SIDE];
    let mut at = 0;
    while at < SIDE {
        // From the middle of the cell before the first one, in parts of a cell.
        let position = (2 * at + 1) * cells + SIDE;
        let after = position % whole;
        weights[at] = CellWeights { gap: position / whole, before: (whole - after) as u32, after: after as u32 };
        at += 1;
    }
    weights
}

/// The cells on both sides of a gap.
pub fn beside(gap: usize, cells: usize) -> [usize; 2] {
    [gap.saturating_sub(1), gap.min(cells - 1)]
}
