//! Files that commands write, each as a whole or not at all, where [`Outputs`] lets them.

use std::path::{Path, PathBuf};

use eigenfaces::dataset::{LabelRule, has_extension};
use eigenfaces::render;
use eigenfaces::store::{Destination, Outputs, Privacy, make_results_folder};
use image::DynamicImage;

use super::options::ModelSource;
use super::{Error, Output, Result, bytes, shown};

/// Writes a picture as PNG.
pub fn picture(to: &Destination, privacy: Privacy, image: &DynamicImage) -> Result<()> {
    to.write(privacy, encoded(image, to.path())?)
}

/// Writes a page, and says so.
pub fn page(to: &Destination, html: String, output: &Output) -> Result<()> {
    let (size, path) = (bytes(html.len() as u64), shown(to.path()));
    to.write(Privacy::Owner, html.into_bytes())?;
    output.say(&format!("wrote {path} ({size}): open it in a browser, or print it"));
    Ok(())
}

/// A picture as the file of that name is to hold it: JPEG or PNG.
pub fn encoded(picture: &DynamicImage, target: &Path) -> Result<Vec<u8>> {
    let bytes = if has_extension(target, &["jpg", "jpeg"]) { render::jpeg(picture) } else { render::png(picture) };
    bytes.map_err(|error| Error::about(target, format_args!("the picture cannot be written ({error})")))
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
    if let LabelRule::Csv(path) = labels { Some(path.clone()) } else { None }
}

/// A folder of results, each written as a whole. It is made, where it is missing, when the first one is claimed.
pub struct OutputDir {
    pub path: PathBuf,
    outputs: Outputs,
}

impl OutputDir {
    pub fn new(path: &Path, outputs: Outputs) -> Self {
        Self { path: path.to_owned(), outputs }
    }

    /// Whether results with these names can come to stand in it. Nothing is made yet.
    /// Errors: the first that must not be replaced.
    pub fn check(&self, names: &[impl AsRef<Path>]) -> Result<()> {
        names.iter().try_for_each(|name| self.outputs.check_below(&self.path, AsRef::as_ref(name)))
    }

    /// The right to write one result.
    /// Errors: what stands there must not be replaced; a folder that cannot be made.
    pub fn claim(&self, name: impl AsRef<Path>) -> Result<Destination> {
        let place = self.path.join(name);
        make_results_folder(&self.path)?;
        make_results_folder(place.parent().unwrap_or(&self.path))?;
        self.outputs.claim(&place)
    }

    pub fn picture(&self, name: impl AsRef<Path>, privacy: Privacy, image: &DynamicImage) -> Result<()> {
        picture(&self.claim(name)?, privacy, image)
    }

    pub fn text(&self, name: &str, privacy: Privacy, text: String) -> Result<()> {
        self.claim(name)?.write(privacy, text.into_bytes())
    }

    /// Removes results of an earlier run that had more of them: as many in a row, by these names, as there are. One that
    /// cannot be removed is no reason to fail: all that was asked for is written.
    pub fn forget(&self, names: impl Iterator<Item = String>) {
        for path in names.map(|name| self.path.join(name)).take_while(|path| path.symlink_metadata().is_ok()) {
            if let Ok(left_over) = self.outputs.claim(&path) {
                left_over.forget();
            }
        }
    }
}
