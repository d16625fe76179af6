//! Verification: ROC and DET curves, equal error rate, error rates at thresholds.

use std::collections::HashSet;

use serde::Serialize;

use super::{Bootstrap, ProbeScores, Rate};

/// Errors of claims: every probe claims in turn to be every enrolled person (genuine or impostor); the score is the distance to them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClaimErrors {
    /// True claims.
    #[serde(rename = "genuine_claims")]
    pub genuine: usize,
    /// False claims.
    #[serde(rename = "impostor_claims")]
    pub impostors: usize,
    /// The rate at which as many false claims are accepted as true ones rejected, on the line between points of the curve.
    #[serde(skip)]
    pub equal_error_rate: Rate,
    /// FNMR at the lowest threshold that no more than 1 % of false claims pass; `None` with fewer than 100 of these.
    #[serde(skip)]
    pub misses_at_1_percent: Option<Rate>,
    /// The false non-match rate at a false match rate of .1 %; `None` with fewer than 1,000 false claims.
    #[serde(skip)]
    pub misses_at_a_thousandth: Option<Rate>,
    /// Area under the ROC curve: how often a true claim is nearer than a false one, ties counting half.
    #[serde(rename = "verification_area")]
    pub area: f64,
    /// The ROC curve from (0, 0) to (1, 1), never decreasing, of at most a few hundred points.
    pub roc: Vec<RocPoint>,
    /// The detection error trade-off: ten points a decade, from the least rate that one false claim is.
    pub det: Vec<DetPoint>,
}

/// A point of a ROC curve, as JSON `[false_accepts, true_accepts]`: at some threshold...
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RocPoint {
    /// ...the share of false claims accepted...
    pub false_accepts: f64,
    /// ...and the share of true claims accepted.
    pub true_accepts: f64,
}

impl Serialize for RocPoint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.false_accepts, self.true_accepts].serialize(serializer)
    }
}

/// A point of a detection error trade-off curve (ISO/IEC 19795-1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DetPoint {
    /// The false match rate that is allowed.
    pub fmr: f64,
    /// The false non-match rate at the lowest threshold that keeps it.
    pub fnmr: f64,
}

/// Error rates at which curves are given: ten a decade (Renard's series R10), from the least that can be seen to 1.
pub(super) fn error_rates(least: f64) -> Vec<f64> {
    const STEPS: [f64; 10] = [1.0, 1.25, 1.6, 2.0, 2.5, 3.15, 4.0, 5.0, 6.3, 8.0];
    let rates = (1..=9).rev().map(|decade| 10_f64.powi(-decade)).flat_map(|decade| STEPS.map(|step| step * decade));
    rates.chain([1.0]).filter(|&rate| rate >= least * (1.0 - 1e-9)).collect()
}

/// Points of the stored ROC curve are at least this far apart in one of the coordinates.
const STEP: f64 = 1.0 / 256.0;

/// Comparisons in the order of their scores, the most alike first.
pub(super) struct Claims(pub Vec<Claim>);

#[derive(Debug, Clone, Copy)]
pub(super) struct Claim {
    /// Higher for the more alike.
    pub score: f32,
    /// The person whom the probe shows.
    pub shown: u32,
    /// The person whom it was compared with.
    pub claimed: u32,
}

impl Claim {
    pub fn is_genuine(&self) -> bool {
        self.shown == self.claimed
    }

    /// How often it counts where people count so often.
    pub fn weight(&self, people: &[u16]) -> u64 {
        let weight = |person: u32| u64::from(people.get(person as usize).copied().unwrap_or(0));
        if self.is_genuine() { weight(self.shown) } else { weight(self.shown) * weight(self.claimed) }
    }
}

/// Error rates of claims at which false matches stay within bounds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Errors {
    pub equal: f64,
    /// FNMR at each FMR asked for, and the lowest score accepted there; infinite where none is.
    pub at: Vec<(f64, f32)>,
}

impl Claims {
    pub fn of(probes: &[ProbeScores]) -> Self {
        let claims = probes.iter().flat_map(|probe| {
            probe.ranked.iter().map(|found| Claim {
                score: found.score(),
                shown: probe.person as u32,
                claimed: found.person,
            })
        });
        let mut claims: Vec<Claim> = claims.collect();
        claims.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
        Self(claims)
    }

    /// Numbers of genuine and of false claims, people counting as often as is said.
    fn totals(&self, people: &[u16]) -> [u64; 2] {
        let mut totals = [0; 2];
        for claim in &self.0 {
            totals[usize::from(!claim.is_genuine())] += claim.weight(people);
        }
        totals
    }

    /// The equal error rate, on the line between the two points of the ROC beside it, and the false non-match rate at each
    /// of some false match rates, which increase: of the lowest threshold at which no more false claims are accepted. NaN
    /// where a kind of claims is missing.
    pub fn errors(&self, people: &[u16], false_matches: &[f64]) -> Errors {
        let totals = self.totals(people);
        let [genuine, impostors] = totals.map(|total| total as f64);
        let mut at = Vec::with_capacity(false_matches.len());
        if totals.contains(&0) {
            at.resize(false_matches.len(), (f64::NAN, f32::INFINITY));
            return Errors { equal: f64::NAN, at };
        }
        let mut equal = None;
        // Shares accepted before the scores that are looked at, and the lowest score accepted.
        let (mut before, mut sums, mut lowest) = ([0.0, 0.0], [0_u64; 2], f32::INFINITY);
        for tied in self.0.chunk_by(|a, b| a.score == b.score) {
            for claim in tied {
                sums[usize::from(!claim.is_genuine())] += claim.weight(people);
            }
            let after = [sums[0] as f64 / genuine, sums[1] as f64 / impostors];
            while let Some(&bound) = false_matches.get(at.len())
                && sums[1] as f64 > bound * impostors + 1e-9
            {
                at.push((1.0 - before[0], lowest));
            }
            if equal.is_none() {
                equal = crossing(before, after);
            }
            if equal.is_some() && at.len() == false_matches.len() {
                break;
            }
            (before, lowest) = (after, tied[0].score);
        }
        at.resize(false_matches.len(), (0.0, f32::NEG_INFINITY));
        Errors { equal: equal.unwrap_or(0.0), at }
    }

    /// The smallest false match rate that can be measured: one over the number of false claims.
    pub fn least_false_match_rate(&self) -> f64 {
        1.0 / self.0.iter().filter(|claim| !claim.is_genuine()).count().max(1) as f64
    }
}

/// FMR at which as many genuine claims are refused, between two points (genuine, false); `None` beyond the second.
fn crossing(before: [f64; 2], after: [f64; 2]) -> Option<f64> {
    // False matches less false non-matches: from -1 to 1, never decreasing.
    let [low, high] = [before, after].map(|[genuine, impostors]| impostors - (1.0 - genuine));
    if high < 0.0 {
        return None;
    }
    let way = if high > low { -low / (high - low) } else { 0.0 };
    Some(before[1] + way * (after[1] - before[1]))
}

pub(super) fn verification(probes: &[ProbeScores], bootstrap: &Bootstrap) -> ClaimErrors {
    let claims = Claims::of(probes);
    let kind = |genuine: bool| -> Vec<f32> {
        claims.0.iter().filter(|claim| claim.is_genuine() == genuine).map(|claim| claim.score).collect()
    };
    let (genuine, impostors) = (kind(true), kind(false));
    let rates = error_rates(claims.least_false_match_rate());
    let everybody = bootstrap.everybody();
    let found = claims.errors(&everybody, &rates);
    let drawn = bootstrap.intervals(|people| {
        let errors = claims.errors(people, &AT);
        std::iter::once(errors.equal).chain(errors.at.iter().map(|(misses, _)| *misses)).collect()
    });
    let tried: HashSet<usize> = probes.iter().map(|probe| probe.person).collect();
    let rate = |value: f64, drawn: Option<[f64; 2]>| Rate::new(value, tried.len(), genuine.len() as f64, drawn);
    let misses = AT.iter().zip(&drawn[1..]).map(|(&bound, drawn)| {
        let misses = claims.errors(&everybody, &[bound]).at[0].0;
        (bound >= claims.least_false_match_rate() && misses.is_finite()).then(|| rate(misses, *drawn))
    });
    let misses: Vec<Option<Rate>> = misses.collect();
    let det = rates.iter().zip(&found.at);
    let equal = if found.equal.is_nan() { 0.0 } else { found.equal };
    let (genuine_count, impostor_count) = (genuine.len(), impostors.len());
    let equal_error_rate = rate(equal, drawn[0]);
    let curve = Curve::of(genuine, impostors);
    ClaimErrors {
        genuine: genuine_count,
        impostors: impostor_count,
        equal_error_rate,
        misses_at_1_percent: misses[1],
        misses_at_a_thousandth: misses[0],
        area: curve.area(),
        roc: curve.thinned(),
        det: det
            .filter(|(_, (misses, _))| misses.is_finite())
            .map(|(&fmr, &(fnmr, _))| DetPoint { fmr, fnmr })
            .collect(),
    }
}

/// The false match rates whose false non-match rates are figures, increasing.
pub(super) const AT: [f64; 2] = [0.001, 0.01];

/// The area under the ROC (share of pairs with the positive above, ties half), and the curve, thinned out.
pub(super) fn area_and_curve(positive: &[f64], negative: &[f64]) -> (f64, Vec<RocPoint>) {
    let short = |scores: &[f64]| scores.iter().map(|&score| score as f32).collect();
    let curve = Curve::of(short(positive), short(negative));
    (curve.area(), curve.thinned())
}

/// The area under the ROC of scores, and the equal error rate.
pub(super) fn area_and_equal_error_rate(positive: &[f64], negative: &[f64]) -> (f64, f64) {
    let claims = |scores: &[f64], claimed: u32| -> Vec<Claim> {
        scores.iter().map(|&score| Claim { score: score as f32, shown: 0, claimed }).collect()
    };
    let mut all = Claims([claims(positive, 0), claims(negative, 1)].concat());
    all.0.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
    (area_and_curve(positive, negative).0, all.errors(&[1, 1], &[]).equal)
}

/// Every point of a ROC curve, from (0, 0) to (1, 1).
struct Curve(Vec<RocPoint>);

impl Curve {
    /// From scores that are higher for true claims; a point for each score, so that ties become slanted lines.
    fn of(mut positive: Vec<f32>, mut negative: Vec<f32>) -> Self {
        let downwards = |a: &f32, b: &f32| b.total_cmp(a);
        positive.sort_unstable_by(downwards);
        negative.sort_unstable_by(downwards);
        let share = |count: usize, of: usize| if of == 0 { 1.0 } else { count as f64 / of as f64 };
        let mut points = vec![RocPoint { false_accepts: 0.0, true_accepts: 0.0 }];
        let (mut p, mut n) = (0, 0);
        while p < positive.len() || n < negative.len() {
            let best = match (positive.get(p), negative.get(n)) {
                (Some(&a), Some(&b)) => a.max(b),
                (Some(&only), None) | (None, Some(&only)) => only,
                (None, None) => break,
            };
            p += positive[p..].iter().take_while(|&&s| s >= best).count();
            n += negative[n..].iter().take_while(|&&s| s >= best).count();
            points.push(RocPoint { false_accepts: share(n, negative.len()), true_accepts: share(p, positive.len()) });
        }
        Self(points)
    }

    fn area(&self) -> f64 {
        let trapezium = |pair: &[RocPoint]| {
            (pair[1].false_accepts - pair[0].false_accepts) * (pair[1].true_accepts + pair[0].true_accepts) / 2.0
        };
        self.0.windows(2).map(trapezium).sum()
    }

    fn thinned(&self) -> Vec<RocPoint> {
        let mut kept: Vec<RocPoint> = Vec::new();
        for (at, point) in self.0.iter().enumerate() {
            let far = kept.last().is_none_or(|last| {
                point.false_accepts - last.false_accepts >= STEP || point.true_accepts - last.true_accepts >= STEP
            });
            if far || at + 1 == self.0.len() {
                kept.push(*point);
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::evaluate::PersonDistance;

    /// Probes of person 0 and claims of theirs to be persons 0 (distances `genuine`) and 1 (`impostors`).
    fn measured(genuine: &[f32], impostors: &[f32]) -> ClaimErrors {
        let probe = |person: u32| {
            move |&distance: &f32| ProbeScores {
                face: 0,
                repeat: 0,
                person: 0,
                ranked: vec![PersonDistance { person, distance }],
            }
        };
        let probes: Vec<ProbeScores> = genuine.iter().map(probe(0)).chain(impostors.iter().map(probe(1))).collect();
        verification(&probes, &Bootstrap::new(2, 0))
    }

    #[test]
    fn perfect_and_useless_scores() {
        let perfect = measured(&[1.0, 2.0], &[3.0, 4.0, 5.0]);
        assert_eq!((perfect.equal_error_rate.mean, perfect.area), (0.0, 1.0));
        let useless = measured(&[1.0; 4], &[1.0; 9]);
        assert_eq!((useless.equal_error_rate.mean, useless.area), (0.5, 0.5));
        let inverse = measured(&[5.0], &[1.0]);
        assert_eq!((inverse.equal_error_rate.mean, inverse.area), (1.0, 0.0));
    }

    #[test]
    fn one_of_four_swapped() {
        // Accepting up to 3: one of four true claims is rejected, one of four false ones accepted.
        let figures = measured(&[1.0, 2.0, 3.0, 5.0], &[2.5, 6.0, 7.0, 8.0]);
        assert_eq!(figures.equal_error_rate.mean, 0.25);
        assert_eq!(figures.area, 14.0 / 16.0);
        let points: Vec<(f64, f64)> = figures.det.iter().map(|p| (p.fmr, p.fnmr)).collect();
        assert_eq!(points[0], (0.25, 0.0), "accepting all below 6");
        assert_eq!(figures.misses_at_1_percent, None, "four are too few");
    }

    #[test]
    fn equal_scores_are_accepted_together_or_not_at_all() {
        let false_claims: Vec<f32> = vec![2.0; 100];
        let figures = measured(&[1.0, 2.0, 2.0, 3.0], &false_claims);
        assert_eq!(figures.misses_at_1_percent.unwrap().mean, 0.75);
    }

    proptest! {
        #[test]
        fn the_area_is_the_share_of_pairs_in_order(
            positive in prop::collection::vec(0_u8..9, 1..30),
            negative in prop::collection::vec(0_u8..9, 1..30),
        ) {
            let numbers = |all: &[u8]| all.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
            let mut pairs = 0.0;
            for p in &positive {
                for n in &negative {
                    pairs += match p.cmp(n) {
                        std::cmp::Ordering::Greater => 1.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Less => 0.0,
                    };
                }
            }
            let expected = pairs / (positive.len() * negative.len()) as f64;
            prop_assert!((area_and_curve(&numbers(&positive), &numbers(&negative)).0 - expected).abs() < 1e-9);
        }

        #[test]
        fn a_curve_rises_from_corner_to_corner(
            genuine in prop::collection::vec(0.0_f32..5.0, 1..200),
            impostors in prop::collection::vec(1.0_f32..6.0, 1..400),
        ) {
            let figures = measured(&genuine, &impostors);
            let (first, last) = (figures.roc[0], *figures.roc.last().unwrap());
            prop_assert_eq!((first.false_accepts, first.true_accepts), (0.0, 0.0));
            prop_assert_eq!((last.false_accepts, last.true_accepts), (1.0, 1.0));
            for pair in figures.roc.windows(2) {
                prop_assert!(pair[0].false_accepts <= pair[1].false_accepts);
                prop_assert!(pair[0].true_accepts <= pair[1].true_accepts);
            }
            for pair in figures.det.windows(2) {
                prop_assert!(pair[0].fmr < pair[1].fmr && pair[0].fnmr >= pair[1].fnmr);
            }
            prop_assert!((0.0..=1.0).contains(&figures.equal_error_rate.mean));
            prop_assert!(figures.roc.len() < 600);
        }
    }
}
