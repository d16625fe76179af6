//! `info --verbose`: what goes into a report of a mistake, and that it is nothing of anybody.

use std::fs;

use serde_json::Value;

use crate::{enrolled, program, run};

/// What the program says of itself, as text and as JSON, with this key in its environment.
fn said(folder: &std::path::Path, model: &str) -> (String, Value) {
    let ask = |more: &[&str]| {
        let output = program(folder)
            .args(["info", "--verbose", "--model", model])
            .args(more)
            .env("EIGENFACES_KEY", "a-key-that-nobody-may-see")
            .output()
            .unwrap();
        let run = crate::Run::of(output).done();
        assert!(run.stderr.is_empty(), "{}", run.stderr);
        run.stdout
    };
    let json = ask(&["--format", "json"]);
    (ask(&[]), serde_json::from_str(&json).unwrap())
}

#[test]
fn it_tells_of_program_machine_and_model_and_of_nobody() {
    let folder = enrolled();
    let secret = "secret-folder-of-somebody";
    fs::create_dir(folder.path().join(secret)).unwrap();
    let model = format!("{secret}/family-of-somebody.npz");
    fs::rename(folder.path().join("eigenfaces.npz"), folder.path().join(&model)).unwrap();
    let (text, object) = said(folder.path(), &model);
    assert_eq!(object["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(object["system"], std::env::consts::OS);
    assert_eq!(object["architecture"], std::env::consts::ARCH);
    assert!(object["cores"].as_u64().unwrap() >= 1);
    let features = object["features"].as_array().unwrap();
    assert_eq!(features.contains(&Value::from("serve")), cfg!(feature = "serve"));
    assert_eq!(object["model"]["people"], 14);
    assert_eq!(object["model"]["faces"], 112);
    assert_eq!(object["model"]["framing"], "detect");
    assert_eq!(object["model"]["background"], "bundled");
    for word in [
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        "14 people with 112 faces",
        "64x74 pixels",
        "framing       detect",
        "by the background model",
    ] {
        assert!(text.contains(word), "nothing of {word:?} in: {text}");
    }
    let people = run(folder.path(), ["people", "-m", &model]).done().stdout;
    let names = people.lines().map(|line| line.split(" (").next().unwrap()).chain([
        "somebody",
        "nobody-may-see",
        "faces/",
        ".png",
        ".npz",
    ]);
    for said in [text, object.to_string()] {
        for name in names.clone() {
            assert!(!said.contains(name), "{name} stands in: {said}");
        }
        let home = folder.path().to_string_lossy();
        assert!(!said.contains(&*home), "{said}");
    }
}

#[test]
fn a_model_that_is_missing_or_damaged_is_a_fact_too() {
    let folder = enrolled();
    let (text, object) = said(folder.path(), "nosuch.npz");
    assert!(object["model"].is_null());
    assert!(text.contains("there is none"), "{text}");

    let model = folder.path().join("eigenfaces.npz");
    let mut bytes = fs::read(&model).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&model, &bytes).unwrap();
    let (text, object) = said(folder.path(), "eigenfaces.npz");
    let problem = object["model"]["problem"].as_str().unwrap();
    assert!(problem.contains("damaged"), "{problem}");
    assert!(text.contains(problem), "{text}");
    assert!(!text.contains("npz"), "{text}");
}
