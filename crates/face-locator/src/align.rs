//! From a photo to a crop: a similarity transform that puts both eyes where every other face has them.
//!
//! Coordinates are pixels; the centre of the pixel in column i lies at x = i. A crop may reach beyond
//! the photo: the border is replicated there. All functions are total: any size, any numbers.

use image::{GrayImage, Luma};

pub use super::bilinear::Point;
use super::bilinear::values;
use super::crop::samples;
use vectorised::vectorised_mut;

/// Position of the eyes in an aligned crop: on one level, as far from the left edge as from the right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EyePlacement {
    /// Distance of each eye from its nearer side edge, as a fraction of the crop's width.
    pub inset: f32,
    /// Distance of the eyes from the upper edge, as a fraction of the crop's height.
    pub level: f32,
}

impl EyePlacement {
    /// The pixel coordinates of both eyes (image-left first) in a crop of `width` x `height`.
    pub fn points(self, width: u32, height: u32) -> [Point; 2] {
        let (width, height) = (width as f32, height as f32);
        // The fraction f of a length n lies at f n - 1/2, as pixel centres have whole numbers.
        let y = self.level * height - 0.5;
        [[self.inset * width - 0.5, y], [(1.0 - self.inset) * width - 0.5, y]]
    }
}

/// A rotation, scale and shift: (u, v) goes to (a u - b v + x, b u + a v + y).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similarity {
    a: f32,
    b: f32,
    x: f32,
    y: f32,
}

impl Similarity {
    /// The similarity that takes both points of `from` to those of `to`; of two equal points, the shift of the first.
    pub fn between(from: [Point; 2], to: [Point; 2]) -> Self {
        let (du, dv) = (from[1][0] - from[0][0], from[1][1] - from[0][1]);
        let (dx, dy) = (to[1][0] - to[0][0], to[1][1] - to[0][1]);
        let square = du * du + dv * dv;
        let (a, b) =
            if square > 0.0 { ((dx * du + dy * dv) / square, (dy * du - dx * dv) / square) } else { (1.0, 0.0) };
        let x = to[0][0] - (a * from[0][0] - b * from[0][1]);
        let y = to[0][1] - (b * from[0][0] + a * from[0][1]);
        Self { a, b, x, y }
    }

    /// The image of a point.
    #[inline(always)] // in loops that are compiled for vector registers
    pub fn apply(&self, [u, v]: Point) -> Point {
        [self.a * u - self.b * v + self.x, self.b * u + self.a * v + self.y]
    }

    /// Number of pixels of the target that one pixel of the source spans.
    pub fn scale(&self) -> f32 {
        (self.a * self.a + self.b * self.b).sqrt()
    }
}

/// Crops the face whose eyes are given (image-left first), so that they come to stand as `placement` says.
///
/// Rotates, scales and shifts; never shears. A crop smaller than the face in the photo is averaged over
/// the pixels it covers, so that fine patterns do not alias.
pub fn align(photo: &GrayImage, eyes: [Point; 2], (width, height): (u32, u32), placement: EyePlacement) -> GrayImage {
    let levels = align_with_tone(photo, eyes, (width, height), placement, |level| level);
    GrayImage::from_fn(width, height, |column, row| Luma([(levels[(row * width + column) as usize] + 0.5) as u8]))
}

/// As [`align`], by levels (0 to 255) after a tone curve: width x height of them, row by row, not rounded.
pub fn align_with_tone(
    photo: &GrayImage,
    eyes: [Point; 2],
    (width, height): (u32, u32),
    placement: EyePlacement,
    tone: impl Fn(f32) -> f32,
) -> Vec<f32> {
    let to_photo = Similarity::between(placement.points(width, height), eyes);
    if photo.width() == 0 || photo.height() == 0 {
        return vec![0.0; width as usize * height as usize];
    }
    // Every pixel is the average of a regular grid of bilinear samples about one photo pixel apart.
    let samples = samples(to_photo.scale());
    let offsets: Vec<f32> = (0..samples).map(|i| (i as f32 + 0.5) / samples as f32 - 0.5).collect();
    let mut levels = vec![0.0; width as usize * height as usize];
    for (row, levels) in levels.chunks_exact_mut(width.max(1) as usize).enumerate() {
        for (part, levels) in levels.chunks_mut(TOGETHER).enumerate() {
            let first = [(part * TOGETHER) as f32, row as f32];
            vectorised_mut(
                #[inline(always)]
                || {
                    let means = means(photo, &to_photo, first, &offsets, &tone);
                    levels.copy_from_slice(&means[..levels.len()]);
                },
            );
        }
    }
    levels
}

/// Each of the pixels from `first` on to the right: the mean of samples at these offsets, across and down, after a tone curve.
#[inline(always)]
fn means(
    photo: &GrayImage,
    to_photo: &Similarity,
    [column, row]: Point,
    offsets: &[f32],
    tone: impl Fn(f32) -> f32,
) -> [f32; TOGETHER] {
    let mut sums = [0.0; TOGETHER];
    for dy in offsets {
        for dx in offsets {
            let points = std::array::from_fn(
                #[inline(always)]
                |at| to_photo.apply([column + at as f32 + dx, row + dy]),
            );
            let values: [f32; TOGETHER] = values(photo, &points);
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += tone(value);
            }
        }
    }
    let share = 1.0 / (offsets.len() * offsets.len()) as f32;
    sums.map(|sum| sum * share)
}

/// Pixels of a row computed side by side.
const TOGETHER: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crop::crop;
    use proptest::prelude::*;

    /// A black picture with one soft white dot, brightest exactly at the point given.
    fn dot(width: u32, height: u32, [x, y]: Point) -> GrayImage {
        GrayImage::from_fn(width, height, |column, row| {
            let square = (column as f32 - x).powi(2) + (row as f32 - y).powi(2);
            Luma([(250.0 * libm::expf(-square / 18.0)) as u8])
        })
    }

    /// The centre of brightness.
    fn centre(picture: &GrayImage) -> Point {
        let mut sums = [0.0f64; 3];
        for (x, y, Luma([gray])) in picture.enumerate_pixels() {
            let gray = f64::from(*gray);
            sums = [sums[0] + gray, sums[1] + gray * f64::from(x), sums[2] + gray * f64::from(y)];
        }
        [(sums[1] / sums[0]) as f32, (sums[2] / sums[0]) as f32]
    }

    const PLACEMENT: EyePlacement = EyePlacement { inset: 0.3, level: 0.4 };

    #[test]
    fn each_eye_comes_to_stand_where_the_placement_says() {
        // Upright, turned, enlarged and shrunk faces.
        for eyes in [[[70.0, 80.0], [110.0, 80.0]], [[70.3, 90.6], [118.1, 70.2]], [[92.0, 80.0], [104.0, 82.0]]] {
            for (width, height) in [(60, 64), (41, 50), (200, 180)] {
                for eye in 0..2 {
                    let aligned = align(&dot(190, 170, eyes[eye]), eyes, (width, height), PLACEMENT);
                    let wanted = PLACEMENT.points(width, height)[eye];
                    let found = centre(&aligned);
                    let off = libm::hypotf(found[0] - wanted[0], found[1] - wanted[1]);
                    assert!(off < 0.15, "{eyes:?} to {width}x{height}: eye {eye} at {found:?}, not {wanted:?}");
                }
            }
        }
    }

    #[test]
    fn an_identity_copies_every_pixel() {
        let photo = GrayImage::from_fn(31, 17, |x, y| Luma([(x * 37 + y * 91) as u8]));
        let eyes = EyePlacement { inset: 0.25, level: 0.5 }.points(31, 17);
        assert_eq!(align(&photo, eyes, (31, 17), EyePlacement { inset: 0.25, level: 0.5 }), photo);
        assert_eq!(crop(&photo, [0.0, 0.0, 31.0, 17.0], (31, 17)), photo);
    }

    #[test]
    fn shrinking_averages_instead_of_picking_pixels() {
        let stripes = GrayImage::from_fn(256, 256, |x, _| Luma([if x % 2 == 0 { 0 } else { 255 }]));
        let small = crop(&stripes, [0.0, 0.0, 256.0, 256.0], (32, 32));
        for Luma([gray]) in small.pixels() {
            assert!((120..=136).contains(gray), "stripes must melt to middle gray, not {gray}");
        }
    }

    #[test]
    fn beyond_the_photo_the_border_goes_on() {
        let photo = GrayImage::from_fn(8, 8, |x, _| Luma([if x < 4 { 10 } else { 200 }]));
        let wide = crop(&photo, [-8.0, -8.0, 24.0, 24.0], (24, 24));
        assert_eq!(wide.get_pixel(0, 0), &Luma([10]));
        assert_eq!(wide.get_pixel(23, 23), &Luma([200]));
    }

    #[test]
    fn degenerate_input_gives_a_picture_all_the_same() {
        let photo = GrayImage::from_pixel(5, 5, Luma([77]));
        for eyes in [[[2.0, 2.0]; 2], [[f32::NAN; 2]; 2], [[f32::INFINITY, 0.0], [0.0, f32::MIN]]] {
            assert_eq!(align(&photo, eyes, (6, 7), PLACEMENT).dimensions(), (6, 7));
        }
        assert_eq!(align(&GrayImage::new(0, 0), [[0.0; 2]; 2], (3, 3), PLACEMENT).dimensions(), (3, 3));
        assert_eq!(align(&photo, [[1.0, 1.0], [3.0, 1.0]], (0, 9), PLACEMENT).dimensions(), (0, 9));
    }

    proptest! {
        #[test]
        fn the_similarity_hits_both_points(from in [[-50f32..50.0, -50f32..50.0], [60f32..160.0, -50f32..50.0]],
                                           to in [[-50f32..50.0, -50f32..50.0], [60f32..160.0, -50f32..50.0]]) {
            let similarity = Similarity::between(from, to);
            for (from, to) in from.into_iter().zip(to) {
                let hit = similarity.apply(from);
                prop_assert!((hit[0] - to[0]).abs() < 0.01 && (hit[1] - to[1]).abs() < 0.01);
            }
        }
    }
}
