//! People as clusters of points, and the nearest of them.

use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::distance::squared_distance;
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
    /// The centroid of all faces alone.
    Centroid,
}

impl std::str::FromStr for ClusterRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "faces" => Ok(Self::Faces),
            "centroid" => Ok(Self::Centroid),
            _ => Err("expected `auto`, `faces` or `centroid`".to_owned()),
        }
    }
}

impl std::fmt::Display for ClusterRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Faces => "faces",
            Self::Centroid => "centroid",
        })
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
    /// k x m.
    pub points: Arc<DMatrix<f32>>,
    /// Squared lengths, as bounds want them.
    pub lengths: Arc<[f32]>,
    /// The person of each.
    pub owners: Vec<usize>,
    /// The points of person p are `starts[p]..starts[p + 1]`.
    pub starts: Vec<usize>,
}

impl Points {
    /// `owners` must not decrease. `None` where a coordinate is not finite.
    fn new(points: Arc<DMatrix<f32>>, owners: Vec<usize>, people: usize) -> Option<Self> {
        let is_finite = |values: &[f32]| values.iter().fold(true, |all, v| all & v.is_finite());
        if !points.as_slice().par_chunks(1 << 16).all(is_finite) {
            return None;
        }
        let mut starts = vec![0; people + 1];
        for &owner in &owners {
            starts[owner + 1] += 1;
        }
        for person in 0..people {
            starts[person + 1] += starts[person];
        }
        Some(Self {
            lengths: lengths(&points).into(),
            points,
            owners,
            starts,
        })
    }

    /// Positions of the points of some people.
    pub fn of_people(&self, people: &Range<usize>) -> Range<usize> {
        self.starts[people.start]..self.starts[people.end]
    }

    /// The squared distance to the nearest point of a person; `None` where the person has none.
    fn nearest_of(&self, person: usize, query: &[f32]) -> Option<f64> {
        let k = self.points.nrows();
        let squared =
            |point: usize| squared_distance(query, &self.points.as_slice()[point * k..][..k]);
        self.of_people(&(person..person + 1))
            .map(squared)
            .min_by(f64::total_cmp)
    }
}

/// Coordinates up to here have squares, and sums of them, within the range of `f32`.
const LARGEST: f32 = 1e15;

/// What a sum of `k` products in single precision may be off, as a share of the squared lengths of both factors: twice
/// (k + 8) 2^-24 (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1).
fn rounding(k: usize) -> f64 {
    (k + 8) as f64 * f64::from(f32::EPSILON)
}

/// Of each column (k x n) its squared length, lowered by what rounding may have added to a bound made of it; where
/// coordinates are beyond the range, negative infinity: a bound that excludes nobody.
pub(super) fn lengths(columns: &DMatrix<f32>) -> Vec<f32> {
    let k = columns.nrows();
    let share = 1.0 - rounding(k);
    // What vanishes below the least number of `f32`.
    let lost = 4.0 * (k as f64 + 1.0) * f64::from(f32::MIN_POSITIVE);
    let length = |column: &[f32]| {
        if column.iter().any(|value| value.abs() > LARGEST) {
            return f32::NEG_INFINITY;
        }
        let squares = column.iter().map(|&value| f64::from(value).powi(2));
        (squares.sum::<f64>() * share - lost) as f32
    };
    if k == 0 {
        return vec![f32::NEG_INFINITY; columns.ncols()];
    }
    columns.as_slice().par_chunks(k).map(length).collect()
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
            ClusterRule::Centroid => vec![centroids(&faces, people, measure)?],
            ClusterRule::Auto => {
                let centroids = centroids(&faces, people, measure)?;
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
        points.map(|kind| (&*kind.points, kind.owners.as_slice()))
    }

    /// The squared distance of one person to the query; `None` where the person has no faces.
    pub fn squared_distance(&self, person: usize, query: &[f32]) -> Option<f64> {
        let mut sum = 0.0;
        for kind in &self.kinds {
            sum += kind.nearest_of(person, query)?;
        }
        Some(sum / self.kinds.len() as f64)
    }

    /// k, the number of coordinates.
    pub(super) fn dimension(&self) -> usize {
        self.kinds.first().map_or(0, |kind| kind.points.nrows())
    }

    /// People in their order, in blocks that are looked at together.
    pub(super) fn chunks(&self) -> Vec<Range<usize>> {
        let starts = self.kinds.first().map_or(&[][..], |kind| &kind.starts);
        let (mut chunks, mut first) = (Vec::new(), 0);
        while first < self.people {
            let most = starts[first] + POINTS_AT_ONCE;
            let end = starts.partition_point(|&start| start <= most) - 1;
            let end = end.clamp(first + 1, self.people);
            chunks.push(first..end);
            first = end;
        }
        chunks
    }
}

/// Points that are looked at together: with the bounds of some dozens of probes they fit the second-level cache.
const POINTS_AT_ONCE: usize = 1024;

/// The nearest people seen so far, up to a number.
pub(super) struct Best {
    top: usize,
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

/// The centroid of each person's faces.
fn centroids(faces: &Points, people: usize, measure: Measure) -> Option<Points> {
    let has_faces = |&person: &usize| !faces.of_people(&(person..person + 1)).is_empty();
    let owners: Vec<usize> = (0..people).filter(has_faces).collect();
    let k = faces.points.nrows();
    let mut points = DMatrix::zeros(k, owners.len());
    let columns = points.as_mut_slice().par_chunks_mut(k.max(1));
    columns.zip(&owners).for_each(|(point, &person)| {
        let centroid = mean(&faces.points, faces.of_people(&(person..person + 1)));
        point.copy_from_slice(measure.settle(centroid).as_slice());
    });
    Points::new(points.into(), owners, people)
}

/// The mean of some neighbouring points, summed in double precision.
fn mean(points: &DMatrix<f32>, chosen: Range<usize>) -> DVector<f32> {
    let count = chosen.len() as f64;
    let mut sums = vec![0.0_f64; points.nrows()];
    for point in chosen {
        for (sum, &value) in sums.iter_mut().zip(points.column(point).as_slice()) {
            *sum += f64::from(value);
        }
    }
    DVector::from_iterator(sums.len(), sums.into_iter().map(|sum| (sum / count) as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRAIGHT: Measure = Measure::Euclidean;

    fn two_looks() -> DMatrix<f32> {
        DMatrix::from_row_slice(1, 6, &[0.0, 0.1, 10.0, 10.1, 5.0, 5.2])
    }

    #[test]
    fn a_person_is_as_far_as_the_nearest_face_and_the_centroid_on_average() {
        let squared = |rule: &str, person: usize| {
            let persons = [0, 0, 0, 0, 1, 1];
            let clusters = Clusters::new(two_looks(), &persons, 2, rule.parse().unwrap(), STRAIGHT);
            clusters.unwrap().rank(&[5.0], 2)[person].squared_distance
        };
        // The nearer of both people, then the other: faces 5.0 and 5.2 about 5.1, four faces about 5.05.
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-4, "{a} {b}");
        close(squared("faces", 0), 0.0);
        close(squared("faces", 1), 4.9 * 4.9);
        close(squared("centroid", 0), 0.05 * 0.05);
        close(squared("centroid", 1), 0.1 * 0.1);
        close(squared("auto", 0), 0.01 / 2.0);
        close(squared("auto", 1), (4.9 * 4.9 + 0.05 * 0.05) / 2.0);
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
