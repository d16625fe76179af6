//! All calls of the API, in one table, and their description.

use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse as _;
use axum::routing::get;

use super::compreface::{self, subjects};
use super::service::Service;
use super::{api, explore, folder, people, places};

/// What is served at `/openapi.json`, written by hand; a test compares it with the table.
const DESCRIPTION: &str = include_str!("openapi.json");

/// A table of calls becomes the router that serves them, and a list of them.
macro_rules! table {
    ($($method:ident $path:literal $handler:path;)+) => {
        fn calls() -> Router<Arc<Service>> {
            Router::new()$(.route($path, axum::routing::$method($handler)))+
        }

        #[cfg(test)]
        const CALLS: &[(&str, &str)] = &[$((stringify!($method), $path)),+];
    };
}

table! {
    get "/api/v0/model" api::model;
    post "/api/v0/identify" api::identify;
    post "/api/v0/verify" api::verify;
    post "/api/v0/explain" api::why;
    post "/api/v0/jobs" api::begin_job;
    get "/api/v0/jobs/{id}" api::job;
    delete "/api/v0/jobs/{id}" api::cancel_job;
    get "/api/v0/undo" api::last_change;
    post "/api/v0/undo" api::undo;
    get "/api/v0/folder" folder::named;
    get "/api/v0/folder/faces/{id}/photo.jpg" folder::photo;
    get "/api/v0/folder/faces/{id}/portrait.jpg" folder::portrait;
    post "/api/v0/folder/split" folder::split;
    get "/api/v0/folder/photos.zip" folder::archive;
    get "/api/v0/folders" places::folders;
    get "/api/v0/people" people::list;
    get "/api/v0/people/{person}/faces" people::faces;
    post "/api/v0/people/{person}/faces" people::add_face;
    put "/api/v0/people/{person}" people::rename;
    post "/api/v0/people/{person}/merge" people::merge;
    delete "/api/v0/people/{person}" people::erase;
    get "/api/v0/faces/{hash}/picture.png" people::picture;
    put "/api/v0/faces/{hash}" people::move_face;
    delete "/api/v0/faces/{hash}" people::erase_face;
    post "/api/v0/findings/fine" people::call_fine;
    post "/api/v0/nobody" people::call_nobodys;
    get "/api/v0/space" explore::space;
    get "/api/v0/basis.f32" explore::numbers;
    get "/api/v0/basis/{number}/picture.png" explore::basis_face;
    get "/api/v0/mean.png" explore::mean;
    get "/api/v0/weights" explore::weights;
    post "/api/v0/project" explore::project;

    post "/api/v1/recognition/recognize" compreface::recognize;
    get "/api/v1/recognition/faces" compreface::faces;
    post "/api/v1/recognition/faces" compreface::add_face;
    delete "/api/v1/recognition/faces" compreface::erase_faces_of;
    delete "/api/v1/recognition/faces/{image_id}" compreface::erase_face;
    post "/api/v1/recognition/faces/delete" compreface::erase_faces;
    get "/api/v1/recognition/faces/{image_id}/img" people::picture;
    get "/api/v1/static/{key}/images/{image_id}" compreface::static_picture;
    post "/api/v1/recognition/faces/{image_id}/verify" compreface::verify_face;
    post "/api/v1/detection/detect" compreface::detect;
    post "/api/v1/verification/verify" compreface::verify;
    get "/api/v1/recognition/subjects" subjects::subjects;
    post "/api/v1/recognition/subjects" subjects::add_subject;
    delete "/api/v1/recognition/subjects" subjects::erase_subjects;
    put "/api/v1/recognition/subjects/{subject}" subjects::rename_subject;
    delete "/api/v1/recognition/subjects/{subject}" subjects::erase_subject;
}

pub fn routes() -> Router<Arc<Service>> {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    calls().route("/openapi.json", get(move || async move { (kind, DESCRIPTION).into_response() }))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn every_call_is_described_and_every_description_is_of_a_call() {
        let description: Value = serde_json::from_str(DESCRIPTION).unwrap();
        assert_eq!(description["info"]["version"], env!("CARGO_PKG_VERSION"));
        let mut names = BTreeSet::new();
        let mut described = BTreeSet::new();
        for (path, methods) in description["paths"].as_object().unwrap() {
            for (method, call) in methods.as_object().unwrap() {
                described.insert((method.as_str(), path.as_str()));
                assert!(names.insert(call["operationId"].as_str().unwrap()), "{call}");
                let parameters = call["parameters"].as_array();
                let in_path: BTreeSet<&str> = parameters
                    .into_iter()
                    .flatten()
                    .filter(|parameter| parameter["in"] == "path")
                    .map(|parameter| parameter["name"].as_str().unwrap())
                    .collect();
                let named: BTreeSet<&str> =
                    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
                assert_eq!(in_path, named, "{method} {path}");
            }
        }
        assert_eq!(described, CALLS.iter().copied().collect());
    }
}
