//! Learning a background model from folders of labelled photos.
//!
//! Faces are found and aligned as everywhere, and described; how people differ and how photos of one person do is learned from
//! these ([`Training`]), then what damage does to a face, from damaged copies of the photos. Where mouths are is
//! known already. What hard light does is not learned here: [`LightVariation::carried`](crate::background::LightVariation::carried) takes it over from another model.

mod damaged;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use crate::background::{Background, DamageVariation, DamagedPhotos, Described, FACE, MouthFinder, Training};
use crate::dataset::{self, ContentHash, LabelRule, LabeledPhoto, Person, PhotoFile, Skipped};
use crate::enrollment::{Observer, report_passed_over};
use crate::error::{BackgroundProblem, Error, LikelihoodError, PhotoProblem, Result};
use crate::face_matrix::FaceMatrix;
use crate::locate::framing::Framing;
use crate::preparation::Preparation;
use damaged::Family;

/// One photo of so many is copied with each family of damage.
const DAMAGED_EVERY: usize = 6;

/// With fewer people who have two photos hardly anything is learned of how people differ.
pub const FEWEST_PEOPLE: usize = 20;

/// From so many people on, others' galleries are named as well as in the figures of docs/RECIPES.md.
pub const ENOUGH_PEOPLE: usize = 100;

/// A background model, and what it was learned from.
#[derive(Debug, Clone)]
pub struct Learned {
    /// The model.
    pub background: Background,
    /// The people whose faces were found.
    pub people: Vec<Person>,
    /// Of these, how many have two photos or more.
    pub with_two_photos: usize,
    /// Number of photos in which a face was found.
    pub photos: usize,
    /// Photos in which none was found, and files that cannot be used.
    pub skipped: Vec<Skipped>,
}

/// Learns from the photos under `roots`, but for people who are `left_out`. The same photos give the same model, whatever they and
/// the people are called, and whatever the number of threads.
///
/// # Errors
/// A folder that cannot be read; [`BackgroundProblem::FewPeople`]; [`Error::Cancelled`].
pub fn learn(
    roots: &[PathBuf],
    labels: &LabelRule,
    left_out: impl Fn(&Person) -> bool,
    mouths: &MouthFinder,
    training: Training,
    observer: &dyn Observer,
) -> Result<Learned> {
    let mut listing = dataset::list_labeled(roots, labels)?;
    report_passed_over(&listing, observer);
    listing.photos.retain(|photo| !left_out(&photo.person));
    let mut photos = Photos::of(&listing.photos, observer)?;
    let mut skipped = listing.skipped;
    skipped.append(&mut photos.skipped);
    observer.skipped(&skipped);
    let people = photos.people();
    let with_two_photos = people.values().filter(|&&photos| photos > 1).count();
    if with_two_photos < FEWEST_PEOPLE {
        let problem =
            BackgroundProblem::FewPeople { there: with_two_photos, fewest: FEWEST_PEOPLE, enough: ENOUGH_PEOPLE };
        return Err(LikelihoodError::Background { problem }.into());
    }
    let described = photos.described(mouths)?;
    let background = training.learn(&described, mouths)?;
    let strangers = training.stranger_scores(&described, mouths)?;
    let damage = DamageVariation::learn(&background, &photos.damaged(&background, observer)?)?;
    Ok(Learned {
        background: background.with_damage(damage).with_strangers(strangers),
        people: people.into_keys().cloned().collect(),
        with_two_photos,
        photos: photos.faces.len(),
        skipped,
    })
}

/// A photo whose face was found: the hash of its file, and d pixels of the size [`FACE`].
struct Face<'a> {
    hash: ContentHash,
    photo: &'a LabeledPhoto,
    pixels: Vec<u8>,
}

impl Face<'_> {
    /// A number by the content of the file, whatever it is called.
    fn number(&self) -> usize {
        usize::from(u16::from_le_bytes([self.hash.0[0], self.hash.0[1]]))
    }
}

/// A photo, and what is known of it.
struct With<'a, T>(&'a LabeledPhoto, T);

impl<T> AsRef<Path> for With<'_, T> {
    fn as_ref(&self) -> &Path {
        self.0.as_ref()
    }
}

/// Photos whose faces were found, those of one person side by side, in an order that hangs on no name.
struct Photos<'a> {
    faces: Vec<Face<'a>>,
    skipped: Vec<Skipped>,
}

fn preparation() -> Preparation {
    Preparation::new(FACE, Framing::Detect)
}

/// What is made of a photo unless the work is wanted no longer.
fn unless_cancelled<T>(
    observer: &dyn Observer,
    make: impl FnOnce() -> Result<T, PhotoProblem>,
) -> Result<Option<T>, PhotoProblem> {
    if observer.is_cancelled() { Ok(None) } else { make().map(Some) }
}

impl<'a> Photos<'a> {
    fn of(photos: &'a [LabeledPhoto], observer: &dyn Observer) -> Result<Self> {
        let preparation = preparation();
        let read = |&With(photo, ()): &With<'a, ()>, file: &PhotoFile| {
            unless_cancelled(observer, || {
                Ok(Face { hash: file.content_hash(), photo, pixels: preparation.prepare(&file.decode()?)?.pixels })
            })
        };
        let all: Vec<With<'_, ()>> = photos.iter().map(|photo| With(photo, ())).collect();
        let read = dataset::load(&all, read, &*observer.reading(all.len()));
        let faces: Option<Vec<Face<'_>>> = read.items.into_iter().collect();
        let mut faces = faces.ok_or(Error::Cancelled)?;
        faces.sort_by_key(|face| face.hash);
        let mut first = HashMap::new();
        for face in &faces {
            first.entry(&face.photo.person).or_insert(face.hash);
        }
        faces.sort_by_key(|face| (first[&face.photo.person], &face.photo.person));
        Ok(Self { faces, skipped: read.skipped })
    }

    fn people(&self) -> BTreeMap<&'a Person, usize> {
        let mut people = BTreeMap::new();
        for face in &self.faces {
            *people.entry(&face.photo.person).or_default() += 1;
        }
        people
    }

    fn described(&self, mouths: &MouthFinder) -> Result<Described> {
        let of_one = self.faces.chunk_by(|one, other| one.photo.person == other.photo.person);
        let persons: Vec<usize> = of_one.enumerate().flat_map(|(person, own)| vec![person; own.len()]).collect();
        let pixels = self.faces.iter().flat_map(|face| &face.pixels).copied();
        Ok(Described::of(&FaceMatrix::from_pixels(FACE, pixels.collect())?, &persons, mouths)?)
    }

    /// Some of the photos, and copies of them with each family of damage.
    fn damaged(&self, background: &Background, observer: &dyn Observer) -> Result<Vec<DamagedPhotos>> {
        let mut copies = Vec::new();
        for family in Family::ALL {
            for (at, face) in self.faces.iter().enumerate() {
                if face.number() % DAMAGED_EVERY == family as usize % DAMAGED_EVERY {
                    copies.push(With(face.photo, (at, family)));
                }
            }
        }
        let preparation = preparation();
        let read = |&With(_, (face, family)): &With<'_, (usize, Family)>, file: &PhotoFile| {
            unless_cancelled(observer, || {
                let seed = (self.faces[face].number() * Family::ALL.len() + family as usize) as u64;
                let damaged = damaged::damaged(&file.decode()?, family, seed);
                Ok((family, face, preparation.prepare(&damaged)?.pixels))
            })
        };
        // Copies in which no face is found say nothing.
        let read = dataset::load(&copies, read, &*observer.reading(copies.len()));
        let copies: Option<Vec<_>> = read.items.into_iter().collect();
        let copies = copies.ok_or(Error::Cancelled)?;
        let pairs = Family::ALL.map(|family| {
            let own = || copies.iter().filter(move |(of, ..)| *of == family);
            let clean = own().flat_map(|(_, face, _)| &self.faces[*face].pixels);
            let damaged = own().flat_map(|(.., pixels)| pixels);
            [clean.copied().collect(), damaged.copied().collect()]
        });
        let coordinates =
            |pixels: Vec<u8>| -> Result<_> { Ok(background.coordinates(&FaceMatrix::from_pixels(FACE, pixels)?)) };
        let families = pairs
            .into_iter()
            .map(|[clean, damaged]| Ok(DamagedPhotos { clean: coordinates(clean)?, damaged: coordinates(damaged)? }));
        families.collect()
    }
}
