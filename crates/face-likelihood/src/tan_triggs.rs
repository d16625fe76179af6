//! Tan and Triggs' chain against hard light: compress levels, keep a band of detail, equalise contrast.
//!
//! Tan and Triggs, Enhanced local texture feature sets for face recognition under difficult lighting
//! conditions, IEEE Transactions on Image Processing 19(6), 2010, with their parameters: gamma 0.2,
//! difference of Gaussians of 1 and 2 pixels, contrast equalisation with exponent 0.1 and limit 10.
//!
//! Blurs add what lies on both sides first, and means are of whole numbers: a mirrored face stays mirrored to the last bit.

use crate::elementary::{power, tanh};
use crate::face_matrix::FaceSize;
use vectorised::{vectorised_mut, whole};

const GAMMA: f32 = 0.2;
const NARROW: f32 = 1.0;
const WIDE: f32 = 2.0;
const EXPONENT: f32 = 0.1;
const LIMIT: f32 = 10.0;

/// Detail fainter than this is the rounding of sums: compressed levels go from 0 to 3.
const NOTHING: f32 = 1e-5;

/// Treats a face in its place. No detail is 128; what goes to the limit, 1 or 255.
pub fn apply(face: &mut [u8], size: FaceSize) {
    let width = size.width() as usize;
    vectorised_mut(
        #[inline(always)]
        || {
            let compressed = compressed(face);
            let mut detail = blurred(&compressed, width, NARROW);
            let coarse = blurred(&compressed, width, WIDE);
            for (level, coarse) in detail.iter_mut().zip(&coarse) {
                let difference = *level - coarse;
                *level = if difference.abs() < NOTHING { 0.0 } else { difference };
            }
            equalise(&mut detail, width, f32::INFINITY);
            equalise(&mut detail, width, LIMIT);
            for (byte, level) in face.iter_mut().zip(&detail) {
                *byte = whole(128.5 + 127.0 * tanh(level / LIMIT)) as u8;
            }
        },
    );
}

#[inline(always)]
fn compressed(face: &[u8]) -> Vec<f32> {
    let mut levels = [0.0; 256];
    for (level, compressed) in levels.iter_mut().enumerate() {
        *compressed = power(level as f32, GAMMA);
    }
    face.iter().map(|&level| levels[usize::from(level)]).collect()
}

/// Divides by the generalised mean of magnitudes, none counting more than `most`; nothing stays nothing.
#[inline(always)]
fn equalise(detail: &mut [f32], width: usize, most: f32) {
    /// Powers are added in units of 2^-20. Below four, as those of magnitudes below a million are, a row of them fits into 32 bits.
    const UNIT: f32 = (1 << 20) as f32;
    let mut sum = 0;
    for row in detail.chunks_exact(width) {
        let mut sum_of_row = 0;
        for level in row {
            sum_of_row += whole(power(level.abs().min(most), EXPONENT) * UNIT);
        }
        sum += u64::from(sum_of_row);
    }
    let mean = sum as f32 / UNIT / detail.len() as f32;
    let contrast = power(mean, 1.0 / EXPONENT);
    if contrast > 0.0 {
        for level in detail {
            *level /= contrast;
        }
    }
}

/// Blurred by a Gaussian of so many pixels, cut at three of them, the border repeated outside.
#[inline(always)]
fn blurred(picture: &[f32], width: usize, pixels: f32) -> Vec<f32> {
    let weights = gaussian(pixels);
    let mut blurred = vec![0.0; picture.len()];
    blur_down(&blurred_across(picture, width, &weights), width, &weights, &mut blurred);
    blurred
}

/// Weights of the middle of a Gaussian of so many pixels and of those beside it on one side, up to three times as far.
#[inline(always)]
fn gaussian(pixels: f32) -> Vec<f32> {
    let reach = (3.0 * pixels).ceil() as u16;
    let falling = |at: u16| libm::expf(-0.5 * (f32::from(at) / pixels).powi(2));
    let weights = (0..=reach).map(falling);
    let total = 2.0 * weights.clone().sum::<f32>() - 1.0;
    weights.map(|weight| weight / total).collect()
}

#[inline(always)]
fn blurred_across(picture: &[f32], width: usize, weights: &[f32]) -> Vec<f32> {
    let reach = weights.len() - 1;
    let mut across = vec![0.0; picture.len()];
    let mut padded = vec![0.0; width + 2 * reach];
    for (row, blurred) in picture.chunks_exact(width).zip(across.chunks_exact_mut(width)) {
        padded[..reach].fill(row[0]);
        padded[reach..][..width].copy_from_slice(row);
        padded[reach + width..].fill(row[width - 1]);
        start(blurred, row, weights[0]);
        for (far, weight) in weights.iter().enumerate().skip(1) {
            add(blurred, &padded[reach - far..], &padded[reach + far..], *weight);
        }
    }
    across
}

#[inline(always)]
fn blur_down(picture: &[f32], width: usize, weights: &[f32], down: &mut [f32]) {
    let last = picture.len() / width - 1;
    let row = |y: usize| &picture[y * width..][..width];
    for (y, blurred) in down.chunks_exact_mut(width).enumerate() {
        start(blurred, row(y), weights[0]);
        for (far, weight) in weights.iter().enumerate().skip(1) {
            add(blurred, row(y.saturating_sub(far)), row((y + far).min(last)), *weight);
        }
    }
}

#[inline(always)]
fn start(sums: &mut [f32], levels: &[f32], weight: f32) {
    for (sum, level) in sums.iter_mut().zip(levels) {
        *sum = weight * level;
    }
}

/// Adds levels of both sides, weighted, to sums.
#[inline(always)]
fn add(sums: &mut [f32], before: &[f32], after: &[f32], weight: f32) {
    let (before, after) = (&before[..sums.len()], &after[..sums.len()]);
    for ((sum, before), after) in sums.iter_mut().zip(before).zip(after) {
        *sum += weight * (before + after);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    fn size(width: u32, height: u32) -> FaceSize {
        FaceSize::new(width, height).unwrap()
    }

    fn applied(face: &[u8], size: FaceSize) -> Vec<u8> {
        let mut face = face.to_vec();
        apply(&mut face, size);
        face
    }

    fn mirrored(face: &[u8], size: FaceSize) -> Vec<u8> {
        face.chunks_exact(size.width() as usize).flat_map(|row| row.iter().rev().copied()).collect()
    }

    /// The reference is of tests/reference/tan_triggs.py.
    #[test]
    fn as_numpy_does_in_double_precision() {
        let open = |path: &str| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
            image::open(path).unwrap().into_luma8()
        };
        let face = open("../../faces/Ada/1.png");
        let treated = applied(&face, size(face.width(), face.height()));
        let reference = open("tests/reference/tan-triggs.png");
        let mut pairs = treated.iter().zip(reference.as_raw());
        assert!(pairs.all(|(here, there)| here.abs_diff(*there) <= 1));
    }

    #[test]
    fn flat_faces_stay_flat() {
        for (width, height) in [(8, 8), (9, 13), (60, 72), (61, 73)] {
            for level in [0, 1, 77, 255] {
                let size = size(width, height);
                let face = applied(&vec![level; size.pixels()], size);
                assert!(face.iter().all(|&v| v == face[0]), "{size} {level}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn left_and_right_are_treated_alike_and_detail_is_kept(
            (width, height) in (8_u32..40, 8_u32..40),
            levels in proptest::collection::vec(any::<u8>(), 40 * 40),
        ) {
            let size = size(width, height);
            let face = &levels[..size.pixels()];
            let once = applied(face, size);
            prop_assert!(once.iter().min() < once.iter().max(), "noise became flat");
            prop_assert_eq!(applied(&mirrored(face, size), size), mirrored(&once, size));
        }
    }
}
