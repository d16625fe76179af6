//! Files that commands write, each as a whole or not at all, where [`Outputs`] lets them.

use std::path::{Path, PathBuf};

use eigenfaces::dataset::LabelRule;
use eigenfaces::render;
use eigenfaces::store::{Destination, Outputs, Privacy};
use image::DynamicImage;

use super::args::ModelSource;
use super::{Error, Result};

/// Writes a picture as PNG.
pub fn picture(to: &Destination, privacy: Privacy, image: &DynamicImage) -> Result<()> {
    to.write(privacy, encoded(image, to.path())?)
}

/// A picture as the file of that name is to hold it: JPEG or PNG.
pub fn encoded(picture: &DynamicImage, target: &Path) -> Result<Vec<u8>> {
    let bytes = match has_extension(target, &["jpg", "jpeg"]) {
        true => render::jpeg(picture),
        false => render::png(picture),
    };
    let unwritten = |error| {
        let what = format_args!("the picture cannot be written ({error})");
        Error::about(target, what)
    };
    bytes.map_err(unwritten)
}

/// The right to write a result that is asked for, if it is.
pub fn claim(outputs: &Outputs, path: Option<&PathBuf>) -> Result<Option<Destination>> {
    path.map(|path| outputs.claim(path)).transpose()
}

/// The files that a command reads: the photos or tables it is given, and the model or the folders that are learned from.
pub fn inputs(given: &[PathBuf], origin: &ModelSource, model: &Path) -> Vec<PathBuf> {
    let mut inputs = given.to_vec();
    if origin.faces.is_empty() {
        inputs.push(model.to_owned());
    }
    inputs.extend(origin.faces.iter().cloned());
    inputs.extend(table(&origin.labels.rule));
    inputs
}

/// The table that labels come from, if they do.
pub fn table(labels: &LabelRule) -> Option<PathBuf> {
    match labels {
        LabelRule::Csv(path) => Some(path.clone()),
        LabelRule::Folder | LabelRule::Stem | LabelRule::Xmp => None,
    }
}

/// Whether a path ends in one of these, whatever the case.
pub fn has_extension(path: &Path, among: &[&str]) -> bool {
    path.extension().is_some_and(|own| {
        among
            .iter()
            .any(|extension| own.eq_ignore_ascii_case(extension))
    })
}
