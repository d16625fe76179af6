//! A gallery of the background model that a server of vectors keeps: what stands for its people and for probes there.

use nalgebra::{DMatrix, DVectorView};

use super::Likelihoods;
use super::likelihoods::SAME_FACE;
use crate::background::ExtendedProbe;

/// A probe as a server takes it.
#[derive(Debug, Clone)]
pub struct RemoteProbe {
    probe: ExtendedProbe,
    /// The person, a position in the model's people, whose enrolled face this is.
    pub enrolled_as: Option<usize>,
}

impl RemoteProbe {
    /// The score of the very face that is enrolled.
    pub const SAME: f64 = SAME_FACE;

    /// m coordinates: their inner product with a person's vector is the score, but for rounding.
    pub fn vector(&self) -> &[f32] {
        &self.probe.vector
    }

    /// The score against a person, by their vector, as the model file has it; `None` of a vector of another size.
    pub fn score(&self, person: &[f32]) -> Option<f64> {
        self.probe.score(person)
    }
}

impl Likelihoods {
    /// The vectors (m each) that stand for people, in their order.
    pub fn vectors(&self) -> Vec<Vec<f32>> {
        let vectors = self.people().all_extended().into_iter();
        vectors.map(|(_, vector)| vector).collect()
    }

    /// Number of coordinates of a vector.
    pub fn dimensions(&self) -> usize {
        self.people().extended_dimensions()
    }

    /// Probes as a server takes them, of coordinates (2k x p).
    pub fn remote_probes(&self, coordinates: &DMatrix<f32>) -> Vec<RemoteProbe> {
        let probes = self.people().extended_probes(coordinates).into_iter();
        let probe = |(probe, raw): (ExtendedProbe, DVectorView<'_, f32>)| RemoteProbe {
            probe,
            enrolled_as: self.enrolled_as(raw.as_slice()),
        };
        probes.zip(coordinates.column_iter()).map(probe).collect()
    }
}
