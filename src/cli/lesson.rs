//! `eigenfaces lesson`: a page for teachers.

use std::path::{Path, PathBuf};

use clap::Args;
use eigenfaces::dataset::has_extension;
use eigenfaces::render::lesson;
use eigenfaces::store::Outputs;

use super::options::{Force, Labels, ModelSource};
use super::{ExitStatus, Output, Result, files, learning};

#[derive(Debug, Args)]
pub struct Lesson {
    /// Folders with a sub-folder per person; without any, the faces in the model
    #[arg(value_name = "FACES")]
    pub faces: Vec<PathBuf>,
    /// Page to write (FILE.html), or folder to write lesson.html to, made where it is missing; readable by you only: it holds the photos it shows
    #[arg(short, long, value_name = "DIR|FILE.html")]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub labels: Labels,
}

const PAGE: &str = "lesson.html";

pub fn run(args: &Lesson, model: &Path, output: &Output) -> Result<ExitStatus> {
    let origin = ModelSource { faces: args.faces.clone(), labels: args.labels.clone() };
    let outputs = Outputs::new(files::inputs(&[], &origin, model), args.force.into());
    let page = has_extension(&args.output, &["html"]).then(|| outputs.claim(&args.output)).transpose()?;
    if page.is_none() {
        outputs.check_below(&args.output, PAGE.as_ref())?;
    }
    let (recognizer, unlearned) = learning::recognizer(&origin, model, output)?;
    let html = lesson::html(&recognizer)?;
    let destination = match page {
        Some(page) => page,
        None => {
            std::fs::create_dir_all(&args.output).map_err(|error| eigenfaces::Error::folder(&args.output, error))?;
            outputs.claim(&args.output.join(PAGE))?
        }
    };
    files::page(&destination, html, output)?;
    Ok(ExitStatus::of_inputs(recognizer.gallery().len(), unlearned))
}
