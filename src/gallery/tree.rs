//! The nearest people by a tree over their points (`kdtree`): for points of few coordinates and many probes.
//!
//! Points come in increasing distance, and a person's squared distance is at least what the nearest of their points of the
//! first kind adds to it: once that passes the last of those wanted, nobody nearer can follow.

use std::collections::HashSet;

use kdtree::KdTree;
use kdtree::distance::squared_euclidean;

use super::clusters::{Best, Clusters, Match};

/// Coordinates up to which a tree is faster than looking at every point, building it included: with 200 probes in a third
/// (2,000 points) to three quarters (100,000) of the time, with 1,000 in a sixth. With 12 leading of 100
/// coordinates one probe takes 4 to 28 times as long as the scan (docs/BENCHMARKS.md).
const FEW_COORDINATES: usize = 3;

/// Fewest points and probes: with fewer, building the tree costs more than it saves.
const MANY_POINTS: usize = 2000;
const MANY_PROBES: usize = 200;

/// Points in a leaf of the tree.
const LEAF: usize = 32;

/// The points of the first kind in a tree.
pub(super) struct Tree<'a> {
    clusters: &'a Clusters,
    tree: KdTree<f64, usize, Vec<f64>>,
}

impl<'a> Tree<'a> {
    /// A tree, where it pays for this many probes.
    pub fn new(clusters: &'a Clusters, probes: usize) -> Option<Self> {
        let first = clusters.kinds.first()?;
        let (k, points) = first.points.shape();
        if !(1..=FEW_COORDINATES).contains(&k) || points < MANY_POINTS || probes < MANY_PROBES {
            return None;
        }
        let mut tree = KdTree::with_capacity(k, LEAF);
        for (point, &person) in first.points.column_iter().zip(&first.owners) {
            let point = point.iter().map(|&value| f64::from(value)).collect();
            tree.add(point, person).ok()?;
        }
        Some(Self { clusters, tree })
    }

    /// The `top` nearest people to a probe of finite coordinates; `None` where the tree refuses it.
    pub fn rank(&self, probe: &[f32], top: usize) -> Option<Vec<Match>> {
        let kinds = self.clusters.kinds.len() as f64;
        let place: Vec<f64> = probe.iter().map(|&value| f64::from(value)).collect();
        let (mut best, mut seen) = (Best::new(top), HashSet::new());
        for (squared, &person) in self.tree.iter_nearest(&place, &squared_euclidean).ok()? {
            // Sums of squares are rounded otherwise there.
            if squared * (1.0 - 1e-12) > best.worst() * kinds {
                break;
            }
            if !seen.insert(person) {
                continue;
            }
            if let Some(squared_distance) = self.clusters.squared_distance(person, probe) {
                best.offer(Match {
                    person,
                    squared_distance,
                });
            }
        }
        Some(best.into_sorted())
    }
}
