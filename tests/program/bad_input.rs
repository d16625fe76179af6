//! Everything a user can get wrong: one clear line, the documented exit code, nothing half written.

use std::fs;
use std::path::Path;

use crate::support::{bundled_faces, scratch};
use crate::{picture, program, run};

/// Enrolling must fail saying these words, and leave no model.
fn refused(folder: &Path, faces: &str, words: &[&str]) {
    run(folder, ["enroll", faces]).failed_saying(words);
    assert!(!folder.join("eigenfaces.npz").exists(), "a model was written all the same");
    let left: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("eigenfaces"))
        .collect();
    assert!(left.is_empty(), "left behind: {left:?}");
}

#[test]
fn no_such_folder() {
    let folder = scratch();
    refused(folder.path(), "nowhere", &["nowhere", "no such file or folder"]);
    crate::picture(&folder.path().join("photo.png"), 40, 50, 1);
    run(folder.path(), ["identify", "--faces", "nowhere", "photo.png"])
        .failed_saying(&["nowhere", "no such file or folder"]);
}

#[test]
fn an_empty_folder() {
    let folder = scratch();
    fs::create_dir(folder.path().join("empty")).unwrap();
    refused(folder.path(), "empty", &["empty", "no photo", "sub-folder"]);
}

#[test]
fn one_image_only() {
    let folder = scratch();
    picture(&folder.path().join("faces/Ada/1.png"), 40, 50, 1);
    let enrolled = run(folder.path(), ["enroll", "faces"]).done();
    assert!(enrolled.stderr.contains("1 face of 1 person"), "{}", enrolled.stderr);
    // A picture that is its own mirror image spans nothing.
    let flat = image::GrayImage::from_pixel(40, 50, image::Luma([99]));
    fs::create_dir_all(folder.path().join("flat/Ada")).unwrap();
    flat.save(folder.path().join("flat/Ada/1.png")).unwrap();
    fs::remove_file(folder.path().join("eigenfaces.npz")).unwrap();
    refused(folder.path(), "flat", &["1 face"]);
}

#[test]
fn one_photo_of_one_person_names_no_stranger() {
    let folder = scratch();
    fs::create_dir_all(folder.path().join("faces/Ada")).unwrap();
    let bundled = crate::support::project().join("faces");
    fs::copy(bundled.join("Ada/1.png"), folder.path().join("faces/Ada/1.png")).unwrap();
    let classic = ["enroll", "faces", "--background", "none", "-m", "none.npz"];
    let enrolled = run(folder.path(), classic).done();
    let (weak, remedy) = ("confidence is weak", "let the background model compare");
    assert!(enrolled.stderr.contains(weak) && enrolled.stderr.contains(remedy), "{}", enrolled.stderr);
    // The background model knows other people.
    let enrolled = run(folder.path(), ["enroll", "faces"]).done();
    assert!(!enrolled.stderr.contains("weak"), "{}", enrolled.stderr);
    let ask_of = |model: &str, photo: &std::path::Path| {
        let args = ["identify", photo.to_str().unwrap(), "--format", "json", "-m", model];
        let said = run(folder.path(), args).done().stdout;
        let object: serde_json::Value = serde_json::from_str(&said).unwrap();
        let face = &object["faces"][0];
        (face["decision"].clone(), face["candidates"][0]["confidence"].as_f64().unwrap())
    };
    for model in ["none.npz", "eigenfaces.npz"] {
        let ask = |photo: &str| ask_of(model, &bundled.join(photo));
        for stranger in ["Boris", "Chiara", "Farid", "Imani", "Noah"] {
            let (decision, confidence) = ask(&format!("{stranger}/1.png"));
            assert_ne!(decision, "known", "{model}, {stranger}");
            assert!(confidence < 0.9, "{model}, {stranger}: {confidence}");
        }
    }
    // By this one photo alone nobody is named, not even she.
    let of_ada = bundled.join("Ada/1.png");
    assert_eq!(ask_of("none.npz", &of_ada).0, "unknown");
    let (decision, confidence) = ask_of("eigenfaces.npz", &of_ada);
    assert_eq!(decision, "known");
    assert!(confidence > 0.99);
    // With the background model a single photo is enough to know most other ones of her, and to call each probably hers.
    let others: Vec<_> =
        (2..=8).map(|number| ask_of("eigenfaces.npz", &bundled.join(format!("Ada/{number}.png")))).collect();
    let known = others.iter().filter(|(decision, _)| decision == "known");
    assert!(known.count() >= 4, "{others:?}");
    assert!(others.iter().all(|(_, confidence)| *confidence > 0.5), "{others:?}");
}

/// Without background model, confidence is weak of so few people.
fn enrolled_with_a_warning(folder: &Path, enrolled: &str) {
    for (background, weak) in [("none", true), ("bundled", false)] {
        let args = ["faces", "--background", background, "-m", background];
        let said = run(folder, ["enroll"].iter().chain(&args)).done().stderr;
        assert!(said.contains(enrolled), "{said}");
        assert_eq!(said.contains("confidence is weak"), weak, "{said}");
    }
}

#[test]
fn one_person_only_is_enrolled_with_a_warning_where_nobody_else_is_known() {
    let folder = scratch();
    for number in 1..=4 {
        let path = folder.path().join(format!("faces/Ada/{number}.png"));
        picture(&path, 40, 50, number);
    }
    picture(&folder.path().join("other.png"), 40, 50, 99);
    enrolled_with_a_warning(folder.path(), "4 faces of 1 person");
    // Somebody else is not Ada for want of others. (The background model is asked the same of faces, below: of pictures
    // that are none it knows nothing.)
    let found = run(folder.path(), ["identify", "other.png", "-m", "none"]).done();
    assert!(!found.stdout.contains(": Ada ("), "{}", found.stdout);
}

#[test]
fn one_image_each_of_two_people() {
    let folder = scratch();
    picture(&folder.path().join("faces/Ada/1.png"), 40, 50, 1);
    picture(&folder.path().join("faces/Boris/1.png"), 40, 50, 2);
    enrolled_with_a_warning(folder.path(), "2 faces of 2 people");
    for background in ["none", "bundled"] {
        let identify = ["identify", "faces", "--format", "json", "-m", background];
        let found = run(folder.path(), identify).done();
        assert_eq!(found.stdout.lines().count(), 2);
    }
}

#[test]
fn identical_images() {
    let folder = scratch();
    picture(&folder.path().join("faces/Ada/1.png"), 40, 50, 1);
    // Other bytes, same pixels: the photo is the same.
    let image = image::open(folder.path().join("faces/Ada/1.png")).unwrap();
    image.save(folder.path().join("faces/Ada/2.bmp")).unwrap();
    let one_photo = |folder: &Path| {
        let said = run(folder, ["enroll", "faces"]).done().stderr;
        assert!(said.contains("1 face of 1 person, 1 photo was there twice"), "{said}");
        fs::remove_file(folder.join("eigenfaces.npz")).unwrap();
    };
    one_photo(folder.path());
    fs::copy(folder.path().join("faces/Ada/1.png"), folder.path().join("faces/Ada/2.bmp")).unwrap();
    one_photo(folder.path());
    // Pictures of one shade are no photo that could be known again.
    for (name, side) in [("1.png", 40), ("2.bmp", 50)] {
        let flat = image::GrayImage::from_pixel(side, side, image::Luma([90]));
        flat.save(folder.path().join("faces/Ada").join(name)).unwrap();
    }
    refused(folder.path(), "faces", &["what is compared of the 2 faces is the same"]);
}

#[test]
fn one_photo_under_two_names() {
    let folder = scratch();
    picture(&folder.path().join("faces/Ada/1.png"), 40, 50, 1);
    picture(&folder.path().join("faces/Boris/2.png"), 40, 50, 2);
    fs::copy(folder.path().join("faces/Ada/1.png"), folder.path().join("faces/Boris/1.png")).unwrap();
    // Neither label can be trusted; what is left is enrolled.
    run(folder.path(), ["enroll", "faces"]).ended(3, &["Ada", "Boris", "same photo"]);
}

/// Good faces, and one bad file among them.
fn with_one_bad(name: &str, bytes: &[u8]) -> tempfile::TempDir {
    let folder = scratch();
    for (number, person) in (1..).zip(["Ada", "Ada", "Boris", "Boris"]) {
        picture(&folder.path().join(format!("faces/{person}/{number}.png")), 40, 50, number);
    }
    fs::write(folder.path().join("faces/Ada").join(name), bytes).unwrap();
    folder
}

/// The bad file is named with a reason, the rest is enrolled; alone, identifying it fails.
fn skipped(name: &str, bytes: &[u8], words: &[&str]) {
    let folder = with_one_bad(name, bytes);
    let enrolled = run(folder.path(), ["enroll", "faces"]);
    let named = [words, &[name, "skipped", "1 file skipped", "4 faces of 2 people"]].concat();
    enrolled.ended(3, &named);
    assert_eq!(enrolled.stderr.matches(name).count(), 1, "named once: {}", enrolled.stderr);
    let bad = format!("faces/Ada/{name}");
    let alone = run(folder.path(), ["identify", &bad]).failed_saying(&[words, &[name]].concat());
    assert_eq!(alone.stdout, "");
    let among = run(folder.path(), ["identify", "faces", "--format", "json"]);
    assert_eq!(among.code, 3, "{}", among.stderr);
    assert_eq!(among.stdout.lines().count(), 5);
    assert_eq!(among.stdout.matches("\"error\"").count(), 1, "{}", among.stdout);
}

/// A picture of 40 x 50 in some format, as bytes.
fn encoded(format: image::ImageFormat) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let image = image::GrayImage::from_fn(40, 50, |x, y| image::Luma([(x * 5 + y * 3) as u8]));
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

#[test]
fn truncated_pictures() {
    for (name, format) in [
        ("cut.png", image::ImageFormat::Png),
        ("cut.jpg", image::ImageFormat::Jpeg),
        ("cut.pgm", image::ImageFormat::Pnm),
    ] {
        let whole = encoded(format);
        skipped(name, &whole[..whole.len() / 2], &["cut short"]);
    }
}

#[test]
fn text_named_jpg() {
    skipped("notes.jpg", b"Dear diary, today I met Ada.\n", &["not an image"]);
}

#[test]
fn an_empty_file() {
    skipped("nothing.png", b"", &["empty"]);
}

#[test]
fn a_picture_of_one_pixel() {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::GrayImage::new(1, 1).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    skipped("dot.png", &bytes.into_inner(), &["1x1", "too few"]);
}

#[test]
fn a_header_that_promises_far_too_much() {
    skipped("bomb.pgm", b"P5\n20000 20000\n255\n", &["20000x20000", "limit"]);
    // A PNG whose header says so too: 20000 = 0x4e20, with a right checksum.
    let mut png = encoded(image::ImageFormat::Png);
    png[16..24].copy_from_slice(&[0, 0, 0x4e, 0x20, 0, 0, 0x4e, 0x20]);
    let crc = crc32fast::hash(&png[12..29]).to_be_bytes();
    png[29..33].copy_from_slice(&crc);
    skipped("bomb.png", &png, &["20000x20000", "limit"]);
}

#[test]
fn files_that_are_no_pictures_and_do_not_claim_to_be_are_passed_over() {
    let folder = with_one_bad("README.txt", b"photos of Ada");
    let enrolled = run(folder.path(), ["enroll", "faces"]).done();
    assert!(!enrolled.stderr.contains("README"), "{}", enrolled.stderr);
}

#[cfg(unix)]
#[test]
fn links_that_go_round_end() {
    let folder = with_one_bad("ignored.txt", b"");
    std::os::unix::fs::symlink("..", folder.path().join("faces/Ada/up")).unwrap();
    let enrolled = run(folder.path(), ["enroll", "faces"]);
    assert!(enrolled.stderr.contains("4 faces of 2 people"), "{}", enrolled.stderr);
}

#[cfg(unix)]
#[test]
fn names_of_any_script_and_of_none() {
    use std::os::unix::ffi::OsStrExt;
    let folder = scratch();
    for (number, person) in (1..).zip([&b"\xe9\xa1\x94"[..], b"caf\xe9", b"Zo\xc3\xab \x1b[31m"]) {
        let name = std::ffi::OsStr::from_bytes(person);
        picture(&folder.path().join("faces").join(name).join("1.png"), 40, 50, number);
        picture(&folder.path().join("faces").join(name).join("2.png"), 40, 50, number + 20);
    }
    let enrolled = run(folder.path(), ["enroll", "faces"]);
    assert!(!enrolled.stderr.contains('\u{1b}'), "terminal escapes are shown, not obeyed");
    let people = run(folder.path(), ["people"]).done();
    assert!(people.stdout.contains("顔 (2 faces)"), "{}", people.stdout);
    assert!(people.stdout.contains("caf\\xe9 (2 faces)"), "{}", people.stdout);
}

#[test]
fn photos_that_are_not_there() {
    let folder = with_one_bad("ignored.txt", b"");
    run(folder.path(), ["enroll", "faces"]).done();
    run(folder.path(), ["identify", "gone.png"]).failed_saying(&["gone.png", "no such file"]);
    let some = run(folder.path(), ["identify", "faces/Ada/1.png", "gone.png"]);
    some.ended(3, &["gone.png", "no such file"]);
    assert_eq!(some.stdout.lines().count(), 1);
}

#[test]
fn places_that_cannot_be_written() {
    let folder = with_one_bad("ignored.txt", b"");
    let enroll = |model: &str| run(folder.path(), ["enroll", "faces", "-m", model]);
    enroll("no/such/place.npz").failed_saying(&["no/such", "does not exist"]);
    enroll("faces").failed_saying(&["faces", "is a folder"]);
    run(folder.path(), ["enroll", "faces"]).done();
    run(folder.path(), ["basis", "-o", "eigenfaces.npz"]).failed_saying(&["eigenfaces.npz", "choose another place"]);
    assert!(eigenfaces::store::load(&folder.path().join("eigenfaces.npz")).is_ok());
}

#[test]
fn option_values_that_make_no_sense() {
    let folder = scratch();
    let bundled = bundled_faces();
    let faces = bundled.to_str().unwrap();
    for (option, value) in [
        ("--size", "0x0"),
        ("--size", "large"),
        ("--size", "99999x5"),
        ("--components", "0"),
        ("--components", "1.5"),
        ("--components", "-1"),
        ("--solver", "magic"),
        ("--metric", "manhattan"),
        ("--threads", "0"),
        ("--format", "xml"),
        ("--color", "blue"),
    ] {
        let wrong = run(folder.path(), ["enroll", faces, &format!("{option}={value}")]);
        wrong.ended(2, &[option, value]);
    }
    run(folder.path(), ["identify", "p.png", "--far", "2"]).ended(2, &["--far", "0.5"]);
    run(folder.path(), ["enroll"]).ended(2, &["<FACES>"]);
    run(folder.path(), ["enrole", faces]).ended(2, &["enroll"]);
    run(folder.path(), ["basis"]).ended(2, &["--output"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_covariance_that_would_fill_the_memory() {
    let folder = with_one_bad("ignored.txt", b"");
    let args = ["enroll", "faces", "--size", "1000x1000", "--solver", "covariance"];
    run(folder.path(), args).failed_saying(&["1000000 pixels", "--size", "gram"]);
}

#[test]
fn a_size_that_the_model_does_not_have() {
    let folder = with_one_bad("ignored.txt", b"");
    for (background, size) in [("none", "40x50"), ("bundled", "64x74")] {
        let enroll = ["enroll", "faces", "--background", background, "-m", background];
        run(folder.path(), enroll).done();
        run(folder.path(), enroll.iter().chain(&["--size", "30x30"])).failed_saying(&[size, "30x30", "--model"]);
    }
}

#[test]
fn colour_only_where_it_is_asked_for() {
    let folder = scratch();
    let coloured = run(folder.path(), ["enroll", "nowhere", "--color", "always"]);
    assert!(coloured.stderr.contains("\u{1b}[1;31merror:"), "{}", coloured.stderr);
    let plain = program(folder.path()).args(["enroll", "nowhere", "--color", "auto"]).output().unwrap();
    assert!(!String::from_utf8(plain.stderr).unwrap().contains('\u{1b}'));
}

#[test]
fn bad_photos_of_the_gallery_count_when_identifying_from_a_folder() {
    let folder = with_one_bad("cut.png", b"not a picture");
    let found = run(folder.path(), ["identify", "--faces", "faces", "faces/Ada/1.png"]);
    found.ended(3, &["cut.png", "skipped"]);
    assert_eq!(found.stdout.lines().count(), 1);
}

#[test]
fn options_of_learning_without_learning() {
    let folder = with_one_bad("ignored.txt", b"");
    run(folder.path(), ["enroll", "faces"]).done();
    let args = ["identify", "faces/Ada/1.png", "--metric", "whitened"];
    run(folder.path(), args).ended(2, &["--metric"]);
}

#[test]
fn with_few_people_strangers_are_not_named_and_those_enrolled_are() {
    let Some(att) = crate::support::real_data("att") else { return };
    let folder = scratch();
    for person in 1..=4 {
        for photo in 1..=5 {
            let to = folder.path().join(format!("faces/s{person}"));
            fs::create_dir_all(&to).unwrap();
            let name = format!("s{person}/{photo}.pgm");
            fs::copy(att.join(&name), folder.path().join("faces").join(&name)).unwrap();
        }
    }
    let classic = ["enroll", "faces", "--background", "none", "-m", "none.npz"];
    let enrolled = run(folder.path(), classic).done();
    assert!(
        enrolled.stderr.contains("with 4 people enrolled there are too few to tell strangers from them"),
        "{}",
        enrolled.stderr
    );
    run(folder.path(), ["enroll", "faces"]).done();
    let identify = |model: &str, photos: Vec<std::path::PathBuf>| {
        let mut args: Vec<std::ffi::OsString> = vec!["identify".into(), "-m".into(), model.into()];
        args.extend(photos.into_iter().map(Into::into));
        let found = run(folder.path(), args).done().stdout;
        let has_no_name = |line: &&str| line.contains(": unknown (") || line.contains(": not a face");
        let named = found.lines().filter(|line| !has_no_name(line));
        (named.count(), found)
    };
    let strangers = || (5..=40).map(|person| att.join(format!("s{person}/1.pgm")));
    let other_photos = || {
        (1..=4).flat_map(|person| {
            let att = att.clone();
            (6..=10).map(move |photo| att.join(format!("s{person}/{photo}.pgm")))
        })
    };
    for model in ["none.npz", "eigenfaces.npz"] {
        let (named, found) = identify(model, strangers().collect());
        assert_eq!(named, 0, "{model}: {found}");
    }
    let (named, found) = identify("none.npz", other_photos().collect());
    assert_eq!(named, 0, "{found}");
    // In laboratory light 97 % of the photos of five people are named (docs/RECIPES.md).
    let (named, found) = identify("eigenfaces.npz", other_photos().collect());
    assert!(named >= 18, "{found}");
    for line in found.lines().filter(|line| !line.contains(": unknown (")) {
        let person = line.split('/').rev().nth(1).unwrap();
        assert!(line.contains(&format!(": {person} (")), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_among_the_photos_is_named() {
    let folder = with_one_bad("ignored.txt", b"");
    let pipe = folder.path().join("faces/Ada/pipe.png");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no mkfifo");
        return;
    }
    run(folder.path(), ["enroll", "faces"]).ended(3, &["pipe.png", "pipe or device"]);
    run(folder.path(), ["enroll", "faces/Ada/pipe.png"]).failed_saying(&["pipe.png"]);
}

/// Records come in the order of what was named, the missing and the unusable among them.
#[test]
fn records_are_in_the_order_of_the_input() {
    let folder = crate::enrolled();
    let ada = crate::text(crate::support::photo_of_ada());
    fs::write(folder.path().join("text.jpg"), "hello").unwrap();
    let named = ["gone-1.png", ada, "gone-2.png", "text.jpg", "gone-3.png"];
    let args = ["identify", "--format", "json"].iter().chain(&named);
    let said = run(folder.path(), args);
    let photos: Vec<String> = said
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|record| record["photo"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(photos, named);
    assert_eq!(said.code, 3);
}
