//! Whether photos are faces already or hold faces somewhere: decided once, for a whole gallery.
//!
//! Aligning photos as people have them is what makes them recognisable; finding faces in photos that
//! were cropped by hand costs time and loses those that the detector misses, so without the background model crops are taken
//! as they are; with it they are aligned where nearly all of them show a face.

use std::fmt;
use std::str::FromStr;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::align::Point;
use super::{Location, main_face};

/// The way in which photos become faces.
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
            given => given
                .parse()
                .map(Self::Given)
                .map_err(|_| "expected auto, as-is or detect".to_owned()),
        }
    }
}

/// Photos looked at, at most: spread evenly over the gallery.
const SAMPLE: usize = 60;

/// Photos looked at first, spread evenly too: where all of them are crops, no more are looked at. A look
/// costs some 9 ms, which would be felt where learning itself takes 200.
const FIRST: usize = 6;

/// Photos with a shorter side than this are crops: a face within them would be too small to be of use.
const SMALL: u32 = 80;

/// In crops the face's box takes at least this share of the photo's width.
const CROPPED: f32 = 0.6;

/// Percentage of photos that must show a face for the detector to be trusted with all of them.
const SHOWING: usize = 80;

/// Percentage of crops that must show a face for these to be aligned too.
const SHOWING_CROPS: usize = 90;

/// Position of the eyes in all photos of a gallery of crops, in ten-thousandths of a photo's width and height.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CropEyes {
    /// Left and upper distance of both eyes, that on the left of the picture first.
    pub eyes: [[u16; 2]; 2],
    /// Width over height of the photos, in ten-thousandths.
    pub aspect: u32,
}

impl CropEyes {
    const UNIT: f32 = 10_000.0;

    /// Shapes that differ by no more than this are one shape, in percent.
    const TOLERANCE: u32 = 2;

    /// The place of the eyes in these crops (their sizes, the eyes in pixels), if they have one shape and their eyes
    /// stand nearly in one place: all but a tenth within [`CropEyes::SPREAD`] of an eye distance of the middle.
    fn of(mut faces: Vec<((u32, u32), [Point; 2])>) -> Option<Self> {
        if faces.len() < Self::ENOUGH {
            return None;
        }
        faces.sort_by_key(|face| Self::aspect_of(face.0));
        let aspect = Self::aspect_of(faces[faces.len() / 2].0);
        let outliers = faces.len() / 10;
        let strange = |face: &&((u32, u32), _)| !Self::is_alike(Self::aspect_of(face.0), aspect);
        if faces.iter().filter(strange).count() > outliers {
            return None;
        }
        let relative: Vec<[f32; 4]> = faces
            .iter()
            .map(|((width, height), [left, right])| {
                let (width, height) = (*width as f32, *height as f32);
                [
                    left[0] / width,
                    left[1] / height,
                    right[0] / width,
                    right[1] / height,
                ]
            })
            .collect();
        let middle: [f32; 4] = std::array::from_fn(|at| {
            let mut values: Vec<f32> = relative.iter().map(|eyes| eyes[at]).collect();
            values.sort_by(f32::total_cmp);
            values[values.len() / 2]
        });
        let apart = (middle[2] - middle[0]).abs();
        let far = |eyes: &&[f32; 4]| {
            let off = (0..4)
                .map(|at| (eyes[at] - middle[at]).abs())
                .fold(0.0, f32::max);
            off > Self::SPREAD * apart
        };
        if relative.iter().filter(far).count() > outliers {
            return None;
        }
        let unit = |value: f32| (value.clamp(0.0, 1.0) * Self::UNIT).round() as u16;
        Some(Self {
            eyes: [
                [unit(middle[0]), unit(middle[1])],
                [unit(middle[2]), unit(middle[3])],
            ],
            aspect,
        })
    }

    /// Fewer photos tell no place.
    const ENOUGH: usize = 4;

    /// See [`CropEyes::of`].
    const SPREAD: f32 = 0.4;

    fn aspect_of((width, height): (u32, u32)) -> u32 {
        (f64::from(width) / f64::from(height.max(1)) * f64::from(Self::UNIT)).round() as u32
    }

    fn is_alike(a: u32, b: u32) -> bool {
        u64::from(a.max(b)) * 100 <= u64::from(a.min(b)) * u64::from(100 + Self::TOLERANCE)
    }

    /// The eyes in a photo of this size, in pixels; `None` if it has another shape than the gallery's.
    pub fn in_photo(&self, (width, height): (u32, u32)) -> Option<[Point; 2]> {
        if !Self::is_alike(Self::aspect_of((width, height)), self.aspect) {
            return None;
        }
        let place = |[x, y]: [u16; 2]| {
            [
                f32::from(x) / Self::UNIT * width as f32,
                f32::from(y) / Self::UNIT * height as f32,
            ]
        };
        Some(self.eyes.map(place))
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
    /// Aligned where a face is found in nearly all of them.
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
    /// The photo is too small to look for a face in it: it is taken for a crop.
    TooSmall,
    /// A face.
    Face {
        /// The share of the photo's width that the main face's box takes.
        share: f32,
        /// Width and height of the photo.
        photo: (u32, u32),
        /// Its eyes, in pixels of the photo.
        eyes: [Point; 2],
    },
}

impl Look {
    /// Whether a photo of this width and height is too small to look for a face in it.
    pub fn is_too_small((width, height): (u32, u32)) -> bool {
        width.min(height) < SMALL
    }

    /// The kind of a photo of this width and height, in which these faces were found.
    pub fn of(found: &[Location], photo: (u32, u32)) -> Self {
        let main = main_face(found, photo).and_then(|main| found.get(main));
        main.map_or(Self::NoFace, |face| Self::Face {
            share: face.bounds[2] / photo.0 as f32,
            photo,
            eyes: face.eyes,
        })
    }

    /// Whether there is a face with room around it.
    fn has_room(self) -> bool {
        matches!(self, Self::Face { share, .. } if share < CROPPED)
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
    /// Position of the eyes in crops that have them in one place: it serves photos in which no face is found.
    pub crop_eyes: Option<CropEyes>,
}

impl Survey {
    /// Whether most of the photos show no face, though they are large enough.
    pub fn lacks_faces(&self) -> bool {
        2 * self.without_face > self.looked_at
    }

    /// The rule: [`Framing::Detect`] where at least 80 % of the photos show a face and the middle one of
    /// these faces takes less than 60 % of its photo's width; and where crops are to be aligned, if 90 % of the photos
    /// show a face.
    pub fn of(looks: &[Look], crops: Crops) -> Self {
        let mut shares: Vec<f32> = looks
            .iter()
            .filter_map(|look| match look {
                Look::NoFace | Look::TooSmall => None,
                Look::Face { share, .. } => Some(*share),
            })
            .collect();
        shares.sort_by(f32::total_cmp);
        let showing = shares.len() * 100 >= looks.len() * SHOWING;
        let narrow = shares
            .get(shares.len() / 2)
            .is_some_and(|&middle| middle < CROPPED);
        let nearly_all = !shares.is_empty() && shares.len() * 100 >= looks.len() * SHOWING_CROPS;
        let faces = looks.iter().filter_map(|look| match *look {
            Look::NoFace | Look::TooSmall => None,
            Look::Face { photo, eyes, .. } => Some((photo, eyes)),
        });
        Self {
            framing: match (showing && narrow) || (nearly_all && crops == Crops::Align) {
                true => Framing::Detect,
                false => Framing::AsIs,
            },
            looked_at: looks.len(),
            with_face: shares.len(),
            without_face: looks.iter().filter(|look| **look == Look::NoFace).count(),
            crop_eyes: CropEyes::of(faces.collect()),
        }
    }
}

/// Decides the framing of a gallery from some of its photos; always the same ones, whatever the threads.
///
/// `look` opens a photo and looks at it; photos that cannot be used (`None`) count for nothing.
pub fn survey<P: Sync>(
    photos: &[P],
    crops: Crops,
    look: impl Fn(&P) -> Option<Look> + Sync,
) -> Survey {
    let sample = spread(photos.len(), SAMPLE);
    let stages = spread(sample.len(), FIRST);
    let (first, rest): (Vec<_>, Vec<_>) = (0..sample.len()).partition(|at| stages.contains(at));
    let look_at = |part: Vec<usize>| -> Vec<Look> {
        part.into_par_iter()
            .filter_map(|at| look(&photos[sample[at]]))
            .collect()
    };
    let mut looks = look_at(first);
    let one_kind = !looks.is_empty() && !looks.iter().any(|look| look.has_room());
    if crops == Crops::Align || !one_kind {
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
        let looks: Vec<Look> = looks
            .iter()
            .flat_map(|&(look, count)| std::iter::repeat_n(look, count))
            .collect();
        Survey::of(&looks, Crops::Keep).framing
    }

    /// A face whose box takes this share of its photo's width.
    fn face(share: f32) -> Look {
        Look::Face {
            share,
            photo: (100, 120),
            eyes: [[30.0, 50.0], [70.0, 50.0]],
        }
    }

    #[test]
    fn crops_are_aligned_where_nearly_all_show_a_face() {
        for (without, expected) in [
            (0, Framing::Detect),
            (2, Framing::Detect),
            (3, Framing::AsIs),
        ] {
            let mut looks = vec![face(0.9); 20 - without];
            looks.extend(vec![Look::NoFace; without]);
            assert_eq!(
                Survey::of(&looks, Crops::Align).framing,
                expected,
                "{without}"
            );
            assert_eq!(
                Survey::of(&looks, Crops::Keep).framing,
                Framing::AsIs,
                "{without}"
            );
        }
    }

    #[test]
    fn crops_with_eyes_in_one_place_tell_it() {
        let of = |looks: &[Look]| Survey::of(looks, Crops::Align).crop_eyes;
        let found = of(&[face(0.9); 10]).unwrap();
        assert!(found.is_sound());
        // Places are kept in ten-thousandths of the sides.
        let places = found.in_photo((200, 240)).unwrap();
        for (place, expected) in places.iter().zip([[60.0, 100.0], [140.0, 100.0]]) {
            assert!((place[0] - expected[0]).abs() <= 0.01, "{places:?}");
            assert!((place[1] - expected[1]).abs() <= 0.012, "{places:?}");
        }
        assert_eq!(found.in_photo((200, 200)), None, "another shape");
        assert_eq!(of(&[face(0.9); 3]), None, "too few");
        let scattered: Vec<Look> = (0..10_u16)
            .map(|at| Look::Face {
                share: 0.9,
                photo: (100, 120),
                eyes: [
                    [20.0 + 5.0 * f32::from(at), 50.0],
                    [60.0 + 5.0 * f32::from(at), 50.0],
                ],
            })
            .collect();
        assert_eq!(of(&scattered), None, "eyes here and there");
    }

    #[test]
    fn faces_with_room_around_them_are_to_be_found() {
        use Look::NoFace;
        for (looks, expected) in [
            (vec![(face(0.4), 10)], Framing::Detect),
            (vec![(face(0.4), 8), (NoFace, 2)], Framing::Detect),
            (vec![(face(0.4), 7), (NoFace, 3)], Framing::AsIs),
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
            let survey = survey(&photos, Crops::Keep, |&at| {
                (at % 3 != 0).then_some(face(0.3))
            });
            assert_eq!(survey.looked_at, count - count.div_ceil(3));
        }
        assert_eq!(spread(7, 3), [0, 2, 4]);
    }

    #[test]
    fn small_photos_are_not_looked_at() {
        assert!(Look::is_too_small((4000, SMALL - 1)));
        assert!(!Look::is_too_small((SMALL, SMALL)));
    }

    #[test]
    fn rules_as_text() {
        for framing in [Framing::AsIs, Framing::Detect] {
            assert_eq!(framing.name().parse(), Ok(FramingRule::Given(framing)));
        }
        assert_eq!("auto".parse(), Ok(FramingRule::Auto));
        assert!("Detect".parse::<FramingRule>().is_err());
    }
}
