//! `eigenfaces identify`: who is in each photo.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap::error::ErrorKind;
use eigenfaces::dataset::{self, Limits, PhotoFile};
use eigenfaces::decision::{Acceptance, Decision};
use eigenfaces::error::{Error, PhotoProblem, Result};
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::gallery::{Recall, Search};
use eigenfaces::preparation::PreparedFace;
use eigenfaces::recognizer::{Candidate, Identification, Identifier, QueryOptions, Recognizer};

use eigenfaces::render::explain;
use eigenfaces::render::strip::{Row, strip};
use eigenfaces::store::{Destination, Outputs, Privacy};

use super::args::{Cli, Format, Identify};
use super::copies::Copies;
use super::gallery::Gallery;
use super::learning::Naming;
use super::outcome::Outcome;
use super::output::{Output, one_line, percent, shown};
use super::photos::Photos;
use super::sidecars::{Named, Sidecars, Writing};
use super::sorting::Sorted;
use super::{files, json, learning};

/// Photos identified at a time: bounds memory, and results appear while the rest is worked on. As many as two passes
/// over a large gallery take.
const BATCH: NonZeroUsize = NonZeroUsize::new(480).unwrap();

pub fn run(args: &Identify, model: &Path, output: &Output) -> Result<Outcome> {
    // Wrong use is said before photos are looked for.
    learning::refuse_unused(&args.origin);
    refuse_explaining_a_pipe(args);
    // What this program wrote into a folder of photos is not read, and may be replaced.
    let mut photos = Photos::list(&args.photos, output)?;
    if let Some(folder) = &args.sorting.sort_into {
        photos.leave_out(folder);
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
    let approximate = args
        .approximate
        .then(|| naming.identifier().clone().searching(Search::Approximate));
    let recognizer = approximate.as_ref().unwrap_or(naming.identifier());
    let recall = match &approximate {
        Some(identifier) => identifier
            .matcher()
            .and_then(|matcher| matcher.recall(TRIED)),
        None => None,
    };
    if args.approximate {
        output.say(&in_words(recall));
    }
    let query = QueryOptions {
        top: usize::from(args.top),
        acceptance: args.acceptance.into(),
    };
    let gallery = Gallery::open(args, recognizer, model)?;
    let report = Report {
        recognizer,
        gallery: &gallery,
        output,
        query,
        recall: args
            .approximate
            .then(|| recall.map_or(1.0, |recall| recall.share())),
    };
    let mut drawn = match (&explanation, &naming) {
        (Some(file), Naming::Recognizer(recognizer)) => Some(Drawn::new(file, recognizer)),
        _ => None,
    };
    let copies = Copies::plan(&args.pictures, &photos.paths, outputs)?;
    let mut sorted = Sorted::plan(&args.sorting);
    let mut sidecars = args.xmp.write_xmp.then(|| {
        Sidecars::new(match args.xmp.dry_run {
            true => Writing::Told,
            false => Writing::Done,
        })
    });
    report.begin()?;
    for skipped in &photos.unusable {
        report.record(&skipped.path, &skipped.problem)?;
    }
    let (mut done, mut failed) = (0, unlearned + photos.unusable.len());
    let ready = |photo: &PathBuf, file: &PhotoFile| match &copies {
        None => Ok(Ready::Prepared(
            recognizer.preparation().prepare_all(&file.decode()?)?,
        )),
        Some(copies) => {
            let found = gallery.identify(recognizer, &file.decode()?, query);
            Ok(Ready::Copied(match found {
                Ok(found) => {
                    let found = found?;
                    copies.write(photo, file, &found).map(|()| found)
                }
                Err(error) => Err(error),
            }))
        }
    };
    let limits = Limits::default();
    dataset::stream_each(
        &photos.paths,
        &limits,
        BATCH,
        ready,
        &|_| {},
        |batches| -> Result<()> {
            for (batch, ready) in photos.paths.chunks(BATCH.get()).zip(batches) {
                let found = identify(&gallery, recognizer, ready, query)?;
                for (photo, found) in batch.iter().zip(found) {
                    match found? {
                        Ok(found) => {
                            if let Some(drawn) = &mut drawn {
                                drawn.add(photo, &found, &report)?;
                            }
                            if let Some(sorted) = &mut sorted
                                && let Err(error) = sorted.add(photo, &found)
                            {
                                output.warn(&error.to_string());
                                failed += 1;
                            }
                            report.photo(photo, &found)?;
                            if let Some(sidecars) = &mut sidecars
                                && let Err(error) =
                                    sidecars.add(photo, &named_faces(&found), output)
                            {
                                output.warn(&error.to_string());
                                failed += 1;
                            }
                            done += 1;
                        }
                        // Alone, its problem is the program's.
                        Err(problem)
                            if photos.paths.len() == 1 && output.format == Format::Text =>
                        {
                            return Err(Error::Photo {
                                path: photo.clone(),
                                problem,
                            });
                        }
                        Err(problem) => {
                            report.problem(photo, &problem)?;
                            failed += 1;
                        }
                    }
                }
            }
            Ok(())
        },
    )?;
    if let Some(drawn) = drawn {
        drawn.write(output)?;
    }
    if let Some(sidecars) = sidecars {
        sidecars.report(output);
    }
    if let Some(sorted) = sorted {
        sorted.report(output);
    }
    Ok(Outcome::of_inputs(done, failed))
}

/// The faces that were given a name.
fn named_faces(found: &[Identification]) -> Vec<Named<'_>> {
    let named = found.iter().filter_map(|face| {
        Some(Named {
            bounds: face.location?.bounds,
            name: face.name()?,
            confidence: face.closest().map(|closest| closest.confidence),
        })
    });
    named.collect()
}

/// Ends with a usage error where a photo would have to be read twice that can be read once only.
fn refuse_explaining_a_pipe(args: &Identify) {
    let mut photos = args.photos.iter();
    if args.explain.is_some() && photos.any(|photo| dataset::is_standard_input(photo)) {
        let message = "--explain looks at a photo twice, and standard input can be read once: save the photo as a file";
        Cli::command()
            .error(ErrorKind::ArgumentConflict, message)
            .exit();
    }
}

/// Enrolled faces that an approximate search is tried with.
const TRIED: usize = 1000;

/// What an approximate search misses.
fn in_words(recall: Option<Recall>) -> String {
    match recall {
        Some(recall) => format!(
            "approximate: recall {:.3} over {} of the gallery's own faces",
            recall.share(),
            recall.faces
        ),
        None => "approximate: this gallery is searched exactly all the same".to_owned(),
    }
}

/// What the readers made of a photo.
enum Ready {
    /// To be identified together with others: that costs less.
    Prepared(Vec<PreparedFace>),
    /// Identified already, for its copy was to be written while its file was in memory; what became of that.
    Copied(Result<Vec<Identification>>),
}

/// What was found in a photo, or what is wrong with it.
type Found = std::result::Result<Vec<Identification>, PhotoProblem>;

/// Who is in each photo of a batch; an error where its copy could not be written, or the gallery not be asked.
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

/// Faces explained in one picture: more could not be looked at.
const MOST_EXPLAINED: usize = 12;

/// The picture of `--explain`.
struct Drawn<'a> {
    file: &'a Destination,
    recognizer: &'a Recognizer,
    rows: Vec<Row>,
    faces: usize,
}

impl<'a> Drawn<'a> {
    fn new(file: &'a Destination, recognizer: &'a Recognizer) -> Self {
        Self {
            file,
            recognizer,
            rows: Vec::new(),
            faces: 0,
        }
    }

    /// Adds the faces of a photo. It is read again: to explain is not the usual thing, and pixels of thousands
    /// of photos are not to be kept for it.
    fn add(&mut self, photo: &Path, found: &[Identification], report: &Report<'_>) -> Result<()> {
        let room = MOST_EXPLAINED.saturating_sub(self.faces);
        self.faces += found.len();
        if room == 0 || found.is_empty() {
            return Ok(());
        }
        let recognizer = self.recognizer;
        let prepared = PhotoFile::read(photo, &Limits::default())
            .and_then(|file| recognizer.preparation().prepare_all(&file.decode()?))
            .map_err(|problem| Error::Photo {
                path: photo.to_owned(),
                problem,
            })?;
        for (number, (face, found_face)) in (1..).zip(prepared.iter().zip(found)).take(room) {
            // Of the runner-up too, the confidence is told.
            let faces =
                FaceMatrix::from_pixels(recognizer.preparation().size(), face.pixels.clone())?;
            let query = QueryOptions {
                top: 2,
                ..report.query
            };
            let judged = recognizer
                .identifier()
                .identify_faces(&faces, query)
                .remove(0);
            let heading = format!(
                "{}: {}",
                named(photo, number, found.len()),
                report.in_words(found_face)
            );
            let why = recognizer.explain(&face.pixels)?;
            self.rows
                .extend(explain::rows(recognizer, heading, &judged, &why));
        }
        Ok(())
    }

    fn write(self, output: &Output) -> Result<()> {
        if self.rows.is_empty() {
            output.say("no face was found, so there is nothing to explain");
            return Ok(());
        }
        let picture = strip("Why these names", &self.rows).to_pixels();
        files::picture(self.file, Privacy::Personal, &picture.into())?;
        if self.faces > MOST_EXPLAINED {
            output.say(&format!(
                "only the first {MOST_EXPLAINED} of {} faces are explained",
                self.faces
            ));
        }
        output.say(&format!("wrote {}", shown(self.file.path())));
        Ok(())
    }
}

/// A face of a photo, counted from 1.
fn named(photo: &Path, number: usize, of: usize) -> String {
    match of {
        1 => shown(photo),
        of => format!("{}, face {number} of {of}", shown(photo)),
    }
}

/// Prints what was found, photo by photo.
struct Report<'a> {
    recognizer: &'a Identifier,
    gallery: &'a Gallery,
    output: &'a Output,
    query: QueryOptions,
    /// The share that an approximate search finds.
    recall: Option<f64>,
}

impl Report<'_> {
    fn begin(&self) -> Result<()> {
        match self.output.format {
            Format::Csv => self
                .output
                .line("photo,face,x,y,width,height,decision,person,confidence,distance,closest,probable,error"),
            Format::Text | Format::Json => Ok(()),
        }
    }

    fn photo(&self, photo: &Path, found: &[Identification]) -> Result<()> {
        match self.output.format {
            Format::Text if found.is_empty() => self
                .output
                .line(&format!("{}: no face found", shown(photo))),
            Format::Text => (1..)
                .zip(found)
                .try_for_each(|(number, face)| self.face(&named(photo, number, found.len()), face)),
            Format::Json => self
                .output
                .json(json::identified(photo, found, self.recall)),
            Format::Csv if found.is_empty() => {
                self.output.csv(&row_without_face(photo, "no-face-found"))
            }
            Format::Csv => (1..)
                .zip(found)
                .try_for_each(|(number, face)| self.output.csv(&row(photo, number, face))),
        }
    }

    fn face(&self, name: &str, found: &Identification) -> Result<()> {
        self.output
            .line(&format!("{name}: {}", self.in_words(found)))?;
        if self.query.top > 1 {
            for (rank, candidate) in (1..).zip(&found.candidates) {
                self.output
                    .line(&format!("  {rank}. {}", with_numbers(candidate)))?;
            }
        }
        Ok(())
    }

    fn problem(&self, photo: &Path, problem: &PhotoProblem) -> Result<()> {
        self.output.warn(&format!("{}: {problem}", shown(photo)));
        self.record(photo, problem)
    }

    /// For scripts, what is wrong with a photo.
    fn record(&self, photo: &Path, problem: &PhotoProblem) -> Result<()> {
        match self.output.format {
            Format::Text => Ok(()),
            Format::Json => self.output.json(json::problem(photo, problem)),
            Format::Csv => {
                let mut row = row_without_face(photo, "error");
                row[COLUMNS - 1] = problem.to_string();
                self.output.csv(&row)
            }
        }
    }

    /// As a person would say it, and why somebody who is likely was not named.
    fn in_words(&self, found: &Identification) -> String {
        let words = one_line(&found.to_string());
        match (found.decision, words.strip_suffix(')')) {
            (Decision::Unknown, Some(open)) => format!("{open}{})", self.yet(found)),
            _ => words,
        }
    }

    /// Why somebody who is likely was not named.
    fn yet(&self, found: &Identification) -> String {
        let Some(closest) = found.closest().filter(|closest| closest.confidence > 0.5) else {
            return String::new();
        };
        let Some(limit) = self
            .gallery
            .threshold(self.recognizer, self.query.acceptance)
        else {
            return String::new();
        };
        let limit = percent(limit);
        if limit == percent(closest.confidence) {
            "; a name needs slightly more".to_owned()
        } else {
            match self.query.acceptance {
                Acceptance::FalseAccepts(_) => {
                    format!(
                        "; a name needs more than {}",
                        limit.trim_start_matches("> ")
                    )
                }
                Acceptance::Confidence(_) => format!("; below {limit}"),
            }
        }
    }
}

/// A row of the table: a photo's face, counted from 1.
fn row(photo: &Path, number: usize, found: &Identification) -> Vec<String> {
    let named = found.decision == Decision::Known;
    let closest = found.closest();
    let bounds = found
        .location
        .map_or([const { String::new() }; 4], |place| {
            place.bounds.map(|edge| format!("{edge:.1}"))
        });
    let mut row = vec![photo.to_string_lossy().into_owned(), number.to_string()];
    row.extend(bounds);
    row.push(json::decision(found.decision).to_owned());
    row.push(
        closest
            .filter(|_| named)
            .map_or_else(String::new, |c| c.person.to_string()),
    );
    row.push(closest.map_or_else(String::new, |c| format!("{:.4}", c.confidence)));
    row.push(closest.map_or_else(String::new, |c| format!("{:.6}", c.distance)));
    row.push(closest.map_or_else(String::new, |c| c.person.to_string()));
    row.push(found.is_probable().to_string());
    row.push(String::new());
    debug_assert_eq!(row.len(), COLUMNS);
    row
}

/// Columns of the table.
const COLUMNS: usize = 13;

/// The row of a photo in which no face was found, or that could not be looked at.
fn row_without_face(photo: &Path, decision: &str) -> Vec<String> {
    let mut row = vec![String::new(); COLUMNS];
    row[0] = photo.to_string_lossy().into_owned();
    row[6] = decision.to_owned();
    row
}

fn with_numbers(candidate: &Candidate) -> String {
    format!(
        "{} ({}, distance {:.3})",
        one_line(candidate.person.as_str()),
        percent(candidate.confidence),
        candidate.distance
    )
}
