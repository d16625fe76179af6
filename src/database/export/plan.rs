//! Plans of exports.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tokio_postgres::Client;

use crate::compare::Points;
use crate::database::column::{self, column};
use crate::database::schema::{self, Row};
use crate::database::{Identity, Indexing, vector};
use crate::decision::{Acceptance, ENOUGH_PEOPLE};
use crate::error::DatabaseProblem;
use crate::recognizer::Recognizer;
use crate::store::npy;

/// Coordinates beyond this could have distances beyond single precision, in which pgvector computes.
const LARGEST: f32 = 1e16;

/// Changes that an export makes, or would make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Change {
    /// People who were not there.
    pub new: usize,
    /// People of whom something else was there.
    pub changed: usize,
    /// People of whom just the same was there.
    pub unchanged: usize,
    /// People who are erased, for the model has nobody of that name.
    pub erased_people: usize,
    /// Faces that are erased, for the model has no such photo.
    pub erased_faces: usize,
    /// Whether a gallery of another face space gives way.
    pub replaces: bool,
}

pub(super) struct ExportPlan<'a> {
    /// The points of the people.
    pub points: Points<'a>,
    pub identity: Identity,
    pub indexing: Indexing,
    /// Digests of what the model knows of each of its people.
    pub contents: Vec<[u8; 32]>,
    pub calibration: String,
    /// People to upload: positions in the model's people; with the row that gives way, if there is one.
    pub to_bring: Vec<(usize, Option<i64>)>,
    /// Rows of people whom the model does not have.
    pub to_remove: Vec<i64>,
    pub change: Change,
}

impl<'a> ExportPlan<'a> {
    pub async fn of(
        client: &Client,
        recognizer: &Recognizer,
        points: Points<'a>,
        indexing: Option<Indexing>,
    ) -> Result<Self, DatabaseProblem> {
        let identity = Identity::of(recognizer);
        let galleries = schema::galleries(client).await?;
        let indexing = match indexing {
            Some(indexing) => indexing,
            None if galleries.iter().any(|row| row.indexed) => Indexing::Hnsw,
            None => Indexing::None,
        };
        fits(recognizer, indexing)?;
        let mut there = people(client, galleries.iter().find(|row| row.is_of(identity))).await?;
        let contents = contents(recognizer, &points);
        let (erased_people, erased_faces) = erased(client, recognizer).await?;
        let replaces = galleries.iter().any(|row| !row.is_of(identity));
        let mut change = Change { replaces, erased_people, erased_faces, ..Change::default() };
        let mut to_bring = Vec::new();
        for (at, person) in recognizer.gallery().people().iter().enumerate() {
            match there.remove(person.as_str()) {
                Some((_, content)) if content == contents[at] => change.unchanged += 1,
                Some((id, _)) => {
                    change.changed += 1;
                    to_bring.push((at, Some(id)));
                }
                None => {
                    change.new += 1;
                    to_bring.push((at, None));
                }
            }
        }
        let calibration = recognizer.comparer().remote_calibration(&points);
        Ok(Self {
            points,
            identity,
            indexing,
            contents,
            calibration: calibration.map_err(|error| DatabaseProblem::invalid(error.to_string()))?,
            to_bring,
            to_remove: there.into_values().map(|(id, _)| id).collect(),
            change,
        })
    }

    pub fn changes_anything(&self) -> bool {
        !self.to_bring.is_empty() || !self.to_remove.is_empty()
    }
}

/// Refuses a model that no database can stand for.
pub(super) fn check_exportable(recognizer: &Recognizer, (points, owners): &Points<'_>) -> Result<(), DatabaseProblem> {
    let gallery = recognizer.gallery();
    if recognizer.comparer().threshold(Acceptance::default()).is_none() {
        return Err(DatabaseProblem::TooFew { people: gallery.people().len(), enough: ENOUGH_PEOPLE });
    }
    let is_large = |value: &f32| value.abs() > LARGEST;
    match points.as_slice().iter().position(is_large) {
        None => Ok(()),
        Some(at) => {
            Err(DatabaseProblem::TooLarge { name: gallery.people()[owners[at / points.nrows().max(1)]].to_string() })
        }
    }
}

/// Refuses points of more coordinates than there is room for.
fn fits(recognizer: &Recognizer, indexing: Indexing) -> Result<(), DatabaseProblem> {
    let dimensions = recognizer.comparer().dimensions();
    let (most, index) = match indexing {
        Indexing::None => (vector::MOST, false),
        Indexing::Hnsw => (vector::MOST_INDEXED, true),
    };
    if dimensions > most {
        return Err(DatabaseProblem::TooManyCoordinates { dimensions, most, index });
    }
    Ok(())
}

/// The people of a gallery: the row and the digest of each, by name.
async fn people(client: &Client, own: Option<&Row>) -> Result<HashMap<String, (i64, Vec<u8>)>, DatabaseProblem> {
    let Some(own) = own else { return Ok(HashMap::new()) };
    let people = "SELECT name, id, content FROM eigenfaces.people WHERE gallery = $1";
    let rows = client.query(people, &[&own.id]).await?;
    rows.iter().map(|row| Ok((column(row, 0)?, (column(row, 1)?, column(row, 2)?)))).collect()
}

/// Number of people and faces that any gallery has and the model has not.
async fn erased(client: &Client, recognizer: &Recognizer) -> Result<(usize, usize), DatabaseProblem> {
    let gallery = recognizer.gallery();
    let names: HashSet<&str> = gallery.people().iter().map(|person| person.as_str()).collect();
    let there = client.query("SELECT DISTINCT name FROM eigenfaces.people", &[]).await?;
    let there: Vec<&str> = column::first(&there)?;
    let people = there.iter().filter(|name| !names.contains(*name)).count();
    let hashes: HashSet<&[u8]> = gallery.enrolled().iter().map(|face| face.hash.0.as_slice()).collect();
    let there = client.query("SELECT DISTINCT hash FROM eigenfaces.faces", &[]).await?;
    let there: Vec<&[u8]> = column::first(&there)?;
    let faces = there.iter().filter(|hash| !hashes.contains(*hash)).count();
    Ok((people, faces))
}

/// A digest of all that the database is to hold of each person.
fn contents(recognizer: &Recognizer, (points, owners): &Points<'_>) -> Vec<[u8; 32]> {
    let mut digests = vec![Sha256::new(); recognizer.gallery().people().len()];
    for face in recognizer.gallery().enrolled() {
        let digest = &mut digests[face.person];
        digest.update(face.hash.0);
        digest.update((face.source.len() as u64).to_le_bytes());
        digest.update(&face.source);
    }
    for (at, &person) in owners.iter().enumerate() {
        digests[person].update(npy::to_bytes(points.column(at).as_slice()));
    }
    digests.into_iter().map(|digest| digest.finalize().into()).collect()
}
