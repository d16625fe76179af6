//! `eigenfaces group`: the faces of photo folders, by person as far as that can be told.

mod apply;
mod results;

use std::path::Path;

use clap::error::ErrorKind;
use eigenfaces::Model;
use eigenfaces::albums::{
    self, AlbumFace, Albums, EnrolledPixels, FacesByPerson, KnownFace, NamedFace, NamedFaces, table,
};
use eigenfaces::grouping::Grouping;
use eigenfaces::recognizer::QueryOptions;
use serde_json::{Value, json};

use super::args::Group;
use super::misuse;
use crate::cli::{Outcome, Output, Result, counted, shown};

/// Photos of a group that are named in text.
const NAMED: usize = 3;

const PROPOSED: usize = 10;

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
    let recognizer = model.as_ref().and_then(albums::identifying);
    let enrolled = EnrolledPixels::of(model.as_ref().filter(|_| recognizer.is_some()));
    let people = model.as_ref().filter(|_| recognizer.is_none());
    let people = people.map_or(&[][..], Model::people);
    let is_done = |named: &NamedFaces, face: &NamedFace| named.is_done(face, &enrolled, people);
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
    let enrolled = |face: &AlbumFace<'_>| enrolled.person(&face.found.pixels).cloned();
    let found = FacesByPerson::of(&faces, &albums, recognizer, &enrolled, query)?;
    // A reader that goes before the end (`| head`) does not keep the table from being written.
    let reported = report(&found, output);
    if let Some(plan) = plan {
        plan.write(&found.unnamed, &found.grouping, output)?;
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
    output.header(table::HEADER)?;
    for person in &found.known {
        let in_json = |known: &KnownFace<'_>| {
            let mut face = json!(known.face.record());
            face["confidence"] = json!(known.confidence);
            face
        };
        let faces = || person.faces.iter().map(in_json).collect::<Vec<Value>>();
        let count = counted(person.faces.len(), "face", "faces");
        output.entry(
            || json!({ "person": person.person.as_str(), "faces": faces() }),
            || [format!("{}: {count}", person.person)],
            || None,
        )?;
    }
    let mut rows = table::rows(unnamed, grouping).into_iter();
    for (number, group) in (1..).zip(&grouping.groups) {
        let records = || group.iter().map(|&face| unnamed[face].record());
        output.entry(
            || json!({ "group": number, "faces": records().collect::<Vec<_>>() }),
            || (group.len() > 1).then(|| in_words(number, group, unnamed)),
            || rows.by_ref().take(group.len()).map(|row| row.fields()),
        )?;
    }
    for proposal in &grouping.proposals {
        let groups = proposal.groups.map(|group| group + 1);
        output.entry(
            || json!({ "proposal": groups, "score": proposal.score }),
            || None,
            || None,
        )?;
    }
    let single = grouping.groups.iter().filter(|group| group.len() == 1);
    if output.is_text() {
        say_more(found, single.count(), output)?;
    } else if output.is_table() && !found.known.is_empty() {
        let people = counted(found.known.len(), "person", "people");
        output.say(&format!(
            "faces of {people} were recognised: the table has those to be named only"
        ));
    }
    Ok(())
}

/// For reading: what stands in no group, and what may help.
fn say_more(found: &FacesByPerson<'_>, single: usize, output: &Output) -> Result<()> {
    let (unnamed, grouping) = (&found.unnamed, &found.grouping);
    if single > 0 {
        let alone = counted(single, "face by itself", "faces by themselves");
        output.line(&alone)?;
    }
    if found.known.is_empty() && unnamed.is_empty() {
        output.line("no face was found")?;
    }
    for proposal in grouping.proposals.iter().take(PROPOSED) {
        let [one, other] = proposal
            .groups
            .map(|group| called(group, unnamed, grouping));
        output.say(&format!("perhaps one person: {one} and {other}"));
    }
    let largest = grouping.groups.first().map_or(0, Vec::len);
    if found.known.is_empty() && unnamed.len() >= ALONE && largest <= 2 {
        output.say(
            "if these photos show one person only, nothing in them tells so: enrol a few of them, and group again",
        );
    }
    Ok(())
}

fn in_words(number: usize, group: &[usize], unnamed: &[&AlbumFace<'_>]) -> String {
    let named = group.iter().take(NAMED);
    let mut photos: Vec<String> = named.map(|&face| unnamed[face].name()).collect();
    if group.len() > NAMED {
        photos.push(format!("{} more", group.len() - NAMED));
    }
    let faces = counted(group.len(), "face", "faces");
    format!("group {number}: {faces} ({})", photos.join(", "))
}

/// A group by its number, a single face by its photo.
fn called(group: usize, unnamed: &[&AlbumFace<'_>], grouping: &Grouping) -> String {
    match grouping.groups[group].as_slice() {
        [face] => unnamed[*face].name(),
        _ => format!("group {}", group + 1),
    }
}
