//! Intervals by bootstrap over people: photos of one person are not independent, so people are drawn, not photos.
//!
//! docs/EVALUATION.md ("Intervals") has the rule (B. Efron & R. Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13;
//! A. Owen, "The pigeonhole bootstrap", 2007).

use rayon::prelude::*;
use serde::Serialize;
use symmetric_eigen::Noise;

use super::Rate;

/// Draws of people.
pub const DRAWS: usize = 1000;

/// Sets the stream of these draws apart from those of splits by the same seed.
const STREAM: u64 = 0x626f_6f74_7374_7270;

/// The share of draws on either side of the interval.
const TAIL: f64 = 0.025;

/// The two-sided 95 % quantile of the normal distribution.
const NORMAL_95: f64 = 1.959_963_985;

/// The method of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalMethod {
    /// Percentiles of draws of people.
    Bootstrap,
    /// Wilson's interval for as many tries as there are people: where all draws agree, as they do where nothing went wrong.
    WilsonOverPeople,
}

named!(IntervalMethod { Bootstrap = "bootstrap", WilsonOverPeople = "wilson-over-people" });

/// Draws of people, the same for every figure of an evaluation.
pub struct Bootstrap {
    people: usize,
    /// The number of times that each person is drawn, draw after draw.
    counts: Vec<u16>,
}

impl Bootstrap {
    pub fn new(people: usize, seed: u64) -> Self {
        let mut noise = Noise::seeded(seed ^ STREAM);
        let mut counts = vec![0; people * DRAWS];
        for draw in counts.chunks_mut(people.max(1)) {
            for _ in 0..people {
                draw[noise.below(people)] += 1;
            }
        }
        Self { people, counts }
    }

    /// Every person once: weights of the figures themselves.
    pub fn everybody(&self) -> Vec<u16> {
        vec![1; self.people]
    }

    /// The 95 % interval of each of some statistics, which are given how often each person counts; NaN where a draw leaves
    /// one undefined, and such draws are left out. `None` where all draws agree, or most leave it undefined.
    pub fn intervals(&self, statistics: impl Fn(&[u16]) -> Vec<f64> + Sync) -> Vec<Option<[f64; 2]>> {
        if self.people == 0 {
            return statistics(&[]).iter().map(|_| None).collect();
        }
        let found: Vec<Vec<f64>> = self.counts.par_chunks(self.people).map(&statistics).collect();
        let of_statistic =
            |at: usize| percentiles(found.iter().map(|values| values[at]).filter(|value| value.is_finite()).collect());
        (0..found.first().map_or(0, Vec::len)).map(of_statistic).collect()
    }

    /// The interval of one statistic.
    pub fn interval(&self, statistic: impl Fn(&[u16]) -> f64 + Sync) -> Option<[f64; 2]> {
        self.intervals(|people| vec![statistic(people)]).pop().flatten()
    }
}

fn percentiles(mut values: Vec<f64>) -> Option<[f64; 2]> {
    if values.len() < DRAWS / 2 {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    let below = (TAIL * values.len() as f64) as usize;
    let (first, last) = (values[0], values[values.len() - 1]);
    (first < last).then(|| [values[below], values[values.len() - 1 - below]])
}

impl Rate {
    /// A share with its intervals: over people where draws of them differ, and of Wilson for so many independent tries.
    pub(super) fn new(mean: f64, people: usize, tries: f64, drawn: Option<[f64; 2]>) -> Self {
        let (interval, method) = match drawn {
            Some([low, high]) => ([low.min(mean), high.max(mean)], IntervalMethod::Bootstrap),
            None => (wilson(mean, people as f64), IntervalMethod::WilsonOverPeople),
        };
        Self { mean, interval, method, wilson: wilson(mean, tries), standard_deviation: None }
    }
}

/// The 95 % interval of Wilson (1927) of a share seen in so many independent tries: sensible even for 0 and 1.
fn wilson(share: f64, tries: f64) -> [f64; 2] {
    if tries < 1.0 {
        return [0.0, 1.0];
    }
    let z2 = NORMAL_95 * NORMAL_95;
    let middle = share + z2 / (2.0 * tries);
    let half = NORMAL_95 * (share * (1.0 - share) / tries + z2 / (4.0 * tries * tries)).sqrt();
    let scale = 1.0 + z2 / tries;
    [((middle - half) / scale).clamp(0.0, share), ((middle + half) / scale).clamp(share, 1.0)]
}

/// Hits and tries of each person, repeat by repeat.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tally(Vec<Vec<[u32; 2]>>);

impl FromIterator<(usize, usize, bool)> for Tally {
    /// From tries: the repeat, the person, and whether it is a hit.
    fn from_iter<I: IntoIterator<Item = (usize, usize, bool)>>(tries: I) -> Self {
        let mut tally = Self::default();
        for (repeat, person, is_hit) in tries {
            tally.add(repeat, person, is_hit);
        }
        tally
    }
}

impl Tally {
    /// The counts of so many people in a repeat, and perhaps of more.
    fn of_repeat(&mut self, repeat: usize, people: usize) -> &mut [[u32; 2]] {
        if self.0.len() <= repeat {
            self.0.resize(repeat + 1, Vec::new());
        }
        let own = &mut self.0[repeat];
        if own.len() < people {
            own.resize(people, [0; 2]);
        }
        own
    }

    pub fn add(&mut self, repeat: usize, person: usize, is_hit: bool) {
        let [hits, tries] = &mut self.of_repeat(repeat, person + 1)[person];
        *hits += u32::from(is_hit);
        *tries += 1;
    }

    /// Tries of a repeat.
    pub fn tries_of(&self, repeat: usize) -> u64 {
        self.0[repeat].iter().map(|&[_, tries]| u64::from(tries)).sum()
    }

    pub fn append(&mut self, other: &Self) {
        for (repeat, people) in other.0.iter().enumerate() {
            for (sum, counts) in self.of_repeat(repeat, people.len()).iter_mut().zip(people) {
                *sum = [sum[0] + counts[0], sum[1] + counts[1]];
            }
        }
    }

    /// Hits of a repeat over its tries, people counting as often as is said; NaN without tries.
    fn share(people: &[[u32; 2]], weights: &[u16]) -> f64 {
        let mut sums = [0_u64; 2];
        for (counts, &weight) in people.iter().zip(weights) {
            for (sum, &count) in sums.iter_mut().zip(counts) {
                *sum += u64::from(count) * u64::from(weight);
            }
        }
        sums[0] as f64 / sums[1] as f64
    }

    /// The share of each repeat that has tries.
    pub fn shares(&self, weights: &[u16]) -> Vec<f64> {
        self.0.iter().map(|people| Self::share(people, weights)).filter(|share| share.is_finite()).collect()
    }

    /// The mean over repeats; NaN without tries.
    pub fn mean(&self, weights: &[u16]) -> f64 {
        mean(&self.shares(weights))
    }

    pub fn repeats(&self) -> usize {
        self.0.len()
    }

    /// Number of people who were tried.
    pub fn people(&self) -> usize {
        let longest = self.0.iter().map(Vec::len).max().unwrap_or(0);
        let is_tried = |person: &usize| {
            let mut repeats = self.0.iter();
            repeats.any(|people| people.get(*person).is_some_and(|counts| counts[1] > 0))
        };
        (0..longest).filter(is_tried).count()
    }

    /// Tries of one repeat, on average.
    fn tries(&self) -> f64 {
        self.0.iter().flatten().map(|counts| f64::from(counts[1])).sum::<f64>() / self.0.len().max(1) as f64
    }

    /// The share, its mean and standard deviation over repeats; Wilson's interval is for the tries of one repeat.
    pub fn rate(&self, bootstrap: &Bootstrap) -> Rate {
        self.rate_of_tries(bootstrap, self.tries())
    }

    /// The rate, with Wilson's interval for so many tries.
    pub fn rate_of_tries(&self, bootstrap: &Bootstrap, tries: f64) -> Rate {
        let shares = self.shares(&bootstrap.everybody());
        let drawn = bootstrap.interval(|people| self.mean(people));
        Rate { standard_deviation: deviation(&shares), ..Rate::new(mean(&shares), self.people(), tries, drawn) }
    }
}

/// NaN of none.
pub(super) fn mean(shares: &[f64]) -> f64 {
    shares.iter().sum::<f64>() / shares.len() as f64
}

/// The sample standard deviation; `None` of fewer than two.
pub(super) fn deviation(shares: &[f64]) -> Option<f64> {
    let mean = mean(shares);
    let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
    (shares.len() > 1).then(|| (squares / (shares.len() - 1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_tables() {
        // Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (hits, tries, low, high) in [
            (81.0, 263.0, 0.2553, 0.3662),
            (15.0, 148.0, 0.0624, 0.1605),
            (0.0, 20.0, 0.0, 0.1611),
            (1.0, 29.0, 0.0061, 0.1718),
        ] {
            let found = wilson(hits / tries, tries);
            assert!((found[0] - low).abs() < 5e-5 && (found[1] - high).abs() < 5e-5, "{found:?}");
        }
        assert_eq!(wilson(1.0, 10.0)[1], 1.0);
        assert_eq!(wilson(0.0, 0.0), [0.0, 1.0]);
    }

    #[test]
    fn draws_are_of_people_and_by_the_seed() {
        let of = |seed| Bootstrap::new(7, seed).counts;
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert!(of(1).chunks(7).all(|draw| draw.iter().sum::<u16>() == 7));
    }

    #[test]
    fn people_make_the_interval_however_many_photos_they_have() {
        let tally = |photos: u32| {
            let people = (0..40).map(|person| [photos * u32::from(person < 30), photos]);
            Tally(vec![people.collect()])
        };
        let bootstrap = Bootstrap::new(40, 0);
        let few = tally(1).rate(&bootstrap);
        let many = tally(100).rate(&bootstrap);
        assert_eq!((few.mean, few.interval), (many.mean, many.interval));
        assert_eq!(few.method, IntervalMethod::Bootstrap);
        // Of independent people it is Wilson's, nearly.
        for (drawn, table) in few.interval.iter().zip(few.wilson) {
            assert!((drawn - table).abs() < 0.03, "{few:?}");
        }
        assert!(many.wilson[0] > many.interval[0] + 0.08, "{many:?}");
    }

    #[test]
    fn where_nothing_went_wrong_people_are_the_tries() {
        let tally = Tally(vec![vec![[9, 9]; 20]]);
        let rate = tally.rate(&Bootstrap::new(20, 0));
        assert_eq!(rate.method, IntervalMethod::WilsonOverPeople);
        assert_eq!(rate.interval, wilson(1.0, 20.0));
        assert_eq!(rate.wilson, wilson(1.0, 180.0));
    }

    #[test]
    fn one_repeat_has_no_spread_and_two_have_one() {
        let mut tally = Tally::default();
        tally.add(0, 0, true);
        tally.add(0, 1, false);
        let bootstrap = Bootstrap::new(2, 0);
        assert_eq!(tally.rate(&bootstrap).standard_deviation, None);
        tally.add(1, 0, true);
        tally.add(1, 1, true);
        let rate = tally.rate(&bootstrap);
        assert_eq!(rate.mean, 0.75);
        let spread = rate.standard_deviation.unwrap();
        assert!((spread - 0.125_f64.sqrt()).abs() < 1e-12, "{spread}");
    }
}
