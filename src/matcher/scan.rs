//! The nearest people by looking at every mean: exact, for one probe and for many.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::clusters::{Best, Clusters, Neighbor};
use super::tree::Tree;

/// Probes that are compared with a chunk of means one after the other.
const PROBES: usize = 16;

/// Means of a chunk: they stay in the second-level cache.
const MEANS: usize = 512;

impl Clusters {
    /// The `top` nearest people, nearest first, each once; equal distances by lower person. A query with
    /// a coordinate that is not finite matches nobody.
    pub fn rank(&self, query: &[f32], top: usize) -> Vec<Neighbor> {
        let query = DMatrix::from_column_slice(query.len(), 1, query);
        self.rank_all(&query, top).pop().unwrap_or_default()
    }

    /// [`rank`](Self::rank) of many queries (k x m): together they cost less.
    pub fn rank_all(&self, queries: &DMatrix<f32>, top: usize) -> Vec<Vec<Neighbor>> {
        let top = top.min(self.people());
        if top == 0 || queries.nrows() != self.dimension() || queries.is_empty() {
            return vec![Vec::new(); queries.ncols()];
        }
        let probes = queries.as_slice().par_chunks(queries.nrows());
        if let Some(tree) = Tree::new(self, queries.ncols()) {
            let rank = |probe: &[f32]| {
                if is_finite(probe) { tree.rank(probe, top) } else { Some(Vec::new()) }
            };
            let ranked = probes.clone().map(rank);
            if let Some(ranked) = ranked.collect::<Option<Vec<_>>>() {
                return ranked;
            }
        }
        let probes: Vec<&[f32]> = probes.collect();
        probes.par_chunks(PROBES).flat_map(|some| self.scan(some, top)).collect()
    }

    /// Compares some probes with everybody, chunks of means side by side.
    fn scan(&self, probes: &[&[f32]], top: usize) -> Vec<Vec<Neighbor>> {
        let nobody = || probes.iter().map(|_| Best::new(top)).collect::<Vec<_>>();
        let compare = |mut best: Vec<Best>, (chunk, owners): (usize, &[usize])| {
            for (probe, best) in probes.iter().zip(&mut best).filter(|(probe, _)| is_finite(probe)) {
                for (at, &person) in (chunk * MEANS..).zip(owners) {
                    best.offer(Neighbor { person, squared_distance: self.squared_distance(at, probe) });
                }
            }
            best
        };
        let chunks = self.owners().par_chunks(MEANS).enumerate();
        let found = chunks
            .fold(nobody, compare)
            .reduce(nobody, |one, other| one.into_iter().zip(other).map(Best::merged).collect());
        found.into_iter().map(Best::into_sorted).collect()
    }
}

fn is_finite(probe: &[f32]) -> bool {
    probe.iter().all(|value| value.is_finite())
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
        let persons: Vec<usize> = (0..people).flat_map(|person| std::iter::repeat_n(person, person % 4)).collect();
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
    fn oracle(clusters: &Clusters, query: &[f32], top: usize) -> Vec<Neighbor> {
        let mut best = Best::new(top);
        for (at, &person) in clusters.owners().iter().enumerate() {
            best.offer(Neighbor { person, squared_distance: clusters.squared_distance(at, query) });
        }
        best.into_sorted()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

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
