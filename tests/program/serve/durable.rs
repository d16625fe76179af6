//! Faces that were acknowledged are kept, however the server ended; and erased, they are gone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eigenfaces::store;

use super::client::Server;
use super::photos_of;
use crate::support::{photo_of_ada, scratch};
use crate::{Run, another, enrolled, program, run, text};

const MODEL: &str = "eigenfaces.npz";

/// The names of all faces, as clients of CompreFace have them.
pub(super) fn faces(server: &Server) -> Vec<String> {
    let path = "/api/v1/recognition/faces?size=100000";
    let all = server.ask("GET", path, b"").has(200).json();
    let all = all["faces"].as_array().unwrap().iter();
    all.map(|face| face["image_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_last_face_of_a_linked_model_is_gone_for_good() {
    let folder = scratch();
    fs::create_dir(folder.path().join("real")).unwrap();
    let real = folder.path().join("real/m.npz");
    fs::copy(enrolled().path().join(MODEL), &real).unwrap();
    std::os::unix::fs::symlink(&real, folder.path().join(MODEL)).unwrap();
    let server = Server::start(folder.path());
    server.ask("DELETE", "/api/v1/recognition/subjects", b"").has(200);
    server.end();
    assert_eq!(files(folder.path()), Vec::<PathBuf>::new());
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// A folder with a few people enrolled.
pub(super) fn few_enrolled() -> tempfile::TempDir {
    static MODEL: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    let folder = scratch();
    let model = folder.path().join("eigenfaces.npz");
    let bytes = MODEL.get_or_init(|| {
        for person in ["Ada", "Boris"] {
            let photos = folder.path().join("few").join(person);
            fs::create_dir_all(&photos).unwrap();
            for (number, photo) in photos_of(person).iter().take(3).enumerate() {
                fs::write(photos.join(format!("{number}.png")), photo).unwrap();
            }
        }
        run(folder.path(), ["enroll", "few"]).done();
        fs::read(&model).unwrap()
    });
    fs::write(&model, bytes).unwrap();
    folder
}

pub(super) fn rounds(name: &str, usual: usize) -> usize {
    std::env::var(name).map_or(usual, |rounds| rounds.parse().unwrap())
}

/// 8 rounds here; EIGENFACES_KILL_ROUNDS sets another number.
#[test]
fn a_kill_during_additions_loses_no_acknowledged_face() {
    let mut acknowledged = 0;
    for round in 0..rounds("EIGENFACES_KILL_ROUNDS", 8) {
        let folder = few_enrolled();
        let mut server = Server::start(folder.path());
        let share = f64::from((round as u32).wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
        let id = server.process.id().to_string();
        let beside = folder.path().to_owned();
        let killer = std::thread::spawn(move || {
            if round % 2 == 0 {
                std::thread::sleep(Duration::from_millis(1200).mul_f64(share));
            } else {
                // While a face is written into the model, or shortly after.
                let begun = Instant::now();
                let is_written = || {
                    let names = files(&beside).into_iter();
                    names.into_iter().any(|file| text(&file).ends_with(".eigenfaces-tmp"))
                };
                while !is_written() && begun.elapsed() < Duration::from_secs(10) {
                    std::thread::sleep(Duration::from_micros(100));
                }
                std::thread::sleep(Duration::from_millis(60).mul_f64(share));
            }
            std::process::Command::new("kill").args(["-KILL", &id]).status()
        });
        let mut kept = Vec::new();
        for number in 0.. {
            let photo = another(&photos_of("Ada")[number % 8], number);
            let path = "/api/v1/recognition/faces?subject=Zed";
            let Some(answer) = server.try_form(path, &[("file", &photo)]) else { break };
            let id = answer.has(201).json()["image_id"].as_str().unwrap().to_owned();
            kept.push(id);
        }
        killer.join().unwrap().unwrap();
        server.process.wait().unwrap();
        drop(server);
        let model = folder.path().join(MODEL);
        store::load_with_history(&model).unwrap();
        acknowledged += kept.len();
        if round % 2 == 0 {
            run(folder.path(), ["people", "rename", "Boris", "Bo"]).done();
        }
        let server = Server::start(folder.path());
        let faces = faces(&server);
        for face in &kept {
            assert!(faces.contains(face), "round {round}: {face} was lost");
        }
    }
    eprintln!("{acknowledged} faces acknowledged");
}

/// A hard link is the same model: whoever changes it waits, and is told what a change does not reach.
#[test]
fn a_model_of_two_names_is_locked_once() {
    let folder = enrolled();
    let other = folder.path().join("other.npz");
    fs::hard_link(folder.path().join(MODEL), &other).unwrap();
    let server = Server::start(folder.path());
    run(folder.path(), ["serve", "--model", "other.npz", "--listen", "127.0.0.1:0"])
        .failed_saying(&["other.npz", "is in use by"]);
    server.end();
    let renamed = run(folder.path(), ["people", "rename", "Ada", "A"]).done();
    assert!(renamed.stderr.contains("has other names (hard links)"), "{}", renamed.stderr);
    let renamed = run(folder.path(), ["people", "rename", "A", "Ada"]).done();
    assert!(!renamed.stderr.contains("hard links"), "{}", renamed.stderr);
}

/// Standard output that is closed or full is an error, whatever was to be printed; a closed pipe is none.
#[test]
fn what_cannot_be_printed_is_an_error() {
    let folder = enrolled();
    let shell = |script: &str| {
        let mut command = program(folder.path());
        let program = command.get_program().to_owned();
        command = std::process::Command::new("bash");
        command.current_dir(folder.path()).args(["-c", script]);
        command.env("E", program).env("ADA", photo_of_ada());
        Run::of(command.output().unwrap())
    };
    let full = Path::new("/dev/full").exists();
    for command in [
        "$E identify $ADA",
        "$E people",
        "$E info --format json",
        "$E --help",
        "$E identify -h",
        "$E --version",
        "$E completions bash",
        "$E man",
    ] {
        shell(&format!("{command} >&-")).failed_saying(&["standard output is closed"]);
        if full {
            shell(&format!("{command} >/dev/full")).failed_saying(&["cannot be printed"]);
        }
        shell(&format!("set -o pipefail; {command} | true")).done();
    }
    shell("$E verify $ADA $ADA >&-").ended(2, &["standard output is closed"]);
    shell("$E people rename Ada A >&-").done();
}
