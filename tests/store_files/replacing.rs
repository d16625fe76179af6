//! A file is replaced as a whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use eigenfaces::error::{Error, WriteProblem};
use eigenfaces::store::{ModelLock, Privacy, Wait, replace_file};

use super::{JOB, MODEL, names_in, start_child, write_model, writer_of};

#[test]
fn a_file_is_made_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    for text in ["one", "another, longer"] {
        replace_file(&path, Privacy::Owner, |file| file.write_all(text.as_bytes())).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert_eq!(names_in(folder.path()), ["m.npz"]);
}

#[cfg(unix)]
#[test]
fn a_model_is_its_owners_alone_and_a_picture_is_not() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let path = folder.path().join("m.npz");
    fs::write(&path, "open to all").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    replace_file(&path, Privacy::Owner, |file| file.write_all(b"x")).unwrap();
    assert_eq!(mode(&path), 0o600);

    let ordinary = folder.path().join("ordinary");
    fs::write(&ordinary, "").unwrap();
    let picture = folder.path().join("mean.png");
    replace_file(&picture, Privacy::Public, |file| file.write_all(b"x")).unwrap();
    assert_eq!(mode(&picture), mode(&ordinary));
    // Whoever was kept from reading what stood there is kept from reading this.
    fs::set_permissions(&picture, fs::Permissions::from_mode(0o640)).unwrap();
    replace_file(&picture, Privacy::Public, |file| file.write_all(b"y")).unwrap();
    assert_eq!(mode(&picture), 0o640);
}

#[test]
fn an_error_or_a_panic_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    fs::write(&path, "old").unwrap();
    let error = replace_file(&path, Privacy::Owner, |file| {
        file.write_all(&[0; 100_000])?;
        Err(io::Error::new(io::ErrorKind::NotFound, "no more pixels"))
    });
    assert_eq!(error.unwrap_err().to_string(), format!("{}: cannot be written: no more pixels", path.display()));
    let panicked = std::panic::catch_unwind(|| {
        replace_file(&path, Privacy::Owner, |_| std::panic::resume_unwind(Box::new("dropped")))
    });
    assert!(panicked.is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(names_in(folder.path()), ["m.npz"]);
}

#[test]
fn impossible_places_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let refused = |path: &Path| {
        let locked = ModelLock::acquire(path, Wait::Fail).unwrap_err().to_string();
        let error = replace_file(path, Privacy::Owner, |_| Ok(())).unwrap_err();
        assert_eq!(error.to_string(), locked, "the lock says so beforehand");
        match error {
            Error::Write { problem, .. } => problem,
            other => panic!("{other}"),
        }
    };
    assert!(matches!(refused(folder.path()), WriteProblem::Folder));
    assert!(matches!(refused(Path::new("/")), WriteProblem::Folder));
    assert!(matches!(refused(Path::new("..")), WriteProblem::Folder));
    assert!(matches!(refused(&folder.path().join("no/m.npz")), WriteProblem::NoFolder(at) if at.ends_with("no")));
    assert!(matches!(refused(&file.join("m.npz")), WriteProblem::NotInFolder(at) if at == file));
    #[cfg(unix)]
    {
        assert!(matches!(refused(Path::new("/dev/null")), WriteProblem::NotAFile));
        let broken = folder.path().join("broken");
        std::os::unix::fs::symlink("nowhere", &broken).unwrap();
        assert!(matches!(refused(&broken), WriteProblem::NotAFile));
        // /proc takes no new files, not even from root.
        assert!(matches!(refused(Path::new("/proc/m.npz")), WriteProblem::NoFolder(_) | WriteProblem::NotPermitted(_)));
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "");
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o500)).unwrap();
    let result = replace_file(&path, Privacy::Owner, |_| Ok(()));
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    match result {
        Ok(()) => eprintln!("skipped: root may write everywhere"),
        Err(Error::Write { problem: WriteProblem::NotPermitted(at), .. }) => {
            assert_eq!(at, folder.path())
        }
        Err(other) => panic!("{other}"),
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().join("real");
    fs::create_dir(&real).unwrap();
    fs::write(real.join("m.npz"), "old").unwrap();
    let link = folder.path().join("link.npz");
    std::os::unix::fs::symlink("real/m.npz", &link).unwrap();
    let lock = ModelLock::acquire(&link, Wait::Fail).unwrap();
    assert!(matches!(ModelLock::acquire(&real.join("m.npz"), Wait::Fail), Err(Error::Locked { .. })));
    drop(lock);
    replace_file(&link, Privacy::Owner, |file| file.write_all(b"new")).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(real.join("m.npz")).unwrap(), "new");
    assert_eq!(names_in(&real), ["m.npz"]);
}

#[test]
fn long_and_strange_names_work() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["n".repeat(250) + ".npz", "𝔸".repeat(63), " -rf *\n".to_owned(), "..npz".to_owned()] {
        let path = folder.path().join(&name);
        let _lock = ModelLock::acquire(&path, Wait::Fail).unwrap();
        replace_file(&path, Privacy::Owner, |file| file.write_all(b"x")).unwrap();
        assert!(path.exists(), "{name}");
    }
    assert_eq!(names_in(folder.path()).len(), 4);
}

/// 50 rounds here; EIGENFACES_KILL_ROUNDS sets another number.
#[cfg(unix)]
#[test]
fn a_killed_writer_never_damages_a_model() {
    let rounds = std::env::var("EIGENFACES_KILL_ROUNDS").map_or(50, |rounds| rounds.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    write_model(&path, 1, 400).unwrap();
    let (mut advanced, mut orphaned) = (0, 0);
    for round in 0..rounds {
        let modified = || fs::metadata(&path).unwrap().modified().unwrap();
        let before = modified();
        let mut writer = start_child("write for ever", &path);
        // In every other round its very first write may be hit, in the others a later one.
        while round % 2 == 0 && modified() == before {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_micros(4000 + round * 7919 % 20_000));
        writer.kill().unwrap();
        writer.wait().unwrap();
        writer_of(&path);
        advanced += usize::from(fs::metadata(&path).unwrap().modified().unwrap() != before);
        orphaned += usize::from(names_in(folder.path()).len() > 1);
    }
    eprintln!("{rounds} rounds: {advanced} with a new model, {orphaned} in the middle of a write");
    assert!(advanced > 0 && orphaned > 0, "the kills came too early: {advanced}, {orphaned}");
    // What the dead left behind holds faces; the next write removes it.
    write_model(&path, 2, 400).unwrap();
    assert_eq!(names_in(folder.path()), ["m.npz"]);
    assert_eq!(writer_of(&path), 2);
}

#[test]
fn the_temporary_file_of_the_living_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    replace_file(&path, Privacy::Owner, |file| {
        file.write_all(b"outer")?;
        assert_eq!(names_in(folder.path()).len(), 1);
        replace_file(&path, Privacy::Owner, |file| file.write_all(b"inner")).unwrap();
        assert_eq!(names_in(folder.path()).len(), 2);
        Ok(())
    })
    .unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "outer");
}

/// Without the lock the last one wins; but none takes another's temporary file for an orphan.
#[test]
fn many_writers_at_once_all_succeed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    thread::scope(|scope| {
        for writer in 0..8 {
            let path = &path;
            scope.spawn(move || (0..50).for_each(|_| write_model(path, writer, 1).unwrap()));
        }
    });
    writer_of(&path);
    assert_eq!(names_in(folder.path()), ["m.npz"]);
}

#[test]
fn other_hidden_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    let others =
        [".m.npz.eigenfaces-tmp", ".m.npz.abc.eigenfaces-tmp", ".m.npz.abcdefgh.tmp", ".m.npz.abcd.fgh.eigenfaces-tmp"];
    others.iter().for_each(|name| fs::write(folder.path().join(name), "").unwrap());
    fs::write(folder.path().join(".m.npz.abcdefgh.eigenfaces-tmp"), "an orphan").unwrap();
    write_model(&path, 1, 1).unwrap();
    assert_eq!(names_in(folder.path()).len(), 1 + others.len());
}

/// A limit on the size of files stands for a full disk; the shell sets it for the child alone.
#[cfg(unix)]
#[test]
fn a_write_that_does_not_fit_leaves_the_old_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    write_model(&path, 1, 100).unwrap();
    // With the signal ignored the write fails; with it the process dies. The model must survive both.
    for (signal, survives) in [("trap '' XFSZ; ", true), ("", false)] {
        let status = Command::new("sh")
            .args(["-c", &format!("{signal}ulimit -c 0; ulimit -f 2000; exec \"$0\" --exact child --ignored")])
            .arg(std::env::current_exe().unwrap())
            .env(JOB, "write too much")
            .env(MODEL, &path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.success(), survives, "{status}");
        assert_eq!(writer_of(&path), 1);
        assert_eq!(names_in(folder.path()).len(), if survives { 1 } else { 2 });
    }
}

/// The real thing, where we may mount a small disk: Linux, as root.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_model() {
    let folder = tempfile::tempdir().unwrap();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(folder.path()).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no disk can be mounted here");
        return;
    }
    let path = folder.path().join("m.npz");
    let result = std::panic::catch_unwind(|| {
        write_model(&path, 1, 300).unwrap();
        for _ in 0..20 {
            let error = write_model(&path, 2, 900).unwrap_err();
            assert!(matches!(error, Error::Write { problem: WriteProblem::DiskFull, .. }), "{error}");
            assert_eq!(writer_of(&path), 1);
            assert_eq!(names_in(folder.path()), ["m.npz"]);
        }
        // Changing a smaller model still works, and so does taking the lock.
        let _lock = ModelLock::acquire(&path, Wait::Fail).unwrap();
        write_model(&path, 3, 300).unwrap();
    });
    assert!(Command::new("umount").arg(folder.path()).status().unwrap().success());
    result.unwrap();
}
