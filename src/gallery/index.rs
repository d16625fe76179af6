//! Exact nearest-neighbour search over points; the only importer of `kdtree`.
//!
//! PCA coordinates come sorted by variance, so the squared distance over a few leading ones is a good
//! lower bound of the whole. A kd-tree over the leading coordinates yields candidates in increasing order
//! of that bound; the search ends when the bound passes the worst distance still wanted. In hundreds of
//! dimensions a plain kd-tree would visit nearly everything.

use std::collections::BinaryHeap;

use kdtree::KdTree;
use kdtree::distance::squared_euclidean;
use nalgebra::DMatrix;

/// How many leading coordinates the tree splits on.
const LEADING: usize = 12;

/// Points in a leaf of the tree.
const LEAF: usize = 32;

/// Below this many points the tree costs more than it saves.
const WORTH_A_TREE: usize = 256;

/// The tree sums squares in `f32`: its distances are lowered by this share to be true lower bounds.
const ROUNDING: f64 = 1e-5;

/// One point found near a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// Which point: its column in the matrix the index was built from.
    pub point: usize,
    /// Squared Euclidean distance to the query.
    pub squared_distance: f64,
}

impl Eq for Neighbour {}

impl Ord for Neighbour {
    /// Nearer first, then the lower point.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.squared_distance
            .total_cmp(&other.squared_distance)
            .then(self.point.cmp(&other.point))
    }
}

impl PartialOrd for Neighbour {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Points that can be searched for the nearest to a query, exactly.
#[derive(Debug, Clone)]
pub struct Index {
    points: DMatrix<f32>,
    tree: Option<KdTree<f32, usize, Box<[f32]>>>,
}

impl Index {
    /// An index over the columns of `points` (k x n). `None` where a coordinate is not finite.
    pub fn new(points: DMatrix<f32>) -> Option<Self> {
        if points.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let leading = LEADING.min(points.nrows());
        let tree = if points.ncols() < WORTH_A_TREE || leading == 0 {
            None
        } else {
            let mut tree = KdTree::with_capacity(leading, LEAF);
            for (id, point) in points.column_iter().enumerate() {
                let head: Box<[f32]> = point.iter().take(leading).copied().collect();
                tree.add(head, id).ok()?;
            }
            Some(tree)
        };
        Some(Self { points, tree })
    }

    /// n, the number of points.
    pub fn len(&self) -> usize {
        self.points.ncols()
    }

    /// Whether there is no point at all.
    pub fn is_empty(&self) -> bool {
        self.points.ncols() == 0
    }

    /// The points, k x n.
    pub fn points(&self) -> &DMatrix<f32> {
        &self.points
    }

    /// The squared distance between the query (k coordinates) and one point.
    pub fn squared_distance(&self, query: &[f32], point: usize) -> f64 {
        let column = self.points.column(point);
        squared_distance(query, column.as_slice())
    }

    /// The `count` nearest points, nearest first, equal distances by lower point.
    ///
    /// A query with a coordinate that is not finite has no neighbours.
    pub fn nearest(&self, query: &[f32], count: usize) -> Vec<Neighbour> {
        if count == 0 || query.len() != self.points.nrows() || !query.iter().all(|v| v.is_finite())
        {
            return Vec::new();
        }
        let mut best = BinaryHeap::with_capacity(count.min(self.len()) + 1);
        let mut offer = |point: usize| -> Option<f64> {
            best.push(Neighbour {
                point,
                squared_distance: self.squared_distance(query, point),
            });
            if best.len() > count {
                best.pop();
            }
            (best.len() == count).then(|| best.peek().map_or(f64::INFINITY, |w| w.squared_distance))
        };
        match self.candidates(query) {
            None => {
                for point in 0..self.len() {
                    offer(point);
                }
            }
            Some(candidates) => {
                let mut worst = f64::INFINITY;
                for (bound, point) in candidates {
                    if bound > worst {
                        break;
                    }
                    worst = offer(point).unwrap_or(worst);
                }
            }
        }
        best.into_sorted_vec()
    }

    /// Every point, in increasing order of a lower bound of its squared distance to the query; `None`
    /// where there are too few points for a tree, or the query is not of k finite coordinates.
    pub fn candidates<'a>(
        &'a self,
        query: &'a [f32],
    ) -> Option<impl Iterator<Item = (f64, usize)> + 'a> {
        let head = query.get(..LEADING.min(self.points.nrows()))?;
        let nearest = self
            .tree
            .as_ref()?
            .iter_nearest(head, &squared_euclidean)
            .ok()?;
        Some(nearest.map(|(bound, &point)| (f64::from(bound) * (1.0 - ROUNDING), point)))
    }
}

/// Σ (a - b)² in double precision, in eight sums that the processor can run side by side. The order is
/// fixed: equal faces are at distance 0, and the result does not depend on how the search went.
pub fn squared_distance(a: &[f32], b: &[f32]) -> f64 {
    const LANES: usize = 8;
    let square = |a: f32, b: f32| (f64::from(a) - f64::from(b)).powi(2);
    let mut sums = [0.0_f64; LANES];
    let (blocks, rests) = (
        a.chunks_exact(LANES).zip(b.chunks_exact(LANES)),
        a.len() % LANES,
    );
    for (a, b) in blocks {
        for ((sum, &a), &b) in sums.iter_mut().zip(a).zip(b) {
            *sum += square(a, b);
        }
    }
    let tail: f64 = a
        .iter()
        .zip(b)
        .skip(a.len() - rests)
        .map(|(&a, &b)| square(a, b))
        .sum();
    sums.iter().sum::<f64>() + tail
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn oracle(points: &DMatrix<f32>, query: &[f32], count: usize) -> Vec<Neighbour> {
        let mut all: Vec<_> = points
            .column_iter()
            .enumerate()
            .map(|(point, column)| Neighbour {
                point,
                squared_distance: squared_distance(query, column.as_slice()),
            })
            .collect();
        all.sort();
        all.truncate(count);
        all
    }

    proptest! {
        /// Coordinates on a coarse grid, so that ties and duplicates abound.
        #[test]
        fn agrees_with_the_linear_oracle(
            k in 1_usize..20,
            n in 1_usize..700,
            seed in any::<u64>(),
            count in 1_usize..12,
        ) {
            let mut state = seed | 1;
            let mut draw = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state % 5) as f32 - 2.0
            };
            let points = DMatrix::from_fn(k, n, |row, _| draw() / (row + 1) as f32);
            let query: Vec<f32> = (0..k).map(|row| draw() / (row + 1) as f32).collect();
            let index = Index::new(points.clone()).unwrap();
            prop_assert_eq!(index.nearest(&query, count), oracle(&points, &query, count));
        }
    }

    #[test]
    fn many_identical_points_are_found_in_order() {
        let points = DMatrix::from_element(16, 1000, 0.5);
        let index = Index::new(points).unwrap();
        let found: Vec<_> = index
            .nearest(&[0.5; 16], 5)
            .iter()
            .map(|n| n.point)
            .collect();
        assert_eq!(found, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        assert!(Index::new(DMatrix::from_element(2, 2, f32::NAN)).is_none());
        let index = Index::new(DMatrix::from_element(2, 2, 1.0)).unwrap();
        assert!(index.nearest(&[f32::INFINITY, 0.0], 1).is_empty());
        assert!(index.nearest(&[0.0], 1).is_empty(), "wrong dimension");
    }
}
