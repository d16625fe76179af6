//! The folder that a command writes several results to.

use std::path::{Path, PathBuf};

use eigenfaces::store::{Destination, Outputs, Privacy, make_results_folder};
use image::DynamicImage;

use super::{Result, files};

/// A folder of results, each written as a whole. It is made, where it is missing, when the first one is claimed.
pub struct OutputDir {
    path: PathBuf,
    outputs: Outputs,
}

impl OutputDir {
    pub fn new(path: &Path, outputs: Outputs) -> Self {
        Self {
            path: path.to_owned(),
            outputs,
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether results with these names can come to stand in it. Nothing is made yet.
    /// Errors: the first that must not be replaced.
    pub fn check(&self, names: &[impl AsRef<Path>]) -> Result<()> {
        let check = |name: &_| self.outputs.check_below(&self.path, AsRef::as_ref(name));
        names.iter().try_for_each(check)
    }

    /// The right to write one result.
    /// Errors: what stands there must not be replaced; a folder that cannot be made.
    pub fn claim(&self, name: impl AsRef<Path>) -> Result<Destination> {
        let place = self.path.join(name);
        make_results_folder(&self.path)?;
        make_results_folder(place.parent().unwrap_or(&self.path))?;
        self.outputs.claim(&place)
    }

    pub fn picture(
        &self,
        name: impl AsRef<Path>,
        privacy: Privacy,
        image: &DynamicImage,
    ) -> Result<()> {
        files::picture(&self.claim(name)?, privacy, image)
    }

    pub fn text(&self, name: &str, privacy: Privacy, text: String) -> Result<()> {
        self.claim(name)?.write(privacy, text.into_bytes())
    }

    /// Removes results of an earlier run that had more of them: as many in a row, by these names, as there are. One that
    /// cannot be removed is no reason to fail: all that was asked for is written.
    pub fn forget(&self, names: impl Iterator<Item = String>) {
        let paths = names.map(|name| self.path.join(name));
        for path in paths.take_while(|path| path.symlink_metadata().is_ok()) {
            if let Ok(left_over) = self.outputs.claim(&path) {
                left_over.forget();
            }
        }
    }
}
