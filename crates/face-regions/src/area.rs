//! Areas of a photo in fractions of its width and height.

use std::fmt;

/// The size of a photo in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dimensions {
    /// The number of columns.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
}

impl Dimensions {
    pub(super) fn sides(self) -> (f64, f64) {
        (f64::from(self.width), f64::from(self.height))
    }

    pub(super) fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }
}

impl fmt::Display for Dimensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.width, self.height)
    }
}

/// Boxes of the same face have at least this intersection over union.
const SAME_FACE: f64 = 0.3;

/// Boxes whose surfaces differ by no more than this factor are of comparable size.
const COMPARABLE: f64 = 4.0;

/// The largest intersection over union of areas that differ, since rounding must not put them before equal ones.
const NEARLY_EQUAL: f64 = 1.0 - 1e-9;

/// The smallest side: the last of six decimals.
const SMALLEST: f64 = 1e-6;

/// A rectangle in fractions of the photo's width and height, in the orientation that the photo is stored in: the
/// structure `stArea` of the MWG's Guidelines for Handling Image Metadata 2.0, "Image Regions".
///
/// Its centre lies in the photo, and its sides are positive and no longer than the photo's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    x: f64,
    y: f64,
    w: f64,
    h: f64,
}

impl Area {
    /// The area of a centre and sides; none where a number is out of range or no number.
    pub fn new(x: f64, y: f64, w: f64, h: f64) -> Option<Self> {
        let place = 0.0..=1.0;
        let side = SMALLEST..=1.0;
        let is_sound = place.contains(&x) && place.contains(&y) && side.contains(&w) && side.contains(&h);
        is_sound.then_some(Self { x, y, w, h })
    }

    /// The area between edges; those beyond the photo are moved to its edge. None where nothing is left.
    pub fn from_edges(left: f64, top: f64, right: f64, bottom: f64) -> Option<Self> {
        let [left, top, right, bottom] = [left, top, right, bottom].map(|edge| edge.clamp(0.0, 1.0));
        Self::new(f64::midpoint(left, right), f64::midpoint(top, bottom), right - left, bottom - top)
    }

    /// The horizontal place of the centre.
    pub fn x(&self) -> f64 {
        self.x
    }

    /// The vertical place of the centre.
    pub fn y(&self) -> f64 {
        self.y
    }

    /// The width.
    pub fn w(&self) -> f64 {
        self.w
    }

    /// The height.
    pub fn h(&self) -> f64 {
        self.h
    }

    /// Left, top, right and bottom; they may lie a little beyond the photo.
    pub fn edges(&self) -> [f64; 4] {
        let (w, h) = (self.w / 2.0, self.h / 2.0);
        [self.x - w, self.y - h, self.x + w, self.y + h]
    }

    /// The area as it is after being written with six decimals and read again.
    pub(super) fn rounded(&self) -> Self {
        let round = |number: f64| (number * 1e6).round() / 1e6;
        Self { x: round(self.x), y: round(self.y), w: round(self.w), h: round(self.h) }
    }

    /// The intersection over union of both areas, from 0 to 1; exactly 1 for equal areas and no others.
    pub fn intersection_over_union(&self, other: &Self) -> f64 {
        if self == other {
            return 1.0;
        }
        let [left, top, right, bottom] = self.edges();
        let [other_left, other_top, other_right, other_bottom] = other.edges();
        let width = (right.min(other_right) - left.max(other_left)).max(0.0);
        let height = (bottom.min(other_bottom) - top.max(other_top)).max(0.0);
        let common = width * height;
        (common / (self.surface() + other.surface() - common)).min(NEARLY_EQUAL)
    }

    /// The intersection over union where both areas can be boxes of one face: that number is at least 0.3, or the
    /// centre of one lies in the other and neither is more than four times as large.
    pub fn same_face(&self, other: &Self) -> Option<f64> {
        let overlap = self.intersection_over_union(other);
        let (small, large) = (self.surface().min(other.surface()), self.surface().max(other.surface()));
        let centred = self.contains_centre(other) || other.contains_centre(self);
        (overlap >= SAME_FACE || (centred && large <= COMPARABLE * small)).then_some(overlap)
    }

    fn surface(&self) -> f64 {
        self.w * self.h
    }

    fn contains_centre(&self, other: &Self) -> bool {
        let [left, top, right, bottom] = self.edges();
        (left..=right).contains(&other.x) && (top..=bottom).contains(&other.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_make_no_area() {
        assert!(Area::new(0.5, 0.5, 0.2, 0.2).is_some());
        for bad in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
            assert_eq!(Area::new(bad, 0.5, 0.2, 0.2), None);
            assert_eq!(Area::new(0.5, bad, 0.2, 0.2), None);
            assert_eq!(Area::new(0.5, 0.5, bad, 0.2), None);
            assert_eq!(Area::new(0.5, 0.5, 0.2, bad), None);
        }
        assert_eq!(Area::new(0.5, 0.5, 0.0, 0.2), None);
        assert_eq!(Area::from_edges(1.1, 0.2, 1.3, 0.4), None);
        assert_eq!(Area::from_edges(f64::NAN, 0.2, 0.3, 0.4), None);
    }

    #[test]
    fn rounding_is_what_writing_and_reading_does() {
        for seed in 1..2000 {
            let number = f64::from(seed) / 2001.0;
            let area = Area::new(number, number, number, number).expect("an area").rounded();
            let written: f64 = format!("{number:.6}").parse().expect("a number");
            assert_eq!(area.x(), written);
        }
    }

    #[test]
    fn boxes_of_one_face_are_told_from_neighbours() {
        let face = Area::new(0.5, 0.5, 0.2, 0.2).expect("an area");
        let larger = Area::new(0.5, 0.48, 0.38, 0.38).expect("an area");
        let group = Area::new(0.5, 0.5, 0.9, 0.9).expect("an area");
        let neighbour = Area::new(0.68, 0.5, 0.2, 0.2).expect("an area");
        assert_eq!(face.same_face(&face), Some(1.0));
        let beside = Area { x: 0.5_f64.next_up(), ..face };
        assert!(face.same_face(&beside).is_some_and(|overlap| overlap < 1.0));
        assert!(face.same_face(&larger).is_some_and(|overlap| overlap < 0.3));
        assert!(larger.same_face(&face).is_some());
        assert_eq!(face.same_face(&group), None);
        assert_eq!(face.same_face(&neighbour), None);
    }
}
