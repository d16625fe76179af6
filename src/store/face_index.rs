//! An index of faces as a file and back.
//!
//! | member | shape | what |
//! |---|---|---|
//! | `photos.json` | | files, photos, where their faces lie, and what a person said of them |
//! | `pixels` | m x d | the aligned faces, u8, photo by photo in the order of `photos.json` |
//! | `coordinates` | m x 2k | their coordinates, f32 |
//!
//! `meta.json` names the kind, `faces`, and the background model that the coordinates belong to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::replace::{self, Existing};
use super::target::TargetFile;
use super::{Archive, ArchiveWriter, Privacy};
use crate::background::Background;
use crate::dataset::ContentHash;
use crate::error::{ArchiveKind, Error, Result, WriteProblem};
use crate::face_index::{Answers, FaceIndex, FaceKey, FileRecord, IndexedFace, IndexedPhoto};
use crate::face_matrix::FaceSize;
use crate::locate::Location;

/// The version of how faces are found and prepared: an index of another one is made anew.
const PREPARED: u32 = 2;

#[derive(Serialize, Deserialize)]
struct Meta {
    kind: ArchiveKind,
    background: String,
    prepared: u32,
    faces: usize,
}

#[derive(Serialize, Deserialize)]
struct Photos {
    files: BTreeMap<String, FileRecord>,
    photos: Vec<Photo>,
    ignored: BTreeSet<FaceKey>,
    apart: BTreeSet<(FaceKey, FaceKey)>,
}

#[derive(Serialize, Deserialize)]
struct Photo {
    hash: ContentHash,
    faces: Vec<Location>,
}

/// Writes the index; an index that stood there is replaced as a whole or not at all. Mode 0600: it shows faces.
/// Errors: A place that cannot be written, a symbolic link, or a file there that is no index.
pub fn save_face_index(index: &FaceIndex, path: &Path) -> Result<()> {
    let target = TargetFile::unlinked(path)?;
    let permit = || match path.symlink_metadata() {
        Err(_) => Ok(Existing::Nothing),
        Ok(_) => match Archive::read(path).and_then(|archive| archive.kind()) {
            Ok(ArchiveKind::Faces) => Ok(Existing::Replaceable),
            _ => Err(Error::write(path, WriteProblem::NoIndex)),
        },
    };
    replace::install(&target, Privacy::Owner, permit, |out| {
        let faces: Vec<&IndexedFace> = index.faces().map(|(_, face)| face).collect();
        let background = Background::bundled_digest();
        let meta = Meta { kind: ArchiveKind::Faces, background, prepared: PREPARED, faces: faces.len() };
        let mut archive = ArchiveWriter::new(out, &meta)?;
        archive.add_json("photos.json", &written(index))?;
        let pixels: Vec<u8> = faces.iter().flat_map(|face| face.pixels.clone()).collect();
        archive.add_array("pixels", &[faces.len(), FaceSize::ALIGNED.pixels()], &pixels)?;
        let width = faces.first().map_or(0, |face| face.coordinates.len());
        let coordinates: Vec<f32> = faces.iter().flat_map(|face| face.coordinates.iter().copied()).collect();
        archive.add_array("coordinates", &[faces.len(), width], &coordinates)?;
        archive.finish().map(|_| ())
    })
}

/// Reads an index back. One that was made by another version of this program has no photos, for its faces cannot be
/// compared with new ones, and what a person has said of them.
/// Errors: A file that is not there, is no index, is damaged, or does not fit together.
pub fn load_face_index(path: &Path) -> Result<FaceIndex> {
    let archive = Archive::read(path)?;
    archive.expect(ArchiveKind::Faces)?;
    let meta: Meta = archive.meta()?;
    let photos: Photos = archive.json("photos.json")?;
    let misfit = || archive.misfit("photos and faces that do not fit together");
    let answers = answers(&photos);
    if meta.background != Background::bundled_digest() || meta.prepared != PREPARED {
        return Ok(FaceIndex { answers, ..FaceIndex::default() });
    }
    let width = if meta.faces == 0 { 0 } else { 2 * Background::bundled()?.components() };
    let d = FaceSize::ALIGNED.pixels();
    let pixels = archive.bytes("pixels", &[meta.faces, d])?;
    let coordinates: Vec<f32> = archive.array("coordinates", &[meta.faces, width])?;
    let mut faces = pixels.chunks_exact(d).zip(coordinates.chunks_exact(width.max(1)));
    let (photos, files) = read(photos, &mut faces).filter(|_| faces.next().is_none()).ok_or_else(misfit)?;
    Ok(FaceIndex { files, photos, answers })
}

fn written(index: &FaceIndex) -> Photos {
    let locations = |photo: &IndexedPhoto| photo.faces.iter().map(|face| face.location).collect();
    let photos = index.photos.iter().map(|(&hash, photo)| Photo { hash, faces: locations(photo) });
    let ignored = index.answers.ignored.clone();
    Photos { files: index.files.clone(), photos: photos.collect(), ignored, apart: index.answers.apart.clone() }
}

type PhotosAndFiles = (BTreeMap<ContentHash, IndexedPhoto>, BTreeMap<String, FileRecord>);

/// The photos and files of what was written; `None` where it does not fit together.
fn read<'a>(written: Photos, faces: &mut impl Iterator<Item = (&'a [u8], &'a [f32])>) -> Option<PhotosAndFiles> {
    let mut photos: BTreeMap<ContentHash, IndexedPhoto> = BTreeMap::new();
    for photo in written.photos {
        let found = photo.faces.into_iter().map(|location| {
            let (pixels, coordinates) = faces.next()?;
            Some(IndexedFace { location: sound(location)?, pixels: pixels.to_vec(), coordinates: coordinates.to_vec() })
        });
        let faces: Option<Vec<IndexedFace>> = found.collect();
        let (hash, faces) = (photo.hash, faces?);
        if photos.last_key_value().is_some_and(|(last, _)| *last >= hash) {
            return None;
        }
        photos.insert(hash, IndexedPhoto { faces });
    }
    let is_here = |file: &FileRecord| photos.contains_key(&file.photo);
    let files = written.files;
    files.values().all(is_here).then_some((photos, files))
}

fn answers(written: &Photos) -> Answers {
    let mut answers = Answers { ignored: written.ignored.clone(), ..Answers::default() };
    for &(one, other) in &written.apart {
        answers.keep_apart(one, other);
    }
    answers
}

/// The location, if its numbers can be those of one.
fn sound(location: Location) -> Option<Location> {
    let numbers = location.bounds.iter().chain(location.eyes.as_flattened());
    numbers.chain([&location.score, &location.eye_spread]).all(|number| number.abs() < 1e9).then_some(location)
}
