//! `background`: how faces differ, learned from photos of one's own.

use crate::support::{bundled_faces, probes, real_data, scratch};
use crate::{run, text};

#[test]
fn a_background_of_ones_own_names_people() {
    let Some(att) = real_data("att") else { return };
    let folder = scratch();
    let at = folder.path();
    for person in 1..=24 {
        let own = at.join(format!("teach/s{person}"));
        std::fs::create_dir_all(&own).unwrap();
        for photo in 1..=4 {
            let from = att.join(format!("s{person}/{photo}.pgm"));
            std::fs::copy(from, own.join(format!("{photo}.pgm"))).unwrap();
        }
    }
    let learned = ["background", "teach", "-o", "own.npz", "--source", "AT&T, Cambridge 1994", "--license", "research"];
    let told = run(at, learned).done();
    for words in ["96 photos of 24 people", "so few people", "--background own.npz"] {
        assert!(told.stderr.contains(words), "{}", told.stderr);
    }
    // The same photos give the same model, whatever people and files are called, and whatever the number of threads.
    for person in 1..=24 {
        let own = at.join(format!("renamed/t{}", 25 - person));
        std::fs::create_dir_all(&own).unwrap();
        for photo in 1..=4 {
            let from = at.join(format!("teach/s{person}/{photo}.pgm"));
            std::fs::copy(from, own.join(format!("{}.pgm", 5 - photo))).unwrap();
        }
    }
    let again = [&["background", "renamed", "-o", "again.npz", "--threads", "1"], &learned[4..]].concat();
    run(at, &again).done();
    let bytes = |file: &str| std::fs::read(at.join(file)).unwrap();
    assert_eq!(bytes("own.npz"), bytes("again.npz"));

    let enrolled = ["enroll", text(bundled_faces()), "--background", "own.npz"];
    run(at, enrolled).done();
    std::fs::remove_file(at.join("own.npz")).unwrap();
    let info = run(at, ["info"]).done().stdout;
    for words in ["96 photos of 24 people", "AT&T, Cambridge 1994 (research)"] {
        assert!(info.contains(words), "{info}");
    }
    // The model holds it: whoever asks the model asks by it, and so does who adds to it.
    run(at, ["people", "rename", "Keiko", "Kei"]).done();
    // So few people teach too little for names, but not whom a face is nearest to.
    for (photo, name) in [("ada.png", "Ada"), ("boris.png", "Boris"), ("noah.png", "Noah")] {
        let found = run(at, ["identify", text(&probes().join(photo))]).done().stdout;
        assert!(found.contains(name), "{found}");
    }
    for photo in ["stranger-1.png", "stranger-2.png"] {
        let found = run(at, ["identify", text(&probes().join(photo))]).done().stdout;
        assert!(found.contains(": unknown"), "{found}");
    }
    let [ada, boris] = ["ada.png", "boris.png"].map(|photo| probes().join(photo));
    let verified = run(at, ["verify", text(&ada), text(&boris)]);
    assert_eq!(verified.code, 1, "{}", verified.stderr);
    let photos = at.join("photos");
    std::fs::create_dir(&photos).unwrap();
    std::fs::copy(bundled_faces().join("Ada/1.png"), photos.join("a.png")).unwrap();
    let grouped = run(at, ["group", "photos"]).done().stdout;
    assert!(grouped.contains("Ada: 1 face"), "{grouped}");
    let evaluated = run(at, ["evaluate", text(bundled_faces()), "--background", "again.npz", "--protocol", "first:1"]);
    let told = evaluated.done().stdout;
    assert!(told.contains("compared by a background model of 96 photos"), "{told}");
    // By another background the same faces lie elsewhere.
    run(at, ["enroll", text(bundled_faces()), "--background", "bundled", "-m", "b.npz"]).done();
    assert_ne!(bytes("b.npz"), bytes("eigenfaces.npz"));
}

#[test]
fn what_teaches_too_little_is_refused_and_nothing_is_written() {
    let folder = scratch();
    let at = folder.path();
    let faces = text(bundled_faces());
    let source = ["--source", "drawn", "--license", "MIT"];
    let few = run(at, [&["background", faces, "-o", "own.npz"], &source[..]].concat());
    assert_eq!(few.code, 1);
    for words in ["14 people with two photos or more", "20 are the fewest"] {
        assert!(few.stderr.contains(words), "{}", few.stderr);
    }
    assert!(!at.join("own.npz").exists());
    let unnamed = run(at, ["background", faces, "-o", "own.npz", "--source", "drawn"]);
    unnamed.ended(2, &["--license"]);
    let empty = run(at, ["background", faces, "-o", "own.npz", "--source", " ", "--license", "MIT"]);
    empty.ended(2, &["--source", "line of text"]);
    // Other files are none.
    run(at, ["enroll", faces]).done();
    for (file, words) in [("eigenfaces.npz", "people enrolled"), ("none.npz", "no such file or folder")] {
        let wrong = run(at, ["enroll", faces, "-m", "m.npz", "--background", file]);
        wrong.failed_saying(&[file, words]);
    }
    let textbook = run(at, ["enroll", faces, "-m", "m.npz", "--background", "bundled", "--metric", "euclidean"]);
    textbook.ended(2, &["--metric", "--background"]);
}
