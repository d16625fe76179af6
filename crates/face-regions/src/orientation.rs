//! The turn from a photo as stored to it as displayed: the EXIF orientation, 1 to 8 (Exif 2.32, 4.6.4, tag 0x0112).
//!
//! MWG Guidelines 2.0, "Image Regions", has regions apply to the photo as stored, before it is turned; see [`Frame`].

use super::area::{Area, Dimensions};

/// A photo that regions lie in: its size as displayed, its EXIF orientation, and the faces found in it.
#[derive(Debug, Clone, PartialEq)]
pub struct PhotoLayout {
    displayed: Dimensions,
    exif: u8,
    faces: Vec<Area>,
}

impl PhotoLayout {
    /// A photo of this size as displayed and of an EXIF orientation (1 to 8), with faces in these boxes `[left, top, width,
    /// height]` of the photo as displayed. A box outside of the photo has the area nearest to it.
    pub fn new((width, height): (u32, u32), exif: u8, faces: &[[f32; 4]]) -> Self {
        let mut layout = Self { displayed: Dimensions { width, height }, exif, faces: Vec::new() };
        layout.faces = faces.iter().filter_map(|face| layout.area(face)).collect();
        layout
    }

    /// The area, in the photo as stored, of a box in the photo as displayed; none where the photo has no pixels.
    pub fn area(&self, bounds: &[f32; 4]) -> Option<Area> {
        let Dimensions { width, height } = self.displayed;
        if self.displayed.is_empty() {
            return None;
        }
        let finite = |edge: f32| if edge.is_finite() { edge } else { 0.0 };
        let [left, top, across, down] = bounds.map(|edge| f64::from(finite(edge)));
        // At least a pixel of the photo.
        let left = left.clamp(1.0 - across.max(1.0), f64::from(width) - 1.0);
        let top = top.clamp(1.0 - down.max(1.0), f64::from(height) - 1.0);
        stored_area(self.exif, [left, top, across.max(1.0), down.max(1.0)], self.displayed)
    }

    /// The faces in the photo as stored.
    pub fn faces(&self) -> &[Area] {
        &self.faces
    }

    pub(super) fn stored(&self) -> Dimensions {
        let Dimensions { width, height } = self.displayed;
        if is_on_its_side(self.exif) { Dimensions { width: height, height: width } } else { self.displayed }
    }

    pub(super) fn size(&self, frame: Frame) -> Dimensions {
        if frame == Frame::Stored { self.stored() } else { self.displayed }
    }

    pub(super) fn is_turned(&self) -> bool {
        (2..=8).contains(&self.exif)
    }

    pub(super) fn to_stored(&self, area: Area, frame: Frame) -> Area {
        if frame == Frame::Stored { area } else { turned(self.exif, area) }
    }

    pub(super) fn in_frame(&self, area: Area, frame: Frame) -> Area {
        if frame == Frame::Stored { area } else { turned(inverse(self.exif), area) }
    }
}

/// The way round of a photo that regions were written for. The MWG has them written for the photo as stored; older programs,
/// and those that keep no orientation, wrote them as the photo is displayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    Stored,
    Displayed,
}

/// The orientation that undoes this one: of the turns, only those by 90 degrees do not undo themselves.
fn inverse(exif: u8) -> u8 {
    match exif {
        6 => 8,
        8 => 6,
        other => other,
    }
}

fn turned(exif: u8, area: Area) -> Area {
    let (x, y) = stored(exif, area.x(), area.y());
    let (w, h) = if is_on_its_side(exif) { (area.h(), area.w()) } else { (area.w(), area.h()) };
    // Centres stay in the photo, and sides their length.
    Area::new(x, y, w, h).unwrap_or(area)
}

fn is_on_its_side(exif: u8) -> bool {
    (5..=8).contains(&exif)
}

/// The area, as stored, of a box in pixels of the photo as displayed, cut off at its edges; none beyond them.
fn stored_area(exif: u8, [left, top, width, height]: [f64; 4], displayed: Dimensions) -> Option<Area> {
    let (across, down) = displayed.sides();
    let a = stored(exif, left / across, top / down);
    let b = stored(exif, (left + width) / across, (top + height) / down);
    Area::from_edges(a.0.min(b.0), a.1.min(b.1), a.0.max(b.0), a.1.max(b.1))
}

/// The place as stored of a place as displayed, in fractions of the sides.
fn stored(exif: u8, x: f64, y: f64) -> (f64, f64) {
    match exif {
        // Mirrored left to right, turned by 180 degrees, mirrored top to bottom.
        2 => (1.0 - x, y),
        3 => (1.0 - x, 1.0 - y),
        4 => (x, 1.0 - y),
        // Mirrored about the diagonal from top left to bottom right, turned by 90 degrees clockwise.
        5 => (y, x),
        6 => (y, 1.0 - x),
        // Mirrored about the diagonal from top right to bottom left, turned by 90 degrees counter-clockwise.
        7 => (1.0 - y, 1.0 - x),
        8 => (1.0 - y, x),
        // Displayed as stored.
        _ => (x, y),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pixels = Vec<Vec<bool>>;

    fn mirrored(pixels: &Pixels) -> Pixels {
        pixels.iter().map(|row| row.iter().rev().copied().collect()).collect()
    }

    fn turned_clockwise(pixels: &Pixels) -> Pixels {
        let columns = pixels[0].len();
        (0..columns).map(|x| pixels.iter().rev().map(|row| row[x]).collect()).collect()
    }

    /// The photo as displayed, made of turns and one mirror only.
    fn displayed(stored: &Pixels, exif: u8) -> Pixels {
        let turns = |count: usize| (0..count).fold(stored.clone(), |pixels, _| turned_clockwise(&pixels));
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
        for unknown in [0, 9] {
            assert_eq!(stored(unknown, 0.1, 0.2), (0.1, 0.2));
        }
    }

    /// Marks a box of a photo of 10 x 8 pixels, turns the pixels, and compares the places of the marked ones.
    fn check_turning(exif: u8, mark: [usize; 4]) {
        let [x, y, w, h] = mark;
        let mut stored = vec![vec![false; 10]; 8];
        for row in &mut stored[y..y + h] {
            row[x..x + w].fill(true);
        }
        let shown = displayed(&stored, exif);
        let size = Dimensions { width: shown[0].len() as u32, height: shown.len() as u32 };
        let shown_mark = marked(&shown).map(|side| side as f64);

        let area = stored_area(exif, shown_mark, size).expect("an area");
        let [left, top, right, bottom] = area.edges();
        let found = [left * 10.0, top * 8.0, (right - left) * 10.0, (bottom - top) * 8.0];
        assert_close(found, mark.map(|side| side as f64));

        assert_close(displayed_box(exif, &area, size), shown_mark);
        let layout = PhotoLayout::new((size.width, size.height), exif, &[]);
        let back = layout.in_frame(area, Frame::Displayed);
        let [left, top, right, bottom] = back.edges();
        let (across, down) = size.sides();
        let as_shown = [left * across, top * down, (right - left) * across, (bottom - top) * down];
        assert_close(as_shown, shown_mark);
        let there = layout.to_stored(back, Frame::Displayed).edges();
        assert!(there.iter().zip(area.edges()).all(|(a, b)| (a - b).abs() < 1e-9));
        let stored_size = layout.stored();
        assert_eq!((stored_size.width, stored_size.height), (10, 8));
    }

    /// The box, in the photo as displayed, of an area of the photo as stored.
    fn displayed_box(exif: u8, area: &Area, displayed: Dimensions) -> [f64; 4] {
        let back = inverse(exif);
        let (width, height) = displayed.sides();
        let [left, top, right, bottom] = area.edges();
        let (a, b) = (stored(back, left, top), stored(back, right, bottom));
        [a.0.min(b.0) * width, a.1.min(b.1) * height, (a.0 - b.0).abs() * width, (a.1 - b.1).abs() * height]
    }

    fn assert_close(found: [f64; 4], wanted: [f64; 4]) {
        for (a, b) in found.iter().zip(wanted) {
            assert!((a - b).abs() < 1e-9, "{found:?} {wanted:?}");
        }
    }

    #[test]
    fn boxes_are_cut_off_at_the_edges() {
        let size = Dimensions { width: 100, height: 50 };
        let over = [-10.0, 40.0, 20.0, 30.0];
        let area = stored_area(1, over, size).expect("an area");
        for (found, wanted) in area.edges().iter().zip([0.0, 0.8, 0.1, 1.0]) {
            assert!((found - wanted).abs() < 1e-12);
        }
        let beyond = [101.0, 40.0, 20.0, 30.0];
        assert_eq!(stored_area(6, beyond, size), None);
        let nothing = Dimensions { width: 0, height: 0 };
        assert_eq!(stored_area(1, over, nothing), None);
    }
}
