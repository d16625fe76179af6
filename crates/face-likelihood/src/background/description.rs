//! What the background model compares: textures, and gradients in finer cells, of a face as it is and in even light.
//!
//! Each description holds the face and its mirror image together ([`texture::describe_folded`]): a face turned a
//! little to the left and one turned to the right then differ less, which measured better than comparing with both. And
//! it is the mean of two views ([`Channel::views`]), so that eyes found a little too near or too far move it less; in all of
//! them the mouth has been brought towards its usual place. With the light evened out it is looked at from nearer: two scales.

use super::mouth::{GRID as DIRECTIONS_GRID, MouthFinder};
use super::view::{Mouth, Stretch, View, Zoom};
use crate::face_matrix::FaceSize;
pub use crate::features::texture::FACE;
use crate::features::texture::{self, CELL, DIRECTIONS, Grid, Picture, directions};
use crate::tan_triggs;

/// Cells of textures, of about eight pixels.
static TEXTURE_GRID: Grid = Grid::new(8, 9);

/// The parts of a description, in their order: cells of the left half of a grid, each of so many bytes.
static PARTS: [(&Grid, usize); 2] = [(&DIRECTIONS_GRID, DIRECTIONS), (&TEXTURE_GRID, CELL)];

/// Bytes of a description.
pub const LENGTH: usize = directions::length(&DIRECTIONS_GRID) / 2 + texture::folded_length(&TEXTURE_GRID);

/// A description as a picture.
pub const SHEET: FaceSize = match FaceSize::of(12, (LENGTH / 12) as u32) {
    Some(size) => size,
    None => FACE,
};
const _: () = assert!(LENGTH == 12 * (LENGTH / 12), "the sheet holds it all");

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

    /// The views that are described together. Measured: docs/notebook/recognition.md.
    fn views(self) -> [Zoom; 2] {
        let zoom = |to, from| Zoom { to, from };
        if self == Self::Plain { [zoom(1, 1), zoom(9, 8)] } else { [zoom(5, 4), zoom(11, 8)] }
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        if self == Self::Plain { "plain" } else { "relit" }
    }
}

/// The descriptions of a face of the size [`FACE`], [`LENGTH`] bytes each, in the order of [`Channel::ALL`].
///
/// # Panics
/// If the face has another size.
pub fn describe(face: &[u8], mouths: &MouthFinder) -> [Vec<u8>; 2] {
    let mouth = mouths.find(face);
    Channel::ALL.map(|channel| {
        let views = channel.views().map(|zoom| {
            let mut view = viewed(zoom, mouth).of(face);
            if channel == Channel::LightNormalized {
                tan_triggs::apply(&mut view, FACE);
            }
            of_view(&view)
        });
        let [first, second] = views;
        first.iter().zip(&second).map(|(&a, &b)| a.midpoint(b)).collect()
    })
}

fn viewed(zoom: Zoom, mouth: Mouth) -> View {
    View { zoom, mouth, stretch: Stretch::Half }
}

fn of_view(view: &[u8]) -> Vec<u8> {
    let view = Picture::new(view);
    let [fine, coarse] = directions::sums(&view, [&DIRECTIONS_GRID, &TEXTURE_GRID]);
    let mut description = directions::described_folded(&fine, &DIRECTIONS_GRID);
    description.extend(texture::describe_folded(&view, &TEXTURE_GRID, &coarse));
    description
}

/// The values of a description ([`LENGTH`]) by part: its grid, and the values of each of the cells of its left half.
fn parts<T>(values: &[T]) -> impl Iterator<Item = (&'static Grid, std::slice::ChunksExact<'_, T>)> {
    let mut rest = values;
    PARTS.into_iter().map(move |(grid, bytes)| {
        let (own, after) = rest.split_at(grid.columns.div_ceil(2) * grid.rows * bytes);
        rest = after;
        (grid, own.chunks_exact(bytes))
    })
}

/// The share of each place of a face (of the size [`FACE`]) in a direction among descriptions ([`LENGTH`]
/// values): the root of the squares of its cells, of all parts together.
pub(super) fn strength_by_place(direction: &[f32]) -> Vec<f32> {
    let mut strength = vec![0.0; FACE.pixels()];
    for (grid, cells) in parts(direction) {
        let squares: Vec<f32> = cells.map(|cell| cell.iter().map(|value| value * value).sum()).collect();
        for (place, sum) in strength.iter_mut().enumerate() {
            *sum += squares[cell_at(grid, place)];
        }
    }
    strength.into_iter().map(f32::sqrt).collect()
}

/// Values of a description ([`LENGTH`]) of this face added up cell by cell and spread evenly over the places of the face
/// that the cell covers: one value a pixel, with the same sum.
pub(super) fn sum_by_place(channel: Channel, values: &[f64], face: &[u8], mouths: &MouthFinder) -> Vec<f64> {
    let shown = viewed(channel.views()[0], mouths.find(face)).places();
    let mut places = vec![0.0; FACE.pixels()];
    for (grid, cells) in parts(values) {
        let sums: Vec<f64> = cells.map(|cell| cell.iter().sum()).collect();
        let cells: Vec<usize> = (0..FACE.pixels()).map(|place| cell_at(grid, place)).collect();
        let mut covered = vec![0.0; sums.len()];
        for &cell in &cells {
            covered[cell] += 1.0;
        }
        for (&place, &cell) in shown.iter().zip(&cells) {
            places[place] += sums[cell] / covered[cell];
        }
    }
    places
}

/// The folded cell of a grid that covers a pixel.
fn cell_at(grid: &Grid, place: usize) -> usize {
    let (width, height) = (FACE.width() as usize, FACE.height() as usize);
    let (x, y) = (place % width, place / width);
    let column = x * grid.columns / width;
    let folded = column.min(grid.columns - 1 - column);
    y * grid.rows / height * grid.columns.div_ceil(2) + folded
}

#[cfg(test)]
mod tests {
    use super::super::Background;
    use super::super::tests::{drawn_face as face, mirrored};
    use super::*;

    fn mouths() -> &'static MouthFinder {
        Background::bundled().unwrap().mouths()
    }

    #[test]
    fn a_face_and_its_mirror_image_are_described_alike() {
        let [plain, relit] = describe(&face(), mouths());
        assert_eq!((plain.len(), relit.len()), (LENGTH, LENGTH));
        assert_ne!(plain, relit);
        assert_eq!([plain, relit], describe(&mirrored(&face()), mouths()));
    }

    #[test]
    fn sums_are_kept_where_cells_are_spread() {
        let values: Vec<f64> = (0..LENGTH).map(|at| (at % 17) as f64 - 5.0).collect();
        let spread = sum_by_place(Channel::LightNormalized, &values, &face(), mouths());
        let (before, after): (f64, f64) = (values.iter().sum(), spread.iter().sum());
        assert!((before - after).abs() < 1e-6 * before.abs());
    }

    #[test]
    fn strength_lies_where_the_cells_lie() {
        let mut direction = vec![0.0; LENGTH];
        // A cell of the second row, at the outer side, of textures.
        let textures = LENGTH - texture::folded_length(&TEXTURE_GRID);
        direction[textures + 4 * CELL + 3] = 2.0;
        let strength = strength_by_place(&direction);
        let at = |x: usize, y: usize| strength[y * 64 + x];
        assert_eq!((at(0, 9), at(63, 9), at(8, 9), at(0, 0)), (2.0, 2.0, 0.0, 0.0));
    }
}
