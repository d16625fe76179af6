//! Checks before every request: who is not known gets no answer, and browsers are told to be careful with it.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};

use super::access::Access;
use super::connections::{self, Connection};
use super::failure::{self, Failure};
use super::page;
use super::service::Shared;

/// Permissions of the page in a browser: it uses what this server sends, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Delay of the answer to a wrong key, token or cookie, so that guessing takes time. A right one is never delayed.
const WRONG_SECRET: Duration = Duration::from_secs(1);

/// Lets a request through, or says why not; and tells browsers to be careful with the answer.
pub async fn guard(State(service): Shared, request: Request, next: Next) -> Response {
    let api = request.uri().path().starts_with("/api/");
    let admitted = admit(&service.access, &request);
    let kinds = request.headers().get(header::ACCEPT);
    let wants_page = kinds.is_some_and(|kinds| kinds.as_bytes().windows(9).any(|it| it == b"text/html"));
    let is_refused = matches!(admitted, Admitted::No(_));
    let connection = connections::of(&request).filter(|_| !is_refused);
    let _busy = connection.map(Connection::begin_work);
    if is_refused && service.access.is_guess(request.headers(), request.uri()) {
        // Meanwhile its connection is closed as soon as somebody else needs the place.
        tokio::time::sleep(WRONG_SECRET).await;
    }
    let mut response = match admitted {
        Admitted::Yes if api => failure::in_json(next.run(request).await).await,
        Admitted::Yes => next.run(request).await,
        Admitted::Begins(session) => begin(&service.access.set_cookie(&session)),
        Admitted::No(failure) if !wants_page => failure.into_response(),
        Admitted::No(failure) => (failure.status, Html(page::refused(&failure))).into_response(),
    };
    let mut set = |name, value| {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
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
    // No other site can know it.
    if access.has_key(headers, request.uri().path()) {
        return Admitted::Yes;
    }
    let host = text("host").unwrap_or_default();
    if !access.is_own_host(host) {
        return refuse(
            StatusCode::MISDIRECTED_REQUEST,
            "this server answers to localhost, 127.0.0.1, [::1] and the host of --public-url only; programs elsewhere send the key",
        );
    }
    // Nor this one, which comes from a file of this user's (`--open`): to a browser, another site.
    if let Some(session) = token(request.uri()).and_then(|token| access.begin_session(token)) {
        return Admitted::Begins(session);
    }
    let is_own_site = text("sec-fetch-site").is_none_or(|site| ["same-origin", "none"].contains(&site));
    let is_own_origin = text("origin").is_none_or(|origin| access.is_own_origin(origin, host));
    if !(is_own_site && is_own_origin) {
        return refuse(
            StatusCode::FORBIDDEN,
            "asked by another site; if it is this page, and a proxy stands in front, start the server with --public-url and the page's address",
        );
    }
    if access.has_session(headers) {
        return Admitted::Yes;
    }
    if request.uri().path().starts_with("/api/v1/") && text("x-api-key").is_none() {
        return Admitted::No(Failure::coded(StatusCode::BAD_REQUEST, 20, "Missing request header: x-api-key"));
    }
    let message = match text("x-api-key").or(text("authorization")) {
        Some(_) => {
            "wrong key: send the one that 'eigenfaces serve' printed, or that it was given by --key-file or EIGENFACES_KEY"
        }
        None => {
            "open the address that 'eigenfaces serve' printed (it works once; start the server again for another), or send the key in the header x-api-key"
        }
    };
    refuse(StatusCode::UNAUTHORIZED, message)
}

fn token(uri: &Uri) -> Option<&str> {
    uri.query().filter(|_| uri.path() == "/")?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

/// Sends the browser to the page without the token. This answer itself does so, and not a redirection: a browser that comes
/// from elsewhere would not send the cookie with that.
fn begin(cookie: &str) -> Response {
    let mut response = Html(page::BEGUN).into_response();
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}
