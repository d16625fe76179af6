//! Finding the faces of a photo: how closely it is looked at, and what becomes of the finds.
//!
//! The detector looks for upright, roughly frontal faces of 40 pixels and more, and its cost grows with the pixels it is
//! shown. So a large photo is shown in a moderate size first. Where that shows small faces, or a glance at a size larger by
//! half does, it is looked at closer and closer, each time for faces smaller than before, as long as there are more.

use image::GrayImage;

use crate::LocateError;
use crate::detector::{Filling, LEVEL_SCALE, RefinementCache, WINDOW, Windows};
use crate::look::{Shown, closest_scale, first_scale, is_short, look, resized_to};
use crate::turn::Turn;

#[cfg(test)]
pub(super) use crate::look::MODEL;

/// A face found: its box and how sure the detector is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detection {
    /// Left, top, width and height in pixels of the photo. May reach beyond it.
    pub bounds: [f32; 4],
    /// The cascade's score, summed over merged windows: from [`MIN_SCORE`] to some tens.
    pub score: f32,
}

/// Detections below this are mostly not faces. (At 3: all 164 faces of Yale, 1 false box on 651 pictures without people.)
pub const MIN_SCORE: f64 = 3.0;

/// Windows looked at are so many pixels apart. At 6 a face in 250 is lost, and nearly half the time goes
/// (docs/notebook/finding-faces.md).
pub(super) const STEP: u32 = 4;

/// Share of the longest side that a face takes, of a short photo: where the
/// detector is sure of it, the photo is a picture of that face, and smaller ones are not looked for.
pub(super) const FILLED: f32 = 0.6;

/// The score from which on the detector is sure of a face that fills its photo. (From [`MIN_SCORE`] on, the eyes of 4 in
/// 1,239 photos of `cfp-frontal` are found elsewhere than with all sizes looked for.)
pub(super) const SURE: f64 = 10.0;

/// Faces are first looked for from this share of the longest side on: windows move and grow on their way to a face.
pub(super) const LARGE: f32 = 0.35;

/// Photos more elongated than this are refused: when looked at first, they are narrower than the smallest face.
const MOST_ELONGATED: u32 = 1280 * 560 / (WINDOW * WINDOW);

/// A closer look has so many levels of the detector's pyramid more.
const LEVELS_CLOSER: usize = 2;

/// In closer looks, and at a glance that tells whether there are small faces or lying ones at all, windows are so many pixels apart: of
/// 1,630 small faces as many are found as at [`STEP`], in a third of the time (docs/notebook/finding-faces.md).
const STEP_CLOSER: u32 = 2 * STEP;

/// Faces of so many windows at most, when the photo is looked at first, are small: there may be smaller ones.
const SMALL: f64 = 1.5;

/// Where a look adds less than this share (one in so many) of the faces, there are hardly smaller ones.
const FEW: usize = 5;

/// Scores are sums over windows: by this factor those of a closer look grow to what they would be at [`STEP`].
const SCORE_CLOSER: f32 = 2.5;

/// Score of the faces that only closer looks show: they have more places at which to be wrong.
const MIN_SCORE_CLOSER: f32 = 4.0;

/// Faces that share more than this part of their union are one.
const OVERLAP: f32 = 0.3;

/// Longer side at which turned photos are looked at.
const LONGEST_TURNED: f64 = 512.0;

/// All faces of an upright photo that lie within it: the larger first, then the smaller ones that only closer looks show.
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
    let mut found = look_first(photo)?;
    look_closer(photo, &mut found)?;
    Ok(found)
}

/// The first look: all faces of moderate size.
fn look_first(photo: &GrayImage) -> Result<Vec<Detection>, LocateError> {
    let found = look(photo, first_scale(photo.dimensions()), |cascade, picture| {
        let longest = picture.width().max(picture.height()) as f32;
        let fills = Filling { size: FILLED * longest, score: SURE };
        match is_short(photo) {
            true => cascade.detect_large_first(picture, STEP, LARGE * longest, fills),
            false => cascade.detect(picture, STEP),
        }
    })?;
    let mut faces = Vec::new();
    for face in found {
        if f64::from(face.score) >= MIN_SCORE {
            add(&mut faces, face);
        }
    }
    Ok(faces)
}

/// Adds the faces that are too small for the first look.
fn look_closer(photo: &GrayImage, faces: &mut Vec<Detection>) -> Result<(), LocateError> {
    let mut scale = first_scale(photo.dimensions());
    let closest = closest_scale(photo.dimensions());
    let level = f64::from(LEVEL_SCALE);
    let is_small = |face: &Detection| f64::from(face.bounds[2]) * scale <= SMALL * f64::from(WINDOW);
    let mut closer = if faces.iter().any(is_small) { Closer::Look } else { Closer::GlanceFirst };
    while closest * level > scale {
        scale = (scale / level.powi(LEVELS_CLOSER as i32)).min(closest);
        let found = new_faces(photo, scale, closer, faces)?;
        let before = faces.len();
        faces.extend(found);
        if faces.len() - before <= faces.len() / FEW {
            break;
        }
        closer = Closer::Look;
    }
    Ok(())
}

/// How a photo is looked at more closely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closer {
    Look,
    /// Only if a glance shows anything: it is not known yet whether there are small faces.
    GlanceFirst,
}

/// The faces that a closer look, at this scale, adds to those that are known: many at the larger step, few at the
/// smaller one, as a single find is more often wrong.
fn new_faces(
    photo: &GrayImage,
    scale: f64,
    closer: Closer,
    known: &[Detection],
) -> Result<Vec<Detection>, LocateError> {
    let new_of = |found: Vec<Detection>, scores: f32| {
        let mut new: Vec<Detection> = Vec::new();
        for mut face in found {
            face.score *= scores;
            let is_known = known.iter().chain(&new).any(|other| are_one(other.bounds, face.bounds));
            if face.score >= MIN_SCORE_CLOSER && !is_known {
                new.push(face);
            }
        }
        new
    };
    let Some(shown) = Shown::at(photo, scale)? else { return Ok(Vec::new()) };
    // Windows at known faces would show these again.
    let outside: Vec<[f32; 4]> = known.iter().map(|face| face.bounds.map(|edge| edge * scale as f32)).collect();
    let mut cache = RefinementCache::default();
    let mut find = |step, levels| {
        let windows = Windows { step, outside: &outside };
        shown.find(|cascade, picture| cascade.detect_finest(picture, windows, levels, &mut cache))
    };
    if closer == Closer::GlanceFirst {
        let score: f64 = find(STEP_CLOSER, 1)?.iter().map(|face| f64::from(face.score)).sum();
        if score < MIN_SCORE {
            return Ok(Vec::new());
        }
    }
    let new = new_of(find(STEP_CLOSER, LEVELS_CLOSER)?, SCORE_CLOSER);
    if (1..=FEW).contains(&new.len()) { Ok(new_of(find(STEP, LEVELS_CLOSER)?, 1.0)) } else { Ok(new) }
}

/// The turn of a photo in which no face was found upright, if one shows a face surely.
pub(crate) fn lying(photo: &GrayImage) -> Result<Option<Turn>, LocateError> {
    let size = [photo.width(), photo.height()];
    let longest = f64::from(size[0].max(size[1]));
    if longest == 0.0 {
        return Ok(None);
    }
    let scale = (LONGEST_TURNED / longest).min(2.0);
    let shown = size.map(|length| (f64::from(length) * scale).round().max(1.0) as u32);
    let small = resized_to(photo, shown)?;
    let mut surest = None;
    for turn in Turn::LYING {
        let turned = turn.turned(&small);
        let at = |step| look(&turned, 1.0, |cascade, picture| cascade.detect(picture, step));
        if at(STEP_CLOSER)?.is_empty() {
            continue;
        }
        let score = at(STEP)?.iter().map(|face| face.score).fold(0.0, f32::max);
        if f64::from(score) >= SURE && surest.is_none_or(|(other, _)| score > other) {
            surest = Some((score, turn));
        }
    }
    Ok(surest.map(|(_, turn)| turn))
}

/// Adds a face; of two that are one, the surer stays.
fn add(faces: &mut Vec<Detection>, face: Detection) {
    let is_same = |other: &Detection| are_one(other.bounds, face.bounds);
    if faces.iter().any(|other| is_same(other) && other.score >= face.score) {
        return;
    }
    faces.retain(|other| !is_same(other));
    faces.push(face);
}

/// Whether two boxes show one face: they overlap, or the middle of one lies within the other.
pub(crate) fn are_one(one: [f32; 4], other: [f32; 4]) -> bool {
    let middle = |[left, top, width, height]: [f32; 4]| [left + width / 2.0, top + height / 2.0];
    let holds = |[left, top, width, height]: [f32; 4], [x, y]: [f32; 2]| {
        (left..=left + width).contains(&x) && (top..=top + height).contains(&y)
    };
    overlap(one, other) > OVERLAP || holds(one, middle(other)) || holds(other, middle(one))
}

/// The part of their union that two boxes (left, top, width, height) share.
pub fn overlap([l1, t1, w1, h1]: [f32; 4], [l2, t2, w2, h2]: [f32; 4]) -> f32 {
    let across = (l1 + w1).min(l2 + w2) - l1.max(l2);
    let down = (t1 + h1).min(t2 + h2) - t1.max(t2);
    let shared = across.max(0.0) * down.max(0.0);
    shared / (w1 * h1 + w2 * h2 - shared).max(f32::MIN_POSITIVE)
}
