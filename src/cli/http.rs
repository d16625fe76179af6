//! One request over HTTP/1.1, of whose answer the status alone matters: no more than two commands need.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// Sends a request to whoever listens there, and gives the status of the answer. `head` is the request line and the headers, a
/// line each; each step may take so long.
/// Errors: nobody listens, or answers in time; an answer that is not HTTP.
pub fn status(
    address: impl ToSocketAddrs,
    head: &str,
    body: &[u8],
    longest: Duration,
) -> io::Result<u16> {
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
    let status = std::str::from_utf8(&line).ok();
    let status = status.and_then(|line| line.strip_prefix("HTTP/1.")?.get(2..)?.parse().ok());
    status.ok_or_else(|| io::Error::other("its answer is not HTTP"))
}
