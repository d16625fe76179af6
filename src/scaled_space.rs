//! The space of scaled pixels: each divided by its standard deviation, so that all count alike.
//!
//! With D the diagonal matrix of the deviations, a face has the weights w = Uᵀ D⁻¹(x - m) and is rebuilt as
//! m + D U w: see [`scaled`](crate::pca::scaled), which learns it. A pixel that never changed has the deviation 0; it
//! carries nothing, and is rebuilt as its mean.

use nalgebra::{DMatrix, DVector};

use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::face_space::{FaceSpace, Weights};
use crate::pca::projection;
use crate::pca::scaled::ScaledComponents;

/// The subspace of scaled pixels that k basis faces span about the mean face, in single precision.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaledSpace {
    inner: FaceSpace,
    /// d gray levels.
    deviations: DVector<f64>,
    /// D⁻¹ U, d x k; zero where the deviation is.
    projector: DMatrix<f32>,
}

impl ScaledSpace {
    /// The space of fitted components, for faces of the given size (d = width x height).
    pub fn new(size: FaceSize, found: &ScaledComponents) -> Self {
        let inner = FaceSpace::new(size, &found.components);
        let inverse = |deviation: f64| if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
        let projector = times(inner.basis(), &found.deviations, inverse);
        Self { inner, deviations: found.deviations.clone(), projector }
    }

    /// Mean, basis faces (U, orthonormal among scaled pixels) and variances; it projects and rebuilds scaled pixels, not plain ones.
    pub fn face_space(&self) -> &FaceSpace {
        &self.inner
    }

    /// The standard deviation of each pixel, d gray levels; exactly 0 for a pixel that never changed.
    pub fn deviations(&self) -> &DVector<f64> {
        &self.deviations
    }

    /// Number of pixels that never changed.
    pub fn constant_pixels(&self) -> usize {
        self.deviations.iter().filter(|deviation| **deviation == 0.0).count()
    }

    /// D U, the basis faces in gray levels, not orthonormal: d x k.
    pub fn basis_in_gray_levels(&self) -> DMatrix<f32> {
        times(self.inner.basis(), &self.deviations, |deviation| deviation)
    }

    /// D⁻¹ U, which a face less its mean is multiplied by to give its weights: d x k.
    pub fn projector(&self) -> &DMatrix<f32> {
        &self.projector
    }

    /// The weights Uᵀ D⁻¹(x - m) of each face (d x n), k x n, without a unit; bit for bit the same alone or among others.
    pub fn project(&self, faces: &FaceMatrix) -> Weights {
        projection::project(&self.projector, self.inner.mean().as_slice(), faces.as_slice())
            .expect("faces are of the size of their space")
    }
}

/// The basis (d x k), its row of each pixel times a factor that depends on the pixel's deviation.
fn times(basis: &DMatrix<f32>, deviations: &DVector<f64>, factor: impl Fn(f64) -> f64) -> DMatrix<f32> {
    let mut product = basis.clone();
    for mut face in product.column_iter_mut() {
        for (value, &deviation) in face.iter_mut().zip(deviations) {
            *value = (f64::from(*value) * factor(deviation)) as f32;
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pca::{ComponentCount, scaled};

    /// Twelve faces of noise whose first eight pixels never change.
    fn learned() -> (FaceMatrix, ScaledSpace) {
        let size = "8x9".parse().unwrap();
        let pixels = (0..72 * 12_u32).map(|i| match i % 72 {
            0..8 => 77,
            _ => (i.wrapping_mul(2_654_435_761) >> 24) as u8,
        });
        let faces = FaceMatrix::from_pixels(size, pixels.collect()).unwrap();
        let found = scaled::fit(&faces, ComponentCount::Share(1.0)).unwrap();
        (faces, ScaledSpace::new(size, &found))
    }

    #[test]
    fn what_was_learned_is_rebuilt_and_constant_pixels_are_exact() {
        let (faces, space) = learned();
        assert_eq!(space.constant_pixels(), 8);
        assert!((space.face_space().total_variance() - 64.0).abs() < 1e-9);
        let mean = space.face_space().mean();
        let basis = space.basis_in_gray_levels().map(f64::from);
        let weights = space.project(&faces).map(f64::from);
        for (face, weights) in faces.faces().zip(weights.column_iter()) {
            let rebuilt = mean + &basis * weights;
            assert!(rebuilt.iter().take(8).all(|&level| level == 77.0));
            for (&level, &pixel) in rebuilt.iter().zip(face) {
                assert!((level - f64::from(pixel)).abs() < 0.01);
            }
        }
    }

    #[test]
    fn a_constant_pixel_that_changes_after_all_counts_nothing() {
        let (faces, space) = learned();
        let mut changed = faces.face(3).to_vec();
        changed[..8].fill(255);
        let changed = FaceMatrix::from_pixels(faces.size(), changed).unwrap();
        let same = faces.select(&[3]).unwrap();
        assert_eq!(space.project(&changed), space.project(&same));
    }
}
