//! Learning a recogniser from its gallery, with or without the background model.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::described_gallery::{self, DescribedGallery};
use super::{Recognizer, Settings, calibrate, face_score_limit};
use crate::background::Background;
use crate::compare::{Comparer, Distances, Likelihoods};
use crate::error::Result;
use crate::face_space::{FaceSpace, Weights};
use crate::gallery::Gallery;
use crate::matcher::Matcher;
use crate::preparation::Preparation;

impl Recognizer {
    /// Learns from a gallery: fits the face space, places everybody in it, and calibrates by leaving out. The gallery is
    /// [framed](Gallery::framed) first: photos in which no face was found, and which the crops' frame does not fit, are left out.
    ///
    /// # Errors
    /// Faces that are all alike (one is enough, unless it is its own mirror image); a kernel of scaled pixels.
    pub fn learn(preparation: Preparation, gallery: Gallery, settings: Settings) -> Result<Self> {
        Self::learn_described(None, preparation, gallery, settings)
    }

    /// Learns a gallery that holds faces of this recogniser's: of those the background model's coordinates are known.
    /// The result is that of [`learn`](Self::learn).
    ///
    /// # Errors
    /// As [`learn`](Self::learn).
    pub fn learn_again(&self, gallery: Gallery, settings: Settings) -> Result<Self> {
        Self::learn_described(DescribedGallery::of(self), *self.preparation(), gallery, settings)
    }

    /// Learns a gallery of which some faces may be described already. The result is that of [`learn`](Self::learn).
    ///
    /// # Errors
    /// As [`learn`](Self::learn).
    pub fn learn_described(
        described: Option<DescribedGallery<'_>>,
        preparation: Preparation,
        gallery: Gallery,
        settings: Settings,
    ) -> Result<Self> {
        let (preparation, gallery) = gallery.framed(&preparation);
        let (space, weights, comparer, coordinates) = match settings.prior.background()? {
            Some(background) => {
                let described = described.filter(|known| known.prior == settings.prior);
                Self::compared_by_background(background, &preparation, &gallery, settings, described)?
            }
            None => Self::compared_by_gallery(&gallery, settings)?,
        };
        // The checks of a stored recogniser hold for a new one too: what is learned can be loaded.
        Self::from_parts(preparation, settings, space, gallery, weights, comparer, coordinates)
    }

    /// The face space of a gallery, and the weights of its faces.
    fn face_space(gallery: &Gallery, settings: Settings) -> Result<(Arc<FaceSpace>, Weights)> {
        let space = FaceSpace::learn(gallery.faces(), settings.pca)?;
        let weights = space.project(gallery.faces());
        Ok((Arc::new(space), weights))
    }

    fn compared_by_background(
        background: &'static Background,
        preparation: &Preparation,
        gallery: &Gallery,
        settings: Settings,
        described: Option<DescribedGallery<'_>>,
    ) -> Result<Learned> {
        let places = described.map(|known| (known, known.places(gallery)));
        let known = places.as_ref().map(|(known, places)| (*known, &places[..]));
        let coordinates = described_gallery::coordinates(background, gallery, known)?;
        let (space, weights) = match known.and_then(|(known, at)| known.space(at, settings.pca)) {
            Some(same) => same,
            None => Self::face_space(gallery, settings)?,
        };
        let face_score_limit = face_score_limit::learned(gallery, &space);
        let (persons, framing) = (gallery.persons(), preparation.framing());
        let comparer = Likelihoods::learn(background, &coordinates, &persons, face_score_limit, framing);
        Ok((space, weights, Comparer::Likelihoods(Arc::new(comparer)), Some(coordinates)))
    }

    fn compared_by_gallery(gallery: &Gallery, settings: Settings) -> Result<Learned> {
        let (faces, people) = (gallery.faces(), gallery.people().len());
        let matcher = Matcher::learn(faces, &gallery.persons(), people, settings.distance, settings.pca)?;
        let (space, weights) = match matcher.space().linear() {
            Some(space) => (Arc::clone(space), space.project(faces)),
            None => Self::face_space(gallery, settings)?,
        };
        let face_score_limit = face_score_limit::learned(gallery, &space);
        let calibration = calibrate::calibrate(gallery, settings, face_score_limit);
        Ok((space, weights, Comparer::Distances(Box::new(Distances { matcher, calibration })), None))
    }
}

/// The face space of a gallery, the weights of its faces, their comparison, and their coordinates (2k x n) where the background model
/// compares.
type Learned = (Arc<FaceSpace>, Weights, Comparer, Option<DMatrix<f32>>);
