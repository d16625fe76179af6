//! Files that are no models, no longer models, or not yet models are refused, each with its own message.

use std::path::{Path, PathBuf};

use eigenfaces::error::ModelProblem;
use eigenfaces::store::{self, Archive};

use super::hostile::hand_made;
use super::{open, problem, small, unsealed};

#[test]
fn every_changed_byte_is_noticed() {
    let bytes = small();
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            // In the seal's own mark the file is no longer known as whole; anywhere else it is known as damaged.
            match open(changed) {
                Err(ModelProblem::Damaged | ModelProblem::CutShort) => {}
                other => panic!("byte {at} ^ {flip:#x}: {other:?}"),
            }
        }
    }
}

#[test]
fn every_shortening_and_lengthening_is_noticed() {
    let bytes = small();
    for length in 1..bytes.len() {
        match open(bytes[..length].to_vec()) {
            Err(ModelProblem::CutShort) => {}
            other => panic!("{length} bytes: {other:?}"),
        }
    }
    assert_eq!(open(Vec::new()).unwrap_err(), ModelProblem::Empty);
    assert_eq!(open([bytes, vec![0]].concat()).unwrap_err(), ModelProblem::CutShort);
}

#[test]
fn files_that_are_no_models_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let read = |path: PathBuf| problem(Archive::read(&path).unwrap_err());

    assert_eq!(read(folder.path().join("absent.npz")), ModelProblem::Missing);
    assert_eq!(read(folder.path().to_owned()), ModelProblem::Folder);
    assert_eq!(read(file("empty", b"")), ModelProblem::Empty);
    assert_eq!(read(file("text", b"no model at all")), ModelProblem::NotAModel);
    assert_eq!(read(file("zeros", &[0; 5000])), ModelProblem::NotAModel);
    assert_eq!(read(file("half", &small()[..1000])), ModelProblem::CutShort);
    assert_eq!(read(file("zip", &ordinary_zip())), ModelProblem::OtherArchive);
    assert_eq!(read(file("empty.zip", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")), ModelProblem::OtherArchive);
    #[cfg(unix)]
    assert_eq!(read(PathBuf::from("/dev/zero")), ModelProblem::NotAFile);
    let whole = file("model.npz", &small());
    assert!(Archive::read(&whole).is_ok());
}

fn ordinary_zip() -> Vec<u8> {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("mean_.npy", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(b"some text").unwrap();
    zip.finish().unwrap().into_inner()
}

/// The small model with the only occurrence of `old` replaced by `new` of the same length, and a right checksum.
fn forged(old: &[u8], new: &[u8]) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let mut bytes = unsealed(&small());
    let mut places = bytes.windows(old.len()).enumerate().filter(|(_, window)| *window == old).map(|(at, _)| at);
    let at = places.next().expect("the small model holds it");
    assert_eq!(places.next(), None, "holds it once");
    drop(places);
    bytes[at..at + new.len()].copy_from_slice(new);
    store::forge(bytes)
}

#[test]
fn newer_formats_are_named() {
    let newer = forged(b"\"format_version\": 1,", b"\"format_version\": 7,");
    let error = Archive::from_bytes(Path::new("m.npz"), newer).unwrap_err();
    assert_eq!(
        error.to_string(),
        "m.npz: was made by a newer eigenfaces (format 7, this program reads up to 1): update the program"
    );
    // Even if all after its first member is of a kind not known today.
    let mut newer = unsealed(&forged(b"\"format_version\": 1,", b"\"format_version\": 7,"));
    newer.truncate(newer.windows(4).position(|window| window == b"PK\x01\x02").unwrap());
    newer.extend_from_slice(b"a directory of the future");
    assert_eq!(open(store::forge(newer)).unwrap_err(), ModelProblem::Newer { found: 7, newest: 1 });
    for (version, found) in [("0", false), ("-1", false), ("1e3", false), ("18446744073709551615", true)] {
        let meta = format!("{{\"format_version\": {version}}}");
        let refused = open(hand_made(&[("meta.json", meta.as_bytes())])).unwrap_err();
        assert_eq!(matches!(refused, ModelProblem::Newer { .. }), found, "{version}: {refused}");
    }
}
