//! The people enrolled, whom CompreFace calls subjects.

use axum::Json;
use axum::extract::{Path as UrlPath, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use eigenfaces::model::{EarlierName, Edit, Plan};
use eigenfaces::{Model, Person};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::extract::JsonBody;
use super::super::failure::{Answer, Failure};
use super::super::people::counted;
use super::super::service::Shared;
use super::{erase, faces_of};

fn nobody() -> Failure {
    Failure::coded(StatusCode::NOT_FOUND, 42, "nobody of this name is enrolled")
}

pub async fn subjects(State(service): Shared) -> Answer<Json<Value>> {
    let people = counted(&service.snapshot());
    let names: Vec<&str> = people.iter().map(|(person, _)| person.as_str()).collect();
    Ok(Json(json!({ "subjects": names })))
}

#[derive(Debug, Deserialize)]
pub struct Subject {
    subject: String,
}

/// Accepts a name. A person is enrolled with their first face; until then there is nothing to keep of them.
pub async fn add_subject(JsonBody(asked): JsonBody<Subject>) -> Answer<Response> {
    let person = Person::new(&asked.subject)?;
    Ok((StatusCode::CREATED, Json(json!({ "subject": person.as_str() }))).into_response())
}

pub async fn erase_subjects(State(service): Shared) -> Answer<Json<Value>> {
    let people = counted(&service.snapshot()).len();
    erase(&service, |model| Ok(faces_of(model, None))).await?;
    Ok(Json(json!({ "deleted": people })))
}

/// Gives a person another name. Where somebody has it already, both become one.
pub async fn rename_subject(
    State(service): Shared,
    UrlPath(name): UrlPath<String>,
    JsonBody(asked): JsonBody<Subject>,
) -> Answer<Json<Value>> {
    let new = Person::new(&asked.subject)?;
    let change = move |model: Option<&Model>| {
        let known = model.ok_or_else(nobody)?;
        let person = &known.people()[known.gallery().find(&name)?];
        let edit = match known.people().contains(&new) {
            true => Edit::Merge((*person != new).then_some(name).into_iter().collect(), new.to_string()),
            false => Edit::Rename(name, new.to_string(), EarlierName::Known),
        };
        Ok((Plan::of(edit, model, &())?, ()))
    };
    service.change(None, change).await?;
    Ok(Json(json!({ "updated": true })))
}

pub async fn erase_subject(State(service): Shared, UrlPath(name): UrlPath<String>) -> Answer<Json<Value>> {
    let subject = name.clone();
    let erased = erase(&service, move |model| Ok(faces_of(model, Some(&name)))).await?;
    if erased.is_empty() {
        return Err(nobody());
    }
    Ok(Json(json!({ "subject": subject })))
}
