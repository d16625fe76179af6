//! Where results may stand: whatever path is named, nothing that is read, foreign or behind a link changes.

#![no_main]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use eigenfaces::store::{Outputs, Overwrite, Privacy};
use libfuzzer_sys::fuzz_target;

const KEPT: [&str; 4] = ["read.png", "foreign.png", "photos/a.png", "outside/precious"];

/// A folder with what must stay, and ways to it, made once a process.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("eigenfaces-fuzz-{}", std::process::id()));
        for name in ["photos", "outside", "results/below"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        for name in KEPT {
            fs::write(folder.join(name), name).unwrap();
        }
        fs::hard_link(folder.join("read.png"), folder.join("results/hard")).unwrap();
        for (to, at) in [
            ("../outside/precious", "results/link"),
            ("../outside/nothing", "results/broken"),
            ("../read.png", "photos/read.png"),
            ("loop", "results/loop"),
        ] {
            std::os::unix::fs::symlink(to, folder.join(at)).unwrap();
        }
        folder
    })
}

/// The path below the folder, if it does not lead out of it by its letters.
fn inside(bytes: &[u8]) -> Option<PathBuf> {
    let path = Path::new(OsStr::from_bytes(bytes));
    let mut depth = 0;
    for part in path.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(folder().join(path))
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, name)) = bytes.split_first() else { return };
    let Some(path) = inside(name) else { return };
    let folder = folder();
    // The very place that is named, if its folder is there.
    let named = path.parent().and_then(|parent| parent.canonicalize().ok());
    let named = named.zip(path.file_name()).map(|(parent, name)| parent.join(name));
    let overwrite = if choice & 1 == 0 { Overwrite::Results } else { Overwrite::AnyFile };
    let inputs = [folder.join("read.png"), folder.join("photos")];
    let outputs = Outputs::new(inputs, overwrite);
    let claimed = if choice & 2 == 0 {
        outputs.claim(&path)
    } else {
        let below = path.strip_prefix(folder).unwrap_or(&path).to_owned();
        outputs
            .check_below(folder, &below)
            .and_then(|()| outputs.claim(&path))
    };
    match claimed {
        Ok(destination) => {
            let written = destination.write(Privacy::Public, b"<svg></svg>\n".to_vec());
            if written.is_ok() {
                fs::remove_file(&path).unwrap();
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    for name in KEPT {
        let place = folder.canonicalize().unwrap().join(name);
        let is_read = matches!(name, "read.png" | "photos/a.png");
        let may_go = overwrite == Overwrite::AnyFile && !is_read && named.as_ref() == Some(&place);
        let there = fs::read_to_string(folder.join(name)).unwrap_or_default();
        if may_go {
            fs::write(folder.join(name), name).unwrap();
        } else {
            assert_eq!(there, name, "changed by way of {}", path.display());
        }
    }
    let is_named = named.is_some_and(|named| named.ends_with("outside/nothing"));
    assert!(is_named || !folder.join("outside/nothing").exists());
});
