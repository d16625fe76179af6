//! Processes that die, disks that are full, and processes that come at once: the model is whole, and nobody is lost.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use eigenfaces::store;

use crate::support::scratch;
use crate::{Run, at_work, picture, program, run};

const MODEL: &str = "eigenfaces.npz";

/// A folder of faces: of each of so many people two photos.
fn faces(folder: &Path, name: &str, people: std::ops::Range<u32>) {
    for person in people {
        for photo in 0..2 {
            let path = folder.join(format!("{name}/person {person}/{photo}.png"));
            picture(&path, 40, 50, person * 100 + photo);
        }
    }
}

/// Who is enrolled, if the model is whole.
fn people(folder: &Path) -> Vec<String> {
    let (recognizer, history) = store::load_with_history(&folder.join(MODEL)).unwrap();
    assert!(history.fits(recognizer.gallery()));
    recognizer.gallery().people().iter().map(ToString::to_string).collect()
}

/// Whether a temporary file stands beside the model.
fn is_written(folder: &Path) -> bool {
    let mut files = fs::read_dir(folder).unwrap().flatten();
    files.any(|file| file.file_name().to_string_lossy().ends_with(".eigenfaces-tmp"))
}

/// 12 rounds here; EIGENFACES_KILL_ROUNDS sets another number.
#[cfg(unix)]
#[test]
fn a_killed_program_leaves_the_old_model_or_the_new_one() {
    let rounds: u32 = std::env::var("EIGENFACES_KILL_ROUNDS").map_or(12, |rounds| rounds.parse().unwrap());
    let folder = scratch();
    faces(folder.path(), "faces", 0..6);
    faces(folder.path(), "more", 6..8);
    run(folder.path(), ["enroll", "faces", "--size", "24x30"]).done();
    let few: Vec<String> = people(folder.path());
    let add = ["enroll", "more"];
    let started = Instant::now();
    run(folder.path(), add).done();
    let long = started.elapsed();
    let many: Vec<String> = people(folder.path());
    let remove = ["people", "remove", "person 6", "person 7", "--yes"];
    assert!(few.len() == 6 && many.len() == 8);

    let (mut changed, mut torn) = (0, 0);
    for round in 0..rounds {
        let before = people(folder.path());
        let is_few = before.len() == few.len();
        let mut child = at_work(folder.path(), if is_few { &add[..] } else { &remove });
        let share = f64::from(round.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
        if round % 2 == 0 {
            // At any time from the first instruction to a little after a usual run's end.
            std::thread::sleep(long.mul_f64(share * 1.3));
        } else {
            // In the middle of the write, or shortly after it.
            while !is_written(folder.path()) && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_micros(100));
            }
            std::thread::sleep(Duration::from_millis(4).mul_f64(share));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let after = people(folder.path());
        assert!(after == few || after == many, "round {round}: {after:?}");
        changed += usize::from(after != before);
        torn += usize::from(is_written(folder.path()));
        fs::read_dir(folder.path())
            .unwrap()
            .flatten()
            .filter(|file| file.file_name().to_string_lossy().ends_with(".eigenfaces-tmp"))
            .for_each(|file| fs::remove_file(file.path()).unwrap());
    }
    eprintln!("{rounds} rounds: {changed} new models, {torn} of the others killed in the middle of the write");
    // The dead leave no lock that holds anybody up, and the next change removes what they left.
    run(folder.path(), ["people", "rename", "person 0", "person zero"]).done();
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn many_that_enrol_at_once_lose_nobody() {
    let folder = scratch();
    faces(folder.path(), "faces", 0..2);
    run(folder.path(), ["enroll", "faces", "--size", "24x30"]).done();
    for number in 0..8 {
        faces(folder.path(), &format!("more {number}"), 10 + number..11 + number);
    }
    let children: Vec<Child> =
        (0..8).map(|number| at_work(folder.path(), &["enroll", &format!("more {number}")])).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let recognizer = store::load(&folder.path().join(MODEL)).unwrap();
    assert_eq!(recognizer.gallery().counts(), [2; 10], "every face is there once");
    let log = run(folder.path(), ["info", "--log"]).done().stdout;
    assert_eq!(log.matches("enrolled 2 faces of 1 person").count(), 8);
}

#[test]
fn who_waits_says_for_whom() {
    let folder = scratch();
    faces(folder.path(), "faces", 0..2);
    let lock = store::ModelLock::acquire(&folder.path().join(MODEL), store::Wait::Fail).unwrap();
    let mut command = program(folder.path());
    let waiting = command.args(["enroll", "faces"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut waiting = waiting.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(waiting.try_wait().unwrap().is_none(), "it waits");
    drop(lock);
    let run = Run::of(waiting.wait_with_output().unwrap()).done();
    let says = format!("waiting: {MODEL} is in use by process {}\n", std::process::id());
    assert!(run.stderr.starts_with(&says), "{}", run.stderr);
}

/// A limit on the size of files stands for a full disk: the program says so, and the old model stays.
#[cfg(unix)]
#[test]
fn a_model_that_does_not_fit_is_an_error_and_the_old_one_stays() {
    let folder = scratch();
    faces(folder.path(), "faces", 0..4);
    run(folder.path(), ["enroll", "faces", "--size", "24x30"]).done();
    let before = fs::read(folder.path().join(MODEL)).unwrap();
    faces(folder.path(), "faces", 4..40);
    // In blocks of 512 bytes: a little more than the old model needs.
    let blocks = before.len() / 512 + 2;
    let script = format!("ulimit -f {blocks}; exec \"$0\" enroll faces");
    let mut command = std::process::Command::new("sh");
    let output =
        command.current_dir(folder.path()).args(["-c", &script, env!("CARGO_BIN_EXE_eigenfaces")]).output().unwrap();
    Run::of(output).failed_saying(&[MODEL, "larger than files may be", "the old file, if any, is untouched"]);
    assert!(fs::read(folder.path().join(MODEL)).unwrap() == before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing half written is left");
}

/// The real thing, where a small disk may be mounted: Linux, as root.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_the_old_model_stays() {
    let folder = scratch();
    let mount =
        std::process::Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(folder.path()).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no disk can be mounted here");
        return;
    }
    let photos = scratch();
    faces(photos.path(), "few", 0..4);
    faces(photos.path(), "many", 0..240);
    let enroll = |name: &str| {
        let args = ["enroll", &photos.path().join(name).to_string_lossy(), "--size", "24x30"].map(str::to_owned);
        Run::of(program(folder.path()).args(args).output().unwrap())
    };
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        enroll("few").done();
        let before = fs::read(folder.path().join(MODEL)).unwrap();
        enroll("many").failed_saying(&["the disk is full", "the old file, if any, is untouched"]);
        assert!(fs::read(folder.path().join(MODEL)).unwrap() == before);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }));
    let unmounted = std::process::Command::new("umount").arg(folder.path()).status();
    assert!(unmounted.unwrap().success());
    if let Err(panic) = result {
        std::panic::resume_unwind(panic);
    }
}
