//! Photos that come into folders while the program runs: what is new there and whole.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, mem, slice, thread};

use super::refuse_no_folder;
use crate::dataset::{self, FileId};
use crate::error::{Error, Result, reason};
use crate::store::FileStamp;
use crate::text::shown;

/// Folders are listed this often: nobody is told of files that other machines write to a network drive.
const EVERY: Duration = Duration::from_secs(1);

/// Times that folders are listed for the rest of a burst.
const BURST: usize = 4;

/// Files that are gone are known for so long: drives are away for a while, and come back.
const KNOWN_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// Folders into which photos come.
#[derive(Debug)]
pub struct Watched {
    folders: Vec<WatchedFolder>,
    photos: HashMap<PathBuf, WatchedFile>,
    /// What is to be said of folders.
    notes: Vec<String>,
}

#[derive(Debug)]
struct WatchedFolder {
    path: PathBuf,
    /// Of the folder that stood there last.
    id: FileId,
    is_away: bool,
}

#[derive(Debug)]
struct WatchedFile {
    stamp: FileStamp,
    id: FileId,
    state: State,
    last_seen: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It was there first, or has been given out.
    Done,
    /// It may still be written.
    Growing,
}

impl Watched {
    /// Photos that are there already are none that come.
    ///
    /// # Errors
    /// What is no folder.
    pub fn begin(folders: &[PathBuf]) -> Result<Self> {
        folders.iter().try_for_each(|folder| refuse_no_folder(folder))?;
        let watched = |path: &PathBuf| WatchedFolder { path: path.clone(), id: FileId::of(path), is_away: false };
        let folders = folders.iter().map(watched).collect();
        let mut watched = Self { folders, photos: HashMap::new(), notes: Vec::new() };
        watched.list(State::Done);
        Ok(watched)
    }

    /// Waits for new photos: files that came or were written anew, and have not changed for a second. Those of a burst come
    /// together: it waits for files that are still written, but not for long. `warn` is told of folders that are away, and back.
    pub fn next(&mut self, mut warn: impl FnMut(&str)) -> Vec<PathBuf> {
        let mut ready = Vec::new();
        let mut rounds = 0;
        loop {
            thread::sleep(EVERY);
            ready.extend(self.list(State::Growing));
            self.notes.drain(..).for_each(|note| warn(&note));
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

    /// Lists the folders; new files are in this state. Returns those that are whole.
    fn list(&mut self, state: State) -> Vec<PathBuf> {
        let now = Instant::now();
        let (mut ready, mut given_out) = (Vec::new(), None);
        for (path, state) in self.there(state) {
            let file = dataset::file_of(&path);
            let Some(stamp) = FileStamp::of(&file) else { continue };
            let earlier = self.photos.get_mut(&path);
            let is_new = earlier.is_none();
            if let Some(same) = earlier.filter(|earlier| earlier.stamp == stamp) {
                same.last_seen = now;
                if same.state == State::Growing && stamp.length > 0 {
                    same.state = State::Done;
                    ready.push(path);
                }
                continue;
            }
            // A file that was given out may have got another name.
            let id = FileId::of(&file);
            let is_known = is_new && given_out.get_or_insert_with(|| self.given_out()).contains(&(id.clone(), stamp));
            let state = if is_known { State::Done } else { state };
            self.photos.insert(path, WatchedFile { stamp, id, state, last_seen: now });
        }
        self.photos.retain(|_, file| {
            file.last_seen == now || file.state == State::Done && now.duration_since(file.last_seen) < KNOWN_FOR
        });
        ready
    }

    /// The photos that are there, and the state of those that are new: in a folder that another has taken the place of, as when a drive
    /// is mounted, all were there first.
    fn there(&mut self, state: State) -> BTreeMap<PathBuf, State> {
        let is_known = |path: &Path| {
            let known = self.photos.get(path).filter(|file| file.state == State::Done);
            known.is_some_and(|file| FileStamp::of(path) == Some(file.stamp))
        };
        let mut there = BTreeMap::new();
        for folder in &mut self.folders {
            let id = FileId::of(&folder.path);
            let photos = match dataset::list_photos_again(slice::from_ref(&folder.path), &is_known) {
                Ok(listing) => listing.photos,
                Err(Error::NothingToLookAt { .. }) => Vec::new(),
                Err(error) => {
                    if !mem::replace(&mut folder.is_away, true) {
                        // Nobody misspelled it.
                        let gone = fs::read_dir(&folder.path).err();
                        let error = gone.map_or(error, |gone| Error::about(&folder.path, reason(&gone)));
                        self.notes.push(format!("{error}; it is looked for further"));
                    }
                    continue;
                }
            };
            if mem::take(&mut folder.is_away) {
                self.notes.push(format!("{}: it is there again", shown(&folder.path)));
            }
            let is_another = mem::replace(&mut folder.id, id.clone()) != id;
            let state = if is_another { State::Done } else { state };
            there.extend(photos.into_iter().map(|path| (path, state)));
        }
        there
    }

    /// The files that were there first or have been given out.
    fn given_out(&self) -> HashSet<(FileId, FileStamp)> {
        let done = self.photos.values().filter(|file| file.state == State::Done);
        done.map(|file| (file.id.clone(), file.stamp)).collect()
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn what_moves_or_is_mounted_is_no_newcomer_and_one_folder_does_not_stop_another() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other, away] = ["one", "other", "away"].map(|name| folder.path().join(name));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&other).unwrap();
        let mut watched = Watched::begin(&[one.clone(), other.clone()]).unwrap();
        let mut listed = |notes: usize| {
            let all = [watched.list(State::Growing), watched.list(State::Growing)].concat();
            assert_eq!(watched.notes.drain(..).count(), notes);
            all
        };
        fs::write(one.join("a.jpg"), b"a").unwrap();
        assert_eq!(listed(0), [one.join("a.jpg")]);
        fs::create_dir(one.join("archive")).unwrap();
        fs::rename(one.join("a.jpg"), one.join("archive/b.jpg")).unwrap();
        assert!(listed(0).is_empty());
        fs::rename(&other, &away).unwrap();
        fs::write(one.join("c.jpg"), b"c").unwrap();
        assert_eq!(listed(1), [one.join("c.jpg")]);
        // As if a drive were mounted.
        fs::create_dir(&other).unwrap();
        fs::write(other.join("old.jpg"), b"old").unwrap();
        assert_eq!(listed(1).len(), usize::from(cfg!(not(unix))));
        fs::write(other.join("new.jpg"), b"new").unwrap();
        assert_eq!(listed(0), [other.join("new.jpg")]);
    }
}
