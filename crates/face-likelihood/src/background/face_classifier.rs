//! Whether a crop that was aligned by assumed eyes shows a face: a linear classifier of its description with the light
//! evened out ([`Channel::LightNormalized`](super::Channel)), learned by ridge regression from aligned faces and from
//! parts of photos that show none (`examples/train_face_classifier`).
//!
//! The face score of face space measures light as much as faces, so that a face lit from the side scores like a wall;
//! this does not. It wants the eyes in their places: docs/notebook/recognition.md, "Light from the side".
//!
//! The file: `EFFACE`, version, scale and bias (f32), a byte for each of the description's values, little-endian.

use super::likelihood::squared_length;
use super::{Background, Channel, LENGTH, at_size, description, products, widened};
use crate::error::{BackgroundProblem, Error, Result};
use crate::face_matrix::FaceSize;

const BUNDLED: &[u8] = include_bytes!("../../models/face-classifier.bin");
const MAGIC: &[u8; 8] = b"EFFACE\x01\x00";

/// The score that 99 of 100 crops of `not-faces` stay below.
const LIMIT: f32 = -0.45;

/// The weight of the length in [`typicality`](FaceClassifier::typicality). Of 180 pairs of strangers in each of 24 kinds of altered
/// photos at most 3 are both above 0 and told to be one person (docs/notebook/recognition.md).
const LENGTH_WEIGHT: f64 = 0.8;

/// Tells faces from other pictures: `scale (Σ weights x) + bias`, about 1 for faces and -1 for other pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct FaceClassifier {
    weights: Vec<i8>,
    scale: f32,
    bias: f32,
}

impl FaceClassifier {
    /// The classifier that comes with the program.
    /// Errors: When the program itself is damaged.
    pub fn bundled() -> Result<Self> {
        Self::from_bytes(BUNDLED)
    }

    /// Whether a face of any size, its eyes where every aligned face has them, is one.
    /// Errors: When the program itself is damaged.
    pub fn is_face(&self, face: &[u8], size: FaceSize) -> Result<bool> {
        Ok(self.score_of(face, size)? > LIMIT)
    }

    /// How typical a face is of those that the background model was learned from: its score, less [`LENGTH_WEIGHT`] for each 1 by
    /// which the length of its coordinates (2k) with the light evened out exceeds what the model expects. Below 0 it is no face, or
    /// much of it is covered or drawn over.
    /// Errors: When the program itself is damaged.
    pub fn typicality(
        &self,
        background: &Background,
        (face, size): (&[u8], FaceSize),
        coordinates: &[f32],
    ) -> Result<f64> {
        let k = background.components();
        let relit = coordinates[k..].iter().map(|&x| f64::from(x));
        let between = background.between_people(Channel::LightNormalized);
        let excess = squared_length(relit, between) / k as f64 - 1.0;
        Ok(f64::from(self.score_of(face, size)?) - LENGTH_WEIGHT * excess.max(0.0))
    }

    fn score_of(&self, face: &[u8], size: FaceSize) -> Result<f32> {
        let descriptions = description::describe(&at_size(face, size), Background::bundled()?.mouths());
        Ok(self.score(&descriptions[Channel::LightNormalized as usize]))
    }

    /// The score of a description of [`LENGTH`] bytes.
    #[doc(hidden)]
    pub fn score(&self, description: &[u8]) -> f32 {
        let [product] = products(&widened(&self.weights), [&widened(description)]);
        self.scale * product as f32 + self.bias
    }

    /// Reads a classifier from bytes of a file.
    /// Errors: [`Error::Background`]: another file, or a damaged one.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let damaged = || Error::Background { problem: BackgroundProblem::Damaged };
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(damaged)?;
        let (numbers, weights) = rest.split_at_checked(8).ok_or_else(damaged)?;
        let number = |at: usize| {
            let number = f32::from_le_bytes(*numbers[at..].first_chunk().ok_or_else(damaged)?);
            (number.abs() < 1e9).then_some(number).ok_or_else(damaged)
        };
        if weights.len() != LENGTH {
            return Err(damaged());
        }
        Ok(Self { weights: bytemuck::cast_slice(weights).to_vec(), scale: number(0)?, bias: number(4)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_refused() {
        for length in [0, 7, 8, 15, 16, BUNDLED.len() - 1] {
            assert!(FaceClassifier::from_bytes(&BUNDLED[..length]).is_err());
        }
        let mut invalid = BUNDLED.to_vec();
        invalid[8..12].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(FaceClassifier::from_bytes(&invalid).is_err());
    }

    #[test]
    fn a_wall_is_no_face() {
        let classifier = FaceClassifier::bundled().unwrap();
        assert!(!classifier.is_face(&[120; 64 * 74], super::super::FACE).unwrap());
    }
}
