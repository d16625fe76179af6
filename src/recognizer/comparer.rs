//! The comparison of faces with the people enrolled: by the bundled background model, or by the gallery alone.

use std::collections::HashMap;

use nalgebra::DMatrix;
use sha2::{Digest, Sha256};

use super::Recognizer;
use crate::background::{self, Adaptation, Background, People};
use crate::decision::{self, Acceptance};
use crate::error::{Error, Result};
use crate::face_matrix::FaceMatrix;
use crate::gallery::Gallery;
use crate::locate::framing::Framing;
use crate::matcher::Matcher;

/// The comparison of faces with the people enrolled.
#[derive(Debug, Clone)]
pub enum Comparer {
    /// By distances in spaces learned from this gallery.
    Gallery {
        /// The spaces and everybody's coordinates in them.
        matcher: Box<Matcher>,
        /// The map from distances to decisions.
        calibration: decision::Calibration,
    },
    /// By likelihood ratios of the background model, moved by this gallery.
    Background(Box<BackgroundComparer>),
}

/// The people of a gallery as the background model sees them.
#[derive(Debug, Clone)]
pub struct BackgroundComparer {
    people: People,
    /// The [fingerprint](fingerprint) of each enrolled face, and its person.
    enrolled: Vec<(u64, usize)>,
    calibration: background::Calibration,
    /// The face score below which something is not a face.
    face_score_limit: f64,
}

impl BackgroundComparer {
    /// Learns from enrolled faces: their coordinates (2k x n) and the person of each, from 0 on without gaps. `framing` is
    /// that of their photos.
    ///
    /// # Errors
    /// When the program itself is damaged.
    pub fn learn(
        coordinates: &DMatrix<f32>,
        persons: &[usize],
        face_score_limit: f64,
        framing: Framing,
    ) -> Result<Self> {
        let background = Background::bundled()?;
        let photos: Vec<usize> = (0..persons.len()).collect();
        let count = persons.last().map_or(0, |last| last + 1);
        let adaptation = Adaptation::learn(background, coordinates, &photos, persons);
        let people = People::place(adaptation, coordinates, &photos, persons, count);
        let calibration =
            background::Calibration::learn(background, &people, coordinates, persons, framing);
        let fingerprints = coordinates
            .column_iter()
            .map(|face| fingerprint(face.as_slice()));
        Ok(Self {
            people,
            enrolled: fingerprints.zip(persons.iter().copied()).collect(),
            calibration,
            face_score_limit,
        })
    }

    /// With nobody enrolled: what the background model alone says of two photos.
    ///
    /// # Errors
    /// When the program itself is damaged.
    pub fn of_nobody() -> Result<Self> {
        let nobody = DMatrix::zeros(2 * Background::bundled()?.components(), 0);
        Self::learn(&nobody, &[], -1.0, Framing::Detect)
    }

    /// From stored parts: everybody's ratios, the fingerprint of each enrolled face and its person.
    ///
    /// # Errors
    /// Parts that do not fit together.
    pub fn from_parts(
        people: People,
        enrolled: Vec<(u64, usize)>,
        calibration: background::Calibration,
        face_score_limit: f64,
    ) -> Result<Self> {
        let count = people.photos().len();
        let fits = calibration.is_sound(count)
            && (-1.0..=1.0).contains(&face_score_limit)
            && enrolled.iter().all(|&(_, person)| person < count);
        if !fits {
            return Err(Error::Inconsistent);
        }
        Ok(Self {
            people,
            enrolled,
            calibration,
            face_score_limit,
        })
    }

    /// The fingerprint of each enrolled face, and its person, in the order of the gallery.
    pub fn enrolled(&self) -> &[(u64, usize)] {
        &self.enrolled
    }

    /// Everybody's likelihood ratios.
    pub fn people(&self) -> &People {
        &self.people
    }

    /// The map from scores to decisions.
    pub fn calibration(&self) -> &background::Calibration {
        &self.calibration
    }

    /// The face score below which something is not a face.
    pub fn face_score_limit(&self) -> f64 {
        self.face_score_limit
    }

    /// The person of whom this very face (its coordinates, 2k) is enrolled, if there is one.
    pub(super) fn enrolled_as(&self, probe: &[f32]) -> Option<usize> {
        let probe = fingerprint(probe);
        let found = self.enrolled.iter().find(|(face, _)| *face == probe);
        found.map(|&(_, person)| person)
    }
}

/// What tells the coordinates of a face from all others: the first eight bytes of their SHA-256. That a stranger's are those
/// of one of a million enrolled faces happens once in 10^13 times.
fn fingerprint(coordinates: &[f32]) -> u64 {
    let mut hasher = Sha256::new();
    for value in coordinates {
        hasher.update(value.to_le_bytes());
    }
    let digest: [u8; 32] = hasher.finalize().into();
    digest[..8]
        .iter()
        .fold(0, |all, &byte| all << 8 | u64::from(byte))
}

impl Comparer {
    /// The face score below which something is not a face.
    pub fn face_score_limit(&self) -> f64 {
        match self {
            Self::Gallery { calibration, .. } => calibration.face_score_limit(),
            Self::Background(background) => background.face_score_limit,
        }
    }

    /// Whether names are given at all.
    pub fn gives_names(&self) -> bool {
        match self {
            Self::Gallery { calibration, .. } => calibration.gives_names(),
            Self::Background(_) => true,
        }
    }

    /// The confidence beyond which a name is given; `None` where none ever is.
    pub fn threshold(&self, acceptance: Acceptance) -> Option<f64> {
        match self {
            Self::Gallery { calibration, .. } => {
                let gives =
                    calibration.gives_names() || matches!(acceptance, Acceptance::Confidence(_));
                gives.then(|| calibration.threshold(acceptance))
            }
            Self::Background(background) => Some(background.calibration.threshold(acceptance)),
        }
    }
}

/// Faces whose coordinates in the background model are known already: describing them is nearly all the work of learning.
#[derive(Debug, Clone, Copy)]
pub struct Described<'a> {
    faces: &'a Gallery,
    /// 2k x n.
    coordinates: &'a DMatrix<f32>,
}

impl<'a> Described<'a> {
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
pub(super) fn coordinates(gallery: &Gallery, known: Option<Described<'_>>) -> Result<DMatrix<f32>> {
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
