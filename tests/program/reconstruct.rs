//! `reconstruct`: photos, strangers, weights, and what is no such thing.

use std::path::Path;

use serde_json::Value;

use crate::support::{bundled_faces, photo_of_ada, probes, scratch};
use crate::{enrolled, run, text};

fn numbers(step: &Value, field: &str) -> f64 {
    step[field].as_f64().unwrap()
}

#[test]
fn every_step_is_a_picture_with_its_error() {
    let folder = enrolled();
    let args = |format| {
        let ada = text(photo_of_ada());
        ["reconstruct", ada, "-o", "ada.png", "--force", "--format", format]
    };
    let json = run(folder.path(), args("json")).done();
    let found: Value = serde_json::from_str(&json.stdout).unwrap();
    let steps = found["steps"].as_array().unwrap();
    assert_eq!(found["reference"], "photo");
    // The mean face is kept in single precision.
    assert!(numbers(&steps[0], "explained") < 1e-6);
    assert!(steps.len() >= 6 && numbers(&steps[1], "components") == 1.0);
    for pair in steps.windows(2) {
        assert!(numbers(&pair[1], "rms") < numbers(&pair[0], "rms"));
        assert!(numbers(&pair[1], "psnr") > numbers(&pair[0], "psnr"));
    }
    let last = steps.last().unwrap();
    let (rms, psnr) = (numbers(last, "rms"), numbers(last, "psnr"));
    assert!((psnr - 20.0 * libm::log10(255.0 / rms)).abs() < 1e-9);
    // What identify calls the distance from face space is the same error.
    let identified = run(folder.path(), ["identify", args("json")[1], "--format", "json"]).done();
    let identified: Value = serde_json::from_str(&identified.stdout).unwrap();
    let residual = numbers(&identified["faces"][0], "residual");
    let info = run(folder.path(), ["info", "--format", "json"]).done();
    let info: Value = serde_json::from_str(&info.stdout).unwrap();
    let d = numbers(&info, "pixels");
    assert!((rms * d.sqrt() - residual).abs() < 1e-3 * residual);

    let csv = run(folder.path(), args("csv")).done().stdout;
    assert!(csv.starts_with("photo,face,reference,components,rms,explained,psnr\n"));
    assert_eq!(csv.lines().count(), steps.len() + 1);
    let said = run(folder.path(), args("text")).done().stdout;
    assert!(said.contains("RMS") && said.contains("explained") && said.contains("PSNR"));
    let picture = image::open(folder.path().join("ada.png")).unwrap();
    let side_by_side = (steps.len() as u32 + 1) * 108;
    assert!(picture.width() > side_by_side && picture.height() > 120);
}

#[test]
fn weights_alone_give_the_face_back() {
    let folder = enrolled();
    let ada = text(photo_of_ada());
    for (file, options) in
        [("w.csv", &[][..]), ("w.json", &[]), ("w.npy", &[]), ("z.csv", &["--whiten"]), ("z.npy", &["--whiten"])]
    {
        let project = ["project", ada, "-o", file];
        run(folder.path(), project.iter().chain(options)).done();
        let mut rebuild = vec!["reconstruct", "--from-weights", file, "-o", "w.png", "--force", "--format", "json"];
        rebuild.extend((file == "z.npy").then_some("--whiten"));
        let rebuilt = run(folder.path(), rebuild).done();
        let rebuilt: Value = serde_json::from_str(&rebuilt.stdout).unwrap();
        assert_eq!(rebuilt["reference"], "all-weights");
        let steps = rebuilt["steps"].as_array().unwrap();
        // The same distance between the mean face and the face of all weights, however they travelled.
        assert!((numbers(&steps[0], "rms") - mean_to_ada(folder.path())).abs() < 0.01, "{file}");
        assert!(numbers(steps.last().unwrap(), "rms") < 0.01);
        assert!(folder.path().join("w.png").is_file());
    }
}

/// RMS of what the basis faces add to the mean face of Ada's photo.
fn mean_to_ada(folder: &Path) -> f64 {
    let args = ["reconstruct", text(photo_of_ada()), "-o", "x.png", "--force", "--format", "json"];
    let found: Value = serde_json::from_str(&run(folder, args).done().stdout).unwrap();
    let steps = found["steps"].as_array().unwrap();
    let (first, last) = (&steps[0], steps.last().unwrap());
    (numbers(first, "rms").powi(2) - numbers(last, "rms").powi(2)).sqrt()
}

#[test]
fn strangers_are_rebuilt() {
    let stranger = probes().join("stranger-1.png");
    let faces = text(bundled_faces());
    let elsewhere = scratch();
    let args = ["reconstruct", text(&stranger), "-o", "s.png", "--faces", faces];
    run(elsewhere.path(), args).done();
}

#[test]
fn what_is_wrong_is_said() {
    let folder = enrolled();
    let fails = |args: &[&str], words: &[&str]| {
        let args = ["reconstruct", "-o", "x.png"].iter().chain(args);
        run(folder.path(), args).failed_saying(words);
        assert!(!folder.path().join("x.png").exists());
    };
    fails(&["gone.png"], &["gone.png", "no such file"]);
    std::fs::write(folder.path().join("text.jpg"), "hello").unwrap();
    fails(&["text.jpg"], &["text.jpg", "not an image"]);
    fails(&["text.jpg", "-m", "none.npz"], &["none.npz", "enroll"]);
    for (name, content, words) in [
        ("a.csv", "a,b\n1,2\n", "photo,face,person"),
        ("long.csv", &format!("photo,face,person,w1{}\nx,1,{}\n", ",w".repeat(99), ",1".repeat(100)), "100 weights"),
        ("huge.csv", "photo,face,person,w1\nx,1,,1e30\n", "no face has"),
        ("n.npy", "no array", "NumPy"),
        ("weights.txt", "1 2 3", ".npy"),
    ] {
        std::fs::write(folder.path().join(name), content).unwrap();
        fails(&["--from-weights", name], &[name, words, "eigenfaces project"]);
    }
    fails(&["--from-weights", "none.csv"], &["none.csv", "no such file"]);

    let ada = text(photo_of_ada());
    let usage = |args: &[&str], words: &[&str]| run(folder.path(), args).ended(2, words);
    usage(&["reconstruct", ada], &["--output"]);
    usage(&["reconstruct", "-o", "x.png"], &["PHOTO"]);
    usage(&["reconstruct", ada, "-o", "x.jpg"], &[".png"]);
    usage(&["reconstruct", ada, "-o", "x.png", "--from-weights", "a.csv"], &["--from-weights"]);
    usage(&["reconstruct", ada, "-o", "x.png", "--format", "npy"], &["npy", "json"]);
    usage(&["reconstruct", ada, "-o", "x.png", "--size", "20x20"], &["--size"]);
}

#[test]
fn more_than_there_is_is_said() {
    let folder = enrolled();
    let args = ["basis", "-o", "b", "--components", "9999"];
    run(folder.path(), args).ended(0, &["--components 9999", "all of which are kept"]);
}
