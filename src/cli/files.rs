//! Files that commands write, each as a whole or not at all, where [`Outputs`] lets them.

use std::path::{Path, PathBuf};

use eigenfaces::dataset::{ContentHash, LabelRule};
use eigenfaces::render;
use eigenfaces::store::{Destination, Outputs, Privacy};
use image::DynamicImage;

use super::args::ModelSource;
use super::{Error, Result};

/// Writes a picture as PNG.
pub fn picture(to: &Destination, privacy: Privacy, image: &DynamicImage) -> Result<()> {
    let png = render::png(image).map_err(|error| Error::unwritten(to.path(), error))?;
    Ok(to.write(privacy, png)?)
}

/// The right to write a result that is asked for, if it is.
pub fn claim(outputs: &Outputs, path: Option<&PathBuf>) -> eigenfaces::Result<Option<Destination>> {
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

/// Whether files can be made in a folder.
pub fn may_write(folder: &Path) -> bool {
    tempfile::tempfile_in(folder).is_ok()
}

/// `photo.jpg`, `photo (2).jpg` and so on.
pub fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(" ({number})"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Bytes that the name of a file may have on the usual file systems.
const LONGEST_NAME: usize = 255;

/// A path whose last part is no longer than names may be: one that is gets its middle replaced by its hash.
pub fn fitting(path: PathBuf) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let bytes = name.as_encoded_bytes();
    if bytes.len() <= LONGEST_NAME {
        return path;
    }
    let hash = &ContentHash::of(bytes).to_string()[..8];
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy());
    let extension = extension.filter(|extension| extension.len() < 16);
    let end = format!("~{hash}.{}", extension.as_deref().unwrap_or("png"));
    let name = name.to_string_lossy();
    let start = cut(&name, LONGEST_NAME - end.len());
    path.with_file_name(format!("{start}{end}"))
}

/// The beginning of a text, of at most `most` bytes.
pub fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rfind(|&at| text.is_char_boundary(at));
    &text[..end.unwrap_or(0)]
}

/// Makes a folder, where it is missing, and those around it, for its owner only: it names people.
pub fn make_own_folder(folder: &Path) -> eigenfaces::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(folder);
    made.map_err(|error| eigenfaces::Error::folder(folder, error))
}
