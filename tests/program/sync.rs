//! `enroll` on a model that exists: adding, following a folder, leaving sources out.

use std::fs;
use std::path::Path;

use eigenfaces::store;

use crate::support::{scratch, with_text};
use crate::{picture, run};

/// Two photos each of four people.
fn folder() -> tempfile::TempDir {
    let folder = scratch();
    for (number, person) in (1..).zip(["Ada", "Boris", "Cleo", "Dora"]) {
        for photo in 1..=2 {
            photo_of(folder.path(), &format!("{person}/{photo}.png"), number * 10 + photo);
        }
    }
    folder
}

fn photo_of(folder: &Path, name: &str, seed: u32) {
    picture(&folder.join("faces").join(name), 40, 50, seed);
}

fn sources(folder: &Path) -> Vec<String> {
    let recognizer = store::load(&folder.join("eigenfaces.npz")).unwrap();
    recognizer.gallery().enrolled().iter().map(|face| face.source.clone()).collect()
}

const SIZE: [&str; 2] = ["--size", "24x30"];

fn model(folder: &Path, name: &str) -> eigenfaces::recognizer::Recognizer {
    store::load(&folder.join(name)).unwrap()
}

#[test]
fn a_model_follows_its_folder() {
    let folder = folder();
    run(folder.path(), ["enroll", "--sync", "faces"].iter().chain(&SIZE)).done();
    let at = |name: &str| folder.path().join("faces").join(name);
    photo_of(folder.path(), "Ada/3.png", 77); // new
    photo_of(folder.path(), "Ada/2.png", 78); // changed
    fs::rename(at("Boris/1.png"), at("Boris/one.png")).unwrap(); // moved
    fs::rename(at("Cleo/1.png"), at("Boris/3.png")).unwrap(); // another person now
    fs::remove_dir_all(at("Dora")).unwrap(); // gone

    let before = fs::read(folder.path().join("eigenfaces.npz")).unwrap();
    let dry = run(folder.path(), ["enroll", "--sync", "faces", "--dry-run"]).done();
    assert_eq!(
        dry.stdout,
        "would enrol faces/Ada/3.png\nwould see changed faces/Ada/2.png\n\
         would see moved faces/Boris/1.png to faces/Boris/one.png\n\
         would see moved faces/Cleo/1.png to faces/Boris/3.png\n\
         would see gone faces/Dora/1.png (Dora)\nwould see gone faces/Dora/2.png (Dora)\n"
    );
    run(folder.path(), ["enroll", "--sync", "faces"]).failed_saying(&["2 faces (2 of Dora) would be erased", "--yes"]);
    assert!(fs::read(folder.path().join("eigenfaces.npz")).unwrap() == before);

    let synced = run(folder.path(), ["enroll", "--sync", "faces", "--yes"]).done();
    assert!(
        synced.stderr.contains(
            "enrolled 1 face: now 7 faces of 3 people, 3 were enrolled already, 1 has changed, 2 have moved, 2 erased"
        ),
        "{}",
        synced.stderr
    );
    run(folder.path(), ["enroll", "faces", "-m", "new.npz"].iter().chain(&SIZE)).done();
    let (followed, new) = (model(folder.path(), "eigenfaces.npz"), model(folder.path(), "new.npz"));
    assert_eq!(followed.gallery(), new.gallery());
    assert_eq!((followed.space(), followed.weights()), (new.space(), new.weights()));

    let again = run(folder.path(), ["enroll", "--sync", "faces", "--format", "json"]).done();
    let object: serde_json::Value = serde_json::from_str(&again.stdout).unwrap();
    for (field, count) in [("added", 0), ("changed", 0), ("moved", 0), ("removed", 0), ("already_enrolled", 7)] {
        assert_eq!(object[field], count, "{field}");
    }
}

#[test]
fn what_cannot_be_read_is_not_taken_for_gone() {
    let folder = folder();
    run(folder.path(), ["enroll", "--sync", "faces"].iter().chain(&SIZE)).done();
    let photo = folder.path().join("faces/Ada/1.png");
    fs::write(&photo, "not a photo any more").unwrap();
    let synced = run(folder.path(), ["enroll", "--sync", "faces"]);
    synced.ended(3, &["faces/Ada/1.png: is not an image", "1 kept that cannot be read now or lies elsewhere"]);
    assert_eq!(sources(folder.path()).len(), 8);
    // A disk that is not there, or an empty place where it should be mounted.
    fs::rename(folder.path().join("faces"), folder.path().join("away")).unwrap();
    run(folder.path(), ["enroll", "--sync", "faces", "--yes"]).failed_saying(&["no such file or folder"]);
    fs::create_dir(folder.path().join("faces")).unwrap();
    run(folder.path(), ["enroll", "--sync", "faces", "--yes"]).failed_saying(&["holds no photo"]);
    assert_eq!(sources(folder.path()).len(), 8);
}

#[test]
fn a_folder_that_is_not_mounted_erases_nobody() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("disk")).unwrap();
    fs::rename(at("faces/Ada"), at("disk/Ada")).unwrap();
    let sync = ["enroll", "--sync", "faces", "disk", "--yes"];
    run(folder.path(), sync.iter().chain(&SIZE)).done();
    let before = fs::read(at("eigenfaces.npz")).unwrap();
    fs::rename(at("disk"), at("elsewhere")).unwrap();
    run(folder.path(), sync).failed_saying(&["disk", "no such"]);
    fs::create_dir(at("disk")).unwrap();
    for more in [&[][..], &["--dry-run"]] {
        run(folder.path(), sync.iter().chain(more)).failed_saying(&[
            "disk",
            "holds no photo now",
            "mount it, or leave it out",
        ]);
    }
    fs::remove_dir_all(at("faces")).unwrap();
    fs::create_dir(at("faces")).unwrap();
    run(folder.path(), ["enroll", "--sync", "faces", "--yes"]).failed_saying(&["faces", "holds no photo"]);
    assert!(fs::read(at("eigenfaces.npz")).unwrap() == before);

    // What is left out stays, there or not.
    fs::remove_dir(at("disk")).unwrap();
    fs::rename(at("elsewhere"), at("disk")).unwrap();
    let kept = run(folder.path(), ["enroll", "--sync", "disk", "--yes"]).done();
    assert!(kept.stderr.contains("6 kept"), "{}", kept.stderr);
    assert_eq!(sources(folder.path()).len(), 8);
}

#[test]
fn a_photo_under_two_names_is_named_and_the_others_are_enrolled() {
    let folder = folder();
    let at = |name: &str| folder.path().join("faces").join(name);
    fs::copy(at("Ada/1.png"), at("Boris/copy.png")).unwrap();
    let enrolled = run(folder.path(), ["enroll", "faces"].iter().chain(&SIZE));
    enrolled.ended(
        3,
        &[
            "skipped faces/Ada/1.png: is the same photo as faces/Boris/copy.png, labelled 'Boris'",
            "skipped faces/Boris/copy.png: is the same photo as faces/Ada/1.png, labelled 'Ada'",
            "enrolled 7 faces of 4 people, 2 files skipped",
        ],
    );
    // What is enrolled stays as it is.
    fs::copy(at("Cleo/1.png"), at("Dora/copy.png")).unwrap();
    for sync in [&["enroll", "faces"][..], &["enroll", "faces", "--sync"]] {
        let again = run(folder.path(), sync);
        again.ended(3, &["skipped faces/Dora/copy.png: is the same photo as faces/Cleo/1.png, labelled 'Cleo'"]);
        assert!(sources(folder.path()).contains(&"faces/Cleo/1.png".to_owned()));
        assert_eq!(sources(folder.path()).len(), 7);
    }
}

#[test]
fn sources_are_left_out_where_the_user_wants_it() {
    let folder = folder();
    run(folder.path(), ["enroll", "faces"].iter().chain(&SIZE)).done();
    assert!(sources(folder.path()).iter().all(|source| !source.is_empty()));
    // They are dropped from a model that has them, and never come back unasked.
    let dry = run(folder.path(), ["enroll", "faces", "--no-sources", "--dry-run", "--components", "2"]).done();
    assert!(dry.stdout.contains("would see no paths of photos any more"), "{}", dry.stdout);
    assert!(dry.stdout.contains("would see another number of components or solver than before"), "{}", dry.stdout);
    run(folder.path(), ["enroll", "faces", "--no-sources"]).done();
    photo_of(folder.path(), "Eva/1.png", 99);
    run(folder.path(), ["enroll", "faces", "--sync"]).done();
    assert_eq!(sources(folder.path()), [""; 9]);
    let bytes = fs::read(folder.path().join("eigenfaces.npz")).unwrap();
    let wide: Vec<u8> = "faces/".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    assert!(!bytes.windows(wide.len()).any(|window| window == wide));
    let digits = &run(folder.path(), ["people", "list", "Eva", "--photos"]).done().stdout[..12].to_owned();
    run(folder.path(), ["people", "remove", digits, "-y"]).done();
    run(folder.path(), ["enroll", "faces", "--no-sources", "-m", "new.npz"].iter().chain(&SIZE)).done();
    // What is gone cannot be told without sources: it is erased by name.
    fs::remove_dir_all(folder.path().join("faces/Eva")).unwrap();
    let kept = run(folder.path(), ["enroll", "faces", "--sync", "-y", "-m", "new.npz"]).done();
    assert!(kept.stderr.contains("1 kept that cannot be read now"), "{}", kept.stderr);
    run(folder.path(), ["people", "remove", "Eva", "-y", "-m", "new.npz"]).done();
    let (grown, new) = (model(folder.path(), "eigenfaces.npz"), model(folder.path(), "new.npz"));
    assert_eq!(grown.gallery(), new.gallery());
    assert_eq!(grown.space(), new.space());
}

#[test]
fn known_photos_are_not_even_decoded() {
    let folder = folder();
    run(folder.path(), ["enroll", "faces"].iter().chain(&SIZE)).done();
    // The same bytes are the same photo, whatever they hold; so make the model know bytes that are no photo.
    let path = folder.path().join("eigenfaces.npz");
    let (recognizer, history) = store::load_with_history(&path).unwrap();
    let mut faces = recognizer.gallery().clone().into_labeled();
    faces[0].hash = eigenfaces::dataset::ContentHash::of(b"no photo");
    let size = recognizer.preparation().size();
    let (gallery, _) = eigenfaces::gallery::Gallery::assemble(size, faces).unwrap();
    let settings = recognizer.settings();
    let changed = eigenfaces::recognizer::Recognizer::learn(*recognizer.preparation(), gallery, settings).unwrap();
    store::save(&changed, &history, &path).unwrap();
    fs::write(folder.path().join("faces/Ada/1.png"), b"no photo").unwrap();
    let again = run(folder.path(), ["enroll", "faces"]).done();
    assert!(
        again.stderr.contains("enrolled 0 faces: now 8 faces of 4 people, 8 were enrolled already"),
        "{}",
        again.stderr
    );
}

/// What a file is called decides nothing, nor does what is unknown of a face's place.
#[test]
fn faces_from_elsewhere_stay() {
    let folder = folder();
    run(folder.path(), ["enroll", "faces"].iter().chain(&SIZE)).done();
    picture(&folder.path().join("more/Mum (face paint).png"), 40, 50, 80);
    run(folder.path(), ["people", "add", "Mum", "more/Mum (face paint).png"]).done();
    run(folder.path(), ["enroll", "faces", "--sync", "--yes"]).done();
    let listed = run(folder.path(), ["people", "list"]).done().stdout;
    assert!(listed.contains("Mum (1 face)"), "{listed}");
    // A file that was saved anew is told.
    photo_of(folder.path(), "Ada/1.png", 77);
    let said = run(folder.path(), ["enroll", "faces"]).done();
    assert!(said.stderr.contains("1 photo is no longer what was enrolled"), "{}", said.stderr);
    // Nobody knows where the faces of a model without paths lie.
    let bare = ["enroll", "faces", "--no-sources", "-m", "bare.npz"];
    run(folder.path(), bare.iter().chain(&SIZE)).done();
    fs::remove_dir_all(folder.path().join("faces/Boris")).unwrap();
    run(folder.path(), ["enroll", "faces", "--sync", "--yes", "-m", "bare.npz"]).done();
    let listed = run(folder.path(), ["people", "list", "-m", "bare.npz"]).done().stdout;
    assert!(listed.contains("Boris"), "{listed}");
}

#[test]
fn what_somebody_named_by_hand_is_neither_gone_nor_renamed_unasked() {
    let folder = folder();
    let at = |name: &str| folder.path().join("faces").join(name);
    let sync = ["enroll", "faces", "--sync"];
    run(folder.path(), ["enroll", "faces"].iter().chain(&SIZE)).done();
    // Photos from elsewhere, one of which is still there.
    picture(&folder.path().join("more/mum.png"), 40, 50, 80);
    picture(&folder.path().join("more/gone.png"), 40, 50, 81);
    for photo in ["more/mum.png", "more/gone.png"] {
        run(folder.path(), ["people", "add", "Mum", photo]).done();
    }
    fs::remove_file(folder.path().join("more/gone.png")).unwrap();
    let kept = run(folder.path(), sync.iter().chain(&["--yes"])).done();
    assert!(kept.stderr.contains("2 kept that cannot be read now or lie elsewhere"), "{}", kept.stderr);
    // Two people whose folders have each other's name, a pseudonym, and files whose metadata a program has changed.
    for (from, to) in [("Ada", "tmp"), ("Boris", "Ada"), ("tmp", "Boris")] {
        run(folder.path(), ["people", "rename", from, to]).done();
    }
    run(folder.path(), ["people", "rename", "Cleo", "P1", "--forget"]).done();
    for photo in ["Cleo/1.png", "Cleo/2.png"] {
        let content = with_text(&fs::read(at(photo)).unwrap());
        fs::write(at(photo), content).unwrap();
    }
    let before = fs::read(folder.path().join("eigenfaces.npz")).unwrap();
    run(folder.path(), sync).failed_saying(&[
        "Ada becomes Boris in 2 photos",
        "Boris becomes Ada in 2 photos",
        "P1 becomes Cleo in 2 photos",
        "--yes",
    ]);
    // Whoever answers for erasing must know of the names too.
    fs::remove_file(folder.path().join("faces/Dora/1.png")).unwrap();
    run(folder.path(), sync)
        .failed_saying(&["1 face (1 of Dora) would be erased, and by the folder's names Ada becomes"]);
    assert!(fs::read(folder.path().join("eigenfaces.npz")).unwrap() == before);
}

#[cfg(unix)]
#[test]
fn a_person_whose_folder_is_a_link_to_nowhere_stays() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    run(folder.path(), ["enroll", "faces"].iter().chain(&SIZE)).done();
    fs::rename(at("faces/Ada"), at("away")).unwrap();
    std::os::unix::fs::symlink("/nowhere/Ada", at("faces/Ada")).unwrap();
    run(folder.path(), ["enroll", "faces", "--sync", "--yes"]).ended(3, &["faces/Ada: cannot be read", "2 kept"]);
    assert_eq!(sources(folder.path()).len(), 8);
}
