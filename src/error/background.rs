//! Problems of background models.

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
    #[error(
        "there are too few photos to learn it from, or too few people with two; give more photos"
    )]
    TooFewPhotos,
    /// The checksum or a number in it is wrong.
    #[error("it is damaged; learn it again or fetch another copy")]
    Damaged,
}
