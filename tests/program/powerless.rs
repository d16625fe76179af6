//! What the program says where the system denies it something. Root is denied nothing: as root, these tests run a
//! copy of the program as nobody.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use walkdir::WalkDir;

use crate::{Run, picture, prepared, run, support};

/// The user that owns nothing.
const NOBODY: u32 = 65_534;

/// The program in a folder of its own, to be run by somebody who is not root. `before` is what runs it, if anything.
fn powerless(folder: &Path, before: &[&str]) -> Command {
    let is_root = fs::metadata(support::scratch().path()).unwrap().uid() == 0;
    let mut file = Path::new(env!("CARGO_BIN_EXE_eigenfaces")).to_owned();
    if is_root {
        let copy = folder.join("program");
        if !copy.exists() {
            // By another process: a file that this one writes may be open in a child that another test has just started,
            // and is not executed then.
            let args = [file.as_path(), copy.as_path()];
            assert!(Command::new("cp").args(args).status().unwrap().success());
        }
        for entry in WalkDir::new(folder) {
            chown(entry.unwrap().path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        file = copy;
    }
    let mut command = match before {
        [] => Command::new(file),
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(file);
            command
        }
    };
    if is_root {
        command.uid(NOBODY).gid(NOBODY);
    }
    prepared(command, folder)
}

/// Runs the program in a folder of its own, as whoever may not read `locked` in it.
fn run_without(folder: &Path, locked: &str, args: &[&str]) -> Run {
    let mut command = powerless(folder, &[]);
    let locked = folder.join(locked);
    let before = fs::metadata(&locked).unwrap().permissions();
    fs::set_permissions(&locked, Permissions::from_mode(0o000)).unwrap();
    let output = command.args(args).output();
    fs::set_permissions(&locked, before).unwrap();
    Run::of(output.expect("the program can be started"))
}

/// Five photos of three people in `faces`.
fn with_faces() -> tempfile::TempDir {
    let folder = support::scratch();
    for (number, person) in (1..).zip(["Ada", "Ada", "Bert", "Bert", "Carla"]) {
        let path = folder.path().join(format!("faces/{person}/{number}.png"));
        picture(&path, 40, 50, number);
    }
    folder
}

#[test]
fn a_folder_that_may_not_be_read() {
    let folder = with_faces();
    let run = run_without(folder.path(), "faces/Carla", &["enroll", "faces"]);
    run.ended(3, &["Carla", "skipped", "4 faces of 2 people"]);
}

#[test]
fn a_model_of_somebody_else() {
    let folder = with_faces();
    run(folder.path(), ["enroll", "faces"]).done();
    let words = ["eigenfaces.npz", "no permission", "owner", "--model"];
    for args in [&["info"][..], &["enroll", "faces"]] {
        run_without(folder.path(), "eigenfaces.npz", args).failed_saying(&words);
    }
}

/// Whoever may start no thread gets the same answers, a little later.
#[cfg(target_os = "linux")]
#[test]
fn a_system_that_starts_no_thread() {
    let folder = with_faces();
    let alone = |args: &[&str]| {
        let mut command = powerless(folder.path(), &["prlimit", "--nproc=1:1"]);
        Run::of(command.args(args).output().expect("prlimit is there"))
    };
    alone(&["enroll", "faces"]).done();
    let identify = ["identify", "faces", "--format", "json"];
    let answers = alone(&identify).done().stdout;
    assert_eq!(answers, run(folder.path(), identify).done().stdout);
    run(folder.path(), ["enroll", "faces", "-m", "other.npz"]).done();
    let model = |name| fs::read(folder.path().join(name)).unwrap();
    assert!(model("eigenfaces.npz") == model("other.npz"));
    #[cfg(feature = "serve")]
    alone(&["serve", "--listen", "127.0.0.1:0"]).failed_saying(&["no thread", "ulimit -u"]);
}
