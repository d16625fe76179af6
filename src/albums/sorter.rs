//! Photos sorted by person: a folder each, of hard links or copies (`identify --sort-into`, and the page of `serve`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::dataset::{ContentHash, FileId, PERSON_FILE, PhotoFile, SORTED, is_page, is_standard_input};
use crate::decision::Decision;
use crate::enrollment::Observer;
use crate::error::{Error, Result, reason};
use crate::recognizer::Identification;
use crate::store::{Outputs, Privacy, cut, fitting, note_change, numbered};
use crate::text::{counted, shown};

/// Folders for photos of nobody who is enrolled, and for those without a face.
const UNKNOWN: &str = "unknown";
const NO_FACE: &str = "no-face";

/// Names that Windows takes for devices, with a digit or without.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Bytes of a name that is cut: file systems have room for 255.
const LONGEST_NAME: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SortBy {
    Link,
    Copy,
}

/// The treatment of photos of nobody who is enrolled, and of those without a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    Stay,
    Sorted,
}

/// The folders of people, and what came into them so far.
#[derive(Debug)]
pub struct Sorter<'a> {
    folder: &'a Path,
    by: Option<SortBy>,
    others: Others,
    /// Photos that came, would come, or were there already, by folder.
    pub counts: BTreeMap<String, Counts>,
}

#[derive(Debug, Default)]
pub struct Counts {
    pub new: usize,
    pub there: usize,
}

impl<'a> Sorter<'a> {
    /// Sorts into folders below this one; without a method it is a dry run.
    pub fn new(folder: &'a Path, by: Option<SortBy>, others: Others) -> Self {
        Self { folder, by, others, counts: BTreeMap::new() }
    }

    /// Sorts a photo into the folder of everybody who was named in it.
    /// Errors: a place that cannot be written; a link to another file system.
    pub fn add(&mut self, photo: &Path, found: &[Identification]) -> Result<()> {
        if is_standard_input(photo) {
            return Ok(());
        }
        self.add_to(photo, self.folders(found))
    }

    pub fn add_to(&mut self, photo: &Path, folders: impl IntoIterator<Item = Folder>) -> Result<()> {
        for Folder { name, person } in folders {
            let folder = self.folder.join(&name);
            let counts = self.counts.entry(name).or_default();
            let Some(target) = place(&folder, photo) else {
                counts.there += 1;
                continue;
            };
            match self.by {
                None => {}
                // No file is a page alone.
                Some(_) if is_page(photo) => copy(photo, &folder, &target)?,
                Some(SortBy::Link) => link(photo, &folder, &target)?,
                Some(SortBy::Copy) => copy(photo, &folder, &target)?,
            }
            counts.new += 1;
            if let (Some(person), Some(_)) = (person, self.by) {
                // So that it is this person's when it is enrolled.
                note(&folder, PERSON_FILE, &format!("{person}\n"))?;
            }
        }
        if self.by.is_some() && self.counts.values().any(|counts| counts.new > 0) {
            // So that its folders of strangers are not taken for people.
            note(self.folder, SORTED, "")?;
        }
        Ok(())
    }

    fn folders(&self, found: &[Identification]) -> BTreeSet<Folder> {
        let mut folders: BTreeSet<Folder> = found.iter().filter_map(Identification::name).map(Folder::of).collect();
        if folders.is_empty() && self.others == Others::Sorted {
            let is_faceless = found.iter().all(|face| face.decision == Decision::NotAFace);
            folders.insert(Folder { name: if is_faceless { NO_FACE } else { UNKNOWN }.to_owned(), person: None });
        }
        folders
    }

    pub fn report(&self, observer: &dyn Observer) {
        let done = match self.by {
            None => "would sort",
            Some(SortBy::Link) => "linked",
            Some(SortBy::Copy) => "copied",
        };
        for (name, counts) in &self.counts {
            let there = counts.there;
            let already = if there == 0 { String::new() } else { format!(" ({there} there already)") };
            let (photos, folder) = (counted(counts.new, "photo", "photos"), shown(&self.folder.join(name)));
            observer.say(&format!("{done} {photos} into {folder}{already}"));
        }
        if self.counts.is_empty() {
            observer.say("nobody was named, so there is nothing to sort");
        } else if self.by.is_none() {
            observer.say("nothing was written: add --link (hard links, which take no space) or --copy");
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Folder {
    name: String,
    /// Whose it is, where its name does not say that.
    person: Option<String>,
}

impl Folder {
    pub fn of(person: &str) -> Self {
        let name = folder_name(person);
        let person = (name != person).then(|| person.to_owned());
        Self { name, person }
    }
}

/// Writes a note about a folder into it. What stands there already stays.
fn note(folder: &Path, name: &str, text: &str) -> Result<()> {
    let file = folder.join(name);
    if file.symlink_metadata().is_ok() {
        return Ok(());
    }
    let to = Outputs::new([folder], Default::default()).claim(&file)?;
    to.write_with(Privacy::Personal, |out| out.write_all(text.as_bytes()))
}

/// A person's name as that of a folder, no other person's. Where a file system would take it for something else, Windows'
/// too, it is changed, and its hash tells it apart from the names that are changed likewise.
fn folder_name(person: &str) -> String {
    let is_special = |letter: char| letter.is_control() || r#"/\:*?"<>|"#.contains(letter);
    let name: String = person.chars().map(|letter| if is_special(letter) { '_' } else { letter }).collect();
    let name = cut(&name, LONGEST_NAME).trim_end_matches(['.', ' ']);
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let is_device = DEVICES.iter().any(|device| {
        let number = stem.get(device.len()..).unwrap_or("-");
        let start = stem.get(..device.len()).unwrap_or_default();
        start.eq_ignore_ascii_case(device) && matches!(number.as_bytes(), [] | [b'0'..=b'9'])
    });
    let is_ours = [UNKNOWN, NO_FACE].contains(&name);
    if name == person && !is_device && !is_ours && !name.starts_with('.') {
        return name.to_owned();
    }
    let name = name.trim_start_matches('.');
    format!("{name}~{}", &ContentHash::of(person.as_bytes()).to_string()[..8])
}

/// A free path for a photo in a folder; `None` where the photo stands there already.
fn place(folder: &Path, photo: &Path) -> Option<PathBuf> {
    let name = Path::new(photo.file_name().unwrap_or_default());
    let is_free = |target: &PathBuf| target.symlink_metadata().is_err();
    let mut targets = (1..).map(|number| fitting(folder.join(numbered(name, number))));
    targets.find(|target| is_free(target) || is_same(photo, target)).filter(is_free)
}

/// Whether two paths are the same file, or have equal contents.
fn is_same(photo: &Path, other: &Path) -> bool {
    let length = |path: &Path| path.metadata().ok().map(|about| about.len());
    let same_length = length(photo).is_some() && length(photo) == length(other);
    same_length
        && (FileId::of(photo) == FileId::of(other)
            || matches!((fs::read(photo), fs::read(other)), (Ok(a), Ok(b)) if a == b))
        || is_page(photo) && matches!((PhotoFile::read(photo), fs::read(other)), (Ok(a), Ok(b)) if a.bytes() == b)
}

fn link(photo: &Path, folder: &Path, target: &Path) -> Result<()> {
    make_own_folder(folder)?;
    // Of a symbolic link the photo that it leads to.
    fs::hard_link(photo.canonicalize().unwrap_or_else(|_| photo.to_owned()), target).map_err(|error| {
        let reason = match error.kind() {
            io::ErrorKind::CrossesDevices => {
                "it is on another file system than the photo; --copy makes copies instead".to_owned()
            }
            // File systems without links say so in several ways: exFAT refuses permission.
            io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported if may_write(folder) => {
                "its file system has no hard links, as exFAT and some network drives; --copy makes copies instead"
                    .to_owned()
            }
            _ => reason(&error),
        };
        Error::Told(format!("cannot link {}: {reason}", target.display()))
    })?;
    note_change(target);
    Ok(())
}

fn copy(photo: &Path, folder: &Path, target: &Path) -> Result<()> {
    make_own_folder(folder)?;
    let bytes = match is_page(photo) {
        true => PhotoFile::read(photo).map_err(|problem| Error::photo(photo, problem))?.bytes().to_vec(),
        false => fs::read(photo).map_err(|error| Error::unreadable(photo, reason(&error)))?,
    };
    let about = photo.metadata();
    let to = Outputs::new([photo], Default::default()).claim(target)?;
    to.write_with(Privacy::Personal, |out| {
        out.write_all(&bytes)?;
        out.flush()?;
        // A photo's date is worth keeping, and no reason to fail.
        if let Ok(date) = about.and_then(|about| about.modified()) {
            let _ = out.get_ref().set_modified(date);
        }
        Ok(())
    })
}

fn may_write(folder: &Path) -> bool {
    tempfile::tempfile_in(folder).is_ok()
}

/// Makes a folder, where it is missing, and those around it, for its owner only: it names people.
fn make_own_folder(folder: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| Error::folder(folder, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder_and_apart() {
        assert_eq!(folder_name("Ada Lovelace"), "Ada Lovelace");
        assert_eq!(folder_name("Connie Auxley"), "Connie Auxley");
        let long = "顔".repeat(200);
        let others = [
            "a/b",
            "a:b",
            "a\\b",
            "a?b",
            "../../etc",
            "..",
            ".hidden",
            "unknown",
            "no-face",
            "CON",
            "nul.txt",
            "Com1",
            "Ada.",
            "Ada ",
            &long,
            &long[3..],
        ];
        let names: std::collections::BTreeSet<String> = others.iter().map(|person| folder_name(person)).collect();
        assert_eq!(names.len(), others.len(), "{names:?}");
        for name in names {
            assert!(name.contains('~') && name.len() < 220, "{name}");
            assert!(!name.starts_with('.') && !name.contains(['/', '\\', ':']), "{name}");
            assert!(!others.contains(&name.as_str()));
        }
    }

    #[test]
    fn a_folder_says_whose_it_is_where_its_name_does_not() {
        assert_eq!(Folder::of("Ada").person, None);
        let folder = tempfile::tempdir().unwrap();
        for person in ["AC/DC", "another"] {
            note(folder.path(), PERSON_FILE, &format!("{person}\n")).unwrap();
            let written = std::fs::read_to_string(folder.path().join(PERSON_FILE)).unwrap();
            assert_eq!(written, "AC/DC\n", "what is there stays");
        }
        assert_eq!(Folder::of("AC/DC").person.as_deref(), Some("AC/DC"));
    }

    #[test]
    fn a_taken_name_is_numbered_and_the_same_photo_is_there_already() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("a"), folder.path().join("b"));
        let target = folder.path().join("Ada");
        for made in [&one, &two, &target] {
            fs::create_dir(made).unwrap();
        }
        for (path, text) in [(&one, "first"), (&two, "second")] {
            std::fs::write(path.join("x.jpg"), text).unwrap();
        }
        let (one, two) = (one.join("x.jpg"), two.join("x.jpg"));
        let place_of = |photo: &Path| place(&target, photo);
        assert_eq!(place_of(&one), Some(target.join("x.jpg")));
        link(&one, &target, &target.join("x.jpg")).unwrap();
        assert_eq!(place_of(&one), None);
        let free = place_of(&two).unwrap();
        assert_eq!(free, target.join("x (2).jpg"));
        copy(&two, &target, &free).unwrap();
        assert_eq!(place_of(&two), None);
        assert_eq!(std::fs::read_to_string(free).unwrap(), "second");
    }
}
