//! Laws of learning from inner products alone: it must agree with fitting the pixels of the faces that are meant.

use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::face_space::FaceSpace;
use eigenfaces::pca::{ComponentCount, Components, DualSpace, InnerProducts, Pca, PcaError, Solver};
use nalgebra::DMatrix;
use proptest::prelude::*;

use crate::support::drawn::wavy_faces;
use crate::support::on_threads;

const ALL: ComponentCount = ComponentCount::Share(1.0);

/// n faces whose spectra decay, with noise, so that no eigenvalues are equal.
fn faces(width: u32, height: u32, n: usize, seed: u64) -> FaceMatrix {
    wavy_faces(FaceSize::new(width, height).unwrap(), n, seed)
}

fn direct(faces: &FaceMatrix, wanted: ComponentCount, solver: Solver) -> Components {
    let components = wanted;
    Pca { components, solver }.fit(faces).unwrap()
}

/// Columns but those of one person, or one face.
fn all_but(n: usize, left_out: impl Fn(usize) -> bool) -> (Vec<usize>, Vec<usize>) {
    (0..n).partition(|&j| !left_out(j))
}

/// Rows of two weight matrices agree up to the sign of each; to `tolerance` of the largest weight, or of a gray level
/// where faces are all but alike: weights come from differences of levels.
fn assert_same_weights(a: &DMatrix<f32>, b: &DMatrix<f32>, tolerance: f32) {
    assert_eq!(a.shape(), b.shape());
    let largest = a.amax().max(b.amax()).max(1.0);
    for (i, (a, b)) in a.row_iter().zip(b.row_iter()).enumerate() {
        let off = (a - b).amax().min((a + b).amax());
        assert!(off <= tolerance * largest, "weight {i} is off by {off} of {largest}");
    }
}

/// How many leading eigenvalues stand so well apart that their directions can be told from one another.
fn distinct(eigenvalues: &[f64]) -> usize {
    let apart = |pair: &[f64]| pair[0] - pair[1] > 1e-5 * eigenvalues[0];
    eigenvalues.windows(2).take_while(|pair| apart(pair)).count()
}

fn leading(weights: &DMatrix<f32>, k: usize) -> DMatrix<f32> {
    weights.rows(0, k).into_owned()
}

/// Everything a dual space says must be what the face space of the same faces says.
fn check_against_pixels(faces: &FaceMatrix, space: &DualSpace<'_>, learned: &[usize], probes: &[usize]) {
    let chosen = faces.select(learned).unwrap();
    let components = direct(&chosen, ALL, Solver::Gram);
    assert_eq!(space.eigenvalues(), components.eigenvalues, "bit for bit");
    assert_eq!(space.total_variance(), components.total_variance);
    let pixels = FaceSpace::new(faces.size(), &components);
    let k = distinct(&components.eigenvalues);
    let tried = faces.select(probes).unwrap();
    let (training, weights) = (space.training_weights(), space.project(probes));
    assert_same_weights(&leading(&training, k), &leading(&pixels.project(&chosen), k), 1e-5);
    assert_same_weights(&leading(&weights, k), &leading(&pixels.project(&tried), k), 1e-5);
    assert!((&training - space.project(learned)).amax() <= 1e-5 * training.amax());
    for (at, &probe) in probes.iter().enumerate() {
        let own = weights.column(at);
        let found = space.residual(probe, own.as_slice());
        let expected = pixels.residual(faces.face(probe), pixels.project(&tried).column(at).as_slice());
        assert!((found.from_mean / expected.from_mean - 1.0).abs() < 1e-12);
        let scale = expected.from_mean.max(1.0);
        let off = found.distance.powi(2) - expected.distance.powi(2);
        assert!(off.abs() < 1e-5 * scale * scale, "{} {}", found.distance, expected.distance);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_choice_of_columns_is_a_fit_of_these_faces(
        width in 8_u32..16, height in 8_u32..14, n in 5_usize..40, seed: u64, of in 2_usize..5, shuffle: bool,
    ) {
        let faces = faces(width, height, n, seed);
        let products = InnerProducts::of(&faces);
        let (mut learned, probes) = all_but(n, |j| j % of == 0);
        if shuffle {
            learned.reverse();
        }
        let space = products.fit(&learned, ALL).unwrap();
        check_against_pixels(&faces, &space, &learned, &probes);
        // The eigenfaces are those of the fit, bit for bit, and weights go with them.
        let chosen = faces.select(&learned).unwrap();
        let k = space.count();
        let (space, components) = space.with_components(&faces, k).unwrap();
        prop_assert_eq!(&components, &direct(&chosen, ALL, Solver::Gram));
        let pixels = FaceSpace::new(faces.size(), &components).project(&faces);
        let all: Vec<usize> = (0..n).collect();
        prop_assert!((space.project(&all) - &pixels).amax() <= 1e-5 * pixels.amax());
        let some = space.with_components(&faces, 2).unwrap().1;
        prop_assert!((some.basis - components.basis.columns(0, 2.min(k))).amax() < 1e-6);
    }

    #[test]
    fn leaving_out_each_face_in_turn(n in 3_usize..14, seed: u64) {
        let faces = faces(9, 10, n, seed);
        let products = InnerProducts::of(&faces);
        for face in 0..n {
            let (learned, probes) = all_but(n, |j| j == face);
            let space = products.fit(&learned, ALL).unwrap();
            check_against_pixels(&faces, &space, &learned, &probes);
        }
    }

    #[test]
    fn the_order_of_the_learned_changes_no_bit(n in 4_usize..30, seed: u64) {
        let faces = faces(9, 10, n, seed);
        let products = InnerProducts::of(&faces);
        let (learned, probes) = all_but(n, |j| j % 4 == 0);
        let mut other = learned.clone();
        other.reverse();
        let count = learned.len();
        other.swap(0, count / 2);
        let (a, b) = (products.fit(&learned, ALL).unwrap(), products.fit(&other, ALL).unwrap());
        prop_assert_eq!(a.eigenvalues(), b.eigenvalues());
        prop_assert_eq!(a.project(&probes), b.project(&probes));
        let place = |j: usize| other.iter().position(|&o| o == j).unwrap();
        let reordered: Vec<usize> = learned.iter().map(|&j| place(j)).collect();
        prop_assert_eq!(a.training_weights(), b.training_weights().select_columns(&reordered));
    }

}

#[test]
fn what_cannot_be_learned_from_is_refused() {
    let faces = faces(8, 8, 4, 1);
    let products = InnerProducts::of(&faces);
    assert_eq!(products.fit(&[], ALL).unwrap_err(), PcaError::TooFewFaces(0));
    assert_eq!(products.fit(&[2], ALL).unwrap_err(), PcaError::TooFewFaces(1));
    assert_eq!(products.fit(&[2; 3], ALL).unwrap_err(), PcaError::NoVariance(3));
    let space = products.fit(&[0, 1, 3], ALL).unwrap();
    let fewer = faces.select(&[0, 1]).unwrap();
    assert!(space.with_components(&fewer, 1).is_err());
}

#[test]
fn threads_change_no_bit() {
    let faces = faces(16, 18, 130, 9);
    let run = |threads: usize| {
        on_threads(threads, || {
            let products = InnerProducts::of(&faces);
            let (learned, probes) = all_but(130, |j| j % 5 == 0);
            let space = products.fit(&learned, ComponentCount::Auto).unwrap();
            let (space, components) = space.with_components(&faces, 30).unwrap();
            (space.training_weights(), space.project(&probes), components)
        })
    };
    assert_eq!(run(1), run(3));
}
