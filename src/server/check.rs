//! `eigenfaces serve --check`: whether the server at an address answers. A container that holds this program alone has
//! nothing else to ask with.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use crate::cli::error::{Error, Result};
use crate::cli::http;
use crate::cli::outcome::Outcome;
use crate::cli::output::Output;

/// A server that is well answers at once, whatever else it does.
const LONGEST: Duration = Duration::from_secs(5);

/// Asks the server that listens at this address; with a key, whether that is its key too.
pub fn run(address: SocketAddr, key: Option<&str>, output: &Output) -> Result<Outcome> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_everywhere_is_asked_here() {
        for (listens, asked) in [
            ("0.0.0.0:8384", "127.0.0.1:8384"),
            ("[::]:8384", "[::1]:8384"),
            ("127.0.0.1:9000", "127.0.0.1:9000"),
            ("192.0.2.7:80", "192.0.2.7:80"),
        ] {
            let listens: SocketAddr = listens.parse().unwrap();
            assert_eq!(reachable(listens).to_string(), asked);
        }
    }
}
