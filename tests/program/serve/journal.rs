//! Faces that were acknowledged: wherever they lie on disk, however the server ended, they are kept; and erased, they are
//! erased there too.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eigenfaces::store::{self, Journal};

use super::client::Server;
use super::{is_clean, people, photos_of};
use crate::support::{photo_of_ada, scratch};
use crate::{Run, another, enrolled, program, run, text};

const MODEL: &str = "eigenfaces.npz";
const JOURNAL: &str = ".eigenfaces.npz.added";

/// Adds a face by the journal. Gives its identity if it was acknowledged.
fn add(server: &Server, person: &str, photo: &[u8]) -> Option<String> {
    let path = format!("/api/v1/recognition/faces?subject={person}");
    let answer = server.form(&path, &[("file", photo)]).has(201).json();
    Some(answer["image_id"].as_str()?.to_owned())
}

/// A folder whose server was killed with this many faces of `person` in its journal.
fn killed_with(person: &str, count: usize) -> tempfile::TempDir {
    loop {
        let folder = few_enrolled();
        let server = Server::start(folder.path());
        for number in 0..count {
            add(&server, person, &another(&photos_of("Ada")[0], number)).unwrap();
        }
        drop(server);
        // On a slow machine some of them may have been learned meanwhile.
        let journal = Journal::open(&folder.path().join(MODEL)).unwrap();
        if journal.additions().len() == count {
            return folder;
        }
    }
}

/// The names of all faces, as clients of CompreFace have them.
pub(super) fn faces(server: &Server) -> Vec<String> {
    let path = "/api/v1/recognition/faces?size=100000";
    let all = server.ask("GET", path, b"").has(200).json();
    let all = all["faces"].as_array().unwrap().iter();
    all.map(|face| face["image_id"].as_str().unwrap().to_owned())
        .collect()
}

fn listed(folder: &Path) -> String {
    run(folder, ["people", "list"]).done().stdout
}

#[test]
fn a_server_that_is_told_to_end_learns_what_was_added() {
    let folder = enrolled();
    let server = Server::start(folder.path());
    add(&server, "Zed", &another(&photos_of("Ada")[0], 1)).unwrap();
    server.end();
    assert!(is_clean(folder.path()));
    assert!(listed(folder.path()).contains("Zed (1 face)"));
    run(folder.path(), ["people", "remove", "Zed", "--yes"]).done();
    let server = Server::start(folder.path());
    assert!(!people(&server).contains(&"Zed".to_owned()));
}

/// Whatever changes a model finds in it what was acknowledged.
#[test]
fn whoever_changes_a_model_takes_in_its_journal() {
    let killed = killed_with("Zed", 2);
    let faces = scratch();
    let new = faces.path().join("Yan");
    fs::create_dir(&new).unwrap();
    fs::write(new.join("1.png"), another(&photos_of("Boris")[0], 7)).unwrap();
    let (new, ada) = (text(faces.path()), text(photo_of_ada()));
    let changes: [&[&str]; 7] = [
        &["people", "remove", "Zed", "--yes"],
        &["people", "remove", "Boris", "--yes"],
        &["people", "rename", "Zed", "Zoe"],
        &["people", "merge", "Zed", "--into", "Ada"],
        &["people", "add", "Ada", ada],
        &["people", "undo", "--yes"],
        &["enroll", new],
    ];
    for change in changes {
        let folder = scratch();
        for name in [MODEL, JOURNAL] {
            fs::copy(killed.path().join(name), folder.path().join(name)).unwrap();
        }
        let before = fs::read(folder.path().join(MODEL)).unwrap();
        let mut looked = change.to_vec();
        looked.retain(|option| *option != "--yes");
        looked.push("--dry-run");
        run(folder.path(), &looked).done();
        assert!(!is_clean(folder.path()) && fs::read(folder.path().join(MODEL)).unwrap() == before);

        let done = run(folder.path(), change).done();
        assert!(
            done.stderr.contains("2 faces that `eigenfaces serve`"),
            "{}",
            done.stderr
        );
        assert!(is_clean(folder.path()), "{change:?}");
        let has_zed = listed(folder.path()).contains("Zed (2 faces)");
        let is_gone = ["Zed", "undo"].iter().any(|word| change.contains(word));
        assert_eq!(has_zed, !is_gone, "{change:?}");
        let server = Server::start(folder.path());
        assert_eq!(
            people(&server).contains(&"Zed".to_owned()),
            has_zed,
            "{change:?}"
        );
    }
}

/// Nobody is dropped where the model was made anew with faces of another size.
#[test]
fn a_journal_of_another_model_is_said_and_kept() {
    let folder = killed_with("Zed", 1);
    let other = scratch();
    let faces = text(crate::support::bundled_faces());
    run(other.path(), ["enroll", faces, "--size", "32x40"]).done();
    fs::copy(other.path().join(MODEL), folder.path().join(MODEL)).unwrap();
    for change in [
        &["people", "rename", "Ada", "A"][..],
        &["enroll", faces],
        &["serve", "--listen", "127.0.0.1:0"],
    ] {
        run(folder.path(), change).failed_saying(&[JOURNAL, "1 face", "put that model back"]);
    }
    let journal = Journal::open(&folder.path().join(MODEL)).unwrap();
    assert_eq!(journal.additions().len(), 1);

    // Where the model is gone, its journal is all there is of it.
    fs::remove_file(folder.path().join(MODEL)).unwrap();
    run(folder.path(), ["enroll", faces, "--size", "32x40"]).failed_saying(&["64x74"]);
    assert_eq!(listed(folder.path()), "Zed (1 face)\n");
}

#[test]
fn the_last_face_of_a_linked_model_is_gone_for_good() {
    let folder = scratch();
    fs::create_dir(folder.path().join("real")).unwrap();
    let real = folder.path().join("real/m.npz");
    fs::copy(enrolled().path().join(MODEL), &real).unwrap();
    std::os::unix::fs::symlink(&real, folder.path().join(MODEL)).unwrap();
    let server = Server::start(folder.path());
    server
        .ask("DELETE", "/api/v1/recognition/subjects", b"")
        .has(200);
    server.end();
    assert_eq!(files(folder.path()), Vec::<PathBuf>::new());
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
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
    let (mut acknowledged, mut in_journal) = (0, 0);
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
                // While what was added is written into the model, or shortly after.
                let begun = Instant::now();
                let is_written = || {
                    let names = files(&beside).into_iter();
                    names
                        .into_iter()
                        .any(|file| text(&file).ends_with(".eigenfaces-tmp"))
                };
                while !is_written() && begun.elapsed() < Duration::from_secs(10) {
                    std::thread::sleep(Duration::from_micros(100));
                }
                std::thread::sleep(Duration::from_millis(60).mul_f64(share));
            }
            std::process::Command::new("kill")
                .args(["-KILL", &id])
                .status()
        });
        let mut kept = Vec::new();
        for number in 0.. {
            let photo = another(&photos_of("Ada")[number % 8], number);
            let path = "/api/v1/recognition/faces?subject=Zed";
            let Some(answer) = server.try_form(path, &[("file", &photo)]) else {
                break;
            };
            let id = answer.has(201).json()["image_id"]
                .as_str()
                .unwrap()
                .to_owned();
            kept.push(id);
            if number % 4 == 3 {
                // So that some of it is learned, and the kill comes in the middle of that.
                std::thread::sleep(Duration::from_millis(320));
            }
        }
        killer.join().unwrap().unwrap();
        server.process.wait().unwrap();
        drop(server);
        let model = folder.path().join(MODEL);
        store::load_with_history(&model).unwrap();
        acknowledged += kept.len();
        in_journal += Journal::open(&model).unwrap().additions().len();
        if round % 2 == 0 {
            run(folder.path(), ["people", "rename", "Boris", "Bo"]).done();
        }
        let server = Server::start(folder.path());
        let faces = faces(&server);
        for face in &kept {
            assert!(faces.contains(face), "round {round}: {face} was lost");
        }
    }
    eprintln!("{acknowledged} faces acknowledged, {in_journal} of them in a journal at the end");
}

/// The journal cut at any byte after the last sync, as a power failure may. 6 rounds here; EIGENFACES_CUT_ROUNDS sets
/// another number.
#[test]
fn a_power_failure_during_additions_loses_no_acknowledged_face() {
    let killed = killed_with("Ren%C3%A9e", 3);
    let written = fs::read(killed.path().join(JOURNAL)).unwrap();
    let ends: Vec<usize> = (0..written.len())
        .filter(|&at| written[at] == b'\n')
        .collect();
    let (synced, whole) = (ends[1] + 1, written.len());
    let rounds = rounds("EIGENFACES_CUT_ROUNDS", 6);
    for round in 0..rounds {
        let cut = match round {
            // In the middle of a letter.
            0 => {
                written
                    .windows(2)
                    .rposition(|two| two == "é".as_bytes())
                    .unwrap()
                    + 1
            }
            _ => synced + (whole - synced) * round / rounds.max(2),
        };
        let folder = scratch();
        fs::copy(killed.path().join(MODEL), folder.path().join(MODEL)).unwrap();
        fs::write(folder.path().join(JOURNAL), &written[..cut]).unwrap();
        let said = if round % 2 == 0 {
            let server = Server::start(folder.path());
            assert!(people(&server).contains(&"Renée".to_owned()));
            server.end()
        } else {
            run(folder.path(), ["people", "rename", "Boris", "Bo"])
                .done()
                .stderr
        };
        assert!(is_clean(folder.path()));
        assert!(
            listed(folder.path()).contains("Renée (2 faces)"),
            "cut at {cut}"
        );
        let is_torn = said.contains("not written to its end and is dropped");
        assert_eq!(is_torn, cut > synced, "cut at {cut}: {said}");
    }
}

/// A hard link is the same model: whoever changes it waits, and is told what a change does not reach.
#[test]
fn a_model_of_two_names_is_locked_once() {
    let folder = enrolled();
    let other = folder.path().join("other.npz");
    fs::hard_link(folder.path().join(MODEL), &other).unwrap();
    let server = Server::start(folder.path());
    run(
        folder.path(),
        ["serve", "--model", "other.npz", "--listen", "127.0.0.1:0"],
    )
    .failed_saying(&["other.npz", "is in use by"]);
    server.end();
    let renamed = run(folder.path(), ["people", "rename", "Ada", "A"]).done();
    assert!(
        renamed.stderr.contains("has other names (hard links)"),
        "{}",
        renamed.stderr
    );
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
