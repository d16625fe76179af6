//! Connections that say nothing, too many of them, and guessed keys: nobody is kept out by them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use super::client::{KEY, Server};
use crate::{enrolled, program};

/// Far longer than an honest request takes.
const LONG: Duration = Duration::from_secs(20);

#[test]
fn connections_that_send_nothing_are_closed() {
    let folder = enrolled();
    let server = Server::start(folder.path());
    let begun = Instant::now();
    let mut silent = TcpStream::connect(&server.address).unwrap();
    let mut slow = TcpStream::connect(&server.address).unwrap();
    let mut answered = TcpStream::connect(&server.address).unwrap();
    let request = format!("GET /api/v0/people HTTP/1.1\r\nhost: x\r\nx-api-key: {KEY}\r\n\r\n");
    answered.write_all(request.as_bytes()).unwrap();
    for stream in [&silent, &slow, &answered] {
        stream.set_read_timeout(Some(LONG)).unwrap();
    }
    // One letter after the other is no request either.
    let mut dripping = slow.try_clone().unwrap();
    std::thread::spawn(move || {
        for letter in b"GET / HTTP/1.1\r\nx: yyyyyyyyyyyyyyyyyyyyyyyyyyy" {
            if dripping.write_all(&[*letter]).is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    });
    let mut text = String::new();
    answered.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    let mut end = [0; 1];
    assert!(matches!(silent.read(&mut end), Ok(0)), "it is closed");
    assert!(slow.read(&mut end).is_ok_and(|read| read == 0) || slow.read(&mut end).is_err());
    assert!(begun.elapsed() < LONG);
}

/// With room for a few connections only, whoever holds many of them is in nobody's way.
#[cfg(unix)]
#[test]
fn many_idle_connections_keep_nobody_out() {
    let folder = enrolled();
    let mut command = Command::new("sh");
    let script = "ulimit -n 64; exec \"$0\" serve --listen 127.0.0.1:0";
    let own = program(folder.path());
    command.current_dir(folder.path()).args(["-c", script]).arg(own.get_program());
    let server = Server::start_by(&mut command);
    let mut idle = Vec::new();
    for number in 0..300 {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        if number % 2 == 0 {
            stream.write_all(b"GET /").unwrap();
        }
        idle.push(stream);
        if number % 50 == 49 {
            let begun = Instant::now();
            server.ask("GET", "/api/v0/people", b"").has(200);
            assert!(begun.elapsed() < Duration::from_secs(5));
        }
    }
}

#[test]
fn a_wrong_key_takes_time_and_a_right_one_none() {
    let folder = enrolled();
    let server = Server::start(folder.path());
    let own = ("host", server.address.as_str());
    let begun = Instant::now();
    server.raw("GET", "/api/v0/people", &[own, ("x-api-key", "wrong")], b"").has(401);
    let guess = ("authorization", "Bearer wrong");
    server.raw("GET", "/api/v0/people", &[("host", "x"), guess], b"").has(421);
    server.raw("GET", "/?token=wrong", &[own], b"").has(401);
    assert!(begun.elapsed() >= Duration::from_secs(3));
    // Without any there is nothing to guess, and others are not held up.
    let begun = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let wrong = [own, ("x-api-key", "wrong")];
            server.raw("GET", "/api/v0/people", &wrong, b"").has(401);
        });
        server.raw("GET", "/api/v0/people", &[own], b"").has(401);
        server.ask("GET", "/api/v0/people", b"").has(200);
        assert!(begun.elapsed() < Duration::from_secs(1));
    });
}
