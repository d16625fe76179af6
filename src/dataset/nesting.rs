//! Whether a folder has a sub-folder for each person, or lies too high for that.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The photos of a folder that would be a person.
#[derive(Default)]
struct Contents {
    straight: usize,
    /// Folders in it that hold photos.
    inner: BTreeSet<PathBuf>,
}

impl Contents {
    /// The first of its folders, if these rather than it would be people: it has fewer photos than folders.
    fn nested(self) -> Option<PathBuf> {
        let few = self.inner.len() > 1 && self.straight < self.inner.len();
        self.inner.into_iter().next().filter(|_| self.straight == 0 || few)
    }
}

/// The folders straight below `roots` that would be people though (nearly) all of their photos lie further down.
pub fn folders_of_folders<'a>(
    roots: &[PathBuf],
    photos: impl IntoIterator<Item = &'a Path>,
) -> Vec<(PathBuf, PathBuf)> {
    let mut folders: BTreeMap<PathBuf, Contents> = BTreeMap::new();
    for photo in photos {
        let below = roots.iter().find_map(|root| Some((root, photo.strip_prefix(root).ok()?)));
        let Some((root, below)) = below else { continue };
        let parts: Vec<&OsStr> = below.iter().collect();
        match parts.as_slice() {
            [person, _] => folders.entry(root.join(person)).or_default().straight += 1,
            [person, inner, _, ..] => {
                let person = root.join(person);
                let inner = person.join(inner);
                folders.entry(person).or_default().inner.insert(inner);
            }
            _ => {}
        }
    }
    let nested = folders.into_iter();
    nested.filter_map(|(person, contents)| Some((person, contents.nested()?))).collect()
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
        let albums = ["family/Ada/1.png", "family/Ada/2.png", "family/Ada/old/3.png", "family/Ada/new/4.png"];
        assert!(nested(&albums).is_empty());
        let cover = ["family/photos/cover.png", "family/photos/Ada/1.png", "family/photos/Boris/2.png"];
        assert_eq!(nested(&cover), ["family/photos/Ada"]);
        assert_eq!(nested(&["family/photos/Ada/1.png", "family/photos/Boris/2.png"]), ["family/photos/Ada"]);
        assert_eq!(nested(&["more/photos/tests/golden/1.png", "elsewhere/a/b/c.png"]), ["more/photos/tests/golden"]);
    }
}
