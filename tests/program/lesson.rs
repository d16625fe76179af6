//! `eigenfaces lesson`: one page, whose numbers are those of the gallery.

use std::fs;

use crate::support::{bundled_faces, scratch};
use crate::{run, text};

#[test]
fn the_page_stands_alone_and_tells_of_the_given_faces() {
    let folder = scratch();
    let args = ["lesson", text(bundled_faces()), "-o", "class"];
    run(folder.path(), args).ended(0, &["class/lesson.html"]);
    let page = fs::read_to_string(folder.path().join("class/lesson.html")).unwrap();
    for part in [
        "mean face",
        "variance",
        "The large table, and the small one",
        "12,544",
        "How many basis faces?",
        "Weight by weight",
        "Where people lie",
        "distance in the plane",
        "A new face",
        "Overfitting",
        "PCA is not regression",
        "Ada",
        "112",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["http://", "https://", "src=\"/"] {
        let links = page.replace("http://www.w3.org/", "");
        assert!(!links.contains(outside), "{outside}");
    }
    // It is written again over itself, if asked for, and over nothing else.
    run(folder.path(), [&args[..], &["--force"]].concat()).done();
    fs::write(folder.path().join("class/lesson.html"), "notes of mine").unwrap();
    run(folder.path(), args).failed_saying(&["lesson.html", "--force"]);
    run(folder.path(), ["lesson", "nowhere", "-o", "other"]).failed_saying(&["nowhere"]);
}

#[test]
fn what_is_said_is_so_on_these_photos() {
    let folder = scratch();
    let photo = folder.path().join("class/Ada/1.png");
    fs::create_dir_all(photo.parent().unwrap()).unwrap();
    fs::copy(bundled_faces().join("Ada/1.png"), photo).unwrap();
    // One face has no variance.
    run(folder.path(), ["lesson", "class", "-o", "page"]).failed_saying(&["at least 2 different faces"]);
    fs::create_dir(folder.path().join("class/Boris")).unwrap();
    fs::copy(bundled_faces().join("Boris/1.png"), folder.path().join("class/Boris/1.png")).unwrap();
    run(folder.path(), ["lesson", "class", "-o", "page"]).done();
    let page = fs::read_to_string(folder.path().join("page/lesson.html")).unwrap();
    assert!(page.contains("2 faces of 2 people") && page.contains("Nobody has two photos here"));
    assert!(!page.contains("0 of 0"));
    // Where it cannot be otherwise nothing is found right or wrong.
    assert!(!page.contains("which is") && !page.contains("correlation is"), "{page}");
    // The variance over n faces, as `info` has it.
    run(folder.path(), ["enroll", text(bundled_faces())]).done();
    run(folder.path(), ["lesson", text(bundled_faces()), "-o", "all"]).done();
    let page = fs::read_to_string(folder.path().join("all/lesson.html")).unwrap();
    let info = run(folder.path(), ["info"]).done().stdout;
    let lost = info.lines().find(|line| line.starts_with("lost")).unwrap();
    let total: String = lost.rsplit(' ').next().unwrap().to_owned();
    let said = page.split("the variance. Here it is ").nth(1).unwrap();
    let said: String = said.chars().take_while(|&c| c != '<' && c != 'o').collect();
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    assert_eq!(digits(said.split(", or").next().unwrap()), digits(&total), "{said} {lost}");
}
