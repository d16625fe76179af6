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
    for part in ["mean face", "variance", "Where people lie", "Ada", "112"] {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["http://", "https://", "src=\"/"] {
        let links = page.replace("http://www.w3.org/", "");
        assert!(!links.contains(outside), "{outside}");
    }
    // It is written again over itself, and over nothing else.
    run(folder.path(), args).done();
    fs::write(folder.path().join("class/lesson.html"), "notes of mine").unwrap();
    run(folder.path(), args).failed_saying(&["lesson.html", "--force"]);
    run(folder.path(), ["lesson", "nowhere", "-o", "other"]).failed_saying(&["nowhere"]);
}
