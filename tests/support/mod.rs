//! What several test programs need: where real data is, and folders that vanish.

#![allow(dead_code)]

pub mod drawn;

use std::path::{Path, PathBuf};

use eigenfaces::dataset::LabelRule;
use eigenfaces::enrollment::{self, Base};
use eigenfaces::gallery::LabeledFace;
use eigenfaces::preparation::Preparation;

/// The project's folder.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder of real face data under $EIGENFACES_DATA or ../shared/data; `None`, said in a line, where it is
/// absent.
pub fn real_data(name: &str) -> Option<PathBuf> {
    let data = std::env::var_os("EIGENFACES_DATA")
        .map_or_else(|| project().join("../shared/data"), PathBuf::from);
    let folder = data.join(name);
    if folder.is_dir() {
        Some(folder)
    } else {
        eprintln!("skipped: no real data at {}", folder.display());
        None
    }
}

/// The faces of a folder's labelled photos, those of a person side by side; photos that cannot be used are left out.
pub fn labeled_faces(folder: &Path, preparation: &Preparation) -> Vec<LabeledFace> {
    let base = Base::Basis(preparation);
    let read = enrollment::read_folders(&[folder.to_owned()], &LabelRule::Folder, base, &());
    read.expect("the folder has photos").folder.new
}

/// A folder that is removed with the value.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

/// The bundled gallery.
pub fn bundled_faces() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/faces"))
}

/// The folder of bundled probes.
pub fn probes() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/probes"))
}

/// The bundled new photo of Ada.
pub fn photo_of_ada() -> &'static Path {
    Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/assets/probes/ada.png"
    ))
}

/// The bundled group photo: Ada, a stranger and Farid.
pub fn group_photo() -> &'static Path {
    Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/assets/scenes/group.png"
    ))
}
