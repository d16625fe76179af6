//! Places where results may be written: one rule for every command that writes.
//!
//! A result never replaces what the same run reads, and never goes through a symbolic link. It replaces no file at all
//! unless the user says so ([`Overwrite::AnyFile`]), or the file lies in a folder that this program made for its results.
//!
//! The model that `enroll` and `people` change is no result: it is read first, and refused where it is no model.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::replace::{self, Existing, Privacy};
use super::target::TargetFile;
use crate::dataset::{FileId, list_photos, marked};
use crate::error::{Error, Result, WriteProblem};

/// Which files a result may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// None but those in folders that this program made for results.
    #[default]
    Results,
    /// Any but what this run reads: the user asked for it.
    AnyFile,
}

/// The results of one run: each is claimed before it is written, best before the work begins.
#[derive(Debug, Clone)]
pub struct Outputs(Arc<Rule>);

impl Outputs {
    /// Of a run that reads `inputs`: files, and folders of photos. They need not be there.
    pub fn new(inputs: impl IntoIterator<Item = impl Into<PathBuf>>, overwrite: Overwrite) -> Self {
        let inputs = inputs.into_iter().map(Into::into).collect();
        let rule = Rule { inputs, overwrite, files: OnceLock::new(), claimed: Mutex::default() };
        Self(Arc::new(rule))
    }

    /// The right to write one result there. Nothing is touched yet.
    /// Errors: [`Error::Write`]: no file can come to stand there, or one stands there that must not be replaced, or another
    /// result of this run is to.
    pub fn claim(&self, path: &Path) -> Result<Destination> {
        self.0.examine(path)?;
        let place = TargetFile::unlinked(path)?;
        // The folder is there: `examine` saw to that.
        let folder = place.folder.canonicalize();
        let whole = folder.unwrap_or_else(|_| place.folder.clone());
        let claimed = whole.join(place.file.file_name().unwrap_or_default());
        let mut others = self.0.claimed.lock().unwrap_or_else(PoisonError::into_inner);
        if !others.insert(claimed) {
            return Err(Error::write(path, WriteProblem::NamedTwice));
        }
        Ok(Destination { place, rule: Arc::clone(&self.0) })
    }

    /// As [`claim`](Self::claim), but claims nothing, for folders yet to be made: those below `folder`, which no user named,
    /// may be no symbolic links either.
    /// Errors: As [`claim`](Self::claim).
    pub fn check_below(&self, folder: &Path, relative: &Path) -> Result<()> {
        let mut path = folder.to_owned();
        for part in relative.components().filter(|part| matches!(part, Component::Normal(_))) {
            path.push(part);
            match fs::symlink_metadata(&path) {
                Ok(about) if about.is_symlink() => return Err(Error::write(&path, WriteProblem::Link)),
                Ok(_) => {}
                Err(_) => return Ok(()),
            }
        }
        self.0.examine(&path).map(|_| ())
    }
}

/// A place that one result has been granted.
#[derive(Debug)]
#[must_use = "nothing is written yet"]
pub struct Destination {
    place: TargetFile,
    rule: Arc<Rule>,
}

impl Destination {
    /// As the user wrote it.
    pub fn path(&self) -> &Path {
        &self.place.named
    }

    /// Writes a picture, drawing, table or page; a picture with the mark by which it is known again.
    /// Errors: As [`write_with`](Self::write_with).
    pub fn write(&self, privacy: Privacy, content: Vec<u8>) -> Result<()> {
        let content = marked(content);
        self.write_with(privacy, |out| out.write_all(&content))
    }

    /// Writes the file, whole or not at all: see [`replace_file`](super::replace_file).
    /// Errors: [`Error::Write`]: among others, that something came to stand there meanwhile which must not be replaced.
    pub fn write_with(
        &self,
        privacy: Privacy,
        write: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<()>,
    ) -> Result<()> {
        replace::install(&self.place, privacy, || self.rule.examine(&self.place.named), write)
    }

    /// Removes a result of an earlier run, where there is one in a folder of results; anything else stays, without a word.
    pub fn forget(self) {
        if is_among_results(&self.place.named) {
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
    claimed: Mutex<HashSet<PathBuf>>,
}

impl Rule {
    /// The file that is there, if it may be replaced by such a file.
    fn examine(&self, path: &Path) -> Result<Existing> {
        let place = TargetFile::unlinked(path)?;
        let about = match fs::symlink_metadata(&place.file) {
            Ok(about) => about,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Existing::Nothing),
            Err(error) => return Err(place.error(error)),
        };
        if self.is_input(path) {
            return Err(Error::write(path, WriteProblem::Input));
        }
        // An empty file holds nothing that could be lost; `mktemp` makes them.
        match self.overwrite == Overwrite::AnyFile || about.len() == 0 || is_among_results(path) {
            true => Ok(Existing::Replaceable),
            false => Err(Error::write(path, WriteProblem::Exists)),
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

/// The empty file that marks a folder as one of results: whatever lies in it may be replaced.
const MARKER: &str = ".eigenfaces-results";

/// Makes a folder for results, where it is missing, and those around it. One that was missing or empty, and lies in no
/// other such folder, is marked: what lies in it may be replaced by later runs.
/// Errors: A folder that cannot be made or written to.
pub fn make_results_folder(folder: &Path) -> Result<()> {
    let failed = |error| Error::folder(folder, error);
    fs::create_dir_all(folder).map_err(failed)?;
    let is_empty = fs::read_dir(folder).map_err(failed)?.next().is_none();
    let marker = folder.join(MARKER);
    if is_empty && !is_among_results(&marker) {
        // Photos are handled side by side: another thread may have found the folder empty too, and marked it.
        match OpenOptions::new().write(true).create_new(true).open(marker) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(failed(error)),
            _ => {}
        }
    }
    Ok(())
}

fn is_among_results(path: &Path) -> bool {
    let mut folders = path.ancestors().skip(1);
    folders.any(|folder| folder.join(MARKER).is_file())
}
