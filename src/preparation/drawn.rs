//! Faces that a person shows, because the program does not find them.

use std::fmt;
use std::str::FromStr;

use image::GrayImage;

use super::PreparedFace;
use crate::error::PhotoProblem;
use crate::locate::{Location, Locator};
use crate::xmp::Area;

/// A box that a person drew around a face: pixels of the upright photo. Its text is `X,Y,WIDTH,HEIGHT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FaceBox {
    /// The left edge.
    pub x: u32,
    /// The upper edge.
    pub y: u32,
    /// From the left edge to the right one.
    pub width: u32,
    /// From the upper edge to the lower one.
    pub height: u32,
}

/// The fewest pixels a side of a face that can be told from others.
const LEAST: u32 = 16;

impl FaceBox {
    /// The face in this box of a photo.
    ///
    /// # Errors
    /// [`PhotoProblem::NoFaceThere`]: a box that is very small, or reaches beyond the photo.
    pub fn located(self, photo: &GrayImage) -> Result<Location, PhotoProblem> {
        let fits = |from: u32, length: u32, all: u32| {
            length >= LEAST && from.checked_add(length).is_some_and(|end| end <= all)
        };
        let (width, height) = photo.dimensions();
        match fits(self.x, self.width, width) && fits(self.y, self.height, height) {
            true => Ok(Locator::shared()?.in_box(photo, self.edges())),
            false => Err(PhotoProblem::NoFaceThere { drawn: self.to_string(), photo: (width, height) }),
        }
    }

    /// The position of the face in this box among those of a photo.
    /// Errors: [`PhotoProblem::NoFace`]: photos are taken as they are, without a face's place.
    pub(super) fn position(self, faces: &[PreparedFace]) -> Result<usize, PhotoProblem> {
        let place = |face: &PreparedFace| face.region.location();
        let is_it = |face: &PreparedFace| place(face).is_some_and(|place| are_one(place.bounds, self.edges()));
        // The one that was shown last stands last.
        faces.iter().rposition(is_it).ok_or(PhotoProblem::NoFace)
    }

    fn edges(self) -> [f32; 4] {
        [self.x, self.y, self.width, self.height].map(|edge| edge as f32)
    }
}

impl FromStr for FaceBox {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let edges: Option<Vec<u32>> = text.split(',').map(|edge| edge.trim().parse().ok()).collect();
        match edges.as_deref() {
            Some(&[x, y, width, height]) => Ok(Self { x, y, width, height }),
            _ => Err("want X,Y,WIDTH,HEIGHT in whole pixels of the upright photo, such as 120,80,60,75"),
        }
    }
}

impl fmt::Display for FaceBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{},{}", self.x, self.y, self.width, self.height)
    }
}

/// Whether two boxes can be of one face.
pub(super) fn are_one(one: [f32; 4], other: [f32; 4]) -> bool {
    // In shares of a square around both.
    let ends = [one, other].map(|[x, y, w, h]| [x, y, x + w, y + h]);
    let least = |at: usize| ends[0][at].min(ends[1][at]);
    let most = |at: usize| ends[0][at].max(ends[1][at]);
    let side = (most(2) - least(0)).max(most(3) - least(1));
    let area = |[x, y, w, h]: [f32; 4]| {
        let share = |edge: f32| f64::from(edge / side);
        let middle = |at: f32, length: f32, from: f32| share(at + length / 2.0 - from);
        Area::new(middle(x, w, least(0)), middle(y, h, least(1)), share(w), share(h))
    };
    matches!((area(one), area(other)), (Some(one), Some(other)) if one.same_face(&other).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_read_as_it_is_written() {
        let drawn: FaceBox = "120, 80,60,75".parse().unwrap();
        assert_eq!(drawn.to_string(), "120,80,60,75");
        for text in ["", "1,2,3", "1,2,3,4,5", "1,2,3,-4", "1.5,2,3,4", "a,b,c,d"] {
            assert!(text.parse::<FaceBox>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_head_and_its_face_are_one_and_neighbours_are_not() {
        let face = [100.0, 100.0, 50.0, 50.0];
        assert!(are_one(face, [90.0, 80.0, 70.0, 95.0]));
        assert!(!are_one(face, [140.0, 100.0, 50.0, 50.0]));
        assert!(!are_one(face, [0.0, 0.0, 400.0, 400.0]));
        assert!(!are_one(face, [f32::NAN; 4]));
    }

    #[test]
    fn a_box_beyond_the_photo_shows_nothing() {
        let photo = GrayImage::new(100, 100);
        for text in ["0,0,8,40", "90,0,20,20", "4294967295,0,40,40", "0,0,101,50"] {
            let drawn: FaceBox = text.parse().unwrap();
            assert!(drawn.located(&photo).is_err(), "{text}");
        }
        assert!("0,0,100,100".parse::<FaceBox>().unwrap().located(&photo).is_ok());
    }
}
