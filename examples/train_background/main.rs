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
//! The rest is `eigenfaces background` (src/training), which takes mouths as they are bundled.
//! Faces are found and aligned as everywhere; photos in which none is found are left out. People who stand in a folder
//! given with `--without` (as a sub-folder, or in the name of a photo) are left out, so that measurements on them stay
//! honest. The same photos give the same bytes, whatever the number of threads.

mod mouth_learning;
mod mouths;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};

use eigenfaces::background::{Training, name_hashes};
use eigenfaces::dataset::LabelRule;
use eigenfaces::training;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let mouths = mouths::learn(&options.mouths)?;
    let mut without = BTreeSet::new();
    for folder in &options.without {
        without.extend(people_of(folder)?);
    }
    let learned = training::learn(
        &options.photos,
        &LabelRule::Folder,
        |person| without.contains(&key(person.as_str())),
        &mouths,
        options.training,
        &(),
    )?;
    std::fs::write(&options.output, learned.background.to_bytes())?;
    // Of whom the model was learned: src/background/trained_on.rs.
    if let Some(list) = &options.people {
        // Numbers are anybody's name.
        let people = learned.people.iter().map(|person| person.as_str());
        let people: BTreeSet<&str> = people.filter(|name| name.contains(char::is_alphabetic)).collect();
        std::fs::write(list, name_hashes(people))?;
    }
    eprintln!(
        "{}: {} coordinates of each channel, learned from {} photos of {} people ({} photos without a face)",
        options.output.display(),
        learned.background.components(),
        learned.photos,
        learned.people.len(),
        learned.skipped.len()
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
            let value = words.next().ok_or_else(|| format!("{option} wants a value"))?;
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

/// The people of a folder: its sub-folders, or the names of its photos with numbers stripped.
fn people_of(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut people = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.file_type()?.is_dir();
        let name = if is_folder { name.as_str() } else { name.trim_end_matches(|c| c != '_') };
        people.push(key(name));
    }
    Ok(people)
}

/// A name with nothing but its letters, by which folders and photos are compared.
fn key(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).collect()
}
