//! The one rule by which colours become gray.
//!
//! Rec. 601 luma, `Y = 0.299 R + 0.587 G + 0.114 B`, of the values as stored (gamma-encoded), rounded. It is the Y that
//! every ordinary JPEG stores, so a photo gives the same gray whether it comes as JPEG or as PNG, and JPEGs need no
//! detour through RGB. Transparent pixels lie on white paper. 16-bit samples `v` become `(v + 128) / 257`, the nearest
//! 8-bit value; floating-point samples are taken to lie in 0 to 1. Colour profiles are not applied.

use image::{DynamicImage, GrayImage, Rgb, RgbImage};

/// Converts any decoded image to 8-bit gray. `None` only if the buffer contradicts its size.
pub(super) fn to_gray(image: DynamicImage) -> Option<GrayImage> {
    use DynamicImage as D;
    let (width, height) = (image.width(), image.height());
    let gray = match image {
        D::ImageLuma8(gray) => return Some(gray),
        D::ImageLumaA8(i) => per_pixel(i.as_raw(), |[y, a]: [u8; 2]| on_white(y, a)),
        D::ImageRgb8(i) => per_pixel(i.as_raw(), |[r, g, b]: [u8; 3]| luma8(r, g, b)),
        D::ImageRgba8(i) => per_pixel(i.as_raw(), |[r, g, b, a]: [u8; 4]| on_white(luma8(r, g, b), a)),
        D::ImageLuma16(i) => per_pixel(i.as_raw(), |[y]: [u16; 1]| narrow(y)),
        D::ImageLumaA16(i) => per_pixel(i.as_raw(), |[y, a]: [u16; 2]| on_white(narrow(y), narrow(a))),
        D::ImageRgb16(i) => per_pixel(i.as_raw(), |[r, g, b]: [u16; 3]| narrow(luma16(r, g, b))),
        // Floating point, and whatever `image` may learn to read.
        other => per_pixel(other.into_rgba16().as_raw(), |[r, g, b, a]: [u16; 4]| {
            on_white(narrow(luma16(r, g, b)), narrow(a))
        }),
    };
    GrayImage::from_raw(width, height, gray)
}

/// Any decoded image in 8-bit colours, transparent pixels on white paper.
pub(super) fn on_paper(image: DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.into_rgb8();
    }
    let image = image.into_rgba8();
    RgbImage::from_fn(image.width(), image.height(), |x, y| {
        let [r, g, b, a] = image.get_pixel(x, y).0;
        Rgb([r, g, b].map(|level| on_white(level, a)))
    })
}

pub(super) fn from_rgb8(samples: &[u8]) -> Vec<u8> {
    per_pixel(samples, |[r, g, b]: [u8; 3]| luma8(r, g, b))
}

/// Converts interleaved 8-bit CMYK, as its decoder gives it, to RGB.
pub(super) fn rgb_of_cmyk(samples: &[u8]) -> Vec<u8> {
    let (pixels, _) = samples.as_chunks::<4>();
    let level = |ink: u8, black: u8| {
        let (ink, black) = (255 - u32::from(ink), 255 - u32::from(black));
        ((ink * black + 127) / 255) as u8
    };
    let rgb = |&[c, m, y, k]: &[u8; 4]| [c, m, y].map(|ink| level(ink, k));
    pixels.iter().flat_map(rgb).collect()
}

fn per_pixel<S: Copy, const N: usize>(samples: &[S], gray: impl Fn([S; N]) -> u8) -> Vec<u8> {
    let (pixels, _) = samples.as_chunks::<N>();
    pixels.iter().map(|&pixel| gray(pixel)).collect()
}

/// Weights in 65536ths that sum to one: exact to the nearest integer but for ties.
fn luma8(r: u8, g: u8, b: u8) -> u8 {
    let y = 19595 * u32::from(r) + 38470 * u32::from(g) + 7471 * u32::from(b);
    ((y + (1 << 15)) >> 16) as u8
}

fn luma16(r: u16, g: u16, b: u16) -> u16 {
    let y = 19595 * u64::from(r) + 38470 * u64::from(g) + 7471 * u64::from(b);
    ((y + (1 << 15)) >> 16) as u16
}

/// The nearest 8-bit value: 65535 is 257 times 255.
fn narrow(v: u16) -> u8 {
    ((u32::from(v) + 128) / 257) as u8
}

/// Gray `y` of opacity `a` over white.
fn on_white(y: u8, a: u8) -> u8 {
    let (y, a) = (u32::from(y), u32::from(a));
    ((y * a + 255 * (255 - a) + 127) / 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage, Rgba, RgbaImage};

    #[test]
    fn grays_stay_and_weights_are_rec_601() {
        for v in 0..=255 {
            assert_eq!(luma8(v, v, v), v);
            assert_eq!(narrow(u16::from(v) * 257), v);
            assert_eq!(on_white(v, 255), v);
            assert_eq!(on_white(v, 0), 255);
        }
        for (rgb, y) in [([255, 0, 0], 76), ([0, 255, 0], 150), ([0, 0, 255], 29)] {
            let [r, g, b] = rgb;
            assert_eq!(luma8(r, g, b), y);
            assert_eq!(narrow(luma16(u16::from(r) * 257, u16::from(g) * 257, u16::from(b) * 257)), y);
        }
    }

    #[test]
    fn within_half_a_level_of_the_formula() {
        for i in 0..4096u32 {
            let [r, g, b] = [i % 16 * 17, i / 16 % 16 * 17, i / 256 * 17].map(|v| v as u8);
            let exact = 0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b);
            assert!((f64::from(luma8(r, g, b)) - exact).abs() < 0.503, "{r} {g} {b}");
        }
    }

    #[test]
    fn every_kind_of_sample_gives_the_same_gray() {
        let rgb = RgbImage::from_fn(16, 16, |x, y| Rgb([x as u8 * 16, y as u8 * 16, 200]));
        let expected = to_gray(DynamicImage::ImageRgb8(rgb.clone())).unwrap();
        let image = DynamicImage::ImageRgb8(rgb);
        for other in [
            DynamicImage::ImageRgba8(image.to_rgba8()),
            DynamicImage::ImageRgb16(image.to_rgb16()),
            DynamicImage::ImageRgba16(image.to_rgba16()),
            DynamicImage::ImageRgb32F(image.to_rgb32f()),
            DynamicImage::ImageRgba32F(image.to_rgba32f()),
        ] {
            let gray = to_gray(other).unwrap();
            for (a, b) in gray.as_raw().iter().zip(expected.as_raw()) {
                assert!(a.abs_diff(*b) <= 1);
            }
        }
    }

    #[test]
    fn transparent_is_white() {
        let clear = RgbaImage::from_pixel(2, 2, Rgba([0, 0, 0, 0]));
        assert_eq!(to_gray(clear.into()).unwrap().into_raw(), [255; 4]);
        let half = RgbaImage::from_pixel(1, 1, Rgba([0, 0, 0, 128]));
        assert_eq!(to_gray(half.into()).unwrap().into_raw(), [127]);
    }
}
