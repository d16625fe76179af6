//! Access: the browser that opened the one-time address, and programs that send the key.
//!
//! Other sites in the same browser have none: neither across origins, nor by a name that leads here (DNS rebinding).

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Mutex;

use axum::http::{HeaderMap, Uri, header};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;

use super::locked;
use super::public_url::PublicUrl;
use crate::error::{Error, Result};

#[derive(Debug)]
pub struct Access {
    pub address: SocketAddr,
    /// Where browsers reach the page through a proxy.
    public: Option<PublicUrl>,
    pub key: String,
    token: Mutex<Option<String>>,
    sessions: Mutex<HashSet<String>>,
}

impl Access {
    /// The secrets of a server at this address; without a key one is drawn.
    /// Errors: a system without random numbers.
    pub fn new(address: SocketAddr, public: Option<PublicUrl>, key: Option<String>) -> Result<Self> {
        let key = key.map_or_else(|| secret().map(uuid), Ok)?;
        let token = Mutex::new(Some(URL_SAFE_NO_PAD.encode(secret()?)));
        Ok(Self { address, public, key, token, sessions: Mutex::default() })
    }

    pub fn first_address(&self) -> String {
        let token = locked(&self.token);
        let token = token.as_deref().unwrap_or_default();
        match &self.public {
            Some(url) => format!("{}{}?token={token}", url.origin, url.path),
            None => format!("http://{}/?token={token}", self.address),
        }
    }

    pub fn path(&self) -> &str {
        self.public.as_ref().map_or("/", |url| &url.path)
    }

    pub fn is_opened(&self) -> bool {
        locked(&self.token).is_none()
    }

    /// A session for whoever has the one-time token; it is used up.
    pub fn begin_session(&self, given: &str) -> Option<String> {
        let mut token = locked(&self.token);
        if !token.as_deref().is_some_and(|token| same(token, given)) {
            return None;
        }
        let session = URL_SAFE_NO_PAD.encode(secret().ok()?);
        *token = None;
        locked(&self.sessions).insert(session.clone());
        Some(session)
    }

    /// The name of the cookie that holds a session. Browsers send the cookies of all ports to each, so it names the port.
    pub fn cookie(&self) -> String {
        format!("eigenfaces-session-{}", self.address.port())
    }

    /// The cookie of a session, for the path where the browser sees the page, which it knows best.
    pub fn set_cookie(&self, session: &str) -> String {
        let secure = if self.public.as_ref().is_some_and(PublicUrl::is_encrypted) { "; Secure" } else { "" };
        format!("{}={session}; HttpOnly; SameSite=Strict{secure}", self.cookie())
    }

    pub fn has_session(&self, headers: &HeaderMap) -> bool {
        let sessions = locked(&self.sessions);
        let name = self.cookie();
        let cookies = cookies(headers).flat_map(|cookies| cookies.split(';'));
        let mut values = cookies.filter_map(|cookie| cookie.trim().strip_prefix(&name)?.strip_prefix('='));
        values.any(|given| sessions.iter().any(|session| same(session, given)))
    }

    /// Whether a request brings the key, in a header or in the address of a picture.
    pub fn has_key(&self, headers: &HeaderMap, path: &str) -> bool {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let bearer = text("authorization").and_then(|text| {
            let (scheme, key) = text.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(key.trim())
        });
        [text("x-api-key"), bearer, key_in(path)].into_iter().flatten().any(|given| same(&self.key, given))
    }

    /// Whether a request that was not let in brings a secret: then somebody may be guessing.
    pub fn is_guess(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        headers.contains_key("x-api-key")
            || headers.contains_key(header::AUTHORIZATION)
            || cookies(headers).any(|cookies| cookies.contains(&format!("{}=", self.cookie())))
            || uri.query().is_some_and(|query| query.contains("token="))
            || key_in(uri.path()).is_some()
    }

    /// Whether a host, as browsers send it, is one by which this server is reached.
    pub fn is_own_host(&self, host: &str) -> bool {
        self.is_own_name(host) || self.public.as_ref().is_some_and(|url| url.is_host(host))
    }

    /// Whether a page that asks is this server's own, by what the browser says of where it comes from.
    pub fn is_own_origin(&self, origin: &str, host: &str) -> bool {
        let is_public = self.public.as_ref().is_some_and(|url| url.origin == origin);
        is_public || self.is_own_name(host) && origin == format!("http://{host}")
    }

    /// Whether a host, as browsers send it, is a name of this machine at this port.
    fn is_own_name(&self, host: &str) -> bool {
        let port = self.address.port();
        let own = [
            format!("localhost:{port}"),
            format!("127.0.0.1:{port}"),
            format!("[::1]:{port}"),
            self.address.to_string(),
        ];
        own.iter().any(|own| own.eq_ignore_ascii_case(host))
            || port == 80 && ["localhost", "127.0.0.1", "[::1]"].contains(&host)
    }
}

fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers.get_all(header::COOKIE).iter().filter_map(|cookies| cookies.to_str().ok())
}

/// The key in the address of a picture, as CompreFace has it: `/api/v1/static/KEY/images/ID`.
fn key_in(path: &str) -> Option<&str> {
    path.strip_prefix("/api/v1/static/")?.split('/').next()
}

fn secret() -> Result<[u8; 16]> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::Told(format!("the system gives no random numbers for a key: {error}")))?;
    Ok(bytes)
}

/// A random UUID (version 4 of RFC 9562).
fn uuid(mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    in_groups(bytes)
}

/// 128 bits in the format of UUIDs: 8-4-4-4-12 hexadecimal digits.
pub fn in_groups(bytes: [u8; 16]) -> String {
    let digits = format!("{:032x}", u128::from_be_bytes(bytes));
    [0..8, 8..12, 12..16, 16..20, 20..32].map(|group| &digits[group]).join("-")
}

/// Compares in constant time.
fn same(secret: &str, given: &str) -> bool {
    secret.as_bytes().ct_eq(given.as_bytes()).into()
}
