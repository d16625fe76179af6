//! The gallery that is served: one model that many may ask, and one change at a time.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use eigenfaces::dataset::{ContentHash, Person};
use eigenfaces::face_index;
use eigenfaces::gallery::LabeledFace;
use eigenfaces::preparation::{Preparation, PreparedFace};
use eigenfaces::recognizer::verify_alone;
use eigenfaces::store::ModelLock;
use eigenfaces::{Acceptance, Model, Verification};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::Semaphore;

use super::access::Access;
use super::failure::{Answer, Failure};
use super::jobs::Jobs;
use super::journal::Journal;
use crate::cli::error::Result;
use crate::cli::group::apply;

/// The service, as handlers are given it.
pub type Shared = State<Arc<Service>>;

/// So many requests may wait for a core; beyond that they are sent away.
const MOST_WAITING: usize = 64;

/// Faces that are added one by one are learned when none has come for so long.
const BURST: Duration = Duration::from_millis(300);

/// A state of the gallery. Whoever has it may go on asking it while the next one is made.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// `None` while nobody is enrolled.
    pub model: Option<Arc<Model>>,
    revision: u64,
}

impl Snapshot {
    /// The model, if anybody is enrolled.
    pub fn model(&self) -> Answer<&Arc<Model>> {
        self.model.as_ref().ok_or_else(Failure::nobody_enrolled)
    }

    /// Preparation of photos, also before anybody is enrolled.
    pub fn preparation(&self) -> Preparation {
        match &self.model {
            Some(model) => *model.recognizer().preparation(),
            None => face_index::preparation(),
        }
    }

    /// Whether two prepared faces are of one person, also before anybody is enrolled.
    pub fn verify(&self, first: &PreparedFace, second: &PreparedFace) -> Answer<Verification> {
        let acceptance = Acceptance::default();
        Ok(match &self.model {
            Some(model) => model.recognizer().verify(first, second, acceptance)?,
            None => verify_alone(first, second, acceptance)?,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// It can be taken back until the next change.
    Possible,
    /// Nothing is taken back: it was erased.
    Never,
}

#[derive(Debug)]
pub struct Service {
    pub access: Access,
    pub jobs: Jobs,
    file: PathBuf,
    /// Tells the revisions of this run from those of another.
    run: u32,
    current: RwLock<Snapshot>,
    changes: Mutex<Changes>,
    additions: AtomicUsize,
    cores: Arc<Semaphore>,
    core_count: usize,
    /// One thread each, for requests that come while others are worked on: their work is not cut into pieces for cores
    /// that are busy anyway.
    single: Mutex<Vec<ThreadPool>>,
    waiting: AtomicUsize,
}

/// State that only one request may change at a time.
#[derive(Debug)]
struct Changes {
    _lock: ModelLock,
    journal: Journal,
    before: Option<Option<Arc<Model>>>,
}

impl Service {
    /// Reads the model, if there is one, and learns what an earlier run had no time to.
    ///
    /// # Errors
    /// A file that is no model.
    pub fn open(file: &Path, lock: ModelLock, access: Access) -> Result<Self> {
        let model = match file.exists() {
            true => Some(Arc::new(Model::load(file)?)),
            false => None,
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let service = Self {
            access,
            jobs: Jobs::default(),
            file: file.to_owned(),
            run: std::process::id(),
            current: RwLock::new(Snapshot { model, revision: 1 }),
            changes: Mutex::new(Changes {
                _lock: lock,
                journal: Journal::open(file)?,
                before: None,
            }),
            additions: AtomicUsize::new(0),
            cores: Arc::new(Semaphore::new(cores)),
            core_count: cores,
            single: Mutex::default(),
            waiting: AtomicUsize::new(0),
        };
        service.settle(&mut service.changes())?;
        Ok(service)
    }

    /// The gallery as it is, without faces that were added and are not learned yet.
    pub fn snapshot(&self) -> Snapshot {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.clone()
    }

    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The gallery with all that was added; learns it first where that has not been done.
    ///
    /// # Errors
    /// A model that cannot be written.
    pub fn settled(&self) -> Answer<Snapshot> {
        if self.additions.load(Ordering::SeqCst) > 0 {
            self.settle(&mut self.changes())?;
        }
        Ok(self.snapshot())
    }

    /// The name of a state of the gallery, which changes with it.
    pub fn tag(&self, snapshot: &Snapshot) -> String {
        format!("\"{:x}-{:x}\"", self.run, snapshot.revision)
    }

    /// Works on a core as soon as one is free.
    ///
    /// # Errors
    /// Those of the work; too many are waiting.
    pub async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        if self.waiting.fetch_add(1, Ordering::SeqCst) >= MOST_WAITING {
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            return Err(Failure::busy());
        }
        let waiting = Waiting(Arc::clone(self));
        let permit = Arc::clone(&self.cores).acquire_owned().await;
        drop(waiting);
        let permit = permit.map_err(|_| Failure::busy())?;
        let is_alone = self.cores.available_permits() + 1 == self.core_count;
        let service = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            match is_alone {
                true => work(&service),
                false => service.on_one_core(work),
            }
        });
        done.await.unwrap_or_else(|_| {
            Err(Failure::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the work broke down; nothing was changed",
            ))
        })
    }

    /// Asks the model with all that was added, on a core as soon as one is free.
    ///
    /// # Errors
    /// Those of the question; nobody is enrolled; too many are waiting.
    pub async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        question: impl FnOnce(&Model) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        self.work(|service| question(service.settled()?.model()?))
            .await
    }

    /// Works on one core only, if a thread can be had for it.
    fn on_one_core<T: Send>(&self, work: impl FnOnce(&Self) -> T + Send) -> T {
        let single = || self.single.lock().unwrap_or_else(PoisonError::into_inner);
        let free = single().pop();
        let pool = free.or_else(|| ThreadPoolBuilder::new().num_threads(1).build().ok());
        let Some(pool) = pool else { return work(self) };
        let done = pool.install(|| work(self));
        single().push(pool);
        done
    }

    /// Changes the gallery: `change` gets the model, or nothing while nobody is enrolled, and leaves what is to be
    /// enrolled. It is written before this returns what `change` did, and the new state. `expected` is the tag of the
    /// state that the change was meant for.
    ///
    /// # Errors
    /// Those of the change; 412 where the gallery has another state; a model that cannot be written. Nothing is changed.
    pub fn change<T>(
        &self,
        expected: Option<&str>,
        undo: Undo,
        change: impl FnOnce(&mut Option<Model>) -> Answer<T>,
    ) -> Answer<(T, Snapshot)> {
        let mut changes = self.changes();
        self.settle(&mut changes)?;
        let before = self.snapshot();
        if expected.is_some_and(|expected| expected != self.tag(&before)) {
            return Err(Failure::new(
                StatusCode::PRECONDITION_FAILED,
                "the gallery was changed meanwhile: look at it again before you change it",
            ));
        }
        let mut model = before.model.as_deref().cloned();
        let value = change(&mut model)?;
        let after = self.keep(model.map(Arc::new))?;
        changes.before = match undo {
            Undo::Possible => Some(before.model),
            Undo::Never => None,
        };
        Ok((value, after))
    }

    /// Erases faces, by their positions in the gallery. This cannot be taken back. Returns whose faces they were, and the
    /// new state.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    pub fn erase(
        &self,
        expected: Option<&str>,
        chosen: impl FnOnce(&Model) -> Answer<Vec<usize>>,
    ) -> Answer<(Vec<(ContentHash, Person)>, Snapshot)> {
        self.change(expected, Undo::Never, |model| {
            let Some(known) = model else {
                return Ok(Vec::new());
            };
            let enrolled = known.gallery().enrolled();
            let erased = chosen(known)?.into_iter().map(|at| {
                let face = &enrolled[at];
                (face.hash, known.people()[face.person].clone())
            });
            let erased: Vec<_> = erased.collect();
            if erased.len() == enrolled.len() {
                *model = None;
            } else {
                let hashes: Vec<ContentHash> = erased.iter().map(|&(hash, _)| hash).collect();
                known.remove_faces(&hashes)?;
            }
            Ok(erased)
        })
    }

    /// Takes back the last change.
    ///
    /// # Errors
    /// There is none that could be.
    pub fn undo(&self) -> Answer<Snapshot> {
        let mut changes = self.changes();
        self.settle(&mut changes)?;
        let Some(before) = changes.before.take() else {
            return Err(Failure::new(
                StatusCode::CONFLICT,
                "there is no change to take back; what was erased is gone",
            ));
        };
        Ok(self.keep(before)?)
    }

    /// Adds a face that was prepared as the gallery's are. It is on disk when this returns, and learned soon after.
    ///
    /// # Errors
    /// It is enrolled as somebody else; a disk that is full.
    pub fn add_soon(self: &Arc<Self>, face: LabeledFace) -> Answer<()> {
        let mut changes = self.changes();
        let enrolled = self.snapshot().model.and_then(|model| {
            let gallery = model.gallery();
            let at = gallery.position(face.hash)?;
            Some(gallery.people()[gallery.enrolled()[at].person].clone())
        });
        let mut added = changes.journal.faces().iter().rev();
        let added = added.find(|other| other.hash == face.hash);
        let known = enrolled.or_else(|| Some(added?.person.clone()));
        match known {
            Some(person) if person == face.person => return Ok(()),
            Some(person) => {
                let person = person.to_string();
                return Err(eigenfaces::Error::PhotoOfOther { person }.into());
            }
            None => changes.journal.add(face)?,
        }
        drop(changes);
        let additions = self.additions.fetch_add(1, Ordering::SeqCst) + 1;
        let service = Arc::clone(self);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                tokio::time::sleep(BURST).await;
                if service.additions.load(Ordering::SeqCst) == additions {
                    // What fails now is told to whoever asks next.
                    let _ = service.work(|service| service.settled().map(|_| ())).await;
                }
            });
        }
        Ok(())
    }

    fn settle(&self, changes: &mut Changes) -> Result<()> {
        let snapshot = self.snapshot();
        let preparation = snapshot.preparation();
        let pixels = preparation.size().pixels();
        let faces = changes.journal.faces().iter();
        let faces: Vec<LabeledFace> = faces
            .filter(|face| face.pixels.len() == pixels)
            .cloned()
            .collect();
        if !faces.is_empty() {
            let before = snapshot.model.as_deref().cloned();
            let (model, _) = apply::added(before, preparation, faces)?;
            self.keep(Some(Arc::new(model)))?;
            changes.before = Some(snapshot.model);
        }
        changes.journal.clear();
        self.additions.store(0, Ordering::SeqCst);
        Ok(())
    }

    /// Writes the model, and has everybody ask it from now on.
    fn keep(&self, model: Option<Arc<Model>>) -> Result<Snapshot> {
        match &model {
            Some(model) => model.save(&self.file)?,
            None => remove(&self.file)?,
        }
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Snapshot {
            model,
            revision: current.revision + 1,
        };
        Ok(current.clone())
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the file of a model in which nobody is enrolled.
fn remove(file: &Path) -> Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(eigenfaces::Error::unreadable(file, error.to_string()).into())
        }
        _ => Ok(()),
    }
}

/// One that waits for a core; not any more when dropped.
struct Waiting(Arc<Service>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}
