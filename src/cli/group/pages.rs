//! Output of `eigenfaces group -o`: a page and a table to name groups in, and a picture of each group.

use std::path::{Path, PathBuf};

use eigenfaces::error::WriteProblem;
use eigenfaces::grouping::Grouping;
use eigenfaces::render::groups::{Face, page};
use eigenfaces::render::sheet::{Tile, sheet};
use eigenfaces::store::{Destination, Outputs, Overwrite, Privacy};

use super::super::args::Group;
use super::super::output_dir::OutputDir;
use super::albums::{self, Shown};
use super::named::{NamedFace, NamedGroups};
use super::{answers, table};
use crate::cli::{Error, Output, Result, counted, shown};

const TABLE: &str = "groups.csv";
const PAGE: &str = "groups.html";

/// Pictures of groups written at most, and faces in one of them.
const MOST_SHEETS: usize = 500;
const MOST_TILES: usize = 200;

/// Letters that fit below a face.
const LABEL: usize = 15;

pub struct Plan {
    folder: OutputDir,
    index: Option<PathBuf>,
    table: Destination,
    page: Destination,
}

impl Plan {
    /// Makes the folder, where it is missing.
    ///
    /// # Errors
    /// A table there in which something was typed that is not done yet; whatever else must not be replaced.
    pub fn new(
        folder: &Path,
        args: &Group,
        is_done: impl Fn(&NamedGroups, &NamedFace) -> bool,
    ) -> Result<Self> {
        let overwrite = Overwrite::from(args.force);
        let table = folder.join(TABLE);
        if overwrite == Overwrite::Results && !is_applied(&table, args.index.as_deref(), is_done)? {
            return Err(eigenfaces::Error::write(table, WriteProblem::Named).into());
        }
        let indexes = args.folders.iter().map(|folder| albums::index_of(folder));
        let outputs = Outputs::new(indexes.chain(args.index.clone()), overwrite);
        let folder = OutputDir::new(folder, outputs);
        Ok(Self {
            table: folder.claim(TABLE)?,
            page: folder.claim(PAGE)?,
            folder,
            index: args.index.clone(),
        })
    }

    pub fn write(self, faces: &[&Shown<'_>], grouping: &Grouping, output: &Output) -> Result<()> {
        let rows = table::rows(faces, grouping);
        let text = table::written(&rows);
        self.table.write(Privacy::Personal, text.into_bytes())?;
        let shown_in = |&face: &usize| Face {
            picture: faces[face].picture(),
            photo: faces[face].whole_path(),
            number: faces[face].key.face + 1,
            bounds: faces[face].found.location.bounds,
        };
        let groups = grouping.groups.iter();
        let groups: Vec<Vec<Face>> = groups
            .map(|group| group.iter().map(shown_in).collect())
            .collect();
        let page = page(&groups, &grouping.proposals)?;
        self.page.write(Privacy::Personal, page.into_bytes())?;
        let sheets = self.sheets(faces, grouping)?;
        let index = self.index.as_deref();
        let index = index.map_or_else(String::new, |file| format!(" --index {}", shown(file)));
        output.say(&format!(
            "wrote {TABLE}, {PAGE} and {} to {}: type names, then eigenfaces group --apply {}{index}",
            counted(sheets, "picture", "pictures"),
            shown(self.folder.path()),
            shown(self.table.path())
        ));
        Ok(())
    }

    /// A contact sheet of each group of several faces.
    fn sheets(&self, faces: &[&Shown<'_>], grouping: &Grouping) -> Result<usize> {
        let groups = grouping.groups.iter().filter(|group| group.len() > 1);
        let mut written = 0;
        for (number, group) in (1..).zip(groups.take(MOST_SHEETS)) {
            let name = sheet_name(number);
            let tiles: Vec<Tile> = group
                .iter()
                .take(MOST_TILES)
                .map(|&face| Tile {
                    image: faces[face].picture(),
                    label: file_name(&faces[face].photo),
                })
                .collect();
            let left_out = group.len() - tiles.len();
            let note = match left_out {
                0 => format!("group {number}: {}", counted(group.len(), "face", "faces")),
                _ => format!(
                    "group {number}: {} faces, the first {MOST_TILES} shown",
                    group.len()
                ),
            };
            let picture = sheet(&tiles, &note).into();
            self.folder.picture(name, Privacy::Personal, &picture)?;
            written += 1;
        }
        self.folder.forget((written + 1..).map(sheet_name));
        Ok(written)
    }
}

fn sheet_name(number: usize) -> String {
    format!("group-{number:03}.png")
}

/// Whether all that was typed into a table, if there is one, has been applied, so that it may be replaced.
///
/// # Errors
/// An index that cannot be read.
fn is_applied(
    table: &Path,
    index: Option<&Path>,
    is_done: impl Fn(&NamedGroups, &NamedFace) -> bool,
) -> Result<bool> {
    let about = table.metadata();
    if !about.is_ok_and(|about| about.is_file() && about.len() > 0) {
        return Ok(true);
    }
    let Ok((rows, _)) = table::read(table) else {
        return Ok(false);
    };
    if answers::answers(&rows).is_err() {
        return Ok(false);
    }
    let refuse = |reason| Error::about(table, reason);
    let groups = NamedGroups::of(rows, index, refuse)?;
    Ok(groups.faces.iter().all(|face| is_done(&groups, face)))
}

/// The end of a file's name, where names that begin alike differ.
fn file_name(photo: &Path) -> String {
    let name = shown(Path::new(photo.file_name().unwrap_or_default()));
    let letters = name.chars().count();
    match letters > LABEL {
        true => format!(
            "…{}",
            name.chars().skip(letters - LABEL).collect::<String>()
        ),
        false => name,
    }
}
