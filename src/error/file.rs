//! Problems of models and other files.

use std::io;
use std::path::PathBuf;

use face_regions::EmbedProblem;

use super::ArchiveKind;

/// The reason why a model file cannot be used. Carries no path: [`Error::Model`](super::Error::Model) does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelProblem {
    #[error("there is no such model: enrol people first, or name another file")]
    Missing,

    #[error("no permission to read it: a model is its owner's alone; ask them, or name another file")]
    NotPermitted,

    #[error("is a folder, not a model file: name an .npz file that eigenfaces wrote")]
    Folder,

    #[error("is a device or pipe, not a model file: a model must be an ordinary file")]
    NotAFile,

    #[error("is empty: take it from a backup, or delete it and enrol again")]
    Empty,

    #[error("is not a model file (not even a zip archive): name an .npz file that eigenfaces wrote")]
    NotAModel,

    #[error("is a zip archive, but not an eigenfaces model: name an .npz file that eigenfaces wrote")]
    OtherArchive,

    #[error("was cut short, or repacked by another program: take it from a backup, or enrol again into a new file")]
    CutShort,

    #[error("is damaged (its checksum is wrong): take it from a backup, or enrol again into a new file")]
    Damaged,

    #[error("was made by a newer eigenfaces (format {found}, this program reads up to {newest}): update the program")]
    Newer { found: u64, newest: u64 },

    /// Another kind of file of this program.
    #[error("is {}, not {}: {}", .found.name(), .wanted.name(), .wanted.remedy(*.found))]
    OtherKind { found: ArchiveKind, wanted: ArchiveKind },

    /// The bytes are those that were written, but not as this program writes them.
    #[error("is not laid out as a model is ({reason}): do not use it unless you trust its maker")]
    Layout { reason: String },

    /// A member that is no array (`meta.json`) does not hold what it should.
    #[error("holds a {member} with unexpected contents ({reason}): take the model from a backup")]
    Json { member: String, reason: String },

    #[error("array `{array}` {problem}: take the model from a backup")]
    Array { array: String, problem: ArrayProblem },
}

impl ModelProblem {
    pub(crate) fn json(member: &str, reason: impl Into<String>) -> Self {
        let (member, reason) = (member.to_owned(), reason.into());
        Self::Json { member, reason }
    }

    pub(crate) fn layout(reason: impl Into<String>) -> Self {
        Self::Layout { reason: reason.into() }
    }
}

/// The fault of one array of a model file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayProblem {
    #[error("is missing")]
    Missing,

    #[error("is not in NumPy's format")]
    NotNumPy,

    #[error("is in version {major}.{minor} of NumPy's format, where models have 1.0")]
    Version { major: u8, minor: u8 },

    #[error("has a header that cannot be understood")]
    Header,

    #[error("is in Fortran order: save it by numpy.ascontiguousarray, in C order")]
    FortranOrder,

    #[error("has numbers of type `{found}` instead of `{expected}`")]
    Type { found: String, expected: String },

    #[error("has numbers of type `{found}`: save it as numpy.ascontiguousarray(array, \"float32\")")]
    NoFloats { found: String },

    #[error("has the shape {} instead of {}", shape_in_words(.found), shape_in_words(.expected))]
    Shape { found: Vec<usize>, expected: Vec<usize> },

    #[error("claims the shape {}, but holds {bytes} bytes", shape_in_words(.shape))]
    Length { shape: Vec<usize>, bytes: usize },

    #[error("has a value out of range (the one at position {at}, from 0)")]
    Number { at: usize },

    #[error("has text with an impossible character at row {row}")]
    Text { row: usize },
}

/// `[]` is "a single value", `[3]` is "3", `[3, 4]` is "3 x 4".
fn shape_in_words(shape: &[usize]) -> String {
    if shape.is_empty() {
        return "of a single value".to_owned();
    }
    let sides: Vec<String> = shape.iter().map(usize::to_string).collect();
    sides.join(" x ")
}

/// The reason why a file cannot be written. Carries no path: [`Error::Write`](super::Error::Write) does.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteProblem {
    #[error("the folder {} does not exist: make it first, or choose another place", .0.display())]
    NoFolder(PathBuf),

    #[error("cannot be written, for {} is not a folder: choose another place", .0.display())]
    NotInFolder(PathBuf),

    #[error("is a folder: name a file, or move the folder away")]
    Folder,

    #[error("is a device, a pipe or a broken link, not an ordinary file: name another file")]
    NotAFile,

    #[error(
        "is a symbolic link, and results are not written through links: name the file itself, or put it in the place of the link"
    )]
    Link,

    #[error("is read by this command, and its result would replace it: name another file or folder for the result")]
    Input,

    #[error("is there already: name another file, or ask for it to be replaced")]
    Exists,

    #[error("is there already and is no index of faces: name another file")]
    NoIndex,

    #[error("was changed by another program meanwhile: it is left as it is; run this again")]
    Changed,

    /// A table in which somebody has typed names or answers.
    #[error(
        "has names typed in that are not all applied, or can no longer be read, and would be lost: apply it first, name another folder, or ask for it to be replaced"
    )]
    Named,

    #[error("is named for two results of this command: name another file for one of them")]
    NamedTwice,

    /// No packet can be put into a photo.
    #[error("is left as it is: {0}")]
    Xmp(#[from] EmbedProblem),

    #[error("no permission to write into the folder {}: change its permissions, or choose another place", .0.display())]
    NotPermitted(PathBuf),

    #[error("the disk is full: free some space and try again; the old file, if any, is untouched")]
    DiskFull,

    #[error(
        "is larger than files may be here (file system, quota or `ulimit -f`): choose another place; the old file, if any, is untouched"
    )]
    TooLarge,

    #[error("cannot be written: {0}")]
    Other(#[source] io::Error),
}

/// The process that holds the lock of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockHolder {
    /// Its process id.
    pub pid: u32,
    /// Its command, such as `eigenfaces serve`; empty if it gave none.
    pub command: String,
}

impl std::fmt::Display for LockHolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.command.as_str() {
            "" => write!(f, "process {}", self.pid),
            command => write!(f, "`{command}` (process {})", self.pid),
        }
    }
}
