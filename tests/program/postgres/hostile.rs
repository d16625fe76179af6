//! Servers that are none, and databases that somebody has damaged.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use super::server::Server;
use super::{export, others};
use crate::support::photo_of_ada;
use crate::{enrolled_without_background, run};

/// What a server does with a connection, which it then keeps open.
type Deed = fn(&mut TcpStream);

/// Reads the request for encryption, and refuses or grants it.
fn greeted(stream: &mut TcpStream, answer: &[u8]) {
    let _ = stream.read(&mut [0; 8]);
    let _ = stream.write_all(answer);
}

const DEEDS: [(&str, Deed); 6] = [
    ("says nothing", |_| {}),
    ("grants encryption, then says nothing", |stream| greeted(stream, b"S")),
    ("refuses encryption, then says nothing", |stream| greeted(stream, b"N")),
    ("sends noise", |stream| {
        greeted(stream, b"N");
        let noise: Vec<u8> = (0..4096_u32).map(|at| (at.wrapping_mul(2_654_435) >> 7) as u8).collect();
        let _ = stream.write_all(&noise);
    }),
    ("announces two gigabytes", |stream| {
        greeted(stream, b"N");
        let _ = stream.write_all(b"R\x7f\xff\xff\xff\0\0\0\0");
    }),
    ("sends a byte now and then", |stream| {
        greeted(stream, b"N");
        for byte in b"R\0\0\0\x08\0\0\0\0S\0\0\0\x20".iter().cycle().take(60) {
            if stream.write_all(&[*byte]).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }),
];

/// A server that does this with whoever connects; its port.
fn serve(deed: Deed) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || {
                let mut stream = stream.unwrap();
                deed(&mut stream);
                std::thread::sleep(Duration::from_secs(120));
            });
        }
    });
    port
}

#[test]
fn no_server_keeps_anybody_waiting() {
    let folder = enrolled_without_background();
    let folder = folder.path();
    let ada = photo_of_ada().to_str().unwrap();
    std::thread::scope(|scope| {
        for (what, deed) in DEEDS {
            for (hurry, most) in [("?connect_timeout=2", 8), ("", 20)] {
                scope.spawn(move || {
                    let port = serve(deed);
                    let url = format!("postgresql://ada@127.0.0.1:{port}/faces{hurry}");
                    let started = Instant::now();
                    let failed = run(folder, ["identify", ada, "--gallery", &url]);
                    let seconds = started.elapsed().as_secs();
                    assert!(seconds < most, "a server that {what}: {seconds} s");
                    failed.failed_saying(&["postgresql://ada@127.0.0.1", ": "]);
                    if !hurry.is_empty() {
                        let failed = run(folder, ["export", "--postgres", &url]);
                        failed.failed_saying(&["postgresql://ada@127.0.0.1"]);
                    }
                });
            }
        }
    });
    let port = serve(DEEDS[0].1);
    let url = format!("postgresql://ada@127.0.0.1:{port}/faces?connect_timeout=1");
    run(folder, ["identify", ada, "--gallery", &url]).failed_saying(&["did not answer within 1 s", "try again"]);
}

/// Whatever stands in a table, or does not: an error that says so, and no panic.
#[test]
fn a_damaged_database_is_refused() {
    let Some(server) = Server::start() else { return };
    let folder = others(6, &[]);
    let photo = "faces/person 1/0.png";
    let damages = [
        "DELETE FROM eigenfaces.version",
        "ALTER TABLE eigenfaces.people ALTER name DROP NOT NULL; UPDATE eigenfaces.people SET name = NULL",
        "UPDATE eigenfaces.people SET name = E'a\\nb' || id",
        "ALTER TABLE eigenfaces.galleries ALTER calibration DROP NOT NULL; UPDATE eigenfaces.galleries SET calibration = NULL",
        "ALTER TABLE eigenfaces.galleries ALTER people DROP NOT NULL; UPDATE eigenfaces.galleries SET people = NULL",
        "ALTER TABLE eigenfaces.galleries ALTER whole DROP NOT NULL; UPDATE eigenfaces.galleries SET whole = NULL",
        "UPDATE eigenfaces.galleries SET dimensions = 2000000000",
        "ALTER TABLE eigenfaces.galleries ALTER dimensions TYPE bigint",
        "ALTER TABLE eigenfaces.version ALTER version TYPE text",
        "ALTER TABLE eigenfaces.people ALTER name TYPE bytea USING name::bytea",
        "ALTER TABLE eigenfaces.galleries DROP COLUMN indexed",
    ];
    for (at, damage) in damages.into_iter().enumerate() {
        let name = format!("damaged{at}");
        let url = server.database(&name);
        export(folder.path(), &url, &[]).done();
        let ask = || run(folder.path(), ["identify", photo, "--gallery", &url]);
        ask().done();
        server.client(&name).batch_execute(damage).unwrap();
        let failed = ask();
        assert_eq!(failed.code, 1, "{damage}: {}", failed.stdout);
        failed.failed_saying(&["postgresql://"]);
        // An export may mend it, but never breaks down.
        let mended = export(folder.path(), &url, &["--yes"]);
        assert!(matches!(mended.code, 0 | 1), "{damage}: {}", mended.stderr);
    }
    let url = server.database("emptied");
    export(folder.path(), &url, &[]).done();
    let client = server.client("emptied");
    client.batch_execute("DELETE FROM eigenfaces.version").unwrap();
    run(folder.path(), ["identify", photo, "--gallery", &url])
        .failed_saying(&["eigenfaces.version is empty", "DROP SCHEMA"]);
}
