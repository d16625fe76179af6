//! Codes that are made when first they pay.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::BatchSearch;

/// Codes to be, or that have been made; `None` in them where the points have none.
#[derive(Debug, Default)]
pub(in crate::gallery) struct LazyBatchSearch {
    claimed: AtomicBool,
    batch_search: OnceLock<Option<Box<BatchSearch>>>,
}

impl LazyBatchSearch {
    /// The codes, made by whoever asks first. Others do without until they are there: were they to wait, a worker of
    /// the thread pool that is given their work while it makes them would wait for itself.
    pub fn get_or_make(&self, make: impl FnOnce() -> Option<BatchSearch>) -> Option<&BatchSearch> {
        if self.batch_search.get().is_none() && !self.claimed.swap(true, Ordering::Relaxed) {
            // Nobody else has claimed it.
            let _ = self.batch_search.set(make().map(Box::new));
        }
        self.batch_search.get().and_then(Option::as_deref)
    }
}
