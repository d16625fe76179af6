//! Output of `eigenfaces group -o`: a table to name groups in, and one picture of the groups.

use std::path::{Path, PathBuf};

use eigenfaces::albums::{self, AlbumFace, NamedFace, NamedFaces, table};
use eigenfaces::error::WriteProblem;
use eigenfaces::grouping::Grouping;
use eigenfaces::render::sheet::{Tile, sheet};
use eigenfaces::store::{Destination, Outputs, Overwrite, Privacy};

use super::super::args::Group;
use super::super::output_dir::OutputDir;
use crate::cli::{Error, Output, Result, shown};

const TABLE: &str = "groups.csv";
const SHEET: &str = "groups.png";

/// Faces of a group in the picture, and faces in all of it, at most.
const OF_GROUP: usize = 8;
const MOST_TILES: usize = 400;

pub struct Plan {
    folder: OutputDir,
    index: Option<PathBuf>,
    table: Destination,
}

impl Plan {
    /// Makes the folder, where it is missing.
    /// Errors: a table there in which something was typed that is not done yet; whatever else must not be replaced.
    pub fn new(
        folder: &Path,
        args: &Group,
        is_done: impl Fn(&NamedFaces, &NamedFace) -> bool,
    ) -> Result<Self> {
        let overwrite = Overwrite::from(args.force);
        let table = folder.join(TABLE);
        if overwrite == Overwrite::Results && !is_applied(&table, args.index.as_deref(), is_done)? {
            return Err(Error::write(table, WriteProblem::Named));
        }
        let indexes = args.folders.iter().map(|folder| albums::index_of(folder));
        let outputs = Outputs::new(indexes.chain(args.index.clone()), overwrite);
        let folder = OutputDir::new(folder, outputs);
        folder.check(&[SHEET])?;
        Ok(Self {
            table: folder.claim(TABLE)?,
            folder,
            index: args.index.clone(),
        })
    }

    pub fn write(
        self,
        faces: &[&AlbumFace<'_>],
        grouping: &Grouping,
        output: &Output,
    ) -> Result<()> {
        let rows = table::rows(faces, grouping);
        let text = table::written(&rows);
        self.table.write(Privacy::Personal, text.into_bytes())?;
        let files = match self.sheet(faces, grouping)? {
            true => format!("{TABLE} and {SHEET}"),
            false => TABLE.to_owned(),
        };
        let index = self.index.as_deref();
        let index = index.map_or_else(String::new, |file| format!(" --index {}", shown(file)));
        output.say(&format!(
            "wrote {files} to {}: type names, then eigenfaces group --apply {}{index}",
            shown(self.folder.path()),
            shown(self.table.path())
        ));
        Ok(())
    }

    /// A picture of the groups of several faces, each face above the number of its group; whether there are any.
    fn sheet(&self, faces: &[&AlbumFace<'_>], grouping: &Grouping) -> Result<bool> {
        let groups = || grouping.groups.iter().filter(|group| group.len() > 1);
        let tile = |number: usize, &face: &usize| Tile {
            image: faces[face].picture(),
            label: format!("group {number}"),
        };
        let mut tiles: Vec<Tile> = Vec::new();
        for (number, group) in (1..).zip(groups()) {
            if tiles.len() + group.len().min(OF_GROUP) > MOST_TILES {
                break;
            }
            tiles.extend(group.iter().take(OF_GROUP).map(|face| tile(number, face)));
        }
        if tiles.is_empty() {
            self.folder.forget(std::iter::once(SHEET.to_owned()));
            return Ok(false);
        }
        let all = groups().map(Vec::len).sum::<usize>();
        let note = match all - tiles.len() {
            0 => String::new(),
            _ => format!(
                "{} of {all} faces are shown, at most {OF_GROUP} of a group",
                tiles.len()
            ),
        };
        let picture = sheet(&tiles, &note).into();
        self.folder.picture(SHEET, Privacy::Personal, &picture)?;
        Ok(true)
    }
}

/// Whether all that was typed into a table, if there is one, has been applied, so that it may be replaced.
/// Errors: an index that cannot be read.
fn is_applied(
    table: &Path,
    index: Option<&Path>,
    is_done: impl Fn(&NamedFaces, &NamedFace) -> bool,
) -> Result<bool> {
    let about = table.metadata();
    if !about.is_ok_and(|about| about.is_file() && about.len() > 0) {
        return Ok(true);
    }
    let Ok((rows, _)) = table::read(table) else {
        return Ok(false);
    };
    let Ok((said, _)) = albums::answers(rows) else {
        return Ok(false);
    };
    let named = NamedFaces::of(said, index)?;
    Ok(named.faces.iter().all(|face| is_done(&named, face)))
}
