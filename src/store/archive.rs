//! Reads an archive that [`ArchiveWriter`](super::ArchiveWriter) wrote, and nothing else.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::container::{END, MESSAGE, both_ends, check, in_plain_ascii, recognise, whole};
use super::{META, zip};
use crate::error::{ArchiveKind, Error, ModelProblem, Result};

/// An archive whose checksum, version and layout have been found right.
///
/// The contents may still be a stranger's: every getter checks type, shape and length against the real bytes before
/// it allocates, and allocates no more than a small multiple of them.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    bytes: Vec<u8>,
    members: Vec<zip::Entry>,
}

/// The one field of `meta.json` that tells the kind.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    kind: ArchiveKind,
}

/// The largest fraction that `meta.json` may hold: variances of the largest faces are below it by far.
const LARGEST: f64 = 1e15;

/// Whether all fractions in a JSON value can have come of faces.
fn is_sensible(value: &Value) -> bool {
    match value {
        Value::Number(number) if number.is_f64() => number.as_f64().is_some_and(|number| number.abs() <= LARGEST),
        Value::Array(values) => values.iter().all(is_sensible),
        Value::Object(fields) => fields.values().all(is_sensible),
        _ => true,
    }
}

impl Archive {
    /// Reads a whole file into memory and checks it. Large files that are no models are refused unread.
    pub fn read(path: &Path) -> Result<Self> {
        let mut file = Self::find(path)?;
        Self::from_bytes(path, whole(&mut file).map_err(|source| unread(path, source))?)
    }

    fn find(path: &Path) -> Result<File> {
        let refused = |problem| refused(path, problem);
        let unread = |source| unread(path, source);

        // Before opening: to open a pipe is to wait for its writer.
        let metadata = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(refused(ModelProblem::Missing)),
            metadata => metadata.map_err(unread)?,
        };
        if metadata.is_dir() {
            return Err(refused(ModelProblem::Folder));
        }
        if !metadata.is_file() {
            return Err(refused(ModelProblem::NotAFile));
        }
        let mut file = File::open(path).map_err(unread)?;
        let (start, end) = both_ends(&mut file, END, END).map_err(unread)?;
        recognise(&start, &end).map_err(refused)?;
        Ok(file)
    }

    /// Reads bytes that are in memory already; `path` is for messages only.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self> {
        let members = check(&bytes).map_err(|problem| refused(path, problem))?;
        Ok(Self { path: path.to_owned(), bytes, members })
    }

    /// The keys of the arrays, in the order in which they stand in the file.
    pub fn arrays(&self) -> impl Iterator<Item = &str> {
        self.members.iter().filter_map(|member| member.name.strip_suffix(".npy"))
    }

    /// Whether there is an array of that name.
    #[must_use]
    pub fn contains(&self, array: &str) -> bool {
        self.arrays().any(|name| name == array)
    }

    /// The content of `meta.json`, if faces can lead to all its fractions. `T` must let `format_version` pass.
    pub fn meta<T: DeserializeOwned>(&self) -> Result<T> {
        let all: Value = self.json(META)?;
        if !is_sensible(&all) {
            return Err(self.refuse(ModelProblem::json(META, "value out of range")));
        }
        self.json(META)
    }

    /// The content of another JSON file of the archive.
    pub fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        let json = |reason: String| self.refuse(ModelProblem::json(name, reason));
        let text = self.content(name).ok_or_else(|| json("it is missing".to_owned()))?;
        serde_json::from_slice(text).map_err(|error| json(in_plain_ascii(&error.to_string(), MESSAGE)))
    }

    /// An error about this file, for what only the reader of its contents can find wrong.
    #[must_use]
    pub fn refuse(&self, problem: ModelProblem) -> Error {
        Error::Model { path: self.path.clone(), problem }
    }

    /// An error about parts of this file that do not fit together.
    pub(super) fn misfit(&self, reason: impl Into<String>) -> Error {
        self.refuse(ModelProblem::layout(reason))
    }

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
        if found == wanted { Ok(()) } else { Err(self.refuse(ModelProblem::OtherKind { found, wanted })) }
    }

    pub(super) fn content(&self, name: &str) -> Option<&[u8]> {
        self.bytes.get(self.members.iter().find(|member| member.name == name)?.content())
    }
}

fn refused(path: &Path, problem: ModelProblem) -> Error {
    Error::Model { path: path.to_owned(), problem }
}

fn unread(path: &Path, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::PermissionDenied => refused(path, ModelProblem::NotPermitted),
        _ => Error::read(path, source),
    }
}
