//! Results of `identify`, photo by photo: printed, drawn, sorted, and written beside photos.

use std::path::Path;

use eigenfaces::albums::{NameAt, Sidecars, Sorter, Writing};
use eigenfaces::dataset::PhotoFile;
use eigenfaces::error::PhotoProblem;
use eigenfaces::recognizer::Identification;
use eigenfaces::render::explain;
use eigenfaces::render::strip::{Row, strip};
use eigenfaces::store::{Destination, Privacy};
use eigenfaces::xmp::OwnNames;

use super::Identify;
use super::report::{Reporter, named};
use crate::cli::{ExitStatus, Output, Result, files, remedy, shown};

pub struct Results<'a> {
    report: &'a Reporter<'a>,
    explanation: Option<ExplanationSheet<'a>>,
    sorted: Option<Sorter<'a>>,
    sidecars: Option<Sidecars>,
    /// Numbers of photos processed and of failures.
    done: usize,
    failed: usize,
}

impl<'a> Results<'a> {
    /// Results as the user asked for them; `failed` photos failed before.
    pub fn new(
        args: &'a Identify,
        report: &'a Reporter<'a>,
        explanation: Option<ExplanationSheet<'a>>,
        failed: usize,
    ) -> Self {
        let sidecars = |names_in| {
            let writing = if args.xmp.dry_run { Writing::Told } else { Writing::Done };
            Sidecars::new(writing, names_in, OwnNames::Withdraw)
        };
        Self {
            report,
            explanation,
            sorted: args.sorting.sorter(),
            sidecars: args.xmp.write_xmp.map(sidecars),
            done: 0,
            failed,
        }
    }

    /// Adds the identifications of a photo.
    /// Errors: what ends the command: results that cannot be printed, or a picture that cannot be made.
    pub fn add(&mut self, photo: &Path, found: &[Identification]) -> Result<()> {
        if let Some(explanation) = &mut self.explanation {
            explanation.add(photo, found, self.report)?;
        }
        let output = self.report.output;
        // Under --quiet the sorted folders are the answer for a reader.
        if self.sorted.is_none() || !output.quiet || !output.is_text() {
            self.report.photo(photo, found)?;
        }
        let written = self.sidecars.as_mut().map(|all| {
            let places = found.iter().filter_map(|face| face.location);
            let faces: Vec<[f32; 4]> = places.map(|place| place.bounds).collect();
            all.add(photo, &faces, &named_faces(found), output)
        });
        self.note(written);
        // Last: names inside a photo make it another file, and a link is to be one of that.
        let sorted = self.sorted.as_mut().map(|sorted| sorted.add(photo, found));
        self.note(sorted);
        self.done += 1;
        Ok(())
    }

    pub fn add_problem(&mut self, photo: &Path, problem: &PhotoProblem) -> Result<()> {
        self.failed += 1;
        self.report.problem(photo, problem)
    }

    /// Warns of a failed output; the command goes on.
    fn note(&mut self, done: Option<Result<()>>) {
        if let Some(Err(error)) = done {
            self.report.output.warn(&remedy::in_words(&error));
            self.failed += 1;
        }
    }

    /// Writes and prints what remains after the last photo.
    /// Errors: the picture of an explanation cannot be written.
    pub fn finish(self) -> Result<ExitStatus> {
        let output = self.report.output;
        if let Some(explanation) = self.explanation {
            explanation.write(output)?;
        }
        if let Some(sidecars) = self.sidecars {
            sidecars.report(output);
        }
        if let Some(sorted) = self.sorted {
            sorted.report(output);
        }
        Ok(ExitStatus::of_inputs(self.done, self.failed))
    }
}

fn named_faces(found: &[Identification]) -> Vec<NameAt<'_>> {
    let named = found.iter().filter_map(|face| {
        Some(NameAt {
            bounds: face.location?.bounds,
            name: face.name()?,
            confidence: face.closest().map(|closest| closest.confidence),
        })
    });
    named.collect()
}

const MOST_EXPLAINED: usize = 12;

pub struct ExplanationSheet<'a> {
    file: &'a Destination,
    rows: Vec<Row>,
    faces: usize,
}

impl<'a> ExplanationSheet<'a> {
    pub fn new(file: &'a Destination) -> Self {
        Self { file, rows: Vec::new(), faces: 0 }
    }

    /// Adds the faces of a photo. It is read again: to explain is not the usual thing, and pixels of thousands
    /// of photos are not to be kept for it.
    pub fn add(&mut self, photo: &Path, found: &[Identification], report: &Reporter<'_>) -> Result<()> {
        let room = MOST_EXPLAINED.saturating_sub(self.faces);
        self.faces += found.len();
        if room == 0 || found.is_empty() {
            return Ok(());
        }
        let prepared = PhotoFile::read(photo)
            .and_then(|file| report.faces(&file))
            .map_err(|problem| eigenfaces::Error::photo(photo, problem))?;
        for (number, (face, found_face)) in (1..).zip(prepared.iter().zip(found)).take(room) {
            let name = named(photo, number, found.len());
            let heading = format!("{name}: {}", report.in_words(found_face));
            self.rows.extend(explain::rows(report.recognizer, face, report.query, |_| heading)?);
        }
        Ok(())
    }

    pub fn write(self, output: &Output) -> Result<()> {
        if self.rows.is_empty() {
            output.say("no face was found, so there is nothing to explain");
            return Ok(());
        }
        let picture = strip("Why these names", &self.rows).to_pixels();
        files::picture(self.file, Privacy::Personal, &picture.into())?;
        if self.faces > MOST_EXPLAINED {
            output.say(&format!("only the first {MOST_EXPLAINED} of {} faces are explained", self.faces));
        }
        output.say(&format!("wrote {}", shown(self.file.path())));
        Ok(())
    }
}
