//! Texture: what the skin, the eyes' corners and the mouth's edges look like, cell by cell.
//!
//! Histograms of uniform local binary patterns (Ojala, Pietikäinen & Mäenpää 2002; for faces Ahonen, Hadid &
//! Pietikäinen 2004) and of gradient directions (Dalal & Triggs 2005) over 7 x 8 cells with soft borders.
//! Square roots of shares, so that Euclidean distance is Hellinger's; in bytes, so that the PCA of textures
//! is as exact as that of pixels. Choices are measured: docs/notebook/recognition.md. All sums are integers.

mod cells;
pub(crate) mod directions;
mod picture;
mod roots;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use crate::face_matrix::FaceSize;
use cells::{Histograms, cell_weights};
pub use picture::Picture;
use roots::roots_of_a_cell;

/// Cells across.
pub const COLUMNS: usize = 7;
/// Cells down.
pub const ROWS: usize = 8;

/// Uniform patterns of eight points, and one place for all others.
const PATTERNS: usize = 59;
/// Directions of the gradient: 0 to the right, 2 down, in eighths of a turn.
pub(crate) const DIRECTIONS: usize = 8;
/// Bytes of a cell: its patterns, then its directions.
pub const CELL: usize = PATTERNS + DIRECTIONS;

/// Gradients are measured in sixteenths of a gray level and shared in 256ths.
const MAGNITUDE_STEPS: f32 = 16.0;
const SHARE_STEPS: u32 = 256;

/// Gradients fainter than this, in gray levels a pixel, say little about direction: a flat cell has none.
const FAINT: f64 = 0.001;

/// Cells into which a face is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Cells across.
    pub columns: usize,
    /// Cells down.
    pub rows: usize,
}

/// The grid of [`describe`].
const GRID: Grid = Grid {
    columns: COLUMNS,
    rows: ROWS,
};

impl Grid {
    /// Bytes of a [folded](describe_folded) texture on this grid.
    pub const fn folded_length(self) -> usize {
        self.columns.div_ceil(2) * self.rows * CELL
    }

    /// The weight of gradients too faint to have a direction, for a cell of average size.
    pub(crate) fn faint(self, size: FaceSize) -> f64 {
        let weight_of_a_pixel = 4.0 * size.pixels() as f64;
        FAINT * size.pixels() as f64 / (self.columns * self.rows) as f64
            * weight_of_a_pixel
            * f64::from(MAGNITUDE_STEPS)
            * f64::from(SHARE_STEPS)
    }
}

/// The texture of a face (d pixels) on a grid of 7 x 8 cells, [`CELL`] bytes each.
///
/// # Panics
/// If the face is not of this size.
pub fn describe(face: &[u8], size: FaceSize) -> Vec<u8> {
    let cells = histograms::<CELL>(&Picture::new(face, size), GRID);
    let cells = cells.chunks_exact(CELL);
    cells
        .flat_map(|cell| roots_of_a_cell(cell, GRID.faint(size)))
        .collect()
}

/// The texture that a face and its mirror image have together, on this grid: each cell added to the mirror
/// image of the cell opposite, so that half of the columns stay, the outermost first
/// ([`Grid::folded_length`] bytes). A face and its mirror image have the same.
pub fn describe_folded(face: &Picture, grid: Grid) -> Vec<u8> {
    let size = face.size();
    let sums = histograms::<CELL>(face, grid);
    let within = mirrored_bins();
    let mut bytes = Vec::with_capacity(grid.folded_length());
    let mut folded = [0_u64; CELL];
    for row in sums.chunks_exact(grid.columns * CELL) {
        for column in 0..grid.columns.div_ceil(2) {
            let own = &row[column * CELL..][..CELL];
            let opposite = &row[(grid.columns - 1 - column) * CELL..][..CELL];
            for ((sum, own), &from) in folded.iter_mut().zip(own).zip(within) {
                *sum = own + opposite[from];
            }
            bytes.extend(roots_of_a_cell(&folded, 2.0 * grid.faint(size)));
        }
    }
    bytes
}

/// Weighted counts of patterns and gradient magnitudes by direction, cell by cell; of directions alone where a cell has
/// no more `BINS`.
fn histograms<const BINS: usize>(picture: &Picture, grid: Grid) -> Vec<u64> {
    let size = picture.size();
    let down = cell_weights(size.height(), grid.rows);
    let labels = labels();

    let mut histograms = Histograms::<BINS>::new(size, (grid.columns, grid.rows));
    let width = size.width() as usize;
    let mut patterns = vec![0_u8; if BINS > DIRECTIONS { width } else { 0 }];
    for (y, row) in down.iter().enumerate() {
        picture.patterns(y, &mut patterns);
        for pattern in &mut patterns {
            *pattern = labels[usize::from(*pattern)];
        }
        histograms.add(y, row, &patterns, picture.gradients());
        if down.get(y + 1).is_none_or(|next| next.gap != row.gap) {
            histograms.hand_out(row.gap);
        }
    }
    histograms.sums()
}

/// The source of each bin of a cell in a mirror.
fn mirrored_bins() -> &'static [usize; CELL] {
    static BINS: OnceLock<[usize; CELL]> = OnceLock::new();
    BINS.get_or_init(|| {
        let labels = labels();
        let mut within: [usize; CELL] = std::array::from_fn(|bin| bin);
        for pattern in 0..256_usize {
            let mirrored = (0..8)
                .filter(|bit| pattern >> bit & 1 == 1)
                .fold(0, |bits, bit| bits | 1 << mirrored_direction(bit));
            within[usize::from(labels[mirrored])] = usize::from(labels[pattern]);
        }
        for direction in 0..DIRECTIONS {
            within[PATTERNS + mirrored_direction(direction)] = PATTERNS + direction;
        }
        within
    })
}

/// Left and right change places: an eighth of a turn i becomes 4 - i.
fn mirrored_direction(direction: usize) -> usize {
    (12 - direction) % 8
}

/// The place of each of the 256 patterns: those with at most two changes around the circle have one each,
/// by their number; the others share the last.
fn labels() -> &'static [u8; 256] {
    static LABELS: OnceLock<[u8; 256]> = OnceLock::new();
    LABELS.get_or_init(|| {
        let mut labels = [PATTERNS as u8 - 1; 256];
        let mut next = 0;
        for pattern in 0..=255_u8 {
            if (pattern ^ pattern.rotate_left(1)).count_ones() <= 2 {
                labels[usize::from(pattern)] = next;
                next += 1;
            }
        }
        labels
    })
}
