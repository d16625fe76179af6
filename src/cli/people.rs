//! `eigenfaces people`: who is enrolled; add a face, rename, merge and remove them, and take that back.

mod add;

use std::collections::BTreeSet;
use std::path::Path;

use eigenfaces::dataset::{ContentHash, Person, PhotoFile};
use eigenfaces::gallery::{Gallery, History, change_time};
use eigenfaces::recognizer::Recognizer;
use eigenfaces::store;
use serde_json::{Value, json};

use super::args::{ChangeOptions, Format, List, Merge, People, PeopleAction, Remove, Rename};
use super::{Outcome, Output, Result, counted, faces_of_people, learning, model_changes};

pub fn run(args: &People, model: &Path, output: &Output) -> Result<Outcome> {
    match &args.action {
        None => list(&List::default(), model, output),
        Some(PeopleAction::List(args)) => list(args, model, output),
        Some(PeopleAction::Add(args)) => {
            let plan = |all: &Recognizer, log: &History| add::plan(args, all, log, output);
            change(non_erasing(args.dry_run), model, output, plan)
        }
        Some(PeopleAction::Rename(args)) => {
            let plan = |all: &Recognizer, _: &History| rename(args, all.gallery());
            change(non_erasing(args.dry_run), model, output, plan)
        }
        Some(PeopleAction::Merge(args)) => {
            let plan = |all: &Recognizer, _: &History| merge(args, all.gallery());
            change(non_erasing(args.dry_run), model, output, plan)
        }
        Some(PeopleAction::Remove(args)) => {
            let plan = |all: &Recognizer, _: &History| remove(args, all.gallery());
            change(args.change, model, output, plan)
        }
        Some(PeopleAction::Undo(options)) => change(*options, model, output, undo),
    }
}

/// A change that erases nothing.
fn non_erasing(dry_run: bool) -> ChangeOptions {
    ChangeOptions {
        dry_run,
        yes: false,
    }
}

fn list(args: &List, model: &Path, output: &Output) -> Result<Outcome> {
    let recognizer = store::load(model)?;
    let gallery = recognizer.gallery();
    let wanted = gallery.find_all(&args.people)?;
    let is_wanted = |person: usize| wanted.is_empty() || wanted.contains(&person);
    if args.photos {
        return list_photos(gallery, is_wanted, output);
    }
    let columns = "person,faces";
    output.header(columns)?;
    let people = gallery.people().iter().zip(gallery.counts()).enumerate();
    for (_, (person, count)) in people.filter(|(at, _)| is_wanted(*at)) {
        let object = json!({ "person": person.as_str(), "faces": count });
        output.record(columns, object, || {
            [format!("{person} ({})", counted(count, "face", "faces"))]
        })?;
    }
    Ok(Outcome::Done)
}

/// Digits of a hash in a list for reading.
const SHORT_HASH: usize = 12;

fn list_photos(
    gallery: &Gallery,
    is_wanted: impl Fn(usize) -> bool,
    output: &Output,
) -> Result<Outcome> {
    let columns = "person,hash,source";
    output.header(columns)?;
    let enrolled = gallery.enrolled().iter();
    for face in enrolled.filter(|face| is_wanted(face.person)) {
        let person = gallery.people()[face.person].as_str();
        let (hash, source) = (face.hash.to_string(), &face.source);
        let photo = json!({ "person": person, "hash": hash, "source": source });
        output.record(columns, photo, || {
            [format!("{} {person}: {source}", &hash[..SHORT_HASH])]
        })?;
    }
    Ok(Outcome::Done)
}

/// A change that has been thought through and not yet made.
struct Plan {
    after: Gallery,
    /// The faces that are erased and where they are, in words.
    erased: Option<String>,
    /// The verb of the change, to be put behind "would", and in the past, told when it is done.
    verbs: [&'static str; 2],
    what: String,
    entry: Entry,
    json: Value,
}

/// Writes a change into the log: of these faces before it, and these after it.
type Entry = Box<dyn FnOnce(&mut History, &Gallery, &Gallery)>;

fn record_faces() -> Entry {
    Box::new(|history, before, after| history.record(change_time(), before, after))
}

/// Makes the change that `plan` wants of the gallery: learns without the old state, and replaces the model.
fn change(
    options: ChangeOptions,
    model: &Path,
    output: &Output,
    plan: impl FnOnce(&Recognizer, &History) -> Result<Plan>,
) -> Result<Outcome> {
    let mut opened = model_changes::open(options, model, output)?;
    let (before, mut history) = match opened.model.take() {
        Some(known) => known.into_parts(),
        None => store::load_with_history(model)?,
    };
    let plan = plan(&before, &history)?;
    if plan.after.is_empty() {
        return Err(model_changes::too_few_left(model, 0));
    }
    if options.dry_run {
        return dry_run(&plan, output);
    }
    if let Some(erased) = &plan.erased {
        model_changes::consent(options, model, erased)?;
    }
    (plan.entry)(&mut history, before.gallery(), &plan.after);
    let after = model_changes::learn_from_rest(&before, plan.after, before.settings(), model)?;
    store::save(&after, &history, model)?;
    let left = faces_of_people(after.gallery().len(), after.gallery().people().len());
    let (done, what) = (plan.verbs[1], plan.what);
    output.say(&format!("{done} {what}; {left} enrolled now"));
    if let Some(warning) = learning::confidence_warning(&after) {
        output.say(&warning);
    }
    report(plan.json, after.gallery(), output)?;
    Ok(Outcome::Done)
}

fn dry_run(plan: &Plan, output: &Output) -> Result<Outcome> {
    if output.format == Format::Text {
        output.line(&format!("would {} {}", plan.verbs[0], plan.what))?;
    }
    report(plan.json.clone(), &plan.after, output)?;
    Ok(Outcome::Done)
}

/// The change for scripts, and what is enrolled after it.
fn report(mut object: Value, after: &Gallery, output: &Output) -> Result<()> {
    object["people"] = after.people().len().into();
    object["faces"] = after.len().into();
    output.fields(&object)
}

fn rename(args: &Rename, gallery: &Gallery) -> Result<Plan> {
    let (from, to, after) = gallery.with_new_name(&args.person, &args.name)?;
    let forget = args.forget;
    Ok(Plan {
        after,
        erased: None,
        verbs: ["rename", "renamed"],
        what: format!("{from} to {to}"),
        json: json!({ "renamed": from.as_str(), "to": to.as_str() }),
        entry: Box::new(move |history, _, _| {
            history.rename(change_time(), &from, &to);
            if forget {
                history.forget_earlier_names(&to);
            }
        }),
    })
}

fn merge(args: &Merge, gallery: &Gallery) -> Result<Plan> {
    let (from, into, after) = gallery.with_merged(&args.people, &args.into)?;
    let names: Vec<&str> = from.iter().map(Person::as_str).collect();
    let counts = gallery.people().iter().zip(gallery.counts());
    let of_them = counts.filter(|(person, _)| from.contains(person));
    let faces: usize = of_them.map(|(_, count)| count).sum();
    let faces = counted(faces, "face", "faces");
    Ok(Plan {
        after,
        erased: None,
        verbs: ["merge", "merged"],
        what: format!("{} ({faces}) into {into}", names.join(", ")),
        json: json!({ "merged": names, "into": into.as_str() }),
        entry: Box::new(move |history, before, _| {
            history.merge(change_time(), &from, &into, before);
        }),
    })
}

fn remove(args: &Remove, gallery: &Gallery) -> Result<Plan> {
    let people = gallery.find_all(&args.people)?;
    let of_them = |at: &usize| people.contains(&gallery.enrolled()[*at].person);
    let mut gone: BTreeSet<usize> = (0..gallery.len()).filter(of_them).collect();
    for photo in &args.photos {
        gone.extend(find_photo(gallery, photo)?);
    }
    let gone: Vec<usize> = gone.into_iter().collect();
    let whom = tally(gallery, &gone);
    let what = format!(
        "{} ({})",
        counted(gone.len(), "face", "faces"),
        in_words(&whom)
    );
    let removed: Vec<Value> = whom
        .iter()
        .map(|(person, faces)| json!({ "person": person.as_str(), "faces": faces }))
        .collect();
    Ok(Plan {
        after: gallery.clone().without(&gone),
        erased: Some(what.clone()),
        verbs: ["erase", "erased"],
        what,
        json: json!({ "removed": removed }),
        entry: record_faces(),
    })
}

fn undo(known: &Recognizer, history: &History) -> Result<Plan> {
    let change = history
        .last_change()
        .ok_or(eigenfaces::Error::NothingToUndo)?;
    let gallery = known.gallery();
    let undone = gallery.clone().undone(change)?;
    if undone.gallery.is_empty() {
        return Err(eigenfaces::Error::NothingToUndo.into());
    }
    let added = (!undone.erased.is_empty()).then(|| {
        let faces = counted(undone.erased.len(), "face", "faces");
        format!("{faces} ({})", in_words(&tally(gallery, &undone.erased)))
    });
    let told = change.in_words(gallery);
    let lost = counted(undone.lost, "face", "faces");
    Ok(Plan {
        after: undone.gallery,
        erased: added,
        verbs: ["undo:", "undone:"],
        what: match undone.lost {
            0 => told,
            _ => format!("{told} ({lost} that it erased cannot come back)"),
        },
        json: json!({
            "undone": { "erased": undone.erased.len(), "restored": undone.restored, "lost": undone.lost }
        }),
        entry: Box::new(|history, before, after| history.undo(change_time(), before, after)),
    })
}

/// The enrolled photo that is named by source or hash, or by a file that has the same content.
fn find_photo(gallery: &Gallery, given: &str) -> eigenfaces::Result<Vec<usize>> {
    gallery.find_photo(given).or_else(|error| {
        let file = PhotoFile::read(Path::new(given));
        let hash: Option<ContentHash> = file.ok().map(|file| file.content_hash());
        let found = hash.and_then(|hash| gallery.position(hash));
        found.map(|at| vec![at]).ok_or(error)
    })
}

/// Number of these faces that each person has, in the order of people.
fn tally(gallery: &Gallery, faces: &[usize]) -> Vec<(Person, usize)> {
    let mut counts = vec![0; gallery.people().len()];
    for &face in faces {
        counts[gallery.enrolled()[face].person] += 1;
    }
    let people = gallery.people().iter().cloned().zip(counts);
    people.filter(|(_, count)| *count > 0).collect()
}

/// Maximum number of people named; the others are counted.
const NAMED: usize = 5;

/// `2 of Ada, 1 of Boris and 3 of 2 others`.
pub fn in_words(tally: &[(Person, usize)]) -> String {
    let (named, others) = tally.split_at(tally.len().min(NAMED));
    let named: Vec<String> = named
        .iter()
        .map(|(person, count)| format!("{count} of {person}"))
        .collect();
    let mut text = named.join(", ");
    if !others.is_empty() {
        let faces: usize = others.iter().map(|(_, count)| count).sum();
        text += &format!(
            " and {faces} of {}",
            counted(others.len(), "other", "others")
        );
    }
    text
}
