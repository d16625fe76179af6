//! Results of `identify`, photo by photo: printed, drawn, sorted, and written beside photos.

use std::path::Path;

use eigenfaces::decision::{Acceptance, Decision};
use eigenfaces::error::PhotoProblem;
use eigenfaces::recognizer::{Candidate, Identification, Identifier, QueryOptions};
use eigenfaces::xmp::OwnNames;

use super::explanation::Explanation;
use super::gallery::Gallery;
use crate::cli::args::{Format, Identify};
use crate::cli::sidecars::{Named, Sidecars, Writing};
use crate::cli::sorting::Sorted;
use crate::cli::{Outcome, Output, Result, json, one_line, percent, remedy, shown};

/// Everything that is made of what is found.
pub struct Results<'a> {
    report: &'a Report<'a>,
    explanation: Option<Explanation<'a>>,
    sorted: Option<Sorted<'a>>,
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
        let sidecars = || {
            let writing = match args.xmp.dry_run {
                true => Writing::Told,
                false => Writing::Done,
            };
            Sidecars::new(writing, OwnNames::Withdraw)
        };
        Self {
            report,
            explanation,
            sorted: Sorted::plan(&args.sorting),
            sidecars: args.xmp.write_xmp.then(sidecars),
            done: 0,
            failed,
        }
    }

    /// Takes what was found in a photo.
    ///
    /// # Errors
    /// What ends the command: results that cannot be printed, or a picture that cannot be made.
    pub fn add(&mut self, photo: &Path, found: &[Identification]) -> Result<()> {
        if let Some(explanation) = &mut self.explanation {
            explanation.add(photo, found, self.report)?;
        }
        let sorted = self.sorted.as_mut().map(|sorted| sorted.add(photo, found));
        self.note(sorted);
        let output = self.report.output;
        // Under --quiet the sorted folders are the answer for a reader.
        if self.sorted.is_none() || !output.is_quiet() || output.format != Format::Text {
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
            self.report.output.warn(&error.to_string());
            self.failed += 1;
        }
    }

    /// Writes and says what is left when all photos have been looked at.
    ///
    /// # Errors
    /// The picture of an explanation cannot be written.
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

/// Prints what is found in each photo.
pub struct Report<'a> {
    pub recognizer: &'a Identifier,
    pub gallery: &'a Gallery,
    pub output: &'a Output,
    pub query: QueryOptions,
}

impl Report<'_> {
    pub fn begin(&self) -> Result<()> {
        self.output.header("photo,face,x,y,width,height,decision,person,confidence,distance,closest,probable,error")
    }

    pub fn photo(&self, photo: &Path, found: &[Identification]) -> Result<()> {
        match self.output.format {
            Format::Text if found.is_empty() => self
                .output
                .line(&format!("{}: no face found", shown(photo))),
            Format::Text => (1..)
                .zip(found)
                .try_for_each(|(number, face)| self.face(&named(photo, number, found.len()), face)),
            Format::Json => self.output.json(json::identified(photo, found)),
            Format::Csv if found.is_empty() => {
                let row = row_without_face(photo, "no-face-found", String::new());
                self.output.csv(&row)
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

    pub fn problem(&self, photo: &Path, problem: &PhotoProblem) -> Result<()> {
        let problem_in_words = remedy::of_photo(problem);
        self.output
            .warn(&format!("{}: {problem_in_words}", shown(photo)));
        self.record(photo, problem)
    }

    /// For scripts, what is wrong with a photo.
    pub fn record(&self, photo: &Path, problem: &PhotoProblem) -> Result<()> {
        match self.output.format {
            Format::Text => Ok(()),
            Format::Json => self.output.json(json::problem(photo, problem)),
            Format::Csv => {
                let problem = remedy::of_photo(problem);
                self.output.csv(&row_without_face(photo, "error", problem))
            }
        }
    }

    /// As a person would say it, and why somebody who is likely was not named.
    pub fn in_words(&self, found: &Identification) -> String {
        let words = one_line(&found.to_string());
        match (found.decision, words.strip_suffix(')')) {
            (Decision::Unknown, Some(open)) => format!("{open}{})", self.threshold_hint(found)),
            _ => words,
        }
    }

    /// The reason why somebody who is likely was not named.
    fn threshold_hint(&self, found: &Identification) -> String {
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
fn row(photo: &Path, number: usize, found: &Identification) -> [String; COLUMNS] {
    let closest = |of: fn(&Candidate) -> String| found.closest().map(of).unwrap_or_default();
    let bounds = found.location.map(|place| place.bounds);
    let edges = bounds.map(|bounds| bounds.map(|edge| format!("{edge:.1}")));
    let [x, y, width, height] = edges.unwrap_or_default();
    [
        photo.to_string_lossy().into_owned(),
        number.to_string(),
        x,
        y,
        width,
        height,
        json::decision(found.decision).to_owned(),
        found.name().map(str::to_owned).unwrap_or_default(),
        closest(|one| format!("{:.4}", one.confidence)),
        closest(|one| format!("{:.6}", one.distance)),
        closest(|one| one.person.to_string()),
        found.is_probable().to_string(),
        String::new(),
    ]
}

const COLUMNS: usize = 13;

/// The row of a photo in which no face was found, or that could not be looked at.
fn row_without_face(photo: &Path, decision: &str, error: String) -> [String; COLUMNS] {
    let mut row = [const { String::new() }; COLUMNS];
    row[0] = photo.to_string_lossy().into_owned();
    row[6] = decision.to_owned();
    row[COLUMNS - 1] = error;
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

/// A face of a photo, counted from 1.
pub fn named(photo: &Path, number: usize, of: usize) -> String {
    match of {
        1 => shown(photo),
        of => format!("{}, face {number} of {of}", shown(photo)),
    }
}
