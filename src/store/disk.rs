//! A large model file that stays on disk: read part by part, each part checked when it is read.
//!
//! The checksum at the end of a model is over the whole file, and takes seconds of a large one. But every member has
//! its own, the CRC-32 of zip, which is ten times as fast; between the members stand only headers, which are compared
//! with what they must be. So nothing that is used goes unchecked, and at the end nothing of the file has.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::zip;

/// Bytes that one thread reads and checks at a time: they stay in its cache.
const PIECE: usize = 256 * 1024;

/// An open file. Models are replaced, never written into, so what it holds stays the same.
#[derive(Debug)]
pub(super) struct Disk {
    file: File,
    /// Bytes of the file.
    pub length: usize,
    /// Which members have been found to be as their checksums say.
    checked: Vec<AtomicBool>,
}

impl Disk {
    /// A file of `length` bytes.
    pub fn new(file: File, length: usize) -> Self {
        Self {
            file,
            length,
            checked: Vec::new(),
        }
    }

    /// Takes note of how many members there are, all unchecked.
    pub fn expect(&mut self, members: usize) {
        self.checked = (0..members).map(|_| AtomicBool::new(false)).collect();
    }

    /// A few bytes, unchecked.
    pub fn window(&self, at: usize, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length.min(self.length.saturating_sub(at))];
        read_at(&self.file, &mut bytes, at as u64)?;
        Ok(bytes)
    }

    /// The content of a member from a place in it on, into `rest`, which holds as much as that is; `start` is what
    /// stands before. Whether all of it is what its checksum says.
    pub fn read(
        &self,
        number: usize,
        member: &zip::Entry,
        start: &[u8],
        rest: &mut [u8],
    ) -> io::Result<bool> {
        let from = member.content().start + start.len();
        let pieces = rest.par_chunks_mut(PIECE).enumerate();
        let read = |(at, piece): (usize, &mut [u8])| {
            read_at(&self.file, piece, (from + at * PIECE) as u64)?;
            Ok(checksum(piece))
        };
        let pieces: Vec<crc32fast::Hasher> = pieces.map(read).collect::<io::Result<_>>()?;
        Ok(self.compare(number, member, checksum(start), &pieces))
    }

    /// Whether a member that nobody has asked for is what its checksum says; nothing of it is kept.
    pub fn check(&self, number: usize, member: &zip::Entry) -> io::Result<bool> {
        if self
            .checked
            .get(number)
            .is_some_and(|done| done.load(Ordering::Relaxed))
        {
            return Ok(true);
        }
        let content = member.content();
        let starts = content.clone().into_par_iter().step_by(PIECE);
        let pieces = starts.map_init(
            || vec![0; PIECE],
            |piece, start| {
                let piece = &mut piece[..PIECE.min(content.end - start)];
                read_at(&self.file, piece, start as u64)?;
                Ok(checksum(piece))
            },
        );
        let pieces: Vec<crc32fast::Hasher> = pieces.collect::<io::Result<_>>()?;
        Ok(self.compare(number, member, crc32fast::Hasher::new(), &pieces))
    }

    fn compare(
        &self,
        number: usize,
        member: &zip::Entry,
        mut all: crc32fast::Hasher,
        pieces: &[crc32fast::Hasher],
    ) -> bool {
        pieces.iter().for_each(|piece| all.combine(piece));
        let is_right = all.finalize() == member.crc32;
        if let (true, Some(done)) = (is_right, self.checked.get(number)) {
            done.store(true, Ordering::Relaxed);
        }
        is_right
    }
}

fn checksum(bytes: &[u8]) -> crc32fast::Hasher {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(bytes);
    hasher
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                at += read as u64;
            }
        }
    }
    Ok(())
}

/// Elsewhere whole files are read.
#[cfg(not(any(unix, windows)))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
