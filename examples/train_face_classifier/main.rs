//! Learns what tells aligned faces from other pictures (`crates/face-likelihood/models/face-classifier.bin`) from a folder of photos.
//!
//!     cargo run --release --features maintainer --example train_face_classifier -- ../shared/data/lfw-world \
//!         ../shared/data/not-faces -o crates/face-likelihood/models/face-classifier.bin
//!
//! Each photo of the first folder gives the face found in it, aligned, and two parts that show no face or a small part of
//! one, at a random place, size and turn. It then judges crops of the pictures of the second folder, which it did not learn
//! from. The same photos give the same bytes, whatever the number of threads.

use std::error::Error;
use std::path::{Path, PathBuf};

use eigenfaces::background::{Background, Described, FACE, FaceClassifier, LENGTH};
use eigenfaces::dataset::{self, PhotoFile};
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::locate::align::{Point, align};
use eigenfaces::locate::{Location, Locator, main_face};
use eigenfaces::preparation::EYES;
use image::GrayImage;
use nalgebra::{DMatrix, DVector};
use symmetric_eigen as eigen;
use walkdir::WalkDir;

/// Parts without a face that are looked for in each photo, and crops of each picture that is judged.
const PARTS: usize = 2;
const CROPS: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [photos, judged, option, output] = &words[..] else {
        return Err("give a folder of photos, one of pictures without faces, and -o FILE".into());
    };
    if option != "-o" {
        return Err(format!("{option} is no option of this program").into());
    }
    let of_photos = in_order(Path::new(photos), |at, photo| {
        let found = Locator::shared().ok()?.locate(photo).ok()?;
        let face = *found.get(main_face(&found, photo.dimensions())?)?;
        Some((aligned(photo, face.eyes), parts(photo, &found, at)))
    });
    let (faces, parts): (Vec<_>, Vec<_>) = of_photos.into_iter().unzip();
    let learned = learned(&described(&faces)?, &described(&parts.concat())?)?;
    let classifier = FaceClassifier::from_bytes(&learned)?;

    let crops = in_order(Path::new(judged), |at, picture| Some(crops(picture, at))).concat();
    let mut scores: Vec<f32> = described(&crops)?.faces().map(|crop| classifier.score(crop)).collect();
    scores.sort_by(f32::total_cmp);
    eprintln!(
        "{} faces, {} parts; of {} crops of pictures without faces 95 % score below {:.2}, 99 % below {:.2}",
        faces.len(),
        parts.iter().map(Vec::len).sum::<usize>(),
        scores.len(),
        scores[scores.len() * 95 / 100],
        scores[scores.len() * 99 / 100],
    );
    std::fs::write(output, learned)?;
    Ok(())
}

/// Weight of the ridge, as a share of the values' mean variance.
const RIDGE: f64 = 0.1;

/// The file of the classifier learned from descriptions, with the light evened out, of faces and of other pictures
/// ([`LENGTH`] x n each).
fn learned(faces: &FaceMatrix, others: &FaceMatrix) -> Result<Vec<u8>, Box<dyn Error>> {
    let (count, of_faces) = (faces.len() + others.len(), faces.len());
    let values = faces.as_slice().iter().chain(others.as_slice());
    let mut centred = DMatrix::from_iterator(LENGTH, count, values.map(|&value| f64::from(value)));
    let mean = centred.column_mean();
    for mut column in centred.column_iter_mut() {
        column -= &mean;
    }
    // Both kinds weigh alike.
    let wanted = |at: usize| {
        if at < of_faces { 1.0 / of_faces as f64 } else { -1.0 / (count - of_faces) as f64 }
    };
    let towards = &centred * DVector::from_fn(count, |at, _| wanted(at));
    let mut covariance = DMatrix::zeros(LENGTH, LENGTH);
    eigen::add_outer(&mut covariance, &centred);
    covariance /= count as f64;
    let ridge = RIDGE * covariance.trace() / LENGTH as f64;
    for at in 0..LENGTH {
        covariance[(at, at)] += ridge;
    }
    let root = covariance.cholesky().ok_or("the photos are all alike")?;
    Ok(rounded(&root.solve(&towards), &centred, &mean, of_faces))
}

/// The classifier along these weights, rounded to bytes, by which the mean score of faces is 1 and of others -1.
fn rounded(weights: &DVector<f64>, centred: &DMatrix<f64>, mean: &DVector<f64>, of_faces: usize) -> Vec<u8> {
    let step = weights.amax().max(f64::MIN_POSITIVE) / 127.0;
    let rounded = weights.map(|weight| (weight / step).round());
    let scores = rounded.transpose() * centred;
    let mean_of = |from: usize, count: usize| scores.columns(from, count).mean();
    let faces = mean_of(0, of_faces);
    let others = mean_of(of_faces, scores.len() - of_faces);
    let scale = 2.0 / (faces - others).max(f64::MIN_POSITIVE);
    let middle = (faces + others) / 2.0 + rounded.dot(mean);
    let mut file = b"EFFACE\x01\x00".to_vec();
    file.extend((scale as f32).to_le_bytes());
    file.extend(((-scale * middle) as f32).to_le_bytes());
    file.extend(rounded.iter().map(|&weight| weight as i8 as u8));
    file
}

/// What `of` makes of every photo under a folder that can be read, in the order of their names.
fn in_order<T: Send>(folder: &Path, of: impl Fn(usize, &GrayImage) -> Option<T> + Sync) -> Vec<T> {
    let mut files: Vec<PathBuf> = WalkDir::new(folder)
        .into_iter()
        .filter_map(|entry| Some(entry.ok()?.into_path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let numbered: Vec<Numbered> = files.into_iter().enumerate().map(Numbered).collect();
    let read = |Numbered((at, _)): &Numbered, file: &PhotoFile| Ok(of(*at, &file.decode()?));
    let read = dataset::load(&numbered, read, &|_| {}).items;
    read.into_iter().flatten().collect()
}

struct Numbered((usize, PathBuf));

impl AsRef<Path> for Numbered {
    fn as_ref(&self) -> &Path {
        &self.0.1
    }
}

fn aligned(photo: &GrayImage, eyes: [Point; 2]) -> Vec<u8> {
    align(photo, eyes, (FACE.width(), FACE.height()), EYES).into_raw()
}

/// Parts of a photo that lie beside its faces, or are much smaller than they.
fn parts(photo: &GrayImage, found: &[Location], seed: usize) -> Vec<Vec<u8>> {
    let mut random = Random(seed as u64 * 2 + 1);
    let (width, height) = (photo.width() as f32, photo.height() as f32);
    let mut parts = Vec::new();
    for _ in 0..200 {
        let apart = 12.0 * libm::powf(6.0, random.share());
        let middle = [random.share() * width, random.share() * height];
        let turn = (random.share() - 0.5) * 0.8;
        let is_beside = |face: &Location| {
            let [x, y, side, _] = face.bounds;
            let off = libm::hypotf(x + side / 2.0 - middle[0], y + side / 2.0 - middle[1]);
            off > 0.6 * side.max(2.0 * apart) || 2.0 * apart < 0.45 * side
        };
        if parts.len() < PARTS && found.iter().all(is_beside) {
            let (dx, dy) = (apart / 2.0 * libm::cosf(turn), apart / 2.0 * libm::sinf(turn));
            let [x, y] = [middle[0], middle[1] - 0.3 * apart];
            parts.push(aligned(photo, [[x - dx, y - dy], [x + dx, y + dy]]));
        }
    }
    parts
}

/// Crops of a picture of the shape of faces.
fn crops(picture: &GrayImage, seed: usize) -> Vec<Vec<u8>> {
    let mut random = Random(seed as u64 * 2 + 1);
    let shape = FACE.width() as f32 / FACE.height() as f32;
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let crop = |_| {
        let wide = width.min(height * shape) * (0.4 + 0.6 * random.share());
        let high = wide / shape;
        let (left, top) = (random.share() * (width - wide), random.share() * (height - high));
        let y = top + EYES.level * high;
        let eyes = [EYES.inset, 1.0 - EYES.inset].map(|share| [left + share * wide, y]);
        aligned(picture, eyes)
    };
    (0..CROPS).map(crop).collect()
}

fn described(faces: &[Vec<u8>]) -> Result<FaceMatrix, Box<dyn Error>> {
    let all = FaceMatrix::from_pixels(FACE, faces.concat())?;
    let numbers: Vec<usize> = (0..faces.len()).collect();
    let [_, relit] = Described::of(&all, &numbers, Background::bundled()?.mouths())?.channels;
    Ok(relit)
}

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    /// A number from 0 to below 1.
    fn share(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40) as f32 / (1_u64 << 24) as f32
    }
}
