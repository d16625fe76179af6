//! `people`: rename, merge, remove; and what is left in the file of those who were erased.

use std::fs;
use std::path::Path;

use eigenfaces::gallery::Gallery;
use eigenfaces::recognizer::Recognizer;
use eigenfaces::store::{self, Archive};

use crate::support::{bundled_faces, group_photo, photo_of_ada, probes, scratch, tiff_of};
use crate::{picture, run, text};

/// A folder with three photos each of these people.
fn faces(folder: &Path, people: &[&str]) {
    for person in people {
        for number in 1..=3 {
            let seed = person.bytes().map(u32::from).sum::<u32>() * 31 + number;
            picture(&folder.join(format!("faces/{person}/{number}.png")), 40, 50, seed);
        }
    }
}

fn enrolled(people: &[&str]) -> tempfile::TempDir {
    let folder = scratch();
    faces(folder.path(), people);
    run(folder.path(), ["enroll", "faces", "--size", "24x30"]).done();
    folder
}

fn model(folder: &Path) -> Recognizer {
    store::load(&folder.join("eigenfaces.npz")).unwrap()
}

/// Every array of the file, and its name. The log says how it came about, and is none.
fn arrays(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let path = folder.join("eigenfaces.npz");
    let archive = Archive::read(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let names: Vec<String> = archive.arrays().map(str::to_owned).collect();
    let mut read = |name: String| {
        let mut content = Vec::new();
        let mut member = zip.by_name(&format!("{name}.npy")).unwrap();
        std::io::Read::read_to_end(&mut member, &mut content).unwrap();
        drop(member);
        (name, content)
    };
    names.into_iter().map(&mut read).collect()
}

/// Whether the bytes hold the text, as UTF-8 or as NumPy keeps text (UTF-32).
fn holds(bytes: &[u8], text: &str) -> bool {
    let wide: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    has(text.as_bytes()) || has(&wide)
}

#[test]
fn who_is_removed_leaves_no_trace() {
    let folder = enrolled(&["Ada", "Boris Secret", "Cleo"]);
    let before = fs::read(folder.path().join("eigenfaces.npz")).unwrap();
    let gallery = model(folder.path()).gallery().clone();
    let pixels: Vec<u8> = gallery.faces().face(4).to_vec();
    assert!(holds(&before, "Boris Secret") && before.windows(pixels.len()).any(|w| w == pixels));

    let removed = run(folder.path(), ["people", "remove", "Boris Secret", "--yes"]).done();
    assert!(
        removed.stderr.starts_with("erased 3 faces (3 of Boris Secret); 6 faces of 2 people enrolled now\n"),
        "{}",
        removed.stderr
    );
    let after = fs::read(folder.path().join("eigenfaces.npz")).unwrap();
    assert!(!holds(&after, "Boris") && !holds(&after, "Secret"));
    for face in gallery.enrolled().iter().filter(|face| face.person == 1) {
        assert!(!after.windows(32).any(|window| window == face.hash.0), "its hash is there");
    }
    assert!(!after.windows(pixels.len()).any(|w| w == pixels), "its pixels are there");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else lies about");

    // And what was learned is what is learned from the others alone.
    let without = enrolled(&["Ada", "Cleo"]);
    assert_eq!(arrays(folder.path()), arrays(without.path()), "bit for bit");
    let (this, that) = (model(folder.path()), model(without.path()));
    assert_eq!(this.calibration(), that.calibration());

    let log = run(folder.path(), ["info", "--log"]).done();
    assert_eq!(
        log.stdout,
        "2026-11-21 04:41:41 UTC enrolled 9 faces of 3 people\n  \
           Ada: 3 faces\n  number 2, no longer enrolled: 3 faces\n  Cleo: 3 faces\n\
         2026-11-21 04:41:41 UTC removed 3 faces of 1 person\n  \
           number 2, no longer enrolled: 3 faces\n"
    );
    let info = run(folder.path(), ["info"]).done();
    assert!(info.stdout.contains("log           2026-11-21 04:41:41 UTC enrolled 9"), "{}", info.stdout);
}

#[test]
fn adding_removing_and_adding_again_is_enrolling_at_once() {
    let once = enrolled(&["Ada", "Boris", "Cleo"]);
    let grown = enrolled(&["Boris", "Cleo"]);
    run(grown.path(), ["people", "remove", "Cleo", "-y"]).done();
    faces(grown.path(), &["Ada"]);
    run(grown.path(), ["enroll", "faces"]).done();
    assert_eq!(arrays(grown.path()), arrays(once.path()));
}

#[test]
fn a_folder_that_counts_for_another_person_is_told() {
    let folder = enrolled(&["Ada", "Boris"]);
    let rename = |from: &str, to: &str| run(folder.path(), ["people", "rename", from, to]).done();
    assert!(!rename("Ada", "Eve").stderr.contains("counted"));
    let told = rename("Boris", "Ada").stderr;
    assert!(told.contains("a folder called Ada counted for Eve"), "{told}");
}

#[test]
fn all_faces_of_a_file_go_with_it() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    run(folder.path(), ["enroll", text(&bundled_faces().join("Ada"))]).done();
    fs::copy(group_photo(), at("group.png")).unwrap();
    for (name, face) in [("Mum", "1"), ("Dad", "2"), ("Kid", "3")] {
        run(folder.path(), ["people", "add", name, "group.png", "--face", face]).done();
    }
    fs::rename(at("group.png"), at("elsewhere.png")).unwrap();
    let one = ["people", "remove", "group.png (face 2)", "--yes"];
    run(folder.path(), one).ended(0, &["erased 1 face (1 of Dad)"]);
    let photo = ["people", "remove", "elsewhere.png", "--yes"];
    run(folder.path(), photo).ended(0, &["erased 2 faces (1 of Kid, 1 of Mum)"]);
    // So do the pages of a TIFF, which are photos that no file is.
    fs::create_dir_all(at("more/Boris")).unwrap();
    let photos = ["1.png", "2.png"].map(|name| bundled_faces().join("Boris").join(name));
    let pages = photos.map(|path| image::open(path).unwrap().into_luma8());
    fs::write(at("more/Boris/scans.tif"), tiff_of(&pages)).unwrap();
    run(folder.path(), ["enroll", "more"]).done();
    // They lie outside of the folder that is followed.
    fs::create_dir(at("faces")).unwrap();
    fs::copy(photo_of_ada(), at("faces/Ada.png")).unwrap();
    run(folder.path(), ["enroll", "--sync", "faces", "--labels", "stem", "--yes"]).done();
    let written = run(folder.path(), ["identify", "more", "--write-xmp"]);
    written.ended(3, &["more/Boris/scans (page 1 of 2).tif: names are not written for a page of a file"]);
    let photo = ["people", "remove", "more/Boris/scans.tif", "--yes"];
    run(folder.path(), photo).ended(0, &["erased 2 faces (2 of Boris)"]);
}

#[test]
fn a_single_photo_is_removed_by_source_hash_or_file() {
    let folder = enrolled(&["Ada", "Boris", "Cleo"]);
    let photos = run(folder.path(), ["people", "list", "Boris", "--photos"]).done().stdout;
    assert_eq!(photos.lines().count(), 3);
    let (digits, rest) = photos.lines().next().unwrap().split_once(' ').unwrap();
    assert_eq!((digits.len(), rest), (12, "Boris: faces/Boris/1.png"));
    fs::copy(folder.path().join("faces/Cleo/2.png"), folder.path().join("copy")).unwrap();
    let removed = run(folder.path(), ["people", "remove", "faces/Ada/3.png", digits, "copy", "--yes"]);
    removed.ended(0, &["erased 3 faces (1 of Ada, 1 of Boris, 1 of Cleo)"]);
    let left = scratch();
    for name in ["Ada", "Boris", "Cleo"] {
        for number in 1..=3 {
            let file = format!("faces/{name}/{number}.png");
            if !["faces/Ada/3.png", "faces/Boris/1.png", "faces/Cleo/2.png"].contains(&file.as_str()) {
                fs::create_dir_all(left.path().join("faces").join(name)).unwrap();
                fs::copy(folder.path().join(&file), left.path().join(&file)).unwrap();
            }
        }
    }
    run(left.path(), ["enroll", "faces", "--size", "24x30"]).done();
    assert_eq!(arrays(folder.path()), arrays(left.path()));
}

#[test]
fn renaming_and_merging_is_enrolling_under_the_other_name() {
    let folder = enrolled(&["Ada", "Boris", "Cleo"]);
    run(folder.path(), ["people", "rename", "Ada", "Zoë"]).ended(0, &["renamed Ada to Zoë"]);
    run(folder.path(), ["people", "merge", "Cleo", "--into", "Boris"])
        .ended(0, &["merged Cleo (3 faces) into Boris; 9 faces of 2 people"]);
    let people = run(folder.path(), ["people", "--format", "csv"]).done().stdout;
    assert_eq!(people, "person,faces\nBoris,6\nZoë,3\n");
    let bytes = fs::read(folder.path().join("eigenfaces.npz")).unwrap();
    // Sources still say where the photos came from; the name itself is gone.
    let log = run(folder.path(), ["info", "--log"]).done().stdout;
    assert!(!log.contains("Ada") && !log.contains("Cleo"), "{log}");
    assert!(log.contains("renamed 1 person\n  Zoë\n") && log.contains("merged 2 people into one\n"), "{log}");

    let expected: Gallery = {
        let other = enrolled(&["Ada", "Boris", "Cleo"]);
        let faces = model(other.path()).gallery().clone().into_labeled();
        let rename = |name: &str| if name == "Ada" { "Zoë" } else { "Boris" }.parse().unwrap();
        let faces: Vec<_> = faces
            .into_iter()
            .map(|face| eigenfaces::gallery::LabeledFace { person: rename(face.person.as_str()), ..face })
            .collect();
        let size = model(folder.path()).preparation().size();
        Gallery::assemble(size, faces).unwrap().0
    };
    let this = model(folder.path());
    let learned = Recognizer::learn(*this.preparation(), expected, this.settings()).unwrap();
    assert_eq!((this.space(), this.weights()), (learned.space(), learned.weights()));
    assert_eq!(this.gallery(), learned.gallery());
    // Renaming somebody to a name that is free again is possible.
    run(folder.path(), ["people", "rename", "Zoë", "Ada"]).done();
    assert!(!bytes.is_empty());
}

#[test]
fn looking_first_changes_nothing() {
    let folder = enrolled(&["Ada", "Boris", "Cleo"]);
    let before = fs::read(folder.path().join("eigenfaces.npz")).unwrap();
    for (args, says) in [
        (vec!["people", "remove", "Ada"], "would erase 3 faces (3 of Ada)\n"),
        (vec!["people", "rename", "Ada", "Bob"], "would rename Ada to Bob\n"),
        (vec!["people", "merge", "Ada", "--into", "Cleo"], "would merge Ada (3 faces) into Cleo\n"),
    ] {
        let said = run(folder.path(), [args, vec!["--dry-run"]].concat()).done();
        assert_eq!(said.stdout, says);
        assert!(fs::read(folder.path().join("eigenfaces.npz")).unwrap() == before);
    }
    let args = ["people", "remove", "Ada", "--dry-run", "--format", "json"];
    let json = run(folder.path(), args).done().stdout;
    assert_eq!(json, "{\"faces\":6,\"people\":2,\"removed\":[{\"faces\":3,\"person\":\"Ada\"}],\"schema\":1}\n");
}

#[test]
fn wrong_use_is_refused_and_changes_nothing() {
    let folder = enrolled(&["Ada Lovelace", "Boris", "Cleo"]);
    let path = folder.path().join("eigenfaces.npz");
    let before = fs::read(&path).unwrap();
    let remove_all = ["people", "remove", "Ada Lovelace", "Boris", "Cleo", "-y"];
    for (args, words) in [
        (&["people", "remove", "Boris"][..], &["3 faces (3 of Boris) would be erased", "--yes"][..]),
        (&["people", "remove", "Ada Lovlace", "-y"], &["nobody enrolled", "did you mean 'Ada Lovelace'?"]),
        (&["people", "remove", "Quentin", "-y"], &["nobody enrolled is called 'Quentin'", "eigenfaces people"]),
        (&["people", "list", "boris"], &["did you mean 'Boris'?"]),
        (&["people", "remove", "faces/Boris/9.png", "-y"], &["nobody enrolled is called 'faces/Boris/9.png'"]),
        (&["people", "rename", "Boris", "Cleo"], &["'Cleo' is enrolled already", "merge"]),
        (&["people", "rename", "Boris", "Boris"], &["'Boris' is this person's name already"]),
        (&["people", "rename", "Boris", " "], &["cannot be a person's name", "empty"]),
        (&["people", "rename", "Boris", "a\nb"], &["cannot be a person's name", "control"]),
        (&["people", "merge", "Boris", "--into", "Boris"], &["'Boris' cannot be merged into itself"]),
        (&["people", "merge", "Boris", "--into", "Cloe"], &["nobody", "'Cloe'"]),
        (&remove_all, &["0 of its faces would be left", "delete the file"]),
    ] {
        run(folder.path(), args).failed_saying(words);
        assert!(fs::read(&path).unwrap() == before, "{args:?}");
    }
    for args in [&["people", "remove"][..], &["people", "merge", "Boris"], &["people", "rename", "Boris"]] {
        assert_eq!(run(folder.path(), args).code, 2);
    }
    fs::remove_file(&path).unwrap();
    for args in [&["people", "remove", "Boris", "-y"][..], &["people", "rename", "Boris", "B"], &["info", "--log"]] {
        run(folder.path(), args).failed_saying(&["there is no such model", "enroll"]);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no lock is left");
}

#[test]
fn all_but_one_may_go() {
    let folder = scratch();
    for (number, person) in (1..).zip(["Ada", "Boris", "Cleo"]) {
        let photo = folder.path().join(format!("faces/{person}.png"));
        picture(&photo, 40, 50, number);
    }
    run(folder.path(), ["enroll", "faces", "--labels", "stem"]).done();
    let path = folder.path().join("eigenfaces.npz");
    run(folder.path(), ["people", "remove", "Ada", "Boris", "-y"]).done();
    assert_eq!(model(folder.path()).gallery().len(), 1);
    let info = run(folder.path(), ["info"]).done().stdout;
    assert!(info.contains("1 basis face learned from 1 face keeps"), "{info}");

    // It is what enrolling that one alone gives.
    let alone = ["enroll", "faces/Cleo.png", "--labels", "stem", "-m", "alone.npz"];
    run(folder.path(), alone).done();
    let alone = store::load(&folder.path().join("alone.npz")).unwrap();
    assert_eq!(alone.gallery(), model(folder.path()).gallery());
    assert_eq!(alone.weights(), model(folder.path()).weights());

    let before = fs::read(&path).unwrap();
    run(folder.path(), ["people", "remove", "Cleo", "-y"])
        .failed_saying(&["0 of its faces would be left", "delete the file"]);
    assert!(fs::read(&path).unwrap() == before);

    // To a kernel one face is too few.
    let pixels = ["--kernel", "cosine", "-m", "two.npz"];
    let two = ["enroll", "faces/Ada.png", "faces/Boris.png", "--labels", "stem"];
    run(folder.path(), two.iter().chain(&pixels)).done();
    run(folder.path(), ["people", "remove", "Ada", "-y", "-m", "two.npz"]).failed_saying(&[
        "two.npz",
        "1 of its faces would be left",
        "delete the file",
    ]);
}

#[test]
fn names_that_mean_harm_are_shown_and_written_safely() {
    let folder = enrolled(&["Ada", "Boris"]);
    let turned = "../../etc/\u{202e}pas\u{200f}swd";
    run(folder.path(), ["people", "rename", "Ada", turned]).failed_saying(&[
        "cannot be a person's name",
        "cannot be seen",
        "202e",
    ]);
    let hostile = "=../../etc/<b>pas&swd\"";
    run(folder.path(), ["people", "rename", "Ada", hostile]).done();
    run(folder.path(), ["basis", "-o", "out"]).done();
    let safe = |text: &str| !text.chars().any(|c| (c.is_control() && c != '\n') || "\u{202e}\u{200f}".contains(c));
    for args in [
        &["people"][..],
        &["people", "--format", "json"],
        &["people", "--format", "csv"],
        &["people", "list", "--photos"],
        &["info", "--log"],
        &["info", "--log", "--format", "csv"],
        &["identify", "faces/Boris/1.png", "--top", "2"],
        &["identify", "faces/Boris/1.png", "--top", "2", "--format", "json"],
    ] {
        let said = run(folder.path(), args).done();
        assert!(safe(&said.stdout) && safe(&said.stderr), "{args:?}: {}", said.stdout);
        let is_formula = said.stdout.lines().any(|line| line.starts_with('='));
        assert!(!is_formula || !args.contains(&"csv"), "{args:?}: {}", said.stdout);
    }
    let json = run(folder.path(), ["people", "--format", "json"]).done().stdout;
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(first["person"], hostile, "JSON gives the name back as it is");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "faces, model, out and no more");
}

/// Calibration leaves people out in parts; these follow their photos, not their names.
#[test]
fn nobodys_confidence_depends_on_what_others_are_called() {
    let folder = scratch();
    run(folder.path(), ["enroll", text(bundled_faces())]).done();
    // Of each face the confidence of the likeliest.
    let confidences = || -> Vec<f64> {
        let identify = ["identify", text(probes()), "--format", "json"];
        let told = run(folder.path(), identify).done().stdout;
        let lines = told.lines().map(|line| serde_json::from_str(line).unwrap());
        let faces = lines.flat_map(|line: serde_json::Value| line["faces"].as_array().cloned());
        let confidence = |face: serde_json::Value| face["candidates"][0]["confidence"].as_f64();
        faces.flatten().filter_map(confidence).collect()
    };
    let before = confidences();
    assert!(before.len() > 5, "{before:?}");
    for (name, other) in [("Ada", "Zara"), ("Noah", "Aaron"), ("Keiko", "Bea")] {
        run(folder.path(), ["people", "rename", name, other]).done();
    }
    let after = confidences();
    assert_eq!(after.len(), before.len());
    // Sums in another order are rounded otherwise.
    let mut pairs = after.iter().zip(&before);
    assert!(pairs.all(|(after, before)| (after - before).abs() < 1e-5), "{before:?} {after:?}");
}
