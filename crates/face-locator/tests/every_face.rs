//! A class photo, composed of the drawn faces that come with the project: every face is found, each once.

use std::path::Path;

use face_locator::{Location, Locator};
use image::imageops::{self, FilterType};
use image::{GrayImage, Luma};

/// Rows and faces in a row, of cells of so many pixels with room between them.
const ROWS: u32 = 5;
const COLUMNS: u32 = 19;
const CELL: u32 = 150;
const ROOM: u32 = 210;

/// The photo, 4,000 x 3,000 pixels, and the middle of each face, row by row; `None` where the drawn faces are absent.
fn class_photo() -> Option<(GrayImage, Vec<[f32; 2]>)> {
    let faces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../faces");
    let mut drawn = Vec::new();
    for person in ["Ada", "Boris", "Keiko"] {
        let face = image::open(faces.join(person).join("1.png")).ok()?.into_luma8();
        drawn.push(imageops::resize(&face, CELL, CELL * face.height() / face.width(), FilterType::Triangle));
    }
    let mut photo = GrayImage::from_pixel(4000, 3000, Luma([130]));
    let mut middles = Vec::new();
    for (row, column) in (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (row, column))) {
        let face = &drawn[(row * COLUMNS + column) as usize % drawn.len()];
        // Nobody stands exactly in line.
        let (x, y) = (5 + column * ROOM, 20 + row * 560 + column * 7 % 5 * 8);
        imageops::replace(&mut photo, face, x.into(), y.into());
        let middle = |at: u32, length: u32| at as f32 + length as f32 / 2.0;
        middles.push([middle(x, face.width()), middle(y, face.height())]);
    }
    Some((photo, middles))
}

fn holds(face: &Location, [x, y]: [f32; 2]) -> bool {
    let [left, top, width, height] = face.bounds;
    (left..left + width).contains(&x) && (top..top + height).contains(&y)
}

#[test]
fn a_class_photo_shows_every_face_once_numbered_by_rows() {
    let Some((photo, middles)) = class_photo() else { return };
    let locator = Locator::new().expect("the models are whole");
    let faces = locator.locate(&photo).expect("no failure");
    assert_eq!(faces.len(), middles.len());
    for (number, (face, middle)) in (1..).zip(faces.iter().zip(middles)) {
        assert!(holds(face, middle), "face {number}: {:?} and {middle:?}", face.bounds);
    }
}
