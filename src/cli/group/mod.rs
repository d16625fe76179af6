//! `eigenfaces group`: the faces of photo folders, by person as far as that can be told.

pub mod albums;
pub mod answers;
pub mod apply;
pub mod enrolled;
pub mod named;
mod results;
pub mod table;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use clap::error::ErrorKind;
use eigenfaces::Model;
use eigenfaces::background::{Background, Prior};
use eigenfaces::dataset::{Person, natural};
use eigenfaces::face_index::{self, Answers, FaceKey};
use eigenfaces::grouping::{self, Constraints, Grouping};
use eigenfaces::preparation::{Origin, Part, PreparedFace};
use eigenfaces::recognizer::{Identification, Identifier, QueryOptions};
use nalgebra::DMatrix;
use serde_json::{Value, json};

use super::args::{Format, Group};
use super::misuse;
use crate::cli::{Outcome, Output, Result, counted, shown};
use albums::{Albums, Shown};
use enrolled::Enrolled;
use named::{NamedFace, NamedGroups};
use table::Row;

/// Faces that are identified together: bounds memory.
const BATCH: usize = 1_024;

/// Photos of a group that are named in text.
const NAMED: usize = 3;

const PROPOSED: usize = 10;

/// The share of faces, single ones counted, that are to be among faces of their own person.
const PURITY: f64 = 0.98;

pub fn run(args: &Group, model: &Path, output: &Output) -> Result<Outcome> {
    if let Some(table) = &args.apply {
        return apply::run(args, table, model, output);
    }
    // The parser does not ask for --apply beside folders, for the two exclude each other.
    for (option, is_given) in [
        ("--dry-run", args.dry_run),
        ("--write-xmp", args.write_xmp.is_some()),
    ] {
        if is_given {
            let message = format!(
                "{option} goes with --apply GROUPS.csv: without it no name is given to anybody"
            );
            misuse::end(ErrorKind::MissingRequiredArgument, message);
        }
    }
    args.folders
        .iter()
        .try_for_each(|folder| albums::refuse_no_folder(folder))?;
    let model = looked_for(model, output)?;
    let identifier = model.as_ref().and_then(identifier);
    let enrolled = Enrolled::of(model.as_ref().filter(|_| identifier.is_some()));
    let people = model.as_ref().filter(|_| identifier.is_none());
    let people = people.map_or(&[][..], Model::people);
    let is_done = |groups: &NamedGroups, face: &NamedFace| groups.is_done(face, &enrolled, people);
    let plan = args.output.as_ref();
    let plan = plan
        .map(|folder| results::Plan::new(folder, args, is_done))
        .transpose()?;
    let albums = Albums::open(&args.folders, args.index.as_deref(), output)?;
    albums.report(output);
    let query = QueryOptions {
        top: 1,
        acceptance: args.acceptance.into(),
    };
    let faces = albums.faces();
    let enrolled = |face: &Shown<'_>| enrolled.person(&face.found.pixels).cloned();
    let sorted = Sorted::of(&faces, &albums, identifier, &enrolled, query)?;
    // A reader that goes before the end (`| head`) does not keep the table from being written.
    let reported = report(&sorted, output);
    if let Some(plan) = plan {
        plan.write(&sorted.unnamed, &sorted.grouping, output)?;
    }
    reported?;
    // That nothing is remembered is a failure too: what is said later would be lost.
    let failed = albums.unusable() + usize::from(albums.unsaved().is_some());
    Ok(Outcome::of_inputs(albums.photos(), failed))
}

/// The model whose people are looked for, if there is one.
fn looked_for(path: &Path, output: &Output) -> Result<Option<Model>> {
    if !path.exists() {
        output.say(&format!(
            "no model at {}: nobody has a name yet",
            shown(path)
        ));
        return Ok(None);
    }
    let model = Model::load(path)?;
    if identifier(&model).is_none() {
        output.say(&format!(
            "the people of {} are not looked for: its photos were prepared in another way (enroll with --framing detect)",
            shown(path)
        ));
    }
    Ok(Some(model))
}

/// What names the faces of an index, if the model's own were prepared as these are.
pub fn identifier(model: &Model) -> Option<&Identifier> {
    let identifier = model.recognizer().identifier();
    // Where the eyes of crops are assumed to be plays no part: faces of an index were found.
    let is_alike = identifier
        .preparation()
        .agrees_with(&face_index::preparation());
    is_alike.then_some(identifier)
}

/// The faces of albums: those of people who are enrolled, and the others in groups.
pub struct Sorted<'a> {
    pub known: Vec<Known<'a>>,
    pub unnamed: Vec<&'a Shown<'a>>,
    /// Whom each of `unnamed` shows probably.
    #[cfg_attr(
        not(feature = "serve"),
        expect(dead_code, reason = "the page reads it")
    )]
    pub probable: Vec<Option<Person>>,
    /// Of `unnamed`, by position.
    pub grouping: Grouping,
}

impl<'a> Sorted<'a> {
    /// Names the faces of people who are enrolled, and puts the others into groups. `enrolled` tells whose a face is that is
    /// enrolled itself.
    ///
    /// # Errors
    /// When the program itself is damaged.
    pub fn of(
        faces: &'a [Shown<'a>],
        albums: &Albums,
        identifier: Option<&Identifier>,
        enrolled: &dyn Fn(&Shown<'_>) -> Option<Person>,
        query: QueryOptions,
    ) -> Result<Self> {
        let found = match identifier {
            Some(identifier) => identify(faces, identifier, query)?,
            None => Vec::new(),
        };
        let answers = albums.answers();
        let own: Vec<Option<Person>> = faces.iter().map(enrolled).collect();
        let denied = denied(faces, &own, &answers);
        let guess = |at: usize, is_meant: &dyn Fn(&Identification) -> bool| {
            let closest = found.get(at).filter(|found| is_meant(found))?.closest()?;
            let is_denied = denied.contains(&(at, &closest.person));
            (!is_denied).then(|| closest.clone())
        };
        let mut known = BTreeMap::new();
        let (mut unnamed, mut probable) = (Vec::new(), Vec::new());
        for (at, face) in faces.iter().enumerate() {
            let guessed = guess(at, &|found| found.name().is_some());
            let named = match (&own[at], guessed) {
                (Some(person), _) => Some((person.clone(), 1.0, true)),
                (None, guessed) => guessed.map(|one| (one.person, one.confidence, false)),
            };
            let is_ignored = answers.ignored.contains(&face.key);
            match named {
                Some((person, confidence, is_enrolled)) if is_enrolled || !is_ignored => {
                    let named = KnownFace {
                        face,
                        confidence,
                        is_enrolled,
                    };
                    let of_person: &mut Vec<KnownFace<'_>> = known.entry(person).or_default();
                    of_person.push(named);
                }
                _ if is_ignored => {}
                _ => {
                    unnamed.push(at);
                    let guessed = guess(at, &Identification::is_probable);
                    probable.push(guessed.map(|one| one.person));
                }
            }
        }
        let mut grouping = group(faces, &unnamed, &answers)?;
        let unnamed: Vec<&Shown<'_>> = unnamed.into_iter().map(|at| &faces[at]).collect();
        // For reading: as the photos lie in their folders.
        for group in &mut grouping.groups {
            group.sort_by(|&a, &b| by_photo(unnamed[a], unnamed[b]));
        }
        let known = known.into_iter().map(|(person, mut faces)| {
            faces.sort_by(|a, b| by_photo(a.face, b.face));
            Known { person, faces }
        });
        Ok(Self {
            known: known.collect(),
            unnamed,
            probable,
            grouping,
        })
    }
}

/// Faces (by position) and people whom they do not show, for a person has said that they are of somebody else than a face that is
/// enrolled.
fn denied<'a>(
    faces: &[Shown<'_>],
    own: &'a [Option<Person>],
    answers: &Answers,
) -> BTreeSet<(usize, &'a Person)> {
    let position = |key: FaceKey| faces.binary_search_by_key(&key, |face| face.key).ok();
    let pairs = answers.apart.iter();
    let pairs = pairs.filter_map(|&(one, other)| Some((position(one)?, position(other)?)));
    let both = pairs.flat_map(|(one, other)| [(one, other), (other, one)]);
    both.filter_map(|(face, other)| Some((face, own[other].as_ref()?)))
        .collect()
}

pub fn by_photo(one: &Shown<'_>, other: &Shown<'_>) -> Ordering {
    natural::paths(&one.photo, &other.photo).then(one.key.cmp(&other.key))
}

fn identify(
    faces: &[Shown<'_>],
    identifier: &Identifier,
    query: QueryOptions,
) -> Result<Vec<Identification>> {
    let prepared = |face: &Shown<'_>| PreparedFace {
        pixels: face.found.pixels.clone(),
        part: Part::Found {
            location: face.found.location,
            of: 1,
        },
        origin: Origin::Whole,
    };
    let mut identified = Vec::with_capacity(faces.len());
    for some in faces.chunks(BATCH) {
        let prepared: Vec<PreparedFace> = some.iter().map(prepared).collect();
        // The index has coordinates in the bundled background model.
        let raw = match identifier.settings().prior {
            Prior::Bundled => Some(coordinates(some.iter())?),
            Prior::Own(_) | Prior::None => None,
        };
        let of_some = identifier.identify_prepared_by(&[prepared], |faces| {
            Ok(identifier.identify_described(faces, raw, query))
        });
        identified.extend(of_some?.concat());
    }
    Ok(identified)
}

/// The background model's coordinates of faces, as the index keeps them: 2k x n.
fn coordinates<'a>(faces: impl ExactSizeIterator<Item = &'a Shown<'a>>) -> Result<DMatrix<f32>> {
    let (rows, count) = (2 * Background::bundled()?.components(), faces.len());
    let columns = faces.flat_map(|face| face.found.coordinates.iter().copied());
    Ok(DMatrix::from_vec(rows, count, columns.collect()))
}

/// The groups of those of the faces that are `unnamed` (positions).
fn group(faces: &[Shown<'_>], unnamed: &[usize], answers: &Answers) -> Result<Grouping> {
    let background = Background::bundled()?;
    let raw = coordinates(faces.iter())?;
    // Faces come in the order of their photos.
    let mut photos = Vec::with_capacity(faces.len());
    for (at, face) in faces.iter().enumerate() {
        let is_same = at > 0 && faces[at - 1].key.photo == face.key.photo;
        let before = photos.last().copied().unwrap_or(0);
        photos.push(if is_same { before } else { at });
    }
    let position = |key: FaceKey| faces.binary_search_by_key(&key, |face| face.key).ok();
    let apart: Vec<(usize, usize)> = answers
        .apart
        .iter()
        .filter_map(|&(one, other)| Some((position(one)?, position(other)?)))
        .collect();
    let constraints = Constraints {
        photos: &photos,
        apart: &apart,
    };
    Ok(grouping::group(
        background,
        &raw,
        unnamed,
        constraints,
        PURITY,
    ))
}

/// The faces of a person of the model.
pub struct Known<'a> {
    pub person: Person,
    pub faces: Vec<KnownFace<'a>>,
}

pub struct KnownFace<'a> {
    pub face: &'a Shown<'a>,
    pub confidence: f64,
    /// Whether the face itself is enrolled: a person gave the name then.
    #[cfg_attr(
        not(feature = "serve"),
        expect(dead_code, reason = "the page reads it")
    )]
    pub is_enrolled: bool,
}

/// Number of faces from which on a group whose faces hardly pair up may be all of one person: see [`eigenfaces::grouping`].
const ALONE: usize = 4;

fn report(sorted: &Sorted<'_>, output: &Output) -> Result<()> {
    let (unnamed, grouping) = (&sorted.unnamed, &sorted.grouping);
    if output.format == Format::Csv {
        return as_table(sorted, output);
    }
    for person in &sorted.known {
        let in_json = |known: &KnownFace<'_>| {
            let mut face = known.face.json();
            face["confidence"] = json!(known.confidence);
            face
        };
        let faces: Vec<Value> = person.faces.iter().map(in_json).collect();
        let object = json!({ "person": person.person.as_str(), "faces": faces });
        let count = counted(person.faces.len(), "face", "faces");
        output.record("", object, || [format!("{}: {count}", person.person)])?;
    }
    for (number, group) in (1..).zip(&grouping.groups) {
        let faces: Vec<Value> = group.iter().map(|&face| unnamed[face].json()).collect();
        let object = json!({ "group": number, "faces": faces });
        output.record("", object, || {
            (group.len() > 1).then(|| in_words(number, group, unnamed))
        })?;
    }
    if output.format == Format::Json {
        for proposal in &grouping.proposals {
            let groups = proposal.groups.map(|group| group + 1);
            output.json(json!({ "proposal": groups, "score": proposal.score }))?;
        }
        return Ok(());
    }
    let single = grouping.groups.iter().filter(|group| group.len() == 1);
    let single = single.count();
    if single > 0 {
        let alone = counted(single, "face by itself", "faces by themselves");
        output.line(&alone)?;
    }
    if sorted.known.is_empty() && unnamed.is_empty() {
        output.line("no face was found")?;
    }
    for proposal in grouping.proposals.iter().take(PROPOSED) {
        let [one, other] = proposal
            .groups
            .map(|group| called(group, unnamed, grouping));
        output.say(&format!("perhaps one person: {one} and {other}"));
    }
    let largest = grouping.groups.first().map_or(0, Vec::len);
    if sorted.known.is_empty() && unnamed.len() >= ALONE && largest <= 2 {
        output.say(
            "if these photos show one person only, nothing in them tells so: enrol a few of them, and group again",
        );
    }
    Ok(())
}

/// The table to be named, which has nobody who is known.
fn as_table(sorted: &Sorted<'_>, output: &Output) -> Result<()> {
    if !sorted.known.is_empty() {
        let people = counted(sorted.known.len(), "person", "people");
        output.say(&format!(
            "faces of {people} were recognised: the table has those to be named only"
        ));
    }
    output.line(table::HEADER)?;
    table::rows(&sorted.unnamed, &sorted.grouping)
        .iter()
        .try_for_each(|row: &Row| output.csv(&row.fields()))
}

fn in_words(number: usize, group: &[usize], unnamed: &[&Shown<'_>]) -> String {
    let named = group.iter().take(NAMED);
    let mut photos: Vec<String> = named.map(|&face| unnamed[face].name()).collect();
    if group.len() > NAMED {
        photos.push(format!("{} more", group.len() - NAMED));
    }
    let faces = counted(group.len(), "face", "faces");
    format!("group {number}: {faces} ({})", photos.join(", "))
}

/// A group by its number, a single face by its photo.
fn called(group: usize, unnamed: &[&Shown<'_>], grouping: &Grouping) -> String {
    match grouping.groups[group].as_slice() {
        [face] => unnamed[*face].name(),
        _ => format!("group {}", group + 1),
    }
}
