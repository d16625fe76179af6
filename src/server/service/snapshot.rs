//! A state of the gallery, which whoever has it may go on asking.

use std::path::Path;
use std::slice::from_ref;
use std::sync::Arc;

use eigenfaces::enrollment::PhotoFaces;
use eigenfaces::preparation::{FaceBox, Preparation, PreparedFace};
use eigenfaces::recognizer::verify_alone;
use eigenfaces::{Acceptance, Model, Photo, QueryOptions, Verification};
use serde_json::{Value, json};

use crate::records::{EnrolledFace, PhotoRecord, ServedFace};
use crate::server::failure::{Answer, Failure};

/// An immutable state of the gallery, usable while the next one is made.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// `None` while nobody is enrolled.
    pub model: Option<Arc<Model>>,
    pub(super) revision: u64,
}

impl Snapshot {
    pub fn model(&self) -> Answer<&Arc<Model>> {
        self.model.as_ref().ok_or_else(Failure::nobody_enrolled)
    }

    /// Preparation of photos, also before anybody is enrolled.
    pub fn preparation(&self) -> Preparation {
        Model::preparation(self.model.as_deref())
    }

    /// The people in a photo of that name, as JSON, and which enrolled face each is; also before anybody is enrolled.
    /// A face may be `drawn` that is not found.
    pub fn identify(&self, photo: &Photo, name: &str, drawn: Option<FaceBox>, query: QueryOptions) -> Answer<Value> {
        let gallery = self.model.as_deref().map(Model::gallery);
        let faces = PhotoFaces::with_shown(&self.preparation(), photo, gallery, drawn)?;
        let Some(model) = &self.model else {
            return Ok(json!(PhotoRecord::located(Path::new(name), &faces.locations())));
        };
        let found = model.recognizer().identify_prepared(from_ref(faces.prepared()), query)?;
        let mut told = PhotoRecord::identified(Path::new(name), &found[0]);
        let gallery = model.gallery();
        for (at, told) in told.faces.iter_mut().enumerate() {
            // The location of a face does not depend on its name.
            let face = faces.labeled(at, &gallery.people()[0], "");
            let hash = face.as_ref().map(|face| face.hash);
            let there = face.and_then(|face| gallery.photo_of(&face));
            told.served = Some(ServedFace {
                hash: hash.map(|hash| hash.to_string()),
                nobody: hash.is_some_and(|hash| model.history().is_nobodys(hash)),
                enrolled: there
                    .map(|photo| EnrolledFace { hash: photo.hash.to_string(), person: photo.person.to_string() }),
            });
        }
        Ok(json!(told))
    }

    /// Whether two prepared faces are of one person, also before anybody is enrolled.
    pub fn verify(&self, first: &PreparedFace, second: &PreparedFace) -> Answer<Verification> {
        let acceptance = Acceptance::default();
        Ok(match &self.model {
            Some(model) => model.recognizer().verify(first, second, acceptance)?,
            None => verify_alone(first, second, acceptance)?,
        })
    }

    /// The number of the last change that can be undone, or 0.
    pub(super) fn last_step(&self) -> u64 {
        self.model.as_ref().and_then(|model| model.history().last_step()).map_or(0, |(number, _)| number)
    }
}
