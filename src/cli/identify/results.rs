//! Results of `identify`, photo by photo: printed, drawn, sorted, and written beside photos.

use std::path::Path;

use eigenfaces::albums::{NameAt, Sidecars, Sorter, Writing};
use eigenfaces::error::PhotoProblem;
use eigenfaces::recognizer::Identification;
use eigenfaces::xmp::OwnNames;

use super::explanation::Explanation;
use super::report::Report;
use crate::cli::args::Identify;
use crate::cli::{Outcome, Result, remedy};

/// Everything that is made of what is found.
pub struct Results<'a> {
    report: &'a Report<'a>,
    explanation: Option<Explanation<'a>>,
    sorted: Option<Sorter<'a>>,
    sidecars: Option<Sidecars>,
    /// Photos that were looked at, and things that could not be done.
    done: usize,
    failed: usize,
}

impl<'a> Results<'a> {
    /// Results as the user asked for them; `failed` photos failed before.
    pub fn new(
        args: &'a Identify,
        report: &'a Report<'a>,
        explanation: Option<Explanation<'a>>,
        failed: usize,
    ) -> Self {
        let sidecars = |names_in| {
            let writing = match args.xmp.dry_run {
                true => Writing::Told,
                false => Writing::Done,
            };
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

    /// Takes what was found in a photo.
    /// Errors: what ends the command: results that cannot be printed, or a picture that cannot be made.
    pub fn add(&mut self, photo: &Path, found: &[Identification]) -> Result<()> {
        if let Some(explanation) = &mut self.explanation {
            explanation.add(photo, found, self.report)?;
        }
        let sorted = self.sorted.as_mut().map(|sorted| sorted.add(photo, found));
        self.note(sorted);
        let output = self.report.output;
        // Under --quiet the sorted folders are the answer for a reader.
        if self.sorted.is_none() || !output.is_quiet() || !output.is_text() {
            self.report.photo(photo, found)?;
        }
        let sidecars = self.sidecars.as_mut();
        let written = sidecars.map(|all| {
            let places = found.iter().filter_map(|face| face.location);
            let faces: Vec<[f32; 4]> = places.map(|place| place.bounds).collect();
            all.add(photo, &faces, &named_faces(found), output)
        });
        self.note(written);
        self.done += 1;
        Ok(())
    }

    pub fn add_problem(&mut self, photo: &Path, problem: &PhotoProblem) -> Result<()> {
        self.failed += 1;
        self.report.problem(photo, problem)
    }

    /// Says what could not be done beside the answer, which is no reason to end.
    fn note(&mut self, done: Option<Result<()>>) {
        if let Some(Err(error)) = done {
            self.report.output.warn(&remedy::in_words(&error));
            self.failed += 1;
        }
    }

    /// Writes and says what is left when all photos have been looked at.
    /// Errors: the picture of an explanation cannot be written.
    pub fn finish(self) -> Result<Outcome> {
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
        Ok(Outcome::of_inputs(self.done, self.failed))
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
