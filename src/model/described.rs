//! Enrolling faces that were prepared and described elsewhere: what a cluster does before one machine learns.
//!
//! Finding, aligning and describing a face is nearly all the work of enrolling, and needs no other face. So workers make
//! [`DescribedFace`]s of photos, each by itself, and one process learns from them.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::GrayImage;
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::{Edit, Model, Plan, Step};
use crate::background::Background;
use crate::dataset::{Person, Photo};
use crate::error::{Error, PhotoProblem, Result};
use crate::face_index;
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::gallery::{Gallery, LabeledFace};
use crate::locate::framing::{Framing, RelativeEyes};
use crate::preparation::{KeptEyes, Origin, Preparation};
use crate::recognizer::{DescribedGallery, Settings};

/// A photo's face, ready to be learned: the prepared face and its coordinates in the background model.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribedFace {
    preparation: Preparation,
    face: LabeledFace,
    /// 2k.
    coordinates: Vec<f32>,
}

impl DescribedFace {
    /// Prepares and describes the face of a photo as `enroll` does with its defaults. `source` is the path that the model
    /// keeps; may be empty.
    ///
    /// # Errors
    /// [`Error::Photo`] for a photo that cannot be enrolled.
    pub fn of(photo: &Photo, person: Person, source: &str) -> Result<Self> {
        let preparation = face_index::preparation();
        let face = preparation.prepare(photo.luma()).map_err(|problem| Error::photo(source, problem))?;
        let pixels = FaceMatrix::from_pixels(preparation.size(), face.pixels.clone())?;
        let coordinates = Background::bundled()?.coordinates(&pixels);
        let face = LabeledFace::new(person, source, photo.content_hash(), face);
        Ok(Self { preparation, face, coordinates: coordinates.as_slice().to_vec() })
    }

    /// The bytes in which a face travels: a line of JSON, then the coordinates (`f32`, little-endian).
    ///
    /// # Errors
    /// None that a face can bring about.
    pub fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(&Record::of(&self.preparation, &self.face))?;
        bytes.push(b'\n');
        bytes.extend(self.coordinates.iter().flat_map(|value| value.to_le_bytes()));
        Ok(bytes)
    }

    /// The face of such bytes.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] for other bytes, or those of another version of this program.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let end = bytes.iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let (line, rest) = bytes.split_at(end);
        let (numbers, odd) = rest.as_chunks::<4>();
        let coordinates: Vec<f32> = numbers.iter().map(|&value| f32::from_le_bytes(value)).collect();
        let expected = 2 * Background::bundled()?.components();
        let face = serde_json::from_slice::<Record>(line).ok().and_then(Record::face);
        let (preparation, face) = face.ok_or(Error::Inconsistent)?;
        let is_sound = odd.is_empty()
            && coordinates.len() == expected
            && coordinates.iter().all(|value| value.is_finite())
            && preparation == face_index::preparation();
        is_sound.then_some(Self { preparation, face, coordinates }).ok_or(Error::Inconsistent)
    }
}

/// A face, and how it was prepared, as JSON.
#[derive(Serialize, Deserialize)]
struct Record {
    person: String,
    source: String,
    hash: String,
    width: u32,
    height: u32,
    framing: Framing,
    pixels: String,
    /// Width and height of the photo, where it was not taken whole.
    photo: Option<(u32, u32)>,
    /// Where a face was found in it.
    eyes: Option<RelativeEyes>,
    /// Its gray values and eyes, where it is kept.
    kept: Option<(String, KeptEyes)>,
}

impl Record {
    fn of(preparation: &Preparation, face: &LabeledFace) -> Self {
        let (photo, eyes, kept) = match &face.origin {
            Origin::Whole => (None, None, None),
            Origin::Found { photo, eyes } => (Some(*photo), Some(*eyes), None),
            Origin::Kept { photo, eyes } => {
                (Some(photo.dimensions()), None, Some((STANDARD.encode(photo.as_raw()), *eyes)))
            }
        };
        Self {
            person: face.person.to_string(),
            source: face.source.clone(),
            hash: face.hash.to_string(),
            width: preparation.size().width(),
            height: preparation.size().height(),
            framing: preparation.framing(),
            pixels: STANDARD.encode(&*face.pixels),
            photo,
            eyes,
            kept,
        }
    }

    /// The face and its preparation; `None` of values that are none.
    fn face(self) -> Option<(Preparation, LabeledFace)> {
        let size = FaceSize::new(self.width, self.height).ok()?;
        let origin = match (self.photo, self.eyes, self.kept) {
            (Some((width, height)), _, Some((kept, eyes))) => {
                Origin::Kept { photo: GrayImage::from_raw(width, height, STANDARD.decode(kept).ok()?)?, eyes }
            }
            (Some(photo), Some(eyes), None) => Origin::Found { photo, eyes },
            _ => Origin::Whole,
        };
        let face = LabeledFace {
            person: Person::new(&self.person).ok()?,
            source: self.source,
            hash: self.hash.parse().ok()?,
            pixels: STANDARD.decode(self.pixels).ok()?.into(),
            origin,
        };
        (face.pixels.len() == size.pixels()).then_some((Preparation::new(size, self.framing), face))
    }
}

impl Model {
    /// Enrols described faces, in any order: the model is bit for bit that of enrolling their photos with the default
    /// options, where faces are found in them. A photo that is there twice counts once.
    ///
    /// # Errors
    /// One photo under two names; no face, or faces that are all alike (one is enough).
    pub fn enroll_described(faces: Vec<DescribedFace>) -> Result<Self> {
        let preparation = face_index::preparation();
        let mut coordinates = HashMap::with_capacity(faces.len());
        let mut labeled = Vec::with_capacity(faces.len());
        for face in faces {
            coordinates.insert(face.face.hash, face.coordinates);
            labeled.push(face.face);
        }
        let (gallery, repeats) = Gallery::assemble(preparation.size(), labeled.clone())?;
        if let Some(dispute) = repeats.disputed.into_iter().next() {
            let problem =
                PhotoProblem::SamePhoto { other: dispute.other_source, person: dispute.other_person.to_string() };
            return Err(Error::photo(dispute.source, problem));
        }
        let known = gallery.enrolled().iter().filter_map(|face| coordinates.get(&face.hash));
        let known: Vec<f32> = known.flatten().copied().collect();
        let known = DMatrix::from_vec(2 * Background::bundled()?.components(), gallery.len(), known);
        let described = DescribedGallery::new(&gallery, &known)?;
        let edit = Edit::Faces(preparation, labeled, Step::Own);
        Plan::of(edit, None, &())?.learn(None, Some(described), Settings::default())
    }
}
