//! Rates in larger galleries, from the distribution of scores of false claims.
//!
//! docs/EVALUATION.md (`larger_galleries`) has the model (P. Grother & P. J. Phillips, "Models of large population recognition
//! performance", 2004). Each probe has a distribution of its own: some resemble everybody, so one of all would be wrong.

use rayon::prelude::*;
use serde::Serialize;

use super::bootstrap::{deviation, mean};
use super::{PersonDistance, ProbeScores};

/// Rates with so many people enrolled, extrapolated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LargerGallery {
    /// Number of people enrolled.
    pub people: usize,
    /// Share of probes whose own person is the nearest.
    pub rank1: f64,
    /// The false negative identification rate where 1 % of strangers pass.
    pub fnir_at_fpir_1pct: f64,
}

/// Galleries that are asked about, beside the one that is there.
const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];

/// False claims that a probe needs for a mean and a deviation.
const LEAST: usize = 5;

/// The false positive identification rate that is kept.
const FALSE_POSITIVES: f64 = 0.01;

/// A probe's own score, and the distribution of its false claims.
struct Probe {
    own: Option<f64>,
    mean: f64,
    deviation: f64,
}

impl Probe {
    fn of(probe: &ProbeScores, score: &(dyn Fn(f32) -> f64 + Sync)) -> Option<Self> {
        let finite = |distance: f32| Some(score(distance)).filter(|score| score.is_finite());
        let is_own = |found: &&PersonDistance| found.person as usize == probe.person;
        let own = probe.ranked.iter().find(is_own);
        let others = probe.ranked.iter().filter(|found| !is_own(found));
        let others: Vec<f64> = others.filter_map(|found| finite(found.distance)).collect();
        let deviation = deviation(&others)?;
        (others.len() >= LEAST && deviation > 0.0).then(|| Self {
            own: own.and_then(|own| finite(own.distance)),
            mean: mean(&others),
            deviation,
        })
    }

    /// The probability that none of so many people scores above the threshold.
    fn none_above(&self, threshold: f64, people: f64) -> f64 {
        let tail = normal_tail((threshold - self.mean) / self.deviation);
        (people * (-tail).ln_1p()).exp()
    }
}

/// Rates in galleries of as many people as there are, and of more. `score` makes a number of a distance that is larger for
/// the more alike, and nearly normal for false claims. Empty where probes were compared with too few people.
pub(super) fn larger_galleries(
    probes: &[ProbeScores],
    people: usize,
    score: &(dyn Fn(f32) -> f64 + Sync),
) -> Vec<LargerGallery> {
    let probes: Vec<Probe> = probes
        .par_iter()
        .filter_map(|probe| Probe::of(probe, score))
        .collect();
    let genuine = probes.iter().filter_map(|probe| Some((probe, probe.own?)));
    let genuine: Vec<(&Probe, f64)> = genuine.collect();
    if genuine.is_empty() {
        return Vec::new();
    }
    let of_size = |size: usize| {
        let rivals = (size - 1) as f64;
        let average = |of: &dyn Fn(&Probe, f64) -> f64| {
            let sum: f64 = genuine.iter().map(|(probe, own)| of(probe, *own)).sum();
            sum / genuine.len() as f64
        };
        let threshold = threshold(&probes, size as f64);
        LargerGallery {
            people: size,
            rank1: average(&|probe, own| probe.none_above(own, rivals)),
            fnir_at_fpir_1pct: 1.0
                - average(&|probe, own| match own > threshold {
                    true => probe.none_above(own, rivals),
                    false => 0.0,
                }),
        }
    };
    let larger = SIZES.into_iter().filter(|&size| size > people);
    std::iter::once(people.max(1))
        .chain(larger)
        .map(of_size)
        .collect()
}

/// The threshold that strangers pass at the rate that is kept, with so many people enrolled.
fn threshold(probes: &[Probe], people: f64) -> f64 {
    let passing = |threshold: f64| {
        let pass = probes
            .iter()
            .map(|probe| 1.0 - probe.none_above(threshold, people));
        pass.sum::<f64>() / probes.len() as f64
    };
    let ends = probes.iter().map(|probe| {
        let far = 40.0 * probe.deviation;
        (probe.mean - far, probe.mean + far)
    });
    let (mut low, mut high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |ends, own| {
        (ends.0.min(own.0), ends.1.max(own.1))
    });
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        match passing(middle) > FALSE_POSITIVES {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

/// The probability that a standard normal number lies above z, to 1.2e-7 of itself (W. Press et al., *Numerical Recipes*,
/// 1992, section 6.2).
fn normal_tail(z: f64) -> f64 {
    const TERMS: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.5 * x);
    let series = TERMS.iter().rev().fold(0.0, |sum, term| sum * t + term);
    let tail = 0.5 * t * (series - x * x).exp();
    if z >= 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use symmetric_eigen::Noise;

    use super::*;
    use crate::evaluate::PersonDistance;

    #[test]
    fn tails_are_those_of_the_tables() {
        for (z, tail) in [
            (0.0, 0.5),
            (1.0, 0.158_655_254),
            (1.959_963_985, 0.025),
            (-1.0, 0.841_344_746),
            (6.0, 9.865_876_45e-10),
        ] {
            assert!((normal_tail(z) / tail - 1.0).abs() < 2e-7, "{z}");
        }
    }

    /// Probes of which own scores are N(`own`, 1) and others N(0, 1), in a gallery of so many people.
    fn drawn(people: usize, own: f64) -> Vec<ProbeScores> {
        let mut noise = Noise::seeded(5);
        let probe = |person: usize| {
            let mut ranked: Vec<PersonDistance> = (0..people)
                .map(|at| {
                    let shift = if at == person { own } else { 0.0 };
                    PersonDistance {
                        person: at as u32,
                        distance: -(noise.normal() + shift) as f32,
                    }
                })
                .collect();
            ranked.sort_by(|a, b| a.distance.total_cmp(&b.distance));
            ProbeScores {
                face: person,
                repeat: 0,
                person,
                ranked,
            }
        };
        (0..people).map(probe).collect()
    }

    #[test]
    fn a_small_gallery_tells_of_a_large_one() {
        let score = |distance: f32| f64::from(-distance);
        let told = larger_galleries(&drawn(60, 4.0), 60, &score);
        let sizes: Vec<usize> = told.iter().map(|size| size.people).collect();
        assert_eq!(sizes, [60, 100, 1_000, 10_000, 100_000, 1_000_000]);
        let large = drawn(1_000, 4.0);
        let first = |probe: &&ProbeScores| probe.ranked[0].person as usize == probe.person;
        let rank1 = large.iter().filter(first).count() as f64 / 1_000.0;
        assert!(
            (told[2].rank1 - rank1).abs() < 0.06,
            "{} {rank1}",
            told[2].rank1
        );
        for pair in told.windows(2) {
            assert!(pair[0].rank1 >= pair[1].rank1);
            assert!(pair[0].fnir_at_fpir_1pct <= pair[1].fnir_at_fpir_1pct);
        }
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        let score = |distance: f32| f64::from(-distance);
        assert!(larger_galleries(&[], 9, &score).is_empty());
        assert!(larger_galleries(&drawn(3, 1.0), 3, &score).is_empty());
        let equal = vec![ProbeScores {
            face: 0,
            repeat: 0,
            person: 0,
            ranked: (0..9)
                .map(|person| PersonDistance {
                    person,
                    distance: 1.0,
                })
                .collect(),
        }];
        assert!(larger_galleries(&equal, 9, &score).is_empty());
    }
}
