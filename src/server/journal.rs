//! Faces that were added and are not learned yet: in memory and, before an addition is acknowledged, on disk.
//!
//! Programs that train add one photo after the other. Each is safe at once, and all are learned together.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use eigenfaces::dataset::Person;
use eigenfaces::gallery::LabeledFace;
use serde::{Deserialize, Serialize};

use crate::cli::error::{Error, Result};

/// The file beside the model, a JSON object a line, and what it holds.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Option<File>,
    faces: Vec<LabeledFace>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    person: String,
    source: String,
    hash: String,
    pixels: String,
}

impl Line {
    fn of(face: &LabeledFace) -> Self {
        Self {
            person: face.person.to_string(),
            source: face.source.clone(),
            hash: face.hash.to_string(),
            pixels: STANDARD.encode(&face.pixels),
        }
    }

    fn face(self) -> Option<LabeledFace> {
        Some(LabeledFace {
            person: Person::new(&self.person).ok()?,
            source: self.source,
            hash: self.hash.parse().ok()?,
            pixels: STANDARD.decode(self.pixels).ok()?,
            origin: eigenfaces::preparation::Origin::Whole,
        })
    }
}

impl Journal {
    /// Reads the journal that an earlier run left; empty where there is none. A last line that was not finished was
    /// not acknowledged.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn open(model: &Path) -> Result<Self> {
        let name = model
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let path = model.with_file_name(format!(".{name}.added"));
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => {
                return Err(eigenfaces::Error::unreadable(path, error.to_string()).into());
            }
        };
        let lines = text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        let faces = lines.filter_map(|line| serde_json::from_str::<Line>(line).ok()?.face());
        Ok(Self {
            faces: faces.collect(),
            path,
            file: None,
        })
    }

    /// The faces, in the order in which they were added.
    pub fn faces(&self) -> &[LabeledFace] {
        &self.faces
    }

    /// Adds a face. It is on disk when this returns.
    ///
    /// # Errors
    /// A disk that is full.
    pub fn add(&mut self, face: LabeledFace) -> Result<()> {
        let line = serde_json::to_string(&Line::of(&face)).map_err(io::Error::other);
        line.and_then(|line| self.write(&line)).map_err(|error| {
            let what = format_args!("cannot be written ({error}); the face was not added");
            Error::about(&self.path, what)
        })?;
        self.faces.push(face);
        Ok(())
    }

    /// Appends a line; where that fails, the file is as it was.
    fn write(&mut self, line: &str) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let mut options = OpenOptions::new();
                options.create(true).append(true);
                #[cfg(unix)]
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
                self.file.insert(options.open(&self.path)?)
            }
        };
        let before = file.metadata()?.len();
        let written = writeln!(file, "{line}").and_then(|()| file.sync_data());
        if written.is_err() {
            file.set_len(before)?;
        }
        written
    }

    /// Forgets all: they are in the model now, or erased.
    pub fn clear(&mut self) {
        self.faces.clear();
        self.file = None;
        let _ = fs::remove_file(&self.path);
    }
}
