//! Where the mouth is in an aligned face: a supervised descent (Xiong & De la Torre, CVPR 2013) of three steps, each a
//! linear map from the gradients of the face, drawn as if its mouth were where the steps before have found it.
//!
//! How far the mouth lies to the side follows from what the left half has more of than the right one, how low it lies from
//! what both have together. So a mirrored face has, to the last bit, its mouth on the other side.

use super::FACE;
use super::view::{BELOW_EYES, EYES, Mouth, SUBPIXELS, Stretch, View, Zoom, nearest};
use crate::features::texture::directions::{self, mirrored};
use crate::features::texture::{Grid, Picture};
use vectorised::vectorised;

/// The middle of the mouth in an aligned face, in pixels from the middle of its first one.
pub type MarkedMouth = [f64; 2];

/// Cells in which gradients are looked at.
pub static GRID: Grid = Grid::new(12, 14);

/// Numbers that a step looks at: of the left half of the cells, what both halves have together, and what the left one has more of.
pub const FEATURES: usize = directions::length(&GRID) / 2;

/// Steps of the descent.
pub const STEPS: usize = 3;

/// Finds mouths.
#[derive(Debug, Clone, PartialEq)]
pub struct MouthFinder {
    pub steps: Vec<Step>,
}

/// One step: how far the mouth of a view lies from its usual place.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// From the differences of the halves.
    pub across: Line,
    /// From their sums.
    pub down: Line,
}

/// A linear map from [`FEATURES`] numbers: `scale (Σ weights x) + bias`, in parts of a pixel.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub weights: Vec<i8>,
    pub scale: f32,
    pub bias: f32,
}

/// The gradients of a view.
pub struct ViewGradients {
    /// Sums of both halves.
    pub both: Vec<i16>,
    /// What the left half has more of.
    pub apart: Vec<i16>,
}

impl MouthFinder {
    /// The middle of the mouth in a face of the size [`FACE`], in pixels from the middle of its first one.
    pub fn place(&self, face: &[u8]) -> MarkedMouth {
        let mouth = self.find(face);
        let below = EYES + BELOW_EYES + mouth.down();
        [
            f64::from(mouth.across()) / f64::from(SUBPIXELS) + f64::from(FACE.width() - 1) / 2.0,
            f64::from(below) / f64::from(SUBPIXELS),
        ]
    }

    pub(super) fn find(&self, face: &[u8]) -> Mouth {
        let mut mouth = Mouth::default();
        for step in &self.steps {
            mouth = step.take(face, mouth);
        }
        mouth
    }
}

impl Step {
    /// The mouth as it is found in a view that was drawn for `mouth`.
    pub fn take(&self, face: &[u8], mouth: Mouth) -> Mouth {
        let gradients = ViewGradients::of(face, mouth);
        moved(mouth, self.across.of(&gradients.apart), self.down.of(&gradients.both))
    }
}

/// The place in the face of a mouth that lies `across` and `down` from its usual place in the view drawn for `mouth`.
pub(super) fn moved(mouth: Mouth, across: i32, down: i32) -> Mouth {
    let usual = i64::from(BELOW_EYES);
    let below = usual + i64::from(down);
    let sheared = nearest(below * i64::from(mouth.across()), usual);
    let stretched = nearest(below * (usual + i64::from(mouth.down())), usual);
    Mouth::at(across + sheared, stretched - BELOW_EYES)
}

impl ViewGradients {
    pub fn of(face: &[u8], mouth: Mouth) -> Self {
        let view = View { zoom: Zoom { to: 1, from: 1 }, mouth, stretch: Stretch::Whole };
        let [sums] = directions::sums(&Picture::new(&view.of(face)), [&GRID]);
        let bytes = directions::described(&sums, &GRID);
        let (both, apart) =
            mirrored::<u8, i16>(&bytes, &GRID).map(|(own, opposite)| (own + opposite, own - opposite)).unzip();
        Self { both, apart }
    }
}

impl Line {
    fn of(&self, features: &[i16]) -> i32 {
        let sum: i32 = vectorised(
            #[inline(always)]
            || self.weights.iter().zip(features).map(|(&weight, &x)| i32::from(weight) * i32::from(x)).sum(),
        );
        // A number and its opposite are rounded alike.
        (self.scale * sum as f32 + self.bias).clamp(-1e6, 1e6).round() as i32
    }
}
