//! Photos as people have them: faces are found, aligned, and named wherever they are in the photo.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use image::GrayImage;
use image::imageops::replace;
use serde_json::Value;

use crate::support::{bundled_faces, group_photo, probes, real_data, scratch};
use crate::{picture, run, text};

/// Bundled photos, each pasted somewhere into a larger picture: FOLDER/Ada/1.png and so on.
fn paste_scenes(folder: &Path, people: usize, images: std::ops::Range<i64>) {
    let names = ["Ada", "Boris", "Chiara", "Dmitri", "Esther"];
    for (name, person) in names.into_iter().zip(1..).take(people) {
        let own = folder.join(name);
        fs::create_dir_all(&own).unwrap();
        for number in images.clone() {
            let file = format!("{number}.png");
            let photo = image::open(bundled_faces().join(name).join(&file)).unwrap();
            let mut scene = GrayImage::from_fn(240, 200, |x, y| [(70 + x / 4 + y / 3) as u8].into());
            let (right, down) = ((number * 37 + person * 53) % 144, (number * 23 + person * 41) % 88);
            replace(&mut scene, &photo.into_luma8(), right, down);
            scene.save(own.join(file)).unwrap();
        }
    }
}

/// A model of the bundled people whose photos are aligned by the eyes, made once.
fn aligned() -> &'static str {
    static MODEL: OnceLock<(tempfile::TempDir, String)> = OnceLock::new();
    let (_, path) = MODEL.get_or_init(|| {
        let folder = scratch();
        let path = folder.path().join("aligned.npz");
        let args = ["enroll", text(bundled_faces()), "--framing", "detect", "-m"];
        run(folder.path(), args.into_iter().chain([text(&path)])).done();
        let path = text(&path).to_owned();
        (folder, path)
    });
    path
}

fn framing_of(folder: &Path) -> String {
    let info = run(folder, ["info", "--format", "json"]).done();
    let object: Value = serde_json::from_str(&info.stdout).unwrap();
    object["framing"].as_str().unwrap().to_owned()
}

#[test]
fn crops_are_taken_as_they_are_without_the_background_model() {
    let folder = scratch();
    let args = ["enroll", text(bundled_faces()), "--background", "none"];
    let said = run(folder.path(), args).done();
    assert!(said.stderr.contains("taken as they are"), "{}", said.stderr);
    assert_eq!(framing_of(folder.path()), "as-is");
}

#[test]
fn crops_in_which_faces_are_found_are_aligned() {
    let folder = scratch();
    let said = run(folder.path(), ["enroll", text(bundled_faces())]).done();
    let words = "faces are found and aligned by the eyes: 60 of 60 photos";
    assert!(said.stderr.contains(words), "{}", said.stderr);
    assert_eq!(framing_of(folder.path()), "detect");
}

#[test]
fn people_somewhere_in_their_photos_are_found_and_named() {
    let folder = scratch();
    paste_scenes(&folder.path().join("learn"), 5, 1..7);
    paste_scenes(&folder.path().join("probes"), 5, 7..9);
    let said = run(folder.path(), ["enroll", "learn"]).done();
    let words = "faces are found and aligned by the eyes: 30 of 30 photos";
    assert!(said.stderr.contains(words), "{}", said.stderr);
    assert_eq!(framing_of(folder.path()), "detect");

    let rank_1 = || rank_1(folder.path(), "probes");
    let found = rank_1();
    fs::remove_file(folder.path().join("eigenfaces.npz")).unwrap();
    run(folder.path(), ["enroll", "learn", "--framing", "as-is"]).done();
    let whole = rank_1();
    println!("pasted scenes: rank-1 {found:.2}, as they are {whole:.2}");
    assert!(found >= 0.95 && found > whole + 0.1, "{found} {whole}");
}

/// The share of photos in FOLDER/probes whose widest face is nearest to the person of their folder.
fn rank_1(folder: &Path, probes: &str) -> f64 {
    let found = run(folder, ["identify", probes, "--format", "json"]).done();
    let right = found.stdout.lines().filter(|line| {
        let object: Value = serde_json::from_str(line).unwrap();
        let width = |face: &&Value| face["box"][2].as_f64().unwrap_or(0.0);
        let faces = object["faces"].as_array().unwrap().iter();
        let widest = faces.max_by(|a, b| width(a).total_cmp(&width(b)));
        let closest = widest.and_then(|face| face["candidates"][0]["person"].as_str());
        let photo = Path::new(object["photo"].as_str().unwrap());
        closest.map(Path::new) == photo.parent().unwrap().file_name().map(Path::new)
    });
    right.count() as f64 / found.stdout.lines().count() as f64
}

#[test]
fn every_face_of_a_group_is_said() {
    let folder = scratch();
    let group = text(group_photo());
    let args = |format: &'static str| ["identify", group, "-m", aligned(), "--format", format];
    let said = run(folder.path(), args("text")).done().stdout;
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 3, "{said}");
    for (number, (line, who)) in (1..).zip(lines.iter().zip(["Ada (", "unknown (", "Farid ("])) {
        let begin = format!("{group}, face {number} of 3: {who}");
        assert!(line.starts_with(&begin), "{line}");
    }

    let json = run(folder.path(), args("json")).done().stdout;
    let object: Value = serde_json::from_str(&json).unwrap();
    let faces = object["faces"].as_array().unwrap();
    assert_eq!(faces.len(), 3);
    let mut from_left = 0.0;
    for face in faces {
        let bounds: Vec<f64> = numbers(&face["box"]);
        let (left, right) = (numbers(&face["eyes"][0]), numbers(&face["eyes"][1]));
        assert!(from_left < bounds[0] && left[0] < right[0], "{face}");
        let inside = |eye: &[f64]| {
            (bounds[0]..bounds[0] + bounds[2]).contains(&eye[0]) && (bounds[1]..bounds[1] + bounds[3]).contains(&eye[1])
        };
        assert!(inside(&left) && inside(&right), "{face}");
        from_left = bounds[0];
    }

    let csv = run(folder.path(), args("csv")).done().stdout;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    for (number, row) in (1..).zip(reader.records().map(Result::unwrap)) {
        assert_eq!(row[1], number.to_string());
        assert!((2..6).all(|at| row[at].parse::<f64>().is_ok()), "{row:?}");
    }
}

fn numbers(array: &Value) -> Vec<f64> {
    let values = array.as_array().unwrap().iter();
    values.map(|value| value.as_f64().unwrap()).collect()
}

#[test]
fn a_probe_without_a_face_is_an_answer_not_an_error() {
    let folder = scratch();
    paste_scenes(&folder.path().join("scenes"), 3, 1..4);
    let scenes = ["scenes", "-m", "scenes.npz", "--framing", "detect"];
    run(folder.path(), ["enroll"].iter().chain(&scenes)).done();
    // Small pictures of a face's shape may be crops of faces; this is none.
    let vase = folder.path().join("vase.png");
    picture(&vase, 320, 200, 7);
    let identify = |model: &str, format: &str| {
        let args = ["identify", text(&vase), "-m", model, "--format", format];
        run(folder.path(), args).done().stdout
    };
    let said = identify("scenes.npz", "text");
    assert_eq!(said.trim(), format!("{}: no face found", vase.display()));
    let json: Value = serde_json::from_str(&identify("scenes.npz", "json")).unwrap();
    assert_eq!(json["faces"], Value::Array(Vec::new()));
    let csv = identify("scenes.npz", "csv");
    assert!(csv.trim().ends_with(",,,,,,no-face-found,,,,,,"), "{csv}");

    let vase = probes().join("not-a-face.png");
    let identify = |model: &str, format: &str| {
        let args = ["identify", text(&vase), "-m", model, "--format", format];
        run(folder.path(), args).done().stdout
    };
    let said = identify(aligned(), "text");
    assert_eq!(said.trim(), format!("{}: not a face", vase.display()));
    let json: Value = serde_json::from_str(&identify(aligned(), "json")).unwrap();
    assert_eq!(json["faces"][0]["box"], Value::Null);
    assert_eq!(json["faces"][0]["decision"], "not-a-face");
}

#[test]
fn gallery_photos_without_a_face_are_skipped_and_crowded_ones_are_used() {
    let folder = scratch();
    paste_scenes(&folder.path().join("faces"), 3, 1..3);
    picture(&folder.path().join("faces/Ada/wall.png"), 320, 160, 5);
    fs::copy(group_photo(), folder.path().join("faces/Boris/group.png")).unwrap();
    let said = run(folder.path(), ["enroll", "faces", "--framing", "detect"]);
    let words = ["wall.png: no face was found", "--framing as-is", "1 photo shows several faces"];
    said.ended(3, &words);
    assert!(said.stderr.contains("enrolled 7 faces of 3 people"), "{}", said.stderr);
}

#[test]
fn a_gallery_without_any_face_is_refused_with_the_remedy() {
    let folder = scratch();
    for (name, seed) in [("Ada", 1), ("Boris", 2)] {
        picture(&folder.path().join(format!("faces/{name}/1.png")), 120, 120, seed);
    }
    run(folder.path(), ["enroll", "faces", "--framing", "detect"])
        .failed_saying(&["--framing as-is", "no face was found in 2 of 2 photos"]);
    assert!(!folder.path().join("eigenfaces.npz").exists());
}

/// A small picture in which no face is found stays, whatever photos come and go beside it.
#[test]
fn a_face_that_is_not_found_stays_enrolled() {
    let folder = scratch();
    let faces = folder.path().join("faces");
    for (person, count) in [("Ada", 4), ("Boris", 4)] {
        fs::create_dir_all(faces.join(person)).unwrap();
        for photo in 1..=count {
            let name = format!("{person}/{photo}.png");
            fs::copy(bundled_faces().join(&name), faces.join(&name)).unwrap();
        }
    }
    picture(&faces.join("Boris/blurred.png"), 96, 112, 3);
    run(folder.path(), ["enroll", "faces"]).done();
    let stays = || {
        let listed = run(folder.path(), ["people", "list"]).done().stdout;
        assert!(listed.contains("Boris (5 faces)"), "{listed}");
    };
    stays();
    for face in ["1", "2", "3"] {
        let group = text(group_photo());
        run(folder.path(), ["people", "add", "Farid", group, "--face", face]).done();
        stays();
    }
    run(folder.path(), ["people", "undo", "--yes"]).done();
    stays();
}

#[test]
fn a_models_framing_cannot_be_changed() {
    let folder = scratch();
    let scenes = folder.path().join("scenes");
    paste_scenes(&scenes, 1, 8..9);
    let model = folder.path().join("eigenfaces.npz");
    fs::copy(aligned(), &model).unwrap();
    run(folder.path(), ["enroll", "scenes", "--framing", "as-is"]).failed_saying(&[
        "eigenfaces.npz",
        "'detect'",
        "'as-is'",
        "--model",
    ]);
    // A probe is treated like the gallery, whatever the user may want.
    run(folder.path(), ["identify", "scenes", "--framing", "detect"]).ended(2, &["--framing"]);
    // The model's own framing may be named, or left to it.
    for framing in ["detect", "auto"] {
        run(folder.path(), ["enroll", "scenes", "--framing", framing]).done();
    }
    assert_eq!(framing_of(folder.path()), "detect");
    run(folder.path(), ["enroll", "scenes", "--framing", "crop"]).ended(2, &["--framing", "as-is"]);
}

#[test]
fn threads_change_no_bit_of_what_was_found() {
    let folder = scratch();
    paste_scenes(&folder.path().join("faces"), 3, 1..4);
    let model = |threads: &'static str| {
        let name = format!("{threads}.npz");
        run(folder.path(), ["enroll", "faces", "-m", &name, "--threads", threads]).done();
        fs::read(folder.path().join(name)).unwrap()
    };
    assert!(model("1") == model("3"));
}

#[test]
fn yale_every_face_is_found() {
    let Some(yale) = real_data("yale") else { return };
    let folder = scratch();
    let said = run(folder.path(), ["enroll", text(&yale)]).done();
    let words = "enrolled 155 faces of 15 people, 9 photos were there twice";
    assert!(said.stderr.contains("aligned by the eyes"), "{}", said.stderr);
    assert!(said.stderr.contains(words), "{}", said.stderr);
}

/// Ten photos a person to learn from, three to be named.
#[test]
fn lfw_aligned_faces_are_recognised_where_whole_photos_are_not() {
    let Some(lfw) = real_data("lfw") else { return };
    let folder = scratch();
    for person in fs::read_dir(lfw).unwrap().map(|entry| entry.unwrap().path()) {
        let mut photos: Vec<_> = fs::read_dir(&person).unwrap().map(|entry| entry.unwrap().path()).collect();
        photos.sort();
        for (at, photo) in photos.iter().enumerate().take(13) {
            let to = folder.path().join(if at < 10 { "learn" } else { "probes" });
            let to = to.join(person.file_name().unwrap());
            fs::create_dir_all(&to).unwrap();
            fs::copy(photo, to.join(photo.file_name().unwrap())).unwrap();
        }
    }
    let rank_1 = |framing: &str| {
        let _ = fs::remove_file(folder.path().join("eigenfaces.npz"));
        let said = run(folder.path(), ["enroll", "learn", "--framing", framing]);
        assert!(matches!(said.code, 0 | 3), "{}", said.stderr);
        rank_1(folder.path(), "probes")
    };
    let (found, whole) = (rank_1("auto"), rank_1("as-is"));
    println!("LFW, first:10: rank-1 {found:.3}, as they are {whole:.3}");
    assert!(found >= 0.85 && found >= 1.5 * whole, "{found} {whole}");
}
