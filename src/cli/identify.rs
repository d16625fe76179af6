//! `eigenfaces identify`: who is in each photo.

use std::path::Path;

use eigenfaces::dataset::{self, Limits};
use eigenfaces::decision::Decision;
use eigenfaces::error::{Error, PhotoProblem, Result};
use eigenfaces::gallery::Gallery;
use eigenfaces::locate::framing::Framing;
use eigenfaces::recognizer::{Candidate, Identification, Question, Recognizer, Settings};
use eigenfaces::store;

use super::annotate::Copies;
use super::args::{Format, Identify};
use super::output::{Output, one_line, percent, shown};
use super::{Outcome, enroll, json, learning};

/// Photos identified at a time: bounds memory, and results appear while the rest is worked on.
const BATCH: usize = 256;

pub fn run(args: &Identify, model: &Path, output: &Output) -> Result<Outcome> {
    let (recognizer, unlearned) = if args.faces.is_empty() {
        args.learn.refuse_given("--faces DIR");
        (store::load(model)?, 0)
    } else {
        learn(args, output)?
    };
    let (there, missing): (Vec<_>, Vec<_>) = args
        .photos
        .iter()
        .cloned()
        .partition(|path| path.symlink_metadata().is_ok());
    if let (true, Some(path)) = (there.is_empty(), missing.first()) {
        return Err(Error::NoSuchPath { path: path.clone() });
    }
    let listing = dataset::list_photos(&there)?;
    learning::report_skipped(&listing.skipped, output);
    for path in &missing {
        output.warn(&Error::NoSuchPath { path: path.clone() }.to_string());
    }
    let question = Question {
        top: usize::from(args.top),
        false_accepts: args.far,
    };
    let report = Report {
        recognizer: &recognizer,
        output,
        question,
    };
    report.begin()?;

    let copies = match &args.annotate {
        Some(folder) => Some(Copies::plan(folder, &listing.photos)?),
        None => None,
    };
    let (mut done, mut failed) = (0, unlearned + listing.skipped.len() + missing.len());
    for batch in listing.photos.chunks(BATCH) {
        let found = dataset::load_each(
            batch,
            &Limits::default(),
            |photo, file| {
                let found = recognizer.identify(&file.decode()?, question)?;
                let copied = copies
                    .as_ref()
                    .map_or(Ok(()), |copies| copies.write(photo, &file, &found));
                Ok((found, copied))
            },
            &|_| {},
        );
        for (photo, found) in batch.iter().zip(found) {
            match found {
                Ok((found, copied)) => {
                    copied?;
                    report.photo(photo, &found)?;
                    done += 1;
                }
                Err(problem) => {
                    // Alone, its problem is the program's.
                    if listing.photos.len() == 1 && output.format != Format::Json {
                        return Err(Error::Photo {
                            path: photo.clone(),
                            problem,
                        });
                    }
                    report.problem(photo, &problem)?;
                    failed += 1;
                }
            }
        }
    }
    Ok(Outcome::of_inputs(done, failed))
}

/// A recogniser learned in memory from `--faces`, and how many files of it could not be used.
fn learn(args: &Identify, output: &Output) -> Result<(Recognizer, usize)> {
    let collected = learning::collect(&args.faces, &args.labels, None, &args.learn, output)?;
    learning::report_skipped(&collected.skipped, output);
    learning::report_parts(&collected, output);
    // Ready-made crops are the expected case; that faces are looked for is worth a word.
    if let Some(survey) = &collected.survey
        && survey.framing == Framing::Detect
    {
        learning::report_framing(survey, output);
    }
    let settings = args.learn.settings(Settings::default());
    let (gallery, _) = Gallery::assemble(collected.preparation.size(), collected.faces)?;
    let recognizer = Recognizer::learn(collected.preparation, gallery, settings)?;
    if let Some(warning) = enroll::weak(&recognizer) {
        output.say(&warning);
    }
    Ok((recognizer, collected.skipped.len()))
}

/// Prints what was found, photo by photo.
struct Report<'a> {
    recognizer: &'a Recognizer,
    output: &'a Output,
    question: Question,
}

impl Report<'_> {
    fn begin(&self) -> Result<()> {
        match self.output.format {
            Format::Csv => self
                .output
                .line("photo,face,x,y,width,height,decision,person,confidence,distance"),
            Format::Text | Format::Json => Ok(()),
        }
    }

    fn photo(&self, photo: &Path, found: &[Identification]) -> Result<()> {
        match self.output.format {
            Format::Text if found.is_empty() => self
                .output
                .line(&format!("{}: no face found", shown(photo))),
            Format::Text => (1..).zip(found).try_for_each(|(number, face)| {
                let which = match found.len() {
                    1 => String::new(),
                    count => format!(", face {number} of {count}"),
                };
                self.face(&format!("{}{which}", shown(photo)), face)
            }),
            Format::Json => self.output.line(&json::identified(photo, found)),
            Format::Csv if found.is_empty() => self.output.csv(&row_without_face(photo)),
            Format::Csv => (1..)
                .zip(found)
                .try_for_each(|(number, face)| self.output.csv(&row(photo, number, face))),
        }
    }

    fn face(&self, name: &str, found: &Identification) -> Result<()> {
        self.output
            .line(&format!("{name}: {}", self.in_words(found)))?;
        if self.question.top > 1 {
            for (rank, candidate) in (1..).zip(&found.candidates) {
                self.output
                    .line(&format!("  {rank}. {}", with_numbers(candidate)))?;
            }
        }
        Ok(())
    }

    fn problem(&self, photo: &Path, problem: &PhotoProblem) -> Result<()> {
        self.output.warn(&format!("{}: {problem}", shown(photo)));
        match self.output.format {
            Format::Json => self.output.line(&json::problem(photo, problem)),
            Format::Text | Format::Csv => Ok(()),
        }
    }

    /// As a person would say it.
    fn in_words(&self, found: &Identification) -> String {
        let closest = found.closest().map(|candidate| {
            (
                one_line(candidate.person.as_str()),
                percent(candidate.confidence),
            )
        });
        match (found.decision, closest) {
            (Decision::NotAFace, _) => "not a face".to_owned(),
            (Decision::Known { .. }, Some((name, sure))) => format!("{name} ({sure})"),
            (_, Some((name, sure))) => {
                format!("unknown (closest: {name}, {sure}{})", self.yet(found))
            }
            (_, None) => "unknown".to_owned(),
        }
    }

    /// Why somebody who is likely was not named.
    fn yet(&self, found: &Identification) -> String {
        let calibration = self.recognizer.calibration();
        let Some(closest) = found.closest().filter(|closest| closest.confidence > 0.5) else {
            return String::new();
        };
        let limit = percent(calibration.threshold(self.question.false_accepts));
        if limit == percent(closest.confidence) {
            "; a name needs slightly more".to_owned()
        } else {
            format!("; a name needs more than {limit}")
        }
    }
}

/// A row of the table: a photo's face, counted from 1.
fn row(photo: &Path, number: usize, found: &Identification) -> Vec<String> {
    let named = matches!(found.decision, Decision::Known { .. });
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
    row
}

/// The row of a photo in which no face was found.
fn row_without_face(photo: &Path) -> Vec<String> {
    let mut row = vec![String::new(); 10];
    row[0] = photo.to_string_lossy().into_owned();
    row[6] = "no-face-found".to_owned();
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
