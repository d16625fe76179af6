//! Errors of faces and of the background model.

// The fields say what the message says of them.
#![allow(missing_docs)]

use exact_pca::PcaError;

/// The result of what can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why faces cannot be taken, or nothing can be learned of them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A face size that is not `WIDTHxHEIGHT` or is out of bounds.
    #[error("'{given}' is not a face size; write WIDTHxHEIGHT such as 92x112, each side from 8 to 1000 pixels")]
    FaceSize { given: String },

    /// Pixels that do not make up whole faces of the size at hand.
    #[error("{given} pixels do not make {expected} of {size} pixels; bring every face to one size first")]
    FaceShape { given: String, expected: String, size: String },

    /// A face that is not in the matrix was asked for.
    #[error("there is no face number {index} among {count}; count from 0")]
    NoSuchFace { index: usize, count: usize },

    /// Faces to learn from that have another size, or not as many marks.
    #[error("the faces to learn from are not of the size that is described, or not as many as their marks")]
    Inconsistent,

    /// A background model cannot be read or learned.
    #[error("the background model cannot be used: {problem}")]
    Background { problem: BackgroundProblem },

    /// The background model inside the program cannot be read.
    #[error("the background model inside this program is damaged; install the program again")]
    BackgroundDamaged,

    /// Descriptions have no principal components.
    #[error(transparent)]
    Pca(#[from] PcaError),
}

/// The reason why a background model cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BackgroundProblem {
    /// The file is something else.
    #[error("it is no background model")]
    NoModel,
    /// The file was written by another version.
    #[error("it has format version {version}, which this program does not read; learn it again")]
    OtherVersion { version: u16 },
    /// There is too little to learn one from.
    #[error("there are too few photos to learn it from, or too few people with two; give more photos")]
    TooFewPhotos,
    /// There are too few people to learn one from.
    #[error(
        "it would be learned from {there} people with two photos or more, and {fewest} are the fewest; from {enough} on it is of use"
    )]
    FewPeople { there: usize, fewest: usize, enough: usize },
    /// The checksum or a number in it is wrong.
    #[error("it is damaged; learn it again or fetch another copy")]
    Damaged,
}
