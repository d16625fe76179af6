//! Folders of photos, each with the index of the faces in it; what a person says of these faces; and what is made of that: people
//! enrolled, photos sorted, names written beside photos.

mod answers;
mod by_person;
mod enrolled;
mod index;
mod named;
mod sidecars;
mod sorter;
pub mod table;
mod watched;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use image::GrayImage;
use serde::Serialize;

pub use answers::{Answer, AnswerAt, MOST_APART, answers};
pub use by_person::{FacesByPerson, KnownFace, KnownPerson, by_photo, identifying, preparation};
pub use enrolled::EnrolledPixels;
use index::{INDEX, load, name_within, save, whole_name};
pub use index::{Remembered, index_of, with_index};
pub use named::{NamedFace, NamedFaces};
pub use sidecars::{NameAt, Sidecars, Writing};
pub use sorter::{Folder, Others, SortBy, Sorter};
pub use watched::Watched;

use crate::dataset::{self, FileId};
use crate::enrollment::{Observer, report_passed_over};
use crate::error::{Error, Result};
use crate::face_index::{Answers, FaceIndex, FaceKey, IndexedFace};
use crate::face_matrix::FaceSize;
use crate::text::{counted, shown};

/// Time between saves of the index while photos are looked at: Ctrl-C loses no more.
const SAVED_EVERY: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct Albums {
    albums: Vec<Album>,
    pub unusable: usize,
}

#[derive(Debug)]
struct Album {
    folders: Vec<PathBuf>,
    index: FaceIndex,
    /// The files of the index, by the names that it has for them.
    paths: BTreeMap<String, PathBuf>,
    /// Photos that were not known before.
    looked_at: usize,
    /// The file of the index, if it was not there before and is now.
    written: Option<PathBuf>,
    /// The reason why the index could not be kept: the folder may not be written to. That costs time only.
    unsaved: Option<Error>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FacePlace {
    pub photo: PathBuf,
    /// The face's number, from 1, row by row.
    pub face: usize,
    /// Left, top, width and height in the photo, where that is told.
    pub bounds: Option<[f32; 4]>,
}

#[derive(Debug)]
pub struct AlbumFace<'a> {
    pub key: FaceKey,
    pub found: &'a IndexedFace,
    /// The photo, or the first of several copies of it.
    pub photo: PathBuf,
    /// Number of faces in the photo.
    pub of: usize,
}

#[derive(Debug, Serialize)]
pub struct FaceRecord {
    photo: String,
    face: usize,
    #[serde(rename = "box")]
    bounds: [f32; 4],
}

impl AlbumFace<'_> {
    /// The face, by the photo's path from the root, by which it is found from whatever folder.
    pub fn place(&self) -> FacePlace {
        let photo = std::path::absolute(&self.photo).unwrap_or_else(|_| self.photo.clone());
        FacePlace { photo, face: self.key.face + 1, bounds: Some(self.found.location.bounds) }
    }

    /// The photo, with the face's number where it shows several.
    pub fn name(&self) -> String {
        if self.of == 1 { shown(&self.photo) } else { format!("{}, face {}", shown(&self.photo), self.key.face + 1) }
    }

    pub fn picture(&self) -> GrayImage {
        let size = FaceSize::ALIGNED;
        GrayImage::from_raw(size.width(), size.height(), self.found.pixels.clone()).unwrap_or_default()
    }

    pub fn record(&self) -> FaceRecord {
        let photo = dataset::path_as_text(&self.photo);
        FaceRecord { photo, face: self.key.face + 1, bounds: self.found.location.bounds }
    }
}

impl Albums {
    /// Looks at what is new in the folders, and keeps the indexes for the next time: in each folder, or all in one file.
    /// Errors: what is no folder; an index that is damaged; [`Error::Cancelled`].
    pub fn open(folders: &[PathBuf], index: Option<&Path>, observer: &dyn Observer) -> Result<Self> {
        let mut distinct: Vec<&PathBuf> = Vec::new();
        for folder in folders {
            refuse_no_folder(folder)?;
            if !distinct.iter().any(|other| FileId::of(other) == FileId::of(folder)) {
                distinct.push(folder);
            }
        }
        let mut albums = Self { albums: Vec::new(), unusable: 0 };
        if let Some(file) = index {
            albums.add(distinct.into_iter().cloned().collect(), file, &whole_name, observer)?;
            return Ok(albums);
        }
        for folder in distinct {
            let name = |path: &Path| name_within(folder, path);
            albums.add(vec![folder.clone()], &index_of(folder), &name, observer)?;
        }
        Ok(albums)
    }

    fn add(
        &mut self,
        folders: Vec<PathBuf>,
        file: &Path,
        name: &(dyn Fn(&Path) -> String + Sync),
        observer: &dyn Observer,
    ) -> Result<()> {
        let mut index = load(file)?;
        let listing = dataset::list_photos(&folders)?;
        report_passed_over(&listing, observer);
        // An index looks like no photo, but one that cannot be read might be.
        let is_index = |path: &Path| path == file || path.file_name() == Some(INDEX.as_ref());
        let photos: Vec<PathBuf> = listing.photos.into_iter().filter(|photo| !is_index(photo)).collect();
        let is_new = file.symlink_metadata().is_err();
        let mut saved = Instant::now();
        let refreshed = index.refresh(&photos, name, observer, |index| {
            if saved.elapsed() > SAVED_EVERY {
                // What keeps it from being saved is told at the end.
                let _ = save(index, file, &[]);
                saved = Instant::now();
            }
        })?;
        let not_listed = listing.skipped.iter().filter(|skip| !is_index(&skip.path));
        let skipped: Vec<_> = not_listed.chain(&refreshed.skipped).cloned().collect();
        observer.skipped(&skipped);
        self.unusable += skipped.len();
        let unsaved = if refreshed.changed > 0 { save(&mut index, file, &refreshed.same)? } else { None };
        self.albums.push(Album {
            folders,
            paths: photos.into_iter().map(|path| (name(&path), path)).collect(),
            index,
            looked_at: refreshed.looked_at,
            written: (is_new && file.symlink_metadata().is_ok()).then(|| file.to_owned()),
            unsaved,
        });
        Ok(())
    }

    pub fn report(&self, observer: &dyn Observer) {
        for album in &self.albums {
            let folders = album.folders.iter().map(|folder| shown(folder)).collect::<Vec<_>>().join(", ");
            let faces = counted(album.index.faces().count(), "face", "faces");
            let photos = counted(album.index.photos.len(), "photo", "photos");
            observer.say(&format!("{folders}: {faces} in {photos}, {} looked at", album.looked_at));
            if let Some(file) = &album.written {
                observer.say(&format!(
                    "wrote {}: the faces found, so that these photos are looked at once; readable by you only",
                    shown(file)
                ));
            }
            if let Some(error) = &album.unsaved {
                observer.warn(&format!(
                    "the faces found are not remembered for the next time, nor what you say of them: {}",
                    with_index(error)
                ));
            }
        }
    }

    /// All faces in the order of their keys; those of photos that lie in several folders once.
    pub fn faces(&self) -> Vec<AlbumFace<'_>> {
        let mut faces = BTreeMap::new();
        for Album { index, paths, .. } in self.albums.iter().rev() {
            let names = index.paths();
            for (key, found) in index.faces() {
                let name = names.get(&key.photo).and_then(|names| names.first());
                let Some(photo) = name.and_then(|name| paths.get(*name)) else { continue };
                let of = index.photos.get(&key.photo);
                let face = AlbumFace { key, found, photo: photo.clone(), of: of.map_or(0, |photo| photo.faces.len()) };
                faces.insert(key, face);
            }
        }
        faces.into_values().collect()
    }

    pub fn answers(&self) -> Answers {
        let mut all = Answers::default();
        for album in &self.albums {
            all.extend(album.index.answers.clone());
        }
        all
    }

    pub fn unsaved(&self) -> Option<&Error> {
        self.albums.iter().find_map(|album| album.unsaved.as_ref())
    }

    /// Photos that were looked at, now or earlier.
    pub fn photos(&self) -> usize {
        self.albums.iter().map(|album| album.index.photos.len()).sum()
    }
}

/// Errors: it is not there, or a file.
pub fn refuse_no_folder(folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Err(Error::missing(folder));
    }
    if !folder.is_dir() {
        return Err(Error::about(folder, "is no folder; `eigenfaces identify` looks at single photos"));
    }
    Ok(())
}
