//! `identify --watch`: photos are identified as they come.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::Value;

use crate::serve::client::spawned;
use crate::support::{photo_of_ada, project, tiff_of};
use crate::{another, enrolled, program, run};

/// A receiver of webhooks that answers with these statuses, the last of them from then on: its address, and what is posted.
pub fn receiver(statuses: &'static [u16]) -> (String, Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for at in 0.. {
            let (mut stream, _) = listener.accept().unwrap();
            let mut bytes = Vec::new();
            let posted = loop {
                let mut some = [0; 4096];
                let read = stream.read(&mut some).unwrap();
                bytes.extend_from_slice(&some[..read]);
                let text = String::from_utf8_lossy(&bytes);
                if let Some((head, body)) = text.split_once("\r\n\r\n")
                    && let Ok(object) = serde_json::from_str(body)
                {
                    break (head.to_owned(), object);
                }
                assert!(read > 0, "{text}");
            };
            let status = statuses[at.min(statuses.len() - 1)];
            let answer = format!("HTTP/1.1 {status} Status\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(answer.as_bytes()).unwrap();
            if sender.send(posted).is_err() {
                return;
            }
        }
    });
    (address, receiver)
}

pub const LONG: Duration = Duration::from_secs(120);

/// Tells a program to end, and gives its exit status.
#[cfg(unix)]
fn interrupted(child: &mut Child) -> Option<i32> {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap())
}

#[test]
#[cfg(unix)]
fn a_burst_is_posted_as_one_result_until_it_is_taken() {
    let folder = enrolled();
    let door = folder.path().join("door");
    fs::create_dir(&door).unwrap();
    let (address, posted) = receiver(&[503, 200]);
    let url = format!("http://{address}/api/webhook/secret?token=secret");
    let mut command = program(folder.path());
    command.args(["identify", "--watch", "door"]).env("EIGENFACES_WEBHOOK", url);
    let (mut child, said) = spawned(&mut command, "waiting for new photos");
    let ada = fs::read(project().join("assets/probes/ada.png")).unwrap();
    for frame in 0..3 {
        fs::write(door.join(format!("{frame}.png")), another(&ada, frame)).unwrap();
    }
    fs::write(door.join("9.png"), fs::read(project().join("assets/probes/boris.png")).unwrap()).unwrap();
    let (head, refused) = posted.recv_timeout(LONG).unwrap();
    assert!(head.starts_with("POST /api/webhook/secret?token=secret HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("host: {address}")), "{head}");
    let (_, again) = posted.recv_timeout(LONG).unwrap();
    assert_eq!(again, refused, "the same until it is taken");
    assert_eq!(again["frames"].as_array().unwrap().len(), 3, "{again}");
    assert_eq!(again["photo"], again["frames"][0]);
    assert_eq!(again["faces"][0]["person"], "Ada");
    assert!(again["time"].as_u64().unwrap() > 1_700_000_000);
    let (_, boris) = posted.recv_timeout(LONG).unwrap();
    assert_eq!(boris["faces"][0]["person"], "Boris");
    assert_eq!(boris["frames"].as_array().unwrap().len(), 1);
    // A refusal is no reason to try again: what comes next is another photo.
    assert_eq!(interrupted(&mut child), Some(15));
    let said = said.lock().unwrap().clone();
    assert!(said.contains("status 503") && said.contains("takes results again"), "{said}");
    assert!(!said.contains("secret") && !said.contains("not posted"), "{said}");
}

#[test]
#[cfg(unix)]
fn what_is_refused_is_not_posted_again_and_what_is_not_posted_is_said() {
    let folder = enrolled();
    let door = folder.path().join("door");
    fs::create_dir(&door).unwrap();
    let (address, posted) = receiver(&[404, 500]);
    let url = format!("http://{address}/secret");
    let mut command = program(folder.path());
    command.args(["identify", "--watch", "door", "--webhook", &url]);
    let (mut child, said) = spawned(&mut command, "waiting for new photos");
    for name in ["one", "two"] {
        fs::write(door.join(format!("{name}.jpg")), b"no photo").unwrap();
        let (_, told) = posted.recv_timeout(LONG).unwrap();
        assert!(told["photo"].as_str().unwrap().contains(name), "{told}");
    }
    assert_eq!(interrupted(&mut child), Some(15));
    let said = said.lock().unwrap().clone();
    for words in ["refused a result (status 404)", "status 500", "1 result was not posted"] {
        assert!(said.contains(words), "{said}");
    }
    assert!(!said.contains("secret"), "{said}");
    for wrong in ["https://ha/secret", "secret"] {
        let args = ["identify", "--watch", "door", "--webhook", wrong];
        let refused = run(folder.path(), args);
        assert!(!refused.stderr.contains("secret"), "{}", refused.stderr);
        assert!(refused.stderr.contains("webhook"), "{}", refused.stderr);
    }
}

#[test]
#[cfg(unix)]
fn a_server_watches_and_posts_too() {
    let folder = enrolled();
    let door = folder.path().join("door");
    fs::create_dir(&door).unwrap();
    let (address, posted) = receiver(&[200]);
    let url = format!("http://{address}/secret");
    let mut command = program(folder.path());
    let args = ["serve", "--listen", "127.0.0.1:0", "--watch", "door"];
    command.args(args).env("EIGENFACES_WEBHOOK", url);
    let server = crate::serve::client::Server::start_by(&mut command);
    let photo = fs::read(project().join("assets/probes/noah.png")).unwrap();
    fs::write(door.join("1.png"), &photo).unwrap();
    let (_, told) = posted.recv_timeout(LONG).unwrap();
    assert_eq!(told["faces"][0]["person"], "Noah", "{told}");
    // Of whom was renamed meanwhile.
    server.ask("PUT", "/api/v0/people/Noah", br#"{"person":"Nora"}"#).has(200);
    fs::write(door.join("2.png"), &photo).unwrap();
    let (_, told) = posted.recv_timeout(LONG).unwrap();
    assert_eq!(told["faces"][0]["person"], "Nora", "{told}");
    assert!(!server.end().contains("secret"));
    run(folder.path(), ["serve", "--watch", "missing"]).failed_saying(&["missing"]);
}

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
    assert_eq!(come("ada.png", &probe("ada.png"))["faces"][0]["person"], "Ada");
    // Not the program's end, as it is where it is the only photo named.
    assert!(come("none.png", b"no photo")["error"].is_string());
    // Written anew under one name, as cameras do.
    let again = come("ada.png", &probe("boris.png"));
    assert_eq!(again["faces"][0]["person"], "Boris");
    // People are those of the model as it is now.
    run(folder.path(), ["people", "rename", "Boris", "Bo"]).done();
    assert_eq!(come("later.png", &probe("boris.png"))["faces"][0]["person"], "Bo");
    // Scanners save several photos in one file.
    let pages = vec![image::open(photo_of_ada()).unwrap().into_luma8(); 2];
    let scans = come("scans.tif", &tiff_of(&pages));
    let frames = [1, 2].map(|page| format!("door/scans (page {page} of 2).tif"));
    assert_eq!(scans["frames"], serde_json::json!(frames));
    child.kill().unwrap();
    child.wait().unwrap();

    run(folder.path(), ["identify", "--watch", "door/ada.png"]).failed_saying(&["ada.png"]);
}
