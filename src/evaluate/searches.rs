//! Searches of people who may not be enrolled: how many are found at thresholds that few strangers pass.

use std::collections::HashSet;

use super::bootstrap::{deviation, mean};
use super::verification::error_rates;
use super::{Bootstrap, OpenProbe, Rate, Role, SearchPoint};

/// Searches by split, the surest first.
pub(super) struct Searches(Vec<SplitSearches>);

#[derive(Default)]
struct SplitSearches {
    /// Mated searches: confidence, whether right, person.
    mated: Vec<(f64, bool, usize)>,
    /// Non-mated searches: confidence, person.
    nonmated: Vec<(f64, usize)>,
}

impl Searches {
    /// Of probes with the score and the correctness of the first candidate; only splits with both kinds.
    pub fn new(searches: impl Iterator<Item = OpenProbe>) -> Self {
        let mut splits: Vec<SplitSearches> = Vec::new();
        for search in searches {
            if splits.len() <= search.split {
                splits.resize_with(search.split + 1, SplitSearches::default);
            }
            let split = &mut splits[search.split];
            match search.role {
                Role::Enrolled => split.mated.push((search.score, search.right, search.person)),
                Role::Stranger => split.nonmated.push((search.score, search.person)),
            }
        }
        splits.retain(|split| !split.mated.is_empty() && !split.nonmated.is_empty());
        for split in &mut splits {
            split.nonmated.sort_by(|a, b| b.0.total_cmp(&a.0));
        }
        Self(splits)
    }

    /// The share of enrolled probes named rightly at the threshold that this share of the split's strangers pass at most.
    fn identified(&self, false_positives: f64, people: &[u16]) -> Vec<f64> {
        self.0.iter().map(|split| split.identified(false_positives, people)).filter(|share| share.is_finite()).collect()
    }

    /// The mean over splits, and their spread; Wilson's interval is for so many tries.
    pub fn rate(&self, false_positives: f64, tries: f64, bootstrap: &Bootstrap) -> Rate {
        let shares = self.identified(false_positives, &bootstrap.everybody());
        let drawn = bootstrap.interval(|people| mean(&self.identified(false_positives, people)));
        Rate { standard_deviation: deviation(&shares), ..Rate::new(mean(&shares), self.people(), tries, drawn) }
    }

    /// FNIR at FPIR, the mean over splits, from the least rate that one stranger of the smallest split is.
    pub fn curve(&self, bootstrap: &Bootstrap) -> Vec<SearchPoint> {
        let fewest = self.0.iter().map(|split| split.nonmated.len()).min();
        let everybody = bootstrap.everybody();
        let point = |fpir: f64| SearchPoint { fpir, fnir: 1.0 - mean(&self.identified(fpir, &everybody)) };
        error_rates(1.0 / fewest.unwrap_or(1) as f64).into_iter().map(point).collect()
    }

    fn people(&self) -> usize {
        let people: HashSet<usize> = self.0.iter().flat_map(|split| &split.mated).map(|search| search.2).collect();
        people.len()
    }
}

impl SplitSearches {
    fn identified(&self, false_positives: f64, people: &[u16]) -> f64 {
        let weight = |person: usize| u64::from(people.get(person).copied().unwrap_or(0));
        let strangers: u64 = self.nonmated.iter().map(|&(_, person)| weight(person)).sum();
        if strangers == 0 {
            return f64::NAN;
        }
        let allowed = false_positives * strangers as f64 + 1e-9;
        let mut passing = 0;
        let threshold = self.nonmated.iter().find(|&&(_, person)| {
            passing += weight(person);
            passing as f64 > allowed
        });
        let threshold = threshold.map_or(f64::NEG_INFINITY, |(score, _)| *score);
        let mut sums = [0_u64; 2];
        for &(score, right, person) in &self.mated {
            sums[0] += weight(person) * u64::from(right && score > threshold);
            sums[1] += weight(person);
        }
        sums[0] as f64 / sums[1] as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(split: usize, person: usize, is_mated: bool, score: f64) -> OpenProbe {
        OpenProbe {
            split,
            face: 0,
            person,
            role: if is_mated { Role::Enrolled } else { Role::Stranger },
            score,
            right: is_mated,
            nearest: None,
            distance: 0.0,
            confidence: score,
            decision: crate::decision::Decision::Unknown,
        }
    }

    #[test]
    fn thresholds_let_in_no_more_than_asked() {
        let strangers = (0..100).map(|at| search(0, at, false, at as f64));
        let enrolled = (0..100).map(|at| search(0, 100 + at, true, at as f64 + 0.5));
        let searches = Searches::new(strangers.chain(enrolled));
        let found = |bound: f64| searches.identified(bound, &[1; 200])[0];
        // Above all of the strangers lies one, above all but ten lie eleven.
        assert_eq!([0.0, 0.01, 0.1, 1.0].map(found), [0.01, 0.02, 0.11, 1.0]);
        let curve = searches.curve(&Bootstrap::new(200, 0));
        assert_eq!((curve[0].fpir, curve[0].fnir), (0.01, 0.98));
        assert_eq!(curve[curve.len() - 1].fnir, 0.0);
    }

    #[test]
    fn equal_scores_are_all_kept_out_and_the_wrong_person_is_a_miss() {
        let mut searches: Vec<OpenProbe> = (0..10).map(|at| search(0, at, false, 5.0)).collect();
        searches.push(search(0, 10, true, 5.0));
        searches.push(search(0, 11, true, 6.0));
        searches.push(OpenProbe { right: false, ..search(0, 12, true, 7.0) });
        let searches = Searches::new(searches.into_iter());
        assert_eq!(searches.identified(0.1, &[1; 13]), [1.0 / 3.0]);
    }

    #[test]
    fn a_split_counts_by_whom_is_drawn() {
        let searches = [
            search(0, 0, true, 2.0),
            search(0, 1, true, 0.5),
            search(0, 2, false, 1.0),
            search(1, 0, false, 1.0),
            search(1, 2, true, 2.0),
        ];
        let searches = Searches::new(searches.into_iter());
        assert_eq!(searches.identified(0.01, &[1, 1, 1]), [0.5, 1.0]);
        assert_eq!(searches.identified(0.01, &[3, 1, 1]), [0.75, 1.0]);
        // Without its strangers a split says nothing.
        assert_eq!(searches.identified(0.01, &[0, 2, 1]), [0.0]);
    }
}
