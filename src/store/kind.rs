//! The kind of an archive.

use serde::Deserialize;

use super::Archive;
use crate::error::{ArchiveKind, ModelProblem, Result};

/// The one field of `meta.json` that tells the kind.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    kind: ArchiveKind,
}

impl Archive {
    /// Its kind.
    ///
    /// # Errors
    /// A kind that this program does not know.
    pub fn kind(&self) -> Result<ArchiveKind> {
        Ok(self.meta::<Named>()?.kind)
    }

    /// Fails where it holds something else.
    pub(super) fn expect(&self, wanted: ArchiveKind) -> Result<()> {
        let found = self.kind()?;
        if found == wanted {
            return Ok(());
        }
        Err(self.refuse(ModelProblem::OtherKind { found, wanted }))
    }
}
