//! Photos that are the same: by the bytes of their files, or by their pixels where a file was saved with other metadata.

use std::collections::HashMap;

use super::{Gallery, KnownPhoto, LabeledFace};
use crate::dataset::ContentHash;
use crate::preparation::Origin;

/// Positions of faces by what makes them the same photo.
#[derive(Debug, Default)]
pub struct SamePhotos {
    by_file: HashMap<ContentHash, usize>,
    by_pixels: HashMap<ContentHash, usize>,
}

impl SamePhotos {
    pub(super) fn of(faces: &[LabeledFace], more: usize) -> Self {
        let count = faces.len() + more;
        let mut photos = Self { by_file: HashMap::with_capacity(count), by_pixels: HashMap::with_capacity(count) };
        for (at, face) in faces.iter().enumerate() {
            photos.position(face, at);
        }
        photos
    }

    /// The position of the face's photo, or `None`: then it is inserted at position `next`.
    pub fn position(&mut self, face: &LabeledFace, next: usize) -> Option<usize> {
        let pixels = face.picture().map(ContentHash::of);
        let there = self.by_file.get(&face.hash).or_else(|| self.by_pixels.get(&pixels?)).copied();
        if there.is_none() {
            self.by_file.insert(face.hash, next);
            if let Some(pixels) = pixels {
                self.by_pixels.insert(pixels, next);
            }
        }
        there
    }
}

impl LabeledFace {
    fn picture(&self) -> Option<&[u8]> {
        picture(&self.origin, &self.pixels)
    }
}

impl Gallery {
    /// The pixels that tell an enrolled photo, if any do.
    pub(super) fn picture(&self, at: usize) -> Option<&[u8]> {
        picture(&self.enrolled()[at].origin, self.faces().face(at))
    }

    /// The photo that a face is of, as it is enrolled.
    pub fn photo_of(&self, face: &LabeledFace) -> Option<KnownPhoto> {
        let by_pixels = || {
            let wanted = face.picture()?;
            (0..self.len()).find(|&at| self.picture(at) == Some(wanted))
        };
        Some(self.photo(self.position(face.hash).or_else(by_pixels)?))
    }
}

/// The pixels that tell a photo; `None` where all of them are equal, since many photos become one and the same flat face.
fn picture<'a>(origin: &'a Origin, pixels: &'a [u8]) -> Option<&'a [u8]> {
    let picture = match origin {
        // How it is aligned depends on the gallery.
        Origin::Kept { photo, .. } => photo.as_raw(),
        Origin::Whole | Origin::Found { .. } => pixels,
    };
    let first = picture.first()?;
    picture.iter().any(|pixel| pixel != first).then_some(picture)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Person;
    use crate::face_matrix::FaceSize;
    use crate::preparation::KeptEyes;
    use image::GrayImage;

    /// A face whose pixels are `shade`, but for the first.
    fn face(file: &str, person: &str, [first, shade]: [u8; 2]) -> LabeledFace {
        let mut pixels = vec![shade; 64];
        pixels[0] = first;
        LabeledFace {
            person: Person::new(person).unwrap(),
            source: file.to_owned(),
            hash: ContentHash::of(file.as_bytes()),
            pixels: pixels.into(),
            origin: Origin::Whole,
        }
    }

    fn assemble(faces: Vec<LabeledFace>) -> (Gallery, super::super::Repeats) {
        Gallery::assemble(FaceSize::new(8, 8).unwrap(), faces).unwrap()
    }

    #[test]
    fn the_same_pixels_in_another_file_are_the_same_photo() {
        let (gallery, repeats) =
            assemble(vec![face("a", "Ada", [1, 2]), face("b", "Ada", [1, 2]), face("c", "Ada", [1, 3])]);
        assert_eq!((gallery.len(), repeats.known), (2, vec!["b".to_owned()]));
        let of = |face: &LabeledFace| gallery.photo_of(face).map(|photo| photo.source);
        assert_eq!(of(&face("d", "Boris", [1, 2])).as_deref(), Some("a"));
        assert_eq!(of(&face("d", "Boris", [1, 4])), None);
        // Enrolled: it stays; of those that come together, neither is believed.
        let (with, repeats) = gallery.with(vec![face("d", "Boris", [1, 2])]).unwrap();
        assert_eq!((with.len(), repeats.disputed.len()), (2, 1));
        let both = vec![face("a", "Ada", [1, 2]), face("d", "Boris", [1, 2])];
        let (neither, repeats) = assemble(both);
        assert_eq!((neither.len(), repeats.disputed.len()), (0, 2));
    }

    #[test]
    fn flat_faces_are_told_apart_by_their_files() {
        let (gallery, repeats) =
            assemble(vec![face("a", "Ada", [7, 7]), face("b", "Boris", [7, 7]), face("a", "Ada", [7, 7])]);
        assert_eq!((gallery.len(), repeats.known.len()), (2, 1));
        assert!(repeats.disputed.is_empty());
        assert_eq!(gallery.photo_of(&face("c", "Ada", [7, 7])), None);
    }

    #[test]
    fn a_photo_without_a_face_is_told_by_what_is_kept_of_it() {
        let unlocated = |file: &str, kept: [u8; 2], pixels: [u8; 2]| LabeledFace {
            origin: Origin::Kept { photo: GrayImage::from_raw(2, 1, kept.to_vec()).unwrap(), eyes: KeptEyes::None },
            ..face(file, "Ada", pixels)
        };
        let one = unlocated("a", [1, 2], [1, 2]);
        // Aligned by another frame, and by one that makes two photos alike.
        let two = [unlocated("b", [1, 2], [3, 4]), unlocated("b", [1, 3], [1, 2])];
        let [same, other] = two.map(|two| assemble(vec![one.clone(), two]).0.len());
        assert_eq!((same, other), (1, 2));
    }
}
