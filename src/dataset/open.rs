//! Opening what a user names, without waiting for ever.
//!
//! To open a named pipe waits until somebody writes into it, and a device may never end. So both are read only where
//! they were asked for by the names that shells use for a program's own input (`/dev/stdin`, and `/dev/fd/63` for
//! `<(...)`); `-` stands for the first of them. A file of no length is not opened at all: under `/proc` there are some that wait.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

pub(super) enum Opened {
    /// A file with something in it, or input that was asked for.
    File(File),
    Empty,
    /// A pipe, device or socket.
    Special,
}

/// Whether a path stands for the program's standard input: `-`. A file of this name is `./-`.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

pub(super) fn open(path: &Path) -> io::Result<Opened> {
    let path = if is_standard_input(path) { Path::new("/dev/stdin") } else { path };
    let about = fs::metadata(path)?;
    if about.is_file() && about.len() == 0 {
        return Ok(Opened::Empty);
    }
    if about.is_file() || about.is_dir() || is_own_input(path) {
        return File::open(path).map(Opened::File);
    }
    Ok(Opened::Special)
}

/// Opens a file that holds no photo: a table, a list, a plan.
/// Errors: Besides those of the operating system: a pipe or a device.
pub fn open_file(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    match open(path)? {
        Opened::File(file) => Ok(Box::new(file)),
        Opened::Empty => Ok(Box::new(io::empty())),
        Opened::Special => Err(io::Error::other("it is a pipe or device, not a file")),
    }
}

/// Whether a path names an open file of this very program.
fn is_own_input(path: &Path) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let Some(path) = path.to_str() else { return false };
    path == "/dev/stdin"
        || ["/dev/fd/", "/proc/self/fd/"].iter().any(|folder| path.strip_prefix(folder).is_some_and(is_number))
}
