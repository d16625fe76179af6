//! Tables, sorted folders and read-only libraries as people really have them.

use std::fs;
use std::path::Path;

use crate::support::{bundled_faces, listed, photo_of_ada, probes, real_data, scratch};
use crate::{enrolled, run, text};

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

fn utf_16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

/// Of characters that Windows-1252 has at the same place as Unicode.
fn windows_1252(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

/// A text as a program has it that takes UTF-8 for Windows-1252.
fn misread(text: &str) -> String {
    text.bytes().map(char::from).collect()
}

#[test]
fn tables_of_groups_come_back_from_spreadsheets() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    copy_all(&bundled_faces().join("Ada"), &at("Ferien Zoë"));
    run(folder.path(), ["group", "Ferien Zoë", "-o", "names"]).done();
    let table = fs::read_to_string(at("names/groups.csv")).unwrap();
    let table = table.strip_prefix('\u{feff}').expect("a byte order mark");
    let filled = table.replacen("\n1,,", "\n1,Zoë,", 1);
    let crlf = filled.replace('\n', "\r\n") + ",,,,,,,\r\n\r\n";
    let semicolons = crlf.replace(',', ";");
    let forms: [(&str, Vec<u8>); 8] = [
        ("utf-8", filled.clone().into_bytes()),
        ("mark", format!("\u{feff}{crlf}").into_bytes()),
        ("semicolons", format!("\u{feff}{semicolons}").into_bytes()),
        ("sep", format!("sep=;\r\n{semicolons}").into_bytes()),
        ("utf-16", utf_16(&crlf.replace(',', "\t"))),
        ("windows", windows_1252(&semicolons)),
        ("misread", misread(table).replacen("\n1,,", "\n1,Zoë,", 1).into_bytes()),
        (
            "misread-mark",
            format!("\u{feff}{}", misread(&format!("\u{feff}{table}")).replacen("\n1,,", "\n1,Zoë,", 1)).into_bytes(),
        ),
    ];
    for (name, bytes) in forms {
        fs::write(at("t.csv"), bytes).unwrap();
        let said = run(folder.path(), ["group", "--apply", "t.csv", "-m", "z.npz"]).done();
        let people = run(folder.path(), ["people", "-m", "z.npz"]).done();
        assert_eq!(people.stdout, "Zoë (8 faces)\n", "{name}");
        assert_eq!(said.stderr.contains("Windows-1252"), name == "windows", "{}", said.stderr);
        fs::remove_file(at("z.npz")).unwrap();
    }
    // It stays this program's: it may be written again.
    run(folder.path(), ["group", "Ferien Zoë", "-o", "names"]).done();
}

#[test]
fn tables_of_labels_come_back_from_spreadsheets() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    copy_all(&bundled_faces().join("Ada"), &at("Zoë"));
    let rows: String = (1..=8).map(|n| format!("Zoë/{n}.png,Chloë\r\n")).collect();
    let table = format!("path,person\r\n{rows},\r\n");
    let semicolons = table.replace(',', ";");
    for (name, bytes) in [
        ("utf-8", table.clone().into_bytes()),
        ("semicolons", semicolons.clone().into_bytes()),
        ("headless", semicolons.replace("path;person\r\n", "").into_bytes()),
        ("sep", format!("sep=;\n{semicolons}").into_bytes()),
        ("utf-16", utf_16(&table.replace(',', "\t"))),
        ("windows", windows_1252(&semicolons)),
        ("misread", misread(&table).replace("ChloÃ«", "Chloë").into_bytes()),
    ] {
        fs::write(at("labels.csv"), bytes).unwrap();
        let said = run(folder.path(), ["enroll", "Zoë", "--labels", "labels.csv", "-m", "z.npz"]).done();
        assert_eq!(said.stderr.contains("Windows-1252"), name == "windows", "{}", said.stderr);
        let people = run(folder.path(), ["people", "-m", "z.npz"]).done();
        assert_eq!(people.stdout, "Chloë (8 faces)\n", "{name}");
        fs::remove_file(at("z.npz")).unwrap();
    }
}

/// As a phone's storage, and as tables of other systems, have them.
#[test]
fn folders_that_phones_name_are_nobody() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    for (person, name) in [("Ada", "p/Ada"), ("Boris", "p/WhatsApp Images"), ("Chiara", "p/Camera")] {
        copy_all(&bundled_faces().join(person), &at(name));
    }
    fs::write(at("p/Camera/.person"), "Chiara").unwrap();
    let said = run(folder.path(), ["enroll", "p"]);
    said.ended(3, &["WhatsApp Images/1.png: its name tells no person"]);
    let people = run(folder.path(), ["people", "--format", "csv"]).done();
    assert_eq!(people.stdout, "person,faces\nAda,8\nChiara,8\n");
}

#[test]
fn answers_are_labels_though_some_are_of_strangers() {
    let folder = enrolled();
    copy_all(probes(), &folder.path().join("probes"));
    let answers = run(folder.path(), ["identify", "probes", "--format", "csv"]).done();
    fs::write(folder.path().join("a.csv"), answers.stdout).unwrap();
    let args = ["enroll", "probes", "--labels", "a.csv", "-m", "a.npz"];
    run(folder.path(), args).ended(3, &["stranger-1.png: has no row with a name in a.csv"]);
}

#[test]
fn strangers_that_were_sorted_become_nobody() {
    let folder = enrolled();
    let at = |name: &str| folder.path().join(name);
    let sort = ["identify", text(probes()), "--sort-into", "People", "--sort-all", "--copy"];
    run(folder.path(), sort).done();
    assert!(at("People/unknown").exists());
    let said = run(folder.path(), ["enroll", "People", "-m", "again.npz"]).done();
    assert!(said.stderr.contains("People/unknown passed over with"), "{}", said.stderr);
    let people = run(folder.path(), ["people", "-m", "again.npz"]).done();
    assert!(people.stdout.contains("Ada"), "{}", people.stdout);
    assert!(!people.stdout.contains("unknown"), "{}", people.stdout);
    // Without the mark, as a copy may be, and by other names of a copy.
    for (copy, stranger) in [("copied", "unknown"), ("renamed", "Unknown - Copy (2)")] {
        copy_all(&at("People/Ada"), &at(copy).join("Ada"));
        copy_all(&at("People/unknown"), &at(copy).join(stranger));
        run(folder.path(), ["enroll", copy, "-m", "copied.npz"]).ended(3, &[stranger, "faces without a name"]);
        let people = run(folder.path(), ["people", "-m", "copied.npz"]).done();
        assert_eq!(people.stdout.lines().count(), 1, "{}", people.stdout);
        fs::remove_file(at("copied.npz")).unwrap();
    }
}

#[test]
fn the_programs_own_words_are_no_names() {
    let folder = enrolled();
    let refused = ["faces without a name"];
    for word in ["unknown", "No-Face", "not a face"] {
        run(folder.path(), ["people", "rename", "Ada", word]).ended(1, &refused);
        run(folder.path(), ["people", "add", word, text(photo_of_ada())]).ended(1, &refused);
        let labels = folder.path().join("labels.csv");
        fs::write(&labels, format!("{},{word}\n", text(photo_of_ada()))).unwrap();
        let enroll = ["enroll", text(photo_of_ada()), "--labels", "labels.csv", "-m", "x.npz"];
        run(folder.path(), enroll).ended(1, &["line 1", refused[0]]);
    }
}

#[test]
fn a_folder_of_several_people_is_told() {
    let (Some(strangers), Some(lfw)) = (real_data("lfw-strangers"), real_data("lfw")) else { return };
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    let photos = listed(&strangers);
    fs::create_dir_all(at("family/Holiday 2026")).unwrap();
    for photo in photos.iter().take(15) {
        fs::copy(photo, at("family/Holiday 2026").join(photo.file_name().unwrap())).unwrap();
    }
    let people = listed(&lfw);
    for person in &people[..8] {
        copy_all(person, &at("family").join(person.file_name().unwrap()));
    }
    let said = run(folder.path(), ["enroll", "family"]);
    assert!(said.stderr.contains("the photos of Holiday 2026 look like several people's"), "{}", said.stderr);
    let check = run(folder.path(), ["enroll", "family", "--check", "-m", "no.npz"]);
    let told: Vec<&str> = check.stdout.lines().filter(|line| line.contains("do not look like one person")).collect();
    assert_eq!(told.len(), 1, "{}", check.stdout);
    assert!(told[0].starts_with("Holiday 2026: 15 photos"), "{told:?}");
}

#[test]
fn two_photos_are_compared_with_nobody_enrolled() {
    let folder = scratch();
    let ada = text(photo_of_ada());
    let enrolled = bundled_faces().join("Ada/1.png");
    let same = run(folder.path(), ["verify", ada, text(&enrolled)]);
    same.ended(0, &["no model at eigenfaces.npz"]);
    assert!(same.stdout.contains("the same person"), "{}", same.stdout);
    run(folder.path(), ["verify", ada, "--person", "Ada"]).ended(2, &["eigenfaces.npz"]);
    run(folder.path(), ["verify", ada, "none.png"]).ended(2, &["none.png"]);
    // Drawn faces all look alike to a model of photos; real ones do not.
    let Some(strangers) = real_data("lfw-strangers") else { return };
    let photos = listed(&strangers);
    for pair in photos[..6].chunks(2) {
        let verify = ["verify", text(&pair[0]), text(&pair[1])];
        run(folder.path(), verify).ended(1, &["no model"]);
    }
}

#[test]
fn faces_are_remembered_where_the_user_says() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    for person in ["Ada", "Boris"] {
        let from = bundled_faces().join(person);
        for (number, entry) in fs::read_dir(from).unwrap().enumerate() {
            let library = at(if number % 2 == 0 { "one" } else { "two" });
            fs::create_dir_all(&library).unwrap();
            let path = entry.unwrap().path();
            fs::copy(&path, library.join(format!("{person}{number}.png"))).unwrap();
        }
    }
    let group = ["group", "one", "two", "--index", "faces.idx"];
    let said = run(folder.path(), [&group[..], &["-o", "names"]].concat()).done();
    assert!(said.stderr.contains("--index faces.idx"), "{}", said.stderr);
    assert!(!at("one/eigenfaces.faces").exists() && !at("two/eigenfaces.faces").exists());
    let table = fs::read_to_string(at("names/groups.csv")).unwrap();
    fs::write(at("t.csv"), table.replacen("\n1,,", "\n1,ignore,", 1).replacen("\n2,,", "\n2,Boris,", 1)).unwrap();
    // Without the index nothing can be remembered, and that is said with the option.
    run(folder.path(), ["group", "--apply", "t.csv"]).ended(3, &["--index FILE"]);
    let apply = ["group", "--apply", "t.csv", "--index", "faces.idx"];
    let said = run(folder.path(), apply).done();
    let ignored = table.lines().filter(|line| line.starts_with("1,")).count();
    let boris = table.lines().filter(|line| line.starts_with("2,")).count();
    assert!(said.stderr.contains(&format!("{ignored} faces to be ignored")), "{}", said.stderr);
    let again = run(folder.path(), group).done();
    assert!(again.stderr.contains("0 looked at"), "{}", again.stderr);
    let shown = again.stdout.lines().map(|line| line.to_owned()).collect::<Vec<_>>().join(" ");
    assert!(shown.starts_with("Boris: "), "{boris} were named: {shown}");
    let table = run(folder.path(), [&group[..], &["--format", "csv"]].concat()).done();
    assert!(table.stdout.lines().count() <= 1 + 16 - ignored - boris, "{}", table.stdout);
    // A file that is something else is no index.
    fs::write(at("notes.txt"), "mine").unwrap();
    run(folder.path(), ["group", "one", "--index", "notes.txt"]).failed_saying(&["notes.txt", "name another file"]);
    assert_eq!(fs::read_to_string(at("notes.txt")).unwrap(), "mine");
}
