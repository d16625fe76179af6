//! Learns the background model (`crates/face-likelihood/models/background.bin`) from folders of labelled photos.
//!
//!     cargo run --release --features maintainer --example train_background -- --photos ../shared/data/lfw-world \
//!         --photos ../shared/data/cfp-frontal \
//!         --without ../shared/data/lfw --without ../shared/data/lfw-strangers \
//!         --mouths ../shared/data/eyes-train.tsv -o crates/face-likelihood/models/background.bin \
//!         --people assets/background-people.bin
//!
//! Where mouths are is learned first, from marked photos: `--mouths` names a list with a line a photo (its path from the
//! folder named like the list, then x and y of both eyes, the nose and both corners of the mouth, in pixels).
//! What damage does to a face is learned last, from damaged copies of the photos ([`damage`]).
//! Faces are found and aligned as everywhere; photos in which none is found are left out. People who stand in a folder
//! given with `--without` (as a sub-folder, or in the name of a photo) are left out, so that measurements on them stay
//! honest. The same photos give the same bytes, whatever the number of threads.

mod damage;
mod mouths;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};

use damage::Family;
use eigenfaces::Person;
use eigenfaces::background::{
    Background, DamageVariation, DamagedPhotos, Described, FACE, MouthFinder, Training, name_hashes,
};
use eigenfaces::dataset::{self, LabelRule, LabeledPhoto};
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::locate::framing::Framing;
use eigenfaces::preparation::Preparation;
use image::GrayImage;

/// One photo of so many is copied with each family of damage.
const DAMAGED_EVERY: usize = 6;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let mouths = mouths::learn(&options.mouths)?;
    let mut without = BTreeSet::new();
    for folder in &options.without {
        without.extend(people_of(folder)?);
    }
    let listing = dataset::list_labeled(&options.photos, &LabelRule::Folder)?;
    let mut photos = listing.photos;
    photos.retain(|photo| !without.contains(&key(photo.person.as_str())));
    eprintln!(
        "{} photos; people left out: {}",
        photos.len(),
        without.len()
    );

    let faces = Faces::of(&numbered(&photos), |_, photo| photo);
    let (described, persons) = (faces.described(&mouths)?, faces.persons());
    let background = options.training.learn(&described, &mouths)?;
    let families: Result<Vec<DamagedPhotos>, Box<dyn Error>> = Family::ALL
        .iter()
        .map(|&family| faces.damaged(&photos, family, &background))
        .collect();
    let damage = DamageVariation::learn(&background, &families?)?;
    let background = background.with_damage(damage);
    std::fs::write(&options.output, background.to_bytes())?;
    // Of whom the model was learned: src/background/trained_on.rs.
    if let Some(list) = &options.people {
        // Numbers are anybody's name.
        let people = photos.iter().map(|photo| photo.person.as_str());
        let people: BTreeSet<&str> = people
            .filter(|name| name.contains(char::is_alphabetic))
            .collect();
        std::fs::write(list, name_hashes(people))?;
    }
    eprintln!(
        "{}: {} coordinates of each channel, learned from {} photos of {} people",
        options.output.display(),
        background.components(),
        persons.len(),
        persons.last().map_or(0, |last| last + 1)
    );
    Ok(())
}

/// A photo and its number among all.
struct Numbered<'a> {
    number: usize,
    photo: &'a LabeledPhoto,
}

impl AsRef<Path> for Numbered<'_> {
    fn as_ref(&self) -> &Path {
        self.photo.as_ref()
    }
}

/// A face of the size [`FACE`], after the number of its photo and its person.
type AlignedFace = (usize, Person, Vec<u8>);

/// Aligned faces of photos, those of one person side by side.
struct Faces {
    faces: Vec<AlignedFace>,
}

impl Faces {
    /// Of what `shown` makes of each photo, by its number. Photos without a face are left out.
    fn of(photos: &[Numbered<'_>], shown: impl Fn(usize, GrayImage) -> GrayImage + Sync) -> Self {
        let preparation = Preparation::new(FACE, Framing::Detect);
        let loaded = dataset::load(
            photos,
            |Numbered { number, photo }, file| {
                let face = preparation.prepare(&shown(*number, file.decode()?))?;
                Ok((*number, photo.person.clone(), face.pixels))
            },
            &|_| {},
        );
        eprintln!(
            "{} faces found, {} photos without",
            loaded.items.len(),
            loaded.skipped.len()
        );
        Self {
            faces: loaded.items,
        }
    }

    /// The number of each face's person, from 0 on.
    fn persons(&self) -> Vec<usize> {
        let of_one = self.faces.chunk_by(|one, other| one.1 == other.1);
        let numbered = of_one.enumerate();
        numbered
            .flat_map(|(number, own)| vec![number; own.len()])
            .collect()
    }

    fn described(&self, mouths: &MouthFinder) -> Result<Described, Box<dyn Error>> {
        let pixels = self.faces.iter().flat_map(|(.., face)| face).copied();
        let faces = FaceMatrix::from_pixels(FACE, pixels.collect())?;
        Ok(Described::of(&faces, &self.persons(), mouths)?)
    }

    /// Some of the photos, and copies of them with a family of damage.
    fn damaged(
        &self,
        photos: &[LabeledPhoto],
        family: Family,
        background: &Background,
    ) -> Result<DamagedPhotos, Box<dyn Error>> {
        let is_copied = |number: usize| number % DAMAGED_EVERY == family as usize % DAMAGED_EVERY;
        let mut copied = numbered(photos);
        copied.retain(|photo| is_copied(photo.number));
        let damaged = Self::of(&copied, |number, photo| {
            let seed = (number * Family::ALL.len() + family as usize) as u64;
            damage::damaged(&photo, family, seed)
        });
        let clean: BTreeMap<usize, &[u8]> = self
            .faces
            .iter()
            .map(|(number, _, face)| (*number, face.as_slice()))
            .collect();
        let mut pairs = damaged.faces;
        pairs.retain(|(number, ..)| clean.contains_key(number));
        let coordinates = |face: &dyn Fn(&AlignedFace) -> Vec<u8>| {
            let faces = pairs.iter().flat_map(face).collect();
            FaceMatrix::from_pixels(FACE, faces).map(|faces| background.coordinates(&faces))
        };
        Ok(DamagedPhotos {
            clean: coordinates(&|(number, ..)| clean[number].to_vec())?,
            damaged: coordinates(&|(.., face)| face.clone())?,
        })
    }
}

fn numbered(photos: &[LabeledPhoto]) -> Vec<Numbered<'_>> {
    let photos = photos.iter().enumerate();
    photos
        .map(|(number, photo)| Numbered { number, photo })
        .collect()
}

struct Options {
    photos: Vec<PathBuf>,
    without: Vec<PathBuf>,
    mouths: PathBuf,
    output: PathBuf,
    people: Option<PathBuf>,
    training: Training,
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut options = Self {
            photos: Vec::new(),
            without: Vec::new(),
            mouths: PathBuf::new(),
            output: PathBuf::from("crates/face-likelihood/models/background.bin"),
            people: None,
            training: Training::default(),
        };
        while let Some(option) = words.next() {
            let value = words
                .next()
                .ok_or_else(|| format!("{option} wants a value"))?;
            match option.as_str() {
                "--photos" => options.photos.push(value.into()),
                "--without" => options.without.push(value.into()),
                "--mouths" => options.mouths = value.into(),
                "--people" => options.people = Some(value.into()),
                "-o" | "--output" => options.output = value.into(),
                "--components" => options.training.components = value.parse()?,
                "--directions" => options.training.directions = value.parse()?,
                "--rounds" => options.training.rounds = value.parse()?,
                _ => return Err(format!("{option} is no option of this program").into()),
            }
        }
        if options.photos.is_empty() {
            return Err("give folders of labelled photos with --photos".into());
        }
        if options.mouths.as_os_str().is_empty() {
            return Err("give a list of photos with marked mouths with --mouths".into());
        }
        Ok(options)
    }
}

/// The people that a folder is about: its sub-folders, or the names of its photos without number.
fn people_of(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut people = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.file_type()?.is_dir();
        let name = if is_folder {
            name.as_str()
        } else {
            name.trim_end_matches(|c| c != '_')
        };
        people.push(key(name));
    }
    Ok(people)
}

/// A name with nothing but its letters, by which folders and photos are compared.
fn key(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).collect()
}
