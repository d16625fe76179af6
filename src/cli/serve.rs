//! `eigenfaces serve`: a page and an API on this machine, and photos identified as they come into folders.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::thread;
use std::time::Duration;

use eigenfaces::QueryOptions;

use super::args::{Key, Serve};
use super::identify::gallery::Gallery;
use super::identify::report::{Report, Unread};
use super::identify::watch::{self, Watched};
use super::webhook::Webhook;
use super::{Error, Outcome, Output, Result, counted, http, misuse, remedy, shown};
use crate::server::{Server, Settings};

pub fn run(args: &Serve, model: &Path, output: &Output) -> Result<Outcome> {
    let given = args.given_key()?;
    let key = given.as_ref().map(Key::checked).transpose();
    let key = key.unwrap_or_else(|wrong| misuse::bad_value(wrong));
    if args.check {
        return check(args.listen, key, output);
    }
    let settings = Settings {
        address: args.listen,
        key: key.map(str::to_owned),
        public: args.public_url.clone(),
    };
    let server = Server::open(settings, model, Box::new(*output))?;
    let webhook = watch_folders(args, &server, *output)?;
    #[cfg(unix)]
    {
        let (end, output) = (server.ending(), *output);
        super::interrupt::before_interrupt(move || {
            end();
            if let Some(webhook) = &webhook {
                webhook.end(&output);
            }
        });
    }
    #[cfg(not(unix))]
    drop(webhook);
    // Nobody could ask it otherwise, so both are said under --quiet too.
    output.tell(&format!("serving {} at {}", shown(model), server.page()));
    if given.is_none() {
        let key = server.key();
        output.tell(&format!("key for programs (header x-api-key): {key}"));
    }
    output.say("press Ctrl-C to end");
    server.run(args.open)?;
    Ok(Outcome::Done)
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
            let photos = watched.next();
            let Some(model) = model() else {
                let came = counted(photos.len(), "photo", "photos");
                output.warn(&format!("{came} came, and nobody is enrolled"));
                continue;
            };
            let report = Report {
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
    let thread = thread::Builder::new().name("watch".to_owned());
    thread
        .spawn(watching)
        .map_err(|error| Error::Told(format!("no thread can be started ({error})")))?;
    Ok(webhook)
}

/// A server that is well answers at once, whatever else it does.
const LONGEST: Duration = Duration::from_secs(5);

/// Asks the server that listens at this address; with a key, whether that is its key too. A container that holds this program
/// alone has nothing else to ask with.
fn check(address: SocketAddr, key: Option<&str>, output: &Output) -> Result<Outcome> {
    let address = reachable(address);
    let status = ask(address, key)
        .map_err(|error| Error::Told(format!("no server answers at {address}: {error}")))?;
    match (status, key) {
        (200, _) | (401, None) => {
            output.say(&format!("a server answers at {address}"));
            Ok(Outcome::Done)
        }
        (401, Some(_)) => Err(Error::Told(format!(
            "the server at {address} has another key than the one given"
        ))),
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

/// The status of the answer.
fn ask(address: SocketAddr, key: Option<&str>) -> io::Result<u16> {
    let key = key.map_or_else(String::new, |key| format!("x-api-key: {key}\r\n"));
    let head = format!("HEAD /openapi.json HTTP/1.1\r\nhost: {address}\r\n{key}");
    http::status(address, &head, b"", LONGEST)
}
