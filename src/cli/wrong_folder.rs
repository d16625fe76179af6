//! Doubts about enrolling a folder: it lies too high, or shows hardly any faces. Better asked than a model
//! with people called `assets` and `target`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use eigenfaces::dataset::{LabelRule, LabeledPhoto, folders_of_folders};
use eigenfaces::decision::Decision;
use eigenfaces::enrollment::{FolderFaces, ListedFolders};
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::locate::framing::{Framing, FramingRule};
use eigenfaces::recognizer::{QueryOptions, Recognizer};

use super::args::Enroll;
use super::{Error, Result, counted, model_changes, one_line, shown};

/// Goes on where the folders' own names do not speak against them, the user has said that they are right, or says so now.
/// Nothing is decoded for that.
/// Errors: what speaks against them, with the option to give; that the user said no.
pub fn refuse_nested(
    args: &Enroll,
    listed: &ListedFolders<'_>,
    known: Option<&Recognizer>,
) -> Result<()> {
    if args.nested || args.labels.rule != LabelRule::Folder {
        return Ok(());
    }
    let enrolled = known.map_or(&[][..], |known| known.gallery().enrolled());
    let enrolled: HashSet<&str> = enrolled.iter().map(|face| face.source.as_str()).collect();
    let is_new = |photo: &&LabeledPhoto| !enrolled.contains(&*photo.path.to_string_lossy());
    let photos = listed.photos().iter().filter(is_new);
    ask(nested(args, photos.map(|photo| photo.path.as_path())))
}

/// As [`refuse_nested`], by what the photos show.
/// Errors: what speaks against them, with the option to give; that the user said no.
pub fn refuse(args: &Enroll, read: &FolderFaces, known: Option<&Recognizer>) -> Result<()> {
    if read.folder.new.is_empty() {
        return Ok(());
    }
    ask([faceless(args, read), unlike_faces(args, read, known)]
        .into_iter()
        .flatten())
}

fn ask(doubts: impl IntoIterator<Item = Doubt>) -> Result<()> {
    for (path, reason, remedy) in doubts {
        let question = format!(
            "{}: {}; enrol all the same?",
            shown(&path),
            one_line(&reason)
        );
        match model_changes::asked(&question) {
            Some(true) => {}
            Some(false) => return Err(Error::about(&path, "nothing was changed")),
            None => return Err(Error::about(&path, format_args!("{reason}; {remedy}"))),
        }
    }
    Ok(())
}

/// The folder concerned, what speaks against it, and what to do.
type Doubt = (PathBuf, String, &'static str);

/// Folders that would be people, but hold folders only, or nearly so.
fn nested<'a>(args: &Enroll, photos: impl Iterator<Item = &'a Path>) -> Option<Doubt> {
    let found = folders_of_folders(&args.faces, photos);
    let (person, inner) = found.first()?;
    let others = match found.len() {
        1 => String::new(),
        count => format!(" (nor are {} more)", count - 1),
    };
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let reason = format!(
        "'{}' contains folders such as '{}', not photos, so it is probably not a person{others}",
        name(person)?,
        name(inner)?
    );
    let remedy =
        "give the folder whose sub-folders are people, or add --nested if these are people";
    Some((person.clone(), reason, remedy))
}

/// Photos in most of which no face was found, which would be taken whole.
fn faceless(args: &Enroll, read: &FolderFaces) -> Option<Doubt> {
    let survey = read.survey.as_ref()?;
    (survey.framing == Framing::AsIs && survey.lacks_faces()).then(|| {
        let reason = format!(
            "no face was found in {} of {} looked at",
            survey.without_face,
            counted(survey.looked_at, "photo", "photos")
        );
        (args.faces[0].clone(), reason, AS_IS)
    })
}

/// Fewer enrolled faces do not tell what a face is.
const ENOUGH: usize = 20;

/// Photos taken whole, most of which do not look like the faces of the model.
fn unlike_faces(args: &Enroll, read: &FolderFaces, known: Option<&Recognizer>) -> Option<Doubt> {
    let known = known.filter(|known| known.gallery().len() >= ENOUGH)?;
    let is_whole = known.preparation().framing() == Framing::AsIs;
    let is_said = args.learn.prepare.framing == Some(FramingRule::Given(Framing::AsIs));
    if !is_whole || is_said {
        return None;
    }
    let new = &read.folder.new;
    let pixels = new.iter().flat_map(|face| face.pixels.iter().copied());
    let faces = FaceMatrix::from_pixels(known.preparation().size(), pixels.collect()).ok()?;
    let found = known.identify_faces(&faces, QueryOptions::default());
    let unlike = found
        .iter()
        .filter(|found| found.decision == Decision::NotAFace);
    let unlike = unlike.count();
    (2 * unlike > new.len()).then(|| {
        let photos = counted(new.len(), "new photo", "new photos");
        let reason = format!("{unlike} of {photos} do not look like faces to the model");
        (args.faces[0].clone(), reason, AS_IS)
    })
}

const AS_IS: &str =
    "give a folder of faces, or add --framing as-is if every photo is a face already cropped";
