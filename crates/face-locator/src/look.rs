//! One look at a photo: the size at which the cascade is shown it, and boxes in the photo's own pixels.

use std::borrow::Cow;
use std::sync::OnceLock;

use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions};
use image::GrayImage;

use crate::LocateError;
use crate::detect::Detection;
use crate::detector::{Candidate, Detector, WINDOW};
use crate::resize;

/// The trained cascade (SeetaFace), as the crate `rustface` publishes it.
pub(crate) static MODEL: &[u8] = include_bytes!("../models/seeta_fd_frontal_v1.0.bin");

/// Photos up to this long are doubled, as their faces are often smaller than the window.
const DOUBLED_BELOW: u32 = 640;

/// Longer photos are looked at in this length first...
const LONGEST: f64 = 1280.0;

/// ... or, if they are so elongated that this would be less, with so many pixels (1280 x 560): cost goes with area.
const FEWEST_PIXELS: f64 = 1280.0 * 560.0;

/// Closest look: so many pixels (4096 x 3072).
const MOST_PIXELS: f64 = 4096.0 * 3072.0;

/// Whether a photo is so short that it is doubled.
pub(crate) fn is_short(photo: &GrayImage) -> bool {
    photo.width().max(photo.height()) <= DOUBLED_BELOW
}

/// Pixels of a look for those of the photo, when it is looked at first.
pub(crate) fn first_scale((width, height): (u32, u32)) -> f64 {
    let longest = f64::from(width.max(height));
    match width.max(height) {
        ..=DOUBLED_BELOW => 2.0,
        _ => (LONGEST / longest).max(scale_to(FEWEST_PIXELS, (width, height))).min(1.0),
    }
}

/// As [`first_scale`], of the closest look.
pub(crate) fn closest_scale(size: (u32, u32)) -> f64 {
    scale_to(MOST_PIXELS, size).min(1.0).max(first_scale(size))
}

fn scale_to(pixels: f64, (width, height): (u32, u32)) -> f64 {
    (pixels / (f64::from(width) * f64::from(height))).sqrt()
}

/// A photo at the scale at which it is looked at.
pub(crate) struct Shown<'a> {
    picture: Cow<'a, GrayImage>,
    /// Pixels of the photo for each of the picture, across and down.
    step: [f32; 2],
}

impl<'a> Shown<'a> {
    /// `None` if the picture would be smaller than the smallest face.
    pub fn at(photo: &'a GrayImage, scale: f64) -> Result<Option<Self>, LocateError> {
        let size = [photo.width(), photo.height()];
        let shown = size.map(|length| (f64::from(length) * scale).round() as u32);
        if shown[0].min(shown[1]) < WINDOW {
            return Ok(None);
        }
        let picture = if shown == size { Cow::Borrowed(photo) } else { Cow::Owned(resized_to(photo, shown)?) };
        Ok(Some(Self { picture, step: std::array::from_fn(|axis| size[axis] as f32 / shown[axis] as f32) }))
    }

    /// What the cascade, run by `looked`, finds, in the photo's pixels.
    pub fn find(
        &self,
        looked: impl FnOnce(&Detector, &GrayImage) -> Vec<Candidate>,
    ) -> Result<Vec<Detection>, LocateError> {
        let found = looked(cascade()?, &self.picture);
        Ok(found.iter().map(|face| in_photo(face, self.step)).collect())
    }
}

/// Shows the cascade a photo at this scale; what it finds, in the photo's pixels. `looked` runs the cascade.
pub(crate) fn look(
    photo: &GrayImage,
    scale: f64,
    looked: impl FnOnce(&Detector, &GrayImage) -> Vec<Candidate>,
) -> Result<Vec<Detection>, LocateError> {
    Shown::at(photo, scale)?.map_or_else(|| Ok(Vec::new()), |shown| shown.find(looked))
}

/// A find in the pixels of the photo, of which each of the picture has so many.
pub(crate) fn in_photo(face: &Candidate, [across, down]: [f32; 2]) -> Detection {
    let [left, top, size] = [face.left, face.top, face.size].map(|edge| edge as f32);
    Detection { bounds: [left * across, top * down, size * across, size * down], score: face.score as f32 }
}

pub(crate) fn resized_to(photo: &GrayImage, size: [u32; 2]) -> Result<GrayImage, LocateError> {
    let bilinear = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Bilinear));
    resize::resized(photo, size, &bilinear).ok_or(LocateError::Detector)
}

/// The cascade, read once for the whole program.
pub(crate) fn cascade() -> Result<&'static Detector, LocateError> {
    static CASCADE: OnceLock<Option<Detector>> = OnceLock::new();
    CASCADE.get_or_init(|| Detector::from_bytes(MODEL)).as_ref().ok_or(LocateError::DetectorModel)
}
