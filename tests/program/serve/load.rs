//! Many clients at once, and a server that is killed and started again meanwhile.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};

use super::client::Server;
use super::durable::{faces, few_enrolled, rounds};
use super::{photos_of, probe};
use crate::another;
use crate::watch::LONG;

const ADDING: usize = 64;
const ASKING: usize = 8;

/// What was acknowledged is there in the end, each face once. 2 kills here; EIGENFACES_LOAD_KILLS sets another number.
#[test]
fn kills_under_load_lose_nothing_that_was_acknowledged() {
    let folder = few_enrolled();
    let server = RwLock::new(Server::start(folder.path()));
    let acknowledged = Mutex::new(Vec::new());
    let (answered, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let photos = photos_of("Ada");
    let add = |client: usize| {
        for number in 0.. {
            if is_over.load(Ordering::SeqCst) {
                return;
            }
            let photo = another(&photos[client % photos.len()], 1000 * client + number);
            let path = format!("/api/v1/recognition/faces?subject=Client{client}");
            let answer = server.read().unwrap().try_form(&path, &[("file", &photo)]);
            match answer {
                Some(answer) if answer.status == 201 => {
                    let id = answer.json()["image_id"].as_str().unwrap().to_owned();
                    acknowledged.lock().unwrap().push(id);
                }
                // Too many at a time, or it is being killed.
                Some(answer) => drop(answer.has(503)),
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    };
    let ask = || {
        while !is_over.load(Ordering::SeqCst) {
            let asked = [("file", &probe("ada.png")[..])];
            let answer = server.read().unwrap().try_form("/api/v0/identify", &asked);
            match answer.map(|answer| answer.status) {
                Some(200) => drop(answered.fetch_add(1, Ordering::SeqCst)),
                status => assert!(matches!(status, None | Some(503)), "{status:?}"),
            }
        }
    };
    let kill = || {
        for round in 0..rounds("EIGENFACES_LOAD_KILLS", 2) {
            // Some kills come before anything of the round is learned, some after.
            std::thread::sleep(Duration::from_millis(400 + 900 * (round as u64 % 3)));
            let id = server.read().unwrap().process.id().to_string();
            let killed = Command::new("kill").args(["-KILL", &id]).status();
            assert!(killed.unwrap().success());
            let mut server = server.write().unwrap();
            server.process.wait().unwrap();
            *server = Server::start(folder.path());
        }
        // The last server has served for a while, and on a slow machine until something was acknowledged and answered.
        std::thread::sleep(Duration::from_millis(500));
        let started = Instant::now();
        let is_enough = || acknowledged.lock().unwrap().len() > ADDING && answered.load(Ordering::SeqCst) > 0;
        while !is_enough() && started.elapsed() < LONG {
            std::thread::sleep(Duration::from_millis(50));
        }
        is_over.store(true, Ordering::SeqCst);
    };
    std::thread::scope(|scope| {
        (0..ADDING).for_each(|client| drop(scope.spawn(move || add(client))));
        (0..ASKING).for_each(|_| drop(scope.spawn(ask)));
        scope.spawn(kill);
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    let answered = answered.into_inner();
    assert!(acknowledged.len() > ADDING && answered > 0, "{} acknowledged, {answered} answered", acknowledged.len());
    let before = faces(&server.read().unwrap());
    server.into_inner().unwrap().end();
    let again = faces(&Server::start(folder.path()));
    let there: BTreeSet<&String> = again.iter().collect();
    assert_eq!(there.len(), again.len(), "none is there twice");
    for face in acknowledged.iter().chain(&before) {
        assert!(there.contains(face), "{face} was lost");
    }
    eprintln!("{} faces acknowledged, {answered} questions answered", acknowledged.len());
}
