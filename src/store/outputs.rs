//! Places where results may be written: one rule for every command that writes.
//!
//! A result never replaces what the same run reads, and never goes through a symbolic link. It replaces a file only
//! where this program wrote that file, and the same command can make it again: neither a model nor a file of
//! somebody else, unless the user says so ([`Overwrite::AnyFile`]).
//!
//! The model that `enroll` and `people` change is no result: it is read first, and refused where it is no model.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::kind::FileKind;
use super::mark;
use super::place::Place;
use super::replace::{self, Existing, Privacy};
use crate::dataset::{FileId, list_photos};
use crate::error::{Error, Result, WriteProblem};

/// Which files a result may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// Those that this program wrote and can make again.
    #[default]
    OwnFiles,
    /// Any but what this run reads: the user asked for it.
    AnyFile,
}

/// The results of one run: each is claimed before it is written, best before the work begins.
#[derive(Debug)]
pub struct Outputs {
    rule: Arc<Rule>,
    claimed: HashSet<PathBuf>,
}

impl Outputs {
    /// Of a run that reads `inputs`: files, and folders of photos. They need not be there.
    pub fn new(inputs: impl IntoIterator<Item = impl Into<PathBuf>>, overwrite: Overwrite) -> Self {
        let rule = Rule {
            inputs: inputs.into_iter().map(Into::into).collect(),
            overwrite,
            files: OnceLock::new(),
        };
        Self {
            rule: Arc::new(rule),
            claimed: HashSet::new(),
        }
    }

    /// The right to write one result there. Nothing is touched yet.
    ///
    /// # Errors
    /// [`Error::Write`]: no file can come to stand there, or one stands there that must not be replaced, or another
    /// result of this run is to.
    pub fn claim(&mut self, path: &Path, kind: FileKind) -> Result<Destination> {
        self.rule.examine(path, kind)?;
        let place = Place::unlinked(path)?;
        // The folder is there: `examine` saw to that.
        let folder = place.folder.canonicalize();
        let whole = folder.unwrap_or_else(|_| place.folder.clone());
        if !self
            .claimed
            .insert(whole.join(place.file.file_name().unwrap_or_default()))
        {
            return Err(refused(path, WriteProblem::NamedTwice));
        }
        Ok(Destination {
            place,
            kind,
            rule: Arc::clone(&self.rule),
        })
    }

    /// As [`claim`](Self::claim), but claims nothing: for places whose folder may yet have to be made. No folder below
    /// `folder` may be a symbolic link either, for it was not the user who named them.
    ///
    /// # Errors
    /// As [`claim`](Self::claim).
    pub fn check_below(&self, folder: &Path, relative: &Path, kind: FileKind) -> Result<()> {
        let mut path = folder.to_owned();
        let parts = relative.components();
        for part in parts.filter(|part| matches!(part, Component::Normal(_))) {
            path.push(part);
            match fs::symlink_metadata(&path) {
                Ok(about) if about.is_symlink() => {
                    return Err(refused(&path, WriteProblem::Link));
                }
                Ok(_) => {}
                Err(_) => return Ok(()),
            }
        }
        self.rule.examine(&path, kind).map(|_| ())
    }
}

/// A place that one result has been granted.
#[derive(Debug)]
#[must_use = "nothing is written yet"]
pub struct Destination {
    place: Place,
    kind: FileKind,
    rule: Arc<Rule>,
}

impl Destination {
    /// As the user wrote it.
    pub fn path(&self) -> &Path {
        &self.place.named
    }

    /// Writes a picture, drawing, table or page, with the mark by which it is known again.
    ///
    /// # Errors
    /// As [`write_with`](Self::write_with).
    pub fn write(&self, privacy: Privacy, content: Vec<u8>) -> Result<()> {
        let content = mark::marked(content);
        self.write_with(privacy, |out| out.write_all(&content))
    }

    /// Writes the file, whole or not at all: see [`replace_file`](super::replace_file).
    ///
    /// # Errors
    /// [`Error::Write`]: among others, that something came to stand there meanwhile which must not be replaced.
    pub fn write_with(
        &self,
        privacy: Privacy,
        write: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<()>,
    ) -> Result<()> {
        let permit = || self.rule.examine(&self.place.named, self.kind);
        replace::install(&self.place, privacy, permit, write)
    }

    /// Removes what this program wrote there earlier; anything else stays, without a word.
    pub fn forget(self) {
        if let Ok(Existing::Replaceable) = self.rule.examine(&self.place.named, self.kind)
            && mark::written_here(&self.place.file) == Some(self.kind)
        {
            let _ = fs::remove_file(&self.place.file);
        }
    }
}

#[derive(Debug)]
struct Rule {
    inputs: Vec<PathBuf>,
    overwrite: Overwrite,
    /// The files among the inputs and in their folders; looked for when they are first asked for.
    files: OnceLock<HashSet<FileId>>,
}

impl Rule {
    /// The file that is there, if it may be replaced by such a file.
    fn examine(&self, path: &Path, kind: FileKind) -> Result<Existing> {
        let place = Place::unlinked(path)?;
        let about = match fs::symlink_metadata(&place.file) {
            Ok(about) => about,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Existing::Nothing);
            }
            Err(error) => return Err(place.error(error)),
        };
        if self.is_input(path) {
            return Err(refused(path, WriteProblem::Input));
        }
        // An empty file holds nothing that could be lost; `mktemp` makes them.
        if self.overwrite == Overwrite::AnyFile || about.len() == 0 {
            return Ok(Existing::Replaceable);
        }
        match mark::written_here(&place.file) {
            Some(found) if found == kind => Ok(Existing::Replaceable),
            Some(found) => Err(refused(path, WriteProblem::OtherKind(found.name()))),
            None => Err(refused(path, WriteProblem::Foreign)),
        }
    }

    fn is_input(&self, path: &Path) -> bool {
        let files = self.files.get_or_init(|| {
            let mut files = HashSet::new();
            for input in self.inputs.iter().filter(|input| input.exists()) {
                files.insert(FileId::of(input));
                if input.is_dir()
                    && let Ok(listing) = list_photos(std::slice::from_ref(input))
                {
                    files.extend(listing.photos.iter().map(|photo| FileId::of(photo)));
                }
            }
            files
        });
        files.contains(&FileId::of(path))
    }
}

fn refused(path: &Path, problem: WriteProblem) -> Error {
    Error::write(path, problem)
}
