//! Figures of the open set: strangers, confidence, and what is no face.

use serde::Serialize;

use crate::decision::{Decision, FALSE_ACCEPT_TARGET};
use crate::evaluate::{Rate, RocPoint};

/// Strangers and what is no face: people are split into enrolled and strangers, a few times over, so that
/// everybody is a stranger equally often. Of those enrolled, half of the photos are learned from, the
/// others are genuine probes. Everything is learned and calibrated from what is enrolled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpenSet {
    /// Number of splits of the people.
    pub splits: usize,
    /// People enrolled in each split (the fewest).
    pub enrolled: usize,
    /// Genuine probes, over all splits.
    pub genuine: usize,
    /// Probes of strangers, over all splits.
    pub strangers: usize,
    /// Number of faces of strangers that were given: then everybody is enrolled in each split.
    #[serde(rename = "strangers_given")]
    pub given: Option<usize>,
    /// Every probe, split after split.
    #[serde(skip)]
    pub probes: Vec<OpenProbe>,
    /// Share of genuine probes named rightly at the threshold that 1 % of the split's strangers pass: mean and spread over splits.
    #[serde(skip)]
    pub identification_at_1_percent: Rate,
    /// The identification rate at 10 %.
    #[serde(skip)]
    pub identification_at_10_percent: Rate,
    /// The identification rate at 1 % and 10 % for the nearest face by the plain distance between pixels.
    #[serde(skip)]
    pub raw_pixels_at_1_percent: Rate,
    /// See above.
    #[serde(skip)]
    pub raw_pixels_at_10_percent: Rate,
    /// FNIR at given FPIR: mean over splits, each with the threshold of its own strangers.
    pub fpir_fnir: Vec<SearchPoint>,
    /// Share of strangers that got a name by the default decision (aim: 1 %).
    #[serde(skip)]
    pub strangers_named: Rate,
    /// Share of genuine probes that got their name by the default decision.
    #[serde(skip)]
    pub named_rightly: Rate,
    /// Share of genuine probes that got another's name by the default decision.
    #[serde(skip)]
    pub named_wrongly: Rate,
    /// Whether confidence means what it says.
    #[serde(skip)]
    pub confidence: Reliability,
    /// Faces against what is no face.
    #[serde(skip)]
    pub not_a_face: NotAFace,
}

impl OpenSet {
    /// Whether more strangers got a name than was aimed at, beyond what chance does with so many of them.
    pub fn misses_aim(&self) -> bool {
        self.strangers_named.interval[0] > FALSE_ACCEPT_TARGET
    }
}

/// A point of the curve of identification errors (ISO/IEC 19795-1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SearchPoint {
    /// The false positive identification rate that is allowed: share of searches of strangers that give a name.
    pub fpir: f64,
    /// The false negative identification rate there: share of searches of enrolled people that do not give theirs.
    pub fnir: f64,
}

/// One probe of the open set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpenProbe {
    /// The split, counted from 0.
    pub split: usize,
    /// A position in the gallery; those of strangers that were given follow it.
    pub face: usize,
    /// The person it shows; people of strangers that were given come after the gallery's.
    pub person: usize,
    /// Whether that person is enrolled in this split.
    pub role: Role,
    /// Score of the nearest person: the confidence, or -1 where it is refused as not a face.
    pub score: f64,
    /// Whether the nearest person is the one shown.
    pub right: bool,
    /// The nearest person.
    pub nearest: Option<usize>,
    /// The distance to them.
    pub distance: f64,
    /// Probability that it is the nearest person.
    pub confidence: f64,
    /// The decision by default.
    pub decision: Decision,
}

impl OpenProbe {
    /// Whether it got a name by the default decision.
    pub(in crate::evaluate) fn is_named(&self) -> bool {
        self.decision == Decision::Known
    }
}

/// The role of a face in a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Its person is enrolled, from other photos.
    Enrolled,
    /// Its person is not enrolled.
    Stranger,
}

named!(Role { Enrolled = "enrolled", Stranger = "stranger" });

/// Confidence against how often it is right; strangers and genuine probes weigh half each.
#[derive(Debug, Clone, PartialEq)]
pub struct Reliability {
    /// Expected calibration error: mean |accuracy - confidence| of 10 bins of equal width, by weight.
    pub calibration_error: f64,
    /// Calibration error over 10 bins of equal weight (adaptive).
    pub adaptive_calibration_error: f64,
    /// The bins of equal width that are not empty.
    pub bins: Vec<ReliabilityBin>,
}

/// Probes of similar confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReliabilityBin {
    /// Their mean confidence.
    pub confidence: f64,
    /// Share of names that were right.
    pub accuracy: f64,
    /// Their share of all.
    pub weight: f64,
}

/// Held-out faces against what is no face, by face score: areas under the ROC curve.
#[derive(Debug, Clone, PartialEq)]
pub struct NotAFace {
    /// Share of held-out faces refused by the default decision.
    pub faces_refused: f64,
    /// Noise, every pixel on its own.
    pub noise: Apart,
    /// Noise, blurred.
    pub blurred_noise: Apart,
    /// Held-out faces upside down: the hardest, and a matter of taste.
    pub upside_down: Apart,
}

impl NotAFace {
    /// Each kind of pictures: as fields name it, in words, and its figures.
    pub fn kinds(&self) -> [(&'static str, &'static str, &Apart); 3] {
        [
            ("noise", "noise", &self.noise),
            ("blurred_noise", "blurred noise", &self.blurred_noise),
            ("upside_down", "faces upside down", &self.upside_down),
        ]
    }
}

/// Separation of faces from one kind of other pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct Apart {
    /// Number of pictures, over all splits.
    pub count: usize,
    /// Area under the ROC curve.
    pub area: f64,
    /// The area by nothing but the distance from face space, all basis faces used.
    pub area_by_distance: f64,
    /// The ROC curve: `true_accepts` of faces against `false_accepts` of these pictures.
    pub roc: Vec<RocPoint>,
    /// The curve by the distance from face space.
    pub roc_by_distance: Vec<RocPoint>,
    /// Share refused by the default decision.
    pub refused: f64,
}
