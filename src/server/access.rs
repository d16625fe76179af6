//! Who is answered: the browser that opened the one-time address, and programs that send the key.
//!
//! Other sites in the same browser are not: neither by asking across origins, nor by a name of their own that leads to
//! this machine (DNS rebinding).

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use eigenfaces::error::{Error, Result};
use subtle::ConstantTimeEq;

use super::failure::Failure;
use super::service::Service;

const COOKIE: &str = "eigenfaces-session";

/// What the page may do in a browser: use what this server sends, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The secrets, and the names that this server goes by.
#[derive(Debug)]
pub struct Access {
    address: SocketAddr,
    key: String,
    token: Mutex<Option<String>>,
    sessions: Mutex<HashSet<String>>,
}

impl Access {
    /// The secrets of a server at this address; without a key one is drawn.
    ///
    /// # Errors
    /// A system without random numbers.
    pub fn new(address: SocketAddr, key: Option<String>) -> Result<Self> {
        let key = match key {
            Some(key) => key,
            None => uuid(secret()?),
        };
        Ok(Self {
            address,
            key,
            token: Mutex::new(Some(URL_SAFE_NO_PAD.encode(secret()?))),
            sessions: Mutex::default(),
        })
    }

    pub fn key(&self) -> &str {
        &self.key
    }

    /// The address that opens the page, once.
    pub fn first_address(&self) -> String {
        let token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        let token = token.as_deref().unwrap_or_default();
        format!("http://{}/?token={token}", self.address)
    }

    /// A session for whoever has the one-time token; it is used up.
    fn begin_session(&self, given: &str) -> Option<String> {
        let mut token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        if !token.as_deref().is_some_and(|token| same(token, given)) {
            return None;
        }
        let session = URL_SAFE_NO_PAD.encode(secret().ok()?);
        *token = None;
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.insert(session.clone());
        Some(session)
    }

    fn has_session(&self, headers: &HeaderMap) -> bool {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let cookies = headers.get_all(header::COOKIE).iter();
        let mut values = cookies
            .filter_map(|cookies| cookies.to_str().ok())
            .flat_map(|cookies| cookies.split(';'))
            .filter_map(|cookie| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('='));
        values.any(|given| sessions.iter().any(|session| same(session, given)))
    }

    fn has_key(&self, headers: &HeaderMap) -> bool {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let bearer = text("authorization").and_then(|text| text.strip_prefix("Bearer "));
        [text("x-api-key"), bearer]
            .into_iter()
            .flatten()
            .any(|given| same(&self.key, given))
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

/// 128 bits that nobody can guess.
fn secret() -> Result<[u8; 16]> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Error::NoRandomNumbers {
        reason: error.to_string(),
    })?;
    Ok(bytes)
}

/// As the field writes 128 bits, version 4 of RFC 9562.
fn uuid(mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    super::people::in_groups(bytes)
}

/// Compared in a time that does not tell where they differ.
fn same(secret: &str, given: &str) -> bool {
    secret.as_bytes().ct_eq(given.as_bytes()).into()
}

/// Lets a request through, or says why not; and tells browsers to be careful with the answer.
pub async fn guard(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let api = request.uri().path().starts_with("/api/");
    let mut response = match admit(&service.access, &request) {
        Admitted::Yes => next.run(request).await,
        Admitted::Begins(session) => begin(&session),
        Admitted::No(failure) if api || request.method() != Method::GET => failure.into_response(),
        Admitted::No(failure) => {
            (failure.status, Html(super::page::refused(&failure))).into_response()
        }
    };
    let headers = response.headers_mut();
    let mut set = |name, value| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(header::CACHE_CONTROL, "no-store");
    response
}

enum Admitted {
    Yes,
    /// A browser that has the one-time token: it gets this session.
    Begins(String),
    No(Failure),
}

fn admit(access: &Access, request: &Request) -> Admitted {
    let headers = request.headers();
    let refuse = |status, message: &str| Admitted::No(Failure::new(status, message));
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let has_key = access.has_key(headers);
    let host = text("host").unwrap_or_default();
    if !has_key && !access.is_own_name(host) {
        return refuse(
            StatusCode::MISDIRECTED_REQUEST,
            "this server answers to localhost, 127.0.0.1 and [::1] only; programs elsewhere send the key",
        );
    }
    let is_own_site =
        text("sec-fetch-site").is_none_or(|site| ["same-origin", "none"].contains(&site));
    let is_own_origin = text("origin").is_none_or(|origin| origin == format!("http://{host}"));
    if !(is_own_site && is_own_origin) {
        return refuse(StatusCode::FORBIDDEN, "asked by another site");
    }
    if has_key || access.has_session(headers) {
        return Admitted::Yes;
    }
    if let Some(session) = token(request.uri()).and_then(|token| access.begin_session(token)) {
        return Admitted::Begins(session);
    }
    if request.uri().path().starts_with("/api/v1/") && text("x-api-key").is_none() {
        let message = "Missing request header: x-api-key";
        return Admitted::No(Failure::coded(StatusCode::BAD_REQUEST, 20, message));
    }
    refuse(
        StatusCode::UNAUTHORIZED,
        "open the address that 'eigenfaces serve' printed (it works once; start the server again for another), or send the key",
    )
}

fn token(uri: &Uri) -> Option<&str> {
    let query = uri.query().filter(|_| uri.path() == "/")?;
    query
        .split('&')
        .find_map(|pair| pair.strip_prefix("token="))
}

/// Sends the browser to the page without the token, which would stay in its history.
fn begin(session: &str) -> Response {
    let cookie = format!("{COOKIE}={session}; HttpOnly; SameSite=Strict; Path=/");
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, "/")]).into_response();
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}
