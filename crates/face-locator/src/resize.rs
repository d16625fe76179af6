//! The only place that resizes pictures.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8;
use fast_image_resize::{ResizeOptions, Resizer};
use image::GrayImage;

/// A gray picture brought to another width and height. The only place that resizes, and for one type of pixel: each
/// call of the crate's method for any type compiles 26 of them.
pub fn resized(picture: &GrayImage, [width, height]: [u32; 2], options: &ResizeOptions) -> Option<GrayImage> {
    let from = TypedImageRef::<U8>::from_buffer(picture.width(), picture.height(), picture.as_raw()).ok()?;
    let mut pixels = vec![0; width as usize * height as usize];
    let mut to = TypedImage::<U8>::from_buffer(width, height, &mut pixels).ok()?;
    Resizer::new().resize_typed(&from, &mut to, options).ok()?;
    GrayImage::from_raw(width, height, pixels)
}
