//! Files besides photos that a walk through folders found.

use std::path::{Path, PathBuf};

use super::animation::is_animation;
use super::{Listing, Skipped, Spellings, natural};
use crate::error::PhotoProblem;

/// What was found and is no photo to be read.
#[derive(Default)]
pub(super) struct PassedOver {
    pub skipped: Vec<Skipped>,
    pub leftovers: Vec<PathBuf>,
    pub results: Vec<PathBuf>,
    pub links: Vec<PathBuf>,
    pub other_names: Vec<PathBuf>,
}

impl PassedOver {
    pub fn is_empty(&self) -> bool {
        self.skipped.is_empty() && self.leftovers.is_empty() && self.results.is_empty()
    }
}

/// The listing of photos and what was passed over. Where nothing else is there, each file that was left over, and each result, is told with its reason.
pub(super) fn listing<P: AsRef<Path>>(photos: Vec<P>, passed: PassedOver, spellings: Vec<Spellings>) -> Listing<P> {
    let PassedOver { mut skipped, mut leftovers, mut results, links, other_names } = passed;
    if photos.is_empty() && skipped.is_empty() {
        for (paths, problem) in [(&mut leftovers, PhotoProblem::Leftover), (&mut results, PhotoProblem::Result)] {
            skipped.extend(paths.drain(..).map(|path| Skipped { path, problem: problem.clone() }));
        }
    }
    skipped.sort_by(|a, b| natural::paths(&a.path, &b.path));
    leftovers.sort_by(|a, b| natural::paths(a, b));
    results.sort_by(|a, b| natural::paths(a, b));
    let animations = photos.iter().map(AsRef::as_ref).filter(|photo| is_animation(photo));
    let animations = animations.map(Path::to_owned).collect();
    Listing { animations, photos, skipped, leftovers, results, other_names, links, spellings, notes: Vec::new() }
}
