//! The page behind a proxy with TLS, whichever way the proxy passes on the path, and the name in `Host`.

use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::client::{KEY, Server, spawned};
use super::probe;
use crate::{enrolled, program, run};

fn free_address() -> String {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    free.local_addr().unwrap().to_string()
}

/// A server that browsers reach by this address.
fn public(folder: &std::path::Path, url: &str) -> Server {
    let address = free_address();
    let args = ["serve", "--listen", &address, "--public-url", url];
    let (process, said) = spawned(program(folder).args(args), "Ctrl-C");
    let before = said.lock().unwrap().clone();
    let opens = format!("{url}?token=");
    let (_, token) = before.split_once(&opens).unwrap_or_else(|| panic!("{before}"));
    let token = token.lines().next().unwrap().to_owned();
    Server { process, said, address, token }
}

/// A browser opens the page, and has a session.
fn begun(server: &Server) -> String {
    let path = format!("/faces/?token={}", server.token);
    let begun = server.raw("GET", &path, &[("host", "home")], b"").has(200);
    let cookie = begun.header("set-cookie").unwrap();
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    assert!(!cookie.contains("Path"), "{cookie}");
    cookie.split(';').next().unwrap().to_owned()
}

/// What the page asks behind a proxy that passes on requests with this host, below this path.
fn asks(server: &Server, session: &str, host: &str, below: &str) {
    let origin = ("origin", "https://home");
    let own = [("host", host), ("sec-fetch-site", "same-origin")];
    let photo = probe("ada.png");
    let cookie = ("cookie", session);
    let ask = |method, path: &str, headers: &[(&str, &str)], body: &[u8]| {
        let headers = [&own[..], &[cookie], headers].concat();
        server.raw(method, &format!("{below}{path}"), &headers, body)
    };
    for path in ["", "app.js", "style.css"] {
        let file = ask("GET", path, &[], b"").has(200);
        let text = String::from_utf8(file.body).unwrap();
        for absolute in ["src=\"/", "href=\"/", "`/api", "\"/api", "from \"/", "url(/"] {
            assert!(!text.contains(absolute), "{path}: {absolute}");
        }
    }
    ask("POST", "api/v0/identify", &[origin], &photo).has(200);
    ask("GET", "api/v0/people", &[], b"").has(200);
    // Side by side, since each of these answers takes a second, as that to a wrong key.
    std::thread::scope(|scope| {
        for other in ["http://home", "https://home:8443", "https://evil.example", "null"] {
            let refused = || ask("GET", "api/v0/people", &[("origin", other)], b"").has(403);
            scope.spawn(refused);
        }
    });
}

#[test]
fn a_page_behind_a_proxy_is_its_own_site() {
    let folder = enrolled();
    let server = public(folder.path(), "https://home/faces/");
    let session = begun(&server);
    for host in [server.address.as_str(), "home", "HOME:443"] {
        for below in ["/", "/faces/"] {
            asks(&server, &session, host, below);
        }
    }
    let evil = [("host", "evil.example")];
    server.raw("GET", "/faces/", &evil, b"").has(421);
    let own = [("host", "home")];
    let refused = server.raw("GET", "/faces/", &own, b"").has(401);
    assert!(refused.header("set-cookie").is_none());
}

#[test]
fn whoever_has_the_key_comes_from_anywhere() {
    let folder = enrolled();
    let server = Server::start(folder.path());
    let host = ("host", server.address.as_str());
    let bearer = format!("bearer {KEY}");
    for headers in [
        [("x-api-key", KEY), ("origin", "https://ha.home")],
        [("authorization", bearer.as_str()), ("sec-fetch-site", "cross-site")],
        [("x-api-key", KEY), ("host", "elsewhere.example")],
    ] {
        let headers = [&headers[..], &[host]].concat();
        server.raw("GET", "/api/v0/people", &headers, b"").has(200);
    }
    let proxied = [host, ("origin", "https://faces.home")];
    let refused = server.raw("GET", "/api/v0/people", &proxied, b"").has(403);
    let message = refused.json()["message"].to_string();
    assert!(message.contains("--public-url"), "{message}");
    let wrong = run(folder.path(), ["serve", "--public-url", "faces.home"]);
    wrong.ended(2, &["--public-url", "https://faces.home/"]);
}

/// nginx as Debian has it, with the lines of docs/SERVE.md.
#[test]
fn a_real_nginx_stands_in_front() {
    if Command::new("nginx").arg("-v").output().is_err() {
        eprintln!("skipped: nginx is not installed");
        return;
    }
    let folder = enrolled();
    let server = public(folder.path(), "https://home/faces/");
    let document = include_str!("../../../docs/SERVE.md");
    let (_, location) = document.split_once("    location /faces/ {").unwrap();
    let (location, _) = location.split_once("\n    }").unwrap();
    let location = location.replace("127.0.0.1:8384", &server.address);
    let address = free_address();
    let at = folder.path().display();
    let configuration = format!(
        "daemon off; master_process off; pid {at}/pid; error_log {at}/error.log; events {{}}
         http {{ access_log off; client_body_temp_path {at}/b; proxy_temp_path {at}/p; fastcgi_temp_path {at}/f;
                 uwsgi_temp_path {at}/u; scgi_temp_path {at}/s;
                 server {{ listen {address}; location /faces/ {{ {location} }} }} }}"
    );
    let file = folder.path().join("nginx.conf");
    std::fs::write(&file, configuration).unwrap();
    let mut nginx = Command::new("nginx");
    nginx.arg("-c").arg(&file).arg("-e").arg(folder.path().join("error.log"));
    let process = nginx.stderr(Stdio::null()).spawn().unwrap();
    let (said, token) = (server.said.clone(), server.token.clone());
    let proxy = Server { process, said, address, token };
    for _ in 0..100 {
        if TcpStream::connect(&proxy.address).is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let session = begun(&proxy);
    asks(&proxy, &session, "home", "/faces/");
}
