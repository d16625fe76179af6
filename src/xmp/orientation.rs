//! The turn between a photo as stored and as displayed.

use super::area::{Area, Dimensions};

/// The EXIF orientation (Exif 2.32, 4.6.4, tag 0x0112): which sides of the photo as displayed its first row and its
/// first column, as stored, are.
///
/// MWG Guidelines 2.0, "Image Regions", has regions apply to the photo as stored, before it is turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Orientation {
    /// 1: displayed as stored.
    #[default]
    TopLeft,
    /// 2: mirrored left to right.
    TopRight,
    /// 3: turned by 180 degrees.
    BottomRight,
    /// 4: mirrored top to bottom.
    BottomLeft,
    /// 5: mirrored about the diagonal from top left to bottom right.
    LeftTop,
    /// 6: turned by 90 degrees clockwise.
    RightTop,
    /// 7: mirrored about the diagonal from top right to bottom left.
    RightBottom,
    /// 8: turned by 90 degrees counter-clockwise.
    LeftBottom,
}

/// A box in pixels of the photo as displayed; it may reach beyond the photo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PixelBox {
    /// The left edge.
    pub left: f64,
    /// The top edge.
    pub top: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

impl Orientation {
    /// The orientation of a value of the EXIF tag, from 1 to 8.
    pub fn from_exif(value: u16) -> Option<Self> {
        Some(match value {
            1 => Self::TopLeft,
            2 => Self::TopRight,
            3 => Self::BottomRight,
            4 => Self::BottomLeft,
            5 => Self::LeftTop,
            6 => Self::RightTop,
            7 => Self::RightBottom,
            8 => Self::LeftBottom,
            _ => return None,
        })
    }

    /// The size as stored of a photo of this size as displayed; the same function leads back.
    pub fn stored_dimensions(self, displayed: Dimensions) -> Dimensions {
        match self {
            Self::TopLeft | Self::TopRight | Self::BottomRight | Self::BottomLeft => displayed,
            Self::LeftTop | Self::RightTop | Self::RightBottom | Self::LeftBottom => Dimensions {
                width: displayed.height,
                height: displayed.width,
            },
        }
    }

    /// The area, in the photo as stored, of a box in the photo as displayed, cut off at the photo's edges. None where
    /// the box lies beyond them.
    pub fn stored_area(self, face: PixelBox, displayed: Dimensions) -> Option<Area> {
        if displayed.is_empty() {
            return None;
        }
        let (width, height) = displayed.sides();
        let (left, top) = (face.left / width, face.top / height);
        let (right, bottom) = (
            (face.left + face.width) / width,
            (face.top + face.height) / height,
        );
        let (a, b) = (self.stored(left, top), self.stored(right, bottom));
        Area::from_edges(a.0.min(b.0), a.1.min(b.1), a.0.max(b.0), a.1.max(b.1))
    }

    /// The box, in the photo as displayed, of an area of the photo as stored.
    pub fn displayed_box(self, area: &Area, displayed: Dimensions) -> PixelBox {
        let (width, height) = displayed.sides();
        let [left, top, right, bottom] = area.edges();
        let (a, b) = (self.displayed(left, top), self.displayed(right, bottom));
        PixelBox {
            left: a.0.min(b.0) * width,
            top: a.1.min(b.1) * height,
            width: (a.0 - b.0).abs() * width,
            height: (a.1 - b.1).abs() * height,
        }
    }

    /// The place as stored of a place as displayed, in fractions of the sides.
    fn stored(self, x: f64, y: f64) -> (f64, f64) {
        match self {
            Self::RightTop => (y, 1.0 - x),
            Self::LeftBottom => (1.0 - y, x),
            // The others undo themselves.
            _ => self.displayed(x, y),
        }
    }

    /// The place as displayed of a place as stored, in fractions of the sides.
    fn displayed(self, x: f64, y: f64) -> (f64, f64) {
        match self {
            Self::TopLeft => (x, y),
            Self::TopRight => (1.0 - x, y),
            Self::BottomRight => (1.0 - x, 1.0 - y),
            Self::BottomLeft => (x, 1.0 - y),
            Self::LeftTop => (y, x),
            Self::RightTop => (1.0 - y, x),
            Self::RightBottom => (1.0 - y, 1.0 - x),
            Self::LeftBottom => (y, 1.0 - x),
        }
    }
}

/// The size of a photo as stored, and the areas there of boxes `[left, top, width, height]` in the photo as displayed, whose
/// size and EXIF orientation (1 to 8) are given. A box outside of the photo has the area nearest to it.
pub fn stored_areas(
    (width, height): (u32, u32),
    exif: u8,
    boxes: &[[f32; 4]],
) -> (Dimensions, Vec<Area>) {
    let displayed = Dimensions { width, height };
    let orientation = Orientation::from_exif(exif.into()).unwrap_or(Orientation::TopLeft);
    if displayed.is_empty() {
        return (displayed, Vec::new());
    }
    let area = |bounds: &[f32; 4]| {
        let finite = |edge: f32| if edge.is_finite() { edge } else { 0.0 };
        let [left, top, width, height] = bounds.map(|edge| f64::from(finite(edge)));
        // At least a pixel of the photo.
        let left = left.clamp(1.0 - width.max(1.0), f64::from(displayed.width) - 1.0);
        let top = top.clamp(1.0 - height.max(1.0), f64::from(displayed.height) - 1.0);
        let bounds = PixelBox {
            left,
            top,
            width: width.max(1.0),
            height: height.max(1.0),
        };
        orientation.stored_area(bounds, displayed)
    };
    let areas = boxes.iter().filter_map(area).collect();
    (orientation.stored_dimensions(displayed), areas)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pixels = Vec<Vec<bool>>;

    fn mirrored(pixels: &Pixels) -> Pixels {
        pixels
            .iter()
            .map(|row| row.iter().rev().copied().collect())
            .collect()
    }

    fn turned_clockwise(pixels: &Pixels) -> Pixels {
        let columns = pixels[0].len();
        (0..columns)
            .map(|x| pixels.iter().rev().map(|row| row[x]).collect())
            .collect()
    }

    /// The photo as displayed, made of turns and one mirror only.
    fn displayed(stored: &Pixels, exif: u16) -> Pixels {
        let turns =
            |count: usize| (0..count).fold(stored.clone(), |pixels, _| turned_clockwise(&pixels));
        match exif {
            1 => turns(0),
            2 => mirrored(&turns(0)),
            3 => turns(2),
            4 => mirrored(&turns(2)),
            5 => mirrored(&turns(1)),
            6 => turns(1),
            7 => mirrored(&turns(3)),
            _ => turns(3),
        }
    }

    /// The smallest box around the marked pixels: left, top, width, height.
    fn marked(pixels: &Pixels) -> [usize; 4] {
        let places: Vec<(usize, usize)> = (0..pixels.len())
            .flat_map(|y| (0..pixels[y].len()).map(move |x| (x, y)))
            .filter(|&(x, y)| pixels[y][x])
            .collect();
        let left = places.iter().map(|place| place.0).min().expect("a mark");
        let right = places.iter().map(|place| place.0).max().expect("a mark");
        let top = places.iter().map(|place| place.1).min().expect("a mark");
        let bottom = places.iter().map(|place| place.1).max().expect("a mark");
        [left, top, right + 1 - left, bottom + 1 - top]
    }

    #[test]
    fn every_orientation_is_the_turning_of_the_pixels() {
        for exif in 1..=8 {
            for mark in [[1, 2, 3, 4], [0, 0, 1, 1], [9, 7, 1, 1], [4, 0, 6, 2]] {
                check_turning(exif, mark);
            }
        }
        assert_eq!(Orientation::from_exif(0), None);
        assert_eq!(Orientation::from_exif(9), None);
    }

    /// Marks a box of a photo of 10 x 8 pixels, turns the pixels, and compares the places of the marked ones.
    fn check_turning(exif: u16, mark: [usize; 4]) {
        let [x, y, w, h] = mark;
        let mut stored = vec![vec![false; 10]; 8];
        for row in &mut stored[y..y + h] {
            row[x..x + w].fill(true);
        }
        let shown = displayed(&stored, exif);
        let size = Dimensions {
            width: shown[0].len() as u32,
            height: shown.len() as u32,
        };
        let shown_mark = marked(&shown).map(|side| side as f64);
        let [left, top, width, height] = shown_mark;
        let face = PixelBox {
            left,
            top,
            width,
            height,
        };
        let orientation = Orientation::from_exif(exif).expect("an orientation");

        let area = orientation.stored_area(face, size).expect("an area");
        let [left, top, right, bottom] = area.edges();
        let found = [
            left * 10.0,
            top * 8.0,
            (right - left) * 10.0,
            (bottom - top) * 8.0,
        ];
        assert_close(found, mark.map(|side| side as f64));

        let back = orientation.displayed_box(&area, size);
        assert_close([back.left, back.top, back.width, back.height], shown_mark);
        let stored_size = orientation.stored_dimensions(size);
        assert_eq!((stored_size.width, stored_size.height), (10, 8));
    }

    fn assert_close(found: [f64; 4], wanted: [f64; 4]) {
        for (a, b) in found.iter().zip(wanted) {
            assert!((a - b).abs() < 1e-9, "{found:?} {wanted:?}");
        }
    }

    #[test]
    fn boxes_are_cut_off_at_the_edges() {
        let size = Dimensions {
            width: 100,
            height: 50,
        };
        let over = PixelBox {
            left: -10.0,
            top: 40.0,
            width: 20.0,
            height: 30.0,
        };
        let area = Orientation::TopLeft
            .stored_area(over, size)
            .expect("an area");
        for (found, wanted) in area.edges().iter().zip([0.0, 0.8, 0.1, 1.0]) {
            assert!((found - wanted).abs() < 1e-12);
        }
        let beyond = PixelBox {
            left: 101.0,
            ..over
        };
        assert_eq!(Orientation::RightTop.stored_area(beyond, size), None);
        let nothing = Dimensions {
            width: 0,
            height: 0,
        };
        assert_eq!(Orientation::TopLeft.stored_area(over, nothing), None);
    }
}
