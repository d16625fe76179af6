//! Query strings and JSON bodies of requests, refused in the words of this API.

use std::error::Error;
use std::fmt::Display;
use std::str::FromStr;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use super::failure::{Answer, Failure};

/// The query string. Types that `deny_unknown_fields` refuse a misspelt parameter and name those there are.
pub struct UrlQuery<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for UrlQuery<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Answer<Self> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(asked)) => Ok(Self(asked)),
            Err(error) => Err(Failure::bad(format!("query string: {}", cause(&error)))),
        }
    }
}

/// A parameter that may be left empty, as templates of addresses leave it (`limit=&status=`): then it is not given.
/// Errors: a text that is no such value.
pub fn filled<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    match String::deserialize(deserializer)?.trim() {
        "" => Ok(None),
        value => value.parse().map(Some).map_err(serde::de::Error::custom),
    }
}

pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Answer<Self> {
        match Json::from_request(request, state).await {
            Ok(Json(sent)) => Ok(Self(sent)),
            Err(error) => Err(refused(error.status(), &cause(&error))),
        }
    }
}

pub fn refused(status: StatusCode, cause: &str) -> Failure {
    let message = match status {
        StatusCode::PAYLOAD_TOO_LARGE => "a request may have 20 MB".to_owned(),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            "the body is to be JSON: send the header content-type: application/json".to_owned()
        }
        _ => format!("request body: {cause}"),
    };
    Failure::new(status, message)
}

/// The innermost cause of a rejection, without the framework's words around it, and with the start of what was sent at most.
pub fn cause(rejection: &dyn Error) -> String {
    let mut cause = rejection;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    const MOST: usize = 200;
    cause.to_string().chars().take(MOST).collect()
}
