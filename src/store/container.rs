//! Whether a file is an archive of this program, whole, and of a version that it reads; before anything of its contents is
//! believed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use serde::Deserialize;

use super::disk::Disk;
use super::member::Member;
use super::{FORMAT_VERSION, META, seal, zip};
use crate::error::ModelProblem;

/// The one field of `meta.json` that the container itself reads.
#[derive(Deserialize)]
struct Version {
    format_version: u64,
}

/// Version and members of a file, everything but the contents of the members checked.
pub(super) fn check(bytes: &[u8]) -> Result<(u32, Vec<Member>), ModelProblem> {
    recognise(bytes, bytes)?;
    let body = seal::open(bytes).ok_or(ModelProblem::Damaged)?;
    let layout = |reason| ModelProblem::Layout { reason };

    // The version first: a newer format may lay out all but its first member differently.
    let (first, content) = zip::first(body).map_err(layout)?;
    if first.name != META {
        return Err(layout(format!(
            "it begins with {} instead of {META}",
            first.name
        )));
    }
    let format_version = version(&body[content])?;
    let members = zip::members(body, seal::LENGTH as u16).map_err(layout)?;
    Ok((
        format_version,
        members.into_iter().map(Member::from).collect(),
    ))
}

/// Checks a file on disk, except that its seal is only looked at, and `meta.json` not yet checked.
#[allow(clippy::type_complexity)]
pub(super) fn check_on_disk(disk: &Disk) -> io::Result<Result<(u32, Vec<Member>), ModelProblem>> {
    let length = disk.length() - seal::LENGTH;
    if !seal::is_well_formed(&disk.window(length, seal::LENGTH)?) {
        return Ok(Err(ModelProblem::Damaged));
    }
    // The version first, as above. It is written for people to read, and short.
    const BEGINNING: usize = 1 << 20;
    let beginning = disk.window(0, BEGINNING)?;
    let layout = |reason| ModelProblem::Layout { reason };
    let format_version = match zip::first(&beginning).map_err(layout) {
        Ok((first, content)) if first.name == META => version(&beginning[content]),
        Ok((first, _)) => {
            let name = first.name;
            Err(layout(format!("it begins with {name} instead of {META}")))
        }
        Err(problem) => Err(problem),
    };
    let format_version = match format_version {
        Ok(format_version) => format_version,
        Err(problem) => return Ok(Err(problem)),
    };
    let window = |at, length| disk.window(at, length);
    let members = zip::members_by(window, length, seal::LENGTH as u16)?.map_err(layout);
    Ok(members.map(|members| {
        (
            format_version,
            members.into_iter().map(Member::from).collect(),
        )
    }))
}

/// The version that `meta.json` tells, where this program reads it.
fn version(meta: &[u8]) -> Result<u32, ModelProblem> {
    let version: Version = serde_json::from_slice(meta).map_err(|error| ModelProblem::Json {
        member: META.to_owned(),
        reason: in_plain_ascii(&error),
    })?;
    let newest = u64::from(FORMAT_VERSION);
    match version.format_version {
        0 => Err(ModelProblem::Layout {
            reason: "format version 0".to_owned(),
        }),
        known if known <= newest => Ok(known as u32),
        found => Err(ModelProblem::Newer { found, newest }),
    }
}

/// The message of an error that may quote a stranger's text: no line feeds or terminal escapes, and not for ever.
pub(super) fn in_plain_ascii(error: &serde_json::Error) -> String {
    let escape = |c: char| match c {
        ' '..='~' => c.to_string(),
        other => other.escape_unicode().to_string(),
    };
    error.to_string().chars().take(200).map(escape).collect()
}

/// Tells from the two ends of a file whether it is meant to be a model, and if not, what it seems to be.
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

/// The first and the last bytes of a file, as many as [`recognise`] looks at.
pub(super) fn both_ends(file: &mut File) -> io::Result<(Vec<u8>, Vec<u8>)> {
    const MANY: usize = 128;
    const { assert!(seal::LENGTH <= MANY) };
    let (mut start, mut end) = (Vec::with_capacity(MANY), Vec::with_capacity(MANY));
    file.by_ref().take(MANY as u64).read_to_end(&mut start)?;
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(MANY as u64)))?;
    file.by_ref().take(MANY as u64).read_to_end(&mut end)?;
    Ok((start, end))
}

/// All bytes of a file. A file larger than memory is an error, not an abort.
pub(super) fn whole(file: &mut File) -> io::Result<Vec<u8>> {
    let length = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut bytes = Vec::new();
    let capacity = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes
        .try_reserve_exact(capacity)
        .map_err(|_| io::ErrorKind::OutOfMemory)?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
