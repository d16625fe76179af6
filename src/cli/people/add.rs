//! `eigenfaces people add`: one face of a photo is enrolled.

use eigenfaces::dataset::{Person, Photo};
use eigenfaces::decision::Decision;
use eigenfaces::enrollment;
use eigenfaces::error::PhotoProblem;
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::gallery::{History, LabeledFace};
use eigenfaces::preparation::FaceChoice;
use eigenfaces::recognizer::{QueryOptions, Recognizer};
use serde_json::json;

use super::{Plan, record_faces};
use crate::cli::args::AddFace;
use crate::cli::{Output, Result, shown};

pub fn plan(
    args: &AddFace,
    known: &Recognizer,
    history: &History,
    output: &Output,
) -> Result<Plan> {
    let given = Person::new(&args.person)?;
    let person = match history.current_name(&given) {
        Some(name) if !known.gallery().people().contains(&given) => {
            output.say(&format!("{given} is called {name} now"));
            Person::new(name)?
        }
        _ => given,
    };
    let is_new = !known.gallery().people().contains(&person);
    let face = face(args, &person, known)?;
    if !is_like_a_face(&face, known)? {
        output.warn(&format!(
            "{}: does not look like a face; if it is none, take it back with `eigenfaces people undo`",
            shown(&args.photo)
        ));
    }
    let (after, repeats) = known.gallery().clone().with(vec![face])?;
    if let Some(disputed) = enrollment::disputes(&repeats, &()).pop() {
        return Err(eigenfaces::Error::photo(disputed.path, disputed.problem).into());
    }
    if !repeats.known.is_empty() {
        return Err(eigenfaces::Error::photo(
            &args.photo,
            PhotoProblem::EnrolledAlready {
                person: person.to_string(),
            },
        )
        .into());
    }
    let whom = if is_new { " (new)" } else { "" };
    Ok(Plan {
        after,
        erased: None,
        verbs: ["enrol", "enrolled"],
        what: format!("1 face of {person}{whom} from {}", shown(&args.photo)),
        json: json!({ "added": person.as_str(), "new": is_new }),
        entry: record_faces(),
    })
}

/// Whether a face is not what `identify` would call none.
fn is_like_a_face(face: &LabeledFace, recognizer: &Recognizer) -> eigenfaces::Result<bool> {
    let size = recognizer.preparation().size();
    let face = FaceMatrix::from_pixels(size, face.pixels.to_vec())?;
    let found = recognizer
        .identifier()
        .identify_faces(&face, QueryOptions::default());
    Ok(found
        .iter()
        .all(|found| found.decision != Decision::NotAFace))
}

fn face(args: &AddFace, person: &Person, known: &Recognizer) -> eigenfaces::Result<LabeledFace> {
    let choice = match (args.at, args.face) {
        (Some(drawn), _) => FaceChoice::In(drawn),
        (None, Some(number)) => FaceChoice::Number(usize::from(number)),
        (None, None) => FaceChoice::Only,
    };
    let (preparation, gallery) = (known.preparation(), Some(known.gallery()));
    let source = args.photo.to_string_lossy();
    let photo = Photo::open(&args.photo)?;
    enrollment::chosen_face(preparation, gallery, person, &photo, choice, &source)
        .map_err(|problem| eigenfaces::Error::photo(&args.photo, problem))
}
