//! Work that takes longer than an answer may: begun, asked about, and ended before its time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use eigenfaces::dataset::Skipped;
use eigenfaces::enrollment::Observer;
use serde_json::{Value, json};

use super::failure::{Answer, Failure};

/// Jobs that ended are forgotten when so many newer ones have begun.
const KEPT: usize = 50;

/// Skipped files that are told; the others are counted.
const TOLD: usize = 20;

/// All jobs of this run by number.
#[derive(Debug, Default)]
pub struct Jobs {
    all: Mutex<BTreeMap<u64, Arc<Job>>>,
    next: AtomicU64,
}

/// One job: the observer of its own work.
#[derive(Debug)]
pub struct Job {
    pub id: u64,
    kind: &'static str,
    done: AtomicUsize,
    of: AtomicUsize,
    is_cancelled: AtomicBool,
    skipped: Mutex<Vec<String>>,
    end: Mutex<Option<Result<Value, String>>>,
}

impl Jobs {
    /// A new job; `None` while another one works.
    pub fn begin(&self, kind: &'static str) -> Option<Arc<Job>> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.values().any(|job| job.is_working()) {
            return None;
        }
        while all.len() >= KEPT {
            all.pop_first();
        }
        let id = self.next.fetch_add(1, Ordering::SeqCst) + 1;
        let job = Arc::new(Job {
            id,
            kind,
            done: AtomicUsize::new(0),
            of: AtomicUsize::new(0),
            is_cancelled: AtomicBool::new(false),
            skipped: Mutex::default(),
            end: Mutex::new(None),
        });
        all.insert(id, Arc::clone(&job));
        Some(job)
    }

    pub fn find(&self, id: u64) -> Option<Arc<Job>> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&id).cloned()
    }
}

impl Job {
    fn is_working(&self) -> bool {
        let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        end.is_none()
    }

    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::SeqCst);
    }

    pub fn finish(&self, end: Answer<Value>) {
        let end = end.map_err(|Failure { message, .. }| message);
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
    }

    pub fn report(&self) -> Value {
        let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let skipped = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
        let (state, result, error) = match &*end {
            None => ("working", None, None),
            Some(Ok(result)) => ("done", Some(result), None),
            Some(Err(_)) if self.is_cancelled() => ("cancelled", None, None),
            Some(Err(error)) => ("failed", None, Some(error)),
        };
        json!({
            "id": self.id,
            "kind": self.kind,
            "state": state,
            "done": self.done.load(Ordering::SeqCst),
            "of": self.of.load(Ordering::SeqCst),
            "skipped": skipped.len(),
            "skipped_files": skipped.iter().take(TOLD).collect::<Vec<_>>(),
            "result": result,
            "error": error,
        })
    }
}

impl Observer for Job {
    fn reading(&self, photos: usize) -> Box<dyn Fn(usize) + Sync + '_> {
        self.of.store(photos, Ordering::SeqCst);
        Box::new(|done| {
            self.done.fetch_max(done, Ordering::SeqCst);
        })
    }

    fn skipped(&self, skipped: &[Skipped]) {
        let mut all = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(skipped.iter().map(Skipped::to_string));
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::SeqCst)
    }
}
