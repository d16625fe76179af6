//! The photos that a command is to look at.

use std::path::PathBuf;

use eigenfaces::dataset;
use eigenfaces::error::{Error, Result};

use super::learning;
use super::output::Output;

/// Photos named by the user or found in folders.
pub struct Photos {
    pub paths: Vec<PathBuf>,
    /// How many were named or found that cannot be looked at; each was said.
    pub unusable: usize,
}

impl Photos {
    /// Finds them in natural order.
    ///
    /// # Errors
    /// Nothing of what was named is there, or a folder without photos.
    pub fn list(named: &[PathBuf], output: &Output) -> Result<Self> {
        let (there, missing): (Vec<_>, Vec<_>) = named
            .iter()
            .cloned()
            .partition(|path| path.symlink_metadata().is_ok());
        if let (true, Some(path)) = (there.is_empty(), missing.first()) {
            return Err(Error::NoSuchPath { path: path.clone() });
        }
        let listing = dataset::list_photos(&there)?;
        learning::report_skipped(&listing.skipped, output);
        for path in &missing {
            output.warn(&Error::NoSuchPath { path: path.clone() }.to_string());
        }
        Ok(Self {
            paths: listing.photos,
            unusable: listing.skipped.len() + missing.len(),
        })
    }
}
