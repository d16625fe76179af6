//! The photos that a command is to look at.

use std::path::{Path, PathBuf};

use eigenfaces::dataset::{self, Limits, PhotoFile};
use eigenfaces::error::{Error, Result};
use eigenfaces::preparation::Part;
use eigenfaces::recognizer::Recognizer;

use super::learning;
use super::output::{Output, shown};

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

/// The face that a photo is about, made ready (d pixels): of several the largest and most central, which is said.
///
/// # Errors
/// A photo that is not there or cannot be used.
pub fn main_face(photo: &Path, recognizer: &Recognizer, output: &Output) -> Result<Vec<u8>> {
    let path = || photo.to_owned();
    if photo.symlink_metadata().is_err() {
        return Err(Error::NoSuchPath { path: path() });
    }
    let prepared = PhotoFile::read(photo, &Limits::default())
        .and_then(|file| recognizer.preparation().prepare(&file.decode()?))
        .map_err(|problem| Error::Photo {
            path: path(),
            problem,
        })?;
    if let Part::Found {
        of: count @ 2.., ..
    } = prepared.part
    {
        output.say(&format!(
            "{} shows {count} faces; the largest and most central is taken",
            shown(photo)
        ));
    }
    Ok(prepared.pixels)
}
