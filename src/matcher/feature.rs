//! Features of a face: what of it is compared, as bytes.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::error::Result;
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::features::texture;

/// The features of faces that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Features {
    /// Texture, or pixels where faces are so small that they have none.
    #[default]
    Auto,
    /// The pixels themselves: eigenfaces as Turk and Pentland had them, the basis is what decides.
    Pixels,
    /// Local binary patterns and gradients on a grid: see [`texture`]. Best on all data sets measured
    /// (docs/RECIPES.md).
    Texture,
    /// Texture and pixels together.
    Fused,
}

/// Whether the pixels are scaled before they are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PixelScale {
    /// Gray levels as they are.
    #[default]
    Plain,
    /// Each pixel over its standard deviation among the faces learned from.
    Deviation,
}

named!(PixelScale {
    Deviation = "yes",
    Plain = "no",
});

/// Faces narrower than this have no texture to speak of: a pattern is five pixels wide, a cell a seventh
/// of the width.
const TEXTURED_WIDTH: u32 = 32;

/// Of the squared length that texture and pixels make together, what is the pixels'. Half as much as the
/// texture's: measured.
const PIXELS_SHARE: f64 = 1.0 / 3.0;

named!(Features {
    Auto = "auto",
    Pixels = "pixels",
    Texture = "texture",
    Fused = "fused",
});

impl Features {
    /// The features of faces of this size, and the share of the squared length of each.
    pub fn shares(self, size: FaceSize) -> Vec<(Feature, f64)> {
        match self {
            Self::Auto if size.width() < TEXTURED_WIDTH => Self::Pixels.shares(size),
            Self::Auto => Self::Texture.shares(size),
            Self::Pixels => vec![(Feature::Pixels, 1.0)],
            Self::Texture => vec![(Feature::Texture, 1.0)],
            Self::Fused => vec![
                (Feature::Texture, 1.0 - PIXELS_SHARE),
                (Feature::Pixels, PIXELS_SHARE),
            ],
        }
    }
}

/// One way to see a face as a column of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// Its d pixels.
    Pixels,
    /// Its texture.
    Texture,
}

impl Feature {
    /// The faces (d x n) seen this way, in their order.
    pub fn of(self, faces: &FaceMatrix) -> Cow<'_, FaceMatrix> {
        match self {
            Self::Pixels => Cow::Borrowed(faces),
            Self::Texture => Cow::Owned(texture::describe_all(faces)),
        }
    }

    /// The size of faces of this size, seen this way.
    pub fn size(self, faces: FaceSize) -> FaceSize {
        match self {
            Self::Pixels => faces,
            Self::Texture => texture::SHEET,
        }
    }

    /// Mirror images of faces of this size, which are given as this feature sees them (d bytes, one after the other).
    pub fn mirror(self, faces: FaceSize, bytes: &mut [u8]) {
        match self {
            Self::Pixels => {
                let rows = bytes.chunks_exact_mut(faces.width() as usize);
                rows.for_each(<[u8]>::reverse);
            }
            Self::Texture => {
                let places = texture::mirror();
                for face in bytes.chunks_exact_mut(places.len()) {
                    let straight = face.to_vec();
                    for (byte, &place) in face.iter_mut().zip(places) {
                        *byte = straight[place as usize];
                    }
                }
            }
        }
    }
}

/// Augmentation: the columns that each enrolled face is compared as, besides itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Augmentation {
    /// Pixels: mirrored and shifted, in galleries of up to [`Augmentation::SHIFTED_FACES`]; beyond that, and of
    /// texture, mirrored.
    #[default]
    Auto,
    /// Nothing: eigenfaces of just the faces given.
    None,
    /// Its mirror image. The space is learned from both (Kirby & Sirovich 1990).
    Mirrored,
    /// Its mirror image, and both shifted by a little in each direction.
    Shifted,
}

/// Shifts, in hundredths of the width: what was one and two pixels of 46.
const SHIFTS: [f64; 2] = [2.2, 4.4];

named!(Augmentation {
    Auto = "auto",
    None = "none",
    Mirrored = "mirrored",
    Shifted = "shifted",
});

impl Augmentation {
    /// Galleries of more faces are not shifted unless asked: eighteen copies of each are many.
    pub const SHIFTED_FACES: usize = 1_000;

    /// Number of columns that [`Augmentation::shifts`] makes of a face.
    pub fn shifts_of_a_face(self) -> usize {
        match self {
            Self::Shifted => 1 + 4 * SHIFTS.len(),
            Self::Auto | Self::None | Self::Mirrored => 1,
        }
    }

    /// c, the copies of a face: itself, shifted, and mirrored.
    pub fn of_a_face(self) -> usize {
        match self {
            Self::None => 1,
            Self::Auto | Self::Mirrored | Self::Shifted => 2 * self.shifts_of_a_face(),
        }
    }

    /// Each face (d x n) followed by its shifted copies: d x (n s).
    pub fn shifts(self, faces: &FaceMatrix) -> Cow<'_, FaceMatrix> {
        if self.shifts_of_a_face() == 1 {
            return Cow::Borrowed(faces);
        }
        let size = faces.size();
        let unit = f64::from(size.width()) / 100.0;
        let mut offsets = vec![(0, 0)];
        for shift in SHIFTS {
            let pixels = (shift * unit).round().max(1.0) as i64;
            offsets.extend([(pixels, 0), (-pixels, 0), (0, pixels), (0, -pixels)]);
        }
        let all: Vec<&[u8]> = faces.faces().collect();
        let pixels: Vec<u8> = all
            .par_iter()
            .flat_map_iter(|face| {
                offsets
                    .iter()
                    .flat_map(|&offset| shifted(face, size, offset))
            })
            .collect();
        Cow::Owned(FaceMatrix::from_pixels(size, pixels).expect("whole faces of one size"))
    }
}

/// The face moved right by x and down by y pixels; its border is repeated.
fn shifted(face: &[u8], size: FaceSize, (x, y): (i64, i64)) -> Vec<u8> {
    let (width, height) = (size.width() as i64, size.height() as i64);
    let mut moved = Vec::with_capacity(face.len());
    for row in 0..height {
        let from = (row - y).clamp(0, height - 1) * width;
        moved.extend(
            (0..width).map(|column| face[(from + (column - x).clamp(0, width - 1)) as usize]),
        );
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size() -> FaceSize {
        FaceSize::new(8, 9).unwrap()
    }

    #[test]
    fn a_shift_moves_the_picture_and_repeats_its_border() {
        let face: Vec<u8> = (0..72).collect();
        let moved = shifted(&face, size(), (1, -2));
        assert_eq!(&moved[..8], [16, 16, 17, 18, 19, 20, 21, 22]);
        assert_eq!(&moved[64..], [64, 64, 65, 66, 67, 68, 69, 70]);
        assert_eq!(shifted(&face, size(), (0, 0)), face);
    }

    #[test]
    fn a_mirror_changes_every_face_and_undoes_itself() {
        for feature in [Feature::Pixels, Feature::Texture] {
            let length = feature.size(size()).pixels();
            let faces: Vec<u8> = (0..2 * length).map(|at| (at * 7 % 251) as u8).collect();
            let mut mirrored = faces.clone();
            feature.mirror(size(), &mut mirrored);
            assert!(mirrored[..length] != faces[..length] && mirrored[length..] != faces[length..]);
            feature.mirror(size(), &mut mirrored);
            assert_eq!(mirrored, faces, "{feature:?}");
        }
    }

    #[test]
    fn copies_follow_their_face() {
        let faces = FaceMatrix::from_pixels(size(), (0..144).collect()).unwrap();
        let copies = Augmentation::Shifted.shifts(&faces);
        assert_eq!(copies.len(), 18);
        assert_eq!(copies.face(9), faces.face(1));
        assert_eq!(*Augmentation::Mirrored.shifts(&faces), faces);
    }

    #[test]
    fn small_faces_are_compared_by_pixels() {
        let shares = |width, height| Features::Auto.shares(FaceSize::new(width, height).unwrap());
        assert_eq!(shares(20, 24), [(Feature::Pixels, 1.0)]);
        assert_eq!(shares(60, 72), [(Feature::Texture, 1.0)]);
    }
}
