//! A value that one thread builds while the others do without it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// A value that is built when first it pays, and kept; nothing, for good, where it cannot be built.
///
/// One thread builds and nobody waits: others go on as they are. Were they to wait, a worker of the thread pool that is
/// given their work while it builds may steal a task that waits for this value: deadlock.
#[derive(Debug)]
pub struct BuiltOnce<T> {
    claimed: AtomicBool,
    built: OnceLock<Option<T>>,
}

impl<T> Default for BuiltOnce<T> {
    fn default() -> Self {
        Self {
            claimed: AtomicBool::new(false),
            built: OnceLock::new(),
        }
    }
}

impl<T> BuiltOnce<T> {
    /// The value, if it has been built.
    pub fn get(&self) -> Option<&T> {
        self.built.get().and_then(Option::as_ref)
    }

    /// The value; builds it where it is `due` and nobody has begun to.
    pub fn get_or_build(
        &self,
        due: impl FnOnce() -> bool,
        build: impl FnOnce() -> Option<T>,
    ) -> Option<&T> {
        if self.built.get().is_none() && due() && !self.claimed.swap(true, Ordering::Relaxed) {
            // Nobody else has claimed it.
            let _ = self.built.set(build());
        }
        self.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_built_once_and_only_when_it_is_due() {
        let value = BuiltOnce::default();
        assert_eq!(value.get_or_build(|| false, || Some(1)), None);
        assert_eq!(value.get_or_build(|| true, || Some(2)), Some(&2));
        assert_eq!(value.get_or_build(|| true, || Some(3)), Some(&2));
        assert_eq!(value.get(), Some(&2));
    }

    #[test]
    fn what_cannot_be_built_is_not_tried_again() {
        let value = BuiltOnce::<i32>::default();
        assert_eq!(value.get_or_build(|| true, || None), None);
        assert_eq!(value.get_or_build(|| true, || Some(1)), None);
    }

    #[test]
    fn who_asks_while_it_is_built_goes_without() {
        let value = BuiltOnce::default();
        let built = value.get_or_build(
            || true,
            || {
                assert_eq!(value.get_or_build(|| true, || Some(1)), None);
                Some(2)
            },
        );
        assert_eq!(built, Some(&2));
    }
}
