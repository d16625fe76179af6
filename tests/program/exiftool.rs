//! Sidecars as exiftool, the reference for metadata, reads them. Debian: libimage-exiftool-perl.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{group_photo, jpeg};
use crate::{enrolled, run};

/// What exiftool prints; `None`, said in a line, where it is absent.
fn exiftool(folder: &Path, arguments: &[&str]) -> Option<String> {
    match Command::new("exiftool").current_dir(folder).args(arguments).output() {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(_) => {
            eprintln!("skipped: exiftool is not installed");
            None
        }
    }
}

/// A folder with a model of the bundled people and an empty folder `photos`; `None` where exiftool is absent.
fn with_exiftool() -> Option<tempfile::TempDir> {
    exiftool(Path::new("."), &["-ver"])?;
    let folder = enrolled();
    fs::create_dir(folder.path().join("photos")).unwrap();
    Some(folder)
}

/// Names and places of faces, as exiftool has them.
fn regions(folder: &Path, file: &str) -> Vec<(String, [f64; 4])> {
    let json = exiftool(folder, &["-j", "-struct", "-RegionInfo", file]).unwrap();
    let info: Value = serde_json::from_str(&json).unwrap();
    let list = info[0]["RegionInfo"]["RegionList"].as_array().cloned();
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap());
    list.unwrap_or_default()
        .iter()
        .map(|region| {
            let area = ["X", "Y", "W", "H"].map(|side| number(&region["Area"][side]));
            (region["Name"].as_str().unwrap().to_owned(), area)
        })
        .collect()
}

#[test]
fn exiftool_reads_what_is_written_and_names_come_back_from_it() {
    let Some(folder) = with_exiftool() else { return };
    let at = |name: &str| folder.path().join(name);
    let photo = image::open(group_photo()).unwrap();
    fs::write(at("photos/party.jpg"), jpeg(&photo)).unwrap();
    let found = run(folder.path(), ["identify", "photos", "--write-xmp", "--format", "json"]).done();
    let valid = exiftool(folder.path(), &["-validate", "-warning", "-a", "photos/party.jpg.xmp"]);
    assert_eq!(valid.unwrap().trim(), "Validate                        : OK");
    let written = regions(folder.path(), "photos/party.jpg.xmp");
    let names: Vec<&str> = written.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Ada", "Farid"]);
    let faces: Value = serde_json::from_str(found.stdout.lines().next().unwrap()).unwrap();
    let (width, height) = (f64::from(photo.width()), f64::from(photo.height()));
    for (name, [x, y, w, h]) in &written {
        let mut all = faces["faces"].as_array().unwrap().iter();
        let face = all.find(|face| face["person"] == name.as_str()).unwrap();
        let [left, top, wide, high] = [0, 1, 2, 3].map(|at| face["box"][at].as_f64().unwrap());
        // Where the box lies within the photo.
        for (found, expected) in
            [(x * width, left + wide / 2.0), (y * height, top + high / 2.0), (w * width, wide), (h * height, high)]
        {
            assert!((found - expected).abs() < 0.5, "{name}: {found} {expected}");
        }
    }

    // Written into the photo by exiftool, they are labels to learn from: what a person confirmed.
    fs::create_dir(at("named")).unwrap();
    let sidecar = fs::read_to_string(at("photos/party.jpg.xmp")).unwrap();
    let confirmed = sidecar.replace("eigenfaces:Name>", "eigenfaces:Guess>");
    fs::write(at("named/party.jpg.xmp"), confirmed).unwrap();
    fs::copy(at("photos/party.jpg"), at("named/source.jpg")).unwrap();
    exiftool(
        folder.path(),
        &[
            "-tagsfromfile",
            "named/party.jpg.xmp",
            "-all:all",
            "-RegionInfo",
            "-o",
            "named/party.jpg",
            "named/source.jpg",
        ],
    );
    fs::remove_file(at("named/party.jpg.xmp")).unwrap();
    fs::remove_file(at("named/source.jpg")).unwrap();
    run(folder.path(), ["enroll", "named", "--labels", "xmp", "-m", "named.npz"]).done();
    let people = run(folder.path(), ["people", "-m", "named.npz"]).done();
    assert_eq!(people.stdout, "Ada (1 face)\nFarid (1 face)\n");
}

/// What a person named in the photo itself is not hidden by a guess beside it.
#[test]
fn names_within_photos_stay() {
    let Some(folder) = with_exiftool() else { return };
    let at = |name: &str| folder.path().join(name);
    let photo = image::open(group_photo()).unwrap();
    fs::write(at("photos/party.jpg"), jpeg(&photo)).unwrap();
    run(folder.path(), ["identify", "photos", "--write-xmp"]).done();
    let guess = fs::read_to_string(at("photos/party.jpg.xmp")).unwrap();
    let person =
        guess.replace("eigenfaces:Name>", "eigenfaces:Guess>").replace("<mwg-rs:Name>Ada<", "<mwg-rs:Name>Adele<");
    fs::write(at("person.xmp"), person).unwrap();
    fs::remove_file(at("photos/party.jpg.xmp")).unwrap();
    exiftool(
        folder.path(),
        &["-q", "-overwrite_original", "-tagsfromfile", "person.xmp", "-all:all", "-RegionInfo", "photos/party.jpg"],
    );
    let again = run(folder.path(), ["identify", "photos", "--write-xmp"]).done();
    assert!(again.stderr.contains("Adele stays"), "{}", again.stderr);
    run(folder.path(), ["enroll", "photos", "--labels", "xmp", "-m", "named.npz"]).done();
    let people = run(folder.path(), ["people", "-m", "named.npz"]).done();
    assert!(people.stdout.starts_with("Adele (1 face)"), "{}", people.stdout);
}

/// EXIF's eight orientations: the region lies in the photo as it is stored.
#[test]
fn turned_photos_have_their_regions_where_they_are_stored() {
    let Some(folder) = with_exiftool() else { return };
    let at = |name: &str| folder.path().join(name);
    let upright = image::open(group_photo()).unwrap();
    let names: Vec<String> = (1..=8).map(|exif| format!("photos/{exif}.jpg")).collect();
    for (exif, name) in (1..).zip(&names) {
        // What the orientation undoes.
        let stored = match exif {
            2 => upright.fliph(),
            3 => upright.rotate180(),
            4 => upright.flipv(),
            5 => upright.rotate90().fliph(),
            6 => upright.rotate270(),
            7 => upright.rotate270().fliph(),
            8 => upright.rotate90(),
            _ => upright.clone(),
        };
        fs::write(at(name), jpeg(&stored)).unwrap();
        let orientation = format!("-Orientation#={exif}");
        exiftool(folder.path(), &["-n", "-q", "-overwrite_original", &orientation, name]);
    }
    run(folder.path(), ["identify", "photos", "--write-xmp"]).done();
    let centres = |name: &str| {
        let found = regions(folder.path(), &format!("{name}.xmp"));
        let mut centres: Vec<(String, f64, f64)> = found.into_iter().map(|(name, [x, y, ..])| (name, x, y)).collect();
        centres.sort_by(|a, b| a.0.cmp(&b.0));
        centres
    };
    let first = centres(&names[0]);
    assert_eq!(first.len(), 2);
    for (exif, name) in (1..).zip(&names) {
        for ((person, x, y), (other, u, v)) in first.iter().zip(centres(name)) {
            let expected = match exif {
                2 => (1.0 - x, *y),
                3 => (1.0 - x, 1.0 - y),
                4 => (*x, 1.0 - y),
                5 => (*y, *x),
                6 => (*y, 1.0 - x),
                7 => (1.0 - y, 1.0 - x),
                8 => (1.0 - y, *x),
                _ => (*x, *y),
            };
            assert_eq!(*person, other, "orientation {exif}");
            assert!(
                (u - expected.0).abs() < 0.02 && (v - expected.1).abs() < 0.02,
                "orientation {exif}: {person} at {u} {v}, not {expected:?}"
            );
        }
    }
}
