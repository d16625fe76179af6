//! People as clusters of points, and the nearest of them.

use std::collections::{BinaryHeap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::index::Index;
use super::k_means::{k_means, mean};
use crate::metric::Measure;

/// The points of a person with which a probe is compared.
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

/// The distance of one person from a probe.
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
pub(super) struct Points {
    pub index: Index,
    /// The person of each.
    pub owners: Vec<usize>,
    /// The points of person p are `starts[p]..starts[p + 1]`.
    pub starts: Vec<usize>,
}

impl Points {
    /// `owners` must not decrease.
    fn new(points: Arc<DMatrix<f32>>, owners: Vec<usize>, people: usize) -> Option<Self> {
        let mut starts = vec![0; people + 1];
        for &owner in &owners {
            starts[owner + 1] += 1;
        }
        for person in 0..people {
            starts[person + 1] += starts[person];
        }
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
    pub(super) kinds: Vec<Points>,
}

impl Clusters {
    /// Clusters of `people` people from the coordinates of faces (k x n) and the person of each (n).
    ///
    /// The faces of a person must stand side by side, people in increasing order, as a
    /// [`Gallery`](super::Gallery) has them. Where the measure is an angle, centroids are of length 1 too.
    /// `None` where a coordinate is not finite, people are out of order or not below `people`, or the
    /// lengths do not agree.
    pub fn new(
        coordinates: impl Into<Arc<DMatrix<f32>>>,
        persons: &[usize],
        people: usize,
        rule: ClusterRule,
        measure: Measure,
    ) -> Option<Self> {
        let coordinates: Arc<DMatrix<f32>> = coordinates.into();
        let fits = coordinates.ncols() == persons.len()
            && persons.is_sorted()
            && persons.last().is_none_or(|&last| last < people);
        if !fits {
            return None;
        }
        let faces = Points::new(coordinates, persons.to_vec(), people)?;
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

    /// Number of people.
    pub fn people(&self) -> usize {
        self.people
    }

    /// Points by which people are compared: one or two kinds (k x m), with the person of each point (m), those of a
    /// person side by side. A person's squared distance is the mean over the kinds of that to the nearest point.
    pub fn kinds(&self) -> impl ExactSizeIterator<Item = (&DMatrix<f32>, &[usize])> {
        let points = self.kinds.iter();
        points.map(|kind| (kind.index.points(), kind.owners.as_slice()))
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
    pub fn rank(&self, query: &[f32], top: usize) -> Vec<Match> {
        let top = top.min(self.people);
        if top == 0 || !self.kinds.iter().all(|kind| kind.index.takes(query)) {
            return Vec::new();
        }
        let mut nearest = Nearest::new(self, query, top);
        // Every index is asked, for each decides by itself when it is worth a better search.
        let swift = self.kinds.iter().filter(|kind| kind.index.is_swift());
        if swift.count() == self.kinds.len() && top * 4 < self.people {
            nearest.search();
            nearest.best.into_sorted()
        } else {
            self.rank_by_looking(query, top)
        }
    }

    /// The ranking by looking at everybody: the oracle.
    fn rank_by_looking(&self, query: &[f32], top: usize) -> Vec<Match> {
        let of_some = |first: usize| {
            let mut best = Best::new(top);
            let people = first..self.people.min(first + PEOPLE_AT_ONCE);
            for person in people {
                if let Some(squared_distance) = self.squared_distance(person, query) {
                    best.offer(Match {
                        person,
                        squared_distance,
                    });
                }
            }
            best
        };
        if self.people <= PEOPLE_AT_ONCE {
            return of_some(0).into_sorted();
        }
        let parts = (0..self.people).into_par_iter().step_by(PEOPLE_AT_ONCE);
        let parts: Vec<Best> = parts.map(of_some).collect();
        let mut best = Best::new(top);
        let found = parts.into_iter().flat_map(|part| part.heap);
        found.for_each(|found| best.offer(found));
        best.into_sorted()
    }
}

/// People that one thread looks at before others may help.
const PEOPLE_AT_ONCE: usize = 2048;

/// Number of nearest points of each further kind that are looked at, for every person wanted.
const POINTS_A_PERSON: usize = 4;

/// A search for the nearest people.
pub(super) struct Nearest<'a> {
    clusters: &'a Clusters,
    query: &'a [f32],
    seen: HashSet<usize>,
    pub best: Best,
}

impl<'a> Nearest<'a> {
    /// For the `top` nearest to a query; nobody has been seen.
    pub fn new(clusters: &'a Clusters, query: &'a [f32], top: usize) -> Self {
        Self {
            clusters,
            query,
            seen: HashSet::new(),
            best: Best::new(top),
        }
    }

    /// Exact, as Fagin's threshold algorithm is: of the further kinds the nearest few points are looked at, so
    /// that whoever was not seen yet is at least as far in these kinds as the last of them. Then whoever is near
    /// enough in the first kind to be wanted all the same is looked for there.
    fn search(&mut self) {
        let Some((first, further)) = self.clusters.kinds.split_first() else {
            return;
        };
        let mut beyond = 0.0;
        for kind in further {
            beyond += self.see_nearest(kind);
        }
        let kinds = self.clusters.kinds.len() as f64;
        if beyond == f64::INFINITY {
            return;
        }
        // A trifle more than wanted: sums are rounded.
        let within = |best: &Best| best.worst() * kinds * (1.0 + 1e-12) - beyond;
        if within(&self.best) < 0.0 {
            return;
        }
        let (index, query) = (&first.index, self.query);
        index.visit(query, within(&self.best), &mut |point| {
            self.see(first.owners[point]);
            within(&self.best)
        });
    }

    /// Sees whom the nearest few points of a kind belong to; whose points were all not seen, are no nearer in this
    /// kind than the squared distance returned.
    fn see_nearest(&mut self, kind: &Points) -> f64 {
        let found = kind
            .index
            .nearest(self.query, self.best.top * POINTS_A_PERSON);
        for neighbour in &found {
            self.see(kind.owners[neighbour.point]);
        }
        match found.last() {
            Some(last) if found.len() < kind.owners.len() => last.squared_distance,
            // All were.
            _ => f64::INFINITY,
        }
    }

    /// Compares with a person, unless that was done.
    pub fn see(&mut self, person: usize) {
        if !self.seen.insert(person) {
            return;
        }
        if let Some(squared_distance) = self.clusters.squared_distance(person, self.query) {
            self.best.offer(Match {
                person,
                squared_distance,
            });
        }
    }
}

/// The nearest so many people seen so far.
pub(super) struct Best {
    pub top: usize,
    heap: BinaryHeap<Match>,
}

impl Best {
    pub fn new(top: usize) -> Self {
        Self {
            top,
            heap: BinaryHeap::with_capacity(top + 1),
        }
    }

    pub fn offer(&mut self, found: Match) {
        self.heap.push(found);
        if self.heap.len() > self.top {
            self.heap.pop();
        }
    }

    /// The distance that a further person must not pass; infinite while there is room.
    pub fn worst(&self) -> f64 {
        match self.heap.peek() {
            Some(worst) if self.heap.len() == self.top => worst.squared_distance,
            _ => f64::INFINITY,
        }
    }

    pub fn into_sorted(self) -> Vec<Match> {
        self.heap.into_sorted_vec()
    }
}

/// Up to `count` centroids a person.
fn centroids(faces: &Points, people: usize, count: usize, measure: Measure) -> Option<Points> {
    let all = faces.index.points();
    if count == 1 {
        return means(faces, people, measure);
    }
    let of_person = |person: usize| -> Vec<DVector<f32>> {
        let columns = faces.starts[person]..faces.starts[person + 1];
        let own = all.columns(columns.start, columns.len()).into_owned();
        let centroids = k_means(&own, count).into_iter();
        centroids.map(|point| measure.settle(point)).collect()
    };
    let found: Vec<Vec<DVector<f32>>> = (0..people).into_par_iter().map(of_person).collect();
    let counts = found.iter().map(Vec::len).enumerate();
    let owners = counts
        .flat_map(|(person, count)| std::iter::repeat_n(person, count))
        .collect();
    let mut points = DMatrix::zeros(all.nrows(), found.iter().map(Vec::len).sum());
    for (mut column, point) in points.column_iter_mut().zip(found.iter().flatten()) {
        column.copy_from(point);
    }
    Points::new(points.into(), owners, people)
}

/// The mean of each person's faces: what k-means finds of one group, without its detours.
fn means(faces: &Points, people: usize, measure: Measure) -> Option<Points> {
    let all = faces.index.points();
    let own = |person: usize| faces.starts[person]..faces.starts[person + 1];
    let owners: Vec<usize> = (0..people)
        .filter(|&person| !own(person).is_empty())
        .collect();
    let k = all.nrows();
    let mut points = DMatrix::zeros(k, owners.len());
    let columns = points.as_mut_slice().par_chunks_mut(k.max(1));
    columns.zip(&owners).for_each(|(point, &person)| {
        let chosen: Vec<usize> = own(person).collect();
        point.copy_from_slice(measure.settle(mean(all, &chosen)).as_slice());
    });
    Points::new(points.into(), owners, people)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::index::squared_distance;
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
            let clusters = Clusters::new(points.clone(), &persons, people, ClusterRule::Auto, STRAIGHT).unwrap();
            // Often enough for the better search to be built.
            for round in 0..30 {
                let query: Vec<f32> = (0..k).map(|row| draw(7) as f32 / (row + 1) as f32).collect();
                let found = clusters.rank(&query, top);
                if round == 0 || round > 24 {
                    let mut expected = ranked_by_hand(&points, &persons, people, &query);
                    expected.truncate(top);
                    prop_assert_eq!(found, expected);
                }
            }
        }

        /// Several centroids, or faces alone: both ways of looking for people name the same.
        #[test]
        fn ranking_does_not_depend_on_the_search(
            rule in prop_oneof![Just("auto"), Just("faces"), Just("1"), Just("3")],
            people in 50_usize..300,
            faces in 1_usize..5,
            seed in any::<u64>(),
            top in 1_usize..4,
        ) {
            let mut state = seed | 1;
            let mut draw = |below: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state % below) as f32
            };
            let persons: Vec<usize> = (0..people * faces).map(|face| face / faces).collect();
            let centres = DMatrix::from_fn(9, people, |row, _| draw(50) / (row + 1) as f32);
            let points =
                DMatrix::from_fn(9, persons.len(), |row, at| centres[(row, persons[at])] + draw(9) * 0.3);
            let new = || Clusters::new(points.clone(), &persons, people, rule.parse().unwrap(), STRAIGHT).unwrap();
            let asked_often = new();
            for _ in 0..30 {
                asked_often.rank(&[0.0; 9], top);
            }
            for _ in 0..5 {
                let query: Vec<f32> = (0..9).map(|row| draw(50) / (row + 1) as f32).collect();
                prop_assert_eq!(asked_often.rank(&query, top), new().rank(&query, top));
            }
        }
    }

    const STRAIGHT: Measure = Measure::Euclidean;

    fn two_looks() -> DMatrix<f32> {
        DMatrix::from_row_slice(1, 6, &[0.0, 0.1, 10.0, 10.1, 5.0, 5.2])
    }

    #[test]
    fn two_centroids_follow_two_looks() {
        let persons = [0, 0, 0, 0, 1, 1];
        let one = Clusters::new(two_looks(), &persons, 2, "1".parse().unwrap(), STRAIGHT).unwrap();
        let two = Clusters::new(two_looks(), &persons, 2, "2".parse().unwrap(), STRAIGHT).unwrap();
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
            two_looks(),
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
            Clusters::new(two_looks(), persons, people, ClusterRule::Faces, STRAIGHT).is_none()
        };
        assert!(refused(&[0; 5], 1), "lengths");
        assert!(refused(&[3; 6], 3), "person too high");
        assert!(refused(&[1, 0, 0, 0, 0, 0], 2), "out of order");
    }
}
