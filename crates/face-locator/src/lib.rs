#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
#![forbid(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::sync::OnceLock;

use image::GrayImage;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub mod align;
#[doc(hidden)]
pub mod bilinear;
#[doc(hidden)]
pub mod crop;
#[doc(hidden)]
pub mod descent;
#[doc(hidden)]
pub mod detect;
mod detector;
#[doc(hidden)]
pub mod eyes;
mod look;
mod portrait;
mod reader;
#[doc(hidden)]
pub mod resize;
mod rows;
mod turn;

use align::Point;
use detect::Detection;
use eyes::EyeModel;
use rows::in_rows;

pub use turn::Turn;

/// The reason why faces could not be located.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocateError {
    /// A picture far too elongated to show a face at the size at which faces are looked for.
    #[error("a strip of {width}x{height} pixels shows no face; crop it to the face")]
    Strip {
        /// Width, in pixels.
        width: u32,
        /// Height, in pixels.
        height: u32,
    },
    /// The detector broke down on one photo.
    #[error("the face detector failed on it; crop it to the face and take it whole")]
    Detector,
    /// The detector's model inside the program cannot be read.
    #[error("the face detector inside this program is damaged; install the program again")]
    DetectorModel,
    /// A file of eye weights cannot be read.
    #[error("this is not a model of the eyes: {0}; train one with examples/train_eyes")]
    EyeModel(&'static str),
}

/// A face in a photo. All coordinates are pixels of the photo.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Location {
    /// Left, top, width and height of the face's box. It may reach beyond the photo.
    pub bounds: [f32; 4],
    /// The middles of both eyes; first the one that is on the left when the face is upright.
    pub eyes: [Point; 2],
    /// The score of the detector: from 3 to some tens; 0 for a face that a person showed.
    pub score: f32,
    /// Distance between the eye positions found from several starts, in distances between the eyes.
    pub eye_spread: f32,
}

/// Finds faces and their eyes. Cheap to share between threads.
#[derive(Debug, Clone)]
pub struct Locator {
    eyes: EyeModel,
}

impl Locator {
    /// The locator with the models that come with the program.
    pub fn new() -> Result<Self, LocateError> {
        Ok(Self { eyes: EyeModel::bundled()? })
    }

    /// The locator with the models that come with the program, made once and shared by all threads.
    pub fn shared() -> Result<&'static Self, LocateError> {
        static SHARED: OnceLock<Result<Locator, LocateError>> = OnceLock::new();
        SHARED.get_or_init(Self::new).as_ref().map_err(Clone::clone)
    }

    /// All faces of a photo, as people read: in rows from left to right, whose faces' middles overlap by half in height.
    ///
    /// Where no face is found upright, the photo is taken as turned if that shows one ([`Location::turn`]).
    ///
    /// # Errors
    /// When the detector breaks down on the photo.
    pub fn locate(&self, photo: &GrayImage) -> Result<Vec<Location>, LocateError> {
        let mut faces = self.with_eyes(photo, detect::detect(photo)?);
        if faces.is_empty()
            && let Some(turn) = detect::lying(photo)?
        {
            let turned = turn.turned(photo);
            let found = self.with_eyes(&turned, detect::detect(&turned)?);
            let undone = |face| turn.undone(face, photo.dimensions());
            return Ok(in_rows(found, |face| face.bounds).into_iter().map(undone).collect());
        }
        let is_sure = |face: &Location| f64::from(face.score) >= detect::SURE;
        if faces.is_empty() || (look::is_short(photo) && !faces.iter().any(is_sure)) {
            for face in self.with_eyes(photo, portrait::filling_face(photo)?.into_iter().collect()) {
                if has_eyes_in(&face, photo.dimensions()) && is_filling_face(&face, photo.dimensions()) {
                    take_filling(&mut faces, face);
                }
            }
        }
        Ok(in_rows(faces, |face| face.bounds))
    }

    /// The face in a box that a person drew around it, with its eyes found or where most faces have them. Its score is 0.
    pub fn in_box(&self, photo: &GrayImage, [x, y, width, height]: [f32; 4]) -> Location {
        // The detector's boxes, by which eyes are found, are squares.
        let side = (width * height).sqrt();
        let bounds = [x + (width - side) / 2.0, y + (height - side) / 2.0, side, side];
        let fit = self.eyes.find(photo, bounds);
        let is_inside = |[u, v]: Point| (x..=x + width).contains(&u) && (y..=y + height).contains(&v);
        let is_found = fit.spread <= MOST_SPREAD_IN_BOX && fit.eyes.into_iter().all(is_inside);
        let eyes = if is_found { fit.eyes } else { self.eyes.usual(bounds) };
        Location { bounds, eyes, score: 0.0, eye_spread: fit.spread }
    }

    /// The face with these eyes, in the box that faces with such eyes have.
    pub fn with_eyes_at(&self, eyes: [Point; 2]) -> Location {
        Location { bounds: self.eyes.bounds(eyes), eyes, score: 0.0, eye_spread: 0.0 }
    }

    /// The faces among the finds, with their eyes.
    fn with_eyes(&self, photo: &GrayImage, found: Vec<Detection>) -> Vec<Location> {
        let located = found.into_par_iter().map(|face| {
            let fit = self.eyes.find(photo, face.bounds);
            Location { bounds: face.bounds, eyes: fit.eyes, score: face.score, eye_spread: fit.spread }
        });
        located.filter(is_face).collect()
    }
}

/// Eyes that several starts place farther apart than this are not found in a box that was drawn by hand.
const MOST_SPREAD_IN_BOX: f32 = 0.1;

/// Whether both eyes lie within the photo, which has this width and height.
fn has_eyes_in(face: &Location, (width, height): (u32, u32)) -> bool {
    face.eyes.iter().all(|[x, y]| (0.0..width as f32).contains(x) && (0.0..height as f32).contains(y))
}

/// Whether its eyes are as sure as its size asks for: a face smaller than half of the photo's longer side has surroundings, so the
/// cascade could have seen it at once. In noisy photos it could not, and there eyes are sure: 1 of 100 such faces is lost by this,
/// and one of the 2 false boxes on `not-faces`.
fn is_filling_face(face: &Location, (width, height): (u32, u32)) -> bool {
    let is_large = 2.0 * face.bounds[2] >= width.max(height) as f32;
    is_large || face.score >= detect::MIN_SCORE as f32 + 2.0 * SCORE_FOR_SPREAD * face.eye_spread
}

/// Takes the face that fills the photo in place of finds within it, unless it was found before.
fn take_filling(faces: &mut Vec<Location>, filling: Location) {
    if faces.iter().any(|face| 2.0 * face.bounds[2] > filling.bounds[2]) {
        return;
    }
    faces.retain(|face| !detect::are_one(face.bounds, filling.bounds));
    faces.push(filling);
}

impl Location {
    /// The turn that brings the photo upright.
    pub fn turn(&self) -> Turn {
        Turn::of(self.eyes)
    }
}

/// Score that the detector must add when the eyes of a face are unsure.
const SCORE_FOR_SPREAD: f32 = 10.0;

/// Two weak doubts reject a find where each alone would not: in faces, walks to the eyes end together.
///
/// Of the 2 false boxes on the 150 photos of `not-faces` this drops one, and none of the 43 marked faces of `groups`.
fn is_face(find: &Location) -> bool {
    find.score >= detect::MIN_SCORE as f32 + SCORE_FOR_SPREAD * find.eye_spread
}

/// Which face a photo (`size`: width, height) of one person is about: the largest and most central.
pub fn main_face(faces: &[Location], (width, height): (u32, u32)) -> Option<usize> {
    let weight = |face: &Location| {
        let [x, y, w, h] = face.bounds;
        let off = |middle: f32, length: u32| (middle / length.max(1) as f32 - 0.5).abs();
        // At the edge of the photo a face counts for half the size of one in the middle.
        let off_centre = off(x + w / 2.0, width).max(off(y + h / 2.0, height)).min(0.5);
        w.max(h) * (1.0 - off_centre)
    };
    let heavier = |(one, a): &(usize, &Location), (other, b): &(usize, &Location)| {
        weight(a).total_cmp(&weight(b)).then(other.cmp(one))
    };
    faces.iter().enumerate().max_by(heavier).map(|(index, _)| index)
}

#[cfg(test)]
mod tests;
