//! `eigenfaces people`: who is enrolled; add a face, rename, merge and remove them, and take that back.

mod add;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use eigenfaces::dataset::{Person, PhotoFile, path_as_text};
use eigenfaces::enrollment::enrolled_faces;
use eigenfaces::gallery::{Gallery, KnownPhoto};
use eigenfaces::model::{EarlierName, Edit, Entry, Plan, Remark};
use eigenfaces::preparation::FaceBox;
use eigenfaces::{Model, store};
use serde_json::{Value, json};

use super::model_changes::{self, Consequence};
use super::options::ChangeOptions;
use super::{ExitStatus, Output, Record, Result, counted, faces_of_people};

#[derive(Debug, Args)]
pub struct People {
    #[command(subcommand)]
    pub action: Option<PeopleAction>,
}

#[derive(Debug, Subcommand)]
pub enum PeopleAction {
    /// List the people and how many faces each has (the default)
    List(List),
    /// Enrol one face of a photo, of somebody who is enrolled or is new
    Add(AddFace),
    /// Give a person another name; the folder with the earlier one still counts for them
    Rename(Rename),
    /// Make several people one
    Merge(Merge),
    /// Erase people or single photos; all that is learned is learned again without them
    #[command(visible_alias = "delete")]
    Remove(Remove),
    /// Undo the last change of who is enrolled, then the one before, 20 in all; what was erased stays erased
    Undo(ChangeOptions),
}

#[derive(Debug, Default, Args)]
pub struct List {
    /// These people only
    #[arg(value_name = "PERSON")]
    pub people: Vec<String>,
    /// List their photos, with the beginning of each one's hash and where it came from
    #[arg(long)]
    pub photos: bool,
}

#[derive(Debug, Args)]
pub struct Rename {
    /// Who
    pub person: String,
    /// The new name
    pub name: String,
    /// Remember nothing of the earlier name, as for a pseudonym: its folder counts for nobody enrolled any more, and the change cannot be undone
    #[arg(long)]
    pub forget: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub struct Merge {
    /// Whose faces are another's
    #[arg(required = true, value_name = "PERSON")]
    pub people: Vec<String>,
    /// Whose they are
    #[arg(long, value_name = "PERSON")]
    pub into: String,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub struct Remove {
    /// Whom to erase
    ///
    /// People, or single photos: where each came from, 8 or more digits of its hash, or the file itself.
    #[arg(value_name = "PERSON|PHOTO", required = true)]
    pub given: Vec<PathBuf>,
    #[command(flatten)]
    pub change: ChangeOptions,
}

#[derive(Debug, Args)]
pub struct AddFace {
    /// Who
    #[arg(value_name = "NAME")]
    pub person: String,
    /// The photo (`-` is standard input)
    #[arg(value_name = "PHOTO")]
    pub photo: PathBuf,
    /// Which face of the photo, as `eigenfaces identify` counts them, row by row [default: the only one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub face: Option<u16>,
    /// The face in this box, which need not be found: pixels of the upright photo
    #[arg(long, value_name = "X,Y,WIDTH,HEIGHT", allow_hyphen_values = true, conflicts_with = "face")]
    pub at: Option<FaceBox>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

pub fn run(args: &People, model: &Path, output: &Output) -> Result<ExitStatus> {
    match &args.action {
        None => list(&List::default(), model, output),
        Some(PeopleAction::List(args)) => list(args, model, output),
        Some(action) => change(action, model, output),
    }
}

fn edit(action: &PeopleAction, known: &Model, output: &Output) -> Result<Edit> {
    Ok(match action {
        PeopleAction::List(_) | PeopleAction::Undo(_) => Edit::Undo,
        PeopleAction::Add(args) => return add::edit(args, known, output),
        PeopleAction::Rename(args) => {
            let earlier = if args.forget { EarlierName::Forgotten } else { EarlierName::Known };
            Edit::Rename(args.person.clone(), args.name.clone(), earlier)
        }
        PeopleAction::Merge(args) => Edit::Merge(args.people.clone(), args.into.clone()),
        PeopleAction::Remove(args) => remove(args, known.gallery())?,
    })
}

/// Whether it is only told, or done without a question; what erases nothing needs none.
fn options(action: &PeopleAction) -> ChangeOptions {
    let dry_run = match action {
        PeopleAction::Remove(args) => return args.change,
        PeopleAction::Undo(options) => return *options,
        PeopleAction::List(_) => false,
        PeopleAction::Add(args) => args.dry_run,
        PeopleAction::Rename(args) => args.dry_run,
        PeopleAction::Merge(args) => args.dry_run,
    };
    ChangeOptions { dry_run, yes: false }
}

fn list(args: &List, model: &Path, output: &Output) -> Result<ExitStatus> {
    let recognizer = store::load(model)?;
    let gallery = recognizer.gallery();
    let wanted = gallery.find_all(&args.people)?;
    let is_wanted = |person: usize| wanted.is_empty() || wanted.contains(&person);
    if args.photos {
        let photos = gallery.enrolled().iter().filter(|face| is_wanted(face.person)).map(|face| {
            let person = gallery.people()[face.person].as_str();
            let (hash, source) = (face.hash.to_string(), &face.source);
            let line = format!("{} {person}: {source}", &hash[..SHORT_HASH]);
            Record::new(json!({ "person": person, "hash": hash, "source": source }), [line])
        });
        output.records("person,hash,source", photos)?;
    } else {
        let people = gallery.people().iter().zip(gallery.counts()).enumerate();
        let people = people.filter(|(at, _)| is_wanted(*at)).map(|(_, (person, count))| {
            let line = format!("{person} ({})", counted(count, "face", "faces"));
            Record::new(json!({ "person": person.as_str(), "faces": count }), [line])
        });
        output.records("person,faces", people)?;
    }
    Ok(ExitStatus::Done)
}

/// Digits of a hash in a list for reading.
const SHORT_HASH: usize = 12;

fn change(action: &PeopleAction, model: &Path, output: &Output) -> Result<ExitStatus> {
    let options = options(action);
    let mut opened = model_changes::open(options, model, output)?;
    let before = opened.model.take().map_or_else(|| Model::load(model), Ok)?;
    let plan = Plan::of(edit(action, &before, output)?, Some(&before), &())?;
    let told = ChangeNotice::of(&plan, before.gallery())?;
    if plan.outcome.gallery.is_empty() {
        return Err(match plan.entry {
            Entry::Undone { .. } => eigenfaces::Error::NothingToUndo,
            _ => model_changes::too_few_left(model, 0),
        });
    }
    if let Entry::Renamed(from, to, _) = &plan.entry
        && let Some(other) = before.history().current_name(to)
        && other != from.as_str()
    {
        output.warn(&format!("a folder called {to} counted for {other}: new photos in it are {to}'s from now on"));
    }
    if options.dry_run {
        let line = format!("would {} {}", told.verbs[0], told.what);
        return report(told.json, &plan.outcome.gallery, Some(line), output);
    }
    let gone = &plan.outcome.gone;
    if !gone.is_empty() {
        model_changes::consent(options, model, &[Consequence::erased(model, &erased_in_words(gone))])?;
    }
    let after = model_changes::commit(&plan, Some(&before), model)?;
    let left = faces_of_people(after.gallery().len(), after.people().len());
    output.say(&format!("{} {}; {left} enrolled now", told.verbs[1], told.what));
    if let Some(warning) = after.recognizer().confidence_warning() {
        output.say(&warning);
    }
    report(told.json, after.gallery(), None, output)
}

/// The change for scripts, and what is enrolled after it; for reading a line, if any.
fn report(mut object: Value, after: &Gallery, line: Option<String>, output: &Output) -> Result<ExitStatus> {
    object["people"] = after.people().len().into();
    object["faces"] = after.len().into();
    output.print_result(&object, line).map(|()| ExitStatus::Done)
}

struct ChangeNotice {
    /// The verb of the change, to be put behind "would", and in the past, told when it is done.
    verbs: [&'static str; 2],
    what: String,
    json: Value,
}

impl ChangeNotice {
    fn of(plan: &Plan, before: &Gallery) -> Result<Self> {
        let gone = &plan.outcome.gone;
        Ok(match &plan.entry {
            Entry::Faces(_) if gone.is_empty() => return add::told(plan, before),
            Entry::Faces(_) => {
                let removed = tally(gone).into_iter();
                let removed = removed.map(|(person, faces)| json!({ "person": person, "faces": faces }));
                let json = json!({ "removed": removed.collect::<Vec<Value>>() });
                Self { verbs: ["erase", "erased"], what: erased_in_words(gone), json }
            }
            Entry::Renamed(from, to, _) => Self {
                verbs: ["rename", "renamed"],
                what: format!("{from} to {to}"),
                json: json!({ "renamed": from.as_str(), "to": to.as_str() }),
            },
            Entry::Merged(from, into) => {
                let names: Vec<&str> = from.iter().map(Person::as_str).collect();
                let of_them = before.people().iter().zip(before.counts()).filter(|(person, _)| from.contains(person));
                let faces = counted(of_them.map(|(_, count)| count).sum(), "face", "faces");
                let what = format!("{} ({faces}) into {into}", names.join(", "));
                Self { verbs: ["merge", "merged"], what, json: json!({ "merged": names, "into": into.as_str() }) }
            }
            // Said on the page, by no command.
            Entry::Remark(remark) => {
                let (key, of) = match remark {
                    Remark::Fine(finding, _) => ("fine", finding.clone()),
                    Remark::Nobody(face) => ("nobody", face.to_string()),
                };
                Self { verbs: ["remember", "remembered"], what: format!("{key}: {of}"), json: json!({ key: of }) }
            }
            Entry::Undone { change, restored, lost } => Self {
                verbs: ["undo:", "undone:"],
                what: match lost {
                    0 => change.clone(),
                    lost => format!("{change} ({} that it erased cannot come back)", counted(*lost, "face", "faces")),
                },
                json: json!({ "undone": { "erased": gone.len(), "restored": restored, "lost": lost } }),
            },
        })
    }
}

fn remove(args: &Remove, gallery: &Gallery) -> Result<Edit> {
    let mut gone: BTreeSet<usize> = BTreeSet::new();
    for given in &args.given {
        match gallery.find(&path_as_text(given)) {
            Ok(person) => gone.extend(gallery.faces_of(person)),
            // Of what is no photo either, it is told who is meant.
            Err(nobody) => gone.extend(find_photo(gallery, given).map_err(|_| nobody)?),
        }
    }
    Ok(Edit::Remove(gone.into_iter().collect()))
}

/// The enrolled faces of the photo that is named by source or hash, and of a file of the same content.
fn find_photo(gallery: &Gallery, given: &Path) -> eigenfaces::Result<Vec<usize>> {
    let file = PhotoFile::read(given).ok();
    let same = file.map_or_else(Vec::new, |file| enrolled_faces(gallery, file.content_hash()));
    match gallery.find_photo(&path_as_text(given)) {
        Ok(named) => Ok([named, same].concat()),
        Err(error) if same.is_empty() => Err(error),
        Err(_) => Ok(same),
    }
}

/// Number of these photos that each person has, in the order of people.
fn tally(photos: &[KnownPhoto]) -> Vec<(&str, usize)> {
    photos.chunk_by(|one, next| one.person == next.person).map(|own| (own[0].person.as_str(), own.len())).collect()
}

/// Maximum number of people named; the others are counted.
const NAMED: usize = 5;

/// `6 faces (2 of Ada, 1 of Boris and 3 of 2 others)`.
pub fn erased_in_words(photos: &[KnownPhoto]) -> String {
    let tally = tally(photos);
    let (named, others) = tally.split_at(tally.len().min(NAMED));
    let named: Vec<String> = named.iter().map(|(person, count)| format!("{count} of {person}")).collect();
    let mut text = named.join(", ");
    if !others.is_empty() {
        let faces: usize = others.iter().map(|(_, count)| count).sum();
        text += &format!(" and {faces} of {}", counted(others.len(), "other", "others"));
    }
    format!("{} ({text})", counted(photos.len(), "face", "faces"))
}
