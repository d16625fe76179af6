//! `eigenfaces people add`: one face of a photo is enrolled.

use eigenfaces::dataset::{Person, Photo, is_standard_input, path_as_text};
use eigenfaces::decision::Decision;
use eigenfaces::error::PhotoProblem;
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::gallery::{Gallery, KnownPhoto, LabeledFace};
use eigenfaces::model::{Edit, Plan, Step};
use eigenfaces::preparation::FaceChoice;
use eigenfaces::recognizer::{QueryOptions, Recognizer};
use eigenfaces::{Model, enrollment};
use serde_json::json;

use super::{AddFace, ChangeNotice};
use crate::cli::{Output, Result, one_line, shown};

pub fn edit(args: &AddFace, known: &Model, output: &Output) -> Result<Edit> {
    let given = Person::new(&args.person)?;
    let person = match known.history().current_name(&given) {
        Some(name) if !known.people().contains(&given) => {
            output.say(&format!("{given} is called {name} now"));
            Person::new(name)?
        }
        _ => given,
    };
    let recognizer = known.recognizer();
    let face = face(args, &person, recognizer)?;
    if let Some(KnownPhoto { person, .. }) = known.gallery().photo_of(&face).filter(|photo| photo.person == person) {
        let problem = PhotoProblem::EnrolledAlready { person: person.to_string() };
        return Err(eigenfaces::Error::photo(&args.photo, problem));
    }
    if !is_like_a_face(&face, recognizer)? {
        output.warn(&format!(
            "{}: does not look like a face; if it is none, take it back with `eigenfaces people undo`",
            shown(&args.photo)
        ));
    }
    Ok(Edit::Faces(*recognizer.preparation(), vec![face], Step::Own))
}

/// The face that is added, or why it is not.
pub fn told(plan: &Plan, before: &Gallery) -> Result<ChangeNotice> {
    if let Some(disputed) = plan.skipped.first() {
        return Err(eigenfaces::Error::photo(&disputed.path, disputed.problem.clone()));
    }
    let after = &plan.outcome.gallery;
    let mut faces = (0..after.len()).map(|at| after.photo(at));
    let new = faces.find(|photo| before.position(photo.hash).is_none());
    let KnownPhoto { person, source, .. } = new.ok_or(eigenfaces::Error::Inconsistent)?;
    let is_new = !before.people().contains(&person);
    let whom = if is_new { " (new)" } else { "" };
    let from = if source.is_empty() { "standard input".into() } else { one_line(&source) };
    let json = json!({ "added": person.as_str(), "new": is_new });
    Ok(ChangeNotice { verbs: ["enrol", "enrolled"], what: format!("1 face of {person}{whom} from {from}"), json })
}

/// Whether a face is not what `identify` would call none.
fn is_like_a_face(face: &LabeledFace, recognizer: &Recognizer) -> eigenfaces::Result<bool> {
    let face = FaceMatrix::from_pixels(recognizer.preparation().size(), face.pixels.to_vec())?;
    let found = recognizer.identify_faces(&face, QueryOptions::default());
    Ok(found.iter().all(|found| found.decision != Decision::NotAFace))
}

fn face(args: &AddFace, person: &Person, known: &Recognizer) -> eigenfaces::Result<LabeledFace> {
    let choice = match (args.at, args.face) {
        (Some(drawn), _) => FaceChoice::In(drawn),
        (None, Some(number)) => FaceChoice::Number(usize::from(number)),
        (None, None) => FaceChoice::Only,
    };
    let (preparation, gallery) = (known.preparation(), Some(known.gallery()));
    // Standard input is nowhere to be looked for again.
    let source = if is_standard_input(&args.photo) { String::new() } else { path_as_text(&args.photo) };
    let photo = Photo::open(&args.photo)?;
    enrollment::chosen_face(preparation, gallery, person, &photo, choice, &source)
        .map_err(|problem| eigenfaces::Error::photo(&args.photo, problem))
}
