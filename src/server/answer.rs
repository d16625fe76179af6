//! Forms of answers: with the state that they tell of, or a picture.

use axum::Json;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use eigenfaces::render;
use image::DynamicImage;
use serde_json::Value;

use super::failure::{Answer, Failure};
use super::service::{Service, Snapshot};

/// The revision that a change was meant for (`If-Match`), if the client sent one.
pub fn expected(headers: &HeaderMap) -> Option<String> {
    let tag = String::from_utf8_lossy(headers.get(header::IF_MATCH)?.as_bytes());
    (tag != "*").then(|| tag.into_owned())
}

/// A JSON object with the revision of the gallery (ETag).
pub fn tagged(service: &Service, state: &Snapshot, body: &Value) -> Response {
    ([(header::ETAG, service.tag(state))], Json(body)).into_response()
}

pub fn png(picture: &DynamicImage) -> Answer<Response> {
    let bytes = render::png(picture).map_err(|error| Failure::internal(error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, "image/png")], bytes).into_response())
}
