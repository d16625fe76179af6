//! The library's entry point: a value that enrols, identifies, verifies, is edited and stored in a file.

mod change;
mod described;
mod edit;
mod notices;
mod photo;
mod photos;

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

pub use described::DescribedFace;
pub use edit::{EarlierName, Edit, Entry, Plan, Remark, Step};

use crate::dataset::{LabelRule, Person, Photo};
use crate::enrollment::{self, Base, Observer, PreparationOptions};
use crate::error::{Error, Result};
use crate::face_index;
use crate::gallery::{Gallery, History};
use crate::preparation::Preparation;
use crate::recognizer::{Identification, QueryOptions, Recognizer, Settings};
use crate::store::{self, Archive};

/// Settings of enrolment; the defaults suit a folder with one sub-folder of photos a person.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Options {
    /// Source of the names.
    pub labels: LabelRule,
    /// Preparation of the photos.
    pub preparation: PreparationOptions,
    /// Settings of learning.
    pub settings: Settings,
}

/// A gallery of people, what was learned from it, and its history: what a model file holds.
///
/// ```no_run
/// use eigenfaces::{Model, Options};
///
/// let model = Model::enroll("faces", &Options::default())?;
/// for face in model.identify_file("assets/probes/ada.png")? {
///     println!("{face}");
/// }
/// model.save("eigenfaces.npz")?;
/// # Ok::<(), eigenfaces::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    recognizer: Recognizer,
    history: History,
}

impl Model {
    /// Enrols the photos of a folder. Photos that cannot be used are passed over; to hear of them, see
    /// [`enroll_observed`](Self::enroll_observed).
    ///
    /// # Errors
    /// A folder that is not there, or has no photo that can be used; faces that are all alike (one face is enough).
    pub fn enroll(folder: impl AsRef<Path>, options: &Options) -> Result<Self> {
        Self::enroll_observed(&[folder.as_ref().to_owned()], options, &())
    }

    /// Enrols the photos of some folders, and tells an observer of progress and of what was passed over.
    ///
    /// # Errors
    /// As [`enroll`](Self::enroll); [`Error::Cancelled`].
    pub fn enroll_observed(folders: &[PathBuf], options: &Options, observer: &dyn Observer) -> Result<Self> {
        let plan = Self::plan_folders(folders, &options.labels, options.preparation, observer)?;
        plan.learn(None, None, options.settings)
    }

    /// As [`enroll_observed`](Self::enroll_observed), without learning: the gallery that would be learned.
    ///
    /// # Errors
    /// As [`enroll_observed`](Self::enroll_observed).
    pub fn plan_folders(
        folders: &[PathBuf],
        labels: &LabelRule,
        options: PreparationOptions,
        observer: &dyn Observer,
    ) -> Result<Plan> {
        let read = enrollment::read_folders(folders, labels, Base::Nothing(options), observer)?;
        Plan::of(Edit::Folders(read), None, observer)
    }

    /// Preparation of photos for a model, or for the one that the first of them makes.
    pub(crate) fn preparation(before: Option<&Self>) -> Preparation {
        before.map_or_else(face_index::preparation, |model| *model.recognizer.preparation())
    }

    /// The base that photos join: the gallery of a model, or nothing yet.
    pub(crate) fn base(before: Option<&Self>, otherwise: PreparationOptions) -> Base<'_> {
        match before {
            Some(model) => Base::Gallery(model.recognizer.preparation(), model.gallery()),
            None => Base::Nothing(otherwise),
        }
    }

    /// A model of these parts.
    pub fn from_parts(recognizer: Recognizer, history: History) -> Self {
        Self { recognizer, history }
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// A file that is not there, is no model, is damaged, newer, or does not fit together.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        store::load_with_history(path.as_ref()).map(|(recognizer, history)| Self { recognizer, history })
    }

    /// Reads the model file at `path`, if there is one.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn at(path: &Path) -> Result<Option<Self>> {
        path.exists().then(|| Self::load(path)).transpose()
    }

    /// Writes the model file, readable by its owner only. What stood there is replaced as a whole or not at all. A program that
    /// changes a model which others may change too holds a [`ModelLock`](store::ModelLock) from [`load`](Self::load) to here.
    ///
    /// # Errors
    /// A place that cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        store::save(&self.recognizer, &self.history, path.as_ref())
    }

    /// The bytes of the model file, for whoever keeps models elsewhere than in files.
    ///
    /// # Errors
    /// A model that cannot be written as one.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut out = BufWriter::new(Vec::new());
        store::write_model(&self.recognizer, &self.history, &mut out)?;
        Ok(out.into_inner()?)
    }

    /// The model of such bytes.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Self> {
        let archive = Archive::from_bytes(Path::new("the model"), bytes.into())?;
        store::from_archive(&archive).map(|(recognizer, history)| Self { recognizer, history })
    }

    /// Identifies the people in a photo: one identification for every face, row by row; none where no face was
    /// found. Each prints as a person would say it: `Ada (> 99 %)`.
    ///
    /// # Errors
    /// A photo that is not there or cannot be used.
    pub fn identify_file(&self, path: impl AsRef<Path>) -> Result<Vec<Identification>> {
        let path = path.as_ref();
        self.identify(&Photo::open(path)?, QueryOptions::default()).map_err(|error| named(error, path))
    }

    /// As [`identify_file`](Self::identify_file), of the bytes of an image file.
    ///
    /// # Errors
    /// Bytes that are no photo, or one that cannot be used.
    pub fn identify_bytes(&self, bytes: impl Into<Vec<u8>>) -> Result<Vec<Identification>> {
        self.identify(&Photo::from_bytes(bytes).map_err(photo::problem)?, QueryOptions::default())
    }

    /// Identifies the people in a decoded photo, with as many candidates and by such a threshold as the options ask for.
    ///
    /// # Errors
    /// A photo that is too small to show a face.
    pub fn identify(&self, photo: &Photo, options: QueryOptions) -> Result<Vec<Identification>> {
        self.recognizer.identify(photo.luma(), options).map_err(photo::problem)
    }

    /// The people who are enrolled, in natural order of their names.
    pub fn people(&self) -> &[Person] {
        self.recognizer.gallery().people()
    }

    /// The faces that are enrolled.
    pub fn gallery(&self) -> &Gallery {
        self.recognizer.gallery()
    }

    /// The recogniser learned: face space, thresholds, and everything that the theory offers.
    pub fn recognizer(&self) -> &Recognizer {
        &self.recognizer
    }

    /// The history of the gallery: each person's faces with the time they came and went.
    pub fn history(&self) -> &History {
        &self.history
    }
}

/// An error about a photo, with the path that the photo was read from.
fn named(error: Error, path: &Path) -> Error {
    match error {
        Error::Photo { problem, .. } => Error::photo(path, problem),
        other => other,
    }
}
