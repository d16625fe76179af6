//! What the page alone uses.

use std::fs;

use serde_json::{Value, json};

use super::client::Server;
use super::{ended, photos_of, probe};
use crate::support::scratch;
use crate::{another, enrolled, program};

/// Names of folders below the user's own and drives, for whoever opened the page; nothing else of the file system.
#[test]
#[cfg(unix)]
fn folders_are_told_to_the_page_and_no_others_are() {
    let folder = scratch();
    let home = folder.path().canonicalize().unwrap().join("home");
    for name in ["Pictures/Summer & sea", ".ssh"] {
        fs::create_dir_all(home.join(name)).unwrap();
    }
    fs::write(home.join("letter.txt"), "dear").unwrap();
    std::os::unix::fs::symlink("/etc", home.join("system")).unwrap();
    let mut command = program(folder.path());
    let command = command.env("HOME", &home);
    let server = Server::start_by(command.args(["serve", "--listen", "127.0.0.1:0"]));
    let call = "/api/v0/folders";
    server.ask("GET", call, b"").has(403);
    let session = server.session();
    let named = |answer: &Value| -> Vec<String> {
        let folders = answer["folders"].as_array().unwrap().iter();
        folders.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let starts = server.page(&session, call).has(200).json();
    assert_eq!(starts["folders"][0], json!({ "name": "Home", "path": home }));
    let below = |path: &str| server.page(&session, &format!("{call}?path={path}"));
    let home = home.to_str().unwrap();
    let found = below(home).has(200).json();
    assert_eq!((named(&found), &found["above"]), (vec!["Pictures".to_owned()], &Value::Null));
    let found = below(&format!("{home}/Pictures")).has(200).json();
    assert_eq!(named(&found), ["Summer & sea"]);
    assert_eq!(found["above"], home);
    let missing = below(&format!("{home}/missing")).has(404).json();
    for outside in [
        "/".to_owned(),
        "/etc".to_owned(),
        "..".to_owned(),
        "Pictures".to_owned(),
        format!("{home}/.."),
        format!("{home}/../../../etc"),
        format!("{home}/%2e%2e/%2e%2e"),
        format!("{home}/Pictures/.."),
        format!("{home}/.ssh"),
        format!("{home}/letter.txt"),
        format!("{home}/system"),
        format!("{home}/system/ssl"),
        format!("{home}%00"),
        String::new(),
    ] {
        // Neither whether it is there, nor what it is.
        assert_eq!(below(&outside).has(404).json(), missing, "{outside}");
    }
}

/// A finding that was called fine stays so: after a restart, until its face is another person's, and not beyond its person.
#[test]
fn a_finding_that_is_fine_is_not_told_again() {
    let folder = enrolled();
    let start = || Server::start(folder.path());
    let mut server = start();
    let photo = another(&photos_of("Boris")[0], 1);
    let added = server.ask("POST", "/api/v0/people/Ada/faces", &photo).has(201);
    let hash = added.json()["hash"].as_str().unwrap().to_owned();
    let findings = |server: &Server| {
        let begun = server.ask("POST", "/api/v0/jobs", br#"{"kind":"check"}"#);
        let job = ended(server, &begun.has(202).json());
        let findings = job["result"]["findings"].as_array().unwrap();
        let own = findings.iter().filter(|one| one["face"]["hash"] == hash.as_str());
        let kinds = own.map(|one| one["finding"].as_str().unwrap().to_owned());
        kinds.collect::<Vec<String>>()
    };
    assert_eq!(findings(&server), ["wrong-label", "same-picture"]);
    let call = "/api/v0/findings/fine";
    let fine = |finding: &str, face: &str| json!({ "finding": finding, "faces": [face] }).to_string().into_bytes();
    server.ask("POST", call, &fine("wrong-label", "nobody")).has(404);
    server.ask("POST", call, &fine("bad-hair", &hash)).has(422);
    server.ask("POST", call, &fine("wrong-label", &hash)).has(200);
    assert_eq!(findings(&server), ["same-picture"]);
    drop(server);
    server = start();
    assert_eq!(findings(&server), ["same-picture"]);
    // It was said of Ada's face.
    let path = format!("/api/v0/faces/{hash}");
    server.ask("PUT", &path, br#"{"person":"Chiara"}"#).has(200);
    assert_eq!(findings(&server), ["wrong-label"]);
    let holds = || {
        let model = fs::read(folder.path().join("eigenfaces.npz")).unwrap();
        model.windows(hash.len()).any(|part| part == hash.as_bytes())
    };
    assert!(holds());
    server.ask("DELETE", &path, b"").has(200);
    assert!(!holds(), "what was said of a face goes with it");
}

/// A face that was called nobody's stays so: after a restart, until somebody gives it a name.
#[test]
fn a_face_that_is_nobodys_stays_so() {
    let folder = enrolled();
    let start = || Server::start(folder.path());
    let mut server = start();
    let photo = probe("stranger-1.png");
    let told = |server: &Server| {
        let answer = server.ask("POST", "/api/v0/identify", &photo).has(200);
        answer.json()["faces"][0].clone()
    };
    let face = told(&server);
    assert_eq!(face["nobody"], false);
    let nobodys = json!({ "face": face["hash"] }).to_string();
    server.ask("POST", "/api/v0/nobody", nobodys.as_bytes()).has(200);
    server.ask("POST", "/api/v0/nobody", br#"{"face":"x"}"#).has(422);
    drop(server);
    server = start();
    assert_eq!(told(&server)["nobody"], true);
    server.ask("POST", "/api/v0/people/Zoe/faces", &photo).has(201);
    let face = told(&server);
    assert_eq!((&face["nobody"], &face["enrolled"]["person"]), (&json!(false), &json!("Zoe")));
}
