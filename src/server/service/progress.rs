//! How far the learning of added faces is.

use std::time::{Duration, Instant};

/// Time after which added faces are learned, however steadily more come: well before two seconds, since learning takes some.
const LATEST: Duration = Duration::from_secs(1);

/// What whoever asks may have to wait for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    /// Faces in the journal.
    pub(super) unlearned: usize,
    /// Faces that were ever put there.
    pub(super) added: u64,
    /// When the first of them came, or earlier.
    pub(super) since: Option<Instant>,
    /// Whether a job changes the gallery: nobody waits for it.
    pub(super) is_job_changing: bool,
    /// Whether the faces could not be learned when that was tried last.
    pub(super) has_failed: bool,
    pub(super) is_ending: bool,
}

impl Progress {
    /// Whether the gallery as it is is the answer.
    pub(super) fn is_ready(&self) -> bool {
        self.unlearned == 0 || self.is_job_changing || self.has_failed
    }

    /// Whether it is time to learn: nothing was added since so many were, or the first has waited long enough.
    pub(super) fn is_due(&self, added: u64) -> bool {
        let waits = self.since.is_some_and(|since| since.elapsed() >= LATEST);
        self.unlearned > 0 && (self.added == added || waits)
    }
}
