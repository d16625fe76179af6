//! The choice of how photos become faces.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use image::GrayImage;

use super::Observer;
use crate::dataset::{self, Limits, Photo, PhotoFile, Skipped};
use crate::error::{Error, PhotoProblem, Result};
use crate::face_matrix::FaceSize;
use crate::locate::Locator;
use crate::locate::framing::{self, Crops, Framing, FramingRule, Look, Survey};
use crate::normalize::Illumination;
use crate::normalize::resize;
use crate::preparation::Preparation;

/// Photos narrower than this are taken as they are: enlarged they would show no more.
const TEXTURED_WIDTH: u32 = 32;

/// How photos become faces, as far as it is asked for; the rest is chosen to suit the photos.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PreparationOptions {
    /// Whether faces are looked for.
    pub framing: FramingRule,
    /// The size of the faces.
    pub size: Option<FaceSize>,
    /// How differences of illumination are evened out.
    pub light: Illumination,
    /// What is done with photos that are crops of faces already.
    pub crops: Crops,
}

impl PreparationOptions {
    /// Chooses a preparation for these photos, which were found in `roots`. With it the look at some of them that the
    /// framing was decided from, if it was.
    ///
    /// # Errors
    /// [`Error::NoneUsable`] where the size depends on the photos and none can be used; the observer hears why of each,
    /// and of those that were `skipped` before.
    pub fn choose<P: AsRef<Path> + Sync>(
        &self,
        photos: &[P],
        roots: &[PathBuf],
        skipped: &[Skipped],
        observer: &dyn Observer,
    ) -> Result<(Preparation, Option<Survey>)> {
        let survey = self.survey(photos, |photo| {
            let read = PhotoFile::read(photo.as_ref(), &Limits::default());
            read.and_then(|file| file.decode()).ok().map(Cow::Owned)
        });
        self.settle(survey, || choose_size(photos, roots, skipped, observer))
    }

    /// As [`choose`](Self::choose), for photos that are in memory.
    ///
    /// # Errors
    /// [`Error::NoneUsable`] where the size depends on the photos and all are too small.
    pub fn choose_for(&self, photos: &[&Photo]) -> Result<(Preparation, Option<Survey>)> {
        let survey = self.survey(photos, |photo| Some(Cow::Borrowed(photo.luma())));
        self.settle(survey, || {
            let sizes: Vec<_> = photos
                .iter()
                .map(|photo| photo.luma().dimensions())
                .collect();
            resize::choose_size(&sizes).ok_or_else(|| none_usable(&[], photos.len()))
        })
    }

    /// A look at some of the photos, if anything depends on it.
    fn survey<'a, P: Sync>(
        &self,
        photos: &'a [P],
        decoded: impl Fn(&'a P) -> Option<Cow<'a, GrayImage>> + Sync,
    ) -> Option<Survey> {
        let places: Vec<usize> = (0..photos.len()).collect();
        let look =
            |&at: &usize| Look::at(&*decoded(photos.get(at)?)?, Locator::shared().ok()?).ok();
        match self.framing {
            FramingRule::Given(Framing::AsIs) => None,
            _ => Some(framing::survey(&places, self.crops, look)),
        }
    }

    /// The preparation, after a look at the photos, whose own size is asked for only where it matters.
    fn settle(
        &self,
        survey: Option<Survey>,
        own_size: impl FnOnce() -> Result<FaceSize>,
    ) -> Result<(Preparation, Option<Survey>)> {
        let framing = match (self.framing, &survey) {
            (FramingRule::Given(framing), _) => framing,
            (FramingRule::Auto, Some(survey)) => survey.framing,
            (FramingRule::Auto, None) => Framing::default(),
        };
        let size = match (self.size, framing) {
            (Some(size), _) => size,
            (None, Framing::Detect) => FaceSize::ALIGNED,
            (None, Framing::AsIs) => {
                let own = own_size()?;
                match self.crops {
                    // The background model looks at faces of one size.
                    Crops::Align if own.width() >= TEXTURED_WIDTH => FaceSize::ALIGNED,
                    Crops::Align | Crops::Keep => own,
                }
            }
        };
        let preparation = Preparation::new(size, framing)
            .with_light(self.light)
            .with_crop_eyes(match framing {
                Framing::Detect => survey.as_ref().and_then(|survey| survey.crop_eyes),
                Framing::AsIs => None,
            });
        let decided = survey.filter(|_| self.framing == FramingRule::Auto);
        Ok((preparation, decided))
    }
}

/// The size of faces that suits photos that are taken as they are.
///
/// # Errors
/// [`Error::NoneUsable`]; the observer hears why of each photo, and of those that were `skipped` before.
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
        Err::<(), _>(PhotoProblem::TooSmall {
            width,
            height,
            min: FaceSize::MIN_SIDE,
        })
    };
    let unusable = dataset::load(photos, &Limits::default(), read, &|_| {}).skipped;
    let all = [skipped, &unusable].concat();
    observer.skipped(&all);
    Err(none_usable(roots, all.len()))
}

/// The error that none of so many photos under `roots` can be used.
pub fn none_usable(roots: &[PathBuf], count: usize) -> Error {
    Error::NoneUsable {
        path: roots.first().cloned().unwrap_or_default(),
        count,
    }
}
