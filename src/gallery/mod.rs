//! The gallery: the people enrolled, and every face with its label, its source, its content hash and its pixels.

mod edit;
mod framed;
mod history;
mod pixels;
mod same_photo;
mod sync;
mod undo;

use std::collections::HashSet;
use std::sync::Arc;

#[doc(hidden)]
pub use edit::HASH_DIGITS;
pub use history::{Event, History, Record, Tally, change_time};
pub use pixels::Pixels;
#[doc(hidden)]
pub use same_photo::SamePhotos;
pub use sync::{EditOutcome, FolderScan, KnownPhoto};
pub use undo::{LastChange, Undone};

use crate::dataset::{ContentHash, Person, natural};
use crate::error::{LikelihoodError, Result};
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::preparation::{Origin, PreparedFace};

/// One face to enrol: a person's photo, made ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabeledFace {
    /// The person.
    pub person: Person,
    /// The source, as the user would recognise it (a path); may be empty.
    pub source: String,
    /// The hash of the photo's content.
    pub hash: ContentHash,
    /// d pixels.
    pub pixels: Pixels,
    /// What is kept of the photo.
    pub origin: Origin,
}

/// Data on one enrolled face besides its pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enrolled {
    /// The person: a position in [`Gallery::people`].
    pub person: usize,
    /// The source; may be empty.
    pub source: String,
    /// The hash of the photo's content.
    pub hash: ContentHash,
    /// What is kept of the photo.
    pub origin: Origin,
}

/// The enrolled faces in canonical order: by person (naturally), then source (naturally), then content.
///
/// The order depends on what is enrolled only, not on when or in which order it was added; so a gallery
/// that grew is bit for bit the gallery enrolled at once.
#[derive(Debug, Clone, PartialEq)]
pub struct Gallery {
    people: Vec<Person>,
    enrolled: Vec<Enrolled>,
    /// Shared, for they are many and never change.
    faces: Arc<FaceMatrix>,
}

/// Faces that were given to a gallery and not added.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Repeats {
    /// Photos that were there already under this name, by source.
    pub known: Vec<String>,
    /// Photos that were there already under another person's name.
    pub disputed: Vec<Dispute>,
}

/// A photo that two people are said to be in: one of the labels must be wrong, and it was not added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// The source.
    pub source: String,
    /// The person it is enrolled as.
    pub person: Person,
    /// The source from which this photo came before; may be empty.
    pub other_source: String,
    /// The person it was enrolled as there.
    pub other_person: Person,
}

/// Whether a copy of a photo at this path counts rather than one at the other: of paths that are known the first in natural order.
fn is_before(path: &str, other: &str) -> bool {
    let order = natural::names(path.as_bytes(), other.as_bytes());
    !path.is_empty() && !other.is_empty() && order.is_lt()
}

impl Gallery {
    /// A gallery of nobody, for faces of this size.
    pub fn empty(size: FaceSize) -> Self {
        Self { people: Vec::new(), enrolled: Vec::new(), faces: Arc::new(FaceMatrix::new(size)) }
    }

    /// A gallery of the given faces, all of one size. See [`Gallery::with`].
    ///
    /// # Errors
    /// Faces of another size.
    pub fn assemble(size: FaceSize, faces: Vec<LabeledFace>) -> Result<(Self, Repeats)> {
        Self::empty(size).with(faces)
    }

    /// The gallery with these faces added. A photo given twice is kept once, also where its file was saved anew: what has the same
    /// pixels is the same photo. A photo given under two people's names is not added under either; what is enrolled stays as it is.
    ///
    /// # Errors
    /// Faces of another size.
    pub fn with(self, faces: Vec<LabeledFace>) -> Result<(Self, Repeats)> {
        let size = self.faces.size();
        let (enrolled, mut kept) = (self.len(), self.into_labeled());
        let mut repeats = Repeats::default();
        let mut first = SamePhotos::of(&kept, faces.len());
        let mut doubtful = HashSet::new();
        for face in faces {
            if face.pixels.len() != size.pixels() {
                let (given, size) = (face.pixels.len().to_string(), size.to_string());
                return Err(LikelihoodError::FaceShape { given, expected: "a face".to_owned(), size }.into());
            }
            match first.position(&face, kept.len()) {
                None => kept.push(face),
                Some(at) if kept[at].person == face.person => {
                    // Of copies the least path counts, whichever came first.
                    let there = &mut kept[at];
                    let other = match is_before(&face.source, &there.source) {
                        true => std::mem::replace(there, face),
                        false => face,
                    };
                    repeats.known.push(other.source);
                }
                Some(at) => {
                    let there = &kept[at];
                    if at >= enrolled && doubtful.insert(there.hash) {
                        repeats.disputed.push(Dispute::between(there, &face));
                    }
                    repeats.disputed.push(Dispute::between(&face, there));
                }
            }
        }
        kept.retain(|face| !doubtful.contains(&face.hash));
        Ok((Self::in_order(size, kept), repeats))
    }

    /// The gallery of these faces, each of this size and no photo twice, in canonical order.
    pub(crate) fn in_order(size: FaceSize, mut faces: Vec<LabeledFace>) -> Self {
        faces.sort_by(|a, b| {
            a.person
                .cmp(&b.person)
                .then_with(|| natural::names(a.source.as_bytes(), b.source.as_bytes()))
                .then_with(|| a.hash.cmp(&b.hash))
        });
        let mut people: Vec<Person> = faces.iter().map(|face| face.person.clone()).collect();
        people.dedup();
        let pixels = || faces.iter().map(|face| &face.pixels);
        let matrix = Pixels::common(pixels()).cloned().unwrap_or_else(|| {
            let mut all = Vec::with_capacity(faces.len() * size.pixels());
            pixels().for_each(|face| all.extend_from_slice(face));
            Arc::new(FaceMatrix::from_pixels(size, all).expect("whole faces of this size"))
        });
        let mut enrolled = Vec::with_capacity(faces.len());
        let mut person = 0;
        for face in faces {
            while people[person] != face.person {
                person += 1;
            }
            enrolled.push(Enrolled { person, source: face.source, hash: face.hash, origin: face.origin });
        }
        Self { people, enrolled, faces: matrix }
    }

    /// The people, in natural order of their names.
    pub fn people(&self) -> &[Person] {
        &self.people
    }

    /// The enrolled faces, in canonical order.
    pub fn enrolled(&self) -> &[Enrolled] {
        &self.enrolled
    }

    /// The hashes of the enrolled faces' photos, in the same order.
    pub fn hashes(&self) -> impl Iterator<Item = ContentHash> {
        self.enrolled.iter().map(|face| face.hash)
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

    /// Number of faces of each person.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.people.len()];
        for face in &self.enrolled {
            counts[face.person] += 1;
        }
        counts
    }

    /// The gallery of some of the faces, given by increasing positions. Whoever has no face among them is not one of its people.
    ///
    /// # Errors
    /// [`LikelihoodError::NoSuchFace`].
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
            enrolled.push(Enrolled { person: people.len() - 1, ..face.clone() });
        }
        Ok(Self { people, enrolled, faces: Arc::new(pixels) })
    }

    /// The faces as they could be enrolled again.
    pub fn into_labeled(self) -> Vec<LabeledFace> {
        let Self { people, enrolled, faces } = self;
        let labeled = enrolled.into_iter().zip(Pixels::of_all(&faces)).map(|(face, pixels)| {
            let Enrolled { person, source, hash, origin } = face;
            LabeledFace { person: people[person].clone(), source, hash, pixels, origin }
        });
        labeled.collect()
    }
}

impl LabeledFace {
    /// A face of a person's photo, as it was prepared.
    pub fn new(person: Person, source: impl Into<String>, hash: ContentHash, face: PreparedFace) -> Self {
        Self { person, source: source.into(), hash, pixels: face.pixels.into(), origin: face.origin }
    }
}

impl Dispute {
    fn between(face: &LabeledFace, other: &LabeledFace) -> Self {
        Self {
            source: face.source.clone(),
            person: face.person.clone(),
            other_source: other.source.clone(),
            other_person: other.person.clone(),
        }
    }
}
