//! Requests as clients have the habit of making them; paths as people type them; faces that come without a pause.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::client::{KEY, Server};
use super::{ended, photos_of, probe};
use crate::support::{listed, real_data, scratch};
use crate::{enrolled, program, run};

#[test]
fn photos_in_json_are_read_as_clients_encode_them() {
    let folder = enrolled();
    let server = Server::start(folder.path());
    let photo = probe("ada.png");
    let whole = STANDARD.encode(&photo);
    let lines: Vec<&str> = (0..whole.len()).step_by(76).map(|at| &whole[at..whole.len().min(at + 76)]).collect();
    let texts = [
        whole.clone(),
        lines.join("\n"),
        lines.join("\r\n"),
        URL_SAFE_NO_PAD.encode(&photo),
        format!("data:image/png;base64,{}", lines.join("\n")),
    ];
    for text in &texts {
        let body = json!({ "file": text }).to_string();
        for path in ["/api/v1/recognition/recognize", "/api/v0/identify"] {
            server.ask("POST", path, body.as_bytes()).has(200);
        }
    }
    let body = json!({ "file": whole.replacen('A', "*", 1) }).to_string();
    let wrong = server.ask("POST", "/api/v0/identify", body.as_bytes());
    let message = wrong.has(400).json()["message"].to_string();
    let place = whole.find('A').unwrap();
    assert!(message.contains(&format!("offset {place}")), "{message}");
    // The name of a kind has no case.
    let body = json!({ "file": whole }).to_string();
    let kind = [("host", server.address.as_str()), ("x-api-key", KEY), ("content-type", "Application/JSON")];
    let path = "/api/v1/recognition/recognize";
    server.raw("POST", path, &kind, body.as_bytes()).has(200);
}

#[test]
fn addresses_of_compreface_are_answered_however_they_are_written() {
    let folder = enrolled();
    let server = Server::start(folder.path());
    let photo = probe("ada.png");
    let subjects = "/api/v1/recognition/subjects";
    let told = server.ask("GET", subjects, b"").has(200).json();
    for path in ["/", "//"].map(|end| format!("/{subjects}{end}")) {
        assert_eq!(server.ask("GET", &path, b"").has(200).json(), told);
    }
    let empty = "/api/v1/recognition/recognize?limit=&prediction_count=&det_prob_threshold=&face_plugins=&status=";
    server.form(empty, &[("file", &photo)]).has(200);
    // An empty name is nobody's, and never everybody's.
    let faces = "/api/v1/recognition/faces";
    let erased = server.ask("DELETE", &format!("{faces}?subject="), b"");
    assert_eq!(erased.has(200).json()["deleted"], 0);
    let listed = server.ask("GET", &format!("{faces}?page=&size="), b"");
    let id = listed.has(200).json()["faces"][0]["image_id"].clone();
    let picture = format!("/images/{}", id.as_str().unwrap());
    let host = [("host", "cam.example"), ("sec-fetch-site", "cross-site")];
    let ask = |key: &str| server.raw("GET", &format!("/api/v1/static/{key}{picture}"), &host, b"");
    assert_eq!(ask(KEY).has(200).header("content-type"), Some("image/png"));
    assert!(ask("another-key-than-that").status >= 400);
}

#[test]
fn addresses_and_keys_are_taken_as_people_give_them() {
    let folder = scratch();
    let mut command = program(folder.path());
    command.args(["serve", "--listen", "127.0.0.1:x"]);
    let wrong = crate::Run::of(command.output().unwrap());
    wrong.ended(2, &["--listen", "localhost:8384"]);
    let mut command = program(folder.path());
    command.arg("serve").env("EIGENFACES_KEY", "too short a secret");
    let wrong = crate::Run::of(command.output().unwrap());
    assert!(!wrong.stderr.contains("secret"), "{}", wrong.stderr);
    wrong.ended(2, &["EIGENFACES_KEY", "16 or more letters"]);
}

#[test]
fn a_folder_is_found_by_what_a_person_types() {
    let folder = scratch();
    let faces = folder.path().join("faces of us");
    for (name, photos) in [("Ada", photos_of("Ada")), ("Boris", photos_of("Boris"))] {
        let own = faces.join(name);
        fs::create_dir_all(&own).unwrap();
        for (number, photo) in photos.iter().take(2).enumerate() {
            fs::write(own.join(format!("{number}.png")), photo).unwrap();
        }
    }
    let mut command = program(folder.path());
    command.args(["serve", "--listen", "127.0.0.1:0"]);
    command.env("HOME", folder.path());
    let server = Server::start_by(&mut command);
    let enrol = |typed: String| {
        let work = json!({ "kind": "enroll", "folder": typed }).to_string();
        let job = server.ask("POST", "/api/v0/jobs", work.as_bytes());
        ended(&server, &job.has(202).json())
    };
    let first = enrol(format!(" '{}' ", faces.display()));
    assert_eq!(first["result"]["added"], 4, "{first}");
    #[cfg(unix)]
    assert_eq!(enrol("\"~/faces of us\"".to_owned())["result"]["added"], 0);
}

/// What the command line says of a folder, the job that enrols it says too.
#[test]
fn a_job_warns_as_the_command_line_does() {
    let folder = scratch();
    let event = folder.path().join("faces/Holiday");
    fs::create_dir_all(&event).unwrap();
    let Some(strangers) = real_data("lfw-strangers") else { return };
    for photo in &listed(&strangers)[..15] {
        fs::copy(photo, event.join(photo.file_name().unwrap())).unwrap();
    }
    for name in ["Ada", "Boris", "Chiara", "Dmitri"] {
        let own = folder.path().join("faces").join(name);
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("4.png"), &photos_of(name)[4]).unwrap();
    }
    let said = run(folder.path(), ["enroll", "faces", "--model", "other.npz"]).done();
    let several = "look like several people's";
    assert!(said.stderr.contains(several), "{}", said.stderr);
    let printed = run(folder.path(), ["enroll", "faces", "--model", "json.npz", "--format", "json"]);
    let printed: Value = serde_json::from_str(&printed.done().stdout).unwrap();
    assert!(printed["notices"].to_string().contains(several));
    let server = Server::start(folder.path());
    let work = json!({ "kind": "enroll", "folder": folder.path().join("faces") });
    let job = server.ask("POST", "/api/v0/jobs", work.to_string().as_bytes());
    let job = ended(&server, &job.has(202).json());
    for notice in job["notices"].as_array().unwrap() {
        let notice = notice.as_str().unwrap();
        assert!(said.stderr.contains(notice), "{notice} not in {}", said.stderr);
    }
    assert!(job["notices"].to_string().contains(several), "{job}");
}

/// To take back a change that took nobody away leaves jobs as they are.
#[test]
fn undo_ends_no_job_that_it_does_not_concern() {
    let folder = enrolled();
    let server = Server::start(folder.path());
    let work = json!({ "kind": "check" }).to_string();
    let check = || {
        let job = server.ask("POST", "/api/v0/jobs", work.as_bytes());
        ended(&server, &job.has(202).json())
    };
    let renamed = json!({ "person": "Bo" }).to_string();
    server.ask("PUT", "/api/v0/people/Boris", renamed.as_bytes()).has(200);
    let job = check();
    let undone = server.ask("POST", "/api/v0/undo", b"").has(200).json();
    assert_eq!(undone["change"], "Boris renamed Bo");
    let path = format!("/api/v0/jobs/{}", job["id"]);
    assert_eq!(server.ask("GET", &path, b"").has(200).json(), job);
    // One that takes back faces concerns whatever may name them.
    let photo = probe("ada.png");
    server.ask("POST", "/api/v0/people/Zoe/faces", &photo).has(201);
    let job = check();
    server.ask("POST", "/api/v0/undo", b"").has(200);
    let path = format!("/api/v0/jobs/{}", job["id"]);
    let job = server.ask("GET", &path, b"").has(200).json();
    assert_eq!(job["result"], Value::Null, "{job}");
}
