//! `verify`: same, not the same, and what cannot be told.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{bundled_faces, group_photo, photo_of_ada, probes, scratch};
use crate::{enrolled, picture, run, text};

#[test]
fn a_model_that_was_named_must_be_there() {
    let folder = scratch();
    let photo = text(photo_of_ada());
    run(folder.path(), ["verify", photo, photo]).ended(0, &["no model at"]);
    run(folder.path(), ["verify", photo, photo, "-m", "typo.npz"]).ended(2, &["typo.npz", "no such model"]);
}

#[test]
fn two_photos_of_one_person_and_of_two() {
    let folder = enrolled();
    let of = |name: &str| bundled_faces().join(name);
    let (first, second, other) = (of("Ada/1.png"), of("Ada/2.png"), of("Boris/1.png"));
    let same = run(folder.path(), ["verify", text(&first), text(&second)]);
    same.ended(0, &[]);
    assert!(same.stdout.contains("the same person ("), "{}", same.stdout);
    let not = run(folder.path(), ["verify", text(&first), text(&other)]);
    not.ended(1, &[]);
    assert!(not.stdout.contains("not the same person"), "{}", not.stdout);
    // It is symmetric.
    let ask = |a: &Path, b: &Path, format: &str| {
        let run = run(folder.path(), ["verify", text(a), text(b), "--format", format]);
        assert!(run.code < 2, "{}", run.stderr);
        run.stdout
    };
    let json = |a, b| serde_json::from_str::<Value>(&ask(a, b, "json")).unwrap();
    let (there, back) = (json(&first, &second), json(&second, &first));
    assert_eq!((&there["confidence"], &there["distance"]), (&back["confidence"], &back["distance"]));
    assert_eq!((&there["decision"], &there["person"]), (&"same".into(), &Value::Null));
    assert!(json(&first, &other)["confidence"].as_f64() < there["confidence"].as_f64());
    let csv = ask(&first, &other, "csv");
    assert!(csv.starts_with("photo,other,person,decision,confidence,distance\n"));
    assert!(csv.contains(",,different,"), "{csv}");
}

#[test]
fn whatever_was_found_as_a_face_is_one() {
    let folder = scratch();
    // What one person looks like tells little of what a face looks like.
    fs::create_dir_all(folder.path().join("one")).unwrap();
    let ada = bundled_faces().join("Ada");
    for photo in fs::read_dir(ada).unwrap() {
        let photo = photo.unwrap();
        let place = folder.path().join("one/Ada").join(photo.file_name());
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::copy(photo.path(), place).unwrap();
    }
    run(folder.path(), ["enroll", "one"]).done();
    for name in ["boris.png", "farid.png", "stranger-1.png", "stranger-2.png"] {
        let photo = probes().join(name);
        let found = run(folder.path(), ["identify", text(&photo), "--format", "json"]).done();
        let found: Value = serde_json::from_str(&found.stdout).unwrap();
        let is_face = found["faces"][0]["decision"] != "not-a-face";
        let asked = run(folder.path(), ["verify", text(&photo), "--person", "Ada"]);
        let expected = if is_face { 1 } else { 2 };
        assert_eq!(asked.code, expected, "{name}: {}", asked.stderr);
    }
}

#[test]
fn a_photo_and_a_name_agree_with_identify() {
    let folder = enrolled();
    let ada = text(photo_of_ada());
    let found = run(folder.path(), ["identify", ada, "--format", "json"]).done();
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    let same = run(folder.path(), ["verify", ada, "--person", "Ada", "--format", "json"]);
    let said: Value = serde_json::from_str(&same.stdout).unwrap();
    assert_eq!(said["confidence"], found["faces"][0]["confidence"]);
    assert_eq!(said["person"], "Ada", "as it is enrolled");
    let known = found["faces"][0]["decision"] == "known";
    same.ended(i32::from(!known), &[]);
    let not = run(folder.path(), ["verify", ada, "--person", "Boris"]);
    not.ended(1, &[]);
    assert!(not.stdout.contains("not Boris"), "{}", not.stdout);
}

#[test]
fn a_threshold_overrides_the_target() {
    let folder = enrolled();
    let other = bundled_faces().join("Boris/1.png");
    let args =
        |option: &'static str, value: &'static str| ["verify", text(photo_of_ada()), text(&other), option, value];
    run(folder.path(), args("--threshold", "0")).ended(0, &[]);
    run(folder.path(), args("--threshold", "1")).ended(1, &[]);
    run(folder.path(), args("--threshold", "2")).ended(2, &["0 to 1"]);
    run(folder.path(), args("--far", "0")).ended(2, &["--far"]);
    // The same of identify.
    let identify = |options: &[&str]| {
        let stranger = probes().join("stranger-1.png");
        let args = [&["identify", text(&stranger), "--format", "csv"], options].concat();
        run(folder.path(), args)
    };
    assert!(identify(&[]).done().stdout.contains(",unknown,"));
    assert!(identify(&["--threshold", "0"]).done().stdout.contains(",known,"));
    assert!(identify(&["--threshold", "1"]).done().stdout.contains(",unknown,"));
    identify(&["--threshold", "0.9", "--far", "0.1"]).ended(2, &["--far"]);
    identify(&["--threshold", "high"]).ended(2, &["0 to 1"]);
}

#[test]
fn the_main_face_of_several_is_taken_and_said() {
    let folder = scratch();
    let faces = text(bundled_faces());
    let enroll = ["enroll", faces, "--framing", "detect", "-q"];
    run(folder.path(), enroll).done();
    let found = run(folder.path(), ["verify", text(group_photo()), "--person", "Ada"]);
    assert!(found.code < 2 && found.stderr.contains("3 faces"), "{}", found.stderr);
}

#[test]
fn trouble_is_neither_yes_nor_no() {
    let folder = enrolled();
    let ada = text(photo_of_ada());
    let vase = probes().join("not-a-face.png");
    let trouble = |args: &[&str], words: &[&str]| {
        let args = [&["verify"], args].concat();
        let run = run(folder.path(), args);
        run.ended(2, words);
        assert!(run.stdout.is_empty());
    };
    trouble(&[], &["PHOTO"]);
    trouble(&[ada], &["<PHOTO>"]);
    trouble(&[ada, ada, "--person", "Ada"], &["--person"]);
    trouble(&[ada, "gone.png"], &["gone.png", "no such file"]);
    trouble(&[ada, "Boris"], &["Boris", "no such file", "--person"]);
    trouble(&[ada, text(&vase)], &["not-a-face.png", "does not look like a face"]);
    trouble(&[text(&vase), "--person", "Ada"], &["does not look like a face"]);
    trouble(&[ada, "--person", "Ad"], &["Ad", "did you mean 'Ada'"]);
    trouble(&[ada, "--person", "Zoe"], &["Zoe"]);
    trouble(&[ada, "--person", "Ada", "-m", "none.npz"], &["none.npz"]);
    std::fs::write(folder.path().join("text.jpg"), "hello").unwrap();
    trouble(&[ada, "text.jpg"], &["text.jpg", "not an image"]);

    let few = scratch();
    for (person, seed) in [("A", 1), ("A", 2), ("B", 3), ("B", 4)] {
        picture(&few.path().join(format!("faces/{person}/{seed}.png")), 40, 48, seed);
    }
    let photo = "faces/A/1.png";
    let verify = |other: &str, background: &str| {
        let enroll = ["enroll", "faces", "--framing", "as-is", "-q"];
        let how = ["--background", background, "-m", background];
        run(few.path(), enroll.iter().chain(&how)).done();
        run(few.path(), ["verify", photo, other, "-m", background])
    };
    verify(photo, "none").ended(2, &["too few people"]);
    // The background model knows people enough; a photo and itself show the same person.
    verify(photo, "bundled").ended(0, &[]);
    // These pictures are no faces, but both are compared.
    assert!(verify("faces/B/3.png", "bundled").code < 2);
}

#[test]
fn with_two_people_enrolled_others_can_be_told_apart() {
    let folder = scratch();
    for person in ["Ada", "Boris"] {
        let to = folder.path().join("faces").join(person);
        std::fs::create_dir_all(&to).unwrap();
        for photo in ["1.png", "2.png"] {
            std::fs::copy(bundled_faces().join(person).join(photo), to.join(photo)).unwrap();
        }
    }
    run(folder.path(), ["enroll", "faces"]).done();
    let verify = |photo: &str, other: &str| {
        let (photo, other) = (bundled_faces().join(photo), bundled_faces().join(other));
        run(folder.path(), ["verify", text(&photo), text(&other)]).code
    };
    assert_eq!(verify("Chiara/1.png", "Chiara/2.png"), 0);
    assert_eq!(verify("Chiara/1.png", "Farid/1.png"), 1);
    assert_eq!(verify("Ada/1.png", "Ada/3.png"), 0);
    assert_eq!(verify("Ada/1.png", "Boris/3.png"), 1);
}
