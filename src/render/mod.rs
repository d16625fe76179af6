//! Pictures of what was learned. Nothing here touches the file system: callers get images and text.

// Numbers here are only drawn.
#![allow(clippy::disallowed_methods)]

pub mod annotate;
pub mod caption;
mod chart;
mod drawing;
pub mod evaluation;
pub mod explain;
pub mod heat;
mod labels;
pub mod lesson;
#[doc(hidden)]
pub mod lettering;
pub mod scatter;
mod scree;
pub mod sheet;
pub mod strip;
mod template;

pub use drawing::Drawing;
pub use scree::scree;

use std::borrow::Cow;
use std::io::Cursor;
use std::path::Path;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{DynamicImage, GrayImage, ImageResult, Luma};

use crate::face_matrix::FaceSize;
use crate::kernel_pca::KernelSpace;
use crate::kernel_pca::pre_image::PreImages;
use crate::matcher::Space;

/// The words for one of the parts that faces of a space are made of, and for several.
pub fn parts(space: &Space) -> (&'static str, &'static str) {
    if let Space::Kernel(..) = space { ("component", "components") } else { ("basis face", "basis faces") }
}

/// The name of a photo, without its folders.
fn file_name(source: &str) -> Cow<'_, str> {
    Path::new(source).file_name().unwrap_or_default().to_string_lossy()
}

/// The gray level that stands for zero in a picture of signed values.
pub const ZERO: f32 = 128.0;

/// A picture as PNG, encoded in this place only: formats named at run time compile all their encoders wherever that is.
///
/// # Errors
/// A picture of no pixels, or of a kind that PNG does not know.
pub fn png(picture: &DynamicImage) -> ImageResult<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_with_encoder(PngEncoder::new(&mut bytes))?;
    Ok(bytes.into_inner())
}

/// Of 100: what is drawn has sharp edges.
const JPEG_QUALITY: u8 = 92;

/// The bytes of a picture as JPEG.
///
/// # Errors
/// A picture without pixels.
pub fn jpeg(picture: &DynamicImage) -> ImageResult<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY))?;
    Ok(bytes.into_inner())
}

/// A picture of gray levels (d values, 0 to 255): rounded, and clamped where they leave the range.
pub fn gray(size: FaceSize, levels: &[f32]) -> GrayImage {
    picture(size, levels, |level| level)
}

/// A picture of signed values (d), such as an eigenface: zero is mid-gray, the largest magnitude black or white.
pub fn signed(size: FaceSize, values: &[f32]) -> GrayImage {
    let largest = values.iter().fold(0.0_f32, |best, value| best.max(value.abs()));
    let scale = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    picture(size, values, |value| ZERO + value * scale)
}

/// Pre-images of a kernel space's leading components, two standard deviations down and up along each.
pub fn along_components(
    size: FaceSize,
    space: &KernelSpace,
    images: &PreImages<'_>,
    leading: usize,
) -> Vec<[GrayImage; 2]> {
    let both = |(at, variance): (usize, &f64)| {
        [-2.0, 2.0].map(|deviations: f64| {
            let mut weights = vec![0.0; at + 1];
            weights[at] = deviations * variance.sqrt();
            gray(size, &images.rebuild(&weights).levels)
        })
    };
    space.eigenvalues().iter().take(leading).enumerate().map(both).collect()
}

fn picture(size: FaceSize, values: &[f32], level: impl Fn(f32) -> f32) -> GrayImage {
    GrayImage::from_fn(size.width(), size.height(), |x, y| {
        let value = values.get(y as usize * size.width() as usize + x as usize).copied().unwrap_or(0.0);
        Luma([level(value).round().clamp(0.0, 255.0) as u8])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_pictures_are_symmetric_about_mid_gray() {
        let size: FaceSize = "8x8".parse().unwrap();
        let mut values = vec![0.0; 64];
        (values[0], values[1], values[2]) = (-2.0, 2.0, 1.0);
        let image = signed(size, &values);
        let level = |x: u32| image.get_pixel(x, 0)[0];
        assert_eq!((level(0), level(1), level(2), level(3)), (1, 255, 192, 128));
    }

    #[test]
    fn an_eigenface_of_zeros_is_plain_mid_gray() {
        let size: FaceSize = "8x8".parse().unwrap();
        assert!(signed(size, &[0.0; 64]).pixels().all(|pixel| pixel[0] == 128));
    }

    #[test]
    fn gray_levels_outside_the_range_are_clamped() {
        let size: FaceSize = "8x8".parse().unwrap();
        let mut levels = vec![12.6; 64];
        (levels[0], levels[1]) = (-5.0, 300.0);
        let image = gray(size, &levels);
        assert_eq!(image.as_raw()[..3], [0, 255, 13]);
    }
}
