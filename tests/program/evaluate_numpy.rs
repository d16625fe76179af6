//! NumPy makes the figures again from `--scores`, and every field of JSON is documented.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{bundled_faces, project, real_data, scratch};
use crate::{run, text};

/// Makes the figures of an evaluation again; says how many numbers agreed.
fn remade(faces: &Path, more: &[&str]) {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_numpy = Command::new(&python).args(["-c", "import numpy"]).output();
    if !has_numpy.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no {python} with numpy");
        return;
    }
    let folder = scratch();
    let asked = ["evaluate", text(faces), "-q", "--format", "json", "--scores", "s.csv"];
    let told = run(folder.path(), [&asked[..], more].concat()).done();
    std::fs::write(folder.path().join("e.json"), &told.stdout).unwrap();
    let output = Command::new(&python)
        .arg(project().join("tests/reference/figures.py"))
        .args(["s.csv", "e.json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("agreed on "), "{said}{wrong}");
}

#[test]
fn numpy_makes_the_figures_again() {
    remade(bundled_faces(), &["--protocol", "first:4"]);
    let classic = ["--background", "none", "--size", "24x28", "--protocol", "random:2x3"];
    remade(bundled_faces(), &classic);
    if let Some(att) = real_data("att") {
        let options = ["--framing", "as-is", "--size", "24x28", "--protocol", "k-fold:2"];
        remade(&att, &[&options[..], &["--background", "none"]].concat());
    }
}

/// Names of fields at every depth; those that depend on names of groups or on ranks are as the page has them.
fn fields(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                found.insert(name.clone());
                fields(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| fields(item, found)),
        _ => {}
    }
}

/// What follows a rate's name, in fields that stand beside it.
const BESIDE: [&str; 4] = ["_interval", "_interval_method", "_wilson", "_standard_deviation"];

#[test]
fn every_field_is_documented() {
    let folder = scratch();
    crate::evaluate::write_groups(folder.path(), |name, _| (name.len() % 2).to_string());
    let quick = ["--background", "none", "--size", "24x28", "--protocol", "random:4x2"];
    let asked = ["evaluate", text(bundled_faces()), "--format", "json", "--labels", "g.csv"];
    let photos = run(folder.path(), [&asked[..], &quick].concat()).done();
    let mut found = BTreeSet::new();
    fields(&serde_json::from_str(&photos.stdout).unwrap(), &mut found);
    let page = std::fs::read_to_string(project().join("docs/EVALUATION.md")).unwrap();
    let words: BTreeSet<&str> = page.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect();
    let is_rank = |name: &str| name.strip_prefix("rank").is_some_and(|rank| rank.parse::<u32>().is_ok());
    let documented = |name: &str| words.contains(name) || is_rank(name);
    let missing: Vec<&String> = found
        .iter()
        .filter(|name| {
            let rate = BESIDE.iter().filter_map(|beside| name.strip_suffix(beside));
            !documented(name) && !rate.into_iter().any(documented)
        })
        .collect();
    assert!(found.len() > 80, "only {} fields", found.len());
    assert!(missing.is_empty(), "docs/EVALUATION.md lacks {missing:?}");
}
