//! `/api/v0/folder`: the photos of the folder that was grouped last.
//!
//! A client names faces and people, never files: what is read and written is what grouping found.

use std::collections::BTreeSet;
use std::path::PathBuf;

use axum::Json;
use axum::extract::{Path as UrlPath, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use eigenfaces::background::Background;
use eigenfaces::dataset::ContentHash;
use eigenfaces::render::annotate::{Mark, annotate};
use eigenfaces::render::{self, lettering};
use eigenfaces::{Decision, Person, grouping};
use image::DynamicImage;
use nalgebra::DMatrix;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use super::extract::{JsonBody, UrlQuery};
use super::failure::{Answer, Failure};
use super::folder_faces::{CHANGED, FolderFace, file_as_grouped, id};
use super::service::{Service, Shared};
use super::zipped;

/// The longer side of a photo that is shown, in pixels, unless the client wants less.
const LONGEST_SIDE: u32 = 1600;

/// The people of the folder that was grouped last: those of whom a face in it is enrolled. Nobody else has been named by a person.
pub async fn named(State(service): Shared) -> Answer<Json<Value>> {
    let snapshot = service.snapshot();
    let work = move |service: &Service| {
        let folder = service.folder()?;
        let enrolled = service.enrolled(&snapshot);
        let people = folder.named(&enrolled).into_iter().map(|(person, faces)| {
            let mut photos = BTreeSet::new();
            let count = faces.len();
            let faces = faces.iter().filter(|(key, _)| photos.insert(key.photo)).map(|(key, face)| {
                json!({ "id": id(*key), "name": face.photo.file_name().unwrap_or_default().to_string_lossy() })
            });
            json!({ "person": person.as_str(), "faces": count, "photos": faces.collect::<Vec<Value>>() })
        });
        let people: Vec<Value> = people.collect();
        Ok(Json(json!({ "folder": folder.path.to_string_lossy(), "people": people })))
    };
    service.work(work).await
}

#[derive(Debug, Deserialize)]
pub struct Size {
    side: Option<u32>,
}

pub async fn photo(
    State(service): Shared,
    UrlPath(id): UrlPath<String>,
    UrlQuery(size): UrlQuery<Size>,
) -> Answer<Response> {
    let side = size.side.unwrap_or(LONGEST_SIDE).clamp(16, LONGEST_SIDE);
    let snapshot = service.snapshot();
    let work = move |service: &Service| {
        let folder = service.folder()?;
        let (key, face) = folder.find(&id)?;
        let file = file_as_grouped(&face.photo, key.photo).ok_or_else(|| Failure::conflict(CHANGED))?;
        let enrolled = service.enrolled(&snapshot);
        let person = face.person(&enrolled).map(Person::as_str);
        let mark = Mark {
            location: Some(face.location),
            decision: if person.is_some() { Decision::Known } else { Decision::Unknown },
            name: person.filter(|name| lettering::can_write(name)).unwrap_or("face").to_owned(),
            addition: String::new(),
            number: String::new(),
        };
        let framed = DynamicImage::from(annotate(file.decode_color()?, &[mark]));
        let seen = if framed.width().max(framed.height()) <= side { framed } else { framed.thumbnail(side, side) };
        shown(&seen)
    };
    service.work(work).await
}

/// Side of a portrait relative to that of the face.
const PORTRAIT: f32 = 1.7;

const PORTRAIT_SIDE: u32 = 160;

/// A face in the colours of its photo, with hair and some of what is behind it.
pub async fn portrait(State(service): Shared, UrlPath(id): UrlPath<String>) -> Answer<Response> {
    let work = move |service: &Service| {
        let folder = service.folder()?;
        let (key, face) = folder.find(&id)?;
        let file = file_as_grouped(&face.photo, key.photo).ok_or_else(|| Failure::conflict(CHANGED))?;
        let photo = DynamicImage::from(file.decode_color()?);
        let [x, y, width, height] = face.location.bounds;
        let side = width.max(height) * PORTRAIT;
        let [left, top] =
            [(x, width), (y, height)].map(|(edge, length)| (edge + (length - side) / 2.0).max(0.0) as u32);
        shown(&photo.crop_imm(left, top, side as u32, side as u32).thumbnail(PORTRAIT_SIDE, PORTRAIT_SIDE))
    };
    service.work(work).await
}

fn shown(picture: &DynamicImage) -> Answer<Response> {
    let bytes = render::jpeg(picture).map_err(|error| Failure::internal(error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, "image/jpeg")], bytes).into_response())
}

#[derive(Debug, Deserialize)]
pub struct Group {
    faces: Vec<String>,
}

/// A group of faces in two parts, about the two that are least alike. Nothing is remembered.
pub async fn split(State(service): Shared, JsonBody(group): JsonBody<Group>) -> Answer<Json<Value>> {
    let work = move |service: &Service| {
        let folder = service.folder()?;
        let found: Vec<&FolderFace> = group.faces.iter().map(|id| Ok(folder.find(id)?.1)).collect::<Answer<_>>()?;
        let background = Background::bundled().map_err(eigenfaces::Error::from)?;
        let columns = found.iter().flat_map(|face| face.coordinates.iter().copied());
        let raw = DMatrix::from_vec(2 * background.components(), found.len(), columns.collect());
        let parts = grouping::split(background, &raw);
        let parts = parts.map(|part| part.iter().map(|&at| group.faces[at].clone()).collect::<Vec<_>>());
        Ok(Json(json!({ "parts": parts })))
    };
    service.work(work).await
}

#[derive(Debug, Deserialize)]
pub struct Of {
    person: String,
}

/// The photos of a person as a ZIP: those of the folder that was grouped last in which a face of this person is enrolled.
pub async fn archive(State(service): Shared, UrlQuery(of): UrlQuery<Of>) -> Answer<Response> {
    let snapshot = service.snapshot();
    let work = move |service: &Service| {
        let folder = service.folder()?;
        let enrolled = service.enrolled(&snapshot);
        let named = folder.named(&enrolled);
        let faces = named.iter().find(|(person, _)| person.is_called(&of.person));
        let faces = faces.map(|(_, faces)| faces).ok_or_else(|| {
            Failure::not_found(format!("no face in this folder is named {}: name a group of faces first", of.person))
        })?;
        let photos = faces.iter().map(|(key, face)| (face.photo.clone(), key.photo));
        let mut photos: Vec<(PathBuf, ContentHash)> = photos.collect();
        photos.dedup();
        // Each is looked at again when it is sent; of what was changed before, one answer says so.
        if !photos.par_iter().all(|(photo, content)| file_as_grouped(photo, *content).is_some()) {
            return Err(Failure::conflict(CHANGED));
        }
        Ok((of.person, photos))
    };
    let (person, photos) = service.work(work).await?;
    Ok(zipped::response(&person, photos))
}
