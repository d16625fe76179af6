//! Pictures that show no face, made up.

use image::{GrayImage, imageops};

use crate::error::Result;
use crate::face_matrix::{FaceMatrix, FaceSize};
use symmetric_eigen::Noise;

/// The blur of soft noise (standard deviation) in terms of the width: as fine as the features of a face.
const BLUR: f32 = 1.0 / 16.0;

/// Every pixel any gray level.
pub(super) fn noise(size: FaceSize, count: usize, random: &mut Noise) -> Result<FaceMatrix> {
    Ok(FaceMatrix::from_pixels(size, (0..count * size.pixels()).map(|_| random.below(256) as u8).collect())?)
}

/// Noise, blurred, and brought back to full contrast.
pub(super) fn blurred_noise(size: FaceSize, count: usize, random: &mut Noise) -> Result<FaceMatrix> {
    let sharp = noise(size, count, random)?;
    let blurred: Vec<GrayImage> = (0..count)
        .filter_map(|at| sharp.image(at))
        .map(|image| stretched(imageops::blur(&image, BLUR * size.width() as f32)))
        .collect();
    Ok(FaceMatrix::from_faces(size, &blurred)?)
}

/// From the darkest and lightest level to black and white.
fn stretched(mut image: GrayImage) -> GrayImage {
    let darkest = image.iter().min().copied().unwrap_or(0);
    let lightest = image.iter().max().copied().unwrap_or(255);
    let range = f32::from((lightest - darkest).max(1));
    for level in image.iter_mut() {
        *level = (f32::from(*level - darkest) / range * 255.0).round() as u8;
    }
    image
}

pub(super) fn upside_down(faces: &FaceMatrix) -> Result<FaceMatrix> {
    Ok(FaceMatrix::from_pixels(faces.size(), faces.faces().flat_map(|face| face.iter().rev().copied()).collect())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_reproducible_and_of_full_contrast() {
        let size = FaceSize::new(20, 24).unwrap();
        let one = blurred_noise(size, 3, &mut Noise::seeded(5)).unwrap();
        assert_eq!(one, blurred_noise(size, 3, &mut Noise::seeded(5)).unwrap());
        for face in one.faces() {
            assert_eq!((face.iter().min(), face.iter().max()), (Some(&0), Some(&255)));
        }
        let turned = upside_down(&one).unwrap();
        assert_eq!(turned.face(1)[0], one.face(1)[479]);
        assert_eq!(upside_down(&turned).unwrap(), one);
    }
}
