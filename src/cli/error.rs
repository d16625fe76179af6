//! Errors that end a command: those of the library, and those that only the program meets.

// The fields say what the message says of them.
#![allow(missing_docs)]

use std::io;
use std::path::PathBuf;

use eigenfaces::error::{PcaError, reason};
use eigenfaces::xmp::XmpProblem;

use super::remedy;

/// The result of whatever a command does.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error that ends a command early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The library could not do it.
    #[error("{}", remedy::in_words(.0))]
    Library(#[from] eigenfaces::Error),

    /// Results cannot be printed.
    #[error("the results cannot be printed ({}); make room, or print them elsewhere", reason(.0))]
    Print(#[source] io::Error),

    /// Not even one thread can be set up.
    #[error(
        "no thread can be started ({reason}); close other programs or raise the limit (ulimit -u)"
    )]
    Threads { reason: String },

    /// A picture cannot be turned into a file.
    #[error("{}: the picture cannot be written ({reason})", .path.display())]
    Encode { path: PathBuf, reason: String },

    /// Photos are to be sorted into a folder above all of them.
    #[error("{}: all photos lie below it, where sorted ones come to stand; name the photos one by one, or sort into another folder", .path.display())]
    SortedWithin { path: PathBuf },

    /// A link to a photo cannot be made.
    #[error("cannot link {}: {reason}", .path.display())]
    Link {
        /// The link that was to be made.
        path: PathBuf,
        /// The reason.
        reason: String,
    },

    /// A folder that looks like none of people.
    #[error("{}: {reason}; {remedy}", .path.display())]
    WrongFolder {
        path: PathBuf,
        /// The objection.
        reason: String,
        /// The option to give instead, or to add.
        remedy: &'static str,
    },

    /// A folder that is followed has nothing in it, while faces would be erased.
    #[error("{}: holds no photo now, so what is gone from it may only be out of reach; mount it, or leave it out to erase what came from it", .path.display())]
    Deserted { path: PathBuf },

    /// A size was asked for, but the model has another.
    #[error("{}: holds faces of {has} pixels, so {asked} cannot be added; leave --size out, or enrol into a new model with --model", .path.display())]
    OtherSize {
        path: PathBuf,
        has: String,
        asked: String,
    },

    /// A framing was asked for, but the model has another.
    #[error("{}: its photos were framed '{has}', so '{asked}' cannot be mixed in; leave --framing out, or enrol into a new model with --model", .path.display())]
    OtherFraming {
        path: PathBuf,
        has: &'static str,
        asked: &'static str,
    },

    /// A light recipe was asked for, but the model has another.
    #[error("{}: its faces were normalized with '{has}', so '{asked}' cannot be mixed in; leave --normalize out, or enrol into a new model with --model", .path.display())]
    OtherLight {
        path: PathBuf,
        has: &'static str,
        asked: &'static str,
    },

    /// A gallery was to be placed in a basis, and there is one with a basis of its own.
    #[error("{}: is there already, with a basis of its own; name another with --model, or add to it with --keep-basis", .path.display())]
    HasBasis { path: PathBuf },

    /// Too few photos would be left to learn from.
    #[error("{}: {left} of its faces would be left, too few for a face space; to erase them all, delete the file", .path.display())]
    TooFewLeft { path: PathBuf, left: usize },

    /// Faces are to be erased, and nobody said yes.
    #[error("{}: {what} would be erased; add --yes to do it, or --dry-run to look first", .path.display())]
    NotConfirmed { path: PathBuf, what: String },

    /// The user said no.
    #[error("{}: nothing was changed", .path.display())]
    Declined { path: PathBuf },

    /// A table of pairs cannot be used.
    #[error("{}: {problem}", .path.display())]
    Pairs {
        /// The file concerned.
        path: PathBuf,
        /// The fault, and its line.
        problem: String,
    },

    /// A file of weights cannot be used.
    #[error("{}: {problem}; give a file that `eigenfaces project` wrote", .path.display())]
    Weights { path: PathBuf, problem: String },

    /// An index of faces cannot be used.
    #[error("{}: {reason}; move it away, and `eigenfaces group` makes it anew (without what was ignored or said to be wrong)", .path.display())]
    FaceIndex {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },

    /// A table of groups cannot be used.
    #[error("{}: {reason}", .path.display())]
    GroupTable {
        /// The file.
        path: PathBuf,
        /// The fault, and the remedy.
        reason: String,
    },

    /// The XMP file beside a photo cannot be read or added to.
    #[error("{}: {problem}", .path.display())]
    Sidecar {
        /// The sidecar.
        path: PathBuf,
        /// The fault.
        problem: XmpProblem,
    },

    /// The page and the API cannot be served.
    #[cfg(feature = "serve")]
    #[error("cannot listen on {address}: {reason}; choose another with --listen 127.0.0.1:PORT")]
    Listen {
        /// The address it was to listen on.
        address: std::net::SocketAddr,
        /// The cause, in a few words.
        reason: String,
    },

    /// The page and the API are to be opened to other machines without a key.
    #[cfg(feature = "serve")]
    #[error(
        "{address} can be reached from other machines: give a key in EIGENFACES_KEY, or listen on 127.0.0.1"
    )]
    OpenWithoutKey {
        /// The address it was to listen on.
        address: std::net::SocketAddr,
    },

    /// The system gives no random numbers, of which keys are made.
    #[cfg(feature = "serve")]
    #[error("the system gives no random numbers for a key: {reason}")]
    NoRandomNumbers {
        /// The cause, in a few words.
        reason: String,
    },

    /// Faces that are added one by one cannot be kept on disk.
    #[cfg(feature = "serve")]
    #[error("{}: cannot be written ({reason}); the face was not added", .path.display())]
    Journal {
        /// The file concerned.
        path: PathBuf,
        /// The cause, in a few words.
        reason: String,
    },
}

impl From<PcaError> for Error {
    fn from(error: PcaError) -> Self {
        Self::Library(error.into())
    }
}
