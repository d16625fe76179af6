//! What people do by mistake, and what then helps them: wrong folders, wrong names, wrong commands.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{bundled_faces, group_photo, photo_of_ada, probes, scratch};
use crate::{picture, program, run, text};

/// A folder `faces` with three small photos each of these people.
fn faces(folder: &Path, people: &[&str]) {
    for (person, name) in (0_u32..).zip(people) {
        for number in 1..=3 {
            let path = folder.join(format!("faces/{name}/{number}.png"));
            picture(&path, 40, 50, person * 31 + number);
        }
    }
}

fn enrolled(people: &[&str]) -> tempfile::TempDir {
    let folder = scratch();
    faces(folder.path(), people);
    run(folder.path(), ["enroll", "faces", "--size", "24x30"]).done();
    folder
}

fn people(folder: &Path) -> String {
    run(folder, ["people"]).done().stdout
}

#[test]
fn a_folder_that_lies_too_high_is_refused() {
    let folder = scratch();
    faces(&folder.path().join("project"), &["Ada", "Boris"]);
    picture(&folder.path().join("project/assets/probes/x.png"), 40, 50, 9);
    let refused = run(folder.path(), ["enroll", "project"]);
    refused.failed_saying(&["project/assets", "'probes'", "probably not a person", "--nested"]);
    assert!(!folder.path().join("eigenfaces.npz").exists());
    // The names alone tell: nothing is decoded, so nothing is said of a damaged photo.
    let damaged = folder.path().join("project/assets/probes/y.png");
    std::fs::write(&damaged, "no picture").unwrap();
    let refused = run(folder.path(), ["enroll", "project"]);
    assert!(!refused.stderr.contains("y.png"), "{}", refused.stderr);
    refused.failed_saying(&["probably not a person"]);
    std::fs::remove_file(damaged).unwrap();
    run(folder.path(), ["enroll", "project", "--nested"]).done();
    assert_eq!(people(folder.path()), "assets (1 face)\nfaces (6 faces)\n");
}

#[test]
fn a_photo_beside_the_people_does_not_make_their_folder_a_person() {
    let folder = scratch();
    faces(&folder.path().join("deep"), &["Ada", "Boris", "Chiara"]);
    picture(&folder.path().join("deep/faces/cover.png"), 40, 50, 9);
    let refused = run(folder.path(), ["enroll", "deep"]);
    refused.failed_saying(&["deep/faces", "'Ada'", "probably not a person", "--nested"]);
    // A person's albums beside photos of their own are that person's.
    faces(folder.path(), &["Dora", "Emil"]);
    picture(&folder.path().join("faces/Dora/old/1.png"), 40, 50, 77);
    picture(&folder.path().join("faces/Dora/new/1.png"), 40, 50, 78);
    run(folder.path(), ["enroll", "faces", "--size", "24x30"]).done();
    assert_eq!(people(folder.path()), "Dora (5 faces)\nEmil (3 faces)\n");
}

#[test]
fn standard_input_is_nobody() {
    let folder = enrolled(&["Ada", "Boris"]);
    let refused = run(folder.path(), ["enroll", "-", "--model", "new.npz"]);
    refused.failed_saying(&["tells no person", "--labels"]);
    assert!(!folder.path().join("new.npz").exists());
    let sorted = ["identify", "-", "--sort-into", "out", "--copy"];
    run(folder.path(), sorted).ended(2, &["--sort-into", "standard input", "eigenfaces identify"]);
}

#[cfg(unix)]
#[test]
fn wrong_use_with_an_odd_file_name_is_wrong_use() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let folder = enrolled(&["Ada", "Boris"]);
    let odd = OsStr::from_bytes(b"odd-\xff.png");
    let words = ["project", "--framing", "as-is"].map(OsStr::new);
    let wrong = run(folder.path(), words.iter().copied().chain([odd]));
    wrong.ended(2, &["--framing", "eigenfaces project"]);
}

#[test]
fn a_table_of_pairs_is_a_file() {
    let folder = enrolled(&["Ada", "Boris"]);
    let refused = |table: &str| run(folder.path(), ["evaluate", "faces", "--pairs", table]);
    refused("gone.tsv").failed_saying(&["gone.tsv: no such file"]);
    #[cfg(unix)]
    refused("/dev/zero").failed_saying(&["/dev/zero"]);
    let pairs = "1\tAda/1.png\tAda/2.png\t1\n1\tAda/1.png\tBoris/1.png\t0\n\
                 2\tBoris/1.png\tBoris/2.png\t1\n2\tAda/2.png\tBoris/2.png\t0\n";
    fs::write(folder.path().join("pairs.tsv"), pairs).unwrap();
    let command = ["evaluate", "faces", "--pairs", "pairs.tsv", "--background", "other-folds"];
    run(folder.path(), command).failed_saying(&["background model", "too few"]);
    // Of what is there, as of the table.
    let pairs = pairs.replace("/2.png\t1", "/gone.png\t1");
    fs::write(folder.path().join("pairs.tsv"), pairs).unwrap();
    run(folder.path(), command).failed_saying(&["pairs.tsv", "no pair is of one person"]);
}

#[test]
fn a_folder_without_faces_is_refused() {
    let folder = scratch();
    for (seed, person) in [(0, "Ada"), (50, "Boris")] {
        for number in 0..3 {
            let path = folder.path().join(format!("walls/{person}/{number}.png"));
            picture(&path, 160, 120, seed + number);
        }
    }
    let refused = run(folder.path(), ["enroll", "walls"]);
    refused.failed_saying(&["walls", "no face was found in 6 of 6 photos", "--framing as-is"]);
    assert!(!folder.path().join("eigenfaces.npz").exists());
    run(folder.path(), ["enroll", "walls", "--framing", "as-is"]).done();
}

#[test]
fn many_files_with_one_reason_are_counted() {
    let folder = enrolled(&["Ada", "Boris"]);
    for number in 0..12 {
        fs::write(folder.path().join(format!("faces/Ada/t{number}.jpg")), "text").unwrap();
    }
    let said = run(folder.path(), ["enroll", "faces"]);
    said.ended(3, &["t4.jpg", "skipped 7 more", "--verbose"]);
    assert_eq!(said.stderr.matches("not an image").count(), 5, "{}", said.stderr);
    let all = run(folder.path(), ["enroll", "faces", "--verbose"]);
    assert_eq!(all.stderr.matches("not an image").count(), 12, "{}", all.stderr);
}

#[test]
fn a_folder_may_keep_the_name_that_a_person_had() {
    let folder = enrolled(&["Ada", "Grandpa", "Boris"]);
    run(folder.path(), ["people", "rename", "Grandpa", "Opa"]).done();
    picture(&folder.path().join("faces/Grandpa/4.png"), 40, 50, 99);
    for _ in 0..2 {
        let said = run(folder.path(), ["enroll", "faces"]).done();
        assert!(said.stderr.contains("'Grandpa' count for 'Opa'"), "{}", said.stderr);
    }
    let now = "Ada (3 faces)\nBoris (3 faces)\nOpa (4 faces)\n";
    assert_eq!(people(folder.path()), now);
    run(folder.path(), ["enroll", "faces", "--sync"]).done();
    assert_eq!(people(folder.path()), now);
    run(folder.path(), ["people", "merge", "Boris", "--into", "Ada"]).done();
    run(folder.path(), ["enroll", "faces", "--sync"]).done();
    assert_eq!(people(folder.path()), "Ada (6 faces)\nOpa (4 faces)\n");
    // A pseudonym is told nothing of.
    run(folder.path(), ["people", "rename", "Ada", "Person 1", "--forget"]).done();
    let log = store_log(folder.path());
    assert!(!log.contains("Ada") && !log.contains("Boris") && log.contains("Grandpa"), "{log}");
    // Nor does it vanish because the folder keeps the name.
    run(folder.path(), ["enroll", "faces", "--sync"]).failed_saying(&["Person 1 becomes Ada", "--yes"]);
    let looked = run(folder.path(), ["enroll", "faces", "--sync", "--dry-run"]).done();
    assert!(looked.stdout.contains("would see that Person 1 becomes Ada"), "{}", looked.stdout);
    // Who is erased is remembered by no name.
    run(folder.path(), ["people", "remove", "Opa", "--yes"]).done();
    let log = store_log(folder.path());
    assert!(!log.contains("Grandpa") && !log.contains("Opa"), "{log}");
}

/// What the model remembers of its people's names.
fn store_log(folder: &Path) -> String {
    let file = fs::File::open(folder.join("eigenfaces.npz")).unwrap();
    let mut zip = zip::ZipArchive::new(file).unwrap();
    std::io::read_to_string(zip.by_name("log.json").unwrap()).unwrap()
}

#[test]
fn the_last_change_is_taken_back_but_for_what_it_erased() {
    let folder = enrolled(&["Ada", "Boris", "Cleo"]);
    let before = people(folder.path());
    let undo = ["people", "undo"];
    run(folder.path(), undo).failed_saying(&["nothing to undo"]);

    faces(folder.path(), &["Ada", "Boris", "Cleo", "Dora"]);
    run(folder.path(), ["enroll", "faces"]).done();
    run(folder.path(), undo).failed_saying(&["3 of Dora", "--yes", "--dry-run"]);
    let would = run(folder.path(), ["people", "undo", "--dry-run"]).done();
    assert!(would.stdout.contains("would undo: 3 faces of Dora added"), "{}", would.stdout);
    run(folder.path(), ["people", "undo", "--yes"]).done();
    assert_eq!(people(folder.path()), before);
    run(folder.path(), undo).failed_saying(&["nothing to undo"]);

    for change in [["rename", "Ada", "Zoe"].as_slice(), &["merge", "Ada", "--into", "Boris"]] {
        run(folder.path(), [&["people"], change].concat()).done();
        assert_ne!(people(folder.path()), before);
        run(folder.path(), undo).done();
        assert_eq!(people(folder.path()), before);
    }
    run(folder.path(), ["people", "remove", "Ada", "--yes"]).done();
    // What was erased is in no step.
    run(folder.path(), undo).failed_saying(&["nothing to undo", "gone for good"]);
}

#[test]
fn one_face_of_a_group_photo_is_enrolled_where_it_lies() {
    let folder = scratch();
    run(folder.path(), ["enroll", text(bundled_faces())]).done();
    let wall = probes().join("not-a-face.png");
    let odd = ["people", "add", "Wall", text(&wall), "--dry-run"];
    let said = run(folder.path(), odd).done();
    let warning = "does not look like a face";
    assert!(said.stderr.contains(warning), "{}", said.stderr);
    let odd = ["people", "add", "Ada", text(photo_of_ada()), "--dry-run"];
    let said = run(folder.path(), odd).done();
    assert!(!said.stderr.contains(warning), "{}", said.stderr);
    let group = text(group_photo());
    run(folder.path(), ["people", "add", "Guest", group]).failed_saying(&["3 faces", "--face"]);
    run(folder.path(), ["people", "add", "Guest", group, "--face", "9"])
        .failed_saying(&["3 faces", "1 to 3", "--face"]);
    let args = ["people", "add", "Guest", group, "--face", "2"];
    let said = run(folder.path(), args).done();
    assert!(said.stderr.contains("enrolled 1 face of Guest (new)"), "{}", said.stderr);
    run(folder.path(), args).failed_saying(&["enrolled as 'Guest' already"]);
    // Another face of the photo is another one.
    run(folder.path(), ["people", "add", "Other", group, "--face", "1"]).done();
    let found = run(folder.path(), ["identify", group, "--format", "json"]).done();
    let object: Value = serde_json::from_str(&found.stdout).unwrap();
    let name = |face: usize| object["faces"][face]["candidates"][0]["person"].clone();
    assert_eq!((name(0), name(1)), ("Other".into(), "Guest".into()), "{object}");
}

#[test]
fn pictures_of_this_program_are_nobodys() {
    let folder = crate::enrolled();
    let faces = folder.path().join("people/Ada");
    fs::create_dir_all(&faces).unwrap();
    fs::copy(photo_of_ada(), faces.join("ada.png")).unwrap();
    fs::copy(crate::support::probes().join("noah.png"), faces.join("noah.png")).unwrap();
    run(folder.path(), ["basis", "-o", "people/basis", "--components", "3"]).done();
    run(folder.path(), ["identify", "people/Ada", "--annotate", "people/marked"]).done();
    let enrolled = run(folder.path(), ["enroll", "people", "-m", "new.npz"]).done();
    assert!(enrolled.stderr.contains("of this program left out"), "{}", enrolled.stderr);
    let people = run(folder.path(), ["people", "-m", "new.npz"]).done();
    assert_eq!(people.stdout, "Ada (2 faces)\n");
    // Where nothing else is there, each is named with the reason.
    let alone = run(folder.path(), ["identify", "people/marked"]);
    alone.ended(1, &["marked/ada.png: is a picture that this program made"]);
}

/// Whoever stops reading the answers has asked for the files all the same.
#[test]
fn files_are_written_although_the_reader_of_the_answers_leaves() {
    let folder = crate::enrolled();
    fs::create_dir(folder.path().join("photos")).unwrap();
    for number in 0..3 {
        let to = folder.path().join(format!("photos/{number}.png"));
        let photo = fs::read(photo_of_ada()).unwrap();
        fs::write(to, crate::another(&photo, number)).unwrap();
    }
    let sort = ["identify", "photos", "--sort-into", "sorted", "--copy"];
    let ended = crate::unread(folder.path(), &[&sort[..], &["--write-xmp"]].concat());
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    assert!(said.contains("copied 3 photos into sorted/Ada"), "{said}");
    assert!(folder.path().join("photos/2.png.xmp").exists());
}

#[test]
fn annotated_copies_are_not_looked_at_again() {
    let folder = crate::enrolled();
    fs::copy(photo_of_ada(), folder.path().join("ada.png")).unwrap();
    let args = ["identify", ".", "--annotate", "marked"];
    let first = run(folder.path(), args).done();
    let second = run(folder.path(), args).done();
    assert_eq!(first.stdout, second.stdout);
    assert!(second.stderr.contains("1 picture of this program left out"), "{}", second.stderr);
    // What a table of labels names is meant, whatever it is.
    fs::write(folder.path().join("who.csv"), "marked/ada.png,Ada\n").unwrap();
    let labels = ["enroll", "marked", "--labels", "who.csv", "-m", "table.npz"];
    run(folder.path(), labels).done();
    // It stays enrolled as long as it is there.
    let elsewhere = folder.path().join("elsewhere/Zoe");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::copy(crate::support::probes().join("noah.png"), elsewhere.join("1.png")).unwrap();
    run(folder.path(), ["enroll", "marked/ada.png", "elsewhere/Zoe/1.png", "-m", "both.npz"]).done();
    fs::rename(&elsewhere, folder.path().join("marked/Zoe")).unwrap();
    let synced = run(folder.path(), ["enroll", "marked", "--sync", "-m", "both.npz", "--dry-run"]);
    assert!(!synced.stdout.contains("gone"), "{}", synced.stdout);
}

#[test]
fn scripts_hear_of_every_photo() {
    let folder = scratch();
    let faces = ["--faces", text(bundled_faces())];
    fs::write(folder.path().join("text.jpg"), "no picture").unwrap();
    let with = |photos: &[&str], format: &str| {
        run(folder.path(), [&["identify"], photos, &["--format", format], &faces[..]].concat())
    };
    let ada = text(photo_of_ada());
    let csv = with(&["gone.jpg", "text.jpg", ada], "csv");
    csv.ended(3, &["gone.jpg", "text.jpg"]);
    let rows: Vec<&str> = csv.stdout.lines().collect();
    assert_eq!(rows.len(), 4, "{}", csv.stdout);
    assert!(rows[0].ends_with("confidence,distance,closest,probable,error"));
    assert!(rows[1].contains("gone.jpg,,,,,,error,") && rows[1].contains("no such file"));
    assert!(rows[2].contains("text.jpg,,,,,,error,") && rows[2].contains("not an image"));
    let alone = with(&["gone.jpg"], "json");
    alone.ended(1, &["gone.jpg"]);
    let object: Value = serde_json::from_str(&alone.stdout).unwrap();
    assert_eq!((&object["photo"], &object["schema"]), (&"gone.jpg".into(), &1.into()));
    assert!(object["error"].as_str().unwrap().contains("no such file"));
}

#[test]
fn what_is_meant_is_suggested() {
    let folder = scratch();
    run(folder.path(), ["help", "identfy"]).ended(2, &["identfy", "'identify'"]);
    fs::create_dir(folder.path().join("empty")).unwrap();
    let faces = ["--faces", text(bundled_faces())];
    let looked = run(folder.path(), [&["identify", "empty"], &faces[..]].concat());
    assert!(!looked.stderr.contains("sub-folder"), "{}", looked.stderr);
    looked.failed_saying(&["empty", "holds no photo", "give photos"]);
    // An array is offered where there is one.
    let help = |command: &str| run(folder.path(), [command, "--help"]).done().stdout;
    assert!(help("project").contains("npy") && !help("identify").contains("npy"));
    for command in ["identify", "enroll", "people", "verify"] {
        let help = help(command);
        assert!(help.contains("Examples:") && help.contains("Exit status:"), "{help}");
    }
    let man = run(folder.path(), ["man"]).done().stdout;
    assert!(man.contains(".SH EXAMPLES") && man.contains("EXIT STATUS"));
}

/// Who names a model expects it to be measured; who asks for JSON reads it.
#[test]
fn options_that_mean_nothing_to_a_command_are_refused() {
    let folder = scratch();
    for (args, told) in [
        (&["evaluate", "faces", "-m", "x.npz"][..], "`evaluate` has no use for --model"),
        (&["--format", "json", "lesson", "-o", "x.html"], "`lesson` has no use for --format"),
        (&["man", "-m", "x.npz"], "`man` has no use for --model"),
    ] {
        run(folder.path(), args).ended(2, &[told, "Usage: eigenfaces"]);
    }
    // From the environment it is for whichever command takes it.
    let mut program = program(folder.path());
    program.args(["man"]).env("EIGENFACES_MODEL", "x.npz");
    assert!(program.output().unwrap().status.success());
}

#[test]
fn checking_says_which_model_takes_part() {
    let folder = enrolled(&["Ada", "Boris"]);
    let said = run(folder.path(), ["enroll", "faces", "--check"]);
    let words = "together with 6 faces enrolled in eigenfaces.npz";
    assert!(said.stderr.contains(words), "{}", said.stderr);
}

/// What there is less of than was asked for is said, and what is meant is understood.
#[test]
fn what_is_asked_for_in_other_words_is_understood_or_told() {
    let folder = scratch();
    faces(folder.path(), &["Ada", "Boris", "Chiara"]);
    run(folder.path(), ["enrol", "faces", "--size", "24x30", "--components", "1000"])
        .ended(0, &["--components 1000: these faces have "]);
    let erased = run(folder.path(), ["people", "delete", "Chiara", "--dry-run"]).done();
    assert!(erased.stderr.contains("would erase") || erased.stdout.contains("would erase"));
    // A page by its name, or a folder for it.
    run(folder.path(), ["lesson", "-o", "page.html"]).ended(0, &["page.html"]);
    assert!(folder.path().join("page.html").is_file());
    run(folder.path(), ["lesson", "-o", "class"]).done();
    assert!(folder.path().join("class/lesson.html").is_file());
    // Sorted under --quiet, the folders are the answer.
    let bundled = crate::enrolled();
    let args = ["identify", text(probes()), "--sort-into", "s", "--copy", "-q"];
    let sorted = run(bundled.path(), args).done();
    assert_eq!(sorted.stdout, "");
    assert!(bundled.path().join("s/Ada").is_dir());
    if cfg!(feature = "serve") {
        run(folder.path(), ["serve", "--listen", "home"]).ended(2, &["such as 127.0.0.1:8384"]);
    }
}

#[test]
fn a_part_that_was_not_built_names_its_feature() {
    let folder = crate::enrolled();
    let url = "postgresql://ada:Geheimnis@127.0.0.1:1/faces";
    let photo = text(photo_of_ada());
    for args in [["export", "--postgres", url, "--dry-run"], ["identify", photo, "--gallery", url]] {
        let failed = run(folder.path(), args).failed_saying(&["postgres"]);
        assert!(!failed.stderr.contains("Geheimnis"), "{}", failed.stderr);
        let named = failed.stderr.contains("cargo install --path . --features postgres");
        assert_eq!(named, cfg!(not(feature = "postgres")), "{}", failed.stderr);
    }
    if cfg!(not(feature = "serve")) {
        run(folder.path(), ["serve", "--open"]).failed_saying(&["--features serve"]);
    }
}
