//! The ways to a recogniser: from its gallery, with or without the background model, or in spaces that were learned before.

use std::borrow::Cow;
use std::sync::Arc;

use nalgebra::DMatrix;

use super::known_coordinates::{self, KnownCoordinates};
use super::{BasisOrigin, Recognizer, Settings, calibrate, face_score_limit};
use crate::background::Prior;
use crate::compare::{Comparer, Distances, Likelihoods};
use crate::decision::Calibration;
use crate::error::{Error, Result};
use crate::face_matrix::FaceMatrix;
use crate::face_space::FaceSpace;
use crate::gallery::Gallery;
use crate::matcher::{Feature, FeatureMatrix, Matcher};
use crate::pca::{Pca, PcaError};
use crate::preparation::Preparation;

impl Recognizer {
    /// Learns from a gallery: fits the face space, places everybody in it, and calibrates by leaving out. The gallery is
    /// [framed](Gallery::framed) first: photos in which no face was found, and which the crops' frame does not fit, are left
    /// out.
    ///
    /// # Errors
    /// Faces that are all alike (one is enough, unless it is its own mirror image); scaled pixels that are not compared.
    pub fn learn(preparation: Preparation, gallery: Gallery, settings: Settings) -> Result<Self> {
        Self::learn_described(None, preparation, gallery, settings)
    }

    /// Learns a gallery that holds faces of this recogniser's: of those the background model's coordinates are known.
    /// The result is that of [`learn`](Self::learn).
    ///
    /// # Errors
    /// As [`learn`](Self::learn).
    pub fn learn_again(&self, gallery: Gallery, settings: Settings) -> Result<Self> {
        Self::learn_described(
            KnownCoordinates::of(self),
            *self.preparation(),
            gallery,
            settings,
        )
    }

    /// Learns a gallery of which some faces may be described already. The result is that of [`learn`](Self::learn).
    ///
    /// # Errors
    /// As [`learn`](Self::learn).
    pub fn learn_described(
        described: Option<KnownCoordinates<'_>>,
        preparation: Preparation,
        gallery: Gallery,
        settings: Settings,
    ) -> Result<Self> {
        let (preparation, gallery) = gallery.framed(&preparation);
        match settings.prior {
            Prior::Bundled => {
                let coordinates = known_coordinates::coordinates(&gallery, described)?;
                let space = Arc::new(pixel_space(gallery.faces(), &[], settings.pca)?);
                Self::compared_by_background(preparation, gallery, settings, space, coordinates)
            }
            Prior::None => Self::learn_from_gallery(preparation, gallery, settings),
        }
    }

    fn compared_by_background(
        preparation: Preparation,
        gallery: Gallery,
        settings: Settings,
        space: Arc<FaceSpace>,
        coordinates: DMatrix<f32>,
    ) -> Result<Self> {
        let face_score_limit = face_score_limit::learned(&gallery, &space, None);
        let persons = gallery.persons();
        let framing = preparation.framing();
        let comparer = Likelihoods::learn(&coordinates, &persons, face_score_limit, framing)?;
        let comparer = Comparer::Likelihoods(Box::new(comparer));
        let coordinates = Some(coordinates);
        Self::compared_by(preparation, gallery, settings, space, comparer, coordinates)
    }

    fn learn_from_gallery(
        preparation: Preparation,
        gallery: Gallery,
        settings: Settings,
    ) -> Result<Self> {
        let faces: Vec<usize> = (0..gallery.len()).collect();
        let (people, persons) = (gallery.people().len(), gallery.persons());
        let comparison = settings.comparison;
        comparison.refuse_senseless(preparation.size())?;
        let features = comparison.feature_matrices(gallery.faces());
        let matcher = Matcher::learn(
            &features,
            &faces,
            &persons,
            people,
            comparison,
            settings.pca,
        )?;
        let space = match matcher
            .feature_space(Feature::Pixels)
            .and_then(|part| part.space().linear())
        {
            Some(space) => Arc::clone(space),
            None => Arc::new(pixel_space(gallery.faces(), &features, settings.pca)?),
        };
        let face_score_limit = face_score_limit::learned(&gallery, &space, pixels(&features));
        let calibration = if calibrate::is_settled(&space, &matcher, gallery.len()) {
            calibrate::calibrate_keeping(&matcher, &gallery, &features, settings, face_score_limit)
        } else {
            calibrate::calibrate(&gallery, &features, settings, face_score_limit)?
        };
        drop(features);
        let comparer = by_distances(matcher, calibration);
        Self::compared_by(preparation, gallery, settings, space, comparer, None)
    }

    /// The checks of a stored recogniser hold for a new one too: what is learned can be loaded.
    fn compared_by(
        preparation: Preparation,
        gallery: Gallery,
        settings: Settings,
        space: Arc<FaceSpace>,
        comparer: Comparer,
        coordinates: Option<DMatrix<f32>>,
    ) -> Result<Self> {
        let weights = space.project(gallery.faces());
        Self::from_parts(
            preparation,
            settings,
            space,
            gallery,
            weights,
            comparer,
            coordinates,
        )
    }

    /// Another gallery in the spaces of this recogniser: faces are projected, and only metric, clusters and
    /// calibration are learned anew. For a basis that was published and must not change. Of `settings` those of the
    /// spaces (components, solver) are without effect.
    ///
    /// # Errors
    /// Faces of another size; other features, of which this recogniser has no space.
    pub fn keeping_basis(&self, gallery: Gallery, settings: Settings) -> Result<Self> {
        let (preparation, space) = (*self.preparation(), self.identifier.shared_space());
        let gallery = gallery.aligned_by(&preparation);
        if gallery.faces().size() != preparation.size() {
            return Err(Error::Inconsistent);
        }
        let learned = match settings.prior {
            Prior::Bundled => {
                let known = KnownCoordinates::of(self);
                let coordinates = known_coordinates::coordinates(&gallery, known)?;
                Self::compared_by_background(preparation, gallery, settings, space, coordinates)
            }
            Prior::None => {
                let spaces = &self.matcher().ok_or(Error::Inconsistent)?.spaces();
                let faces: Vec<usize> = (0..gallery.len()).collect();
                let (people, persons) = (gallery.people().len(), gallery.persons());
                let comparison = settings.comparison;
                comparison.refuse_senseless(preparation.size())?;
                let features = comparison.feature_matrices(gallery.faces());
                let matcher =
                    Matcher::in_spaces(spaces, &features, &faces, &persons, people, comparison)?;
                let limit = face_score_limit::in_space(&gallery, &space);
                let calibration =
                    calibrate::calibrate_keeping(&matcher, &gallery, &features, settings, limit);
                drop(features);
                let comparer = by_distances(matcher, calibration);
                Self::compared_by(preparation, gallery, settings, space, comparer, None)
            }
        };
        learned.map(|learned| learned.of_origin(BasisOrigin::Kept))
    }
}

fn by_distances(matcher: Matcher, calibration: Calibration) -> Comparer {
    Comparer::Distances(Box::new(Distances {
        matcher,
        calibration,
    }))
}

/// The space of plain pixels: with mirror images where these are compared by their pixels too; of one face alone always.
fn pixel_space(faces: &FaceMatrix, features: &[FeatureMatrix<'_>], pca: Pca) -> Result<FaceSpace> {
    let all: Vec<usize> = (0..faces.len()).collect();
    let learned = match (pixels(features), faces.len()) {
        (Some(compared), _) => Cow::Owned(compared.learned(&all)?),
        (None, 1) => {
            let mut both = faces.as_slice().repeat(2);
            Feature::Pixels.mirror(faces.size(), &mut both[faces.as_slice().len()..]);
            Cow::Owned(FaceMatrix::from_pixels(faces.size(), both)?)
        }
        (None, _) => Cow::Borrowed(faces),
    };
    // Mirror images are not counted.
    let mut components = pca.fit(&*learned).map_err(|error| match error {
        PcaError::NoVariance(_) => PcaError::NoVariance(faces.len()),
        error => error,
    })?;
    components.faces = faces.len();
    Ok(FaceSpace::new(faces.size(), &components))
}

/// The pixels, where they are compared.
fn pixels<'a, 'b>(features: &'a [FeatureMatrix<'b>]) -> Option<&'a FeatureMatrix<'b>> {
    let is_of_pixels = |matrix: &&FeatureMatrix<'_>| matrix.feature() == Feature::Pixels;
    features.iter().find(is_of_pixels)
}
