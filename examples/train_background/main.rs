//! Learns the background model (`crates/face-likelihood/models/background.bin`) from folders of labelled photos.
//!
//!     cargo run --release --features maintainer --example train_background -- --photos ../shared/data/lfw-world \
//!         --without ../shared/data/lfw --without ../shared/data/lfw-strangers \
//!         --mouths ../shared/data/eyes-train.tsv -o crates/face-likelihood/models/background.bin \
//!         --people assets/background-people.bin
//!
//! Where mouths are is learned first, from marked photos: `--mouths` names a list with a line a photo (its path from the
//! folder named like the list, then x and y of both eyes, the nose and both corners of the mouth, in pixels).
//! Faces are found and aligned as everywhere; photos in which none is found are left out. People who stand in a folder
//! given with `--without` (as a sub-folder, or in the name of a photo) are left out, so that measurements on them stay
//! honest. The same photos give the same bytes, whatever the number of threads.

mod mouths;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};

use eigenfaces::background::{Described, FACE, Training, name_hashes};
use eigenfaces::dataset::{self, LabelRule, LabeledPhoto};
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::locate::framing::Framing;
use eigenfaces::preparation::Preparation;

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

    let preparation = Preparation::new(FACE, Framing::Detect);
    let loaded = dataset::load(
        &photos,
        |photo: &LabeledPhoto, file| {
            let face = preparation.prepare(&file.decode()?)?;
            Ok((photo.person.clone(), face.pixels))
        },
        &|_| {},
    );
    eprintln!(
        "{} faces found, {} photos without",
        loaded.items.len(),
        loaded.skipped.len()
    );

    let (mut persons, mut pixels) = (Vec::new(), Vec::new());
    let mut last = None;
    for (person, face) in loaded.items {
        let number = match persons.last() {
            Some(&number) if last.as_ref() == Some(&person) => number,
            Some(&number) => number + 1,
            None => 0,
        };
        persons.push(number);
        pixels.extend(face);
        last = Some(person);
    }
    let faces = FaceMatrix::from_pixels(FACE, pixels)?;
    let described = Described::of(&faces, &persons, &mouths)?;
    let background = options.training.learn(&described, &mouths)?;
    std::fs::write(&options.output, background.to_bytes())?;
    // Of whom the model was learned: src/background/trained_on.rs.
    if let Some(list) = &options.people {
        let people: BTreeSet<&str> = photos.iter().map(|photo| photo.person.as_str()).collect();
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
