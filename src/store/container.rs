//! Whether a file is an archive of this program, whole, and of a version that it reads, before its contents are believed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use serde::Deserialize;

use super::{FORMAT_VERSION, META, seal, zip};
use crate::error::ModelProblem;

/// `meta.json` takes some kilobytes.
const LARGEST_META: u64 = 1 << 16;

/// The one field of `meta.json` that the container itself reads.
#[derive(Deserialize)]
struct Version {
    format_version: u64,
}

/// The members of a file, everything but the contents of the members checked.
pub(super) fn check(bytes: &[u8]) -> Result<Vec<zip::Entry>, ModelProblem> {
    recognise(bytes, bytes)?;
    let body = seal::open(bytes).ok_or(ModelProblem::Damaged)?;
    check_version(body)?;
    zip::members(body, seal::LENGTH as u16).map_err(|reason| ModelProblem::Layout { reason })
}

/// Refuses a version that this program does not read. `meta.json`, by which a file begins, tells it, and is looked at before
/// all other members: a newer format may lay them out differently.
fn check_version(beginning: &[u8]) -> Result<(), ModelProblem> {
    let layout = |reason| ModelProblem::Layout { reason };
    let first = zip::first(beginning).map_err(layout)?;
    if first.name != META {
        let name = first.name;
        return Err(layout(format!("it begins with {name} instead of {META}")));
    }
    if first.size > LARGEST_META {
        return Err(layout(format!("its {META} has more than {LARGEST_META} bytes")));
    }
    let version: Version = serde_json::from_slice(&beginning[first.content()])
        .map_err(|error| ModelProblem::json(META, in_plain_ascii(&error.to_string(), MESSAGE)))?;
    let newest = u64::from(FORMAT_VERSION);
    match version.format_version {
        0 => Err(ModelProblem::layout("format version 0")),
        known if known <= newest => Ok(()),
        found => Err(ModelProblem::Newer { found, newest }),
    }
}

/// Characters of an error's message that are shown.
pub(super) const MESSAGE: usize = 200;

/// A stranger's text in a message: no line feeds or terminal escapes, and at most `most` characters of it.
pub(super) fn in_plain_ascii(text: &str, most: usize) -> String {
    let escape = |c: char| match c {
        ' '..='~' => c.to_string(),
        other => other.escape_unicode().to_string(),
    };
    text.chars().take(most).map(escape).collect()
}

/// Guesses from the first and last bytes of a file whether it is meant to be a model, and if not, what it is.
pub(super) fn recognise(start: &[u8], end: &[u8]) -> Result<(), ModelProblem> {
    if seal::is_present(end) {
        Ok(())
    } else if start.is_empty() {
        Err(ModelProblem::Empty)
    } else if zip::starts_with_member(start, META) {
        Err(ModelProblem::CutShort)
    } else if start.starts_with(b"PK") {
        Err(ModelProblem::OtherArchive)
    } else {
        Err(ModelProblem::NotAModel)
    }
}

/// Number of bytes at either end of a file that [`recognise`] looks at.
pub(super) const END: u64 = 128;
const _: () = assert!(seal::LENGTH as u64 <= END);

/// The first and the last bytes of a file, at most `first` and `last` of them.
pub(super) fn both_ends(file: &mut File, first: u64, last: u64) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let (mut start, mut end) = (Vec::new(), Vec::new());
    file.by_ref().take(first).read_to_end(&mut start)?;
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(last)))?;
    file.by_ref().take(last).read_to_end(&mut end)?;
    Ok((start, end))
}

/// All bytes of a file. A file larger than memory is an error, not an abort.
pub(super) fn whole(file: &mut File) -> io::Result<Vec<u8>> {
    let length = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut bytes = Vec::new();
    let capacity = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.try_reserve_exact(capacity).map_err(|_| io::ErrorKind::OutOfMemory)?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
