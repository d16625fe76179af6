//! `project`: tables of weights, whitening, scatter plots.

use serde_json::Value;

use crate::support::{bundled_faces, group_photo, photo_of_ada, scratch};
use crate::{enrolled, run, text};

fn enrolled_with(options: &[&str]) -> tempfile::TempDir {
    let folder = scratch();
    let args = ["enroll", text(bundled_faces()), "-q"];
    run(folder.path(), args.iter().chain(options)).done();
    folder
}

/// The weights in a CSV table, a row a face.
fn weights(csv: &str) -> Vec<Vec<f64>> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    reader
        .records()
        .map(|record| record.unwrap().iter().skip(3).map(|number| number.parse().unwrap()).collect())
        .collect()
}

#[test]
fn all_forms_hold_the_same_numbers() {
    let folder = enrolled();
    let ada = text(photo_of_ada());
    let csv = run(folder.path(), ["project", ada, "--format", "csv"]).done().stdout;
    assert!(csv.starts_with("photo,face,person,w1,w2,"));
    let csv = weights(&csv).remove(0);
    let json = run(folder.path(), ["project", ada, "--format", "json"]).done().stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((json["photo"].as_str(), json["face"].as_u64()), (Some(ada), Some(1)));
    assert!(json["person"].is_null());
    assert_eq!(json["schema"], 1);
    let list: Vec<f64> = serde_json::from_value(json["weights"].clone()).unwrap();
    let same = csv.iter().zip(&list).all(|(a, b)| (a - b).abs() <= 1e-6 * a.abs());
    assert!(same && csv.len() == list.len());

    let said = run(folder.path(), ["project", ada, "-o", "w.npy"]).done();
    assert!(said.stdout.is_empty() && said.stderr.contains("1 face"));
    let file = std::fs::read(folder.path().join("w.npy")).unwrap();
    let (shape, numbers) = eigenfaces::store::read_npy(&file).unwrap();
    assert_eq!(shape, [1, csv.len()]);
    assert!(csv.iter().zip(&numbers).all(|(a, b)| (a - b).abs() <= 1e-6 * a.abs()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let about = std::fs::metadata(folder.path().join("w.npy")).unwrap();
        assert_eq!(about.permissions().mode() & 0o077, 0, "weights are biometric data");
    }
    let line = run(folder.path(), ["project", ada]).done().stdout;
    assert!(line.contains(&format!("{:.1}", csv[0])) && line.contains("weights)"), "{line}");
}

#[test]
fn whitened_weights_of_the_gallery_have_covariance_one() {
    let folder = enrolled_with(&["--components", "12"]);
    let args = ["project", "--gallery", "--whiten", "--format", "csv"];
    let csv = run(folder.path(), args).done().stdout;
    assert!(csv.starts_with("photo,face,person,z1,"));
    let rows = weights(&csv);
    assert_eq!(rows.len(), 112);
    for i in 0..12 {
        for j in 0..12 {
            let sum: f64 = rows.iter().map(|row| row[i] * row[j]).sum();
            let covariance = sum / (rows.len() as f64 - 1.0);
            let expected = f64::from(u8::from(i == j));
            assert!((covariance - expected).abs() < 1e-4, "({i}, {j}): {covariance}");
        }
    }
}

#[test]
fn plots_show_people_and_photos() {
    let folder = enrolled();
    let ada = text(photo_of_ada());
    for (plot, options) in [("flat.svg", &[][..]), ("whitened.svg", &["--whiten"])] {
        let args = ["project", ada, "--plot", plot, "--quiet"];
        run(folder.path(), args.iter().chain(options)).done();
        let svg = std::fs::read_to_string(folder.path().join(plot)).unwrap();
        for words in [">Ada<", ">Noah<", ">ada<", "% of the variance", "basis face 2"] {
            assert!(svg.contains(words), "{plot}: {words}");
        }
    }
    let only = run(folder.path(), ["project", "--plot", "p.png"]).done();
    assert!(only.stdout.is_empty(), "a plot alone prints no table");
    let picture = image::open(folder.path().join("p.png")).unwrap().into_rgb8();
    let colored = picture.pixels().filter(|p| p.0.iter().max().unwrap() - p.0.iter().min().unwrap() > 60);
    assert!(colored.count() > 500);
}

#[test]
fn every_face_of_a_photo_is_projected() {
    let folder = enrolled_with(&["--framing", "detect"]);
    let csv = run(folder.path(), ["project", text(group_photo()), "--format", "csv"]).done().stdout;
    let faces: Vec<_> = csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!(faces, ["1", "2", "3"]);
}

#[test]
fn what_is_wrong_is_said() {
    let folder = enrolled();
    let ada = text(photo_of_ada());
    let usage = |args: &[&str], words: &[&str]| run(folder.path(), args).ended(2, words);
    usage(&["project"], &["PHOTO"]);
    usage(&["project", ada, "-o", "w.xls"], &[".npy"]);
    usage(&["project", ada, "--plot", "p.jpg"], &[".svg"]);
    usage(&["identify", ada, "--format", "npy"], &["npy", "json"]);
    run(folder.path(), ["project", "gone.png"]).failed_saying(&["gone.png"]);
    std::fs::write(folder.path().join("text.jpg"), "hello").unwrap();
    run(folder.path(), ["project", "text.jpg"]).failed_saying(&["text.jpg", "not an image"]);
    let some = run(folder.path(), ["project", "text.jpg", ada, "--format", "csv"]);
    some.ended(3, &["text.jpg"]);
    assert_eq!(some.stdout.lines().count(), 2);
}
