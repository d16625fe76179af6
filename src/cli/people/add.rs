//! `eigenfaces people add`: one face of a photo is enrolled.

use std::path::Path;

use eigenfaces::dataset::{ContentHash, Limits, Person, PhotoFile};
use eigenfaces::enrollment;
use eigenfaces::error::{Error, PhotoProblem, Result};
use eigenfaces::gallery::LabeledFace;
use eigenfaces::preparation::Preparation;
use serde_json::json;

use super::{Log, Model, Plan, Verb};
use crate::cli::args::AddFace;

use crate::cli::output::{Output, shown};

pub fn plan(args: &AddFace, model: &Model<'_>, output: &Output) -> Result<Plan> {
    let given = Person::new(&args.person)?;
    let person = match model.history.current_name(&given) {
        Some(name) if !model.gallery().people().contains(&given) => {
            output.say(&format!("{given} is called {name} now"));
            Person::new(name)?
        }
        _ => given,
    };
    let is_new = !model.gallery().people().contains(&person);
    let face = face(args, person.clone(), model.recognizer.preparation())?;
    let (after, repeats) = model.gallery().clone().with(vec![face])?;
    if let Some(disputed) = enrollment::disputes(&repeats, &()).pop() {
        return Err(Error::Photo {
            path: disputed.path,
            problem: disputed.problem,
        });
    }
    if !repeats.known.is_empty() {
        return Err(Error::Photo {
            path: args.photo.clone(),
            problem: PhotoProblem::EnrolledAlready {
                person: person.to_string(),
            },
        });
    }
    let whom = if is_new { " (new)" } else { "" };
    Ok(Plan {
        after,
        erased: None,
        verb: Verb {
            infinitive: "enrol",
            past: "enrolled",
        },
        what: format!("1 face of {person}{whom} from {}", shown(&args.photo)),
        json: json!({ "added": person.as_str(), "new": is_new }),
        log: Log::Faces,
    })
}

/// The face asked for, made ready.
fn face(args: &AddFace, person: Person, preparation: &Preparation) -> Result<LabeledFace> {
    let problem = |problem| Error::Photo {
        path: args.photo.clone(),
        problem,
    };
    if args.photo.symlink_metadata().is_err() {
        let path = args.photo.clone();
        return Err(Error::NoSuchPath { path });
    }
    let file = PhotoFile::read(&args.photo, &Limits::default()).map_err(problem)?;
    let decoded = file.decode().map_err(problem)?;
    let mut faces = preparation.prepare_all(&decoded).map_err(problem)?;
    let count = faces.len();
    let number = match (args.face.map(usize::from), count) {
        (_, 0) => return Err(problem(PhotoProblem::NoFace)),
        (None, 1) => 1,
        (Some(number), _) if number <= count => number,
        _ => return Err(problem(PhotoProblem::WhichFace { count })),
    };
    let whole = file.content_hash();
    Ok(LabeledFace {
        person,
        source: source(&args.photo, number, count),
        hash: match count {
            1 => whole,
            // Each face of a photo is one of its own.
            _ => ContentHash::of(&[&whole.0[..], format!("face {number}").as_bytes()].concat()),
        },
        pixels: faces.swap_remove(number - 1).pixels,
    })
}

/// Where a face came from.
fn source(photo: &Path, number: usize, of: usize) -> String {
    match of {
        1 => photo.to_string_lossy().into_owned(),
        _ => format!("{} (face {number})", photo.to_string_lossy()),
    }
}
