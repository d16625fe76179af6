//! The figures that an evaluation finds, and how they are said; those of each subject stand where they are found.

mod figure;
mod list;
mod object;
mod open_set;

use serde::Serialize;

pub use figure::*;
pub use open_set::*;

use super::split::Protocol;
use super::{
    Baseline, CaptureFigures, ClaimErrors, ClosedSet, Compression, Groups, IntervalMethod, KPoint, ProbeScores,
    Suspects,
};
#[cfg(doc)]
use crate::gallery::Gallery;
use crate::recognizer::Settings;

/// Everything that was measured. Faces are named by their position in the [`Gallery`] that was evaluated, people by
/// their position in its [`people`](crate::gallery::Gallery::people). Shares are from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The people's names, by position.
    pub names: Vec<String>,
    /// The split of the faces.
    pub protocol: Protocol,
    /// The seed of everything random.
    pub seed: u64,
    /// Number of people.
    pub people: usize,
    /// Number of faces.
    pub faces: usize,
    /// Number of probes tried, over all folds and repeats.
    pub probes: usize,
    /// Faces never tried: their person has no other photo, or the protocol always learns from them.
    pub never_tried: usize,
    /// Number of times that was learned anew.
    pub folds: usize,
    /// Identification where everybody is enrolled.
    pub identification: ClosedSet,
    /// Is it who they say they are?
    pub verification: ClaimErrors,
    /// Rank-1 of the nearest face by pixels: what eigenfaces must justify themselves against.
    pub raw_pixels_rank1: Rate,
    /// Rank-1 of other methods on the folds of [`k_curve_protocol`](Self::k_curve_protocol).
    pub baselines: Vec<Baseline>,
    /// Every probe with every person.
    pub scores: Vec<ProbeScores>,
    /// Rates of groups of people, where groups were told.
    pub groups: Option<Groups>,
    /// Photos that could not be used, where that was told.
    pub capture: Option<CaptureFigures>,
    /// Recognition and reconstruction by the first K eigenfaces; K increasing.
    pub k_curve: Vec<KPoint>,
    /// The protocol of the curve: that of the evaluation, but ten parts instead of leaving one out.
    pub k_curve_protocol: Protocol,
    /// The size of faces as weights.
    pub compression: Compression,
    /// Answers to strangers and pictures of no face; `None` with too few people to play strangers.
    pub open_set: Option<OpenSet>,
    /// Photos that are probably wrong: duplicates, wrong labels, no face.
    pub suspects: Suspects,
    /// Settings of the comparison.
    pub settings: Settings,
    /// The confidence beyond which the default decision gives a name, by the calibration of the whole gallery.
    pub confidence_limit: Option<f64>,
    /// Time of each step.
    pub times: Times,
}

/// A share of probes; with its spread where the protocol has repeats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// The mean over repeats.
    pub mean: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// How that was found: by drawing people, wherever that is possible.
    pub method: IntervalMethod,
    /// The 95 % interval of Wilson (1927), as of so many independent tries as one repeat has, or as there are different faces:
    /// trying a face again tells little more. Photos of one person are not independent, so it is too narrow.
    pub wilson: [f64; 2],
    /// The sample standard deviation over repeats; `None` where there is one only.
    pub standard_deviation: Option<f64>,
}

/// Wall-clock seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    /// Learning from all faces once, calibration included.
    pub learning: f64,
    /// Seconds to identify one prepared face with the learned model.
    pub identifying_a_face: f64,
    /// Learning and trying all folds, without calibration.
    pub folds: f64,
    /// The curve over K.
    pub k_curve: f64,
    /// The part with strangers, calibration included.
    pub open_set: f64,
}
