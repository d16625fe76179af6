//! The faces of albums by person: those of people who are enrolled, and the others in groups.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nalgebra::DMatrix;

use super::{AlbumFace, Albums};
use crate::background::{Background, Prior};
use crate::dataset::{Person, natural};
use crate::error::{Error, Result};
use crate::face_index::{self, FaceKey};
use crate::grouping::{self, Constraints, Grouping};
use crate::locate::framing::Framing;
use crate::model::Model;
use crate::preparation::{Origin, PhotoRegion, Preparation, PreparedFace};
use crate::recognizer::{Identification, Probes, QueryOptions, Recognizer};

/// Faces that are identified together: bounds memory.
const BATCH: usize = 1_024;

/// The recogniser that names faces of an index, if the model's own were prepared as these are.
pub fn identifying(model: &Model) -> Option<&Recognizer> {
    let recognizer = model.recognizer();
    // Where the eyes of crops are assumed to be plays no part: faces of an index were found.
    recognizer.preparation().agrees_with(&face_index::preparation()).then_some(recognizer)
}

/// Preparation of faces of albums for a model, or for a new one where there is none; `path` is the model's.
/// Errors: a model that takes photos whole: no face of a photo can be enrolled into it.
pub fn preparation(model: Option<&Model>, path: &Path) -> Result<Preparation> {
    let preparation = Model::preparation(model);
    if preparation.framing() == Framing::Detect {
        return Ok(preparation);
    }
    Err(Error::OtherFraming { path: path.to_owned(), has: preparation.framing().name(), asked: Framing::Detect.name() })
}

#[derive(Debug)]
pub struct FacesByPerson<'a> {
    /// People who are enrolled, in order.
    pub known: Vec<KnownPerson<'a>>,
    /// The faces of nobody who is known.
    pub unnamed: Vec<&'a AlbumFace<'a>>,
    /// The probable person of each of `unnamed`.
    pub probable: Vec<Option<Person>>,
    /// Of `unnamed`, by position.
    pub grouping: Grouping,
}

impl<'a> FacesByPerson<'a> {
    /// Names the faces of people who are enrolled, and groups the others. `enrolled` tells whose a face is that is enrolled.
    pub fn of(
        faces: &'a [AlbumFace<'a>],
        albums: &Albums,
        recognizer: Option<&Recognizer>,
        enrolled: &dyn Fn(&AlbumFace<'_>) -> Option<Person>,
        query: QueryOptions,
    ) -> Result<Self> {
        let found = recognizer.map_or_else(|| Ok(Vec::new()), |recognizer| identify(faces, recognizer, query))?;
        let answers = albums.answers();
        let own: Vec<Option<Person>> = faces.iter().map(enrolled).collect();
        let position = |key: FaceKey| faces.binary_search_by_key(&key, |face| face.key).ok();
        let apart = answers.apart.iter().filter_map(|&(one, other)| Some((position(one)?, position(other)?)));
        let apart: Vec<(usize, usize)> = apart.collect();
        let denied = denied(&own, &apart);
        let guess = |at: usize, is_meant: &dyn Fn(&Identification) -> bool| {
            let closest = found.get(at).filter(|found| is_meant(found))?.closest()?;
            (!denied.contains(&(at, &closest.person))).then(|| closest.clone())
        };
        let mut known: BTreeMap<Person, Vec<KnownFace<'_>>> = BTreeMap::new();
        let (mut unnamed, mut probable) = (Vec::new(), Vec::new());
        for (at, face) in faces.iter().enumerate() {
            let guessed = guess(at, &|found| found.name().is_some());
            let named = match (&own[at], guessed) {
                (Some(person), _) => Some((person.clone(), 1.0, true)),
                (None, guessed) => guessed.map(|one| (one.person, one.confidence, false)),
            };
            let is_ignored = answers.ignored.contains(&face.key);
            match named {
                Some((person, confidence, is_enrolled)) if is_enrolled || !is_ignored => {
                    known.entry(person).or_default().push(KnownFace { face, confidence, is_enrolled });
                }
                _ if is_ignored => {}
                _ => {
                    unnamed.push(at);
                    probable.push(guess(at, &Identification::is_probable).map(|one| one.person));
                }
            }
        }
        let mut grouping = group(faces, &unnamed, &apart)?;
        let unnamed: Vec<&AlbumFace<'_>> = unnamed.into_iter().map(|at| &faces[at]).collect();
        // For reading: as the photos lie in their folders.
        for group in &mut grouping.groups {
            group.sort_by(|&a, &b| by_photo(unnamed[a], unnamed[b]));
        }
        let known = known.into_iter().map(|(person, mut faces)| {
            faces.sort_by(|a, b| by_photo(a.face, b.face));
            KnownPerson { person, faces }
        });
        Ok(Self { known: known.collect(), unnamed, probable, grouping })
    }
}

/// Faces (by position) and people whom they do not show: a person has said so of them and an enrolled face.
fn denied<'a>(own: &'a [Option<Person>], apart: &[(usize, usize)]) -> BTreeSet<(usize, &'a Person)> {
    let both = apart.iter().flat_map(|&(one, other)| [(one, other), (other, one)]);
    both.filter_map(|(face, other)| Some((face, own[other].as_ref()?))).collect()
}

/// The order of faces for reading: as their photos lie in their folders.
pub fn by_photo(one: &AlbumFace<'_>, other: &AlbumFace<'_>) -> Ordering {
    natural::paths(&one.photo, &other.photo).then(one.key.cmp(&other.key))
}

fn identify(faces: &[AlbumFace<'_>], recognizer: &Recognizer, query: QueryOptions) -> Result<Vec<Identification>> {
    let prepared = |face: &AlbumFace<'_>| PreparedFace {
        pixels: face.found.pixels.clone(),
        region: PhotoRegion::Found { location: face.found.location, of: 1 },
        origin: Origin::Whole,
    };
    let size = recognizer.preparation().size();
    let mut identified = Vec::with_capacity(faces.len());
    for some in faces.chunks(BATCH) {
        let prepared: Vec<PreparedFace> = some.iter().map(prepared).collect();
        let probes = Probes::prepared(size, prepared.iter())?;
        // The index has coordinates in the bundled background model.
        let probes = match recognizer.settings().prior {
            Prior::Bundled => probes.described(coordinates(some.iter())?),
            Prior::Own(_) | Prior::None => probes,
        };
        identified.extend(recognizer.identify_probes(probes, query));
    }
    Ok(identified)
}

/// The background model's coordinates of faces, as the index keeps them: 2k x n.
fn coordinates<'a>(faces: impl ExactSizeIterator<Item = &'a AlbumFace<'a>>) -> Result<DMatrix<f32>> {
    let (rows, count) = (2 * Background::bundled()?.components(), faces.len());
    Ok(DMatrix::from_vec(rows, count, faces.flat_map(|face| face.found.coordinates.iter().copied()).collect()))
}

/// The groups of those of the faces that are `unnamed` (positions).
fn group(faces: &[AlbumFace<'_>], unnamed: &[usize], apart: &[(usize, usize)]) -> Result<Grouping> {
    let background = Background::bundled()?;
    let raw = coordinates(faces.iter())?;
    // Faces come in the order of their photos.
    let mut photos = Vec::with_capacity(faces.len());
    for (at, face) in faces.iter().enumerate() {
        let is_same = at > 0 && faces[at - 1].key.photo == face.key.photo;
        let before = photos.last().copied().unwrap_or(0);
        photos.push(if is_same { before } else { at });
    }
    Ok(grouping::group(background, &raw, unnamed, Constraints { photos: &photos, apart }, grouping::PURITY))
}

#[derive(Debug)]
pub struct KnownPerson<'a> {
    pub person: Person,
    /// In the order of their photos.
    pub faces: Vec<KnownFace<'a>>,
}

#[derive(Debug)]
pub struct KnownFace<'a> {
    pub face: &'a AlbumFace<'a>,
    /// Confidence of that; 1 where a user said so.
    pub confidence: f64,
    /// Whether the face itself is enrolled: a person gave the name then.
    pub is_enrolled: bool,
}
