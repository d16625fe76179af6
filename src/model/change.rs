//! Changes to who is enrolled.

use std::path::PathBuf;

use super::Model;
use super::edit::{Edit, Plan, Step};
use super::photo::problem;
use crate::dataset::{ContentHash, LabelRule, Person, Photo};
use crate::enrollment::{self, FolderFaces, Observer, PreparationOptions};
use crate::error::{PcaError, Result};
use crate::preparation::FaceChoice;

impl Model {
    /// Enrols what is new in some folders.
    ///
    /// # Errors
    /// A folder that cannot be listed; [`Error::Cancelled`](crate::Error::Cancelled). The model is as it was then.
    pub fn add_folders(&mut self, folders: &[PathBuf], labels: &LabelRule, observer: &dyn Observer) -> Result<Plan> {
        self.change(Edit::Folders(self.read(folders, labels, observer)?), observer)
    }

    /// Follows some folders: what is new, changed, moved and gone there is so in the model, too. What came from elsewhere stays.
    ///
    /// # Errors
    /// As [`add_folders`](Self::add_folders); [`Error::Deserted`](crate::Error::Deserted).
    pub fn sync_folders(&mut self, folders: &[PathBuf], labels: &LabelRule, observer: &dyn Observer) -> Result<Plan> {
        self.change(Edit::Sync(self.read(folders, labels, observer)?), observer)
    }

    fn read(&self, folders: &[PathBuf], labels: &LabelRule, observer: &dyn Observer) -> Result<FolderFaces> {
        let base = Self::base(Some(self), PreparationOptions::default());
        enrollment::read_folders(folders, labels, base, observer)
    }

    /// Enrols one face of a photo under a name, new or known. `source` tells where the photo came from, or is empty.
    /// Returns the content hash by which the face is known, and whether it was new. A photo that is enrolled keeps its
    /// hash, also where this file has other bytes.
    ///
    /// # Errors
    /// A photo without such a face; [`Error::PhotoOfOther`](crate::Error::PhotoOfOther) where it is enrolled as somebody else; [`Error::PersonName`](crate::Error::PersonName).
    pub fn add_photo(
        &mut self,
        person: impl AsRef<str>,
        photo: &Photo,
        choice: FaceChoice,
        source: &str,
    ) -> Result<(ContentHash, bool)> {
        let person = &Person::new(person.as_ref())?;
        let preparation = *self.recognizer.preparation();
        let face = enrollment::chosen_face(&preparation, Some(self.gallery()), person, photo, choice, source)
            .map_err(problem)?;
        let before = self.gallery().len();
        let (plan, hash) = Plan::of_face(face, preparation, Step::Own, Some(self))?;
        self.become_planned(&plan)?;
        Ok((hash, self.gallery().len() > before))
    }

    /// Makes a change of what is enrolled, and returns what it came to.
    ///
    /// # Errors
    /// Those of [`Plan::of`] and [`Plan::commit`]; nobody would be left.
    pub fn change(&mut self, edit: Edit, observer: &dyn Observer) -> Result<Plan> {
        let plan = Plan::of(edit, Some(self), observer)?;
        self.become_planned(&plan)?;
        Ok(plan)
    }

    fn become_planned(&mut self, plan: &Plan) -> Result<()> {
        if plan.is_change(Some(self)) {
            *self = plan.commit(Some(self))?.ok_or(PcaError::TooFewFaces(0))?;
        }
        Ok(())
    }
}
