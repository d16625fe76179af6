//! Photos in requests: as the body itself, as parts of a form, or in JSON as base64.

use std::collections::HashMap;

use axum::body::Bytes;
use axum::extract::multipart::{Multipart, MultipartError};
use axum::extract::{FromRequest, Request};
use axum::http::header;
use eigenfaces::Photo;
use serde::Deserialize;

use super::base64;
use super::extract::{JsonBody, cause, refused};
use super::failure::{Answer, Failure};

/// The parts of a request by name. A body that is no form and no JSON is the part `file`.
#[derive(Debug)]
pub struct RequestParts(HashMap<String, Bytes>);

impl<S: Send + Sync> FromRequest<S> for RequestParts {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Answer<Self> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default().trim().to_ascii_lowercase();
        if kind.starts_with("multipart/form-data") {
            let form = Multipart::from_request(request, state).await;
            return form_parts(form.map_err(|error| refused(error.status(), &cause(&error)))?).await;
        }
        if kind.starts_with("application/json") {
            let JsonBody::<Encoded>(photos) = JsonBody::from_request(request, state).await?;
            return photos.decoded();
        }
        let body = Bytes::from_request(request, state).await;
        Ok(Self(HashMap::from([("file".to_owned(), body.map_err(|error| refused(error.status(), &cause(&error)))?)])))
    }
}

async fn form_parts(mut form: Multipart) -> Answer<RequestParts> {
    let refuse = |error: MultipartError| refused(error.status(), &cause(&error));
    let mut parts = HashMap::new();
    while let Some(field) = form.next_field().await.map_err(refuse)? {
        let name = field.name().unwrap_or("file").to_owned();
        parts.insert(name, field.bytes().await.map_err(refuse)?);
    }
    Ok(RequestParts(parts))
}

/// The photos of a JSON object, in base64. All else is skipped as it is read: in memory it would be a hundredfold.
#[derive(Deserialize)]
struct Encoded {
    file: Option<String>,
    other: Option<String>,
    source_image: Option<String>,
    target_image: Option<String>,
}

impl Encoded {
    fn decoded(self) -> Answer<RequestParts> {
        let named = [
            ("file", self.file),
            ("other", self.other),
            ("source_image", self.source_image),
            ("target_image", self.target_image),
        ];
        let mut parts = HashMap::new();
        for (name, text) in named {
            let Some(text) = text else { continue };
            let wrong = |why| Failure::bad(format!("'{name}' is not base64: {why}"));
            parts.insert(name.to_owned(), base64::decoded(&text).map_err(wrong)?.into());
        }
        Ok(RequestParts(parts))
    }
}

impl RequestParts {
    /// Errors: it is not there, or empty.
    pub fn take(&mut self, name: &str) -> Answer<Bytes> {
        let bytes = self.0.remove(name).ok_or_else(|| Failure::bad(format!("the request has no photo '{name}'")))?;
        match bytes.is_empty() {
            true => Err(Failure::bad(format!(
                "the photo '{name}' is empty (0 bytes): was it read to its end before, or is the file still being written?"
            ))),
            false => Ok(bytes),
        }
    }
}

pub fn decode(bytes: &Bytes) -> Answer<Photo> {
    Ok(Photo::from_bytes(bytes.to_vec())?)
}
