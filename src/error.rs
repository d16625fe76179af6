//! Everything that can go wrong, in the words the user will read.
//!
//! Each message names the thing concerned and, where there is one, the remedy. Messages are one line.

// The fields say what the message says of them.
#![allow(missing_docs)]

mod archive;
mod database;
mod file;
mod photo;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use archive::ArchiveKind;
pub use database::DatabaseProblem;
pub use exact_pca::PcaError;
pub use face_likelihood::{BackgroundProblem, Error as LikelihoodError};
pub use face_locator::LocateError;
pub use file::{ArrayProblem, LockHolder, ModelProblem, WriteProblem};
pub use photo::PhotoProblem;

/// The result of anything in this library that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure that ends the work at hand (a bad photo among many does not: see [`PhotoProblem`]).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// One photo cannot be used and there was no other to go on with.
    #[error("{}: {problem}", .path.display())]
    Photo { path: PathBuf, problem: PhotoProblem },

    /// Labels that name single faces are asked for where whole photos are labelled.
    #[error(
        "labels from xmp name faces, and here photos are labelled: enrol them first, or label photos by their folders"
    )]
    LabelsOfFaces,

    /// Labels from XMP were asked for, and no face is named.
    #[error("{}: nobody has named a face of its photos in XMP (names that this program wrote are guesses); name some in a photo manager, or label photos by their folders", .path.display())]
    NoNamedFaces { path: PathBuf },

    /// The work was ended because it was wanted no longer.
    #[error("cancelled: nothing was changed")]
    Cancelled,

    /// A photo is to be enrolled that is enrolled as somebody else.
    #[error("this photo is enrolled as {person} already; remove it there first")]
    PhotoOfOther { person: String },

    /// A path given by the user leads nowhere.
    #[error("{}: no such file or folder; check the spelling", .path.display())]
    NoSuchPath { path: PathBuf },

    /// A path given by the user is there but cannot be read.
    #[error("{}: cannot be read ({reason}); check its permissions", .path.display())]
    UnreadablePath { path: PathBuf, reason: String },

    /// A folder holds nothing that could be a photo.
    #[error(
        "{}: holds no photo; give a folder with one sub-folder of photos per person, or photos named like 'Ada Lovelace 1.jpg'",
        .path.display()
    )]
    NoPhotos { path: PathBuf },

    /// A folder that a gallery is to follow holds no photo: one that is not mounted looks like this.
    #[error(
        "{}: holds no photo now, so what is gone from it may only be out of reach; mount it, or leave it out to erase what came from it",
        .path.display()
    )]
    Deserted { path: PathBuf },

    /// A folder holds nothing that could be a photo, and photos of anybody would do.
    #[error("{}: holds no photo, nor do the folders in it; give photos, or a folder with some", .path.display())]
    NothingToLookAt { path: PathBuf },

    /// The table of labels cannot be used.
    #[error("{}: {problem}; each row must be 'path,person'", .path.display())]
    Labels {
        path: PathBuf,
        /// The fault, and its line.
        problem: String,
    },

    /// A rule for labels is something else than its four forms.
    #[error("'{given}' is no way to label photos; use folder, stem, xmp or the path of a .csv file")]
    LabelRule { given: String },

    /// A text that cannot be a person's name.
    #[error("'{given}' cannot be a person's name: {reason}", given = .given.escape_debug())]
    PersonName { given: String, reason: &'static str },

    /// A model file cannot be used. Whatever is there is left as it is.
    #[error("{}: {problem}", .path.display())]
    Model { path: PathBuf, problem: ModelProblem },

    /// The operating system would not let a file be read.
    #[error("{}: cannot be read ({}); check that it is there and its permissions", .path.display(), reason(.source))]
    Read { path: PathBuf, source: io::Error },

    /// A file cannot be written. What stood there before still stands there.
    #[error("{}: {problem}", .path.display())]
    Write { path: PathBuf, problem: WriteProblem },

    /// Another process is changing the model.
    #[error(
        "{}: is in use by {}: wait until that is done, or stop it",
        .path.display(),
        .holder.as_ref().map_or_else(|| "another process".to_owned(), |holder| holder.to_string())
    )]
    Locked {
        path: PathBuf,
        /// `None` when the holder has not yet put its name into the lock file.
        holder: Option<LockHolder>,
    },

    /// A name was given that nobody enrolled has.
    #[error(
        "nobody enrolled is called '{name}'{}",
        .nearest.as_ref().map_or_else(
            || "; look through the list of people".to_owned(),
            |nearest| format!("; did you mean '{nearest}'?")
        )
    )]
    NoSuchPerson {
        name: String,
        /// The nearest spelling of somebody enrolled.
        nearest: Option<String>,
    },

    /// A photo was named that is not enrolled.
    #[error("no photo '{photo}' is enrolled; name its source or 8 or more digits of its hash")]
    NoSuchPhoto { photo: String },

    /// The digits given fit the hashes of several photos.
    #[error("the hashes of {count} photos begin with '{photo}'; give more digits")]
    ManyPhotos { photo: String, count: usize },

    /// A person was to get a name that another has.
    #[error("'{name}' is enrolled already; to make both one person, merge them")]
    NameTaken { name: String },

    /// A person was to get the name that they have.
    #[error("'{name}' is this person's name already; nothing is left to do")]
    SameName { name: String },

    /// A person was to be merged into themselves.
    #[error("'{name}' cannot be merged into itself; name another person")]
    MergedIntoItself { name: String },

    /// No change is known that could be undone.
    #[error("nothing to undo: the last 20 changes can be, but what was erased is gone for good")]
    NothingToUndo,

    /// Faces cannot be taken as they are, or a background model cannot be used.
    #[error(transparent)]
    Likelihood(LikelihoodError),

    /// A face space cannot be learned from the faces given.
    #[error(transparent)]
    Pca(#[from] PcaError),

    /// There are photos, but not one can be used.
    #[error("{}: {}", .path.display(), if *.count == 1 { "its only photo cannot be used; the message about it says why".to_owned() } else { format!("none of its {count} photos can be used; the message about each says why") })]
    NoneUsable { path: PathBuf, count: usize },

    /// There are photos, but none of them shows a face.
    #[error("{}: no face was found in {count} of {count} photos", .path.display())]
    NoFaces { path: PathBuf, count: usize },

    /// Nobody can be mistaken for anybody else.
    #[error("{people} person is there, and evaluating needs 2 or more: give a folder with a sub-folder for each")]
    TooFewToEvaluate { people: usize },

    /// The protocol leaves no photo to try.
    #[error(
        "protocol {protocol} leaves no photo to try: people are tried on photos that were not learned from (alike ones count once), and the most that anybody has is {most}; add photos, or learn from fewer"
    )]
    NothingToTry { protocol: String, most: usize },

    /// A kernel of scaled pixels was asked for.
    #[error("a kernel compares gray levels as they are, so pixels cannot be scaled for it")]
    PixelsNotScaled,

    /// Parts of a recogniser that do not belong together.
    #[error("the parts of the model do not fit together; enrol again")]
    Inconsistent,

    /// Whether photos show one person cannot be told.
    #[error("with {people} enrolled there are too few people to tell the same from another; enrol {enough} or more")]
    TooFewToVerify { people: usize, enough: usize },

    /// A folder for results cannot be made.
    #[error("{}: this folder cannot be made ({}); choose another place", .path.display(), reason(.source))]
    MakeFolder { path: PathBuf, source: io::Error },

    /// Photos are to be framed otherwise than those of the model.
    #[error("{}: its photos were framed '{has}', so '{asked}' cannot be mixed in; leave --framing out, or enrol into a new model with --model", .path.display())]
    OtherFraming { path: PathBuf, has: &'static str, asked: &'static str },

    /// Standard output is closed, or a disk behind it full.
    #[error("the results cannot be printed ({}); make room, or print them elsewhere", reason(.0))]
    Print(#[source] io::Error),

    /// Anything else, in words for the user.
    #[error("{0}")]
    Told(String),

    /// The gallery in a database cannot be used.
    #[error("{address}: {problem}")]
    Database {
        /// The address, without the password.
        address: String,
        problem: DatabaseProblem,
    },
}

impl From<LikelihoodError> for Error {
    fn from(error: LikelihoodError) -> Self {
        match error {
            LikelihoodError::Pca(error) => Self::Pca(error),
            LikelihoodError::Inconsistent => Self::Inconsistent,
            error => Self::Likelihood(error),
        }
    }
}

impl Error {
    /// A photo that cannot be used.
    pub fn photo(path: impl Into<PathBuf>, problem: PhotoProblem) -> Self {
        Self::Photo { path: path.into(), problem }
    }

    /// A path at which nothing is.
    pub fn missing(path: impl Into<PathBuf>) -> Self {
        Self::NoSuchPath { path: path.into() }
    }

    /// A file that cannot be written.
    pub fn write(path: impl Into<PathBuf>, problem: WriteProblem) -> Self {
        Self::Write { path: path.into(), problem }
    }

    /// A file that the operating system would not let be read.
    pub fn read(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Read { path: path.into(), source }
    }

    /// A path that is there but cannot be read, with the cause in a few words.
    pub fn unreadable(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        let (path, reason) = (path.into(), reason.into());
        Self::UnreadablePath { path, reason }
    }

    /// The fault of a file or folder, and the remedy, in words.
    pub fn about(path: &Path, what: impl fmt::Display) -> Self {
        Self::Told(format!("{}: {what}", path.display()))
    }

    /// A folder for results that cannot be made.
    pub fn folder(path: &Path, source: io::Error) -> Self {
        Self::MakeFolder { path: path.to_owned(), source }
    }
}

/// The operating system's message in plain words, without its number for it.
pub fn reason(error: &io::Error) -> String {
    use io::ErrorKind as Kind;
    let plain = match error.kind() {
        Kind::NotFound => "no such file or folder",
        Kind::PermissionDenied => "permission denied",
        Kind::IsADirectory => "it is a folder",
        Kind::NotADirectory => "not a folder",
        Kind::AlreadyExists => "a file of this name is there",
        Kind::StorageFull => "the disk is full",
        Kind::ReadOnlyFilesystem => "nothing can be written to this disk",
        _ => return error.to_string().split(" (os error").next().unwrap_or_default().to_owned(),
    };
    plain.to_owned()
}
