//! Reads an archive that [`ArchiveWriter`](super::ArchiveWriter) wrote, and nothing else.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::npy::{self, Header, Number};
use super::{FORMAT_VERSION, META, seal, zip};
use crate::error::{ArrayProblem, Error, ModelProblem, Result};

/// An archive in memory whose checksum, version and layout have been found right.
///
/// The contents may still be a stranger's: every getter checks type, shape and length against the real bytes before
/// it allocates, and allocates no more than a small multiple of them.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    bytes: Vec<u8>,
    members: Vec<Member>,
    format_version: u32,
}

#[derive(Debug)]
struct Member {
    name: String,
    content: Range<usize>,
}

/// The one field of `meta.json` that the container itself reads.
#[derive(Deserialize)]
struct Version {
    format_version: u64,
}

impl Archive {
    /// Reads a whole file into memory and checks it. Large files that are no models are refused unread.
    pub fn read(path: &Path) -> Result<Self> {
        let refused = |problem| Error::Model {
            path: path.to_owned(),
            problem,
        };
        let unread = |source: io::Error| match source.kind() {
            io::ErrorKind::PermissionDenied => refused(ModelProblem::NotPermitted),
            _ => Error::Read {
                path: path.to_owned(),
                source,
            },
        };

        // Before opening: to open a pipe is to wait for its writer.
        let metadata = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(refused(ModelProblem::Missing));
            }
            metadata => metadata.map_err(unread)?,
        };
        if metadata.is_dir() {
            return Err(refused(ModelProblem::Folder));
        }
        if !metadata.is_file() {
            return Err(refused(ModelProblem::NotAFile));
        }
        let mut file = File::open(path).map_err(unread)?;
        let (start, end) = both_ends(&mut file).map_err(unread)?;
        recognise(&start, &end).map_err(refused)?;
        let bytes = whole(&mut file).map_err(unread)?;
        Self::from_bytes(path, bytes)
    }

    /// The same for bytes that are in memory already; `path` is for messages only.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self> {
        let refused = |problem| Error::Model {
            path: path.to_owned(),
            problem,
        };
        let (format_version, members) = check(&bytes).map_err(refused)?;
        Ok(Self {
            path: path.to_owned(),
            bytes,
            members,
            format_version,
        })
    }

    /// The version of the format in which the file was written: 1 to [`FORMAT_VERSION`].
    #[must_use]
    pub fn format_version(&self) -> u32 {
        self.format_version
    }

    /// Bytes of the file.
    #[must_use]
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The keys of the arrays, in the order in which they stand in the file.
    pub fn arrays(&self) -> impl Iterator<Item = &str> {
        self.members
            .iter()
            .filter_map(|member| member.name.strip_suffix(".npy"))
    }

    /// Whether there is an array of that name.
    #[must_use]
    pub fn contains(&self, array: &str) -> bool {
        self.arrays().any(|name| name == array)
    }

    /// What `meta.json` holds. `T` must let the field `format_version` pass (serde's default).
    pub fn meta<T: DeserializeOwned>(&self) -> Result<T> {
        self.json(META)
    }

    /// What another JSON file of the archive holds.
    pub fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        let json = |reason: String| {
            self.refuse(ModelProblem::Json {
                member: name.to_owned(),
                reason,
            })
        };
        let text = self
            .member(name)
            .ok_or_else(|| json("it is missing".to_owned()))?;
        serde_json::from_slice(text).map_err(|error| json(in_plain_ascii(&error)))
    }

    /// The shape that an array says it has. Trust it only together with a getter.
    pub fn shape(&self, array: &str) -> Result<Vec<usize>> {
        self.header(array)
            .map(|(header, _)| header.shape)
            .map_err(|problem| self.refuse_array(array, problem))
    }

    /// The numbers of an array of exactly that shape, row by row. Any bit pattern can come: check that floats are
    /// finite where that matters.
    pub fn array<T: Number>(&self, array: &str, shape: &[usize]) -> Result<Vec<T>> {
        self.content::<T>(array, shape).map(npy::from_bytes)
    }

    /// The same for bytes, without copying them.
    pub fn bytes(&self, array: &str, shape: &[usize]) -> Result<&[u8]> {
        self.content::<u8>(array, shape)
    }

    /// The `n` lines of a text array.
    pub fn text(&self, array: &str, n: usize) -> Result<Vec<String>> {
        let lines = || {
            let (header, content) = self.header(array)?;
            let width = npy::text_width(&header.descr).ok_or_else(|| ArrayProblem::Type {
                found: header.descr.clone(),
                expected: "<U".to_owned(),
            })?;
            // Saturated, it fits no content, unless there are no lines.
            let line = width.saturating_mul(4);
            check_shape(&header.shape, &[n], line, content)?;
            content
                .chunks_exact(line)
                .enumerate()
                .map(|(row, bytes)| npy::line_from_bytes(bytes).ok_or(ArrayProblem::Text { row }))
                .collect::<Result<Vec<_>, _>>()
        };
        lines().map_err(|problem| self.refuse_array(array, problem))
    }

    /// An error about this file, for what only the reader of its contents can find wrong.
    #[must_use]
    pub fn refuse(&self, problem: ModelProblem) -> Error {
        Error::Model {
            path: self.path.clone(),
            problem,
        }
    }

    fn refuse_array(&self, array: &str, problem: ArrayProblem) -> Error {
        self.refuse(ModelProblem::Array {
            array: array.to_owned(),
            problem,
        })
    }

    fn member(&self, name: &str) -> Option<&[u8]> {
        let member = self.members.iter().find(|member| member.name == name)?;
        self.bytes.get(member.content.clone())
    }

    fn header(&self, array: &str) -> Result<(Header, &[u8]), ArrayProblem> {
        Header::parse(
            self.member(&format!("{array}.npy"))
                .ok_or(ArrayProblem::Missing)?,
        )
    }

    /// The bytes of an array of exactly that type and shape.
    fn content<T: Number>(&self, array: &str, shape: &[usize]) -> Result<&[u8]> {
        let content = || {
            let (header, content) = self.header(array)?;
            if header.descr != T::DESCR {
                return Err(ArrayProblem::Type {
                    found: header.descr,
                    expected: T::DESCR.to_owned(),
                });
            }
            check_shape(&header.shape, shape, size_of::<T>(), content)?;
            Ok(content)
        };
        content().map_err(|problem| self.refuse_array(array, problem))
    }
}

/// That an array has the shape it should have, and the bytes that this shape needs.
fn check_shape(
    found: &[usize],
    expected: &[usize],
    element: usize,
    content: &[u8],
) -> Result<(), ArrayProblem> {
    if found != expected {
        return Err(ArrayProblem::Shape {
            found: found.to_vec(),
            expected: expected.to_vec(),
        });
    }
    let needed = npy::count(found).and_then(|count| count.checked_mul(element));
    if needed != Some(content.len()) {
        return Err(ArrayProblem::Length {
            shape: found.to_vec(),
            bytes: content.len(),
        });
    }
    Ok(())
}

/// Version and members of a file, everything but the contents of the members checked.
fn check(bytes: &[u8]) -> Result<(u32, Vec<Member>), ModelProblem> {
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
    let version: Version =
        serde_json::from_slice(&body[content]).map_err(|error| ModelProblem::Json {
            member: META.to_owned(),
            reason: in_plain_ascii(&error),
        })?;
    let newest = u64::from(FORMAT_VERSION);
    let format_version = match version.format_version {
        0 => return Err(layout("format version 0".to_owned())),
        known if known <= newest => known as u32,
        found => return Err(ModelProblem::Newer { found, newest }),
    };

    let members = zip::members(body, seal::LENGTH as u16).map_err(layout)?;
    let members = members.into_iter().map(|(entry, content)| Member {
        name: entry.name,
        content,
    });
    Ok((format_version, members.collect()))
}

/// The message of an error that may quote a stranger's text: no line feeds or terminal escapes, and not for ever.
fn in_plain_ascii(error: &serde_json::Error) -> String {
    let escape = |c: char| match c {
        ' '..='~' => c.to_string(),
        other => other.escape_unicode().to_string(),
    };
    error.to_string().chars().take(200).map(escape).collect()
}

/// Tells from the two ends of a file whether it is meant to be a model, and if not, what it seems to be.
fn recognise(start: &[u8], end: &[u8]) -> Result<(), ModelProblem> {
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
fn both_ends(file: &mut File) -> io::Result<(Vec<u8>, Vec<u8>)> {
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
fn whole(file: &mut File) -> io::Result<Vec<u8>> {
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
