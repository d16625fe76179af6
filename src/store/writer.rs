//! Writes an archive, front to back, hashing it on the way.

use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::digest::Hasher;
use super::npy::{self, Header, Number};
use super::{FORMAT_VERSION, META, seal, zip};

/// Writes one archive: `meta.json` first, then arrays in the order in which they are added, then the checksum.
///
/// Equal contents give equal bytes. Nothing is kept in memory but the members' names; `out` need not be seekable.
/// Mistakes of the caller (a shape that does not fit its numbers, a name used twice) are errors of kind
/// [`InvalidInput`](io::ErrorKind::InvalidInput).
pub struct ArchiveWriter<W: Write> {
    out: Hashed<W>,
    entries: Vec<zip::Entry>,
}

#[derive(Serialize)]
struct Versioned<'a, M> {
    format_version: u32,
    #[serde(flatten)]
    meta: &'a M,
}

impl<W: Write> ArchiveWriter<W> {
    /// Begins an archive with `meta.json`: the fields of `meta` (a struct or a map), and `format_version`.
    ///
    /// `meta` must not have a field `format_version` of its own. JSON knows no infinities and no NaN: serde_json writes them as `null`.
    pub fn new(out: W, meta: &impl Serialize) -> io::Result<Self> {
        let out = Hashed { out, hasher: Hasher::default(), written: 0 };
        let mut writer = Self { out, entries: Vec::new() };
        // Laid out for people to read; it is short.
        let meta = Versioned { format_version: FORMAT_VERSION, meta };
        writer.add_member(META, &[&serde_json::to_vec_pretty(&meta)?, b"\n"])?;
        Ok(writer)
    }

    /// Adds numbers under a name (NumPy's key, without `.npy`), row by row: `shape` `[n, d]` is n rows of d numbers.
    pub fn add_array<T: Number>(&mut self, name: &str, shape: &[usize], numbers: &[T]) -> io::Result<()> {
        let header = Header::of(shape, numbers)?;
        self.add_member(&format!("{name}.npy"), &[&header.encode(), &npy::to_bytes(numbers)])
    }

    /// Adds an array of bytes that lie in several places, without bringing them together first.
    pub(super) fn add_bytes(&mut self, name: &str, parts: &[&[u8]]) -> io::Result<()> {
        let count = parts.iter().map(|part| part.len()).sum();
        let header = Header::of_bytes(count).encode();
        let parts: Vec<&[u8]> = [&header[..]].into_iter().chain(parts.iter().copied()).collect();
        self.add_member(&format!("{name}.npy"), &parts)
    }

    /// Adds n lines of text under a name, as NumPy's fixed-width `<U`, so that `numpy.load` needs no pickle.
    ///
    /// # Errors
    /// A line that ends in NUL: NumPy fills lines up with NULs, so it could not be told apart from a shorter one.
    pub fn add_text(&mut self, name: &str, lines: &[impl AsRef<str>]) -> io::Result<()> {
        if let Some(line) = lines.iter().find(|line| line.as_ref().ends_with('\0')) {
            return Err(misuse(format!(
                "array {name}: {:?} ends in a NUL character, which a NumPy text cannot keep: rename it",
                line.as_ref()
            )));
        }
        // NumPy knows no text of width 0.
        let width = lines.iter().map(|line| line.as_ref().chars().count()).max().unwrap_or(0).max(1);
        let header = Header { descr: format!("<U{width}"), shape: vec![lines.len()] };
        self.add_member(&format!("{name}.npy"), &[&header.encode(), &npy::text_to_bytes(lines, width)])
    }

    /// Adds a JSON file under its full name (`log.json`). `numpy.load(...)[name]` gives its bytes.
    pub fn add_json(&mut self, name: &str, value: &impl Serialize) -> io::Result<()> {
        self.add_member(name, &[&serde_json::to_vec(value)?, b"\n"])
    }

    /// Ends the archive with its directory and its checksum, and gives `out` back, flushed.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write(&zip::directory(&self.entries, self.out.written, seal::LENGTH as u16))?;
        let Hashed { mut out, hasher, .. } = self.out;
        out.write_all(&seal::of(&hasher.finish()))?;
        out.flush()?;
        Ok(out)
    }

    /// The content comes in parts, so that a header need not be glued to its numbers.
    fn add_member(&mut self, name: &str, parts: &[&[u8]]) -> io::Result<()> {
        if !zip::is_good_name(name) {
            return Err(misuse(format!("{name:?} cannot be the name of a member: use letters, digits and _")));
        }
        if self.entries.iter().any(|entry| entry.name == name) {
            return Err(misuse(format!("two members are called {name}")));
        }
        let mut crc32 = crc32fast::Hasher::new();
        parts.iter().for_each(|part| crc32.update(part));
        let entry = zip::Entry {
            name: name.to_owned(),
            crc32: crc32.finalize(),
            size: parts.iter().map(|part| part.len() as u64).sum(),
            offset: self.out.written,
            modified: None,
        };
        self.out.write(&zip::local_header(&entry))?;
        for part in parts {
            self.out.write(part)?;
        }
        self.entries.push(entry);
        Ok(())
    }
}

/// A plain zip of files, stored as they are, with names in UTF-8: for whoever is sent them. No model can be made of it.
#[derive(Debug)]
pub struct ZipOfFiles<W> {
    out: W,
    written: u64,
    entries: Vec<zip::Entry>,
}

impl<W: Write> ZipOfFiles<W> {
    /// An archive without files.
    pub fn new(out: W) -> Self {
        Self { out, written: 0, entries: Vec::new() }
    }

    /// Adds a file that was written at that time, if it is known. Its name must be no other file's, and no longer than file
    /// systems allow.
    ///
    /// # Errors
    /// An output that cannot be written.
    pub fn add(&mut self, name: String, modified: Option<SystemTime>, content: &[u8]) -> io::Result<()> {
        let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).ok();
        let seconds = |time| u32::try_from(since(time)?.as_secs()).ok();
        let entry = zip::Entry {
            name,
            crc32: crc32fast::hash(content),
            size: content.len() as u64,
            offset: self.written,
            modified: modified.and_then(seconds),
        };
        self.write(&zip::local_header(&entry))?;
        self.entries.push(entry);
        self.write(content)
    }

    /// Ends the archive, and gives `out` back, flushed.
    pub fn finish(mut self) -> io::Result<W> {
        self.write(&zip::directory(&self.entries, self.written, 0))?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

fn misuse(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

/// A stream that hashes and counts what goes through it.
struct Hashed<W> {
    out: W,
    hasher: Hasher,
    written: u64,
}

impl<W: Write> Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.written += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}
