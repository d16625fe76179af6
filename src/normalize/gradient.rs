//! Gradient orientation: whether it gets brighter upwards or downwards, and how straight, not how much.
//!
//! Zhang et al., Face recognition under varying illumination using Gradientfaces, IEEE Transactions on Image
//! Processing 18(11), 2009, take the angle itself, which has a seam where full turn meets none: two bytes far
//! apart for one direction. Here it is the sine of the angle: without a seam, the same for a mirrored face,
//! and blind to whether light comes from the left or the right.

use crate::face_matrix::FaceSize;

/// Gradients as faint as this, in gray levels a pixel, count half: below is noise.
const FAINT: f32 = 1.0;

/// Levels are smoothed over (1 2 1) x (1 2 1) and differences taken over two pixels: a gradient of one
/// level a pixel is 32.
const UNIT: f32 = 32.0;

/// Treats a face in its place. Brighter downwards is 255, upwards 0, sideways or flat 128.
pub fn apply(face: &mut [u8], size: FaceSize) {
    let (width, height) = (size.width() as usize, size.height() as usize);
    let smooth = smoothed(face, width);
    let at = |x: usize, y: usize| smooth[y * width + x];
    for y in 0..height {
        let (above, below) = (y.saturating_sub(1), (y + 1).min(height - 1));
        for x in 0..width {
            let (before, after) = (x.saturating_sub(1), (x + 1).min(width - 1));
            let across = (at(after, y) - at(before, y)) as f32;
            let down = (at(x, below) - at(x, above)) as f32;
            let magnitude = (across * across + down * down).sqrt();
            let sine = down / (magnitude + FAINT * UNIT);
            face[y * width + x] = (127.5 + 127.5 * sine).round() as u8;
        }
    }
}

/// Sixteen times the levels, smoothed by (1 2 1) both ways, the border repeated outside.
fn smoothed(face: &[u8], width: usize) -> Vec<i32> {
    let across: Vec<i32> = face
        .chunks_exact(width)
        .flat_map(|row| {
            (0..width).map(|x| {
                let at = |x: usize| i32::from(row[x.min(width - 1)]);
                at(x.saturating_sub(1)) + 2 * at(x) + at(x + 1)
            })
        })
        .collect();
    let last = face.len() / width - 1;
    (0..across.len())
        .map(|at| {
            let (x, y) = (at % width, at / width);
            let row = |y: usize| across[y.min(last) * width + x];
            row(y.saturating_sub(1)) + 2 * row(y) + row(y + 1)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_down_and_sideways() {
        let size = FaceSize::new(60, 72).unwrap();
        let middle = |level: fn(usize, usize) -> usize| {
            let mut face: Vec<u8> = (0..60 * 72)
                .map(|at| level(at % 60, at / 60) as u8)
                .collect();
            apply(&mut face, size);
            face[36 * 60 + 30]
        };
        assert_eq!(middle(|x, _| 4 * x), 128);
        assert!(middle(|_, y| 3 * y) > 220 && middle(|_, y| 250 - 3 * y) < 35);
        assert!(
            (175..185).contains(&middle(|x, y| x + y)),
            "half way, a little faint"
        );
    }
}
