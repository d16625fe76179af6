//! Replaces a file as a whole: whoever looks, and whenever the process dies, finds the old one or the new one.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::pending;
use super::target::{TargetFile, stands_at};
use crate::error::{Error, Result};

/// The readers of a file, and the care that it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Privacy {
    /// For models: they hold biometric data, and there may be no second copy. Only the owner may read it (mode 0600 on Unix),
    /// whatever an older file there allowed. It is forced to disk, so that even a power failure leaves the old one or the new one.
    Owner,
    /// For pictures of people, which can be made again: only the owner may read them, but they are not forced to disk.
    Personal,
    /// For pictures and tables that show nobody, which can be made again. Who may read it is as with the file that is
    /// replaced, or else up to the umask. It is not forced to disk: that would cost milliseconds each.
    Public,
}

/// Ending of the names of our temporary files; one that is called so and is not locked was left behind by a dead process.
const SUFFIX: &str = ".eigenfaces-tmp";
/// Random characters before it.
const RANDOM: usize = 8;

/// Number of times that a new temporary file may be taken for an orphan.
const MOST_ATTEMPTS: usize = 100;

/// Writes a file by `write`, beside the place where it is to stand, and moves it there once it is whole.
///
/// After an error the old file stands untouched and nothing of the new one is left (but for a disk that breaks while
/// the folder is synced: then the new one is there, and may not last). After a crash a hidden temporary file may be
/// left; the next [`Privacy::Owner`] write of the same file removes it, for it holds faces. A symbolic link is
/// followed: the file it points to is replaced.
///
/// `write` gets a buffered, seekable file. Its errors are reported as [`Error::Write`].
pub fn replace_file(
    path: &Path,
    privacy: Privacy,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<()> {
    install(&TargetFile::find(path)?, privacy, || Ok(Existing::Replaceable), write)
}

/// The file in a place before something is written there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Existing {
    /// Nothing: if something has come there in the end, it stays.
    Nothing,
    /// A file that may be replaced.
    Replaceable,
}

/// As [`replace_file`]; `permit` is asked, when the file is whole, what stands there and whether it may be replaced.
pub(super) fn install(
    place: &TargetFile,
    privacy: Privacy,
    permit: impl Fn() -> Result<Existing>,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<()> {
    if privacy == Privacy::Owner {
        remove_orphans(place);
    }
    let temporary = create_beside(place, privacy).map_err(|error| place.error(error))?;
    if let Some(replaced) = fs::symlink_metadata(&place.file).ok().filter(Metadata::is_file) {
        keep_owner(&replaced, temporary.as_file());
        // Whoever was kept from reading that is kept from reading this.
        if privacy == Privacy::Public {
            let _ = temporary.as_file().set_permissions(replaced.permissions());
        }
    }
    let path = temporary.path().to_owned();
    let installed = fill(temporary.as_file(), write)
        .map_err(|error| written_so_far(place, error))
        .and_then(|()| finish(temporary, place, privacy, permit));
    pending::hold().remove(&path);
    installed?;
    match privacy {
        Privacy::Owner => sync_folder(&place.folder).map_err(|error| place.error(error)),
        Privacy::Personal | Privacy::Public => Ok(()),
    }
}

/// Removes a file that [`Privacy::Owner`] wrote, for good: where a symbolic link names it both go, and with them what a
/// crash left of it. It is no error where there is none.
///
/// # Errors
/// [`Error::Write`]: the file cannot be removed.
pub fn remove_file(path: &Path) -> Result<()> {
    let place = TargetFile::find(path)?;
    remove_orphans(&place);
    let removed = [&place.file, &place.named].map(|path| match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    });
    let [file, named] = removed;
    file.and(named).and_then(|()| sync_folder(&place.folder)).map_err(|error| place.error(error))
}

/// Whether a file has other names (hard links), which keep what is in it when it is replaced.
pub fn has_other_names(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        file.metadata().is_ok_and(|about| about.nlink() > 1)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        false
    }
}

/// Gives a new file the owner of the one that it replaces, where that is another: a service reads a model that root changes.
fn keep_owner(replaced: &Metadata, new: &File) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        if new.metadata().is_ok_and(|own| own.uid() != replaced.uid()) {
            let _ = fchown(new, Some(replaced.uid()), Some(replaced.gid()));
        }
    }
    #[cfg(not(unix))]
    let _ = (replaced, new);
}

/// Gives the file, which is whole, its name.
fn finish(
    temporary: NamedTempFile,
    place: &TargetFile,
    privacy: Privacy,
    permit: impl Fn() -> Result<Existing>,
) -> Result<()> {
    if privacy == Privacy::Owner {
        synced(temporary.as_file()).map_err(|error| place.error(error))?;
    }
    let existing = permit()?;
    let mut pending = pending::hold();
    let temporary = match existing {
        Existing::Replaceable => temporary,
        Existing::Nothing => match temporary.persist_noclobber(&place.file) {
            Ok(_) => {
                pending.written(&place.named);
                return Ok(());
            }
            // Something came there meanwhile, or the file system cannot rename in this way.
            Err(failed) => {
                permit()?;
                failed.file
            }
        },
    };
    temporary.persist(&place.file).map_err(|failed| place.error(failed.error))?;
    pending.written(&place.named);
    Ok(())
}

fn fill(file: &File, write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    out.flush()
}

/// An error while the contents are written says nothing about folders, whatever its kind.
fn written_so_far(place: &TargetFile, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::FileTooLarge | io::ErrorKind::QuotaExceeded => place.error(error),
        _ => place.error(io::Error::other(error)),
    }
}

/// A new temporary file, locked while we live, so that nobody takes it for an orphan.
fn create_beside(place: &TargetFile, privacy: Privacy) -> io::Result<NamedTempFile> {
    let hidden_name = place.hidden_name();
    let mut builder = tempfile::Builder::new();
    builder.prefix(&hidden_name).rand_bytes(RANDOM).suffix(SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(match privacy {
            Privacy::Owner | Privacy::Personal => 0o600,
            Privacy::Public => 0o666, // less what the umask takes away
        }));
    }
    #[cfg(not(unix))]
    let _ = privacy;

    for _ in 0..MOST_ATTEMPTS {
        let mut pending = pending::hold();
        let temporary = builder.tempfile_in(&place.folder).map_err(without_path)?;
        pending.add(temporary.path(), temporary.as_file());
        drop(pending);
        match temporary.as_file().try_lock() {
            // Between creation and lock another process may have taken it for an orphan: then a new one.
            Ok(()) if stands_at(temporary.as_file(), temporary.path()) => return Ok(temporary),
            Ok(()) | Err(TryLockError::WouldBlock) => pending::hold().remove(temporary.path()),
            // A file system without locks: there orphans are never removed either.
            Err(TryLockError::Error(_)) => return Ok(temporary),
        }
    }
    Err(io::Error::other("its temporary file keeps vanishing"))
}

/// Removes temporary files of the same place whose process died. Trouble here is none of the caller's.
fn remove_orphans(place: &TargetFile) {
    let hidden_name = place.hidden_name();
    let is_ours = |name: &str| {
        let random = name.strip_prefix(&hidden_name).and_then(|name| name.strip_suffix(SUFFIX));
        random.is_some_and(|random| random.len() == RANDOM && random.bytes().all(|b| b.is_ascii_alphanumeric()))
    };
    let Ok(files) = fs::read_dir(&place.folder) else { return };
    for file in files.flatten() {
        if file.file_name().to_str().is_some_and(is_ours) && file.file_type().is_ok_and(|kind| kind.is_file()) {
            let Ok(orphan) = OpenOptions::new().write(true).open(file.path()) else { continue };
            // Locked until it is gone: its maker may be alive, and between creation and lock (see create_beside).
            if orphan.try_lock().is_ok() {
                let _ = fs::remove_file(file.path());
            }
        }
    }
}

/// Forces a file to disk, where its file system can.
fn synced(file: &File) -> io::Result<()> {
    match file.sync_all() {
        Err(error) if !matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Err(error),
        _ => Ok(()),
    }
}

/// Makes a rename last through a power failure. Where folders cannot be opened (Windows) or synced, the system decides.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if error.raw_os_error() == Some(INPUT_OUTPUT_ERROR) => Err(error),
        _ => Ok(()),
    }
}

/// EIO, the same number on every Unix: the disk itself failed.
const INPUT_OUTPUT_ERROR: i32 = 5;

/// tempfile puts the temporary's path into its errors, which would only puzzle the user.
fn without_path(error: io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}
