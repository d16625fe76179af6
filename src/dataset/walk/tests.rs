use std::os::unix::fs::{PermissionsExt, symlink};

use tempfile::TempDir;

use super::*;

/// A folder with the given files; the content is the shortest valid graymap unless the name says otherwise.
fn folder(files: &[&str]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for file in files {
        write(&root.path().join(file), b"P5\n1 1\n255\n\0");
    }
    root
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// `path=person` of each photo, relative to the root.
fn labels(root: &Path, listing: &Listing) -> Vec<String> {
    let show = |photo: &LabeledPhoto| {
        let path = photo.path.strip_prefix(root).unwrap_or(&photo.path);
        format!("{}={}", path.display(), photo.person)
    };
    listing.photos.iter().map(show).collect()
}

fn list(root: &Path) -> Listing {
    list_labeled(&[root.to_owned()], &LabelRule::Folder).unwrap()
}

#[test]
fn folders_name_people_in_natural_order() {
    let root = folder(&["s10/1.pgm", "s2/10.pgm", "s2/2.pgm", "s2/more/1.pgm"]);
    let listing = list(root.path());
    assert_eq!(labels(root.path(), &listing), ["s2/2.pgm=s2", "s2/10.pgm=s2", "s2/more/1.pgm=s2", "s10/1.pgm=s10"]);
    assert_eq!(listing.skipped, []);
}

#[test]
fn flat_folders_go_by_file_name() {
    let root = folder(&["Ada Lovelace.jpg", "Ada Lovelace 2.jpg", "bob_smith_0001.png", "x/1.jpg"]);
    assert_eq!(
        labels(root.path(), &list(root.path())),
        [
            "Ada Lovelace 2.jpg=Ada Lovelace",
            "Ada Lovelace.jpg=Ada Lovelace",
            "bob_smith_0001.png=bob smith",
            "x/1.jpg=x"
        ]
    );
}

#[test]
fn one_persons_folder_is_named_by_the_folder() {
    let root = folder(&["ada/1.pgm", "ada/IMG_2.pgm", "ada/10.pgm"]);
    let ada = root.path().join("ada");
    let expected = ["1.pgm=ada", "10.pgm=ada", "IMG_2.pgm=ada"];
    assert_eq!(labels(&ada, &list(&ada)), expected);
    let files: Vec<_> = ["IMG_2.pgm", "10.pgm", "1.pgm"].map(|f| ada.join(f)).into();
    assert_eq!(labels(&ada, &list_labeled(&files, &LabelRule::Folder).unwrap()), expected);
    let listing = list_labeled(&files[..1], &LabelRule::Stem).unwrap();
    assert_eq!(listing.skipped[0].problem, PhotoProblem::NoPerson);

    write(&root.path().join("7.pgm"), b"P5\n1 1\n255\n\0");
    let listing = list(root.path());
    assert_eq!((listing.photos.len(), listing.skipped.len()), (3, 1), "beside folders: nobody");
    assert!(listing.skipped[0].to_string().contains("7.pgm: its name tells no person"));
}

#[test]
fn only_photos_and_never_hidden_ones() {
    let root = folder(&["a/1.pgm", "a/.hidden.pgm", ".git/2.pgm", "a/photo.dat", "a/thumbs"]);
    write(&root.path().join("README.txt"), b"Faces of people");
    write(&root.path().join("a/text.jpg"), b"Faces of people");
    write(&root.path().join("a/empty"), b"");
    write(&root.path().join("a/BM.txt"), b"BMW and others");
    let listing = list(root.path());
    assert_eq!(labels(root.path(), &listing), ["a/1.pgm=a", "a/photo.dat=a", "a/text.jpg=a", "a/thumbs=a"]);
    assert_eq!(listing.skipped, []);
}

#[test]
fn loops_end_and_nothing_is_listed_twice() {
    let root = folder(&["ada/1.pgm", "bob/2.pgm"]);
    let at = |name: &str| root.path().join(name);
    symlink(root.path(), at("ada/loop")).unwrap();
    symlink(at("ada"), at("bob/ada")).unwrap();
    symlink(at("bob"), at("ada/bob")).unwrap();
    symlink(at("ada/1.pgm"), at("ada/0.pgm")).unwrap();
    fs::hard_link(at("bob/2.pgm"), at("bob/3.pgm")).unwrap();
    symlink("nowhere", at("ada/dangling")).unwrap();
    symlink("nowhere", at("ada/notes.txt")).unwrap();
    symlink("itself", at("ada/itself")).unwrap();
    let roots = [root.path().to_owned(), at("ada"), root.path().join("ada/../bob")];
    let listing = list_labeled(&roots, &LabelRule::Folder).unwrap();
    assert_eq!(listing.photos.len(), 2);
    let photos = list_photos(&roots).unwrap();
    assert_eq!(photos.photos.len(), 2);
    assert!(photos.other_names.contains(&at("bob/3.pgm")) && !photos.other_names.contains(&at("bob/2.pgm")));

    symlink("nowhere", at("ada/lost.jpg")).unwrap();
    let listing = list(root.path());
    let skipped: Vec<String> = listing.skipped.iter().map(ToString::to_string).collect();
    let says = |words: &str| skipped.iter().any(|skipped| skipped.contains(words));
    assert!(says("lost.jpg: cannot be read (no such file"), "{skipped:?}");
    // Without an extension it may have been a folder of photos.
    assert!(says("dangling: cannot be read") && !says("notes.txt"), "{skipped:?}");
    // Bob's photo is Bob's, although a link in Ada's folder leads to it, and comes first.
    assert!(says("ada/bob/2.pgm: is the same file as"), "{skipped:?}");
    assert_eq!(labels(root.path(), &listing), ["ada/1.pgm=ada", "bob/2.pgm=bob"]);
}

#[test]
fn links_are_followed() {
    let elsewhere = folder(&["x/1.pgm", "y.pgm"]);
    let root = tempfile::tempdir().unwrap();
    symlink(elsewhere.path().join("x"), root.path().join("ada")).unwrap();
    symlink(elsewhere.path().join("y.pgm"), root.path().join("bob.pgm")).unwrap();
    assert_eq!(labels(root.path(), &list(root.path())), ["ada/1.pgm=ada", "bob.pgm=bob"]);
}

#[test]
fn a_file_of_two_people_is_named() {
    let root = folder(&["ada/1.pgm", "bob/2.pgm"]);
    fs::hard_link(root.path().join("ada/1.pgm"), root.path().join("bob/1.pgm")).unwrap();
    let listing = list(root.path());
    assert_eq!(labels(root.path(), &listing), ["ada/1.pgm=ada", "bob/2.pgm=bob"]);
    let said = listing.skipped[0].to_string();
    assert!(said.contains("bob/1.pgm: is the same file") && said.contains("'ada'"), "{said}");
}

#[test]
#[allow(clippy::print_stderr)]
fn folders_that_cannot_be_read_are_named() {
    let root = folder(&["ada/1.pgm", "bob/2.pgm"]);
    let locked = root.path().join("bob");
    let mode = |mode| fs::set_permissions(&locked, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o000);
    if fs::read_dir(&locked).is_err() {
        let listing = list(root.path());
        assert_eq!(listing.photos.len(), 1);
        let said = listing.skipped[0].to_string();
        assert!(said.contains("bob: cannot be read (permission denied)"), "{said}");
        let error = list_photos(std::slice::from_ref(&locked)).unwrap_err();
        assert!(matches!(error, Error::UnreadablePath { .. }));
    } else {
        eprintln!("skipped: running as root, for whom no folder is locked");
    }
    mode(0o755);
}

#[test]
fn bad_roots_are_errors_with_a_remedy() {
    let root = folder(&["notes.txt"]);
    write(&root.path().join("notes.txt"), b"nothing to see");
    let error = list_photos(&[root.path().to_owned()]).unwrap_err();
    assert!(matches!(error, Error::NothingToLookAt { .. }));
    let error = list_labeled(&[root.path().to_owned()], &LabelRule::Folder).unwrap_err();
    assert!(matches!(error, Error::NoPhotos { .. }) && error.to_string().contains("sub-folder"));
    let error = list_photos(&[root.path().join("none")]).unwrap_err();
    assert!(matches!(error, Error::NoSuchPath { .. }) && error.to_string().contains("none: no such"));
    assert!(list_labeled(&[], &LabelRule::Folder).is_err());
}

#[test]
fn probes_keep_the_order_given_and_every_file_named() {
    let root = folder(&["b/10.pgm", "b/9.pgm", "a.pgm"]);
    write(&root.path().join("notes.txt"), b"not a photo");
    let roots = ["notes.txt", "b", "a.pgm"].map(|name| root.path().join(name));
    let listing = list_photos(&roots).unwrap();
    let names: Vec<_> = listing.photos.iter().map(|p| p.file_name().unwrap()).collect();
    assert_eq!(names, ["notes.txt", "9.pgm", "10.pgm", "a.pgm"]);
}

#[test]
#[cfg(target_os = "linux")]
fn names_that_are_not_unicode_work() {
    use std::os::unix::ffi::OsStrExt;
    let root = tempfile::tempdir().unwrap();
    let photo = root.path().join(OsStr::from_bytes(b"Ren\xe9e/\xff1.pgm"));
    write(&photo, b"P5\n1 1\n255\n\0");
    let listing = list(root.path());
    assert_eq!(listing.photos[0].path, photo);
    assert_eq!(listing.photos[0].person.as_str(), "Ren\\xe9e");
}

#[test]
fn folders_whose_name_is_no_name_are_skipped() {
    let root = folder(&["a\nb/1.pgm", "ada/1.pgm", " /1.pgm"]);
    let listing = list(root.path());
    assert_eq!(labels(root.path(), &listing), ["ada/1.pgm=ada"]);
    assert_eq!(listing.skipped.len(), 2);
}

#[test]
fn names_of_phones_make_no_people() {
    let names = ["20210501_101112.pgm", "WhatsApp Image 2021-05-01 at 10.11.12.pgm", "P1000001.pgm"];
    let inside = names.map(|name| format!("Ada/{name}"));
    let root = folder(&inside.each_ref().map(String::as_str));
    let listing = list(&root.path().join("Ada"));
    assert!(listing.photos.iter().all(|photo| photo.person.as_str() == "Ada") && listing.photos.len() == 3);
    write(&root.path().join(names[0]), b"P5\n1 1\n255\n\0");
    let listing = list(root.path());
    assert_eq!((listing.photos.len(), listing.skipped.len()), (3, 1));
}

#[test]
fn a_folder_stands_for_the_person_that_its_file_names() {
    let root = folder(&["AC_DC~5a5abe39/Ada.pgm", "Bo/1.pgm"]);
    let theirs = root.path().join("AC_DC~5a5abe39");
    write(&theirs.join(".person"), b"AC/DC\n");
    assert_eq!(labels(root.path(), &list(root.path())), ["AC_DC~5a5abe39/Ada.pgm=AC/DC", "Bo/1.pgm=Bo"]);
    assert_eq!(labels(&theirs, &list(&theirs)), ["Ada.pgm=AC/DC"]);
    let given = list_labeled(&[theirs.join("Ada.pgm")], &LabelRule::Folder).unwrap();
    assert_eq!(given.photos[0].person.as_str(), "AC/DC");
    write(&theirs.join(".person"), b"a\nb");
    assert_eq!(list(root.path()).skipped.len(), 1, "the folder's name is no substitute");
}

#[test]
fn names_that_look_alike_or_are_too_many_are_told() {
    let root = folder(&["Bill_Clinton/1.pgm", "bill clinton/1.pgm", "Ada/1.pgm"]);
    let notes = list(root.path()).notes;
    assert!(matches!(&notes[..], [ListingNote::AlikeNames(people)] if people.len() == 2), "{notes:?}");
    let files: Vec<String> = (0..9).map(|n| format!("subject{}.condition{}x.pgm", n / 3, n % 3)).collect();
    let root = folder(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let notes = list(root.path()).notes;
    assert!(matches!(&notes[..], [ListingNote::ManyPeople { photos: 9, people: 9, .. }]), "{notes:?}");
}

#[test]
fn recycle_bins_and_snapshots_are_passed_over() {
    let root = folder(&["Ada/1.pgm", "@Recycle/2.pgm", "#snapshot/GMT+01_2026/Ada/1.pgm", "~snapshot/Ada/1.pgm"]);
    assert_eq!(labels(root.path(), &list(root.path())), ["Ada/1.pgm=Ada"]);
    assert_eq!(list_photos(&[root.path().to_owned()]).unwrap().photos.len(), 1);
}

mod tables {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn guards_come_off_and_bytes_are_read_back() {
        use std::os::unix::ffi::OsStrExt;
        let root = folder(&["photos/=1.pgm"]);
        let latin = root.path().join(OsStr::from_bytes(b"photos/J\xf6rg.pgm"));
        write(&latin, b"P5\n1 1\n255\n\0");
        let table = "photo,person\n'=1.pgm,'@mike\nphotos/J\\xf6rg.pgm,'+1 Guest\n";
        let listing = listing(root.path(), table).unwrap();
        let people: Vec<&str> = listing.photos.iter().map(|photo| photo.person.as_str()).collect();
        assert_eq!((people, listing.skipped.len()), (vec!["@mike", "+1 Guest"], 0));
    }

    fn listing(root: &Path, table: &str) -> Result<Listing> {
        let path = root.join("labels.csv");
        fs::write(&path, table).unwrap();
        list_labeled(&[root.join("photos")], &LabelRule::Csv(path))
    }

    #[test]
    fn rows_name_people() {
        let root = folder(&["photos/1.pgm", "photos/x/2.pgm", "photos/3.pgm"]);
        let same = ["photos/1.pgm=Ada", "photos/x/2.pgm=Lovelace, Ada"];
        for table in [
            "photos/1.pgm,Ada\nphotos/x/2.pgm,\"Lovelace, Ada\"\n",
            "path,person\r\n./photos/1.pgm, Ada \r\n1.pgm,Ada\r\nx/2.pgm,\"Lovelace, Ada\"",
            "\u{feff}Person,note,FILE\nAda,,photos/1.pgm\n\n\"Lovelace, Ada\",hat,photos/x/2.pgm\n",
        ] {
            let listing = listing(root.path(), table).unwrap();
            assert_eq!(labels(root.path(), &listing), same, "{table}");
            let said = listing.skipped[0].to_string();
            assert!(said.contains("3.pgm: has no row with a name in") && said.contains("labels.csv"), "{said}");
        }
    }

    #[test]
    fn missing_files_are_skipped_and_bad_rows_are_errors() {
        let root = folder(&["photos/1.pgm"]);
        let found = listing(root.path(), "photos/1.pgm,Ada\ngone.pgm,Bob\n").unwrap();
        assert!(found.skipped[0].to_string().contains("line 2"), "{}", found.skipped[0]);
        for (table, problem) in [
            ("photos/1.pgm\n", "line 1 has fewer"),
            ("photos/1.pgm,\nphotos/1.pgm,unknown\n", "line 2: 'unknown' cannot be"),
            ("photos/1.pgm,Ada\nphotos/1.pgm,Bob\n", "line 2 names 'Bob'"),
        ] {
            let error = listing(root.path(), table).unwrap_err().to_string();
            assert!(error.contains(problem) && error.contains("labels.csv"), "{error}");
        }
        let none = LabelRule::Csv("none.csv".into());
        let error = list_labeled(&[root.path().to_owned()], &none).unwrap_err();
        assert!(matches!(error, Error::NoSuchPath { .. }));
    }
}
