//! The picture of `identify --explain`: why each face has the name that it has.

use std::path::Path;

use eigenfaces::dataset::PhotoFile;
use eigenfaces::recognizer::Identification;
use eigenfaces::render::explain;
use eigenfaces::render::strip::{Row, strip};
use eigenfaces::store::{Destination, Privacy};

use super::report::{Report, named};
use crate::cli::{Output, Result, files, shown};

/// Faces explained in one picture: more could not be looked at.
const MOST_EXPLAINED: usize = 12;

pub struct Explanation<'a> {
    file: &'a Destination,
    rows: Vec<Row>,
    faces: usize,
}

impl<'a> Explanation<'a> {
    pub fn new(file: &'a Destination) -> Self {
        Self {
            file,
            rows: Vec::new(),
            faces: 0,
        }
    }

    /// Adds the faces of a photo. It is read again: to explain is not the usual thing, and pixels of thousands
    /// of photos are not to be kept for it.
    pub fn add(
        &mut self,
        photo: &Path,
        found: &[Identification],
        report: &Report<'_>,
    ) -> Result<()> {
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
            let rows = explain::rows(report.recognizer, &face.pixels, report.query, |_| heading)?;
            self.rows.extend(rows);
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
            output.say(&format!(
                "only the first {MOST_EXPLAINED} of {} faces are explained",
                self.faces
            ));
        }
        output.say(&format!("wrote {}", shown(self.file.path())));
        Ok(())
    }
}
