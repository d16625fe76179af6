//! Error rates of groups of people, and how far apart they lie.

use std::collections::BTreeMap;

use serde::Serialize;

use super::folds::Outcomes;
use super::verification::Claims;
use super::{Bootstrap, OpenProbe, Rate, Role, Tally};

/// Rates by group of people.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    /// In the order of their names.
    pub groups: Vec<GroupFigures>,
    /// The largest difference between groups, for each rate that two groups have.
    pub ratios: Vec<GroupRatio>,
}

/// The rates of one group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupFigures {
    /// Its name.
    pub group: String,
    /// Number of its people.
    pub people: usize,
    /// A rate for each of [`GroupRate::ALL`]; `None` where there is nothing to count.
    #[serde(skip)]
    pub rates: Vec<Option<Rate>>,
}

/// An error rate of a group, in the order of [`GroupFigures::rates`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupRate {
    /// Probes that are nearest to another person.
    Missed,
    /// Genuine claims refused at the threshold of a false match rate of 1 % over all groups.
    FalseNonMatch,
    /// False claims of the group's probes to be anybody that are accepted there.
    FalseMatch,
    /// False claims to be somebody of the group that are accepted there.
    FalseMatchWithin,
    /// Strangers of the group that get a name by the default decision.
    FalsePositive,
    /// Enrolled people of the group that do not get theirs.
    FalseNegative,
}

named!(GroupRate {
    Missed = "rank1_miss_rate",
    FalseNonMatch = "fnmr",
    FalseMatch = "fmr",
    FalseMatchWithin = "fmr_within_group",
    FalsePositive = "fpir",
    FalseNegative = "fnir",
});

impl GroupRate {
    /// The whole that it is a share of.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Missed => "of probes are nearest to another person",
            Self::FalseNonMatch => "of genuine claims are refused at the threshold of FMR 1 % over all groups",
            Self::FalseMatch => "of claims to be anybody else are accepted there",
            Self::FalseMatchWithin => "of claims to be somebody else of the group are accepted there",
            Self::FalsePositive => "of strangers get a name by the default decision",
            Self::FalseNegative => "of enrolled people do not get theirs by the default decision",
        }
    }
}

/// The two groups of which a rate differs most.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupRatio {
    /// The rate.
    pub rate: &'static str,
    /// The group with the largest.
    pub largest: String,
    /// The group with the smallest.
    pub smallest: String,
    /// The largest over the smallest; `None` where that is 0.
    pub ratio: Option<f64>,
}

/// The false match rate over everybody that sets the threshold of groups' rates of claims.
const FALSE_MATCHES: f64 = 0.01;

/// The counts that rates of groups are made of.
struct Counts {
    /// Whether the nearest person is another.
    missed: Tally,
    /// Whether a name was given to a stranger, by the default decision.
    strangers_named: Tally,
    /// Whether an enrolled person did not get the own name, by the default decision.
    not_named: Tally,
    /// All claims.
    claims: Claims,
}

/// Rates of each group, in the order of names. `of_people` has the group of each person; who has none counts in none.
pub(super) fn groups(
    of_people: &[Option<String>],
    outcomes: &Outcomes,
    open_set: &[OpenProbe],
    bootstrap: &Bootstrap,
) -> Groups {
    let (mut strangers_named, mut not_named) = (Tally::default(), Tally::default());
    for probe in open_set {
        let is_right = probe.is_named() && probe.right;
        match probe.role {
            Role::Stranger => strangers_named.add(0, probe.person, probe.is_named()),
            Role::Enrolled => not_named.add(0, probe.person, !is_right),
        }
    }
    let missed = outcomes.trials.iter().map(|trial| (trial.repeat, trial.person, trial.rank > 1)).collect();
    let counts = Counts { missed, strangers_named, not_named, claims: Claims::of(&outcomes.scores) };
    let mut names: BTreeMap<&str, usize> = of_people.iter().flatten().map(|n| (n.as_str(), 0)).collect();
    for (at, number) in names.values_mut().enumerate() {
        *number = at;
    }
    let of_people: Vec<Option<usize>> =
        of_people.iter().map(|name| name.as_ref().map(|name| names[name.as_str()])).collect();
    let everybody = bootstrap.everybody();
    let is_enough = counts.claims.least_false_match_rate() <= FALSE_MATCHES;
    let threshold = is_enough.then(|| counts.claims.errors(&everybody, &[FALSE_MATCHES]).at[0].1);
    let rates = |people: &[u16]| rates(&of_people, names.len(), &counts, threshold, people);
    let (found, drawn) = (rates(&everybody), bootstrap.intervals(rates));
    let members =
        |group: usize| (0..of_people.len()).filter(|person| of_people.get(*person) == Some(&Some(group))).count();
    let groups = names.iter().map(|(name, &group)| {
        let people = members(group);
        let first = group * GroupRate::ALL.len();
        let of_rate = |at: usize| {
            let value = found[first + at];
            // Wilson's interval is over people here: tries are of several kinds.
            value.is_finite().then(|| Rate::new(value, people, people as f64, drawn[first + at]))
        };
        GroupFigures { group: (*name).to_owned(), people, rates: (0..GroupRate::ALL.len()).map(of_rate).collect() }
    });
    let groups: Vec<GroupFigures> = groups.collect();
    Groups { ratios: (0..GroupRate::ALL.len()).filter_map(|at| ratio(&groups, at)).collect(), groups }
}

/// The rates of all groups, one group after the other; NaN where there is nothing to count.
fn rates(
    of_people: &[Option<usize>],
    groups: usize,
    counts: &Counts,
    threshold: Option<f32>,
    people: &[u16],
) -> Vec<f64> {
    let claims = threshold.map(|threshold| claim_rates(of_people, groups, &counts.claims, threshold, people));
    let mut all = Vec::with_capacity(groups * GroupRate::ALL.len());
    for group in 0..groups {
        let of_group = people.iter().zip(of_people);
        let own: Vec<u16> = of_group.map(|(&weight, of)| if *of == Some(group) { weight } else { 0 }).collect();
        let [fnmr, fmr, within] = claims.as_ref().map_or([f64::NAN; 3], |rates| rates[group]);
        all.extend([
            counts.missed.mean(&own),
            fnmr,
            fmr,
            within,
            counts.strangers_named.mean(&own),
            counts.not_named.mean(&own),
        ]);
    }
    all
}

/// FNMR, FMR against everybody, and FMR within the group, of each group's probes at one threshold.
fn claim_rates(
    of_people: &[Option<usize>],
    groups: usize,
    claims: &Claims,
    threshold: f32,
    people: &[u16],
) -> Vec<[f64; 3]> {
    // Errors and tries of each.
    let mut sums = vec![[[0_u64; 2]; 3]; groups];
    let group = |person: u32| of_people.get(person as usize).copied().flatten();
    for claim in &claims.0 {
        let Some(own) = group(claim.shown) else { continue };
        let (weight, passes) = (claim.weight(people), claim.score >= threshold);
        let mut add = |rate: usize, is_error: bool| {
            sums[own][rate][0] += weight * u64::from(is_error);
            sums[own][rate][1] += weight;
        };
        if claim.is_genuine() {
            add(0, !passes);
        } else {
            add(1, passes);
            if group(claim.claimed) == Some(own) {
                add(2, passes);
            }
        }
    }
    sums.into_iter().map(|sums| sums.map(|[errors, tries]| errors as f64 / tries as f64)).collect()
}

/// The groups with the largest and the smallest of a rate; `None` where all that have it have the same.
fn ratio(groups: &[GroupFigures], at: usize) -> Option<GroupRatio> {
    let having = groups.iter().filter_map(|group| Some((group, group.rates[at]?.mean)));
    let having: Vec<(&GroupFigures, f64)> = having.collect();
    let largest = having.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let smallest = having.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    (largest.1 > smallest.1).then(|| GroupRatio {
        rate: GroupRate::ALL[at].name(),
        largest: largest.0.group.clone(),
        smallest: smallest.0.group.clone(),
        ratio: (smallest.1 > 0.0).then(|| largest.1 / smallest.1),
    })
}
