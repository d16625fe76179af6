//! Whether photos are faces already or hold faces somewhere: decided once, for a whole gallery.
//!
//! Aligning photos as people have them is what makes them recognisable; finding faces in photos that
//! were cropped by hand gains little, costs time, and loses those that the detector misses.

use std::fmt;
use std::str::FromStr;

use image::GrayImage;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Locator, main_face};
use crate::error::LocateError;

/// How photos become faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Framing {
    /// The photos are faces already, all cropped alike: take them whole.
    #[default]
    AsIs,
    /// Find the faces in every photo and align them by the eyes.
    Detect,
}

impl Framing {
    /// As a user types it.
    pub fn name(self) -> &'static str {
        match self {
            Self::AsIs => "as-is",
            Self::Detect => "detect",
        }
    }
}

impl fmt::Display for Framing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How the framing of a gallery is come by. As text `auto`, `as-is` or `detect`.
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
            "as-is" => Ok(Self::Given(Framing::AsIs)),
            "detect" => Ok(Self::Given(Framing::Detect)),
            _ => Err("expected auto, as-is or detect".to_owned()),
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

/// What one photo of a gallery looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Look {
    /// No face was found, or the photo is too small to look for one.
    NoFace,
    /// The main face's box takes this share of the photo's width.
    Face(f32),
}

impl Look {
    /// Looks at a photo.
    ///
    /// # Errors
    /// When the detector breaks down.
    pub fn at(photo: &GrayImage, locator: &Locator) -> Result<Self, LocateError> {
        let (width, height) = photo.dimensions();
        if width.min(height) < SMALL {
            return Ok(Self::NoFace);
        }
        let faces = locator.locate(photo)?;
        let main = main_face(&faces, (width, height)).and_then(|main| faces.get(main));
        Ok(main.map_or(Self::NoFace, |face| {
            Self::Face(face.bounds[2] / width as f32)
        }))
    }

    /// Whether there is a face with room around it.
    fn has_room(self) -> bool {
        matches!(self, Self::Face(share) if share < CROPPED)
    }
}

/// What a look at a gallery shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Survey {
    /// What follows from it.
    pub framing: Framing,
    /// Photos looked at.
    pub looked_at: usize,
    /// Of these, photos with a face.
    pub with_face: usize,
}

impl Survey {
    /// The rule: [`Framing::Detect`] where at least 80 % of the photos show a face and the middle one of
    /// these faces takes less than 60 % of its photo's width.
    pub fn of(looks: &[Look]) -> Self {
        let mut shares: Vec<f32> = looks
            .iter()
            .filter_map(|look| match look {
                Look::NoFace => None,
                Look::Face(share) => Some(*share),
            })
            .collect();
        shares.sort_by(f32::total_cmp);
        let showing = shares.len() * 100 >= looks.len() * SHOWING;
        let narrow = shares
            .get(shares.len() / 2)
            .is_some_and(|&middle| middle < CROPPED);
        Self {
            framing: match showing && narrow {
                true => Framing::Detect,
                false => Framing::AsIs,
            },
            looked_at: looks.len(),
            with_face: shares.len(),
        }
    }
}

/// Decides the framing of a gallery from some of its photos; always the same ones, whatever the threads.
///
/// `look` opens a photo and looks at it; photos that cannot be used (`None`) count for nothing.
pub fn survey<P: Sync>(photos: &[P], look: impl Fn(&P) -> Option<Look> + Sync) -> Survey {
    let sample = spread(photos.len(), SAMPLE);
    let stages = spread(sample.len(), FIRST);
    let (first, rest): (Vec<_>, Vec<_>) = (0..sample.len()).partition(|at| stages.contains(at));
    let look_at = |part: Vec<usize>| -> Vec<Look> {
        part.into_par_iter()
            .filter_map(|at| look(&photos[sample[at]]))
            .collect()
    };
    let mut looks = look_at(first);
    if looks.is_empty() || looks.iter().any(|look| look.has_room()) {
        looks.extend(look_at(rest));
    }
    Survey::of(&looks)
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
        Survey::of(&looks).framing
    }

    #[test]
    fn faces_with_room_around_them_are_to_be_found() {
        use Look::{Face, NoFace};
        for (looks, expected) in [
            (vec![(Face(0.4), 10)], Framing::Detect),
            (vec![(Face(0.4), 8), (NoFace, 2)], Framing::Detect),
            (vec![(Face(0.4), 7), (NoFace, 3)], Framing::AsIs),
            (vec![(Face(0.6), 10)], Framing::AsIs),
            (vec![(Face(0.59), 6), (Face(0.9), 4)], Framing::Detect),
            (vec![(Face(0.59), 4), (Face(0.9), 6)], Framing::AsIs),
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
            let survey = survey(&photos, |_| {
                looked.fetch_add(1, Ordering::Relaxed);
                Some(Look::Face(share))
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
            let survey = survey(&photos, |&at| (at % 3 != 0).then_some(Look::Face(0.3)));
            assert_eq!(survey.looked_at, count - count.div_ceil(3));
        }
        assert_eq!(spread(7, 3), [0, 2, 4]);
    }

    #[test]
    fn small_photos_are_not_looked_at() {
        let locator = Locator::new().unwrap();
        let look = Look::at(&GrayImage::new(4000, SMALL - 1), &locator);
        assert_eq!(look, Ok(Look::NoFace));
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
