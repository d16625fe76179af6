//! How well are people recognised? Rank-1 under the protocols of docs/RECIPES.md, for defaults or any settings.
//!
//! ```text
//! cargo run --release --features maintainer --example accuracy -- DATA att yale scenes lfw groups not-faces [features=pixels] [copies=none]
//!     [splits=10]
//! ```
//!
//! DATA holds the folders `att`, `yale`, `lfw`, `groups` and `not-faces`. Sets are measured in the order given. Each
//! line is `set protocol rank-1 (right/probes)`. Everything is learned inside the split; a photo without a face counts as wrong.

mod random;
mod scene;
mod set;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use eigenfaces::dataset::{self, LabelRule};
use eigenfaces::decision::Decision;
use eigenfaces::enrollment::{self, Base};
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::gallery::Gallery;
use eigenfaces::locate::Locator;
use eigenfaces::locate::framing::Framing;
use eigenfaces::matcher::Matcher;
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::{QueryOptions, Recognizer, Settings};
use rayon::prelude::*;

use scene::{in_a_scene, untouched};
use set::{Protocol, Set};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let data = PathBuf::from(
        arguments
            .next()
            .ok_or("usage: accuracy DATA SET... [option=value]...")?,
    );
    let mut run = Run::default();
    let mut sets = Vec::new();
    for argument in arguments {
        match argument.split_once('=') {
            Some(("features", value)) => run.settings.comparison.features = value.parse()?,
            Some(("copies", value)) => run.settings.comparison.copies = value.parse()?,
            Some(("splits", value)) => run.splits = value.parse()?,
            Some(_) => return Err(format!("{argument}: no such option").into()),
            None => sets.push(argument),
        }
    }
    for set in &sets {
        let folder = data.join(set.as_str().replace("scenes", "yale"));
        match set.as_str() {
            "att" => {
                let faces = Set::read(&folder, Framing::AsIs, untouched)?;
                let protocols = [Protocol::First(5), Protocol::LeaveOneOut];
                run.measure(set, &faces, &protocols)?;
                run.measure(set, &faces, &[5, 3, 1].map(Protocol::Random))?;
            }
            "yale" | "scenes" => {
                let change = if set == "yale" { untouched } else { in_a_scene };
                let faces = Set::read(&folder, Framing::Detect, change)?;
                run.measure(set, &faces, &[Protocol::LeaveOneOut, Protocol::Lights])?;
            }
            "lfw" => {
                let faces = Set::read(&folder, Framing::Detect, untouched)?;
                run.measure(set, &faces, &[5, 10].map(Protocol::Random))?;
            }
            "groups" => groups(&folder)?,
            "not-faces" => not_faces(&data, &run)?,
            _ => return Err(format!("{set}: no such set").into()),
        }
    }
    Ok(())
}

/// What is measured how.
#[derive(Clone, Default)]
struct Run {
    settings: Settings,
    splits: u64,
}

impl Run {
    fn measure(&self, name: &str, set: &Set, protocols: &[Protocol]) -> Outcome<()> {
        // A photo without a face is learned nowhere, and wrong wherever it is asked for.
        let there: Vec<usize> = (0..set.photos.len())
            .filter(|&at| set.photos[at].face.is_some())
            .collect();
        let mut column = vec![None; set.photos.len()];
        for (at, &photo) in there.iter().enumerate() {
            column[photo] = Some(at);
        }
        let pixels = there
            .iter()
            .filter_map(|&at| set.photos[at].face.clone())
            .collect::<Vec<_>>()
            .concat();
        let faces = FaceMatrix::from_pixels(set.size, pixels)?;
        let comparison = self.settings.comparison;
        let viewed = comparison.feature_matrices(&faces);
        for &protocol in protocols {
            let times = if self.splits > 0 { self.splits } else { 10 };
            let splits = set.splits(protocol, times);
            let label = match protocol {
                Protocol::First(count) => format!("first:{count}"),
                Protocol::Random(count) => format!("random:{count}x{times}"),
                Protocol::LeaveOneOut => "leave-one-out".to_owned(),
                Protocol::Lights => "lights".to_owned(),
            };
            let right: usize = splits
                .par_iter()
                .map(|(learned, probes)| {
                    let learned: Vec<usize> = learned.iter().filter_map(|&at| column[at]).collect();
                    let persons: Vec<usize> = learned
                        .iter()
                        .map(|&at| set.photos[there[at]].person)
                        .collect();
                    let matcher = Matcher::learn(
                        &viewed,
                        &learned,
                        &persons,
                        set.people,
                        comparison,
                        self.settings.pca,
                    )
                    .ok()?;
                    let found: Vec<usize> = probes.iter().filter_map(|&at| column[at]).collect();
                    let coordinates = matcher.coordinates(&faces.select(&found).ok()?);
                    let is_right = |(at, &face): (usize, &usize)| {
                        let best = matcher.rank(coordinates.column(at).as_slice(), 1);
                        best.first()
                            .is_some_and(|best| best.person == set.photos[there[face]].person)
                    };
                    Some(
                        found
                            .iter()
                            .enumerate()
                            .filter(|&probe| is_right(probe))
                            .count(),
                    )
                })
                .collect::<Option<Vec<usize>>>()
                .ok_or("a split that cannot be learned from")?
                .iter()
                .sum();
            let probes: usize = splits.iter().map(|split| split.1.len()).sum();
            let rate = 100.0 * right as f64 / probes as f64;
            let features = self.settings.comparison.features.name();
            println!("{name} {label} {features} {rate:.1} ({right}/{probes})");
        }
        Ok(())
    }
}

/// Marked faces found, and boxes where none is marked.
fn groups(folder: &Path) -> Outcome<()> {
    let (mut found, mut marked, mut extra) = (0, 0, 0);
    for list in [
        "testing_with_face_landmarks.xml",
        "training_with_face_landmarks.xml",
    ] {
        let text = fs::read_to_string(folder.join(list))?;
        for image in text.split("<image ").skip(1) {
            let number = |text: &str, name: &str| -> Option<f32> {
                let (_, after) = text.split_once(&format!("{name}='"))?;
                after.split_once('\'')?.0.parse().ok()
            };
            let file = image
                .split_once("file='")
                .and_then(|(_, after)| after.split_once('\''));
            let (file, _) = file.ok_or("an image without a file")?;
            let Ok(photo) = image::open(folder.join(file)) else {
                continue;
            };
            let mut boxes = Locator::shared()?.locate(&photo.into_luma8())?;
            for face in image.split("<box ").skip(1) {
                let side = |name| number(face, name).unwrap_or_default();
                let [top, left, width, height] = ["top", "left", "width", "height"].map(side);
                let hit = boxes.iter().position(|found| {
                    let [x, y, w, h] = found.bounds;
                    (x + w / 2.0 - left - width / 2.0).abs() < width / 2.0
                        && (y + h / 2.0 - top - height / 2.0).abs() < height / 2.0
                });
                if let Some(hit) = hit {
                    boxes.remove(hit);
                }
                if width > 40.0 {
                    marked += 1;
                    found += usize::from(hit.is_some());
                }
            }
            extra += boxes.len();
        }
    }
    println!("groups faces over 40 pixels found: {found} of {marked}, other boxes: {extra}");
    Ok(())
}

/// Pictures of no people in which a recogniser of LFW's sees no face.
fn not_faces(data: &Path, run: &Run) -> Outcome<()> {
    let preparation = Preparation::new(FaceSize::ALIGNED, Framing::Detect);
    let nobody = Gallery::empty(preparation.size());
    let base = Base::Gallery(&preparation, &nobody);
    let read = enrollment::read_folders(&[data.join("lfw")], &LabelRule::Folder, base, &())?;
    let (gallery, _) = Gallery::assemble(FaceSize::ALIGNED, read.folder.new)?;
    let recognizer = Recognizer::learn(preparation, gallery, run.settings)?;
    for what in ["not-faces", "groups/dogs.jpg"] {
        let pictures = dataset::list_photos(&[data.join(what)])?.photos;
        let seen = dataset::load_each(
            &pictures,
            |_, file| {
                recognizer
                    .identifier()
                    .identify(&file.decode()?, QueryOptions::default())
            },
            &|_| {},
        );
        let is_empty = |faces: &Vec<_>| {
            let not: &dyn Fn(&eigenfaces::recognizer::Identification) -> bool =
                &|face| face.decision == Decision::NotAFace;
            faces.iter().all(not)
        };
        let empty = seen
            .iter()
            .flatten()
            .filter(|faces| is_empty(faces))
            .count();
        println!("{what} without a face: {empty} of {}", seen.len());
    }
    Ok(())
}
