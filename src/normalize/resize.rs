//! One size for all faces: which, and how a photo is brought to it.
//!
//! A photo is never stretched. Where its shape differs from the faces' by more than
//! [`ASPECT_TOLERANCE_PERCENT`], the largest centred part of the right shape is kept and the rest
//! cut off. Cut off rather than padded: padding puts the same black bars at the same pixels of some
//! photos and not of others, and PCA takes such bars for the greatest difference between people;
//! what is cut from the edges is background, and the face of a portrait lies in the middle.

use face_locator::resize::resized;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions};
use image::GrayImage;

use crate::error::{PhotoProblem, Result};
use crate::face_matrix::FaceSize;

/// Shapes that differ by no more than this are one shape: 2 pixels in 100, less than any face's
/// own variation, and enough to cover rounding when photos were scaled before.
pub const ASPECT_TOLERANCE_PERCENT: u32 = 2;

/// Faces have at most this many pixels unless the user asks for more: the classic 92x112 become 54x66, as
/// many as aligned faces have. Measured, more recognise no better and cost more work (docs/RECIPES.md).
const MOST_PIXELS: u64 = 3_600;

/// The change that brought a photo to the size of a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fit {
    /// The change of its shape.
    pub shape: Shape,
    /// The change of its scale.
    pub scale: Scale,
}

/// The change of a photo's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// All of it was kept.
    Whole,
    /// Its edges were cut off, left and right or top and bottom.
    Cropped,
}

/// The change of a photo's scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scale {
    /// Its pixels were taken as they are.
    Same,
    /// It was larger and was scaled down.
    Reduced,
    /// It was smaller and was scaled up: there is less detail than the size promises.
    Enlarged,
}

/// Chooses the size of faces from the sizes of all photos (width, height; upright).
///
/// The shape that most photos share (within [`ASPECT_TOLERANCE_PERCENT`]); of the photos of that
/// shape, the middle one by area gives the size: its own if that is at most 3,600 pixels, or else
/// scaled down, shape kept, to at most that many. The order of the photos does not matter. `None` if no
/// photo is large enough to show a face.
pub fn choose_size(photos: &[(u32, u32)]) -> Option<FaceSize> {
    let mut usable: Vec<_> = photos
        .iter()
        .copied()
        .filter(|&(width, height)| width.min(height) >= FaceSize::MIN_SIDE)
        .collect();
    usable.sort_unstable_by(|&a, &b| slimness(a, b).then_with(|| a.cmp(&b)));
    let mut same_shape = most_common_shape(&usable).to_vec();
    same_shape.sort_unstable_by_key(|&(width, height)| (area((width, height)), width));
    let &middle = same_shape.get(same_shape.len().checked_sub(1)? / 2)?;
    scaled_down(middle)
}

/// Orders shapes from upright to wide: w1 / h1 against w2 / h2, exactly.
fn slimness(a: (u32, u32), b: (u32, u32)) -> std::cmp::Ordering {
    let (left, right) = cross(a, b);
    left.cmp(&right)
}

/// w1 h2 and w2 h1: equal for equal shapes.
fn cross(a: (u32, u32), b: (u32, u32)) -> (u128, u128) {
    let product = |w: u32, h: u32| u128::from(w) * u128::from(h);
    (product(a.0, b.1), product(b.0, a.1))
}

fn area((width, height): (u32, u32)) -> u64 {
    u64::from(width) * u64::from(height)
}

/// Whether two shapes differ by no more than the tolerance.
fn is_same_shape(a: (u32, u32), b: (u32, u32)) -> bool {
    let (left, right) = cross(a, b);
    left.max(right) * 100 <= left.min(right) * u128::from(100 + ASPECT_TOLERANCE_PERCENT)
}

/// The longest run of photos, sorted by shape, whose outermost shapes are still one shape; of
/// equally long ones the first, that is the most upright.
fn most_common_shape(sorted: &[(u32, u32)]) -> &[(u32, u32)] {
    let mut best: &[(u32, u32)] = &[];
    let mut start = 0;
    for end in 1..=sorted.len() {
        while !is_same_shape(sorted[start], sorted[end - 1]) {
            start += 1;
        }
        if end - start > best.len() {
            best = &sorted[start..end];
        }
    }
    best
}

/// The photo's own size, or the largest of its shape within [`MOST_PIXELS`].
fn scaled_down(photo: (u32, u32)) -> Option<FaceSize> {
    let (width, height) = photo;
    if area(photo) <= MOST_PIXELS
        && let Ok(size) = FaceSize::new(width, height)
    {
        return Some(size);
    }
    let most = MOST_PIXELS as f64;
    let aspect = f64::from(width) / f64::from(height);
    let bounded = |side: f64| side.clamp(FaceSize::MIN_SIDE.into(), FaceSize::MAX_SIDE.into());
    // Rounded down, and the other side from it, also down: never above the target.
    let (width, height) = if aspect >= 1.0 {
        let height = bounded((most / aspect).sqrt().floor());
        (
            bounded((height * aspect).round().min((most / height).floor())),
            height,
        )
    } else {
        let width = bounded((most * aspect).sqrt().floor());
        (
            width,
            bounded((width / aspect).round().min((most / width).floor())),
        )
    };
    FaceSize::new(width as u32, height as u32).ok()
}

/// Brings a gray photo to `size`.
///
/// Catmull-Rom with the support widened when scaling down, so that fine texture is averaged, not
/// aliased. Chosen over Lanczos3 for its shorter support (4 taps, not 6): less work, and less
/// ringing at hair and collars. A photo of the very size is returned as it is.
///
/// # Errors
/// [`PhotoProblem::TooSmall`] if a side is below [`FaceSize::MIN_SIDE`].
pub fn fit(photo: &GrayImage, size: FaceSize) -> Result<(GrayImage, Fit), PhotoProblem> {
    let (width, height) = photo.dimensions();
    let too_small = PhotoProblem::TooSmall {
        width,
        height,
        min: FaceSize::MIN_SIDE,
    };
    if width.min(height) < FaceSize::MIN_SIDE {
        return Err(too_small);
    }
    let part = Part::of(photo.dimensions(), size);
    let fit = part.fit(photo.dimensions(), size);
    if fit.shape == Shape::Whole && fit.scale == Scale::Same {
        return Ok((photo.clone(), fit));
    }
    let options = ResizeOptions::new()
        .resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom))
        .crop(part.left, part.top, part.width, part.height);
    resized(photo, [size.width(), size.height()], &options)
        .map(|face| (face, fit))
        .ok_or(too_small)
}

/// The part of a photo that is kept, in pixels.
struct Part {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Part {
    /// All of the photo if it has the shape of `size`, or else the largest centred part that has.
    fn of(photo: (u32, u32), size: FaceSize) -> Self {
        let (width, height) = (f64::from(photo.0), f64::from(photo.1));
        let wanted = (size.width(), size.height());
        let aspect = f64::from(wanted.0) / f64::from(wanted.1);
        let (part_width, part_height) = if is_same_shape(photo, wanted) {
            (width, height)
        } else if width > height * aspect {
            (height * aspect, height)
        } else {
            (width, width / aspect)
        };
        Self {
            left: (width - part_width) / 2.0,
            top: (height - part_height) / 2.0,
            width: part_width,
            height: part_height,
        }
    }

    fn fit(&self, photo: (u32, u32), size: FaceSize) -> Fit {
        let tolerance = 1.0 + f64::from(ASPECT_TOLERANCE_PERCENT) / 100.0;
        let shape = match is_same_shape(photo, (size.width(), size.height())) {
            true => Shape::Whole,
            false => Shape::Cropped,
        };
        let scale = if photo == (size.width(), size.height()) {
            Scale::Same
        } else if f64::from(size.width()) > self.width * tolerance {
            Scale::Enlarged
        } else {
            Scale::Reduced
        };
        Fit { shape, scale }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;
    use proptest::prelude::*;

    fn size(width: u32, height: u32) -> FaceSize {
        FaceSize::new(width, height).unwrap()
    }

    fn chosen(photos: &[(u32, u32)]) -> String {
        choose_size(photos).map_or("none".into(), |size| size.to_string())
    }

    #[test]
    fn the_size_is_that_of_most_photos() {
        for (photos, expected) in [
            (vec![(92, 112); 10], "54x66"),
            (vec![(250, 250); 3], "60x60"),
            (vec![(40, 48); 3], "40x48"),
            (vec![(320, 243)], "68x52"),
            (vec![(3000, 4000), (4000, 3000), (1512, 2016)], "51x68"),
            (vec![(92, 112), (92, 112), (112, 92), (500, 500)], "54x66"),
            (vec![(4000, 100)], "360x9"),
            (vec![(100_000, 100)], "450x8"),
            (vec![(1, 1), (7, 100), (92, 112)], "54x66"),
            (vec![(1, 1)], "none"),
            (vec![], "none"),
        ] {
            assert_eq!(chosen(&photos), expected, "{photos:?}");
        }
    }

    #[test]
    fn nearly_equal_shapes_count_together() {
        let photos = [(100, 130), (200, 261), (301, 390), (80, 80), (80, 80)];
        assert_eq!(chosen(&photos), "52x68");
    }

    #[test]
    fn a_photo_of_the_size_is_untouched() {
        let photo = GrayImage::from_fn(20, 30, |x, y| Luma([(x * 7 + y * 3) as u8]));
        let (face, fit) = fit(&photo, size(20, 30)).unwrap();
        assert_eq!(face, photo);
        assert_eq!((fit.shape, fit.scale), (Shape::Whole, Scale::Same));
    }

    #[test]
    fn a_transposed_photo_is_cropped_not_stretched() {
        // A disc stays a disc: as wide as it is high.
        let disc = GrayImage::from_fn(300, 200, |x, y| {
            let (dx, dy) = (f64::from(x) - 149.5, f64::from(y) - 99.5);
            Luma([if dx.hypot(dy) < 50.0 { 200 } else { 0 }])
        });
        let (face, fit) = fit(&disc, size(80, 120)).unwrap();
        assert_eq!((fit.shape, fit.scale), (Shape::Cropped, Scale::Reduced));
        let bright = |line: &mut dyn Iterator<Item = u8>| line.filter(|&v| v > 100).count();
        let across = bright(&mut (0..80).map(|x| face[(x, 60)][0]));
        let down = bright(&mut (0..120).map(|y| face[(40, y)][0]));
        assert_eq!((across, down), (60, 60));
        let mirrored = image::imageops::flip_horizontal(&face);
        let apart = face
            .as_raw()
            .iter()
            .zip(mirrored.as_raw())
            .map(|(a, b)| a.abs_diff(*b));
        assert!(apart.max() <= Some(2), "the middle stays the middle");
    }

    #[test]
    fn small_differences_of_shape_are_scaled() {
        let fit = |w, h| fit(&GrayImage::new(w, h), size(100, 100)).unwrap().1.shape;
        assert_eq!(fit(102, 100), Shape::Whole);
        assert_eq!(fit(103, 100), Shape::Cropped);
        assert_eq!(fit(100, 102), Shape::Whole);
    }

    #[test]
    fn enlarging_is_told_and_tiny_photos_are_refused() {
        let told = |w, h| fit(&GrayImage::new(w, h), size(92, 112)).map(|(_, fit)| fit.scale);
        assert_eq!(told(46, 56), Ok(Scale::Enlarged));
        assert_eq!(told(8, 8), Ok(Scale::Enlarged));
        let error = told(7, 100).unwrap_err().to_string();
        assert!(error.contains("7x100") && error.contains("8x8"), "{error}");
    }

    #[test]
    fn fine_texture_is_averaged_not_aliased() {
        let stripes = GrayImage::from_fn(400, 400, |x, _| Luma([(x % 2) as u8 * 255]));
        let (face, _) = fit(&stripes, size(90, 90)).unwrap();
        assert!(face.as_raw().iter().all(|v| (118..=138).contains(v)));
    }

    proptest! {
        #[test]
        fn the_chosen_size_keeps_the_shape_and_the_bound(w in 8..6000u32, h in 8..6000u32) {
            let size = choose_size(&[(w, h)]).unwrap();
            prop_assert!(size.pixels() <= 3_600);
            let (wanted, got) = (f64::from(w) / f64::from(h), f64::from(size.width()) / f64::from(size.height()));
            if (0.2..=5.0).contains(&wanted) {
                prop_assert!((got / wanted - 1.0).abs() < 0.06, "{} {}", wanted, size);
                prop_assert!(u64::from(w) * u64::from(h) < 3_600 || size.pixels() > 3_300);
            }
        }

        #[test]
        fn order_does_not_matter(mut photos in proptest::collection::vec((1..300u32, 1..300u32), 0..20)) {
            let first = choose_size(&photos);
            photos.reverse();
            prop_assert_eq!(choose_size(&photos), first);
        }

        #[test]
        fn flat_photos_stay_flat(w in 8..200u32, h in 8..200u32, v: u8) {
            let (face, _) = fit(&GrayImage::from_pixel(w, h, Luma([v])), size(30, 41)).unwrap();
            prop_assert!(face.as_raw().iter().all(|&p| p == v));
            prop_assert_eq!(face.dimensions(), (30, 41));
        }
    }
}
