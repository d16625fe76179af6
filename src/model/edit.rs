//! One way to change a gallery: what somebody wants, what would come of it, and that it is done.

use serde::Deserialize;

use super::Model;
use crate::dataset::{ContentHash, Person, Skipped};
use crate::enrollment::{self, FolderFaces, Notice, Observer};
use crate::error::{Error, Result};
use crate::gallery::{EditOutcome, Gallery, History, LabeledFace, change_time};
use crate::preparation::Preparation;
use crate::recognizer::{DescribedGallery, Recognizer, Settings};

/// A change that somebody wants of a gallery.
#[derive(Debug, Clone)]
pub enum Edit {
    /// These faces are added. Where nobody is enrolled, the new model prepares photos as they were prepared.
    Faces(Preparation, Vec<LabeledFace>, Step),
    /// What is new in folders is added.
    Folders(FolderFaces),
    /// The gallery follows folders: what is changed, moved and gone there is so in it, too.
    Sync(FolderFaces),
    /// The person of the first name gets the second.
    Rename(String, String, EarlierName),
    /// The faces of the first become those of the second, who is enrolled too.
    Merge(Vec<String>, String),
    /// One face becomes another person's, who may be new.
    Move(ContentHash, Person),
    /// Faces are erased, given by their positions in the gallery.
    Remove(Vec<usize>),
    /// The last change is undone.
    Undo,
    /// Something is said of faces, and the gallery stays as it is.
    Remark(Remark),
}

/// A remark on faces, which changes no gallery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// What was found about faces (their positions) is no mistake: [`History::is_fine`].
    Fine(String, Vec<usize>),
    /// A face of a photo, which is not enrolled, is nobody's: [`History::is_nobodys`].
    Nobody(ContentHash),
}

/// The step that an edit is to undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// A change of its own.
    Own,
    /// A part of the change before: photos that were added by one gesture.
    Joined,
}

/// The treatment of the name that a person had before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlierName {
    /// It counts where folders still have it.
    Known,
    /// It is forgotten, and so are all earlier ones.
    Forgotten,
}

/// An edit as the log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Faces came, went, or became another person's.
    Faces(Step),
    /// The first name was a person's, who has the second now.
    Renamed(Person, Person, EarlierName),
    /// The faces of the first became those of the second.
    Merged(Vec<Person>, Person),
    /// The last change was undone.
    Undone {
        /// That change, in words.
        change: String,
        /// Faces that get back the person or place they had.
        restored: usize,
        /// Faces that it had erased: they stay erased.
        lost: usize,
    },
    /// Something was said of faces.
    Remark(Remark),
}

/// An edit that has been thought through and not yet made.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The gallery then, and what that takes.
    pub outcome: EditOutcome,
    /// Files that are passed over.
    pub skipped: Vec<Skipped>,
    /// The edit as the log will have it.
    pub entry: Entry,
    /// Settings of learning: those of the model.
    pub settings: Settings,
    /// Preparation of photos.
    pub preparation: Preparation,
}

impl Plan {
    /// Thinks an edit through, of a model or of nobody yet. The observer hears what a person would want to know of it.
    ///
    /// # Errors
    /// Nobody of such a name, no such face; what the edit's parts say; nothing that could be enrolled;
    /// [`Error::NothingToUndo`]; [`Error::Deserted`]; [`Error::Cancelled`].
    pub fn of(edit: Edit, before: Option<&Model>, observer: &dyn Observer) -> Result<Self> {
        let preparation = match (before, &edit) {
            (None, Edit::Faces(preparation, ..)) => *preparation,
            (None, Edit::Folders(read) | Edit::Sync(read)) => read.preparation,
            _ => Model::preparation(before),
        };
        let now = before.map_or_else(|| Gallery::empty(preparation.size()), |model| model.gallery().clone());
        let (mut entry, mut skipped, mut roots) = (Entry::Faces(Step::Own), Vec::new(), Vec::new());
        if let Edit::Folders(read) | Edit::Sync(read) = &edit {
            skipped.clone_from(&read.skipped);
            roots.clone_from(&read.roots);
        }
        let mut outcome = match edit {
            Edit::Faces(_, mut faces, step) => {
                if before.is_some() {
                    faces.iter_mut().for_each(|face| face.align(&preparation));
                }
                entry = Entry::Faces(step);
                let (gallery, repeats) = now.with(faces)?;
                EditOutcome { repeats, ..EditOutcome::of(gallery) }
            }
            Edit::Folders(read) => in_folders(read, before, observer, |read| now.with_folder(read.folder))?,
            Edit::Sync(read) => in_folders(read, before, observer, |read| now.following(read))?,
            Edit::Rename(person, name, earlier) => {
                let (from, to, after) = now.with_new_name(&person, &name)?;
                entry = Entry::Renamed(from, to, earlier);
                EditOutcome::of(after)
            }
            Edit::Merge(people, into) => {
                let (from, into, after) = now.with_merged(&people, &into)?;
                entry = Entry::Merged(from, into);
                EditOutcome::of(after)
            }
            Edit::Move(photo, person) => EditOutcome::of(now.given_to(photo, &person)?),
            Edit::Remove(faces) => EditOutcome {
                gone: faces.iter().map(|&at| now.photo(at)).collect(),
                ..EditOutcome::of(now.without(&faces))
            },
            Edit::Remark(remark) => {
                entry = Entry::Remark(remark);
                EditOutcome::of(now)
            }
            Edit::Undo => {
                let change = before.and_then(|model| model.history.last_change()).ok_or(Error::NothingToUndo)?;
                let undone = now.clone().undone(change)?;
                entry = Entry::Undone { change: change.in_words(&now), restored: undone.restored, lost: undone.lost };
                EditOutcome {
                    gone: undone.erased.iter().map(|&at| now.photo(at)).collect(),
                    ..EditOutcome::of(undone.gallery)
                }
            }
        };
        skipped.extend(enrollment::disputes(&outcome.repeats, observer));
        let (preparation, gallery) = enrollment::frame(outcome.gallery, &preparation, observer);
        outcome.gallery = gallery;
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        if before.is_none() && !roots.is_empty() {
            enrollment::refuse_new(&outcome.gallery, &roots, &skipped)?;
        }
        let settings = before.map_or_else(Settings::default, |model| model.recognizer.settings());
        Ok(Self { outcome, skipped, entry, settings, preparation })
    }

    /// Of adding one face. Besides, the hash by which the face is known then.
    ///
    /// # Errors
    /// As [`of`](Self::of); [`Error::PhotoOfOther`] where the photo is enrolled as somebody else.
    pub fn of_face(
        face: LabeledFace,
        preparation: Preparation,
        step: Step,
        before: Option<&Model>,
    ) -> Result<(Self, ContentHash)> {
        let plan = Self::of(Edit::Faces(preparation, vec![face.clone()], step), before, &())?;
        match plan.outcome.repeats.disputed.first() {
            None => {
                let there = plan.outcome.gallery.photo_of(&face);
                Ok((plan, there.map_or(face.hash, |photo| photo.hash)))
            }
            Some(dispute) => Err(Error::PhotoOfOther { person: dispute.other_person.to_string() }),
        }
    }

    /// Whether it changes anything: what does not is neither learned nor written, and leaves undo alone.
    pub fn is_change(&self, before: Option<&Model>) -> bool {
        let after = &self.outcome.gallery;
        before.map_or(!after.is_empty(), |model| {
            let is_news = |remark: &Remark| !remark.is_known(&model.history, after);
            matches!(&self.entry, Entry::Remark(remark) if is_news(remark))
                || model.gallery() != after
                || model.recognizer.settings() != self.settings
        })
    }

    /// Makes the change: what is left is learned, as if it had been enrolled at once, and the history goes on. `before` is what
    /// it was planned for; `None` comes of it where nobody is left.
    ///
    /// # Errors
    /// Too few different faces to learn from.
    pub fn commit(&self, before: Option<&Model>) -> Result<Option<Model>> {
        if self.outcome.gallery.is_empty() {
            return Ok(None);
        }
        if let (Entry::Remark(remark), Some(model)) = (&self.entry, before) {
            let mut model = model.clone();
            remark.write(&mut model.history, &self.outcome.gallery);
            return Ok(Some(model));
        }
        let known = before.and_then(|model| DescribedGallery::of(&model.recognizer));
        self.learn(before, known, self.settings).map(Some)
    }

    /// As [`commit`](Self::commit), with what is known of the faces.
    pub(super) fn learn(
        &self,
        before: Option<&Model>,
        known: Option<DescribedGallery<'_>>,
        settings: Settings,
    ) -> Result<Model> {
        let after = self.outcome.gallery.clone();
        let nobody = Gallery::empty(self.preparation.size());
        let (was, mut history) = match before {
            Some(model) => (model.gallery(), model.history.clone()),
            None => (&nobody, History::default()),
        };
        if self.is_change(before) {
            self.entry.write(&mut history, was, &after);
        }
        Ok(Model::from_parts(Recognizer::learn_described(known, self.preparation, after, settings)?, history))
    }
}

/// The outcome of enrolling folders, with the names that people have now.
fn in_folders(
    mut read: FolderFaces,
    before: Option<&Model>,
    observer: &dyn Observer,
    enroll: impl FnOnce(FolderFaces) -> Result<EditOutcome>,
) -> Result<EditOutcome> {
    let mut keeps_sources = true;
    if let Some(model) = before {
        enrollment::resolve(&mut read.folder, &model.history, observer);
        keeps_sources = model.gallery().has_sources();
    }
    let mut outcome = enroll(read)?;
    if !outcome.edited.is_empty() {
        observer.notice(&Notice::Edited(&outcome.edited));
    }
    if !keeps_sources {
        outcome.gallery = outcome.gallery.without_sources();
    }
    Ok(outcome)
}

impl Gallery {
    fn following(self, mut read: FolderFaces) -> Result<EditOutcome> {
        let deserted = read.deserted();
        read.folder.unusable.extend(read.not_followed(&self));
        let outcome = self.mirror(read.folder)?;
        match deserted.filter(|_| !outcome.gone.is_empty()) {
            Some(path) => Err(Error::Deserted { path }),
            None => Ok(outcome),
        }
    }
}

impl Entry {
    /// Writes the edit into the log: of these faces before it, and these after it.
    fn write(&self, history: &mut History, before: &Gallery, after: &Gallery) {
        let time = change_time();
        match self {
            Self::Faces(step) => {
                history.record(time, before, after);
                if *step == Step::Joined {
                    history.join();
                }
            }
            Self::Renamed(from, to, earlier) => {
                history.rename(time, from, to);
                if *earlier == EarlierName::Forgotten {
                    history.forget_earlier_names(to);
                }
            }
            Self::Merged(from, into) => history.merge(time, from, into, before, after),
            Self::Undone { .. } => history.undo(time, before, after),
            Self::Remark(remark) => remark.write(history, after),
        }
    }
}

impl Remark {
    fn is_known(&self, history: &History, gallery: &Gallery) -> bool {
        match self {
            Self::Fine(finding, faces) => history.is_fine(finding, faces, gallery),
            Self::Nobody(face) => history.is_nobodys(*face),
        }
    }

    fn write(&self, history: &mut History, gallery: &Gallery) {
        match self {
            Self::Fine(finding, faces) => history.call_fine(finding, faces, gallery),
            Self::Nobody(face) => history.call_nobodys(*face),
        }
    }
}
