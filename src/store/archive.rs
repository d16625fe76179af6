//! Reads an archive that [`ArchiveWriter`](super::ArchiveWriter) wrote, and nothing else.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::container::{
    END, MESSAGE, both_ends, check, check_on_disk, in_plain_ascii, recognise, whole,
};
use super::disk::Disk;
use super::{META, zip};
use crate::error::{ArchiveKind, Error, ModelProblem, Result};

/// An archive whose version and layout have been found right, and whose checksum has or, of a large one that stays on
/// disk, whose members' checksums are whenever one is read.
///
/// The contents may still be a stranger's: every getter checks type, shape and length against the real bytes before
/// it allocates, and allocates no more than a small multiple of them.
#[derive(Debug)]
pub struct Archive {
    pub(super) path: PathBuf,
    pub(super) source: Source,
    pub(super) members: Vec<zip::Entry>,
}

#[derive(Debug)]
pub(super) enum Source {
    Memory(Vec<u8>),
    Disk(Disk),
}

/// The one field of `meta.json` that tells the kind.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    kind: ArchiveKind,
}

/// Files of more bytes than this can be left on disk, see [`Archive::open`]. `identify` of a model of 9.7 MB takes
/// 22 ms so, and 50 where all of it is read, checked and copied.
const LARGE: usize = 1 << 20;

/// The largest fraction that `meta.json` may hold: variances of the largest faces are below it by far.
const LARGEST: f64 = 1e15;

/// Whether all fractions in a JSON value can have come of faces.
fn is_sensible(value: &Value) -> bool {
    match value {
        Value::Number(number) if number.is_f64() => number
            .as_f64()
            .is_some_and(|number| number.abs() <= LARGEST),
        Value::Array(values) => values.iter().all(is_sensible),
        Value::Object(fields) => fields.values().all(is_sensible),
        _ => true,
    }
}

impl Archive {
    /// Reads a whole file into memory and checks it. Large files that are no models are refused unread.
    pub fn read(path: &Path) -> Result<Self> {
        let (mut file, _) = Self::find(path)?;
        let bytes = whole(&mut file).map_err(|source| unread(path, source))?;
        Self::from_bytes(path, bytes)
    }

    /// As [`read`](Self::read), but a large file stays on disk: of what is asked for the checksums of the members
    /// are looked at then, and [`check_rest`](Self::check_rest) looks at the others.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_large(path, LARGE)
    }

    pub(super) fn open_large(path: &Path, large: usize) -> Result<Self> {
        let (file, length) = Self::find(path)?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length <= large || cfg!(not(any(unix, windows))) {
            return Self::read(path);
        }
        let mut disk = Disk::new(file, length);
        let members = check_on_disk(&disk)
            .map_err(|source| unread(path, source))?
            .map_err(|problem| refused(path, problem))?;
        disk.expect(members.len());
        Ok(Self {
            path: path.to_owned(),
            source: Source::Disk(disk),
            members,
        })
    }

    /// That the members nobody has asked for are undamaged too.
    ///
    /// # Errors
    /// One is damaged, or cannot be read.
    pub fn check_rest(&self) -> Result<()> {
        let Source::Disk(disk) = &self.source else {
            return Ok(());
        };
        for (number, member) in self.members.iter().enumerate() {
            self.settle(disk.check(number, member))?;
        }
        Ok(())
    }

    /// A file that is meant to be a model, and its length.
    fn find(path: &Path) -> Result<(File, u64)> {
        let refused = |problem| refused(path, problem);
        let unread = |source| unread(path, source);

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
        let (start, end) = both_ends(&mut file, END, END).map_err(unread)?;
        recognise(&start, &end).map_err(refused)?;
        Ok((file, metadata.len()))
    }

    /// Reads bytes that are in memory already; `path` is for messages only.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self> {
        let members = check(&bytes).map_err(|problem| refused(path, problem))?;
        Ok(Self {
            path: path.to_owned(),
            source: Source::Memory(bytes),
            members,
        })
    }

    /// Whether all of it has been read, and checked as a whole.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        matches!(self.source, Source::Memory(_))
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

    /// The content of `meta.json`, if all fractions in it are such as faces lead to. `T` must let the field
    /// `format_version` pass (serde's default).
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
        let number = self
            .number(name)
            .ok_or_else(|| json("it is missing".to_owned()))?;
        let text = self.rest(number, &[])?;
        serde_json::from_slice(&text)
            .map_err(|error| json(in_plain_ascii(&error.to_string(), MESSAGE)))
    }

    /// An error about this file, for what only the reader of its contents can find wrong.
    #[must_use]
    pub fn refuse(&self, problem: ModelProblem) -> Error {
        Error::Model {
            path: self.path.clone(),
            problem,
        }
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
        if found == wanted {
            return Ok(());
        }
        Err(self.refuse(ModelProblem::OtherKind { found, wanted }))
    }

    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|member| member.name == name)
    }

    /// The content of a member behind its start.
    pub(super) fn rest(&self, number: usize, start: &[u8]) -> Result<Cow<'_, [u8]>> {
        let member = &self.members[number];
        match &self.source {
            Source::Memory(bytes) => {
                let content = bytes.get(member.content()).unwrap_or_default();
                Ok(Cow::Borrowed(&content[start.len()..]))
            }
            Source::Disk(disk) => {
                let mut rest = vec![0; member.content().len() - start.len()];
                self.settle(disk.read(number, member, start, &mut rest))?;
                Ok(Cow::Owned(rest))
            }
        }
    }

    /// Whether what was read is what its checksum says.
    pub(super) fn settle(&self, is_right: io::Result<bool>) -> Result<()> {
        match is_right {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.refuse(ModelProblem::Damaged)),
            Err(source) => Err(unread(&self.path, source)),
        }
    }
}

fn refused(path: &Path, problem: ModelProblem) -> Error {
    Error::Model {
        path: path.to_owned(),
        problem,
    }
}

pub(super) fn unread(path: &Path, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::PermissionDenied => refused(path, ModelProblem::NotPermitted),
        _ => Error::read(path, source),
    }
}
