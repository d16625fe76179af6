//! Whether photos are faces already or hold faces somewhere: decided once, for a whole gallery.
//!
//! Aligning photos as people have them is what makes them recognisable, so faces are looked for in every photo. Only
//! without the background model are photos taken as they are where those that show a face are crops of it; finding
//! faces in these costs time and loses those that the detector misses. Photos that show no face decide nothing.

use std::fmt;
use std::str::FromStr;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::align::Point;
use super::{Location, main_face};

/// The framing of photos: taken as they are, or faces detected and aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Framing {
    /// The photos are faces already, all cropped alike: take them whole.
    #[default]
    AsIs,
    /// Find the faces in every photo and align them by the eyes.
    Detect,
}

named!(Framing {
    AsIs = "as-is",
    Detect = "detect",
});

impl fmt::Display for Framing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The rule that decides the framing of a gallery. As text `auto`, `as-is` or `detect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FramingRule {
    /// From a look at some of its photos: [`survey`].
    #[default]
    Auto,
    /// As the user says.
    Given(Framing),
}

impl FromStr for FramingRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            given => given.parse().map(Self::Given).map_err(|_| "expected auto, as-is or detect".to_owned()),
        }
    }
}

/// Photos looked at, at most: spread evenly over the gallery.
const SAMPLE: usize = 60;

/// Photos looked at first; where all are crops, no more are, for a look costs some 9 ms.
const FIRST: usize = 6;

/// Photos with a shorter side than this in which no face is found may be crops too small for the detector.
const SMALL: u32 = 80;

/// In crops the face's box takes at least this share of the photo's width.
const CROPPED: f32 = 0.6;

/// Left and upper distance of both eyes, the left one first, in ten-thousandths of a photo's width and height.
pub type RelativeEyes = [[u16; 2]; 2];

/// The place of eyes in a photo of this width and height.
pub fn relative_eyes((width, height): (u32, u32), eyes: [Point; 2]) -> RelativeEyes {
    let unit = |value: f32, length: u32| {
        let share = value / length.max(1) as f32;
        (share.clamp(0.0, 1.0) * CropEyes::UNIT).round() as u16
    };
    eyes.map(|[x, y]| [unit(x, width), unit(y, height)])
}

/// The inverse of [`relative_eyes`], in pixels.
pub fn absolute_eyes((width, height): (u32, u32), eyes: RelativeEyes) -> [Point; 2] {
    eyes.map(|[x, y]| [f32::from(x) / CropEyes::UNIT * width as f32, f32::from(y) / CropEyes::UNIT * height as f32])
}

/// Position of the eyes in all photos of a gallery of crops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CropEyes {
    /// Both eyes.
    pub eyes: RelativeEyes,
    /// Width over height of the photos, in ten-thousandths.
    pub aspect: u32,
    /// The agreement of the photos.
    #[serde(default)]
    pub agreement: Agreement,
}

/// The agreement of the eye positions of crops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Agreement {
    /// Well enough to say where the eyes are of a crop in which they are not found.
    #[default]
    Near,
    /// Somebody aligned the crops by the eyes: their common frame is surer than what is found in each.
    Aligned,
}

impl CropEyes {
    const UNIT: f32 = 10_000.0;

    /// Shapes that differ by no more than this are one shape, in percent.
    const TOLERANCE: u32 = 2;

    /// The place of the eyes in these crops (their sizes, their [`relative_eyes`]), if they have one shape and their eyes stand
    /// nearly in one place: all but a tenth within 0.4 eye distances of the middle. How well they agree is said besides.
    pub fn of(mut faces: Vec<((u32, u32), RelativeEyes)>) -> Option<Self> {
        if faces.len() < Self::ENOUGH {
            return None;
        }
        faces.sort_by_key(|face| Self::aspect_of(face.0));
        let aspect = Self::aspect_of(faces[faces.len() / 2].0);
        let outliers = faces.len() / 10;
        if faces.iter().filter(|face| !Self::is_alike(Self::aspect_of(face.0), aspect)).count() > outliers {
            return None;
        }
        let relative: Vec<&[u16]> = faces.iter().map(|face| face.1.as_flattened()).collect();
        let middle: [u16; 4] = std::array::from_fn(|at| {
            let mut values: Vec<u16> = relative.iter().map(|eyes| eyes[at]).collect();
            values.sort_unstable();
            values[values.len() / 2]
        });
        let apart = f32::from(middle[2].abs_diff(middle[0]));
        let farther = |reach: f32| {
            let off = |eyes: &[u16]| (0..4).map(|at| eyes[at].abs_diff(middle[at])).max();
            relative.iter().filter(|eyes| f32::from(off(eyes).unwrap_or(0)) > reach * apart).count()
        };
        if farther(Self::SPREAD) > outliers {
            return None;
        }
        let is_aligned = faces.len() >= Self::ENOUGH_ALIGNED && 4 * farther(Self::ALIGNED_SPREAD) <= faces.len();
        let agreement = if is_aligned { Agreement::Aligned } else { Agreement::Near };
        let frame = Self { eyes: [[middle[0], middle[1]], [middle[2], middle[3]]], aspect, agreement };
        frame.is_sound().then_some(frame)
    }

    /// Fewer photos tell no place.
    const ENOUGH: usize = 4;

    /// See [`CropEyes::of`].
    const SPREAD: f32 = 0.4;

    /// Photos are aligned ([`Agreement::Aligned`]) of which all but a quarter have their eyes within this share of the
    /// distance between them: of Extended Yale B's crops three quarters lie within .07, of LFW's .15, of AT&T's .32.
    const ALIGNED_SPREAD: f32 = 0.1;

    /// Fewer photos may agree so well by chance.
    const ENOUGH_ALIGNED: usize = 20;

    fn aspect_of((width, height): (u32, u32)) -> u32 {
        (f64::from(width) / f64::from(height.max(1)) * f64::from(Self::UNIT)).round() as u32
    }

    fn is_alike(a: u32, b: u32) -> bool {
        u64::from(a.max(b)) * 100 <= u64::from(a.min(b)) * u64::from(100 + Self::TOLERANCE)
    }

    /// The eyes in a photo of this size, in pixels; `None` if it has another shape than the gallery's.
    pub fn in_photo(&self, size: (u32, u32)) -> Option<[Point; 2]> {
        Self::is_alike(Self::aspect_of(size), self.aspect).then(|| absolute_eyes(size, self.eyes))
    }

    /// Whether the numbers make sense: they may come from a file.
    pub fn is_sound(&self) -> bool {
        let within = |place: &[u16; 2]| place.iter().all(|&value| f32::from(value) <= Self::UNIT);
        self.eyes.iter().all(within) && self.eyes[0][0] < self.eyes[1][0] && self.aspect > 0
    }
}

/// Whether photos that are cropped to the face already are aligned by the eyes all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Crops {
    /// Aligned where a face is found in them.
    #[default]
    Align,
    /// They are taken as they are.
    Keep,
}

/// The kind of one photo of a gallery.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Look {
    /// No face was found.
    NoFace,
    /// No face was found, in a photo so small that it may be a crop all the same.
    TooSmall,
    /// A face.
    Face {
        /// The share of the photo's width that the main face's box takes.
        share: f32,
    },
}

impl Look {
    /// The kind of a photo of this width and height, in which these faces were found.
    pub fn of(found: &[Location], photo: (u32, u32)) -> Self {
        match main_face(found, photo).and_then(|main| found.get(main)) {
            Some(face) => Self::Face { share: face.bounds[2] / photo.0 as f32 },
            None if photo.0.min(photo.1) < SMALL => Self::TooSmall,
            None => Self::NoFace,
        }
    }

    /// Whether there is a face with room around it.
    pub fn has_room(self) -> bool {
        matches!(self, Self::Face { share } if share < CROPPED)
    }
}

/// Result of a look at a gallery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Survey {
    /// The framing that follows from it.
    pub framing: Framing,
    /// Photos looked at.
    pub looked_at: usize,
    /// Of these, photos with a face.
    pub with_face: usize,
    /// Of these, photos large enough to show a face, in which none was found.
    pub without_face: usize,
}

impl Survey {
    /// Whether most of the photos show no face, though they are large enough.
    pub fn lacks_faces(&self) -> bool {
        2 * self.without_face > self.looked_at
    }

    /// The rule. Crops that are to be aligned: [`Framing::Detect`], unless all photos are too small to find a face in them. Crops
    /// that are to be kept: [`Framing::Detect`] where the middle one of the faces found takes less than 60 % of its photo's width.
    pub fn of(looks: &[Look], crops: Crops) -> Self {
        let share = |look: &Look| if let Look::Face { share } = look { Some(*share) } else { None };
        let mut shares: Vec<f32> = looks.iter().filter_map(share).collect();
        shares.sort_by(f32::total_cmp);
        let detect = match crops {
            Crops::Align => looks.iter().any(|look| *look != Look::TooSmall),
            Crops::Keep => shares.get(shares.len() / 2).is_some_and(|&middle| middle < CROPPED),
        };
        Self {
            framing: if detect { Framing::Detect } else { Framing::AsIs },
            looked_at: looks.len(),
            with_face: shares.len(),
            without_face: looks.iter().filter(|look| **look == Look::NoFace).count(),
        }
    }
}

/// The framing of a gallery by some of its photos, always the same; `look` opens one, `None` counts for nothing.
pub fn survey<P: Sync>(photos: &[P], crops: Crops, look: impl Fn(&P) -> Option<Look> + Sync) -> Survey {
    let sample = spread(photos.len(), SAMPLE);
    let stages = spread(sample.len(), FIRST);
    let (first, rest): (Vec<_>, Vec<_>) = (0..sample.len()).partition(|at| stages.contains(at));
    let look_at =
        |part: Vec<usize>| -> Vec<Look> { part.into_par_iter().filter_map(|at| look(&photos[sample[at]])).collect() };
    let mut looks = look_at(first);
    if crops == Crops::Align || looks.is_empty() || looks.iter().any(|look| look.has_room()) {
        looks.extend(look_at(rest));
    }
    Survey::of(&looks, crops)
}

/// At most `most` of `count` positions, evenly spread, in order.
fn spread(count: usize, most: usize) -> Vec<usize> {
    let kept = count.min(most);
    (0..kept).map(|at| at * count / kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn framing(looks: &[(Look, usize)]) -> Framing {
        let looks: Vec<Look> = looks.iter().flat_map(|&(look, count)| std::iter::repeat_n(look, count)).collect();
        Survey::of(&looks, Crops::Keep).framing
    }

    /// A face whose box takes this share of its photo's width.
    fn face(share: f32) -> Look {
        Look::Face { share }
    }

    #[test]
    fn photos_that_show_no_face_decide_nothing() {
        use Look::{NoFace, TooSmall};
        for (looks, aligned, kept) in [
            (vec![(face(0.9), 20)], Framing::Detect, Framing::AsIs),
            (vec![(face(0.9), 5), (NoFace, 15)], Framing::Detect, Framing::AsIs),
            (vec![(face(0.4), 5), (NoFace, 15)], Framing::Detect, Framing::Detect),
            (vec![(face(0.4), 5), (TooSmall, 15)], Framing::Detect, Framing::Detect),
            (vec![(NoFace, 15)], Framing::Detect, Framing::AsIs),
            (vec![(TooSmall, 15)], Framing::AsIs, Framing::AsIs),
        ] {
            let looks: Vec<Look> =
                looks.into_iter().flat_map(|(look, count)| std::iter::repeat_n(look, count)).collect();
            assert_eq!(Survey::of(&looks, Crops::Align).framing, aligned, "{looks:?}");
            assert_eq!(Survey::of(&looks, Crops::Keep).framing, kept, "{looks:?}");
        }
    }

    #[test]
    fn crops_with_eyes_in_one_place_tell_it() {
        let face_of = |eyes| ((100, 120), relative_eyes((100, 120), eyes));
        let face = face_of([[30.0, 50.0], [70.0, 50.0]]);
        let of = |faces: &[_]| CropEyes::of(faces.to_vec());
        let found = of(&[face; 10]).unwrap();
        assert!(found.is_sound());
        // Places are kept in ten-thousandths of the sides.
        let places = found.in_photo((200, 240)).unwrap();
        for (place, expected) in places.iter().zip([[60.0, 100.0], [140.0, 100.0]]) {
            assert!((place[0] - expected[0]).abs() <= 0.01, "{places:?}");
            assert!((place[1] - expected[1]).abs() <= 0.012, "{places:?}");
        }
        assert_eq!(found.in_photo((200, 200)), None, "another shape");
        assert_eq!(of(&[face; 3]), None, "too few");
        let scattered: Vec<_> = (0..10_u16)
            .map(|at| {
                let left = 20.0 + 5.0 * f32::from(at);
                face_of([[left, 50.0], [left + 40.0, 50.0]])
            })
            .collect();
        assert_eq!(of(&scattered), None, "eyes here and there");
    }

    #[test]
    fn crops_aligned_by_one_frame_are_told() {
        let face_of = |off: f32| {
            let eyes = [[30.0 + off, 50.0], [70.0 + off, 50.0]];
            ((100, 120), relative_eyes((100, 120), eyes))
        };
        // A quarter of the photos lies this far from the others, in pixels.
        let agreement = |off: f32, photos: usize| {
            let far = photos.div_ceil(4);
            let faces = (0..photos).map(|at| face_of(if at < far { off } else { 0.0 }));
            CropEyes::of(faces.collect()).map(|frame| frame.agreement)
        };
        assert_eq!(agreement(3.0, 21), Some(Agreement::Aligned));
        assert_eq!(agreement(5.0, 21), Some(Agreement::Near), "too far");
        assert_eq!(agreement(5.0, 20), Some(Agreement::Aligned), "a quarter");
        assert_eq!(agreement(0.0, 19), Some(Agreement::Near), "too few");
    }

    #[test]
    fn faces_with_room_around_them_are_to_be_found() {
        use Look::NoFace;
        for (looks, expected) in [
            (vec![(face(0.4), 10)], Framing::Detect),
            (vec![(face(0.4), 8), (NoFace, 2)], Framing::Detect),
            (vec![(face(0.4), 3), (NoFace, 7)], Framing::Detect),
            (vec![(face(0.6), 10)], Framing::AsIs),
            (vec![(face(0.59), 6), (face(0.9), 4)], Framing::Detect),
            (vec![(face(0.59), 4), (face(0.9), 6)], Framing::AsIs),
            (vec![(NoFace, 1)], Framing::AsIs),
            (vec![], Framing::AsIs),
        ] {
            assert_eq!(framing(&looks), expected, "{looks:?}");
        }
    }

    #[test]
    fn crops_are_told_after_a_few_looks_and_order_does_not_matter() {
        let looks = |share: f32| {
            let looked = AtomicUsize::new(0);
            let photos: Vec<usize> = (0..1000).collect();
            let survey = survey(&photos, Crops::Keep, |_| {
                looked.fetch_add(1, Ordering::Relaxed);
                Some(face(share))
            });
            assert_eq!(survey.looked_at, looked.into_inner());
            (survey.framing, survey.looked_at)
        };
        assert_eq!(looks(0.8), (Framing::AsIs, FIRST));
        assert_eq!(looks(0.4), (Framing::Detect, SAMPLE));
    }

    #[test]
    fn few_photos_and_bad_photos_are_survived() {
        for count in 0..30 {
            let photos: Vec<usize> = (0..count).collect();
            let survey = survey(&photos, Crops::Keep, |&at| (at % 3 != 0).then_some(face(0.3)));
            assert_eq!(survey.looked_at, count - count.div_ceil(3));
        }
        assert_eq!(spread(7, 3), [0, 2, 4]);
    }
}
