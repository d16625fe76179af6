//! What an archive of this program holds.

use serde::{Deserialize, Serialize};

use super::Archive;
use crate::error::{ModelProblem, Result};

/// The kinds of archives. Models, which came first, do not name theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A recogniser: see [`save`](super::save).
    #[default]
    Model,
    /// A worker's sums: see [`save_partial`](super::save_partial).
    Partial,
    /// A basis without a gallery: see [`save_merged_basis`](super::save_merged_basis).
    Basis,
    /// The faces found in a folder of photos: see [`save_face_index`](super::save_face_index).
    Faces,
}

/// The one field of `meta.json` that tells the kind.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    kind: Kind,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Model => "a model with people enrolled",
            Self::Partial => "a worker's part of a basis",
            Self::Basis => "a basis with nobody enrolled",
            Self::Faces => "an index of faces",
        }
    }

    /// What to do with a file of the first kind where one of the second is needed.
    fn remedy(found: Self, wanted: Self) -> &'static str {
        match (found, wanted) {
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

impl Archive {
    /// What it holds.
    ///
    /// # Errors
    /// A kind that this program does not know.
    pub fn kind(&self) -> Result<Kind> {
        Ok(self.meta::<Named>()?.kind)
    }

    /// Fails where it holds something else.
    pub(super) fn expect(&self, wanted: Kind) -> Result<()> {
        let found = self.kind()?;
        if found == wanted {
            return Ok(());
        }
        Err(self.refuse(ModelProblem::OtherKind {
            found: found.name(),
            wanted: wanted.name(),
            remedy: Kind::remedy(found, wanted),
        }))
    }
}

/// What a file of this program is, as far as replacing it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A picture, table or page that was made from a model or from photos.
    Derived,
    /// A plan of learning that is shared out.
    Plan,
    /// A model, a worker's part or a basis.
    Archive(Kind),
}

impl FileKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Derived => "a result of another command",
            Self::Plan => "a plan for workers",
            Self::Archive(kind) => kind.name(),
        }
    }
}
