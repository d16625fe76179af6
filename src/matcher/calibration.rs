//! From the distance to the nearest person to a decision and a probability.
//!
//! The distances are seen where some of the gallery is left out and the rest learned again: of people who are left out
//! (then they are strangers), and of photos of people who stay. Leaving a face out of its cluster in a space that it helped
//! to learn will not do: a new face never fits as well as one learned from. Distances of both kinds are taken for normal
//! variables of one variance, so that the log-odds of a right name are linear in the distance (Fisher's discriminant of one
//! variable), and a threshold follows from the strangers' quantile.

use serde::{Deserialize, Serialize};

use crate::decision::{Acceptance, ENOUGH_PEOPLE, STRANGER_PRIOR, mean_and_spread, student_quantile};

/// With fewer genuine probes than this, their mean distance is assumed.
const ENOUGH_GENUINE: usize = 5;

/// A genuine probe's mean distance where it is assumed, in terms of the strangers': that of two independent halves of one variance.
const ASSUMED_GENUINE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Distances that are all alike but for rounding tell nothing: the least spread, in terms of the strangers' mean.
const LEAST_SPREAD: f64 = 1e-6;

/// Distances to the nearest person, seen where people and photos were left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeftOut {
    /// People enrolled.
    pub people: usize,
    /// Of probes whose person was left out.
    pub strangers: Vec<f64>,
    /// Of probes whose person was enrolled with other photos: the distance to that person.
    pub genuine: Vec<f64>,
}

/// The evidence that the calibration rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CalibrationBasis {
    /// Threshold and confidence are measured on this gallery.
    Measured,
    /// Too few people with a second photo: the threshold is measured, the distance of genuine probes assumed.
    AssumedGenuine,
    /// Too few people to measure anything: no name is given.
    TooFewPeople,
}

/// The map from distances to probabilities and decisions; learned at enrolment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DistanceCalibration {
    /// The evidence it rests on.
    pub basis: CalibrationBasis,
    people: usize,
    /// Mean distance of strangers to the nearest person, and of genuine probes to their own.
    stranger_mean: f64,
    genuine_mean: f64,
    /// Standard deviation of the strangers' distances, and that of both kinds about their means.
    stranger_spread: f64,
    spread: f64,
    #[serde(rename = "likeness_limit")]
    face_score_limit: f64,
}

impl DistanceCalibration {
    /// Learns from what was seen when people and photos were left out.
    pub fn learn(seen: &LeftOut, face_score_limit: f64) -> Self {
        let strangers = mean_and_spread(&seen.strangers)
            .filter(|_| seen.people >= ENOUGH_PEOPLE && seen.strangers.len() >= ENOUGH_PEOPLE);
        let (stranger_mean, stranger_spread) = strangers.unwrap_or((1.0, 1.0));
        let least = LEAST_SPREAD * stranger_mean.max(f64::MIN_POSITIVE.sqrt());
        let genuine = mean_and_spread(&seen.genuine).filter(|_| seen.genuine.len() >= ENOUGH_GENUINE);
        let (basis, genuine_mean, spread) = match (strangers, genuine) {
            (None, _) => (CalibrationBasis::TooFewPeople, 0.0, 1.0),
            (Some(_), None) => {
                let assumed = ASSUMED_GENUINE * stranger_mean;
                (CalibrationBasis::AssumedGenuine, assumed, stranger_spread)
            }
            (Some(_), Some((mean, spread))) => {
                let pooled = ((stranger_spread.powi(2) + spread.powi(2)) / 2.0).sqrt();
                (CalibrationBasis::Measured, mean, pooled)
            }
        };
        Self {
            basis,
            people: seen.people,
            stranger_mean,
            genuine_mean,
            stranger_spread: stranger_spread.max(least),
            spread: spread.max(least),
            face_score_limit,
        }
    }

    /// Probability that the nearest person, at this distance, is the right one, and no stranger ([`STRANGER_PRIOR`]).
    pub fn confidence(&self, distance: f64) -> f64 {
        // With too few people no distance means anything: what is believed before looking stays.
        if !self.gives_names() {
            return 1.0 - STRANGER_PRIOR;
        }
        let middle = (self.stranger_mean + self.genuine_mean) / 2.0;
        let slope = (self.stranger_mean - self.genuine_mean).max(0.0) / self.spread.powi(2);
        let prior = libm::log((1.0 - STRANGER_PRIOR) / STRANGER_PRIOR);
        1.0 / (1.0 + libm::exp(slope * (distance - middle) - prior))
    }

    /// Whether the person at this distance is to be named.
    ///
    /// Unless a confidence is asked for: never where fewer than [`ENOUGH_PEOPLE`] are enrolled or the name is likely wrong.
    pub fn is_known(&self, distance: f64, acceptance: Acceptance) -> bool {
        acceptance.accepts(self.confidence(distance), |far| self.gives_names() && distance < self.limit(far))
    }

    /// Whether enough people are enrolled for names to be given at all.
    pub fn gives_names(&self) -> bool {
        self.people >= ENOUGH_PEOPLE
    }

    /// The confidence beyond which a name is given.
    pub fn threshold(&self, acceptance: Acceptance) -> f64 {
        acceptance.threshold(|far| self.confidence(self.limit(far)))
    }

    /// The distance below which such a share of strangers lies.
    ///
    /// People, not photos, are independent samples: Student's distribution with one degree of freedom less, for one more.
    fn limit(&self, far: f64) -> f64 {
        let people = self.people.max(ENOUGH_PEOPLE) as f64;
        let quantile = student_quantile(1.0 - far.clamp(1e-9, 0.5), people - 1.0);
        self.stranger_mean - quantile * (1.0 + 1.0 / people).sqrt() * self.stranger_spread
    }

    /// The face score below which something is not a face.
    pub fn face_score_limit(&self) -> f64 {
        self.face_score_limit
    }

    /// Whether the numbers are in range for so many people: a calibration from a file may be anything.
    pub fn is_sound(&self, people: usize) -> bool {
        let moderate = |number: f64| number.is_finite() && (0.0..1e12).contains(&number);
        let spreads = [self.stranger_spread, self.spread];
        self.people == people
            && moderate(self.stranger_mean)
            && moderate(self.genuine_mean)
            && spreads.iter().all(|&spread| spread > 0.0 && moderate(spread))
            && (-1.0..=1.0).contains(&self.face_score_limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strangers about 10, genuine probes about 4.
    fn seen(people: usize) -> LeftOut {
        let about = |mean: f64, at: usize| mean + ((at * 37 % 101) as f64 / 100.0 - 0.5) * 3.0;
        LeftOut {
            people,
            strangers: (0..200).map(|at| about(10.0, at)).collect(),
            genuine: (0..200).map(|at| about(4.0, at + 7)).collect(),
        }
    }

    #[test]
    fn nearer_is_surer() {
        let calibration = DistanceCalibration::learn(&seen(30), 0.5);
        assert_eq!(calibration.basis, CalibrationBasis::Measured);
        assert!(calibration.confidence(4.0) > 0.99 && calibration.confidence(10.0) < 0.01);
        let distances = [9.0, 8.0, 7.0, 6.0, 5.0];
        assert!(distances.map(|d| calibration.confidence(d)).is_sorted());
    }

    #[test]
    fn fewer_accepts_need_more_confidence_and_so_do_fewer_people() {
        let many = DistanceCalibration::learn(&seen(100), 0.5);
        let few = DistanceCalibration { people: 6, ..many };
        let limits = [1e-6, 0.001, 0.01, 0.05, 0.1].map(|far| many.limit(far));
        assert!(limits.is_sorted(), "{limits:?}");
        assert!(few.limit(0.01) < many.limit(0.01));
        let strangers = seen(100).strangers;
        let accepted = strangers.iter().filter(|&&d| many.is_known(d, Acceptance::default()));
        assert!(accepted.count() <= 2);
    }

    #[test]
    fn a_gallery_that_cannot_be_measured_says_so() {
        let basis = |seen: &LeftOut| DistanceCalibration::learn(seen, 0.5).basis;
        assert_eq!(basis(&seen(2)), CalibrationBasis::TooFewPeople);
        assert_eq!(basis(&LeftOut::default()), CalibrationBasis::TooFewPeople);
        let single = LeftOut { genuine: Vec::new(), ..seen(30) };
        assert_eq!(basis(&single), CalibrationBasis::AssumedGenuine);
    }

    #[test]
    fn with_too_few_people_nobody_is_named() {
        for people in 1..ENOUGH_PEOPLE {
            let few = DistanceCalibration::learn(&seen(people), 0.5);
            assert!(few.confidence(0.0) <= 0.5, "{people}");
            assert!(!few.is_known(0.0, Acceptance::FalseAccepts(0.5)), "{people}");
        }
        let enough = DistanceCalibration::learn(&seen(ENOUGH_PEOPLE), 0.5);
        assert!(enough.is_known(0.0, Acceptance::default()));
    }

    #[test]
    fn distances_that_are_all_alike_do_not_divide_by_zero() {
        for distance in [0.0, 5.0] {
            let alike = LeftOut { people: 30, strangers: vec![distance; 50], genuine: vec![0.0; 50] };
            let calibration = DistanceCalibration::learn(&alike, 0.5);
            assert!(calibration.is_sound(30), "{calibration:?}");
            assert!(calibration.confidence(distance).is_finite());
        }
    }
}
