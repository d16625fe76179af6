//! Who is enrolled: the people, and every face with its label, its origin and its weights.

mod clusters;
mod index;
mod k_means;

use std::collections::HashMap;

pub use clusters::{ClusterRule, Clusters, Match};
pub use index::{Index, Neighbour};

use crate::dataset::{ContentHash, Person};
use crate::error::{Error, Result};
use crate::face_matrix::{FaceMatrix, FaceSize};

/// One face to enrol: a person's photo, made ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabeledFace {
    /// Whose face it is.
    pub person: Person,
    /// Where it came from, as the user would recognise it (a path); may be empty.
    pub source: String,
    /// The hash of the photo's content.
    pub hash: ContentHash,
    /// d pixels.
    pub pixels: Vec<u8>,
}

/// What is known of one enrolled face besides its pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enrolled {
    /// Whose face it is: a position in [`Gallery::people`].
    pub person: usize,
    /// Where it came from; may be empty.
    pub source: String,
    /// The hash of the photo's content.
    pub hash: ContentHash,
}

/// The enrolled faces in canonical order: by person (naturally), then source (naturally), then content.
///
/// The order depends on what is enrolled only, not on when or in which order it was added; so a gallery
/// that grew is bit for bit the gallery enrolled at once.
#[derive(Debug, Clone, PartialEq)]
pub struct Gallery {
    people: Vec<Person>,
    enrolled: Vec<Enrolled>,
    faces: FaceMatrix,
}

/// What became of the faces given to [`Gallery::assemble`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Repeats {
    /// Photos that were there already (same content, same person), by source.
    pub known: Vec<String>,
}

impl Gallery {
    /// A gallery of the given faces, all of one size. A photo given twice is kept once.
    ///
    /// # Errors
    /// A photo under two different people: one of the labels must be wrong.
    pub fn assemble(size: FaceSize, faces: Vec<LabeledFace>) -> Result<(Self, Repeats)> {
        let mut repeats = Repeats::default();
        let mut first: HashMap<ContentHash, usize> = HashMap::with_capacity(faces.len());
        let mut kept: Vec<LabeledFace> = Vec::with_capacity(faces.len());
        for face in faces {
            match first.get(&face.hash) {
                None => {
                    first.insert(face.hash, kept.len());
                    kept.push(face);
                }
                Some(&at) if kept[at].person == face.person => repeats.known.push(face.source),
                Some(&at) => {
                    return Err(Error::TwoPeople {
                        first: kept[at].source.clone(),
                        first_person: kept[at].person.to_string(),
                        second: face.source,
                        second_person: face.person.to_string(),
                    });
                }
            }
        }
        kept.sort_by(|a, b| {
            let source = |face: &LabeledFace| face.source.as_bytes().to_vec();
            a.person
                .cmp(&b.person)
                .then_with(|| crate::dataset::natural::names(&source(a), &source(b)))
                .then_with(|| a.hash.cmp(&b.hash))
        });
        let mut people: Vec<Person> = kept.iter().map(|face| face.person.clone()).collect();
        people.dedup();
        let mut enrolled = Vec::with_capacity(kept.len());
        let mut pixels = Vec::with_capacity(kept.len() * size.pixels());
        let mut person = 0;
        for face in kept {
            while people[person] != face.person {
                person += 1;
            }
            enrolled.push(Enrolled {
                person,
                source: face.source,
                hash: face.hash,
            });
            pixels.extend_from_slice(&face.pixels);
        }
        let faces = FaceMatrix::from_pixels(size, pixels)?;
        Ok((
            Self {
                people,
                enrolled,
                faces,
            },
            repeats,
        ))
    }

    /// The people, in natural order of their names.
    pub fn people(&self) -> &[Person] {
        &self.people
    }

    /// The enrolled faces, in canonical order.
    pub fn enrolled(&self) -> &[Enrolled] {
        &self.enrolled
    }

    /// The pixels of the enrolled faces, d x n, in the same order.
    pub fn faces(&self) -> &FaceMatrix {
        &self.faces
    }

    /// n, the number of faces.
    pub fn len(&self) -> usize {
        self.enrolled.len()
    }

    /// Whether nobody is enrolled.
    pub fn is_empty(&self) -> bool {
        self.enrolled.is_empty()
    }

    /// The person of each face, as a position in [`Gallery::people`].
    pub fn persons(&self) -> Vec<usize> {
        self.enrolled.iter().map(|face| face.person).collect()
    }

    /// How many faces each person has.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.people.len()];
        for face in &self.enrolled {
            counts[face.person] += 1;
        }
        counts
    }

    /// The gallery of some of the faces, given by increasing positions. Whoever has no face among them is
    /// not one of its people.
    ///
    /// # Errors
    /// [`Error::NoSuchFace`].
    pub fn select(&self, faces: &[usize]) -> Result<Self> {
        debug_assert!(faces.is_sorted());
        let pixels = self.faces.select(faces)?;
        let mut people = Vec::new();
        let mut enrolled = Vec::with_capacity(faces.len());
        let mut last = None;
        for face in faces.iter().map(|&at| &self.enrolled[at]) {
            if last != Some(face.person) {
                people.push(self.people[face.person].clone());
                last = Some(face.person);
            }
            enrolled.push(Enrolled {
                person: people.len() - 1,
                ..face.clone()
            });
        }
        Ok(Self {
            people,
            enrolled,
            faces: pixels,
        })
    }

    /// The faces as they could be enrolled again.
    pub fn into_labeled(self) -> Vec<LabeledFace> {
        let Self {
            people,
            enrolled,
            faces,
        } = self;
        enrolled
            .into_iter()
            .enumerate()
            .map(|(at, face)| LabeledFace {
                person: people[face.person].clone(),
                source: face.source,
                hash: face.hash,
                pixels: faces.face(at).to_vec(),
            })
            .collect()
    }
}
