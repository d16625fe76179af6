//! The nearest people by one scan over all points: exact, for one probe and for many.
//!
//! Products in single precision give a lower bound of every squared distance; whoever may be nearer than the last of those
//! wanted is compared in double precision ([`squared_distance`]). So the answer is that of comparing with everybody,
//! whatever the order in which points are looked at.

use std::ops::Range;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::clusters::{Best, Clusters, Match, Points, lengths};
use super::tree::Tree;
use crate::vectors::{inner_products, vectorised, vectorised_mut};
use symmetric_eigen as eigen;

/// Probes whose products with a chunk of points are computed together: they fit the second-level cache.
const PROBES: usize = 64;

/// Below this many probes a product of matrices costs more than inner products one by one.
const FEW: usize = 6;

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
        scratch: Scratch::default(),
    };
    let look = |mut found: Found, people: &Range<usize>| {
        found.look(clusters, probes, people.clone());
        found
    };
    // Each part begins with nobody found, and compares in full until it has found somebody near.
    let parts = 4 * rayon::current_num_threads();
    let chunks = clusters.chunks();
    let found = chunks
        .par_iter()
        .with_min_len(chunks.len().div_ceil(parts).max(1))
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
    scratch: Scratch,
}

/// Memory that one chunk after another uses.
#[derive(Default)]
struct Scratch {
    /// Lower bounds of half the squared distances to the points of the first and of the second kind, probe by probe.
    bounds: [Vec<f32>; 2],
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

    /// Looks at some people.
    fn look(&mut self, clusters: &Clusters, probes: &Probes<'_>, people: Range<usize>) {
        let Some((first, second)) = clusters.kinds.split_first() else {
            return;
        };
        let second = second.first();
        let points = first.of_people(&people);
        for (kind, bounds) in [Some(first), second]
            .into_iter()
            .zip(&mut self.scratch.bounds)
        {
            if let Some(kind) = kind {
                bound(kind, probes, kind.of_people(&people), bounds);
            }
        }
        let owners = &first.owners[points.clone()];
        let [bounds, of_second] = &mut self.scratch.bounds;
        for (at, best) in self.best.iter_mut().enumerate() {
            if !probes.finite[at] {
                continue;
            }
            let bounds = &mut bounds[at * points.len()..][..points.len()];
            if let Some(second) = second {
                let own = second.of_people(&people);
                add_own(
                    bounds,
                    owners,
                    second,
                    own.start,
                    &of_second[at * own.len()..][..own.len()],
                );
            }
            let query =
                &probes.columns.as_slice()[at * clusters.dimension()..][..clusters.dimension()];
            offer(best, clusters, query, bounds, owners);
        }
    }
}

/// Lower bounds of the squared distances between all probes and some points, probe by probe.
fn bound(kind: &Points, probes: &Probes<'_>, points: Range<usize>, bounds: &mut Vec<f32>) {
    let (k, m, count) = (kind.points.nrows(), probes.len(), points.len());
    bounds.resize(m * count, 0.0);
    if count == 0 {
        return;
    }
    let columns = &kind.points.as_slice()[points.start * k..points.end * k];
    if m < FEW {
        let probes = probes.columns.as_slice().chunks(k);
        for (probe, bounds) in probes.zip(bounds.chunks_mut(count)) {
            inner_products(columns, probe, bounds);
        }
    } else {
        bounds.fill(0.0);
        let products = eigen::columns_mut(bounds, count);
        let (points, probes) = (eigen::columns(columns, k), eigen::view(probes.columns));
        eigen::add_product(products, points.transpose(), probes, 1.0);
    }
    let lengths = &kind.lengths[points];
    vectorised_mut(
        #[inline(always)]
        || {
            for (bounds, &of_probe) in bounds.chunks_mut(count).zip(&probes.lengths) {
                for (bound, of_point) in bounds.iter_mut().zip(lengths) {
                    *bound = of_probe + of_point - 2.0 * *bound;
                }
            }
        },
    );
}

/// Adds to each point's bound the least of its person's points of the second kind, whose bounds begin with point `start`.
fn add_own(bounds: &mut [f32], owners: &[usize], second: &Points, start: usize, of_second: &[f32]) {
    let mut last = None;
    let mut least = 0.0;
    for (bound, &owner) in bounds.iter_mut().zip(owners) {
        if last != Some(owner) {
            let own = &of_second[second.starts[owner] - start..second.starts[owner + 1] - start];
            // What is no number excludes nobody.
            least = own.iter().fold(
                f32::INFINITY,
                |least, &bound| if bound >= least { least } else { bound },
            );
            last = Some(owner);
        }
        *bound += least;
    }
}

/// Compares in full with whoever may be wanted, by the bounds of their points.
fn offer(best: &mut Best, clusters: &Clusters, query: &[f32], bounds: &[f32], owners: &[usize]) {
    let kinds = clusters.kinds.len() as f64;
    // Sums of bounds are rounded once more.
    let limit = |best: &Best| ((best.worst() * kinds * (1.0 + 1e-6)) as f32).next_up();
    let mut within = limit(best);
    let near = vectorised(
        #[inline(always)]
        || {
            let groups = bounds.chunks(GROUP).enumerate();
            let near = groups.filter(|(_, group)| !excludes(group, within));
            near.map(|(group, _)| group * GROUP).collect::<Vec<_>>()
        },
    );
    let mut last = None;
    for at in near
        .into_iter()
        .flat_map(|first| first..owners.len().min(first + GROUP))
    {
        if excludes(&bounds[at..=at], within) || last == Some(owners[at]) {
            continue;
        }
        let person = owners[at];
        last = Some(person);
        if let Some(squared_distance) = clusters.squared_distance(person, query) {
            best.offer(Match {
                person,
                squared_distance,
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
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::clusters::ClusterRule;
    use super::*;
    use crate::metric::Measure;

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
        points: Arc<DMatrix<f32>>,
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
            points: Arc::new(DMatrix::from_vec(k, persons.len(), points)),
            persons,
            people,
            queries: DMatrix::from_vec(k, queries.len() / k, queries),
        }
    }

    fn clusters(crowd: &Crowd, rule: ClusterRule, measure: Measure) -> Clusters {
        let points = Arc::clone(&crowd.points);
        Clusters::new(points, &crowd.persons, crowd.people, rule, measure).unwrap()
    }

    /// Everybody compared in full.
    fn oracle(clusters: &Clusters, query: &[f32], top: usize) -> Vec<Match> {
        let mut best = Best::new(top);
        for person in 0..clusters.people() {
            if let Some(squared_distance) = clusters.squared_distance(person, query) {
                best.offer(Match {
                    person,
                    squared_distance,
                });
            }
        }
        best.into_sorted()
    }

    proptest! {
        #[test]
        fn everybody_compared_in_full_ranks_the_same(
            lie in proptest::sample::select(vec![Lie::Flat, Lie::Decaying, Lie::Grid, Lie::Outliers]),
            rule in proptest::sample::select(vec![ClusterRule::Auto, ClusterRule::Faces, ClusterRule::Centroid]),
            measure in proptest::sample::select(vec![Measure::Euclidean, Measure::Cosine]),
            k in 1_usize..70,
            people in 40_usize..1500,
            top in 1_usize..6,
            exponent in -44_i32..38,
            seed in any::<u64>(),
        ) {
            let crowd = crowd(lie, (k, people), 10_f32.powi(exponent), seed);
            prop_assume!(crowd.points.iter().chain(&crowd.queries).all(|value| value.is_finite()));
            let clusters = clusters(&crowd, rule, measure);
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
        let clusters = clusters(&crowd, ClusterRule::Auto, Measure::Euclidean);
        let all = clusters.rank_all(&crowd.queries, 900);
        for (query, found) in crowd.queries.column_iter().zip(all) {
            assert_eq!(found, oracle(&clusters, query.as_slice(), 900));
        }
        let mut queries = crowd.queries.clone();
        queries[(0, 4)] = f32::NAN;
        let found = clusters.rank_all(&queries, 3);
        assert!(found[4].is_empty() && found[5].len() == 3);
        assert!(clusters.rank_all(&DMatrix::zeros(9, 0), 3).is_empty());
        let nobody = Clusters::new(
            DMatrix::zeros(9, 0),
            &[],
            3,
            ClusterRule::Auto,
            Measure::Euclidean,
        );
        assert!(nobody.unwrap().rank(&[0.0; 9], 2).is_empty());
        let short = clusters.rank_all(&DMatrix::zeros(4, 40), 3);
        assert!(short.len() == 40 && short.iter().all(Vec::is_empty));
    }

    #[test]
    fn few_coordinates_and_many_probes_are_ranked_by_a_tree() {
        for lie in [Lie::Flat, Lie::Grid] {
            let crowd = crowd(lie, (3, 2000), 1.0, 11);
            let clusters = clusters(&crowd, ClusterRule::Auto, Measure::Euclidean);
            let columns = crowd.points.columns(0, 300).into_owned();
            assert!(Tree::new(&clusters, columns.ncols()).is_some());
            let found = clusters.rank_all(&columns, 3);
            for (query, found) in columns.column_iter().zip(found) {
                assert_eq!(found, oracle(&clusters, query.as_slice(), 3));
            }
        }
    }
}
