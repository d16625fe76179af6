//! The detector beside `rustface`, the reference implementation, on the real photos.

use std::path::{Path, PathBuf};

use image::{GrayImage, Luma};
use rayon::prelude::*;

use super::{Candidate, Detector, Filling};
use crate::detect::{FILLED, LARGE, MIN_SCORE, MODEL, STEP, SURE};
use crate::tests::real_faces;

fn ours(photo: &GrayImage, step: u32) -> Vec<Candidate> {
    let detector = Detector::from_bytes(MODEL).expect("the model is whole");
    let mut found = detector.detect(photo, step);
    found.retain(|face| face.score >= MIN_SCORE);
    found
}

fn reference(photo: &GrayImage, step: u32) -> Vec<Candidate> {
    let model = rustface::read_model(MODEL).expect("the model is whole");
    let mut detector = rustface::create_detector_with_model(model);
    detector.set_score_thresh(MIN_SCORE);
    detector.set_slide_window_step(step, step);
    let picture = rustface::ImageData::new(photo, photo.width(), photo.height());
    let found = detector.detect(&picture);
    found
        .iter()
        .map(|face| Candidate {
            left: face.bbox().x(),
            top: face.bbox().y(),
            size: face.bbox().width() as i32,
            score: face.score(),
        })
        .collect()
}

/// The same boxes, and scores to seven digits: the reference takes the exponential function of the system.
fn assert_alike(found: &[Candidate], reference: &[Candidate], what: &dyn std::fmt::Display) {
    let is_one = |(one, other): (&Candidate, &Candidate)| {
        let score = other.score;
        (one.score - score).abs() < 1e-6 * score && Candidate { score, ..*one } == *other
    };
    let is_same = found.len() == reference.len() && found.iter().zip(reference).all(is_one);
    assert!(is_same, "{what}: {found:?} {reference:?}");
}

fn photos(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(photos(&path));
        } else if image::ImageFormat::from_path(&path).is_ok() {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Compares on every `nth` photo of a folder; on all if the environment variable `EIGENFACES_COMPARE_ALL` is set.
#[allow(clippy::print_stderr)] // says how much was compared
fn compare(folder: &str, nth: usize) {
    let Some(folder) = real_faces(folder) else { return };
    let nth = match std::env::var_os("EIGENFACES_COMPARE_ALL") {
        Some(_) => 1,
        None => nth,
    };
    let photos: Vec<PathBuf> = photos(&folder).into_iter().step_by(nth).collect();
    let faces: usize = photos
        .par_iter()
        .map(|path| {
            let photo = image::open(path).expect("a photo").into_luma8();
            // The window must fit; the reference may read out of bounds otherwise.
            if photo.width().min(photo.height()) < 41 {
                return 0;
            }
            let found = ours(&photo, 4);
            assert_alike(&found, &reference(&photo, 4), &path.display());
            found.len()
        })
        .sum();
    eprintln!("{}: {} photos, {faces} faces alike", folder.display(), photos.len());
}

#[test]
fn boxes_and_scores_are_those_of_the_reference_on_crops_and_frames() {
    compare("att", 10);
    compare("yale", 10);
    compare("cfp-frontal", 40);
}

#[test]
fn boxes_and_scores_are_those_of_the_reference_on_everyday_photos() {
    compare("lfw", 10);
    compare("lfw-strangers", 10);
    compare("lfw-world", 300);
    compare("eyes-train", 40);
}

#[test]
fn boxes_and_scores_are_those_of_the_reference_on_groups_and_scenes() {
    compare("groups", 1);
    compare("photos", 1);
    compare("not-faces", 10);
}

#[test]
fn large_faces_first_finds_the_same_face_and_all_faces_where_none_is_large() {
    let detector = Detector::from_bytes(MODEL).expect("the model is whole");
    for (folder, nth) in [("att", 9), ("groups", 2)] {
        let Some(folder) = real_faces(folder) else { return };
        for path in photos(&folder).into_iter().step_by(nth) {
            let photo = image::open(&path).expect("a photo").into_luma8();
            let all = ours(&photo, STEP);
            let longest = photo.width().max(photo.height()) as f32;
            let fills = Filling { size: FILLED * longest, score: SURE };
            let mut found = detector.detect_large_first(&photo, STEP, LARGE * longest, fills);
            found.retain(|face| face.score >= MIN_SCORE);
            let Some(large) = found.iter().find(|face| fills.by(face)) else {
                assert_eq!(found, all, "{}", path.display());
                continue;
            };
            let near = |other: &Candidate| {
                let apart =
                    [(other.left - large.left).abs(), (other.top - large.top).abs(), (other.size - large.size).abs()];
                apart.iter().all(|&apart| 5 * apart <= large.size)
            };
            assert!(all.iter().any(near), "{}", path.display());
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let Some(folder) = real_faces("groups") else { return };
    let photo = crate::tests::open(folder.join("2008_001009.jpg"));
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(|| ours(&photo, 6))
    };
    assert_eq!(with_threads(1), with_threads(5));
}

#[test]
fn a_damaged_model_is_refused() {
    assert!(Detector::from_bytes(MODEL).is_some());
    for end in [0, 3, 4, 1000, MODEL.len() / 2, MODEL.len() - 1] {
        assert!(Detector::from_bytes(&MODEL[..end]).is_none(), "{end} bytes");
    }
    assert!(Detector::from_bytes(&[MODEL, b"more"].concat()).is_none());
}

#[test]
fn pictures_of_any_size_are_survived() {
    let detector = Detector::from_bytes(MODEL).expect("the model is whole");
    for width in [0, 1, 39, 40, 41, 49, 50, 51, 62, 63, 80, 333] {
        for height in [0, 1, 39, 40, 41, 50, 64, 99] {
            let photo = GrayImage::from_fn(width, height, |x, y| Luma([(x * y + 7 * x) as u8]));
            for step in [1, 7, 1000] {
                detector.detect(&photo, step);
            }
        }
    }
}
