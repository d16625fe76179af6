//! `eigenfaces serve`: a page and an API on this machine, and photos identified as they come into folders.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, io};

use clap::Args;
use eigenfaces::QueryOptions;
use eigenfaces::albums::Watched;

use super::identify::gallery::Gallery;
use super::identify::report::{Reporter, Unread};
use super::identify::watch;
use super::webhook::{self, Webhook, WebhookUrl};
use super::{Error, ExitStatus, Output, Result, bad_value, begin_thread, counted, remedy, shown};
use crate::server::{PublicUrl, Server};

/// Where the key stands that others on this machine are not to read.
const VARIABLE: &str = "EIGENFACES_KEY";

const PORT: u16 = 8384;

#[derive(Debug, Args)]
pub struct Serve {
    /// Address to listen on; one that other machines can reach requires a key
    ///
    /// A port alone, and localhost, are this machine's own address, 127.0.0.1.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8384", value_parser = parse_listen)]
    pub listen: SocketAddr,
    /// File that holds the key that programs send; without it and EIGENFACES_KEY one is made and printed
    ///
    /// 16 letters and digits or more, such as a secret of systemd or of a container. White space around it is taken off. EIGENFACES_KEY is the key itself.
    #[arg(long, value_name = "FILE", env = "EIGENFACES_KEY_FILE")]
    pub key_file: Option<PathBuf>,
    /// Address by which browsers reach the page through a proxy, such as <https://faces.home/> or <https://home/faces/>
    ///
    /// The proxy may pass on the path or leave it out, and name this server or itself in the header Host.
    #[arg(long, value_name = "URL", value_parser = PublicUrl::parse)]
    pub public_url: Option<PublicUrl>,
    /// Wait for new photos in this folder, and identify each as it comes, as `identify --watch` does; may be repeated
    #[arg(long, value_name = "FOLDER", conflicts_with = "check")]
    pub watch: Vec<PathBuf>,
    /// With --watch: post each line of JSON to this address, as `identify --webhook` does
    #[arg(long, value_name = "URL", requires = "watch", value_parser = WebhookUrl::given)]
    pub webhook: Option<WebhookUrl>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Serve nothing: ask the server that listens there whether it answers, and say so by the exit code (for containers)
    #[arg(long, conflicts_with = "open")]
    pub check: bool,
}

/// A key as it was given; what is wrong with it is told without it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Serve {
    /// The key that was given, if any was.
    /// Errors: A file that cannot be read.
    pub fn given_key(&self) -> Result<Option<Key>, eigenfaces::Error> {
        let key = |key: String| Key(key.trim().to_owned());
        let Some(file) = &self.key_file else { return Ok(env::var(VARIABLE).ok().map(key)) };
        let read = fs::read_to_string(file);
        Ok(Some(key(read.map_err(|source| eigenfaces::Error::Read { path: file.clone(), source })?)))
    }
}

impl Key {
    /// The key, if it cannot be guessed in practice and fits in a header.
    /// Errors: what a key is like.
    pub fn checked(&self) -> Result<&str, &'static str> {
        let Self(key) = self;
        match key.len() >= 16 && key.bytes().all(|byte| byte.is_ascii_graphic()) {
            true => Ok(key),
            false => {
                Err("the key (EIGENFACES_KEY or --key-file) is to have 16 or more letters and digits, such as a UUID")
            }
        }
    }
}

fn parse_listen(text: &str) -> Result<SocketAddr, String> {
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let ip = |text: &str| match text {
        "" | "localhost" => Some(loopback),
        ip => ip.trim_matches(['[', ']']).parse().ok(),
    };
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::new(loopback, port));
    }
    let address = match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') => ip(host).zip(port.parse().ok()),
        _ if text.is_empty() => None,
        _ => ip(text).zip(Some(PORT)),
    };
    let expected = "expected an address of this machine and a port, such as 127.0.0.1:8384 or localhost:8384";
    address.map(SocketAddr::from).ok_or_else(|| expected.to_owned())
}

pub fn run(args: &Serve, model: &Path, output: &Output) -> Result<ExitStatus> {
    let given = args.given_key()?;
    let key = given.as_ref().map(Key::checked).transpose().unwrap_or_else(|wrong| bad_value(wrong));
    if args.check {
        return check(args.listen, key, output);
    }
    let (key, public) = (key.map(str::to_owned), args.public_url.clone());
    let server = Server::open(args.listen, key, public, model, Box::new(*output))?;
    let webhook = watch_folders(args, &server, *output)?;
    #[cfg(unix)]
    {
        let (end, output) = (server.ending(), *output);
        super::interrupt::before_interrupt(move || {
            end();
            watch::end(webhook.as_ref(), &output);
        });
    }
    #[cfg(not(unix))]
    drop(webhook);
    // Nobody could ask it otherwise, so both are said under --quiet too.
    output.always_say(&format!("serving {} at {}", shown(model), server.page()));
    if given.is_none() {
        let key = server.key();
        output.always_say(&format!("key for programs (header x-api-key): {key}"));
    }
    output.say("press Ctrl-C to end");
    server.run(args.open)?;
    Ok(ExitStatus::Done)
}

/// Watches the folders that were given, if any were, in a thread of its own. Results are printed, and posted where they are to be.
fn watch_folders(args: &Serve, server: &Server, output: Output) -> Result<Option<Webhook>> {
    if args.watch.is_empty() {
        return Ok(None);
    }
    let mut watched = Watched::begin(&args.watch)?;
    let webhook = Webhook::begin(args.webhook.as_ref(), &output)?;
    let (model, posted) = (server.model(), webhook.clone());
    let watching = move || {
        loop {
            let photos = watched.next(|note| output.warn(note));
            let Some(model) = model() else {
                let came = counted(photos.len(), "photo", "photos");
                output.warn(&format!("{came} came, and nobody is enrolled"));
                continue;
            };
            let report = Reporter {
                recognizer: model.recognizer(),
                drawn: None,
                gallery: &Gallery::Model,
                output: &output,
                query: QueryOptions::default(),
                unread: Unread::GoesOn,
                webhook: posted.clone(),
            };
            if let Err(error) = watch::look(&photos, &report) {
                output.warn(&remedy::in_words(&error));
            }
        }
    };
    begin_thread("watch", watching)?;
    Ok(webhook)
}

/// A server that is well answers at once, whatever else it does.
const LONGEST: Duration = Duration::from_secs(5);

/// Asks the server that listens at this address; with a key, whether that is its key too. A container that holds this program
/// alone has nothing else to ask with.
fn check(address: SocketAddr, key: Option<&str>, output: &Output) -> Result<ExitStatus> {
    let address = reachable(address);
    let status = ask(address, key).map_err(|error| Error::Told(format!("no server answers at {address}: {error}")))?;
    match (status, key) {
        (200, _) | (401, None) => {
            output.say(&format!("a server answers at {address}"));
            Ok(ExitStatus::Done)
        }
        (401, Some(_)) => Err(Error::Told(format!("the server at {address} has another key than the one given"))),
        _ => Err(Error::Told(format!(
            "what answers at {address} is no server of this program, or is not well (status {status})"
        ))),
    }
}

/// Where a server can be reached that listens there: who listens on all addresses is asked on the loopback one.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

fn ask(address: SocketAddr, key: Option<&str>) -> io::Result<u16> {
    let key = key.map_or_else(String::new, |key| format!("x-api-key: {key}\r\n"));
    webhook::status(address, &format!("HEAD /openapi.json HTTP/1.1\r\nhost: {address}\r\n{key}"), b"", LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_as_other_servers_take_them() {
        for (given, listens) in [
            ("127.0.0.1:9000", "127.0.0.1:9000"),
            ("localhost:9000", "127.0.0.1:9000"),
            (":9000", "127.0.0.1:9000"),
            ("9000", "127.0.0.1:9000"),
            ("127.0.0.1", "127.0.0.1:8384"),
            ("localhost", "127.0.0.1:8384"),
            ("0.0.0.0", "0.0.0.0:8384"),
            ("[::1]:9000", "[::1]:9000"),
            ("[::1]", "[::1]:8384"),
            ("::1", "[::1]:8384"),
        ] {
            let address = parse_listen(given).unwrap();
            assert_eq!(address.to_string(), listens, "{given}");
        }
        for wrong in ["", ":", "home", "home:80", "localhost:", "127.0.0.1:x", "1:2:3", "99999"] {
            assert!(parse_listen(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_key_is_not_told() {
        let key = |key: &str| Key(key.to_owned());
        assert_eq!(key("0123456789abcdef").checked(), Ok("0123456789abcdef"));
        let short = key("secret");
        assert!(!short.checked().unwrap_err().contains("secret"));
        assert!(!format!("{short:?}").contains("secret"));
        assert!(key("0123456789 abcdef").checked().is_err());
    }
}
