//! Questions about a face, and their answers.

use std::fmt;

use crate::compare::Candidate;
use crate::decision::{Acceptance, Decision, percent};
use crate::face_space::Residual;
use crate::locate::Location;

/// The answer about one face.
#[derive(Debug, Clone, PartialEq)]
pub struct Identification {
    /// Known, unknown, or not a face.
    pub decision: Decision,
    /// The nearest people, nearest first; the first is the one named where the decision is known.
    pub candidates: Vec<Candidate>,
    /// Probability that it is somebody who is not enrolled: with the confidences of all people it sums to 1. `None`
    /// where no background model compares, whose confidences are each their own.
    pub somebody_else: Option<f64>,
    /// The distances of the face from face space and within it.
    pub residual: Residual,
    /// The face score, -1 to 1: [`face_score`](crate::face_score) has its definition.
    pub face_score: f64,
    /// The signal left of the face once damage is taken off: about 1 in photos as they are, less than
    /// [`DAMAGED`](crate::background::DAMAGED) in noise or print. `None` where the background model compares nothing here.
    pub signal: Option<f64>,
    /// Box and eyes of the face in the photo; `None` where the photo was taken as it is.
    pub location: Option<Location>,
}

/// Faces whose eyes are less than so many pixels apart are too small to be told apart: of a face some 20 pixels wide.
const FEWEST_PIXELS: f32 = 8.0;

pub(super) fn is_too_small(face: Location) -> bool {
    let [[x1, y1], [x2, y2]] = face.eyes;
    libm::hypotf(x2 - x1, y2 - y1) < FEWEST_PIXELS
}

impl Identification {
    /// Whether the face was found, and is too small to be named.
    pub fn is_too_small(&self) -> bool {
        self.location.is_some_and(is_too_small)
    }

    /// Whether the nearest person is likelier than not, though not sure enough to be named.
    pub fn is_probable(&self) -> bool {
        self.decision == Decision::Unknown && self.closest().is_some_and(|closest| closest.confidence > 0.5)
    }

    /// The name, where one is given.
    pub fn name(&self) -> Option<&str> {
        self.closest().filter(|_| self.decision == Decision::Known).map(|closest| closest.person.as_str())
    }

    /// The nearest person, named or not.
    pub fn closest(&self) -> Option<&Candidate> {
        self.candidates.first()
    }
}

/// As a person would say it: `Ada (> 99 %)`, `probably Ada (87 %)`, `unknown (closest: Ada, 12 %)`, `not a face`.
impl fmt::Display for Identification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(closest) = self.closest() else {
            return f.pad(match self.decision {
                Decision::NotAFace => "not a face",
                _ if self.is_too_small() => "unknown (too small to be named)",
                Decision::Known | Decision::Unknown => "unknown",
            });
        };
        let (name, sure) = (&closest.person, percent(closest.confidence));
        match self.decision {
            Decision::NotAFace => f.pad("not a face"),
            Decision::Known => f.pad(&format!("{name} ({sure})")),
            Decision::Unknown if self.is_probable() => f.pad(&format!("probably {name} ({sure})")),
            Decision::Unknown => f.pad(&format!("unknown (closest: {name}, {sure})")),
        }
    }
}

/// Options of a query: the rule of acceptance and the number of candidates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryOptions {
    /// Number of candidates to return at most.
    pub top: usize,
    /// The condition for giving a name.
    pub acceptance: Acceptance,
}

impl Default for QueryOptions {
    fn default() -> Self {
        Self { top: 1, acceptance: Acceptance::default() }
    }
}
