//! Errors that end a command: those of the library, and those that only the program meets.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use eigenfaces::error::{LikelihoodError, PcaError, reason};

use super::remedy;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error that ends a command early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{}", remedy::in_words(.0))]
    Library(#[from] eigenfaces::Error),

    #[error("the results cannot be printed ({}); make room, or print them elsewhere", reason(.0))]
    Print(#[source] io::Error),

    #[error("{}: its photos were framed '{has}', so '{asked}' cannot be mixed in; leave --framing out, or enrol into a new model with --model", .path.display())]
    OtherFraming {
        path: PathBuf,
        has: &'static str,
        asked: &'static str,
    },

    /// Whatever is told to the user and to nobody else, in words.
    #[error("{0}")]
    Told(String),
}

impl Error {
    /// What is wrong with a file or folder, and the remedy.
    pub fn about(path: &Path, what: impl Display) -> Self {
        Self::Told(format!("{}: {what}", path.display()))
    }

    pub fn unwritten(path: &Path, reason: impl Display) -> Self {
        let what = format!("the picture cannot be written ({reason})");
        Self::about(path, what)
    }

    /// A part of the program that stands behind a feature which this build has not.
    #[cfg(not(all(feature = "postgres", feature = "serve")))]
    pub fn not_built(part: &str, feature: &str) -> Self {
        Self::Told(format!(
            "this program was built without {part}: cargo install eigenfaces --features {feature}"
        ))
    }

    pub fn declined(path: &Path) -> Self {
        Self::about(path, "nothing was changed")
    }
}

impl From<LikelihoodError> for Error {
    fn from(error: LikelihoodError) -> Self {
        Self::Library(error.into())
    }
}

impl From<PcaError> for Error {
    fn from(error: PcaError) -> Self {
        Self::Library(error.into())
    }
}
