//! Work that takes longer than an answer may: begun, asked about, and ended before its time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use eigenfaces::dataset::Skipped;
use eigenfaces::enrollment::{Notice, Observer};
use serde_json::{Value, json};

use super::failure::{Answer, Failure};
use super::locked;

/// A group job's result holds pictures.
const KEPT: usize = 10;

/// Maximum number of skipped files listed; the others are counted.
const TOLD: usize = 20;

/// The reason why what jobs have found is forgotten: it may name people who are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forgotten {
    Erased,
    TakenBack,
}

impl Forgotten {
    fn in_words(self) -> String {
        let done = match self {
            Self::Erased => "faces were erased",
            Self::TakenBack => "a change that had added faces was undone",
        };
        format!("{done} since it began, so what it found is forgotten; begin it again")
    }
}

#[derive(Debug, Default)]
pub struct Jobs {
    all: Mutex<BTreeMap<u64, Arc<Job>>>,
    next: AtomicU64,
}

/// One job: the observer of its own work.
#[derive(Debug, Default)]
pub struct Job {
    pub id: u64,
    kind: &'static str,
    done: AtomicUsize,
    of: AtomicUsize,
    is_cancelled: AtomicBool,
    found: Mutex<Findings>,
}

/// The findings of a job so far, which may name people.
#[derive(Debug, Default)]
struct Findings {
    skipped: Vec<String>,
    skipped_count: usize,
    /// Notices about the photos, as the command line prints them.
    notices: Vec<String>,
    /// The reason why it is forgotten, if faces that were enrolled when the job began are no longer.
    forgotten: Option<Forgotten>,
    end: Option<Result<Value, String>>,
}

impl Jobs {
    /// A new job; `None` while another one works.
    pub fn begin(&self, kind: &'static str) -> Option<Arc<Job>> {
        let mut all = locked(&self.all);
        if all.values().any(|job| job.is_working()) {
            return None;
        }
        while all.len() >= KEPT {
            all.pop_first();
        }
        let id = self.next.fetch_add(1, Ordering::SeqCst) + 1;
        let job = Arc::new(Job { id, kind, ..Job::default() });
        all.insert(id, Arc::clone(&job));
        Some(job)
    }

    pub fn find(&self, id: u64) -> Option<Arc<Job>> {
        locked(&self.all).get(&id).cloned()
    }

    /// The job that works, in words.
    pub fn working(&self) -> Option<String> {
        let all = locked(&self.all);
        let job = all.values().find(|job| job.is_working())?;
        Some(format!("job {}, {},", job.id, job.kind))
    }

    /// Forgets what jobs have found, for it may name people who are gone.
    pub fn forget_results(&self, reason: Forgotten) {
        for job in locked(&self.all).values() {
            let mut found = locked(&job.found);
            found.skipped.clear();
            found.notices.clear();
            found.forgotten = Some(reason);
            if let Some(end) = &mut found.end {
                *end = end.as_ref().map(|_| Value::Null).map_err(|_| reason.in_words());
            }
        }
    }

    pub fn cancel_all(&self) {
        locked(&self.all).values().for_each(|job| job.cancel());
    }
}

impl Job {
    fn is_working(&self) -> bool {
        locked(&self.found).end.is_none()
    }

    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::SeqCst);
    }

    pub fn finish(&self, end: Answer<Value>) {
        let end = end.map_err(|Failure { message, .. }| message);
        let mut found = locked(&self.found);
        found.end = Some(found.forgotten.map_or(end, |reason| Err(reason.in_words())));
    }

    /// Whether what it finds is forgotten, for faces are gone that were enrolled when it began.
    pub fn is_outdated(&self) -> bool {
        locked(&self.found).forgotten.is_some()
    }

    pub fn note(&self, notice: String) {
        let mut found = locked(&self.found);
        if found.forgotten.is_none() {
            found.notices.push(notice);
        }
    }

    /// The state of the job as JSON; `waiting` is the number of queued changes.
    pub fn report(&self, waiting: usize) -> Value {
        let found = locked(&self.found);
        let (state, result, error) = match &found.end {
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
            "skipped": found.skipped_count,
            "skipped_files": found.skipped,
            "notices": found.notices,
            "changes_waiting": waiting,
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
        let mut found = locked(&self.found);
        found.skipped_count += skipped.len();
        if found.forgotten.is_none() {
            let room = TOLD.saturating_sub(found.skipped.len());
            found.skipped.extend(skipped.iter().take(room).map(Skipped::to_string));
        }
    }

    fn notice(&self, notice: &Notice<'_>) {
        self.note(notice.to_string());
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::SeqCst)
    }
}
