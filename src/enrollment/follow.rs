//! Photos that a gallery keeps although the folders that it follows do not hold them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::FolderFaces;
use crate::dataset::ContentHash;
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
        let photos = known.chain(new).chain(&self.folder.unusable);
        let photos: Vec<&Path> = photos.map(Path::new).collect();
        let is_deserted = |root: &&PathBuf| !photos.iter().any(|photo| photo.starts_with(root));
        self.roots.iter().find(is_deserted).cloned()
    }

    /// The enrolled photos that are not for these folders to follow: those that lie outside and are there, those of which no
    /// folder is known (`eigenfaces serve` was sent them), and further faces of a photo, which somebody named.
    pub fn not_followed(&self, gallery: &Gallery) -> Vec<String> {
        let known = self.folder.known.iter();
        let claimed: HashSet<ContentHash> = known.map(|photo| photo.hash).collect();
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let roots: Vec<PathBuf> = self.roots.iter().map(|root| absolute(root)).collect();
        let lies_elsewhere = |source: &str| {
            // As further faces of a photo are called: `party.jpg (face 2)`.
            let face = source.rsplit_once(" (face ").filter(|(_, number)| {
                let number = number.strip_suffix(')').unwrap_or_default();
                number.parse::<usize>().is_ok()
            });
            let path = Path::new(face.map_or(source, |(photo, _)| photo));
            if roots.iter().any(|root| absolute(path).starts_with(root)) {
                return face.is_some() && self.names == NamesStand::Beside && path.is_file();
            }
            let folder = path.parent();
            folder.is_none_or(|folder| folder.as_os_str().is_empty()) || path.is_file()
        };
        let unclaimed = gallery.enrolled().iter();
        let unclaimed =
            unclaimed.filter(|face| !claimed.contains(&face.hash) && !face.source.is_empty());
        let sources = unclaimed.map(|face| &face.source);
        sources.filter(|source| lies_elsewhere(source)).cloned().collect()
    }
}
