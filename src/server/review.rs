//! A folder of photos on this machine: its faces in groups, and what a person says of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::http::StatusCode;
use eigenfaces::enrollment::Observer;
use eigenfaces::render::groups::jpeg_data_uri;
use eigenfaces::{Model, QueryOptions};
use serde::Deserialize;
use serde_json::{Value, json};

use super::failure::{Answer, Failure, about_folder};
use super::jobs::Job;
use super::service::{Service, Snapshot};
use crate::cli::args::group::PURITY;
use crate::cli::error::Error;
use crate::cli::group::albums::{Albums, Scan, Shown};
use crate::cli::group::answers::{IGNORE, NOT_THIS};
use crate::cli::group::apply;
use crate::cli::group::named::NamedGroups;
use crate::cli::group::table::Row;
use crate::cli::group::{Sorted, names_indexed_faces};

/// Faces that are sent at a time; the others come when these are named.
const MOST_FACES: usize = 600;

/// The faces of a folder: known people, and the others in groups, the largest first.
///
/// # Errors
/// A folder that cannot be read; cancelled.
pub async fn group(service: &Arc<Service>, folder: PathBuf, job: &Arc<Job>) -> Answer<Value> {
    let (snapshot, job) = (service.up_to_date().await, Arc::clone(job));
    let work = move || grouped(&snapshot, &folder, &*job);
    service.work_in_job(work).await
}

fn grouped(snapshot: &Snapshot, folder: &Path, observer: &dyn Observer) -> Answer<Value> {
    let about = |error: Error| about_folder(folder, &error);
    let folders = [folder.to_owned()];
    let albums = Albums::open(&folders, None, Scan::New, observer).map_err(about)?;
    let model = snapshot.model.as_ref();
    let identifier = model
        .map(|model| model.recognizer().identifier())
        .filter(|identifier| names_indexed_faces(identifier.preparation()));
    let faces = albums.faces();
    let sorted = Sorted::of(&faces, &albums, identifier, QueryOptions::default(), PURITY)?;
    let mut room = MOST_FACES;
    let mut groups = Vec::new();
    for group in &sorted.grouping.groups {
        if room == 0 {
            break;
        }
        let faces: Vec<Value> = group
            .iter()
            .take(room)
            .map(|&face| shown(sorted.unnamed[face]))
            .collect();
        room -= faces.len();
        groups.push(json!({ "faces": faces }));
    }
    let known = sorted
        .known
        .iter()
        .map(|known| json!({ "person": known.person, "faces": known.faces.len() }));
    let proposals = sorted.grouping.proposals.iter();
    let proposals: Vec<[usize; 2]> = proposals.map(|proposal| proposal.groups).collect();
    Ok(json!({
        "known": known.collect::<Vec<Value>>(),
        "left_out": sorted.unnamed.len() - (MOST_FACES - room),
        "groups": groups,
        "proposals": proposals,
    }))
}

fn shown(face: &Shown<'_>) -> Value {
    let mut object = face.json();
    object["picture"] = jpeg_data_uri(&face.picture()).into();
    object
}

#[derive(Debug, Deserialize)]
pub struct Reviewed {
    /// Whom its faces show; nobody where they are ignored.
    person: Option<String>,
    faces: Vec<Place>,
    /// Those of another person.
    #[serde(default)]
    wrong: Vec<Place>,
}

#[derive(Debug, Deserialize)]
struct Place {
    photo: PathBuf,
    /// Counted from 1, from left to right.
    face: usize,
    /// Left, top, width and height in the photo, as the groups had it.
    #[serde(default, rename = "box")]
    bounds: Option<[f32; 4]>,
}

/// Enrols the faces that were named, and remembers what was said of the others.
///
/// # Errors
/// A name that cannot be one; no face that can be used; the gallery was changed meanwhile.
pub async fn name(
    service: &Arc<Service>,
    expected: Option<String>,
    groups: Vec<Reviewed>,
    job: &Arc<Job>,
) -> Answer<Value> {
    let mut rows = Vec::new();
    for (number, group) in groups.into_iter().enumerate() {
        let person = group.person.unwrap_or_else(|| IGNORE.to_owned());
        let said = |name: &str, place: Place| Row {
            line: 0,
            group: number.to_string(),
            name: name.to_owned(),
            photo: place.photo,
            face: place.face,
            bounds: place.bounds,
        };
        rows.extend(group.faces.into_iter().map(|place| said(&person, place)));
        rows.extend(group.wrong.into_iter().map(|place| said(NOT_THIS, place)));
    }
    if rows.iter().any(|row| row.face == 0) {
        return Err(Failure::bad("faces are counted from 1"));
    }
    let wrong = |reason| Error::about(Path::new("names"), reason);
    let mut review = NamedGroups::of(rows, None, wrong)?;
    let mut told = json!({ "added": 0 });
    if review.has_names() {
        let file = service.file().to_owned();
        let change = move |model: &mut Option<Model>, _: &Job| {
            let preparation = apply::preparation(model.as_ref(), &file)?;
            let (faces, wrong) = review.prepared(&preparation);
            if faces.is_empty() {
                let reason = wrong
                    .first()
                    .map_or_else(|| "no face".to_owned(), ToString::to_string);
                return Err(Failure::new(StatusCode::BAD_REQUEST, reason));
            }
            let before = model.as_ref().map_or(0, |model| model.gallery().len());
            let (after, disputes) = apply::added(model.take(), preparation, faces)?;
            let added = after.gallery().len() - before;
            *model = Some(after);
            let told = json!({ "added": added, "refused": wrong.len() + disputes.len() });
            Ok((review, told))
        };
        (review, told) = service.change_in_job(job, expected, change).await?;
    }
    let remember = move || Ok(review.remember()?);
    service.work_in_job(remember).await?;
    Ok(told)
}
