//! Photos that lie on their side or stand on their head: which way they are to be turned.

use std::borrow::Cow;

use image::{GrayImage, imageops};
use serde::{Deserialize, Serialize};

use crate::Location;
use crate::align::Point;

/// The turn that brings a photo upright.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Turn {
    /// None: it is upright.
    #[default]
    Upright,
    /// A quarter, clockwise.
    Right,
    /// A half.
    Over,
    /// A quarter, counterclockwise.
    Left,
}

impl Turn {
    /// The turns of a photo that is not upright, the likelier first: cameras are held upright or on their side.
    pub(crate) const LYING: [Self; 3] = [Self::Right, Self::Left, Self::Over];

    /// Clockwise, in degrees.
    pub fn degrees(self) -> u32 {
        match self {
            Self::Upright => 0,
            Self::Right => 90,
            Self::Over => 180,
            Self::Left => 270,
        }
    }

    /// The turn of a photo whose upright face has these eyes, the one on the left of the face's picture first.
    pub fn of([from, to]: [Point; 2]) -> Self {
        let (across, down) = (to[0] - from[0], to[1] - from[1]);
        match (across.abs() >= down.abs(), across >= 0.0, down >= 0.0) {
            (true, true, _) => Self::Upright,
            (true, false, _) => Self::Over,
            (false, _, true) => Self::Left,
            (false, _, false) => Self::Right,
        }
    }

    /// A gray picture, turned.
    pub(crate) fn turned(self, picture: &GrayImage) -> Cow<'_, GrayImage> {
        match self {
            Self::Upright => Cow::Borrowed(picture),
            Self::Right => Cow::Owned(imageops::rotate90(picture)),
            Self::Over => Cow::Owned(imageops::rotate180(picture)),
            Self::Left => Cow::Owned(imageops::rotate270(picture)),
        }
    }

    /// A face of the turned photo, where it lies in the photo itself, which has this width and height.
    pub(crate) fn undone(self, face: Location, (width, height): (u32, u32)) -> Location {
        let (width, height) = (width as f32, height as f32);
        // A point, where pixel edges are whole numbers.
        let point = |[x, y]: Point| match self {
            Self::Upright => [x, y],
            Self::Right => [y, height - x],
            Self::Over => [width - x, height - y],
            Self::Left => [width - y, x],
        };
        let [left, top, across, down] = face.bounds;
        let ([x1, y1], [x2, y2]) = (point([left, top]), point([left + across, top + down]));
        let eye = |[x, y]: Point| point([x + 0.5, y + 0.5]).map(|at| at - 0.5);
        let bounds = [x1.min(x2), y1.min(y2), (x2 - x1).abs(), (y2 - y1).abs()];
        Location { bounds, eyes: face.eyes.map(eye), ..face }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;

    #[test]
    fn a_face_of_the_turned_photo_lies_where_it_was() {
        let mut photo = GrayImage::new(30, 20);
        photo.put_pixel(7, 3, Luma([255]));
        let at = [7.0, 3.0];
        for turn in [Turn::Upright, Turn::Right, Turn::Over, Turn::Left] {
            let turned = turn.turned(&photo);
            let (x, y, _) = turned.enumerate_pixels().find(|(.., pixel)| pixel.0[0] > 0).expect("the bright pixel");
            let [x, y] = [x as f32, y as f32];
            let face = Location { bounds: [x, y, 1.0, 1.0], eyes: [[x, y], [x + 5.0, y]], score: 9.0, eye_spread: 0.0 };
            let undone = turn.undone(face, photo.dimensions());
            assert_eq!(undone.bounds, [at[0], at[1], 1.0, 1.0], "{turn:?}");
            assert_eq!(undone.eyes[0], at, "{turn:?}");
            assert_eq!(undone.turn(), turn);
        }
    }
}
