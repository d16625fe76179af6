//! The people enrolled, over HTTP: look, add, rename, merge, move, erase.

use std::sync::Arc;

use axum::extract::{Path as UrlPath, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use eigenfaces::dataset::ContentHash;
use eigenfaces::enrollment::chosen_face;
use eigenfaces::evaluate::Suspects;
use eigenfaces::gallery::Gallery;
use eigenfaces::model::{EarlierName, Edit, Plan, Remark, Step};
use eigenfaces::preparation::FaceBox;
use eigenfaces::{FaceChoice, Model, Person};
use serde::Deserialize;
use serde_json::{Value, json};

use super::access::in_groups;
use super::answer::{expected, png, tagged};
use super::body::{RequestParts, decode};
use super::extract::{JsonBody, UrlQuery};
use super::failure::{Answer, Failure};
use super::service::{Service, Shared, Snapshot};

/// The name of a face for clients that want 128 bits: the first half of its photo's hash.
pub fn short(hash: ContentHash) -> String {
    in_groups(std::array::from_fn(|at| hash.0[at]))
}

/// A face by its hash, or by the short name of it.
pub fn find_face(gallery: &Gallery, name: &str) -> Answer<usize> {
    let is_meant = |hash: ContentHash| hash.to_string() == name || short(hash) == name;
    gallery.enrolled().iter().position(|face| is_meant(face.hash)).ok_or_else(no_such_face)
}

pub fn no_such_face() -> Failure {
    Failure::coded(StatusCode::NOT_FOUND, 44, "no enrolled face has this name")
}

/// Suspect labels of a model's gallery, without those that were marked as fine.
pub fn suspects(model: &Model, found: &Suspects) -> Value {
    let gallery = model.gallery();
    let photo = |face: usize| {
        let enrolled = &gallery.enrolled()[face];
        json!({ "hash": enrolled.hash.to_string(), "person": gallery.people()[enrolled.person].as_str(), "source": enrolled.source })
    };
    let wrong = found.mislabelled.iter().map(|wrong| {
        let looks_like = gallery.people()[wrong.nearest].as_str();
        (Finding::WrongLabel, vec![wrong.face], json!({ "looks_like": looks_like, "confidence": wrong.confidence }))
    });
    let same = found.duplicates.iter();
    let same =
        same.map(|pair| (Finding::SamePicture, vec![pair.first, pair.second], json!({ "other": photo(pair.second) })));
    let odd = found.not_faces.iter();
    let findings = wrong.chain(same).chain(odd.map(|odd| (Finding::NotAFace, vec![odd.face], json!({}))));
    let findings = findings.filter(|(finding, faces, _)| !model.history().is_fine(finding.name(), faces, gallery));
    let findings = findings.map(|(finding, faces, mut told)| {
        told["finding"] = finding.name().into();
        told["face"] = photo(faces[0]);
        told
    });
    json!({ "findings": findings.collect::<Vec<Value>>() })
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Finding {
    WrongLabel,
    SamePicture,
    NotAFace,
}

named!(Finding { WrongLabel = "wrong-label", SamePicture = "same-picture", NotAFace = "not-a-face" });

#[derive(Debug, Deserialize)]
pub struct NoMistake {
    finding: Finding,
    faces: Vec<String>,
}

/// Keeps a finding from being told again, as long as its faces are enrolled as they are.
pub async fn call_fine(
    State(service): Shared,
    headers: HeaderMap,
    JsonBody(said): JsonBody<NoMistake>,
) -> Answer<Response> {
    let finding = said.finding.name();
    let edit = move |model: &Model| {
        let faces = said.faces.iter().map(|hash| find_face(model.gallery(), hash));
        Ok(Edit::Remark(Remark::Fine(finding.to_owned(), faces.collect::<Answer<Vec<usize>>>()?)))
    };
    changed(&service, &headers, edit, json!({ "fine": finding })).await
}

#[derive(Debug, Deserialize)]
pub struct NobodysFace {
    /// Its hash, as `identify` tells it.
    face: ContentHash,
}

/// Remembers that a face which is not enrolled is nobody's.
pub async fn call_nobodys(
    State(service): Shared,
    headers: HeaderMap,
    JsonBody(said): JsonBody<NobodysFace>,
) -> Answer<Response> {
    let edit = Edit::Remark(Remark::Nobody(said.face));
    changed(&service, &headers, |_| Ok(edit), json!({ "nobody": said.face.to_string() })).await
}

/// Everybody, with how many faces of them are enrolled.
pub fn counted(snapshot: &Snapshot) -> Vec<(Person, usize)> {
    let model = snapshot.model.as_ref();
    model.map_or_else(Vec::new, |model| model.people().iter().cloned().zip(model.gallery().counts()).collect())
}

pub async fn list(State(service): Shared) -> Answer<Response> {
    let state = service.snapshot();
    let people = state.model.as_ref().map_or_else(Vec::new, |model| {
        let mut portraits = vec![None; model.people().len()];
        for face in model.gallery().enrolled() {
            portraits[face.person].get_or_insert(face.hash);
        }
        let shown = counted(&state).into_iter().zip(portraits).map(|((person, faces), portrait)| {
            json!({ "person": person.as_str(), "faces": faces, "portrait": portrait.map(|hash| hash.to_string()) })
        });
        shown.collect::<Vec<Value>>()
    });
    Ok(tagged(&service, &state, &json!({ "people": people })))
}

pub async fn faces(State(service): Shared, UrlPath(person): UrlPath<String>) -> Answer<Response> {
    let state = service.snapshot();
    let gallery = state.model()?.gallery();
    let person = gallery.find(&person)?;
    let faces = gallery.faces_of(person).into_iter().map(|at| gallery.photo(at));
    let faces: Vec<Value> = faces.map(|face| json!({ "hash": face.hash.to_string(), "source": face.source })).collect();
    Ok(tagged(&service, &state, &json!({ "person": gallery.people()[person].as_str(), "faces": faces })))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Which {
    face: Option<usize>,
    at: Option<String>,
    source: Option<String>,
    step: Option<Step>,
}

impl Which {
    fn choice(&self) -> Answer<FaceChoice> {
        Ok(match (drawn(self.at.as_deref())?, self.face) {
            (Some(drawn), _) => FaceChoice::In(drawn),
            (None, Some(number)) => FaceChoice::Number(number),
            (None, None) => FaceChoice::Only,
        })
    }
}

pub fn drawn(text: Option<&str>) -> Answer<Option<FaceBox>> {
    text.map(str::parse::<FaceBox>).transpose().map_err(|wrong| Failure::bad(format!("at: {wrong}")))
}

pub async fn add_face(
    State(service): Shared,
    UrlPath(person): UrlPath<String>,
    UrlQuery(which): UrlQuery<Which>,
    headers: HeaderMap,
    mut parts: RequestParts,
) -> Answer<Response> {
    let person = Person::new(&person)?;
    let photo = parts.take("file")?;
    let step = which.step.unwrap_or(Step::Own);
    let change = move |model: Option<&Model>| {
        let photo = decode(&photo)?;
        let choice = which.choice()?;
        let source = which.source.unwrap_or_default();
        let preparation = Model::preparation(model);
        let face = chosen_face(&preparation, model.map(Model::gallery), &person, &photo, choice, &source)?;
        Ok(Plan::of_face(face, preparation, step, model)?)
    };
    let (hash, state) = service.change(expected(&headers), change).await?;
    Ok((StatusCode::CREATED, tagged(&service, &state, &json!({ "hash": hash.to_string() }))).into_response())
}

#[derive(Debug, Deserialize)]
pub struct NewName {
    person: String,
}

pub async fn rename(
    State(service): Shared,
    UrlPath(person): UrlPath<String>,
    headers: HeaderMap,
    JsonBody(new): JsonBody<NewName>,
) -> Answer<Response> {
    let new = Person::new(&new.person)?.to_string();
    let told = json!({ "person": new });
    changed(&service, &headers, move |_: &Model| Ok(Edit::Rename(person, new, EarlierName::Known)), told).await
}

#[derive(Debug, Deserialize)]
pub struct MergeInto {
    into: String,
}

pub async fn merge(
    State(service): Shared,
    UrlPath(person): UrlPath<String>,
    headers: HeaderMap,
    JsonBody(other): JsonBody<MergeInto>,
) -> Answer<Response> {
    let told = json!({ "person": other.into });
    changed(&service, &headers, move |_: &Model| Ok(Edit::Merge(vec![person], other.into)), told).await
}

/// Erases a person: faces, weights and name. The model is learned again without them. This cannot be undone.
pub async fn erase(State(service): Shared, UrlPath(person): UrlPath<String>, headers: HeaderMap) -> Answer<Response> {
    let chosen = move |model: &Model| {
        let gallery = model.gallery();
        Ok(gallery.faces_of(gallery.find(&person)?))
    };
    erased(&service, &headers, chosen).await
}

pub async fn picture(State(service): Shared, UrlPath(hash): UrlPath<String>) -> Answer<Response> {
    let work = move |model: &Model| {
        let gallery = model.gallery();
        png(&gallery.faces().image(find_face(gallery, &hash)?).unwrap_or_default().into())
    };
    service.ask(work).await
}

pub async fn move_face(
    State(service): Shared,
    UrlPath(hash): UrlPath<String>,
    headers: HeaderMap,
    JsonBody(new): JsonBody<NewName>,
) -> Answer<Response> {
    let person = Person::new(&new.person)?;
    let edit = move |model: &Model| {
        let face = find_face(model.gallery(), &hash)?;
        Ok(Edit::Move(model.gallery().photo(face).hash, person))
    };
    changed(&service, &headers, edit, json!({ "person": new.person })).await
}

/// Erases one face. This cannot be undone.
pub async fn erase_face(
    State(service): Shared,
    UrlPath(hash): UrlPath<String>,
    headers: HeaderMap,
) -> Answer<Response> {
    erased(&service, &headers, move |model: &Model| Ok(vec![find_face(model.gallery(), &hash)?])).await
}

/// A change that can be undone, of a gallery in which somebody is enrolled, and what is told of it.
async fn changed(
    service: &Arc<Service>,
    headers: &HeaderMap,
    edit: impl FnOnce(&Model) -> Answer<Edit> + Send + 'static,
    told: Value,
) -> Answer<Response> {
    let change = |model: Option<&Model>| {
        let known = model.ok_or_else(Failure::nobody_enrolled)?;
        Ok((Plan::of(edit(known)?, model, &())?, ()))
    };
    let ((), state) = service.change(expected(headers), change).await?;
    Ok(tagged(service, &state, &told))
}

/// Erases the chosen faces of a gallery in which somebody is enrolled, and tells how many they were.
async fn erased(
    service: &Arc<Service>,
    headers: &HeaderMap,
    chosen: impl FnOnce(&Model) -> Answer<Vec<usize>> + Send + 'static,
) -> Answer<Response> {
    service.snapshot().model()?;
    let (erased, state) = service.erase(expected(headers), chosen).await?;
    Ok(tagged(service, &state, &json!({ "erased": erased.len() })))
}
