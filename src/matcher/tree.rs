//! The nearest people by a tree over their means (`kdtree`): for few coordinates and many probes.

use kdtree::KdTree;
use kdtree::distance::squared_euclidean;

use super::clusters::{Best, Clusters, Neighbor};

/// Coordinates up to which a tree is faster than looking at every mean, building it included: with 200 probes in a third
/// (2,000 means) to three quarters (100,000) of the time, with 1,000 in a sixth. With 12 leading of 100
/// coordinates one probe takes 4 to 28 times as long as the scan (docs/notebook/search.md).
const FEW_COORDINATES: usize = 3;

/// Fewest people and probes: with fewer, building the tree costs more than it saves.
const MANY_PEOPLE: usize = 2000;
const MANY_PROBES: usize = 200;

const LEAF: usize = 32;

pub(super) struct Tree<'a> {
    clusters: &'a Clusters,
    tree: KdTree<f64, usize, Vec<f64>>,
}

impl<'a> Tree<'a> {
    /// A tree, where it pays for this many probes.
    pub fn new(clusters: &'a Clusters, probes: usize) -> Option<Self> {
        let (k, people) = clusters.means().shape();
        if !(1..=FEW_COORDINATES).contains(&k) || people < MANY_PEOPLE || probes < MANY_PROBES {
            return None;
        }
        let mut tree = KdTree::with_capacity(k, LEAF);
        for (at, mean) in clusters.means().column_iter().enumerate() {
            tree.add(mean.iter().map(|&value| f64::from(value)).collect(), at).ok()?;
        }
        Some(Self { clusters, tree })
    }

    /// The `top` nearest people to a probe of finite coordinates; `None` where the tree refuses it.
    pub fn rank(&self, probe: &[f32], top: usize) -> Option<Vec<Neighbor>> {
        let place: Vec<f64> = probe.iter().map(|&value| f64::from(value)).collect();
        let mut best = Best::new(top);
        for (squared, &at) in self.tree.iter_nearest(&place, &squared_euclidean).ok()? {
            // Sums of squares are rounded otherwise there.
            if squared * (1.0 - 1e-12) > best.worst() {
                break;
            }
            best.offer(Neighbor {
                person: self.clusters.owners()[at],
                squared_distance: self.clusters.squared_distance(at, probe),
            });
        }
        Some(best.into_sorted())
    }
}
