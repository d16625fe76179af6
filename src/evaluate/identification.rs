//! Figures of identification where everybody is enrolled, from the probes.

use std::collections::BTreeMap;

use super::interval::wilson;
use super::{Confusion, Identification, PersonAccuracy, ProbeOutcome, Rate, WorstPair};
use crate::face_matrix::FaceMatrix;
use crate::gallery::Gallery;
use crate::vectors;

/// The last rank of the CMC.
const RANKS: usize = 10;

/// A share over repeats: mean and sample standard deviation. `counts` has the hits and the tries of each.
pub(super) fn rate(counts: &[(usize, usize)]) -> Rate {
    let shares: Vec<f64> = counts
        .iter()
        .filter(|(_, of)| *of > 0)
        .map(|&(hits, of)| hits as f64 / of as f64)
        .collect();
    let tries: usize = counts.iter().map(|(_, of)| of).sum();
    spread(&shares, tries as f64 / shares.len().max(1) as f64)
}

/// Mean and sample standard deviation of shares, 0 where there is none; with the interval of so many tries.
pub(super) fn spread(shares: &[f64], tries: f64) -> Rate {
    let n = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / n.max(1.0);
    let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
    Rate {
        mean,
        interval: wilson(mean, tries),
        standard_deviation: (shares.len() > 1).then(|| (squares / (n - 1.0)).sqrt()),
    }
}

/// Share of probes whose own person is the nearest.
pub(super) fn rank1(trials: &[ProbeOutcome]) -> Rate {
    let repeats = trials.iter().map(|trial| trial.repeat + 1).max();
    let mut counts = vec![(0, 0); repeats.unwrap_or(0)];
    for trial in trials {
        counts[trial.repeat].0 += usize::from(trial.rank == 1);
        counts[trial.repeat].1 += 1;
    }
    rate(&counts)
}

pub(super) fn identification(trials: Vec<ProbeOutcome>, people: usize) -> Identification {
    let repeats = trials.iter().map(|trial| trial.repeat + 1).max();
    let mut tries = vec![0; repeats.unwrap_or(0)];
    let mut at_rank = vec![vec![0; tries.len()]; RANKS.min(people)];
    let mut confusion: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut persons: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for trial in &trials {
        tries[trial.repeat] += 1;
        for hits in at_rank.iter_mut().skip(trial.rank - 1) {
            hits[trial.repeat] += 1;
        }
        *confusion.entry((trial.person, trial.named)).or_default() += 1;
        let (probes, right) = persons.entry(trial.person).or_default();
        *probes += 1;
        *right += usize::from(trial.rank == 1);
    }
    let cmc: Vec<Rate> = at_rank
        .iter()
        .map(|hits| {
            let counts: Vec<_> = hits.iter().copied().zip(tries.iter().copied()).collect();
            rate(&counts)
        })
        .collect();
    Identification {
        rank1: cmc.first().copied().unwrap_or_else(|| rate(&[])),
        cmc,
        confusion: confusion
            .into_iter()
            .map(|((person, named), count)| Confusion {
                person,
                named,
                count,
            })
            .collect(),
        per_person: persons
            .into_iter()
            .map(|(person, (probes, right))| PersonAccuracy {
                person,
                probes,
                right,
            })
            .collect(),
        trials,
    }
}

/// For each pair of people the probe of one that was most mistaken for the other; the pairs where own
/// distance over the other's is largest come first.
pub(super) fn worst_pairs(
    trials: &[ProbeOutcome],
    gallery: &Gallery,
    most: usize,
) -> Vec<WorstPair> {
    let mut pairs: BTreeMap<(usize, usize), (&ProbeOutcome, usize)> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.rank > 1) {
        let (worst, count) = pairs
            .entry((trial.person, trial.named))
            .or_insert((trial, 0));
        *count += 1;
        if mistaken(trial) > mistaken(worst) {
            *worst = trial;
        }
    }
    let mut pairs: Vec<_> = pairs.into_values().collect();
    pairs.sort_by(|(a, _), (b, _)| {
        mistaken(b)
            .total_cmp(&mistaken(a))
            .then(a.face.cmp(&b.face))
    });
    pairs.truncate(most);
    let persons = gallery.persons();
    let pairs = pairs.into_iter();
    pairs
        .map(|(trial, count)| pair(trial, count, gallery, &persons))
        .collect()
}

/// Every probe that was taken for another person, the most mistaken first.
pub(super) fn mistakes(trials: &[ProbeOutcome], gallery: &Gallery) -> Vec<WorstPair> {
    let persons = gallery.persons();
    let mut wrong: Vec<&ProbeOutcome> = trials.iter().filter(|trial| trial.rank > 1).collect();
    wrong.sort_by(|a, b| {
        mistaken(b)
            .total_cmp(&mistaken(a))
            .then((a.face, a.repeat).cmp(&(b.face, b.repeat)))
    });
    let wrong = wrong.into_iter();
    wrong
        .map(|trial| pair(trial, 1, gallery, &persons))
        .collect()
}

/// The amount by which another person is nearer than the own one.
fn mistaken(trial: &ProbeOutcome) -> f64 {
    trial.own_distance / trial.other_distance.max(f64::MIN_POSITIVE)
}

fn pair(trial: &ProbeOutcome, count: usize, gallery: &Gallery, persons: &[usize]) -> WorstPair {
    let nearest = |person: usize| {
        (0..persons.len())
            .filter(|&face| persons[face] == person && face != trial.face)
            .min_by_key(|&face| squared_distance(gallery.faces(), trial.face, face))
            .unwrap_or(trial.face)
    };
    WorstPair {
        face: trial.face,
        named: trial.named,
        named_face: nearest(trial.named),
        own_face: nearest(trial.person),
        own_distance: trial.own_distance,
        named_distance: trial.other_distance,
        count,
    }
}

/// Squared distance between the pixels of two faces, exactly.
pub(super) fn squared_distance(faces: &FaceMatrix, a: usize, b: usize) -> u64 {
    vectors::squared_distance(faces.face(a), faces.face(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(repeat: usize, person: usize, rank: usize) -> ProbeOutcome {
        ProbeOutcome {
            face: person,
            person,
            repeat,
            named: if rank == 1 { person } else { 9 },
            rank,
            own_distance: 2.0,
            other: 9,
            other_distance: 1.0,
            confidence: 0.5,
        }
    }

    #[test]
    fn ranks_add_up_and_repeats_spread() {
        let trials = vec![
            trial(0, 0, 1),
            trial(0, 1, 2),
            trial(1, 0, 1),
            trial(1, 1, 1),
        ];
        let figures = identification(trials, 3);
        assert_eq!(figures.cmc.len(), 3, "no more ranks than people");
        assert_eq!(figures.rank1.mean, 0.75);
        let sd = figures.rank1.standard_deviation.unwrap();
        assert!((sd - 0.125_f64.sqrt()).abs() < 1e-12, "{sd}");
        assert_eq!(figures.cmc[1].mean, 1.0);
        assert_eq!(
            figures.per_person[1],
            PersonAccuracy {
                person: 1,
                probes: 2,
                right: 1
            }
        );
        let counts: Vec<_> = figures.confusion.iter().map(|cell| cell.count).collect();
        assert_eq!(counts, [2, 1, 1], "(0, 0), (1, 1), (1, 9)");
    }

    #[test]
    fn one_repeat_has_no_spread() {
        assert_eq!(rate(&[(1, 2)]).standard_deviation, None);
    }
}
