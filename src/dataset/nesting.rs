//! Whether a folder has a sub-folder for each person, or lies too high for that.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The folders straight below `roots` that would be people, though no photo lies straight in them but only in folders
/// further down: each with one of these, in order of their names.
pub fn folders_of_folders<'a>(
    roots: &[PathBuf],
    photos: impl IntoIterator<Item = &'a Path>,
) -> Vec<(PathBuf, PathBuf)> {
    let mut folders: BTreeMap<PathBuf, Option<PathBuf>> = BTreeMap::new();
    for photo in photos {
        let below = roots
            .iter()
            .find_map(|root| Some((root, photo.strip_prefix(root).ok()?)));
        let Some((root, below)) = below else {
            continue;
        };
        let parts: Vec<&OsStr> = below.iter().collect();
        match parts.as_slice() {
            [person, _] => {
                folders.insert(root.join(person), None);
            }
            [person, inner, _, ..] => {
                let person = root.join(person);
                let inner = person.join(inner);
                folders.entry(person).or_insert(Some(inner));
            }
            _ => {}
        }
    }
    let nested = folders.into_iter();
    nested
        .filter_map(|(person, inner)| Some((person, inner?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(photos: &[&str]) -> Vec<String> {
        let roots = ["family", "more/photos"].map(PathBuf::from);
        let found = folders_of_folders(&roots, photos.iter().map(Path::new));
        let inner = found.into_iter().map(|(_, inner)| inner);
        inner.map(|inner| inner.display().to_string()).collect()
    }

    #[test]
    fn folders_without_photos_of_their_own_are_found() {
        assert!(nested(&["family/Ada/1.png", "family/Ada/old/2.png", "family/x.png"]).is_empty());
        assert!(nested(&["family/Ada/old/2.png", "family/Ada/1.png"]).is_empty());
        assert_eq!(
            nested(&["family/photos/Ada/1.png", "family/photos/Boris/2.png"]),
            ["family/photos/Ada"]
        );
        assert_eq!(
            nested(&["more/photos/tests/golden/1.png", "elsewhere/a/b/c.png"]),
            ["more/photos/tests/golden"]
        );
    }
}
