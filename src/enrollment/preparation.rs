//! The choice of how photos become faces.

use std::borrow::{Borrow, Cow};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use image::GrayImage;

use super::Observer;
use crate::dataset::{self, ContentHash, Photo, PhotoFile, Skipped};
use crate::error::{Error, PhotoProblem, Result};
use crate::face_matrix::FaceSize;
use crate::locate::Locator;
use crate::locate::framing::{self, Crops, Framing, FramingRule, Look, Survey};
use crate::normalize::resize;
use crate::preparation::{Preparation, PreparedFace};

/// Photos narrower than this are taken as they are: enlarged they would show no more.
const TEXTURED_WIDTH: u32 = 32;

/// Preparation of photos as far as it is asked for; the rest is chosen to suit the photos.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PreparationOptions {
    /// Whether faces are looked for.
    pub framing: FramingRule,
    pub size: Option<FaceSize>,
    /// Treatment of photos that are crops of faces already.
    pub crops: Crops,
}

/// A preparation that suits some photos, and what was seen of them when it was chosen.
#[derive(Debug, Clone)]
pub struct ChosenPreparation {
    pub preparation: Preparation,
    /// The look at some of the photos that the framing was decided from, if it was.
    pub survey: Option<Survey>,
    /// Faces of photos that were looked at, prepared: to find a face is what takes the time.
    prepared: HashMap<ContentHash, PreparedFace>,
}

impl ChosenPreparation {
    /// A preparation that was chosen before.
    pub fn known(preparation: Preparation) -> Self {
        Self { preparation, survey: None, prepared: HashMap::new() }
    }

    /// The face that a photo of one person is about, by the hash of its file; `decoded` is asked for the photo only where
    /// its face is not known yet.
    /// Errors: those of `decoded` and of [`Preparation::prepare`].
    pub fn prepare<P: Borrow<GrayImage>>(
        &self,
        photo: ContentHash,
        decoded: impl FnOnce() -> Result<P, PhotoProblem>,
    ) -> Result<PreparedFace, PhotoProblem> {
        match self.prepared.get(&photo) {
            Some(face) => Ok(face.clone()),
            None => self.preparation.prepare(decoded()?.borrow()),
        }
    }
}

impl PreparationOptions {
    /// Chooses a preparation for these photos, which were found in `roots`.
    /// Errors: [`Error::NoneUsable`] where the size depends on the photos and none can be used; the observer hears why of each,
    /// and of those that were `skipped` before.
    pub fn choose<P: AsRef<Path> + Sync>(
        &self,
        photos: &[P],
        roots: &[PathBuf],
        skipped: &[Skipped],
        observer: &dyn Observer,
    ) -> Result<ChosenPreparation> {
        let surveyed = self.survey(photos, |photo| {
            let file = PhotoFile::read(photo.as_ref()).ok()?;
            Some((file.content_hash(), Cow::Owned(file.decode().ok()?)))
        });
        self.choose_with(surveyed, || choose_size(photos, roots, skipped, observer))
    }

    /// As [`choose`](Self::choose), for photos that are in memory.
    /// Errors: [`Error::NoneUsable`] where the size depends on the photos and all are too small.
    pub fn choose_for(&self, photos: &[&Photo]) -> Result<ChosenPreparation> {
        let surveyed = self.survey(photos, |photo| Some((photo.content_hash(), Cow::Borrowed(photo.luma()))));
        self.choose_with(surveyed, || {
            let sizes: Vec<_> = photos.iter().map(|photo| photo.luma().dimensions()).collect();
            resize::choose_size(&sizes).ok_or_else(|| none_usable(&[], photos.len()))
        })
    }

    fn detecting(&self) -> Preparation {
        Preparation::new(self.size.unwrap_or(FaceSize::ALIGNED), Framing::Detect)
    }

    /// A look at some of the photos, if anything depends on it, and the faces seen.
    fn survey<'a, P: Sync>(
        &self,
        photos: &'a [P],
        decoded: impl Fn(&'a P) -> Option<(ContentHash, Cow<'a, GrayImage>)> + Sync,
    ) -> Option<(Survey, HashMap<ContentHash, PreparedFace>)> {
        if self.framing == FramingRule::Given(Framing::AsIs) {
            return None;
        }
        let prepared = Mutex::new(HashMap::new());
        let look = |&at: &usize| {
            let (hash, photo) = decoded(photos.get(at)?)?;
            let found = Locator::shared().ok()?.locate(&photo).ok()?;
            if let Some(face) = self.detecting().prepare_located(&photo, &found) {
                let mut prepared = prepared.lock().unwrap_or_else(PoisonError::into_inner);
                prepared.insert(hash, face);
            }
            Some(Look::of(&found, photo.dimensions()))
        };
        let places: Vec<usize> = (0..photos.len()).collect();
        let survey = framing::survey(&places, self.crops, look);
        Some((survey, prepared.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    /// The preparation, after a look at the photos, whose own size is asked for only where it matters.
    fn choose_with(
        &self,
        surveyed: Option<(Survey, HashMap<ContentHash, PreparedFace>)>,
        own_size: impl FnOnce() -> Result<FaceSize>,
    ) -> Result<ChosenPreparation> {
        let (survey, prepared) = surveyed.unzip();
        let framing = match (self.framing, &survey) {
            (FramingRule::Given(framing), _) => framing,
            (FramingRule::Auto, Some(survey)) => survey.framing,
            (FramingRule::Auto, None) => Framing::default(),
        };
        let decided = survey.filter(|_| self.framing == FramingRule::Auto);
        if framing == Framing::Detect {
            let prepared = prepared.unwrap_or_default();
            return Ok(ChosenPreparation { preparation: self.detecting(), survey: decided, prepared });
        }
        let size = match self.size {
            Some(size) => size,
            None => {
                let own = own_size()?;
                match self.crops {
                    // The background model looks at faces of one size.
                    Crops::Align if own.width() >= TEXTURED_WIDTH => FaceSize::ALIGNED,
                    Crops::Align | Crops::Keep => own,
                }
            }
        };
        Ok(ChosenPreparation { survey: decided, ..ChosenPreparation::known(Preparation::new(size, framing)) })
    }
}

/// The size of faces that suits photos that are taken as they are.
/// Errors: [`Error::NoneUsable`]; the observer hears why of each photo, and of those that were `skipped` before.
pub fn choose_size<P: AsRef<Path> + Sync>(
    photos: &[P],
    roots: &[PathBuf],
    skipped: &[Skipped],
    observer: &dyn Observer,
) -> Result<FaceSize> {
    if let Some(size) = resize::choose_size(&dataset::photo_sizes(photos)) {
        return Ok(size);
    }
    let read = |_: &P, file: &PhotoFile| {
        let (width, height) = file.decode()?.dimensions();
        Err::<(), _>(PhotoProblem::TooSmall { width, height, min: FaceSize::MIN_SIDE })
    };
    let all = [skipped, &dataset::load(photos, read, &|_| {}).skipped].concat();
    observer.skipped(&all);
    Err(none_usable(roots, all.len()))
}

pub(super) fn none_of(roots: &[PathBuf], skipped: &[Skipped]) -> Error {
    let is_faceless = |skipped: &Skipped| matches!(skipped.problem, PhotoProblem::NoFace);
    if skipped.iter().all(is_faceless) { no_faces(roots, skipped.len()) } else { none_usable(roots, skipped.len()) }
}

pub(super) fn no_faces(roots: &[PathBuf], count: usize) -> Error {
    Error::NoFaces { path: roots.first().cloned().unwrap_or_default(), count }
}

pub fn none_usable(roots: &[PathBuf], count: usize) -> Error {
    Error::NoneUsable { path: roots.first().cloned().unwrap_or_default(), count }
}
