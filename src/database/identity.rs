//! The fingerprint of a model's weights.

use nalgebra::DMatrix;
use sha2::{Digest as _, Sha256};

use crate::face_space::FaceSpace;
use crate::matcher::{FeatureSpace, Matcher, Space};
use crate::recognizer::Identifier;
use crate::store::npy;

/// A digest of all that turns a photo into coordinates: how it is prepared, the face space, the spaces of what is
/// compared, the metric, and what of a person is compared. Coordinates of one such identity can be compared, those of
/// two never. Who is enrolled, and how distances become decisions, are no part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity(pub [u8; 32]);

impl Identity {
    /// That of a recogniser.
    pub fn of(recognizer: &Identifier, matcher: &Matcher) -> Self {
        let (preparation, settings) = (recognizer.preparation(), recognizer.settings());
        let mut told = Told(Sha256::new());
        told.text("eigenfaces coordinates, 1");
        told.text(&preparation.size().to_string());
        told.text(preparation.framing().name());
        told.text(preparation.light().name());
        told.text(settings.comparison.metric.name());
        told.text(&settings.comparison.clusters.to_string());
        told.face_space(recognizer.space());
        for part in matcher.feature_spaces() {
            told.part(part);
        }
        Self(told.0.finalize().into())
    }
}

/// A digest in the making. Every value is preceded by its length, so that no two sequences run into each other.
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
        self.bytes(&npy::to_bytes(values));
    }

    fn singles(&mut self, values: &DMatrix<f32>) {
        self.0.update((values.nrows() as u64).to_le_bytes());
        self.bytes(&npy::to_bytes(values.as_slice()));
    }

    fn face_space(&mut self, space: &FaceSpace) {
        self.doubles(space.mean().as_slice());
        self.singles(space.basis());
        self.doubles(space.eigenvalues());
    }

    fn part(&mut self, part: &FeatureSpace) {
        self.text(&format!("{:?}", part.feature()));
        match part.space() {
            Space::Linear(space) => {
                self.text("linear");
                self.face_space(space);
            }
            Space::Scaled(space) => {
                self.text("scaled");
                self.doubles(space.mean().as_slice());
                self.singles(space.projector());
                self.doubles(space.eigenvalues());
            }
            // What it was learned from shows in its mean and in every eigenvalue.
            Space::Kernel(space, _) => {
                self.text(&space.kernel().to_string());
                self.doubles(&[space.gamma().unwrap_or(0.0), space.total_variance()]);
                self.doubles(space.mean().as_slice());
                self.doubles(space.eigenvalues());
            }
        }
        // As a model file keeps it: in single precision.
        let matrix = part.metric().matrix();
        self.singles(&matrix.map_or_else(|| DMatrix::zeros(0, 0), |m| m.map(|v| v as f32)));
    }
}
