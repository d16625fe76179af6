//! Photos that a gallery keeps although the folders that it follows do not hold them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::FolderFaces;
use crate::dataset::{ContentHash, is_there, path_from_text, photo_of};
use crate::gallery::Gallery;

/// The source of the names of a folder's photos.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamesStand {
    /// In the photos themselves, each face's by itself.
    InPhotos,
    /// In paths or a table: one name a photo.
    Beside,
}

impl FolderFaces {
    /// The first of the folders in which there is no photo at all, readable or not.
    pub fn deserted(&self) -> Option<PathBuf> {
        let known = self.folder.known.iter().map(|photo| &photo.source);
        let new = self.folder.new.iter().map(|face| &face.source);
        let photos: Vec<&Path> = known.chain(new).chain(&self.folder.unusable).map(Path::new).collect();
        let is_deserted = |root: &&PathBuf| !photos.iter().any(|photo| photo.starts_with(root));
        self.roots.iter().find(is_deserted).cloned()
    }

    /// The enrolled photos that are not for these folders to follow: those that lie outside, there or not (their disk may not be
    /// mounted, or a relative path was meant from another folder), and further faces of a photo, which somebody named.
    pub fn not_followed(&self, gallery: &Gallery) -> Vec<String> {
        let claimed: HashSet<ContentHash> = self.folder.known.iter().map(|photo| photo.hash).collect();
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let roots: Vec<PathBuf> = self.roots.iter().map(|root| absolute(root)).collect();
        let is_not_followed = |source: &str| {
            let (path, face) = photo_of(source);
            let path = path_from_text(path);
            let is_inside = roots.iter().any(|root| absolute(&path).starts_with(root));
            !is_inside || face.is_some() && self.names == NamesStand::Beside && is_there(&path)
        };
        let unclaimed = gallery.enrolled().iter();
        let unclaimed = unclaimed.filter(|face| !claimed.contains(&face.hash) && !face.source.is_empty());
        unclaimed.map(|face| &face.source).filter(|source| is_not_followed(source)).cloned().collect()
    }
}
