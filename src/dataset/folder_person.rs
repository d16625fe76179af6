//! The file `.person` in a folder: whose photos it holds, where the folder cannot bear the name.

use std::io::Read as _;
use std::path::Path;

use super::Person;
use super::open::open_file;
use crate::error::{Error, PhotoProblem};

/// The name of the file; it holds the person's name in UTF-8.
pub const PERSON_FILE: &str = ".person";

/// A name has at most 200 characters; what is longer is refused by [`Person`].
const MOST_BYTES: u64 = 4096;

/// The person that a folder's file names; `None` where there is no file.
pub(super) fn person_of_folder(folder: &Path) -> Option<Result<Person, PhotoProblem>> {
    let path = folder.join(PERSON_FILE);
    if path.symlink_metadata().is_err() {
        return None;
    }
    let mut text = Vec::new();
    let read = open_file(&path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut text));
    Some(read.map_err(super::damaged::unreadable).and_then(|_| person_in(&text)))
}

/// The person of this name.
pub(super) fn to_person(name: &str) -> Result<Person, PhotoProblem> {
    Person::new(name).map_err(|error| match error {
        Error::PersonName { reason, .. } => PhotoProblem::BadPersonName { reason },
        _ => PhotoProblem::NoPerson,
    })
}

fn person_in(text: &[u8]) -> Result<Person, PhotoProblem> {
    let reason = "the file .person in its folder is no UTF-8; write the name anew";
    let text = std::str::from_utf8(text).map_err(|_| PhotoProblem::BadPersonName { reason })?;
    to_person(text.trim_start_matches('\u{feff}'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_folder_is_whose_file_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        assert!(person_of_folder(folder.path()).is_none());
        std::fs::write(folder.path().join(PERSON_FILE), "\u{feff}AC/DC\r\n").unwrap();
        let person = person_of_folder(folder.path()).unwrap().unwrap();
        assert_eq!(person.as_str(), "AC/DC");
        std::fs::write(folder.path().join(PERSON_FILE), b"J\xf6rg").unwrap();
        let problem = person_of_folder(folder.path()).unwrap().unwrap_err();
        assert!(problem.to_string().contains(".person"), "{problem}");
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_name_or_refused(text in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(person) = person_in(&text) {
                prop_assert!(!person.as_str().trim().is_empty());
            }
        }
    }
}
