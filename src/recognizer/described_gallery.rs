//! Faces that are described already, of a gallery that grows most; and a face space that stays, where only names change.

use std::collections::HashMap;
use std::sync::Arc;

use nalgebra::DMatrix;

use super::Recognizer;
use crate::background::{Background, Prior};
use crate::error::{Error, Result};
use crate::face_matrix::FaceMatrix;
use crate::face_space::{FaceSpace, Weights};
use crate::gallery::Gallery;
use crate::pca::Pca;

/// A gallery with its coordinates in the background model: describing faces is nearly all the work of learning.
#[derive(Debug, Clone, Copy)]
pub struct DescribedGallery<'a> {
    faces: &'a Gallery,
    /// 2k x n.
    coordinates: &'a DMatrix<f32>,
    /// The recogniser learned of just these faces.
    learned: Option<&'a Recognizer>,
    /// In which background model.
    pub(super) prior: Prior,
}

impl<'a> DescribedGallery<'a> {
    /// Faces with their [coordinates](Background::coordinates) (2k x n) in the bundled background model.
    ///
    /// # Errors
    /// Coordinates of another number of faces, or of another background model.
    pub fn new(faces: &'a Gallery, coordinates: &'a DMatrix<f32>) -> Result<Self> {
        if coordinates.shape() != (2 * Background::bundled()?.components(), faces.len()) {
            return Err(Error::Inconsistent);
        }
        Ok(Self { faces, coordinates, learned: None, prior: Prior::Bundled })
    }

    /// Those of a recogniser that compares by the background model.
    pub(crate) fn of(recognizer: &'a Recognizer) -> Option<Self> {
        Some(Self {
            faces: recognizer.gallery(),
            coordinates: recognizer.coordinates()?,
            learned: Some(recognizer),
            prior: recognizer.settings().prior,
        })
    }

    /// The place among these faces of each face of a gallery, of those that are here.
    pub(super) fn places(&self, gallery: &Gallery) -> Vec<Option<usize>> {
        let places: HashMap<_, usize> = self.faces.enrolled().iter().map(|face| face.hash).zip(0..).collect();
        let same = |at: usize| {
            let place = *places.get(&gallery.enrolled()[at].hash)?;
            (self.faces.faces().face(place) == gallery.faces().face(at)).then_some(place)
        };
        (0..gallery.len()).map(same).collect()
    }

    /// The face space of these faces in another order, which is the same, and their weights in it; `None` unless all of them
    /// are in these `places`, or where it was learned otherwise.
    pub(super) fn space(&self, places: &[Option<usize>], pca: Pca) -> Option<(Arc<FaceSpace>, Weights)> {
        let learned = self.learned.filter(|learned| learned.settings().pca == pca && !pca.components.needs_faces())?;
        let all: Vec<usize> = places.iter().copied().collect::<Option<_>>()?;
        // No photo is enrolled twice, so as many are the same ones.
        (all.len() == self.faces.len()).then(|| (Arc::clone(learned.space()), learned.weights().select_columns(&all)))
    }
}

/// The background model's coordinates of a gallery's faces (2k x n): those that are `known`, with their places there, are not
/// computed again.
pub(super) fn coordinates(
    background: &Background,
    gallery: &Gallery,
    known: Option<(DescribedGallery<'_>, &[Option<usize>])>,
) -> Result<DMatrix<f32>> {
    let faces = gallery.faces();
    let Some((known, places)) = known else { return Ok(background.coordinates(faces)) };
    let missing: Vec<usize> = (0..gallery.len()).filter(|&at| places[at].is_none()).collect();
    let missing = if missing.is_empty() { FaceMatrix::new(faces.size()) } else { faces.select(&missing)? };
    let computed = background.coordinates(&missing);
    let mut all = DMatrix::zeros(2 * background.components(), gallery.len());
    let mut next = computed.column_iter();
    for (at, place) in places.iter().enumerate() {
        if let Some(column) = place.map_or_else(|| next.next(), |place| Some(known.coordinates.column(place))) {
            all.set_column(at, &column);
        }
    }
    Ok(all)
}
