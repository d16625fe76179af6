//! Files that stand on disk only while something is written: lock files and temporary files.
//!
//! A process that ends by itself removes them. One that is told to end (Ctrl-C, SIGTERM) calls [`interrupt`] first:
//! it removes them, and tells which files had been replaced already.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::target::stands_at;

/// The file that is there now, and the one that has been written.
#[derive(Debug)]
pub(super) struct Pending {
    files: Vec<(PathBuf, File)>,
    written: Vec<PathBuf>,
}

static PENDING: Mutex<Pending> = Mutex::new(Pending { files: Vec::new(), written: Vec::new() });

/// Held while such a file is made, renamed or removed, so that an interruption comes before or after.
pub(super) fn hold() -> MutexGuard<'static, Pending> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pending {
    /// A file that is to be removed if the process is told to end. `file` is it, open: only that very file is removed.
    pub(super) fn add(&mut self, path: &Path, file: &File) {
        // Without another handle (too many open files) it is left behind, as after a crash.
        if let Ok(file) = file.try_clone() {
            self.files.push((path.to_owned(), file));
        }
    }

    /// The file is gone, or has another name now.
    pub(super) fn remove(&mut self, path: &Path) {
        self.files.retain(|(pending, _)| pending != path);
    }

    /// A result stands in its place. A server writes its model again and again.
    pub(super) fn written(&mut self, path: &Path) {
        if self.written.last().is_none_or(|last| last != path) {
            self.written.push(path.to_owned());
        }
    }
}

/// Records a change that is no file of this module, for [`interrupt`] to report.
pub fn note_change(what: &Path) {
    hold().written(what);
}

/// Removes the lock files and temporary files of this process, which is about to end. From then on it can neither make
/// nor replace a file. Gives the files that it had written before, in their order.
#[must_use = "whether something was changed is to be told"]
pub fn interrupt() -> Vec<PathBuf> {
    let mut pending = hold();
    for (path, file) in pending.files.drain(..) {
        if stands_at(&file, &path) {
            let _ = fs::remove_file(path);
        }
    }
    let written = std::mem::take(&mut pending.written);
    // Held for good: what other threads were about to do does not happen.
    std::mem::forget(pending);
    written
}
