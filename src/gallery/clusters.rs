//! People as clusters of points, and the nearest of them.

use std::collections::BinaryHeap;
use std::num::NonZeroUsize;

use nalgebra::{DMatrix, DVector};

use super::index::Index;
use super::k_means::k_means;
use crate::metric::Measure;

/// What of a person a probe is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClusterRule {
    /// The nearest face and the centroid of all faces together: the mean of both squared distances. The
    /// face catches a look that the person was seen with, the centroid what all looks share. Best over
    /// all data sets measured: docs/RECIPES.md.
    #[default]
    Auto,
    /// The nearest single face (each face is a cluster of its own).
    Faces,
    /// The nearest of this many centroids (k-means; fewer where a person has fewer faces).
    Centroids(NonZeroUsize),
}

impl std::str::FromStr for ClusterRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "faces" => Ok(Self::Faces),
            number => number.parse().map(Self::Centroids).map_err(|_| {
                "expected `auto`, `faces`, or a number of centroids such as 1".to_owned()
            }),
        }
    }
}

impl std::fmt::Display for ClusterRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Faces => write!(f, "faces"),
            Self::Centroids(count) => write!(f, "{count}"),
        }
    }
}

/// How far one person is from a probe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Which person: the number used when the clusters were made.
    pub person: usize,
    /// Squared distance by the cluster rule, in the units of the metric's coordinates.
    pub squared_distance: f64,
}

impl Match {
    /// The distance by the cluster rule.
    pub fn distance(&self) -> f64 {
        self.squared_distance.sqrt()
    }
}

impl Eq for Match {}

impl Ord for Match {
    /// Nearer first, then the lower person.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.squared_distance
            .total_cmp(&other.squared_distance)
            .then(self.person.cmp(&other.person))
    }
}

impl PartialOrd for Match {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Points of one kind (faces, or centroids): those of a person stand side by side.
#[derive(Debug, Clone)]
struct Points {
    index: Index,
    owners: Vec<usize>,
    /// The points of person p are `starts[p]..starts[p + 1]`.
    starts: Vec<usize>,
}

impl Points {
    /// `owners` must not decrease.
    fn new(points: DMatrix<f32>, owners: Vec<usize>, people: usize) -> Option<Self> {
        let starts = (0..=people)
            .map(|person| owners.partition_point(|&owner| owner < person))
            .collect();
        Some(Self {
            index: Index::new(points)?,
            owners,
            starts,
        })
    }

    /// The squared distance to the nearest point of a person; `None` where the person has none.
    fn nearest_of(&self, person: usize, query: &[f32]) -> Option<f64> {
        (self.starts[person]..self.starts[person + 1])
            .map(|point| self.index.squared_distance(query, point))
            .min_by(f64::total_cmp)
    }
}

/// All people of a gallery as clusters.
#[derive(Debug, Clone)]
pub struct Clusters {
    people: usize,
    /// One or two kinds of points; a person's squared distance is the mean over the kinds.
    kinds: Vec<Points>,
}

impl Clusters {
    /// Clusters of `people` people from the coordinates of faces (k x n) and the person of each (n).
    ///
    /// The faces of a person must stand side by side, people in increasing order, as a
    /// [`Gallery`](super::Gallery) has them. Where the measure is an angle, centroids are of length 1 too.
    /// `None` where a coordinate is not finite, people are out of order or not below `people`, or the
    /// lengths do not agree.
    pub fn new(
        coordinates: &DMatrix<f32>,
        persons: &[usize],
        people: usize,
        rule: ClusterRule,
        measure: Measure,
    ) -> Option<Self> {
        let fits = coordinates.ncols() == persons.len()
            && persons.is_sorted()
            && persons.last().is_none_or(|&last| last < people);
        if !fits {
            return None;
        }
        let faces = Points::new(coordinates.clone(), persons.to_vec(), people)?;
        let kinds = match rule {
            ClusterRule::Faces => vec![faces],
            ClusterRule::Centroids(count) => {
                vec![centroids(&faces, people, count.get(), measure)?]
            }
            ClusterRule::Auto => {
                let centroids = centroids(&faces, people, 1, measure)?;
                vec![faces, centroids]
            }
        };
        Some(Self { people, kinds })
    }

    /// How many people there are.
    pub fn people(&self) -> usize {
        self.people
    }

    /// The squared distance of one person to the query; `None` where the person has no faces.
    pub fn squared_distance(&self, person: usize, query: &[f32]) -> Option<f64> {
        let mut sum = 0.0;
        for kind in &self.kinds {
            sum += kind.nearest_of(person, query)?;
        }
        Some(sum / self.kinds.len() as f64)
    }

    /// The `top` nearest people, nearest first, each once; equal distances by lower person. A query with
    /// a coordinate that is not finite matches nobody.
    ///
    /// Exact: candidates come in increasing order of a lower bound of each kind's distance, and the
    /// search ends when the mean of these bounds passes the worst distance still wanted (Fagin's
    /// threshold algorithm).
    pub fn rank(&self, query: &[f32], top: usize) -> Vec<Match> {
        let top = top.min(self.people);
        if top == 0 || !query.iter().all(|value| value.is_finite()) {
            return Vec::new();
        }
        let mut best = Best::new(top);
        let streams: Option<Vec<_>> = self
            .kinds
            .iter()
            .map(|kind| kind.index.candidates(query))
            .collect();
        match streams {
            Some(streams) if top * 4 < self.people => self.rank_streams(query, streams, &mut best),
            _ => (0..self.people).for_each(|person| self.offer(person, query, &mut best)),
        }
        best.into_sorted()
    }

    fn rank_streams<'a>(
        &self,
        query: &[f32],
        mut streams: Vec<impl Iterator<Item = (f64, usize)> + 'a>,
        best: &mut Best,
    ) {
        let mut seen = vec![false; self.people];
        let mut bounds = vec![0.0_f64; streams.len()];
        loop {
            for ((stream, kind), bound) in streams.iter_mut().zip(&self.kinds).zip(&mut bounds) {
                // A stream that ends has shown every point of its kind, so every person was seen.
                let Some((reached, point)) = stream.next() else {
                    return;
                };
                *bound = reached;
                let person = kind.owners[point];
                if !std::mem::replace(&mut seen[person], true) {
                    self.offer(person, query, best);
                }
            }
            if bounds.iter().sum::<f64>() / bounds.len() as f64 > best.worst() {
                return;
            }
        }
    }

    fn offer(&self, person: usize, query: &[f32], best: &mut Best) {
        if let Some(squared_distance) = self.squared_distance(person, query) {
            best.offer(Match {
                person,
                squared_distance,
            });
        }
    }
}

/// The nearest so many people seen so far.
struct Best {
    top: usize,
    heap: BinaryHeap<Match>,
}

impl Best {
    fn new(top: usize) -> Self {
        Self {
            top,
            heap: BinaryHeap::with_capacity(top + 1),
        }
    }

    fn offer(&mut self, found: Match) {
        self.heap.push(found);
        if self.heap.len() > self.top {
            self.heap.pop();
        }
    }

    /// The distance that a further person must not pass; infinite while there is room.
    fn worst(&self) -> f64 {
        match self.heap.peek() {
            Some(worst) if self.heap.len() == self.top => worst.squared_distance,
            _ => f64::INFINITY,
        }
    }

    fn into_sorted(self) -> Vec<Match> {
        self.heap.into_sorted_vec()
    }
}

/// Up to `count` centroids a person.
fn centroids(faces: &Points, people: usize, count: usize, measure: Measure) -> Option<Points> {
    let all = faces.index.points();
    let mut found: Vec<DVector<f32>> = Vec::with_capacity(people);
    let mut owners = Vec::with_capacity(people);
    for person in 0..people {
        let columns = faces.starts[person]..faces.starts[person + 1];
        let own = all.columns(columns.start, columns.len()).into_owned();
        for centroid in k_means(&own, count) {
            found.push(measure.settle(centroid));
            owners.push(person);
        }
    }
    let points = if found.is_empty() {
        DMatrix::zeros(all.nrows(), 0)
    } else {
        DMatrix::from_columns(&found)
    };
    Points::new(points, owners, people)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::index::squared_distance;
    use super::super::k_means::mean;
    use super::*;

    fn ranked_by_hand(
        points: &DMatrix<f32>,
        persons: &[usize],
        people: usize,
        query: &[f32],
    ) -> Vec<Match> {
        let mut all: Vec<Match> = (0..people)
            .filter_map(|person| {
                let own: Vec<usize> = (0..persons.len())
                    .filter(|&face| persons[face] == person)
                    .collect();
                let nearest = own
                    .iter()
                    .map(|&face| squared_distance(query, points.column(face).as_slice()))
                    .min_by(f64::total_cmp)?;
                let centroid = squared_distance(query, mean(points, &own).as_slice());
                Some(Match {
                    person,
                    squared_distance: (nearest + centroid) / 2.0,
                })
            })
            .collect();
        all.sort();
        all
    }

    proptest! {
        #[test]
        fn ranking_agrees_with_the_definition(
            k in 1_usize..16,
            people in 1_usize..400,
            seed in any::<u64>(),
            top in 1_usize..6,
        ) {
            let mut state = seed | 1;
            let mut draw = |below: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % below
            };
            let mut persons: Vec<usize> =
                (0..people * 2).map(|_| draw(people as u64) as usize).collect();
            persons.sort_unstable();
            let points =
                DMatrix::from_fn(k, persons.len(), |row, _| draw(7) as f32 / (row + 1) as f32);
            let query: Vec<f32> = (0..k).map(|row| draw(7) as f32 / (row + 1) as f32).collect();
            let clusters = Clusters::new(&points, &persons, people, ClusterRule::Auto, STRAIGHT).unwrap();
            let mut expected = ranked_by_hand(&points, &persons, people, &query);
            expected.truncate(top);
            prop_assert_eq!(clusters.rank(&query, top), expected);
        }
    }

    const STRAIGHT: Measure = Measure::Euclidean;

    fn two_looks() -> DMatrix<f32> {
        DMatrix::from_row_slice(1, 6, &[0.0, 0.1, 10.0, 10.1, 5.0, 5.2])
    }

    #[test]
    fn two_centroids_follow_two_looks() {
        let persons = [0, 0, 0, 0, 1, 1];
        let one = Clusters::new(&two_looks(), &persons, 2, "1".parse().unwrap(), STRAIGHT).unwrap();
        let two = Clusters::new(&two_looks(), &persons, 2, "2".parse().unwrap(), STRAIGHT).unwrap();
        assert_eq!(
            one.rank(&[5.06], 1)[0].person,
            0,
            "the mean of both looks lies there"
        );
        assert_eq!(two.rank(&[5.06], 1)[0].person, 1);
        assert_eq!(two.rank(&[9.9], 1)[0].person, 0);
    }

    #[test]
    fn a_person_without_faces_is_never_named() {
        let clusters = Clusters::new(
            &two_looks(),
            &[0, 0, 0, 0, 2, 2],
            3,
            ClusterRule::Faces,
            STRAIGHT,
        );
        let ranked = clusters.unwrap().rank(&[5.0], 3);
        assert_eq!(ranked.iter().map(|m| m.person).collect::<Vec<_>>(), [2, 0]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused = |persons: &[usize], people| {
            Clusters::new(&two_looks(), persons, people, ClusterRule::Faces, STRAIGHT).is_none()
        };
        assert!(refused(&[0; 5], 1), "lengths");
        assert!(refused(&[3; 6], 3), "person too high");
        assert!(refused(&[1, 0, 0, 0, 0, 0], 2), "out of order");
    }
}
