//! Opening a model for changing: what was acknowledged and is not learned yet is taken in first.

use std::path::Path;

use super::{Edit, Model, Plan, Step};
use crate::error::{Error, Result};
use crate::gallery::Dispute;
use crate::store::{Addition, Journal, ModelLock};

/// Result of taking in the journal of a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TakenIn {
    /// Number of faces in the journal.
    pub faces: usize,
    /// Those of them that are enrolled as somebody else's, and stay so.
    pub disputes: Vec<Dispute>,
    /// Whether the last addition was not written to its end: it had not been acknowledged.
    pub is_torn: bool,
    /// Number of other records that are damaged.
    pub damaged: usize,
}

impl Model {
    /// Reads the model at `path` for changing it; `None` where there is none. Faces that a server acknowledged and did
    /// not live to learn are learned first, and written: from then on there is one truth on disk, the file.
    ///
    /// # Errors
    /// As [`load`](Self::load) and [`save`](Self::save); [`Error::OtherJournal`].
    pub fn open(path: &Path, _lock: &ModelLock) -> Result<(Option<Self>, TakenIn)> {
        let mut journal = Journal::open(path)?;
        let (model, taken) = Self::with_journal(path, &journal)?;
        if let (Some(model), false) = (&model, journal.additions().is_empty()) {
            model.save(path)?;
        }
        journal.forget(journal.additions().len())?;
        Ok((model, taken))
    }

    /// As [`open`](Self::open), to see what a change would do: nothing is written, and no lock is needed.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn preview(path: &Path) -> Result<(Option<Self>, TakenIn)> {
        Self::with_journal(path, &Journal::open(path)?)
    }

    fn with_journal(path: &Path, journal: &Journal) -> Result<(Option<Self>, TakenIn)> {
        let before = match path.exists() {
            true => Some(Self::load(path)?),
            false => None,
        };
        let additions = journal.additions();
        let own = before
            .as_ref()
            .map(|model| model.recognizer().preparation());
        let own = own.or(additions.first().map(|first| &first.preparation));
        let agrees = |one: &Addition| own.is_some_and(|own| own.agrees_with(&one.preparation));
        if !additions.iter().all(agrees) {
            return Err(Error::OtherJournal {
                path: path.to_owned(),
                journal: journal.path().to_owned(),
                faces: additions.len(),
            });
        }
        let (model, disputes) = Self::with_additions(before, additions)?;
        let taken = TakenIn {
            faces: additions.len(),
            disputes,
            is_torn: journal.is_torn(),
            damaged: journal.damaged(),
        };
        Ok((model, taken))
    }

    /// A model with these faces, which are prepared as its own are; a new one where there was none. Besides, the faces
    /// that are enrolled as somebody else's.
    ///
    /// # Errors
    /// Faces of another size, or that nothing can be learned from.
    pub fn with_additions(
        before: Option<Self>,
        additions: &[Addition],
    ) -> Result<(Option<Self>, Vec<Dispute>)> {
        let Some(first) = additions.first() else {
            return Ok((before, Vec::new()));
        };
        let faces = additions.iter().map(|one| one.face.clone()).collect();
        let edit = Edit::Faces(first.preparation, faces, Step::Own);
        let plan = Plan::of(edit, before.as_ref(), &())?;
        let model = plan.commit(before.as_ref())?;
        Ok((model, plan.outcome.repeats.disputed))
    }
}
