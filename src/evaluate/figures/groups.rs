//! Figures of groups of people, and of galleries of other sizes.

use serde::Serialize;

use super::Rate;

/// Rates by group of people.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    /// In the order of their names.
    pub groups: Vec<GroupFigures>,
    /// For each rate that two groups have, how far apart the farthest are.
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

/// An error rate of a group.
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

impl GroupRate {
    /// All of them, in the order of [`GroupFigures::rates`].
    pub const ALL: [Self; 6] = [
        Self::Missed,
        Self::FalseNonMatch,
        Self::FalseMatch,
        Self::FalseMatchWithin,
        Self::FalsePositive,
        Self::FalseNegative,
    ];

    /// The field's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Missed => "rank1_miss_rate",
            Self::FalseNonMatch => "fnmr",
            Self::FalseMatch => "fmr",
            Self::FalseMatchWithin => "fmr_within_group",
            Self::FalsePositive => "fpir",
            Self::FalseNegative => "fnir",
        }
    }

    /// What it is the share of.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Missed => "of probes are nearest to another person",
            Self::FalseNonMatch => {
                "of genuine claims are refused at the threshold of FMR 1 % over all groups"
            }
            Self::FalseMatch => "of claims to be anybody else are accepted there",
            Self::FalseMatchWithin => {
                "of claims to be somebody else of the group are accepted there"
            }
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
