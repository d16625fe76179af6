//! Lines that `identify` prints of each photo.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use eigenfaces::dataset::{Photo, PhotoFile, path_as_text};
use eigenfaces::decision::{Acceptance, Decision};
use eigenfaces::enrollment::PhotoFaces;
use eigenfaces::error::PhotoProblem;
use eigenfaces::locate::Turn;
use eigenfaces::preparation::{FaceBox, PreparedFace};
use eigenfaces::recognizer::{Candidate, Identification, QueryOptions, Recognizer};
use eigenfaces::records::PhotoRecord;
use serde_json::{Value, json};

use super::gallery::Gallery;
use crate::cli::output::with_schema;
use crate::cli::webhook::Webhook;
use crate::cli::{Error, Output, Record, Result, counted, one_line, percent, remedy, shown};

#[derive(Clone)]
pub struct Reporter<'a> {
    pub recognizer: &'a Recognizer,
    /// The box of a face that is looked at besides those found.
    pub drawn: Option<FaceBox>,
    pub gallery: &'a Gallery,
    pub output: &'a Output,
    pub query: QueryOptions,
    pub unread: Unread,
    /// Where results are posted too.
    pub webhook: Option<Webhook>,
}

/// Whether work continues after the reader has closed the pipe, as `head` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// Nothing but answers was asked for.
    Ends,
    /// Files are written besides.
    GoesOn,
}

impl Reporter<'_> {
    /// The faces of a photo: those found, and those that a person showed.
    pub fn faces(&self, file: &PhotoFile) -> std::result::Result<Vec<PreparedFace>, PhotoProblem> {
        let (preparation, gallery) = (self.recognizer.preparation(), self.recognizer.gallery());
        Ok(PhotoFaces::with_shown(preparation, &Photo::decode(file)?, Some(gallery), self.drawn)?.into_prepared())
    }

    pub fn begin(&self) -> Result<()> {
        self.printed(self.output.header(COLUMNS))
    }

    fn printed(&self, printed: Result<()>) -> Result<()> {
        match printed {
            Err(Error::Print(error)) if error.kind() == ErrorKind::BrokenPipe && self.unread == Unread::GoesOn => {
                Ok(())
            }
            printed => printed,
        }
    }

    pub fn photo(&self, photo: &Path, found: &[Identification]) -> Result<()> {
        self.printed(self.print_photo(photo, found, json!(PhotoRecord::identified(photo, found))))
    }

    /// A photo that came while the program ran, with other frames of the same moment.
    pub fn moment(&self, photos: &[PathBuf], found: &[Identification]) -> Result<()> {
        let [photo, others @ ..] = photos else { return Ok(()) };
        let mut told = json!(PhotoRecord::identified(photo, found));
        self.post(&mut told, photos);
        self.printed(self.print_photo(photo, found, told))?;
        if !others.is_empty() {
            let count = counted(photos.len(), "photo", "photos");
            self.output.say(&format!("  judged by {count} of one moment"));
        }
        Ok(())
    }

    /// Adds the time and the frames of one moment, and posts it where results are to be.
    fn post(&self, object: &mut Value, frames: &[PathBuf]) {
        object["frames"] = frames.iter().map(path_as_text).collect();
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        object["time"] = since.map_or(0, |since| since.as_secs()).into();
        if let Some(webhook) = &self.webhook {
            webhook.post(&with_schema(object.clone()));
        }
    }

    fn print_photo(&self, photo: &Path, found: &[Identification], object: Value) -> Result<()> {
        if found.is_empty() {
            let record = Record::new(object, [format!("{}: no face found", shown(photo))]);
            let row = row_without_face(photo, "no-face-found", String::new());
            return self.output.record(COLUMNS, record.with_rows([row]));
        }
        let numbered = || (1..).zip(found);
        let name = |number| named(photo, number, found.len());
        let lines = numbered().flat_map(|(number, face)| self.face(&name(number), face));
        let rows = numbered().map(|(number, face)| row(photo, number, face));
        self.output.record(COLUMNS, Record::new(object, lines).with_rows(rows))
    }

    fn face(&self, name: &str, found: &Identification) -> Vec<String> {
        let mut lines = vec![format!("{name}: {}{}", self.in_words(found), turned(found))];
        if self.query.top > 1 {
            lines.extend((1..).zip(&found.candidates).map(|(rank, one)| format!("  {rank}. {}", with_numbers(one))));
        }
        lines
    }

    pub fn problem(&self, photo: &Path, problem: &PhotoProblem) -> Result<()> {
        self.warn(photo, problem);
        self.record(photo, problem)
    }

    fn warn(&self, photo: &Path, problem: &PhotoProblem) {
        self.output.warn(&format!("{}: {}", shown(photo), remedy::of_photo(problem)));
    }

    /// The record, for scripts, of a photo that cannot be used.
    pub fn record(&self, photo: &Path, problem: &PhotoProblem) -> Result<()> {
        self.print_problem(photo, problem, object_of_problem(photo, problem))
    }

    /// A photo that came while the program ran and cannot be used.
    pub fn unusable(&self, photo: &Path, problem: &PhotoProblem) -> Result<()> {
        self.warn(photo, problem);
        let mut object = object_of_problem(photo, problem);
        self.post(&mut object, &[photo.to_owned()]);
        self.print_problem(photo, problem, object)
    }

    fn print_problem(&self, photo: &Path, problem: &PhotoProblem, object: Value) -> Result<()> {
        let row = row_without_face(photo, "error", remedy::of_photo(problem));
        self.printed(self.output.record(COLUMNS, Record::new(object, None).with_rows([row])))
    }

    /// The identification in words, and why a likely person was not named.
    pub fn in_words(&self, found: &Identification) -> String {
        let words = one_line(&found.to_string());
        match (found.decision, words.strip_suffix(')')) {
            (Decision::Unknown, Some(open)) => format!("{open}{})", self.threshold_hint(found)),
            _ => words,
        }
    }

    fn threshold_hint(&self, found: &Identification) -> String {
        let Some(closest) = found.closest().filter(|closest| closest.confidence > 0.5) else { return String::new() };
        let Some(limit) = self.gallery.threshold(self.recognizer, self.query.acceptance) else { return String::new() };
        let limit = percent(limit);
        match self.query.acceptance {
            _ if limit == percent(closest.confidence) => "; a name needs slightly more".to_owned(),
            Acceptance::FalseAccepts(_) => format!("; a name needs more than {}", limit.trim_start_matches("> ")),
            Acceptance::Confidence(_) => format!("; below {limit}"),
        }
    }
}

fn object_of_problem(photo: &Path, problem: &PhotoProblem) -> Value {
    json!({ "photo": path_as_text(photo), "error": remedy::of_photo(problem) })
}

fn turned(found: &Identification) -> &'static str {
    match found.location.map_or(Turn::Upright, |face| face.turn()) {
        Turn::Upright => "",
        Turn::Right => "; the photo lies on its side, turn it clockwise",
        Turn::Left => "; the photo lies on its side, turn it counterclockwise",
        Turn::Over => "; the photo stands on its head",
    }
}

/// A row of the table: a photo's face, counted from 1.
fn row(photo: &Path, number: usize, found: &Identification) -> Vec<String> {
    let closest = |of: fn(&Candidate) -> String| found.closest().map(of).unwrap_or_default();
    let bounds = found.location.map(|place| place.bounds);
    let [x, y, width, height] = bounds.map(|bounds| bounds.map(|edge| format!("{edge:.1}"))).unwrap_or_default();
    vec![
        path_as_text(photo),
        number.to_string(),
        x,
        y,
        width,
        height,
        found.decision.name().to_owned(),
        found.name().map(str::to_owned).unwrap_or_default(),
        closest(|one| format!("{:.4}", one.confidence)),
        closest(|one| format!("{:.6}", one.distance)),
        closest(|one| one.person.to_string()),
        found.is_probable().to_string(),
        String::new(),
    ]
}

const COLUMNS: &str = "photo,face,x,y,width,height,decision,person,confidence,distance,closest,probable,error";

/// The row of a photo in which no face was found, or that could not be looked at.
fn row_without_face(photo: &Path, decision: &str, error: String) -> Vec<String> {
    let mut row = vec![String::new(); 13];
    row[0] = path_as_text(photo);
    row[6] = decision.to_owned();
    row[12] = error;
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
    if of == 1 { shown(photo) } else { format!("{}, face {number} of {of}", shown(photo)) }
}
