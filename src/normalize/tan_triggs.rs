//! Tan and Triggs' chain against hard light: compress levels, keep a band of detail, equalise contrast.
//!
//! Tan and Triggs, Enhanced local texture feature sets for face recognition under difficult lighting
//! conditions, IEEE Transactions on Image Processing 19(6), 2010, with their parameters: gamma 0.2,
//! difference of Gaussians of 1 and 2 pixels, contrast equalisation with exponent 0.1 and limit 10.

use crate::face_matrix::FaceSize;
use crate::vectors::vectorised_mut;

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
    let compressed: Vec<f32> = {
        let levels: [f32; 256] = std::array::from_fn(|level| (level as f32).powf(GAMMA));
        face.iter()
            .map(|&level| levels[usize::from(level)])
            .collect()
    };
    let (fine, coarse) = (
        blurred(&compressed, width, NARROW),
        blurred(&compressed, width, WIDE),
    );
    let mut detail: Vec<f32> = fine
        .iter()
        .zip(coarse)
        .map(|(fine, coarse)| fine - coarse)
        .collect();
    for level in &mut detail {
        if level.abs() < NOTHING {
            *level = 0.0;
        }
    }
    equalise(&mut detail, f32::INFINITY);
    equalise(&mut detail, LIMIT);
    for (byte, level) in face.iter_mut().zip(detail) {
        *byte = (128.0 + 127.0 * (level / LIMIT).tanh()).round() as u8;
    }
}

/// Divides by the generalised mean of magnitudes, none counting more than `most`; nothing stays nothing.
fn equalise(detail: &mut [f32], most: f32) {
    let powers = detail
        .iter()
        .map(|level| f64::from(level.abs().min(most).powf(EXPONENT)));
    let mean = powers.sum::<f64>() / detail.len() as f64;
    let contrast = mean.powf(1.0 / f64::from(EXPONENT)) as f32;
    if contrast > 0.0 {
        for level in detail {
            *level /= contrast;
        }
    }
}

/// Blurred by a Gaussian of so many pixels, cut at three of them, the border repeated outside.
fn blurred(picture: &[f32], width: usize, pixels: f32) -> Vec<f32> {
    let reach = (3.0 * pixels).ceil() as isize;
    let mut weights: Vec<f32> = (-reach..=reach)
        .map(|at| (-0.5 * (at as f32 / pixels).powi(2)).exp())
        .collect();
    let total: f32 = weights.iter().sum();
    for weight in &mut weights {
        *weight /= total;
    }
    let mut both = vec![0.0; picture.len()];
    vectorised_mut(
        #[inline(always)]
        || {
            let across = blurred_across(picture, width, &weights);
            blur_down(&across, width, &weights, &mut both);
        },
    );
    both
}

/// Rows blurred by an odd number of weights.
#[inline(always)]
fn blurred_across(picture: &[f32], width: usize, weights: &[f32]) -> Vec<f32> {
    let reach = weights.len() / 2;
    let mut across = vec![0.0; picture.len()];
    let mut padded = vec![0.0; width + 2 * reach];
    let rows = picture.chunks_exact(width);
    for (row, blurred) in rows.zip(across.chunks_exact_mut(width)) {
        padded[..reach].fill(row[0]);
        padded[reach..][..width].copy_from_slice(row);
        padded[reach + width..].fill(row[width - 1]);
        for (step, weight) in weights.iter().enumerate() {
            add(blurred, &padded[step..], *weight);
        }
    }
    across
}

/// Columns blurred by an odd number of weights.
#[inline(always)]
fn blur_down(picture: &[f32], width: usize, weights: &[f32], down: &mut [f32]) {
    let (height, reach) = (picture.len() / width, weights.len() / 2);
    for (y, blurred) in down.chunks_exact_mut(width).enumerate() {
        for (step, weight) in weights.iter().enumerate() {
            let near = (y + step).saturating_sub(reach).min(height - 1);
            add(blurred, &picture[near * width..], *weight);
        }
    }
}

/// Adds levels, weighted, to sums.
#[inline(always)]
fn add(sums: &mut [f32], levels: &[f32], weight: f32) {
    for (sum, level) in sums.iter_mut().zip(levels) {
        *sum += weight * level;
    }
}
