//! The faces of one photo, to be enrolled one by one.

use std::collections::{HashMap, HashSet};

use crate::dataset::{ContentHash, Person, Photo, source_of};
use crate::error::PhotoProblem;
use crate::gallery::{Gallery, LabeledFace};
use crate::locate::framing::absolute_eyes;
use crate::locate::{LocateError, Location, Locator, main_face};
use crate::preparation::{FaceBox, FaceChoice, Origin, PhotoRegion, Preparation, PreparedFace};

/// The faces of a photo, prepared: those found, row by row, and then those that a person showed.
#[derive(Debug, Clone)]
pub struct PhotoFaces {
    faces: Vec<PreparedFace>,
    main: usize,
    photo: ContentHash,
    shown: Shown,
}

/// Positions of faces that a user showed in a photo, and their hashes.
#[derive(Debug, Clone, Default)]
struct Shown(Vec<(ContentHash, Location)>);

/// The most faces that are shown in a photo besides those found.
const MOST_SHOWN: usize = 32;

impl Shown {
    /// The faces of a photo that were shown and are enrolled. So is its main face, for it may be one of them.
    fn enrolled(photo: &Photo, gallery: &Gallery) -> Result<Self, LocateError> {
        let (locator, size) = (Locator::shared()?, photo.luma().dimensions());
        let order: HashMap<ContentHash, usize> = hashes(photo.content_hash()).zip(0..).collect();
        let found = gallery.enrolled().iter().filter_map(|face| match face.origin {
            Origin::Found { photo, eyes } if photo == size => {
                Some((*order.get(&face.hash)?, (face.hash, locator.with_eyes_at(absolute_eyes(size, eyes)))))
            }
            _ => None,
        });
        let mut found: Vec<_> = found.collect();
        found.sort_by_key(|(order, _)| *order);
        Ok(Self(found.into_iter().map(|(_, shown)| shown).collect()))
    }

    fn hash(&self, location: &Location) -> Option<ContentHash> {
        let mut all = self.0.iter();
        all.find(|(_, other)| other == location).map(|(hash, _)| *hash)
    }
}

/// The hashes that shown faces of a photo may have: the photo's, where none is found, and their own.
fn hashes(photo: ContentHash) -> impl Iterator<Item = ContentHash> {
    let own = move |number| hash_of(photo, &format!("shown face {number}"));
    [photo].into_iter().chain((1..=MOST_SHOWN).map(own))
}

/// The most faces of a photo that are looked for among enrolled ones.
const MOST_FACES: usize = 1_000;

/// The faces of a photo that are enrolled, the main one, others and shown ones, as positions in [`Gallery::enrolled`].
pub fn enrolled_faces(gallery: &Gallery, photo: ContentHash) -> Vec<usize> {
    let others = (1..=MOST_FACES).map(|number| hash_of_other(photo, number));
    let hashes: HashSet<ContentHash> = hashes(photo).chain(others).collect();
    let faces = gallery.enrolled().iter().enumerate();
    faces.filter(|(_, face)| hashes.contains(&face.hash)).map(|(at, _)| at).collect()
}

/// The hash of a face that was found and is not the main one of its photo, by its number from 1.
fn hash_of_other(photo: ContentHash, number: usize) -> ContentHash {
    hash_of(photo, &format!("face {number}"))
}

fn hash_of(photo: ContentHash, face: &str) -> ContentHash {
    ContentHash::of(&[&photo.0[..], face.as_bytes()].concat())
}

impl PhotoFaces {
    /// Errors: a photo that is too small to show a face.
    pub fn of(preparation: &Preparation, photo: &Photo) -> Result<Self, PhotoProblem> {
        Self::with_shown(preparation, photo, None, None)
    }

    /// All faces of a photo, with those that a person showed in it: those enrolled in a gallery, and one `drawn` now.
    pub fn with_shown(
        preparation: &Preparation,
        photo: &Photo,
        gallery: Option<&Gallery>,
        drawn: Option<FaceBox>,
    ) -> Result<Self, PhotoProblem> {
        let mut shown = gallery.map(|gallery| Shown::enrolled(photo, gallery)).transpose()?.unwrap_or_default();
        let drawn = drawn.map(|drawn| drawn.located(photo.luma())).transpose()?;
        let mut places: Vec<Location> = shown.0.iter().map(|(_, place)| *place).collect();
        places.extend(drawn);
        let faces = preparation.prepare_shown(photo.luma(), &places)?;
        let found = faces.iter().filter(|face| !matches!(face.region, PhotoRegion::Shown(_)));
        let found: Vec<Location> = found.filter_map(|face| face.region.location()).collect();
        if let Some(drawn) = drawn.filter(|drawn| shown.hash(drawn).is_none()) {
            let own = usize::from(!found.is_empty());
            let is_free = |hash: &ContentHash| shown.0.iter().all(|(other, _)| other != hash);
            if let Some(hash) = hashes(photo.content_hash()).skip(own).find(is_free) {
                shown.0.push((hash, drawn));
            }
        }
        let main = main_face(&found, photo.luma().dimensions()).unwrap_or(0);
        Ok(Self { main, faces, photo: photo.content_hash(), shown })
    }

    pub fn content_hash(&self) -> ContentHash {
        self.photo
    }

    pub fn prepared(&self) -> &Vec<PreparedFace> {
        &self.faces
    }

    pub fn into_prepared(self) -> Vec<PreparedFace> {
        self.faces
    }

    /// The box and eyes of each face; `None` where the photo was taken as it is.
    pub fn locations(&self) -> Vec<Option<Location>> {
        self.faces.iter().map(|face| face.region.location()).collect()
    }

    /// Errors: no face, or not the chosen one.
    pub fn position(&self, choice: FaceChoice) -> Result<usize, PhotoProblem> {
        choice.position(&self.faces, self.main)
    }

    /// The face at a position, labelled with a person's name; `None` beyond the last.
    ///
    /// The main face has the content hash of the photo, as where a folder of photos is enrolled; each other face has a
    /// hash of its own, so that several people of a group photo can be enrolled from it. `source` tells where the photo
    /// lies; the number of the face is added where the photo shows several.
    pub fn labeled(&self, at: usize, person: &Person, source: &str) -> Option<LabeledFace> {
        let face = self.faces.get(at)?;
        let number = at + 1;
        let hash = match &face.region {
            PhotoRegion::Shown(location) => self.shown.hash(location)?,
            _ if at == self.main => self.photo,
            _ => hash_of_other(self.photo, number),
        };
        let source = match (source, self.faces.len()) {
            ("", _) | (_, 1) => source.to_owned(),
            _ => source_of(source, number),
        };
        Some(LabeledFace::new(person.clone(), source, hash, face.clone()))
    }
}

/// One face of a photo, prepared and labelled with a person's name: see [`PhotoFaces::labeled`]. `gallery` knows which were shown
/// before.
/// Errors: a photo without a face, or without the chosen one.
pub fn chosen_face(
    preparation: &Preparation,
    gallery: Option<&Gallery>,
    person: &Person,
    photo: &Photo,
    choice: FaceChoice,
    source: &str,
) -> Result<LabeledFace, PhotoProblem> {
    let faces = PhotoFaces::with_shown(preparation, photo, gallery, choice.drawn())?;
    faces.labeled(faces.position(choice)?, person, source).ok_or(PhotoProblem::NoFace)
}
