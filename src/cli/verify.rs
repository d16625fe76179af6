//! `eigenfaces verify`: the same person, or not.

use std::path::{Path, PathBuf};

use clap::Args;
use eigenfaces::dataset::{Person, path_as_text};
use eigenfaces::decision::Acceptance;
use eigenfaces::error::PhotoProblem;
use eigenfaces::face_index;
use eigenfaces::gallery::Gallery;
use eigenfaces::recognizer::{Verdict, Verification, verify_alone};
use serde_json::json;

use super::options::{AcceptanceOptions, DEFAULT_MODEL, ModelSource};
use super::{Error, ExitStatus, Output, Record, Result, learning, one_line, percent, photos, shown};

#[derive(Debug, Args)]
pub struct Verify {
    /// A photo (`-` is standard input); of several faces in it, the largest and most central
    #[arg(value_name = "PHOTO")]
    pub photo: PathBuf,
    /// The photo to compare it with; the people in neither need be enrolled
    #[arg(value_name = "PHOTO", required_unless_present = "person", conflicts_with = "person")]
    pub other: Option<PathBuf>,
    /// Compare with this enrolled person instead
    #[arg(long, value_name = "NAME")]
    pub person: Option<Person>,
    #[command(flatten)]
    pub acceptance: AcceptanceOptions,
    #[command(flatten)]
    pub origin: ModelSource,
}

pub fn run(args: &Verify, model: &Path, output: &Output) -> Result<ExitStatus> {
    if let Some(other) = &args.other
        && args.origin.faces.is_empty()
        && model == Path::new(DEFAULT_MODEL)
        && !model.exists()
    {
        return without_model(args, other, model, output);
    }
    let (recognizer, _) = learning::recognizer(&args.origin, model, output)?;
    let acceptance = Acceptance::from(args.acceptance);
    let face = photos::main_face(&args.photo, recognizer.preparation(), output)?;
    let person = args.person.as_ref().map(|name| recognizer.gallery().find(name.as_str())).transpose()?;
    let found = match (person, &args.other) {
        (Some(person), _) => recognizer.verify_person(&face, person, acceptance)?,
        (None, Some(other)) => {
            refuse_name(other, recognizer.gallery())?;
            recognizer.verify(&face, &photos::main_face(other, recognizer.preparation(), output)?, acceptance)?
        }
        (None, None) => return Ok(ExitStatus::Different), // clap asks for one of them
    };
    let outcome = match found.verdict {
        Verdict::Same => ExitStatus::Same,
        Verdict::Different | Verdict::CannotTell => ExitStatus::Different,
        Verdict::NotAFace { photo } => {
            let path = args.other.as_ref().filter(|_| photo == 1).unwrap_or(&args.photo);
            return Err(eigenfaces::Error::photo(path, PhotoProblem::NotAFace));
        }
    };
    // As it is enrolled, however it was typed.
    print(args, person.map(|at| recognizer.gallery().people()[at].as_str()), &found, output)?;
    Ok(outcome)
}

/// Compares two photos where there is no model: by the background model alone.
fn without_model(args: &Verify, other: &Path, model: &Path, output: &Output) -> Result<ExitStatus> {
    let preparation = face_index::preparation();
    let first = photos::main_face(&args.photo, &preparation, output)?;
    let second = photos::main_face(other, &preparation, output)?;
    output.say(&format!("no model at {}: the photos are compared with nobody enrolled", shown(model)));
    let found = verify_alone(&first, &second, Acceptance::from(args.acceptance))?;
    print(args, None, &found, output)?;
    Ok(if found.verdict == Verdict::Same { ExitStatus::Same } else { ExitStatus::Different })
}

/// Refuses a missing file that is the name of an enrolled person.
fn refuse_name(other: &Path, gallery: &Gallery) -> Result<()> {
    if !other.exists() && other.to_str().is_some_and(|name| gallery.find(name).is_ok()) {
        return Err(Error::about(other, "no such file; an enrolled person is named with --person"));
    }
    Ok(())
}

fn print(args: &Verify, person: Option<&str>, found: &Verification, output: &Output) -> Result<()> {
    let object = json!({
        "photo": path_as_text(&args.photo),
        "other": args.other.as_ref().map(path_as_text),
        "person": person,
        "decision": found.verdict.name(),
        "confidence": found.confidence,
        "distance": found.distance,
    });
    let record = Record::new(object, [in_words(args, person, found)]);
    output.records("photo,other,person,decision,confidence,distance", [record])
}

fn in_words(args: &Verify, person: Option<&str>, found: &Verification) -> String {
    let sure = percent(found.confidence);
    // Likely, and not sure enough for a yes.
    let is_no = matches!(found.verdict, Verdict::Different | Verdict::CannotTell);
    let needed = (is_no && found.confidence > 0.5).then(|| {
        let needed = percent(found.needed);
        if needed == sure { "slightly more".to_owned() } else { format!("more than {needed}") }
    });
    let photo = shown(&args.photo);
    let other = args.other.as_deref().map_or_else(String::new, shown);
    if found.verdict == Verdict::CannotTell {
        let whose = person.map_or(other, |person| format!("{}'s photos", one_line(person)));
        return format!(
            "{photo} and {whose}: cannot tell whether it is the same person ({sure}): noise, print, compression or what covers it hides too much of a face"
        );
    }
    match (person.map(one_line), found.verdict, needed) {
        (Some(person), Verdict::Same, _) => format!("{photo}: {person} ({sure})"),
        (Some(person), _, Some(needed)) => format!("{photo}: perhaps {person} ({sure}; a yes needs {needed})"),
        (Some(person), _, None) => format!("{photo}: not {person} ({sure} that it is)"),
        (None, Verdict::Same, _) => format!("{photo} and {other}: the same person ({sure})"),
        (None, _, Some(needed)) => {
            format!("{photo} and {other}: perhaps the same person ({sure}; a yes needs {needed})")
        }
        (None, _, None) => format!("{photo} and {other}: not the same person ({sure} that it is)"),
    }
}
