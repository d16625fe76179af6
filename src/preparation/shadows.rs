//! Faces that lie in shadow, aligned without the loss of their few gray levels.
//!
//! A face lit from the side or from behind has some ten gray levels where it is dark. Resizing rounds them once more, and
//! what is left tells nobody apart. So where much of an aligned face is nearly black, levels are compressed by a power
//! before they are averaged, and stretched before they are rounded; all other faces stay as they are. What it gives:
//! docs/notebook/recognition.md, "Light from the side".

use face_likelihood::elementary::power;
use image::GrayImage;

use crate::face_matrix::FaceSize;
use crate::locate::align::{EyePlacement, Point, align, align_with_tone};

/// A level below which a place is nearly black.
const NEARLY_BLACK: u8 = 24;

/// The exponent by which levels are compressed.
const GAMMA: f32 = 0.4;

/// One place in this number may be brighter than white.
const BRIGHTER_THAN_WHITE: usize = 200;

/// The face whose eyes are given, aligned by `placement`; its shadows lifted where a quarter is nearly black.
pub(super) fn aligned(photo: &GrayImage, eyes: [Point; 2], size: FaceSize, placement: EyePlacement) -> GrayImage {
    let sides = (size.width(), size.height());
    let face = align(photo, eyes, sides, placement);
    if !is_in_shadow(&face) {
        return face;
    }
    let levels = align_with_tone(photo, eyes, sides, placement, |level| power(level, GAMMA));
    GrayImage::from_raw(sides.0, sides.1, stretched(&levels)).unwrap_or(face)
}

fn is_in_shadow(face: &GrayImage) -> bool {
    4 * face.iter().filter(|&&level| level < NEARLY_BLACK).count() > face.len()
}

/// Levels as bytes, all but the brightest of which reach white; black stays black.
fn stretched(levels: &[f32]) -> Vec<u8> {
    let mut sorted = levels.to_vec();
    sorted.sort_by(f32::total_cmp);
    let white = sorted[sorted.len() - 1 - sorted.len() / BRIGHTER_THAN_WHITE].max(f32::MIN_POSITIVE);
    let byte = |level: &f32| (level / white * 255.0).clamp(0.0, 255.0).round() as u8;
    levels.iter().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACEMENT: EyePlacement = EyePlacement { inset: 0.26, level: 0.36 };
    const EYES: [Point; 2] = [[60.0, 80.0], [140.0, 80.0]];

    /// A photo whose level rises from left to right, times a share.
    fn lit(share: f32) -> GrayImage {
        GrayImage::from_fn(200, 220, |x, y| {
            let level = 40.0 + 0.5 * x as f32 + 40.0 * libm::sinf(y as f32 / 9.0);
            image::Luma([(level * share).round().max(0.0) as u8])
        })
    }

    fn of(photo: &GrayImage) -> GrayImage {
        aligned(photo, EYES, FaceSize::ALIGNED, PLACEMENT)
    }

    #[test]
    fn a_face_in_light_stays_as_it_is() {
        let photo = lit(1.0);
        assert_eq!(of(&photo), align(&photo, EYES, (64, 74), PLACEMENT));
    }

    /// A twentieth of the light leaves some eight levels; more than twice as many stay where shadows are lifted.
    #[test]
    fn a_dark_face_keeps_its_levels() {
        let levels = |face: &GrayImage| {
            let all: std::collections::BTreeSet<u8> = face.iter().copied().collect();
            all.len()
        };
        let dark = lit(0.05);
        let plain = levels(&align(&dark, EYES, (64, 74), PLACEMENT));
        let lifted = of(&dark);
        assert!(plain < 12, "{plain}");
        assert!(levels(&lifted) > 2 * plain, "{}", levels(&lifted));
        assert_eq!(lifted.iter().max(), Some(&255));
    }

    #[test]
    fn black_stays_black() {
        assert!(of(&GrayImage::new(200, 220)).iter().all(|&level| level == 0));
    }
}
