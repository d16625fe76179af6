//! Figures of identification: who is found nearest, and who is mistaken for whom.

use serde::Serialize;

use super::Rate;

/// Figures of identification where everybody is enrolled (closed set): rank-1, CMC, confusions.
#[derive(Debug, Clone, PartialEq)]
pub struct Identification {
    /// Share of probes whose own person is the nearest.
    pub rank1: Rate,
    /// Cumulative match characteristic: at position r - 1 the share of probes whose own person is among
    /// the r nearest, r = 1 to 10 (fewer where there are fewer people).
    pub cmc: Vec<Rate>,
    /// Counts of the people that probes of each person were taken for: only those that occurred, right answers included,
    /// in the order of people.
    pub confusion: Vec<Confusion>,
    /// Every person of whom a photo was tried, in order.
    pub per_person: Vec<PersonAccuracy>,
    /// Every probe, fold after fold.
    pub trials: Vec<ProbeOutcome>,
}

/// One probe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeOutcome {
    /// The face that was tried.
    pub face: usize,
    /// The person.
    pub person: usize,
    /// In which repeat, from 0.
    pub repeat: usize,
    /// The person found nearest.
    pub named: usize,
    /// The place of its own person among all, from 1.
    pub rank: usize,
    /// Distance to its own person, by the metric and the cluster rule.
    pub own_distance: f64,
    /// Distance to the nearest other person.
    pub other_distance: f64,
    /// The nearest other person.
    pub other: usize,
    /// Probability that `named` is right, by the calibration of the whole gallery: a hint only, for that
    /// has seen the probe.
    pub confidence: f64,
}

/// The count of one person's probes that were taken for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Confusion {
    /// The person whose photos were tried.
    pub person: usize,
    /// The person who was found nearest; may be the same.
    pub named: usize,
    /// Number of times.
    pub count: usize,
}

/// One person's probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PersonAccuracy {
    /// The person.
    pub person: usize,
    /// Probes.
    pub probes: usize,
    /// Probes whose nearest person was right.
    pub right: usize,
}

/// A probe compared with people.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeScores {
    /// The face that was tried.
    pub face: usize,
    /// In which repeat, from 0.
    pub repeat: usize,
    /// The person it shows.
    pub person: usize,
    /// Everybody it was compared with, the nearest first.
    pub ranked: Vec<PersonDistance>,
}

/// The distance of a person from a probe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PersonDistance {
    /// The person.
    pub person: u32,
    /// The distance, by the metric and the cluster rule.
    pub distance: f32,
}

impl PersonDistance {
    /// Higher for the more alike.
    pub fn score(&self) -> f32 {
        -self.distance
    }
}

/// [`Evaluation::worst_pairs`](super::Evaluation::worst_pairs) has at most so many.
pub const MOST_WORST_PAIRS: usize = 12;

/// A probe that was taken for another person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorstPair {
    /// The probe.
    pub face: usize,
    /// The person it was taken for.
    pub named: usize,
    /// That person's face nearest to the probe by pixels.
    pub named_face: usize,
    /// Its own person's other face nearest to the probe by pixels.
    pub own_face: usize,
    /// Distance to its own person.
    pub own_distance: f64,
    /// Distance to the person it was taken for.
    pub named_distance: f64,
    /// Number of probes of this person that were taken for that one.
    pub count: usize,
}
