//! Encryption and passwords as an address asks for them: `sslmode`, `sslrootcert` and `require_auth`, as libpq has them.

use std::path::PathBuf;

use tokio_postgres::config::SslMode;

use super::authentication::Methods;
use super::tls::Trust;

/// The encryption that an address asks for, and the address without it.
pub(super) struct Tls {
    /// The address without it.
    pub rest: String,
    mode: Option<Mode>,
    roots: Option<PathBuf>,
    /// `require_auth`.
    pub accepted: Option<Methods>,
}

/// `sslmode`, as libpq has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Disable,
    Prefer,
    Require,
    VerifyFull,
}

impl Tls {
    /// Takes what is said of encryption out of an address.
    pub fn take_from(address: &str) -> std::result::Result<Self, &'static str> {
        let after_user = address.find('@').unwrap_or(0);
        let end = address[after_user..].find('?');
        let (address, options) = address.split_at(end.map_or(address.len(), |at| after_user + at));
        let options = options.strip_prefix('?').unwrap_or_default().split('&');
        let (mut mode, mut roots, mut accepted, mut others) = (None, None, None, Vec::new());
        for option in options.filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("sslmode", value)) => mode = Some(Mode::named(value)?),
                Some(("sslrootcert", value)) => roots = Some(PathBuf::from(decoded(value))),
                Some(("require_auth", value)) => {
                    accepted = Some(Methods::parse(&decoded(value))?);
                }
                _ => others.push(option),
            }
        }
        if roots.is_some() && !matches!(mode, None | Some(Mode::VerifyFull)) {
            return Err("sslrootcert goes with sslmode=verify-full");
        }
        let rest = match others.as_slice() {
            [] => address.to_owned(),
            others => format!("{address}?{}", others.join("&")),
        };
        Ok(Self {
            rest,
            mode,
            roots,
            accepted,
        })
    }

    /// Weights of faces do not travel in the clear unless somebody says so, or stays on this machine.
    pub fn resolve(self, stays_here: bool) -> (SslMode, Trust) {
        let mode = match (self.mode, &self.roots) {
            (Some(mode), _) => mode,
            (None, Some(_)) => Mode::VerifyFull,
            (None, None) if stays_here => Mode::Prefer,
            (None, None) => Mode::Require,
        };
        match mode {
            Mode::Disable => (SslMode::Disable, Trust::Anybody),
            Mode::Prefer => (SslMode::Prefer, Trust::Anybody),
            Mode::Require => (SslMode::Require, Trust::Anybody),
            Mode::VerifyFull => (SslMode::Require, Trust::Certified(self.roots)),
        }
    }
}

impl Mode {
    fn named(name: &str) -> std::result::Result<Self, &'static str> {
        match name {
            "disable" => Ok(Self::Disable),
            "prefer" => Ok(Self::Prefer),
            "require" => Ok(Self::Require),
            "verify-full" => Ok(Self::VerifyFull),
            _ => Err("sslmode is disable, prefer, require or verify-full"),
        }
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        (rest, _) = match (first, byte) {
            (b'%', Some(byte)) => (&after[2..], bytes.push(byte)),
            _ => (after, bytes.push(*first)),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
