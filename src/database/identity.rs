//! The fingerprint of a model's coordinates.

use sha2::{Digest, Sha256};

use crate::background::Background;
use crate::compare::Likelihoods;
use crate::recognizer::Recognizer;

/// A digest of all that turns a photo into coordinates: how it is prepared, the face space, the background model and how
/// the gallery moved it, and the numbers of photos that have a place in a vector. Coordinates of one such identity can be
/// compared, those of two never. Who is enrolled, and how scores become decisions, are no part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity(pub [u8; 32]);

impl Identity {
    /// That of a recogniser, which compares by these likelihoods.
    pub fn of(recognizer: &Recognizer, likelihoods: &Likelihoods) -> Self {
        let (preparation, space) = (recognizer.preparation(), recognizer.space());
        let (people, background) = (likelihoods.people(), likelihoods.background());
        let mut told = Told::default();
        told.text("eigenfaces coordinates, 1");
        told.text(&preparation.size().to_string());
        told.text(preparation.framing().name());
        told.doubles(space.mean().as_slice());
        told.singles(space.basis().as_slice());
        told.doubles(space.eigenvalues());
        match Background::bundled() {
            Ok(bundled) if std::ptr::eq(bundled, background) => {
                told.text(&Background::bundled_digest());
            }
            _ => told.bytes(&background.to_bytes()),
        }
        let (directions, between) = people.adaptation().to_parts();
        told.singles(&directions);
        told.doubles(&between);
        told.doubles(&people.to_parts().means);
        for count in people.photo_counts() {
            told.text(&count.to_string());
        }
        Self(told.0.finalize().into())
    }
}

/// A digest in the making. Every value is preceded by its length, so that no two sequences run into each other.
#[derive(Default)]
struct Told(Sha256);

impl Told {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn doubles(&mut self, values: &[f64]) {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.bytes(&bytes.collect::<Vec<u8>>());
    }

    fn singles(&mut self, values: &[f32]) {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.bytes(&bytes.collect::<Vec<u8>>());
    }
}
