use std::sync::Arc;

use proptest::prelude::*;

use super::super::clusters::{Best, ClusterRule};
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

/// A second point beside each face.
#[derive(Debug, Clone, Copy)]
enum Beside {
    Nothing,
    Mirrored,
}

struct Crowd {
    points: Arc<DMatrix<f32>>,
    persons: Vec<usize>,
    people: usize,
    queries: DMatrix<f32>,
}

fn crowd(lie: Lie, beside: Beside, (k, people): (usize, usize), scale: f32, seed: u64) -> Crowd {
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
    let (mut points, mut persons) = (Vec::new(), Vec::new());
    for person in 0..people {
        // One of them has no face.
        let faces = if person == 7 { 0 } else { 1 + person % 3 };
        for face in 0..faces {
            let straight = point(person + face);
            let turned = |(row, value): (usize, &f32)| if row % 3 == 1 { -value } else { *value };
            let mirrored: Vec<f32> = straight.iter().enumerate().map(turned).collect();
            points.extend(straight);
            persons.push(person);
            if let Beside::Mirrored = beside {
                points.extend(mirrored);
                persons.push(person);
            }
        }
    }
    let mut queries: Vec<f32> = points[..20 * k].to_vec();
    (0..30).for_each(|number| queries.extend(point(number)));
    queries.extend(vec![0.0; k]);
    queries.extend(vec![1e5 * scale; k]);
    Crowd {
        points: Arc::new(DMatrix::from_vec(k, points.len() / k, points)),
        persons,
        people,
        queries: DMatrix::from_vec(k, queries.len() / k, queries),
    }
}

/// The batch search against looking at everybody.
fn agree(crowd: &Crowd, rule: ClusterRule, measure: Measure, top: usize) {
    let new = || {
        let points = Arc::clone(&crowd.points);
        Clusters::new(points, &crowd.persons, crowd.people, rule, measure).unwrap()
    };
    let (clusters, oracle) = (new(), new());
    let batch_search = BatchSearch::new(&clusters.kinds).expect("can be swept over");
    let found = batch_search.rank(&clusters, &crowd.queries, top, Search::Exact);
    for (query, found) in crowd.queries.column_iter().zip(found) {
        let mut best = Best::new(top);
        for person in 0..crowd.people {
            if let Some(squared_distance) = oracle.squared_distance(person, query.as_slice()) {
                best.offer(Match {
                    person,
                    squared_distance,
                });
            }
        }
        assert_eq!(found, best.into_sorted());
    }
}

proptest! {
    #[test]
    fn many_at_once_are_ranked_as_each_alone(
        lie in proptest::sample::select(vec![Lie::Flat, Lie::Decaying, Lie::Grid, Lie::Outliers]),
        beside in proptest::sample::select(vec![Beside::Nothing, Beside::Mirrored]),
        rule in proptest::sample::select(vec!["auto", "faces", "1"]),
        measure in proptest::sample::select(vec![Measure::Euclidean, Measure::Cosine]),
        k in 1_usize..70,
        people in 40_usize..500,
        top in 1_usize..6,
        exponent in -40_i32..30,
        seed in any::<u64>(),
    ) {
        let crowd = crowd(lie, beside, (k, people), 10_f32.powi(exponent), seed);
        if step(&crowd.points).is_some() {
            agree(&crowd, rule.parse().unwrap(), measure, top);
        }
    }
}

#[test]
fn mirror_images_are_noticed() {
    let owners = |crowd: &Crowd| crowd.persons.clone();
    let mirrored = crowd(Lie::Flat, Beside::Mirrored, (7, 50), 1.0, 3);
    let found = Parities::of_pairs(&mirrored.points, &owners(&mirrored)).unwrap();
    assert_eq!((found.even, found.odd), (vec![0, 2, 3, 5, 6], vec![1, 4]));
    let plain = crowd(Lie::Flat, Beside::Nothing, (7, 50), 1.0, 3);
    assert_eq!(Parities::of_pairs(&plain.points, &owners(&plain)), None);
    let mut spoilt = (*mirrored.points).clone();
    *spoilt.iter_mut().last().unwrap() += 0.5;
    assert_eq!(Parities::of_pairs(&spoilt, &owners(&mirrored)), None);
}

#[test]
fn few_or_strange_probes_are_ranked_too() {
    let crowd = crowd(Lie::Flat, Beside::Mirrored, (9, 900), 1.0, 5);
    let points = Arc::clone(&crowd.points);
    let rule = ClusterRule::Auto;
    let clusters = Clusters::new(
        points,
        &crowd.persons,
        crowd.people,
        rule,
        Measure::Euclidean,
    )
    .unwrap();
    let mut queries = crowd.queries.clone();
    let alone = |queries: &DMatrix<f32>| -> Vec<_> {
        let columns = queries.column_iter();
        columns
            .map(|query| clusters.rank(query.as_slice(), 3))
            .collect()
    };
    assert_eq!(
        BatchRanking::default().rank_all(&clusters, &queries, 3, Search::Exact),
        alone(&queries)
    );
    assert_eq!(
        BatchRanking::default().rank_all(&clusters, &queries, 900, Search::Exact),
        {
            let columns = queries.column_iter();
            columns
                .map(|query| clusters.rank(query.as_slice(), 900))
                .collect::<Vec<_>>()
        }
    );
    let two = queries.columns(0, 2).into_owned();
    assert_eq!(
        BatchRanking::default().rank_all(&clusters, &two, 3, Search::Exact),
        alone(&two)
    );
    queries[(0, 4)] = f32::NAN;
    assert_eq!(
        BatchRanking::default().rank_all(&clusters, &queries, 3, Search::Exact),
        alone(&queries)
    );
    assert!(
        BatchRanking::default()
            .rank_all(&clusters, &DMatrix::zeros(9, 0), 3, Search::Exact)
            .is_empty()
    );
    let short = DMatrix::zeros(4, 40);
    assert!(
        BatchRanking::default()
            .rank_all(&clusters, &short, 3, Search::Exact)
            .iter()
            .all(Vec::is_empty)
    );
}

#[test]
fn an_approximate_search_says_what_it_misses() {
    let crowd = crowd(Lie::Flat, Beside::Mirrored, (24, 3000), 1.0, 5);
    let of_rule = |rule: &str| {
        let (points, rule) = (Arc::clone(&crowd.points), rule.parse().unwrap());
        Clusters::new(
            points,
            &crowd.persons,
            crowd.people,
            rule,
            Measure::Euclidean,
        )
        .unwrap()
    };
    let clusters = of_rule("auto");
    let recall = BatchRanking::default().recall(&clusters, 500).unwrap();
    assert_eq!((recall.faces, recall.wanted), (500, 1000));
    assert!(recall.share() > 0.5 && recall.share() <= 1.0, "{recall:?}");
    assert_eq!(
        BatchRanking::default().recall(&clusters, 500),
        Some(recall),
        "the same every time"
    );
    let rough = BatchRanking::default().rank_all(&clusters, &crowd.queries, 2, Search::Approximate);
    let exact = BatchRanking::default().rank_all(&clusters, &crowd.queries, 2, Search::Exact);
    // What it tells is true, if not always of the nearest.
    let all = || rough.iter().flatten().zip(exact.iter().flatten());
    assert!(all().all(|(rough, exact)| rough >= exact));
    assert!(all().filter(|(rough, exact)| rough == exact).count() > 10);
    assert_eq!(
        BatchRanking::default().recall(&of_rule("faces"), 500),
        None,
        "no centroids to go by"
    );
    assert_eq!(
        BatchRanking::default().recall(&of_rule("1"), 500),
        None,
        "nothing but centroids"
    );
}
