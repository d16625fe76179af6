//! The address of `--webhook`, of which each part may be a secret.

use std::env;
use std::fmt;

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

/// Where to send what.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// Host and port.
    pub address: (String, u16),
    /// The header `Host`.
    pub host: String,
    /// Path and query.
    pub path: String,
}

impl WebhookUrl {
    /// Never fails: whatever refuses a value prints it.
    #[allow(clippy::unnecessary_wraps)]
    pub(super) fn given(text: &str) -> Result<Self, String> {
        Ok(Self(text.trim().to_owned()))
    }

    /// The one of the command line, or that of the environment.
    pub fn chosen(given: Option<&Self>) -> Option<Self> {
        let variable = env::var(VARIABLE).ok().filter(|text| !text.is_empty());
        given.cloned().or_else(|| Self::given(&variable?).ok())
    }

    /// Where it leads.
    ///
    /// # Errors
    /// What an address is like.
    pub fn checked(&self) -> Result<Target, &'static str> {
        let expected = "the address of the webhook (--webhook or EIGENFACES_WEBHOOK) is to be like http://homeassistant:8123/api/webhook/ID";
        let (scheme, rest) = self.0.split_once("://").ok_or(expected)?;
        match scheme.to_ascii_lowercase().as_str() {
            "http" => {}
            "https" => {
                return Err(
                    "the webhook is posted to without encryption: give an address with http://, of a receiver or a proxy in this network",
                );
            }
            _ => return Err(expected),
        }
        if !rest.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(expected);
        }
        let rest = rest.split('#').next().unwrap_or_default();
        let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if host.contains('@') {
            return Err(
                "the webhook takes no user and password: give an address that nobody can guess",
            );
        }
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => {
                (name, port.parse().map_err(|_| expected)?)
            }
            _ => (host, 80),
        };
        let name = name.trim_start_matches('[').trim_end_matches(']');
        if name.is_empty() {
            return Err(expected);
        }
        Ok(Target {
            address: (name.to_owned(), port),
            host: host.to_owned(),
            path: match path.starts_with('/') {
                true => path.to_owned(),
                false => format!("/{path}"),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_somewhere() {
        for (text, name, port, host, path) in [
            (
                "http://ha:8123/api/webhook/x",
                "ha",
                8123,
                "ha:8123",
                "/api/webhook/x",
            ),
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
            let Err(error) = url.checked() else {
                panic!("{wrong}")
            };
            assert!(!format!("{error}{url:?}").contains("secret"), "{error}");
        }
    }
}
