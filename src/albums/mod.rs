//! Folders of photos, each with the index of the faces in it; what a person says of these faces; and what is made of that: people
//! enrolled, photos sorted, names written beside photos.

mod answers;
mod by_person;
mod enrolled;
mod named;
mod sidecars;
mod sorter;
pub mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use image::GrayImage;
use serde::Serialize;

pub use answers::{Answer, AnswerAt, MOST_APART, answers};
pub use by_person::{FacesByPerson, KnownFace, KnownPerson, by_photo, identifying, preparation};
pub use enrolled::EnrolledPixels;
pub use named::{NamedFace, NamedFaces};
pub use sidecars::{NameAt, Sidecars, Writing};
pub use sorter::{Folder, Others, SortBy, Sorter};

use crate::dataset::{self, ContentHash, FileId};
use crate::enrollment::{Observer, report_passed_over};
use crate::error::{Error, ModelProblem, Result, WriteProblem, reason};
use crate::face_index::{Answers, FaceIndex, FaceKey, IndexedFace};
use crate::face_matrix::FaceSize;
use crate::store::{self, ModelLock, Wait};
use crate::text::{counted, shown};

const INDEX: &str = "eigenfaces.faces";

/// Time that another process may take to write an index.
const PATIENCE: Duration = Duration::from_secs(60);

/// Time between saves of the index while photos are looked at: Ctrl-C loses no more.
const SAVED_EVERY: Duration = Duration::from_secs(10);

/// The file of the index of a folder.
pub fn index_of(folder: &Path) -> PathBuf {
    folder.join(INDEX)
}

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
        FacePlace {
            photo: std::path::absolute(&self.photo).unwrap_or_else(|_| self.photo.clone()),
            face: self.key.face + 1,
            bounds: Some(self.found.location.bounds),
        }
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
        FaceRecord {
            photo: dataset::path_as_text(&self.photo),
            face: self.key.face + 1,
            bounds: self.found.location.bounds,
        }
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
        match index {
            Some(file) => {
                albums.add(distinct.into_iter().cloned().collect(), file, &whole_name, observer)?;
            }
            None => {
                for folder in distinct {
                    let name = |path: &Path| name_within(folder, path);
                    albums.add(vec![folder.clone()], &index_of(folder), &name, observer)?;
                }
            }
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
        let mut unsaved = None;
        if refreshed.changed > 0 {
            unsaved = save(&mut index, file, &refreshed.same)?;
        }
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
            observer.say(&format!(
                "{}: {} in {}, {} looked at",
                album.folders.iter().map(|folder| shown(folder)).collect::<Vec<_>>().join(", "),
                counted(album.index.faces().count(), "face", "faces"),
                counted(album.index.photos.len(), "photo", "photos"),
                album.looked_at
            ));
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

/// Saves an index, merged with the answers in its file, also those about photos that show the `same`; returns why it could not be
/// saved.
/// Errors: the file that stands there is no index, or is damaged.
fn save(index: &mut FaceIndex, file: &Path, same: &[(ContentHash, ContentHash)]) -> Result<Option<Error>> {
    let _lock = match ModelLock::acquire(file, Wait::AtMost(PATIENCE)) {
        Ok(lock) => lock,
        Err(error) => return Ok(Some(error)),
    };
    index.answers = load(file)?.answers;
    index.answers.follow(same);
    Ok(store::save_face_index(index, file).err())
}

/// A change of what an index remembers of faces.
#[derive(Debug)]
pub struct Remembered {
    file: PathBuf,
    before: Answers,
    after: Answers,
}

impl Remembered {
    /// Makes the change in an index, as it is by then. `None` where it changes nothing.
    /// Errors: an index that is gone, or cannot be read or written.
    pub fn change(file: &Path, change: impl Fn(&mut Answers)) -> Result<Option<Self>> {
        let changed = || -> Result<_> {
            let before = existing(file)?;
            let mut after = before.answers.clone();
            change(&mut after);
            Ok((after != before.answers).then_some((before, after)))
        };
        // Whoever has nothing to write may have no right to.
        if changed()?.is_none() {
            return Ok(None);
        }
        let _lock = ModelLock::acquire(file, Wait::AtMost(PATIENCE))?;
        let Some((mut index, after)) = changed()? else { return Ok(None) };
        let before = std::mem::replace(&mut index.answers, after.clone());
        store::save_face_index(&index, file)?;
        Ok(Some(Self { file: file.to_owned(), before, after }))
    }

    /// The answers in the index once it was made.
    pub fn after(&self) -> &Answers {
        &self.after
    }

    /// Reverts the change, and returns what reverts that; later answers stay.
    /// Errors: as of [`Self::change`].
    pub fn take_back(&self) -> Result<Option<Self>> {
        Self::change(&self.file, |answers| answers.take_back(&self.before, &self.after))
    }

    /// Reverts some changes, all or none.
    /// Errors: as of [`Self::change`].
    pub fn take_all_back<'a>(changes: impl IntoIterator<Item = &'a Self>) -> Result<Vec<Self>> {
        let mut reverted = Vec::new();
        for change in changes {
            match change.take_back() {
                Ok(done) => reverted.extend(done),
                Err(error) => {
                    for done in &reverted {
                        Self::take_back(done)?;
                    }
                    return Err(error);
                }
            }
        }
        Ok(reverted)
    }
}

/// The index in a file; an empty one where there is none.
/// Errors: a file that is no index, or is damaged.
pub fn load(file: &Path) -> Result<FaceIndex> {
    if file.symlink_metadata().is_err() { Ok(FaceIndex::default()) } else { existing(file) }
}

/// Errors: no file, or one that is no index or is damaged.
fn existing(file: &Path) -> Result<FaceIndex> {
    if file.symlink_metadata().is_err() {
        return Err(Error::about(file, "is gone, so nothing can be remembered there: group the folder again"));
    }
    store::load_face_index(file).map_err(|error| {
        let reason = match error {
            Error::Model { problem: ModelProblem::OtherKind { found, .. }, .. } => format!("it is {}", found.name()),
            Error::Read { source, .. } => reason(&source),
            _ => "it is no index of faces, or is damaged".to_owned(),
        };
        let remedy = match file.file_name() == Some(INDEX.as_ref()) {
            true => "move it away, and `eigenfaces group` makes it anew (without what was ignored or said to be wrong)",
            false => "name another file with --index",
        };
        Error::about(file, format_args!("{reason}; {remedy}"))
    })
}

/// The name of a file in the index of a folder; of one that is not Unicode, with its odd bytes escaped.
pub fn name_within(folder: &Path, file: &Path) -> String {
    let within = file.strip_prefix(folder).unwrap_or(file);
    match within.to_str() {
        Some(name) => name.to_owned(),
        None => within.as_os_str().as_encoded_bytes().escape_ascii().to_string(),
    }
}

/// The reason why an index cannot be written, with the option that has it elsewhere.
pub fn with_index(error: &Error) -> String {
    match error {
        Error::Write { problem: WriteProblem::NotPermitted(_), .. } => format!("{error} with --index FILE"),
        other => other.to_string(),
    }
}

/// The name of a file in an index of several folders: its whole path.
pub fn whole_name(file: &Path) -> String {
    name_within(Path::new("/"), &std::path::absolute(file).unwrap_or_else(|_| file.to_owned()))
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn what_is_said_while_others_save_the_index_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = index_of(folder.path());
        store::save_face_index(&FaceIndex::default(), &file).unwrap();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    assert!(save(&mut FaceIndex::default(), &file, &[]).unwrap().is_none());
                }
            });
            for face in 0..40 {
                let key = FaceKey { photo: ContentHash([7; 32]), face };
                let said = |answers: &mut Answers| {
                    answers.ignored.insert(key);
                };
                assert!(Remembered::change(&file, said).unwrap().is_some());
            }
            is_over.store(true, Ordering::SeqCst);
        });
        assert_eq!(load(&file).unwrap().answers.ignored.len(), 40);
    }
}
