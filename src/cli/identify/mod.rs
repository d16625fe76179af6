//! `eigenfaces identify`: who is in each photo.

mod explanation;
pub mod gallery;
pub mod report;
mod results;
pub mod watch;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use eigenfaces::dataset::{self, PhotoFile};
use eigenfaces::error::PhotoProblem;
use eigenfaces::preparation::PreparedFace;
use eigenfaces::recognizer::{Identification, QueryOptions};
use eigenfaces::store::Outputs;
use rayon::prelude::*;

use super::args::Identify;
use super::copies::Copies;
use super::photos::Photos;
use super::{files, learning, misuse};
use crate::cli::webhook::Webhook;
use crate::cli::{Outcome, Output, Result};
use explanation::Explanation;
use gallery::Gallery;
use report::{Report, Unread};
use results::Results;
use watch::Watched;

/// Photos identified at a time: bounds memory, and results appear while the rest is worked on. As many as two passes
/// over a large gallery take.
const BATCH: NonZeroUsize = NonZeroUsize::new(480).unwrap();

pub fn run(args: &Identify, model: &Path, output: &Output) -> Result<Outcome> {
    refuse_a_pipe(args);
    // Pictures that this program made in a folder of photos are not read.
    let (mut watched, mut photos) = match args.watch {
        true => (Some(Watched::begin(&args.photos)?), Photos::default()),
        false => (None, Photos::list(&args.photos, output)?),
    };
    if let Some(folder) = &args.sorting.sort_into {
        photos.leave_out(folder, &args.photos, output)?;
    }
    let inputs = files::inputs(&photos.paths, &args.origin, model);
    let outputs = Outputs::new(inputs, args.force.into());
    let explanation = files::claim(&outputs, args.explain.as_ref())?;
    let (recognizer, unlearned) = learning::recognizer(&args.origin, model, output)?;
    let gallery = Gallery::open(args, &recognizer, model)?;
    let report = Report {
        recognizer: &recognizer,
        drawn: args.at,
        gallery: &gallery,
        output,
        query: QueryOptions {
            top: usize::from(args.top),
            acceptance: args.acceptance.into(),
        },
        unread: match args.writes_files() {
            true => Unread::GoesOn,
            false => Unread::Ends,
        },
        webhook: match args.watch {
            true => Webhook::begin(args.webhook.as_ref(), output)?,
            false => None,
        },
    };
    let explanation = explanation.as_ref().map(Explanation::new);
    let copies = args.annotate.as_ref();
    let copies = copies.map(|folder| Copies::plan(folder, &photos.paths, &outputs));
    let copies = copies.transpose()?;
    let failed = unlearned + photos.unusable.len();
    let mut results = Results::new(args, &report, explanation, failed);
    report.begin()?;
    let Some(watched) = &mut watched else {
        // Alone, a photo's problem is the program's.
        let problems = match photos.paths.len() {
            1 if output.is_text() => Problems::End,
            _ => Problems::AreTold,
        };
        look(&photos, &report, copies.as_ref(), &mut results, problems)?;
        return results.finish();
    };
    #[cfg(unix)]
    if let Some(webhook) = report.webhook.clone() {
        let output = *output;
        super::interrupt::before_interrupt(move || webhook.end(&output));
    }
    output.say("waiting for new photos; Ctrl-C ends this");
    // Until then, or until nobody reads what is printed.
    loop {
        watch::look(&watched.next(), &report)?;
    }
}

/// What becomes of a photo that cannot be used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Problems {
    AreTold,
    End,
}

/// Identifies all photos, batch by batch, while the next are read.
fn look(
    all: &Photos,
    report: &Report<'_>,
    copies: Option<&Copies>,
    results: &mut Results<'_>,
    problems: Problems,
) -> Result<()> {
    let photos = &all.paths;
    let mut unusable = all.unusable.iter().peekable();
    let mut record_before = |at: usize| -> Result<()> {
        while let Some((_, skipped)) = unusable.next_if(|(before, _)| *before <= at) {
            report.record(&skipped.path, &skipped.problem)?;
        }
        Ok(())
    };
    let (gallery, recognizer, query) = (report.gallery, report.recognizer, report.query);
    let ready = |photo: &PathBuf, file: &PhotoFile| {
        let faces = report.faces(file)?;
        // Other files are read again for their copies.
        let is_kept = copies.is_some() && dataset::is_standard_input(photo);
        Ok((faces, is_kept.then(|| file.clone())))
    };
    let take = |batches: &mut dyn Iterator<Item = Vec<Ready>>| -> Result<()> {
        let mut at = 0;
        for (batch, mut ready) in photos.chunks(BATCH.get()).zip(batches) {
            let faces = |ready: &mut Ready| {
                let faces = ready.as_mut().map(|(faces, _)| std::mem::take(faces));
                faces.unwrap_or_default()
            };
            let faces: Vec<Vec<PreparedFace>> = ready.iter_mut().map(faces).collect();
            let found = gallery.identify_prepared(recognizer, &faces, query)?;
            let copy = |((photo, ready), found): ((&PathBuf, &Ready), &Vec<Identification>)| match (
                copies, ready,
            ) {
                (Some(copies), Ok((_, kept))) => copies.write(photo, kept.as_ref(), found),
                _ => Ok(()),
            };
            let photos = batch.par_iter().zip(&ready).zip(&found);
            let copied: Vec<Result<()>> = photos.map(copy).collect();
            for (((photo, ready), found), copied) in batch.iter().zip(ready).zip(found).zip(copied)
            {
                record_before(at)?;
                at += 1;
                copied?;
                match ready {
                    Ok(_) => results.add(photo, &found)?,
                    Err(problem) if problems == Problems::End => {
                        let path = photo.clone();
                        return Err(eigenfaces::Error::photo(path, problem));
                    }
                    Err(problem) => results.add_problem(photo, &problem)?,
                }
            }
        }
        Ok(())
    };
    dataset::stream_each(photos, BATCH, ready, &|_| {}, take)?;
    record_before(photos.len())
}

/// Ends with a usage error where a photo would have to be read twice that can be read once only.
fn refuse_a_pipe(args: &Identify) {
    let mut photos = args.photos.iter();
    if !photos.any(|photo| dataset::is_standard_input(photo)) {
        return;
    }
    let message = match (&args.explain, &args.sorting.sort_into) {
        (Some(_), _) => {
            "--explain looks at a photo twice, and standard input can be read once: save the photo as a file"
        }
        (None, Some(_)) => {
            "--sort-into sorts files, and standard input is none: save the photo as a file"
        }
        (None, None) if args.xmp.write_xmp.is_some() => {
            "--write-xmp writes beside a file, and standard input is none: save the photo as a file"
        }
        (None, None) => return,
    };
    misuse::end(ErrorKind::ArgumentConflict, message)
}

/// The faces of a photo, and its file where that can be read once only; or the photo's fault.
type Ready = std::result::Result<(Vec<PreparedFace>, Option<PhotoFile>), PhotoProblem>;
