//! The search by the `kdtree` crate; its only importer.
//!
//! PCA coordinates come sorted by variance, so the squared distance over a few leading ones is a good lower bound
//! of the whole. The tree yields points in increasing order of that bound; the search ends when the bound passes
//! the worst distance still wanted. Over all coordinates it would visit nearly everything.

use kdtree::KdTree;
use kdtree::distance::squared_euclidean;
use nalgebra::DMatrix;

/// Number of leading coordinates on which the tree splits.
const LEADING: usize = 12;

/// Points in a leaf of the tree.
const LEAF: usize = 32;

/// The tree sums squares in `f32`: its distances are lowered by this share to be true lower bounds.
const ROUNDING: f64 = 1e-5;

/// Below this, squares of `f32` may vanish, and the share would not cover what is lost.
const LEAST: f32 = 1e-15;

/// Points in a kd-tree over their leading coordinates.
#[derive(Debug)]
pub(super) struct Tree(KdTree<f32, usize, Box<[f32]>>);

impl Tree {
    /// A tree of points (k x n); `None` where there is nothing to split on, or their squares leave the range of
    /// `f32`.
    pub fn new(points: &DMatrix<f32>) -> Option<Self> {
        let leading = LEADING.min(points.nrows());
        let largest = points.iter().fold(0.0_f32, |most, v| most.max(v.abs()));
        if leading == 0 || !(LEAST..LEAST.recip()).contains(&largest) {
            return None;
        }
        let mut tree = KdTree::with_capacity(leading, LEAF);
        for (id, point) in points.column_iter().enumerate() {
            let head: Box<[f32]> = point.iter().take(leading).copied().collect();
            tree.add(head, id).ok()?;
        }
        Some(Self(tree))
    }

    /// Bytes of a tree of so many points, at the least: an `f32` a leading coordinate, its box and the point's number.
    pub fn bytes(points: usize) -> usize {
        points * 72
    }

    /// See [`Index::visit`](super::Index::visit); `None` where the query is beyond the tree's range.
    pub fn visit(
        &self,
        query: &[f32],
        mut within: f64,
        offer: &mut dyn FnMut(usize) -> f64,
    ) -> Option<()> {
        let head = query.get(..LEADING.min(query.len()))?;
        if head.iter().any(|value| value.abs() > LEAST.recip()) {
            return None;
        }
        for (bound, &point) in self.0.iter_nearest(head, &squared_euclidean).ok()? {
            if f64::from(bound) * (1.0 - ROUNDING) > within {
                break;
            }
            within = within.min(offer(point));
        }
        Some(())
    }
}
