//! One size for all faces: which, and how a photo is brought to it.
//!
//! A photo is never stretched. Where its shape differs from the faces' by more than [`ASPECT_TOLERANCE_PERCENT`], the
//! largest centred part of the right shape is kept and the rest cut off. Cut off rather than padded: padding puts the
//! same black bars at the same pixels of some photos and not of others, and PCA takes such bars for the greatest
//! difference between people; what is cut from the edges is background, and the face of a portrait lies in the middle.

use face_likelihood::resize::{self, cross, is_same_shape};
pub use face_likelihood::resize::{ASPECT_TOLERANCE_PERCENT, Fit, Scale, Shape};
use image::GrayImage;

use crate::error::{PhotoProblem, Result};
use crate::face_matrix::FaceSize;

/// Faces have at most this many pixels unless asked for; more recognise no better (docs/notebook/recognition.md).
const MOST_PIXELS: u64 = 3_600;

/// Chooses the size of faces from the sizes of all photos (width, height; upright).
///
/// The shape that most photos share (within [`ASPECT_TOLERANCE_PERCENT`]); of the photos of that shape, the middle one
/// by area gives the size: its own if that is at most 3,600 pixels, or else scaled down, shape kept, to at most that
/// many. The order of the photos does not matter. `None` if no photo is large enough to show a face.
pub fn choose_size(photos: &[(u32, u32)]) -> Option<FaceSize> {
    let mut usable: Vec<_> = photos.iter().copied().filter(|&(w, h)| w.min(h) >= FaceSize::MIN_SIDE).collect();
    usable.sort_unstable_by(|&a, &b| slimness(a, b).then_with(|| a.cmp(&b)));
    let mut same_shape = most_common_shape(&usable).to_vec();
    same_shape.sort_unstable_by_key(|&(width, height)| (area((width, height)), width));
    let &middle = same_shape.get(same_shape.len().checked_sub(1)? / 2)?;
    scaled_down(middle)
}

/// Orders shapes from upright to wide: w1 / h1 against w2 / h2, exactly.
fn slimness(a: (u32, u32), b: (u32, u32)) -> std::cmp::Ordering {
    let (left, right) = cross(a, b);
    left.cmp(&right)
}

fn area((width, height): (u32, u32)) -> u64 {
    u64::from(width) * u64::from(height)
}

/// The longest run of photos, sorted by shape, that still are one shape; of equal ones the most upright.
fn most_common_shape(sorted: &[(u32, u32)]) -> &[(u32, u32)] {
    let mut best: &[(u32, u32)] = &[];
    let mut start = 0;
    for end in 1..=sorted.len() {
        while !is_same_shape(sorted[start], sorted[end - 1]) {
            start += 1;
        }
        if end - start > best.len() {
            best = &sorted[start..end];
        }
    }
    best
}

/// The photo's own size, or the largest of its shape within [`MOST_PIXELS`].
fn scaled_down(photo: (u32, u32)) -> Option<FaceSize> {
    let (width, height) = photo;
    if area(photo) <= MOST_PIXELS
        && let Ok(size) = FaceSize::new(width, height)
    {
        return Some(size);
    }
    let most = MOST_PIXELS as f64;
    let aspect = f64::from(width) / f64::from(height);
    let bounded = |side: f64| side.clamp(FaceSize::MIN_SIDE.into(), FaceSize::MAX_SIDE.into());
    // Rounded down, and the other side from it, also down: never above the target.
    let (width, height) = if aspect >= 1.0 {
        let height = bounded((most / aspect).sqrt().floor());
        (bounded((height * aspect).round().min((most / height).floor())), height)
    } else {
        let width = bounded((most * aspect).sqrt().floor());
        (width, bounded((width / aspect).round().min((most / width).floor())))
    };
    FaceSize::new(width as u32, height as u32).ok()
}

/// Brings a gray photo to `size`, as [`face_likelihood::resize::fit`] does.
///
/// # Errors
/// [`PhotoProblem::TooSmall`] if a side is below [`FaceSize::MIN_SIDE`].
pub fn fit(photo: &GrayImage, size: FaceSize) -> Result<(GrayImage, Fit), PhotoProblem> {
    let (width, height) = photo.dimensions();
    resize::fit(photo, size).ok_or(PhotoProblem::TooSmall { width, height, min: FaceSize::MIN_SIDE })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chosen(photos: &[(u32, u32)]) -> String {
        choose_size(photos).map_or("none".into(), |size| size.to_string())
    }

    #[test]
    fn the_size_is_that_of_most_photos() {
        for (photos, expected) in [
            (vec![(92, 112); 10], "54x66"),
            (vec![(250, 250); 3], "60x60"),
            (vec![(40, 48); 3], "40x48"),
            (vec![(320, 243)], "68x52"),
            (vec![(3000, 4000), (4000, 3000), (1512, 2016)], "51x68"),
            (vec![(92, 112), (92, 112), (112, 92), (500, 500)], "54x66"),
            (vec![(4000, 100)], "360x9"),
            (vec![(100_000, 100)], "450x8"),
            (vec![(1, 1), (7, 100), (92, 112)], "54x66"),
            (vec![(1, 1)], "none"),
            (vec![], "none"),
        ] {
            assert_eq!(chosen(&photos), expected, "{photos:?}");
        }
    }

    #[test]
    fn nearly_equal_shapes_count_together() {
        let photos = [(100, 130), (200, 261), (301, 390), (80, 80), (80, 80)];
        assert_eq!(chosen(&photos), "52x68");
    }

    #[test]
    fn tiny_photos_are_refused() {
        let tiny = fit(&GrayImage::new(7, 100), FaceSize::ALIGNED);
        let error = tiny.unwrap_err().to_string();
        assert!(error.contains("7x100") && error.contains("8x8"), "{error}");
    }

    proptest! {
        #[test]
        fn the_chosen_size_keeps_the_shape_and_the_bound(w in 8..6000u32, h in 8..6000u32) {
            let size = choose_size(&[(w, h)]).unwrap();
            prop_assert!(size.pixels() <= 3_600);
            let (wanted, got) = (f64::from(w) / f64::from(h), f64::from(size.width()) / f64::from(size.height()));
            if (0.2..=5.0).contains(&wanted) {
                prop_assert!((got / wanted - 1.0).abs() < 0.06, "{} {}", wanted, size);
                prop_assert!(u64::from(w) * u64::from(h) < 3_600 || size.pixels() > 3_300);
            }
        }

        #[test]
        fn order_does_not_matter(mut photos in proptest::collection::vec((1..300u32, 1..300u32), 0..20)) {
            let first = choose_size(&photos);
            photos.reverse();
            prop_assert_eq!(choose_size(&photos), first);
        }
    }
}
