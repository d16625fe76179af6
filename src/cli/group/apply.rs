//! `eigenfaces group --apply`: what was typed into the table of groups is done.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use eigenfaces::Model;
use eigenfaces::albums::{self, Answer, EnrolledPixels, NameAt, NamedFace, NamedFaces, Sidecars, Writing, table};
use eigenfaces::dataset::{ListingNote, Person, TableEncoding};
use eigenfaces::enrollment::{Notice, Observer as _, none_usable};
use eigenfaces::model::{Edit, Plan, Step};
use eigenfaces::store::NamesIn;
use eigenfaces::xmp::OwnNames;

use super::Group;
use crate::cli::options::ChangeOptions;
use crate::cli::{Error, ExitStatus, Output, Result, counted, faces_of_people, model_changes, remedy, shown};

pub fn run(args: &Group, table: &Path, model: &Path, output: &Output) -> Result<ExitStatus> {
    let (rows, encoding) = table::read(table)?;
    if encoding == TableEncoding::Windows1252 {
        output.notice(&Notice::Listing(&ListingNote::Windows1252(table.to_owned())));
    }
    let (said, ambiguous) = albums::answers(rows).map_err(|reason| Error::about(table, reason))?;
    let mut named = NamedFaces::of(said, args.index.as_deref())?;
    for group in &ambiguous {
        output.say(&format!("group {group} has several names; its rows without one are left as they are"));
    }
    let mut failed = report_unknown(&named, output);
    let said = named.count(|face| face.answer != Answer::Nothing);
    if args.dry_run {
        let before = model.exists().then(|| Model::load(model)).transpose()?;
        output.line(&format!("would {}", in_words(&named, &EnrolledPixels::of(before.as_ref()))))?;
        if let Some(names_in) = args.write_xmp {
            failed += write_xmp(&named, Writing::Told, names_in, output);
        }
        return Ok(ExitStatus::of_inputs(said, failed));
    }
    let refused = if named.has_names() { enroll(table, &mut named, model, output) } else { Ok(0) };
    // Also where no name could be used.
    named.remember().map_err(|error| {
        let reason = albums::with_index(&error);
        Error::Told(format!("what was said of faces is not remembered: {reason}"))
    })?;
    report_remembered(&named, output);
    failed += refused?;
    // A face stays enrolled even if its sidecar cannot be written.
    let done = said.saturating_sub(failed);
    if let Some(names_in) = args.write_xmp {
        failed += write_xmp(&named, Writing::Done, names_in, output);
    }
    if said == 0 {
        output.say(&format!("{} has no names yet: nothing to do", shown(table)));
    }
    Ok(ExitStatus::of_inputs(done, failed))
}

fn is_apart(face: &NamedFace) -> bool {
    matches!(face.answer, Answer::NotThese(_))
}

fn is_ignored(face: &NamedFace) -> bool {
    face.answer == Answer::Ignored
}

fn report_unknown(named: &NamedFaces, output: &Output) -> usize {
    let count = named.count(NamedFace::is_unknown);
    if let Some(NamedFace { place, .. }) = named.faces.iter().find(|face| face.is_unknown()) {
        let others = match count {
            1 => String::new(),
            count => format!(" and of {}", counted(count - 1, "more face", "more faces")),
        };
        output.warn(&format!(
            "{}, face {}: no index of faces knows it, so what was said of it{others} is not remembered; group its folder again, with --index FILE there and here if it may not be written to",
            shown(&place.photo),
            place.face
        ));
    }
    count
}

fn report_remembered(named: &NamedFaces, output: &Output) {
    let ignored = named.count(|face| face.key.is_some() && is_ignored(face));
    let apart = named.count(|face| face.key.is_some() && is_apart(face));
    if ignored + apart > 0 {
        output.say(&format!(
            "remembered beside the photos: {} to be ignored, {} not of the group that held {}",
            counted(ignored, "face", "faces"),
            counted(apart, "face", "faces"),
            if apart == 1 { "it" } else { "them" },
        ));
    }
}

fn in_words(named: &NamedFaces, enrolled: &EnrolledPixels) -> String {
    let is_new = |face: &&NamedFace| {
        named.indexed(face).and_then(|(_, face)| enrolled.person(&face.pixels)) != face.answer.person()
    };
    let new = named.faces.iter().filter(is_new).filter_map(|face| face.answer.person());
    let people: BTreeSet<&Person> = new.clone().collect();
    let faces = faces_of_people(new.count(), people.len());
    format!("enrol {faces}, ignore {} and keep {} apart", named.count(is_ignored), named.count(is_apart))
}

/// Writes the names of faces that were enrolled into sidecars. Returns how many photos' could not be.
fn write_xmp(named: &NamedFaces, writing: Writing, names_in: NamesIn, output: &Output) -> usize {
    let mut of_photo: BTreeMap<&Path, Vec<NameAt<'_>>> = BTreeMap::new();
    let mut failed = 0;
    for face in named.faces.iter().filter(|face| !face.is_refused) {
        let (place, Some(person)) = (&face.place, face.answer.person()) else { continue };
        match place.bounds.or(named.indexed(face).map(|(_, face)| face.location.bounds)) {
            Some(bounds) => of_photo.entry(&place.photo).or_default().push(NameAt {
                bounds,
                name: person.as_str(),
                confidence: None,
            }),
            None => {
                failed += 1;
                output.warn(&format!(
                    "{}, face {}: where it lies is not known, so its name is not written",
                    shown(&place.photo),
                    place.face
                ));
            }
        }
    }
    // Of faces that the table says nothing of, nothing is known here.
    let mut sidecars = Sidecars::new(writing, names_in, OwnNames::Keep);
    for (photo, names) in &of_photo {
        let faces = named.faces_of(photo).unwrap_or_else(|| names.iter().map(|face| face.bounds).collect());
        if let Err(error) = sidecars.add(photo, &faces, names, output) {
            output.warn(&remedy::in_words(&error));
            failed += 1;
        }
    }
    sidecars.report(output);
    failed
}

/// Enrols the named faces, into a new model where there is none. Returns how many could not be.
fn enroll(table: &Path, named: &mut NamedFaces, model: &Path, output: &Output) -> Result<usize> {
    let mut opened = model_changes::open(ChangeOptions::default(), model, output)?;
    let before = opened.model.take();
    let count_before = before.as_ref().map_or(0, |model| model.gallery().len());
    let preparation = albums::preparation(before.as_ref(), model)?;
    let (faces, wrong) = named.prepared(&preparation);
    for error in &wrong {
        output.warn(&remedy::in_words(error));
    }
    if faces.is_empty() {
        // What was said of others is worth doing all the same.
        return if named.has_others() { Ok(wrong.len()) } else { Err(none_usable(&[table.to_owned()], wrong.len())) };
    }
    let plan = Plan::of(Edit::Faces(preparation, faces, Step::Own), before.as_ref(), &())?;
    let disputes = &plan.outcome.repeats.disputed;
    for dispute in disputes {
        let remedy =
            "it stays so: `people rename` renames that person, `people remove PHOTO` makes room for another name";
        output.warn(&format!("{}: enrolled as {} already; {remedy}", dispute.source, dispute.other_person));
    }
    named.refuse(disputes);
    if plan.is_change(before.as_ref()) {
        model_changes::commit(&plan, before.as_ref(), model)?;
    }
    let now = plan.outcome.gallery.len();
    let done = match now.saturating_sub(count_before) {
        0 => "nothing new to enrol".to_owned(),
        new => format!("enrolled {}", counted(new, "face", "faces")),
    };
    let faces = faces_of_people(now, plan.outcome.gallery.people().len());
    output.say(&format!("{done}; {faces} in {} now", shown(model)));
    Ok(wrong.len() + disputes.len())
}
