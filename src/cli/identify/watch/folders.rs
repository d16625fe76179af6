//! Folders into which photos come while the program runs.
//!
//! Folders are listed every second: nobody is told of files that other machines write to a network drive.

use std::collections::HashMap;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, SystemTime};

use eigenfaces::albums::refuse_no_folder;
use eigenfaces::dataset;

use crate::cli::Result;

const EVERY: Duration = Duration::from_secs(1);

/// Times that folders are listed for the rest of a burst.
const BURST: usize = 4;

/// Folders whose new photos are waited for.
pub struct Watched {
    folders: Vec<PathBuf>,
    photos: HashMap<PathBuf, Seen>,
}

/// A file as it was when its folder was last listed.
struct Seen {
    length: u64,
    modified: Option<SystemTime>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// It was there first, or has been given out.
    Done,
    /// It may still be written.
    Growing,
}

impl Watched {
    /// Photos that are there already are none that come.
    /// Errors: what is no folder.
    pub fn begin(folders: &[PathBuf]) -> Result<Self> {
        folders
            .iter()
            .try_for_each(|folder| refuse_no_folder(folder))?;
        let mut watched = Self {
            folders: folders.to_vec(),
            photos: HashMap::new(),
        };
        watched.list(State::Done);
        Ok(watched)
    }

    /// Waits for new photos: files that came or were written anew, and have not changed for a second. Those of a burst come
    /// together: it waits for files that are still written, but no longer than [`BURST`].
    pub fn next(&mut self) -> Vec<PathBuf> {
        let mut ready = Vec::new();
        let mut rounds = 0;
        loop {
            thread::sleep(EVERY);
            ready.extend(self.list(State::Growing));
            if !ready.is_empty() {
                rounds += 1;
                let mut files = self.photos.values();
                if rounds >= BURST || !files.any(|file| file.state == State::Growing) {
                    ready.sort_by(|a, b| dataset::natural::paths(a, b));
                    ready.dedup();
                    return ready;
                }
            }
        }
    }

    /// Lists the folders; new files are in this state. Returns those that are whole, in natural order.
    fn list(&mut self, state: State) -> Vec<PathBuf> {
        // Folders that are away for a while, as drives are, come back with photos that are known.
        let Ok(listing) = dataset::list_photos(&self.folders) else {
            return Vec::new();
        };
        let mut before = std::mem::take(&mut self.photos);
        let mut ready = Vec::new();
        for path in listing.photos {
            let Ok(about) = path.metadata() else { continue };
            let mut seen = Seen {
                length: about.len(),
                modified: about.modified().ok(),
                state,
            };
            if let Some(earlier) = before.remove(&path)
                && (earlier.length, earlier.modified) == (seen.length, seen.modified)
            {
                if earlier.state == State::Growing && seen.length > 0 {
                    ready.push(path.clone());
                }
                seen.state = match seen.length {
                    0 => earlier.state,
                    _ => State::Done,
                };
            }
            self.photos.insert(path, seen);
        }
        ready
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_photo_is_given_out_once_when_it_has_stopped_growing() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [folder.path().to_owned()];
        let photo = folder.path().join("a.png");
        fs::write(folder.path().join("there.png"), b"there").unwrap();
        let mut watched = Watched::begin(&folders).unwrap();
        let mut listed = || watched.list(State::Growing);
        assert!(listed().is_empty());
        for content in ["", "some", "some more"] {
            fs::write(&photo, content).unwrap();
            assert!(listed().is_empty(), "{content}");
        }
        assert_eq!(listed(), std::slice::from_ref(&photo));
        assert!(listed().is_empty());
        // A camera that writes to one name only.
        fs::write(&photo, b"another").unwrap();
        assert!(listed().is_empty());
        assert_eq!(listed(), std::slice::from_ref(&photo));
        let away = folder.path().with_extension("away");
        fs::rename(folder.path(), &away).unwrap();
        assert!(listed().is_empty());
        fs::rename(&away, folder.path()).unwrap();
        assert!(listed().is_empty());
        assert!(Watched::begin(&[photo]).is_err());
    }
}
