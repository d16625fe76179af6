//! Changes to a gallery that exists: leave faces out, give people another name, find a person by name.

use std::collections::{BTreeSet, HashSet};

use super::{Enrolled, Gallery, KnownPhoto, LabeledFace};
use crate::dataset::{ContentHash, Person, is_of_photo};
use crate::error::{Error, Result};

/// The fewest hexadecimal digits that stand for a photo: short enough to type, too many to meet by chance.
pub const HASH_DIGITS: usize = 8;

impl Gallery {
    /// The person of exactly this name, as a position in [`Gallery::people`].
    ///
    /// # Errors
    /// [`Error::NoSuchPerson`], with the nearest spelling among those enrolled.
    pub fn find(&self, name: &str) -> Result<usize> {
        let name = name.trim();
        self.people.iter().position(|person| person.is_called(name)).ok_or_else(|| Error::NoSuchPerson {
            name: name.chars().take(Person::MAX_LENGTH).collect(),
            nearest: self.nearest_spelling(name),
        })
    }

    /// The people of exactly these names, each once, as positions in [`Gallery::people`].
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub fn find_all(&self, names: &[impl AsRef<str>]) -> Result<BTreeSet<usize>> {
        names.iter().map(|name| self.find(name.as_ref())).collect()
    }

    /// The faces of a person, as positions in [`Gallery::enrolled`].
    pub fn faces_of(&self, person: usize) -> Vec<usize> {
        (0..self.len()).filter(|at: &usize| self.enrolled[*at].person == person).collect()
    }

    /// The faces of one photo, as positions in [`Gallery::enrolled`]: those whose source is `given`, or a page or a face of it, or else
    /// those whose hash begins with it ([`HASH_DIGITS`] or more hexadecimal digits).
    ///
    /// # Errors
    /// [`Error::NoSuchPhoto`] where there is none; [`Error::ManyPhotos`] where the digits fit several hashes.
    pub fn find_photo(&self, given: &str) -> Result<Vec<usize>> {
        let positions = |is: &dyn Fn(&Enrolled) -> bool| -> Vec<usize> {
            (0..self.len()).filter(|&at| is(&self.enrolled[at])).collect()
        };
        let by_source = positions(&|face| !given.is_empty() && is_of_photo(&face.source, given));
        if !by_source.is_empty() {
            return Ok(by_source);
        }
        let digits = given.to_ascii_lowercase();
        let is_hash = digits.len() >= HASH_DIGITS && digits.bytes().all(|c| c.is_ascii_hexdigit());
        let by_hash = positions(&|face| is_hash && face.hash.to_string().starts_with(&digits));
        let photo = given.to_owned();
        match by_hash.len() {
            0 => Err(Error::NoSuchPhoto { photo }),
            1 => Ok(by_hash),
            count => Err(Error::ManyPhotos { photo, count }),
        }
    }

    /// A photo that is enrolled, by its position in [`Gallery::enrolled`].
    pub fn photo(&self, at: usize) -> KnownPhoto {
        let face = &self.enrolled[at];
        KnownPhoto { person: self.people[face.person].clone(), source: face.source.clone(), hash: face.hash }
    }

    /// Position of the photo of this content in [`Gallery::enrolled`].
    pub fn position(&self, photo: ContentHash) -> Option<usize> {
        self.enrolled.iter().position(|face| face.hash == photo)
    }

    /// The gallery without some faces, given by their positions in [`Gallery::enrolled`].
    #[must_use]
    pub fn without(self, faces: &[usize]) -> Self {
        let gone: HashSet<ContentHash> = faces.iter().map(|&at| self.enrolled[at].hash).collect();
        let (size, mut left) = (self.faces.size(), self.into_labeled());
        left.retain(|face| !gone.contains(&face.hash));
        Self::in_order(size, left)
    }

    /// The gallery in which people, by position in [`Gallery::people`], are called `name`: one renamed, or several made one.
    #[must_use]
    pub fn renamed(self, people: &[usize], name: &Person) -> Self {
        let old: Vec<Person> = people.iter().map(|&at| self.people[at].clone()).collect();
        self.changed(|face| {
            if old.contains(&face.person) {
                face.person = name.clone();
            }
        })
    }

    /// A person under another name: the old one, the new one, and the gallery then.
    ///
    /// # Errors
    /// As [`find`](Self::find); [`Error::SameName`]; [`Error::NameTaken`]; [`Error::PersonName`].
    pub fn with_new_name(&self, name: &str, new: &str) -> Result<(Person, Person, Self)> {
        let at = self.find(name)?;
        let (from, to) = (self.people[at].clone(), Person::new(new)?);
        if from == to {
            return Err(Error::SameName { name: to.to_string() });
        }
        if self.people.contains(&to) {
            return Err(Error::NameTaken { name: to.to_string() });
        }
        let after = self.clone().renamed(&[at], &to);
        Ok((from, to, after))
    }

    /// The faces of some people as another person's: those people in order, that person, and the gallery then.
    ///
    /// # Errors
    /// As [`find`](Self::find); [`Error::MergedIntoItself`].
    pub fn with_merged(&self, names: &[impl AsRef<str>], into: &str) -> Result<(Vec<Person>, Person, Self)> {
        let into = self.find(into)?;
        let from: Vec<usize> = self.find_all(names)?.into_iter().collect();
        let name = self.people[into].clone();
        if from.contains(&into) {
            return Err(Error::MergedIntoItself { name: name.to_string() });
        }
        let after = self.clone().renamed(&from, &name);
        Ok((from.into_iter().map(|at| self.people[at].clone()).collect(), name, after))
    }

    /// The gallery in which one photo is another person's.
    ///
    /// # Errors
    /// [`Error::NoSuchPhoto`].
    pub fn given_to(self, photo: ContentHash, person: &Person) -> Result<Self> {
        let given = photo.to_string();
        self.position(photo).ok_or(Error::NoSuchPhoto { photo: given })?;
        Ok(self.changed(|face| {
            if face.hash == photo {
                face.person = person.clone();
            }
        }))
    }

    /// The gallery without the sources of its faces.
    #[must_use]
    pub fn without_sources(self) -> Self {
        self.changed(|face| face.source.clear())
    }

    /// Whether the source of any face is known.
    pub fn has_sources(&self) -> bool {
        self.enrolled.iter().any(|face| !face.source.is_empty())
    }

    /// The gallery of the faces as `change` leaves them.
    pub(super) fn changed(self, change: impl FnMut(&mut LabeledFace)) -> Self {
        let (size, mut faces) = (self.faces.size(), self.into_labeled());
        faces.iter_mut().for_each(change);
        Self::in_order(size, faces)
    }

    /// The name that differs least from `name`, if any is near; of several the first.
    fn nearest_spelling(&self, name: &str) -> Option<String> {
        let wanted: String = name.to_lowercase().chars().take(Person::MAX_LENGTH).collect();
        let length = wanted.chars().count();
        if length < 2 {
            return None;
        }
        let most = (length / 3).max(1);
        let distance = |person: &Person| {
            let name = person.as_str().to_lowercase();
            // A length that differs by more cannot be mended by fewer edits.
            let is_near = name.chars().count().abs_diff(length) <= most;
            is_near.then(|| strsim::levenshtein(&name, &wanted))
        };
        let near = |person| distance(person).filter(|&edits| edits <= most);
        let people = self.people.iter().filter_map(|person| Some((near(person)?, person)));
        people.min_by_key(|(edits, _)| *edits).map(|(_, person)| person.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face_matrix::FaceSize;
    use crate::preparation::Origin;
    use proptest::prelude::*;

    fn gallery(people: &[(&str, u8)]) -> Gallery {
        let size = FaceSize::new(8, 8).unwrap();
        let faces = people.iter().map(|&(person, number)| face(person, number));
        Gallery::assemble(size, faces.collect()).unwrap().0
    }

    fn face(person: &str, number: u8) -> LabeledFace {
        LabeledFace {
            person: Person::new(person).unwrap(),
            source: format!("{person}/{number}.png"),
            hash: ContentHash::of(&[number]),
            pixels: vec![number; 64].into(),
            origin: Origin::Whole,
        }
    }

    #[test]
    fn people_are_found_by_name_or_the_nearest_is_suggested() {
        let gallery = gallery(&[("Ada Lovelace", 1), ("Boris", 2), ("顔", 3), ("s1", 4)]);
        assert_eq!(gallery.find(" Boris ").unwrap(), 1);
        for (given, nearest) in [
            ("ada lovelace", Some("Ada Lovelace")),
            ("Ada Lovlace", Some("Ada Lovelace")),
            ("Bors", Some("Boris")),
            ("s2", Some("s1")),
            ("Nobody", None),
            ("", None),
        ] {
            match gallery.find(given) {
                Err(Error::NoSuchPerson { nearest: found, .. }) => {
                    assert_eq!(found.as_deref(), nearest, "{given}");
                }
                other => panic!("{given}: {other:?}"),
            }
        }
    }

    #[test]
    fn photos_are_found_by_source_or_hash() {
        let gallery = gallery(&[("Ada", 1), ("Ada", 2)]);
        assert_eq!(gallery.find_photo("Ada/2.png").unwrap(), [1]);
        let digits = ContentHash::of(&[1]).to_string().to_uppercase();
        assert_eq!(gallery.find_photo(&digits).unwrap(), [0]);
        assert_eq!(gallery.find_photo(&digits[..8]).unwrap(), [0]);
        for none in ["", &digits[..7], "Ada", "00000000", "Ada/2.png "] {
            let found = gallery.find_photo(none);
            assert!(matches!(found, Err(Error::NoSuchPhoto { .. })), "{none}");
        }
        let nameless = gallery.without_sources();
        assert!(nameless.find_photo("").is_err() && !nameless.has_sources());
    }

    proptest! {
        /// Whatever is changed, the result is the gallery assembled from what is left, in any order.
        #[test]
        fn changing_equals_assembling(
            people in proptest::collection::vec("[A-D]", 1..20),
            gone in proptest::collection::vec(any::<bool>(), 20),
            rotation in 0..20usize,
        ) {
            let faces: Vec<_> = people.iter().zip(1..).map(|(person, number)| (person.as_str(), number)).collect();
            let gallery = gallery(&faces);
            let removed: Vec<usize> = (0..gallery.len()).filter(|&at| gone[at]).collect();
            let mut left: Vec<LabeledFace> = gallery.clone().into_labeled();
            let mut marks = gone.iter();
            left.retain(|_| !marks.next().unwrap());
            let count = left.len().max(1);
            left.rotate_left(rotation % count);
            let size = FaceSize::new(8, 8).unwrap();
            let expected = Gallery::assemble(size, left.clone()).unwrap().0;
            prop_assert_eq!(gallery.clone().without(&removed), expected);

            let name = Person::new("B").unwrap();
            let called = gallery.clone().renamed(&[0], &name);
            let first = gallery.people()[0].clone();
            let renamed = gallery.into_labeled().into_iter().map(|face| LabeledFace {
                person: if face.person == first { name.clone() } else { face.person.clone() },
                ..face
            });
            prop_assert_eq!(called, Gallery::assemble(size, renamed.collect()).unwrap().0);
        }
    }
}
