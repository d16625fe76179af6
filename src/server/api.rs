//! `/api/v0`: what `--format json` prints, over HTTP.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path as UrlPath, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use eigenfaces::dataset::LabelRule;
use eigenfaces::decision::FALSE_ACCEPT_TARGET;
use eigenfaces::enrollment::{PhotoFaces, PreparationOptions, read_folders};
use eigenfaces::error::PhotoProblem;
use eigenfaces::model::{Edit, Plan};
use eigenfaces::render::{explain, strip};
use eigenfaces::{Acceptance, FaceChoice, Model, QueryOptions, Verdict, evaluate};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{expected, png, tagged};
use super::body::{RequestParts, decode};
use super::extract::{JsonBody, UrlQuery};
use super::failure::{Answer, Failure, about_folder};
use super::jobs::Job;
use super::people;
use super::review::{self, Reviewed};
use super::service::{Service, Shared};
use super::typed::Typed;
use crate::albums::SortBy;
use crate::records::{self, with_schema};

/// The model: how many people and faces, how photos become faces, what was learned.
pub async fn model(State(service): Shared) -> Answer<Response> {
    let state = service.snapshot();
    let object = match &state.model {
        Some(model) => records::model(model.recognizer()),
        None => json!({ "people": 0, "faces": 0 }),
    };
    Ok(tagged(&service, &state, &with_schema(object)))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentifyQuery {
    top: Option<usize>,
    far: Option<f64>,
    name: Option<String>,
    at: Option<String>,
}

impl IdentifyQuery {
    fn query(&self) -> Answer<QueryOptions> {
        let far = self.far.unwrap_or(FALSE_ACCEPT_TARGET);
        if !(1e-6..=0.5).contains(&far) {
            return Err(Failure::bad("far is a share from 0.000001 to 0.5, such as 0.01"));
        }
        Ok(QueryOptions { top: self.top.unwrap_or(1).max(1), acceptance: Acceptance::FalseAccepts(far) })
    }
}

pub async fn identify(
    State(service): Shared,
    UrlQuery(asked): UrlQuery<IdentifyQuery>,
    mut parts: RequestParts,
) -> Answer<Response> {
    let (query, drawn) = (asked.query()?, people::drawn(asked.at.as_deref())?);
    let photo = parts.take("file")?;
    let name = asked.name.unwrap_or_else(|| "photo".to_owned());
    let state = service.snapshot();
    let shown = state.clone();
    let object = service.work(move |_| shown.identify(&decode(&photo)?, &name, drawn, query)).await?;
    Ok(tagged(&service, &state, &with_schema(object)))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    person: Option<String>,
}

pub async fn verify(
    State(service): Shared,
    UrlQuery(claim): UrlQuery<Claim>,
    mut parts: RequestParts,
) -> Answer<Json<Value>> {
    let photo = parts.take("file")?;
    let other = if claim.person.is_none() { Some(parts.take("other")?) } else { None };
    let snapshot = service.snapshot();
    let object = service.work(move |_| {
        let photo = decode(&photo)?;
        let found = match (&claim.person, other) {
            (Some(person), _) => snapshot.model()?.verify_person(&photo, person, Acceptance::default())?,
            (None, Some(other)) => {
                let preparation = snapshot.preparation();
                let (face, other) = (preparation.prepare(photo.luma())?, preparation.prepare(decode(&other)?.luma())?);
                snapshot.verify(&face, &other)?
            }
            (None, None) => return Err(Failure::bad("give a person or another photo")),
        };
        if let Verdict::NotAFace { .. } = found.verdict {
            return Err(PhotoProblem::NotAFace.into());
        }
        Ok(json!({
            "person": claim.person,
            "decision": found.verdict.name(),
            "confidence": found.confidence,
            "distance": found.distance,
        }))
    });
    Ok(Json(with_schema(object.await?)))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Face {
    face: Option<usize>,
    at: Option<String>,
}

pub async fn why(State(service): Shared, UrlQuery(which): UrlQuery<Face>, mut parts: RequestParts) -> Answer<Response> {
    let photo = parts.take("file")?;
    let drawn = people::drawn(which.at.as_deref())?;
    let work = move |model: &Model| {
        let choice = which.face.map_or(FaceChoice::Main, FaceChoice::Number);
        let photo = decode(&photo)?;
        let (preparation, gallery) = (model.recognizer().preparation(), Some(model.gallery()));
        let faces = PhotoFaces::with_shown(preparation, &photo, gallery, drawn)?;
        let face = &faces.prepared()[faces.position(choice)?];
        let rows = explain::rows(model.recognizer(), face, QueryOptions::default(), ToString::to_string)?;
        png(&strip::strip("Why", &rows).to_pixels().into())
    };
    service.ask(work).await
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Work {
    Enroll {
        folder: Typed,
    },
    /// Looks for wrong labels, the same picture under two people, and pictures that are no faces.
    Check,
    /// Puts the faces of a folder on this machine into groups.
    Group {
        folder: Typed,
    },
    /// Enrols faces of groups that were named, and remembers what was said of others.
    Name {
        groups: Vec<Reviewed>,
    },
    /// Has faces that were ignored take part in groups again.
    BringBack {
        faces: Vec<String>,
    },
    /// Sorts the photos of the folder that was grouped last into a folder per person named.
    Sort {
        into: Typed,
        by: SortBy,
    },
    /// Writes the names given in that folder into sidecars.
    WriteXmp,
}

pub async fn begin_job(State(service): Shared, headers: HeaderMap, JsonBody(work): JsonBody<Work>) -> Answer<Response> {
    let kind = match work {
        Work::Enroll { .. } => "enroll",
        Work::Check => "check",
        Work::Group { .. } => "group",
        Work::Name { .. } => "name",
        Work::BringBack { .. } => "bring-back",
        Work::Sort { .. } => "sort",
        Work::WriteXmp => "write-xmp",
    };
    let job = service.jobs.begin(kind);
    let job = job.ok_or_else(|| Failure::conflict("another job is working: wait for it, or cancel it"))?;
    let waiting = service.changes_waiting();
    let (worked, expected) = (Arc::clone(&job), expected(&headers));
    tokio::spawn(async move {
        worked.finish(do_job(&service, work, expected, &worked).await);
    });
    let place = format!("/api/v0/jobs/{}", job.id);
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, place)], Json(job.report(waiting))).into_response())
}

async fn do_job(service: &Arc<Service>, work: Work, expected: Option<String>, job: &Arc<Job>) -> Answer<Value> {
    match work {
        Work::Enroll { folder: Typed(folder) } => {
            let change = move |model: Option<&Model>, job: &Job| {
                let about = |error: eigenfaces::Error| about_folder(&folder, &error);
                let base = Model::base(model, PreparationOptions::default());
                let read = read_folders(std::slice::from_ref(&folder), &LabelRule::Folder, base, job).map_err(about)?;
                Ok((Plan::of(Edit::Folders(read), model, job).map_err(about)?, Model::hashes(model)))
            };
            let (before, after) = service.change_in_job(job, expected, change).await?;
            let gallery = after.model()?;
            gallery.notices(&before)?.into_iter().for_each(|notice| job.note(notice));
            Ok(json!({ "added": gallery.gallery().len() - before.len() }))
        }
        Work::Group { folder } => review::group(service, folder.0, job).await,
        Work::Name { groups } => review::name(service, expected, groups, job).await,
        Work::BringBack { faces } => review::bring_back(service, faces, job).await,
        Work::Sort { into, by } => review::sort(service, into.0, by, job).await,
        Work::WriteXmp => review::write_xmp(service, job).await,
        Work::Check => {
            let snapshot = service.snapshot();
            let check = move || {
                let model = snapshot.model()?;
                let recognizer = model.recognizer();
                let gallery = recognizer.gallery().clone();
                let found = evaluate::check(*recognizer.preparation(), gallery, recognizer.settings())?;
                Ok(people::suspects(model, &found))
            };
            service.work_in_job(check).await
        }
    }
}

fn no_such_job() -> Failure {
    Failure::not_found("there is no such job (ended ones are forgotten in time)")
}

pub async fn job(State(service): Shared, UrlPath(id): UrlPath<u64>) -> Answer<Json<Value>> {
    Ok(Json(service.jobs.find(id).ok_or_else(no_such_job)?.report(service.changes_waiting())))
}

/// Ends a job before its time; nothing is changed then.
pub async fn cancel_job(State(service): Shared, UrlPath(id): UrlPath<u64>) -> Answer<Json<Value>> {
    let job = service.jobs.find(id).ok_or_else(no_such_job)?;
    job.cancel();
    Ok(Json(job.report(service.changes_waiting())))
}

pub async fn last_change(State(service): Shared) -> Response {
    let (change, erases) = service.last_change().await.unzip();
    tagged(&service, &service.snapshot(), &json!({ "change": change, "erases": erases.unwrap_or(0) }))
}

/// Takes back the last change; what was erased stays so.
pub async fn undo(State(service): Shared, headers: HeaderMap) -> Answer<Response> {
    let (change, state) = service.undo(expected(&headers)).await?;
    Ok(tagged(&service, &state, &json!({ "undone": true, "change": change })))
}
