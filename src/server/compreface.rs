//! `/api/v1`: the calls of CompreFace's REST interface that its clients make, so that they can ask this program instead.
//!
//! Two habits of clients decide how similarities are told: some take 0.6 for the line between yes and no, and some read
//! the first subject without looking whether there is one. So whoever is named has 0.6 or more, whoever is only nearest
//! less than 0.4, and there is a subject as long as anybody is enrolled.

pub mod subjects;

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path as UrlPath, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use eigenfaces::enrollment::PhotoFaces;
use eigenfaces::error::PhotoProblem;
use eigenfaces::locate::Location;
use eigenfaces::preparation::PreparedFace;
use eigenfaces::{Acceptance, Decision, Identification, Model, Person, Photo, QueryOptions, Verdict};
use serde::Deserialize;
use serde_json::{Value, json};

use super::body::{RequestParts, decode};
use super::extract::{JsonBody, UrlQuery, filled};
use super::failure::{Answer, Failure};
use super::people::{self, find_face, short};
use super::service::{Service, Shared};

/// A similarity on CompreFace's scale: at least 0.6 for yes, less than 0.4 for no.
fn similarity(is_yes: bool, confidence: f64) -> f64 {
    let similarity = if is_yes { 0.6 + 0.4 * confidence } else { 0.399 * confidence };
    (similarity * 1e5).round() / 1e5
}

/// A box in pixels of the photo; the whole photo where it was taken as it is.
fn bounds(location: Option<Location>, photo: &Photo) -> Value {
    let (width, height) = photo.luma().dimensions();
    let [x, y, w, h] = location.map_or([0.0, 0.0, width as f32, height as f32], |found| found.bounds);
    let within = |value: f32, most: u32| value.round().clamp(0.0, most as f32) as u32;
    json!({
        "probability": location.map_or(1.0, probability),
        "x_min": within(x, width),
        "y_min": within(y, height),
        "x_max": within(x + w, width),
        "y_max": within(y + h, height),
    })
}

/// The detector's score, from 3 to some tens, as a probability is written.
fn probability(location: Location) -> f64 {
    let share = 1.0 - libm::exp(f64::from(-location.score / 4.0));
    (share * 1e5).round() / 1e5
}

/// The answer on the faces of a photo; a failure where there is none.
fn result(faces: Vec<Value>) -> Answer<Value> {
    if faces.is_empty() { Err(PhotoProblem::NoFace.into()) } else { Ok(json!({ "result": faces })) }
}

#[derive(Debug, Deserialize)]
pub struct RecognizeQuery {
    /// Faces of the photo, the largest first; 0 is all.
    #[serde(default, deserialize_with = "filled")]
    limit: Option<usize>,
    /// People a face.
    #[serde(default, deserialize_with = "filled")]
    prediction_count: Option<usize>,
    #[serde(default, deserialize_with = "filled")]
    det_prob_threshold: Option<f64>,
}

impl RecognizeQuery {
    /// The boxes that are wanted, by their places in the photo's faces.
    fn wanted(&self, locations: &[Option<Location>]) -> Vec<usize> {
        let area = |at: &usize| locations[*at].map_or(f32::MAX, |it| it.bounds[2] * it.bounds[3]);
        let sure = self.det_prob_threshold.unwrap_or(0.0);
        let is_sure = |at: &usize| locations[*at].is_none_or(|found| probability(found) >= sure);
        let mut wanted: Vec<usize> = (0..locations.len()).filter(is_sure).collect();
        wanted.sort_by(|a, b| area(b).total_cmp(&area(a)).then(a.cmp(b)));
        wanted.truncate(self.limit.filter(|&limit| limit > 0).unwrap_or(usize::MAX));
        wanted
    }
}

pub async fn recognize(
    State(service): Shared,
    UrlQuery(asked): UrlQuery<RecognizeQuery>,
    mut parts: RequestParts,
) -> Answer<Json<Value>> {
    let photo = parts.take("file")?;
    let snapshot = service.snapshot();
    let object = service.work(move |_| {
        let photo = decode(&photo)?;
        let query = QueryOptions { top: asked.prediction_count.unwrap_or(1).max(1), ..QueryOptions::default() };
        let Some(model) = &snapshot.model else {
            let place = |face: &PreparedFace| {
                json!({ "box": bounds(face.region.location(), &photo), "subjects": [], "probable": false })
            };
            return result(snapshot.preparation().prepare_all(photo.luma())?.iter().map(place).collect());
        };
        let mut found = model.identify(&photo, query)?;
        found.retain(|face| face.decision != Decision::NotAFace);
        let locations: Vec<_> = found.iter().map(|face| face.location).collect();
        result(asked.wanted(&locations).into_iter().map(|at| recognized(&found[at], &photo)).collect())
    });
    Ok(Json(object.await?))
}

fn recognized(face: &Identification, photo: &Photo) -> Value {
    let subjects = face.candidates.iter().enumerate().map(|(at, candidate)| {
        let is_named = at == 0 && face.decision == Decision::Known;
        json!({ "subject": candidate.person.as_str(), "similarity": similarity(is_named, candidate.confidence) })
    });
    let subjects: Vec<Value> = subjects.collect();
    json!({ "box": bounds(face.location, photo), "subjects": subjects, "probable": face.is_probable() })
}

#[derive(Debug, Deserialize)]
pub struct OfSubject {
    subject: Option<String>,
    #[serde(default, deserialize_with = "filled")]
    page: Option<usize>,
    #[serde(default, deserialize_with = "filled")]
    size: Option<usize>,
    #[serde(default, deserialize_with = "filled")]
    det_prob_threshold: Option<f64>,
}

/// Enrols the face of a photo: it is in the model when this answers.
pub async fn add_face(
    State(service): Shared,
    UrlQuery(asked): UrlQuery<OfSubject>,
    mut parts: RequestParts,
) -> Answer<Response> {
    let person = Person::new(&asked.subject.unwrap_or_default())?;
    let photo = parts.take("file")?;
    let sure = asked.det_prob_threshold.unwrap_or(0.0);
    let refuse = move |faces: &PhotoFaces| {
        let is_sure = |found: &Option<Location>| found.is_none_or(|it| probability(it) >= sure);
        if faces.locations().iter().filter(|it| is_sure(it)).count() > 1 {
            return Err(Failure::coded(StatusCode::BAD_REQUEST, 31, "More than one face in the given image"));
        }
        Ok(())
    };
    let photo = service.work(move |_| decode(&photo)).await?;
    let hash = service.add(person.clone(), photo, refuse).await?;
    Ok((StatusCode::CREATED, Json(json!({ "image_id": short(hash), "subject": person.as_str() }))).into_response())
}

pub async fn faces(State(service): Shared, UrlQuery(asked): UrlQuery<OfSubject>) -> Answer<Json<Value>> {
    let snapshot = service.snapshot();
    let object = service.work(move |_| {
        let all: Vec<Value> = snapshot.model.as_ref().map_or_else(Vec::new, |model| {
            let faces = faces_of(model, asked.subject.as_deref()).into_iter().map(|at| model.gallery().photo(at));
            faces.map(|face| json!({ "image_id": short(face.hash), "subject": face.person.as_str() })).collect()
        });
        let (page, size) = (asked.page.unwrap_or(0), asked.size.unwrap_or(20).max(1));
        let faces: Vec<&Value> = all.iter().skip(page.saturating_mul(size)).take(size).collect();
        Ok(json!({
            "faces": faces,
            "page_number": page,
            "page_size": size,
            "total_pages": all.len().div_ceil(size),
            "total_elements": all.len(),
        }))
    });
    Ok(Json(object.await?))
}

/// Erases the chosen faces, and returns an object for each.
async fn erase(
    service: &Arc<Service>,
    meant: impl FnOnce(&Model) -> Answer<Vec<usize>> + Send + 'static,
) -> Answer<Vec<Value>> {
    let (erased, _) = service.erase(None, meant).await?;
    Ok(erased.iter().map(|photo| json!({ "image_id": short(photo.hash), "subject": photo.person.as_str() })).collect())
}

/// All faces of a person, who may be unknown; of everybody where nobody is named.
fn faces_of(model: &Model, subject: Option<&str>) -> Vec<usize> {
    let gallery = model.gallery();
    match subject.map(|subject| gallery.find(subject)) {
        None => (0..gallery.len()).collect(),
        Some(found) => found.map_or_else(|_| Vec::new(), |person| gallery.faces_of(person)),
    }
}

/// Whose faces are erased: a misspelt parameter would be everybody's.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasedSubject {
    subject: Option<String>,
}

pub async fn erase_faces_of(State(service): Shared, UrlQuery(asked): UrlQuery<ErasedSubject>) -> Answer<Json<Value>> {
    let erased = erase(&service, move |model| Ok(faces_of(model, asked.subject.as_deref()))).await?;
    Ok(Json(json!({ "deleted": erased.len() })))
}

pub async fn erase_face(State(service): Shared, UrlPath(id): UrlPath<String>) -> Answer<Json<Value>> {
    let mut erased = erase(&service, move |model: &Model| Ok(vec![find_face(model.gallery(), &id)?])).await?;
    erased.pop().map(Json).ok_or_else(people::no_such_face)
}

/// Erases some faces; names that no face has are passed over.
pub async fn erase_faces(State(service): Shared, JsonBody(ids): JsonBody<Vec<String>>) -> Answer<Json<Vec<Value>>> {
    let meant = move |model: &Model| {
        let mut found: Vec<usize> = ids.iter().filter_map(|id| find_face(model.gallery(), id).ok()).collect();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    };
    Ok(Json(erase(&service, meant).await?))
}

/// The picture of an enrolled face for a page that shows it: the key is in the address.
pub async fn static_picture(service: Shared, UrlPath((_, id)): UrlPath<(String, String)>) -> Answer<Response> {
    people::picture(service, UrlPath(id)).await
}

/// Whether the faces of a photo are of the person of an enrolled face.
pub async fn verify_face(
    State(service): Shared,
    UrlPath(id): UrlPath<String>,
    mut parts: RequestParts,
) -> Answer<Json<Value>> {
    let photo = parts.take("file")?;
    let object = service.ask(move |model| {
        let (gallery, photo) = (model.gallery(), decode(&photo)?);
        let person = gallery.enrolled()[find_face(gallery, &id)?].person;
        let recognizer = model.recognizer();
        let mut faces = Vec::new();
        for face in recognizer.preparation().prepare_all(photo.luma())? {
            let found = recognizer.verify_person(&face, person, Acceptance::default())?;
            faces.push(json!({
                "box": bounds(face.region.location(), &photo),
                "subject": gallery.people()[person].as_str(),
                "similarity": similarity(found.verdict == Verdict::Same, found.confidence),
            }));
        }
        result(faces)
    });
    Ok(Json(object.await?))
}

pub async fn detect(
    State(service): Shared,
    UrlQuery(asked): UrlQuery<RecognizeQuery>,
    mut parts: RequestParts,
) -> Answer<Json<Value>> {
    let photo = parts.take("file")?;
    let object = service.work(move |_| {
        let photo = decode(&photo)?;
        let locator = eigenfaces::locate::Locator::shared().map_err(PhotoProblem::from)?;
        let found = locator.locate(photo.luma()).map_err(PhotoProblem::from)?;
        let found: Vec<Option<Location>> = found.into_iter().map(Some).collect();
        result(asked.wanted(&found).into_iter().map(|at| json!({ "box": bounds(found[at], &photo) })).collect())
    });
    Ok(Json(object.await?))
}

pub async fn verify(State(service): Shared, mut parts: RequestParts) -> Answer<Json<Value>> {
    let (source, target) = (parts.take("source_image")?, parts.take("target_image")?);
    let snapshot = service.snapshot();
    let object = service.work(move |_| {
        let preparation = snapshot.preparation();
        let (source, target) = (decode(&source)?, decode(&target)?);
        let first = preparation.prepare(source.luma())?;
        let mut matches = Vec::new();
        for face in preparation.prepare_all(target.luma())? {
            let found = snapshot.verify(&first, &face)?;
            matches.push(json!({
                "box": bounds(face.region.location(), &target),
                "similarity": similarity(found.verdict == Verdict::Same, found.confidence),
            }));
        }
        if matches.is_empty() {
            return Err(PhotoProblem::NoFace.into());
        }
        let source = json!({ "box": bounds(first.region.location(), &source) });
        Ok(json!({ "result": [{ "source_image_face": source, "face_matches": matches }] }))
    });
    Ok(Json(object.await?))
}
