//! `eigenfaces group --apply`: what was typed into the table of groups is done.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use eigenfaces::Model;
use eigenfaces::dataset::{ListingNote, Person, TableEncoding};
use eigenfaces::enrollment::{Notice, Observer as _, none_usable};
use eigenfaces::locate::framing::Framing;
use eigenfaces::model::{Edit, Plan, Step};
use eigenfaces::preparation::Preparation;
use eigenfaces::store::NamesIn;
use eigenfaces::xmp::OwnNames;

use super::super::args::{ChangeOptions, Group};
use super::super::model_changes;
use super::super::sidecars::{Named, Sidecars, Writing};
use super::albums;
use super::answers::Answer;
use super::enrolled::Enrolled;
use super::named::{NamedFace, NamedGroups};
use super::table;
use crate::cli::{Error, Outcome, Output, Result, counted, faces_of_people, shown};

pub fn run(args: &Group, table: &Path, model: &Path, output: &Output) -> Result<Outcome> {
    let refuse = |reason: String| Error::about(table, reason);
    let (rows, encoding) = table::read(table)?;
    if encoding == TableEncoding::Windows1252 {
        let note = ListingNote::Windows1252(table.to_owned());
        output.notice(&Notice::Listing(&note));
    }
    let mut groups = NamedGroups::of(rows, args.index.as_deref(), refuse)?;
    for group in &groups.ambiguous {
        output.say(&format!(
            "group {group} has several names; its rows without one are left as they are"
        ));
    }
    let mut failed = report_unknown(&groups, output);
    let said = groups.count(|face| face.answer != Answer::Nothing);
    if args.dry_run {
        let before = model.exists().then(|| Model::load(model)).transpose()?;
        let enrolled = Enrolled::of(before.as_ref());
        output.line(&format!("would {}", in_words(&groups, &enrolled)))?;
        if let Some(names_in) = args.write_xmp {
            failed += write_xmp(&groups, Writing::Told, names_in, output);
        }
        return Ok(Outcome::of_inputs(said, failed));
    }
    let refused = match groups.has_names() {
        true => enroll(table, &mut groups, model, output),
        false => Ok(0),
    };
    // Also where no name could be used.
    groups.remember().map_err(|error| match error {
        Error::Library(error) => Error::Told(format!(
            "what was said of faces is not remembered: {}",
            albums::with_index(&error)
        )),
        error => error,
    })?;
    report_remembered(&groups, output);
    failed += refused?;
    // A face that is enrolled is, whatever becomes of its sidecar.
    let done = said.saturating_sub(failed);
    if let Some(names_in) = args.write_xmp {
        failed += write_xmp(&groups, Writing::Done, names_in, output);
    }
    if said == 0 {
        output.say(&format!("{} has no names yet: nothing to do", shown(table)));
    }
    Ok(Outcome::of_inputs(done, failed))
}

fn is_apart(face: &NamedFace) -> bool {
    matches!(face.answer, Answer::NotThese(_))
}

fn is_ignored(face: &NamedFace) -> bool {
    face.answer == Answer::Ignored
}

/// Says of which faces something was said that cannot be remembered. Returns how many.
fn report_unknown(groups: &NamedGroups, output: &Output) -> usize {
    let is_unknown = |face: &NamedFace| face.key.is_none() && (is_ignored(face) || is_apart(face));
    let count = groups.count(is_unknown);
    if let Some(NamedFace { row, .. }) = groups.faces.iter().find(|face| is_unknown(face)) {
        let others = match count {
            1 => String::new(),
            count => format!(" and of {}", counted(count - 1, "more face", "more faces")),
        };
        output.warn(&format!(
            "{}, face {}: no index of faces knows it, so what was said of it{others} is not remembered; group its folder again, with --index FILE there and here if it may not be written to",
            shown(&row.photo),
            row.face
        ));
    }
    count
}

/// Says which answers that are no names were taken down.
fn report_remembered(groups: &NamedGroups, output: &Output) {
    let ignored = groups.count(|face| face.key.is_some() && is_ignored(face));
    let apart = groups.count(|face| face.key.is_some() && is_apart(face));
    if ignored + apart > 0 {
        output.say(&format!(
            "remembered beside the photos: {} to be ignored, {} not of the group that held {}",
            counted(ignored, "face", "faces"),
            counted(apart, "face", "faces"),
            if apart == 1 { "it" } else { "them" },
        ));
    }
}

fn in_words(groups: &NamedGroups, enrolled: &Enrolled) -> String {
    let is_new = |face: &&NamedFace| {
        let known = groups.indexed(face);
        let known = known.and_then(|(_, face)| enrolled.person(&face.pixels));
        known != face.answer.person()
    };
    let named = groups.faces.iter().filter(is_new);
    let named = named.filter_map(|face| face.answer.person());
    let people: BTreeSet<&Person> = named.clone().collect();
    format!(
        "enrol {}, ignore {} and keep {} apart",
        faces_of_people(named.count(), people.len()),
        groups.count(is_ignored),
        groups.count(is_apart),
    )
}

/// Writes the names of faces that were enrolled into sidecars. Returns how many photos' could not be.
fn write_xmp(groups: &NamedGroups, writing: Writing, names_in: NamesIn, output: &Output) -> usize {
    let mut of_photo: BTreeMap<&Path, Vec<Named<'_>>> = BTreeMap::new();
    let mut failed = 0;
    for face in groups.faces.iter().filter(|face| !face.is_refused) {
        let (row, Some(person)) = (&face.row, face.answer.person()) else {
            continue;
        };
        let found = groups.indexed(face).map(|(_, face)| face.location.bounds);
        match row.bounds.or(found) {
            Some(bounds) => of_photo.entry(&row.photo).or_default().push(Named {
                bounds,
                name: person.as_str(),
                confidence: None,
            }),
            None => {
                failed += 1;
                output.warn(&format!(
                    "{}, face {}: where it lies is not known, so its name is not written",
                    shown(&row.photo),
                    row.face
                ));
            }
        }
    }
    // Of faces that the table says nothing of, nothing is known here.
    let mut sidecars = Sidecars::new(writing, names_in, OwnNames::Keep);
    for (photo, named) in &of_photo {
        let faces = groups
            .faces_of(photo)
            .unwrap_or_else(|| named.iter().map(|face| face.bounds).collect());
        if let Err(error) = sidecars.add(photo, &faces, named, output) {
            output.warn(&error.to_string());
            failed += 1;
        }
    }
    sidecars.report(output);
    failed
}

/// Enrols the named faces, into a new model where there is none. Returns how many could not be.
fn enroll(table: &Path, groups: &mut NamedGroups, model: &Path, output: &Output) -> Result<usize> {
    let mut opened = model_changes::open(ChangeOptions::default(), model, output)?;
    let before = opened.model.take();
    let count_before = before.as_ref().map_or(0, |model| model.gallery().len());
    let preparation = preparation(before.as_ref(), model)?;
    let (faces, wrong) = groups.prepared(&preparation);
    for error in &wrong {
        output.warn(&error.to_string());
    }
    if faces.is_empty() {
        // What was said of others is worth doing all the same.
        return match groups.has_others() {
            true => Ok(wrong.len()),
            false => Err(none_usable(&[table.to_owned()], wrong.len()).into()),
        };
    }
    let edit = Edit::Faces(preparation, faces, Step::Own);
    let plan = Plan::of(edit, before.as_ref(), &())?;
    let disputes = &plan.outcome.repeats.disputed;
    for dispute in disputes {
        output.warn(&format!(
            "{}: enrolled as {} already; it stays so",
            dispute.source, dispute.other_person
        ));
    }
    groups.refuse(disputes);
    if plan.is_change(before.as_ref()) {
        model_changes::commit(&plan, before.as_ref(), model)?;
    }
    let now = plan.outcome.gallery.len();
    let done = match now.saturating_sub(count_before) {
        0 => "nothing new to enrol".to_owned(),
        new => format!("enrolled {}", counted(new, "face", "faces")),
    };
    output.say(&format!(
        "{done}; {} in {} now",
        faces_of_people(now, plan.outcome.gallery.people().len()),
        shown(model)
    ));
    Ok(wrong.len() + disputes.len())
}

/// Preparation of faces for a model, or for a new one where there is none; `path` is the model's.
///
/// # Errors
/// A model that takes photos whole: no face of a photo can be enrolled into it.
pub fn preparation(model: Option<&Model>, path: &Path) -> Result<Preparation> {
    let preparation = Model::preparation(model);
    if preparation.framing() == Framing::Detect {
        return Ok(preparation);
    }
    Err(Error::OtherFraming {
        path: path.to_owned(),
        has: preparation.framing().name(),
        asked: Framing::Detect.name(),
    })
}
