//! From folders on disk to upright gray photos with names on them.
//!
//! - [`list_labeled`] and [`list_photos`] find the photos and, for enrolling, whom each shows;
//! - [`load`] reads them in parallel, hands each to a closure and keeps only what that makes of it;
//! - [`stream`] does so chunk by chunk, for more photos than memory holds; [`given`](mod@given) even where their list is longer;
//! - [`decode`](decode::decode) turns the bytes of one file into an upright 8-bit gray image.
//!
//! A file that cannot be used never ends the work: it becomes a [`Skipped`] with its
//! [`PhotoProblem`], to be listed at the end.

pub mod decode;
pub mod given;
mod jpeg;
mod labels;
mod load;
mod luma;
pub mod natural;
mod stream;
mod walk;

use std::cmp::Ordering;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

pub use decode::Limits;
pub use given::Given;
pub use labels::LabelRule;
pub use load::{ContentHash, PhotoFile, load, load_each, photo_dimensions, photo_sizes};
pub use stream::{read_ahead, stream, stream_each};
pub use walk::{list_labeled, list_photos};

use crate::error::{Error, PhotoProblem, Result};

/// A person's name: trimmed, not empty, without control characters, at most
/// [`Person::MAX_LENGTH`] characters. Two names are the same person if they are the same text
/// (case counts); people are ordered [naturally](natural::names), `s2` before `s10`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Person(String);

impl Person {
    /// The longest name, in characters; it must fit a line and a file name.
    pub const MAX_LENGTH: usize = 200;

    /// Trims and checks a name.
    ///
    /// # Errors
    /// [`Error::PersonName`] if nothing is left, it is too long or holds control characters
    /// (a line break would forge lines of output).
    pub fn new(name: &str) -> Result<Self> {
        let name = name.trim();
        let refuse = |reason| {
            let given = name.chars().take(40).collect();
            Err(Error::PersonName { given, reason })
        };
        if name.is_empty() {
            refuse("it is empty")
        } else if name.chars().any(char::is_control) {
            refuse("it holds control characters")
        } else if name.chars().nth(Self::MAX_LENGTH).is_some() {
            refuse("it is longer than 200 characters")
        } else {
            Ok(Self(name.to_owned()))
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for Person {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::new(name)
    }
}

impl AsRef<str> for Person {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Ord for Person {
    fn cmp(&self, other: &Self) -> Ordering {
        natural::names(self.0.as_bytes(), other.0.as_bytes())
    }
}

impl PartialOrd for Person {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A file that should show the face of a known person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabeledPhoto {
    /// Where it lies.
    pub path: PathBuf,
    /// Whom it shows.
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
    /// Where it lies.
    pub path: PathBuf,
    /// Why it was passed over.
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
    /// What is to be read.
    pub photos: Vec<P>,
    /// What is not; sorted by path.
    pub skipped: Vec<Skipped>,
}

/// What was made of the photos of a listing, in its order; and the photos that could not be used.
#[derive(Debug, Clone)]
pub struct Dataset<T> {
    /// One for each photo that could be used.
    pub items: Vec<T>,
    /// The others.
    pub skipped: Vec<Skipped>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trimmed_and_checked() {
        assert_eq!(
            Person::new("  Ada Lovelace\n").unwrap().as_str(),
            "Ada Lovelace"
        );
        assert!(Person::new(" \t ").is_err());
        assert!(Person::new("a\nb").is_err());
        assert!(Person::new(&"é".repeat(200)).is_ok());
        let error = Person::new(&"é".repeat(201)).unwrap_err().to_string();
        assert!(error.contains("longer than 200"), "{error}");
    }

    #[test]
    fn people_are_in_natural_order() {
        let mut people = ["s10", "s2", "Ada", "s1"].map(|n| Person::new(n).unwrap());
        people.sort();
        assert_eq!(people.map(|p| p.0), ["Ada", "s1", "s2", "s10"]);
    }
}
