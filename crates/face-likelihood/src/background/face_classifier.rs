//! Whether a crop that was aligned by assumed eyes shows a face: a linear classifier of its description with the light
//! evened out ([`Channel::LightNormalized`](super::Channel)), learned by ridge regression from aligned faces and from
//! parts of photos that show none (`examples/train_face_classifier`).
//!
//! The face score of face space measures light as much as faces, so that a face lit from the side scores like a wall;
//! this does not. It wants the eyes in their places: docs/notebook/recognition.md, "Light from the side".
//!
//! The file: `EFFACE`, version, scale and bias (f32), a byte for each of the description's values, little-endian.

use nalgebra::{DMatrix, DVector};
use symmetric_eigen as eigen;

use super::{Background, Channel, LENGTH, at_size, description, products};
use crate::error::{BackgroundProblem, Error, Result};
use crate::face_matrix::{FaceMatrix, FaceSize};

const BUNDLED: &[u8] = include_bytes!("../../models/face-classifier.bin");
const MAGIC: &[u8; 8] = b"EFFACE\x01\x00";

/// Weight of the ridge, as a share of the values' mean variance.
const RIDGE: f64 = 0.1;

/// The score that 99 of 100 crops of `not-faces` stay below.
const LIMIT: f32 = -0.45;

/// Tells faces from other pictures: `scale (Σ weights x) + bias`, about 1 for faces and -1 for other pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct FaceClassifier {
    weights: Vec<i8>,
    scale: f32,
    bias: f32,
}

impl FaceClassifier {
    /// The classifier that comes with the program.
    ///
    /// # Errors
    /// When the program itself is damaged.
    pub fn bundled() -> Result<Self> {
        Self::from_bytes(BUNDLED)
    }

    /// Whether a face of any size, its eyes where every aligned face has them, is one.
    ///
    /// # Errors
    /// When the program itself is damaged.
    pub fn is_face(&self, face: &[u8], size: FaceSize) -> Result<bool> {
        let descriptions =
            description::describe(&at_size(face, size), Background::bundled()?.mouths());
        Ok(self.score(&descriptions[Channel::LightNormalized as usize]) > LIMIT)
    }

    /// The score of a description of [`LENGTH`] bytes.
    #[doc(hidden)]
    pub fn score(&self, description: &[u8]) -> f32 {
        let [product] = products(&self.weights, [description]);
        self.scale * product as f32 + self.bias
    }

    /// Learns from descriptions, with the light evened out, of faces and of other pictures ([`LENGTH`] x n each).
    ///
    /// # Errors
    /// Descriptions that are all alike.
    #[doc(hidden)]
    pub fn learn(faces: &FaceMatrix, others: &FaceMatrix) -> Result<Self> {
        let (count, of_faces) = (faces.len() + others.len(), faces.len());
        let values = faces.as_slice().iter().chain(others.as_slice());
        let mut centred =
            DMatrix::from_iterator(LENGTH, count, values.map(|&value| f64::from(value)));
        let mean = centred.column_mean();
        for mut column in centred.column_iter_mut() {
            column -= &mean;
        }
        // Both kinds weigh alike.
        let wanted = |at: usize| match at < of_faces {
            true => 1.0 / of_faces as f64,
            false => -1.0 / (count - of_faces) as f64,
        };
        let towards = &centred * DVector::from_fn(count, |at, _| wanted(at));
        let mut covariance = DMatrix::zeros(LENGTH, LENGTH);
        eigen::add_outer(&mut covariance, &centred);
        covariance /= count as f64;
        let ridge = RIDGE * covariance.trace() / LENGTH as f64;
        for at in 0..LENGTH {
            covariance[(at, at)] += ridge;
        }
        let solved = covariance.cholesky().map(|root| root.solve(&towards));
        let weights = solved.ok_or(Error::Background {
            problem: BackgroundProblem::TooFewPhotos,
        })?;
        Ok(Self::rounded(&weights, &centred, &mean, of_faces))
    }

    /// The classifier along these weights, rounded to bytes, by which the mean score of faces is 1 and of others -1.
    fn rounded(
        weights: &DVector<f64>,
        centred: &DMatrix<f64>,
        mean: &DVector<f64>,
        of_faces: usize,
    ) -> Self {
        let step = weights.amax().max(f64::MIN_POSITIVE) / 127.0;
        let rounded = weights.map(|weight| (weight / step).round());
        let scores = rounded.transpose() * centred;
        let mean_of = |from: usize, count: usize| scores.columns(from, count).mean();
        let faces = mean_of(0, of_faces);
        let others = mean_of(of_faces, scores.len() - of_faces);
        let scale = 2.0 / (faces - others).max(f64::MIN_POSITIVE);
        let middle = (faces + others) / 2.0 + rounded.dot(mean);
        Self {
            weights: rounded.iter().map(|&weight| weight as i8).collect(),
            scale: scale as f32,
            bias: (-scale * middle) as f32,
        }
    }

    /// The classifier as bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.scale.to_le_bytes());
        bytes.extend(self.bias.to_le_bytes());
        bytes.extend(self.weights.iter().map(|&weight| weight as u8));
        bytes
    }

    /// Reads a classifier from bytes of a file.
    ///
    /// # Errors
    /// [`Error::Background`]: another file, or a damaged one.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let damaged = || Error::Background {
            problem: BackgroundProblem::Damaged,
        };
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(damaged)?;
        let (numbers, weights) = rest.split_at_checked(8).ok_or_else(damaged)?;
        let number = |at: usize| {
            let bytes = [
                numbers[at],
                numbers[at + 1],
                numbers[at + 2],
                numbers[at + 3],
            ];
            let number = f32::from_le_bytes(bytes);
            (number.abs() < 1e9).then_some(number).ok_or_else(damaged)
        };
        if weights.len() != LENGTH {
            return Err(damaged());
        }
        Ok(Self {
            weights: bytemuck::cast_slice(weights).to_vec(),
            scale: number(0)?,
            bias: number(4)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::SHEET;
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_damage_is_refused() {
        let bundled = FaceClassifier::bundled().unwrap();
        let bytes = bundled.to_bytes();
        assert_eq!(FaceClassifier::from_bytes(&bytes).unwrap(), bundled);
        for length in [0, 7, 8, 15, 16, bytes.len() - 1] {
            assert!(FaceClassifier::from_bytes(&bytes[..length]).is_err());
        }
        let mut senseless = bytes.clone();
        senseless[8..12].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(FaceClassifier::from_bytes(&senseless).is_err());
    }

    #[test]
    fn kinds_that_differ_in_one_value_are_told_apart() {
        let of = |level: u8| {
            let pixels = (0..6 * LENGTH).map(|at| match at % LENGTH {
                7 => level,
                _ => (at * at % 23) as u8,
            });
            FaceMatrix::from_pixels(SHEET, pixels.collect()).unwrap()
        };
        let classifier = FaceClassifier::learn(&of(200), &of(90)).unwrap();
        assert!((classifier.score(of(200).face(0)) - 1.0).abs() < 0.3);
        assert!((classifier.score(of(90).face(0)) + 1.0).abs() < 0.3);
    }

    #[test]
    fn a_wall_is_no_face() {
        let classifier = FaceClassifier::bundled().unwrap();
        assert!(
            !classifier
                .is_face(&[120; 64 * 74], super::super::FACE)
                .unwrap()
        );
    }
}
