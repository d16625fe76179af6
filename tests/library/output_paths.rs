//! Whatever path is named for a result: what is read, foreign or behind a link stays as it is. The fuzz target `outputs`
//! asks the same of any bytes.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use eigenfaces::error::Error;
use eigenfaces::store::{Outputs, Overwrite, Privacy, make_results_folder};
use proptest::prelude::*;

const KEPT: [&str; 4] = ["read.png", "foreign.png", "photos/a.png", "outside/precious"];

/// A folder with what must stay, and ways to it.
fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["photos", "outside", "results/below"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    for name in KEPT {
        fs::write(at(name), name).unwrap();
    }
    fs::hard_link(at("read.png"), at("results/hard")).unwrap();
    for (to, name) in [
        ("../outside/precious", "results/link"),
        ("../outside/nothing", "results/broken"),
        ("../outside", "results/folder"),
        ("../read.png", "photos/read.png"),
        ("loop", "results/loop"),
    ] {
        std::os::unix::fs::symlink(to, at(name)).unwrap();
    }
    folder
}

const PARTS: [&str; 17] = [
    "read.png",
    "foreign.png",
    "photos",
    "a.png",
    "outside",
    "precious",
    "nothing",
    "results",
    "below",
    "hard",
    "link",
    "broken",
    "folder",
    "loop",
    "new.png",
    "..",
    ".",
];

/// The path below the folder, if it does not lead out of it by its letters.
fn inside(folder: &Path, parts: &[&str]) -> Option<PathBuf> {
    let mut depth = 0;
    for part in parts {
        match *part {
            ".." if depth == 0 => return None,
            ".." => depth -= 1,
            "." => {}
            _ => depth += 1,
        }
    }
    Some(parts.iter().fold(folder.to_owned(), |path, part| path.join(part)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_path_leads_to_what_must_stay(
        parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 1..5),
        force in any::<bool>(),
        below in any::<bool>(),
    ) {
        let folder = prepared();
        let folder = folder.path();
        let Some(path) = inside(folder, &parts) else { return Ok(()) };
        let overwrite = if force { Overwrite::AnyFile } else { Overwrite::Results };
        // The very place that is named, if its folder is there.
        let named = path.parent().and_then(|parent| parent.canonicalize().ok());
        let named = named.zip(path.file_name()).map(|(parent, name)| parent.join(name));
        let outputs = Outputs::new([folder.join("read.png"), folder.join("photos")], overwrite);
        let checked = match below {
            true => {
                let relative = path.strip_prefix(folder).unwrap().to_owned();
                outputs.check_below(folder, &relative)
            }
            false => Ok(()),
        };
        match checked.and_then(|()| outputs.claim(&path)) {
            Ok(destination) => {
                destination.write(Privacy::Public, b"<svg></svg>\n".to_vec()).unwrap();
                let written = fs::symlink_metadata(&path).unwrap();
                prop_assert!(written.is_file(), "{}", path.display());
            }
            Err(Error::Write { .. }) => {}
            Err(other) => prop_assert!(false, "{other}"),
        }
        for name in KEPT {
            let place = folder.canonicalize().unwrap().join(name);
            let is_read = matches!(name, "read.png" | "photos/a.png");
            let may_go = force && !is_read && named.as_ref() == Some(&place);
            let there = fs::read_to_string(folder.join(name)).unwrap_or_default();
            prop_assert!(may_go || there == name, "{name} changed by way of {}", path.display());
        }
        prop_assert!(named.is_some_and(|named| named.ends_with("outside/nothing")) || !folder.join("outside/nothing").exists());
    }
}

/// Photos are handled side by side, and each makes the folder of its result.
#[test]
fn a_folder_of_results_may_be_made_by_several_threads_at_once() {
    let folder = prepared();
    for round in 0..200 {
        let results = folder.path().join(format!("round-{round}"));
        let start = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            let make = || {
                start.wait();
                make_results_folder(&results)
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
            for thread in threads {
                thread.join().unwrap().unwrap();
            }
        });
        assert!(results.join(".eigenfaces-results").is_file());
    }
}

#[test]
fn a_place_can_be_had_once_and_is_looked_at_again_when_it_is_used() {
    let folder = prepared();
    let at = |name: &str| folder.path().join(name);
    let outputs = Outputs::new([at("photos")], Overwrite::Results);
    let first = outputs.claim(&at("new.png")).unwrap();
    for again in ["new.png", "results/../new.png"] {
        let error = outputs.claim(&at(again)).unwrap_err();
        assert!(error.to_string().contains("two results"), "{error}");
    }
    // Somebody was faster.
    fs::write(at("new.png"), "theirs").unwrap();
    let error = first.write(Privacy::Public, b"ours".to_vec()).unwrap_err();
    assert!(error.to_string().contains("is there already"), "{error}");
    assert_eq!(fs::read_to_string(at("new.png")).unwrap(), "theirs");
    fs::remove_file(at("new.png")).unwrap();
    std::os::unix::fs::symlink("foreign.png", at("new.png")).unwrap();
    let error = first.write(Privacy::Public, b"ours".to_vec()).unwrap_err();
    assert!(error.to_string().contains("symbolic link"), "{error}");
    assert_eq!(fs::read_to_string(at("foreign.png")).unwrap(), "foreign.png");
    let left = fs::read_dir(folder.path()).unwrap();
    let hidden = left.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
    assert_eq!(hidden.count(), 0, "no temporary file is left");
}
