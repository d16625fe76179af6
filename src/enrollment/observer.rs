//! Notices and progress while photos are read.

use std::path::PathBuf;

use crate::dataset::{Listing, ListingNote, Person, Skipped, Spellings};
use crate::face_matrix::FaceSize;
use crate::locate::framing::Survey;

/// Hears of progress and of photos that were not taken as they are. By default all methods do nothing, as with `()`.
pub trait Observer: Sync {
    /// Called with the number of photos before reading; what it returns hears how many are done, and is dropped at the end.
    fn reading(&self, _photos: usize) -> Box<dyn Fn(usize) + Sync + '_> {
        Box::new(|_| {})
    }

    fn skipped(&self, _skipped: &[Skipped]) {}

    fn notice(&self, _notice: &Notice<'_>) {}

    fn say(&self, _message: &str) {}

    /// Something that went wrong, and did not end the work.
    fn warn(&self, _message: &str) {}

    /// Asked before each photo: whether the work is wanted no longer. It ends with
    /// [`Error::Cancelled`](crate::error::Error::Cancelled).
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Tells what was passed over when photos were listed, and is no fault of theirs.
pub fn report_passed_over<P>(listing: &Listing<P>, observer: &dyn Observer) {
    if !listing.leftovers.is_empty() {
        observer.notice(&Notice::Leftovers(&listing.leftovers));
    }
    if !listing.results.is_empty() {
        observer.notice(&Notice::Results(&listing.results));
    }
    if !listing.animations.is_empty() {
        observer.notice(&Notice::Animations(&listing.animations));
    }
    if !listing.other_names.is_empty() {
        observer.notice(&Notice::OtherNames(&listing.other_names));
    }
}

impl Observer for () {}

/// A notice worth a line about the photos of a folder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Notice<'a> {
    /// A remark on how folders and labels were read.
    Listing(&'a ListingNote),
    /// Folders with different names that are one person's.
    Spellings(&'a Spellings),
    /// Files whose names say that they are backups, unfinished, broken or thumbnails were passed over.
    Leftovers(&'a [PathBuf]),
    /// Pictures that this program made were passed over.
    Results(&'a [PathBuf]),
    /// Animations, of each of which the first frame is the photo.
    Animations(&'a [PathBuf]),
    /// Links and further names of photos that are looked at under another name.
    OtherNames(&'a [PathBuf]),
    /// Number of photos that lost their edges, for they have another shape than the faces.
    Cropped { photos: usize, size: FaceSize },
    /// Number of photos that show several faces, of which the largest and most central was taken.
    SeveralFaces(usize),
    /// In so many photos no face was found; they were aligned by where the eyes stand in the others.
    EyesAssumed(usize),
    /// Photos whose files are no longer what was enrolled: the faces from before are there still, beside those of now.
    Edited(&'a [String]),
    /// Photos are said to be of the first, a name that the second had before.
    EarlierName(&'a Person, &'a Person),
    /// All photos are said to be of one person, because their names are that name and a number.
    OneNumberedPerson { photos: usize, name: &'a str },
    /// The framing was decided from a look at some of the photos.
    Framing(&'a Survey),
}
