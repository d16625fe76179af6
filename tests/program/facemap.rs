//! `eigenfaces facemap`, run as a user would.

use serde_json::Value;

use crate::support::{bundled_faces, group_photo, scratch};
use crate::{picture, run};

#[test]
fn faces_of_a_group_photo_are_dark_in_its_map() {
    let folder = scratch();
    let faces = bundled_faces().to_str().unwrap();
    let photo = group_photo().to_str().unwrap();
    run(folder.path(), ["enroll", faces, "--framing", "detect"]).done();
    let args = ["facemap", photo, "-o", "map.png", "--force", "--top", "3"];
    let found = run(folder.path(), args.iter().chain(&["--format", "json"])).done();
    let object: Value = serde_json::from_str(&found.stdout).unwrap();
    let minima = object["minima"].as_array().unwrap();
    assert_eq!(minima.len(), 3, "{object}");
    let size = image::image_dimensions(photo).unwrap();
    // A third of the photo is a person: each has one of the best places.
    let mut thirds: Vec<u32> = minima
        .iter()
        .map(|minimum| {
            let edge = |at: usize| minimum["box"][at].as_f64().unwrap();
            (edge(0) + edge(2) / 2.0) as u32 * 3 / size.0
        })
        .collect();
    thirds.sort_unstable();
    assert_eq!(thirds, [0, 1, 2], "{object}");
    let page = image::image_dimensions(folder.path().join("map.png")).unwrap();
    assert!(page.0 > size.0 && page.1 > size.1, "with a title and a scale");
    let text = run(folder.path(), ["facemap", photo, "-o", "text.png"]).done();
    assert!(text.stdout.contains("unlikeliness"), "{}", text.stdout);
    let csv = run(folder.path(), args.iter().chain(&["--format", "csv"])).done();
    assert_eq!(csv.stdout.lines().count(), 4, "{}", csv.stdout);
}

#[test]
fn wrong_use_is_said_in_a_line() {
    let folder = scratch();
    let faces = bundled_faces().to_str().unwrap();
    let photo = group_photo().to_str().unwrap();
    run(folder.path(), ["facemap", photo, "-o", "map.png"]).failed_saying(&["enroll FOLDER"]);
    run(folder.path(), ["enroll", faces]).done();
    picture(&folder.path().join("small.png"), 20, 20, 1);
    std::fs::write(folder.path().join("text.jpg"), "no picture").unwrap();
    let small = ["facemap", "small.png", "-o", "map.png"];
    run(folder.path(), small).failed_saying(&["small.png", "20x20", "too few"]);
    let text = ["facemap", "text.jpg", "-o", "map.png"];
    run(folder.path(), text).failed_saying(&["text.jpg", "not an image"]);
    let missing = ["facemap", "missing.png", "-o", "map.png"];
    run(folder.path(), missing).failed_saying(&["missing.png", "no such file"]);
    let nowhere = ["facemap", photo, "-o", "nowhere/map.png"];
    run(folder.path(), nowhere).failed_saying(&["nowhere"]);
    assert!(!folder.path().join("map.png").exists());
    run(folder.path(), ["facemap", photo]).ended(2, &["--output"]);
}
