#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
#![forbid(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::sync::OnceLock;

use image::GrayImage;
use serde::{Deserialize, Serialize};

pub mod align;
#[doc(hidden)]
pub mod bilinear;
#[doc(hidden)]
pub mod crop;
#[doc(hidden)]
pub mod descent;
#[doc(hidden)]
pub mod detect;
mod detector;
#[doc(hidden)]
pub mod eyes;
mod reader;
#[doc(hidden)]
pub mod resize;

use align::Point;
use eyes::EyeModel;

/// The reason why faces could not be located.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocateError {
    /// A picture far too elongated to show a face at the size at which faces are looked for.
    #[error("a strip of {width}x{height} pixels shows no face; crop it to the face")]
    Strip {
        /// Width, in pixels.
        width: u32,
        /// Height, in pixels.
        height: u32,
    },
    /// The detector broke down on one photo.
    #[error("the face detector failed on it; crop it to the face and take it whole")]
    Detector,
    /// The detector's model inside the program cannot be read.
    #[error("the face detector inside this program is damaged; install the program again")]
    DetectorModel,
    /// A file of eye weights cannot be read.
    #[error("this is not a model of the eyes: {0}; train one with examples/train_eyes")]
    EyeModel(&'static str),
}

/// A face in a photo. All coordinates are pixels of the photo.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Location {
    /// Left, top, width and height of the face's box. It may reach beyond the photo.
    pub bounds: [f32; 4],
    /// The middles of both eyes, the one on the left of the image first.
    pub eyes: [Point; 2],
    /// The score of the detector: from 3 to some tens.
    pub score: f32,
    /// Distance between the eye positions found from several starts, in distances between the eyes.
    pub eye_spread: f32,
}

/// Finds faces and their eyes. Cheap to share between threads.
#[derive(Debug, Clone)]
pub struct Locator {
    eyes: EyeModel,
}

impl Locator {
    /// The locator with the models that come with the program.
    ///
    /// # Errors
    /// When the program itself is damaged.
    pub fn new() -> Result<Self, LocateError> {
        Ok(Self {
            eyes: EyeModel::bundled()?,
        })
    }

    /// The locator with the models that come with the program, made once and shared by all threads.
    ///
    /// # Errors
    /// When the program itself is damaged.
    pub fn shared() -> Result<&'static Self, LocateError> {
        static SHARED: OnceLock<Result<Locator, LocateError>> = OnceLock::new();
        SHARED.get_or_init(Self::new).as_ref().map_err(Clone::clone)
    }

    /// All faces of a photo, from left to right.
    ///
    /// # Errors
    /// When the detector breaks down on the photo.
    pub fn locate(&self, photo: &GrayImage) -> Result<Vec<Location>, LocateError> {
        let found = detect::detect(photo)?.into_iter().map(|face| {
            let fit = self.eyes.find(photo, face.bounds);
            Location {
                bounds: face.bounds,
                eyes: fit.eyes,
                score: face.score,
                eye_spread: fit.spread,
            }
        });
        Ok(found.filter(is_face).collect())
    }
}

/// Score that the detector must add when the eyes of a face are unsure.
const SCORE_FOR_SPREAD: f32 = 10.0;

/// Two weak doubts reject a find where each alone would not: in faces, walks to the eyes end together.
///
/// Of the 2 false boxes on the 150 photos of `not-faces` this drops one, and none of the 43 marked faces of `groups`.
fn is_face(find: &Location) -> bool {
    find.score >= detect::MIN_SCORE as f32 + SCORE_FOR_SPREAD * find.eye_spread
}

/// Which face a photo of one person is about: the largest and most central. `None` without faces.
///
/// `size` is the photo's width and height.
pub fn main_face(faces: &[Location], (width, height): (u32, u32)) -> Option<usize> {
    let weight = |face: &Location| {
        let [x, y, w, h] = face.bounds;
        let off = |middle: f32, length: u32| (middle / length.max(1) as f32 - 0.5).abs();
        // At the edge of the photo a face counts for half the size of one in the middle.
        let off_centre = off(x + w / 2.0, width)
            .max(off(y + h / 2.0, height))
            .min(0.5);
        w.max(h) * (1.0 - off_centre)
    };
    let heavier = |(one, a): &(usize, &Location), (other, b): &(usize, &Location)| {
        weight(a).total_cmp(&weight(b)).then(other.cmp(one))
    };
    faces
        .iter()
        .enumerate()
        .max_by(heavier)
        .map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;
    use proptest::prelude::*;
    use std::path::PathBuf;

    /// The folder of real faces, or `None` (and a line that says so) where it is absent.
    #[allow(clippy::print_stderr)] // a skipped test says so
    pub(super) fn real_faces(folder: &str) -> Option<PathBuf> {
        let root = std::env::var_os("EIGENFACES_DATA").map_or_else(
            || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
            PathBuf::from,
        );
        let folder = root.join(folder);
        if !folder.is_dir() {
            eprintln!("skipped: {} is absent", folder.display());
            return None;
        }
        Some(folder)
    }

    pub(super) fn open(path: PathBuf) -> GrayImage {
        image::open(path).expect("a readable photo").into_luma8()
    }

    fn face(bounds: [f32; 4]) -> Location {
        Location {
            bounds,
            eyes: [[0.0; 2]; 2],
            score: 10.0,
            eye_spread: 0.0,
        }
    }

    #[test]
    fn the_models_are_those_that_were_published() {
        use sha2::{Digest, Sha256};
        let hex = |bytes: &[u8]| -> String {
            Sha256::digest(bytes)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect()
        };
        let detector = "c4619d066ed35e84d9a8e842860b0dff567aba0cbb139881075538761db3ff5d";
        assert_eq!(hex(detect::MODEL), detector);
        let eyes = "ae799a7d03b9ea119a43baac3a91482c6243f1ae50d4fa09f65579e11a64e64a";
        assert_eq!(hex(eyes::BUNDLED), eyes);
    }

    #[test]
    fn the_main_face_is_large_and_central() {
        let size = (200, 100);
        let (small, large) = (
            face([95.0, 45.0, 10.0, 10.0]),
            face([80.0, 30.0, 40.0, 40.0]),
        );
        let edge = face([-10.0, 30.0, 44.0, 44.0]);
        assert_eq!(main_face(&[], size), None);
        assert_eq!(main_face(&[small, large], size), Some(1));
        assert_eq!(
            main_face(&[edge, large], size),
            Some(1),
            "a slightly larger face at the edge gives way"
        );
        assert_eq!(
            main_face(&[large, large], size),
            Some(0),
            "the first of equals"
        );
    }

    #[test]
    fn photos_of_any_size_and_content_are_survived() {
        let locator = Locator::new().expect("the models are whole");
        let sides = [0, 1, 2, 3, 19, 20, 21, 39, 40, 41, 50, 63, 70, 79, 80, 99];
        for (index, width) in sides.into_iter().enumerate() {
            for height in [
                sides[index],
                sides[(index + 5) % sides.len()],
                3,
                640 / width.max(1),
            ] {
                let photo = GrayImage::from_fn(width, height, |x, y| Luma([(x * y + 7 * x) as u8]));
                survived(locator.locate(&photo), width, height);
            }
        }
        for (width, height) in [(3000, 1), (1, 3000), (2000, 65), (641, 20), (1281, 40)] {
            survived(
                locator.locate(&GrayImage::new(width, height)),
                width,
                height,
            );
        }
    }

    /// Only strips are refused.
    fn survived(located: Result<Vec<Location>, LocateError>, width: u32, height: u32) {
        match located {
            Ok(_) => {}
            Err(LocateError::Strip { .. }) => {
                let (long, short) = (width.max(height), width.min(height));
                assert!(long > 32 * short, "{width} x {height} is no strip");
            }
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn strips_are_refused_whatever_their_length() {
        let locator = Locator::new().expect("the models are whole");
        for (width, height) in [(1, 65_535), (1_000_000, 1), (3_300, 100)] {
            let strip = locator.locate(&GrayImage::new(width, height));
            assert_eq!(strip, Err(LocateError::Strip { width, height }));
        }
        assert_eq!(
            locator.locate(&GrayImage::new(20_000, 2_000)),
            Ok(Vec::new())
        );
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
        let Some(folder) = real_faces("yale/subject01") else {
            return;
        };
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
        let Some(folder) = real_faces("lfw-strangers") else {
            return;
        };
        let marks = std::fs::read_to_string(folder.with_file_name("lfw-eyes.tsv"))
            .expect("the marks lie beside");
        let locator = Locator::new().expect("the models are whole");
        let mut errors = Vec::new();
        for line in marks.lines().skip(1).take(60) {
            let (name, numbers) = line.split_once('\t').expect("a name and numbers");
            let numbers: Vec<f32> = numbers
                .split('\t')
                .map(|number| number.parse().expect("a number"))
                .collect();
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
        assert!(
            median <= 0.05 && ninth <= 0.10,
            "median {median}, 90 % within {ninth}"
        );
    }

    #[test]
    fn dogs_are_no_faces() {
        let Some(folder) = real_faces("groups") else {
            return;
        };
        let locator = Locator::new().expect("the models are whole");
        assert_eq!(
            locator.locate(&open(folder.join("dogs.jpg"))),
            Ok(Vec::new())
        );
        let couple = locator
            .locate(&open(folder.join("2008_001009.jpg")))
            .expect("no failure");
        assert_eq!(couple.len(), 2, "both people of a photo, not one");
        assert!(
            couple[0].bounds[0] < couple[1].bounds[0],
            "from left to right"
        );
    }
}
