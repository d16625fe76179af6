//! Threads: requests have theirs, and changes and jobs have others, which the system lets run when no request does.
//!
//! A waiting task of rayon may work on any other of its pool: requests share none with what takes longer than they may.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::Semaphore;

use super::failure::{Answer, Failure};
use super::locked;
use crate::error::{Error, Result};

/// Maximum number of requests queued for a core; others are refused.
const MOST_WAITING: usize = 64;

/// Niceness of changes and jobs: beside a request on the same core, a thread of niceness 5 gets a quarter of it, one of 10 a tenth.
const NICENESS: [i32; 2] = [5, 10];

/// Work that is not done within the answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// A change that somebody waits for, one at a time.
    Change,
    /// A job, one at a time.
    Job,
}

#[derive(Debug)]
pub struct Workers {
    /// For a request that comes alone: all cores.
    alone: ThreadPool,
    /// One thread each, for requests while others are worked on: their work is not cut into pieces for busy cores.
    single: Mutex<Vec<ThreadPool>>,
    changes: ThreadPool,
    jobs: ThreadPool,
    cores: Arc<Semaphore>,
    core_count: usize,
    waiting: AtomicUsize,
}

impl Workers {
    pub fn start() -> Result<Self> {
        let core_count = rayon::current_num_threads();
        let pool = |builder: ThreadPoolBuilder| {
            builder.num_threads(core_count).build().map_err(|error| {
                Error::Told(format!(
                    "no threads can be started for serving ({error}); close other programs or raise the limit (ulimit -u)"
                ))
            })
        };
        Ok(Self {
            alone: pool(ThreadPoolBuilder::new())?,
            single: Mutex::default(),
            changes: pool(ThreadPoolBuilder::new().start_handler(|_| yield_by(NICENESS[0])))?,
            jobs: pool(ThreadPoolBuilder::new().start_handler(|_| yield_by(NICENESS[1])))?,
            cores: Arc::new(Semaphore::new(core_count)),
            core_count,
            waiting: AtomicUsize::new(0),
        })
    }

    /// Works for a request, on a core as soon as one is free.
    pub async fn answer<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce() -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let waiting = Waiting::enter(self)?;
        let permit = Arc::clone(&self.cores).acquire_owned().await;
        drop(waiting);
        let permit = permit.map_err(|_| Failure::busy())?;
        let is_alone = self.cores.available_permits() + 1 == self.core_count;
        let workers = Arc::clone(self);
        blocking(move || {
            let _permit = permit;
            if is_alone { workers.alone.install(work) } else { workers.on_one_core(work) }
        })
        .await
    }

    /// Works in the background, whether or not requests are worked on.
    pub async fn behind<T: Send + 'static>(
        self: &Arc<Self>,
        background: Background,
        work: impl FnOnce() -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let workers = Arc::clone(self);
        blocking(move || match background {
            Background::Change => workers.changes.install(work),
            Background::Job => workers.jobs.install(work),
        })
        .await
    }

    /// Works on one core only, if a thread can be had for it.
    fn on_one_core<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let free = locked(&self.single).pop();
        let pool = free.or_else(|| ThreadPoolBuilder::new().num_threads(1).build().ok());
        let Some(pool) = pool else { return self.alone.install(work) };
        let done = pool.install(work);
        locked(&self.single).push(pool);
        done
    }
}

/// Lowers the priority of this thread; outside Linux, where it would be that of the process, does nothing.
fn yield_by(niceness: i32) {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(niceness);
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}

/// Works on a thread of its own. Work that panics is an error, and the server lives.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Answer<T> + Send + 'static) -> Answer<T> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(Failure::internal("the work broke down; nothing was changed")))
}

/// A queued request, counted until it is dropped.
struct Waiting<'a>(&'a Workers);

impl<'a> Waiting<'a> {
    fn enter(workers: &'a Workers) -> Answer<Self> {
        let waiting = Self(workers);
        match workers.waiting.fetch_add(1, Ordering::SeqCst) {
            0..MOST_WAITING => Ok(waiting),
            _ => Err(Failure::busy()),
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}
