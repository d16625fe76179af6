//! Files found, and what makes a file the same file.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// A file found, and where it lies below the root it was found under.
#[derive(Debug, Clone)]
pub(super) struct FoundFile {
    pub path: PathBuf,
    pub depth: Depth,
    pub reached: Reached,
    /// Whether it has the mark of this program, and was not given itself.
    pub is_marked: bool,
}

/// The way a file was reached. Of one file with several names the first in this order counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reached {
    Directly,
    /// In a folder into which photos were sorted, perhaps by hard links.
    Sorted,
    BySymbolicLink,
}

/// Depth of a file below its root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Depth {
    /// It was given by the user as a path of its own.
    Given,
    /// Straight in the root.
    Top,
    /// Somewhere below this first-level folder of the root.
    Below(OsString),
}

/// The identity of a file, however it is reached.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FileId {
    /// Device and number on it: hard links agree too.
    Inode(u64, u64),
    /// Its path without links; where there are no inodes.
    Path(PathBuf),
}

impl FileId {
    /// The file that stands there, links followed.
    pub fn of(path: &Path) -> Self {
        match fs::metadata(path).ok().and_then(|about| inode(&about)) {
            Some((device, number)) => Self::Inode(device, number),
            None => Self::Path(path.canonicalize().unwrap_or_else(|_| path.to_owned())),
        }
    }
}

#[cfg(unix)]
fn inode(about: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> Option<(u64, u64)> {
    None
}
