//! Texture: what the skin, the eyes' corners and the mouth's edges look like, cell by cell.
//!
//! Histograms of uniform local binary patterns (Ojala, Pietikäinen & Mäenpää 2002; for faces Ahonen, Hadid &
//! Pietikäinen 2004) and of gradient directions (Dalal & Triggs 2005) over a grid of cells with soft borders.
//! Square roots of shares, so that Euclidean distance is Hellinger's; in bytes, so that projections of textures
//! are as exact as those of pixels. Choices are measured: docs/notebook/recognition.md. All sums are integers.

mod cells;
pub mod directions;
mod patterns;
mod picture;
mod roots;
#[cfg(test)]
mod tests;

use crate::face_matrix::FaceSize;
pub use cells::Grid;
use patterns::PATTERNS;
pub use picture::Picture;
use roots::roots_of_shares;

/// The size of the faces that are described, aligned by the eyes.
pub const FACE: FaceSize = FaceSize::ALIGNED;
const WIDTH: usize = FACE.width() as usize;
const HEIGHT: usize = FACE.height() as usize;

/// Directions of the gradient: 0 to the right, 2 down, in eighths of a turn.
pub const DIRECTIONS: usize = 8;
/// Bytes of a cell: its patterns, then its directions.
pub const CELL: usize = PATTERNS + DIRECTIONS;

/// Bytes of a [folded](describe_folded) texture on this grid.
pub const fn folded_length(grid: &Grid) -> usize {
    grid.columns.div_ceil(2) * grid.rows * CELL
}

/// The texture that a face and its mirror image have together, on the grid of these sums of
/// [directions](directions::sums): each cell added to the mirror image of the cell opposite, so that half of the columns
/// stay, the outermost first ([`folded_length`] bytes). A face and its mirror image have the same.
pub fn describe_folded(face: &Picture, grid: &Grid, of_directions: &[u64]) -> Vec<u8> {
    let of_patterns = patterns::sums(face, grid);
    let mut bytes = vec![0; folded_length(grid)];
    for ((own, opposite), bytes) in grid.left_half().zip(bytes.chunks_exact_mut(CELL)) {
        let (patterns, directions) = bytes.split_at_mut(PATTERNS);
        let folded = patterns::folded(&of_patterns, own, opposite);
        roots_of_shares(&folded, 0.0, patterns);
        let folded = directions::folded(of_directions, own, opposite);
        roots_of_shares(&folded, 2.0 * directions::faint(grid), directions);
    }
    bytes
}
