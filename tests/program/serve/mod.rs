//! `eigenfaces serve`: the API, and who is let in.

mod behind;
mod beside;
pub mod client;
mod compreface;
mod connections;
mod described;
#[cfg(unix)]
mod durable;
mod folder;
mod habits;
#[cfg(unix)]
mod load;
mod page;

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{bundled_faces, group_photo, listed, probes, scratch};
use crate::{Run, enrolled, program, run};
use client::{KEY, Server};

fn probe(name: &str) -> Vec<u8> {
    fs::read(probes().join(name)).unwrap()
}

/// The photos of a bundled person.
fn photos_of(name: &str) -> Vec<Vec<u8>> {
    let photos = listed(&bundled_faces().join(name));
    photos.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn people(server: &Server) -> Vec<String> {
    let answer = server.ask("GET", "/api/v0/people", b"").has(200).json();
    let people = answer["people"].as_array().unwrap().iter();
    people.map(|one| one["person"].as_str().unwrap().to_owned()).collect()
}

/// Waits for a job to end.
fn ended(server: &Server, answer: &Value) -> Value {
    let path = format!("/api/v0/jobs/{}", answer["id"]);
    loop {
        let job = server.ask("GET", &path, b"").has(200).json();
        if job["state"] != "working" {
            return job;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_container_asks_whether_its_server_answers() {
    let folder = scratch();
    let server = Server::start(folder.path());
    let check = |address: &str, key: Option<&str>| {
        let mut command = program(folder.path());
        command.args(["serve", "--check", "--listen", address]);
        match key {
            Some(key) => command.env("EIGENFACES_KEY", key),
            None => command.env_remove("EIGENFACES_KEY"),
        };
        Run::of(command.output().unwrap())
    };
    let port = server.address.rsplit(':').next().unwrap();
    // Whoever listens everywhere is asked on this machine.
    let everywhere = format!("0.0.0.0:{port}");
    for (address, key) in
        [(server.address.as_str(), Some(KEY)), (server.address.as_str(), None), (everywhere.as_str(), Some(KEY))]
    {
        let said = check(address, key).done();
        assert!(said.stderr.contains("answers"), "{}", said.stderr);
    }
    let wrong = check(&server.address, Some("another-key-than-that"));
    wrong.failed_saying(&["another key"]);
    let address = server.address.clone();
    drop(server);
    check(&address, Some(KEY)).failed_saying(&["no server answers"]);
}

#[test]
fn every_error_is_json() {
    let folder = enrolled();
    let server = Server::start(folder.path());
    let photo = probe("ada.png");
    let wrong = [
        ("POST", "/api/v0/identify?top=-1", &photo[..], 400, "top"),
        ("PUT", "/api/v0/people/Ada", b"text", 415, "application/json"),
        ("PUT", "/api/v0/people/Ada", b"{\"wrong\": 1}", 422, "request body: missing field"),
        ("POST", "/api/v0/identify?tpo=3", &photo[..], 400, "unknown field `tpo`, expected one of"),
        ("POST", "/api/v0/jobs", b"text", 415, "content-type: application/json"),
        ("POST", "/api/v0/jobs", b"{", 400, "request body: EOF"),
        ("GET", "/api/v0/basis/-1/picture.png", b"", 400, "-1"),
        ("GET", "/api/v0/nosuch", b"", 404, "/openapi.json"),
        ("PATCH", "/api/v0/people/Ada", b"", 405, "method"),
        ("POST", "/api/v1/recognition/recognize?limit=-1", &photo[..], 400, "limit"),
    ];
    for (method, path, body, status, word) in wrong {
        let answer = server.ask(method, path, body).has(status).json();
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(word), "{method} {path}: {message}");
        assert_eq!(answer["error"], answer["message"]);
    }
}

#[test]
fn it_answers_as_the_program_does() {
    let folder = enrolled();
    let ada = probes().join("ada.png");
    let ada = ada.to_str().unwrap();
    let printed = run(folder.path(), ["identify", ada, "--format", "json", "--top", "3"]).done();
    let printed: Value = serde_json::from_str(&printed.stdout).unwrap();
    let server = Server::start(folder.path());
    let path = format!("/api/v0/identify?top=3&name={ada}");
    let photo = probe("ada.png");
    // The server besides tells as which enrolled face each face is there (none, since this photo is another), by what it would be
    // known, and whether it was called nobody's.
    let without_enrolled = |mut found: Value| {
        let face = found["faces"][0].as_object_mut().unwrap();
        assert_eq!(face.remove("enrolled"), Some(Value::Null));
        assert_eq!(face.remove("nobody"), Some(false.into()));
        assert!(face.remove("hash").is_some_and(|hash| hash.is_string()));
        found
    };
    let found = server.ask("POST", &path, &photo).has(200).json();
    assert_eq!(without_enrolled(found), printed);
    let of_form = server.form(&path, &[("file", &photo)]).has(200).json();
    assert_eq!(without_enrolled(of_form), printed);

    let info = run(folder.path(), ["info", "--format", "json"]).done();
    let info: Value = serde_json::from_str(info.stdout.lines().next().unwrap()).unwrap();
    let model = server.ask("GET", "/api/v0/model", b"").has(200).json();
    for (field, value) in model.as_object().unwrap() {
        assert!(info.get(field).is_none_or(|told| told == value), "{field}");
    }
    let verified = server.ask("POST", "/api/v0/verify?person=Ada", &photo).has(200).json();
    assert_eq!(verified["decision"], "same");
    let two = server.form("/api/v0/verify", &[("file", &photo), ("other", &photo)]).has(200);
    assert_eq!(two.json()["decision"], "same");
    let why = server.ask("POST", "/api/v0/explain", &photo).has(200);
    assert_eq!(why.header("content-type"), Some("image/png"));
    assert!(image::load_from_memory(&why.body).unwrap().width() > 300);

    let text = server.ask("POST", "/api/v0/identify", b"not a photo").has(400).json();
    assert!(text["error"].as_str().unwrap().contains("cannot be used"), "{text}");
    server.ask("POST", "/api/v0/identify", b"").has(400);
    server.ask("POST", "/api/v0/identify?far=2", &photo).has(400);
    server.ask("POST", "/api/v0/people/%20/faces", &photo).has(400);
    server.ask("GET", "/api/v0/people/Nobody/faces", b"").has(404);
    server.ask("GET", "/api/v0/nothing", b"").has(404);
    let openapi = server.ask("GET", "/openapi.json", b"").has(200).json();
    for path in ["/api/v0/identify", "/api/v0/people/{person}", "/api/v1/recognition/recognize"] {
        assert!(openapi["paths"].get(path).is_some(), "{path}");
    }
}

#[test]
fn people_are_added_renamed_merged_moved_and_erased() {
    let folder = scratch();
    let server = Server::start(folder.path());
    let file = folder.path().join("eigenfaces.npz");
    assert_eq!(people(&server), Vec::<String>::new());
    let ada = photos_of("Ada");
    let found = server.ask("POST", "/api/v0/identify", &ada[0]).has(200);
    let face = &found.json()["faces"][0];
    assert_eq!((&face["decision"], &face["enrolled"]), (&json!("unknown"), &Value::Null));
    let added = server.ask("POST", "/api/v0/people/Ada/faces?source=a.png", &ada[0]).has(201);
    let hash = added.json()["hash"].as_str().unwrap().to_owned();
    assert!(file.exists(), "written before it is acknowledged");
    let found = server.ask("POST", "/api/v0/identify", &ada[0]).has(200);
    let enrolled = &found.json()["faces"][0]["enrolled"];
    assert_eq!(enrolled, &json!({ "hash": hash, "person": "Ada" }));
    server.ask("POST", "/api/v0/people/Ada/faces", &ada[1]).has(201);
    let boris = photos_of("Boris");
    server.ask("POST", "/api/v0/people/Boris/faces", &boris[0]).has(201);
    server.ask("POST", "/api/v0/people/Boris/faces", &ada[0]).has(409);
    let group = fs::read(group_photo()).unwrap();
    let refused = server.ask("POST", "/api/v0/people/Boris/faces", &group).has(400).json();
    assert!(refused["error"].to_string().contains("say which by number"), "{refused}");
    assert_eq!(people(&server), ["Ada", "Boris"]);

    let faces = server.ask("GET", "/api/v0/people/Ada/faces", b"").has(200);
    let tag = faces.header("etag").unwrap().to_owned();
    assert_eq!(faces.json()["faces"].as_array().unwrap().len(), 2);
    let picture = server.ask("GET", &format!("/api/v0/faces/{hash}/picture.png"), b"").has(200);
    assert_eq!(image::load_from_memory(&picture.body).unwrap().width(), 64);

    let stale = [("if-match", tag.as_str())];
    // One of a list counts.
    let list = format!("\"other\", {tag}");
    server.ask_with("PUT", "/api/v0/people/Ada", &[("if-match", list.as_str())], br#"{"person":"Ada L."}"#).has(200);
    let refused = server.ask_with("PUT", "/api/v0/people/Boris", &stale, br#"{"person":"Bo"}"#).has(412);
    assert!(refused.json()["message"].as_str().unwrap().contains("changed meanwhile"));
    server.ask("PUT", "/api/v0/people/Boris", br#"{"person":"Ada L."}"#).has(409);
    assert_eq!(people(&server), ["Ada L.", "Boris"]);
    server.ask("POST", "/api/v0/undo", b"").has(200);
    assert_eq!(people(&server), ["Ada", "Boris"]);

    server.ask("POST", "/api/v0/people/Boris/merge", br#"{"into":"Ada"}"#).has(200);
    assert_eq!(people(&server), ["Ada"]);
    server.ask("PUT", &format!("/api/v0/faces/{hash}"), br#"{"person":"Zoe"}"#).has(200);
    assert_eq!(people(&server), ["Ada", "Zoe"]);
    server.ask("DELETE", &format!("/api/v0/faces/{hash}"), b"").has(200);
    assert_eq!(people(&server), ["Ada"]);
    // The face that was moved and erased is in no step; the merger before it is.
    let undo = || {
        let undone = server.ask("POST", "/api/v0/undo", b"").has(200).json();
        undone["change"].as_str().unwrap().to_owned()
    };
    assert_eq!(undo(), "Boris merged into Ada");
    assert_eq!(undo(), "1 face of Boris added");
    assert_eq!(undo(), "1 face of Ada added");
    server.ask("POST", "/api/v0/undo", b"").has(409);
    server.ask("POST", "/api/v0/people/Ada/faces", &ada[1]).has(201);
    server.ask("DELETE", "/api/v0/people/Ada", b"").has(200);
    assert_eq!(people(&server), Vec::<String>::new());
    assert!(!file.exists(), "nothing is left of anybody");
}

/// A model that somebody puts in the place of the one that is served, or removes, is theirs.
#[cfg(unix)]
#[test]
fn a_model_that_was_replaced_meanwhile_is_left_as_it_is() {
    let folder = enrolled();
    let file = folder.path().join("eigenfaces.npz");
    let served = fs::read(&file).unwrap();
    let restored = folder.path().join("restored.npz");
    for replace in [
        &(|| fs::rename(&restored, &file).unwrap()) as &dyn Fn(),
        &(|| fs::write(&file, b"restored in place").unwrap()),
        &(|| fs::remove_file(&file).unwrap()),
    ] {
        fs::write(&file, &served).unwrap();
        fs::write(&restored, b"restored").unwrap();
        let server = Server::start(folder.path());
        let rename = |from: &str, to: &[u8]| server.ask("PUT", &format!("/api/v0/people/{from}"), to);
        rename("Boris", br#"{"person":"Bo"}"#).has(200);
        replace();
        let there = fs::read(&file).ok();
        let refused = rename("Bo", br#"{"person":"Boris"}"#).has(500);
        let refused = refused.json().to_string();
        assert!(refused.contains("replaced or removed"), "{refused}");
        assert_eq!(fs::read(&file).ok(), there);
        drop(server);
        assert_eq!(fs::read(&file).ok(), there);
    }
}

/// What is taken back is what was said to be: whoever asked before another client's change is told.
#[test]
fn undo_is_meant_for_one_state_and_erasing_nobody_is_no_change() {
    let folder = enrolled();
    let server = Server::start(folder.path());
    let undo = || server.ask("GET", "/api/v0/undo", b"").has(200);
    let rename = |from: &str, to: &str| {
        let to = json!({ "person": to }).to_string();
        let path = format!("/api/v0/people/{from}");
        server.ask("PUT", &path, to.as_bytes()).has(200);
    };
    rename("Chiara", "Chi");
    let before = undo();
    let tag = before.header("etag").unwrap().to_owned();
    assert_eq!(before.json()["change"], "Chiara renamed Chi");
    let path = "/api/v1/recognition/faces?subject=Nova";
    server.form(path, &[("file", &probe("noah.png"))]).has(201);
    let meant = [("if-match", tag.as_str())];
    server.ask_with("POST", "/api/v0/undo", &meant, b"").has(412);
    assert!(people(&server).contains(&"Nova".to_owned()));
    let now = undo();
    assert_eq!(now.json()["change"], "1 face of Nova added");
    let meant = [("if-match", now.header("etag").unwrap())];
    server.ask_with("POST", "/api/v0/undo", &meant, b"").has(200);

    rename("Boris", "Bo");
    for (path, status) in [("/subjects/Nobody", 404), ("/faces?subject=Nobody", 200)] {
        let path = format!("/api/v1/recognition{path}");
        server.ask("DELETE", &path, b"").has(status);
    }
    assert_eq!(undo().json()["change"], "Boris renamed Bo");
}

#[test]
fn long_work_is_a_job() {
    let folder = scratch();
    let server = Server::start(folder.path());
    let faces = bundled_faces().to_str().unwrap();
    let enroll = json!({ "kind": "enroll", "folder": faces }).to_string();
    let begun = server.ask("POST", "/api/v0/jobs", enroll.as_bytes()).has(202).json();
    server.ask("POST", "/api/v0/jobs", enroll.as_bytes()).has(409);
    let job = ended(&server, &begun);
    assert_eq!((&job["state"], &job["result"]["added"]), (&json!("done"), &json!(112)), "{job}");
    assert_eq!(people(&server).len(), 14);
    let checked = server.ask("POST", "/api/v0/jobs", br#"{"kind":"check"}"#).has(202).json();
    let checked = ended(&server, &checked);
    assert!(checked["result"]["findings"].is_array(), "{checked}");

    let begun = server.ask("POST", "/api/v0/jobs", br#"{"kind":"enroll","folder":"/missing"}"#).has(202);
    let failed = ended(&server, &begun.json());
    assert_eq!(failed["state"], "failed");
    assert!(failed["error"].as_str().unwrap().contains("/missing"), "{failed}");
    server.ask("POST", "/api/v0/undo", b"").has(200);
    assert_eq!(people(&server).len(), 0, "the folder is taken back");
    let begun = server.ask("POST", "/api/v0/jobs", enroll.as_bytes()).has(202).json();
    server.ask("DELETE", &format!("/api/v0/jobs/{}", begun["id"]), b"").has(200);
    assert_eq!(ended(&server, &begun)["state"], "cancelled");
    assert_eq!(people(&server).len(), 0);
    // What the page draws.
    server.ask("POST", "/api/v0/people/Ada/faces", &photos_of("Ada")[0]).has(201);
    server.ask("POST", "/api/v0/people/Boris/faces", &photos_of("Boris")[0]).has(201);
    let space = server.ask("GET", "/api/v0/space", b"").has(200).json();
    let k = space["components"].as_u64().unwrap() as usize;
    let numbers = server.ask("GET", "/api/v0/basis.f32", b"").has(200);
    assert_eq!(numbers.body.len(), (1 + k) * 64 * 74 * 4);
    server.ask("GET", "/api/v0/mean.png", b"").has(200);
    server.ask("GET", "/api/v0/basis/1/picture.png", b"").has(200);
    server.ask("GET", "/api/v0/basis/0/picture.png", b"").has(404);
    let weights = server.ask("GET", "/api/v0/weights", b"").has(200).json();
    assert_eq!(weights["faces"][0]["weights"].as_array().unwrap().len(), k);
    let projected = server.ask("POST", "/api/v0/project", &photos_of("Ada")[0]).has(200).json();
    assert_eq!(projected["faces"][0]["weights"], weights["faces"][0]["weights"]);
}

#[test]
fn strangers_are_not_let_in() {
    let folder = enrolled();
    let server = Server::start(folder.path());
    let own = ("host", server.address.as_str());
    let key = ("x-api-key", KEY);
    let ask = |path: &str, headers: &[(&str, &str)]| server.raw("GET", path, headers, b"");
    ask("/api/v0/people", &[own]).has(401);
    ask("/", &[own]).has(401);
    let wrong = ask("/api/v0/people", &[own, ("x-api-key", "wrong")]).has(401);
    assert!(wrong.json()["message"].as_str().unwrap().starts_with("wrong key"));
    // Programs get JSON wherever they ask, browsers a page.
    assert!(ask("/openapi.json", &[own]).has(401).json()["message"].is_string());
    let page = ask("/", &[own, ("accept", "text/html,*/*")]).has(401);
    assert!(String::from_utf8_lossy(&page.body).contains("<html"));
    ask("/api/v0/people", &[own, key]).has(200);
    let bearer = format!("Bearer {KEY}");
    ask("/api/v0/people", &[own, ("authorization", &bearer)]).has(200);
    // A name of somebody else's that leads here, and other sites in the same browser.
    let page = format!("/?token={}", server.token);
    ask(&page, &[("host", "evil.example:8384")]).has(421);
    // The file that --open gives the browser is another site to it, and knows the token; no site knows the key.
    let begun = ask(&page, &[own, ("sec-fetch-site", "cross-site")]).has(200);
    assert!(String::from_utf8_lossy(&begun.body).contains("url=./\""));
    let evil = ("origin", "http://evil.example");
    ask("/api/v0/people", &[own, key, evil]).has(200);
    let cookie = begun.header("set-cookie").unwrap();
    // Browsers send the cookies of all ports of a host to each.
    let port = own.1.rsplit(':').next().unwrap();
    assert!(cookie.starts_with(&format!("eigenfaces-session-{port}=")), "{cookie}");
    assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
    let session = cookie.split(';').next().unwrap().to_owned();
    ask(&page, &[own]).has(401);
    let cookie = ("cookie", session.as_str());
    for other in [evil, ("sec-fetch-site", "cross-site")] {
        ask("/api/v0/people", &[own, cookie, other]).has(403);
    }
    let page = ask("/", &[own, cookie]).has(200);
    for (name, value) in [
        ("content-security-policy", "default-src 'none'"),
        ("content-security-policy", "frame-ancestors 'none'"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
    ] {
        let sent = page.header(name).unwrap_or_default();
        assert!(sent.contains(value), "{name}: {sent}");
    }
    assert!(page.header("access-control-allow-origin").is_none());
    let port = server.address.rsplit(':').next().unwrap();
    for host in ["localhost", "127.0.0.1", "[::1]"] {
        let host = format!("{host}:{port}");
        ask("/", &[("host", &host), ("cookie", &session)]).has(200);
    }
    for path in ["/app.js", "/style.css", "/try.js", "/people.js", "/explore.js", "/camera.js", "/icon.svg"] {
        ask(path, &[own, ("cookie", &session)]).has(200);
        ask(path, &[own]).has(401);
    }
    // Nothing is changed by looking.
    for path in ["/api/v0/jobs", "/api/v0/people/Ada/merge"] {
        ask(path, &[own, key]).has(405);
    }
    let large = vec![0; 21 << 20];
    server.ask("POST", "/api/v0/identify", &large).has(413);
    // A name is text wherever it stands.
    let name = "%3Cimg%20onerror=alert(1)%3E";
    let photo = photos_of("Ada")[0].clone();
    server.ask("POST", &format!("/api/v0/people/{name}/faces"), &photo).has(409);
    let refused = server.ask("PUT", "/api/v0/people/Nobody%3Cb%3E", br#"{"person":"x"}"#).has(404);
    assert_eq!(refused.header("content-type"), Some("application/json"));
}

#[test]
fn a_server_holds_the_model_and_is_refused_where_it_cannot_be() {
    let folder = enrolled();
    let server = Server::start(folder.path());
    run(folder.path(), ["serve", "--listen", "127.0.0.1:0"])
        .failed_saying(&["is in use by `eigenfaces serve` (process "]);
    let other = scratch();
    run(other.path(), ["serve", "--listen", &server.address]).failed_saying(&["the port is in use", "--listen"]);
    run(other.path(), ["serve", "--listen", "0.0.0.0:0"]).failed_saying(&["EIGENFACES_KEY"]);
    fs::write(other.path().join("eigenfaces.npz"), "no model").unwrap();
    run(other.path(), ["serve", "--listen", "127.0.0.1:0"]).failed_saying(&["eigenfaces.npz"]);
    fs::write(other.path().join("key"), "short").unwrap();
    run(other.path(), ["serve", "--key-file", "key"]).ended(2, &["16 or more"]);
}

/// Additions that were acknowledged are there after a kill.
#[test]
fn what_was_acknowledged_survives_a_kill() {
    let folder = scratch();
    let mut acknowledged = Vec::new();
    for name in ["Ada", "Boris", "Chiara"].into_iter().filter(|name| bundled_faces().join(name).is_dir()) {
        let server = Server::start(folder.path());
        for photo in photos_of(name).iter().take(4) {
            let path = format!("/api/v1/recognition/faces?subject={name}");
            let answer = server.form(&path, &[("file", photo)]).has(201).json();
            acknowledged.push(answer["image_id"].as_str().unwrap().to_owned());
        }
        // Dropped: killed at once.
    }
    let server = Server::start(folder.path());
    let all = server.ask("GET", "/api/v1/recognition/faces?size=100", b"").has(200).json();
    let kept: Vec<&str> =
        all["faces"].as_array().unwrap().iter().map(|face| face["image_id"].as_str().unwrap()).collect();
    for face in &acknowledged {
        assert!(kept.contains(&face.as_str()), "{face} was lost");
    }
    assert_eq!(kept.len(), acknowledged.len());
}
