//! The gallery that is served. The model can be asked while the next is made; changes are made one by one, in order.

mod additions;
mod changes;
mod snapshot;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use axum::extract::State;
use eigenfaces::Model;
use eigenfaces::store::ModelLock;

use self::additions::Arrivals;
pub use self::changes::{Changes, Gesture};
pub use self::snapshot::Snapshot;
use super::access::Access;
use super::failure::{Answer, Failure};
use super::folder_faces::FolderFaces;
use super::jobs::Jobs;
use super::workers::{Background, Workers};
use super::{Messages, locked};
use crate::albums::EnrolledPixels;
use crate::error::Result;

pub type Shared = State<Arc<Service>>;

/// Grace period for the current change at shutdown.
const LAST_CHANGE: Duration = Duration::from_secs(5);

pub struct Service {
    pub access: Access,
    pub jobs: Jobs,
    pub file: PathBuf,
    /// A random number: part of every revision, so that those of another run differ. (Each first process of a container has one id.)
    run: u32,
    current: RwLock<Snapshot>,
    changes: Arc<tokio::sync::Mutex<Changes>>,
    /// The changes that wait for their turn, by their numbers.
    queue: Mutex<BTreeSet<u64>>,
    arrivals: Mutex<Arrivals>,
    is_ending: AtomicBool,
    workers: Arc<Workers>,
    pub messages: Messages,
    folder: Mutex<Option<Arc<FolderFaces>>>,
    /// The person of each enrolled face, and the revision of which that is.
    enrolled: Mutex<Option<(u64, Arc<EnrolledPixels>)>>,
}

impl Service {
    /// Reads the model, if there is one.
    /// Errors: a file that is no model.
    pub fn open(file: &Path, lock: ModelLock, access: Access, messages: Messages) -> Result<Self> {
        let model = Model::at(file)?.map(Arc::new);
        Ok(Self {
            access,
            jobs: Jobs::default(),
            file: file.to_owned(),
            run: getrandom::u32().unwrap_or_else(|_| std::process::id()),
            current: RwLock::new(Snapshot { model, revision: 1 }),
            changes: Arc::new(tokio::sync::Mutex::new(Changes { lock, said: Vec::new() })),
            queue: Mutex::default(),
            arrivals: Mutex::default(),
            is_ending: AtomicBool::new(false),
            workers: Arc::new(Workers::start()?),
            messages,
            folder: Mutex::default(),
            enrolled: Mutex::default(),
        })
    }

    /// The folder that was grouped last.
    /// Errors: there is none, or faces were erased since.
    pub fn folder(&self) -> Answer<Arc<FolderFaces>> {
        let none = || Failure::conflict("no folder was grouped, or faces were erased since: group the folder again");
        locked(&self.folder).clone().ok_or_else(none)
    }

    pub fn set_folder(&self, faces: FolderFaces) {
        *locked(&self.folder) = Some(Arc::new(faces));
    }

    /// The person of each enrolled face, by its pixels: worked out once for each state of the gallery.
    pub fn enrolled(&self, snapshot: &Snapshot) -> Arc<EnrolledPixels> {
        let mut kept = locked(&self.enrolled);
        match &*kept {
            Some((revision, enrolled)) if *revision == snapshot.revision => Arc::clone(enrolled),
            _ => {
                let enrolled = Arc::new(EnrolledPixels::of(snapshot.model.as_deref()));
                *kept = Some((snapshot.revision, Arc::clone(&enrolled)));
                enrolled
            }
        }
    }

    /// Forgets the folder that was grouped last and whose the faces are, for somebody was erased.
    pub fn forget_folder(&self) {
        *locked(&self.folder) = None;
        *locked(&self.enrolled) = None;
    }

    pub fn snapshot(&self) -> Snapshot {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The revision (ETag) of the gallery.
    pub fn tag(&self, snapshot: &Snapshot) -> String {
        format!("\"{:x}-{:x}\"", self.run, snapshot.revision)
    }

    pub fn changes_waiting(&self) -> usize {
        locked(&self.queue).len()
    }

    pub async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let service = Arc::clone(self);
        self.workers.answer(move || work(&service)).await
    }

    /// Asks the model, on a core as soon as one is free.
    pub async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        question: impl FnOnce(&Model) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let snapshot = self.snapshot();
        self.work(move |_| question(snapshot.model()?)).await
    }

    /// Works as a job that changes nothing.
    pub async fn work_in_job<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce() -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        self.workers.behind(Background::Job, work).await
    }

    /// Gives the state another tag: what is remembered of faces has changed, and with it what would be undone.
    pub fn renew(&self) -> Snapshot {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        current.revision += 1;
        current.clone()
    }

    /// Shutdown: waits a grace period for the current change and cancels a job. Nothing is changed after this.
    pub fn end(&self) {
        self.jobs.cancel_all();
        self.is_ending.store(true, Ordering::SeqCst);
        let begun = Instant::now();
        while begun.elapsed() < LAST_CHANGE && self.changes.try_lock().is_err() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
