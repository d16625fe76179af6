//! `eigenfaces group`: the faces of photo folders, by person as far as that can be told.

mod apply;

use std::path::{Path, PathBuf};

use clap::Args;
use clap::error::ErrorKind;
use eigenfaces::Model;
use eigenfaces::albums::{
    self, AlbumFace, Albums, EnrolledPixels, FacesByPerson, KnownFace, NamedFace, NamedFaces, table,
};
use eigenfaces::error::WriteProblem;
use eigenfaces::grouping::Grouping;
use eigenfaces::recognizer::QueryOptions;
use eigenfaces::render::sheet::{Tile, sheet};
use eigenfaces::store::{Destination, NamesIn, Outputs, Overwrite, Privacy};
use serde_json::{Value, json};

use super::files::OutputDir;
use super::options::{AcceptanceOptions, Force, ending_in};
use super::{Error, ExitStatus, Output, Record, Result, counted, misuse, shown};

#[derive(Debug, Args)]
pub struct Group {
    /// Folders of photos, sorted in whatever way
    #[arg(value_name = "FOLDER", required_unless_present = "apply")]
    pub folders: Vec<PathBuf>,
    /// Write groups.csv, a table in which groups are named, and groups.png, a picture of them, to this folder, readable by you only
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Remember the faces of all these folders, and what is said of them, in this file instead of in FOLDER/eigenfaces.faces: for folders that may not be written to
    #[arg(long, value_name = "FILE")]
    pub index: Option<PathBuf>,
    /// Enrol the faces that were named in this table, and remember what was said to be wrong
    #[arg(long, value_name = "GROUPS.csv", value_parser = ending_in(&["csv"], ".csv"), conflicts_with_all = ["folders", "output"])]
    pub apply: Option<PathBuf>,
    /// With --apply: say what would be done, and do nothing
    #[arg(long, requires = "apply")]
    pub dry_run: bool,
    /// With --apply: write the names into XMP files beside the photos too (photo.jpg.xmp), or `inside` the photos, or as `lightroom` has it (photo.xmp)
    #[arg(long, value_name = "WHERE", requires = "apply", num_args = 0..=1, require_equals = true, default_missing_value = "beside")]
    pub write_xmp: Option<NamesIn>,
    #[command(flatten)]
    pub acceptance: AcceptanceOptions,
    #[command(flatten)]
    pub force: Force,
}

/// Photos of a group that are named in text.
const NAMED: usize = 3;

const PROPOSED: usize = 10;

pub fn run(args: &Group, model: &Path, output: &Output) -> Result<ExitStatus> {
    if let Some(table) = &args.apply {
        return apply::run(args, table, model, output);
    }
    // The parser does not ask for --apply beside folders, for the two exclude each other.
    for (option, is_given) in [("--dry-run", args.dry_run), ("--write-xmp", args.write_xmp.is_some())] {
        if is_given {
            let message = format!("{option} goes with --apply GROUPS.csv: without it no name is given to anybody");
            misuse(ErrorKind::MissingRequiredArgument, message);
        }
    }
    args.folders.iter().try_for_each(|folder| albums::refuse_no_folder(folder))?;
    let model = looked_for(model, output)?;
    let recognizer = model.as_ref().and_then(albums::identifying);
    let enrolled = EnrolledPixels::of(model.as_ref().filter(|_| recognizer.is_some()));
    let people = model.as_ref().filter(|_| recognizer.is_none());
    let people = people.map_or(&[][..], Model::people);
    let is_done = |named: &NamedFaces, face: &NamedFace| named.is_done(face, &enrolled, people);
    let plan = args.output.as_ref().map(|folder| GroupOutputs::new(folder, args, is_done)).transpose()?;
    let albums = Albums::open(&args.folders, args.index.as_deref(), output)?;
    albums.report(output);
    let query = QueryOptions { top: 1, acceptance: args.acceptance.into() };
    let faces = albums.faces();
    let enrolled = |face: &AlbumFace<'_>| enrolled.person(&face.found.pixels).cloned();
    let found = FacesByPerson::of(&faces, &albums, recognizer, &enrolled, query)?;
    // A reader that goes before the end (`| head`) does not keep the table from being written.
    let reported = report(&found, output);
    if let Some(plan) = plan {
        plan.write(&found.unnamed, &found.grouping, output)?;
    }
    reported?;
    // An index that cannot be saved is a failure too: later answers would be lost.
    Ok(ExitStatus::of_inputs(albums.photos(), albums.unusable + usize::from(albums.unsaved().is_some())))
}

fn looked_for(path: &Path, output: &Output) -> Result<Option<Model>> {
    if !path.exists() {
        output.say(&format!("no model at {}: nobody has a name yet", shown(path)));
        return Ok(None);
    }
    let model = Model::load(path)?;
    if albums::identifying(&model).is_none() {
        output.say(&format!(
            "the people of {} are not looked for: its photos were prepared in another way (enroll with --framing detect)",
            shown(path)
        ));
    }
    Ok(Some(model))
}

/// Number of faces from which on a group whose faces hardly pair up may be all of one person: see [`eigenfaces::grouping`].
const ALONE: usize = 4;

fn report(found: &FacesByPerson<'_>, output: &Output) -> Result<()> {
    let (unnamed, grouping) = (&found.unnamed, &found.grouping);
    let known = found.known.iter().map(|person| {
        let in_json = |known: &KnownFace<'_>| {
            let mut face = json!(known.face.record());
            face["confidence"] = json!(known.confidence);
            face
        };
        let faces: Vec<Value> = person.faces.iter().map(in_json).collect();
        let count = counted(faces.len(), "face", "faces");
        let object = json!({ "person": person.person.as_str(), "faces": faces });
        Record::new(object, [format!("{}: {count}", person.person)]).with_rows([])
    });
    let mut rows = table::rows(unnamed, grouping).into_iter();
    let groups = (1..).zip(&grouping.groups).map(|(number, group)| {
        let faces = group.iter().map(|&face| unnamed[face].record());
        let object = json!({ "group": number, "faces": faces.collect::<Vec<_>>() });
        let line = (group.len() > 1).then(|| in_words(number, group, unnamed));
        Record::new(object, line).with_rows(rows.by_ref().take(group.len()).map(|row| row.fields()))
    });
    let proposals = grouping.proposals.iter().map(|proposal| {
        let groups = proposal.groups.map(|group| group + 1);
        Record::new(json!({ "proposal": groups, "score": proposal.score }), None).with_rows([])
    });
    output.records(table::HEADER, known.chain(groups).chain(proposals))?;
    if output.is_text() {
        say_more(found, grouping.groups.iter().filter(|group| group.len() == 1).count(), output)?;
    } else if output.is_table() && !found.known.is_empty() {
        let people = counted(found.known.len(), "person", "people");
        output.say(&format!("faces of {people} were recognised: the table has those to be named only"));
    }
    Ok(())
}

fn say_more(found: &FacesByPerson<'_>, single: usize, output: &Output) -> Result<()> {
    let (unnamed, grouping) = (&found.unnamed, &found.grouping);
    if single > 0 {
        output.line(&counted(single, "face by itself", "faces by themselves"))?;
    }
    if found.known.is_empty() && unnamed.is_empty() {
        output.line("no face was found")?;
    }
    for proposal in grouping.proposals.iter().take(PROPOSED) {
        let [one, other] = proposal.groups.map(|group| group_title(group, unnamed, grouping));
        output.say(&format!("perhaps one person: {one} and {other}"));
    }
    if found.known.is_empty() && unnamed.len() >= ALONE && grouping.groups.first().map_or(0, Vec::len) <= 2 {
        output.say(
            "if these photos show one person only, nothing in them tells so: enrol a few of them, and group again",
        );
    }
    Ok(())
}

fn in_words(number: usize, group: &[usize], unnamed: &[&AlbumFace<'_>]) -> String {
    let mut photos: Vec<String> = group.iter().take(NAMED).map(|&face| unnamed[face].name()).collect();
    if group.len() > NAMED {
        photos.push(format!("{} more", group.len() - NAMED));
    }
    let faces = counted(group.len(), "face", "faces");
    format!("group {number}: {faces} ({})", photos.join(", "))
}

/// A group by its number, a single face by its photo.
fn group_title(group: usize, unnamed: &[&AlbumFace<'_>], grouping: &Grouping) -> String {
    if let [face] = grouping.groups[group][..] { unnamed[face].name() } else { format!("group {}", group + 1) }
}

const TABLE: &str = "groups.csv";
const SHEET: &str = "groups.png";

/// Faces of a group in the picture, and faces in all of it, at most.
const OF_GROUP: usize = 8;
const MOST_TILES: usize = 400;

pub struct GroupOutputs {
    folder: OutputDir,
    index: Option<PathBuf>,
    table: Destination,
}

impl GroupOutputs {
    /// Makes the folder, where it is missing.
    /// Errors: a table there in which something was typed that is not done yet; whatever else must not be replaced.
    pub fn new(folder: &Path, args: &Group, is_done: impl Fn(&NamedFaces, &NamedFace) -> bool) -> Result<Self> {
        let overwrite = Overwrite::from(args.force);
        let table = folder.join(TABLE);
        if overwrite == Overwrite::Results && !is_applied(&table, args.index.as_deref(), is_done)? {
            return Err(Error::write(table, WriteProblem::Named));
        }
        let indexes = args.folders.iter().map(|folder| albums::index_of(folder));
        let folder = OutputDir::new(folder, Outputs::new(indexes.chain(args.index.clone()), overwrite));
        folder.check(&[SHEET])?;
        Ok(Self { table: folder.claim(TABLE)?, folder, index: args.index.clone() })
    }

    pub fn write(self, faces: &[&AlbumFace<'_>], grouping: &Grouping, output: &Output) -> Result<()> {
        self.table.write(Privacy::Personal, table::written(&table::rows(faces, grouping)).into_bytes())?;
        let files = if self.sheet(faces, grouping)? { format!("{TABLE} and {SHEET}") } else { TABLE.to_owned() };
        let index = self.index.as_deref().map_or_else(String::new, |file| format!(" --index {}", shown(file)));
        let (folder, table) = (shown(&self.folder.path), shown(self.table.path()));
        output.say(&format!("wrote {files} to {folder}: type names, then eigenfaces group --apply {table}{index}"));
        Ok(())
    }

    /// A picture of the groups of several faces, each face above the number of its group; whether there are any.
    fn sheet(&self, faces: &[&AlbumFace<'_>], grouping: &Grouping) -> Result<bool> {
        let groups = || grouping.groups.iter().filter(|group| group.len() > 1);
        let tile =
            |number: usize, &face: &usize| Tile { image: faces[face].picture(), label: format!("group {number}") };
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
            _ => format!("{} of {all} faces are shown, at most {OF_GROUP} of a group", tiles.len()),
        };
        self.folder.picture(SHEET, Privacy::Personal, &sheet(&tiles, &note).into())?;
        Ok(true)
    }
}

/// Whether all that was typed into a table, if there is one, has been applied, so that it may be replaced.
/// Errors: an index that cannot be read.
fn is_applied(table: &Path, index: Option<&Path>, is_done: impl Fn(&NamedFaces, &NamedFace) -> bool) -> Result<bool> {
    let about = table.metadata();
    if !about.is_ok_and(|about| about.is_file() && about.len() > 0) {
        return Ok(true);
    }
    let Ok((rows, _)) = table::read(table) else { return Ok(false) };
    let Ok((said, _)) = albums::answers(rows) else { return Ok(false) };
    let named = NamedFaces::of(said, index)?;
    Ok(named.faces.iter().all(|face| is_done(&named, face)))
}
