//! People as clusters of points, each with its mean.

use std::collections::BinaryHeap;
use std::sync::Arc;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::distance::squared_distance;

/// The distance of one person from a probe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbor {
    /// Which person: the number used when the clusters were made.
    pub person: usize,
    /// Squared distance to the mean of the person's faces, in the units of the metric's coordinates.
    pub squared_distance: f64,
}

impl Neighbor {
    /// The distance to the mean of the person's faces.
    pub fn distance(&self) -> f64 {
        self.squared_distance.sqrt()
    }
}

impl Eq for Neighbor {}

impl Ord for Neighbor {
    /// Nearer first, then the lower person.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.squared_distance.total_cmp(&other.squared_distance).then(self.person.cmp(&other.person))
    }
}

impl PartialOrd for Neighbor {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// All people of a gallery as clusters.
#[derive(Debug, Clone)]
pub struct Clusters {
    people: usize,
    /// The mean of each person's faces: k x m.
    means: Arc<DMatrix<f32>>,
    /// The person of each mean, increasing: whoever has no face has none.
    owners: Vec<usize>,
}

impl Clusters {
    /// Clusters of `people` people from the coordinates of faces (k x n) and the person of each (n).
    ///
    /// The faces of a person must stand side by side, people in increasing order, as a [`Gallery`](crate::gallery::Gallery) has
    /// them. `None` where a coordinate is not finite, people are out of order or not below `people`, or the lengths do not agree.
    pub fn of_faces(coordinates: &DMatrix<f32>, persons: &[usize], people: usize) -> Option<Self> {
        let is_finite = |values: &[f32]| values.iter().fold(true, |all, v| all & v.is_finite());
        let fits = coordinates.ncols() == persons.len()
            && persons.is_sorted()
            && persons.last().is_none_or(|&last| last < people)
            && coordinates.as_slice().par_chunks(1 << 16).all(is_finite);
        if !fits {
            return None;
        }
        let groups: Vec<&[usize]> = persons.chunk_by(|a, b| a == b).collect();
        let mut first = 0;
        let mut columns = Vec::with_capacity(groups.len());
        for group in &groups {
            columns.push(first..first + group.len());
            first += group.len();
        }
        let k = coordinates.nrows();
        let mut means = DMatrix::zeros(k, groups.len());
        means.as_mut_slice().par_chunks_mut(k.max(1)).zip(columns).for_each(|(mean, columns)| {
            let count = columns.len() as f64;
            for (row, mean) in mean.iter_mut().enumerate() {
                let values = columns.clone().map(|at| f64::from(coordinates[(row, at)]));
                *mean = (values.sum::<f64>() / count) as f32;
            }
        });
        Some(Self { people, means: means.into(), owners: groups.iter().map(|group| group[0]).collect() })
    }

    /// Number of people.
    pub fn people(&self) -> usize {
        self.people
    }

    /// The means (k x m).
    pub fn means(&self) -> &DMatrix<f32> {
        &self.means
    }

    /// The person of each mean, increasing.
    pub fn owners(&self) -> &[usize] {
        &self.owners
    }

    /// The squared distance of a mean to the query, both k coordinates.
    pub(super) fn squared_distance(&self, at: usize, query: &[f32]) -> f64 {
        let k = self.dimension();
        squared_distance(query, &self.means.as_slice()[at * k..][..k])
    }

    /// The distance of one person from the query; `None` where the person has no faces.
    pub fn of_person(&self, person: usize, query: &[f32]) -> Option<Neighbor> {
        let at = self.owners.binary_search(&person).ok()?;
        Some(Neighbor { person, squared_distance: self.squared_distance(at, query) })
    }

    /// k, the number of coordinates.
    pub fn dimension(&self) -> usize {
        self.means.nrows()
    }
}

/// The nearest people seen so far, up to a number.
pub(super) struct Best {
    top: usize,
    heap: BinaryHeap<Neighbor>,
}

impl Best {
    pub fn new(top: usize) -> Self {
        Self { top, heap: BinaryHeap::with_capacity(top + 1) }
    }

    pub fn offer(&mut self, found: Neighbor) {
        if self.heap.len() == self.top && self.heap.peek().is_some_and(|worst| *worst <= found) {
            return;
        }
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

    pub fn merged((mut one, other): (Self, Self)) -> Self {
        other.heap.into_iter().for_each(|found| one.offer(found));
        one
    }

    pub fn into_sorted(self) -> Vec<Neighbor> {
        self.heap.into_sorted_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faces() -> DMatrix<f32> {
        DMatrix::from_row_slice(1, 6, &[0.0, 0.1, 10.0, 10.1, 5.0, 5.2])
    }

    #[test]
    fn a_person_is_as_far_as_the_mean() {
        let clusters = Clusters::of_faces(&faces(), &[0, 0, 0, 0, 1, 1], 2).unwrap();
        let ranked = clusters.rank(&[5.02], 2);
        let distances: Vec<(usize, f64)> = ranked.iter().map(|m| (m.person, m.distance())).collect();
        assert!(distances[0].0 == 0 && (distances[0].1 - 0.03).abs() < 1e-5);
        assert!(distances[1].0 == 1 && (distances[1].1 - 0.08).abs() < 1e-5);
    }

    #[test]
    fn a_person_without_faces_is_never_named() {
        let clusters = Clusters::of_faces(&faces(), &[0, 0, 0, 0, 2, 2], 3).unwrap();
        let ranked = clusters.rank(&[5.3], 3);
        assert_eq!(ranked.iter().map(|m| m.person).collect::<Vec<_>>(), [2, 0]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused = |persons: &[usize], people| Clusters::of_faces(&faces(), persons, people).is_none();
        assert!(refused(&[0; 5], 1), "lengths");
        assert!(refused(&[3; 6], 3), "person too high");
        assert!(refused(&[1, 0, 0, 0, 0, 0], 2), "out of order");
        let infinite = DMatrix::from_element(1, 1, f32::INFINITY);
        assert!(Clusters::of_faces(&infinite, &[0], 1).is_none());
    }
}
