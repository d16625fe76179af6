//! Learns what hard light does to coordinates (the last part of the background model), and says what it gives.
//!
//!     cargo run --release --features maintainer --example train_light -- ../shared/data/yale-light \
//!         [-o crates/face-likelihood/models/background.bin]
//!
//! The folder has a sub-folder per person, as Extended Yale B does: the name of a photo ends in the light's azimuth and
//! elevation in degrees (`A+050E-40`). Photos lit from at most 12 degrees beside the camera are in even light. Learned is
//! from every second person; the tables are of the others, in galleries without each third of these, who are asked as
//! strangers: without knowledge of light, and with it.

use std::error::Error;

use eigenfaces::background::{Adaptation, Alignment, Background, Calibration, LightVariation, People};
use eigenfaces::{Acceptance, Model, Options};
use nalgebra::DMatrix;

/// The angle up to which light is even, in degrees.
const EVEN: f64 = 12.0;

/// Angles of the rows of the table.
const ROWS: [(f64, &str); 4] = [(25.0, "12-25"), (50.0, "25-50"), (77.0, "50-77"), (180.0, "> 77")];

/// The people judged are left out of a gallery in so many parts.
const FOLDS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (folder, output) = match &words[..] {
        [folder] => (folder, None),
        [folder, option, output] if option == "-o" => (folder, Some(output)),
        _ => return Err("give a folder of photos whose names end in angles, and -o FILE".into()),
    };
    // A file to be completed may be newer than what this program was built with.
    let background = match output {
        Some(file) => &Background::from_bytes(&std::fs::read(file)?)?,
        None => Background::bundled()?,
    };
    let photos = Photos::read(folder, background)?;
    let learned = background.clone().with_light(photos.light(background)?);
    let unknown = background.clone().with_light(LightVariation::default());
    for (title, background) in [("without", &unknown), ("with", &learned)] {
        println!("{title} knowledge of light\n");
        photos.judged(background);
    }
    if let Some(output) = output {
        std::fs::write(output, learned.to_bytes())?;
    }
    Ok(())
}

/// Photos under known lights.
struct Photos {
    /// Coordinates, 2k x n.
    raw: DMatrix<f32>,
    persons: Vec<usize>,
    /// Degrees between the light and the camera.
    angles: Vec<f64>,
}

#[derive(Default, Clone, Copy)]
struct Counts {
    photos: usize,
    first: usize,
    right: usize,
    wrong: usize,
    strangers: usize,
    strangers_named: usize,
}

impl Photos {
    fn read(folder: &str, background: &Background) -> Result<Self, Box<dyn Error>> {
        let model = Model::enroll(folder, &Options::default())?;
        let faces = model.gallery().enrolled();
        let all = background.coordinates(model.gallery().faces());
        let angles: Vec<Option<f64>> = faces.iter().map(|face| angle(&face.source)).collect();
        let known: Vec<usize> = (0..faces.len()).filter(|&at| angles[at].is_some()).collect();
        if known.is_empty() {
            return Err(format!("{folder}: no photo's name ends in angles (A+050E-40)").into());
        }
        Ok(Self {
            raw: all.select_columns(&known),
            persons: known.iter().map(|&at| faces[at].person).collect(),
            angles: known.iter().filter_map(|&at| angles[at]).collect(),
        })
    }

    /// Positions of the photos of people from whom light is learned, or of the others.
    fn of(&self, are_learned_from: bool) -> impl Iterator<Item = usize> {
        let photos = 0..self.persons.len();
        photos.filter(move |&at| self.persons[at].is_multiple_of(2) == are_learned_from)
    }

    fn light(&self, background: &Background) -> eigenfaces::Result<LightVariation> {
        let photos: Vec<usize> = self.of(true).collect();
        let persons: Vec<usize> = photos.iter().map(|&at| self.persons[at]).collect();
        let hard: Vec<bool> = photos.iter().map(|&at| self.angles[at] > EVEN).collect();
        let raw = self.raw.select_columns(&photos);
        Ok(LightVariation::learn(background, &raw, &persons, &hard)?)
    }

    /// Prints what is said of the people from whom nothing was learned.
    fn judged(&self, background: &Background) {
        let mut counts = [Counts::default(); ROWS.len()];
        for strangers in 0..FOLDS {
            self.count(background, strangers, &mut counts);
        }
        println!("| degrees | rank-1 | told the right name | a wrong one | strangers named |");
        println!("|---|---|---|---|---|");
        for ((_, name), counts) in ROWS.iter().zip(counts) {
            let share = |count: usize, of: usize| count as f64 / of.max(1) as f64;
            println!(
                "| {name} | {:.3} | {:.3} | {:.3} | {:.3} |",
                share(counts.first, counts.photos),
                share(counts.right, counts.photos),
                share(counts.wrong, counts.photos),
                share(counts.strangers_named, counts.strangers),
            );
        }
        println!();
    }

    fn count(&self, background: &Background, strangers: usize, counts: &mut [Counts; ROWS.len()]) {
        let is_even = |at: usize| self.angles[at] <= EVEN;
        let is_stranger = |at: usize| self.persons[at] / 2 % FOLDS == strangers;
        let enrolled = self.of(false).filter(|&at| is_even(at) && !is_stranger(at));
        let enrolled: Vec<usize> = enrolled.collect();
        let mut numbers: Vec<usize> = enrolled.iter().map(|&at| self.persons[at]).collect();
        numbers.dedup();
        let number = |at: usize| numbers.iter().position(|&person| person == self.persons[at]);
        let persons: Vec<usize> = enrolled.iter().filter_map(|&at| number(at)).collect();
        let raw = self.raw.select_columns(&enrolled);
        let photos: Vec<usize> = (0..persons.len()).collect();
        let adaptation = Adaptation::learn(background, &raw, &photos, &persons);
        let people = People::enroll(adaptation, &raw, &photos, &persons, numbers.len());
        let calibration = Calibration::learn(background, &people, &raw, &persons, Alignment::ByEyes);
        let people = people.allowing_for_light(&calibration);
        let probes: Vec<usize> = self.of(false).filter(|&at| !is_even(at)).collect();
        let answers = people.with_scores(&self.raw.select_columns(&probes), |_, scores| {
            let judged = calibration.judge(&scores, 0.0, 1).people[0];
            let (best, confidence) = judged;
            let acceptance = Acceptance::default();
            let named = calibration.is_known(scores[best], confidence, acceptance);
            (best, named)
        });
        for (&probe, (best, named)) in probes.iter().zip(answers) {
            let row = ROWS.iter().position(|(most, _)| self.angles[probe] <= *most);
            let count = &mut counts[row.unwrap_or(ROWS.len() - 1)];
            match number(probe) {
                Some(own) => {
                    count.photos += 1;
                    count.first += usize::from(best == own);
                    count.right += usize::from(named && best == own);
                    count.wrong += usize::from(named && best != own);
                }
                None => {
                    count.strangers += 1;
                    count.strangers_named += usize::from(named);
                }
            }
        }
    }
}

/// The angle between light and camera in degrees, from a name that ends in azimuth and elevation.
fn angle(source: &str) -> Option<f64> {
    let stem = source.rsplit_once('.').map_or(source, |(stem, _)| stem);
    let (_, angles) = stem.rsplit_once('A')?;
    let (azimuth, elevation) = angles.split_once('E')?;
    let [azimuth, elevation] = [azimuth, elevation].map(|word| word.parse::<f64>().ok());
    let cosine = libm::cos(azimuth?.to_radians()) * libm::cos(elevation?.to_radians());
    Some(libm::acos(cosine).to_degrees())
}
