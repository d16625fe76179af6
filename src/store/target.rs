//! The place of a file: its folder, its name, and the file that is there already.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::dataset::ContentHash;
use crate::error::{Error, Result, WriteProblem};

/// Path of an ordinary file, there or not, in a folder that exists.
#[derive(Debug)]
pub(super) struct TargetFile {
    /// As the user wrote it, for messages.
    pub(super) named: PathBuf,
    /// The file itself: where links may be followed, they have been.
    pub(super) file: PathBuf,
    /// The folder of `file`; never the empty path.
    pub(super) folder: PathBuf,
}

impl TargetFile {
    /// A place that may be named by a symbolic link.
    pub(super) fn find(path: &Path) -> Result<Self> {
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => {
                Self::of(path, fs::canonicalize(path).map_err(|_| Error::write(path, WriteProblem::NotAFile))?)
            }
            _ => Self::of(path, path.to_owned()),
        }
    }

    /// A place that may not.
    pub(super) fn unlinked(path: &Path) -> Result<Self> {
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => Err(Error::write(path, WriteProblem::Link)),
            _ => Self::of(path, path.to_owned()),
        }
    }

    fn of(path: &Path, file: PathBuf) -> Result<Self> {
        let problem = |problem| Error::write(path, problem);
        // `file/` and `file/.` can only mean a folder, whatever is there.
        let letters = path.as_os_str().as_encoded_bytes();
        if letters.ends_with(b"/") || letters.ends_with(b"/.") {
            return Err(problem(WriteProblem::Folder));
        }
        match fs::metadata(&file) {
            Ok(found) if found.is_dir() => return Err(problem(WriteProblem::Folder)),
            Ok(found) if !found.is_file() => return Err(problem(WriteProblem::NotAFile)),
            _ => {}
        }
        // A path such as `..` or `/` has no file name.
        let (Some(folder), Some(_)) = (file.parent(), file.file_name()) else {
            return Err(problem(WriteProblem::Folder));
        };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let place = Self { named: path.to_owned(), folder: folder.to_owned(), file };
        match fs::metadata(&place.folder) {
            Ok(found) if !found.is_dir() => Err(problem(WriteProblem::NotInFolder(place.folder))),
            Ok(_) => Ok(place),
            Err(error) => Err(place.error(error)),
        }
    }

    /// The beginning of the names of the hidden files that stand beside this one for a while, no other file's.
    ///
    /// Cut to 55 characters (220 bytes), for file names end at 255. A name that is cut, or no Unicode, has its hash added.
    pub(super) fn hidden_name(&self) -> String {
        let name = self.file.file_name().unwrap_or(OsStr::new(""));
        let short: String = name.to_string_lossy().chars().take(55).collect();
        let bytes = name.as_encoded_bytes();
        match short.as_bytes() == bytes {
            true => format!(".{short}."),
            false => format!(".{short}-{}.", &ContentHash::of(bytes).to_string()[..8]),
        }
    }

    /// A hidden file beside this one: `.NAME.ending`.
    pub(super) fn beside(&self, ending: &str) -> PathBuf {
        self.folder.join(self.hidden_name() + ending)
    }

    /// The meaning of an operating system's error for a file that was to be written here.
    pub(super) fn error(&self, error: io::Error) -> Error {
        let folder = self.folder.clone();
        let problem = match error.kind() {
            io::ErrorKind::NotFound => WriteProblem::NoFolder(folder),
            io::ErrorKind::NotADirectory => WriteProblem::NotInFolder(folder),
            io::ErrorKind::IsADirectory => WriteProblem::Folder,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => WriteProblem::NotPermitted(folder),
            io::ErrorKind::StorageFull => WriteProblem::DiskFull,
            io::ErrorKind::FileTooLarge | io::ErrorKind::QuotaExceeded => WriteProblem::TooLarge,
            _ => WriteProblem::Other(error),
        };
        Error::write(&self.named, problem)
    }
}

/// Whether an open file still stands under that path, so that it is neither deleted nor replaced.
pub(super) fn stands_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let number = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        match (file.metadata(), fs::symlink_metadata(path)) {
            (Ok(ours), Ok(there)) => number(ours) == number(there),
            _ => false,
        }
    }
    // Elsewhere an open file cannot be deleted.
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}
