//! The kinds of archives that this program writes, and what to do with one of another kind than is needed.

use serde::{Deserialize, Serialize};

/// The kinds of archives. Models, which came first, do not name theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArchiveKind {
    /// A recogniser: see `store::save`.
    #[default]
    Model,
    /// A worker's sums: see `store::write_partial`.
    Partial,
    /// A basis without a gallery: see `store::write_merged_basis`.
    Basis,
    /// The faces found in a folder of photos: see `store::save_face_index`.
    Faces,
}

impl ArchiveKind {
    /// A file of this kind, in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "a model with people enrolled",
            Self::Partial => "a worker's part of a basis",
            Self::Basis => "a basis with nobody enrolled",
            Self::Faces => "an index of faces",
        }
    }

    /// The remedy where a file of this kind is given and one of another is needed.
    pub(super) fn remedy(self, wanted: Self) -> &'static str {
        match (self, wanted) {
            (Self::Partial, Self::Model | Self::Basis) => {
                "make a basis of all parts with `eigenfaces merge`, then enrol people with that basis"
            }
            (Self::Basis, Self::Model) => "enrol people with this file as their basis",
            (Self::Model, Self::Basis) => {
                "add people to it with its basis kept, or name the file that `eigenfaces merge` wrote"
            }
            (Self::Faces, _) => {
                "`eigenfaces group` made it of a folder of photos; name another file"
            }
            (_, Self::Faces) => "move it away, and `eigenfaces group` makes an index anew",
            (Self::Basis, _) => {
                "nothing can be added to a basis any more; name the parts themselves, or the part that some were merged to"
            }
            _ => "name files that `eigenfaces partial` wrote",
        }
    }
}
