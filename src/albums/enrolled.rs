//! The faces of photos that are enrolled themselves: a person has given them their names.

use std::collections::HashMap;

use crate::dataset::{ContentHash, Person};
use crate::model::Model;

/// The person of each enrolled face, by the hash of its pixels.
#[derive(Debug)]
pub struct EnrolledPixels(HashMap<ContentHash, Person>);

impl EnrolledPixels {
    /// Those of a model; of none, nobody's.
    pub fn of(model: Option<&Model>) -> Self {
        let Some(gallery) = model.map(Model::gallery) else { return Self(HashMap::new()) };
        let faces = gallery.enrolled().iter().enumerate();
        let faces =
            faces.map(|(at, face)| (ContentHash::of(gallery.faces().face(at)), gallery.people()[face.person].clone()));
        Self(faces.collect())
    }

    pub fn person(&self, pixels: &[u8]) -> Option<&Person> {
        self.by_hash(ContentHash::of(pixels))
    }

    pub fn by_hash(&self, pixels: ContentHash) -> Option<&Person> {
        self.0.get(&pixels)
    }
}
