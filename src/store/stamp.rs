//! Length and time of a file, which tell whether it has changed.

use std::path::Path;
use std::time::SystemTime;

/// A file is taken for unchanged as long as these are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileStamp {
    /// Bytes.
    pub length: u64,
    modified: Option<SystemTime>,
}

impl FileStamp {
    /// Of the file that stands there now, if one does.
    pub fn of(path: &Path) -> Option<Self> {
        let about = path.metadata().ok()?;
        Some(Self { length: about.len(), modified: about.modified().ok() })
    }
}
