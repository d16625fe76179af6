//! Faces that the program does not find, and a person shows.

use std::path::Path;

use image::{GrayImage, Luma, imageops};
use serde_json::Value;

use crate::run;
use crate::support::{bundled_faces, probes, scratch};

/// Where the face that is too dark to be found lies in [`scene`].
const DARK: &str = "300,60,92,106";
/// Where nothing is.
const NOTHING: &str = "10,10,80,90";

/// A photo of Boris, and of Ada in the dark.
fn scene(file: &Path, people: &[(&str, i64)]) {
    let mut scene = GrayImage::from_pixel(480, 240, Luma([8]));
    for (photo, left) in people {
        let mut face = image::open(probes().join(photo)).unwrap().into_luma8();
        if *photo == "ada.png" {
            // Alone it is another picture than beside Boris.
            let share = 22 + people.len() as u8;
            face.iter_mut().for_each(|level| *level /= share);
        }
        imageops::replace(&mut scene, &face, *left, 50);
    }
    scene.save(file).unwrap();
}

/// What is told of the faces of a photo: their boxes and names.
fn told(folder: &Path, photo: &str, more: &[&str]) -> Vec<(f64, Value)> {
    let args = [&["identify", photo, "--format", "json"], more].concat();
    let line: Value = serde_json::from_str(&run(folder, &args).done().stdout).unwrap();
    let faces = line["faces"].as_array().unwrap().iter();
    faces.map(|face| (face["box"][0].as_f64().unwrap(), face["person"].clone())).collect()
}

#[test]
fn a_face_that_is_not_found_can_be_shown() {
    let folder = scratch();
    let at = folder.path();
    run(at, ["enroll", bundled_faces().to_str().unwrap()]).done();
    scene(&at.join("two.png"), &[("boris.png", 60), ("ada.png", 290)]);
    scene(&at.join("dark.png"), &[("ada.png", 290)]);

    assert_eq!(told(at, "two.png", &[]).len(), 1, "Boris alone is found");
    assert_eq!(told(at, "dark.png", &[]), []);
    let shown = told(at, "two.png", &["--at", DARK]);
    assert_eq!(shown.len(), 2, "{shown:?}");

    // Enrolled, it is looked at wherever the photo comes again: under another name, too.
    for photo in ["two.png", "dark.png"] {
        run(at, ["people", "add", "Zoe", photo, "--at", DARK]).done();
        std::fs::copy(at.join(photo), at.join(format!("copy of {photo}"))).unwrap();
        let faces = told(at, &format!("copy of {photo}"), &[]);
        let (left, name) = faces.last().unwrap();
        assert_eq!(name, "Zoe", "{faces:?}");
        assert!((250.0..350.0).contains(left), "{faces:?}");
        let again = run(at, ["people", "add", "Zoe", photo, "--at", DARK]);
        assert_eq!(again.code, 1, "{}", again.stderr);
        assert!(again.stderr.contains("enrolled as 'Zoe' already"), "{}", again.stderr);
    }
    // A box around a face that is found is that face.
    run(at, ["people", "add", "Boris", "two.png", "--at", "80,60,90,110"]).done();
    assert_eq!(told(at, "two.png", &[]).len(), 2);

    // The names go into the photos' files as any others.
    run(at, ["identify", "dark.png", "--write-xmp"]).done();
    let sidecar = std::fs::read_to_string(at.join("dark.png.xmp")).unwrap();
    assert!(sidecar.contains("Zoe"), "{sidecar}");

    // Taken back, and shown again: whichever number it had.
    for _ in 0..3 {
        run(at, ["people", "undo", "--yes"]).done();
    }
    assert_eq!(told(at, "dark.png", &[]), []);
    assert_eq!(told(at, "two.png", &[]).len(), 1);
    run(at, ["people", "add", "Ada", "two.png", "--at", DARK]).done();
    assert_eq!(told(at, "two.png", &[]).last().unwrap().1, "Ada");
}

#[test]
fn boxes_that_show_no_face_are_refused() {
    let folder = scratch();
    let at = folder.path();
    run(at, ["enroll", bundled_faces().to_str().unwrap()]).done();
    scene(&at.join("two.png"), &[("boris.png", 60)]);
    for wrong in ["470,10,40,40", "0,0,4,4", "0,0,481,20"] {
        let refused = run(at, ["people", "add", "Zoe", "two.png", "--at", wrong]);
        assert_eq!(refused.code, 1, "{wrong}");
        assert!(refused.stderr.contains("480x240"), "{}", refused.stderr);
    }
    let unread = run(at, ["identify", "two.png", "--at", "1,2,3"]);
    assert_eq!(unread.code, 2);
    assert!(unread.stderr.contains("X,Y,WIDTH,HEIGHT"), "{}", unread.stderr);
    // What is no face is said to be none, though it is enrolled if somebody insists.
    let nothing = run(at, ["people", "add", "Zoe", "two.png", "--at", NOTHING]).done();
    assert!(nothing.stderr.contains("does not look like a face"), "{}", nothing.stderr);
}
