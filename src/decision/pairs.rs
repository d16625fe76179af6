//! Two photos: the same person, or not? Calibrated on pairs of photos of people who were left out.

use serde::{Deserialize, Serialize};

use super::logistic::{self, Sample};
use super::quantile::{normal_quantile, student_quantile};
use super::{Acceptance, ENOUGH_PEOPLE, LEAST_SPREAD, mean_and_spread};

/// Shares of false pairs at which the similarity is measured that so many of them pass.
const MEASURED_AT: [f64; 5] = [0.1, 0.03, 0.01, 0.003, 0.001];

/// A share is measured when at least so many false pairs are beyond; rarer ones are extrapolated.
const ENOUGH_BEYOND: f64 = 5.0;

/// With fewer pairs than this, nothing is said.
const ENOUGH_FALSE: usize = 50;
const ENOUGH_TRUE: usize = 10;

/// Slope and midpoint of the confidence where true pairs were too few, and what a fit is pulled towards.
const POOLED: (f64, f64) = (1.5, 2.8);

/// Pairs of photos that were left out, with their similarity.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pairs {
    /// Of one person.
    pub same: Vec<f64>,
    /// Of two.
    pub different: Vec<f64>,
}

/// The map from the similarity of two photos to a decision; learned at enrolment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PairCalibration {
    /// Mean and spread of the similarity of pairs of different people.
    mean: f64,
    spread: f64,
    /// Similarities, in spreads above the mean, that the shares [`MEASURED_AT`] of them pass; increasing.
    limits: [f64; MEASURED_AT.len()],
    /// Log-odds that the pair is of one person = slope (x - midpoint), x in spreads above the mean.
    slope: f64,
    midpoint: f64,
}

impl PairCalibration {
    /// Learns from pairs; `None` where they are too few, or all alike.
    pub(super) fn learn(pairs: &Pairs, people: usize) -> Option<Self> {
        let (mean, spread) = mean_and_spread(&pairs.different)?;
        let enough = people >= ENOUGH_PEOPLE && pairs.different.len() >= ENOUGH_FALSE;
        if !enough || spread < LEAST_SPREAD {
            return None;
        }
        let standard = |&similarity: &f64| (similarity - mean) / spread;
        let mut different: Vec<f64> = pairs.different.iter().map(standard).collect();
        different.sort_by(|a, b| b.total_cmp(a));
        let same: Vec<f64> = pairs.same.iter().map(standard).collect();
        let (slope, midpoint) = if same.len() >= ENOUGH_TRUE {
            logistic::fit(&samples(&same, &different), POOLED)
        } else {
            POOLED
        };
        Some(Self {
            mean,
            spread,
            limits: limits(&different, people),
            slope,
            midpoint,
        })
    }

    /// Probability that a pair is of one person, where half of all pairs are.
    pub(super) fn confidence(&self, similarity: f64) -> f64 {
        self.probability(self.standard(similarity))
    }

    /// Whether the pair passes as one person.
    pub(super) fn is_same(&self, similarity: f64, acceptance: Acceptance) -> bool {
        let standard = self.standard(similarity);
        acceptance.accepts(self.probability(standard), |far| standard > self.limit(far))
    }

    /// The confidence beyond which a pair passes.
    pub(super) fn threshold(&self, acceptance: Acceptance) -> f64 {
        acceptance.threshold(|far| self.probability(self.limit(far)))
    }

    /// Between the shares that were measured, and beyond them, straight over the normal quantile of the share.
    fn limit(&self, far: f64) -> f64 {
        let at = |far: f64| normal_quantile(1.0 - far.clamp(1e-9, 0.5));
        let wanted = at(far);
        let last = MEASURED_AT.len() - 2;
        let below = (0..=last)
            .rev()
            .find(|&below| at(MEASURED_AT[below]) <= wanted)
            .unwrap_or(0);
        let (from, to) = (at(MEASURED_AT[below]), at(MEASURED_AT[below + 1]));
        let share = (wanted - from) / (to - from);
        self.limits[below] + share * (self.limits[below + 1] - self.limits[below])
    }

    fn standard(&self, similarity: f64) -> f64 {
        (similarity - self.mean) / self.spread
    }

    fn probability(&self, standard: f64) -> f64 {
        1.0 / (1.0 + (-self.slope * (standard - self.midpoint)).exp())
    }

    /// Whether the numbers make sense: a calibration from a file may be anything.
    pub(super) fn is_sound(&self) -> bool {
        let moderate = |number: f64| number.abs() < 1e6;
        moderate(self.mean)
            && (LEAST_SPREAD..1e6).contains(&self.spread)
            && self.limits.iter().all(|&limit| moderate(limit))
            && self.limits.is_sorted()
            && logistic::SLOPES.contains(&self.slope)
            && moderate(self.midpoint)
    }
}

/// Half of the weight to pairs of one person.
fn samples(same: &[f64], different: &[f64]) -> Vec<Sample> {
    let all = (same.len() + different.len()) as f64;
    let weighted = |xs: &[f64], right: bool| {
        let weight = all / 2.0 / xs.len() as f64;
        xs.iter()
            .map(|&x| Sample { x, right, weight })
            .collect::<Vec<_>>()
    };
    [weighted(same, true), weighted(different, false)].concat()
}

/// The similarity that each share of false pairs passes, from the most similar down. Photos come from few
/// people, and others than these will be asked about: the tail is stretched as Student's distribution is
/// against the normal one.
fn limits(different: &[f64], people: usize) -> [f64; MEASURED_AT.len()] {
    let people = people as f64;
    let mut limits = [0.0; MEASURED_AT.len()];
    // So steep is the tail of a normal distribution, whose standard deviation is 1 here.
    let (mut last, mut steep) = (0.0, 1.0_f64);
    let mut before: f64 = 0.5;
    for (limit, far) in limits.iter_mut().zip(MEASURED_AT) {
        let beyond = far * different.len() as f64;
        let gap = normal_quantile(1.0 - far) - normal_quantile(1.0 - before);
        let measured = if beyond >= ENOUGH_BEYOND {
            let found = different[beyond as usize];
            steep = ((found - last) / gap).max(steep.min(1.0));
            found.max(last)
        } else {
            last + steep * gap
        };
        (last, before) = (measured, far);
        let stretched = student_quantile(1.0 - far, people - 1.0) * (1.0 + 1.0 / people).sqrt();
        *limit = measured * stretched / normal_quantile(1.0 - far);
    }
    // Stretched more the rarer, so they increase where the measured ones are above the mean.
    for at in 1..limits.len() {
        limits[at] = limits[at].max(limits[at - 1]);
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// False pairs about 0.1, true ones about 0.6.
    fn pairs(count: usize) -> Pairs {
        let noise = |at: usize| {
            let sum: usize = (1..=6).map(|k| (at * 7919 * k + k * 104_729) % 1009).sum();
            (sum as f64 / 1009.0 - 3.0) * 0.15
        };
        Pairs {
            same: (0..count / 5).map(|at| 0.6 + noise(at + 7)).collect(),
            different: (0..count).map(|at| 0.1 + noise(at)).collect(),
        }
    }

    #[test]
    fn about_the_target_of_false_pairs_passes() {
        let pairs = pairs(20_000);
        let calibration = PairCalibration::learn(&pairs, 1000).unwrap();
        for far in [0.05, 0.01, 0.001] {
            let passed = pairs
                .different
                .iter()
                .filter(|&&s| calibration.is_same(s, Acceptance::FalseAccepts(far)));
            let share = passed.count() as f64 / 20_000.0;
            assert!(share <= far * 1.3, "{far}: {share}");
            // A limit may be raised to where the answer is more likely right than wrong.
            assert!(
                share >= far * 0.5 || calibration.threshold(Acceptance::FalseAccepts(far)) == 0.5,
                "{far}: {share}"
            );
        }
    }

    #[test]
    fn rarer_needs_more_and_fewer_people_need_more() {
        for count in [60, 400, 20_000] {
            let many = PairCalibration::learn(&pairs(count), 200).unwrap();
            let few = PairCalibration::learn(&pairs(count), 8).unwrap();
            let fars = [0.3, 0.1, 0.02, 0.01, 1e-3, 1e-4];
            assert!(fars.map(|far| many.limit(far)).is_sorted(), "{count}");
            assert!(
                fars[1..]
                    .iter()
                    .all(|&far| few.limit(far) > many.limit(far))
            );
            assert!(many.is_sound() && few.is_sound());
        }
    }

    #[test]
    fn more_similar_is_surer() {
        let calibration = PairCalibration::learn(&pairs(2000), 40).unwrap();
        let at = |similarity| calibration.confidence(similarity);
        assert!(at(0.1) < 0.1 && at(0.7) > 0.9 && at(0.3) < at(0.4));
    }

    #[test]
    fn too_little_says_nothing() {
        assert!(PairCalibration::learn(&Pairs::default(), 40).is_none());
        assert!(PairCalibration::learn(&pairs(2000), 4).is_none());
        let alike = Pairs {
            same: vec![0.5; 100],
            different: vec![0.5; 100],
        };
        assert!(PairCalibration::learn(&alike, 40).is_none());
        let strangers_only = Pairs {
            same: Vec::new(),
            ..pairs(500)
        };
        assert!(
            PairCalibration::learn(&strangers_only, 40)
                .unwrap()
                .is_sound()
        );
    }
}
