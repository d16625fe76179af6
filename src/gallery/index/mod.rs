//! Exact nearest-neighbour search over points: one answer, several ways to it.
//!
//! Whichever way is taken, distances are those of [`squared_distance`] and equal ones are ordered by point: a
//! method decides how many points are looked at, never which are found.

mod blocks;
mod distance;
mod lazy;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::BinaryHeap;
use std::sync::Arc;

use nalgebra::DMatrix;
use rayon::prelude::*;

pub use distance::squared_distance;
use lazy::{Built, LazySearch};

/// Below this many points, looking at all of them costs less than anything else.
const WORTH_BLOCKS: usize = 128;

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

/// The method of the search for the nearest points. All answers are the same; their time differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchMethod {
    /// Few points: every one of them. More: the same for the first queries, and then the tree for points of up to three
    /// coordinates, blocks for others. There is no spectrum for which another method is faster: where the points'
    /// variance is flat, blocks look at the codes of all points, which is a quarter of their bytes (docs/BENCHMARKS.md).
    #[default]
    Auto,
    /// Every point: the oracle that the others are tested against.
    Linear,
    /// The `kdtree` crate over the leading coordinates.
    Tree,
    /// Blocks of points that lie together, each with the box it lies in and 8-bit codes of all coordinates, leading
    /// ones first.
    Blocks,
}

/// Points that can be searched for the nearest to a query, exactly. Clones share the points.
#[derive(Debug, Clone)]
pub struct Index {
    points: Arc<DMatrix<f32>>,
    search: Arc<Search>,
}

#[derive(Debug)]
enum Search {
    Linear,
    Built(Built),
    Lazy(LazySearch),
}

impl Index {
    /// An index over the columns of `points` (k x n). `None` where a coordinate is not finite.
    pub fn new(points: impl Into<Arc<DMatrix<f32>>>) -> Option<Self> {
        Self::with_method(points, SearchMethod::Auto)
    }

    /// As [`new`](Self::new), to be searched in a given way. Unsupported points (a tree of no
    /// coordinates, squares beyond the range of `f32`) are searched linearly.
    pub fn with_method(points: impl Into<Arc<DMatrix<f32>>>, method: SearchMethod) -> Option<Self> {
        let points: Arc<DMatrix<f32>> = points.into();
        let is_finite = |values: &[f32]| values.iter().fold(true, |all, v| all & v.is_finite());
        if !points.as_slice().par_chunks(1 << 16).all(is_finite) {
            return None;
        }
        let search = match method {
            SearchMethod::Auto if points.ncols() < WORTH_BLOCKS => Search::Linear,
            SearchMethod::Auto => Search::Lazy(LazySearch::default()),
            SearchMethod::Linear => Search::Linear,
            SearchMethod::Tree => Built::tree(&points).map_or(Search::Linear, Search::Built),
            SearchMethod::Blocks => Built::blocks(&points).map_or(Search::Linear, Search::Built),
        };
        Some(Self {
            points,
            search: Arc::new(search),
        })
    }

    /// n, the number of points.
    fn len(&self) -> usize {
        self.points.ncols()
    }

    /// The points, k x n.
    pub fn points(&self) -> &DMatrix<f32> {
        &self.points
    }

    /// Bytes that the search takes besides the points themselves.
    pub fn bytes(&self) -> usize {
        self.built().map_or(0, |built| built.bytes(self.len()))
    }

    fn built(&self) -> Option<&Built> {
        match &*self.search {
            Search::Linear => None,
            Search::Built(built) => Some(built),
            Search::Lazy(lazy) => lazy.built(),
        }
    }

    /// The squared distance between the query (k coordinates) and one point.
    pub fn squared_distance(&self, query: &[f32], point: usize) -> f64 {
        let k = self.points.nrows();
        squared_distance(query, &self.points.as_slice()[point * k..][..k])
    }

    /// The `count` nearest points, nearest first, equal distances by lower point.
    ///
    /// A query with a coordinate that is not finite has no neighbours.
    pub fn nearest(&self, query: &[f32], count: usize) -> Vec<Neighbour> {
        if count == 0 || !self.takes(query) {
            return Vec::new();
        }
        self.is_swift();
        let mut best = BinaryHeap::with_capacity(count.min(self.len()) + 1);
        self.visit(query, f64::INFINITY, &mut |point| {
            best.push(Neighbour {
                point,
                squared_distance: self.squared_distance(query, point),
            });
            if best.len() > count {
                best.pop();
            }
            match best.peek() {
                Some(worst) if best.len() == count => worst.squared_distance,
                _ => f64::INFINITY,
            }
        });
        best.into_sorted_vec()
    }

    /// Whether there is an answer: k finite coordinates.
    pub(super) fn takes(&self, query: &[f32]) -> bool {
        query.len() == self.points.nrows() && query.iter().all(|value| value.is_finite())
    }

    /// Tells of a query to come, and whether there is a better way for it than looking at every point.
    pub(super) fn is_swift(&self) -> bool {
        match &*self.search {
            Search::Linear => false,
            Search::Built(_) => true,
            Search::Lazy(lazy) => lazy.ask(&self.points).is_some(),
        }
    }

    /// Shows `offer` every point, each once, whose squared distance may be at most `within`, and later at most what
    /// `offer` last returned; perhaps others too, in no particular order. The query is of k finite coordinates.
    pub(super) fn visit(&self, query: &[f32], within: f64, offer: &mut dyn FnMut(usize) -> f64) {
        let built = self.built();
        let visited = built.and_then(|built| built.visit(query, within, offer));
        if visited.is_none() {
            for point in 0..self.len() {
                offer(point);
            }
        }
    }
}
