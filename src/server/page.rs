//! The page: HTML, CSS and JavaScript modules inside the program. Nothing is asked of any other machine.

use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

use super::failure::Failure;
use super::service::Service;

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

const FILES: [(&str, &str, &str); 16] = [
    ("/", HTML, include_str!("page/index.html")),
    ("/style.css", "text/css; charset=utf-8", include_str!("page/style.css")),
    ("/icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
    ("/app.js", SCRIPT, include_str!("page/app.js")),
    ("/api.js", SCRIPT, include_str!("page/api.js")),
    ("/ui.js", SCRIPT, include_str!("page/ui.js")),
    ("/words.js", SCRIPT, include_str!("page/words.js")),
    ("/tried.js", SCRIPT, include_str!("page/tried.js")),
    ("/faces.js", SCRIPT, include_str!("page/faces.js")),
    ("/try.js", SCRIPT, include_str!("page/try.js")),
    ("/camera.js", SCRIPT, include_str!("page/camera.js")),
    ("/people.js", SCRIPT, include_str!("page/people.js")),
    ("/jobs.js", SCRIPT, include_str!("page/jobs.js")),
    ("/review.js", SCRIPT, include_str!("page/review.js")),
    ("/chooser.js", SCRIPT, include_str!("page/chooser.js")),
    ("/explore.js", SCRIPT, include_str!("page/explore.js")),
];

pub fn routes() -> Router<Arc<Service>> {
    FILES.into_iter().fold(Router::new(), |router, (path, kind, content)| {
        router.route(path, get(move || async move { ([(header::CONTENT_TYPE, kind)], content).into_response() }))
    })
}

/// The answer to a browser that has begun a session: a page that leads on to the real one.
pub const BEGUN: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url=./\">\
    <title>eigenfaces</title><p><a href=\"./\">Open the page</a></p></html>";

/// The page for a browser that is not let in. The message is this program's own.
pub fn refused(failure: &Failure) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>eigenfaces</title><h1>Not open</h1><p>{}</p></html>",
        failure.message
    )
}
