//! Databases that cannot be used: each is told of with its remedy, and no password is ever shown.

use std::process::Command;

use super::server::{Server, programs};
use super::{export, others};
use crate::support::{photo_of_ada, scratch};
use crate::{Run, enrolled_without_background, program, run};

const SECRET: &str = "hush-hush";

#[test]
fn addresses_that_lead_nowhere() {
    let folder = enrolled_without_background();
    let ada = photo_of_ada().to_str().unwrap();
    for (url, words) in [
        ("postgresql://ada:hush-hush@127.0.0.1:1/faces", ["postgresql://ada@127.0.0.1:1/faces: no server", "port"]),
        ("postgresql:///faces?host=/nowhere&password=hush-hush", ["/nowhere", "no server can be reached"]),
        ("mysql://ada:hush-hush@db/faces", ["not an address", "write postgresql://"]),
        ("postgresql://ada:hush-hush@db:x/faces", ["not an address", "write postgresql://"]),
        ("postgresql://ada:hush-hush@h@db/faces", ["more than one @", "%40"]),
        ("ada:hush-hush@db", ["not an address", "write postgresql://"]),
    ] {
        for args in [vec!["export", "--postgres", url], vec!["identify", ada, "--gallery", url]] {
            let failed = run(folder.path(), args).failed_saying(&words);
            assert!(!failed.stderr.contains(SECRET), "{}", failed.stderr);
        }
    }
    // Usage errors do not repeat the address either.
    for args in [
        ["identify", ada, "--gallery", "postgresql://a:hush-hush@db/f", "--faces", "x"],
        ["identify", ada, "--gallery", "postgresql://a:hush-hush@db/f", "--explain", "x.png"],
    ] {
        let failed = run(folder.path(), args);
        failed.ended(2, &["--gallery"]);
        assert!(!failed.stderr.contains(SECRET), "{}", failed.stderr);
    }
}

#[test]
fn a_server_without_pgvector() {
    let Some(programs) = programs(false) else {
        eprintln!("skipped: no PostgreSQL here");
        return;
    };
    let Some(server) = Server::start_from(programs) else { return };
    let folder = enrolled_without_background();
    let failed = export(folder.path(), &server.address("postgres"), &[]);
    failed.failed_saying(&["pgvector", "CREATE EXTENSION vector"]);
    server.client("postgres").batch_execute("CREATE DATABASE old ENCODING 'LATIN1' TEMPLATE template0").unwrap();
    export(folder.path(), &server.address("old"), &[]).failed_saying(&["LATIN1", "UTF8"]);
    export(folder.path(), &server.address("missing"), &[]).failed_saying(&["no such database"]);
}

#[test]
fn rights_and_passwords() {
    let Some(server) = Server::start() else { return };
    let url = server.database("faces");
    let folder = enrolled_without_background();
    let ada = photo_of_ada().to_str().unwrap();
    run(folder.path(), ["identify", ada, "--gallery", &url]).failed_saying(&["no gallery is there"]);
    server.client("faces").batch_execute("CREATE ROLE reader LOGIN PASSWORD 'hush-hush'").unwrap();
    let reader = format!("postgresql://reader@127.0.0.1:{}/faces", server.port());
    let with = |password: &str| {
        let mut command = program(folder.path());
        command.args(["identify", ada, "--gallery", &reader]).env("PGPASSWORD", password);
        Run::of(command.output().unwrap())
    };
    with("wrong").failed_saying(&["does not let this user in", "PGPASSWORD"]);
    let with_url = reader.replace("reader@", "reader:hush-hush@");
    export(folder.path(), &with_url, &[]).failed_saying(&["lacks a right", "docs/SCALE.md"]);
    export(folder.path(), &url, &[]).done();
    with(SECRET).failed_saying(&["lacks a right"]);
    server
        .client("faces")
        .batch_execute(
            "GRANT USAGE ON SCHEMA eigenfaces TO reader;
             GRANT SELECT ON ALL TABLES IN SCHEMA eigenfaces TO reader",
        )
        .unwrap();
    assert!(with(SECRET).done().stdout.contains("Ada"));

    // The password file, read where only its owner can read it.
    let file = scratch();
    let path = file.path().join("passwords");
    std::fs::write(&path, format!("*:*:faces:reader:{SECRET}\n")).unwrap();
    let by_file = |mode: u32| {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let mut command = program(folder.path());
        command.args(["identify", ada, "--gallery", &reader]).env("PGPASSFILE", &path);
        Run::of(command.output().unwrap())
    };
    by_file(0o600).done();
    by_file(0o644).failed_saying(&["does not let this user in"]);
}

#[test]
fn galleries_that_are_not_the_models() {
    let Some(server) = Server::start() else { return };
    let url = server.database("faces");
    let (folder, other) = (enrolled_without_background(), others(8, &[]));
    export(other.path(), &url, &[]).done();
    let ada = photo_of_ada().to_str().unwrap();
    let asked = |more: &[&str]| run(folder.path(), [&["identify", ada, "--gallery", &url], more].concat());
    asked(&[]).failed_saying(&["16 faces of 8 people", "another model than eigenfaces.npz", "--model"]);
    export(folder.path(), &url, &[]).failed_saying(&["16 faces and 8 people", "--yes"]);
    export(folder.path(), &url, &["--yes"]).done();
    asked(&["--index", "hnsw"]).failed_saying(&["no HNSW index", "--index hnsw"]);
    run(folder.path(), ["identify", ada, "--index", "hnsw"]).ended(2, &["--gallery"]);
    let client = server.client("faces");
    client.batch_execute("UPDATE eigenfaces.galleries SET calibration = '{}'").unwrap();
    asked(&[]).failed_saying(&["unexpected contents", "export the model again"]);
    client.batch_execute("UPDATE eigenfaces.version SET version = 99").unwrap();
    asked(&[]).failed_saying(&["newer eigenfaces", "99"]);
    export(folder.path(), &url, &[]).failed_saying(&["newer eigenfaces"]);

    let few = scratch();
    for person in ["Ada", "Boris"] {
        let faces = crate::support::bundled_faces().join(person);
        run(
            few.path(),
            [
                "enroll".as_ref(),
                faces.as_os_str(),
                "--labels".as_ref(),
                "folder".as_ref(),
                "--background".as_ref(),
                "none".as_ref(),
            ],
        )
        .done();
    }
    let url = server.database("few");
    export(few.path(), &url, &[]).failed_saying(&["too few for a database"]);
}

/// Encrypted where it is asked for, or not at all.
#[test]
fn encryption_is_never_left_out_silently() {
    let Some(server) = Server::start() else { return };
    let url = server.database("faces").replace("127.0.0.1", "localhost");
    let folder = enrolled_without_background();
    export(folder.path(), &format!("{url}?sslmode=require"), &[])
        .failed_saying(&["no encrypted connection", "sslmode=disable"]);
    let made = scratch();
    let certificate = Command::new("openssl")
        .current_dir(made.path())
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem"])
        .args(["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .output();
    if !certificate.is_ok_and(|made| made.status.success()) {
        eprintln!("skipped: no openssl here to make a certificate with");
        return;
    }
    let read = |name: &str| std::fs::read(made.path().join(name)).unwrap();
    let key = server.give("server.key", &read("key.pem"));
    let cert = server.give("server.crt", &read("cert.pem"));
    server.set(&format!("ssl = on\nssl_key_file = '{}'\nssl_cert_file = '{}'\n", key.display(), cert.display()));
    std::thread::sleep(std::time::Duration::from_millis(500));
    export(folder.path(), &url, &[]).done();
    let asked = |host: &str, trusted: &str| {
        let url = url.replace("localhost", host) + "?sslmode=verify-full";
        let mut command = program(folder.path());
        command
            .args(["identify", photo_of_ada().to_str().unwrap(), "--gallery", &url])
            .env("SSL_CERT_FILE", made.path().join(trusted));
        Run::of(command.output().unwrap())
    };
    asked("localhost", "cert.pem").done();
    asked("127.0.0.1", "cert.pem").failed_saying(&["certificate is not trusted"]);
    asked("localhost", "nowhere.pem").failed_saying(&["certificate is not trusted", "SSL_CERT_FILE"]);
}
