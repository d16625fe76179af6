//! Figures of identification where everybody is enrolled, from the probes.

use std::collections::BTreeMap;

use super::{Bootstrap, Rate, Tally};

/// Figures of identification where everybody is enrolled (closed set): rank-1, CMC, confusions.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedSet {
    /// Share of probes whose own person is the nearest.
    pub rank1: Rate,
    /// Cumulative match characteristic: at r - 1 the share of probes with their own person among the r nearest, r = 1 to 10.
    pub cmc: Vec<Rate>,
    /// Counts of the people that probes of each person were taken for, right answers included, in the order of people.
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
    /// Probability that `named` is right, by the whole gallery's calibration, which has seen the probe: a hint only.
    pub confidence: f64,
}

impl ProbeOutcome {
    /// Of a probe, and people with their distances, the nearest first; `None` where they do not hold the probe's own.
    pub(super) fn of(
        (face, person, repeat): (usize, usize, usize),
        ranked: &[(usize, f64)],
        confidence: f64,
    ) -> Option<Self> {
        let place = ranked.iter().position(|(found, _)| *found == person)?;
        let other = ranked.iter().find(|(found, _)| *found != person);
        let (other, other_distance) = other.copied().unwrap_or((person, f64::INFINITY));
        Some(Self {
            face,
            person,
            repeat,
            named: ranked[0].0,
            rank: place + 1,
            own_distance: ranked[place].1,
            other_distance,
            other,
            confidence,
        })
    }
}

/// The count of one person's probes that were taken for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confusion {
    /// The person whose photos were tried.
    pub person: usize,
    /// The person who was found nearest; may be the same.
    pub named: usize,
    /// Number of times.
    pub count: usize,
}

/// One person's probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

const RANKS: usize = 10;

/// Whether each probe's own person is among so many nearest.
pub(super) fn within(trials: &[ProbeOutcome], rank: usize) -> Tally {
    trials.iter().map(|trial| (trial.repeat, trial.person, trial.rank <= rank)).collect()
}

/// The figures; `people` are enrolled.
pub(super) fn identification(trials: Vec<ProbeOutcome>, people: usize, bootstrap: &Bootstrap) -> ClosedSet {
    let mut confusion: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut persons: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for trial in &trials {
        *confusion.entry((trial.person, trial.named)).or_default() += 1;
        let (probes, right) = persons.entry(trial.person).or_default();
        *probes += 1;
        *right += usize::from(trial.rank == 1);
    }
    let cmc: Vec<Rate> = (1..=RANKS.min(people)).map(|rank| within(&trials, rank).rate(bootstrap)).collect();
    ClosedSet {
        rank1: cmc.first().copied().unwrap_or_else(|| Tally::default().rate(bootstrap)),
        cmc,
        confusion: confusion.into_iter().map(|((person, named), count)| Confusion { person, named, count }).collect(),
        per_person: persons
            .into_iter()
            .map(|(person, (probes, right))| PersonAccuracy { person, probes, right })
            .collect(),
        trials,
    }
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
        let trials = vec![trial(0, 0, 1), trial(0, 1, 2), trial(1, 0, 1), trial(1, 1, 1)];
        let figures = identification(trials, 3, &Bootstrap::new(3, 0));
        assert_eq!(figures.cmc.len(), 3, "no more ranks than people");
        assert_eq!(figures.rank1.mean, 0.75);
        let sd = figures.rank1.standard_deviation.unwrap();
        assert!((sd - 0.125_f64.sqrt()).abs() < 1e-12, "{sd}");
        assert_eq!(figures.cmc[1].mean, 1.0);
        assert_eq!(figures.per_person[1], PersonAccuracy { person: 1, probes: 2, right: 1 });
        let counts: Vec<_> = figures.confusion.iter().map(|cell| cell.count).collect();
        assert_eq!(counts, [2, 1, 1], "(0, 0), (1, 1), (1, 9)");
    }
}
