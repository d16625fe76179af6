//! Changes of the gallery: one at a time, each to be undone.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use eigenfaces::Model;
use eigenfaces::enrollment::Observer;
use eigenfaces::gallery::KnownPhoto;
use eigenfaces::model::{Edit, Entry, Plan};
use eigenfaces::store::ModelLock;
use tokio::sync::OwnedMutexGuard;

use super::Service;
use super::snapshot::Snapshot;
use crate::albums::Remembered;
use crate::error::{Error, Result};
use crate::server::failure::{Answer, Failure};
use crate::server::jobs::{Forgotten, Job};
use crate::server::locked;
use crate::server::workers::Background;

/// Maximum number of changes that wait for their turn; beyond that they are sent away.
const MOST_WAITING: usize = 64;

/// Time after which a change that waits for its turn is refused: less than a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Maximum number of gestures about faces of folders that can be undone.
const MOST_SAID: usize = 20;

/// Timeout of a request for the last change while one is being made.
const SHORT_CHANGE: Duration = Duration::from_secs(1);

impl Service {
    /// Changes the gallery: `change` gets the model, or nothing while nobody is enrolled, and plans what is written before
    /// this returns what it told besides, and the new state. `expected` is the tag of the state that it was meant for.
    pub async fn change<T: Send + 'static>(
        self: &Arc<Self>,
        expected: Option<String>,
        change: impl FnOnce(Option<&Model>) -> Answer<(Plan, T)> + Send + 'static,
    ) -> Answer<(T, Snapshot)> {
        let mut turn = self.turn().await?;
        let service = Arc::clone(self);
        let work = move || service.change_now(&mut turn, expected.as_deref(), change);
        self.workers.behind(Background::Change, work).await
    }

    /// As [`change`](Self::change), without a time limit: meanwhile requests are answered from the gallery before it.
    pub async fn change_in_job<T: Send + 'static>(
        self: &Arc<Self>,
        job: &Arc<Job>,
        expected: Option<String>,
        change: impl FnOnce(Option<&Model>, &Job) -> Answer<(Plan, T)> + Send + 'static,
    ) -> Answer<(T, Snapshot)> {
        let work = move |service: &Self, changes: &mut Changes, job: &Job| {
            service.change_now(changes, expected.as_deref(), |model: Option<&Model>| change(model, job))
        };
        self.in_turn(job, work).await
    }

    /// Works as a job when all changes that came before are made, and keeps others from being made meanwhile.
    pub async fn in_turn<T: Send + 'static>(
        self: &Arc<Self>,
        job: &Arc<Job>,
        work: impl FnOnce(&Self, &mut Changes, &Job) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let mut turn = Arc::clone(&self.changes).lock_owned().await;
        let (service, job) = (Arc::clone(self), Arc::clone(job));
        let work = move || match job.is_cancelled() {
            true => Err(eigenfaces::Error::Cancelled.into()),
            false => work(&service, &mut turn, &job),
        };
        self.workers.behind(Background::Job, work).await
    }

    /// Waits until all changes that came before are made.
    async fn turn(self: &Arc<Self>) -> Answer<OwnedMutexGuard<Changes>> {
        let place = QueueTicket::enter(self)?;
        let turn = Arc::clone(&self.changes).lock_owned();
        match tokio::time::timeout(PATIENCE, turn).await {
            Ok(turn) if !self.is_ending.load(Ordering::SeqCst) => Ok(turn),
            Ok(_) => Err(Failure::unavailable("the server is ending; nothing was changed")),
            Err(_) => Err(Failure::queued(place.position(), self.jobs.working())),
        }
    }

    /// As [`change`](Self::change), in a turn.
    pub fn change_now<T>(
        &self,
        changes: &mut Changes,
        expected: Option<&str>,
        change: impl FnOnce(Option<&Model>) -> Answer<(Plan, T)>,
    ) -> Answer<(T, Snapshot)> {
        let before = self.snapshot();
        self.refuse_other(&before, expected)?;
        let (plan, value) = change(before.model.as_deref())?;
        // What changes nothing is no change: it is not written, and the last change stays the last.
        let after = match plan.is_change(before.model.as_deref()) {
            true => self.commit(changes, &plan, &before)?,
            false => before,
        };
        Ok((value, after))
    }

    /// Makes a change, and forgets what was found of faces that are gone then.
    fn commit(&self, changes: &mut Changes, plan: &Plan, before: &Snapshot) -> Result<Snapshot> {
        let after = self.keep(changes, plan.commit(before.model.as_deref())?.map(Arc::new))?;
        match plan.outcome.gone.is_empty() {
            true => {}
            false if matches!(plan.entry, Entry::Undone { .. }) => self.jobs.forget_results(Forgotten::TakenBack),
            false => {
                self.jobs.forget_results(Forgotten::Erased);
                self.forget_folder();
                changes.said.clear();
            }
        }
        Ok(after)
    }

    /// Refuses a change that was meant for another state of the gallery, named by its tag.
    pub fn refuse_other(&self, state: &Snapshot, expected: Option<&str>) -> Answer<()> {
        let tag = self.tag(state);
        // A list, by RFC 9110.
        match expected.is_some_and(|expected| expected.split(',').all(|one| one.trim() != tag)) {
            true => Err(Failure::new(
                StatusCode::PRECONDITION_FAILED,
                "the gallery was changed meanwhile: look at it again before you change it",
            )),
            false => Ok(()),
        }
    }

    /// Erases faces, by their positions in the gallery. This cannot be undone. Returns which they were, and the new state.
    pub async fn erase(
        self: &Arc<Self>,
        expected: Option<String>,
        chosen: impl FnOnce(&Model) -> Answer<Vec<usize>> + Send + 'static,
    ) -> Answer<(Vec<KnownPhoto>, Snapshot)> {
        let change = |model: Option<&Model>| {
            let plan = Plan::of(Edit::Remove(model.map_or_else(|| Ok(Vec::new()), chosen)?), model, &())?;
            let gone = plan.outcome.gone.clone();
            Ok((plan, gone))
        };
        self.change(expected, change).await
    }

    /// The change that would be undone, in words, and how many faces that erases; `None` while a long one is made, too.
    pub async fn last_change(&self) -> Option<(String, usize)> {
        tokio::time::timeout(SHORT_CHANGE, self.changes.lock()).await.ok()?.last(&self.snapshot())
    }

    /// Undoes the last change, and says which that was. `expected` is the tag of the state that this was meant for.
    /// Errors: there is none that could be; 412 where the gallery has another state; what was said of faces cannot be written.
    pub async fn undo(self: &Arc<Self>, expected: Option<String>) -> Answer<(String, Snapshot)> {
        let mut changes = self.turn().await?;
        let service = Arc::clone(self);
        let work = move || {
            let now = service.snapshot();
            service.refuse_other(&now, expected.as_deref())?;
            service.refuse_replaced(&changes)?;
            let (told, _) = changes.last(&now).ok_or(eigenfaces::Error::NothingToUndo)?;
            let said = changes.last_said(&now);
            let gesture = said.map(|said| said.gesture);
            let reverted = Remembered::take_all_back(said.into_iter().flat_map(|said| &said.answers))?;
            let state = match (gesture, now.model.as_deref()) {
                (Some(Gesture::Answers), _) | (_, None) => Ok(service.renew()),
                (_, Some(model)) => {
                    Plan::of(Edit::Undo, Some(model), &()).and_then(|plan| service.commit(&mut changes, &plan, &now))
                }
            };
            if state.is_err() {
                Remembered::take_all_back(&reverted)?;
            }
            let state = state?;
            if gesture.is_some() {
                changes.said.pop();
            }
            Ok((told, state))
        };
        self.workers.behind(Background::Change, work).await
    }

    /// Writes the model, and makes it the current snapshot.
    pub(super) fn keep(&self, changes: &mut Changes, model: Option<Arc<Model>>) -> Result<Snapshot> {
        self.refuse_replaced(changes)?;
        match &model {
            Some(model) => model.save(&self.file)?,
            None => eigenfaces::store::remove_file(&self.file)?,
        }
        changes.lock.follow();
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Snapshot { model, revision: current.revision + 1 };
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
}

/// State that only the current change may modify.
#[derive(Debug)]
pub struct Changes {
    pub(super) lock: ModelLock,
    /// What was said of faces of folders since the start and can be undone, in order. The gallery's history has its changes.
    pub(super) said: Vec<Said>,
}

#[derive(Debug)]
pub(super) struct Said {
    told: String,
    answers: Vec<Remembered>,
    /// The number of the gallery's last change then.
    after: u64,
    gesture: Gesture,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gesture {
    Answers,
    /// The gallery too: that is its last change.
    AnswersAndGallery,
}

impl Changes {
    /// Records the answers about faces of a gesture, after the change of the gallery if it made one.
    pub fn remembered(&mut self, told: &str, gesture: Gesture, answers: Vec<Remembered>, state: &Snapshot) {
        self.said.push(Said { told: told.to_owned(), answers, after: state.last_step(), gesture });
        self.said.drain(..self.said.len().saturating_sub(MOST_SAID));
    }

    /// The last gesture, unless the gallery was changed after it.
    fn last_said(&self, state: &Snapshot) -> Option<&Said> {
        let said = self.said.last();
        said.filter(|said| said.after >= state.last_step())
    }

    /// The change that would be undone, in words, and how many faces that erases.
    fn last(&self, state: &Snapshot) -> Option<(String, usize)> {
        match self.last_said(state) {
            Some(said) if said.gesture == Gesture::Answers => Some((said.told.clone(), 0)),
            _ => {
                let plan = Plan::of(Edit::Undo, state.model.as_deref(), &()).ok()?;
                match plan.entry {
                    Entry::Undone { change, .. } => Some((change, plan.outcome.gone.len())),
                    _ => None,
                }
            }
        }
    }
}

/// A change's place in the queue, until it is dropped.
struct QueueTicket<'a> {
    service: &'a Service,
    number: u64,
}

impl<'a> QueueTicket<'a> {
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

impl Drop for QueueTicket<'_> {
    fn drop(&mut self) {
        locked(&self.service.queue).remove(&self.number);
    }
}
