//! Faces that are described already: of a gallery that grows most are.

use std::collections::HashMap;

use nalgebra::DMatrix;

use super::Recognizer;
use crate::background::Background;
use crate::error::{Error, Result};
use crate::face_matrix::FaceMatrix;
use crate::gallery::Gallery;

/// Faces whose coordinates in the background model are known already: describing them is nearly all the work of learning.
#[derive(Debug, Clone, Copy)]
pub struct KnownCoordinates<'a> {
    faces: &'a Gallery,
    /// 2k x n.
    coordinates: &'a DMatrix<f32>,
}

impl<'a> KnownCoordinates<'a> {
    /// Faces with their [coordinates](Background::coordinates) (2k x n).
    ///
    /// # Errors
    /// Coordinates of another number of faces, or of another background model.
    pub fn new(faces: &'a Gallery, coordinates: &'a DMatrix<f32>) -> Result<Self> {
        let shape = (2 * Background::bundled()?.components(), faces.len());
        if coordinates.shape() != shape {
            return Err(Error::Inconsistent);
        }
        Ok(Self { faces, coordinates })
    }

    /// Those of a recogniser that compares by the background model.
    pub(super) fn of(recognizer: &'a Recognizer) -> Option<Self> {
        Some(Self {
            faces: recognizer.gallery(),
            coordinates: recognizer.coordinates()?,
        })
    }
}

/// The background model's coordinates of a gallery's faces (2k x n): those that are known are not computed again.
pub(super) fn coordinates(
    gallery: &Gallery,
    known: Option<KnownCoordinates<'_>>,
) -> Result<DMatrix<f32>> {
    let background = Background::bundled()?;
    let Some(known) = known else {
        return Ok(background.coordinates(gallery.faces()));
    };
    let described = known.faces.enrolled().iter().enumerate();
    let places: HashMap<_, usize> = described.map(|(at, face)| (face.hash, at)).collect();
    let same = |at: usize| {
        let place = *places.get(&gallery.enrolled()[at].hash)?;
        let alike = known.faces.faces().face(place) == gallery.faces().face(at);
        alike.then_some(place)
    };
    let found: Vec<Option<usize>> = (0..gallery.len()).map(same).collect();
    let missing: Vec<usize> = (0..gallery.len())
        .filter(|&at| found[at].is_none())
        .collect();
    let computed = match missing.is_empty() {
        true => FaceMatrix::new(gallery.faces().size()),
        false => gallery.faces().select(&missing)?,
    };
    let computed = background.coordinates(&computed);
    let mut all = DMatrix::zeros(2 * background.components(), gallery.len());
    let mut next = computed.column_iter();
    for (at, place) in found.into_iter().enumerate() {
        match place {
            Some(place) => all.set_column(at, &known.coordinates.column(place)),
            None => {
                if let Some(column) = next.next() {
                    all.set_column(at, &column);
                }
            }
        }
    }
    Ok(all)
}
