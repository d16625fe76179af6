//! The gallery that is served. Everybody may ask the model as it is, whatever is done to the next one; changes are made one
//! at a time, in the order in which they came.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::StatusCode;
use eigenfaces::dataset::{ContentHash, Person};
use eigenfaces::enrollment::{Observer, PhotoFaces};
use eigenfaces::face_index;
use eigenfaces::gallery::{Gallery, LabeledFace};
use eigenfaces::model::TakenIn;
use eigenfaces::preparation::{Preparation, PreparedFace};
use eigenfaces::recognizer::verify_alone;
use eigenfaces::store::{Addition, Journal, ModelLock};
use eigenfaces::{Acceptance, FaceChoice, Model, Photo, QueryOptions, Settings, Verification};
use serde_json::Value;
use tokio::sync::{OwnedMutexGuard, watch};

use super::access::Access;
use super::failure::{Answer, Failure};
use super::folder_faces::FolderFaces;
use super::jobs::{Forgotten, Job, Jobs};
use super::locked;
use super::workers::{Background, Workers};
use crate::cli::error::{Error, Result};
use crate::cli::group::albums::Remembered;
use crate::cli::group::enrolled::Enrolled;
use crate::cli::json;
use crate::cli::model_changes;
use crate::cli::output::Output;

/// The service, as handlers are given it.
pub type Shared = State<Arc<Service>>;

/// Maximum number of changes that wait for their turn; beyond that they are sent away.
const MOST_WAITING: usize = 64;

/// Time after which a change that waits for its turn is refused: less than a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Gestures about faces of folders that can be undone, the last.
const MOST_SAID: usize = 20;

/// Pause after the last added face before all are learned together.
const BURST: Duration = Duration::from_millis(300);

/// Time after which added faces are learned, however steadily more come: well before two seconds, since learning takes some.
const LATEST: Duration = Duration::from_secs(1);

/// Time that somebody who asks for the last change waits for one that is being made.
const SHORT_CHANGE: Duration = Duration::from_secs(1);

/// Whoever asks waits until faces that were added are learned, if the first of them came no longer ago than this. Where
/// learning takes longer, or faces are added all the time, nobody waits for it.
const LEARNING: Duration = Duration::from_secs(2);

/// Time that the change being made has left when the server is told to end. Faces in the journal are safe anyway.
const LAST_CHANGE: Duration = Duration::from_secs(5);

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
        preparation(self.model.as_deref())
    }

    /// Who is in a photo of that name, as JSON, and which enrolled face each is; also before anybody is enrolled.
    pub fn identify(&self, photo: &Photo, name: &str, query: QueryOptions) -> Answer<Value> {
        let faces = PhotoFaces::of(&self.preparation(), photo)?;
        let Some(model) = &self.model else {
            return Ok(json::located(Path::new(name), &faces.locations()));
        };
        let identifier = model.recognizer().identifier();
        let found = identifier.identify_prepared(from_ref(faces.prepared()), query)?;
        let mut told = json::identified(Path::new(name), &found[0]);
        let gallery = model.gallery();
        // Whose name it has does not matter to where it is.
        for at in 0..found[0].len() {
            let face = faces.labeled(at, &gallery.people()[0], "");
            let there = face.and_then(|face| gallery.photo_position(&face));
            told["faces"][at]["enrolled"] = there.map_or(Value::Null, |there| {
                let face = &gallery.enrolled()[there];
                serde_json::json!({ "hash": face.hash.to_string(), "person": gallery.people()[face.person].as_str() })
            });
        }
        Ok(told)
    }

    /// Whether two prepared faces are of one person, also before anybody is enrolled.
    pub fn verify(&self, first: &PreparedFace, second: &PreparedFace) -> Answer<Verification> {
        let acceptance = Acceptance::default();
        Ok(match &self.model {
            Some(model) => model.recognizer().verify(first, second, acceptance)?,
            None => verify_alone(first, second, acceptance)?,
        })
    }

    /// The number of the last change that can be undone, or 0.
    fn last_step(&self) -> u64 {
        let step = self
            .model
            .as_ref()
            .and_then(|model| model.history().last_step());
        step.map_or(0, |(number, _)| number)
    }

    /// The model, if a face can be added to it and learned later whatever it looks like: some faces must differ.
    fn varied(&self) -> Option<&Model> {
        let model = self.model.as_deref()?;
        (model.recognizer().space().components() > 0).then_some(model)
    }
}

/// Preparation of photos for a model, or for the one that the first of them makes.
pub fn preparation(model: Option<&Model>) -> Preparation {
    match model {
        Some(model) => *model.recognizer().preparation(),
        None => face_index::preparation(),
    }
}

#[derive(Debug)]
pub struct Service {
    pub access: Access,
    pub jobs: Jobs,
    file: PathBuf,
    /// Tells the revisions of this run from those of another.
    run: u32,
    current: RwLock<Snapshot>,
    /// Held for no longer than a record takes to be written.
    journal: Mutex<Journal>,
    changes: Arc<tokio::sync::Mutex<Changes>>,
    /// The changes that wait for their turn, by their numbers.
    queue: Mutex<BTreeSet<u64>>,
    progress: watch::Sender<Progress>,
    workers: Arc<Workers>,
    output: Output,
    /// The folder that was grouped last.
    folder: Mutex<Option<Arc<FolderFaces>>>,
    /// Whose enrolled faces are, and the revision of which that is.
    enrolled: Mutex<Option<(u64, Arc<Enrolled>)>>,
}

/// State that only the change whose turn it is may touch.
#[derive(Debug)]
pub struct Changes {
    lock: ModelLock,
    /// What was said of faces of folders since the server began and can be undone, the last at the end. Changes of the gallery
    /// stand in its history.
    said: Vec<Said>,
}

/// What was said of faces of folders by one gesture.
#[derive(Debug)]
struct Said {
    /// In words.
    told: String,
    answers: Vec<Remembered>,
    /// The number of the gallery's last change then.
    after: u64,
    gesture: Gesture,
}

/// What a gesture has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gesture {
    Answers,
    /// The gallery too: that is its last change.
    AnswersAndGallery,
}

impl Changes {
    /// Takes down what was said of faces, after the gallery was changed where the gesture did.
    pub fn remembered(
        &mut self,
        told: &str,
        gesture: Gesture,
        answers: Vec<Remembered>,
        state: &Snapshot,
    ) {
        self.said.push(Said {
            told: told.to_owned(),
            answers,
            after: state.last_step(),
            gesture,
        });
        let over = self.said.len().saturating_sub(MOST_SAID);
        self.said.drain(..over);
    }

    /// What was said later than the gallery was changed, or with that.
    fn last_said(&self, state: &Snapshot) -> Option<&Said> {
        let said = self.said.last();
        said.filter(|said| said.after >= state.last_step())
    }

    /// What undo would take back, in words, and how many faces that erases.
    fn last(&self, state: &Snapshot) -> Option<(String, usize)> {
        match self.last_said(state) {
            Some(said) if said.gesture == Gesture::Answers => Some((said.told.clone(), 0)),
            _ => {
                let model = state.model.as_deref()?;
                let gallery = model.gallery();
                let change = model.history().last_change()?;
                Some((change.in_words(gallery), change.erases(gallery)))
            }
        }
    }
}

/// What whoever asks may have to wait for.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    /// Faces in the journal.
    unlearned: usize,
    /// Faces that were ever put there.
    added: u64,
    /// When the first of them came, or earlier.
    since: Option<Instant>,
    /// Whether a job changes the gallery: nobody waits for it.
    is_job_changing: bool,
    /// Whether the faces could not be learned when that was tried last.
    has_failed: bool,
    is_ending: bool,
}

impl Progress {
    /// Whether the gallery as it is is the answer.
    fn is_ready(&self) -> bool {
        self.unlearned == 0 || self.is_job_changing || self.has_failed
    }

    /// Whether it is time to learn: nothing was added since so many were, or the first has waited long enough.
    fn is_due(&self, added: u64) -> bool {
        let waits = self.since.is_some_and(|since| since.elapsed() >= LATEST);
        self.unlearned > 0 && (self.added == added || waits)
    }
}

impl Service {
    /// Reads the model, if there is one, and learns what an earlier run had no time to.
    ///
    /// # Errors
    /// A file that is no model.
    pub fn open(file: &Path, mut lock: ModelLock, access: Access, output: Output) -> Result<Self> {
        let (model, taken) = Model::open(file, &lock)?;
        if taken != TakenIn::default() {
            lock.follow();
        }
        model_changes::report_taken_in(&taken, file, &output);
        let model = model.map(Arc::new);
        Ok(Self {
            access,
            jobs: Jobs::default(),
            file: file.to_owned(),
            run: std::process::id(),
            current: RwLock::new(Snapshot { model, revision: 1 }),
            journal: Mutex::new(Journal::open(file)?),
            changes: Arc::new(tokio::sync::Mutex::new(Changes {
                lock,
                said: Vec::new(),
            })),
            queue: Mutex::default(),
            progress: watch::Sender::default(),
            workers: Arc::new(Workers::start()?),
            output,
            folder: Mutex::default(),
            enrolled: Mutex::default(),
        })
    }

    /// Output that tells nobody: what is said of photos and people belongs into the answer.
    pub fn silent(&self) -> Output {
        self.output.silent()
    }

    /// The folder that was grouped last.
    ///
    /// # Errors
    /// There is none, or faces were erased since.
    pub fn folder(&self) -> Answer<Arc<FolderFaces>> {
        let none = || {
            let message =
                "no folder was grouped, or faces were erased since: group the folder again";
            Failure::new(StatusCode::CONFLICT, message)
        };
        locked(&self.folder).clone().ok_or_else(none)
    }

    pub fn set_folder(&self, faces: FolderFaces) {
        *locked(&self.folder) = Some(Arc::new(faces));
    }

    /// Whose enrolled faces are, by their pixels: worked out once for each state of the gallery.
    pub fn enrolled(&self, snapshot: &Snapshot) -> Arc<Enrolled> {
        let mut kept = locked(&self.enrolled);
        match &*kept {
            Some((revision, enrolled)) if *revision == snapshot.revision => Arc::clone(enrolled),
            _ => {
                let enrolled = Arc::new(Enrolled::of(snapshot.model.as_deref()));
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

    /// The gallery as it is, without faces that were added and are not learned yet.
    pub fn snapshot(&self) -> Snapshot {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.clone()
    }

    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The gallery with all that was added, unless a job is changing it, learning fails, or takes long: then without.
    pub async fn up_to_date(self: &Arc<Self>) -> Snapshot {
        let mut progress = self.progress.subscribe();
        let now = *progress.borrow();
        let waited = now.since.map_or(Duration::ZERO, |since| since.elapsed());
        if let (false, Some(left)) = (now.is_ready(), LEARNING.checked_sub(waited)) {
            self.learn_after(Duration::ZERO);
            let learned = progress.wait_for(Progress::is_ready);
            let _ = tokio::time::timeout(left, learned).await;
        }
        self.snapshot()
    }

    /// The name of a state of the gallery, which changes with it.
    pub fn tag(&self, snapshot: &Snapshot) -> String {
        format!("\"{:x}-{:x}\"", self.run, snapshot.revision)
    }

    /// Number of changes that wait for their turn.
    pub fn changes_waiting(&self) -> usize {
        locked(&self.queue).len()
    }

    /// Works for a request on a core, as soon as one is free.
    ///
    /// # Errors
    /// Those of the work; too many are waiting.
    pub async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let service = Arc::clone(self);
        self.workers.answer(move || work(&service)).await
    }

    /// Asks the model with all that was added, on a core as soon as one is free.
    ///
    /// # Errors
    /// Those of the question; nobody is enrolled; too many are waiting.
    pub async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        question: impl FnOnce(&Model) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let snapshot = self.up_to_date().await;
        self.work(move |_| question(snapshot.model()?)).await
    }

    /// Works as a job that changes nothing.
    ///
    /// # Errors
    /// Those of the work.
    pub async fn work_in_job<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce() -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        self.workers.behind(Background::Job, work).await
    }

    /// Changes the gallery: `change` gets the model, or nothing while nobody is enrolled, and leaves what is to be
    /// enrolled. It is written before this returns what `change` did, and the new state. `expected` is the tag of the
    /// state that the change was meant for.
    ///
    /// # Errors
    /// Those of the change; 412 where the gallery has another state; 503 where other changes take too long; a model that
    /// cannot be written. Nothing is changed.
    pub async fn change<T: Send + 'static>(
        self: &Arc<Self>,
        expected: Option<String>,
        change: impl FnOnce(&mut Option<Model>) -> Answer<T> + Send + 'static,
    ) -> Answer<(T, Snapshot)> {
        let mut turn = self.turn().await?;
        let service = Arc::clone(self);
        let work = move || service.change_now(&mut turn, expected.as_deref(), change);
        self.workers.behind(Background::Change, work).await
    }

    /// As [`change`](Self::change), however long it takes: others ask the gallery as it was meanwhile.
    ///
    /// # Errors
    /// As [`change`](Self::change); the job was cancelled.
    pub async fn change_in_job<T: Send + 'static>(
        self: &Arc<Self>,
        job: &Arc<Job>,
        expected: Option<String>,
        change: impl FnOnce(&mut Option<Model>, &Job) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let work = move |service: &Self, changes: &mut Changes, job: &Job| {
            let change = |model: &mut Option<Model>| change(model, job);
            let changed = service.change_now(changes, expected.as_deref(), change);
            Ok(changed?.0)
        };
        self.in_turn(job, work).await
    }

    /// Works as a job when all changes that came before are made, and keeps others from being made meanwhile.
    ///
    /// # Errors
    /// Those of the work; the job was cancelled.
    pub async fn in_turn<T: Send + 'static>(
        self: &Arc<Self>,
        job: &Arc<Job>,
        work: impl FnOnce(&Self, &mut Changes, &Job) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let mut turn = Arc::clone(&self.changes).lock_owned().await;
        let (service, job) = (Arc::clone(self), Arc::clone(job));
        let work = move || {
            let _changing = JobChanging::begin(&service);
            if job.is_cancelled() {
                return Err(eigenfaces::Error::Cancelled.into());
            }
            let done = work(&service, &mut turn, &job);
            drop(turn);
            done
        };
        let done = self.workers.behind(Background::Job, work).await;
        if self.progress.borrow().unlearned > 0 {
            self.learn_after(Duration::ZERO);
        }
        done
    }

    /// Waits until all changes that came before are made.
    async fn turn(self: &Arc<Self>) -> Answer<OwnedMutexGuard<Changes>> {
        let place = Place::enter(self)?;
        let turn = Arc::clone(&self.changes).lock_owned();
        match tokio::time::timeout(PATIENCE, turn).await {
            Ok(turn) if !self.progress.borrow().is_ending => Ok(turn),
            Ok(_) => Err(Failure::ending()),
            Err(_) => Err(Failure::queued(place.position(), self.jobs.working())),
        }
    }

    /// As [`change`](Self::change), in a turn.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    pub fn change_now<T>(
        &self,
        changes: &mut Changes,
        expected: Option<&str>,
        change: impl FnOnce(&mut Option<Model>) -> Answer<T>,
    ) -> Answer<(T, Snapshot)> {
        self.learn_additions(changes)?;
        let before = self.snapshot();
        self.refuse_other(&before, expected)?;
        let mut model = before.model.as_deref().cloned();
        let value = change(&mut model)?;
        let gallery = |model: Option<&Model>| model.map(Model::gallery).cloned();
        // What changes nothing is no change: it is not written, and the last change stays the last.
        if gallery(model.as_ref()) == gallery(before.model.as_deref()) {
            return Ok((value, before));
        }
        let after = self.keep(changes, model.map(Arc::new))?;
        if loses_faces(before.model.as_deref(), after.model.as_deref()) {
            self.jobs.forget_results(Forgotten::Erased);
            self.forget_folder();
            changes.said.clear();
        }
        Ok((value, after))
    }

    /// Refuses a change that was meant for another state of the gallery, named by its tag.
    ///
    /// # Errors
    /// 412.
    pub fn refuse_other(&self, state: &Snapshot, expected: Option<&str>) -> Answer<()> {
        match expected.is_some_and(|expected| expected != self.tag(state)) {
            true => Err(Failure::new(
                StatusCode::PRECONDITION_FAILED,
                "the gallery was changed meanwhile: look at it again before you change it",
            )),
            false => Ok(()),
        }
    }

    /// Erases faces, by their positions in the gallery. This cannot be taken back. Returns whose faces they were, and the
    /// new state.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    pub async fn erase(
        self: &Arc<Self>,
        expected: Option<String>,
        chosen: impl FnOnce(&Model) -> Answer<Vec<usize>> + Send + 'static,
    ) -> Answer<(Vec<(ContentHash, Person)>, Snapshot)> {
        self.change(expected, |model| {
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
        .await
    }

    /// The change that would be undone, in words, and how many faces that erases; `None` where there is none, or one is being
    /// made that takes long.
    pub async fn last_change(&self) -> Option<(String, usize)> {
        let changes = tokio::time::timeout(SHORT_CHANGE, self.changes.lock());
        changes.await.ok()?.last(&self.snapshot())
    }

    /// Undoes the last change, and says which that was. `expected` is the tag of the state that this was meant for.
    ///
    /// # Errors
    /// There is none that could be; 412 where the gallery has another state; what was said of faces cannot be written.
    pub async fn undo(self: &Arc<Self>, expected: Option<String>) -> Answer<(String, Snapshot)> {
        let mut changes = self.turn().await?;
        let service = Arc::clone(self);
        let work = move || {
            service.learn_additions(&mut changes)?;
            let now = service.snapshot();
            service.refuse_other(&now, expected.as_deref())?;
            service.refuse_replaced(&changes)?;
            let (told, _) = changes.last(&now).ok_or(eigenfaces::Error::NothingToUndo)?;
            let said = changes.last_said(&now);
            let gesture = said.map(|said| said.gesture);
            let mut answers = said.into_iter().flat_map(|said| &said.answers);
            answers.try_for_each(Remembered::take_back)?;
            let state = match (gesture, now.model.as_deref()) {
                (Some(Gesture::Answers), _) | (_, None) => service.renew(),
                (_, Some(model)) => {
                    let before = model.clone().undone()?;
                    if loses_faces(Some(model), before.as_ref()) {
                        service.jobs.forget_results(Forgotten::TakenBack);
                    }
                    service.keep(&mut changes, before.map(Arc::new))?
                }
            };
            if gesture.is_some() {
                changes.said.pop();
            }
            Ok((told, state))
        };
        self.workers.behind(Background::Change, work).await
    }

    /// Adds the main face of a photo. It is on disk when this returns, and learned soon after. `refuse` looks at the
    /// faces that were found. Returns the hash by which the face is known.
    ///
    /// # Errors
    /// A photo without a face, or that was refused; it is enrolled as somebody else; a disk that is full.
    pub async fn add_soon(
        self: &Arc<Self>,
        person: Person,
        photo: Photo,
        refuse: impl Fn(&PhotoFaces) -> Answer<()> + Send + Sync + 'static,
    ) -> Answer<ContentHash> {
        let (photo, refuse) = (Arc::new(photo), Arc::new(refuse));
        loop {
            let snapshot = self.snapshot();
            let (person, photo, refuse) = (person.clone(), Arc::clone(&photo), Arc::clone(&refuse));
            if snapshot.varied().is_none() {
                // The model is made, or has one face.
                let change = move |model: &mut Option<Model>| {
                    let preparation = preparation(model.as_ref());
                    let faces = PhotoFaces::of(&preparation, &photo)?;
                    refuse(&faces)?;
                    enroll(model, preparation, main_face(&faces, &person)?)
                };
                return Ok(self.change(None, change).await?.0);
            }
            let added = self.work(move |service| {
                let preparation = snapshot.preparation();
                let faces = PhotoFaces::of(&preparation, &photo)?;
                refuse(&faces)?;
                let face = main_face(&faces, &person)?;
                service.write_down(Addition { preparation, face })
            });
            if let Some(hash) = added.await? {
                self.learn_after(BURST);
                return Ok(hash);
            }
        }
    }

    /// Writes a face into the journal, unless its photo is there. Returns the hash by which the face is known; none where the
    /// gallery takes faces that are prepared otherwise by now.
    fn write_down(&self, addition: Addition) -> Answer<Option<ContentHash>> {
        let mut journal = locked(&self.journal);
        if self.progress.borrow().is_ending {
            return Err(Failure::ending());
        }
        let snapshot = self.snapshot();
        let Some(model) = snapshot.varied() else {
            return Ok(None);
        };
        if !snapshot.preparation().agrees_with(&addition.preparation) {
            return Ok(None);
        }
        let face = &addition.face;
        let enrolled = model.gallery().photo_position(face);
        let enrolled = enrolled.map(|at| &model.gallery().enrolled()[at]);
        let enrolled = enrolled.map(|one| (model.people()[one.person].clone(), one.hash));
        let mut added = journal.additions().iter().rev();
        let added = added.find(|other| other.face.is_of_photo(face));
        let added = added.map(|other| (other.face.person.clone(), other.face.hash));
        let hash = match enrolled.or(added) {
            Some((person, hash)) if person == face.person => hash,
            Some((person, _)) => {
                let person = person.to_string();
                return Err(eigenfaces::Error::PhotoOfOther { person }.into());
            }
            None => {
                let hash = face.hash;
                journal.add(addition)?;
                hash
            }
        };
        let unlearned = journal.additions().len();
        self.progress.send_modify(|progress| {
            progress.unlearned = unlearned;
            progress.added += 1;
            progress.since.get_or_insert_with(Instant::now);
            progress.has_failed = false;
        });
        Ok(Some(hash))
    }

    /// Learns what was added, after a pause in which nothing more is added, or when it has waited long enough.
    fn learn_after(self: &Arc<Self>, pause: Duration) {
        let service = Arc::clone(self);
        tokio::spawn(async move {
            let added = service.progress.borrow().added;
            tokio::time::sleep(pause).await;
            if !service.progress.borrow().is_due(added) {
                return;
            }
            let mut changes = Arc::clone(&service.changes).lock_owned().await;
            // They may have been learned while this waited for its turn.
            if !service.progress.borrow().is_due(added) {
                return;
            }
            let learner = Arc::clone(&service);
            let work = move || Ok(learner.learn_additions(&mut changes)?);
            // What fails now fails the next change, which tells of it.
            if let Err(failure) = service.workers.behind(Background::Change, work).await {
                service.output.warn(&format!(
                    "faces that were added cannot be learned and stay in the journal: {}",
                    failure.message
                ));
                let failed = |progress: &mut Progress| progress.has_failed = true;
                service.progress.send_modify(failed);
            }
        });
    }

    fn learn_additions(&self, changes: &mut Changes) -> Result<()> {
        let additions = locked(&self.journal).additions().to_vec();
        if additions.is_empty() {
            return Ok(());
        }
        let (before, begun) = (self.snapshot().model, Instant::now());
        let (model, disputes) = Model::with_additions(before.as_deref().cloned(), &additions)?;
        model_changes::report_disputes(&disputes, &self.file, &self.output);
        // Others may have been added by a change made meanwhile.
        let added = faces_of(model.as_ref()).saturating_sub(faces_of(before.as_deref()));
        if added > 0 {
            self.keep(changes, model.map(Arc::new))?;
        }
        let mut journal = locked(&self.journal);
        journal.forget(additions.len())?;
        let unlearned = journal.additions().len();
        self.progress.send_modify(|progress| {
            progress.unlearned = unlearned;
            progress.since = (unlearned > 0).then_some(begun);
            progress.has_failed = false;
        });
        Ok(())
    }

    /// Gives the state another tag: what is remembered of faces has changed, and with it what would be taken back.
    pub fn renew(&self) -> Snapshot {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        current.revision += 1;
        current.clone()
    }

    /// Writes the model, and has everybody ask it from now on.
    fn keep(&self, changes: &mut Changes, model: Option<Arc<Model>>) -> Result<Snapshot> {
        self.refuse_replaced(changes)?;
        match &model {
            Some(model) => model.save(&self.file)?,
            None => eigenfaces::store::remove_file(&self.file)?,
        }
        changes.lock.follow();
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Snapshot {
            model,
            revision: current.revision + 1,
        };
        Ok(current.clone())
    }

    /// Refuses to write over a model that is not the one that was read or written last.
    fn refuse_replaced(&self, changes: &Changes) -> Result<()> {
        match changes.lock.is_current() {
            true => Ok(()),
            false => Err(Error::about(
                &self.file,
                "another program has replaced or removed it while it was served: it is left as it is; start the server again to serve what is there now",
            )),
        }
    }

    /// Learns what was added, for the server is about to end. A change that is being made gets some time; a job is
    /// cancelled. Nothing is added or changed after this.
    pub fn end(&self) {
        self.jobs.cancel_all();
        {
            // So that no addition comes between.
            let _journal = locked(&self.journal);
            self.progress
                .send_modify(|progress| progress.is_ending = true);
        }
        let begun = Instant::now();
        while begun.elapsed() < LAST_CHANGE {
            if let Ok(mut changes) = self.changes.try_lock() {
                if let Err(error) = self.learn_additions(&mut changes) {
                    self.output.warn(&error.to_string());
                }
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn faces_of(model: Option<&Model>) -> usize {
    model.map_or(0, |model| model.gallery().len())
}

/// The hashes of everybody's photos, or none.
pub fn hashes(model: Option<&Model>) -> HashSet<ContentHash> {
    let gallery = model.map(Model::gallery);
    gallery.into_iter().flat_map(Gallery::hashes).collect()
}

/// Whether a face is in one model that is not in another.
fn loses_faces(from: Option<&Model>, to: Option<&Model>) -> bool {
    !hashes(from).is_subset(&hashes(to))
}

fn main_face(faces: &PhotoFaces, person: &Person) -> Answer<LabeledFace> {
    let at = faces.position(FaceChoice::Main)?;
    let face = faces.labeled(at, person, "");
    Ok(face.ok_or(eigenfaces::error::PhotoProblem::NoFace)?)
}

/// Enrols a face, into a new model where there is none. Returns the hash by which it is known.
///
/// # Errors
/// It is enrolled as somebody else.
pub fn enroll(
    model: &mut Option<Model>,
    preparation: Preparation,
    face: LabeledFace,
) -> Answer<ContentHash> {
    let mut hash = face.hash;
    match model {
        Some(model) => {
            hash = model.enrolled_hash(&face).unwrap_or(hash);
            if let Some(dispute) = model.add_faces(vec![face])?.first() {
                let person = dispute.other_person.to_string();
                return Err(eigenfaces::Error::PhotoOfOther { person }.into());
            }
        }
        None => {
            let made = Model::enroll_faces(preparation, vec![face], Settings::default())?;
            *model = Some(made);
        }
    }
    Ok(hash)
}

/// A change's place in the queue, until it is dropped.
struct Place<'a> {
    service: &'a Service,
    number: u64,
}

impl<'a> Place<'a> {
    fn enter(service: &'a Service) -> Answer<Self> {
        let mut queue = locked(&service.queue);
        if queue.len() >= MOST_WAITING {
            return Err(Failure::queued(queue.len(), service.jobs.working()));
        }
        let number = queue.last().map_or(0, |last| last + 1);
        queue.insert(number);
        Ok(Self { service, number })
    }

    /// Number of changes that come before: those that wait, and the one being made.
    fn position(&self) -> usize {
        locked(&self.service.queue).range(..self.number).count() + 1
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        locked(&self.service.queue).remove(&self.number);
    }
}

/// A job that changes the gallery, until it is dropped.
struct JobChanging<'a>(&'a Service);

impl<'a> JobChanging<'a> {
    fn begin(service: &'a Service) -> Self {
        let begun = |progress: &mut Progress| progress.is_job_changing = true;
        service.progress.send_modify(begun);
        Self(service)
    }
}

impl Drop for JobChanging<'_> {
    fn drop(&mut self) {
        let ended = |progress: &mut Progress| progress.is_job_changing = false;
        self.0.progress.send_modify(ended);
    }
}
