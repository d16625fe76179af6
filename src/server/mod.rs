//! `eigenfaces serve`: a page and an API on this machine.
//!
//! Everything that it knows of faces it asks of the library's [`Model`](eigenfaces::Model). It listens on the loopback
//! address unless told otherwise, and answers only whoever has the one-time address that it prints, or the key.

mod access;
mod answer;
mod api;
mod base64;
mod body;
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
mod public_url;
mod review;
mod routes;
mod service;
mod typed;
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
use eigenfaces::Model;
use eigenfaces::store::{ModelLock, Wait};

use crate::enrollment::Observer;
use crate::error::{Error, Result};
use access::Access;
use opening::Opening;
pub use public_url::PublicUrl;
use service::Service;

/// The largest body of a request; the decoder has its own limits besides.
const MOST_BYTES: usize = 20 << 20;

/// No answer takes longer; long work is a job.
const LONGEST: Duration = Duration::from_secs(60);

pub type Messages = Box<dyn Observer + Send>;

/// A server that listens, and does not answer yet.
pub struct Server {
    listener: TcpListener,
    service: Arc<Service>,
    opening: Opening,
}

impl Server {
    /// Takes the lock of the model, and listens. `key` is that of programs; without one it is drawn. `public` is where browsers
    /// reach the page through a proxy.
    /// Errors: an address that other machines can reach, without a key; a model or an address that is in use; a file that is no model.
    pub fn open(
        address: SocketAddr,
        key: Option<String>,
        public: Option<PublicUrl>,
        model: &Path,
        messages: Messages,
    ) -> Result<Self> {
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
        lock.report_missing(&*messages);
        let failed = |error| serve_error(address, &error);
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().unwrap_or(address);
        let access = Access::new(address, public, key)?;
        let service = Arc::new(Service::open(model, lock, access, messages)?);
        Ok(Self { listener, service, opening: Opening::default() })
    }

    pub fn page(&self) -> String {
        self.service.access.first_address()
    }

    pub fn key(&self) -> &str {
        &self.service.access.key
    }

    /// Gives the model as it is whenever it is called; nothing while nobody is enrolled.
    pub fn model(&self) -> impl Fn() -> Option<Arc<Model>> + Send + use<> {
        let service = Arc::clone(&self.service);
        move || service.snapshot().model
    }

    /// Ends the server well: what was acknowledged is learned.
    pub fn ending(&self) -> impl Fn() + Send + Sync + use<> {
        let (service, opening) = (Arc::clone(&self.service), self.opening.clone());
        move || {
            opening.end();
            service.end();
        }
    }

    /// Answers until the program ends; the page is opened in the browser first where `opens`.
    pub fn run(self, opens: bool) -> Result<()> {
        let failed = |error: std::io::Error| serve_error(self.service.access.address, &error);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(64)
            .enable_io()
            .enable_time()
            .build()
            .map_err(failed)?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener).map_err(failed)?;
            if opens {
                opening::open(&self.opening, &self.service);
            }
            let below = self.service.access.path().to_owned();
            connections::serve(listener, router(Arc::clone(&self.service)), &below).await;
            Ok(())
        })
    }
}

fn serve_error(address: SocketAddr, error: &std::io::Error) -> Error {
    let reason = match error.kind() {
        std::io::ErrorKind::AddrInUse => "the port is in use".to_owned(),
        std::io::ErrorKind::PermissionDenied => "the system forbids it".to_owned(),
        _ => error.to_string(),
    };
    Error::Told(format!("cannot listen on {address}: {reason}; choose another with --listen 127.0.0.1:PORT"))
}

/// The value behind a lock, also where somebody who had it panicked: no change is made by halves.
fn locked<T>(behind: &Mutex<T>) -> MutexGuard<'_, T> {
    behind.lock().unwrap_or_else(PoisonError::into_inner)
}

fn router(service: Arc<Service>) -> Router {
    routes::routes()
        .merge(page::routes())
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(middleware::from_fn(always))
        .layer(middleware::from_fn_with_state(Arc::clone(&service), guard::guard))
        .with_state(service)
}

/// An answer in any case: 500 where a handler panics, 408 where it takes too long.
async fn always(request: Request, next: Next) -> Response {
    let mut answer = pin!(next.run(request));
    let caught = poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context)));
        polled.unwrap_or_else(|_| Poll::Ready(StatusCode::INTERNAL_SERVER_ERROR.into_response()))
    });
    tokio::time::timeout(LONGEST, caught).await.unwrap_or_else(|_| StatusCode::REQUEST_TIMEOUT.into_response())
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
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let router: Router = Router::new().route("/", get(panics)).layer(middleware::from_fn(always));
        let asked = Request::get("/").body(Body::empty()).unwrap();
        let answered = TowerToHyperService::new(router).call(asked);
        let status = runtime.block_on(answered).unwrap().status();
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    }
}
