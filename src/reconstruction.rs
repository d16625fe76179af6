//! A face rebuilt from more and more basis faces, and what each step still lacks.

use crate::face_space::FaceSpace;

/// Steps that are worth looking at: early ones change most.
const STEPS: [usize; 10] = [1, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];

/// The steps for a face space of k components: 0 (the mean face), 1, 5, 10, 20, 50, ... and k itself.
pub fn default_steps(k: usize) -> Vec<usize> {
    let early = STEPS.into_iter().take_while(|&step| step < k);
    std::iter::once(0).chain(early).chain([k]).collect()
}

/// A face m + U w rebuilt from its leading weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Reconstruction {
    /// How many weights, and so basis faces, were used.
    pub components: usize,
    /// d gray levels, not clamped.
    pub levels: Vec<f32>,
}

/// How far a rebuilt face is from the one it was made from, over all d pixels. Gray levels are not clamped
/// before they are compared: so the squared error is exactly what the left-out basis faces carry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReconstructionError {
    /// Root mean square difference, in gray levels.
    pub rms: f64,
    /// The share of the squared distance between face and mean face that is explained, 0 to 1. A face that
    /// is the mean face itself is wholly explained.
    pub explained: f64,
}

impl ReconstructionError {
    /// Peak signal-to-noise ratio in decibels, 20 log10(255 / rms); `None` where nothing differs.
    pub fn psnr(&self) -> Option<f64> {
        (self.rms > 0.0).then(|| 20.0 * (255.0 / self.rms).log10())
    }
}

impl Reconstruction {
    /// The face with these weights rebuilt at each step, in increasing order; steps beyond the weights or
    /// the k basis faces are left out.
    pub fn steps(space: &FaceSpace, weights: &[f32], steps: &[usize]) -> Vec<Self> {
        let most = weights.len().min(space.components());
        let mut wanted: Vec<usize> = steps.iter().copied().filter(|&step| step <= most).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut face: Vec<f32> = space.mean().iter().map(|&level| level as f32).collect();
        let mut used = 0;
        wanted
            .into_iter()
            .map(|components| {
                for (at, &weight) in weights.iter().enumerate().take(components).skip(used) {
                    for (level, &value) in face.iter_mut().zip(space.basis().column(at).iter()) {
                        *level += weight * value;
                    }
                }
                used = components;
                Self {
                    components,
                    levels: face.clone(),
                }
            })
            .collect()
    }

    /// What it lacks of the original (d gray levels).
    pub fn error(&self, space: &FaceSpace, original: &[f32]) -> ReconstructionError {
        let squared = |other: &mut dyn Iterator<Item = f64>| -> f64 {
            original
                .iter()
                .zip(other)
                .map(|(&level, other)| (f64::from(level) - other).powi(2))
                .sum()
        };
        let error = squared(&mut self.levels.iter().map(|&level| f64::from(level)));
        let from_mean = squared(&mut space.mean().iter().copied());
        ReconstructionError {
            rms: (error / space.pixels() as f64).sqrt(),
            explained: if from_mean > 0.0 {
                (1.0 - error / from_mean).clamp(0.0, 1.0)
            } else {
                1.0
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face_matrix::FaceMatrix;
    use crate::pca::{ComponentCount, Pca};

    fn learned() -> (FaceMatrix, FaceSpace) {
        let size = "8x9".parse().unwrap();
        let pixels = (0..72 * 12).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8);
        let faces = FaceMatrix::from_pixels(size, pixels.collect()).unwrap();
        let pca = Pca {
            components: ComponentCount::Count(11),
            ..Pca::default()
        };
        let space = FaceSpace::new(size, &pca.fit(&faces).unwrap());
        (faces, space)
    }

    fn levels(face: &[u8]) -> Vec<f32> {
        face.iter().map(|&pixel| f32::from(pixel)).collect()
    }

    #[test]
    fn each_step_explains_more_and_all_basis_faces_explain_a_face_learned_from() {
        let (faces, space) = learned();
        let weights = space.project(&faces);
        for (at, face) in faces.faces().enumerate() {
            let steps: Vec<usize> = (0..=11).collect();
            let rebuilt = Reconstruction::steps(&space, weights.column(at).as_slice(), &steps);
            let errors: Vec<_> = rebuilt
                .iter()
                .map(|step| step.error(&space, &levels(face)))
                .collect();
            let nothing = errors[0].explained;
            assert!(
                nothing.abs() < 1e-6,
                "the mean face explains nothing, not {nothing}"
            );
            assert!(
                errors
                    .windows(2)
                    .all(|pair| pair[1].rms <= pair[0].rms + 1e-4)
            );
            assert!(errors[11].rms < 1e-3 && errors[11].explained > 0.999_999);
        }
    }

    #[test]
    fn the_squared_error_is_what_left_out_weights_carry() {
        let (faces, space) = learned();
        let weights = space.project(&faces);
        let weights = weights.column(3);
        let rebuilt = Reconstruction::steps(&space, weights.as_slice(), &[7, 4]);
        assert_eq!(
            rebuilt.iter().map(|r| r.components).collect::<Vec<_>>(),
            [4, 7]
        );
        for step in rebuilt {
            let left_out: f64 = weights
                .iter()
                .skip(step.components)
                .map(|&weight| f64::from(weight).powi(2))
                .sum();
            let error = step.error(&space, &levels(faces.face(3)));
            assert!((error.rms.powi(2) * 72.0 - left_out).abs() < 1e-3 * left_out);
        }
    }

    #[test]
    fn steps_end_with_k_and_ignore_what_is_not_there() {
        assert_eq!(default_steps(83), [0, 1, 5, 10, 20, 50, 83]);
        assert_eq!(default_steps(1), [0, 1]);
        assert_eq!(default_steps(20), [0, 1, 5, 10, 20]);
        let (faces, space) = learned();
        let weights = space.project(&faces);
        let rebuilt = Reconstruction::steps(&space, &weights.column(0).as_slice()[..5], &[2, 6]);
        assert_eq!(rebuilt.len(), 1);
    }

    #[test]
    fn nothing_wrong_has_no_decibels() {
        let none = ReconstructionError {
            rms: 0.0,
            explained: 1.0,
        };
        assert_eq!(none.psnr(), None);
        let one = ReconstructionError {
            rms: 25.5,
            explained: 0.5,
        };
        assert!((one.psnr().unwrap() - 20.0).abs() < 1e-12);
    }
}
