//! Laws of learning from inner products alone, and of faces learned together with their mirror images: both must
//! agree with fitting the pixels of the faces that are meant.

use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::face_space::FaceSpace;
use eigenfaces::pca::covariance::Accumulator;
use eigenfaces::pca::{
    ComponentCount, Components, DualSpace, InnerProducts, LeaveOneOut, Mirror, Parity, Pca,
    PcaError, Solver, Symmetry,
};
use nalgebra::DMatrix;
use proptest::prelude::*;

use crate::support::drawn::wavy_faces;
use crate::support::on_threads;

const ALL: ComponentCount = ComponentCount::Share(1.0);

/// n faces whose spectra decay, with noise, so that no eigenvalues are equal.
fn faces(width: u32, height: u32, n: usize, seed: u64) -> FaceMatrix {
    wavy_faces(FaceSize::new(width, height).unwrap(), n, seed)
}

fn mirror(faces: &FaceMatrix) -> Mirror {
    Mirror::of_images(faces.size().width(), faces.size().height())
}

/// [X, MX]: every face, then every mirror image.
fn with_images(faces: &FaceMatrix) -> FaceMatrix {
    let mut images = faces.as_slice().to_vec();
    mirror(faces).apply(&mut images);
    FaceMatrix::from_pixels(faces.size(), [faces.as_slice(), &images].concat()).unwrap()
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
        assert!(
            off <= tolerance * largest,
            "weight {i} is off by {off} of {largest}"
        );
    }
}

/// How many leading eigenvalues stand so well apart that their directions can be told from one another.
fn distinct(eigenvalues: &[f64]) -> usize {
    let apart = |pair: &[f64]| pair[0] - pair[1] > 1e-5 * eigenvalues[0];
    eigenvalues
        .windows(2)
        .take_while(|pair| apart(pair))
        .count()
}

fn leading(weights: &DMatrix<f32>, k: usize) -> DMatrix<f32> {
    weights.rows(0, k).into_owned()
}

/// Everything a dual space says must be what the face space of the same faces says.
fn check_against_pixels(
    faces: &FaceMatrix,
    space: &DualSpace<'_>,
    learned: &[usize],
    probes: &[usize],
) {
    let chosen = faces.select(learned).unwrap();
    let components = direct(&chosen, ALL, Solver::Gram);
    assert_eq!(space.eigenvalues(), components.eigenvalues, "bit for bit");
    assert_eq!(space.total_variance(), components.total_variance);
    let pixels = FaceSpace::new(faces.size(), &components);
    let k = distinct(&components.eigenvalues);
    let tried = faces.select(probes).unwrap();
    let (training, weights) = (space.training_weights(), space.project(probes));
    assert_same_weights(
        &leading(&training, k),
        &leading(&pixels.project(&chosen), k),
        1e-5,
    );
    assert_same_weights(
        &leading(&weights, k),
        &leading(&pixels.project(&tried), k),
        1e-5,
    );
    assert!((&training - space.project(learned)).amax() <= 1e-5 * training.amax());
    for (at, &probe) in probes.iter().enumerate() {
        let own = weights.column(at);
        let found = space.residual(probe, own.as_slice());
        let expected = pixels.residual(
            faces.face(probe),
            pixels.project(&tried).column(at).as_slice(),
        );
        assert!((found.from_mean / expected.from_mean - 1.0).abs() < 1e-12);
        let scale = expected.from_mean.max(1.0);
        let off = found.distance.powi(2) - expected.distance.powi(2);
        assert!(
            off.abs() < 1e-5 * scale * scale,
            "{} {}",
            found.distance,
            expected.distance
        );
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
    fn leaving_one_out_in_closed_form_is_learning_again(
        n in 3_usize..24, seed: u64, mirrored: bool, twin: bool, wanted in 0_usize..4,
    ) {
        let mut faces = faces(9, 10, n, seed);
        if twin {
            // Two photos alike: an eigenvalue less, and pairs of them close together.
            let first = faces.face(0).to_vec();
            let mut pixels = faces.as_slice().to_vec();
            pixels[first.len()..2 * first.len()].copy_from_slice(&first);
            faces = FaceMatrix::from_pixels(faces.size(), pixels).unwrap();
        }
        let mirror = mirror(&faces);
        let symmetry = if mirrored { Symmetry::Mirror(&mirror) } else { Symmetry::None };
        let products = InnerProducts::with_symmetry(&faces, symmetry).unwrap();
        let wanted = [ALL, ComponentCount::Auto, ComponentCount::Share(0.9), ComponentCount::Count(2)][wanted];
        let all: Vec<usize> = (0..n).collect();
        let closed = LeaveOneOut::new(&products, &all).unwrap();
        let whole = products.fit(&all, ALL).unwrap().eigenvalues();
        for face in 0..n {
            let (learned, _) = all_but(n, |j| j == face);
            let again = match products.fit(&learned, wanted) {
                Ok(space) => space,
                Err(error) => {
                    prop_assert_eq!(closed.without(face, wanted).unwrap_err(), error);
                    continue;
                }
            };
            let found = closed.without(face, wanted).unwrap();
            let expected = again.eigenvalues();
            let largest = whole[0];
            prop_assert_eq!(found.eigenvalues.len(), expected.len());
            for (one, other) in found.eigenvalues.iter().zip(&expected) {
                prop_assert!((one - other).abs() <= 1e-12 * largest, "{} {}", one, other);
            }
            let k = distinct(&expected);
            if let (Some(one), Some(other)) = (&found.parity, again.parity()) {
                prop_assert_eq!(&one[..k], &other[..k]);
            }
            let weights = again.project(&all);
            assert_same_weights(&leading(&found.weights, k), &leading(&weights, k), 1e-5);
            // Whatever the directions are: the same lengths and angles.
            let (one, other) = (found.weights.tr_mul(&found.weights), weights.tr_mul(&weights));
            prop_assert!((&one - &other).amax() <= 1e-5 * other.amax());
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

    #[test]
    fn mirrored_faces_are_a_fit_of_faces_and_images(
        width in 8_u32..16, height in 8_u32..14, n in 1_usize..40, seed: u64,
    ) {
        let faces = faces(width, height, n, seed);
        let both = with_images(&faces);
        let expected = direct(&both, ALL, Solver::Gram);
        let mirror = mirror(&faces);
        for solver in [Solver::Gram, Solver::Covariance, Solver::Auto, Solver::Randomized] {
            let pca = Pca { components: ALL, solver };
            let found = pca.fit_with_symmetry(&faces, Symmetry::Mirror(&mirror)).unwrap();
            check_mirrored(&faces, &both, &expected, &found);
        }
    }

    #[test]
    fn mirrored_inner_products_agree_with_pixels(n in 4_usize..30, seed: u64, width in 8_u32..12) {
        let faces = faces(width, 9, n, seed);
        let mirror = mirror(&faces);
        let products = InnerProducts::with_symmetry(&faces, Symmetry::Mirror(&mirror)).unwrap();
        let (learned, probes) = all_but(n, |j| j % 3 == 0);
        let space = products.fit(&learned, ALL).unwrap();
        let k = space.count();
        let (space, components) = space.with_components(&faces, k).unwrap();
        let chosen = faces.select(&learned).unwrap();
        let pca = Pca { components: ALL, solver: Solver::Gram };
        prop_assert_eq!(
            &components,
            &pca.fit_with_symmetry(&chosen, Symmetry::Mirror(&mirror)).unwrap()
        );
        prop_assert_eq!(space.eigenvalues(), components.eigenvalues.clone());
        prop_assert_eq!(space.parity(), components.parity.clone());
        let pixels = FaceSpace::new(faces.size(), &components);
        let (expected, found) = (pixels.project(&chosen), space.training_weights());
        prop_assert!((&expected - &found).amax() <= 1e-5 * expected.amax());
        let tried = faces.select(&probes).unwrap();
        let (expected, found) = (pixels.project(&tried), space.project(&probes));
        prop_assert!((&expected - &found).amax() <= 1e-5 * expected.amax());
        for (at, &probe) in probes.iter().enumerate() {
            let a = space.residual(probe, found.column(at).as_slice());
            let b = pixels.residual(faces.face(probe), expected.column(at).as_slice());
            prop_assert!((a.from_mean / b.from_mean - 1.0).abs() < 1e-12);
            let off = a.distance.powi(2) - b.distance.powi(2);
            prop_assert!(off.abs() < 1e-5 * b.from_mean.powi(2));
        }
    }
}

/// A fit with symmetry against an ordinary one of faces and mirror images.
fn check_mirrored(
    faces: &FaceMatrix,
    both: &FaceMatrix,
    expected: &Components,
    found: &Components,
) {
    let k = expected.count();
    let largest = expected.eigenvalues[0];
    assert_eq!((found.count(), found.faces), (k, faces.len()));
    for (a, b) in found.eigenvalues.iter().zip(&expected.eigenvalues) {
        assert!((a - b).abs() <= 1e-10 * largest, "{a} {b}");
    }
    assert!((found.total_variance / expected.total_variance - 1.0).abs() < 1e-12);
    assert!((&found.mean - &expected.mean).amax() < 1e-10);
    let gram = found.basis.tr_mul(&found.basis);
    // Strong eigenfaces may be computed in single precision.
    let weakest = expected.eigenvalues[k - 1] / expected.total_variance;
    let tolerance = if weakest > 1.0 / 4001.0 { 1e-6 } else { 1e-10 };
    assert!((gram - DMatrix::identity(k, k)).amax() < tolerance);

    // Each eigenface is even or odd to the last bit, and spans with its like the same space.
    let parity = found.parity.as_ref().expect("parities are known");
    let mut images = found.basis.clone();
    mirror(faces).apply(images.as_mut_slice());
    for (i, parity) in parity.iter().enumerate() {
        match parity {
            Parity::Even => assert_eq!(images.column(i), found.basis.column(i)),
            Parity::Odd => assert_eq!(images.column(i), -found.basis.column(i)),
        }
    }
    for kept in 1..=k {
        let next = expected.eigenvalues.get(kept).copied().unwrap_or(0.0);
        if expected.eigenvalues[kept - 1] - next > 1e-3 * largest {
            let (a, b) = (
                expected.basis.columns(0, kept),
                found.basis.columns(0, kept),
            );
            let outside = b - a * a.tr_mul(&b);
            assert!(outside.amax() < 1e-6, "the leading {kept} differ");
        }
    }

    // The weights of a mirrored face are the face's, odd ones negated.
    let weights = FaceSpace::new(faces.size(), found).project(both);
    let n = faces.len();
    for (i, parity) in parity.iter().enumerate() {
        let (own, image) = (weights.view((i, 0), (1, n)), weights.view((i, n), (1, n)));
        let off = match parity {
            Parity::Even => (own - image).amax(),
            Parity::Odd => (own + image).amax(),
        };
        assert!(off <= 1e-5 * weights.amax(), "{off}");
    }
}

#[test]
fn chunks_of_mirrored_faces_add_up() {
    let faces = faces(9, 8, 90, 5);
    let mirror = mirror(&faces);
    let mut sums = Accumulator::new(72);
    for columns in [40..90, 0..40] {
        let chunk: Vec<usize> = columns.collect();
        sums.add(&faces.select(&chunk).unwrap()).unwrap();
    }
    let pca = Pca {
        components: ComponentCount::Count(9),
        solver: Solver::Covariance,
    };
    let symmetry = Symmetry::Mirror(&mirror);
    assert_eq!(
        sums.components_with_symmetry(pca.components, symmetry),
        pca.fit_with_symmetry(&faces, symmetry)
    );
}

#[test]
fn a_count_takes_the_largest_of_both_parities() {
    let faces = faces(12, 10, 30, 11);
    let mirror = mirror(&faces);
    let fit = |components| {
        let solver = Solver::Gram;
        let pca = Pca { components, solver };
        pca.fit_with_symmetry(&faces, Symmetry::Mirror(&mirror))
            .unwrap()
    };
    let all = fit(ALL);
    for count in [1, 2, 7, 20, 58, 59, 1000] {
        let some = fit(ComponentCount::Count(count));
        let count = count.min(all.count());
        assert_eq!(some.count(), count);
        assert_eq!(some.parity.unwrap(), all.parity.as_ref().unwrap()[..count]);
        for (a, b) in some.eigenvalues.iter().zip(&all.eigenvalues) {
            assert!((a - b).abs() < 1e-12 * all.eigenvalues[0]);
        }
    }
}

#[test]
fn symmetric_faces_have_no_odd_part() {
    let mut pixels = faces(9, 8, 10, 3).as_slice().to_vec();
    for row in pixels.chunks_mut(9) {
        for x in 0..4 {
            row[8 - x] = row[x];
        }
    }
    let size = FaceSize::new(9, 8).unwrap();
    let faces = FaceMatrix::from_pixels(size, pixels).unwrap();
    let mirror = mirror(&faces);
    for solver in [Solver::Gram, Solver::Covariance] {
        let pca = Pca {
            components: ALL,
            solver,
        };
        let found = pca
            .fit_with_symmetry(&faces, Symmetry::Mirror(&mirror))
            .unwrap();
        assert_eq!(found.parity, Some(vec![Parity::Even; 9]));
    }
}

#[test]
fn what_cannot_be_learned_from_is_refused() {
    let faces = faces(8, 8, 4, 1);
    let products = InnerProducts::of(&faces);
    assert_eq!(
        products.fit(&[], ALL).unwrap_err(),
        PcaError::TooFewFaces(0)
    );
    assert_eq!(
        products.fit(&[2], ALL).unwrap_err(),
        PcaError::TooFewFaces(1)
    );
    assert_eq!(
        products.fit(&[2; 3], ALL).unwrap_err(),
        PcaError::NoVariance(3)
    );
    let space = products.fit(&[0, 1, 3], ALL).unwrap();
    let fewer = faces.select(&[0, 1]).unwrap();
    assert!(space.with_components(&fewer, 1).is_err());

    let other = Mirror::of_images(9, 9);
    let error = PcaError::OtherPixels {
        expected: 81,
        found: 64,
    };
    assert_eq!(
        InnerProducts::with_symmetry(&faces, Symmetry::Mirror(&other)).unwrap_err(),
        error
    );
    let covariance = Pca {
        components: ALL,
        solver: Solver::Covariance,
    };
    assert_eq!(
        covariance.fit_with_symmetry(&faces, Symmetry::Mirror(&other)),
        Err(error)
    );

    // One face and its mirror image span one direction; a face that is its own image spans none.
    let mirror = mirror(&faces);
    let one = InnerProducts::with_symmetry(&faces, Symmetry::Mirror(&mirror)).unwrap();
    assert_eq!(
        one.fit(&[3], ALL).unwrap().parity(),
        Some(vec![Parity::Odd])
    );
    let flat = FaceMatrix::from_pixels(faces.size(), vec![7; 64]).unwrap();
    for solver in Solver::ALL {
        let pca = Pca {
            components: ALL,
            solver,
        };
        let refused = pca.fit_with_symmetry(&flat, Symmetry::Mirror(&mirror));
        assert_eq!(refused, Err(PcaError::NoVariance(1)));
    }
}

#[test]
fn threads_change_no_bit() {
    let faces = faces(16, 18, 130, 9);
    let mirror = mirror(&faces);
    let run = |threads: usize| {
        on_threads(threads, || {
            let products = InnerProducts::with_symmetry(&faces, Symmetry::Mirror(&mirror)).unwrap();
            let (learned, probes) = all_but(130, |j| j % 5 == 0);
            let space = products.fit(&learned, ComponentCount::Auto).unwrap();
            let (space, components) = space.with_components(&faces, 30).unwrap();
            (space.training_weights(), space.project(&probes), components)
        })
    };
    assert_eq!(run(1), run(3));
}
