//! `eigenfaces identify`: who is in each photo.

mod explanation;
mod report;
mod results;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use eigenfaces::dataset::{self, PhotoFile};
use eigenfaces::error::PhotoProblem;
use eigenfaces::preparation::PreparedFace;
use eigenfaces::recognizer::{Identification, Identifier, QueryOptions};
use eigenfaces::store::Outputs;

use super::args::{Format, Identify};
use super::copies::Copies;
use super::error::Result;
use super::gallery::Gallery;
use super::learning::Naming;
use super::outcome::Outcome;
use super::output::Output;
use super::photos::Photos;
use super::{files, learning, misuse};
use explanation::Explanation;
use report::Report;
use results::Results;

/// Photos identified at a time: bounds memory, and results appear while the rest is worked on. As many as two passes
/// over a large gallery take.
const BATCH: NonZeroUsize = NonZeroUsize::new(480).unwrap();

pub fn run(args: &Identify, model: &Path, output: &Output) -> Result<Outcome> {
    // Wrong use is said before photos are looked for.
    learning::refuse_unused(&args.origin);
    refuse_a_pipe(args);
    // What this program wrote into a folder of photos is not read, and may be replaced.
    let mut photos = Photos::list(&args.photos, output)?;
    if let Some(folder) = &args.sorting.sort_into {
        photos.leave_out(folder, &args.photos, output)?;
    }
    let inputs = files::inputs(&photos.paths, &args.origin, model);
    let mut outputs = Outputs::new(inputs, args.force.into());
    let explanation = files::claim(&mut outputs, args.explain.as_ref())?;
    let (naming, unlearned) = match &explanation {
        None => learning::naming(&args.origin, model, output)?,
        // To explain, the enrolled faces are shown.
        Some(_) => {
            let (recognizer, unlearned) = learning::recognizer(&args.origin, model, output)?;
            (Naming::Recognizer(Box::new(recognizer)), unlearned)
        }
    };
    let recognizer = naming.identifier();
    let gallery = Gallery::open(args, recognizer, model)?;
    let report = Report {
        recognizer,
        gallery: &gallery,
        output,
        query: QueryOptions {
            top: usize::from(args.top),
            acceptance: args.acceptance.into(),
        },
    };
    let explanation = match (&explanation, &naming) {
        (Some(file), Naming::Recognizer(recognizer)) => Some(Explanation::new(file, recognizer)),
        _ => None,
    };
    let copies = Copies::plan(&args.pictures, &photos.paths, outputs)?;
    let failed = unlearned + photos.unusable.len();
    let mut results = Results::new(args, &report, explanation, failed);
    report.begin()?;
    look(&photos, &report, copies.as_ref(), &mut results)?;
    results.finish()
}

/// Identifies all photos, batch by batch, while the next are read.
fn look(
    all: &Photos,
    report: &Report<'_>,
    copies: Option<&Copies>,
    results: &mut Results<'_>,
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
        let prepared = recognizer.preparation().prepare_all(&file.decode()?)?;
        let Some(copies) = copies else {
            return Ok(Ready::Prepared(prepared));
        };
        let found = gallery.identify_prepared(recognizer, &[prepared], query);
        Ok(Ready::Copied(found.and_then(|found| {
            let found = found.concat();
            copies.write(photo, file, &found).map(|()| found)
        })))
    };
    // Alone, a photo's problem is the program's.
    let is_alone = photos.len() == 1 && report.output.format == Format::Text;
    let take = |batches: &mut dyn Iterator<Item = Vec<_>>| -> Result<()> {
        let mut at = 0;
        for (batch, ready) in photos.chunks(BATCH.get()).zip(batches) {
            let found = identify(gallery, recognizer, ready, query)?;
            for (photo, found) in batch.iter().zip(found) {
                record_before(at)?;
                at += 1;
                match found? {
                    Ok(found) => results.add(photo, &found)?,
                    Err(problem) if is_alone => {
                        let path = photo.clone();
                        return Err(eigenfaces::Error::photo(path, problem).into());
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
        (None, None) => return,
    };
    misuse::end(ErrorKind::ArgumentConflict, message)
}

/// A photo as the readers pass it on.
enum Ready {
    /// To be identified together with others: that costs less.
    Prepared(Vec<PreparedFace>),
    /// Identified already, for its copy was to be written while its file was in memory; what became of that.
    Copied(Result<Vec<Identification>>),
}

/// The people found in a photo, or the photo's fault.
type Found = std::result::Result<Vec<Identification>, PhotoProblem>;

/// Identifies the people in each photo of a batch; fails where a copy could not be written, or the gallery not be asked.
fn identify(
    gallery: &Gallery,
    recognizer: &Identifier,
    batch: Vec<std::result::Result<Ready, PhotoProblem>>,
    query: QueryOptions,
) -> Result<Vec<Result<Found>>> {
    let mut prepared = Vec::with_capacity(batch.len());
    let mut copied = Vec::with_capacity(batch.len());
    for ready in batch {
        copied.push(match ready {
            Ok(Ready::Prepared(faces)) => {
                prepared.push(faces);
                None
            }
            Ok(Ready::Copied(found)) => Some(found.map(Ok)),
            Err(problem) => Some(Ok(Err(problem))),
        });
    }
    let mut found = gallery
        .identify_prepared(recognizer, &prepared, query)?
        .into_iter();
    let mut next = || Ok(Ok(found.next().unwrap_or_default()));
    Ok(copied
        .into_iter()
        .map(|copied| copied.unwrap_or_else(&mut next))
        .collect())
}
