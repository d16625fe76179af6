//! Addresses of databases as libpq has them, the password never shown.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, SslNegotiation};

use super::authentication::Methods;
use super::deadline::CONNECTING;
use super::encryption::Tls;
use super::handshake::Handshake;
use super::password::{self, tcp};
use super::tls::Trust;
use crate::error::{DatabaseProblem, Error, Result};

/// An address as it was given. Nothing shows it, for a password may stand in it; whether it is one is found out when
/// it is used.
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
    pub trust: Trust,
    mode: SslMode,
    accepted: Methods,
    shown: String,
}

/// Time that a server may leave what was sent without an answer of its network.
const SILENCE: Duration = Duration::from_secs(30);

impl Address {
    /// Understands `postgresql://USER:PASSWORD@HOST:PORT/DATABASE?OPTION=VALUE`. Besides what libpq's addresses have
    /// in common with the client, `sslmode=verify-full` and `sslrootcert=FILE`.
    ///
    /// # Errors
    /// [`DatabaseProblem::Address`], which repeats nothing of what was given.
    pub fn read(given: &GivenAddress) -> Result<Self> {
        let problem = |reason: String| Error::Database {
            address: "postgresql://...".to_owned(),
            problem: DatabaseProblem::Address { reason },
        };
        let refuse = |reason: &str| problem(reason.to_owned());
        let given = given.0.as_str();
        let rest = given
            .strip_prefix("postgresql://")
            .or_else(|| given.strip_prefix("postgres://"))
            .ok_or_else(|| refuse("it does not begin with postgresql://"))?;
        // What follows a second @ would be taken for the host, and shown.
        if rest.matches('@').count() > 1 {
            return Err(refuse("there is more than one @ in it"));
        }
        let tls = Tls::take_from(rest).map_err(refuse)?;
        let mut config =
            Config::from_str(&format!("postgresql://{}", tls.rest)).map_err(|error| {
                let cause = std::error::Error::source(&error);
                problem(cause.map_or_else(|| error.to_string(), ToString::to_string))
            })?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            config.host("localhost");
        }
        if !config.get_hosts().iter().all(is_name) {
            return Err(refuse("a host has a letter that no host has"));
        }
        if has_socket(&config) && !config.get_hosts().iter().all(is_socket) {
            return Err(refuse("a socket and a host stand in one address"));
        }
        let asked = tls.accepted;
        let (mode, trust) = tls.resolve(stays_here(&config));
        if mode != SslMode::Require && config.get_ssl_negotiation() == SslNegotiation::Direct {
            return Err(refuse("sslnegotiation=direct goes with sslmode=require"));
        }
        if asked.is_some() && has_socket(&config) {
            return Err(refuse(
                "require_auth is for servers that are reached by TCP",
            ));
        }
        let accepted = asked.unwrap_or(match &trust {
            Trust::Anybody => Methods::SAFE_WITH_ANYBODY,
            Trust::Certified(_) => Methods::ALL,
        });
        config.ssl_mode(mode);
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
        Ok(Self {
            config,
            trust,
            mode,
            accepted,
            shown,
        })
    }

    /// The configuration of a connection, and what guards it. Sockets that are files are not guarded: who may open
    /// them, and who may put one in their place, is up to their folder.
    ///
    /// # Errors
    /// Certificates that cannot be read.
    pub fn connector(&self) -> std::result::Result<(Config, Handshake), DatabaseProblem> {
        let mut config = self.config.clone();
        let handshake = Handshake {
            tls: self.trust.connector()?,
            mode: self.mode,
            direct: config.get_ssl_negotiation() == SslNegotiation::Direct,
            accepted: self.accepted,
        };
        if has_socket(&config) {
            config.ssl_mode(SslMode::Disable);
        } else {
            // The client leaves all of it to the handshake, and wants a name for whom it connects to.
            if config.get_hosts().is_empty() {
                for address in config.get_hostaddrs().to_vec() {
                    config.host(address.to_string());
                }
            }
            config.ssl_mode(SslMode::Require);
            config.ssl_negotiation(SslNegotiation::Direct);
        }
        Ok((config, handshake))
    }

    /// That this is wrong with the database there.
    pub fn problem(&self, problem: DatabaseProblem) -> Error {
        Error::Database {
            address: self.shown.clone(),
            problem,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

fn is_name(host: &Host) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || ".-_:%".contains(letter);
    tcp(host).is_none_or(|name| name.chars().all(is_part))
}

fn is_socket(host: &Host) -> bool {
    tcp(host).is_none()
}

/// Whether it is a socket in a folder that is connected to.
fn has_socket(config: &Config) -> bool {
    config.get_hostaddrs().is_empty() && config.get_hosts().iter().any(is_socket)
}

/// Whether what is sent never leaves this machine.
fn stays_here(config: &Config) -> bool {
    let is_here =
        |name: &str| name == "localhost" || name.parse().is_ok_and(|at: IpAddr| at.is_loopback());
    let here = |host: &Host| tcp(host).is_none_or(is_here);
    match config.get_hostaddrs() {
        [] => config.get_hosts().iter().all(here),
        addresses => addresses.iter().all(IpAddr::is_loopback),
    }
}

/// The address for people: without password and options.
fn shown(config: &Config) -> String {
    let hosts: Vec<String> = match config.get_hosts() {
        [] => config
            .get_hostaddrs()
            .iter()
            .map(ToString::to_string)
            .collect(),
        hosts => hosts.iter().map(host_shown).collect(),
    };
    let ports: Vec<String> = config.get_ports().iter().map(ToString::to_string).collect();
    let user = config
        .get_user()
        .map_or_else(String::new, |user| format!("{user}@"));
    let port = match ports.as_slice() {
        [] => String::new(),
        ports => format!(":{}", ports.join(",")),
    };
    let database = config
        .get_dbname()
        .map_or_else(String::new, |name| format!("/{name}"));
    let shown = format!("postgresql://{user}{}{port}{database}", hosts.join(","));
    shown
        .chars()
        .filter(|letter| !letter.is_control())
        .collect()
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
        assert_eq!(
            address.to_string(),
            "postgresql://ada@db.example:5432/faces"
        );
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
            "postgresql://se cret/faces",
            "postgresql://ada@db/faces?sslmode=require&sslrootcert=secret",
            "postgresql://ada@db/faces?require_auth=secret",
            "postgresql:///faces?host=/secret&require_auth=md5",
            "postgresql://ada:secret@localhost/faces?sslnegotiation=direct",
        ] {
            let error = read(wrong).err().unwrap_or_else(|| panic!("{wrong}"));
            let said = error.to_string();
            assert!(
                !said.contains("secret") && !said.contains("se cret"),
                "{said}"
            );
            assert!(
                said.contains("write postgresql://USER@HOST/DATABASE"),
                "{said}"
            );
        }
    }

    #[test]
    fn only_a_server_that_is_known_may_ask_for_the_password_itself() {
        let accepted = |text: &str| read(text).unwrap().accepted;
        for address in ["postgresql://localhost/a", "postgresql://db/a"] {
            assert_eq!(accepted(address), Methods::SAFE_WITH_ANYBODY);
        }
        let known = "postgresql://db/a?sslmode=verify-full";
        assert_eq!(accepted(known), Methods::ALL);
        let scram = Methods::parse("scram-sha-256").unwrap();
        let asked = format!("{known}&require_auth=scram-sha-256");
        assert_eq!(accepted(&asked), scram);
    }

    #[test]
    fn what_leaves_the_machine_is_encrypted_unless_somebody_says_otherwise() {
        let mode = |text: &str| {
            let address = read(text).unwrap();
            (address.config.get_ssl_mode(), address.trust)
        };
        let (prefer, require) = (SslMode::Prefer, SslMode::Require);
        for (address, expected) in [
            ("postgresql://localhost/a", (prefer, Trust::Anybody)),
            ("postgresql://127.0.0.1/a", (prefer, Trust::Anybody)),
            (
                "postgresql:///a?host=/run/postgresql",
                (prefer, Trust::Anybody),
            ),
            ("postgresql:///a", (prefer, Trust::Anybody)),
            ("postgresql://db/a", (require, Trust::Anybody)),
            ("postgresql://localhost,db/a", (require, Trust::Anybody)),
            (
                "postgresql://localhost/a?hostaddr=10.0.0.1",
                (require, Trust::Anybody),
            ),
            ("postgresql://db/a?sslmode=prefer", (prefer, Trust::Anybody)),
            (
                "postgresql://db/a?sslmode=disable",
                (SslMode::Disable, Trust::Anybody),
            ),
            (
                "postgresql://localhost/a?sslmode=require",
                (require, Trust::Anybody),
            ),
            (
                "postgresql://db/a?sslmode=verify-full",
                (require, Trust::Certified(None)),
            ),
            (
                "postgresql://db/a?sslrootcert=%2Fa%20b.pem&connect_timeout=3",
                (require, Trust::Certified(Some("/a b.pem".into()))),
            ),
        ] {
            assert_eq!(mode(address), expected, "{address}");
        }
    }
}
