//! `group`: a folder of photos of nobody in particular, put into groups, named, and enrolled.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{bundled_faces, group_photo, listed, real_data, scratch, with_text};
use crate::{Run, run};

/// All bundled photos of some people in one folder, under names that tell nobody.
fn jumbled(folder: &Path, people: &[&str]) -> BTreeMap<String, String> {
    let mut person_of = BTreeMap::new();
    fs::create_dir_all(folder).unwrap();
    for (number, person) in people.iter().enumerate() {
        for (photo, file) in fs::read_dir(bundled_faces().join(person)).unwrap().enumerate() {
            let name = format!("{}{}.png", photo * 7 % 10, number * 3 % 10);
            fs::copy(file.unwrap().path(), folder.join(&name)).unwrap();
            person_of.insert(name, (*person).to_owned());
        }
    }
    person_of
}

fn lines(run: &Run) -> Vec<Value> {
    let lines = run.stdout.lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The photos of each group.
fn groups(run: &Run) -> Vec<Vec<String>> {
    let photo = |face: &Value| {
        let path = face["photo"].as_str().unwrap();
        Path::new(path).file_name().unwrap().to_string_lossy().into_owned()
    };
    lines(run)
        .iter()
        .filter(|line| line.get("group").is_some())
        .map(|group| group["faces"].as_array().unwrap().iter().map(photo).collect())
        .collect()
}

const PEOPLE: [&str; 3] = ["Ada", "Farid", "Keiko"];

#[test]
fn a_jumble_is_grouped_named_and_enrolled() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    let person_of = jumbled(&at("photos"), &PEOPLE);
    let first = run(folder.path(), ["group", "photos", "-o", "names", "--format", "json"]).done();
    assert!(first.stderr.contains("looked at"), "{}", first.stderr);
    assert!(first.stderr.contains("wrote photos/eigenfaces.faces"), "{}", first.stderr);
    let found = groups(&first);
    let mixed = found.iter().filter(|group| {
        let people: Vec<_> = group.iter().map(|photo| &person_of[photo]).collect();
        people.windows(2).any(|pair| pair[0] != pair[1])
    });
    assert_eq!(mixed.count(), 0, "{found:?}");
    assert!(found[0].len() > 3, "{found:?}");
    let picture = image::open(at("names/groups.png")).unwrap();
    assert!(picture.width() > 300 && picture.height() > 100);

    // The second time nothing is looked at, and the same comes out; another order of files changes nothing.
    let again = run(folder.path(), ["group", "photos", "--format", "json"]).done();
    assert!(again.stderr.contains(" 0 looked at"), "{}", again.stderr);
    assert!(!again.stderr.contains("wrote"), "{}", again.stderr);
    assert_eq!(again.stdout, first.stdout);
    let one_thread = run(folder.path(), ["group", "photos", "--format", "json", "--threads", "1"]).done();
    assert_eq!(one_thread.stdout, first.stdout);

    // A name in any row of a group is for all of it.
    let table = fs::read_to_string(at("names/groups.csv")).unwrap();
    let ada = person_of.iter().find(|(_, person)| *person == "Ada").unwrap().0;
    let row = table.lines().find(|line| line.contains(ada.as_str())).unwrap();
    let group = row.split(',').next().unwrap();
    let named = row.replacen(&format!("{group},,"), &format!("{group},Ada,"), 1);
    fs::write(at("names/groups.csv"), table.replacen(row, &named, 1)).unwrap();
    let told = run(folder.path(), ["group", "--apply", "names/groups.csv", "--dry-run"]).done();
    assert!(told.stdout.contains("would enrol"), "{}", told.stdout);
    assert!(!at("eigenfaces.npz").exists());
    run(folder.path(), ["group", "photos", "-o", "names"]).failed_saying(&["groups.csv", "names typed in"]);
    run(folder.path(), ["group", "--apply", "names/groups.csv", "--write-xmp"]).done();
    let people = run(folder.path(), ["people"]).done();
    assert!(people.stdout.starts_with("Ada ("), "{}", people.stdout);
    let sidecar = fs::read_to_string(at(&format!("photos/{ada}.xmp"))).unwrap();
    assert!(sidecar.contains("<mwg-rs:Name>Ada</mwg-rs:Name>"), "{sidecar}");

    // Who was named is known from then on; and whoever reads the names from the sidecars enrols the same faces.
    let known = run(folder.path(), ["group", "photos"]).done();
    assert!(known.stdout.starts_with("Ada: "), "{}", known.stdout);
    let table = run(folder.path(), ["group", "photos", "--format", "csv"]).done();
    let note = "faces of 1 person were recognised";
    assert!(table.stderr.contains(note), "{}", table.stderr);
    run(folder.path(), ["enroll", "photos", "--labels", "xmp", "-m", "xmp.npz"]).done();
    let from_xmp = run(folder.path(), ["people", "-m", "xmp.npz"]).done();
    assert_eq!(from_xmp.stdout, people.stdout);
}

#[test]
fn what_is_wrong_here_is_remembered() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    jumbled(&at("photos"), &["Ada"]);
    run(folder.path(), ["group", "photos", "-o", "names"]).done();
    let table = fs::read_to_string(at("names/groups.csv")).unwrap();
    let first_group = table.lines().filter(|line| line.starts_with("1,")).count();
    assert!(first_group > 2, "{table}");
    fs::write(at("names/groups.csv"), table.replacen("\n1,,", "\n1,-,", 1)).unwrap();
    run(folder.path(), ["group", "--apply", "names/groups.csv"]).done();
    let apart = run(folder.path(), ["group", "photos", "--format", "csv"]).done();
    let wrong = table.lines().nth(1).unwrap().split(',').nth(2).unwrap();
    let row = apart.stdout.lines().find(|line| line.contains(wrong)).unwrap();
    let group = row.split(',').next().unwrap();
    let together = apart.stdout.lines().filter(|line| line.starts_with(&format!("{group},")));
    assert_eq!(together.count(), 1, "{}", apart.stdout);
    // Whom nobody wants to name is left out.
    fs::write(at("names/groups.csv"), table.replacen("\n1,,", "\n1,ignore,", 1)).unwrap();
    run(folder.path(), ["group", "--apply", "names/groups.csv"]).done();
    let left = run(folder.path(), ["group", "photos", "--format", "csv"]).done();
    assert_eq!(left.stdout.lines().count(), table.lines().count() - first_group);
}

/// What was said of one group changes no other, and holds although its faces would be recognised.
#[test]
fn naming_a_group_leaves_the_others_as_they_are() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    jumbled(&at("photos"), &PEOPLE);
    let before = run(folder.path(), ["group", "photos", "-o", "names", "--format", "json"]).done();
    let before = groups(&before);
    let table = fs::read_to_string(at("names/groups.csv")).unwrap();
    let named = table.replacen("\n1,,", "\n1,-,", 1);
    let named = named.replacen("\n1,,", "\n1,Zoe,", 1);
    fs::write(at("names/groups.csv"), &named).unwrap();
    let wrong = named.lines().nth(1).unwrap().split(',').nth(2).unwrap();
    let wrong = Path::new(wrong).file_name().unwrap().to_str().unwrap();
    let apply = ["group", "--apply", "names/groups.csv"];
    let told = run(folder.path(), apply).done();
    let new = before[0].len() - 1;
    let enrolled = format!("enrolled {new} faces; {new} faces of 1 person");
    assert!(told.stderr.contains(&enrolled), "{}", told.stderr);

    let after = run(folder.path(), ["group", "photos", "--format", "json"]).done();
    let of_zoe = lines(&after).into_iter().find(|line| line["person"] == "Zoe").unwrap();
    assert!(!of_zoe["faces"].to_string().contains(wrong), "{of_zoe}");
    // What was not recognised as hers stands where it stood.
    let after = groups(&after);
    for group in &before[1..] {
        let is_hers = |photo: &&String| of_zoe["faces"].to_string().contains(photo.as_str());
        if !group.iter().any(|photo| is_hers(&photo)) {
            assert!(after.contains(group), "{group:?} of {before:?}, {after:?}");
        }
    }

    // The same again is nothing new.
    let again = run(folder.path(), [&apply[..], &["--dry-run"]].concat()).done();
    assert!(again.stdout.contains("would enrol 0 faces"), "{}", again.stdout);
    let again = run(folder.path(), apply).done();
    assert!(again.stderr.contains("nothing new to enrol"), "{}", again.stderr);
}

/// Whatever was typed and is not done yet, and a table that cannot be read, stay.
#[test]
fn answers_that_are_not_applied_are_not_replaced() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    jumbled(&at("photos"), &["Ada", "Keiko"]);
    let group = ["group", "photos", "-o", "names"];
    run(folder.path(), group).done();
    let table = fs::read_to_string(at("names/groups.csv")).unwrap();
    let second = table.replacen("\n2,,", "\n2,Keiko,", 1);
    let typed = [
        second.replacen("\n1,,", "\n1,ignore,", 1),
        second.replacen("\n1,,", "\n1,-,", 1),
        table.replacen("\n1,,", "\n1,Keiko,", 1), // who is enrolled by then, of other faces
        table.replacen("face,", "number,", 1),
    ];
    for typed in &typed {
        fs::write(at("names/groups.csv"), typed).unwrap();
        run(folder.path(), group).failed_saying(&["groups.csv", "names typed in", "apply it first"]);
        assert_eq!(&fs::read_to_string(at("names/groups.csv")).unwrap(), typed);
        if typed.contains("\n2,Keiko,") {
            run(folder.path(), ["group", "--apply", "names/groups.csv"]).done();
            run(folder.path(), group).done();
            fs::write(at("names/groups.csv"), &table).unwrap();
        }
    }
    run(folder.path(), [&group[..], &["--force"]].concat()).done();
}

/// A reader that goes away keeps nothing from being written.
#[test]
fn a_table_is_written_whoever_reads_the_list() {
    let folder = scratch();
    jumbled(&folder.path().join("photos"), &["Ada"]);
    let ended = crate::unread(folder.path(), &["group", "photos", "-o", "names"]);
    assert!(ended.status.success());
    assert!(folder.path().join("names/groups.csv").is_file());
}

/// A keyword that another program gives a photo makes it another file, and no other photo.
#[test]
fn what_was_said_holds_when_a_photo_gets_other_metadata() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    jumbled(&at("photos"), &["Ada"]);
    let left = || rows(&run(folder.path(), ["group", "photos", "--format", "csv"]).done());
    let all = left();
    table_naming(folder.path(), "ignore");
    run(folder.path(), ["group", "--apply", "names/groups.csv"]).done();
    let before = left();
    assert!(before < all);
    for photo in fs::read_dir(at("photos")).unwrap() {
        let photo = photo.unwrap().path();
        if photo.extension().is_some_and(|extension| extension == "png") {
            fs::write(&photo, with_text(&fs::read(&photo).unwrap())).unwrap();
        }
    }
    assert_eq!(left(), before);
}

/// A model whose faces were prepared otherwise than those of an index keeps nobody from grouping again.
#[test]
fn names_in_a_model_of_another_size_are_applied_too() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    jumbled(&at("photos"), &["Ada"]);
    jumbled(&at("faces/Boris"), &["Boris"]);
    run(folder.path(), ["enroll", "faces", "--size", "32x37"]).done();
    table_naming(folder.path(), "Zoe");
    run(folder.path(), ["group", "--apply", "names/groups.csv"]).done();
    run(folder.path(), ["group", "photos", "-o", "names"]).done();
}

#[test]
fn wrong_turns_are_told() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    run(folder.path(), ["group", "nowhere"]).failed_saying(&["nowhere"]);
    run(folder.path(), ["group"]).ended(2, &["FOLDER"]);
    fs::create_dir(at("empty")).unwrap();
    run(folder.path(), ["group", "empty"]).failed_saying(&["empty"]);
    fs::write(at("one.png"), fs::read(group_photo()).unwrap()).unwrap();
    run(folder.path(), ["group", "one.png"]).failed_saying(&["no folder", "identify"]);
    run(folder.path(), ["group", "--apply", "none.csv"]).failed_saying(&["none.csv"]);
    fs::write(at("other.csv"), "path,person\na,b\n").unwrap();
    run(folder.path(), ["group", "--apply", "other.csv"]).failed_saying(&["other.csv", "column"]);
    fs::write(at("empty/notes.jpg"), "no photo").unwrap();
    run(folder.path(), ["group", "empty"]).ended(1, &["notes.jpg"]);
    fs::write(at("empty/eigenfaces.faces"), "no index").unwrap();
    run(folder.path(), ["group", "empty"]).failed_saying(&["eigenfaces.faces"]);
}

#[test]
fn faces_of_one_photo_are_different_people() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("photos")).unwrap();
    fs::copy(group_photo(), at("photos/party.png")).unwrap();
    fs::copy(group_photo(), at("photos/copy.png")).unwrap();
    let found = groups(&run(folder.path(), ["group", "photos", "--format", "json"]).done());
    assert_eq!(found.concat().len(), 3, "two copies are one photo: {found:?}");
    assert!(found.iter().all(|group| group.len() == 1), "{found:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let about = at("photos/eigenfaces.faces").metadata().unwrap();
        assert_eq!(about.permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn photos_are_sorted_by_person() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    run(folder.path(), ["enroll", crate::text(bundled_faces())]).done();
    fs::create_dir(at("photos")).unwrap();
    fs::copy(group_photo(), at("photos/party.png")).unwrap();
    fs::copy(crate::support::photo_of_ada(), at("photos/ada.png")).unwrap();
    let probe = |name: &str| crate::support::probes().join(name);
    fs::copy(probe("not-a-face.png"), at("photos/thing.png")).unwrap();
    fs::copy(probe("stranger-1.png"), at("photos/stranger.png")).unwrap();
    let sort = |options: &[&str]| {
        let all = [&["identify", "photos", "--sort-into", "by-person"], options].concat();
        run(folder.path(), all).done()
    };
    let told = sort(&[]);
    assert!(told.stderr.contains("would sort 2 photos into by-person/Ada"), "{}", told.stderr);
    assert!(!at("by-person").exists());
    sort(&["--link"]);
    for (name, there) in [("Ada/party.png", true), ("Ada/ada.png", true), ("Farid/party.png", true), ("unknown", false)]
    {
        assert_eq!(at("by-person").join(name).exists(), there, "{name}");
    }
    assert_eq!(fs::read(at("by-person/Ada/ada.png")).unwrap(), fs::read(at("photos/ada.png")).unwrap());
    // Of a photo and its links the photo counts.
    let all = run(folder.path(), ["identify", ".", "--format", "json"]).done();
    assert!(all.stdout.contains("photos/ada.png") && !all.stdout.contains("by-person"), "{}", all.stdout);
    // Again nothing is new; a file of the same name that is another stays.
    let again = sort(&["--copy", "--sort-all"]);
    assert!(again.stderr.contains("there already"), "{}", again.stderr);
    assert!(at("by-person/unknown/stranger.png").exists() && at("by-person/no-face/thing.png").exists());
    fs::remove_file(at("by-person/Ada/ada.png")).unwrap();
    fs::write(at("by-person/Ada/ada.png"), "mine").unwrap();
    sort(&["--copy"]);
    assert_eq!(fs::read(at("by-person/Ada/ada.png")).unwrap(), b"mine");
    assert!(at("by-person/Ada/ada (2).png").exists());
}

#[test]
fn what_cannot_be_sorted_is_not_counted() {
    let folder = crate::enrolled();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("all/inbox")).unwrap();
    fs::copy(crate::support::photo_of_ada(), at("all/inbox/ada.png")).unwrap();
    // Nothing can be made in a file.
    fs::create_dir(at("sorted")).unwrap();
    fs::write(at("sorted/Ada"), "a file").unwrap();
    let sort = |photos: &str, into: &str| run(folder.path(), ["identify", photos, "--sort-into", into, "--copy"]);
    let failed = sort("all/inbox", "sorted");
    failed.ended(3, &["copied 0 photos into sorted/Ada"]);
    // Photos below the folder that they are sorted into are an earlier run's, but for those that are named.
    sort("all/inbox", "all").failed_saying(&["all photos lie below it"]);
    let named = sort("all/inbox/ada.png", "all").done();
    assert!(named.stdout.contains("Ada"), "{}", named.stdout);
    assert!(at("all/Ada/ada.png").exists());
    fs::copy(group_photo(), at("party.png")).unwrap();
    let again = run(folder.path(), ["identify", "party.png", "all", "--sort-into", "all", "--copy"]);
    again.ended(0, &["2 photos in all left out"]);
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = crate::enrolled();
    let ada = crate::text(crate::support::photo_of_ada());
    for (option, value) in [("--sort-into", "out"), ("--annotate", "out")] {
        let both = ["identify", ada, "--write-xmp", "--dry-run", option, value];
        run(folder.path(), both).ended(2, &[option]);
    }
    fs::create_dir(folder.path().join("photos")).unwrap();
    fs::copy(group_photo(), folder.path().join("photos/party.png")).unwrap();
    run(folder.path(), ["group", "photos", "--dry-run"]).ended(2, &["--apply", "eigenfaces group"]);
    assert!(!folder.path().join("out").exists());
    assert!(!folder.path().join("photos/eigenfaces.faces").exists());
}

#[test]
fn names_are_written_beside_photos_and_stay_as_people_gave_them() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    run(folder.path(), ["enroll", crate::text(bundled_faces())]).done();
    fs::create_dir(at("photos")).unwrap();
    fs::copy(group_photo(), at("photos/party.png")).unwrap();
    let before = fs::read(at("photos/party.png")).unwrap();
    let write = |options: &[&str]| run(folder.path(), [&["identify", "photos", "--write-xmp"], options].concat());
    let told = write(&["--dry-run"]).done();
    assert!(told.stderr.contains("would write 2 names into 1 sidecar"), "{}", told.stderr);
    assert!(!at("photos/party.png.xmp").exists());
    write(&[]).done();
    let sidecar = fs::read_to_string(at("photos/party.png.xmp")).unwrap();
    assert!(sidecar.contains("Ada") && sidecar.contains("Farid"), "{sidecar}");
    let again = write(&[]).done();
    assert!(again.stderr.contains("wrote 0 names into 0 sidecars"), "{}", again.stderr);
    // A person corrects a name.
    let corrected = sidecar.replace("<mwg-rs:Name>Ada<", "<mwg-rs:Name>Adele<");
    fs::write(at("photos/party.png.xmp"), &corrected).unwrap();
    let third = write(&[]).done();
    assert!(third.stderr.contains("Adele stays"), "{}", third.stderr);
    // The keyword of the name that was wrong goes; the correction stays.
    let after = fs::read_to_string(at("photos/party.png.xmp")).unwrap();
    assert!(after.contains("<mwg-rs:Name>Adele<"), "{after}");
    assert!(!after.contains("<rdf:li>Ada<") && !after.contains("People|Ada<"), "{after}");
    // One that cannot be read is left as it is.
    fs::write(at("photos/party.png.xmp"), "<x:xmpmeta").unwrap();
    write(&[]).ended(3, &["party.png.xmp"]);
    assert_eq!(fs::read(at("photos/party.png.xmp")).unwrap(), b"<x:xmpmeta");
    assert_eq!(fs::read(at("photos/party.png")).unwrap(), before);
}

#[test]
fn real_people_are_grouped() {
    let Some(lfw) = real_data("lfw") else { return };
    let folder = scratch();
    let photos = folder.path().join("photos");
    fs::create_dir(&photos).unwrap();
    let people = listed(&lfw);
    for photo in people[..6].iter().flat_map(|person| fs::read_dir(person).unwrap()) {
        let photo = photo.unwrap().path();
        fs::copy(&photo, photos.join(photo.file_name().unwrap())).unwrap();
    }
    let found = groups(&run(folder.path(), ["group", "photos", "--format", "json"]).done());
    // Of 120 faces of six people all but one stand among their own, in 30 groups (50 where the people's own mean is
    // taken for that of a kind of photos).
    let person = |photo: &String| photo.rsplit_once('_').unwrap().0.to_owned();
    let all: usize = found.iter().map(Vec::len).sum();
    let right: usize = found
        .iter()
        .map(|group| {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            group.iter().for_each(|photo| *counts.entry(person(photo)).or_default() += 1);
            counts.into_values().max().unwrap_or(0)
        })
        .sum();
    assert!(all > 100 && right * 100 >= all * 97, "{right} of {all}");
    assert!(found.len() <= all / 3, "{} groups of {all} faces", found.len());
}

/// A group named in a table that `group -o names` wrote for `photos`.
fn table_naming(folder: &Path, name: &str) -> String {
    run(folder, ["group", "photos", "-o", "names", "--force"]).done();
    let table = fs::read_to_string(folder.join("names/groups.csv")).unwrap();
    let named = table.replacen("\n1,,", &format!("\n1,{name},"), 1);
    fs::write(folder.join("names/groups.csv"), &named).unwrap();
    named
}

fn rows(run: &Run) -> usize {
    run.stdout.lines().count()
}

#[test]
fn what_was_said_outlives_photos_that_are_away() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    jumbled(&at("photos"), &["Ada"]);
    let table = |options: &[&str]| {
        let all = [&["group", "photos", "--format", "csv"], options].concat();
        rows(&run(folder.path(), all).done())
    };
    let all = table(&[]);
    table_naming(folder.path(), "Ignore");
    run(folder.path(), ["group", "--apply", "names/groups.csv"]).done();
    let left = table(&[]);
    assert!(left < all, "{left} of {all}");
    fs::rename(at("photos"), at("away")).unwrap();
    fs::create_dir(at("photos")).unwrap();
    fs::rename(at("away/eigenfaces.faces"), at("photos/eigenfaces.faces")).unwrap();
    fs::copy(group_photo(), at("photos/party.png")).unwrap();
    table(&[]);
    fs::rename(at("photos/eigenfaces.faces"), at("away/eigenfaces.faces")).unwrap();
    fs::remove_dir_all(at("photos")).unwrap();
    fs::rename(at("away"), at("photos")).unwrap();
    assert_eq!(table(&[]), left);
}

#[test]
fn an_index_replaces_nothing_but_an_index() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    run(folder.path(), ["enroll", crate::text(bundled_faces())]).done();
    jumbled(&at("photos"), &["Ada"]);
    fs::copy(at("eigenfaces.npz"), at("photos/eigenfaces.faces")).unwrap();
    run(folder.path(), ["group", "photos"]).failed_saying(&["eigenfaces.faces", "move it away"]);
    #[cfg(unix)]
    {
        fs::remove_file(at("photos/eigenfaces.faces")).unwrap();
        std::os::unix::fs::symlink(at("eigenfaces.npz"), at("photos/eigenfaces.faces")).unwrap();
        let before = fs::read(at("eigenfaces.npz")).unwrap();
        run(folder.path(), ["group", "photos"]).failed_saying(&["eigenfaces.faces"]);
        assert_eq!(fs::read(at("eigenfaces.npz")).unwrap(), before);
    }
}

#[test]
fn a_photo_that_has_changed_is_not_enrolled() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    jumbled(&at("photos"), &["Ada"]);
    let table = table_naming(folder.path(), "Ada");
    let first = table.lines().nth(1).unwrap().split(',').nth(2).unwrap();
    fs::copy(group_photo(), first).unwrap();
    let applied = run(folder.path(), ["group", "--apply", "names/groups.csv"]);
    applied.ended(3, &["has changed", first]);
    // Into a model that takes photos whole, no face can be enrolled.
    run(folder.path(), ["enroll", crate::text(bundled_faces()), "--framing", "as-is", "-m", "whole.npz"]).done();
    run(folder.path(), ["group", "--apply", "names/groups.csv", "-m", "whole.npz"]).failed_saying(&["whole.npz"]);
    // One face, two people.
    let row = table.lines().nth(1).unwrap();
    let twice = format!("{table}{}\n", row.replacen("1,Ada", "x,Bea", 1));
    fs::write(at("names/groups.csv"), twice).unwrap();
    run(folder.path(), ["group", "--apply", "names/groups.csv"]).failed_saying(&["Ada", "Bea", "leave one"]);
}
