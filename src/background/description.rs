//! Descriptions of a face by which the background model compares: texture at two scales, of the face as it is and with
//! its light evened out.
//!
//! Each description holds the face and its mirror image together ([`texture::describe_folded`]): a face turned a
//! little to the left and one turned to the right then differ less, which measured better than comparing with both. And
//! it is the mean of three views ([`VIEWS`]), so that eyes found a little too near or too far move it less.

use super::whole_numbers::{Zoom, reduced};
use crate::face_matrix::FaceSize;
use crate::features::texture::{self, CELL, Grid, Radius};
use crate::normalize::tan_triggs;

/// The size of the faces that are described, aligned by the eyes.
pub const FACE: FaceSize = FaceSize::ALIGNED;

/// The smaller of the two scales.
const SMALL: FaceSize = match FaceSize::of(45, 52) {
    Some(size) => size,
    None => FACE,
};

/// Cells of about eight pixels at each scale.
const LARGE_GRID: Grid = Grid {
    columns: 8,
    rows: 9,
    radius: Radius::Two,
};
const SMALL_GRID: Grid = Grid {
    columns: 6,
    rows: 7,
    radius: Radius::One,
};

/// Views of a face that are described together: as it is, nearer, and farther. Measured: docs/RECIPES.md.
const VIEWS: [Zoom; 3] = [
    Zoom { to: 1, from: 1 },
    Zoom { to: 9, from: 8 },
    Zoom { to: 8, from: 9 },
];

/// Bytes of a description.
pub const LENGTH: usize = LARGE_GRID.folded_length() + SMALL_GRID.folded_length();

/// A description as a picture: a row a cell.
pub const SHEET: FaceSize = match FaceSize::of(CELL as u32, (LENGTH / CELL) as u32) {
    Some(size) => size,
    None => FACE,
};

/// One of the two descriptions of a face: as it is, or with the light evened out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// The face as it is.
    Plain,
    /// The face after Tan and Triggs' normalisation, against hard light.
    LightNormalized,
}

impl Channel {
    /// Every channel, in the order in which their scores are added.
    pub const ALL: [Self; 2] = [Self::Plain, Self::LightNormalized];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::LightNormalized => "relit",
        }
    }

    /// The description of a face of the size [`FACE`]: [`LENGTH`] bytes.
    ///
    /// # Panics
    /// If the face has another size.
    pub fn describe(self, face: &[u8]) -> Vec<u8> {
        let mut sums = [0_u16; LENGTH];
        for zoom in VIEWS {
            let mut view = zoom.of(face, FACE);
            match self {
                Self::Plain => {}
                Self::LightNormalized => tan_triggs::apply(&mut view, FACE),
            }
            for (sum, value) in sums.iter_mut().zip(described(&view)) {
                *sum += u16::from(value);
            }
        }
        let views = VIEWS.len() as u16;
        let mean = |sum: u16| ((sum + views / 2) / views) as u8;
        sums.map(mean).to_vec()
    }
}

/// The share of each place of a face (of the size [`FACE`]) in a direction among descriptions ([`LENGTH`]
/// values): the root of the squares of its cells, of both scales together.
pub(super) fn strength_by_place(direction: &[f32]) -> Vec<f32> {
    let (large, small) = direction.split_at(LARGE_GRID.folded_length());
    let cells = [(LARGE_GRID, squares(large)), (SMALL_GRID, squares(small))];
    let strength = |place: usize| {
        let at = |(grid, squares): &(Grid, Vec<f32>)| squares[cell_at(*grid, place)];
        cells.iter().map(at).sum::<f32>().sqrt()
    };
    (0..FACE.pixels()).map(strength).collect()
}

/// Values of a description ([`LENGTH`]) added up cell by cell and spread evenly over the places of a face that the cell
/// covers: one value a pixel, with the same sum.
pub(super) fn sum_by_place(values: &[f64]) -> Vec<f64> {
    let mut places = vec![0.0; FACE.pixels()];
    let (large, small) = values.split_at(LARGE_GRID.folded_length());
    for (grid, values) in [(LARGE_GRID, large), (SMALL_GRID, small)] {
        let sums: Vec<f64> = values
            .chunks_exact(CELL)
            .map(|cell| cell.iter().sum())
            .collect();
        let cells: Vec<usize> = (0..FACE.pixels())
            .map(|place| cell_at(grid, place))
            .collect();
        let mut covered = vec![0.0; sums.len()];
        for &cell in &cells {
            covered[cell] += 1.0;
        }
        for (place, &cell) in places.iter_mut().zip(&cells) {
            *place += sums[cell] / covered[cell];
        }
    }
    places
}

/// The folded cell of a grid that covers a pixel.
fn cell_at(grid: Grid, place: usize) -> usize {
    let (width, height) = (FACE.width() as usize, FACE.height() as usize);
    let (x, y) = (place % width, place / width);
    let column = x * grid.columns / width;
    let folded = column.min(grid.columns - 1 - column);
    y * grid.rows / height * grid.columns.div_ceil(2) + folded
}

/// The sum of squares of each cell.
fn squares(cells: &[f32]) -> Vec<f32> {
    let cells = cells.chunks_exact(CELL);
    cells
        .map(|cell| cell.iter().map(|value| value * value).sum())
        .collect()
}

fn described(face: &[u8]) -> Vec<u8> {
    let mut bytes = texture::describe_folded(face, FACE, LARGE_GRID);
    let small = reduced(face, FACE, SMALL);
    bytes.extend(texture::describe_folded(&small, SMALL, SMALL_GRID));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face() -> Vec<u8> {
        (0..FACE.pixels())
            .map(|at| (at * at / 31 % 251) as u8)
            .collect()
    }

    fn mirrored(face: &[u8]) -> Vec<u8> {
        let rows = face.chunks_exact(FACE.width() as usize);
        rows.flat_map(|row| row.iter().rev().copied()).collect()
    }

    #[test]
    fn a_face_and_its_mirror_image_are_described_alike() {
        let plain = Channel::Plain.describe(&face());
        assert_eq!(plain.len(), LENGTH);
        assert_eq!(plain, Channel::Plain.describe(&mirrored(&face())));
        assert_ne!(plain, Channel::LightNormalized.describe(&face()));
    }

    #[test]
    fn sums_are_kept_where_cells_are_spread() {
        let values: Vec<f64> = (0..LENGTH).map(|at| (at % 17) as f64 - 5.0).collect();
        let (before, after): (f64, f64) = (values.iter().sum(), sum_by_place(&values).iter().sum());
        assert!((before - after).abs() < 1e-6 * before.abs());
    }

    #[test]
    fn strength_lies_where_the_cells_lie() {
        let mut direction = vec![0.0; LENGTH];
        // A cell of the second row, at the outer side, of the larger scale.
        direction[4 * CELL + 3] = 2.0;
        let strength = strength_by_place(&direction);
        let at = |x: usize, y: usize| strength[y * 64 + x];
        assert_eq!(
            (at(0, 9), at(63, 9), at(8, 9), at(0, 0)),
            (2.0, 2.0, 0.0, 0.0)
        );
    }
}
