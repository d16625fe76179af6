//! `plan`, `partial`, `merge` and `enroll --basis`, as workers and their master would use them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::{bundled_faces, photo_of_ada, scratch};
use crate::{Run, picture, program, run};

/// The photos of some of the bundled people, by their number in order.
fn photos(people: std::ops::Range<usize>) -> Vec<PathBuf> {
    let entries = |folder: &Path| {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        paths
    };
    let folders = entries(bundled_faces());
    folders[people]
        .iter()
        .flat_map(|folder| entries(folder))
        .collect()
}

fn list(photos: &[PathBuf]) -> String {
    photos
        .iter()
        .map(|photo| format!("{}\n", photo.display()))
        .collect()
}

/// Runs the program with that on its standard input.
fn run_with_input(folder: &Path, args: &[&str], input: &[u8]) -> Run {
    let mut child = program(folder)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Whoever ends early closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(input);
    Run::of(child.wait_with_output().unwrap())
}

fn planned(options: &[&str]) -> tempfile::TempDir {
    let folder = scratch();
    let faces = bundled_faces().to_str().unwrap();
    let args = [&["plan", faces, "-o", "plan.json"], options].concat();
    run(folder.path(), args).done();
    folder
}

fn same_bytes(folder: &Path, first: &str, second: &str) -> bool {
    std::fs::read(folder.join(first)).unwrap() == std::fs::read(folder.join(second)).unwrap()
}

#[test]
fn workers_learn_what_one_process_learns() {
    let folder = planned(&["--size", "32x36"]);
    let at = folder.path();
    let all = bundled_faces().to_str().unwrap();
    run(at, ["partial", all, "--plan", "plan.json", "-o", "all.npz"]).done();
    run(at, ["merge", "all.npz", "-o", "one.npz"]).done();

    // A list in a file, a list on standard input, the photos themselves on standard input.
    std::fs::write(at.join("first.txt"), list(&photos(0..4))).unwrap();
    let partial = ["partial", "first.txt", "--plan", "plan.json", "-o", "1.npz"];
    run(at, partial).done();
    let partial = [
        "partial",
        "-",
        "--plan",
        "plan.json",
        "-o",
        "2.npz",
        "--threads",
        "1",
    ];
    run_with_input(at, &partial, list(&photos(4..9)).as_bytes()).done();
    let mut sent = Vec::new();
    for photo in photos(9..14) {
        let bytes = std::fs::read(photo).unwrap();
        sent.extend((bytes.len() as u32).to_be_bytes());
        sent.extend(bytes);
    }
    let partial = [
        "partial",
        "-",
        "--bytes",
        "--plan",
        "plan.json",
        "-o",
        "3.npz",
    ];
    run_with_input(at, &partial, &sent).done();
    let partial = ["partial", "-", "--plan", "plan.json", "-o", "4.npz"];
    run_with_input(at, &partial, b"").done();

    run(at, ["merge", "--partial", "3.npz", "1.npz", "-o", "31.npz"]).done();
    run(
        at,
        [
            "merge",
            "--partial",
            "31.npz",
            "4.npz",
            "2.npz",
            "-o",
            "3142.npz",
        ],
    )
    .done();
    let said = run(at, ["merge", "3142.npz", "-o", "split.npz"]).done();
    said.ended(
        0,
        &[
            "merged 1 part of 112 faces",
            "eigenfaces enroll FACES --basis split.npz",
        ],
    );
    run(
        at,
        [
            "merge", "2.npz", "4.npz", "1.npz", "3.npz", "-o", "flat.npz",
        ],
    )
    .done();
    assert!(same_bytes(at, "one.npz", "split.npz"));
    assert!(same_bytes(at, "one.npz", "flat.npz"));

    let about = run(at, ["info", "-m", "one.npz"]).done().stdout;
    assert!(
        about.contains("nobody is enrolled") && about.contains("features texture"),
        "{about}"
    );
    let about = run(at, ["info", "-m", "3142.npz", "--format", "json"])
        .done()
        .stdout;
    assert!(
        about.contains("\"workers\":3") && about.contains("\"faces\":112"),
        "{about}"
    );

    let enroll = ["enroll", all, "--basis", "split.npz", "-m", "gallery.npz"];
    run(at, enroll)
        .done()
        .ended(0, &["the basis is kept", "enrolled 112 faces of 14 people"]);
    let ada = photo_of_ada().to_str().unwrap();
    let who = run(at, ["identify", ada, "-m", "gallery.npz"])
        .done()
        .stdout;
    assert!(who.contains(": Ada ("), "{who}");
}

#[test]
fn the_basis_is_the_one_that_basis_faces_streams() {
    let folder = planned(&["--size", "8x9", "--features", "pixels", "--mirrors", "no"]);
    let at = folder.path();
    let all = bundled_faces().to_str().unwrap();
    for (name, people) in [("a", 0..5), ("b", 5..14)] {
        std::fs::write(at.join(format!("{name}.lst")), list(&photos(people))).unwrap();
        let (list, part) = (format!("{name}.lst"), format!("{name}.npz"));
        run(at, ["partial", &list, "--plan", "plan.json", "-o", &part]).done();
    }
    run(at, ["merge", "b.npz", "a.npz", "-o", "basis.npz"]).done();
    run(at, ["basis", "-m", "basis.npz", "-o", "merged"]).done();
    run(
        at,
        ["basis", "--faces", all, "--size", "8x9", "-o", "streamed"],
    )
    .done();
    for file in ["spectrum.csv", "mean.png", "basis-001.png", "sheet.png"] {
        assert!(
            same_bytes(at, &format!("merged/{file}"), &format!("streamed/{file}")),
            "{file}"
        );
    }
}

#[test]
fn unreadable_photos_are_named_and_counted() {
    let folder = planned(&["--size", "32x36", "--features", "pixels", "--mirrors", "no"]);
    let at = folder.path();
    picture(&at.join("good.png"), 40, 40, 1);
    std::fs::write(at.join("bad.png"), "no picture").unwrap();
    let paths = "good.png\nbad.png\ngone.png\n";
    let partial = ["partial", "-", "--plan", "plan.json", "-o", "part.npz"];
    let said = run_with_input(at, &partial, paths.as_bytes());
    said.ended(
        3,
        &[
            "skipped bad.png",
            "skipped gone.png",
            "1 face, 2 photos skipped",
        ],
    );
    let sent = b"\0\0\0\x03abc";
    let partial = [
        "partial",
        "-",
        "--bytes",
        "--plan",
        "plan.json",
        "-o",
        "none.npz",
    ];
    let said = run_with_input(at, &partial, sent);
    said.ended(
        3,
        &[
            "skipped photo 1 of standard input",
            "0 faces, 1 photo skipped",
        ],
    );
    run(
        at,
        [
            "merge",
            "--partial",
            "part.npz",
            "none.npz",
            "-o",
            "both.npz",
        ],
    )
    .done()
    .ended(0, &["1 face, 3 photos skipped"]);
    run(at, ["merge", "both.npz", "-o", "basis.npz"]).failed_saying(&["2 different faces"]);
    assert!(!at.join("basis.npz").exists());
}

#[test]
fn wrong_uses_are_told_in_a_line() {
    let folder = planned(&["--size", "32x36", "--features", "pixels", "--mirrors", "no"]);
    let at = folder.path();
    let faces = bundled_faces().join("Ada");
    let faces = faces.to_str().unwrap();
    run(at, ["partial", faces, "--plan", "plan.json", "-o", "a.npz"]).done();
    let other = [
        "plan",
        faces,
        "-o",
        "other.json",
        "--features",
        "pixels",
        "--mirrors",
        "no",
        "--size",
        "30x36",
    ];
    run(at, other).done();
    run(
        at,
        ["partial", faces, "--plan", "other.json", "-o", "o.npz"],
    )
    .done();
    run(at, ["merge", "a.npz", "-o", "basis.npz"]).done();

    let failed = |args: &[&str], words: &[&str]| {
        run(at, args).failed_saying(words);
    };
    failed(
        &["merge", "a.npz", "o.npz", "-o", "x.npz"],
        &["a.npz and o.npz", "size: 32x36 and 30x36"],
    );
    failed(
        &["merge", "a.npz", "a.npz", "-o", "x.npz"],
        &["a.npz and a.npz", "given twice"],
    );
    failed(
        &["merge", "basis.npz", "-o", "x.npz"],
        &["basis.npz: is a basis", "name the parts"],
    );
    failed(
        &["merge", "plan.json", "-o", "x.npz"],
        &["plan.json: is not a model file"],
    );
    failed(
        &["merge", "a.npz", "-o", "gone/x.npz"],
        &["gone does not exist"],
    );
    failed(
        &["identify", faces, "-m", "basis.npz"],
        &["nobody enrolled", "enroll --basis"],
    );
    failed(
        &["identify", faces, "-m", "a.npz"],
        &["a.npz: is a worker's part", "merge"],
    );
    failed(
        &["enroll", faces, "--basis", "a.npz"],
        &["a.npz: is a worker's part"],
    );
    failed(
        &["enroll", faces, "--basis", "basis.npz", "--size", "8x9"],
        &["basis.npz", "32x36", "8x9"],
    );
    failed(
        &["partial", faces, "--plan", "a.npz", "-o", "x.npz"],
        &["a.npz: is not a plan"],
    );
    failed(
        &["partial", faces, "--plan", "none", "-o", "x.npz"],
        &["none: no such file"],
    );
    failed(
        &["partial", "gone.txt", "--plan", "plan.json", "-o", "x.npz"],
        &["gone.txt"],
    );
    failed(
        &["plan", faces, "-o", "p.json", "--components", "parallel"],
        &["parallel"],
    );
    failed(
        &["plan", faces, "-o", "p.json", "--size", "200x200"],
        &["smaller faces"],
    );

    let usage = |args: &[&str], words: &[&str]| run(at, args).ended(2, words);
    usage(
        &[
            "partial",
            faces,
            "--bytes",
            "--plan",
            "plan.json",
            "-o",
            "x.npz",
        ],
        &["give `-`"],
    );
    usage(
        &["partial", "-", "-", "--plan", "plan.json", "-o", "x.npz"],
        &["there twice"],
    );
    usage(
        &["plan", faces, "-o", "p.json", "--mirrors", "maybe"],
        &["yes or no"],
    );
    for (option, value) in [("--components", "3"), ("--background", "bundled")] {
        usage(
            &["enroll", faces, "--basis", "basis.npz", option, value],
            &[option],
        );
    }

    let text = std::fs::read_to_string(at.join("plan.json")).unwrap();
    let version = format!("\"{}\"", env!("CARGO_PKG_VERSION"));
    std::fs::write(at.join("old.json"), text.replace(&version, "\"0.0.7\"")).unwrap();
    failed(
        &["partial", faces, "--plan", "old.json", "-o", "x.npz"],
        &["old.json", "0.0.7"],
    );
    let cut = run_with_input(
        at,
        &[
            "partial",
            "-",
            "--bytes",
            "--plan",
            "plan.json",
            "-o",
            "x.npz",
        ],
        b"\0\0\xff\xffabc",
    );
    cut.failed_saying(&["photo 1 is cut short (3 of 65535 bytes came)"]);
    assert!(!at.join("x.npz").exists());

    run(at, ["enroll", faces, "--basis", "basis.npz", "-m", "g.npz"]).done();
    failed(
        &["enroll", faces, "--basis", "basis.npz", "-m", "g.npz"],
        &["g.npz: is there already"],
    );
}
