//! The kinds of archives that this program writes, and what to do with one of another kind than is needed.

use serde::{Deserialize, Serialize};

/// The kinds of archives. Models, which came first, do not name theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArchiveKind {
    /// A recogniser: see `store::save`.
    #[default]
    Model,
    /// The faces found in a folder of photos: see `store::save_face_index`.
    Faces,
    /// A background model: see `store::save_background`.
    Background,
}

impl ArchiveKind {
    /// A file of this kind, in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "a model with people enrolled",
            Self::Faces => "an index of faces",
            Self::Background => "a background model",
        }
    }

    /// The remedy where a file of this kind is wanted and one of another is given.
    pub(super) fn remedy(self, found: Self) -> &'static str {
        match (self, found) {
            (Self::Background, _) => "`eigenfaces background` learns one; name another file",
            (Self::Model, Self::Faces) => "`eigenfaces group` made it of a folder of photos; name another file",
            (Self::Model, _) => "`eigenfaces enroll` learns one; name another file",
            (Self::Faces, _) => "move it away, and `eigenfaces group` makes an index anew",
        }
    }
}
