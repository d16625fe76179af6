//! Accuracy of grouping faces, by this program and by other methods, on people who were never learned from.
//!
//! `group_faces FOLDER...`: folders with a sub-folder per person, or photos named after people (`Ada_Lovelace_0001.jpg`).
//! Of each photo the main face counts. Prints B-cubed precision and recall (Bagga & Baldwin 1998; Amigó et al. 2009: of
//! the faces in a face's group the share of its person; of its person's faces the share in its group), and how many
//! groups are to be named until everybody is (one click a group).
//!
//! The other ways look at pairs of faces only, by the same log-likelihood ratio; each has a threshold, and is shown
//! where its precision comes to at least .97, with the highest recall that it reaches there, chosen with the labels
//! known. This program's threshold is chosen without them.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;

use eigenfaces::background::{Adaptation, Background, Channel, People};
use eigenfaces::dataset::{LabelRule, Photo, list_labeled};
use eigenfaces::face_index;
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::grouping::{Constraints, group};
use nalgebra::DMatrix;
use rayon::prelude::*;

/// Precision that groups are to have.
const PRECISION: f64 = 0.97;

/// Thresholds that the other ways are tried with: log-likelihood ratios.
const THRESHOLDS: std::ops::RangeInclusive<i32> = -20..=100;

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let photos = list_labeled(&folders, &LabelRule::Folder)?.photos;
    let preparation = face_index::preparation();
    let prepared: Vec<(String, Vec<u8>)> = photos
        .par_iter()
        .filter_map(|photo| {
            let face = preparation.prepare(Photo::open(&photo.path).ok()?.luma()).ok()?;
            Some((photo.person.to_string(), face.pixels))
        })
        .collect();
    let (people, pixels): (Vec<String>, Vec<Vec<u8>>) = prepared.into_iter().unzip();
    let faces = FaceMatrix::from_pixels(FaceSize::ALIGNED, pixels.concat())?;
    let background = Background::bundled()?;
    let raw = background.coordinates(&faces);
    println!("{} faces", people.len());
    for purity in [0.95, 0.98, 0.99] {
        let alone: Vec<usize> = (0..people.len()).collect();
        let constraints = Constraints { photos: &alone, apart: &[] };
        let grouping = group(background, &raw, &alone, constraints, purity);
        let mut groups = vec![0; people.len()];
        for (number, faces) in grouping.groups.iter().enumerate() {
            faces.iter().for_each(|&face| groups[face] = number);
        }
        println!("group --purity {purity:<4}     {}", Figures::of(&people, &groups));
    }
    let ratios = ratios(background, &raw);
    let ways: [(&str, Clustering); 3] =
        [("connected pairs", connected), ("DBSCAN (3 within)", dbscan), ("Chinese whispers", whispers)];
    for (name, way) in ways {
        let best = THRESHOLDS
            .map(|threshold| Figures::of(&people, &way(&ratios, f64::from(threshold))))
            .filter(|figures| figures.precision >= PRECISION)
            .max_by(|a, b| a.recall.total_cmp(&b.recall));
        if let Some(best) = best {
            println!("{name:<24} {best}");
        }
    }
    Ok(())
}

/// The group of each face, from the log-likelihood ratios of all pairs and a threshold.
type Clustering = fn(&DMatrix<f64>, f64) -> Vec<usize>;

/// Log-likelihood ratios of all pairs.
fn ratios(background: &Background, raw: &DMatrix<f32>) -> DMatrix<f64> {
    let all: Vec<usize> = (0..raw.ncols()).collect();
    let people = People::enroll(Adaptation::none(background), raw, &all, &all, all.len());
    let projected = people.coordinates(raw);
    let between: Vec<f64> =
        Channel::ALL.into_iter().flat_map(|channel| background.between_people(channel).to_vec()).collect();
    // Of a pair x, y in one coordinate: N([x y]; 0, 1 + psi on and psi off the diagonal) over N(x) N(y).
    let scaled = |weight: fn(f64) -> f64| {
        DMatrix::from_fn(projected.nrows(), projected.ncols(), |row, column| {
            weight(between[row]) * projected[(row, column)]
        })
    };
    let products = projected.transpose() * scaled(|psi| psi / (1.0 + 2.0 * psi));
    let squares = projected.component_mul(&scaled(|psi| 0.5 * (1.0 / (1.0 + psi) - (1.0 + psi) / (1.0 + 2.0 * psi))));
    let squares: Vec<f64> = squares.column_iter().map(|column| column.sum()).collect();
    let constant: f64 = between.iter().map(|psi| libm::log(1.0 + psi) - 0.5 * libm::log(1.0 + 2.0 * psi)).sum();
    DMatrix::from_fn(all.len(), all.len(), |a, b| constant + squares[a] + squares[b] + products[(a, b)])
}

/// Everything that a chain of pairs beyond the threshold connects.
fn connected(ratios: &DMatrix<f64>, threshold: f64) -> Vec<usize> {
    let count = ratios.ncols();
    let mut groups = vec![usize::MAX; count];
    for first in 0..count {
        if groups[first] != usize::MAX {
            continue;
        }
        let mut waiting = vec![first];
        while let Some(face) = waiting.pop() {
            if groups[face] == usize::MAX {
                groups[face] = first;
                waiting.extend((0..count).filter(|&other| ratios[(face, other)] > threshold));
            }
        }
    }
    groups
}

/// Ester et al. 1996: chains through faces that have at least three within the threshold, themselves among them.
fn dbscan(ratios: &DMatrix<f64>, threshold: f64) -> Vec<usize> {
    let count = ratios.ncols();
    let near = |face: usize| (0..count).filter(move |&other| other == face || ratios[(face, other)] > threshold);
    let is_core: Vec<bool> = (0..count).map(|face| near(face).count() >= 3).collect();
    let mut groups: Vec<usize> = (0..count).collect();
    let mut seen = vec![false; count];
    for first in (0..count).filter(|&face| is_core[face]) {
        let mut waiting = vec![first];
        while let Some(face) = waiting.pop() {
            if !seen[face] {
                seen[face] = true;
                groups[face] = first;
                if is_core[face] {
                    waiting.extend(near(face).filter(|&other| !seen[other]));
                }
            }
        }
    }
    groups
}

/// Biemann 2006: each face takes the group that weighs most among its neighbours, 20 rounds in one order.
fn whispers(ratios: &DMatrix<f64>, threshold: f64) -> Vec<usize> {
    let count = ratios.ncols();
    let mut groups: Vec<usize> = (0..count).collect();
    for _ in 0..20 {
        for face in 0..count {
            let mut weights: BTreeMap<usize, f64> = BTreeMap::new();
            for other in (0..count).filter(|&other| other != face) {
                let beyond = ratios[(face, other)] - threshold;
                if beyond > 0.0 {
                    *weights.entry(groups[other]).or_default() += beyond;
                }
            }
            let heaviest = weights.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            if let Some((group, _)) = heaviest {
                groups[face] = group;
            }
        }
    }
    groups
}

/// B-cubed figures of a grouping.
struct Figures {
    precision: f64,
    recall: f64,
    groups: usize,
}

impl Figures {
    fn of(people: &[String], groups: &[usize]) -> Self {
        let mut both: BTreeMap<(&str, usize), f64> = BTreeMap::new();
        let (mut of_person, mut of_group) = (BTreeMap::new(), BTreeMap::new());
        for (person, &group) in people.iter().zip(groups) {
            *both.entry((person, group)).or_default() += 1.0;
            *of_person.entry(person.as_str()).or_insert(0.0) += 1.0;
            *of_group.entry(group).or_insert(0.0) += 1.0;
        }
        let mean = |of: &dyn Fn(&str, usize) -> f64| {
            let terms = both.iter().map(|((person, group), n)| n * n / of(person, *group));
            terms.sum::<f64>() / people.len() as f64
        };
        Self {
            precision: mean(&|_, group| of_group[&group]),
            recall: mean(&|person, _| of_person[person]),
            groups: of_group.len(),
        }
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "precision {:.3}, recall {:.3}, {} groups", self.precision, self.recall, self.groups)
    }
}
