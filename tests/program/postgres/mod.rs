//! A gallery in a database: `export --postgres` and `identify --gallery`, with a real server.

mod hostile;
mod refused;
mod server;

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{bundled_faces, probes, scratch};
use crate::{Run, at_work, enrolled, enrolled_without_background, picture, run};
use server::Server;

fn export(folder: &Path, url: &str, more: &[&str]) -> Run {
    run(folder, [&["export", "--postgres", url], more].concat())
}

/// What `identify` says of all bundled faces and probes, in JSON, with five candidates each.
fn answers(folder: &Path, more: &[&str]) -> String {
    let photos = [probes(), bundled_faces()].map(|path| path.to_str().unwrap());
    let args = ["identify", photos[0], photos[1], "--format", "json", "--top", "5"];
    run(folder, [&args, more].concat()).done().stdout
}

/// A folder with a model of other people: so many, each with two photos, compared by pixels.
fn others(people: u32, more: &[&str]) -> tempfile::TempDir {
    let folder = scratch();
    for person in 0..people {
        for photo in 0..2 {
            let path = folder.path().join(format!("faces/person {person}/{photo}.png"));
            picture(&path, 40, 50, person * 100 + photo);
        }
    }
    run(folder.path(), [&["enroll", "faces", "--size", "24x30", "--background", "none"], more].concat()).done();
    folder
}

fn count(server: &Server, name: &str, what: &str) -> i64 {
    let count = format!("SELECT count(*) FROM {what}");
    server.client(name).number(&count)
}

#[test]
fn the_database_answers_as_the_file_does() {
    let Some(server) = Server::start() else { return };
    for (name, folder) in [("likelihoods", enrolled()), ("distances", enrolled_without_background())] {
        answers_as_the_file(&server, name, &folder);
    }
}

fn answers_as_the_file(server: &Server, name: &str, folder: &tempfile::TempDir) {
    let url = server.database(name);
    let first = export(folder.path(), &url, &[]).done();
    assert!(
        first.stdout.starts_with("exported 112 faces of 14 people to postgresql://postgres@127.0.0.1"),
        "{}",
        first.stdout
    );
    assert!(first.stdout.contains(": 14 new"), "{}", first.stdout);
    let expected = answers(folder.path(), &[]);
    assert_eq!(answers(folder.path(), &["--gallery", &url]), expected);
    let again = export(folder.path(), &url, &["--index", "hnsw"]).done();
    assert!(again.stdout.contains(": 14 as they were"), "{}", again.stdout);
    // Of so few people the index misses nobody.
    assert_eq!(answers(folder.path(), &["--gallery", &url, "--index", "hnsw"]), expected);
    assert_eq!(answers(folder.path(), &["--gallery", &url]), expected, "an index changes nothing");

    export(folder.path(), &url, &[]).done();
    let asked = answers(folder.path(), &["--gallery", &url, "--index", "hnsw"]);
    assert_eq!(asked, expected, "an index stays");

    // In words, and in copies of the photos.
    for args in [vec![], vec!["--annotate", "marked"], vec!["--far", "0.2"], vec!["--threshold", "0.95"]] {
        let probes = probes().to_str().unwrap();
        let plain = run(folder.path(), [&["identify", probes], args.as_slice()].concat()).done();
        let asked = run(folder.path(), [&["identify", probes, "--gallery", &url], args.as_slice()].concat()).done();
        assert_eq!(plain.stdout, asked.stdout);
    }
}

/// Of a gallery that is not brought over as a whole for each probe the sum of all odds is the server's, in single precision:
/// what is printed for a reader is the same, and so are numbers to six digits.
#[test]
fn a_large_gallery_of_the_default_model_is_answered_alike() {
    let Some(server) = Server::start() else { return };
    let folder = scratch();
    for person in 0..150 {
        let path = folder.path().join(format!("faces/person {person}/1.png"));
        picture(&path, 64, 74, person);
    }
    for person in 0..20 {
        let path = folder.path().join(format!("faces/person {person}/2.png"));
        picture(&path, 64, 74, 1_000 + person);
        picture(&folder.path().join(format!("probes/{person}.png")), 64, 74, 2_000 + person);
    }
    run(folder.path(), ["enroll", "faces", "--framing", "as-is"]).done();
    let url = server.database("large");
    export(folder.path(), &url, &[]).done();
    let asked = |photos: &str, more: &[&str]| {
        let args = ["identify", photos, "--top", "5"];
        run(folder.path(), [&args, more].concat()).done().stdout
    };
    for photos in ["probes", "faces/person 7"] {
        assert_eq!(asked(photos, &["--gallery", &url]), asked(photos, &[]));
        let numbers = |more: &[&str]| -> Vec<Value> {
            let text = asked(photos, &[&["--format", "json"], more].concat());
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let (there, here) = (numbers(&["--gallery", &url]), numbers(&[]));
        assert_eq!(there.len(), here.len());
        for (there, here) in there.iter().zip(&here) {
            assert!(alike(there, here), "{there}\n{here}");
        }
    }
}

/// The same but for numbers, which are the same to six digits.
fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            (one - other).abs() <= 1e-6 * one.abs()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| alike(a, b))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.0 == b.0 && alike(a.1, b.1))
        }
        _ => one == other,
    }
}

/// All ways to compare people by, and metrics whose coordinates are long.
#[test]
fn every_way_to_compare_is_answered_alike() {
    let Some(server) = Server::start() else { return };
    for (at, more) in
        [["--metric", "euclidean"], ["--metric", "whitened"], ["--kernel", "rbf:auto"], ["--scale-pixels", "--nested"]]
            .iter()
            .enumerate()
    {
        let folder = others(12, more);
        let url = server.database(&format!("way_{at}"));
        export(folder.path(), &url, &[]).done();
        let asked = |more: &[&str]| {
            let args = ["identify", "faces", "--format", "csv", "--top", "3"];
            run(folder.path(), [&args, more].concat()).done().stdout
        };
        assert_eq!(asked(&["--gallery", &url]), asked(&[]), "{more:?}");
    }
}

#[test]
fn eight_at_once_are_all_answered_right() {
    let Some(server) = Server::start() else { return };
    let url = server.database("faces");
    let folder = enrolled_without_background();
    export(folder.path(), &url, &[]).done();
    let expected = answers(folder.path(), &[]);
    std::thread::scope(|scope| {
        let asked: Vec<_> =
            (0..8).map(|_| scope.spawn(|| answers(folder.path(), &["--gallery", &url, "--threads", "1"]))).collect();
        for asked in asked {
            assert_eq!(asked.join().unwrap(), expected);
        }
    });
}

/// People who leave the model leave the database, all that is known of them; names may be in any script, and are
/// never taken for anything else.
#[test]
fn the_database_follows_the_model() {
    let Some(server) = Server::start() else { return };
    let url = server.database("faces");
    let folder = enrolled_without_background();
    export(folder.path(), &url, &[]).done();
    for (from, to) in
        [("Ada", "O'Neil\"; DROP SCHEMA eigenfaces CASCADE; --"), ("Boris", "Борис \\x00 %s $1"), ("Keiko", "恵子 👩🏽‍🦰")]
    {
        run(folder.path(), ["people", "rename", from, to]).done();
    }
    run(folder.path(), ["people", "remove", "Luis", "--yes"]).done();

    let refused = export(folder.path(), &url, &[]);
    refused.failed_saying(&["8 faces and 4 people", "would be erased", "--yes"]);
    assert_eq!(count(&server, "faces", "eigenfaces.people WHERE name = 'Luis'"), 1);
    let would = export(folder.path(), &url, &["--dry-run", "--format", "json"]).done();
    let would: serde_json::Value = serde_json::from_str(&would.stdout).unwrap();
    assert_eq!((would["erased_people"].as_i64(), would["erased_faces"].as_i64()), (Some(4), Some(8)));
    export(folder.path(), &url, &["--yes"]).done();
    assert_eq!(count(&server, "faces", "eigenfaces.people"), 13);
    assert_eq!(count(&server, "faces", "eigenfaces.faces"), 104);
    assert_eq!(count(&server, "faces", "eigenfaces.galleries"), 1);
    assert_eq!(count(&server, "faces", "pg_tables WHERE tablename LIKE 'points%'"), 1);
    assert_eq!(answers(folder.path(), &["--gallery", &url]), answers(folder.path(), &[]));

    // A gallery that grew is brought over as it is now.
    let folder = others(8, &["--metric", "whitened"]);
    let other = server.database("others");
    export(folder.path(), &other, &[]).done();
    picture(&folder.path().join("faces/person 3/2.png"), 40, 50, 999);
    picture(&folder.path().join("faces/somebody new/1.png"), 40, 50, 77);
    run(folder.path(), ["enroll", "faces"]).done();
    export(folder.path(), &other, &["--yes"]).done();
    let asked =
        |more: &[&str]| run(folder.path(), [&["identify", "faces", "--format", "json"], more].concat()).done().stdout;
    assert_eq!(asked(&["--gallery", &other]), asked(&[]));
}

/// Makes whoever adds this person to the database wait: then all before them are there.
fn hold(server: &Server, name: &str, person: &str) {
    server
        .client(name)
        .batch_execute(&format!(
            "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 IF NEW.name = '{person}' THEN PERFORM pg_catalog.pg_sleep(300); END IF; RETURN NEW;
             END $$;
             CREATE TRIGGER hold AFTER INSERT ON eigenfaces.people FOR EACH ROW EXECUTE FUNCTION hold()"
        ))
        .unwrap();
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(120), "never: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The server fails in the middle of an export: nobody is there by half, whoever asks with the former model is answered
/// as before, and another export goes on.
#[test]
fn a_server_that_fails_leaves_nobody_by_half() {
    let Some(mut server) = Server::start() else { return };
    let url = server.database("faces");
    let before = enrolled_without_background();
    export(before.path(), &url, &[]).done();
    let expected = answers(before.path(), &[]);
    let after = others(60, &[]);
    hold(&server, "faces", "person 50");
    let exporting = at_work(after.path(), &["export", "--postgres", &url, "--yes"]);
    let waiting = "pg_stat_activity WHERE wait_event = 'PgSleep'";
    wait_until("an export in the middle", || count(&server, "faces", waiting) == 1);

    assert_eq!(answers(before.path(), &["--gallery", &url]), expected, "as before");
    export(before.path(), &url, &[]).failed_saying(&["another export", "wait"]);
    let asked = |more: &[&str]| run(after.path(), [&["identify", "faces", "--format", "json"], more].concat());
    asked(&["--gallery", &url]).failed_saying(&["not whole", "of 60 people", "again"]);
    server.crash();
    let ended = Run::of(exporting.wait_with_output().unwrap());
    ended.failed_saying(&["connection was lost", "of 60 people were brought over", "run the same export again"]);
    asked(&["--gallery", &url]).failed_saying(&["no server can be reached"]);

    server.run();
    let there = "eigenfaces.people WHERE name LIKE 'person %'";
    let people = count(&server, "faces", there);
    assert!(0 < people && people < 60, "{people}");
    let halves = "eigenfaces.people p WHERE name LIKE 'person %'
        AND (SELECT count(*) FROM eigenfaces.faces f WHERE f.person = p.id) != 2";
    assert_eq!(count(&server, "faces", halves), 0, "nobody by half");
    assert_eq!(answers(before.path(), &["--gallery", &url]), expected, "as before");
    server.client("faces").batch_execute("DROP FUNCTION hold CASCADE").unwrap();
    let went_on = export(after.path(), &url, &["--yes"]).done();
    assert!(went_on.stdout.contains(&format!("{people} as they were")), "{}", went_on.stdout);
    assert_eq!(asked(&["--gallery", &url]).done().stdout, asked(&[]).done().stdout);
    let former = run(before.path(), ["identify", "--gallery", &url, crate::support::photo_of_ada().to_str().unwrap()]);
    former.failed_saying(&["120 faces of 60 people", "another model than eigenfaces.npz"]);
}
