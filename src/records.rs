//! JSON records of photos and models, of the program and the server alike: field names are stable.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::dataset::path_as_text;
use crate::decision::{Acceptance, Decision};
use crate::locate::Location;
use crate::matcher::PixelScale;
use crate::recognizer::{Identification, Recognizer};

/// The version of what JSON says: a field that goes, or means something else, makes it one more; a new field does not.
pub const SCHEMA: u32 = 1;

/// An object with the version of its fields' meaning.
pub fn with_schema(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.insert("schema".to_owned(), SCHEMA.into());
    }
    object
}

/// One result of a command, in each form that can be asked for.
#[derive(Debug)]
pub struct Record {
    /// For programs.
    pub json: Value,
    /// Lines for reading.
    pub text: Vec<String>,
    /// Rows of a table; `None`: the fields of `json`.
    pub rows: Option<Vec<Vec<String>>>,
}

impl Record {
    /// A result whose row in a table is made of its fields.
    pub fn new(json: Value, text: impl IntoIterator<Item = String>) -> Self {
        Self { json, text: text.into_iter().collect(), rows: None }
    }

    pub fn with_rows(self, rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        Self { rows: Some(rows.into_iter().collect()), ..self }
    }
}

/// One photo that was looked at.
#[derive(Debug, Serialize)]
pub struct PhotoRecord {
    photo: String,
    /// Degrees by which it must be turned clockwise.
    turn: u32,
    /// Row by row.
    pub faces: Vec<FaceRecord>,
}

/// A face of a photo. Places are told to a tenth of a pixel: closer no face is located.
#[derive(Debug, Default, Serialize)]
pub struct FaceRecord {
    #[serde(rename = "box")]
    bounds: Option<[f64; 4]>,
    eyes: Option<[[f64; 2]; 2]>,
    decision: &'static str,
    probable: bool,
    person: Option<String>,
    confidence: Option<f64>,
    distance: Option<f64>,
    somebody_else: Option<f64>,
    residual: Option<f64>,
    likeness: Option<f64>,
    signal: Option<f64>,
    candidates: Vec<CandidateRecord>,
    /// Further fields of the server.
    #[serde(flatten)]
    pub served: Option<ServedFace>,
}

#[derive(Debug, Serialize)]
struct CandidateRecord {
    person: String,
    distance: f64,
    confidence: f64,
}

/// A face as the server knows it.
#[derive(Debug, Default, Serialize)]
pub struct ServedFace {
    /// The hash by which it is known, or would be.
    pub hash: Option<String>,
    /// Whether somebody has called it nobody's.
    pub nobody: bool,
    /// The enrolled face that it is.
    pub enrolled: Option<EnrolledFace>,
}

#[derive(Debug, Serialize)]
pub struct EnrolledFace {
    pub hash: String,
    pub person: String,
}

impl PhotoRecord {
    /// The record of an identified photo.
    pub fn identified(photo: &Path, found: &[Identification]) -> Self {
        Self::of(photo, found.first().and_then(|face| face.location), found.iter().map(FaceRecord::of).collect())
    }

    /// The record of a photo where nobody is enrolled: the faces are there, and unknown.
    pub fn located(photo: &Path, places: &[Option<Location>]) -> Self {
        let face = |place: &Option<Location>| FaceRecord {
            served: Some(ServedFace::default()),
            ..FaceRecord::at(*place, Decision::Unknown)
        };
        Self::of(photo, places.first().copied().flatten(), places.iter().map(face).collect())
    }

    fn of(photo: &Path, first: Option<Location>, faces: Vec<FaceRecord>) -> Self {
        Self { photo: path_as_text(photo), turn: first.map_or(0, |face| face.turn().degrees()), faces }
    }
}

impl FaceRecord {
    fn at(place: Option<Location>, decision: Decision) -> Self {
        let tenths = |coordinate: f32| (f64::from(coordinate) * 10.0).round() / 10.0;
        Self {
            bounds: place.map(|place| place.bounds.map(tenths)),
            eyes: place.map(|place| place.eyes.map(|eye| eye.map(tenths))),
            decision: decision.name(),
            ..Self::default()
        }
    }

    fn of(found: &Identification) -> Self {
        let candidates = found.candidates.iter().map(|candidate| CandidateRecord {
            person: candidate.person.to_string(),
            distance: candidate.distance,
            confidence: candidate.confidence,
        });
        Self {
            probable: found.is_probable(),
            person: found.name().map(str::to_owned),
            confidence: found.closest().map(|closest| closest.confidence),
            distance: found.closest().map(|closest| closest.distance),
            somebody_else: found.somebody_else,
            residual: Some(found.residual.distance),
            likeness: Some(found.face_score),
            signal: found.signal,
            candidates: candidates.collect(),
            ..Self::at(found.location, found.decision)
        }
    }
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
        "confidence_limit": recognizer.threshold(Acceptance::default()),
        "likeness_limit": recognizer.comparer().face_score_limit(),
    })
}
