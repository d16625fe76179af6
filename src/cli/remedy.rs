//! The options by which the program's user does what the library advises.

use eigenfaces::Error;
use eigenfaces::error::{DatabaseProblem, LocateError, ModelProblem, PcaError, PhotoProblem, WriteProblem};

pub const AS_IS: &str = "give a folder of faces, or add --framing as-is if every photo is a face already cropped";

/// The message of the library, and the options that help: `... add it under another name (--into)`.
pub fn in_words(error: &Error) -> String {
    with(error.to_string(), options(error))
}

/// The fault of one photo among many, and the options that help.
pub fn of_photo(problem: &PhotoProblem) -> String {
    let options = match problem {
        // Photos are passed over where they are learned from, as the framing has it.
        PhotoProblem::NoFace => Some("--framing as-is takes cropped faces whole"),
        _ => photo_options(problem),
    };
    with(problem.to_string(), options)
}

fn with(message: String, options: Option<&str>) -> String {
    match options {
        Some(options) => format!("{message} ({options})"),
        None => message,
    }
}

fn options(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::Photo { problem, .. } => return photo_options(problem),
        Error::Model { problem: ModelProblem::Missing, .. } => "`eigenfaces enroll FOLDER`, --model",
        Error::Model { problem: ModelProblem::NotPermitted, .. } => "--model",
        Error::Write { problem: WriteProblem::Exists, .. } => "--force",
        Error::Write { problem: WriteProblem::Named, .. } => "`eigenfaces group --apply`, --force",
        Error::Pca(PcaError::TooManyPixels { .. }) => "--size, --solver gram",
        Error::Pca(PcaError::CountNeeded) => "--components 20, --solver",
        Error::Pca(PcaError::NotConverged { .. }) => "--components, --solver",
        Error::Pca(PcaError::ParallelNeedsFaces) => "--size, --components profile",
        Error::Pca(PcaError::NotForKernels(_)) => "--components, --kernel",
        Error::Database { problem, .. } => return database_options(problem),
        Error::NoFaces { .. } => AS_IS,
        Error::LabelsOfFaces | Error::NoNamedFaces { .. } => "--labels folder",
        Error::NoSuchPerson { nearest: None, .. } => "`eigenfaces people`",
        Error::NoSuchPhoto { .. } => "`eigenfaces people list --photos`",
        Error::NameTaken { .. } => "`eigenfaces people merge`",
        Error::MergedIntoItself { .. } => "--into",
        Error::NothingToUndo => "`eigenfaces info --log`",
        Error::PixelsNotScaled => "--scale-pixels goes with --kernel linear",
        _ => return None,
    })
}

fn photo_options(problem: &PhotoProblem) -> Option<&'static str> {
    match problem {
        PhotoProblem::NoPerson => Some("--labels FILE.csv"),
        PhotoProblem::WhichFace { .. } => Some("--face"),
        PhotoProblem::NotAFile => Some("`eigenfaces identify -` reads a pipe"),
        PhotoProblem::Locate(LocateError::Detector) => Some("--framing as-is"),
        _ => None,
    }
}

fn database_options(problem: &DatabaseProblem) -> Option<&'static str> {
    match problem {
        DatabaseProblem::Empty | DatabaseProblem::Unfinished { .. } => Some("`eigenfaces export --postgres`"),
        DatabaseProblem::OtherModel { .. } => Some("--model, `eigenfaces export --postgres`"),
        DatabaseProblem::TooManyCoordinates { .. } => Some("--components"),
        DatabaseProblem::TooLarge { .. } => Some("--kernel, --metric"),
        DatabaseProblem::NoIndex => Some("--index hnsw"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_behind_what_the_library_says() {
        let path = || "ada.jpg".into();
        let photo = |problem: &PhotoProblem| Error::Photo { path: path(), problem: problem.clone() };
        let which = photo(&PhotoProblem::WhichFace { count: 2 });
        assert_eq!(in_words(&which), format!("{which} (--face)"));
        let faceless = PhotoProblem::NoFace;
        assert!(of_photo(&faceless).ends_with("(--framing as-is takes cropped faces whole)"));
        // The framing of a model stays.
        assert_eq!(in_words(&photo(&faceless)), photo(&faceless).to_string());
        let unhelped = Error::NoSuchPath { path: path() };
        assert_eq!(in_words(&unhelped), unhelped.to_string());
    }
}
