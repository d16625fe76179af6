//! `eigenfaces verify`: the same person, or not.

use std::path::Path;

use eigenfaces::dataset::Person;
use eigenfaces::decision::Acceptance;
use eigenfaces::error::{Error, PhotoProblem, Result};
use eigenfaces::recognizer::{Verdict, Verification};
use serde_json::json;

use super::args::{Format, Verify};
use super::output::{Output, one_line, percent, shown};
use super::{Outcome, learning, photos};

pub fn run(args: &Verify, model: &Path, output: &Output) -> Result<Outcome> {
    let (recognizer, _) = learning::recognizer(&args.origin, model, output)?;
    let acceptance = Acceptance::from(args.acceptance);
    let face = photos::main_face(&args.photo, &recognizer, output)?;
    let found = match (&args.person, &args.other) {
        (Some(person), _) => {
            let person = recognizer.gallery().find(person.as_str())?;
            recognizer.verify_person(&face, person, acceptance)?
        }
        (None, Some(other)) => {
            let other = photos::main_face(other, &recognizer, output)?;
            recognizer.verify(&face, &other, acceptance)?
        }
        (None, None) => return Ok(Outcome::Different), // clap asks for one of them
    };
    let outcome = match found.verdict {
        Verdict::Same => Outcome::Same,
        Verdict::Different => Outcome::Different,
        Verdict::NotAFace { photo } => {
            let path = match (photo, &args.other) {
                (1, Some(other)) => other,
                _ => &args.photo,
            };
            return Err(Error::Photo {
                path: path.clone(),
                problem: PhotoProblem::NotAFace,
            });
        }
    };
    print(args, &found, output)?;
    Ok(outcome)
}

fn print(args: &Verify, found: &Verification, output: &Output) -> Result<()> {
    let decision = match found.verdict {
        Verdict::Same => "same",
        Verdict::Different | Verdict::NotAFace { .. } => "different",
    };
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let (photo, other) = (text(&args.photo), args.other.as_deref().map(text));
    let person = args.person.as_ref().map(Person::as_str);
    match output.format {
        Format::Text => output.line(&in_words(args, found)),
        Format::Json => {
            let object = json!({
                "photo": photo,
                "other": other,
                "person": person,
                "decision": decision,
                "confidence": found.confidence,
                "distance": found.distance,
            });
            output.line(&object.to_string())
        }
        Format::Csv => {
            output.line("photo,other,person,decision,confidence,distance")?;
            output.csv(&[
                photo,
                other.unwrap_or_default(),
                person.unwrap_or_default().to_owned(),
                decision.to_owned(),
                format!("{:.4}", found.confidence),
                format!("{:.6}", found.distance),
            ])
        }
    }
}

/// As a person would say it.
fn in_words(args: &Verify, found: &Verification) -> String {
    let sure = percent(found.confidence);
    let yet = if found.verdict == Verdict::Different && found.confidence > 0.5 {
        let needed = percent(found.needed);
        if needed == sure {
            "; a yes needs slightly more".to_owned()
        } else {
            format!("; a yes needs more than {needed}")
        }
    } else {
        String::new()
    };
    let photo = shown(&args.photo);
    match (&args.person, &args.other, found.verdict) {
        (Some(person), _, Verdict::Same) => {
            format!("{photo}: {} ({sure})", one_line(person.as_str()))
        }
        (Some(person), ..) => {
            let person = one_line(person.as_str());
            format!("{photo}: not {person}, as far as can be told ({sure} that it is{yet})")
        }
        (None, Some(other), Verdict::Same) => {
            format!("{photo} and {}: the same person ({sure})", shown(other))
        }
        (None, other, _) => {
            let other = other.as_deref().map_or_else(String::new, shown);
            format!(
                "{photo} and {other}: not the same person, as far as can be told ({sure} that it is{yet})"
            )
        }
    }
}
