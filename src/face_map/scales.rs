//! Face maps of one photo at several scales: faces of any size stand out in one of them.

use image::{GrayAlphaImage, GrayImage, LumaA};

use super::{FaceMap, Measure, scaled};
use crate::error::PhotoProblem;
use crate::face_matrix::FaceSize;
use crate::face_space::FaceSpace;

/// From one scale to the next: a face is within a tenth of the right size in one of them.
const STEP: f64 = 1.2;
/// Width of the smallest faces looked for, in pixels and as a part of the photo's side (the root of its area).
const SMALLEST: f64 = 24.0;
const SMALLEST_PART: f64 = 20.0;
/// Pixels of the largest map, about.
const MOST_PIXELS: f64 = 4e6;
/// Two places are the same where the smaller is covered by the other to this share.
const SAME: f64 = 0.3;
/// Of this number of positions one may be off the scale of the picture: flat walls would take all of it otherwise.
const BRIGHTEST: usize = 20;

/// One map for each scale of a photo.
#[derive(Debug, Clone, PartialEq)]
pub struct FaceMaps {
    size: FaceSize,
    photo: (u32, u32),
    /// Each scale with its map, from the largest scale (the smallest faces) on.
    maps: Vec<(f64, FaceMap)>,
}

/// A local minimum of a map, as a part of the photo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalMinimum {
    /// Left, top, width and height, in pixels of the photo.
    pub part: [f64; 4],
    /// The scale of the photo at which this part has the size of a face.
    pub scale: f64,
    /// The value of the map there.
    pub value: f64,
}

impl FaceMaps {
    /// The maps of a photo for faces from a twentieth of its side (at least 24 pixels) to all of it. Of use with
    /// [`Measure::Likelihood`], whose values at different scales can be compared.
    ///
    /// # Errors
    /// A photo of less than 24 pixels, in which no face is looked for.
    pub fn new(space: &FaceSpace, leading: usize, photo: &GrayImage, measure: Measure) -> Result<Self, PhotoProblem> {
        let size = space.size();
        let (width, height) = (f64::from(photo.width()), f64::from(photo.height()));
        let (face, tall) = (f64::from(size.width()), f64::from(size.height()));
        if width.min(height) < SMALLEST {
            return Err(PhotoProblem::Unmapped {
                reason: format!("{width}x{height} pixels are too few to look for faces in"),
            });
        }
        let side = (width * height).sqrt();
        let smallest = SMALLEST.max(side / SMALLEST_PART).max(face * side / MOST_PIXELS.sqrt());
        // The face as wide or as high as the photo.
        let last = (face / width).max(tall / height);
        let mut maps = Vec::new();
        let mut scale = (face / smallest).max(last);
        while scale >= last {
            let picture = scaled(photo, scale);
            // Rounding may take the last column or row.
            if picture.width() >= size.width() && picture.height() >= size.height() {
                maps.push((scale, FaceMap::new(space, leading, &picture, measure)?));
            }
            scale /= STEP;
        }
        Ok(Self { size, photo: photo.dimensions(), maps })
    }

    /// The scales, from the largest on.
    pub fn scales(&self) -> impl Iterator<Item = f64> {
        self.maps.iter().map(|(scale, _)| *scale)
    }

    /// The lowest places over all scales, lowest first, at most `count`, no two the same.
    pub fn places(&self, count: usize) -> Vec<LocalMinimum> {
        let (width, height) = (f64::from(self.size.width()), f64::from(self.size.height()));
        let mut all: Vec<LocalMinimum> = Vec::new();
        for (scale, map) in &self.maps {
            all.extend(map.minima(2 * count).into_iter().map(|minimum| LocalMinimum {
                part: [f64::from(minimum.x), f64::from(minimum.y), width, height].map(|edge| edge / scale),
                scale: *scale,
                value: minimum.value,
            }));
        }
        all.sort_by(|a, b| a.value.total_cmp(&b.value));
        let mut kept: Vec<LocalMinimum> = Vec::new();
        for place in all {
            if kept.len() < count && !kept.iter().any(|other| place.covers(other) > SAME) {
                kept.push(place);
            }
        }
        kept
    }

    /// The maps as one picture of the photo's size, each place as dark as the darkest window about it: black the lowest
    /// value, white what one place in twenty exceeds, transparent where no window fits. And the values of black and white.
    pub fn shaded(&self) -> (GrayAlphaImage, [f64; 2]) {
        let lowest = |x: u32, y: u32| {
            let (x, y) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
            self.maps.iter().filter_map(|(scale, map)| map.value_at(x * scale, y * scale)).min_by(f64::total_cmp)
        };
        let (width, height) = self.photo;
        let values: Vec<Option<f64>> = (0..height).flat_map(|y| (0..width).map(move |x| lowest(x, y))).collect();
        let mut sorted: Vec<f64> = values.iter().flatten().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let lowest = sorted.first().copied().unwrap_or(0.0);
        let beyond = (sorted.len() / BRIGHTEST + 1).min(sorted.len());
        let highest = sorted.iter().rev().nth(beyond.saturating_sub(1)).copied().unwrap_or(lowest);
        let range = if highest > lowest { highest - lowest } else { 1.0 };
        let picture = GrayAlphaImage::from_fn(width, height, |x, y| {
            let shade = |value: f64| ((value - lowest) / range * 255.0).round().clamp(0.0, 255.0) as u8;
            let value = values[y as usize * width as usize + x as usize];
            LumaA(value.map_or([128, 0], |value| [shade(value), u8::MAX]))
        });
        (picture, [lowest, lowest + range])
    }
}

impl LocalMinimum {
    /// The share of the smaller of two places that the other covers.
    fn covers(&self, other: &Self) -> f64 {
        let along = |at: usize| {
            let (a, b) = (self.part, other.part);
            let end = (a[at] + a[at + 2]).min(b[at] + b[at + 2]);
            (end - a[at].max(b[at])).max(0.0)
        };
        let area = |part: [f64; 4]| part[2] * part[3];
        along(0) * along(1) / area(self.part).min(area(other.part))
    }
}
