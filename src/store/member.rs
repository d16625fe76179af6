//! A member of an archive.

use std::ops::Range;

use super::zip;

/// The range of a member's content in its archive, and its checksum.
#[derive(Debug)]
pub(super) struct Member {
    pub name: String,
    pub content: Range<usize>,
    pub crc32: u32,
}

impl From<(zip::Entry, Range<usize>)> for Member {
    fn from((entry, content): (zip::Entry, Range<usize>)) -> Self {
        Self {
            name: entry.name,
            content,
            crc32: entry.crc32,
        }
    }
}
