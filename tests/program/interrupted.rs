//! Ctrl-C, SIGTERM and SIGHUP: no lock and no temporary file is left, and what had been changed is said.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::Duration;

use crate::support::{bundled_faces, photo_of_ada, scratch};
use crate::{at_work, enrolled};

fn send(signal: &str, child: &Child) {
    let id = child.id().to_string();
    // It may have ended meanwhile.
    let _ = Command::new("kill").args(["-s", signal, &id]).output();
}

/// The signals that this test's own starter does not have ignored: they would be here too, as they should.
fn signals() -> Vec<(&'static str, i32)> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    let mut signals = vec![("INT", 2), ("TERM", 15)];
    if cfg!(target_os = "linux") {
        signals.push(("HUP", 1));
    }
    signals.retain(|(_, number)| ignored & (1 << (number - 1)) == 0);
    assert!(!signals.is_empty());
    signals
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn holds(folder: &Path, end: &str) -> bool {
    names(folder).iter().any(|name| name.ends_with(end))
}

/// Waits until a file with such a name is there, or the program has ended.
fn wait_for(folder: &Path, end: &str, child: &mut Child) {
    while !holds(folder, end) && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_micros(200));
    }
}

#[test]
fn an_interrupted_change_leaves_nothing_behind_and_says_so() {
    let faces = bundled_faces().to_str().unwrap();
    let (mut locked, mut writing) = (0, 0);
    for (signal, number) in signals() {
        // While the lock is held, and while the model is written.
        for (round, end) in [".lock", ".lock", ".eigenfaces-tmp", ".eigenfaces-tmp"].into_iter().enumerate() {
            let folder = scratch();
            let mut child = at_work(folder.path(), &["enroll", faces]);
            wait_for(folder.path(), end, &mut child);
            std::thread::sleep(Duration::from_millis(40 * (round as u64 % 2)));
            send(signal, &child);
            let Output { status, stderr, .. } = child.wait_with_output().unwrap();
            let stderr = String::from_utf8(stderr).unwrap();
            let left = names(folder.path());
            if status.success() {
                assert_eq!(left, ["eigenfaces.npz"], "it was faster");
                continue;
            }
            assert_eq!(status.signal(), Some(number), "{stderr}");
            let last = stderr.lines().last().unwrap_or_default();
            if left.is_empty() {
                assert_eq!(last, "stopped; nothing was written");
                locked += usize::from(end == ".lock");
                writing += usize::from(end != ".lock");
            } else {
                assert_eq!(left, ["eigenfaces.npz"], "SIG{signal}: {stderr}");
                assert_eq!(last, "stopped; eigenfaces.npz is saved");
                eigenfaces::store::load(&folder.path().join("eigenfaces.npz")).unwrap();
            }
        }
    }
    assert!(locked > 0, "no interruption met the lock");
    eprintln!("{locked} interrupted with the lock held, {writing} while the model was written");
}

#[test]
fn copies_that_were_written_are_told() {
    let folder = enrolled();
    for number in 0..300 {
        fs::create_dir_all(folder.path().join("photos")).unwrap();
        let name = format!("photos/{number}.png");
        fs::copy(photo_of_ada(), folder.path().join(name)).unwrap();
    }
    let mut child = at_work(folder.path(), &["identify", "photos", "--annotate", "album", "--quiet"]);
    wait_for(folder.path(), "album", &mut child);
    wait_for(&folder.path().join("album"), "0.png", &mut child);
    send("TERM", &child);
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(stderr).unwrap();
    assert_eq!(status.signal(), Some(15), "300 photos were too few: {stderr}");
    let mut copies = names(&folder.path().join("album"));
    copies.retain(|name| name != ".eigenfaces-results");
    assert!(copies.iter().all(|name| name.ends_with(".png")), "{copies:?}");
    let told = match copies.len() {
        0 => "stopped; nothing was written".to_owned(),
        1 => "stopped; album/".to_owned(),
        many => format!("stopped; {many} files are saved"),
    };
    assert!(stderr.starts_with(&told), "{stderr}, but {} copies", copies.len());
}

/// Whoever starts the program with `nohup` wants it to go on.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = scratch();
    let faces = bundled_faces().to_str().unwrap();
    let mut command = Command::new("sh");
    command
        .current_dir(folder.path())
        .args(["-c", "trap '' HUP; exec \"$0\" enroll \"$1\" --quiet"])
        .args([env!("CARGO_BIN_EXE_eigenfaces"), faces]);
    let mut child = command.spawn().unwrap();
    wait_for(folder.path(), ".lock", &mut child);
    send("HUP", &child);
    assert!(child.wait().unwrap().success());
    assert_eq!(names(folder.path()), ["eigenfaces.npz"]);
}
