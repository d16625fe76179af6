//! A background model of one's own, as a file and inside the models of the galleries that it compares.

use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Archive, ArchiveWriter, Destination};
use crate::background::{OwnBackground, Provenance};
use crate::error::{ArchiveKind, Error, Result};

const ARRAY: &str = "background_model";

/// Its entry in `meta.json`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OwnMeta {
    #[serde(flatten)]
    provenance: Provenance,
    /// Length of the array.
    bytes: usize,
}

#[derive(Serialize, Deserialize)]
struct Meta {
    kind: ArchiveKind,
    #[serde(flatten)]
    own: OwnMeta,
}

impl OwnMeta {
    pub(super) fn of(own: OwnBackground) -> Self {
        Self { provenance: own.provenance().clone(), bytes: own.bytes().len() }
    }

    pub(super) fn read(&self, archive: &Archive) -> Result<OwnBackground> {
        let bytes = archive.bytes(ARRAY, &[self.bytes])?;
        OwnBackground::from_bytes(bytes, self.provenance.clone()).map_err(|error| archive.misfit(error.to_string()))
    }
}

pub(super) fn write<W: Write>(archive: &mut ArchiveWriter<W>, own: OwnBackground) -> io::Result<()> {
    archive.add_bytes(ARRAY, &[own.bytes()])
}

/// Writes a background model, whole or not at all.
///
/// # Errors
/// A place that cannot be written.
pub fn save_background(own: OwnBackground, file: &Destination) -> Result<()> {
    file.write_with(super::Privacy::Personal, |out| {
        let meta = Meta { kind: ArchiveKind::Background, own: OwnMeta::of(own) };
        let mut archive = ArchiveWriter::new(out, &meta)?;
        write(&mut archive, own)?;
        archive.finish().map(|_| ())
    })
}

/// Reads a background model, and takes it into use.
///
/// # Errors
/// A file that is not there, is no background model, or is damaged.
pub fn load_background(path: &Path) -> Result<OwnBackground> {
    if !crate::dataset::is_there(path) {
        return Err(Error::missing(path));
    }
    let archive = Archive::read(path)?;
    archive.expect(ArchiveKind::Background)?;
    archive.meta::<Meta>()?.own.read(&archive)
}
