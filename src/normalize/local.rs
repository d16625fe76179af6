//! Local normalisation: how much brighter a pixel is than those around it, in units of their spread.
//!
//! Xie and Lam, An efficient illumination normalization method for face recognition, Pattern Recognition
//! Letters 27, 2006. Sums over windows are integers, exact.

use super::summed_area::SummedArea;
use crate::face_matrix::FaceSize;

/// The window reaches an eighth of the shorter side from the pixel, at least this far.
const LEAST_REACH: usize = 2;

/// Gray levels added to the spread, so that the noise of flat parts stays small.
const NOISE: f32 = 3.0;

/// Steps of the byte for one unit of spread: three units fill the range.
const STEPS: f32 = 42.0;

/// Treats a face in its place. As bright as its surroundings is 128.
pub fn apply(face: &mut [u8], size: FaceSize) {
    let (width, height) = (size.width() as usize, size.height() as usize);
    let reach = (width.min(height) / 8).max(LEAST_REACH);
    let sums = SummedArea::new(face, width);
    for (at, level) in face.iter_mut().enumerate() {
        let (x, y) = (at % width, at / width);
        let (left, right) = (x.saturating_sub(reach), (x + reach + 1).min(width));
        let (top, bottom) = (y.saturating_sub(reach), (y + reach + 1).min(height));
        let [sum, squares] = sums.within(left, top, right, bottom);
        let count = ((right - left) * (bottom - top)) as i64;
        // n² times the variance; at most (1000 x 1000)² x 255².
        let variance = (count * squares - sum * sum) as f32;
        let above = (count * i64::from(*level) - sum) as f32;
        let spread = variance.sqrt() + count as f32 * NOISE;
        *level = (128.0 + STEPS * above / spread).round() as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_of_light_vanishes_in_the_middle() {
        let size = FaceSize::new(60, 72).unwrap();
        let mut face: Vec<u8> = (0..60 * 72).map(|at| 40 + (at % 60) as u8 * 3).collect();
        apply(&mut face, size);
        assert!(
            face.chunks(60)
                .all(|row| row[7..53].iter().all(|&v| v == 128))
        );
    }
}
