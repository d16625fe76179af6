//! From folders on disk to upright gray photos with names on them.
//!
//! - [`list_labeled`] and [`list_photos`] find the photos and, for enrolling, whom each shows;
//! - [`load`] reads them in parallel, hands each to a closure and keeps only what that makes of it;
//! - [`stream`] does so chunk by chunk, for more photos than memory holds;
//! - [`decode`](decode::decode) turns the bytes of one file into an upright 8-bit gray image.
//!
//! A file that cannot be used never ends the work: it becomes a [`Skipped`] with its [`PhotoProblem`], to be listed at the end.

mod alike;
mod animation;
mod damaged;
pub mod decode;
mod extension;
mod file_name;
mod file_path;
mod folder_person;
mod found;
#[cfg(feature = "heic")]
mod heif;
mod jpeg;
mod jpeg_frame;
mod labels;
mod leftovers;
mod levels;
mod limits;
mod load;
mod luma;
mod mark;
mod named;
#[doc(hidden)]
pub mod natural;
mod nesting;
mod open;
mod pages;
mod passed_over;
mod person;
mod photo;
mod picasa;
mod source;
mod stream;
mod strips;
mod table;
mod tiff;
mod turned;
mod walk;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

#[doc(hidden)]
pub use self::{
    alike::alike,
    extension::has_extension,
    file_path::{path_as_text, path_from_text},
    folder_person::PERSON_FILE,
    found::FileId,
    labels::PERSON_HEADINGS,
    named::{NameFault, NameSource, NameSources},
    nesting::folders_of_folders,
    open::{is_standard_input, open_file},
    pages::{file_of, is_page, is_there},
    source::{is_of_photo, photo_of, source_of},
    table::{Table, TableEncoding, TableRow, guarded, misread, read_table, spellings_of_path, unguarded},
    walk::SORTED,
};
pub use labels::LabelRule;
pub use limits::Limits;
pub use load::{ContentHash, PhotoFile, load, load_each, photo_dimensions, photo_sizes};
pub(crate) use mark::marked;
pub use person::Person;
pub(crate) use person::visible;
pub use photo::Photo;
pub use stream::{stream, stream_each};
pub use walk::{list_labeled, list_photos, list_photos_again};

use crate::error::PhotoProblem;

/// A file that should show the face of a known person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabeledPhoto {
    /// The file.
    pub path: PathBuf,
    /// The person it shows.
    pub person: Person,
}

impl AsRef<Path> for LabeledPhoto {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

/// A file (or folder) that was passed over, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The file.
    pub path: PathBuf,
    /// The reason why it was passed over.
    pub problem: PhotoProblem,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.problem)
    }
}

/// The photos found, not yet read, in natural order; and what was passed over on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing<P = LabeledPhoto> {
    /// Photos to be read.
    pub photos: Vec<P>,
    /// Files passed over; sorted by path.
    pub skipped: Vec<Skipped>,
    /// Files whose names say that they are backups, unfinished, broken or thumbnails, in natural order.
    pub leftovers: Vec<PathBuf>,
    /// Pictures that this program made, such as annotated copies, in natural order. Those that are given themselves are photos.
    pub results: Vec<PathBuf>,
    /// Photos that are animations, of which the first frame is looked at, in natural order.
    pub animations: Vec<PathBuf>,
    /// Further names of photos, as links are, where people are not told by them.
    pub other_names: Vec<PathBuf>,
    /// Links that lead nowhere and are called like other files than photos, and links that go round in circles.
    pub links: Vec<PathBuf>,
    /// Folders whose names are spelt differently, but are one person's name.
    pub spellings: Vec<Spellings>,
    /// What else is worth a line.
    pub notes: Vec<ListingNote>,
}

/// A remark on how folders and labels were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListingNote {
    /// The table of labels is not in Unicode, and was read as Windows-1252.
    Windows1252(PathBuf),
    /// A folder of photos that were sorted as showing nobody known, or no face, and the number of photos in it.
    NobodysPhotos(PathBuf, usize),
    /// Names that differ in their letters' case, blanks and the like only.
    AlikeNames(Vec<Person>),
    /// Nearly every photo outside folders would be a person by its name: the numbers of photos and people, and one of these.
    ManyPeople {
        /// Photos that go by their names.
        photos: usize,
        /// The people that these make.
        people: usize,
        /// One of them.
        example: Person,
    },
}

/// Folders of one person whose names differ only in blanks around them or in how Unicode spells the same letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spellings {
    /// The name that all of them mean.
    pub person: Person,
    /// The folders' names as they are, sorted.
    pub folders: Vec<OsString>,
}

/// The items made of the photos of a listing, in its order; and the photos that could not be used.
#[derive(Debug, Clone)]
pub struct Dataset<T> {
    /// One for each photo that could be used.
    pub items: Vec<T>,
    /// The others.
    pub skipped: Vec<Skipped>,
}
