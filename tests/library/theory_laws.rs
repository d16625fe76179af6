//! What docs/THEORY.md says, on random faces: each law at least a hundred times.

use std::sync::Arc;

use crate::support::drawn::drawn_faces;
use eigenfaces::error::PcaError;
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::face_space::FaceSpace;
use eigenfaces::matcher::{Metric, Space};
use eigenfaces::pca::minimize::{self, Round};
use eigenfaces::pca::scaled::{self, ScaledComponents};
use eigenfaces::pca::{ComponentCount, Components, Pca, Rule, Solver};
use eigenfaces::reconstruction::{Reconstruction, Steps};
use eigenfaces::scaled_space::ScaledSpace;
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

fn faces(width: u32, height: u32, n: usize, seed: u64) -> FaceMatrix {
    drawn_faces(FaceSize::new(width, height).unwrap(), n, seed)
}

fn fit(faces: &FaceMatrix, components: ComponentCount) -> Components {
    let solver = Solver::Auto;
    Pca { components, solver }.fit(faces).unwrap()
}

/// X - m 1ᵀ.
fn centred(faces: &FaceMatrix, mean: &DVector<f64>) -> DMatrix<f64> {
    let mut centred = faces.matrix().map(f64::from);
    for mut face in centred.column_iter_mut() {
        face -= mean;
    }
    centred
}

/// A random direction of d pixels.
fn direction(d: usize, seed: u64) -> DVector<f64> {
    let mut state = seed | 1;
    DVector::from_fn(d, |_, _| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    })
}

/// The sine of the largest principal angle between the spans of two orthonormal bases (d x k).
fn sine(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    (b - a * a.tr_mul(b)).singular_values().max()
}

/// D⁻¹(X - m 1ᵀ): pixels less their mean, over their deviations; d x n.
fn standardised(faces: &FaceMatrix, found: &ScaledComponents) -> DMatrix<f64> {
    let mut z = centred(faces, &found.components.mean);
    for (mut row, &deviation) in z.row_iter_mut().zip(found.deviations.iter()) {
        row /= if deviation > 0.0 { deviation } else { 1.0 };
    }
    z
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn each_component_has_the_largest_variance_left(
        n in 4_usize..40, width in 8_u32..12, leading in 0_usize..8, seed: u64,
    ) {
        let faces = faces(width, 9, n, seed);
        let components = fit(&faces, ComponentCount::Share(1.0));
        let leading = leading.min(components.count() - 1);
        let centred = centred(&faces, &components.mean);
        let variance = |direction: &DVector<f64>| centred.tr_mul(direction).norm_squared() / (n - 1) as f64;
        // Along the component itself it is the eigenvalue ...
        let own = components.basis.column(leading).into_owned();
        let found = components.eigenvalues[leading];
        prop_assert!((variance(&own) - found).abs() < 1e-8 * components.eigenvalues[0]);
        // ... and along no direction orthogonal to the earlier ones is it more, however near to the component.
        for (turn, strength) in [10.0, 1.0, 0.1, 0.01].into_iter().enumerate() {
            let mut other = &own + direction(own.len(), seed.wrapping_add(turn as u64)) * strength;
            for earlier in components.basis.columns(0, leading).column_iter() {
                other -= earlier * earlier.dot(&other);
            }
            other.normalize_mut();
            prop_assert!(variance(&other) <= found * (1.0 + 1e-9));
        }
    }

    #[test]
    fn whitened_weights_have_the_covariance_one(n in 4_usize..40, k in 1_usize..8, seed: u64) {
        let faces = faces(9, 8, n, seed);
        let components = fit(&faces, ComponentCount::Count(k));
        let space = FaceSpace::new(faces.size(), &components);
        let weights = space.project(&faces);
        let plain = weights.map(f64::from);
        let covariance = &plain * plain.transpose() / (n - 1) as f64;
        let diagonal = DMatrix::from_diagonal(&DVector::from_column_slice(space.eigenvalues()));
        prop_assert!((covariance - diagonal).amax() < 1e-4 * space.eigenvalues()[0]);

        let white = Metric::Whitened.coordinates(&weights, space.eigenvalues()).map(f64::from);
        let covariance = &white * white.transpose() / (n - 1) as f64;
        let error = (covariance - DMatrix::identity(space.components(), space.components())).amax();
        prop_assert!(error < 1e-3, "{}", error);
    }

    #[test]
    fn minimising_finds_the_subspace_of_pca(n in 8_usize..60, width in 8_u32..11, k in 1_usize..9, seed: u64) {
        let faces = faces(width, 8, n, seed);
        let mut rounds: Vec<Round> = Vec::new();
        let exact = fit(&faces, ComponentCount::Share(1.0));
        let found = match minimize::fit(&faces, ComponentCount::Count(k), |round| rounds.push(round)) {
            Ok(found) => found,
            // It turns by λ_(k+1) / λ_k a round: only where these all but agree may it give up.
            Err(PcaError::NotConverged { .. }) => {
                let alike = exact.eigenvalues[k] / exact.eigenvalues[k - 1];
                prop_assert!(alike > 0.99, "gave up at {}", alike);
                return Ok(());
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        let k = found.count();
        prop_assert_eq!(found.solver, Solver::Minimize);
        for (a, b) in found.eigenvalues.iter().zip(&exact.eigenvalues) {
            prop_assert!((a - b).abs() < 1e-8 * exact.eigenvalues[0]);
        }
        let largest = exact.eigenvalues[0];
        let gap = exact.eigenvalues[k - 1] - exact.eigenvalues.get(k).copied().unwrap_or(0.0);
        if gap > 1e-3 * largest {
            let angle = sine(&exact.basis.columns(0, k).into_owned(), &found.basis);
            prop_assert!(angle < 1e-6, "{}", angle);
        }
        // The objective never grows, and ends at what the components left out carry.
        let total = exact.total_variance * (n - 1) as f64;
        prop_assert!(rounds.windows(2).all(|pair| pair[1].objective <= pair[0].objective + 1e-9 * total));
        let left: f64 = exact.eigenvalues[k..].iter().sum::<f64>() * (n - 1) as f64;
        let end = rounds.last().unwrap();
        prop_assert!((end.objective - left).abs() < 1e-8 * total, "{} {}", end.objective, left);
    }

    #[test]
    fn any_spanning_set_rebuilds_alike_and_no_other_set_better(n in 6_usize..30, k in 1_usize..5, seed: u64) {
        let faces = faces(8, 8, n, seed);
        let components = fit(&faces, ComponentCount::Count(k));
        let k = components.count();
        let centred = centred(&faces, &components.mean);
        // ‖Xc - C W‖² with the best W, for images C (d x k) that need not be orthonormal.
        let error = |images: &DMatrix<f64>| {
            let gram = images.tr_mul(images);
            let weights = gram.cholesky().unwrap().solve(&images.tr_mul(&centred));
            (&centred - images * weights).norm_squared()
        };
        let least = error(&components.basis);
        let mix = DMatrix::from_fn(k, k, |i, j| if i == j { 3.0 } else { direction(k * k, seed)[i * k + j] });
        let total = centred.norm_squared();
        prop_assert!((error(&(&components.basis * mix)) - least).abs() < 1e-9 * total);
        let other = DMatrix::from_fn(64, k, |i, j| components.basis[(i, j)] + 0.05 * direction(64, seed ^ j as u64)[i]);
        prop_assert!(error(&other) >= least - 1e-9 * total);
    }

    #[test]
    fn what_projection_misses_is_the_variance_left_out(n in 4_usize..40, k in 1_usize..9, seed: u64) {
        let faces = faces(10, 8, n, seed);
        let space = FaceSpace::new(faces.size(), &fit(&faces, ComponentCount::Count(k)));
        let fit = space.projection_error(&faces);
        prop_assert!((fit.share() - (1.0 - space.variance_kept())).abs() < 1e-4);
        let total = space.total_variance() * (n - 1) as f64 / n as f64;
        prop_assert!((fit.total_variation - total).abs() < 1e-9 * total);
    }

    #[test]
    fn a_share_of_99_per_cent_misses_at_most_one(n in 4_usize..40, seed: u64) {
        let faces = faces(10, 8, n, seed);
        let space = FaceSpace::new(faces.size(), &fit(&faces, ComponentCount::Share(0.99)));
        prop_assert!(space.projection_error(&faces).share() <= 0.01 + 1e-5);
    }

    #[test]
    fn the_profile_is_where_the_likelihood_is_largest(spectrum in proptest::collection::vec(0.1_f64..100.0, 3..40)) {
        let mut spectrum = spectrum;
        spectrum.sort_by(|a, b| b.total_cmp(a));
        let p = spectrum.len();
        // Zhu & Ghodsi's formula as it stands.
        let likelihood = |q: usize| {
            let (first, second) = spectrum.split_at(q);
            let mean = |group: &[f64]| group.iter().sum::<f64>() / group.len() as f64;
            let (m1, m2) = (mean(first), mean(second));
            let squares = |group: &[f64], mean: f64| group.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
            let s = (squares(first, m1) + squares(second, m2)) / (p - 2) as f64;
            let density = |value: f64, mean: f64| -0.5 * libm::log(2.0 * std::f64::consts::PI * s) - (value - mean).powi(2) / (2.0 * s);
            first.iter().map(|&v| density(v, m1)).sum::<f64>() + second.iter().map(|&v| density(v, m2)).sum::<f64>()
        };
        let found = Rule::Profile.count_of(&spectrum).unwrap();
        for q in 1..p {
            prop_assert!(likelihood(found) >= likelihood(q) - 1e-9 * likelihood(q).abs(), "{} {}", found, q);
        }
    }

    #[test]
    fn scaled_pixels_give_the_components_of_correlations(
        n in 4_usize..90, constant in 0_usize..20, seed: u64,
    ) {
        let plain = faces(8, 8, n, seed);
        let mut pixels = plain.as_slice().to_vec();
        for face in pixels.chunks_exact_mut(64) {
            face[..constant].fill(77);
        }
        let faces = FaceMatrix::from_pixels(plain.size(), pixels).unwrap();
        let found = scaled::fit(&faces, ComponentCount::Share(1.0)).unwrap();
        let components = &found.components;
        // Constant pixels carry nothing, exactly.
        for pixel in 0..constant {
            prop_assert_eq!(found.deviations[pixel], 0.0);
            prop_assert!(components.basis.row(pixel).iter().all(|&value| value == 0.0));
        }
        let vary = found.deviations.iter().filter(|&&deviation| deviation > 0.0).count();
        prop_assert!((components.total_variance - vary as f64).abs() < 1e-9 * vary as f64);
        // The correlation matrix, and what the components make of it.
        let z = standardised(&faces, &found);
        let correlation = &z * z.transpose() / (n - 1) as f64;
        let diagonal = DMatrix::from_diagonal(&DVector::from_column_slice(&components.eigenvalues));
        let rebuilt = &components.basis * diagonal * components.basis.transpose();
        prop_assert!((correlation - rebuilt).amax() < 1e-8);
        // In gray levels, all components rebuild the faces: m + D U w.
        let exact = components.basis.tr_mul(&z);
        let mut levels = &components.basis * &exact;
        for mut face in levels.column_iter_mut() {
            face.component_mul_assign(&found.deviations);
            face += &components.mean;
        }
        prop_assert!((levels - faces.matrix().map(f64::from)).amax() < 1e-6);
        // The space that recognition goes by is the same in single precision: weights of covariance Λ, faces rebuilt.
        let k = components.count();
        let error = (components.basis.tr_mul(&components.basis) - DMatrix::identity(k, k)).amax();
        prop_assert!(error < 1e-9, "{}", error);
        let space = ScaledSpace::new(faces.size(), &found);
        let weights = space.project(&faces).map(f64::from);
        prop_assert!((&weights - exact).amax() < 1e-3);
        let covariance = &weights * weights.transpose() / (n - 1) as f64;
        let diagonal = DMatrix::from_diagonal(&DVector::from_column_slice(space.face_space().eigenvalues()));
        prop_assert!((covariance - diagonal).amax() < 1e-4 * space.face_space().eigenvalues()[0]);
        let projected = space.project(&faces);
        let whole = Steps { weights: &projected.as_slice()[..k], steps: &[k] };
        let rebuilt = Reconstruction::of_faces(&Space::Scaled(Arc::new(space)), &[whole]);
        for (level, &pixel) in rebuilt[0][0].levels.iter().zip(faces.face(0)) {
            prop_assert!((level - f32::from(pixel)).abs() < 0.05);
        }
    }

    #[test]
    fn scaling_pixels_by_anything_changes_no_weight(n in 4_usize..40, seed: u64) {
        // Half the contrast in every other pixel, exactly: even levels, halved there.
        let mut even = faces(8, 8, n, seed).as_slice().to_vec();
        even.iter_mut().for_each(|level| *level &= !1);
        let mut halved = even.clone();
        for face in halved.chunks_exact_mut(64) {
            face.iter_mut().step_by(2).for_each(|level| *level /= 2);
        }
        let size = FaceSize::new(8, 8).unwrap();
        let learned = |pixels: Vec<u8>| {
            let faces = FaceMatrix::from_pixels(size, pixels).unwrap();
            let found = scaled::fit(&faces, ComponentCount::Share(1.0)).unwrap();
            let z = standardised(&faces, &found);
            (found.components.basis.tr_mul(&z), found.components)
        };
        let ((first, one), (second, other)) = (learned(even), learned(halved));
        for (a, b) in one.eigenvalues.iter().zip(&other.eigenvalues) {
            prop_assert!((a - b).abs() < 1e-9 * one.eigenvalues[0]);
        }
        let distances = |weights: &DMatrix<f64>| weights.tr_mul(weights);
        prop_assert!((distances(&first) - distances(&second)).amax() < 1e-7 * one.total_variance * n as f64);
    }

}

proptest! {
    // Each case learns from a hundred shuffled galleries.
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn parallel_analysis_keeps_what_is_more_than_chance(n in 60_usize..90, seed: u64) {
        // Five patterns and noise: the patterns stand out, and of the noise no more than chance lets through.
        let found = Rule::Parallel.count(&faces(9, 10, n, seed)).unwrap();
        prop_assert!((3..=6).contains(&found), "{}", found);
    }
}

#[test]
fn parallel_analysis_of_scaled_pixels_is_about_these() {
    // One pixel that varies wildly has a large variance, but goes with nothing: scaled it stands for no component.
    let mut state = 7_u64;
    // Splitmix64.
    let mut below = |limit: u64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit) as u8
    };
    let mut pixels: Vec<u8> = (0..64 * 80).map(|_| 100 + below(8)).collect();
    for face in pixels.chunks_exact_mut(64) {
        face[9] = below(256);
        // Half of the pixels go together.
        let shared = below(9);
        face[32..].iter_mut().for_each(|level| *level += 2 * shared);
    }
    let faces = FaceMatrix::from_pixels(FaceSize::new(8, 8).unwrap(), pixels).unwrap();
    let parallel = ComponentCount::Rule(Rule::Parallel);
    let found = scaled::fit(&faces, parallel).unwrap().components;
    assert_eq!(found.count(), 1);
    let first = found.basis.column(0);
    assert!(first.rows(32, 32).norm() > 0.99, "{first}");
}

#[test]
fn rules_are_obeyed_by_every_solver() {
    let faces = faces(8, 8, 100, 7);
    for rule in Rule::ALL {
        let count = rule.count(&faces).unwrap();
        for solver in [Solver::Auto, Solver::Gram, Solver::Covariance, Solver::Lanczos] {
            let components = ComponentCount::Rule(rule);
            let found = Pca { components, solver }.fit(&faces).unwrap();
            assert_eq!(found.count(), count, "{rule:?} {solver:?}");
        }
    }
}

#[test]
fn rules_say_where_they_do_not_apply() {
    let few = faces(8, 8, 20, 1);
    let one = few.select(&[0]).unwrap();
    let same = few.select(&[0; 5]).unwrap();
    for rule in [Rule::Profile, Rule::Parallel] {
        assert_eq!(rule.count(&one), Err(PcaError::TooFewFaces(1)));
        assert_eq!(rule.count(&same), Err(PcaError::NoVariance(5)));
        assert!(rule.count(&few.select(&[0, 1]).unwrap()) == Ok(1));
    }
    for components in [ComponentCount::Auto, ComponentCount::Share(0.9), ComponentCount::Rule(Rule::Profile)] {
        assert_eq!(fit_error(&few, components, Solver::Minimize), PcaError::CountNeeded);
    }
}

#[test]
fn a_minimisation_that_cannot_settle_says_so_or_is_right() {
    // All eigenvalues equal: any span will do, and the first is settled at once.
    let mut pixels = vec![0; 20 * 64];
    for face in 0..20 {
        pixels[face * 64 + face] = 200;
    }
    let lit = FaceMatrix::from_pixels(FaceSize::new(8, 8).unwrap(), pixels).unwrap();
    let components = ComponentCount::Count(5);
    let found = Pca { components, solver: Solver::Minimize }.fit(&lit).unwrap();
    assert_eq!(found.count(), 5);
    // Duplicates: fewer directions than asked for.
    let few = faces(8, 8, 6, 3).select(&[0, 1, 2, 3, 4, 5, 0, 1, 2, 5, 5]).unwrap();
    let components = ComponentCount::Count(9);
    let found = Pca { components, solver: Solver::Minimize }.fit(&few).unwrap();
    assert_eq!(found.count(), 5);
    let gram = found.basis.tr_mul(&found.basis);
    assert!((gram - DMatrix::identity(5, 5)).amax() < 1e-9);
}

fn fit_error(faces: &FaceMatrix, components: ComponentCount, solver: Solver) -> PcaError {
    Pca { components, solver }.fit(faces).unwrap_err()
}
