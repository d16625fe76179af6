//! Likelihood that a window is a face once its light is evened out: the distance in face space as well as that from it.

use correlation::Tiling;
use image::GrayImage;

use super::{WindowSums, leading_eigenfaces};
use crate::face_space::FaceSpace;

/// Σ w_i² / λ_i + ε² / ρ at every position, row after row; of windows with contrast, of others anything.
///
/// With the window x of level x̄ and deviation σ, and the mean face m of level m̄ and deviation s, z = (x - x̄) s/σ + m̄ is
/// the window evened out. Its weights u_iᵀ(z - m) come from the correlation u_iᵀx, and ‖z - m‖² from mᵀx.
pub(super) fn unlikeliness(space: &FaceSpace, leading: usize, picture: &GrayImage, sums: &WindowSums) -> Vec<f64> {
    let size = space.size();
    let (width, height) = (size.width() as usize, size.height() as usize);
    let d = size.pixels() as f64;
    let mean = space.mean().as_slice();
    let level = mean.iter().sum::<f64>() / d;
    let squares: f64 = mean.iter().map(|value| (value - level).powi(2)).sum();
    let spread = squares.sqrt();

    let eigenfaces = leading_eigenfaces(space, leading);
    let variances = &space.eigenvalues()[..eigenfaces.len()];
    let left_out = space.total_variance() - variances.iter().sum::<f64>();
    // Where all is kept, what is left out is rounding: a millionth of the whole.
    let left_out = left_out.max(1e-6 * space.total_variance());
    let outside = left_out / (d - variances.len() as f64).max(1.0);
    // Of each eigenface: its sum, and u_iᵀ m.
    let known: Vec<(f64, f64)> =
        eigenfaces.iter().map(|face| (face.iter().sum(), face.iter().zip(mean).map(|(u, m)| u * m).sum())).collect();
    let templates: Vec<&[f64]> = std::iter::once(mean).chain(eigenfaces.iter().map(Vec::as_slice)).collect();

    let columns = picture.width() as usize - width + 1;
    // What the window is multiplied by, and its level.
    let light = |position: usize| {
        let (x, y) = (position % columns, position / columns);
        let contrast = sums.contrast(x, y);
        let factor = if contrast > 0.0 { spread / contrast.sqrt() } else { 0.0 };
        (factor, sums.over(x, y)[0] as f64 / d)
    };
    let positions = columns * (picture.height() as usize - height + 1);
    let lights: Vec<(f64, f64)> = (0..positions).map(light).collect();
    let mut unlikely = vec![2.0 * squares / outside; positions];
    Tiling::new(picture, (width, height)).correlate(&templates, &mut unlikely, |position, template, correlation| {
        let (factor, own) = lights[position];
        match template.checked_sub(1) {
            // Both have the length s √d about their level: ‖z - m‖² is twice its square less twice their product.
            None => -2.0 * factor * (correlation - d * own * level) / outside,
            Some(at) => {
                let (sum, of_mean) = known[at];
                let weight = factor * (correlation - own * sum) + level * sum - of_mean;
                weight.powi(2) * (1.0 / variances[at] - 1.0 / outside)
            }
        }
    });
    unlikely
}
