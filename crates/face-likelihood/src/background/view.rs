//! Views of an aligned face: nearer or farther, and with the mouth brought to its usual place.
//!
//! Eyes alone do not say how far a head is turned or bowed: the mouth then stands beside the middle, or too high or too
//! low. A view shears the face until the mouth is below the middle of the eyes, and stretches or compresses it below
//! them. All is in whole numbers, so that the view of a mirrored face is the mirrored view on any machine.

use vectorised::vectorised_mut;

use super::FACE;

/// Places are counted in so many parts of a pixel.
pub const SUBPIXELS: i32 = 256;

/// Height of the eyes in an aligned face, and of the usual mouth below them, in [`SUBPIXELS`].
pub const EYES: i32 = 6_692;
pub const BELOW_EYES: i32 = 8_537;

/// How far from its usual place a mouth is looked for, across and down, in [`SUBPIXELS`]: a third of the eyes' distance.
const FARTHEST: i32 = BELOW_EYES / 3;

/// Place of the middle of the mouth of an aligned face, from its usual place, in [`SUBPIXELS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mouth {
    across: i32,
    down: i32,
}

impl Mouth {
    /// The place, or the nearest at which a mouth may be.
    pub fn at(across: i32, down: i32) -> Self {
        Self { across: across.clamp(-FARTHEST, FARTHEST), down: down.clamp(-FARTHEST, FARTHEST) }
    }

    /// To the right of the usual place, in [`SUBPIXELS`].
    pub fn across(self) -> i32 {
        self.across
    }

    /// Below the usual place, in [`SUBPIXELS`].
    pub fn down(self) -> i32 {
        self.down
    }
}

/// How far a view goes in bringing the mouth to its usual height. Across it always goes all the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stretch {
    /// Half of the way: a long face stays longer than a short one.
    Half,
    /// All the way.
    Whole,
}

/// Magnification of a face: `from` pixels are drawn as `to`.
#[derive(Debug, Clone, Copy)]
pub struct Zoom {
    pub to: i32,
    pub from: i32,
}

/// A view of a face.
#[derive(Debug, Clone, Copy)]
pub struct View {
    pub zoom: Zoom,
    pub mouth: Mouth,
    pub stretch: Stretch,
}

/// A position between two pixels: both, and the weight of the one after, of [`WHOLE`].
#[derive(Clone, Copy)]
struct Between {
    before: usize,
    after: usize,
    weight: i32,
}

/// Positions across and down are in halves of [`SUBPIXELS`].
const WHOLE: i32 = 2 * SUBPIXELS;
const BITS: u32 = WHOLE.trailing_zeros();
const _: () = assert!(WHOLE == 1 << BITS);

const WIDTH: usize = FACE.width() as usize;

impl Between {
    /// `place` from the middle of the first pixel; beyond the border its nearest pixel.
    fn of(place: i32, side: i32) -> Self {
        // What div_euclid and rem_euclid are for a power of two.
        let before = place >> BITS;
        let last = side - 1;
        Self {
            before: before.clamp(0, last) as usize,
            after: (before + 1).clamp(0, last) as usize,
            weight: place & (WHOLE - 1),
        }
    }
}

impl View {
    /// The view of a face of the size [`FACE`], bilinear; nearer or farther about a point two fifths from the top.
    pub fn of(self, face: &[u8]) -> Vec<u8> {
        /// Levels of a row with one more at either end: a power of two, so that no place is out of range.
        const LEVELS: usize = (WIDTH + 2).next_power_of_two();
        let across = self.across();
        let mut view = vec![0; face.len()];
        vectorised_mut(
            #[inline(always)]
            || {
                let mut levels = [0; LEVELS];
                for (to, (row, shift)) in view.chunks_exact_mut(WIDTH).zip(self.rows()) {
                    let [upper, lower] = [row.before, row.after].map(|row| &face[row * WIDTH..][..WIDTH]);
                    for (x, level) in levels[1..=WIDTH].iter_mut().enumerate() {
                        *level = i32::from(upper[x]) * (WHOLE - row.weight) + i32::from(lower[x]) * row.weight;
                    }
                    levels[0] = levels[1];
                    levels[WIDTH + 1] = levels[WIDTH];
                    for (to, across) in to.iter_mut().zip(across) {
                        // As Between::of has it; beyond the border both are the level there.
                        let place = across + shift;
                        let before = (place >> BITS).clamp(-1, WIDTH as i32 - 1);
                        let at = (before + 1) as usize;
                        let (before, after) = (levels[at % LEVELS], levels[(at + 1) % LEVELS]);
                        let weight = place & (WHOLE - 1);
                        let sum = before * (WHOLE - weight) + after * weight;
                        *to = ((sum + WHOLE * WHOLE / 2) >> (2 * BITS)) as u8;
                    }
                }
            },
        );
        view
    }

    /// The place in a face of each pixel of the view, by number: the nearest pixel.
    pub fn places(self) -> Vec<usize> {
        let nearer = |between: Between| if between.weight < SUBPIXELS { between.before } else { between.after };
        let across = self.across();
        self.rows()
            .flat_map(|(row, shift)| {
                let columns = across.map(|across| Between::of(across + shift, WIDTH as i32));
                columns.map(|column| nearer(row) * WIDTH + nearer(column))
            })
            .collect()
    }

    /// Where each column of the view lies in a face, but for the shift of a row.
    fn across(self) -> [i32; WIDTH] {
        let width = WIDTH as i32;
        std::array::from_fn(|x| self.zoomed((2 * x as i32 + 1 - width) * SUBPIXELS) + (width - 1) * SUBPIXELS)
    }

    /// Where each row of the view lies in a face, and its shift to the right.
    fn rows(self) -> impl Iterator<Item = (Between, i32)> {
        let height = FACE.height() as i32;
        let fixed = 2 * height / 5;
        (0..height).map(move |y| {
            let down = self.zoomed((2 * y + 1 - 2 * fixed) * SUBPIXELS) + (2 * fixed - 1) * SUBPIXELS;
            let (shift, down) = self.moved(down - 2 * EYES);
            (Between::of(down + 2 * EYES, height), shift)
        })
    }

    /// A distance in the view from the point that stays, as a distance in the face.
    fn zoomed(self, distance: i32) -> i32 {
        nearest(i64::from(distance) * i64::from(self.zoom.from), i64::from(self.zoom.to))
    }

    /// The shift to the right of a row of the view in the face, and its height there, from its height below the eyes.
    fn moved(self, below: i32) -> (i32, i32) {
        let usual = i64::from(BELOW_EYES);
        let below = i64::from(below);
        let stretched = match self.stretch {
            Stretch::Half => nearest(below * (2 * usual + i64::from(self.mouth.down)), 2 * usual),
            Stretch::Whole => nearest(below * (usual + i64::from(self.mouth.down)), usual),
        };
        (nearest(below * i64::from(self.mouth.across), usual), stretched)
    }
}

/// The nearest whole number to a fraction of a positive denominator; halves away from zero, alike for opposite fractions.
pub fn nearest(numerator: i64, denominator: i64) -> i32 {
    let away = (numerator.abs() + denominator / 2) / denominator;
    (away * numerator.signum()) as i32
}

#[cfg(test)]
mod tests {
    use super::super::tests::{drawn_face as face, mirrored};
    use super::*;

    fn view(to: i32, from: i32, across: i32, down: i32, stretch: Stretch) -> View {
        View { zoom: Zoom { to, from }, mouth: Mouth::at(across, down), stretch }
    }

    #[test]
    fn a_usual_face_seen_as_it_is_stays_as_it_is() {
        for stretch in [Stretch::Half, Stretch::Whole] {
            assert_eq!(view(1, 1, 0, 0, stretch).of(&face()), face());
        }
    }

    #[test]
    fn views_of_a_mirrored_face_are_mirrored_and_what_is_flat_stays_so() {
        for (to, from) in [(1, 1), (9, 8), (8, 9)] {
            for (across, down) in [(0, 0), (300, -200), (-1_001, 999), (9_999, 9_999)] {
                for stretch in [Stretch::Half, Stretch::Whole] {
                    let seen = view(to, from, across, down, stretch).of(&face());
                    let opposite = view(to, from, -across, down, stretch).of(&mirrored(&face()));
                    assert_eq!(opposite, mirrored(&seen), "{to} {from} {across} {down}");
                    let flat = view(to, from, across, down, stretch).of(&[99; 64 * 74]);
                    assert_eq!(flat, [99; 64 * 74]);
                }
            }
        }
    }

    /// The darkest place.
    fn darkest(face: &[u8]) -> (usize, usize) {
        let (at, _) = face.iter().enumerate().min_by_key(|(_, level)| **level).unwrap();
        (at % 64, at / 64)
    }

    #[test]
    fn the_mouth_comes_to_its_usual_place() {
        // The usual mouth is at (31.5, 59.5).
        for (x, y) in [(38, 60), (27, 66), (31, 52), (36, 55)] {
            let face: Vec<u8> = (0..FACE.pixels())
                .map(|at| {
                    let (dx, dy) = (at % 64, at / 64);
                    let square = dx.abs_diff(x).pow(2) + dy.abs_diff(y).pow(2);
                    (square * 4).min(255) as u8
                })
                .collect();
            let (across, down) = (x as i32 * SUBPIXELS - 8_064, y as i32 * SUBPIXELS - EYES - BELOW_EYES);
            let found = darkest(&view(1, 1, across, down, Stretch::Whole).of(&face));
            assert!(found.0.abs_diff(31) <= 1 && found.1.abs_diff(59) <= 1, "{found:?}");
            let half = darkest(&view(1, 1, across, down, Stretch::Half).of(&face));
            assert!(half.0.abs_diff(31) <= 1, "{half:?}");
            assert!(half.1.abs_diff((y + 59) / 2) <= 1, "{half:?}");
        }
    }

    #[test]
    fn a_nearer_view_shows_what_lies_nearer_the_middle() {
        // Levels rise by 3 a pixel to the right.
        let slope: Vec<u8> = (0..FACE.pixels()).map(|at| (at % 64 * 3) as u8).collect();
        let seen = view(2, 1, 0, 0, Stretch::Half).of(&slope);
        // The pixel in column 8 lies at (8.5 - 32) / 2 + 32 - 0.5 = 19.75.
        assert_eq!((seen[8], slope[8]), (59, 24));
    }

    #[test]
    fn opposite_fractions_have_opposite_nearest_numbers() {
        for (numerator, expected) in [(7, 2), (5, 2), (4, 1), (2, 1), (1, 0), (0, 0)] {
            assert_eq!(nearest(numerator, 3), expected);
            assert_eq!(nearest(-numerator, 3), -expected);
        }
        assert_eq!((nearest(5, 2), nearest(-5, 2)), (3, -3));
    }
}
