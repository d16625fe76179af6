//! `identify --watch`: photos are identified as they come.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::support::project;
use crate::{enrolled, program, run};

#[test]
fn each_new_photo_is_a_line_of_json() {
    let folder = enrolled();
    let door = folder.path().join("door");
    fs::create_dir(&door).unwrap();
    let probe = |name: &str| fs::read(project().join("assets/probes").join(name)).unwrap();
    fs::write(door.join("there.png"), probe("noah.png")).unwrap();
    let mut child = program(folder.path())
        .args(["identify", "--watch", "door", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.contains("waiting for new photos"), "{line}");
    let mut come = |name: &str, photo: &[u8]| -> Value {
        fs::write(door.join(name), photo).unwrap();
        serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()
    };
    assert_eq!(
        come("ada.png", &probe("ada.png"))["faces"][0]["person"],
        "Ada"
    );
    // Not the program's end, as it is where it is the only photo named.
    assert!(come("none.png", b"no photo")["error"].is_string());
    // Written anew under one name, as cameras do.
    let again = come("ada.png", &probe("boris.png"));
    assert_eq!(again["faces"][0]["person"], "Boris");
    child.kill().unwrap();
    child.wait().unwrap();

    run(folder.path(), ["identify", "--watch", "door/ada.png"]).failed_saying(&["ada.png"]);
}
