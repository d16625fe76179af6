//! From standardised scores to probabilities and thresholds, for any number of people and photos.
//!
//! Strangers' scores against one person are close to normal; their best score against N people is the greatest of N.
//! Location and spread start from what was measured on other galleries and are moved by the gallery's own people: each
//! is compared, as a stranger, with the others, in a model adapted without them. Enrolled people's scores start from
//! what the model expects and are moved by photos that are left out of their person. No parameter depends on a count
//! in steps: one more person or photo moves everything a little.
//!
//! Constants: [`constants`](super::constants).

mod held_out;

pub(super) use held_out::HeldOutScores;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::adaptation::groups;
use super::constants::*;
use super::{Background, People, StrangerScores};
use crate::acceptance::{Acceptance, FALSE_ACCEPT_TARGET, STRANGER_PRIOR};
use crate::quantile::upper_normal_quantile;

/// How the faces of a gallery lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alignment {
    /// The eyes of all stand where those of the background's faces do.
    ByEyes,
    /// As photos were cropped: eyes may stand anywhere.
    AsIs,
}

/// Distributions of scores, from which come probabilities and thresholds; learned at enrolment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    people: usize,
    /// The difference of the photos from the background's kind: 0 to 1.
    foreign: f64,
    /// Mean and spread of a stranger's score against one person.
    pub(super) location: f64,
    pub(super) spread: f64,
    /// Mean and spread of the score of another photo of an enrolled person.
    genuine: f64,
    genuine_spread: f64,
    /// Mean of the score of two photos of one person, neither enrolled.
    genuine_pair: f64,
}

/// The two distributions of scores, strangers' and genuine, that one hypothesis is judged by.
#[derive(Debug, Clone, Copy)]
struct Claim {
    /// People that the best was taken of.
    people: usize,
    /// Mean of a stranger's score against one person.
    location: f64,
    /// By how many spreads the best lies lower than that of independent normal scores.
    dependence: f64,
    /// Mean of the score where the claim is true.
    genuine: f64,
}

/// Log-odds as a straight line over the score.
#[derive(Debug, Clone, Copy)]
struct Line {
    middle: f64,
    slope: f64,
}

impl Line {
    fn log_odds(self, score: f64) -> f64 {
        (self.slope * (score - self.middle) + prior_log_odds()).clamp(-MOST_LOG_ODDS, MOST_LOG_ODDS)
    }
}

fn prior_log_odds() -> f64 {
    libm::log((1.0 - STRANGER_PRIOR) / STRANGER_PRIOR)
}

/// The probabilities of one photo's candidates, and of somebody else.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Positions of people, the likeliest first, with the probability of each; with that of somebody else they sum to 1.
    pub people: Vec<(usize, f64)>,
    /// The probability that it is somebody who is not enrolled.
    pub somebody_else: f64,
}

impl Calibration {
    /// Learns from a gallery: `raw` are the coordinates of its photos (2k x n), `persons` the person of each, from 0 on
    /// without gaps, `alignment` that of their faces.
    pub fn learn(
        background: &Background,
        people: &People,
        raw: &DMatrix<f32>,
        persons: &[usize],
        alignment: Alignment,
    ) -> Self {
        let photos: Vec<usize> = (0..raw.ncols()).collect();
        let own = groups(&photos, persons);
        let count = own.len();
        let offset = match alignment {
            _ if own.is_empty() => UNKNOWN_OFFSET,
            Alignment::ByEyes => offset(background, raw, &own),
            // Whatever few people's mean says: nobody's eyes stand where the background's do.
            Alignment::AsIs => offset(background, raw, &own).max(DISTANT_MEAN.1),
        };
        let foreign = (offset / DOMAIN_SHIFT_AT).clamp(0.0, 1.0);
        let expected = people.expected(raw, &own);
        let range = match own.is_empty() {
            // Nobody has a part in the domain's mean: the range is the full one.
            true => f64::MIN_POSITIVE,
            false => expected.genuine - expected.stranger,
        };
        // What it would be if the people enrolled had no part in the domain's mean.
        let full_range = people.expected_genuine().max(f64::MIN_POSITIVE);
        let held_out = HeldOutScores::gather(background, raw, &own);
        let once = once(&own);
        let distant = match alignment {
            Alignment::ByEyes => DISTANT_PRIOR_PEOPLE / (DISTANT_PRIOR_PEOPLE + count.max(1) as f64 - 1.0),
            Alignment::AsIs => 1.0,
        };
        let strangers = background.strangers.unwrap_or(StrangerScores::ASSUMED);
        let assumed = |expected: f64| location(offset, foreign, once, distant, expected);
        let location = held_out.location(assumed, expected.stranger, strangers.excess);
        let (ratio, genuine_spread) = held_out.genuine(location, range / full_range, once);
        let doubt = LOCATION_ERROR * assumed(expected.stranger);
        Self {
            people: count,
            foreign,
            location,
            spread: libm::hypot(held_out.spread(strangers.deviation, offset, foreign, distant), doubt),
            genuine: location + ratio * range,
            genuine_spread,
            genuine_pair: ratio * range / full_range * people.expected_pair(),
        }
    }

    /// The hypothesis that a photo shows the likeliest enrolled person.
    fn enrolled(&self) -> Claim {
        let dependence = MAXIMUM_CORRECTION.0 + (MAXIMUM_CORRECTION.1 - MAXIMUM_CORRECTION.0) * self.foreign;
        Claim { people: self.people, location: self.location, dependence, genuine: self.genuine }
    }

    /// That two photos, neither enrolled, show one person.
    ///
    /// What N people leave unknown of the domain's mean is common to both photos, whoever they show, so that strangers
    /// look like one person by a part of what one person's photos have in common. With v, in terms of the variance
    /// between people, the mean's error has the variance (foreign + N) / (N + 1)²: an N + 1-th of the domain's own
    /// distance from the background, and the people's. Of lengths normalised it is v / (1 + v).
    fn pair(&self) -> Claim {
        let people = self.people as f64;
        let error = (self.foreign + people) / (people + 1.0).powi(2);
        let location = self.genuine_pair * error / (1.0 + error);
        Claim { people: 1, location, dependence: PAIR_CORRECTION, genuine: self.genuine_pair }
    }

    /// The score that a stranger's best one against `people` people exceeds with this probability.
    fn beyond(&self, share: f64, claim: Claim) -> f64 {
        let people = claim.people.max(1) as f64;
        // 1 - (1 - share)^(1 / N)
        let tail = -libm::expm1(libm::log1p(-share.clamp(1e-9, 0.999)) / people);
        claim.location + self.spread * (upper_normal_quantile(tail) - claim.dependence)
    }

    /// The score beyond which a share `far` of strangers lie, against the best of `people`: raised if genuine ones allow.
    fn limit(&self, far: f64, claim: Claim) -> f64 {
        let limit = self.beyond(far, claim);
        let low = claim.genuine - GENUINE_QUANTILE * self.genuine_spread;
        limit.max(((limit + low) / 2.0).min(self.beyond(far / MAX_RAISE, claim)))
    }

    /// By how much the default threshold for enrolled people is raised.
    pub(super) fn raise(&self) -> f64 {
        let claim = self.enrolled();
        self.limit(FALSE_ACCEPT_TARGET, claim) - self.beyond(FALSE_ACCEPT_TARGET, claim)
    }

    /// Log-odds over the score: 0 where the normal shapes of strangers' and of true claims' scores cross (with
    /// [`CROSSING_SHIFT`]), or, where that is lower, at the default threshold, raised at least to what half of the strangers that it
    /// aims at pass; with the slope of their log ratio at the crossing (times [`SLOPE_FACTOR`]).
    fn line(&self, claim: Claim) -> Line {
        let strangers = self.beyond(0.5, claim);
        let tail = (self.beyond(0.01, claim) - strangers) / upper_normal_quantile(0.01);
        let tail = tail.max(1e-3);
        let apart = (claim.genuine - strangers).max(0.5 * (tail + self.genuine_spread));
        let apart = apart / (tail + self.genuine_spread);
        let crossing = strangers + apart * tail + CROSSING_SHIFT * self.spread;
        let threshold = self.limit(FALSE_ACCEPT_TARGET, claim);
        Line {
            middle: crossing.min(threshold.max(self.beyond(FALSE_ACCEPT_TARGET / 2.0, claim))),
            slope: SLOPE_FACTOR * (apart / tail + apart / self.genuine_spread),
        }
    }

    /// Log-odds that a photo of this score is of the person rather than of a stranger.
    fn log_odds(&self, score: f64, claim: Claim) -> f64 {
        self.line(claim).log_odds(score)
    }

    /// The probabilities of people by their scores (one for each person); `others` are the odds of everybody else together.
    pub fn judge(&self, scores: &[f64], others: f64, top: usize) -> Judgement {
        let line = self.line(self.enrolled());
        let odds = |score: f64| libm::exp(line.log_odds(score));
        let mut order: Vec<usize> = (0..scores.len()).collect();
        let by_score = |&a: &usize, &b: &usize| scores[b].total_cmp(&scores[a]).then(a.cmp(&b));
        if top > 0 && top < order.len() {
            order.select_nth_unstable_by(top - 1, by_score);
        }
        // In the order of people, so that the sum has the same bits however people are ranked.
        let all: f64 = 1.0 + scores.iter().map(|&score| odds(score)).sum::<f64>() + others;
        order.truncate(top);
        order.sort_unstable_by(by_score);
        let share = |odds: f64| MAX_CONFIDENCE * odds / all;
        Judgement {
            people: order.into_iter().map(|at| (at, share(odds(scores[at])))).collect(),
            somebody_else: share(1.0) + (1.0 - MAX_CONFIDENCE),
        }
    }

    /// Slope and intercept of the log-odds over the score of an enrolled person.
    pub fn enrolled_log_odds(&self) -> [f64; 2] {
        let line = self.line(self.enrolled());
        [line.slope, prior_log_odds() - line.slope * line.middle]
    }

    /// A score as a distance: the negative logarithm of the probability that it is this person and no stranger.
    pub fn distance(&self, score: f64) -> f64 {
        surprise(self.log_odds(score, self.enrolled()))
    }

    /// The distance for a score of a pair: the negative log of the probability that two photos show one person.
    pub fn pair_distance(&self, score: f64) -> f64 {
        surprise(self.log_odds(score, self.pair()))
    }

    /// Whether the likeliest person is to be named.
    pub fn is_known(&self, score: f64, confidence: f64, acceptance: Acceptance) -> bool {
        acceptance.accepts(confidence, |far| score > self.limit(far, self.enrolled()))
    }

    /// The confidence beyond which a name is given, where nobody else comes near.
    pub fn threshold(&self, acceptance: Acceptance) -> f64 {
        self.threshold_of(self.enrolled(), acceptance)
    }

    /// Whether two photos of this score, neither enrolled, pass as one person; and the probability, if half of all pairs are.
    pub fn same_person(&self, score: f64, acceptance: Acceptance) -> (bool, f64) {
        let confidence = logistic(self.log_odds(score, self.pair()));
        let passes = acceptance.accepts(confidence, |far| score > self.limit(far, self.pair()));
        (passes, confidence)
    }

    /// The confidence that two photos need to pass as one person.
    pub fn pair_threshold(&self, acceptance: Acceptance) -> f64 {
        self.threshold_of(self.pair(), acceptance)
    }

    fn threshold_of(&self, claim: Claim, acceptance: Acceptance) -> f64 {
        acceptance.threshold(|far| logistic(self.log_odds(self.limit(far, claim), claim)))
    }

    /// Whether the numbers make sense for so many people: a calibration from a file may be anything.
    pub fn is_sound(&self, people: usize) -> bool {
        let moderate = |number: f64| number.abs() < 1e4;
        self.people == people
            && (0.0..=1.0).contains(&self.foreign)
            && moderate(self.location)
            && (1e-3..1e4).contains(&self.spread)
            && moderate(self.genuine)
            && moderate(self.genuine_pair)
            && (1e-3..1e4).contains(&self.genuine_spread)
    }
}

/// Log-odds are never farther from 0; only the very photo that is enrolled reaches them.
pub const MOST_LOG_ODDS: f64 = 700.0;

/// ln(1 + e^-x) without overflow; 0 for the very photo that is enrolled.
fn surprise(log_odds: f64) -> f64 {
    if log_odds >= MOST_LOG_ODDS { 0.0 } else { (-log_odds).max(0.0) + libm::log1p(libm::exp(-log_odds.abs())) }
}

fn logistic(log_odds: f64) -> f64 {
    MAX_CONFIDENCE / (1.0 + libm::exp(-log_odds))
}

/// The mean of strangers' scores in photos of this kind, where the model expects this one; `once` is the mean of one over
/// the numbers of photos, `distant` the weight of what is assumed of distant ones.
fn location(offset: f64, foreign: f64, once: f64, distant: f64, expected: f64) -> f64 {
    let (from, to) = DISTANT_MEAN;
    let far = distant * ((offset - from) / (to - from)).clamp(0.0, 1.0);
    let near = 1.0 - far;
    let drawn = 1.0 - (1.0 - SHIFTED_LOCATION_SHARE.0 - SHIFTED_LOCATION_SHARE.1 * once) * foreign;
    near * drawn * expected + far * DISTANT_LOCATION
}

/// The mean over people of one over the number of photos that each has.
fn once(own: &[Vec<usize>]) -> f64 {
    let once: f64 = own.iter().map(|photos| 1.0 / photos.len() as f64).sum();
    once / own.len().max(1) as f64
}

/// The distance of the mean of the gallery's people from the background's, beyond that which so many people of the background
/// have by chance: a squared length in terms of the variance between people.
fn offset(background: &Background, raw: &DMatrix<f32>, own: &[Vec<usize>]) -> f64 {
    let k = background.components();
    let people = own.len().max(1) as f64;
    let of_channel = |channel: usize| {
        let between = &background.projections[channel].between;
        let mut mean = super::adaptation::domain_mean(raw, channel * k, k, own);
        mean.iter_mut().for_each(|value| *value *= (people + 1.0) / people);
        let squared: f64 = mean.iter().map(|value| value * value).sum();
        let total: f64 = between.iter().sum();
        let chance = |photos: &Vec<usize>| {
            let once = 1.0 / photos.len() as f64;
            (FAMILIAR_OFFSET.0 + FAMILIAR_OFFSET.1 * once) * (total + k as f64 * once)
        };
        let expected = own.iter().map(chance).sum::<f64>() / (people * people);
        (squared - expected) / total.max(f64::MIN_POSITIVE)
    };
    (of_channel(0) + of_channel(1)) / 2.0
}
