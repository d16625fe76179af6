//! The faces of the folder that was grouped last, by the names that clients know them by.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use eigenfaces::Person;
use eigenfaces::albums::{AlbumFace, EnrolledPixels};
use eigenfaces::dataset::{ContentHash, PhotoFile};
use eigenfaces::face_index::FaceKey;
use eigenfaces::locate::Location;

use super::failure::{Answer, Failure};

/// The message about a photo that has changed since it was grouped.
pub const CHANGED: &str =
    "the photo was changed, moved or deleted since its folder was grouped: group the folder again";

#[derive(Debug)]
pub struct FolderFaces {
    pub path: PathBuf,
    faces: BTreeMap<FaceKey, FolderFace>,
}

#[derive(Debug)]
pub struct FolderFace {
    pub photo: PathBuf,
    pub location: Location,
    /// The hash of its pixels, by which an enrolled face is known.
    pixels: ContentHash,
    /// Its 2k coordinates in the background model.
    pub coordinates: Vec<f32>,
}

/// The file of a photo, if it is unchanged since it was grouped.
pub fn file_as_grouped(photo: &Path, content: ContentHash) -> Option<PhotoFile> {
    let file = PhotoFile::read(photo).ok()?;
    (file.content_hash() == content).then_some(file)
}

impl FolderFace {
    pub fn person<'a>(&self, enrolled: &'a EnrolledPixels) -> Option<&'a Person> {
        enrolled.by_hash(self.pixels)
    }
}

pub fn id(key: FaceKey) -> String {
    format!("{}-{}", key.photo, key.face + 1)
}

impl FolderFaces {
    pub fn of(path: &Path, faces: &[AlbumFace<'_>]) -> Self {
        let known = faces.iter().map(|face| {
            let known = FolderFace {
                photo: face.photo.clone(),
                location: face.found.location,
                pixels: ContentHash::of(&face.found.pixels),
                coordinates: face.found.coordinates.clone(),
            };
            (face.key, known)
        });
        Self { path: path.to_owned(), faces: known.collect() }
    }

    /// A face by its name.
    /// Errors: the folder has no such face.
    pub fn find(&self, id: &str) -> Answer<(FaceKey, &FolderFace)> {
        let key = || {
            let (photo, number) = id.split_once('-')?;
            Some(FaceKey { photo: photo.parse().ok()?, face: number.parse::<usize>().ok()?.checked_sub(1)? })
        };
        key().and_then(|key| Some((key, self.faces.get(&key)?))).ok_or_else(|| {
            Failure::not_found("no face of the folder that was grouped last has this name: group its folder again")
        })
    }

    pub fn boxes(&self, photo: ContentHash) -> Vec<[f32; 4]> {
        let own = self.faces.range(FaceKey { photo, face: 0 }..);
        own.take_while(|(key, _)| key.photo == photo).map(|(_, face)| face.location.bounds).collect()
    }

    /// The faces that are enrolled, by person. A person gave each of them its name.
    pub fn named<'a>(&'a self, enrolled: &'a EnrolledPixels) -> BTreeMap<&'a Person, Vec<(FaceKey, &'a FolderFace)>> {
        let mut named: BTreeMap<&Person, Vec<_>> = BTreeMap::new();
        for (key, face) in &self.faces {
            if let Some(person) = face.person(enrolled) {
                named.entry(person).or_default().push((*key, face));
            }
        }
        for faces in named.values_mut() {
            faces.sort_by(|(one, a), (other, b)| {
                eigenfaces::dataset::natural::paths(&a.photo, &b.photo).then(one.cmp(other))
            });
        }
        named
    }
}
