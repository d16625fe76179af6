//! The index of the faces in a folder, and what it remembers of what a person said of them. It is changed under a lock: `group` on the
//! command line and a server may look at one folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::dataset::ContentHash;
use crate::error::{Error, ModelProblem, Result, WriteProblem, reason};
use crate::face_index::{Answers, FaceIndex};
use crate::store::{self, ModelLock, Wait};

pub const INDEX: &str = "eigenfaces.faces";

/// Time that another process may take to write an index.
const PATIENCE: Duration = Duration::from_secs(60);

/// The file of the index of a folder.
pub fn index_of(folder: &Path) -> PathBuf {
    folder.join(INDEX)
}

/// Saves an index, merged with the answers in its file, also those about photos that show the `same`; returns why it could not be
/// saved.
/// Errors: the file that stands there is no index, or is damaged.
pub fn save(index: &mut FaceIndex, file: &Path, same: &[(ContentHash, ContentHash)]) -> Result<Option<Error>> {
    let _lock = match ModelLock::acquire(file, Wait::AtMost(PATIENCE)) {
        Ok(lock) => lock,
        Err(error) => return Ok(Some(error)),
    };
    index.answers = load(file)?.answers;
    index.answers.follow(same);
    Ok(store::save_face_index(index, file).err())
}

/// A change of what an index remembers of faces.
#[derive(Debug)]
pub struct Remembered {
    file: PathBuf,
    before: Answers,
    after: Answers,
}

impl Remembered {
    /// Makes the change in an index, as it is by then. `None` where it changes nothing.
    /// Errors: an index that is gone, or cannot be read or written.
    pub fn change(file: &Path, change: impl FnOnce(&mut Answers)) -> Result<Option<Self>> {
        let lock = ModelLock::acquire(file, Wait::AtMost(PATIENCE));
        let mut index = existing(file)?;
        let before = index.answers.clone();
        change(&mut index.answers);
        if index.answers == before {
            // Whoever has nothing to write may have no right to.
            return Ok(None);
        }
        let _lock = lock?;
        store::save_face_index(&index, file)?;
        Ok(Some(Self { file: file.to_owned(), before, after: index.answers }))
    }

    /// Reverts the change, and returns what reverts that; later answers stay.
    /// Errors: as of [`Self::change`].
    fn take_back(&self) -> Result<Option<Self>> {
        Self::change(&self.file, |answers| answers.take_back(&self.before, &self.after))
    }

    /// Reverts some changes, all or none.
    /// Errors: as of [`Self::change`].
    pub fn take_all_back<'a>(changes: impl IntoIterator<Item = &'a Self>) -> Result<Vec<Self>> {
        let mut reverted = Vec::new();
        for change in changes {
            match change.take_back() {
                Ok(done) => reverted.extend(done),
                Err(error) => {
                    for done in &reverted {
                        done.take_back()?;
                    }
                    return Err(error);
                }
            }
        }
        Ok(reverted)
    }
}

/// The index in a file; an empty one where there is none.
/// Errors: a file that is no index, or is damaged.
pub fn load(file: &Path) -> Result<FaceIndex> {
    if file.symlink_metadata().is_err() { Ok(FaceIndex::default()) } else { existing(file) }
}

/// Errors: no file, or one that is no index or is damaged.
fn existing(file: &Path) -> Result<FaceIndex> {
    if file.symlink_metadata().is_err() {
        return Err(Error::about(file, "is gone, so nothing can be remembered there: group the folder again"));
    }
    store::load_face_index(file).map_err(|error| {
        let reason = match error {
            Error::Model { problem: ModelProblem::OtherKind { found, .. }, .. } => format!("it is {}", found.name()),
            Error::Read { source, .. } => reason(&source),
            _ => "it is no index of faces, or is damaged".to_owned(),
        };
        let remedy = match file.file_name() == Some(INDEX.as_ref()) {
            true => "move it away, and `eigenfaces group` makes it anew (without what was ignored or said to be wrong)",
            false => "name another file with --index",
        };
        Error::about(file, format_args!("{reason}; {remedy}"))
    })
}

/// The name of a file in the index of a folder; of one that is not Unicode, with its odd bytes escaped.
pub fn name_within(folder: &Path, file: &Path) -> String {
    let within = file.strip_prefix(folder).unwrap_or(file);
    let escaped = || within.as_os_str().as_encoded_bytes().escape_ascii().to_string();
    within.to_str().map_or_else(escaped, str::to_owned)
}

/// The reason why an index cannot be written, with the option that has it elsewhere.
pub fn with_index(error: &Error) -> String {
    match error {
        Error::Write { problem: WriteProblem::NotPermitted(_), .. } => format!("{error} with --index FILE"),
        other => other.to_string(),
    }
}

/// The name of a file in an index of several folders: its whole path.
pub fn whole_name(file: &Path) -> String {
    name_within(Path::new("/"), &std::path::absolute(file).unwrap_or_else(|_| file.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::face_index::FaceKey;

    #[test]
    fn what_is_said_while_others_save_the_index_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = index_of(folder.path());
        store::save_face_index(&FaceIndex::default(), &file).unwrap();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    assert!(save(&mut FaceIndex::default(), &file, &[]).unwrap().is_none());
                }
            });
            for face in 0..40 {
                let key = FaceKey { photo: ContentHash([7; 32]), face };
                let said = |answers: &mut Answers| {
                    answers.ignored.insert(key);
                };
                assert!(Remembered::change(&file, said).unwrap().is_some());
            }
            is_over.store(true, Ordering::SeqCst);
        });
        assert_eq!(load(&file).unwrap().answers.ignored.len(), 40);
    }
}
