//! Blocks that are built once it is known that they pay.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use nalgebra::DMatrix;

use super::blocks::Blocks;

/// Queries that are answered by looking at every point, before blocks are built. To build them costs about as much
/// as so many queries, so nobody pays more than about twice what the better choice would have cost.
const QUERIES: usize = 24;

/// Blocks to be, or that have been built; `None` in them where the points have none.
#[derive(Debug, Default)]
pub(super) struct LazyBlocks {
    asked: AtomicUsize,
    claimed: AtomicBool,
    blocks: OnceLock<Option<Box<Blocks>>>,
}

impl LazyBlocks {
    /// The blocks, if they have been built.
    pub fn built(&self) -> Option<&Blocks> {
        self.blocks.get().and_then(Option::as_deref)
    }

    /// Counts a query, and builds the blocks of these points when it is time.
    ///
    /// One thread builds and nobody waits: others go on as they are. Were they to wait, a worker of the thread pool
    /// that is given their work while it builds would wait for itself.
    pub fn ask(&self, points: &DMatrix<f32>) -> Option<&Blocks> {
        if self.blocks.get().is_none()
            && self.asked.fetch_add(1, Ordering::Relaxed) >= QUERIES
            && !self.claimed.swap(true, Ordering::Relaxed)
        {
            let blocks = Blocks::new(points).map(Box::new);
            // Nobody else has claimed it.
            let _ = self.blocks.set(blocks);
        }
        self.built()
    }
}
