//! Answers where something cannot be done.

use std::path::Path;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use eigenfaces::error::{LikelihoodError, PhotoProblem};
use serde_json::json;

use crate::text::counted;

/// A refusal, with what a person or a program should know.
#[derive(Debug)]
pub struct Failure {
    pub status: StatusCode,
    pub message: String,
    pub code: Option<u32>,
    /// Number of changes queued before this one, which was not made.
    pub position: Option<usize>,
}

pub type Answer<T> = std::result::Result<T, Failure>;

impl Failure {
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), code: None, position: None }
    }

    pub fn coded(status: StatusCode, code: u32, message: impl Into<String>) -> Self {
        Self { code: Some(code), ..Self::new(status, message) }
    }

    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    pub fn nobody_enrolled() -> Self {
        Self::conflict("nobody is enrolled yet: add a photo of somebody first")
    }

    /// Other changes take too long; `job` is the one working, if any.
    pub fn queued(position: usize, job: Option<String>) -> Self {
        let job = job.map_or_else(String::new, |job| format!(" ({job} is working)"));
        let changes = counted(position, "change comes", "changes come");
        Self {
            position: Some(position),
            ..Self::unavailable(format!("{changes} before this one{job}; nothing was changed, try again later"))
        }
    }

    /// Too many requests are being answered: others have to wait.
    pub fn busy() -> Self {
        Self::unavailable("too many photos at once: try again in a second")
    }
}

impl From<eigenfaces::Error> for Failure {
    fn from(error: eigenfaces::Error) -> Self {
        use eigenfaces::Error;
        match error {
            Error::Photo { problem, .. } => problem.into(),
            Error::NoSuchPerson { .. } => Self::coded(StatusCode::NOT_FOUND, 42, error.to_string()),
            Error::NoSuchPhoto { .. } => Self::coded(StatusCode::NOT_FOUND, 44, error.to_string()),
            Error::SameName { .. }
            | Error::NameTaken { .. }
            | Error::PhotoOfOther { .. }
            | Error::MergedIntoItself { .. }
            | Error::NothingToUndo
            | Error::OtherFraming { .. }
            | Error::Pca(_) => Self::conflict(error.to_string()),
            Error::PersonName { .. } | Error::NoSuchPath { .. } | Error::NoPhotos { .. } => {
                Self::bad(error.to_string())
            }
            _ => Self::internal(error.to_string()),
        }
    }
}

impl From<LikelihoodError> for Failure {
    fn from(error: LikelihoodError) -> Self {
        eigenfaces::Error::from(error).into()
    }
}

impl From<PhotoProblem> for Failure {
    fn from(problem: PhotoProblem) -> Self {
        match problem {
            PhotoProblem::NoFace | PhotoProblem::NotAFace => {
                Self::coded(StatusCode::BAD_REQUEST, 28, "No face is found in the given image")
            }
            PhotoProblem::TooManyPixels { .. }
            | PhotoProblem::TooManyBytes { .. }
            | PhotoProblem::TooMuchMemory { .. } => {
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the photo cannot be used: {problem}"))
            }
            problem => Self::bad(format!("the photo cannot be used: {problem}")),
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut body = json!({ "message": self.message, "error": self.message });
        if let Some(code) = self.code {
            body["code"] = code.into();
        }
        if let Some(position) = self.position {
            body["position"] = position.into();
        }
        let mut response = (self.status, Json(body)).into_response();
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

const MOST_TEXT: usize = 4096;

/// An answer of the API: errors that the framework gives as text, or without words, as JSON like all others.
pub async fn in_json(answer: Response) -> Response {
    let status = answer.status();
    let kind = answer.headers().get(header::CONTENT_TYPE);
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json")) {
        return answer;
    }
    let (parts, body) = answer.into_parts();
    let text = axum::body::to_bytes(body, MOST_TEXT).await.unwrap_or_default();
    let message = match (text.is_empty(), status) {
        (false, _) => String::from_utf8_lossy(&text).into_owned(),
        (true, StatusCode::NOT_FOUND) => "no such address: /openapi.json lists them".to_owned(),
        (true, StatusCode::METHOD_NOT_ALLOWED) => {
            "this address does not take that method: /openapi.json lists them".to_owned()
        }
        (true, _) => status.canonical_reason().unwrap_or("failed").to_owned(),
    };
    let mut failure = Failure::new(status, message).into_response();
    if let Some(methods) = parts.headers.get(header::ALLOW) {
        failure.headers_mut().insert(header::ALLOW, methods.clone());
    }
    failure
}

pub fn about_folder(folder: &Path, error: &impl std::fmt::Display) -> Failure {
    Failure::bad(format!("{}: {error}", folder.display()))
}
