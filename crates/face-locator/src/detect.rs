//! Finding the faces of a photo: at which size the detector is shown it, and what becomes of the finds.
//!
//! The detector looks for upright, roughly frontal faces of 40 pixels and more, and its cost grows with
//! the pixels it is shown. So the photo is brought to a working size first; the boxes are given back in
//! the photo's own pixels.

use std::sync::OnceLock;

use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions};
use image::GrayImage;

use super::detector::{Detector, Filling, WINDOW};
use crate::LocateError;
use crate::resize;

/// The trained cascade (SeetaFace), as the crate `rustface` publishes it.
pub(super) static MODEL: &[u8] = include_bytes!("../models/seeta_fd_frontal_v1.0.bin");

/// A face found: its box and how sure the detector is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detection {
    /// Left, top, width and height in pixels of the photo. May reach beyond it.
    pub bounds: [f32; 4],
    /// The cascade's score, summed over merged windows: from [`MIN_SCORE`] to some tens.
    pub score: f32,
}

/// Detections below this are mostly not faces. (At 3: all 164 faces of Yale, 1 false box on 651 pictures
/// without people.)
pub const MIN_SCORE: f64 = 3.0;

/// Windows looked at are so many pixels apart. At 6 a face in 250 is lost, and nearly half the time goes
/// (docs/RECIPES.md).
pub(super) const STEP: u32 = 4;

/// Photos up to this long are doubled, as their faces are often smaller than the window.
const DOUBLED_BELOW: u64 = 640;

/// Longer photos are shrunk to this: a face of 3 % of the photo's length is still found.
const LONGEST: u64 = 1280;

/// Margin, as a share of the longest side, that is added all around where nothing is found: tight crops lack the
/// surroundings that the cascade expects.
const BORDER: f32 = 0.3;

/// Largest size at which a photo with a border is shown: a face that lacks surroundings fills its photo. (At
/// [`LONGEST`] two fewer faces of `cfp-frontal` are found, in twice the time.)
const LONGEST_WITH_BORDER: u64 = 320;

/// Share of the longest side that a face takes, of a photo not longer than [`DOUBLED_BELOW`]: where the
/// detector is sure of it, the photo is a picture of that face, and smaller ones are not looked for.
pub(super) const FILLED: f32 = 0.6;

/// The score from which on the detector is sure of a face that fills its photo. (From [`MIN_SCORE`] on, the eyes of 4 in
/// 1,239 photos of `cfp-frontal` are found elsewhere than with all sizes looked for.)
pub(super) const SURE: f64 = 10.0;

/// Faces are first looked for from this share of the longest side on: windows move and grow on their way to a face.
pub(super) const LARGE: f32 = 0.35;

/// Photos more elongated than this are refused: at working size they are narrower than the smallest face.
const MOST_ELONGATED: u32 = LONGEST as u32 / WINDOW;

/// All faces of a photo, from left to right (then from top to bottom).
///
/// Same photo, same result, whatever the threads. A photo too small to hold a face has none.
///
/// # Errors
/// A photo that is a mere strip; one that cannot be resized.
pub fn detect(photo: &GrayImage) -> Result<Vec<Detection>, LocateError> {
    let (width, height) = photo.dimensions();
    let (longest, shortest) = (width.max(height), width.min(height));
    if shortest == 0 {
        return Ok(Vec::new());
    }
    if longest / shortest > MOST_ELONGATED {
        return Err(LocateError::Strip { width, height });
    }
    let mut found = look(photo, 0)?;
    if found.is_empty() {
        found = look(photo, (BORDER * longest as f32).round() as u32)?;
    }
    found.sort_by(|one, other| {
        let centre = |d: &Detection| {
            [
                d.bounds[0] + d.bounds[2] / 2.0,
                d.bounds[1] + d.bounds[3] / 2.0,
            ]
        };
        let ([x1, y1], [x2, y2]) = (centre(one), centre(other));
        x1.total_cmp(&x2)
            .then(y1.total_cmp(&y2))
            .then(one.score.total_cmp(&other.score))
    });
    Ok(found)
}

/// Brings a photo with a border of so many of its pixels to working size, and runs the cascade.
///
/// The photo is shrunk first and the border is added then, so that memory does not depend on the border.
fn look(photo: &GrayImage, border: u32) -> Result<Vec<Detection>, LocateError> {
    let framed = |length: u32| u64::from(length) + 2 * u64::from(border);
    let frame = [framed(photo.width()), framed(photo.height())];
    let working = working_size(frame, border);
    if working[0].min(working[1]) < WINDOW {
        return Ok(Vec::new());
    }
    let photo_size = [photo.width(), photo.height()];
    let edge: [u32; 2] = std::array::from_fn(|axis| {
        let scaled = f64::from(border) * f64::from(working[axis]) / frame[axis] as f64;
        // At least a pixel of the photo itself is left.
        (scaled.round() as u32).min((working[axis] - 1) / 2)
    });
    let shown: [u32; 2] = std::array::from_fn(|axis| working[axis] - 2 * edge[axis]);
    let step: [f32; 2] = std::array::from_fn(|axis| photo_size[axis] as f32 / shown[axis] as f32);

    let resized;
    let at_size = if shown == photo_size {
        photo
    } else {
        resized = resize(photo, shown)?;
        &resized
    };
    let bordered;
    let picture = if border == 0 {
        at_size
    } else {
        bordered = with_border(at_size, edge);
        &bordered
    };
    let cascade = cascade()?;
    let faces = match u64::from(photo_size[0].max(photo_size[1])) {
        ..=DOUBLED_BELOW => {
            let longest = shown[0].max(shown[1]) as f32;
            let fills = Filling {
                size: FILLED * longest,
                score: SURE,
            };
            cascade.detect_large_first(picture, STEP, LARGE * longest, fills)
        }
        _ => cascade.detect(picture, STEP),
    };
    Ok(faces
        .iter()
        .filter(|face| face.score >= MIN_SCORE)
        .map(|face| {
            let (x, y) = (face.left - edge[0] as i32, face.top - edge[1] as i32);
            let size = face.size as f32;
            Detection {
                bounds: [
                    x as f32 * step[0],
                    y as f32 * step[1],
                    size * step[0],
                    size * step[1],
                ],
                score: face.score as f32,
            }
        })
        .collect())
}

/// The size at which the cascade looks at a photo of that size, border included.
fn working_size(size: [u64; 2], border: u32) -> [u32; 2] {
    let longest = size[0].max(size[1]).max(1);
    let to = |wanted: u64| wanted as f64 / longest as f64;
    let scale = match (border, longest) {
        (1.., _) => to(LONGEST_WITH_BORDER).min(2.0),
        (0, ..=DOUBLED_BELOW) => 2.0,
        (0, _) => to(LONGEST).min(1.0),
    };
    size.map(|length| (length as f64 * scale).round() as u32)
}

fn resize(photo: &GrayImage, [width, height]: [u32; 2]) -> Result<GrayImage, LocateError> {
    let bilinear = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Bilinear));
    resize::resized(photo, [width, height], &bilinear).ok_or(LocateError::Detector)
}

/// The picture with its outermost pixels repeated so many times on the left and right, and above and below.
fn with_border(picture: &GrayImage, [left, top]: [u32; 2]) -> GrayImage {
    let (width, height) = picture.dimensions();
    GrayImage::from_fn(width + 2 * left, height + 2 * top, |x, y| {
        let inside = |at: u32, border: u32, length: u32| at.saturating_sub(border).min(length - 1);
        *picture.get_pixel(inside(x, left, width), inside(y, top, height))
    })
}

/// The cascade, read once for the whole program.
fn cascade() -> Result<&'static Detector, LocateError> {
    static CASCADE: OnceLock<Option<Detector>> = OnceLock::new();
    CASCADE
        .get_or_init(|| Detector::from_bytes(MODEL))
        .as_ref()
        .ok_or(LocateError::DetectorModel)
}
