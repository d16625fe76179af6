//! Results never replace what is read, nor, unless told to, what is there already; and never go through links.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{photo_of_ada, scratch};
use crate::{enrolled_without_background, run};

/// A command that writes: what is typed before the place of its result, that place, and a file that comes to stand
/// there (below it, where it is a folder).
struct Writer {
    args: &'static [&'static str],
    place: &'static str,
    file: &'static str,
}

const WRITERS: [Writer; 13] = [
    Writer { args: &["identify", "p.png", "--explain"], place: "x.png", file: "x.png" },
    Writer { args: &["identify", "p.png", "--annotate"], place: "album", file: "album/p.png" },
    Writer { args: &["identify", "photos/a", "photos/b", "--annotate"], place: "album", file: "album/b/j.jpg" },
    Writer { args: &["facemap", "p.png", "-o"], place: "x.png", file: "x.png" },
    Writer { args: &["reconstruct", "p.png", "-o"], place: "x.png", file: "x.png" },
    Writer { args: &["project", "--gallery", "-o"], place: "x.csv", file: "x.csv" },
    Writer { args: &["project", "--gallery", "--whiten", "-o"], place: "x.csv", file: "x.csv" },
    Writer { args: &["project", "p.png", "-o"], place: "x.json", file: "x.json" },
    Writer { args: &["project", "p.png", "--gallery", "-o"], place: "x.npy", file: "x.npy" },
    Writer { args: &["project", "--plot"], place: "x.svg", file: "x.svg" },
    Writer { args: &["project", "--plot"], place: "x.png", file: "x.png" },
    Writer { args: &["lesson", "-o"], place: "x.html", file: "x.html" },
    Writer { args: &["basis", "--components", "3", "-o"], place: "basis", file: "basis/basis-002.png" },
];

/// A folder with a model and photos.
fn prepared() -> tempfile::TempDir {
    let folder = enrolled_without_background();
    let at = |name: &str| folder.path().join(name);
    fs::copy(photo_of_ada(), at("p.png")).unwrap();
    let ada = image::open(photo_of_ada()).unwrap();
    for name in ["photos/a/i.png", "photos/b/j.jpg", "photos/b/k.png"] {
        fs::create_dir_all(at(name).parent().unwrap()).unwrap();
        ada.save(at(name)).unwrap();
    }
    folder
}

impl Writer {
    fn run(&self, folder: &Path, more: &[&str]) -> crate::Run {
        run(folder, [self.args, &[self.place], more].concat())
    }

    /// Where the result is to stand, with the folder that it stands in.
    fn target(&self, folder: &Path) -> PathBuf {
        let target = folder.join(self.file);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        target
    }

    /// Removes the result.
    fn tidy(&self, folder: &Path) {
        let place = folder.join(self.place);
        if place.is_dir() {
            fs::remove_dir_all(place).unwrap();
        } else if place.symlink_metadata().is_ok() {
            fs::remove_file(place).unwrap();
        }
    }
}

#[test]
fn a_file_of_somebody_else_stays_unless_it_is_to_go() {
    let folder = prepared();
    let folder = folder.path();
    let model = fs::read(folder.join("eigenfaces.npz")).unwrap();
    let photo = fs::read(photo_of_ada()).unwrap();
    let foreign = [photo.as_slice(), b"a,b\n1,2\n", b"<svg></svg>", b"PK\x03\x04"];
    for (writer, foreign) in WRITERS.iter().zip(foreign.into_iter().cycle()) {
        let target = writer.target(folder);
        fs::write(&target, foreign).unwrap();
        let failed = writer.run(folder, &[]);
        failed.failed_saying(&[writer.file, "is there already", "--force"]);
        assert_eq!(fs::read(&target).unwrap(), foreign, "{:?}", writer.args);
        fs::write(&target, &model).unwrap();
        let failed = writer.run(folder, &[]);
        failed.failed_saying(&[writer.file, "is there already", "--force"]);
        assert!(fs::read(&target).unwrap() == model, "{:?}", writer.args);

        writer.run(folder, &["--force"]).done();
        let forced = fs::read(&target).unwrap();
        assert!(forced != model && !forced.is_empty(), "{:?}", writer.args);
        // Whoever wrote it: it is there.
        let failed = writer.run(folder, &[]);
        failed.failed_saying(&["is there already", "--force"]);
        assert!(fs::read(&target).unwrap() == forced, "{:?}", writer.args);
        writer.tidy(folder);
        writer.run(folder, &[]).done();
        if writer.place != writer.file {
            // A folder that the program made is for its results.
            writer.run(folder, &[]).done();
        }
        // A page tells how long it took, and nothing else differs in length by much.
        let again = fs::read(&target).unwrap();
        let alike = again.len().abs_diff(forced.len()) < 200;
        assert!(alike && again[..8] == forced[..8], "{:?}", writer.args);
        writer.tidy(folder);
    }
}

#[test]
fn an_empty_file_is_nobodys() {
    let folder = prepared();
    let writer = &WRITERS[0];
    let target = writer.target(folder.path());
    fs::write(&target, "").unwrap();
    writer.run(folder.path(), &[]).done();
    assert!(target.metadata().unwrap().len() > 0);
}

#[cfg(unix)]
#[test]
fn no_result_goes_through_a_link() {
    let folder = prepared();
    let folder = folder.path();
    let other = scratch();
    let precious = other.path().join("precious");
    for writer in &WRITERS {
        fs::write(&precious, "precious").unwrap();
        let target = writer.target(folder);
        std::os::unix::fs::symlink(&precious, &target).unwrap();
        for more in [&[][..], &["--force"]] {
            writer.run(folder, more).failed_saying(&[writer.file, "symbolic link"]);
        }
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
        assert!(target.symlink_metadata().unwrap().is_symlink());
        // One that leads nowhere would make a file there.
        fs::remove_file(&precious).unwrap();
        writer.run(folder, &[]).failed_saying(&[writer.file, "symbolic link"]);
        assert!(!precious.exists(), "{:?}", writer.args);
        writer.tidy(folder);
    }
    // A folder below the one that was named may be a link too.
    fs::create_dir_all(folder.join("album")).unwrap();
    std::os::unix::fs::symlink(other.path(), folder.join("album/b")).unwrap();
    let args = ["identify", "photos/a", "photos/b", "--annotate", "album"];
    run(folder, args).failed_saying(&["album/b", "symbolic link"]);
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
    let copies = fs::read_dir(folder.join("album")).unwrap().count();
    assert_eq!(copies, 1, "no copy was written before the refusal");
}

#[test]
fn what_is_read_is_never_replaced_not_even_by_force() {
    let folder = prepared();
    let folder = folder.path();
    // Also where it is a result of this program itself.
    run(folder, ["facemap", "p.png", "-o", "ours.png"]).done();
    run(folder, ["project", "--gallery", "-o", "w.csv"]).done();
    for (args, file) in [
        (vec!["identify", "p.png", "--explain", "p.png"], "p.png"),
        (vec!["identify", "p.png", "--explain", "./photos/../p.png"], "p.png"),
        (vec!["identify", "ours.png", "--explain", "ours.png"], "ours.png"),
        (vec!["identify", "photos", "--annotate", "photos"], "photos/a/i.png"),
        (vec!["facemap", "p.png", "-o", "p.png"], "p.png"),
        (vec!["facemap", "ours.png", "-o", "ours.png"], "ours.png"),
        (vec!["reconstruct", "p.png", "-o", "p.png"], "p.png"),
        (
            vec!["project", "-m", "eigenfaces.npz", "--gallery", "-o", "eigenfaces.npz", "--format", "csv"],
            "eigenfaces.npz",
        ),
        (vec!["project", "p.png", "--plot", "p.png"], "p.png"),
    ] {
        let before = fs::read(folder.join(file)).unwrap();
        for more in [&[][..], &["--force"]] {
            run(folder, [args.as_slice(), more].concat()).failed_saying(&["is read by this command", "name another"]);
        }
        assert!(fs::read(folder.join(file)).unwrap() == before, "{args:?}");
    }
    #[cfg(unix)]
    {
        fs::hard_link(folder.join("ours.png"), folder.join("twin.png")).unwrap();
        run(folder, ["identify", "ours.png", "--explain", "twin.png"])
            .failed_saying(&["twin.png", "is read by this command"]);
    }
    // Two results cannot have one place.
    let args = ["project", "--gallery", "--plot", "t.svg", "-o", "./t.svg", "--format", "csv"];
    run(folder, args).failed_saying(&["t.svg", "two results"]);
    assert!(!folder.join("t.svg").exists());
}

#[test]
fn a_folder_made_for_results_is_written_anew_and_no_other() {
    let folder = prepared();
    let folder = folder.path();
    for args in [["--components", "4"].as_slice(), &["--background"]] {
        for _ in 0..2 {
            run(folder, [&["basis", "-o", "made"], args].concat()).done();
        }
    }
    assert!(folder.join("made/.eigenfaces-results").is_file());
    // Basis faces of a longer run go.
    run(folder, ["basis", "--components", "2", "-o", "made"]).done();
    assert!(folder.join("made/basis-002.png").exists());
    assert!(!folder.join("made/basis-003.png").exists());
    // In a folder of the user's, nothing is replaced and nothing goes.
    fs::create_dir(folder.join("own")).unwrap();
    fs::write(folder.join("own/basis-003.png"), "precious").unwrap();
    run(folder, ["basis", "--components", "2", "-o", "own"]).done();
    assert!(!folder.join("own/.eigenfaces-results").exists());
    let left = fs::read_to_string(folder.join("own/basis-003.png"));
    assert_eq!(left.unwrap(), "precious");
    run(folder, ["basis", "--components", "2", "-o", "own"]).failed_saying(&[
        "own/mean.png",
        "is there already",
        "--force",
    ]);
}

#[cfg(unix)]
#[test]
fn pictures_of_people_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = prepared();
    let folder = folder.path();
    let mut seen = 0;
    for writer in &WRITERS {
        let is_personal = matches!(writer.args[0], "identify" | "facemap" | "reconstruct" | "project" | "lesson");
        writer.run(folder, &[]).done();
        let mode = fs::metadata(folder.join(writer.file)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode == 0o600, is_personal, "{:?}: {mode:o}", writer.args);
        seen += usize::from(is_personal);
        writer.tidy(folder);
    }
    assert!(seen > 9);
}
