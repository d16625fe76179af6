//! The lock that a process holds while it changes a model, so that two do not overwrite each other's people.
//!
//! It is advisory and belongs to a hidden file beside the model (the model itself is replaced, and a lock would stay
//! with the old one). The operating system releases it when its process ends, however it ends. Readers take no lock:
//! they find the old model or the new one.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::pending;
use super::place::{Place, stands_at};
use crate::error::{Error, LockHolder, Result};

/// The choice while another process holds the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Give up at once.
    Fail,
    /// Wait for that long, then give up.
    AtMost(Duration),
}

/// Time between two looks of a waiting process.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// So often in a row a lock file is not removed by chance: the file system does not know its files again.
const MOST_VANISHINGS: u32 = 10_000;

/// The right to change a model. Released when dropped, or when the process ends.
#[derive(Debug)]
#[must_use = "the lock is released at once if it is not kept"]
pub struct ModelLock {
    file: File,
    lock_path: PathBuf,
    model: Model,
}

/// The model's own file while it is locked too: it may have other names (hard links), with lock files of their own.
#[derive(Debug)]
struct Model {
    path: PathBuf,
    file: Option<File>,
}

impl Model {
    /// Locks the file that stands there, if there is one. False where somebody else has locked it.
    fn lock(&mut self) -> bool {
        // Elsewhere a lock would keep readers out, and a file system without locks has other worries.
        let file = cfg!(unix).then(|| File::open(&self.path).ok()).flatten();
        let is_free = file
            .as_ref()
            .is_none_or(|file| !matches!(file.try_lock(), Err(TryLockError::WouldBlock)));
        if is_free {
            self.file = file;
        }
        is_free
    }
}

impl ModelLock {
    /// Takes the lock of the model at `model`, which need not exist yet; its folder must.
    ///
    /// # Errors
    /// [`Error::Locked`] names the process that holds it. [`Error::Write`] if nothing can be written there: then a
    /// model could not be written either, and the user learns it before the work and not after it.
    pub fn acquire(model: &Path, wait: Wait) -> Result<Self> {
        let place = Place::find(model)?;
        let lock_path = place.beside("lock");
        let deadline = match wait {
            Wait::Fail => None,
            Wait::AtMost(time) => Instant::now().checked_add(time),
        };
        let mut vanished = 0;
        loop {
            let holder = match try_acquire(&lock_path).map_err(|error| place.error(error))? {
                Attempt::Got(file) => {
                    let (path, lock_path) = (place.file.clone(), lock_path.clone());
                    let model = Model { path, file: None };
                    let mut lock = Self {
                        file,
                        lock_path,
                        model,
                    };
                    if lock.model.lock() {
                        return Ok(lock);
                    }
                    None
                }
                Attempt::Vanished if vanished < MOST_VANISHINGS => {
                    vanished += 1;
                    continue;
                }
                Attempt::Vanished => {
                    return Err(place.error(io::Error::other("its lock file keeps vanishing")));
                }
                Attempt::HeldBy(holder) => holder,
            };
            let patient =
                wait != Wait::Fail && deadline.is_none_or(|deadline| Instant::now() < deadline);
            if !patient {
                return Err(Error::Locked {
                    path: place.named,
                    holder,
                });
            }
            thread::sleep(LOOK_AGAIN);
        }
    }
}

impl ModelLock {
    /// Locks the model's file again: a change has replaced it.
    pub fn follow(&mut self) {
        self.model.lock();
    }
}

impl Drop for ModelLock {
    /// Removes the lock file while it is still locked: whoever waits for it then finds that it has vanished, and makes
    /// a new one.
    fn drop(&mut self) {
        let mut pending = pending::hold();
        if cfg!(unix) && stands_at(&self.file, &self.lock_path) {
            let _ = fs::remove_file(&self.lock_path);
        }
        pending.remove(&self.lock_path);
        let _ = self.file.unlock();
    }
}

enum Attempt {
    Got(File),
    HeldBy(Option<LockHolder>),
    /// Its holder removed the file between our opening and our locking it.
    Vanished,
}

fn try_acquire(lock_path: &Path) -> io::Result<Attempt> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // Not interrupted between the making of the file and its noting.
    let mut pending = pending::hold();
    let mut file = options.open(lock_path)?;
    match file.try_lock() {
        Ok(()) if stands_at(&file, lock_path) => {
            // To be named is a courtesy to others: a full disk must not keep us from trying.
            let _ = write_holder(&mut file);
            if cfg!(unix) {
                pending.add(lock_path, &file);
            }
            Ok(Attempt::Got(file))
        }
        Ok(()) => Ok(Attempt::Vanished),
        Err(TryLockError::WouldBlock) => Ok(Attempt::HeldBy(read_holder(&mut file))),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The lock file's text: process id, and seconds since 1970, when it took the lock.
fn write_holder(file: &mut File) -> io::Result<()> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO);
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{} {}", std::process::id(), now.as_secs())
}

fn read_holder(file: &mut File) -> Option<LockHolder> {
    let mut text = String::new();
    file.take(100).read_to_string(&mut text).ok()?;
    let (pid, since) = text.strip_suffix('\n')?.split_once(' ')?;
    Some(LockHolder {
        pid: pid.parse().ok()?,
        since: UNIX_EPOCH.checked_add(Duration::from_secs(since.parse().ok()?))?,
    })
}
