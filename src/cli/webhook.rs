//! `--webhook`: results are posted one after the other, in a thread of its own, each until it is taken.

use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fmt, thread};

use serde_json::Value;

use super::{Output, Result, bad_value, begin_thread, counted};

/// Where the address stands that others on this machine are not to read.
const VARIABLE: &str = "EIGENFACES_WEBHOOK";

/// An address as it was given; neither it nor what is wrong with it is told.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookUrl(String);

impl fmt::Debug for WebhookUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookUrl")
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// Host and port.
    pub address: (String, u16),
    pub host: String,
    /// Path and query.
    pub path: String,
}

impl WebhookUrl {
    /// Never fails: whatever refuses a value prints it.
    #[allow(clippy::unnecessary_wraps)]
    pub fn given(text: &str) -> Result<Self, String> {
        Ok(Self(text.trim().to_owned()))
    }

    /// The one of the command line, or that of the environment.
    pub fn chosen(given: Option<&Self>) -> Option<Self> {
        let variable = env::var(VARIABLE).ok().filter(|text| !text.is_empty());
        given.cloned().or_else(|| Self::given(&variable?).ok())
    }

    /// Where it leads.
    /// Errors: what an address is like.
    pub fn checked(&self) -> Result<Target, &'static str> {
        let expected = "the address of the webhook (--webhook or EIGENFACES_WEBHOOK) is to be like http://homeassistant:8123/api/webhook/ID";
        let (scheme, rest) = self.0.split_once("://").ok_or(expected)?;
        if scheme.eq_ignore_ascii_case("https") {
            return Err(
                "the webhook is posted to without encryption: give an address with http://, of a receiver or a proxy in this network",
            );
        }
        if !scheme.eq_ignore_ascii_case("http") || !rest.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(expected);
        }
        let rest = rest.split('#').next().unwrap_or_default();
        let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if host.contains('@') {
            return Err("the webhook takes no user and password: give an address that nobody can guess");
        }
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => (name, port.parse().map_err(|_| expected)?),
            _ => (host, 80),
        };
        let name = name.trim_start_matches('[').trim_end_matches(']');
        if name.is_empty() {
            return Err(expected);
        }
        Ok(Target {
            address: (name.to_owned(), port),
            host: host.to_owned(),
            path: if path.starts_with('/') { path.to_owned() } else { format!("/{path}") },
        })
    }
}

/// Sends a request to whoever listens there, and gives the status of the answer. `head` is the request line and the headers, a
/// line each; each step may take so long.
/// Errors: nobody listens, or answers in time; an answer that is not HTTP.
pub fn status(address: impl ToSocketAddrs, head: &str, body: &[u8], longest: Duration) -> io::Result<u16> {
    let mut connected = Err(io::ErrorKind::AddrNotAvailable.into());
    for address in address.to_socket_addrs()? {
        connected = TcpStream::connect_timeout(&address, longest);
        if connected.is_ok() {
            break;
        }
    }
    let mut stream = connected?;
    stream.set_read_timeout(Some(longest))?;
    stream.set_write_timeout(Some(longest))?;
    let mut request = format!("{head}connection: close\r\n\r\n").into_bytes();
    request.extend_from_slice(body);
    stream.write_all(&request)?;
    // As long as `HTTP/1.1 200` is.
    let mut line = [0; 12];
    stream.read_exact(&mut line)?;
    let status = std::str::from_utf8(&line).ok().and_then(|line| line.strip_prefix("HTTP/1.")?.get(2..)?.parse().ok());
    status.ok_or_else(|| io::Error::other("its answer is not HTTP"))
}

/// Each step of a request takes no longer.
const LONGEST: Duration = Duration::from_secs(10);

/// Pauses after failures: twice as long each time, from the first to the last.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

/// Results that wait at most; the oldest go first.
const MOST_WAITING: usize = 1000;

/// Times that one result is posted to a receiver that is there and does not take it.
const MOST_TRIES: usize = 8;

/// Time that results have left to be posted when the program is told to end.
const LAST_POSTS: Duration = Duration::from_secs(2);

/// Results on their way.
#[derive(Clone)]
pub struct Webhook(Arc<Queue>);

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    came: Condvar,
}

#[derive(Default)]
struct Waiting {
    lines: VecDeque<String>,
    /// A line is being posted, which is none of these.
    posting: usize,
    /// Lines that were given up for newer ones.
    dropped: usize,
}

impl Webhook {
    /// Begins posting to the address that was given, if any was. A wrong one ends the program as a wrong option does.
    pub fn begin(given: Option<&WebhookUrl>, output: &Output) -> Result<Option<Self>> {
        let Some(url) = WebhookUrl::chosen(given) else { return Ok(None) };
        let target = url.checked().unwrap_or_else(|wrong| bad_value(wrong));
        let webhook = Self(Arc::default());
        let (own, output) = (webhook.clone(), *output);
        let post = move |line: &str| {
            let length = line.len();
            let head = format!(
                "POST {} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n",
                target.path, target.host
            );
            status((target.address.0.as_str(), target.address.1), &head, line.as_bytes(), LONGEST)
        };
        begin_thread("webhook", move || own.deliver(&output, post))?;
        Ok(Some(webhook))
    }

    pub fn post(&self, object: &Value) {
        let mut waiting = self.waiting();
        waiting.lines.push_back(object.to_string());
        waiting.trim();
        self.0.came.notify_one();
    }

    /// Gives what waits a moment to be posted. Says how much was not.
    pub fn end(&self, output: &Output) {
        let begun = Instant::now();
        while self.left() > 0 && begun.elapsed() < LAST_POSTS {
            thread::sleep(Duration::from_millis(20));
        }
        self.say_dropped(output, MOST_WAITING);
        if let left @ 1.. = self.left() {
            output.warn(&format!("{} not posted to the webhook", counted(left, "result was", "results were")));
        }
    }

    fn left(&self) -> usize {
        let waiting = self.waiting();
        waiting.lines.len() + waiting.posting
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Posts what comes, for ever. Nothing of the address is said, nor of an answer but its status.
    fn deliver(&self, output: &Output, post: impl Fn(&str) -> std::io::Result<u16>) {
        let (mut pause, mut tries) = (PAUSES[0], 0);
        loop {
            let line = self.next();
            let posted = post(&line);
            self.waiting().posting = 0;
            let (failure, is_answer) = match posted {
                Ok(200..=299) => {
                    if std::mem::replace(&mut pause, PAUSES[0]) > PAUSES[0] {
                        output.say("the webhook takes results again");
                    }
                    tries = 0;
                    self.say_dropped(output, MOST_WAITING / 2);
                    continue;
                }
                // It will refuse the same again; not so where it is busy, or not there yet.
                Ok(status @ (300..=407 | 409..=428 | 430..=499)) => {
                    output.warn(&format!("the webhook refused a result (status {status})"));
                    tries = 0;
                    continue;
                }
                Ok(status) => (format!("status {status}"), true),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    (format!("no answer within {} seconds", LONGEST.as_secs()), true)
                }
                Err(error) => (error.kind().to_string(), false),
            };
            if pause == PAUSES[0] {
                output
                    .warn(&format!("the webhook takes no results ({failure}): they wait, and are posted when it does"));
            }
            tries += usize::from(is_answer);
            if tries < MOST_TRIES {
                let mut waiting = self.waiting();
                waiting.lines.push_front(line);
                waiting.trim();
            } else {
                // It may be this one alone.
                tries = 0;
                output.warn(&format!(
                    "the webhook did not take a result in {MOST_TRIES} tries ({failure}): it is given up"
                ));
            }
            self.say_dropped(output, MOST_WAITING);
            thread::sleep(pause);
            pause = (2 * pause).min(PAUSES[1]);
        }
    }

    /// Says how many results were given up, once so few wait.
    fn say_dropped(&self, output: &Output, few: usize) {
        let mut waiting = self.waiting();
        if waiting.dropped > 0 && waiting.lines.len() <= few {
            let dropped = std::mem::take(&mut waiting.dropped);
            output.warn(&format!("{} given up for newer ones", counted(dropped, "result was", "results were")));
        }
    }

    fn next(&self) -> String {
        let mut waiting = self.waiting();
        loop {
            if let Some(line) = waiting.lines.pop_front() {
                waiting.posting = 1;
                return line;
            }
            waiting = self.0.came.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Waiting {
    fn trim(&mut self) {
        while self.lines.len() > MOST_WAITING {
            self.lines.pop_front();
            self.dropped += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_somewhere() {
        for (text, name, port, host, path) in [
            ("http://ha:8123/api/webhook/x", "ha", 8123, "ha:8123", "/api/webhook/x"),
            (" HTTP://ha/?a=b#c\n", "ha", 80, "ha", "/?a=b"),
            ("http://ha?a", "ha", 80, "ha", "/?a"),
            ("http://ha", "ha", 80, "ha", "/"),
            ("http://[::1]:80/x", "::1", 80, "[::1]:80", "/x"),
            ("http://[::1]", "::1", 80, "[::1]", "/"),
        ] {
            let target = WebhookUrl::given(text).unwrap().checked();
            let target = target.unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(target.address, (name.to_owned(), port), "{text}");
            assert_eq!((&*target.host, &*target.path), (host, path), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_it_is_told_without_it() {
        for wrong in [
            "secret",
            "https://secret/",
            "ftp://secret/",
            "http://",
            "http://:80/secret",
            "http://ha:secret/",
            "http://user:secret@ha/",
            "http://ha/secret x",
            "http://ha/secret\r\nhost: other",
        ] {
            let url = WebhookUrl::given(wrong).unwrap();
            let Err(error) = url.checked() else { panic!("{wrong}") };
            assert!(!format!("{error}{url:?}").contains("secret"), "{error}");
        }
    }
}
