//! Addresses of requests, as clients and proxies write them.

use axum::http::Uri;
use axum::http::uri::PathAndQuery;

/// Rewrites an address as the table of calls has it: without the path below which a proxy has the page (`below`, which begins
/// and ends with a slash), with single slashes, and calls without one at their end.
pub fn tidy(uri: &mut Uri, below: &str) {
    let mut path = String::with_capacity(uri.path().len());
    for letter in uri.path().chars() {
        if letter != '/' || !path.ends_with('/') {
            path.push(letter);
        }
    }
    if let Some(rest) = path.strip_prefix(below) {
        path = format!("/{rest}");
    }
    if path.starts_with("/api/") && path.ends_with('/') {
        path.pop();
    }
    if path == uri.path() {
        return;
    }
    if let Some(query) = uri.query() {
        path.push('?');
        path.push_str(query);
    }
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = PathAndQuery::try_from(path).ok().or(parts.path_and_query);
    if let Ok(tidied) = Uri::from_parts(parts) {
        *uri = tidied;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_to_calls_however_they_are_written() {
        for (below, given, tidied) in [
            ("/", "/", "/"),
            ("/", "/?token=a/b//", "/?token=a/b//"),
            ("/", "//api/v1//recognition/faces?x=1", "/api/v1/recognition/faces?x=1"),
            ("/", "/api/v1/recognition/subjects/", "/api/v1/recognition/subjects"),
            ("/", "/api/v0/people/A%2FB/faces", "/api/v0/people/A%2FB/faces"),
            ("/faces/", "/faces/app.js", "/app.js"),
            ("/faces/", "/faces/?token=x", "/?token=x"),
            ("/faces/", "/faces/api/v0/people", "/api/v0/people"),
            // The proxy has left the path out.
            ("/faces/", "/app.js", "/app.js"),
            ("/", "http://home//app.js", "http://home/app.js"),
            ("/", "*", "*"),
        ] {
            let mut uri: Uri = given.parse().unwrap();
            tidy(&mut uri, below);
            assert_eq!(uri.to_string(), tidied, "{given}");
        }
    }
}
