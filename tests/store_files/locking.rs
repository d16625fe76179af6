//! One process at a time changes a model.

use std::fs;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use eigenfaces::error::Error;
use eigenfaces::store::{ModelLock, Wait};

use super::{count_up, names_in, start_child, write_model, writer_of};

#[test]
fn a_second_lock_waits_or_names_the_holder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    let lock = ModelLock::acquire(&path, Wait::Fail).unwrap();

    let start = Instant::now();
    let error = ModelLock::acquire(&path, Wait::Fail).unwrap_err();
    let Error::Locked { holder: Some(holder), .. } = &error else { panic!("{error}") };
    assert_eq!(holder.pid, std::process::id());
    let who = format!("is in use by process {}: ", holder.pid);
    assert!(error.to_string().contains(&who), "{error}");

    assert!(matches!(ModelLock::acquire(&path, Wait::AtMost(Duration::from_millis(60))), Err(Error::Locked { .. })));
    assert!(start.elapsed() >= Duration::from_millis(60));

    thread::scope(|scope| {
        let waiting = scope.spawn(|| ModelLock::acquire(&path, Wait::AtMost(Duration::from_secs(30))).is_ok());
        thread::sleep(Duration::from_millis(50));
        assert!(!waiting.is_finished());
        drop(lock);
        assert!(waiting.join().unwrap());
    });
    let forever = Wait::AtMost(Duration::MAX);
    drop(ModelLock::acquire(&path, forever).unwrap());
    if cfg!(unix) {
        assert_eq!(names_in(folder.path()), [""; 0], "the lock leaves nothing behind");
    }
}

#[test]
fn readers_and_other_models_are_not_locked_out() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one.npz"), folder.path().join("two.npz"));
    write_model(&one, 1, 10).unwrap();
    let _lock = ModelLock::acquire(&one, Wait::Fail).unwrap();
    assert_eq!(writer_of(&one), 1);
    write_model(&one, 2, 10).unwrap();
    let _other = ModelLock::acquire(&two, Wait::Fail).unwrap();
    assert_eq!(writer_of(&one), 2);
}

#[test]
fn the_lock_of_the_dead_holds_nobody_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    let mut holder = start_child("hold the lock", &path);
    while !path.with_extension("held").exists() {
        assert!(holder.try_wait().unwrap().is_none(), "the child could not take the lock");
        thread::sleep(Duration::from_millis(5));
    }
    match ModelLock::acquire(&path, Wait::Fail) {
        Err(Error::Locked { holder: Some(named), .. }) => assert_eq!(named.pid, holder.id()),
        other => panic!("{other:?}"),
    }
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(names_in(folder.path()).contains(&".m.npz.lock".to_owned()), "left by the dead");
    drop(ModelLock::acquire(&path, Wait::Fail).unwrap());
}

#[test]
fn a_lock_file_with_nonsense_in_it_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    for text in ["", "1", "-1 5\n", "1 99999999999999999999\n", "1 18446744073709551615\n", "\u{1b}[2J \n"] {
        fs::write(folder.path().join(".m.npz.lock"), text).unwrap();
        drop(ModelLock::acquire(&path, Wait::Fail).unwrap());
    }
}

#[test]
fn eight_processes_and_two_threads_lose_no_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    let children: Vec<Child> = (0..8).map(|_| start_child("count to 20", &path)).collect();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let _lock = ModelLock::acquire(&path, Wait::AtMost(Duration::from_secs(60))).unwrap();
                    count_up(&path);
                }
            });
        }
    });
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "200");
}
