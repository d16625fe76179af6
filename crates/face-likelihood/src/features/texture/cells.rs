//! Shares of pixels in the cells around them.

use super::DIRECTIONS;
use super::picture::Gradients;
use crate::face_matrix::FaceSize;
use vectorised::vectorised_mut;

/// Weights of a pixel in the two nearest cells along a side.
pub struct CellWeights {
    /// Between the middles of cells `gap - 1` and `gap`; beyond the outermost there is only one.
    pub gap: usize,
    /// The share of the pixel in the cell before, and in the one after: together twice the side.
    pub before: u32,
    pub after: u32,
}

/// The weights of all pixels along a side of this number of cells.
pub fn cell_weights(side: u32, cells: usize) -> Vec<CellWeights> {
    let whole = 2 * i64::from(side);
    (0..i64::from(side))
        .map(|at| {
            let position = (2 * at + 1) * cells as i64 - i64::from(side);
            let after = position.rem_euclid(whole);
            CellWeights {
                gap: (position.div_euclid(whole) + 1) as usize,
                before: (whole - after) as u32,
                after: after as u32,
            }
        })
        .collect()
}

/// Weighted counts of gradient magnitudes by direction, cell by cell, and before them of patterns where a cell has more
/// `BINS` than directions.
pub struct Histograms<const BINS: usize> {
    /// Cells across and down.
    cells: (usize, usize),
    across: Vec<CellWeights>,
    /// The shares of the pixels of a row, in the order of [`corners`](Self::corners).
    shares: Vec<[u32; 4]>,
    /// For each gap across and each bin, what goes to the four cells around: above before and after, below before and
    /// after.
    corners: Vec<[u64; 4]>,
    sums: Vec<u64>,
}

impl<const BINS: usize> Histograms<BINS> {
    /// Nothing counted yet in faces of this size and this number of cells across and down.
    pub fn new(size: FaceSize, (columns, rows): (usize, usize)) -> Self {
        let across = cell_weights(size.width(), columns);
        Self {
            cells: (columns, rows),
            shares: vec![[0; 4]; across.len()],
            across,
            corners: vec![[0; 4]; BINS * (columns + 1)],
            sums: vec![0; BINS * columns * rows],
        }
    }

    /// Adds row number `y` of pixels: the bins of their patterns (none where cells have none), and their gradients.
    pub fn add(&mut self, y: usize, row: &CellWeights, patterns: &[u8], gradients: &Gradients) {
        let (shares, corners) = (&mut self.shares, &mut self.corners);
        let across = &self.across;
        vectorised_mut(
            #[inline(always)]
            || {
                for (shares, column) in shares.iter_mut().zip(across) {
                    let above = [row.before * column.before, row.before * column.after];
                    let below = [row.after * column.before, row.after * column.after];
                    *shares = [above[0], above[1], below[0], below[1]];
                }
                let count = across.len();
                let shares = &shares[..count];
                let patterns = &patterns[..count.min(patterns.len())];
                let axes = &gradients.axes[y * count..][..count];
                let diagonals = &gradients.diagonals[y * count..][..count];
                let along_axes = &gradients.along_axes[y * count..][..count];
                let along_diagonals = &gradients.along_diagonals[y * count..][..count];
                for (x, column) in across.iter().enumerate() {
                    let bins = &mut corners[column.gap * BINS..][..BINS];
                    let mut add = |bin: usize, times: u32| {
                        for (sum, share) in bins[bin].iter_mut().zip(shares[x]) {
                            *sum += u64::from(share) * u64::from(times);
                        }
                    };
                    if BINS > DIRECTIONS {
                        add(usize::from(patterns[x]), 1);
                    }
                    let directions = BINS - DIRECTIONS;
                    add(directions + axes[x] as usize, along_axes[x]);
                    add(directions + diagonals[x] as usize, along_diagonals[x]);
                }
            },
        );
    }

    /// Adds what a row of gaps gathered to the cells around, and begins anew.
    pub fn hand_out(&mut self, gap: usize) {
        let rows = beside(gap, self.cells.1);
        for (column_gap, bins) in self.corners.chunks_exact_mut(BINS).enumerate() {
            let columns = beside(column_gap, self.cells.0);
            for (corner, (row, column)) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().enumerate()
            {
                let cell = (rows[row] * self.cells.0 + columns[column]) * BINS;
                let sums = &mut self.sums[cell..][..BINS];
                for (sum, bin) in sums.iter_mut().zip(bins.iter()) {
                    *sum += bin[corner];
                }
            }
            bins.fill([0; 4]);
        }
    }

    /// The sums of all cells, row by row, each with its bins.
    pub fn sums(self) -> Vec<u64> {
        self.sums
    }
}

/// The cells on both sides of a gap.
pub fn beside(gap: usize, cells: usize) -> [usize; 2] {
    [gap.saturating_sub(1), gap.min(cells - 1)]
}
