//! Kernel PCA: its laws, and its agreement with scikit-learn (tests/reference/kernel_pca.py).

use std::collections::HashMap;

use exact_pca::kernel_pca::pre_image::{PreImageMethod, PreImages, RIDGE};
use exact_pca::kernel_pca::{Kernel, KernelPca, KernelSpace};
use exact_pca::{ComponentCount, Pca, PcaError, Solver};
use nalgebra::DMatrix;
use proptest::prelude::*;

use crate::{drawn, matrix, on_threads};

const KERNELS: [&str; 6] = ["linear", "rbf:auto", "rbf:0.05", "poly:2,1", "poly:3,0", "cosine"];

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn fit(faces: &DMatrix<u8>, text: &str, components: ComponentCount) -> KernelSpace {
    let kernel = kernel(text);
    KernelPca { kernel, components }.fit(faces).unwrap()
}

fn select(faces: &DMatrix<u8>, columns: impl IntoIterator<Item = usize>) -> DMatrix<u8> {
    faces.select_columns(&columns.into_iter().collect::<Vec<_>>())
}

/// n faces with structure.
fn faces(pixels: usize, n: usize, seed: u64) -> DMatrix<u8> {
    matrix(pixels, n, drawn::mixed(pixels, n, seed))
}

/// The kernel matrix as the formulas say, in floating point, gray levels from 0 to 1.
fn kernel_matrix(faces: &DMatrix<u8>, text: &str, space: &KernelSpace) -> DMatrix<f64> {
    let x = faces.map(|pixel| f64::from(pixel) / 255.0);
    let d = x.nrows() as f64;
    DMatrix::from_fn(x.ncols(), x.ncols(), |i, j| {
        let (a, b) = (x.column(i), x.column(j));
        match text.split(':').next().unwrap() {
            "linear" => 255.0 * 255.0 * a.dot(&b),
            "rbf" => libm::exp(-space.gamma().unwrap() * (a - b).norm_squared()),
            "poly" => {
                let (degree, constant) = text[5..].split_once(',').unwrap();
                let (degree, constant): (i32, f64) = (degree.parse().unwrap(), constant.parse().unwrap());
                (a.dot(&b) / d + constant).powi(degree)
            }
            _ => a.dot(&b) / (a.norm() * b.norm()),
        }
    })
}

/// Rows of two weight matrices agree up to the sign of each row.
fn same_up_to_sign(a: &DMatrix<f64>, b: &DMatrix<f64>, tolerance: f64, what: &str) {
    assert_eq!(a.shape(), b.shape(), "{what}");
    for (at, (a, b)) in a.row_iter().zip(b.row_iter()).enumerate() {
        let error = (a - b).amax().min((a + b).amax());
        assert!(error <= tolerance, "{what}, component {at}: off by {error}");
    }
}

/// The numbers that scikit-learn found, by the name at the beginning of their line.
fn reference() -> HashMap<&'static str, Vec<f64>> {
    let lines = include_str!("../reference/kernel_pca.txt").lines();
    let named = lines.filter_map(|line| line.split_once(' '));
    let numbers = |text: &str| text.split_whitespace().map(|n| n.parse().unwrap()).collect();
    let named = named.filter(|(name, _)| *name != "#");
    named.map(|(name, text)| (name, numbers(text))).collect()
}

#[test]
fn weights_and_spectra_are_scikit_learns() {
    let reference = reference();
    let all = faces(72, 40, 1);
    let (known, new) = (select(&all, 0..30), select(&all, 30..40));
    for name in ["linear", "rbf:0.05", "rbf:3", "rbf:auto", "poly:2,1", "poly:3,0", "cosine"] {
        let space = fit(&known, name, ComponentCount::Count(6));
        // The linear kernel counts gray levels from 0 to 255, scikit-learn was given 0 to 1.
        let unit = if name == "linear" { 255.0 } else { 1.0 };
        for (ours, theirs) in space.eigenvalues().iter().zip(&reference[format!("{name}/eigenvalues").as_str()]) {
            let theirs = theirs * unit * unit;
            assert!((ours - theirs).abs() <= 1e-6 * theirs, "{name}: {ours} {theirs}");
        }
        for (faces, set) in [(&known, "known"), (&new, "new")] {
            let theirs = &reference[format!("{name}/{set}").as_str()];
            let theirs = DMatrix::from_column_slice(6, faces.ncols(), theirs) * unit;
            same_up_to_sign(&space.weights(faces), &theirs, 1e-6 * unit, &format!("{name}/{set}"));
        }
    }
}

#[test]
fn ridge_pre_images_are_scikit_learns() {
    let reference = reference();
    let all = faces(72, 40, 1);
    let (known, new) = (select(&all, 0..30), select(&all, 30..40));
    for name in ["rbf:0.05", "rbf:3", "rbf:auto", "poly:2,1", "poly:3,0", "cosine"] {
        let space = fit(&known, name, ComponentCount::Count(6));
        let images = PreImages::learn(&space, 6, 1e-3).unwrap();
        let weights = space.weights(&new);
        let theirs = &reference[format!("{name}/ridge").as_str()];
        for (face, theirs) in theirs.chunks(72).enumerate() {
            let ours = images.ridge(weights.column(face).as_slice());
            assert_eq!(ours.method, PreImageMethod::Ridge);
            for (ours, theirs) in ours.levels.iter().zip(theirs) {
                // Levels are told in single precision.
                assert!((f64::from(*ours) - theirs).abs() < 3e-5, "{name}: {ours} {theirs}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_linear_kernel_is_linear_pca(width in 8_usize..14, height in 8_usize..14, n in 3_usize..40, seed: u64) {
        let all = faces(width * height, n + 3, seed);
        let (known, new) = (select(&all, 0..n), select(&all, n..n + 3));
        let wanted = ComponentCount::Count(8);
        let space = fit(&known, "linear", wanted);
        let linear = Pca { components: wanted, solver: Solver::Gram }.fit(&known).unwrap();
        prop_assert_eq!(space.components(), linear.count());
        for (a, b) in space.eigenvalues().iter().zip(&linear.eigenvalues) {
            prop_assert!((a - b).abs() <= 1e-10 * linear.eigenvalues[0]);
        }
        prop_assert!((space.total_variance() / linear.total_variance - 1.0).abs() < 1e-12);
        for faces in [&known, &new] {
            let mut centred = faces.map(f64::from);
            for mut face in centred.column_iter_mut() {
                face -= &linear.mean;
            }
            // Where two eigenvalues are all but equal, each route may turn the pair its own way.
            let apart = linear.eigenvalues.windows(2).all(|pair| pair[0] - pair[1] > 1e-4 * linear.eigenvalues[0]);
            if apart {
                same_up_to_sign(&space.weights(faces), &linear.basis.tr_mul(&centred), 1e-5, "weights");
            }
        }
    }

    #[test]
    fn weights_are_centred_uncorrelated_and_as_the_formula_says(n in 3_usize..40, which in 0..KERNELS.len(), seed: u64) {
        let text = KERNELS[which];
        let known = faces(90, n, seed);
        let space = fit(&known, text, ComponentCount::Share(1.0));
        let weights = space.weights(&known);
        let largest = space.eigenvalues()[0];
        let covariance = &weights * weights.transpose() / (n - 1) as f64;
        let diagonal = DMatrix::from_diagonal(&space.eigenvalues().to_vec().into());
        prop_assert!((covariance - diagonal).amax() < 1e-6 * largest);
        for row in weights.row_iter() {
            prop_assert!(row.mean().abs() < 1e-6 * largest.sqrt());
        }
        // K - 1K - K1 + 1K1: its inner products are those of the weights, as all components are kept.
        let k = kernel_matrix(&known, text, &space);
        let ones = DMatrix::from_element(n, n, 1.0 / n as f64);
        let centred = &k - &ones * &k - &k * &ones + &ones * &k * &ones;
        let error = (weights.tr_mul(&weights) - &centred).amax();
        prop_assert!(error < 1e-8 * centred.amax(), "{}: {}", text, error / centred.amax());
        for row in centred.row_iter() {
            prop_assert!(row.sum().abs() < 1e-8 * k.amax() * n as f64);
        }
        prop_assert!((space.total_variance() * (n - 1) as f64 - centred.trace()).abs() < 1e-8 * centred.trace());
    }

    #[test]
    fn a_face_alone_has_the_weights_it_has_among_others_in_any_order(n in 3_usize..30, which in 0..KERNELS.len(), seed: u64) {
        let known = faces(88, n, seed);
        let space = fit(&known, KERNELS[which], ComponentCount::Count(5));
        let together = space.weights(&known);
        let alone = space.weights(&select(&known, [n / 2]));
        prop_assert_eq!(alone.column(0), together.column(n / 2));
        let backwards = fit(&select(&known, (0..n).rev()), KERNELS[which], ComponentCount::Count(5));
        prop_assert_eq!(&backwards, &space, "the order changes no bit");
    }

    #[test]
    fn pre_images_of_the_linear_kernel_are_linear_reconstructions(n in 4_usize..30, seed: u64) {
        let known = faces(81, n, seed);
        let space = fit(&known, "linear", ComponentCount::Share(1.0));
        let images = PreImages::learn(&space, space.components(), 1e-12).unwrap();
        let weights = space.weights(&known);
        for face in [0, n - 1] {
            let rebuilt = images.rebuild(weights.column(face).as_slice());
            // All components rebuild a face that was learned from, but for what the ridge holds back.
            prop_assert!(rebuilt.rms(known.column(face).as_slice()) < 0.1, "{}", rebuilt.rms(known.column(face).as_slice()));
        }
    }

    #[test]
    fn fixed_points_rebuild_what_was_learned(n in 4_usize..30, seed: u64) {
        let known = faces(81, n, seed);
        let space = fit(&known, "rbf:auto", ComponentCount::Share(1.0));
        let images = PreImages::learn(&space, space.components(), RIDGE).unwrap();
        let weights = space.weights(&known);
        let rebuilt = images.fixed_point(weights.column(0).as_slice()).unwrap();
        // φ(x) lies in the space: its own pre-image is x.
        prop_assert!(rebuilt.rms(known.column(0).as_slice()) < 1.0, "{}", rebuilt.rms(known.column(0).as_slice()));
        let converged = matches!(rebuilt.method, PreImageMethod::FixedPoint { converged: true, .. });
        prop_assert!(converged, "{:?}", rebuilt.method);
    }
}

#[test]
fn threads_change_no_bit() {
    let known = faces(168, 60, 5);
    let run = |threads| {
        on_threads(threads, || {
            let space = fit(&known, "rbf:auto", ComponentCount::Auto);
            let weights = space.weights(&known);
            (space, weights)
        })
    };
    assert!(run(1) == run(3));
}

#[test]
fn awkward_faces() {
    let few = faces(64, 6, 3);
    let one = select(&few, [0]);
    let same = select(&few, [0; 7]);
    let mut black = few.as_slice().to_vec();
    black[..64].fill(0);
    let with_black = matrix(64, 6, black);
    for text in KERNELS {
        let pca = KernelPca { kernel: kernel(text), components: ComponentCount::Auto };
        assert_eq!(pca.fit(&one), Err(PcaError::TooFewFaces(1)), "{text}");
        assert_eq!(pca.fit(&same), Err(PcaError::NoVariance(7)), "{text}");
        // Duplicates lower the rank and break nothing.
        let doubled = fit(&select(&few, [0, 1, 2, 3, 4, 5, 0, 0, 3]), text, ComponentCount::Share(1.0));
        assert_eq!(doubled.components(), 5, "{text}");
        let weights = fit(&with_black, text, ComponentCount::Auto).weights(&with_black);
        assert!(weights.iter().all(|weight| weight.is_finite()), "{text}");
    }
    // All alike but one gray level: what a radial basis function makes of them must not drown in rounding.
    let mut nearly = few.as_slice()[..64].repeat(3);
    (nearly[3], nearly[64 + 5]) = (nearly[3] ^ 1, nearly[64 + 5] ^ 1);
    let nearly = matrix(64, 3, nearly);
    let space = fit(&nearly, "rbf:0.000001", ComponentCount::Share(1.0));
    let linear = fit(&nearly, "linear", ComponentCount::Share(1.0));
    for (a, b) in space.eigenvalues().iter().zip(linear.eigenvalues()) {
        // To first order the kernel is 2 γ x·y.
        let expected = 2e-6 * b / (255.0 * 255.0);
        assert!((a - expected).abs() < 1e-6 * expected, "{a} {expected}");
    }
}

#[test]
fn kernels_at_their_limits_give_finite_weights_or_an_error() {
    let known = faces(64, 20, 9);
    for text in ["rbf:1e300", "rbf:1e-300", "poly:10,1000000", "poly:10,0", "rbf:1e-18"] {
        let pca = KernelPca { kernel: kernel(text), components: ComponentCount::Auto };
        if let Ok(space) = pca.fit(&known) {
            assert!(space.weights(&known).iter().all(|weight| weight.is_finite()), "{text}");
            if let Some(images) = PreImages::learn(&space, 400, RIDGE) {
                let rebuilt = images.rebuild(space.weights(&known).column(0).as_slice());
                assert!(rebuilt.levels.iter().all(|level| level.is_finite()), "{text}");
            }
        }
    }
}
