//! The faces found in folders of photos, remembered so that a photo is looked at once.
//!
//! A photo is known by its content: one that was moved, renamed or copied is not looked at again. Faces are prepared in
//! one way, [`preparation`], which need not be that of any gallery.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::background::Background;
use crate::dataset::{self, ContentHash, PhotoFile, Skipped};
use crate::enrollment::Observer;
use crate::error::{Error, PhotoProblem, Result};
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::locate::Location;
use crate::locate::framing::Framing;
use crate::preparation::Preparation;

/// Photos read at a time: bounds memory.
const BATCH: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// Preparation of the faces of an index: found, and aligned by the eyes.
pub fn preparation() -> Preparation {
    Preparation::new(FaceSize::ALIGNED, Framing::Detect)
}

/// A face found in a photo.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedFace {
    /// Box and eyes in the upright photo.
    pub location: Location,
    /// The aligned face: d pixels, row by row, of the size [`FaceSize::ALIGNED`].
    pub pixels: Vec<u8>,
    /// Its 2k [coordinates](Background::coordinates).
    pub coordinates: Vec<f32>,
}

/// The faces of a photo, row by row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexedPhoto {
    pub faces: Vec<IndexedFace>,
}

/// A face, by its photo and its number there, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FaceKey {
    pub photo: ContentHash,
    /// The position among the photo's faces.
    pub face: usize,
}

/// The state of a file when it was last read: as long as length and date stay, its content is taken to be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Bytes.
    pub length: u64,
    /// Nanoseconds since 1970 at which it was written.
    pub modified: u64,
    pub photo: ContentHash,
}

impl FileRecord {
    /// The length and date of a file; `None` where it has none, or one before 1970.
    fn stamp(path: &Path) -> Option<(u64, u64)> {
        let about = path.metadata().ok()?;
        let since = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some((about.len(), u64::try_from(since.as_nanos()).ok()?))
    }
}

/// Photos and the faces in them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FaceIndex {
    /// The files that were read, by their paths.
    pub files: BTreeMap<String, FileRecord>,
    /// The photos that these files hold.
    pub photos: BTreeMap<ContentHash, IndexedPhoto>,
    /// Answers about faces, also about those of photos that are not here at present.
    pub answers: Answers,
}

/// Answers that a person has given about faces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answers {
    /// Faces of nobody who is to be named: they take no part in groups.
    pub ignored: BTreeSet<FaceKey>,
    /// Pairs of faces of two people, the smaller key first.
    pub apart: BTreeSet<(FaceKey, FaceKey)>,
}

impl Answers {
    /// Records that two faces are of two people.
    pub fn keep_apart(&mut self, one: FaceKey, other: FaceKey) {
        if one != other {
            self.apart.insert((one.min(other), one.max(other)));
        }
    }

    /// Whether somebody has said that two faces are of two people.
    pub fn are_apart(&self, one: FaceKey, other: FaceKey) -> bool {
        self.apart.contains(&(one.min(other), one.max(other)))
    }

    /// Undoes what changed `before` into `after`; what was said since stays.
    pub fn take_back(&mut self, before: &Self, after: &Self) {
        fn undo<T: Ord + Copy>(now: &mut BTreeSet<T>, before: &BTreeSet<T>, after: &BTreeSet<T>) {
            now.retain(|said| before.contains(said) || !after.contains(said));
            now.extend(before.difference(after));
        }
        undo(&mut self.ignored, &before.ignored, &after.ignored);
        undo(&mut self.apart, &before.apart, &after.apart);
    }

    /// Takes what was said of the faces of a photo to be said of those of the photo that shows the same, too.
    pub fn follow(&mut self, same: &[(ContentHash, ContentHash)]) {
        let mut also: BTreeMap<ContentHash, Vec<ContentHash>> = BTreeMap::new();
        for &(photo, now) in same {
            also.entry(photo).or_default().push(now);
        }
        let all = |key: FaceKey| {
            let also = also.get(&key.photo).into_iter().flatten();
            std::iter::once(key).chain(also.map(move |&photo| FaceKey { photo, ..key }))
        };
        let ignored: Vec<FaceKey> = self.ignored.iter().copied().flat_map(all).collect();
        self.ignored.extend(ignored);
        for (one, other) in self.apart.clone() {
            for one in all(one) {
                all(other).for_each(|other| self.keep_apart(one, other));
            }
        }
    }

    /// Takes over what was said elsewhere.
    pub fn extend(&mut self, other: Self) {
        self.ignored.extend(other.ignored);
        self.apart.extend(other.apart);
    }
}

/// Result of bringing an index up to date.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refreshed {
    /// Photos that were looked at.
    pub looked_at: usize,
    /// Files that were read, and files that are gone.
    pub changed: usize,
    pub skipped: Vec<Skipped>,
    /// Photos of which something was said, and other ones that show the same faces: another program has changed what else the
    /// file holds. What was said holds for these, too.
    pub same: Vec<(ContentHash, ContentHash)>,
}

/// A file that is to be read: where it lies, its name in the index, its length and date.
type Unread<'a> = (&'a Path, String, Option<(u64, u64)>);

enum Read {
    Known(ContentHash),
    New(ContentHash, IndexedPhoto),
    Cancelled,
}

impl FaceIndex {
    /// Brings the index up to date with these files, which are all that it is to hold: those that are new or were changed
    /// are read, those that are gone are forgotten, with the faces that only they showed. `name` gives the path under
    /// which a file is remembered. The observer is told of progress; `keep` gets the index, as far as it is, after every
    /// 256 photos, so that they need not be looked at again if the rest is not.
    /// Errors: [`Error::Cancelled`], after which photos that are gone may still be in the index; when the program itself is damaged.
    pub fn refresh<P: AsRef<Path> + Sync>(
        &mut self,
        files: &[P],
        name: impl Fn(&Path) -> String + Sync,
        observer: &dyn Observer,
        mut keep: impl FnMut(&mut Self),
    ) -> Result<Refreshed> {
        let background = Background::bundled()?;
        let mut before = std::mem::take(&mut self.files);
        let mut refreshed = Refreshed::default();
        let mut unread: Vec<Unread<'_>> = Vec::new();
        for file in files {
            let (path, name) = (file.as_ref(), name(file.as_ref()));
            let stamp = FileRecord::stamp(path);
            match before.remove(&name) {
                Some(record) if Some((record.length, record.modified)) == stamp => {
                    self.files.insert(name, record);
                }
                _ => unread.push((path, name, stamp)),
            }
        }
        let known = files.len() - unread.len();
        let known_photos: HashSet<ContentHash> = self.photos.keys().copied().collect();
        refreshed.changed = unread.len() + before.len();
        let paths: Vec<&Path> = unread.iter().map(|(path, ..)| *path).collect();
        let read = |_: &&Path, file: &PhotoFile| {
            if observer.is_cancelled() {
                return Ok(Read::Cancelled);
            }
            let hash = file.content_hash();
            Ok(if known_photos.contains(&hash) { Read::Known(hash) } else { Read::New(hash, found(background, file)?) })
        };
        let progress = observer.reading(files.len());
        let done = |count: usize| progress(known + count);
        dataset::stream_each(&paths, BATCH, read, &done, |batches| {
            for (unread, read) in unread.chunks(BATCH.get()).zip(batches) {
                for ((path, name, stamp), read) in unread.iter().zip(read) {
                    let photo = match read {
                        Ok(Read::Cancelled) => return,
                        Ok(Read::Known(photo)) => photo,
                        Ok(Read::New(photo, faces)) => {
                            refreshed.looked_at += 1;
                            self.photos.insert(photo, faces);
                            photo
                        }
                        Err(problem) => {
                            refreshed.skipped.push(Skipped { path: (*path).to_owned(), problem });
                            continue;
                        }
                    };
                    let (length, modified) = stamp.unwrap_or_default();
                    self.files.insert(name.clone(), FileRecord { length, modified, photo });
                }
                keep(self);
            }
        });
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let there: BTreeSet<ContentHash> = self.files.values().map(|file| file.photo).collect();
        refreshed.same = self.same(&there);
        self.answers.follow(&refreshed.same);
        self.photos.retain(|photo, _| there.contains(photo));
        Ok(refreshed)
    }

    /// Photos of which something was said, and those that are there and show the same faces in the same places.
    fn same(&self, there: &BTreeSet<ContentHash>) -> Vec<(ContentHash, ContentHash)> {
        let apart = self.answers.apart.iter().flat_map(|&(one, other)| [one, other]);
        let said: BTreeSet<_> = self.answers.ignored.iter().copied().chain(apart).map(|key| key.photo).collect();
        let faces = |photo: &ContentHash| {
            let all: Vec<_> = self.photos.get(photo)?.faces.iter().map(|face| (&face.pixels, face.location)).collect();
            (!all.is_empty()).then_some(all)
        };
        let mut of_first: HashMap<&Vec<u8>, Vec<ContentHash>> = HashMap::new();
        let first = |photo| Some(&self.photos.get(photo)?.faces.first()?.pixels);
        for photo in &said {
            if let Some(first) = first(photo) {
                of_first.entry(first).or_default().push(*photo);
            }
        }
        let mut same = Vec::new();
        for now in there {
            let alike = first(now).and_then(|first| of_first.get(first)).into_iter().flatten();
            same.extend(alike.filter(|photo| *photo != now && faces(photo) == faces(now)).map(|photo| (*photo, *now)));
        }
        same
    }

    /// All faces, in the order of their keys.
    pub fn faces(&self) -> impl Iterator<Item = (FaceKey, &IndexedFace)> {
        self.photos.iter().flat_map(|(&photo, indexed)| {
            indexed.faces.iter().enumerate().map(move |(face, found)| (FaceKey { photo, face }, found))
        })
    }

    pub fn face(&self, key: FaceKey) -> Option<&IndexedFace> {
        self.photos.get(&key.photo)?.faces.get(key.face)
    }

    /// The paths of the files that hold each photo, in order.
    pub fn paths(&self) -> BTreeMap<ContentHash, Vec<&str>> {
        let mut paths: BTreeMap<ContentHash, Vec<&str>> = BTreeMap::new();
        for (path, file) in &self.files {
            paths.entry(file.photo).or_default().push(path);
        }
        paths
    }
}

fn found(background: &Background, file: &PhotoFile) -> Result<IndexedPhoto, PhotoProblem> {
    let faces = preparation().prepare_all(&file.decode()?)?.into_iter().filter_map(|face| {
        let location = face.region.location()?;
        let one = FaceMatrix::from_pixels(FaceSize::ALIGNED, face.pixels.clone()).ok()?;
        let coordinates = background.coordinates(&one).as_slice().to_vec();
        Some(IndexedFace { location, pixels: face.pixels, coordinates })
    });
    Ok(IndexedPhoto { faces: faces.collect() })
}
