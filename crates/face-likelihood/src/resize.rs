//! Resizing photos and faces to the size of faces, without a change of aspect ratio.
//!
//! Where its shape is off by more than [`ASPECT_TOLERANCE_PERCENT`], the largest centred part of the right shape is kept.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::GrayImage;

use crate::face_matrix::FaceSize;

/// Shapes that differ by no more than this are one shape: 2 pixels in 100, less than any face's
/// own variation, and enough to cover rounding when photos were scaled before.
pub const ASPECT_TOLERANCE_PERCENT: u32 = 2;

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

/// w1 h2 and w2 h1: equal for equal shapes.
pub fn cross(a: (u32, u32), b: (u32, u32)) -> (u128, u128) {
    let product = |w: u32, h: u32| u128::from(w) * u128::from(h);
    (product(a.0, b.1), product(b.0, a.1))
}

/// Whether two shapes differ by no more than the tolerance.
pub fn is_same_shape(a: (u32, u32), b: (u32, u32)) -> bool {
    let (left, right) = cross(a, b);
    left.max(right) * 100 <= left.min(right) * u128::from(100 + ASPECT_TOLERANCE_PERCENT)
}

/// Brings a gray photo to `size`.
///
/// Catmull-Rom with the support widened when scaling down, so that fine texture is averaged, not
/// aliased. Chosen over Lanczos3 for its shorter support (4 taps, not 6): less work, and less
/// ringing at hair and collars. A photo of the very size is returned as it is.
///
/// `None` if a side of the photo is below [`FaceSize::MIN_SIDE`].
pub fn fit(photo: &GrayImage, size: FaceSize) -> Option<(GrayImage, Fit)> {
    let (width, height) = photo.dimensions();
    if width.min(height) < FaceSize::MIN_SIDE {
        return None;
    }
    let wanted = (size.width(), size.height());
    let shape = if is_same_shape((width, height), wanted) { Shape::Whole } else { Shape::Cropped };
    let (whole_width, whole_height) = (f64::from(width), f64::from(height));
    let aspect = f64::from(wanted.0) / f64::from(wanted.1);
    // All of the photo if it has the shape of the size, or else the largest centred part that has.
    let (part_width, part_height) = match shape {
        Shape::Whole => (whole_width, whole_height),
        Shape::Cropped if whole_width > whole_height * aspect => (whole_height * aspect, whole_height),
        Shape::Cropped => (whole_width, whole_width / aspect),
    };
    let tolerance = 1.0 + f64::from(ASPECT_TOLERANCE_PERCENT) / 100.0;
    let scale = match (width, height) == wanted {
        true => Scale::Same,
        false if f64::from(wanted.0) > part_width * tolerance => Scale::Enlarged,
        false => Scale::Reduced,
    };
    let fit = Fit { shape, scale };
    if shape == Shape::Whole && scale == Scale::Same {
        return Some((photo.clone(), fit));
    }
    let (left, top) = ((whole_width - part_width) / 2.0, (whole_height - part_height) / 2.0);
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
    let options = options.crop(left, top, part_width, part_height);
    Some((resized(photo, size, &options)?, fit))
}

/// For one type of pixel: each call of the crate's method for any type compiles 26 of them.
fn resized(photo: &GrayImage, size: FaceSize, options: &ResizeOptions) -> Option<GrayImage> {
    let pixels = photo.as_raw();
    let from = TypedImageRef::<U8>::from_buffer(photo.width(), photo.height(), pixels).ok()?;
    let mut pixels = vec![0; size.pixels()];
    let mut to = TypedImage::<U8>::from_buffer(size.width(), size.height(), &mut pixels).ok()?;
    Resizer::new().resize_typed(&from, &mut to, options).ok()?;
    GrayImage::from_raw(size.width(), size.height(), pixels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;
    use proptest::prelude::*;

    fn size(width: u32, height: u32) -> FaceSize {
        FaceSize::new(width, height).unwrap()
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
            Luma([if libm::hypot(dx, dy) < 50.0 { 200 } else { 0 }])
        });
        let (face, fit) = fit(&disc, size(80, 120)).unwrap();
        assert_eq!((fit.shape, fit.scale), (Shape::Cropped, Scale::Reduced));
        let bright = |line: &mut dyn Iterator<Item = u8>| line.filter(|&v| v > 100).count();
        let across = bright(&mut (0..80).map(|x| face[(x, 60)][0]));
        let down = bright(&mut (0..120).map(|y| face[(40, y)][0]));
        assert_eq!((across, down), (60, 60));
        let mirrored = image::imageops::flip_horizontal(&face);
        let apart = face.as_raw().iter().zip(mirrored.as_raw()).map(|(a, b)| a.abs_diff(*b));
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
        assert_eq!(told(46, 56), Some(Scale::Enlarged));
        assert_eq!(told(8, 8), Some(Scale::Enlarged));
        assert_eq!(told(7, 100), None);
    }

    #[test]
    fn fine_texture_is_averaged_not_aliased() {
        let stripes = GrayImage::from_fn(400, 400, |x, _| Luma([(x % 2) as u8 * 255]));
        let (face, _) = fit(&stripes, size(90, 90)).unwrap();
        assert!(face.as_raw().iter().all(|v| (118..=138).contains(v)));
    }

    proptest! {
        #[test]
        fn flat_photos_stay_flat(w in 8..200u32, h in 8..200u32, v: u8) {
            let (face, _) = fit(&GrayImage::from_pixel(w, h, Luma([v])), size(30, 41)).unwrap();
            prop_assert!(face.as_raw().iter().all(|&p| p == v));
            prop_assert_eq!(face.dimensions(), (30, 41));
        }
    }
}
