//! A model of every format that was ever released loads for ever, and says the same of a face.

use std::fs;
use std::path::PathBuf;

use eigenfaces::decision::Decision;
use eigenfaces::recognizer::{QueryOptions, Recognizer};
use eigenfaces::store::{self, Archive, FORMAT_VERSION};

fn fixture(version: u32) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/format-{version}.npz"))
}

#[test]
fn every_released_format_loads() {
    for version in 1..=FORMAT_VERSION {
        let path = fixture(version);
        assert_eq!(Archive::read(&path).unwrap().format_version(), version);
        let (old, history) = store::load_with_history(&path).unwrap();
        let people: Vec<&str> = old
            .gallery()
            .people()
            .iter()
            .map(|person| person.as_str())
            .collect();
        assert_eq!(people, ["Ada", "Boris", "Chiara", "Dmitri", "Esther"]);
        assert_eq!(old.gallery().counts(), [4; 5]);
        assert_eq!(history.records().len(), 2);
        assert_eq!(old.gallery().enrolled()[0].source, "faces/Ada/1.png");

        // What was learned then is at work: everybody is nearest to themselves.
        let found = old
            .identifier()
            .identify_faces(old.gallery().faces(), QueryOptions::default());
        for (face, found) in old.gallery().enrolled().iter().zip(found) {
            let closest = found.closest().unwrap();
            assert_eq!(closest.person, old.gallery().people()[face.person]);
            assert!(closest.distance < 1.0, "{}", closest.distance);
            assert_ne!(found.decision, Decision::NotAFace);
        }

        // And the way on: learned again and saved, it is a model of today's format.
        let learned =
            Recognizer::learn(*old.preparation(), old.gallery().clone(), old.settings()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("new.npz");
        store::save(&learned, &history, &new).unwrap();
        assert_eq!(
            Archive::read(&new).unwrap().format_version(),
            FORMAT_VERSION
        );
        assert_eq!(store::load(&new).unwrap().gallery(), old.gallery());
    }
}

/// Writes the fixture of today's format: once, when a format is about to be released, and never again.
#[test]
#[ignore = "writes a fixture"]
fn write_the_fixture() {
    let path = fixture(FORMAT_VERSION);
    assert!(
        !path.exists(),
        "a fixture is never written anew; while its format is unreleased, delete it first"
    );
    let folder = tempfile::tempdir().unwrap();
    let faces = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("faces");
    for (person, photos) in [
        ("Ada", 4),
        ("Boris", 4),
        ("Chiara", 4),
        ("Dmitri", 4),
        ("Esther", 4),
        ("Farid", 2),
    ] {
        let to = folder.path().join("faces").join(person);
        fs::create_dir_all(&to).unwrap();
        for photo in 1..=photos {
            let name = format!("{photo}.png");
            fs::copy(faces.join(person).join(&name), to.join(&name)).unwrap();
        }
    }
    for args in [
        &["enroll", "faces", "--size", "16x20", "--components", "8"][..],
        &["people", "remove", "Farid", "--yes"],
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_eigenfaces"));
        let command = command
            .current_dir(folder.path())
            .args(args)
            .env("SOURCE_DATE_EPOCH", "1795236101");
        assert!(command.status().unwrap().success());
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::copy(folder.path().join("eigenfaces.npz"), &path).unwrap();
}
