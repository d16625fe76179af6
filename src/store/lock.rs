//! The lock that a process holds while it changes a model, so that two do not overwrite each other's people.
//!
//! It is advisory and belongs to a hidden file beside the model (the model itself is replaced, and a lock would stay
//! with the old one). The operating system releases it when its process ends, however it ends. Readers take no lock:
//! they find the old model or the new one.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use super::pending;
use super::stamp::FileStamp;
use super::target::{TargetFile, stands_at};
use crate::enrollment::Observer;
use crate::error::{Error, LockHolder, Result};
use crate::text::shown;

/// The choice while another process holds the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Give up at once.
    Fail,
    /// Wait for that long, then give up.
    AtMost(Duration),
}

/// Polling interval of a waiting process.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Maximum number of lock files in a row that vanish: after that the file system is at fault (it changes its files' ids).
const MOST_VANISHINGS: u32 = 10_000;

/// The right to change a model. Released when dropped, or when the process ends.
#[derive(Debug)]
#[must_use = "the lock is released at once if it is not kept"]
pub struct ModelLock {
    /// The lock file and its path; none where the drive has no locks.
    held: Option<(File, PathBuf)>,
    model: Model,
}

/// The model's own file while it is locked too: it may have other names (hard links), with lock files of their own.
#[derive(Debug)]
struct Model {
    path: PathBuf,
    file: Option<File>,
    stamp: Option<FileStamp>,
}

impl Model {
    fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), file: None, stamp: None }
    }

    /// Locks the file that stands there, if there is one. False where somebody else has locked it.
    fn lock(&mut self) -> bool {
        self.stamp = FileStamp::of(&self.path);
        // Elsewhere a lock would keep readers out, and a file system without locks has other worries.
        let file = cfg!(unix).then(|| File::open(&self.path).ok()).flatten();
        let is_free = file.as_ref().is_none_or(|file| !matches!(file.try_lock(), Err(TryLockError::WouldBlock)));
        if is_free {
            self.file = file;
        }
        is_free
    }
}

impl ModelLock {
    /// Takes the lock of the model at `model`, which need not exist yet; its folder must.
    /// Errors: [`Error::Locked`] names the process that holds it. A drive without locks is no error: see
    /// [`is_held`](Self::is_held). [`Error::Write`] if nothing can be written there: then a
    /// model could not be written either, and the user learns it before the work and not after it.
    pub fn acquire(model: &Path, wait: Wait) -> Result<Self> {
        let place = TargetFile::find(model)?;
        let lock_path = place.beside("lock");
        let patience = if let Wait::AtMost(time) = wait { time } else { Duration::ZERO };
        let deadline = Instant::now().checked_add(patience);
        let mut vanished = 0;
        loop {
            // Not interrupted between the making of the file and its noting.
            let mut pending = pending::hold();
            let mut file = opened(&lock_path).map_err(|error| place.error(error))?;
            let holder = match file.try_lock() {
                // Its holder removed the file between our opening and our locking it.
                Ok(()) if !stands_at(&file, &lock_path) => {
                    vanished += 1;
                    if vanished > MOST_VANISHINGS {
                        return Err(place.error(io::Error::other("its lock file keeps vanishing")));
                    }
                    continue;
                }
                Ok(()) => {
                    // To be named is a courtesy to others: a full disk must not keep us from trying.
                    let _ = write_holder(&mut file);
                    if cfg!(unix) {
                        pending.add(&lock_path, &file);
                    }
                    drop(pending);
                    let mut lock = Self { held: Some((file, lock_path.clone())), model: Model::at(&place.file) };
                    if lock.model.lock() {
                        return Ok(lock);
                    }
                    None
                }
                Err(TryLockError::WouldBlock) => {
                    drop(pending);
                    read_holder(&mut file)
                }
                Err(TryLockError::Error(error)) => {
                    // Nobody else can have locked it either.
                    let _ = fs::remove_file(&lock_path);
                    return match lacks_locks(&error) {
                        true => Ok(Self { held: None, model: Model::at(&place.file) }),
                        false => Err(place.error(error)),
                    };
                }
            };
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err(Error::Locked { path: place.named, holder });
            }
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// Whether other processes are kept out. Some network drives have no locks: there users must change one at a time.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Warns if the drive of the model has no locks.
    pub fn report_missing(&self, observer: &dyn Observer) {
        if !self.is_held() {
            observer.say(&format!(
                "{}: its drive has no file locks, so see to it that nothing else changes the model meanwhile",
                shown(&self.model.path)
            ));
        }
    }

    /// Locks the model's file again: a change has replaced it.
    pub fn follow(&mut self) {
        self.model.lock();
    }

    /// Whether nobody who takes no lock (`mv`, `cp`, `rm`) has replaced or removed the model since it was locked last.
    pub fn is_current(&self) -> bool {
        let is_there = |file| stands_at(file, &self.model.path);
        !self.is_held()
            || self.model.stamp == FileStamp::of(&self.model.path) && self.model.file.as_ref().is_none_or(is_there)
    }
}

impl Drop for ModelLock {
    /// Removes the lock file while it is still locked: whoever waits for it then finds that it has vanished, and makes a new one.
    fn drop(&mut self) {
        let Some((file, lock_path)) = &self.held else { return };
        let mut pending = pending::hold();
        if cfg!(unix) && stands_at(file, lock_path) {
            let _ = fs::remove_file(lock_path);
        }
        pending.remove(lock_path);
        let _ = file.unlock();
    }
}

/// ENOLCK: a network drive whose server grants no locks. The same number on Linux; elsewhere it is 77.
const NO_LOCKS: i32 = if cfg!(target_os = "linux") { 37 } else { 77 };

/// Whether a drive has no locks, as NFS without its lock daemon, some of CIFS, and some file systems of programs (FUSE) say.
fn lacks_locks(error: &io::Error) -> bool {
    let kind = error.kind();
    kind == io::ErrorKind::Unsupported || cfg!(unix) && error.raw_os_error() == Some(NO_LOCKS)
}

fn opened(lock_path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(lock_path)
}

/// The command by which other processes know this one while it holds locks.
static COMMAND: OnceLock<String> = OnceLock::new();

/// Names this process in its lock files, such as `eigenfaces serve`; the first name counts.
pub fn name_lock_holder(command: &str) {
    let _ = COMMAND.set(command.to_owned());
}

/// The lock file's text: process id and command.
fn write_holder(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    let command = COMMAND.get().map_or("", String::as_str);
    writeln!(file, "{} {command}", std::process::id())
}

fn read_holder(file: &mut File) -> Option<LockHolder> {
    let mut text = String::new();
    file.take(100).read_to_string(&mut text).ok()?;
    let (pid, command) = text.strip_suffix('\n')?.split_once(' ')?;
    Some(LockHolder {
        pid: pid.parse().ok()?,
        // It comes from a file that anybody may have written.
        command: command.chars().filter(|it| !it.is_control()).collect(),
    })
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drives_without_locks_are_told_from_trouble() {
        // ENOLCK, EOPNOTSUPP, ENOSYS; EIO, EACCES.
        let lacks = |number| lacks_locks(&io::Error::from_raw_os_error(number));
        assert!([37, 95, 38].into_iter().all(lacks));
        assert!(![5, 13].into_iter().any(lacks));
    }
}
