//! Changes to who is enrolled.

use std::path::PathBuf;

use super::Model;
use super::photo::problem;
use crate::dataset::{ContentHash, LabelRule, Person, Photo, Skipped};
use crate::enrollment::{self, Base, Notice, Observer};
use crate::error::{Error, Result};
use crate::gallery::{Dispute, Gallery, LabeledFace, change_time};
use crate::preparation::FaceChoice;

/// Result of adding folders.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Added {
    /// Paths of the photos that were enrolled.
    pub added: Vec<String>,
    /// Number of photos that were enrolled already.
    pub unchanged: usize,
    /// Files that were passed over.
    pub skipped: Vec<Skipped>,
}

impl Model {
    /// Enrols what is new in some folders.
    ///
    /// # Errors
    /// A folder that cannot be listed; [`Error::Cancelled`]. The model is as it was then.
    pub fn add_folders(
        &mut self,
        folders: &[PathBuf],
        labels: &LabelRule,
        observer: &dyn Observer,
    ) -> Result<Added> {
        let base = Base::Gallery(self.recognizer.preparation(), self.gallery());
        let mut read = enrollment::read_folders(folders, labels, base, observer)?;
        self.history.resolve(&mut read.folder);
        let intake = self.gallery().clone().with_folder(read.folder)?;
        if !intake.edited.is_empty() {
            observer.notice(&Notice::Edited(&intake.edited));
        }
        let mut skipped = read.skipped;
        skipped.extend(enrollment::disputes(&intake.repeats, observer));
        let preparation = self.recognizer.preparation();
        let (_, gallery) = enrollment::frame(intake.gallery, preparation, observer);
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        self.become_gallery(gallery)?;
        Ok(Added {
            added: intake.added,
            unchanged: intake.unchanged,
            skipped,
        })
    }

    /// Enrols one face of a photo under a name, new or known. `source` tells where the photo came from, or is empty.
    /// Returns the content hash by which the face is known, and whether it was new. A photo that is enrolled keeps its
    /// hash, also where this file has other bytes.
    ///
    /// # Errors
    /// A photo without such a face; [`Error::PhotoOfOther`] where it is enrolled as somebody else; [`Error::PersonName`].
    pub fn add_photo(
        &mut self,
        person: impl AsRef<str>,
        photo: &Photo,
        choice: FaceChoice,
        source: &str,
    ) -> Result<(ContentHash, bool)> {
        let person = &Person::new(person.as_ref())?;
        let preparation = self.recognizer.preparation();
        let face = enrollment::chosen_face(
            preparation,
            Some(self.gallery()),
            person,
            photo,
            choice,
            source,
        )
        .map_err(problem)?;
        let enrolled = self.enrolled_hash(&face);
        let hash = face.hash;
        if let Some(dispute) = self.add_faces(vec![face])?.first() {
            return Err(Error::PhotoOfOther {
                person: dispute.other_person.to_string(),
            });
        }
        Ok((enrolled.unwrap_or(hash), enrolled.is_none()))
    }

    /// The content hash under which the photo of a face is enrolled, if it is.
    pub fn enrolled_hash(&self, face: &LabeledFace) -> Option<ContentHash> {
        let gallery = self.gallery();
        let at = gallery.photo_position(face)?;
        Some(gallery.enrolled()[at].hash)
    }

    /// Enrols faces that were prepared as this gallery's were, by whatever frame of crops. Returns those that are enrolled as
    /// somebody else's, and stay so.
    ///
    /// # Errors
    /// Faces of another size.
    pub fn add_faces(&mut self, mut faces: Vec<LabeledFace>) -> Result<Vec<Dispute>> {
        for face in &mut faces {
            face.align(self.recognizer.preparation());
        }
        let (gallery, repeats) = self.gallery().clone().with(faces)?;
        self.become_gallery(gallery)?;
        Ok(repeats.disputed)
    }

    /// Makes one face another person's, who may be new.
    ///
    /// # Errors
    /// No such face; [`Error::PersonName`].
    pub fn move_face(&mut self, photo: ContentHash, person: impl AsRef<str>) -> Result<()> {
        let person = &Person::new(person.as_ref())?;
        if self.gallery().position(photo).is_none() {
            return Err(Error::NoSuchPhoto {
                photo: photo.to_string(),
            });
        }
        let gallery = self.gallery().clone().given_to(photo, person);
        self.become_gallery(gallery)
    }

    /// Gives a person another name.
    ///
    /// # Errors
    /// Nobody of that name; [`Error::NameTaken`]; [`Error::PersonName`].
    pub fn rename(&mut self, name: &str, new: impl AsRef<str>) -> Result<()> {
        let (from, to, after) = self.gallery().with_new_name(name, new.as_ref())?;
        self.relearn(after)?;
        self.history.rename(change_time(), &from, &to);
        Ok(())
    }

    /// Makes the faces of some people another person's.
    ///
    /// # Errors
    /// Nobody of such a name; [`Error::MergedIntoItself`].
    pub fn merge(&mut self, names: &[&str], into: &str) -> Result<()> {
        let (from, into, after) = self.gallery().with_merged(names, into)?;
        let before = self.gallery().clone();
        self.relearn(after)?;
        self.history.merge(change_time(), &from, &into, &before);
        Ok(())
    }

    /// Makes the last two changes of faces one, to be undone at once: photos that were added by one gesture.
    pub fn join_changes(&mut self) {
        self.history.join();
    }

    /// The model as it was before its last change, but for what was erased; `None` where nobody was enrolled before it.
    ///
    /// # Errors
    /// [`Error::NothingToUndo`].
    pub fn undone(mut self) -> Result<Option<Self>> {
        let change = self.history.last_change().ok_or(Error::NothingToUndo)?;
        let before = self.gallery().clone();
        let after = before.clone().undone(change)?.gallery;
        if after.is_empty() {
            return Ok(None);
        }
        self.history.undo(change_time(), &before, &after);
        self.relearn(after)?;
        Ok(Some(self))
    }

    /// Erases a person. What was learned is learned again without their faces, so that nothing of them is left.
    ///
    /// # Errors
    /// Nobody of that name; too few faces would be left to learn from.
    pub fn remove_person(&mut self, name: &str) -> Result<usize> {
        let person = self.gallery().find(name)?;
        let enrolled = self.gallery().enrolled().iter().enumerate();
        let faces: Vec<usize> = enrolled
            .filter(|(_, face)| face.person == person)
            .map(|(at, _)| at)
            .collect();
        self.become_gallery(self.gallery().clone().without(&faces))?;
        Ok(faces.len())
    }

    /// Erases the faces of these photos. Returns how many were enrolled.
    ///
    /// # Errors
    /// Too few faces would be left to learn from.
    pub fn remove_faces(&mut self, photos: &[ContentHash]) -> Result<usize> {
        let positions = photos
            .iter()
            .filter_map(|&photo| self.gallery().position(photo));
        let faces: Vec<usize> = positions.collect();
        self.become_gallery(self.gallery().clone().without(&faces))?;
        Ok(faces.len())
    }

    /// Takes down that what was found about faces (their positions in the gallery) is no mistake: [`History::is_fine`].
    ///
    /// [`History::is_fine`]: crate::gallery::History::is_fine
    pub fn call_fine(&mut self, finding: &str, faces: &[usize]) {
        let gallery = self.recognizer.gallery();
        self.history.call_fine(finding, faces, gallery);
    }

    /// Learns another gallery, and takes down what came and went.
    fn become_gallery(&mut self, after: Gallery) -> Result<()> {
        if after == *self.gallery() {
            return Ok(());
        }
        let mut history = self.history.clone();
        history.record(change_time(), self.gallery(), &after);
        self.relearn(after)?;
        self.history = history;
        Ok(())
    }

    fn relearn(&mut self, after: Gallery) -> Result<()> {
        let settings = self.recognizer.settings();
        self.recognizer = self.recognizer.learn_again(after, settings)?;
        Ok(())
    }
}
