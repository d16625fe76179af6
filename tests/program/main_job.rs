//! Enrol, identify, look: on the bundled gallery and on real faces.

use std::path::Path;

use serde_json::Value;

use crate::support::{bundled_faces, photo_of_ada, probes, real_data, scratch};
use crate::{enrolled_without_background, program, run, text};

/// Between a name and none: `probably Ada (87 %; a name needs more than 90 %)`.
fn is_probable(said: &str) -> bool {
    said.starts_with("probably ") && said.contains("; a name needs more than ")
}

/// How many of the bundled probes are said to be who they are, and are closest to them without being named. Strangers
/// and what is no face must be said to be that.
fn said_of_probes(said: &str) -> (usize, usize) {
    let (mut named, mut closest) = (0, 0);
    for line in said.lines() {
        let (photo, said) = line.split_once(": ").unwrap();
        let photo = Path::new(photo).file_stem().unwrap().to_str().unwrap();
        if photo.starts_with("stranger") {
            let has_no_name = said.starts_with("unknown (closest: ") || is_probable(said);
            assert!(has_no_name, "{line}");
        } else if photo == "not-a-face" {
            assert_eq!(said, "not a face", "{line}");
        } else {
            let lower = said.to_lowercase();
            named += usize::from(lower.starts_with(&format!("{photo} (")));
            let is_probably = is_probable(said) && lower.starts_with(&format!("probably {photo} ("));
            let is_closest = lower.contains(&format!("closest: {photo},"));
            closest += usize::from(is_probably || is_closest);
        }
    }
    (named, closest)
}

#[test]
fn the_bundled_people_are_named_and_others_are_not() {
    let folder = scratch();
    run(folder.path(), ["enroll", text(bundled_faces())]).done();
    let found = run(folder.path(), ["identify", text(probes())]).done();
    let (named, closest) = said_of_probes(&found.stdout);
    assert_eq!((named, closest), (6, 0), "{}", found.stdout);
    assert!(!found.stdout.contains("probably"), "{}", found.stdout);
    assert!(!found.stdout.contains("100 %"), "nothing is certain: {}", found.stdout);
}

#[test]
fn without_the_background_model_some_are_not_named_but_nearest_to_themselves() {
    let folder = enrolled_without_background();
    let found = run(folder.path(), ["identify", text(probes())]).done();
    let (named, closest) = said_of_probes(&found.stdout);
    // With 14 people enrolled, a stranger is kept out in 99 of 100 cases by refusing most who are known.
    assert_eq!(named + closest, 6, "{}", found.stdout);
}

#[test]
fn identifying_from_a_folder_leaves_no_model_behind() {
    let folder = scratch();
    let args = ["identify", "--faces", text(bundled_faces()), text(photo_of_ada())];
    let found = run(folder.path(), args).done();
    assert!(found.stdout.contains("Ada ("), "{}", found.stdout);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn enrolling_again_adds_nothing_and_changes_nothing() {
    let folder = scratch();
    run(folder.path(), ["enroll", text(bundled_faces())]).done();
    let model = folder.path().join("eigenfaces.npz");
    let before = std::fs::read(&model).unwrap();
    let again = run(folder.path(), ["enroll", text(bundled_faces())]).done();
    assert!(again.stderr.contains("enrolled 0 faces"), "{}", again.stderr);
    assert!(again.stderr.contains("already"), "{}", again.stderr);
    assert!(std::fs::read(&model).unwrap() == before, "the model is the same to the byte");
}

#[test]
fn a_gallery_that_grew_is_the_gallery_enrolled_at_once() {
    let folder = scratch();
    let people: Vec<_> = {
        let mut all: Vec<_> = std::fs::read_dir(bundled_faces())
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|path| path.is_dir())
            .collect();
        all.sort();
        all
    };
    let half = scratch();
    for person in &people[..people.len() / 2] {
        copy(person, &half.path().join(person.file_name().unwrap()));
    }
    // The same photos under another path are the same photos: sources differ, so compare what was learned.
    let size = ["--size", "48x56"];
    let with = |faces: &Path, model: &str| {
        run(folder.path(), ["enroll", text(faces), "-m", model].iter().chain(&size)).done();
    };
    with(bundled_faces(), "once.npz");
    with(half.path(), "twice.npz");
    run(folder.path(), ["enroll", text(bundled_faces()), "-m", "twice.npz"]).done();
    let load = |name: &str| eigenfaces::store::load(&folder.path().join(name)).unwrap();
    let (once, twice) = (load("once.npz"), load("twice.npz"));
    assert_eq!(once.gallery().people(), twice.gallery().people());
    assert_eq!(once.space(), twice.space(), "bit for bit");
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

#[test]
fn threads_do_not_change_the_model() {
    let folder = scratch();
    for threads in ["1", "2", "3"] {
        let model = format!("{threads}.npz");
        let args = ["enroll", text(bundled_faces()), "-m", &model, "--threads", threads];
        run(folder.path(), args).done();
    }
    let bytes = |threads: &str| std::fs::read(folder.path().join(format!("{threads}.npz"))).unwrap();
    assert!(bytes("1") == bytes("2") && bytes("2") == bytes("3"));
}

#[test]
fn json_has_the_fields_that_scripts_depend_on() {
    let folder = scratch();
    for background in ["none", "bundled"] {
        let model = ["--background", background, "-m", background];
        let enroll = ["enroll", text(bundled_faces())];
        run(folder.path(), enroll.iter().chain(&model)).done();
        let ada = text(photo_of_ada());
        let args = ["identify", ada, "--format", "json", "--top", "3", "-m", background];
        let found = run(folder.path(), args).done();
        let object: Value = serde_json::from_str(found.stdout.trim()).unwrap();
        let face = &object["faces"][0];
        assert_eq!(face["candidates"][0]["person"], "Ada");
        if background == "bundled" {
            assert_eq!(face["decision"], "known");
            assert_eq!(face["person"], "Ada");
            assert_eq!(face["probable"], false);
        }
        assert!(face["confidence"].as_f64().unwrap() > 0.5);
        assert!(face["residual"].as_f64().unwrap() > 0.0);
        let candidates = face["candidates"].as_array().unwrap();
        assert_eq!(candidates.len(), 3);
        let distances: Vec<f64> = candidates.iter().map(|candidate| candidate["distance"].as_f64().unwrap()).collect();
        assert!(distances.is_sorted(), "{distances:?}");
        assert_eq!(face["distance"].as_f64(), Some(distances[0]));
        // Without the background model crops are taken as they are, and confidences are no share of a whole.
        if background == "none" {
            assert!(face["box"].is_null() && face["eyes"].is_null());
            assert!(face["somebody_else"].is_null());
        } else {
            assert_eq!(face["box"].as_array().unwrap().len(), 4);
            assert_eq!(face["eyes"].as_array().unwrap().len(), 2);
            let sum: f64 = candidates.iter().map(|candidate| candidate["confidence"].as_f64().unwrap()).sum();
            let stranger = face["somebody_else"].as_f64().unwrap();
            assert!(stranger < 0.01 && sum + stranger < 1.0 + 1e-9, "{face}");
        }
    }
}

#[test]
fn csv_has_the_columns_that_scripts_depend_on() {
    let folder = scratch();
    let args = ["identify", "--faces", text(bundled_faces()), text(probes()), "--format", "csv"];
    let found = run(folder.path(), args).done();
    let mut reader = csv::Reader::from_reader(found.stdout.as_bytes());
    assert_eq!(
        reader.headers().unwrap().iter().collect::<Vec<_>>().join(","),
        "photo,face,x,y,width,height,decision,person,confidence,distance,closest,probable,error"
    );
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), std::fs::read_dir(probes()).unwrap().count());
    for row in rows {
        assert_eq!(row[7].is_empty(), &row[6] != "known", "{row:?}");
    }
}

#[test]
fn a_photo_of_the_gallery_is_at_distance_zero_from_itself() {
    let folder = scratch();
    run(folder.path(), ["enroll", text(bundled_faces())]).done();
    let photo = bundled_faces().join("Ada/1.png");
    let found = run(folder.path(), ["identify", text(&photo), "--format", "json"]).done();
    let object: Value = serde_json::from_str(found.stdout.trim()).unwrap();
    assert_eq!(object["faces"][0]["distance"].as_f64(), Some(0.0));
}

#[test]
fn basis_of_a_folder_needs_no_model_and_streams() {
    let folder = scratch();
    // 112 faces of 64 pixels are summed up while they are read; of 47x55 they are held in memory.
    for size in ["8x8", "47x55"] {
        let wanted = ["--size", size, "--components", "5", "-o", size];
        let faces = ["basis", "--faces", text(bundled_faces())];
        run(folder.path(), faces.into_iter().chain(wanted)).done();
        let table = std::fs::read_to_string(folder.path().join(size).join("spectrum.csv")).unwrap();
        assert_eq!(table.lines().count(), 6, "{table}");
        assert!(folder.path().join(size).join("basis-005.png").exists());
    }
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    run(folder.path(), ["basis", "--faces", "empty", "-o", "x"]).ended(1, &["empty"]);
    run(folder.path(), ["basis", "--size", "8x8", "-o", "x"]).ended(2, &["--faces"]);
}

#[test]
fn basis_writes_pictures_a_plot_and_a_table() {
    let folder = scratch();
    run(folder.path(), ["enroll", text(bundled_faces()), "--components", "12"]).done();
    run(folder.path(), ["basis", "-o", "out/deep"]).done();
    let out = folder.path().join("out/deep");
    let mean = image::open(out.join("mean.png")).unwrap().into_luma8();
    for number in 1..=12 {
        let face = image::open(out.join(format!("basis-{number:03}.png"))).unwrap().into_luma8();
        assert_eq!(face.dimensions(), mean.dimensions());
        // Symmetric about mid-gray: the largest magnitude is black or white, zero is 128.
        let far = face.pixels().map(|pixel| pixel[0].abs_diff(128)).max().unwrap();
        assert_eq!(far, 127, "basis face {number}");
    }
    assert!(!out.join("basis-013.png").exists());
    let sheet = image::open(out.join("sheet.png")).unwrap();
    assert!(sheet.width() > 500 && sheet.height() > 100);
    let table = std::fs::read_to_string(out.join("spectrum.csv")).unwrap();
    assert_eq!(table.lines().next(), Some("component,eigenvalue,ratio,cumulative"));
    assert_eq!(table.lines().count(), 13);
    assert!(std::fs::read_to_string(out.join("scree.svg")).unwrap().contains("K = 12"));
}

#[test]
fn people_and_info_say_what_is_there() {
    let folder = scratch();
    run(folder.path(), ["enroll", text(bundled_faces())]).done();
    let people = run(folder.path(), ["people"]).done();
    assert!(people.stdout.starts_with("Ada (8 faces)\n"), "{}", people.stdout);
    assert_eq!(run(folder.path(), ["people", "list"]).done().stdout, people.stdout);
    let info = run(folder.path(), ["info", "--format", "json"]).done();
    let object: Value = serde_json::from_str(&info.stdout).unwrap();
    assert_eq!(object["people"], people.stdout.lines().count());
    assert!(run(folder.path(), ["info"]).done().stdout.contains("% of the variance"));
}

#[test]
fn the_environment_names_the_model() {
    let folder = scratch();
    let enrolled = program(folder.path())
        .args(["enroll", text(bundled_faces())])
        .env("EIGENFACES_MODEL", "mine.npz")
        .output()
        .unwrap();
    assert!(enrolled.status.success());
    assert!(folder.path().join("mine.npz").exists());
    let said = String::from_utf8(enrolled.stderr).unwrap();
    assert!(said.contains("identify PHOTO --model mine.npz"), "{said}");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = scratch();
    run(folder.path(), ["enroll", text(bundled_faces())]).done();
    let ended = crate::unread(folder.path(), &["people"]);
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn quiet_says_results_only() {
    let folder = scratch();
    let enrolled = run(folder.path(), ["enroll", "-q", text(bundled_faces())]).done();
    assert_eq!(enrolled.stderr, "");
    assert_eq!(enrolled.stdout, "");
}

#[test]
fn completions_and_the_manual_name_every_command() {
    let folder = scratch();
    for args in [vec!["completions", "bash"], vec!["man"], vec!["--help"]] {
        let said = run(folder.path(), &args).done().stdout;
        for command in ["enroll", "identify", "basis", "people", "info"] {
            assert!(said.contains(command), "{args:?} is silent about {command}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page_of_its_own() {
    let folder = scratch();
    let write = || run(folder.path(), ["man", "-o", "man1"]);
    write().done();
    let help = run(folder.path(), ["--help"]).done().stdout;
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let names = commands
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help");
    let mut pages = 0;
    for name in names.chain(["people rename"]) {
        let page = folder.path().join(format!("man1/eigenfaces-{}.1", name.replace(' ', "-")));
        let page = std::fs::read_to_string(&page).expect(name);
        assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{page}");
        pages += 1;
    }
    assert!(pages > 15, "{help}");
    let whole = std::fs::read_to_string(folder.path().join("man1/eigenfaces.1")).unwrap();
    assert!(whole.contains(".SH SUBCOMMANDS"), "{whole}");
    // A later version's pages replace these; files that are somebody else's stay.
    write().done();
    std::fs::create_dir(folder.path().join("other")).unwrap();
    std::fs::write(folder.path().join("other/eigenfaces.1"), "mine").unwrap();
    run(folder.path(), ["man", "-o", "other"]).failed_saying(&["eigenfaces.1", "--force"]);
    run(folder.path(), ["man", "-o", "other", "--force"]).done();
}

#[test]
fn att_learning_from_five_photos_names_nine_in_ten() {
    let Some(att) = real_data("att") else { return };
    let folder = scratch();
    let (learn, probes) = (folder.path().join("learn"), folder.path().join("probes"));
    for person in 1..=40 {
        for photo in 1..=10 {
            let to = if photo <= 5 { &learn } else { &probes };
            let to = to.join(format!("s{person}"));
            std::fs::create_dir_all(&to).unwrap();
            let name = format!("{photo}.pgm");
            std::fs::copy(att.join(format!("s{person}/{name}")), to.join(&name)).unwrap();
        }
    }
    // By what the gallery alone teaches, nobody need be named; with the background model, nine in ten are.
    for (background, least_right, least_named) in [("none", 165, 0), ("bundled", 195, 180)] {
        let model = ["--background", background, "-m", background];
        run(folder.path(), ["enroll", "learn"].iter().chain(&model)).done();
        let args = ["identify", "probes", "--format", "json", "-m", background];
        let found = run(folder.path(), args).done();
        let (mut right, mut named, mut wrong) = (0, 0, 0);
        for line in found.stdout.lines() {
            let object: Value = serde_json::from_str(line).unwrap();
            let photo = object["photo"].as_str().unwrap().to_owned();
            // A photo in which no face is found has no candidates.
            let face = &object["faces"][0];
            let is_right = |person: &Value| {
                let person = person.as_str();
                person.is_some_and(|person| photo.contains(&format!("/{person}/")))
            };
            right += usize::from(is_right(&face["candidates"][0]["person"]));
            named += usize::from(is_right(&face["person"]));
            wrong += usize::from(!face["person"].is_null() && !is_right(&face["person"]));
        }
        assert_eq!(found.stdout.lines().count(), 200);
        println!("AT&T, first:5, {background}: rank-1 {right}, named {named}, {wrong} wrong");
        assert!(right >= least_right, "{background}: {right} of 200");
        assert!(named >= least_named, "{background}: {named} of 200");
        assert!(wrong <= 2, "{background}: {wrong} of 200");
    }
}
