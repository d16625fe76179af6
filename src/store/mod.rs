//! The model file, and how files come to be on disk: whole or not at all.
//!
//! A model is one `.npz` that `numpy.load` opens ([`ArchiveWriter`], [`Archive`]); its format is described in
//! docs/MODEL-FORMAT.md. Files are replaced, never written into ([`replace_file`]); who changes a model holds its
//! lock meanwhile ([`ModelLock`]), who reads it needs none.

mod archive;
mod arrays;
mod background_arrays;
mod basis;
mod container;
mod digest;
mod face_index;
mod file_names;
mod lock;
mod meta;
mod model;
mod model_parts;
pub(crate) mod npy;
mod origins;
mod outputs;
mod own_background;
mod pending;
mod replace;
mod seal;
mod sidecar;
mod stamp;
mod target;
mod writer;
mod zip;

#[doc(hidden)]
pub use self::{
    face_index::{load_face_index, save_face_index},
    file_names::{cut, fitting, numbered},
    lock::{ModelLock, Wait, name_lock_holder},
    outputs::{Destination, Outputs, Overwrite, make_results_folder},
    pending::{interrupt, note_change},
    seal::{forge, forge_members},
    sidecar::{NamesIn, Sidecar},
    stamp::FileStamp,
};
pub use archive::Archive;
pub use model::{from_archive, load, load_with_history, save, write_model};
pub use npy::{Number, read_npy, write_npy};
pub use own_background::{load_background, save_background};
pub use replace::{Privacy, has_other_names, remove_file, replace_file};
pub use writer::{ArchiveWriter, ZipOfFiles};
pub use zip::date;

/// The version of the format that this program writes, and the newest that it reads.
pub const FORMAT_VERSION: u32 = 1;

/// The member that every archive begins with, in every version of the format.
const META: &str = "meta.json";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gallery::{Gallery, History};
    use crate::recognizer::{Recognizer, Settings, tests};

    pub(super) fn learned(settings: Settings) -> Recognizer {
        tests::learned("16x20", 5, 4, settings)
    }

    /// The file of such a model.
    pub(super) fn saved(settings: Settings) -> tempfile::TempPath {
        let file = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let (recognizer, mut history) = (learned(settings), History::default());
        let nobody = Gallery::empty(recognizer.preparation().size());
        history.record(0, &nobody, recognizer.gallery());
        save(&recognizer, &history, &file).unwrap();
        file
    }
}
