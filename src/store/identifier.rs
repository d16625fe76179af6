//! Loads only what identification needs.

use std::path::Path;
use std::sync::Arc;

use super::Archive;
use super::background_arrays::BackgroundMeta;
use super::meta::{Meta, invalid as refused};
use super::model;
use super::model_parts::{EnrolledFaces, named, read_comparer};
use crate::dataset::Person;
use crate::error::{ArchiveKind, Result};
use crate::kernel_pca::Kernel;
use crate::recognizer::Identifier;

/// Reads what names people. Of a large model neither the enrolled faces nor their weights are kept, but all of the
/// file is checked: of members that are passed over, the checksum.
///
/// # Errors
/// As [`load`](super::load).
pub fn load_identifier(path: &Path) -> Result<Identifier> {
    let archive = Archive::open(path)?;
    let identifier = read(&archive)?;
    archive.check_rest()?;
    Ok(identifier)
}

fn read(archive: &Archive) -> Result<Identifier> {
    archive.expect(ArchiveKind::Model)?;
    let meta: Meta = archive.meta()?;
    let settings = meta.settings(archive)?;
    let is_older = |background: &BackgroundMeta| !background.is_current(archive);
    let needs_faces = settings.distance.kernel != Kernel::Linear
        || settings.distance.pixel_scale == crate::matcher::PixelScale::Deviation
        || meta.background.as_ref().is_some_and(is_older);
    // What is in memory can as well be looked at closely.
    if archive.is_in_memory() || needs_faces {
        let (recognizer, _) = model::from_archive(archive)?;
        return Ok(recognizer.into_identifier());
    }
    let space = Arc::new(super::basis::read_space(archive, &meta)?);
    let (people, persons) = read_people(archive, meta.faces)?;
    let (n, k) = (meta.faces, meta.components);
    let weights = nalgebra::DMatrix::from_vec(k, n, archive.array("weights", &[n, k])?);
    let placed = EnrolledFaces {
        persons: &persons,
        people: people.len(),
        faces: None,
        weights: &weights,
        coordinates: None,
    };
    let comparer = read_comparer(archive, &meta, settings, &space, placed)?;
    let preparation = meta.preparation(space.size());
    Identifier::from_parts(preparation, settings, space, people, comparer)
        .map_err(|_| refused(archive, "parts that do not fit together"))
}

/// The people, and the person of each face.
fn read_people(archive: &Archive, n: usize) -> Result<(Vec<Person>, Vec<usize>)> {
    let senseless = |reason: String| archive.misfit(reason);
    let mut people: Vec<Person> = Vec::new();
    let mut persons = Vec::new();
    archive.each_line("labels", n, &mut |_, label| {
        if people.last().is_none_or(|last| last.as_str() != label) {
            let person = named(&label).map_err(senseless)?;
            if people.last().is_some_and(|last| *last >= person) {
                return Err(senseless("faces out of order or twice".to_owned()));
            }
            people.push(person);
        }
        persons.push(people.len() - 1);
        Ok(())
    })?;
    Ok((people, persons))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face_matrix::FaceMatrix;
    use crate::recognizer::{QueryOptions, Settings};
    use crate::store::tests::saved;
    use crate::store::{self, Privacy, forge_members, replace_file};

    /// A model that compares by its gallery alone.
    fn model() -> tempfile::TempPath {
        saved(Settings::without_background())
    }

    /// Loads an identifier from a large model, leaving the file on disk.
    fn from_disk(path: &Path) -> Result<Identifier> {
        let archive = Archive::open_large(path, 0)?;
        assert!(!archive.is_in_memory());
        let identifier = read(&archive)?;
        archive.check_rest()?;
        Ok(identifier)
    }

    fn in_a_file(bytes: &[u8]) -> tempfile::TempPath {
        let file = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        replace_file(&file, Privacy::Owner, |out| {
            std::io::Write::write_all(out, bytes)
        })
        .unwrap();
        file
    }

    #[test]
    fn what_stays_on_disk_names_people_all_the_same() {
        let model = model();
        let whole = store::load(&model).unwrap();
        let size = whole.preparation().size();
        let faces = whole.gallery().faces();
        let identifier = from_disk(&model).unwrap();
        assert_eq!(identifier.people(), whole.gallery().people());
        assert_eq!(
            identifier.matcher().unwrap().clusters().means(),
            whole.matcher().unwrap().clusters().means()
        );
        let some = faces
            .select(&(0..faces.len().min(9)).collect::<Vec<_>>())
            .unwrap();
        let noise: Vec<u8> = (0..size.pixels()).map(|at| (at * 31 % 251) as u8).collect();
        for faces in [some, FaceMatrix::from_pixels(size, noise).unwrap()] {
            let query = QueryOptions::default();
            assert_eq!(
                identifier.identify_faces(&faces, query),
                whole.identifier().identify_faces(&faces, query)
            );
        }
    }

    #[test]
    fn damage_anywhere_is_noticed() {
        let bytes = std::fs::read(model()).unwrap();
        let step = (bytes.len() / 400).max(1);
        // The digits of the seal are those of another checksum, which of a large file is not computed.
        let sealed = bytes.len() - 64;
        let ends = [
            0,
            1,
            30,
            31,
            60,
            sealed - 1,
            sealed - 2,
            sealed - 40,
            sealed - 90,
        ];
        for at in (0..sealed).step_by(step).chain(ends) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            let file = in_a_file(&damaged);
            assert!(from_disk(&file).is_err(), "byte {at}");
        }
        let mut damaged = bytes.clone();
        *damaged.last_mut().unwrap() = b'x';
        assert!(from_disk(&in_a_file(&damaged)).is_err(), "no digit");
        for length in [bytes.len() - 1, bytes.len() / 2, 200, 3, 0] {
            assert!(
                from_disk(&in_a_file(&bytes[..length])).is_err(),
                "{length} bytes"
            );
        }
        assert!(from_disk(&in_a_file(&bytes)).is_ok());
    }

    /// A member under a wrong checksum, though headers and seal are right.
    #[test]
    fn each_member_answers_for_itself() {
        let archive = Archive::read(&model()).unwrap();
        let member = |name: &str, content: &[u8]| (name.to_owned(), content.to_vec());
        let meta = br#"{"format_version": 1}"#;
        let forged = forge_members(&[member("meta.json", meta), member("x.npy", b"no array")]);
        let file = in_a_file(&forged);
        let opened = Archive::open_large(&file, 0).unwrap();
        assert!(opened.check_rest().is_ok());
        assert!(opened.array::<f32>("x", &[1]).is_err());
        assert!(opened.array::<f32>("y", &[1]).is_err());
        let mut spoilt = forged;
        let at = spoilt
            .windows(8)
            .position(|bytes| bytes == b"no array")
            .unwrap();
        spoilt[at] = b'N';
        let file = in_a_file(&spoilt);
        assert!(Archive::open_large(&file, 0).unwrap().check_rest().is_err());
        assert!(archive.check_rest().is_ok(), "in memory all is checked");
    }

    #[test]
    fn arrays_are_the_same_from_disk() {
        let model = model();
        let (memory, disk) = (
            Archive::read(&model).unwrap(),
            Archive::open_large(&model, 0).unwrap(),
        );
        assert!(memory.arrays().eq(disk.arrays()));
        let shape = memory.shape("faces").unwrap();
        assert_eq!(disk.shape("faces").unwrap(), shape);
        assert_eq!(
            memory.bytes("faces", &shape).unwrap(),
            disk.bytes("faces", &shape).unwrap()
        );
        let n = shape[0];
        assert_eq!(
            memory.text("labels", n).unwrap(),
            disk.text("labels", n).unwrap()
        );
        let shape = memory.shape("weights").unwrap();
        let of = |archive: &Archive| archive.array::<f32>("weights", &shape).unwrap();
        assert_eq!(of(&memory), of(&disk));
        assert!(disk.array::<f64>("weights", &shape).is_err());
        assert!(disk.array::<f32>("weights", &[1, 1]).is_err());
    }
}
