//! The fingerprint of a model's coordinates.

use crate::compare::FieldHasher;
use crate::recognizer::Recognizer;

/// A digest of all that turns a photo into coordinates: how it is prepared, the face space, the spaces of what is
/// compared, the metric, and what of a person is compared. Coordinates of one such identity can be compared, those of
/// two never. Who is enrolled, and how distances become decisions, are no part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity(pub [u8; 32]);

impl Identity {
    /// That of a recogniser.
    pub fn of(recognizer: &Recognizer) -> Self {
        let (preparation, settings) = (recognizer.preparation(), recognizer.settings());
        let mut told = FieldHasher::default();
        told.text("eigenfaces coordinates, 1");
        told.text(&preparation.size().to_string());
        told.text(preparation.framing().name());
        told.text(settings.distance.metric.name());
        told.face_space(recognizer.space());
        recognizer.comparer().tell(&mut told);
        Self(told.finish())
    }
}
