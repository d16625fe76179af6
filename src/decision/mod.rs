//! From similarities to a decision: known, unknown, or not a face; with a probability that means what it
//! says. This is how it is decided without background model; with it see `background::Calibration`.
//!
//! Everything here is calibrated from the gallery itself, by learning again without some people (then they
//! are strangers) and without some photos of everybody (then these are genuine probes). Leaving a face
//! out of its cluster in a space that it helped to learn will not do: measured, it lets in 29 % of
//! strangers where 1 % was asked for, because a new face never fits as well as one learned from.
//!
//! Source of the three outcomes: Turk & Pentland 1991, "Using eigenfaces to classify a face image".
//! How these rules were found: docs/RECIPES.md.

mod logistic;
mod pairs;
mod quantile;

use serde::{Deserialize, Serialize};

use logistic::Sample;
pub use pairs::{PairCalibration, Pairs};
use quantile::student_quantile;
pub(crate) use quantile::upper_normal_quantile;

/// The decision about one face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The nearest person, near enough.
    Known,
    /// A face, but of nobody enrolled as far as can be told.
    Unknown,
    /// Too little like a face.
    NotAFace,
}

/// The similarity of a probe to the most similar person and to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TopScores {
    /// Similarity to the most similar person.
    pub first: f64,
    /// Similarity to the next; `None` where only one person is enrolled.
    pub second: Option<f64>,
}

impl TopScores {
    /// Level and margin with equal weight: s1 + (s1 - s2). Of all that was tried it tells strangers best
    /// over three data sets together.
    fn score(self) -> f64 {
        2.0 * self.first - self.second.unwrap_or(ASSUMED_SECOND)
    }
}

/// A probability as a reader wants it: whole per cent, and never a false 0 % or 100 %.
pub fn percent(share: f64) -> String {
    let rounded = (share * 100.0).round();
    if rounded >= 100.0 && share < 1.0 {
        "> 99 %".to_owned()
    } else if rounded <= 0.0 && share > 0.0 {
        "< 1 %".to_owned()
    } else {
        format!("{rounded} %")
    }
}

/// Probability assumed, before looking, that a probe is somebody who was never enrolled.
pub const STRANGER_PRIOR: f64 = 0.5;

/// Share of strangers that may be given a name, unless the user says otherwise.
pub const FALSE_ACCEPT_TARGET: f64 = 0.01;

/// With fewer people than this, strangers cannot be simulated, and in a space of so few people everybody looks
/// alike: measured on AT&T and LFW, any fixed threshold named half of all strangers. No name is given then; the
/// background model, which does not learn from the gallery alone, knows no such limit.
pub const ENOUGH_PEOPLE: usize = 5;

/// With fewer genuine probes than this, the slope of the confidence is assumed.
const ENOUGH_GENUINE: usize = 5;

/// The next person's similarity where there is none: typical of a stranger's.
const ASSUMED_SECOND: f64 = 0.35;

/// Mean and spread of strangers' scores, pooled over AT&T, Yale and LFW with few people enrolled.
const ASSUMED_STRANGERS: (f64, f64) = (0.45, 0.30);

/// Strangers' scores that are all alike but for rounding tell nothing: a smaller spread is not measured.
const LEAST_SPREAD: f64 = 1e-6;

/// Skew of strangers' scores, which are the best of many: between a Gaussian's tail (too short) and
/// Gumbel's (too long), measured.
const SKEW: f64 = 0.06;

/// The share of genuine probes that may lie below [`Calibration`]'s `genuine_low`, and the number of probes
/// that it takes to say so.
const GENUINE_LOW: f64 = 0.05;
const ENOUGH_FOR_LOW: usize = 20;

/// Likeness of held-out faces assumed: spread, and the number of faces that this is worth.
const FACE_SCORE_SPREAD: f64 = 0.06;
const FACE_SCORE_WORTH: f64 = 20.0;

/// A face is refused when its face score is this many spreads below the mean of held-out faces.
const FACE_SCORE_SPREADS: f64 = 3.0;

/// Below this face score nothing is a face, however mixed the gallery: flat gray has 0, noise about as much. Also the limit
/// where faces of one person at most could be held out, for they do not tell how other people's faces score: by one person of
/// AT&T with one to five photos, 0.1 to 0.4 of other people's faces lie below it (below 0.3 it is 0.3 to 0.6), and 0.94
/// to 0.96 of pictures without people.
const LEAST_FACE_SCORE: f64 = 0.2;

/// Genuine and impostor scores from leaving photos and people out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeftOut {
    /// People enrolled.
    pub people: usize,
    /// Probes whose person was left out.
    pub strangers: Vec<TopScores>,
    /// Probes whose person was enrolled with other photos, and whether that person was found first.
    pub genuine: Vec<(TopScores, bool)>,
    /// Pairs of photos of people who were left out.
    pub pairs: Pairs,
}

/// The condition for giving a name, and for accepting two photos as one person's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Acceptance {
    /// So that about this share of strangers (of false pairs) passes, and never where it is more likely wrong.
    FalseAccepts(f64),
    /// From this confidence on, whatever that lets in.
    Confidence(f64),
}

impl Acceptance {
    /// Whether a claim of this confidence is accepted; `is_beyond` tells whether its score lies beyond that which such a
    /// share of false claims passes.
    pub(crate) fn accepts(self, confidence: f64, is_beyond: impl FnOnce(f64) -> bool) -> bool {
        match self {
            Self::FalseAccepts(far) => confidence > 0.5 && is_beyond(far),
            Self::Confidence(least) => confidence >= least,
        }
    }

    /// The confidence that is needed; `at_limit` is that of the score which such a share of false claims passes.
    pub(crate) fn threshold(self, at_limit: impl FnOnce(f64) -> f64) -> f64 {
        match self {
            Self::FalseAccepts(far) => at_limit(far).max(0.5),
            Self::Confidence(least) => least,
        }
    }
}

impl Default for Acceptance {
    fn default() -> Self {
        Self::FalseAccepts(FALSE_ACCEPT_TARGET)
    }
}

/// The evidence that the calibration rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CalibrationBasis {
    /// Thresholds and confidence are measured on this gallery.
    Measured,
    /// Too few people with a second photo: thresholds are measured, the slope of the confidence is assumed.
    AssumedGenuine,
    /// Too few people: all is assumed.
    Assumed,
}

/// The map from similarities to probabilities and decisions; learned at enrolment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The evidence it rests on.
    pub basis: CalibrationBasis,
    /// People enrolled.
    people: usize,
    /// Mean and spread of strangers' scores.
    stranger_mean: f64,
    stranger_spread: f64,
    /// Log-odds that the named person is right = slope (x - midpoint), with x the score in spreads above
    /// the strangers' mean.
    slope: f64,
    midpoint: f64,
    /// The score that all but [`GENUINE_LOW`] of genuine probes pass, in spreads above the strangers' mean.
    genuine_low: Option<f64>,
    /// The face score below which something is not a face.
    #[serde(rename = "likeness_limit")]
    face_score_limit: f64,
    /// Whether two photos show one person; `None` where too few people could be left out to tell.
    pairs: Option<PairCalibration>,
}

impl Calibration {
    /// Learns from what was seen when people and photos were left out. `face_score_limit` is that of [`face_score_limit`].
    pub fn learn(seen: &LeftOut, face_score_limit: f64) -> Self {
        let scores: Vec<f64> = seen
            .strangers
            .iter()
            .map(|evidence| evidence.score())
            .collect();
        let measured = seen.people >= ENOUGH_PEOPLE && scores.len() >= ENOUGH_PEOPLE;
        let (stranger_mean, stranger_spread) = match mean_and_spread(&scores) {
            Some((mean, spread)) if measured && spread >= LEAST_SPREAD => (mean, spread),
            _ => ASSUMED_STRANGERS,
        };
        let enough_genuine = seen.genuine.len() >= ENOUGH_GENUINE;
        let basis = match (measured, enough_genuine) {
            (true, true) => CalibrationBasis::Measured,
            (true, false) => CalibrationBasis::AssumedGenuine,
            (false, _) => CalibrationBasis::Assumed,
        };
        let standard = |evidence: TopScores| (evidence.score() - stranger_mean) / stranger_spread;
        let (slope, midpoint) = if basis == CalibrationBasis::Measured {
            logistic::fit(&samples(seen, standard), logistic::POOLED)
        } else {
            logistic::POOLED
        };
        Self {
            basis,
            people: seen.people,
            stranger_mean,
            stranger_spread,
            slope,
            midpoint,
            genuine_low: genuine_low(seen, standard),
            face_score_limit,
            pairs: PairCalibration::learn(&seen.pairs, seen.people),
        }
    }

    /// Probability that the first person is the right one, given that the probe may be a stranger
    /// ([`STRANGER_PRIOR`]).
    pub fn confidence(&self, evidence: TopScores) -> f64 {
        self.probability(self.standard(evidence.score()))
    }

    /// Whether the first person is to be named.
    ///
    /// Unless a confidence is asked for: never where fewer than [`ENOUGH_PEOPLE`] are enrolled, nor where the
    /// name is more likely wrong than right.
    pub fn is_known(&self, evidence: TopScores, acceptance: Acceptance) -> bool {
        let standard = self.standard(evidence.score());
        acceptance.accepts(self.probability(standard), |far| {
            self.gives_names() && standard > self.limit(far)
        })
    }

    /// Whether two photos of this similarity pass as one person, and the probability that they are one (where
    /// half of all pairs are); `None` where too few people are enrolled to tell.
    pub fn same_person(&self, similarity: f64, acceptance: Acceptance) -> Option<(bool, f64)> {
        let pairs = self.pairs.as_ref()?;
        let passes = pairs.is_same(similarity, acceptance);
        Some((passes, pairs.confidence(similarity)))
    }

    /// The confidence that two photos need to pass as one person; `None` where too few people are enrolled.
    pub fn pair_threshold(&self, acceptance: Acceptance) -> Option<f64> {
        self.pairs.as_ref().map(|pairs| pairs.threshold(acceptance))
    }

    /// Whether enough people are enrolled for names to be given at all.
    pub fn gives_names(&self) -> bool {
        self.people >= ENOUGH_PEOPLE
    }

    /// The confidence beyond which a name is given.
    pub fn threshold(&self, acceptance: Acceptance) -> f64 {
        acceptance.threshold(|far| self.probability(self.limit(far)))
    }

    /// The score beyond which a name is given, in spreads above the strangers' mean.
    ///
    /// People, not photos, are the independent samples of strangers: Student's distribution with one
    /// degree of freedom less than people, bent by the skew of scores that are the best of many. Where the
    /// genuine probes lie far above that, nothing is lost by standing half way between.
    fn limit(&self, far: f64) -> f64 {
        let people = self.people.max(ENOUGH_PEOPLE) as f64;
        let q = student_quantile(1.0 - far.clamp(1e-9, 0.5), people - 1.0)
            * (1.0 + 1.0 / people).sqrt();
        let limit = q + SKEW * (q * q - 1.0);
        let half_way = self.genuine_low.map_or(limit, |low| (limit + low) / 2.0);
        limit.max(half_way)
    }

    /// The face score below which something is not a face.
    pub fn face_score_limit(&self) -> f64 {
        self.face_score_limit
    }

    fn standard(&self, score: f64) -> f64 {
        (score - self.stranger_mean) / self.stranger_spread
    }

    fn probability(&self, standard: f64) -> f64 {
        let probability = 1.0 / (1.0 + (-self.slope * (standard - self.midpoint)).exp());
        // With too few people, what was believed before looking is the most that can be believed after.
        if self.gives_names() {
            probability
        } else {
            probability.min(1.0 - STRANGER_PRIOR)
        }
    }

    /// Whether the numbers make sense for so many people: a calibration from a file may be anything.
    pub fn is_sound(&self, people: usize) -> bool {
        let moderate = |number: f64| number.abs() < 1e6;
        self.people == people
            && moderate(self.stranger_mean)
            && (LEAST_SPREAD..1e6).contains(&self.stranger_spread)
            && logistic::SLOPES.contains(&self.slope)
            && moderate(self.midpoint)
            && self.genuine_low.is_none_or(f64::is_finite)
            && (-1.0..=1.0).contains(&self.face_score_limit)
            && self.pairs.is_none_or(|pairs| pairs.is_sound())
    }
}

/// Half of the weight to strangers, half to genuine probes.
fn samples(seen: &LeftOut, standard: impl Fn(TopScores) -> f64) -> Vec<Sample> {
    let all = (seen.strangers.len() + seen.genuine.len()) as f64;
    let stranger_weight = STRANGER_PRIOR * all / seen.strangers.len() as f64;
    let genuine_weight = (1.0 - STRANGER_PRIOR) * all / seen.genuine.len() as f64;
    let strangers = seen.strangers.iter().map(|&evidence| Sample {
        x: standard(evidence),
        right: false,
        weight: stranger_weight,
    });
    let genuine = seen.genuine.iter().map(|&(evidence, right)| Sample {
        x: standard(evidence),
        right,
        weight: genuine_weight,
    });
    strangers.chain(genuine).collect()
}

/// The score that all but a few genuine probes pass; `None` where too few were seen.
fn genuine_low(seen: &LeftOut, standard: impl Fn(TopScores) -> f64) -> Option<f64> {
    if seen.genuine.len() < ENOUGH_FOR_LOW {
        return None;
    }
    let mut scores: Vec<f64> = seen
        .genuine
        .iter()
        .map(|&(evidence, _)| standard(evidence))
        .collect();
    scores.sort_by(f64::total_cmp);
    Some(scores[(scores.len() as f64 * GENUINE_LOW) as usize])
}

/// The face score below which something is not a face, from that of faces of so many people that were left out.
pub fn face_score_limit(face_scores: &[f64], people: usize) -> f64 {
    let Some((mean, spread)) = mean_and_spread(face_scores).filter(|_| people > 1) else {
        return LEAST_FACE_SCORE;
    };
    let n = face_scores.len() as f64;
    let variance = (n * spread * spread + FACE_SCORE_WORTH * FACE_SCORE_SPREAD * FACE_SCORE_SPREAD)
        / (n + FACE_SCORE_WORTH);
    (mean - FACE_SCORE_SPREADS * variance.sqrt()).clamp(LEAST_FACE_SCORE, 1.0)
}

/// Mean and sample standard deviation; `None` for fewer than two values.
fn mean_and_spread(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>();
    Some((mean, (squares / (n - 1.0)).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strangers around 0.4, genuine probes around 1.6.
    fn seen(people: usize) -> LeftOut {
        let spread = |at: usize| ((at * 37 % 101) as f64 / 100.0 - 0.5) * 0.6;
        let evidence = |first: f64| TopScores {
            first,
            second: Some(0.4),
        };
        LeftOut {
            people,
            strangers: (0..200)
                .map(|at| evidence(0.4 + spread(at) / 2.0))
                .collect(),
            genuine: (0..200)
                .map(|at| (evidence(1.0 + spread(at + 7) / 2.0), true))
                .collect(),
            pairs: Pairs::default(),
        }
    }

    #[test]
    fn more_similar_is_surer() {
        let calibration = Calibration::learn(&seen(30), 0.5);
        assert_eq!(calibration.basis, CalibrationBasis::Measured);
        let at = |first| {
            calibration.confidence(TopScores {
                first,
                second: Some(0.4),
            })
        };
        assert!(at(0.3) < 0.1 && at(1.0) > 0.9, "{} {}", at(0.3), at(1.0));
        assert!(at(0.5) < at(0.7) && at(0.7) < at(0.9));
    }

    #[test]
    fn fewer_accepts_need_more_confidence_and_so_do_fewer_people() {
        let many = Calibration::learn(&seen(100), 0.5);
        let few = Calibration { people: 6, ..many };
        let limits =
            [0.1, 0.05, 0.01, 0.001].map(|far| many.threshold(Acceptance::FalseAccepts(far)));
        assert!(limits.is_sorted(), "{limits:?}");
        assert!(few.threshold(Acceptance::default()) > many.threshold(Acceptance::default()));
        let accepted = seen(100)
            .strangers
            .iter()
            .filter(|&&evidence| many.confidence(evidence) > many.threshold(Acceptance::default()))
            .count();
        assert!(accepted <= 2, "{accepted} of 200 strangers");
    }

    #[test]
    fn a_margin_over_the_second_counts() {
        let calibration = Calibration::learn(&seen(30), 0.5);
        let alone = calibration.confidence(TopScores {
            first: 0.8,
            second: Some(0.2),
        });
        let rivalled = calibration.confidence(TopScores {
            first: 0.8,
            second: Some(0.79),
        });
        assert!(alone > rivalled);
    }

    #[test]
    fn a_gallery_that_cannot_be_measured_says_so() {
        assert_eq!(
            Calibration::learn(&seen(2), 0.5).basis,
            CalibrationBasis::Assumed
        );
        let single = LeftOut {
            genuine: Vec::new(),
            ..seen(30)
        };
        assert_eq!(
            Calibration::learn(&single, 0.5).basis,
            CalibrationBasis::AssumedGenuine
        );
        let nothing = Calibration::learn(&LeftOut::default(), 0.5);
        assert_eq!(nothing.basis, CalibrationBasis::Assumed);
        assert!(nothing.is_sound(0));
    }

    #[test]
    fn with_too_few_people_nobody_is_named() {
        for people in 1..ENOUGH_PEOPLE {
            let few = Calibration::learn(&seen(people), 0.5);
            let twin = TopScores {
                first: 2.0,
                second: Some(-2.0),
            };
            assert!(few.confidence(twin) <= 0.5, "{people}");
            assert!(
                !few.is_known(twin, Acceptance::FalseAccepts(0.5)),
                "{people}"
            );
        }
        let enough = Calibration::learn(&seen(ENOUGH_PEOPLE), 0.5);
        assert!(enough.is_known(
            TopScores {
                first: 2.0,
                second: Some(-2.0)
            },
            Acceptance::default()
        ));
    }

    #[test]
    fn the_face_score_limit_never_vanishes() {
        let mixed: Vec<f64> = (0..200).map(|at| f64::from(at % 2)).collect();
        assert_eq!(face_score_limit(&mixed, 5), LEAST_FACE_SCORE);
    }

    /// Photos of one person that are all alike do not make other people's faces no faces.
    #[test]
    fn one_person_alone_sets_no_high_face_score_limit() {
        let alike = [0.9, 0.91, 0.89];
        assert_eq!(face_score_limit(&alike, 1), LEAST_FACE_SCORE);
        assert!(face_score_limit(&alike, 2) > 0.7);
    }

    #[test]
    fn identical_strangers_do_not_divide_by_zero() {
        let mut same = seen(30);
        same.strangers = vec![
            TopScores {
                first: 0.5,
                second: Some(0.5)
            };
            50
        ];
        assert!(Calibration::learn(&same, 0.5).is_sound(30));
        // Alike but for the last bit.
        same.strangers[7].first += f64::EPSILON;
        assert!(Calibration::learn(&same, 0.5).is_sound(30));
    }

    #[test]
    fn certainty_is_never_claimed_by_rounding() {
        assert_eq!(percent(0.9999), "> 99 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.0001), "< 1 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.876), "88 %");
    }
}
