//! `eigenfaces serve`: a page and an API on this machine.
//!
//! Everything that it knows of faces it asks of the library's [`Model`](eigenfaces::Model). It listens on the loopback
//! address unless told otherwise, and answers only whoever has the one-time address that it prints, or the key.

mod access;
mod answer;
mod api;
mod base64;
mod body;
mod check;
mod compreface;
mod connections;
mod explore;
mod extract;
mod failure;
mod folder;
mod folder_faces;
mod guard;
mod incoming;
mod jobs;
mod opening;
mod page;
mod people;
mod places;
mod review;
mod routes;
mod service;
mod typed;
mod watching;
mod workers;
mod zipped;

use std::future::poll_fn;
use std::net::{SocketAddr, TcpListener};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use eigenfaces::store::{ModelLock, Wait};

use crate::cli::args::{Key, Serve};
use crate::cli::error::{Error, Result};
use crate::cli::misuse;
use crate::cli::model_changes::no_locks;
use crate::cli::outcome::Outcome;
use crate::cli::output::{Output, shown};
use access::Access;
use opening::Opening;
use service::Service;

/// The largest body of a request; the decoder has its own limits besides.
const MOST_BYTES: usize = 20 << 20;

/// No answer takes longer; long work is a job.
const LONGEST: Duration = Duration::from_secs(60);

/// Serves until the program is told to end.
pub fn run(args: &Serve, model: &Path, output: &Output) -> Result<Outcome> {
    let address = args.listen;
    let given = args.given_key()?;
    let key = given.as_ref().map(Key::checked).transpose();
    let key = key.unwrap_or_else(|wrong| misuse::bad_value(wrong));
    if args.check {
        return check::run(address, key, output);
    }
    if !address.ip().is_loopback() && key.is_none() {
        return Err(Error::Told(format!(
            "{address} can be reached from other machines: give a key in EIGENFACES_KEY, or listen on 127.0.0.1"
        )));
    }
    if rayon::current_thread_index().is_some() {
        // The program works alone: see `start_threads`.
        return Err(Error::Told(
            "the system starts no thread for this program, and serving takes some; close other programs or raise the limit (ulimit -u)".to_owned(),
        ));
    }
    let lock = ModelLock::acquire(model, Wait::Fail)?;
    if !lock.is_held() {
        output.say(&no_locks(model));
    }
    let failed = |error| serve_error(address, &error);
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let address = listener.local_addr().unwrap_or(address);
    let access = Access::new(address, args.public_url.clone(), key.map(str::to_owned))?;
    let page = access.first_address();
    let key = access.key().to_owned();
    let service = Arc::new(Service::open(model, lock, access, *output)?);
    let opening = Opening::default();
    let webhook = watching::begin(args, &service, *output)?;
    #[cfg(unix)]
    {
        let (service, opening, output) = (Arc::clone(&service), opening.clone(), *output);
        crate::cli::interrupt::before_interrupt(move || {
            opening.end();
            service.end();
            if let Some(webhook) = &webhook {
                webhook.end(&output);
            }
        });
    }

    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(64)
        .enable_io()
        .enable_time()
        .build()
        .map_err(failed)?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
        // Nobody could ask it otherwise, so both are said under --quiet too.
        output.tell(&format!("serving {} at {page}", shown(model)));
        if given.is_none() {
            output.tell(&format!("key for programs (header x-api-key): {key}"));
        }
        output.say("press Ctrl-C to end");
        if args.open {
            opening::open(&page, &opening, &service, output);
        }
        let below = service.access.path().to_owned();
        connections::serve(listener, router(service), &below).await;
        Ok(Outcome::Done)
    })
}

fn serve_error(address: SocketAddr, error: &std::io::Error) -> Error {
    let reason = match error.kind() {
        std::io::ErrorKind::AddrInUse => "the port is in use".to_owned(),
        std::io::ErrorKind::PermissionDenied => "the system forbids it".to_owned(),
        _ => error.to_string(),
    };
    Error::Told(format!(
        "cannot listen on {address}: {reason}; choose another with --listen 127.0.0.1:PORT"
    ))
}

/// What is behind a lock, also where somebody who had it panicked: no change is made by halves.
fn locked<T>(behind: &Mutex<T>) -> MutexGuard<'_, T> {
    behind.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All that is answered.
fn router(service: Arc<Service>) -> Router {
    routes::routes()
        .merge(page::routes())
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(middleware::from_fn(always))
        .layer(middleware::from_fn_with_state(
            Arc::clone(&service),
            guard::guard,
        ))
        .with_state(service)
}

/// An answer in any case: 500 where a handler panics, 408 where it takes too long.
async fn always(request: Request, next: Next) -> Response {
    let mut answer = pin!(next.run(request));
    let caught = poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context)));
        let panicked = |_| Poll::Ready(StatusCode::INTERNAL_SERVER_ERROR.into_response());
        polled.unwrap_or_else(panicked)
    });
    let late = |_| StatusCode::REQUEST_TIMEOUT.into_response();
    tokio::time::timeout(LONGEST, caught)
        .await
        .unwrap_or_else(late)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::routing::get;
    use hyper::service::Service as _;
    use hyper_util::service::TowerToHyperService;

    use super::*;

    async fn panics() -> StatusCode {
        panic!("as a mistake would")
    }

    #[test]
    fn a_panic_is_answered() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let router: Router = Router::new()
            .route("/", get(panics))
            .layer(middleware::from_fn(always));
        let asked = Request::get("/").body(Body::empty()).unwrap();
        let answered = TowerToHyperService::new(router).call(asked);
        let status = runtime.block_on(answered).unwrap().status();
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    }
}
