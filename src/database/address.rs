//! Addresses of databases, read by tokio-postgres' own `Config`; the password is never shown.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::deadline::CONNECTING;
use super::password::{self, tcp};
use crate::error::{DatabaseProblem, Error, Result};

/// An address as it was given. Nothing shows it, for a password may stand in it; whether it is one is found out when it is used.
#[derive(Clone, PartialEq, Eq)]
pub struct GivenAddress(String);

impl fmt::Debug for GivenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GivenAddress(...)")
    }
}

impl From<String> for GivenAddress {
    fn from(text: String) -> Self {
        Self(text)
    }
}

#[derive(Clone)]
pub(super) struct Address {
    pub config: Config,
    shown: String,
}

/// Time that a server may leave what was sent without an answer of its network.
const SILENCE: Duration = Duration::from_secs(30);

impl Address {
    /// Reads `postgresql://USER:PASSWORD@HOST:PORT/DATABASE?OPTION=VALUE`.
    /// Errors: [`DatabaseProblem::Address`], which repeats nothing of what was given.
    pub fn read(given: &GivenAddress) -> Result<Self> {
        let refuse = |reason: &str| Error::Database {
            address: "postgresql://...".to_owned(),
            problem: DatabaseProblem::Address { reason: reason.to_owned() },
        };
        let given = given.0.as_str();
        if !given.starts_with("postgresql://") && !given.starts_with("postgres://") {
            return Err(refuse("it does not begin with postgresql://"));
        }
        // What follows a second @ would be taken for the host, and shown.
        if given.matches('@').count() > 1 {
            return Err(refuse("there is more than one @ in it"));
        }
        // Certificates are always verified: the client has no word for it.
        let mut config =
            Config::from_str(&given.replace("sslmode=verify-full", "sslmode=require")).map_err(|error| {
                let cause = std::error::Error::source(&error);
                refuse(&cause.map_or_else(|| error.to_string(), ToString::to_string))
            })?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            config.host("localhost");
        }
        if config.get_ssl_mode() == SslMode::Prefer {
            config.ssl_mode(if stays_here(&config) { SslMode::Disable } else { SslMode::Require });
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECTING);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE);
        }
        config.keepalives_idle(SILENCE);
        if config.get_application_name().is_none() {
            config.application_name("eigenfaces");
        }
        let shown = shown(&config);
        if config.get_password().is_none()
            && let Some(password) = password::kept_for(&config)
        {
            config.password(password);
        }
        Ok(Self { config, shown })
    }

    /// The error of a problem with the database there.
    pub fn problem(&self, problem: DatabaseProblem) -> Error {
        Error::Database { address: self.shown.clone(), problem }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// Encrypted connections, to servers whose certificates go back to one that the system trusts, or `SSL_CERT_FILE` has.
/// Errors: TLS that cannot be set up.
pub(super) fn connector() -> std::result::Result<MakeRustlsConnect, DatabaseProblem> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| DatabaseProblem::NoEncryption { reason: error.to_string() })?;
    Ok(MakeRustlsConnect::new(config.with_root_certificates(roots).with_no_client_auth()))
}

/// Whether what is sent never leaves this machine.
fn stays_here(config: &Config) -> bool {
    let is_here = |name: &str| name == "localhost" || name.parse().is_ok_and(|at: IpAddr| at.is_loopback());
    let here = |host: &Host| tcp(host).is_none_or(is_here);
    match config.get_hostaddrs() {
        [] => config.get_hosts().iter().all(here),
        addresses => addresses.iter().all(IpAddr::is_loopback),
    }
}

/// The address for people: without password and options.
fn shown(config: &Config) -> String {
    let hosts: Vec<String> = match config.get_hosts() {
        [] => config.get_hostaddrs().iter().map(ToString::to_string).collect(),
        hosts => hosts.iter().map(host_shown).collect(),
    };
    let ports: Vec<String> = config.get_ports().iter().map(ToString::to_string).collect();
    let user = config.get_user().map_or_else(String::new, |user| format!("{user}@"));
    let port = if ports.is_empty() { String::new() } else { format!(":{}", ports.join(",")) };
    let database = config.get_dbname().map_or_else(String::new, |name| format!("/{name}"));
    let shown = format!("postgresql://{user}{}{port}{database}", hosts.join(","));
    shown.chars().filter(|letter| !letter.is_control()).collect()
}

fn host_shown(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Address> {
        Address::read(&GivenAddress::from(text.to_owned()))
    }

    #[test]
    fn a_password_is_never_shown() {
        let given = GivenAddress::from("postgresql://ada:pa%40ss@db.example/faces".to_owned());
        assert!(!format!("{given:?}").contains("pa"));
        let address = Address::read(&given).unwrap();
        assert_eq!(address.to_string(), "postgresql://ada@db.example:5432/faces");
        assert_eq!(address.config.get_password(), Some(b"pa@ss".as_slice()));
    }

    #[test]
    fn a_wrong_address_is_refused_and_not_repeated() {
        for wrong in [
            "secret",
            "host=db password=secret",
            "mysql://ada:secret@db/faces",
            "postgresql://ada:secret@secret@db/faces",
            "postgresql://ada:secret@db/faces?sslmode=secret",
            "postgresql://ada:secret@db/faces?colour=secret",
            "postgresql://ada:secret@db:secret/faces",
            "postgresql://ada:secret/faces",
        ] {
            let error = read(wrong).err().unwrap_or_else(|| panic!("{wrong}"));
            let said = error.to_string();
            assert!(!said.contains("secret"), "{said}");
            assert!(said.contains("write postgresql://USER@HOST/DATABASE"), "{said}");
        }
    }

    #[test]
    fn what_leaves_the_machine_is_encrypted_unless_somebody_says_otherwise() {
        let mode = |text: &str| read(text).unwrap().config.get_ssl_mode();
        for (address, expected) in [
            ("postgresql://localhost/a", SslMode::Disable),
            ("postgresql://127.0.0.1/a", SslMode::Disable),
            ("postgresql:///a?host=/run/postgresql", SslMode::Disable),
            ("postgresql:///a", SslMode::Disable),
            ("postgresql://localhost/a?sslmode=require", SslMode::Require),
            ("postgresql://db/a", SslMode::Require),
            ("postgresql://localhost,db/a", SslMode::Require),
            ("postgresql://localhost/a?hostaddr=10.0.0.1", SslMode::Require),
            ("postgresql://db/a?sslmode=prefer", SslMode::Require),
            ("postgresql://db/a?sslmode=verify-full", SslMode::Require),
            ("postgresql://db/a?sslmode=disable", SslMode::Disable),
        ] {
            assert_eq!(mode(address), expected, "{address}");
        }
    }
}
