//! A running server, and what a client sends it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use crate::program;

/// The key that the tests start servers with.
pub const KEY: &str = "00000000-0000-4000-8000-000000000000";

/// A server, ended when dropped.
pub struct Server {
    pub process: Child,
    /// `127.0.0.1:port`
    pub address: String,
    /// What it has said so far.
    pub said: Arc<Mutex<String>>,
    /// The one-time token.
    pub token: String,
}

/// What was answered.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| {
            let own = line.split_once(':').map_or("", |(own, _)| own);
            own.eq_ignore_ascii_case(name)
        });
        line.map(|line| line.split_once(':').unwrap().1.trim())
    }

    pub fn json(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// It was answered with this status.
    pub fn has(self, status: u16) -> Self {
        let text = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status, status, "{}\n{text}", self.head);
        self
    }
}

/// Begins a server, with the key of these tests, and waits for the line in which it says `mark`: the process, and what it has
/// said up to that line, and says from then on.
pub fn spawned(command: &mut Command, mark: &str) -> (Child, Arc<Mutex<String>>) {
    said_by(command.env("EIGENFACES_KEY", KEY), mark)
}

fn said_by(command: &mut Command, mark: &str) -> (Child, Arc<Mutex<String>>) {
    let mut process = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut said = String::new();
    let mut lines = BufReader::new(process.stderr.take().unwrap());
    while !said.contains(mark) && lines.read_line(&mut said).unwrap() > 0 {}
    let said = Arc::new(Mutex::new(said));
    let more = Arc::clone(&said);
    // The pipe stays open, or the server could not say anything.
    std::thread::spawn(move || {
        for line in lines.lines().map_while(Result::ok) {
            *more.lock().unwrap() += &(line + "\n");
        }
    });
    (process, said)
}

impl Server {
    pub fn start(folder: &Path) -> Self {
        Self::start_by(program(folder).args(["serve", "--listen", "127.0.0.1:0"]))
    }

    /// Starts a server by a command of its own. What it says before its address is passed over.
    pub fn start_by(command: &mut Command) -> Self {
        Self::start_without_key(command.env("EIGENFACES_KEY", KEY))
    }

    /// Likewise, where the command itself has the key.
    pub fn start_without_key(command: &mut Command) -> Self {
        let (process, said) = said_by(command, "http://");
        let before = said.lock().unwrap().clone();
        let (_, rest) = before.split_once("http://").unwrap_or_else(|| panic!("{before}"));
        let (address, token) = rest.trim().split_once("/?token=").unwrap();
        let (address, token) = (address.to_owned(), token.to_owned());
        Self { process, said, address, token }
    }

    /// Sends a request as it is, and reads the whole answer.
    pub fn raw(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.try_raw(method, path, headers, body).unwrap_or_else(|| panic!("no answer to {method} {path}"))
    }

    /// As [`raw`](Self::raw); `None` where the server ends before it has answered.
    fn try_raw(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Option<Answer> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("content-length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).ok()?;
        // A server that refuses may stop reading.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let end = end?;
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut body = answer.split_off(end + 4);
        if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            body = unchunked(&body);
        }
        Some(Answer { status, head, body })
    }

    /// Opens the page, which can be done once: the session of a browser.
    pub fn session(&self) -> String {
        let path = format!("/?token={}", self.token);
        let host = ("host", self.address.as_str());
        let begun = self.raw("GET", &path, &[host], b"").has(200);
        let cookie = begun.header("set-cookie").unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    /// What the page asks in such a session.
    pub fn page(&self, session: &str, path: &str) -> Answer {
        let own = [("host", self.address.as_str()), ("cookie", session)];
        self.raw("GET", path, &own, b"")
    }

    /// A request of a program that has the key.
    pub fn ask(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        self.ask_with(method, path, &[], body)
    }

    pub fn ask_with(&self, method: &str, path: &str, more: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut headers = vec![("host", self.address.as_str()), ("x-api-key", KEY)];
        if body.starts_with(b"{") || body.starts_with(b"[") {
            headers.push(("content-type", "application/json"));
        }
        headers.extend(more);
        self.raw(method, path, &headers, body)
    }

    /// A form of files.
    pub fn form(&self, path: &str, files: &[(&str, &[u8])]) -> Answer {
        self.try_form(path, files).unwrap_or_else(|| panic!("no answer to {path}"))
    }

    /// As [`form`](Self::form); `None` where the server ends before it has answered.
    pub fn try_form(&self, path: &str, files: &[(&str, &[u8])]) -> Option<Answer> {
        let mut body = Vec::new();
        for (name, content) in files {
            let head = format!("--edge\r\ncontent-disposition: form-data; name=\"{name}\"; filename=\"a.png\"\r\n\r\n");
            body.extend_from_slice(head.as_bytes());
            body.extend_from_slice(content);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"--edge--\r\n");
        let kind = ("content-type", "multipart/form-data; boundary=edge");
        let own = [("host", self.address.as_str()), ("x-api-key", KEY), kind];
        self.try_raw("POST", path, &own, &body)
    }
}

#[cfg(unix)]
impl Server {
    /// Tells it to end, and waits until it has. Gives what it said.
    pub fn end(mut self) -> String {
        let id = self.process.id().to_string();
        let told = Command::new("kill").args(["-TERM", &id]).status();
        assert!(told.unwrap().success());
        self.process.wait().unwrap();
        self.said.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|pair| pair == b"\r\n") {
        let length = std::str::from_utf8(&bytes[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        whole.extend_from_slice(&bytes[end + 2..end + 2 + length]);
        bytes = &bytes[end + 4 + length..];
    }
    whole
}
