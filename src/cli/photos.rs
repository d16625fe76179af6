//! The photos that a command is to look at.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use eigenfaces::dataset::{self, Photo, Skipped, is_standard_input};
use eigenfaces::enrollment::report_passed_over;
use eigenfaces::error::PhotoProblem;
use eigenfaces::preparation::{PhotoRegion, Preparation, PreparedFace};

use super::{Error, Output, Result, counted, learning, shown};

#[derive(Default)]
pub struct Photos {
    pub paths: Vec<PathBuf>,
    /// Photos named or found that cannot be looked at, each reported; with each the number of paths that come before it.
    pub unusable: Vec<(usize, Skipped)>,
}

impl Photos {
    /// Lists photos in natural order. Pictures that this program wrote, such as annotated copies, are looked at only
    /// where they are named themselves.
    /// Errors: nothing of what was named is there (but for scripts, whose records say so), or a folder without photos.
    pub fn list(named: &[PathBuf], output: &Output) -> Result<Self> {
        let is_there = |path: &PathBuf| is_standard_input(path) || dataset::is_there(path);
        let (there, missing): (Vec<_>, Vec<_>) = named.iter().cloned().partition(is_there);
        if let Some(path) = missing.first()
            && there.is_empty()
            && output.is_text()
        {
            return Err(Error::missing(path));
        }
        let mut photos = Self { paths: Vec::new(), unusable: Vec::new() };
        let mut unusable = Vec::new();
        if !there.is_empty() {
            let listing = dataset::list_photos(&there)?;
            learning::report_skipped(&listing.skipped, output);
            report_passed_over(&listing, output);
            photos.paths = listing.photos;
            unusable = listing.skipped;
        }
        for path in missing {
            output.warn(&eigenfaces::Error::missing(&path).to_string());
            unusable.push(Skipped { path, problem: PhotoProblem::NotThere });
        }
        photos.unusable = in_order(unusable, &photos.paths, named);
        Ok(photos)
    }

    /// Leaves out photos below a folder, which an earlier run may have put there; those that are `named` themselves stay.
    /// Errors: all photos lie there.
    pub fn leave_out(&mut self, folder: &Path, named: &[PathBuf], output: &Output) -> Result<()> {
        let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let (within, before) = (whole(folder), self.paths.len());
        // Of the leading paths the number that stay.
        let mut staying = vec![0];
        self.paths.retain(|photo| {
            let stays = named.contains(photo) || !whole(photo).starts_with(&within);
            staying.extend(staying.last().map(|count| count + usize::from(stays)));
            stays
        });
        for (before, _) in &mut self.unusable {
            *before = staying[*before];
        }
        let left_out = before - self.paths.len();
        if left_out > 0 && self.paths.is_empty() {
            return Err(Error::about(
                folder,
                "all photos lie below it, where sorted ones come to stand; name the photos one by one, or sort into another folder",
            ));
        }
        if left_out > 0 {
            let (photos, folder) = (counted(left_out, "photo", "photos"), shown(folder));
            output.say(&format!("{photos} in {folder} left out: photos are sorted into that folder"));
        }
        Ok(())
    }
}

/// Unreadable paths, each with the number of paths before it. Photos come root by root: whatever lies below a root
/// comes after its photos, and a root that is missing where it was named.
fn in_order(unusable: Vec<Skipped>, paths: &[PathBuf], named: &[PathBuf]) -> Vec<(usize, Skipped)> {
    let mut end = 0;
    let mut ends = HashMap::with_capacity(named.len());
    for root in named {
        end += paths[end..].iter().take_while(|path| path.starts_with(root)).count();
        ends.entry(root.as_path()).or_insert(end);
    }
    let before = |skipped: &Skipped| {
        let mut folders = skipped.path.ancestors();
        folders.find_map(|folder| ends.get(folder)).copied()
    };
    let mut placed: Vec<(usize, Skipped)> =
        unusable.into_iter().map(|skipped| (before(&skipped).unwrap_or(0), skipped)).collect();
    placed.sort_by_key(|(before, _)| *before);
    placed
}

/// The face that a photo is about, prepared: of several the largest and most central, which is said.
/// Errors: a photo that is not there or cannot be used.
pub fn main_face(photo: &Path, preparation: &Preparation, output: &Output) -> Result<PreparedFace> {
    let prepared =
        preparation.prepare(Photo::open(photo)?.luma()).map_err(|problem| eigenfaces::Error::photo(photo, problem))?;
    if let PhotoRegion::Found { of: count @ 2.., .. } = prepared.region {
        output.say(&format!("{} shows {count} faces; the largest and most central is taken", shown(photo)));
    }
    Ok(prepared)
}
