//! A recogniser for tests, of people who are drawn.

use super::{Recognizer, Settings};
use crate::dataset::ContentHash;
use crate::face_matrix::FaceSize;
use crate::gallery::{Gallery, LabeledFace};
use crate::locate::framing::Framing;
use crate::preparation::{Origin, Preparation};

/// People with so many photos each: a pattern of their own, with noise.
pub(crate) fn learned(size: &str, people: u32, photos: u32, settings: Settings) -> Recognizer {
    let size: FaceSize = size.parse().unwrap();
    let (width, height) = (size.width(), size.height());
    let faces = (0..people * photos).map(|photo| {
        let person = photo / photos;
        let pixels = (0..width * height).map(|at| {
            let (x, y) = (at % width, at / width);
            let noise = (at + photo * 7919).wrapping_mul(2_654_435_761) >> 26;
            ((x * (person + 2) + y * 3) % 29 * 6 + noise) as u8
        });
        LabeledFace {
            person: format!("p{person}").parse().unwrap(),
            source: format!("{photo}"),
            hash: ContentHash::of(&photo.to_le_bytes()),
            pixels: pixels.collect::<Vec<u8>>().into(),
            origin: Origin::Whole,
        }
    });
    let (gallery, _) = Gallery::assemble(size, faces.collect()).unwrap();
    Recognizer::learn(Preparation::new(size, Framing::AsIs), gallery, settings).unwrap()
}
