//! Faces and eyes on real photos, and everything that a photo may be.

use super::*;
use image::{Luma, imageops};
use proptest::prelude::*;
use std::path::PathBuf;

/// The folder of real faces, or `None` (and a line that says so) where it is absent.
#[allow(clippy::print_stderr)] // a skipped test says so
pub(crate) fn real_faces(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("EIGENFACES_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let folder = root.join(folder);
    if !folder.is_dir() {
        eprintln!("skipped: {} is absent", folder.display());
        return None;
    }
    Some(folder)
}

pub(crate) fn open(path: PathBuf) -> GrayImage {
    image::open(path).expect("a readable photo").into_luma8()
}

fn face(bounds: [f32; 4]) -> Location {
    Location { bounds, eyes: [[0.0; 2]; 2], score: 10.0, eye_spread: 0.0 }
}

#[test]
fn the_models_are_those_that_were_published() {
    use sha2::{Digest, Sha256};
    let hex = |bytes: &[u8]| -> String { Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect() };
    let detector = "c4619d066ed35e84d9a8e842860b0dff567aba0cbb139881075538761db3ff5d";
    assert_eq!(hex(detect::MODEL), detector);
    let eyes = "ae799a7d03b9ea119a43baac3a91482c6243f1ae50d4fa09f65579e11a64e64a";
    assert_eq!(hex(eyes::BUNDLED), eyes);
}

#[test]
fn the_main_face_is_large_and_central() {
    let size = (200, 100);
    let (small, large) = (face([95.0, 45.0, 10.0, 10.0]), face([80.0, 30.0, 40.0, 40.0]));
    let edge = face([-10.0, 30.0, 44.0, 44.0]);
    assert_eq!(main_face(&[], size), None);
    assert_eq!(main_face(&[small, large], size), Some(1));
    assert_eq!(main_face(&[edge, large], size), Some(1), "a slightly larger face at the edge gives way");
    assert_eq!(main_face(&[large, large], size), Some(0), "the first of equals");
}

#[test]
fn photos_of_any_size_and_content_are_survived() {
    let locator = Locator::new().expect("the models are whole");
    let sides = [0, 1, 2, 3, 19, 20, 21, 39, 40, 41, 50, 63, 70, 79, 80, 99];
    for (index, width) in sides.into_iter().enumerate() {
        for height in [sides[index], sides[(index + 5) % sides.len()], 3, 640 / width.max(1)] {
            let photo = GrayImage::from_fn(width, height, |x, y| Luma([(x * y + 7 * x) as u8]));
            survived(locator.locate(&photo), width, height);
        }
    }
    for (width, height) in [(3000, 1), (1, 3000), (2000, 65), (641, 20), (1281, 40)] {
        survived(locator.locate(&GrayImage::new(width, height)), width, height);
    }
}

/// Only strips are refused.
fn survived(located: Result<Vec<Location>, LocateError>, width: u32, height: u32) {
    match located {
        Ok(_) => {}
        Err(LocateError::Strip { .. }) => {
            let (long, short) = (width.max(height), width.min(height));
            assert!(long > 448 * short, "{width} x {height} is no strip");
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn strips_are_refused_whatever_their_length() {
    let locator = Locator::new().expect("the models are whole");
    for (width, height) in [(1, 65_535), (1_000_000, 1), (90_000, 200)] {
        let strip = locator.locate(&GrayImage::new(width, height));
        assert_eq!(strip, Err(LocateError::Strip { width, height }));
    }
    for (width, height) in [(20_000, 2_000), (3_300, 100)] {
        assert_eq!(locator.locate(&GrayImage::new(width, height)), Ok(Vec::new()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn noise_is_survived(width in 1u32..130, height in 1u32..130, seed in any::<u32>()) {
        let photo = GrayImage::from_fn(width, height, |x, y| {
            let mixed = (x + 131 * y).wrapping_add(seed).wrapping_mul(0x9E37_79B9);
            Luma([(mixed ^ (mixed >> 15)).to_be_bytes()[1]])
        });
        survived(Locator::new().expect("the models are whole").locate(&photo), width, height);
    }
}

/// A face cut off by the photo's edge anywhere: boxes leave the photo there.
#[test]
fn cut_faces_are_survived_and_located_alike_every_time() {
    let Some(folder) = real_faces("yale/subject01") else { return };
    let locator = Locator::new().expect("the models are whole");
    let photo = open(folder.join("normal.gif"));
    let whole = locator.locate(&photo).expect("no failure");
    assert_eq!(whole.len(), 1);
    assert_eq!(locator.locate(&photo).expect("no failure"), whole);
    let [x, y, w, h] = whole[0].bounds.map(|edge| edge.max(0.0) as u32);
    for (left, top, width, height) in [
        (0, 0, x + w / 2, 243),
        (x + w / 3, 0, 320 - x - w / 3, 243),
        (0, y + h / 3, 320, 243 - y - h / 3),
        (x, y, w, h),
    ] {
        let cut = image::imageops::crop_imm(&photo, left, top, width, height).to_image();
        let found = locator.locate(&cut).expect("no failure");
        assert_eq!(locator.locate(&cut).expect("no failure"), found);
    }
}

#[test]
fn marked_eyes_are_found() {
    let Some(folder) = real_faces("lfw-strangers") else { return };
    let marks = std::fs::read_to_string(folder.with_file_name("lfw-eyes.tsv")).expect("the marks lie beside");
    let locator = Locator::new().expect("the models are whole");
    let mut errors = Vec::new();
    for line in marks.lines().skip(1).take(60) {
        let (name, numbers) = line.split_once('\t').expect("a name and numbers");
        let numbers: Vec<f32> = numbers.split('\t').map(|number| number.parse().expect("a number")).collect();
        let truth = [[numbers[0], numbers[1]], [numbers[2], numbers[3]]];
        let file = folder.join(name.rsplit('/').next().expect("a name"));
        if !file.exists() {
            continue;
        }
        let photo = open(file);
        let faces = locator.locate(&photo).expect("no failure");
        let main = main_face(&faces, photo.dimensions()).map(|index| faces[index].eyes);
        errors.push(main.map_or(1.0, |eyes| {
            let off = eyes::distance(eyes[0], truth[0]).max(eyes::distance(eyes[1], truth[1]));
            off / eyes::distance(truth[0], truth[1])
        }));
    }
    errors.sort_by(f32::total_cmp);
    let (median, ninth) = (errors[errors.len() / 2], errors[errors.len() * 9 / 10]);
    assert!(median <= 0.05 && ninth <= 0.10, "median {median}, 90 % within {ninth}");
}

#[test]
fn dogs_are_no_faces() {
    let Some(folder) = real_faces("groups") else { return };
    let locator = Locator::new().expect("the models are whole");
    assert_eq!(locator.locate(&open(folder.join("dogs.jpg"))), Ok(Vec::new()));
    let couple = locator.locate(&open(folder.join("2008_001009.jpg"))).expect("no failure");
    assert_eq!(couple.len(), 2, "both people of a photo, not one");
    assert!(couple[0].bounds[1] + couple[0].bounds[3] / 2.0 < couple[1].bounds[1], "the upper row first");
}

/// Photos that hold several faces, none, or one that fills them: the same whatever the threads, upright or turned.
#[test]
fn faces_are_the_same_whatever_the_threads_and_the_turn() {
    let Some(folder) = real_faces("groups") else { return };
    let locator = Locator::new().expect("the models are whole");
    let photo = open(folder.join("2008_001009.jpg"));
    let with_threads = |threads: usize, photo: &GrayImage| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let located = pool.expect("threads").install(|| locator.locate(photo));
        located.expect("no failure")
    };
    let upright = with_threads(1, &photo);
    assert_eq!(with_threads(5, &photo), upright);
    assert!(upright.iter().all(|face| face.turn() == Turn::Upright));
    for (lying, turn) in [
        (imageops::rotate90(&photo), Turn::Left),
        (imageops::rotate180(&photo), Turn::Over),
        (imageops::rotate270(&photo), Turn::Right),
    ] {
        let found = with_threads(2, &lying);
        assert_eq!(found.len(), upright.len(), "{turn:?}");
        for (face, other) in found.iter().zip(&upright) {
            assert_eq!(face.turn(), turn);
            assert_eq!(face.score, other.score, "the same face, in the same order");
        }
    }
}

#[test]
fn a_face_that_fills_its_photo_is_found_once() {
    let Some(folder) = real_faces("yale-light/yaleB13") else { return };
    let locator = Locator::new().expect("the models are whole");
    // Of these the detector by itself finds no face, or the mouth.
    for light in ["-010E+00", "-010E-20", "+010E+00"] {
        let photo = open(folder.join(format!("yaleB13_P00A{light}.png")));
        let found = locator.locate(&photo).expect("no failure");
        assert_eq!(found.len(), 1, "{light}");
        assert!(found[0].bounds[2] > 120.0, "{light}: {found:?}");
    }
}
