//! Questions about single faces: whether two are of one person, and why somebody was named.

use std::path::PathBuf;

use super::Model;
use crate::dataset::Photo;
use crate::decision::Acceptance;
use crate::error::{Error, PhotoProblem, Result};
use crate::preparation::{FaceChoice, PreparedFace};
use crate::recognizer::{Explanation, Verification};

/// The error for a problem of a photo that came without a path.
pub(super) fn problem(problem: PhotoProblem) -> Error {
    Error::photo("photo", problem)
}

pub(super) fn number(at: usize) -> PathBuf {
    PathBuf::from(format!("photo {at}"))
}

impl Model {
    /// One face of a photo, prepared as the gallery's faces were.
    ///
    /// # Errors
    /// A photo without a face, or without one of that number.
    pub fn face(&self, photo: &Photo, choice: FaceChoice) -> Result<PreparedFace> {
        self.recognizer().preparation().prepare_chosen(photo.luma(), choice).map_err(problem)
    }

    /// Whether the main faces of two photos are of one person. Neither need be enrolled.
    ///
    /// # Errors
    /// A photo without a face; too few people enrolled to tell, where no background model compares.
    pub fn verify(&self, a: &Photo, b: &Photo, acceptance: Acceptance) -> Result<Verification> {
        let [a, b] = [self.face(a, FaceChoice::Main)?, self.face(b, FaceChoice::Main)?];
        self.recognizer().verify(&a, &b, acceptance)
    }

    /// Whether the main face of a photo is of the enrolled person of that name.
    ///
    /// # Errors
    /// As [`verify`](Self::verify); nobody of that name.
    pub fn verify_person(&self, photo: &Photo, name: &str, acceptance: Acceptance) -> Result<Verification> {
        let person = self.gallery().find(name)?;
        self.recognizer().verify_person(&self.face(photo, FaceChoice::Main)?, person, acceptance)
    }

    /// Explains a face: the evidence for the nearest person and for the next.
    ///
    /// # Errors
    /// A photo without a face of that number.
    pub fn explain(&self, photo: &Photo, choice: FaceChoice) -> Result<Explanation> {
        self.recognizer().explain(&self.face(photo, choice)?.pixels)
    }
}
