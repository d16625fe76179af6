//! Finding the faces of a photo: the SeetaFace cascade (Wu et al. 2017) through the `rustface` crate.
//!
//! The detector looks for upright, roughly frontal faces of 40 pixels and more, and its cost grows with
//! the pixels it is shown. So the photo is brought to a working size first; the boxes are given back in
//! the photo's own pixels. Everything here runs on one thread: photos are what to spread over threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use fast_image_resize as fir;
use image::GrayImage;

use crate::error::LocateError;

/// The trained cascade, taken from the detector's own package by build.rs.
static MODEL_BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/face_detector.bin"));

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

/// The smallest face the cascade can see, and so the smallest picture it can be shown.
const WINDOW: u32 = 40;

/// Windows looked at are so many pixels apart. At 6 the same faces of Yale, LFW, AT&T and the groups are found as at
/// the crate's own 4, with no more false boxes, in half the time (docs/RECIPES.md).
const STEP: u32 = 6;

/// Photos up to this long are doubled, as their faces are often smaller than the window.
const DOUBLED_BELOW: u32 = 640;

/// Longer photos are shrunk to this: a face of 3 % of the photo's length is still found.
const LONGEST: u32 = 1280;

/// Where nothing is found, this share of each side is added all around: tight crops lack the
/// surroundings that the cascade expects.
const BORDER: f32 = 0.3;

/// All faces of a photo, from left to right (then from top to bottom).
///
/// Same photo, same result; one thread. A photo too small to hold a face has none.
///
/// # Errors
/// When the detector breaks down on the photo.
pub fn detect(photo: &GrayImage) -> Result<Vec<Detection>, LocateError> {
    let mut found = detect_at_working_size(photo)?;
    if found.is_empty() {
        let border = (BORDER * photo.width().max(photo.height()) as f32).round() as u32;
        found = detect_at_working_size(&with_border(photo, border))?;
        for detection in &mut found {
            detection.bounds[0] -= border as f32;
            detection.bounds[1] -= border as f32;
        }
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

fn detect_at_working_size(photo: &GrayImage) -> Result<Vec<Detection>, LocateError> {
    let (width, height) = working_size(photo.width(), photo.height());
    if width < WINDOW || height < WINDOW {
        return Ok(Vec::new());
    }
    let resized;
    let shown = if (width, height) == photo.dimensions() {
        photo
    } else {
        resized = resize(photo, width, height)?;
        &resized
    };
    let (step_x, step_y) = (
        photo.width() as f32 / width as f32,
        photo.height() as f32 / height as f32,
    );
    let faces = run_cascade(shown)?;
    Ok(faces
        .iter()
        .map(|face| {
            let bounds = face.bbox();
            let (x, y) = (bounds.x() as f32, bounds.y() as f32);
            let (w, h) = (bounds.width() as f32, bounds.height() as f32);
            Detection {
                bounds: [x * step_x, y * step_y, w * step_x, h * step_y],
                score: face.score() as f32,
            }
        })
        .collect())
}

/// The size at which the cascade looks at a photo.
fn working_size(width: u32, height: u32) -> (u32, u32) {
    let longest = width.max(height);
    let scale = match longest {
        0 => 0.0,
        1..=DOUBLED_BELOW => 2.0,
        _ => (f64::from(LONGEST) / f64::from(longest)).min(1.0),
    };
    let scaled = |length: u32| (f64::from(length) * scale).round() as u32;
    (scaled(width), scaled(height))
}

fn resize(photo: &GrayImage, width: u32, height: u32) -> Result<GrayImage, LocateError> {
    let view = fir::images::ImageRef::new(photo.width(), photo.height(), photo, fir::PixelType::U8)
        .map_err(|_| LocateError::Detector)?;
    let mut resized = fir::images::Image::new(width, height, fir::PixelType::U8);
    let bilinear = fir::ResizeOptions::new()
        .resize_alg(fir::ResizeAlg::Convolution(fir::FilterType::Bilinear));
    fir::Resizer::new()
        .resize(&view, &mut resized, &bilinear)
        .map_err(|_| LocateError::Detector)?;
    GrayImage::from_raw(width, height, resized.into_vec()).ok_or(LocateError::Detector)
}

/// The photo with its outermost pixels repeated `border` times all around.
fn with_border(photo: &GrayImage, border: u32) -> GrayImage {
    if photo.width() == 0 || photo.height() == 0 {
        return GrayImage::new(0, 0);
    }
    GrayImage::from_fn(
        photo.width() + 2 * border,
        photo.height() + 2 * border,
        |x, y| {
            let inside = |at: u32, length: u32| at.saturating_sub(border).min(length - 1);
            *photo.get_pixel(inside(x, photo.width()), inside(y, photo.height()))
        },
    )
}

/// Runs the cascade on a picture at least as large as its window.
///
/// The crate's inner arithmetic is unchecked, so a panic inside it is caught and becomes an error.
fn run_cascade(picture: &GrayImage) -> Result<Vec<rustface::FaceInfo>, LocateError> {
    let model = model()?.clone();
    let run = AssertUnwindSafe(|| {
        let mut detector = rustface::create_detector_with_model(model);
        detector.set_score_thresh(MIN_SCORE);
        detector.set_slide_window_step(STEP, STEP);
        detector.detect(&rustface::ImageData::new(
            picture,
            picture.width(),
            picture.height(),
        ))
    });
    catch_unwind(run).map_err(|_| LocateError::Detector)
}

/// The cascade, parsed once for the whole program.
fn model() -> Result<&'static rustface::Model, LocateError> {
    static MODEL: OnceLock<Option<rustface::Model>> = OnceLock::new();
    MODEL
        .get_or_init(|| rustface::read_model(MODEL_BYTES).ok())
        .as_ref()
        .ok_or(LocateError::DetectorModel)
}
