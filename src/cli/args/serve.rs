//! What `serve` takes.

use std::env;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Args;

use super::WebhookUrl;
use crate::server::PublicUrl;

/// Where the key stands that others on this machine are not to read.
const VARIABLE: &str = "EIGENFACES_KEY";

/// The port where none is given.
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
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn given_key(&self) -> Result<Option<Key>, eigenfaces::Error> {
        let key = |key: String| Key(key.trim().to_owned());
        let Some(file) = &self.key_file else {
            return Ok(env::var(VARIABLE).ok().map(key));
        };
        let read = fs::read_to_string(file);
        let read = read.map_err(|source| eigenfaces::Error::Read {
            path: file.clone(),
            source,
        })?;
        Ok(Some(key(read)))
    }
}

impl Key {
    /// The key, if it cannot be guessed in practice and fits in a header.
    ///
    /// # Errors
    /// What a key is like.
    pub fn checked(&self) -> Result<&str, &'static str> {
        let Self(key) = self;
        match key.len() >= 16 && key.bytes().all(|byte| byte.is_ascii_graphic()) {
            true => Ok(key),
            false => Err(
                "the key (EIGENFACES_KEY or --key-file) is to have 16 or more letters and digits, such as a UUID",
            ),
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
    let expected =
        "expected an address of this machine and a port, such as 127.0.0.1:8384 or localhost:8384";
    address
        .map(SocketAddr::from)
        .ok_or_else(|| expected.to_owned())
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
        for wrong in [
            "",
            ":",
            "home",
            "home:80",
            "localhost:",
            "127.0.0.1:x",
            "1:2:3",
            "99999",
        ] {
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
