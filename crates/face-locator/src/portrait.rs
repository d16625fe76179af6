//! Close portraits: a face that fills its photo and may reach beyond it.
//!
//! The cascade expects some surroundings, and light from the front. So it is shown the photo several times, with different
//! surroundings and different light, and what it says is added up: a face is seen by most of these looks, if by none of
//! them surely, and what looks like a face by chance, by one.

use image::{GrayImage, Luma};
use rayon::prelude::*;

use crate::LocateError;
use crate::detect::{Detection, LARGE, MIN_SCORE, STEP};
use crate::detector::{Candidate, Detector, merge};
use crate::look::{cascade, in_photo, resized_to};

/// The margin around the photo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Surroundings {
    /// Its outermost pixels, repeated.
    Repeated,
    /// These, fading to the photo's mean.
    Fading,
    /// The photo's mean.
    Plain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Light {
    AsItIs,
    /// The dark parts lifted.
    Lifted,
}

/// One look at the photo.
struct Look {
    surroundings: Surroundings,
    /// Their width, as a share of the photo's longer side.
    border: f32,
    light: Light,
}

const fn look(surroundings: Surroundings, border: f32, light: Light) -> Look {
    Look { surroundings, border, light }
}

const LOOKS: [Look; 7] = [
    look(Surroundings::Fading, 0.15, Light::AsItIs),
    look(Surroundings::Fading, 0.3, Light::Lifted),
    look(Surroundings::Repeated, 0.1, Light::AsItIs),
    look(Surroundings::Repeated, 0.2, Light::Lifted),
    look(Surroundings::Repeated, 0.2, Light::AsItIs),
    look(Surroundings::Fading, 0.3, Light::AsItIs),
    look(Surroundings::Plain, 0.3, Light::Lifted),
];

/// Where so many looks show nothing at all, the others need not be taken.
const FIRST: usize = 4;

/// Longer side of the photo in these looks.
const LENGTH: u32 = 160;

/// A face that fills its photo is as large as these shares of its longer side. (From 0.5 on, 12 of 40
/// noisy photos that these looks alone see show none.)
const FILLING: std::ops::RangeInclusive<f32> = 0.4..=1.6;

/// Score that the looks must add up to: so much that each look by itself may reject the face. Eyes must be sure then.
const MIN_SUM: f64 = 0.4;

/// Finds that share more than this part of their union show one face.
const OVERLAP: f32 = 0.3;

/// Exponent that lifts the dark parts.
const GAMMA: f32 = 0.45;

/// The face that fills the photo, if there is one.
pub(crate) fn filling_face(photo: &GrayImage) -> Result<Option<Detection>, LocateError> {
    let size = [photo.width(), photo.height()];
    let scale = f64::from(LENGTH) / f64::from(size[0].max(size[1]).max(1));
    let shown = size.map(|length| (f64::from(length) * scale).round() as u32);
    if shown[0].min(shown[1]) == 0 {
        return Ok(None);
    }
    let picture = resized_to(photo, shown)?;
    let cascade = cascade()?;
    let taken = |looks: &[Look]| -> Vec<Candidate> {
        let found: Vec<_> = looks.par_iter().map(|look| look.take(cascade, &picture)).collect();
        found.into_iter().flatten().filter(|face| fills(face, shown)).collect()
    };
    let (first, others) = LOOKS.split_at(FIRST);
    let mut found = taken(first);
    if !found.is_empty() {
        found.extend(taken(others));
    }
    let step = std::array::from_fn(|axis| size[axis] as f32 / shown[axis] as f32);
    // The surest comes first.
    let face = merge(found, OVERLAP).into_iter().next().filter(|face| face.score >= MIN_SUM);
    Ok(face.map(|face| in_photo(&Candidate { score: MIN_SCORE + face.score - MIN_SUM, ..face }, step)))
}

impl Look {
    /// The detections of the cascade in the picture.
    fn take(&self, cascade: &Detector, picture: &GrayImage) -> Vec<Candidate> {
        let border = (self.border * LENGTH as f32).round() as u32;
        let shown = surrounded(&lit(picture, self.light), border, self.surroundings);
        let mut found = cascade.detect_large(&shown, STEP, LARGE * LENGTH as f32);
        for face in &mut found {
            face.left -= border as i32;
            face.top -= border as i32;
        }
        found
    }
}

/// Whether a find may be a face that fills a picture of this size: its middle lies in the picture.
fn fills(face: &Candidate, size: [u32; 2]) -> bool {
    let middle = [face.left, face.top].map(|edge| edge + face.size / 2);
    let is_inside = (0..2).all(|axis| (0..size[axis] as i32).contains(&middle[axis]));
    is_inside && FILLING.contains(&(face.size as f32 / LENGTH as f32))
}

fn lit(picture: &GrayImage, light: Light) -> GrayImage {
    let mut lit = picture.clone();
    if light == Light::Lifted {
        let levels: [u8; 256] = std::array::from_fn(|level| (libm::powf(level as f32 / 255.0, GAMMA) * 255.0) as u8);
        for pixel in lit.iter_mut() {
            *pixel = levels[usize::from(*pixel)];
        }
    }
    lit
}

/// The picture with a border of so many pixels all around.
fn surrounded(picture: &GrayImage, border: u32, surroundings: Surroundings) -> GrayImage {
    let (width, height) = picture.dimensions();
    let sum: u64 = picture.iter().map(|&pixel| u64::from(pixel)).sum();
    let mean = sum as f32 / (u64::from(width) * u64::from(height)).max(1) as f32;
    let nearest = |at: u32, length: u32| at.saturating_sub(border).min(length - 1);
    GrayImage::from_fn(width + 2 * border, height + 2 * border, |x, y| {
        let inside = [nearest(x, width), nearest(y, height)];
        let outside = |at: u32, near: u32| at.abs_diff(near + border);
        let away = outside(x, inside[0]).max(outside(y, inside[1])) as f32 / border.max(1) as f32;
        let edge = f32::from(picture.get_pixel(inside[0], inside[1]).0[0]);
        let share = match surroundings {
            Surroundings::Repeated => 0.0,
            Surroundings::Fading => away,
            Surroundings::Plain => away.ceil(),
        };
        Luma([(edge + (mean - edge) * share) as u8])
    })
}
