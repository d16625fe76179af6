//! Models that are no models: refused in one line, never overwritten.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::scratch;
use crate::{picture, run};

struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    /// A folder with faces and a good model.
    fn with_model() -> Self {
        Self::with_model_of(&[])
    }

    /// Likewise, learned with these options.
    fn with_model_of(options: &[&str]) -> Self {
        let folder = scratch();
        for (number, person) in (1..).zip(["Ada", "Ada", "Boris", "Boris"]) {
            picture(&folder.path().join(format!("faces/{person}/{number}.png")), 40, 50, number);
        }
        run(folder.path(), ["enroll", "faces"].iter().chain(options)).done();
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn model(&self) -> PathBuf {
        self.path().join("eigenfaces.npz")
    }

    /// With these bytes as the model, every command fails saying these words and leaves them alone.
    fn refuses(&self, bytes: &[u8], words: &[&str]) {
        fs::write(self.model(), bytes).unwrap();
        for args in [
            vec!["identify", "faces/Ada/1.png"],
            vec!["info"],
            vec!["people"],
            vec!["basis", "-o", "out"],
            vec!["enroll", "faces"],
        ] {
            run(self.path(), &args).failed_saying(&[words, &["eigenfaces.npz"]].concat());
        }
        assert!(fs::read(self.model()).unwrap() == bytes, "the file was changed");
        assert!(!self.path().join("out").exists());
    }
}

#[test]
fn no_model_yet() {
    let place = Fixture::with_model();
    fs::remove_file(place.model()).unwrap();
    run(place.path(), ["identify", "faces/Ada/1.png"]).failed_saying(&[
        "eigenfaces.npz",
        "no such model",
        "eigenfaces enroll",
    ]);
    run(place.path(), ["info", "-m", "faces"]).failed_saying(&["faces", "is a folder"]);
}

#[test]
fn cut_short_or_damaged() {
    let place = Fixture::with_model();
    let whole = fs::read(place.model()).unwrap();
    place.refuses(&whole[..whole.len() / 2], &["backup"]);
    place.refuses(b"", &["empty"]);
    for at in [100, whole.len() / 2, whole.len() - 100] {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x10;
        place.refuses(&flipped, &[]);
    }
}

#[test]
fn something_else() {
    let place = Fixture::with_model();
    place.refuses(b"just some text, longer than a header would be", &["not a model file"]);
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("hello.txt", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut archive, b"hello").unwrap();
    place.refuses(archive.finish().unwrap().get_ref(), &["zip archive", "not an eigenfaces model"]);
}

/// The model with some bytes replaced by as many others, under a right checksum.
fn forged(model: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len(), "a forgery keeps the layout");
    let at = model
        .windows(from.len())
        .position(|window| window == from.as_bytes())
        .unwrap_or_else(|| panic!("the model does not hold {from:?}"));
    let mut forged = model.to_vec();
    forged[at..at + to.len()].copy_from_slice(to.as_bytes());
    eigenfaces::store::forge(forged)
}

#[test]
fn from_the_future() {
    let place = Fixture::with_model();
    let model = fs::read(place.model()).unwrap();
    let newer = forged(&model, "\"format_version\": 1", "\"format_version\": 7");
    place.refuses(&newer, &["newer eigenfaces", "update the program"]);
}

/// Models with one of these changes are refused.
fn refuses_forgeries(place: &Fixture, forgeries: &[(&str, &str)]) {
    let model = fs::read(place.model()).unwrap();
    for (from, to) in forgeries {
        place.refuses(&forged(&model, from, to), &[]);
    }
}

const FORGERIES: [(&str, &str); 4] = [
    ("\"faces\": 4", "\"faces\": 5"),
    ("\"faces\": 4", "\"faces\": 0"),
    ("\"components\": 3", "\"components\": 0"),
    ("\"components\": 3", "\"components\": 9"),
];

#[test]
fn hostile_shapes_and_numbers() {
    let place = Fixture::with_model_of(&["--background", "none"]);
    refuses_forgeries(&place, &FORGERIES);
    refuses_forgeries(
        &place,
        &[
            ("'shape': (4, 2000)", "'shape': (4, 9999)"),
            ("'shape': (2000,)", "'shape': (9999,)"),
            ("\"width\": 40", "\"width\": 99"),
            ("\"metric\": \"whitened\"", "\"metric\": \"manhatta\""),
        ],
    );
}

#[test]
fn hostile_shapes_and_numbers_with_the_background_model() {
    let place = Fixture::with_model();
    refuses_forgeries(&place, &FORGERIES);
    refuses_forgeries(
        &place,
        &[
            ("'shape': (4, 4736)", "'shape': (4, 9999)"),
            ("'shape': (4736,)", "'shape': (9999,)"),
            ("\"width\": 64", "\"width\": 99"),
            ("'shape': (4, 512)", "'shape': (4, 999)"),
            ("'shape': (512, 256)", "'shape': (999, 256)"),
            ("\"adapted\": true", "\"adapted\": null"),
            ("\"people\": 2", "\"people\": 9"),
            ("\"likeness_limit\": 0.", "\"likeness_limit\": 9."),
        ],
    );
}
