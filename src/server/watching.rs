//! `serve --watch`: photos that come into folders are identified by the gallery as it is then.

use std::sync::Arc;
use std::thread;

use eigenfaces::QueryOptions;

use super::service::Service;
use crate::cli::args::Serve;
use crate::cli::error::{Error, Result};
use crate::cli::identify::gallery::Gallery;
use crate::cli::identify::report::{Report, Unread};
use crate::cli::identify::watch::{self, Watched};
use crate::cli::output::{Output, counted};
use crate::cli::webhook::Webhook;

/// Watches the folders that were given, if any were, in a thread of its own. Results are printed, and posted where they are to be.
///
/// # Errors
/// What is no folder; a system that starts no thread.
pub fn begin(args: &Serve, service: &Arc<Service>, output: Output) -> Result<Option<Webhook>> {
    if args.watch.is_empty() {
        return Ok(None);
    }
    let mut watched = Watched::begin(&args.watch)?;
    let webhook = Webhook::begin(args.webhook.as_ref(), &output)?;
    let (service, posted) = (Arc::clone(service), webhook.clone());
    let watching = move || {
        loop {
            let photos = watched.next();
            let Some(model) = service.snapshot().model else {
                let came = counted(photos.len(), "photo", "photos");
                output.warn(&format!("{came} came, and nobody is enrolled"));
                continue;
            };
            let report = Report {
                recognizer: model.recognizer(),
                drawn: None,
                gallery: &Gallery::Model,
                output: &output,
                query: QueryOptions::default(),
                unread: Unread::GoesOn,
                webhook: posted.clone(),
            };
            if let Err(error) = watch::look(&photos, &report) {
                output.warn(&error.to_string());
            }
        }
    };
    let thread = thread::Builder::new().name("watch".to_owned());
    thread
        .spawn(watching)
        .map_err(|error| Error::Told(format!("no thread can be started ({error})")))?;
    Ok(webhook)
}
