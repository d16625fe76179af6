//! A search that is built once it is known that it pays.

use std::sync::atomic::{AtomicUsize, Ordering};

use nalgebra::DMatrix;

use super::blocks::Blocks;
use super::tree::Tree;
use crate::gallery::built_once::BuiltOnce;

/// Queries that are answered by looking at every point, before anything is built. To build blocks costs about as much
/// as so many queries, so nobody pays more than about twice what the better choice would have cost.
const QUERIES: usize = 24;

/// Points of up to so many coordinates are searched by the tree: of 100,000 with three it takes two thirds of the time
/// that blocks take, of fewer points the same; with six coordinates blocks are three times as fast.
const COORDINATES_OF_TREES: usize = 3;

/// A structure that is faster than looking at every point.
#[derive(Debug)]
pub(super) enum Built {
    Blocks(Box<Blocks>),
    Tree(Tree),
}

impl Built {
    /// The better one for these points; `None` where they bear neither.
    fn new(points: &DMatrix<f32>) -> Option<Self> {
        match points.nrows() {
            ..=COORDINATES_OF_TREES => Self::tree(points),
            _ => Self::blocks(points),
        }
    }

    pub fn tree(points: &DMatrix<f32>) -> Option<Self> {
        Tree::new(points).map(Self::Tree)
    }

    pub fn blocks(points: &DMatrix<f32>) -> Option<Self> {
        Blocks::new(points).map(|blocks| Self::Blocks(Box::new(blocks)))
    }

    /// See [`Index::visit`](super::Index::visit); `None` where the query is beyond its range.
    pub fn visit(
        &self,
        query: &[f32],
        within: f64,
        offer: &mut dyn FnMut(usize) -> f64,
    ) -> Option<()> {
        match self {
            Self::Blocks(blocks) => blocks.visit(query, within, offer),
            Self::Tree(tree) => tree.visit(query, within, offer),
        }
    }

    /// Bytes that it takes, of `points` points.
    pub fn bytes(&self, points: usize) -> usize {
        match self {
            Self::Blocks(blocks) => blocks.bytes(),
            Self::Tree(_) => Tree::bytes(points),
        }
    }
}

/// A search to be, or that has been built; none where the points bear none.
#[derive(Debug, Default)]
pub(super) struct LazySearch {
    asked: AtomicUsize,
    search: BuiltOnce<Built>,
}

impl LazySearch {
    /// The search, if it has been built.
    pub fn built(&self) -> Option<&Built> {
        self.search.get()
    }

    /// Counts a query, and builds the search of these points when it is time.
    pub fn ask(&self, points: &DMatrix<f32>) -> Option<&Built> {
        self.search.get_or_build(
            || self.asked.fetch_add(1, Ordering::Relaxed) >= QUERIES,
            || Built::new(points),
        )
    }
}
