//! Labels of photos: the person by folder, by file name, or by a table.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::extension::has_extension;
use super::file_name;
use super::file_path::path_as_text;
use super::folder_person::{person_of_folder, to_person};
use super::found::{Depth, FileId, FoundFile};
use super::table::{self, TableEncoding, TableRow};
use super::{ListingNote, Person, Skipped};
use crate::error::{Error, PhotoProblem, Result};

/// The rule that gives photos their person's name. File names that are not Unicode are read with replacement characters.
///
/// As text: `folder`, `stem`, `xmp`, or the path of a `.csv` file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LabelRule {
    /// The first-level folder under the root names the person, whatever lies nested below it; the file `.person` in it, if there is
    /// one, rather than its own name. A folder that is called as phones and programs call theirs (`Camera`, `WhatsApp Images`, `New
    /// folder`) names nobody. Files straight in the root, and files given one by one, go by [`LabelRule::Stem`]; where such names
    /// tell nobody (`1.pgm`, `IMG_0001.jpg`), the folder they lie in names the person, unless it is a root with folders of people
    /// in it. So `enroll faces/`, `enroll flat/`, `enroll faces/ada/` and `enroll faces/ada/*.jpg` all do what they look like.
    #[default]
    Folder,
    /// The file name without extension, the number at its end and what sets that off; underscores
    /// are spaces: `Ada Lovelace.jpg`, `Ada Lovelace 2.jpg`, `Ada Lovelace (3).jpg` and
    /// `Ada_Lovelace_0004.jpg` all show Ada Lovelace, `ada2.jpg` shows ada. Dates beside a name, and `- Copy`, are no part of
    /// it; what cameras, phones and messengers call files (`20210501_101112.jpg`) names nobody.
    Stem,
    /// A table with a row `path,person` for every photo, with or without a heading. Paths are
    /// relative to the table's folder, or else to a root. Photos without a row are skipped.
    Csv(PathBuf),
    /// Names that a person gave to faces in a photo manager: regions in the XMP file beside a photo or in the photo. Each
    /// named face of a photo is a face of that person.
    Xmp,
}

impl FromStr for LabelRule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let path = Path::new(text);
        match text {
            "folder" => Ok(Self::Folder),
            "stem" => Ok(Self::Stem),
            "xmp" => Ok(Self::Xmp),
            _ if has_extension(path, &["csv"]) => Ok(Self::Csv(path.to_owned())),
            _ => Err(Error::LabelRule { given: text.into() }),
        }
    }
}

/// A rule made ready: tables are read.
pub(super) enum Labeler {
    Folder,
    Stem,
    Table(Table),
}

impl Labeler {
    pub(super) fn new(rule: &LabelRule, roots: &[PathBuf]) -> Result<Self> {
        Ok(match rule {
            LabelRule::Folder => Self::Folder,
            LabelRule::Stem => Self::Stem,
            LabelRule::Csv(path) => Self::Table(Table::read(path, roots)?),
            LabelRule::Xmp => return Err(Error::LabelsOfFaces),
        })
    }

    /// Rows of the table whose files are not there.
    pub(super) fn missing(&self) -> Vec<Skipped> {
        if let Self::Table(table) = self { table.missing.clone() } else { Vec::new() }
    }

    /// A table that is not in Unicode.
    pub(super) fn note(&self) -> Option<ListingNote> {
        match self {
            Self::Table(table) if table.encoding == TableEncoding::Windows1252 => {
                Some(ListingNote::Windows1252(table.path.clone()))
            }
            _ => None,
        }
    }

    pub(super) fn person(
        &self,
        FoundFile { path, depth, .. }: &FoundFile,
        root: &Root,
    ) -> Result<Person, PhotoProblem> {
        let name = match self {
            Self::Table(table) => return table.person(path),
            Self::Stem => stem_name(path),
            Self::Folder => {
                let folder = match depth {
                    Depth::Below(folder) => Some(root.path.join(folder)),
                    Depth::Top => Some(root.path.to_owned()),
                    Depth::Given => path.parent().map(Path::to_owned),
                };
                if let Some(written) = folder.as_deref().and_then(person_of_folder) {
                    return written;
                }
                match depth {
                    Depth::Below(folder) => Some(path_as_text(folder))
                        .filter(|name| !root.holding.contains(folder) || !file_name::is_folder_of_a_device(name)),
                    Depth::Given => stem_name(path).or_else(|| path.parent().and_then(folder_name)),
                    Depth::Top => stem_name(path).or_else(|| root.name.clone()),
                }
            }
        };
        to_person(&name.ok_or(PhotoProblem::NoPerson)?)
    }
}

/// A folder, or a file, that photos were asked for.
pub(super) struct Root<'a> {
    path: &'a Path,
    /// Its name, if it is one person's folder.
    name: Option<String>,
    /// The folders straight in it that hold photos themselves, rather than people's folders.
    holding: HashSet<OsString>,
}

impl<'a> Root<'a> {
    pub(super) fn new(path: &'a Path, found: &[FoundFile]) -> Self {
        let has_folders = found.iter().any(|f| matches!(f.depth, Depth::Below(_)));
        let holding = found.iter().filter_map(|found| {
            let Depth::Below(folder) = &found.depth else { return None };
            (found.path.parent() == Some(&path.join(folder))).then(|| folder.clone())
        });
        Self { path, name: (!has_folders).then(|| folder_name(path)).flatten(), holding: holding.collect() }
    }
}

/// The folder's own name, also where the path says `.` or `..`.
fn folder_name(folder: &Path) -> Option<String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let full = if folder.file_name().is_some() { folder.to_owned() } else { folder.canonicalize().ok()? };
    let name = full.file_name().map(path_as_text)?;
    (!file_name::is_of_a_device(&name)).then_some(name)
}

/// The person's name in a file's name (see [`LabelRule::Stem`]); `None` if it tells nobody.
pub(super) fn stem_name(path: &Path) -> Option<String> {
    file_name::person_in(&path_as_text(path.file_stem()?))
}

/// The table of `--labels FILE.csv`.
pub(super) struct Table {
    path: PathBuf,
    people: HashMap<FileId, Row>,
    missing: Vec<Skipped>,
    encoding: TableEncoding,
}

struct Row {
    person: Person,
    line: u64,
}

/// Headings by which the two columns are known, lower case.
const PATH_HEADINGS: &[&str] = &["path", "file", "filename", "file_name", "photo", "image"];
/// Headings of the column of people.
pub const PERSON_HEADINGS: &[&str] = &["person", "name", "label", "subject", "identity"];

impl Table {
    fn read(path: &Path, roots: &[PathBuf]) -> Result<Self> {
        let fail = |problem: String| Error::Labels { path: path.to_owned(), problem };
        if !path.exists() {
            return Err(Error::missing(path));
        }
        let read = table::read_table(path).map_err(fail)?;

        let mut table =
            Self { path: path.to_owned(), people: HashMap::new(), missing: Vec::new(), encoding: read.encoding };
        let mut columns = (0, 1);
        for (number, TableRow { line, fields }) in read.rows.iter().enumerate() {
            if number == 0
                && let Some(headed) = heading(fields)
            {
                columns = headed;
                continue;
            }
            let (Some(file), Some(name)) = (fields.get(columns.0), fields.get(columns.1)) else {
                return Err(fail(format!("line {line} has fewer than two fields")));
            };
            let (file, line) = (file.trim(), *line);
            // Left empty, or `identify --format csv` of a photo of nobody known.
            if name.trim().is_empty() {
                continue;
            }
            let person = Person::new(table::unguarded(name.trim())).map_err(|e| fail(format!("line {line}: {e}")))?;
            table.add(file, Row { person, line }, roots).map_err(fail)?;
        }
        Ok(table)
    }

    /// Adds a row; the error says how it contradicts an earlier one.
    fn add(&mut self, file: &str, row: Row, roots: &[PathBuf]) -> Result<(), String> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let spellings = table::spellings_of_path(file);
        let mut candidates = spellings.iter().flat_map(|file| {
            std::iter::once(folder).chain(roots.iter().map(PathBuf::as_path)).map(move |base| base.join(file))
        });
        let Some(photo) = candidates.find(|path| path.is_file()) else {
            self.missing.push(Skipped {
                path: folder.join(file),
                problem: PhotoProblem::Unreadable {
                    reason: format!("line {} of the labels names it, but it is not there", row.line),
                },
            });
            return Ok(());
        };
        let id = FileId::of(&photo);
        match self.people.get(&id) {
            Some(earlier) if earlier.person != row.person => Err(format!(
                "line {} names '{}' in {file}, but line {} named '{}'",
                row.line, row.person, earlier.line, earlier.person
            )),
            Some(_) => Ok(()),
            None => {
                self.people.insert(id, row);
                Ok(())
            }
        }
    }

    fn person(&self, path: &Path) -> Result<Person, PhotoProblem> {
        let row = self.people.get(&FileId::of(path));
        row.map(|row| row.person.clone()).ok_or_else(|| PhotoProblem::NotLabeled { labels: self.path.clone() })
    }
}

/// The columns of path and person, if the row is a heading.
fn heading(row: &[String]) -> Option<(usize, usize)> {
    let column =
        |headings: &[&str]| row.iter().position(|field| headings.contains(&field.trim().to_lowercase().as_str()));
    let path = column(PATH_HEADINGS)?;
    let person = column(PERSON_HEADINGS)?;
    (path != person).then_some((path, person))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stem(file: &str) -> Option<String> {
        stem_name(Path::new(file))
    }

    #[test]
    fn names_in_file_names() {
        for (file, name) in [
            ("Ada Lovelace.jpg", "Ada Lovelace"),
            ("Ada Lovelace 2.jpg", "Ada Lovelace"),
            ("Ada Lovelace (3).jpeg", "Ada Lovelace"),
            ("Ada Lovelace - 04.jpg", "Ada Lovelace"),
            ("ada_lovelace_0001.jpg", "ada lovelace"),
            ("photos/obama2.jpg", "obama"),
            ("Jean-Paul_1.png", "Jean-Paul"),
            ("subject01_glasses.gif", "subject01 glasses"),
            ("s1_10.pgm", "s1"),
            ("1_1.pgm", "1"),
            ("Éloïse 2.png", "Éloïse"),
            ("小野 3.png", "小野"),
            ("Imogen 1.png", "Imogen"),
            ("Image Maker 1.png", "Image Maker"),
            ("Louis XIV.png", "Louis XIV"),
        ] {
            assert_eq!(stem(file).as_deref(), Some(name), "{file}");
        }
        for file in [
            "1.pgm",
            "0001.jpg",
            "(1).jpg",
            "_.jpg",
            "IMG_0001.JPG",
            "DSC01234.jpg",
            "img_20240131_120000.jpg",
            "Photo 3.png",
            "face-7.png",
        ] {
            assert_eq!(stem(file), None, "{file}");
        }
    }

    #[test]
    fn rules_as_text() {
        assert_eq!("folder".parse::<LabelRule>().unwrap(), LabelRule::Folder);
        assert_eq!("stem".parse::<LabelRule>().unwrap(), LabelRule::Stem);
        let table = LabelRule::Csv("a/b.CSV".into());
        assert_eq!("a/b.CSV".parse::<LabelRule>().unwrap(), table);
        let error = "stems".parse::<LabelRule>().unwrap_err().to_string();
        assert!(error.contains("'stems'") && error.contains("folder, stem"), "{error}");
    }

    proptest! {
        #[test]
        fn numbering_a_name_keeps_it(name in "[A-Z][a-z]{2,8} [A-Z][a-z]{2,8}", n in 0..100_000u32) {
            let bare = format!("{name}.png");
            let expected = stem(&bare);
            prop_assert_eq!(expected.as_ref(), Some(&name));
            let numbered = [format!("{name} {n}.png"), format!("{name}_{n:04}.png"), format!("{name} ({n}).png"),
                format!("{}_{n}.png", name.replace(' ', "_"))];
            for file in numbered
            {
                let found = stem(&file);
                prop_assert_eq!(found.as_ref(), Some(&name));
            }
        }

        #[test]
        fn any_file_name_is_dealt_with(file in "\\PC{0,12}") {
            if let Some(name) = stem(&file) {
                prop_assert!(!name.trim().is_empty());
            }
        }
    }
}
