//! JSON Lines: one object a line; field names are stable, scripts depend on them.

use std::path::Path;

use eigenfaces::decision::{Acceptance, Decision};
use eigenfaces::error::PhotoProblem;
use eigenfaces::locate::Location;
use eigenfaces::matcher::PixelScale;
use eigenfaces::recognizer::{Identification, Recognizer};
use serde_json::{Value, json};

use super::remedy;

/// The name of a decision in JSON and CSV.
pub fn decision(decision: Decision) -> &'static str {
    match decision {
        Decision::Known => "known",
        Decision::Unknown => "unknown",
        Decision::NotAFace => "not-a-face",
    }
}

/// One photo that was looked at, with its faces row by row, and by how many degrees it must be turned clockwise.
pub fn identified(photo: &Path, found: &[Identification]) -> Value {
    let location = found.first().and_then(|face| face.location);
    in_photo(photo, location, found.iter().map(face).collect())
}

/// Likewise, where nobody is enrolled: the faces are there, and unknown.
#[cfg(feature = "serve")]
pub fn located(photo: &Path, places: &[Option<Location>]) -> Value {
    let faces = places.iter().map(|place| {
        json!({
            "box": place.map(|place| place.bounds.map(pixels)),
            "eyes": place.map(|place| place.eyes.map(|eye| eye.map(pixels))),
            "decision": decision(Decision::Unknown),
            "probable": false,
            "person": null, "confidence": null, "distance": null, "somebody_else": null,
            "residual": null, "likeness": null, "signal": null,
            "candidates": [],
            "enrolled": null, "hash": null, "nobody": false,
        })
    });
    in_photo(photo, places.first().copied().flatten(), faces.collect())
}

fn in_photo(photo: &Path, first: Option<Location>, faces: Vec<Value>) -> Value {
    let turn = first.map_or(0, |face| face.turn().degrees());
    json!({ "photo": photo.to_string_lossy(), "turn": turn, "faces": faces })
}

fn face(found: &Identification) -> Value {
    let closest = found.closest();
    let candidates: Vec<Value> = found
        .candidates
        .iter()
        .map(|candidate| {
            json!({
                "person": candidate.person.as_str(),
                "distance": candidate.distance,
                "confidence": candidate.confidence,
            })
        })
        .collect();
    json!({
        "box": found.location.map(|place| place.bounds.map(pixels)),
        "eyes": found.location.map(|place| place.eyes.map(|eye| eye.map(pixels))),
        "decision": decision(found.decision),
        "probable": found.is_probable(),
        "person": found.name(),
        "confidence": closest.map(|candidate| candidate.confidence),
        "distance": closest.map(|candidate| candidate.distance),
        "somebody_else": found.somebody_else,
        "residual": found.residual.distance,
        "likeness": found.face_score,
        "signal": found.signal,
        "candidates": candidates,
    })
}

/// A coordinate to a tenth of a pixel: closer no face is located.
fn pixels(coordinate: f32) -> f64 {
    (f64::from(coordinate) * 10.0).round() / 10.0
}

pub fn problem(photo: &Path, problem: &PhotoProblem) -> Value {
    json!({ "photo": photo.to_string_lossy(), "error": remedy::of_photo(problem) })
}

pub fn model(recognizer: &Recognizer) -> Value {
    let (space, gallery) = (recognizer.space(), recognizer.gallery());
    let settings = recognizer.settings();
    json!({
        "people": gallery.people().len(),
        "faces": gallery.len(),
        "width": space.size().width(),
        "height": space.size().height(),
        "pixels": space.pixels(),
        "framing": recognizer.preparation().framing(),
        "components": space.components(),
        "variance_kept": space.variance_kept(),
        "total_variance": space.total_variance(),
        "kernel": settings.distance.kernel.to_string(),
        "scaled_pixels": settings.distance.pixel_scale == PixelScale::Deviation,
        "metric": settings.distance.metric.name(),
        "background": settings.prior.name(),
        "calibration": recognizer.calibration().map(|calibration| calibration.basis),
        "confidence_limit": recognizer.identifier().threshold(Acceptance::default()),
        "likeness_limit": recognizer.comparer().face_score_limit(),
    })
}
