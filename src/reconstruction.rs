//! A face rebuilt from more and more basis faces (of a kernel: pre-images), and what each step still lacks.

use nalgebra::DMatrix;

use crate::kernel_pca::pre_image::{PreImageMethod, PreImages, RIDGE};
use crate::matcher::Space;

/// Steps that are worth looking at: early ones change most.
const STEPS: [usize; 10] = [1, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];

/// The steps for a face space of k components: 0 (the mean face), 1, 5, 10, 20, 50, ... and k itself.
pub fn default_steps(k: usize) -> Vec<usize> {
    let early = STEPS.into_iter().take_while(|&step| step < k);
    std::iter::once(0).chain(early).chain([k]).collect()
}

/// A face m + U w rebuilt from its leading weights; of scaled pixels m + D U w.
#[derive(Debug, Clone, PartialEq)]
pub struct Reconstruction {
    /// Number of weights, and so of basis faces, that were used.
    pub components: usize,
    /// d gray levels, not clamped.
    pub levels: Vec<f32>,
    /// The method by which the pre-image was found, if it is one.
    pub pre_image: Option<PreImageMethod>,
}

/// The parts of a face that are to be rebuilt.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps<'a> {
    /// Its weights, at most k.
    pub weights: &'a [f32],
    /// From how many of them each time; more than there are is left out.
    pub steps: &'a [usize],
}

impl Steps<'_> {
    /// The steps in increasing order.
    fn in_order(&self, k: usize) -> Vec<usize> {
        let most = self.weights.len().min(k);
        let mut steps: Vec<usize> = self.steps.iter().copied().filter(|&step| step <= most).collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    }
}

/// The difference of a rebuilt face from the one it was made from, over all d pixels. Gray levels are not clamped
/// before they are compared: so the squared error is exactly what the left-out basis faces carry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReconstructionError {
    /// Root mean square difference, in gray levels.
    pub rms: f64,
    /// The share of the squared distance between face and mean face that is explained: 1 where nothing is missing, below 0
    /// where it is worse than the mean face. A face that is the mean face itself is wholly explained.
    pub explained: f64,
}

impl ReconstructionError {
    /// Peak signal-to-noise ratio in decibels, 20 log10(255 / rms); `None` where nothing differs.
    pub fn psnr(&self) -> Option<f64> {
        (self.rms > 0.0).then(|| 20.0 * libm::log10(255.0 / self.rms))
    }
}

impl Reconstruction {
    /// Each face rebuilt at each of its steps, in increasing order.
    pub fn of_faces(space: &Space, faces: &[Steps<'_>]) -> Vec<Vec<Self>> {
        let mean: Vec<f32> = space.mean().iter().map(|&level| level as f32).collect();
        match space {
            Space::Linear(space) => along(space.basis(), &mean, faces),
            Space::Scaled(space) => along(&space.basis_in_gray_levels(), &mean, faces),
            Space::Kernel(space, _) => {
                let ordered: Vec<Vec<usize>> = faces.iter().map(|face| face.in_order(space.components())).collect();
                let mut steps = ordered.concat();
                steps.sort_unstable();
                steps.dedup();
                let mut rebuilt = vec![Vec::new(); faces.len()];
                // A regression for each step, learned once for all faces.
                for step in steps {
                    let images = if step == 0 { None } else { PreImages::learn(space, step, RIDGE) };
                    for ((face, wanted), rebuilt) in faces.iter().zip(&ordered).zip(&mut rebuilt) {
                        if wanted.contains(&step) {
                            rebuilt.push(pre_image(images.as_ref(), &mean, face.weights, step));
                        }
                    }
                }
                rebuilt
            }
        }
    }

    /// The error against the original (d gray levels), where the mean face is this (d).
    pub fn error(&self, mean: &[f64], original: &[f32]) -> ReconstructionError {
        let squared = |other: &mut dyn Iterator<Item = f64>| -> f64 {
            original.iter().zip(other).map(|(&level, other)| (f64::from(level) - other).powi(2)).sum()
        };
        let error = squared(&mut self.levels.iter().map(|&level| f64::from(level)));
        let from_mean = squared(&mut mean.iter().copied());
        ReconstructionError {
            rms: (error / mean.len().max(1) as f64).sqrt(),
            explained: if from_mean > 0.0 { 1.0 - error / from_mean } else { 1.0 },
        }
    }
}

/// The mean face and more and more of each basis face (d x k).
fn along(basis: &DMatrix<f32>, mean: &[f32], faces: &[Steps<'_>]) -> Vec<Vec<Reconstruction>> {
    let steps_of = |face: &Steps<'_>| {
        let (mut levels, mut used) = (mean.to_vec(), 0);
        let rebuilt = face.in_order(basis.ncols()).into_iter().map(|components| {
            for (at, &weight) in face.weights.iter().enumerate().take(components).skip(used) {
                for (level, &value) in levels.iter_mut().zip(basis.column(at).iter()) {
                    *level += weight * value;
                }
            }
            used = components;
            Reconstruction { components, levels: levels.clone(), pre_image: None }
        });
        rebuilt.collect()
    };
    faces.iter().map(steps_of).collect()
}

/// The pre-image of the leading weights; the mean face where there is none to be had.
fn pre_image(images: Option<&PreImages<'_>>, mean: &[f32], weights: &[f32], components: usize) -> Reconstruction {
    let weights: Vec<f64> = weights.iter().take(components).map(|&w| f64::from(w)).collect();
    let found = images.map(|images| images.rebuild(&weights));
    let pre_image = found.as_ref().map(|found| found.method);
    Reconstruction { components, levels: found.map_or_else(|| mean.to_vec(), |found| found.levels), pre_image }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face_matrix::FaceMatrix;
    use crate::face_space::{FaceSpace, Weights};
    use crate::kernel_pca::KernelPca;
    use crate::pca::{ComponentCount, Pca};
    use std::sync::Arc;

    fn faces() -> FaceMatrix {
        let size = "8x9".parse().unwrap();
        let pixels = (0..72 * 12).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8);
        FaceMatrix::from_pixels(size, pixels.collect()).unwrap()
    }

    fn rebuilt(space: &Space, weights: &Weights, at: usize, steps: &[usize]) -> Vec<Reconstruction> {
        let weights = weights.column(at);
        let wanted = Steps { weights: weights.as_slice(), steps };
        Reconstruction::of_faces(space, &[wanted]).swap_remove(0)
    }

    fn learned() -> (FaceMatrix, Space) {
        let faces = faces();
        let pca = Pca { components: ComponentCount::Count(11), ..Pca::default() };
        let space = FaceSpace::new(faces.size(), &pca.fit(&faces).unwrap());
        (faces, Space::Linear(Arc::new(space)))
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
            let rebuilt = rebuilt(&space, &weights, at, &steps);
            let errors: Vec<_> =
                rebuilt.iter().map(|step| step.error(space.mean().as_slice(), &levels(face))).collect();
            let nothing = errors[0].explained;
            assert!(nothing.abs() < 1e-6, "the mean face explains nothing, not {nothing}");
            assert!(errors.windows(2).all(|pair| pair[1].rms <= pair[0].rms + 1e-4));
            assert!(errors[11].rms < 1e-3 && errors[11].explained > 0.999_999);
        }
    }

    #[test]
    fn the_squared_error_is_what_left_out_weights_carry() {
        let (faces, space) = learned();
        let weights = space.project(&faces);
        let rebuilt = rebuilt(&space, &weights, 3, &[7, 4]);
        let weights = weights.column(3);
        assert_eq!(rebuilt.iter().map(|r| r.components).collect::<Vec<_>>(), [4, 7]);
        for step in rebuilt {
            let left_out: f64 = weights.iter().skip(step.components).map(|&weight| f64::from(weight).powi(2)).sum();
            let error = step.error(space.mean().as_slice(), &levels(faces.face(3)));
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
        let few = weights.rows(0, 5).into_owned();
        assert_eq!(rebuilt(&space, &few, 0, &[2, 6]).len(), 1);
    }

    #[test]
    fn a_kernel_rebuilds_by_pre_images_each_step_alone_as_among_others() {
        let faces = faces();
        for kernel in ["rbf:auto", "poly:2", "cosine"] {
            let pca = KernelPca { kernel: kernel.parse().unwrap(), components: ComponentCount::Count(11) };
            let space = Space::Kernel(Arc::new(pca.fit(&faces).unwrap()), faces.size());
            let weights = space.project(&faces);
            let steps = [0, 2, 11];
            let together: Vec<Steps<'_>> = (0..faces.len())
                .map(|at| Steps { weights: &weights.as_slice()[at * 11..][..11], steps: &steps })
                .collect();
            let together = Reconstruction::of_faces(&space, &together);
            for (at, face) in faces.faces().enumerate() {
                assert_eq!(rebuilt(&space, &weights, at, &[2])[0], together[at][1]);
                let errors: Vec<f64> =
                    together[at].iter().map(|step| step.error(space.mean().as_slice(), &levels(face)).rms).collect();
                assert!(errors[2] < 0.3 * errors[0], "{kernel}: {errors:?}");
                assert!(together[at][0].pre_image.is_none() && together[at][2].pre_image.is_some());
            }
        }
    }

    #[test]
    fn nothing_wrong_has_no_decibels() {
        let none = ReconstructionError { rms: 0.0, explained: 1.0 };
        assert_eq!(none.psnr(), None);
        let one = ReconstructionError { rms: 25.5, explained: 0.5 };
        assert!((one.psnr().unwrap() - 20.0).abs() < 1e-12);
    }
}
