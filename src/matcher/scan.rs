//! The nearest people by one scan over all means: exact, for one probe and for many.
//!
//! Products in single precision give a lower bound of every squared distance; whoever may be nearer than the last of those
//! wanted is compared in double precision ([`squared_distance`]). So the answer is that of comparing with everybody,
//! whatever the order in which means are looked at.

use std::ops::Range;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::clusters::{Best, Clusters, Match, lengths};
use super::tree::Tree;
use crate::vectors::{inner_products, vectorised, vectorised_mut};

/// Probes whose products with a chunk of means are computed together: they fit the second-level cache.
const PROBES: usize = 64;

/// Means that are looked at together: with the bounds of some dozens of probes they fit the second-level cache.
const MEANS_AT_ONCE: usize = 1024;

/// Bounds that are looked at together before any of them is.
const GROUP: usize = 16;

impl Clusters {
    /// The `top` nearest people, nearest first, each once; equal distances by lower person. A query with
    /// a coordinate that is not finite matches nobody.
    pub fn rank(&self, query: &[f32], top: usize) -> Vec<Match> {
        let query = DMatrix::from_column_slice(query.len(), 1, query);
        self.rank_all(&query, top).pop().unwrap_or_default()
    }

    /// [`rank`](Self::rank) of many queries (k x m): together they cost much less.
    pub fn rank_all(&self, queries: &DMatrix<f32>, top: usize) -> Vec<Vec<Match>> {
        rank_all(self, queries, top)
    }
}

/// The `top` nearest people to each probe (k x m), nearest first; equal distances by lower person. A probe with a
/// coordinate that is not finite matches nobody.
fn rank_all(clusters: &Clusters, probes: &DMatrix<f32>, top: usize) -> Vec<Vec<Match>> {
    let top = top.min(clusters.people());
    if top == 0 || probes.nrows() != clusters.dimension() {
        return vec![Vec::new(); probes.ncols()];
    }
    if let Some(tree) = Tree::new(clusters, probes.ncols()) {
        return by_tree(clusters, &tree, probes, top);
    }
    let mut ranked = Vec::with_capacity(probes.ncols());
    for first in (0..probes.ncols()).step_by(PROBES) {
        let some = probes.columns(first, PROBES.min(probes.ncols() - first));
        ranked.extend(rank_some(clusters, &some.into_owned(), top));
    }
    ranked
}

fn by_tree(
    clusters: &Clusters,
    tree: &Tree<'_>,
    probes: &DMatrix<f32>,
    top: usize,
) -> Vec<Vec<Match>> {
    let rank = |at: usize| {
        let probe = probes.column(at);
        if !probe.iter().all(|value| value.is_finite()) {
            return Vec::new();
        }
        tree.rank(probe.as_slice(), top)
            .unwrap_or_else(|| clusters.rank(probe.as_slice(), top))
    };
    (0..probes.ncols()).into_par_iter().map(rank).collect()
}

/// [`rank_all`] of as many probes as are looked at together.
fn rank_some(clusters: &Clusters, probes: &DMatrix<f32>, top: usize) -> Vec<Vec<Match>> {
    let probes = &Probes {
        columns: probes,
        lengths: lengths(probes),
        finite: probes
            .column_iter()
            .map(|probe| probe.iter().all(|value| value.is_finite()))
            .collect(),
    };
    let nobody = || Found {
        best: (0..probes.len()).map(|_| Best::new(top)).collect(),
        bounds: Vec::new(),
    };
    let means = clusters.owners().len();
    let look = |mut found: Found, chunk: usize| {
        let first = chunk * MEANS_AT_ONCE;
        found.look(clusters, probes, first..means.min(first + MEANS_AT_ONCE));
        found
    };
    // Each part begins with nobody found, and compares in full until it has found somebody near.
    let parts = 4 * rayon::current_num_threads();
    let chunks = means.div_ceil(MEANS_AT_ONCE);
    let found = (0..chunks)
        .into_par_iter()
        .with_min_len(chunks.div_ceil(parts).max(1))
        .fold(nobody, look)
        .reduce_with(Found::merged);
    let best = found.map_or_else(|| nobody().best, |found| found.best);
    best.into_iter().map(Best::into_sorted).collect()
}

struct Probes<'a> {
    /// k x m.
    columns: &'a DMatrix<f32>,
    lengths: Vec<f32>,
    finite: Vec<bool>,
}

impl Probes<'_> {
    fn len(&self) -> usize {
        self.lengths.len()
    }
}

/// The nearest people found so far, of each probe.
struct Found {
    best: Vec<Best>,
    /// Memory that one chunk after another uses: lower bounds of the squared distances, probe by probe.
    bounds: Vec<f32>,
}

impl Found {
    fn merged(mut self, other: Self) -> Self {
        for (best, more) in self.best.iter_mut().zip(other.best) {
            more.into_sorted()
                .into_iter()
                .for_each(|found| best.offer(found));
        }
        self
    }

    /// Looks at some of the means.
    fn look(&mut self, clusters: &Clusters, probes: &Probes<'_>, means: Range<usize>) {
        bound(clusters, probes, means.clone(), &mut self.bounds);
        let k = clusters.dimension();
        for (at, best) in self.best.iter_mut().enumerate() {
            if probes.finite[at] {
                let bounds = &self.bounds[at * means.len()..][..means.len()];
                let query = &probes.columns.as_slice()[at * k..][..k];
                offer(best, clusters, query, bounds, means.start);
            }
        }
    }
}

/// Lower bounds of the squared distances between all probes and some means, probe by probe.
fn bound(clusters: &Clusters, probes: &Probes<'_>, means: Range<usize>, bounds: &mut Vec<f32>) {
    let (k, m, count) = (clusters.dimension(), probes.len(), means.len());
    bounds.resize(m * count, 0.0);
    let columns = &clusters.means().as_slice()[means.start * k..means.end * k];
    let columns_of_probes = probes.columns.as_slice().chunks(k);
    for (probe, bounds) in columns_of_probes.zip(bounds.chunks_mut(count)) {
        inner_products(columns, probe, bounds);
    }
    let lengths = &clusters.lengths[means];
    vectorised_mut(
        #[inline(always)]
        || {
            for (bounds, &of_probe) in bounds.chunks_mut(count).zip(&probes.lengths) {
                for (bound, of_mean) in bounds.iter_mut().zip(lengths) {
                    *bound = of_probe + of_mean - 2.0 * *bound;
                }
            }
        },
    );
}

/// Compares in full with whoever may be wanted, by the bounds of their means, of which the first is number `first`.
fn offer(best: &mut Best, clusters: &Clusters, query: &[f32], bounds: &[f32], first: usize) {
    let limit = |best: &Best| (best.worst() as f32).next_up();
    let mut within = limit(best);
    let near = vectorised(
        #[inline(always)]
        || {
            let groups = bounds.chunks(GROUP).enumerate();
            let near = groups.filter(|(_, group)| !excludes(group, within));
            near.map(|(group, _)| group * GROUP).collect::<Vec<_>>()
        },
    );
    for at in near
        .into_iter()
        .flat_map(|start| start..bounds.len().min(start + GROUP))
    {
        if !excludes(&bounds[at..=at], within) {
            best.offer(Match {
                person: clusters.owners()[first + at],
                squared_distance: clusters.squared_distance(first + at, query),
            });
            within = limit(best);
        }
    }
}

/// Whether all bounds are beyond the limit. One that is no number is not.
#[inline(always)]
fn excludes(bounds: &[f32], limit: f32) -> bool {
    bounds
        .iter()
        .fold(true, |all, &bound| all & (bound > limit))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers that look random.
    struct Draw(u64);

    impl Draw {
        fn below(&mut self, below: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % below
        }

        fn normal(&mut self) -> f32 {
            let unit = |draw: &mut Self| draw.below(1 << 24) as f32 / (1 << 24) as f32;
            (0..12).map(|_| unit(self)).sum::<f32>() - 6.0
        }
    }

    /// The distribution of points.
    #[derive(Debug, Clone, Copy)]
    enum Lie {
        Flat,
        Decaying,
        /// On a coarse grid: ties and duplicates abound.
        Grid,
        /// Some far from all others.
        Outliers,
    }

    struct Crowd {
        points: DMatrix<f32>,
        persons: Vec<usize>,
        people: usize,
        queries: DMatrix<f32>,
    }

    /// Nobody to three faces a person; queries are some of the faces, points of the same kind, the origin, and one far off.
    fn crowd(lie: Lie, (k, people): (usize, usize), scale: f32, seed: u64) -> Crowd {
        let mut draw = Draw(seed | 1);
        let mut point = |number: usize| -> Vec<f32> {
            let value = |row: usize| match lie {
                Lie::Flat => draw.normal(),
                Lie::Decaying => draw.normal() / (row + 1) as f32,
                Lie::Grid => draw.below(3) as f32 - 1.0,
                Lie::Outliers if number % 97 == 5 => draw.normal() * 1e4,
                Lie::Outliers => draw.normal(),
            };
            (0..k).map(value).map(|value| value * scale).collect()
        };
        let persons: Vec<usize> = (0..people)
            .flat_map(|person| std::iter::repeat_n(person, person % 4))
            .collect();
        let points: Vec<f32> = (0..persons.len()).flat_map(&mut point).collect();
        let mut queries: Vec<f32> = points[..20 * k].to_vec();
        (0..30).for_each(|number| queries.extend(point(number)));
        queries.extend(vec![0.0; k]);
        queries.extend(vec![1e5 * scale; k]);
        Crowd {
            points: DMatrix::from_vec(k, persons.len(), points),
            persons,
            people,
            queries: DMatrix::from_vec(k, queries.len() / k, queries),
        }
    }

    fn clusters(crowd: &Crowd) -> Clusters {
        Clusters::of_faces(&crowd.points, &crowd.persons, crowd.people).unwrap()
    }

    /// Everybody compared in full.
    fn oracle(clusters: &Clusters, query: &[f32], top: usize) -> Vec<Match> {
        let mut best = Best::new(top);
        for (at, &person) in clusters.owners().iter().enumerate() {
            best.offer(Match {
                person,
                squared_distance: clusters.squared_distance(at, query),
            });
        }
        best.into_sorted()
    }

    proptest! {
        #[test]
        fn everybody_compared_in_full_ranks_the_same(
            lie in proptest::sample::select(vec![Lie::Flat, Lie::Decaying, Lie::Grid, Lie::Outliers]),
            k in 1_usize..70,
            people in 40_usize..1500,
            top in 1_usize..6,
            exponent in -44_i32..38,
            seed in any::<u64>(),
        ) {
            let crowd = crowd(lie, (k, people), 10_f32.powi(exponent), seed);
            prop_assume!(crowd.points.iter().chain(&crowd.queries).all(|value| value.is_finite()));
            let clusters = clusters(&crowd);
            let together = clusters.rank_all(&crowd.queries, top);
            for (query, found) in crowd.queries.column_iter().zip(together) {
                let expected = oracle(&clusters, query.as_slice(), top);
                prop_assert_eq!(&clusters.rank(query.as_slice(), top), &expected);
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn all_people_or_strange_probes_are_ranked_too() {
        let crowd = crowd(Lie::Flat, (9, 900), 1.0, 5);
        let clusters = clusters(&crowd);
        let all = clusters.rank_all(&crowd.queries, 900);
        for (query, found) in crowd.queries.column_iter().zip(all) {
            assert_eq!(found, oracle(&clusters, query.as_slice(), 900));
        }
        let mut queries = crowd.queries.clone();
        queries[(0, 4)] = f32::NAN;
        let found = clusters.rank_all(&queries, 3);
        assert!(found[4].is_empty() && found[5].len() == 3);
        assert!(clusters.rank_all(&DMatrix::zeros(9, 0), 3).is_empty());
        let nobody = Clusters::of_faces(&DMatrix::zeros(9, 0), &[], 3);
        assert!(nobody.unwrap().rank(&[0.0; 9], 2).is_empty());
        let short = clusters.rank_all(&DMatrix::zeros(4, 40), 3);
        assert!(short.len() == 40 && short.iter().all(Vec::is_empty));
    }

    #[test]
    fn few_coordinates_and_many_probes_are_ranked_by_a_tree() {
        for lie in [Lie::Flat, Lie::Grid] {
            let crowd = crowd(lie, (3, 3000), 1.0, 11);
            let clusters = clusters(&crowd);
            let columns = crowd.points.columns(0, 300).into_owned();
            assert!(Tree::new(&clusters, columns.ncols()).is_some());
            let found = clusters.rank_all(&columns, 3);
            for (query, found) in columns.column_iter().zip(found) {
                assert_eq!(found, oracle(&clusters, query.as_slice(), 3));
            }
        }
    }
}
