//! Figures of identification where everybody is enrolled, from the probes.

use std::collections::BTreeMap;

use super::bootstrap::{Bootstrap, Tally};
use super::{Confusion, Identification, PersonAccuracy, ProbeOutcome, Rate, WorstPair};
use crate::face_matrix::FaceMatrix;
use crate::gallery::Gallery;
use crate::vectors;

/// The last rank of the CMC.
const RANKS: usize = 10;

/// Whether each probe's own person is among so many nearest.
pub(super) fn within(trials: &[ProbeOutcome], rank: usize) -> Tally {
    let mut tally = Tally::default();
    for trial in trials {
        tally.add(trial.repeat, trial.person, trial.rank <= rank);
    }
    tally
}

pub(super) fn identification(
    trials: Vec<ProbeOutcome>,
    people: usize,
    bootstrap: &Bootstrap,
) -> Identification {
    let mut confusion: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut persons: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for trial in &trials {
        *confusion.entry((trial.person, trial.named)).or_default() += 1;
        let (probes, right) = persons.entry(trial.person).or_default();
        *probes += 1;
        *right += usize::from(trial.rank == 1);
    }
    let cmc: Vec<Rate> = (1..=RANKS.min(people))
        .map(|rank| within(&trials, rank).rate(bootstrap))
        .collect();
    Identification {
        rank1: cmc
            .first()
            .copied()
            .unwrap_or_else(|| Tally::default().rate(bootstrap)),
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
        let figures = identification(trials, 3, &Bootstrap::new(3, 0));
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
}
