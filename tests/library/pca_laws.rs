//! Laws of principal components, on random faces and on the awkward ones.

use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::face_space::FaceSpace;
use eigenfaces::pca::{ComponentCount, Components, Pca, PcaError, Solver};
use nalgebra::DMatrix;
use proptest::prelude::*;

use crate::support::drawn::wavy_faces as faces;
use crate::support::on_threads;

const EVERY_SOLVER: [Solver; 5] = [
    Solver::Auto,
    Solver::Gram,
    Solver::Covariance,
    Solver::Lanczos,
    Solver::Minimize,
];

fn size(width: u32, height: u32) -> FaceSize {
    FaceSize::new(width, height).unwrap()
}

fn fit(faces: &FaceMatrix, components: ComponentCount, solver: Solver) -> Components {
    Pca { components, solver }.fit(faces).unwrap()
}

fn all(faces: &FaceMatrix, solver: Solver) -> Components {
    fit(faces, ComponentCount::Share(1.0), solver)
}

/// The largest entry of |UᵀU - I|.
fn orthonormality(basis: &DMatrix<f64>) -> f64 {
    (basis.tr_mul(basis) - DMatrix::identity(basis.ncols(), basis.ncols())).amax()
}

/// X - m 1ᵀ.
fn centred(faces: &FaceMatrix, components: &Components) -> DMatrix<f64> {
    let mut centred = faces.matrix().map(f64::from);
    for mut face in centred.column_iter_mut() {
        face -= &components.mean;
    }
    centred
}

/// Strong eigenfaces may be computed in single precision (see `Components::basis`), weak ones never.
fn tolerance(components: &Components, double: f64) -> f64 {
    let weakest = components.eigenvalues.last().copied().unwrap_or(0.0);
    if weakest * 4001.0 > components.total_variance {
        double.max(1e-6)
    } else {
        double
    }
}

fn check_laws(faces: &FaceMatrix, components: &Components) {
    let (d, n) = (faces.size().pixels(), faces.len());
    let k = components.count();
    assert_eq!(components.basis.shape(), (d, k));
    assert!(k < n && k <= d, "rank {k} of {n} faces of {d} pixels");
    assert!(
        orthonormality(&components.basis) < tolerance(components, 1e-10),
        "{}",
        orthonormality(&components.basis)
    );
    assert!(
        components
            .eigenvalues
            .windows(2)
            .all(|pair| pair[0] >= pair[1])
    );
    assert!(components.eigenvalues.iter().all(|&value| value > 0.0));
    let sum: f64 = components.eigenvalues.iter().sum();
    assert!(sum <= components.total_variance * (1.0 + 1e-10));
    for eigenface in components.basis.column_iter() {
        assert!(eigenface.max() >= -eigenface.min() * (1.0 - 1e-9), "sign");
    }

    // The weights are centred, uncorrelated, and their variances are the eigenvalues.
    let centred = centred(faces, components);
    let weights = components.basis.tr_mul(&centred);
    let largest = components.eigenvalues[0];
    let covariance = &weights * weights.transpose() / (n - 1) as f64;
    let diagonal = DMatrix::from_diagonal(&components.eigenvalues.clone().into());
    assert!(
        (covariance - diagonal).amax() < tolerance(components, 1e-9) * largest,
        "covariance of the weights"
    );
    for row in weights.row_iter() {
        assert!(
            row.mean().abs() < tolerance(components, 1e-9) * largest.sqrt(),
            "mean of the weights"
        );
    }
}

fn check_recomposition(faces: &FaceMatrix, components: &Components) {
    let centred = centred(faces, components);
    let weights = components.basis.tr_mul(&centred);
    let error = (&components.basis * weights - &centred).amax();
    assert!(
        error < 1e-6,
        "rebuilt from all components, pixels differ by {error}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_faces_obey(width in 8_u32..20, height in 8_u32..14, n in 2_usize..60, seed: u64) {
        let faces = faces(size(width, height), n, seed);
        let gram = all(&faces, Solver::Gram);
        check_laws(&faces, &gram);
        check_recomposition(&faces, &gram);
        let covariance = all(&faces, Solver::Covariance);
        check_laws(&faces, &covariance);
        check_recomposition(&faces, &covariance);
        prop_assert_eq!(gram.count(), covariance.count());
        for (a, b) in gram.eigenvalues.iter().zip(&covariance.eigenvalues) {
            prop_assert!((a - b).abs() <= 1e-10 * gram.eigenvalues[0], "{} {}", a, b);
        }
        let total = (gram.total_variance - covariance.total_variance).abs();
        prop_assert!(total <= 1e-12 * gram.total_variance);
    }

    #[test]
    fn the_order_of_faces_changes_no_bit(n in 2_usize..40, seed: u64) {
        let faces = faces(size(9, 11), n, seed);
        let mut order: Vec<usize> = (0..n).collect();
        order.reverse();
        order.swap(0, n / 2);
        let shuffled = faces.select(&order).unwrap();
        for solver in [Solver::Gram, Solver::Covariance] {
            prop_assert_eq!(all(&faces, solver), all(&shuffled, solver));
        }
        let few = ComponentCount::Count(n.div_ceil(4));
        let by_lanczos = |faces| fit(faces, few, Solver::Lanczos);
        prop_assert_eq!(by_lanczos(&faces), by_lanczos(&shuffled));
    }

    #[test]
    fn brighter_photos_have_the_same_components(n in 3_usize..30, seed: u64, more in 1_u8..30) {
        let dark = faces(size(8, 10), n, seed);
        let pixels: Vec<u8> = dark.as_slice().iter().map(|&p| p.min(220) + more).collect();
        let base: Vec<u8> = dark.as_slice().iter().map(|&p| p.min(220)).collect();
        let dark = FaceMatrix::from_pixels(dark.size(), base).unwrap();
        let bright = FaceMatrix::from_pixels(dark.size(), pixels).unwrap();
        let (a, b) = (all(&dark, Solver::Gram), all(&bright, Solver::Gram));
        // The centred Gram matrix is an exact integer over n²: not one bit of it changes.
        prop_assert_eq!(&a.eigenvalues, &b.eigenvalues);
        prop_assert!((a.basis - b.basis).amax() < 1e-9);
        let shift = b.mean.add_scalar(-f64::from(more)) - a.mean;
        prop_assert!(shift.amax() < 1e-12);
    }

    #[test]
    fn a_share_keeps_the_fewest_that_reach_it(n in 4_usize..40, seed: u64, share in 0.05_f64..0.999) {
        let faces = faces(size(10, 9), n, seed);
        let everything = all(&faces, Solver::Gram);
        let kept = fit(&faces, ComponentCount::Share(share), Solver::Gram).count();
        let ratios = everything.variance_ratios();
        let sum = |count: usize| ratios[..count].iter().sum::<f64>();
        prop_assert!(sum(kept) >= share - 1e-9);
        prop_assert!(kept == 1 || sum(kept - 1) < share + 1e-9);
    }

    #[test]
    fn a_face_alone_has_the_weights_it_has_among_others(n in 2_usize..70, seed: u64) {
        let faces = faces(size(13, 17), n, seed);
        let space = FaceSpace::new(faces.size(), &all(&faces, Solver::Auto));
        let together = space.project(&faces);
        for face in [0, n / 2, n - 1] {
            let alone = space.project(&faces.select(&[face]).unwrap());
            prop_assert_eq!(alone.column(0), together.column(face));
        }
    }
}

#[test]
fn each_component_has_the_largest_variance_left() {
    // No random direction orthogonal to the leading ones may vary more than the next component.
    let faces = faces(size(12, 10), 40, 7);
    let components = all(&faces, Solver::Gram);
    let centred = centred(&faces, &components);
    let mut state = 99_u64;
    for k in [0, 1, 5, 20] {
        for _ in 0..50 {
            let mut direction = nalgebra::DVector::from_fn(faces.size().pixels(), |_, _| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 40) as f64 / (1_u64 << 24) as f64 - 0.5
            });
            for leading in components.basis.columns(0, k).column_iter() {
                direction -= leading * leading.dot(&direction);
            }
            direction.normalize_mut();
            let variance = centred.tr_mul(&direction).norm_squared() / (faces.len() - 1) as f64;
            assert!(variance <= components.eigenvalues[k] * (1.0 + 1e-9));
        }
    }
}

#[test]
fn duplicates_lower_the_rank_and_break_nothing() {
    let few = faces(size(10, 10), 6, 3);
    let many = few
        .select(&[0, 1, 2, 3, 4, 5, 0, 0, 1, 2, 5, 5, 5, 3])
        .unwrap();
    for solver in [Solver::Gram, Solver::Covariance] {
        let components = all(&many, solver);
        assert_eq!(components.count(), 5, "{solver:?}");
        check_laws(&many, &components);
        check_recomposition(&many, &components);
    }
}

#[test]
fn two_faces_span_one_direction() {
    let faces = faces(size(8, 8), 2, 5);
    let components = all(&faces, Solver::Auto);
    assert_eq!(components.count(), 1);
    check_laws(&faces, &components);
    check_recomposition(&faces, &components);
    let space = FaceSpace::new(faces.size(), &components);
    let weights = space.project(&faces);
    assert!(
        (weights[(0, 0)] + weights[(0, 1)]).abs() < 1e-3,
        "they lie opposite"
    );
}

#[test]
fn equal_eigenvalues_are_kept_orthonormal() {
    // Each face has one pixel lit: all n - 1 eigenvalues are exactly equal.
    let (n, size) = (20, size(8, 8));
    let mut pixels = vec![0; n * 64];
    for face in 0..n {
        pixels[face * 64 + face] = 200;
    }
    let faces = FaceMatrix::from_pixels(size, pixels).unwrap();
    for solver in [Solver::Gram, Solver::Covariance] {
        let components = all(&faces, solver);
        assert_eq!(components.count(), n - 1);
        check_laws(&faces, &components);
        let (first, last) = (components.eigenvalues[0], components.eigenvalues[n - 2]);
        assert!((first - last).abs() < 1e-9 * first);
    }
}

#[test]
fn what_has_no_variance_is_refused() {
    let one = faces(size(8, 8), 1, 1);
    assert_eq!(Pca::default().fit(&one), Err(PcaError::TooFewFaces(1)));
    let same = one.select(&[0; 7]).unwrap();
    for solver in EVERY_SOLVER {
        let pca = Pca {
            components: ComponentCount::Count(2),
            solver,
        };
        assert_eq!(pca.fit(&one), Err(PcaError::TooFewFaces(1)));
        assert_eq!(pca.fit(&same), Err(PcaError::NoVariance(7)));
    }
}

#[test]
fn chunks_add_up_to_the_whole_bit_for_bit() {
    use eigenfaces::pca::covariance::Accumulator;
    let faces = faces(size(11, 9), 50, 17);
    let mut whole = Accumulator::new(99);
    whole.add(&faces).unwrap();
    let mut chunks = Accumulator::new(99);
    for columns in [30..50, 0..7, 7..30] {
        chunks
            .add(&faces.select(&columns.collect::<Vec<_>>()).unwrap())
            .unwrap();
    }
    assert_eq!(whole, chunks);
    let streamed = chunks.components(ComponentCount::Count(12)).unwrap();
    assert_eq!(
        streamed,
        fit(&faces, ComponentCount::Count(12), Solver::Covariance)
    );
}

/// The sine of the largest angle between the leading `k` directions of two bases.
fn angle(a: &Components, b: &Components, k: usize) -> f64 {
    let (a, b) = (a.basis.columns(0, k), b.basis.columns(0, k));
    let outside = b - a * a.tr_mul(&b);
    outside.singular_values().max()
}

/// The Lanczos solver must have done the work itself, and agree with the exact one.
fn check_lanczos(faces: &FaceMatrix, k: usize) -> Components {
    let found = fit(faces, ComponentCount::Count(k), Solver::Lanczos);
    assert_eq!(found.solver, Solver::Lanczos, "{} faces, {k}", faces.len());
    check_laws(faces, &found);
    assert!(found.residual < 1e-9, "{}", found.residual);
    for solver in [Solver::Gram, Solver::Covariance] {
        let exact = fit(faces, ComponentCount::Count(k + 1), solver);
        let k = k.min(exact.count());
        assert_eq!(found.count(), k);
        let largest = exact.eigenvalues[0];
        for (a, b) in found.eigenvalues.iter().zip(&exact.eigenvalues) {
            assert!((a - b).abs() <= 1e-8 * largest, "{a} {b}");
        }
        assert!((found.total_variance / exact.total_variance - 1.0).abs() < 1e-12);
        assert!((&found.mean - &exact.mean).amax() < 1e-12);
        for kept in 1..=k {
            let next = exact.eigenvalues.get(kept).copied().unwrap_or(0.0);
            if exact.eigenvalues[kept - 1] - next > 1e-3 * largest {
                let angle = angle(&found, &exact, kept);
                assert!(angle < 1e-5, "{kept} of {k}: {angle}");
            }
        }
    }
    found
}

#[test]
fn lanczos_agrees_with_the_exact_solvers() {
    for (width, height, n, k, seed) in [
        (20, 30, 200, 20, 1),
        (20, 12, 700, 30, 2),
        (18, 20, 360, 1, 3),
        (16, 16, 90, 30, 4),
        (24, 30, 500, 100, 5),
    ] {
        check_lanczos(&faces(size(width, height), n, seed), k);
    }
}

#[test]
fn lanczos_is_safe_where_the_rank_is_low() {
    let few = faces(size(12, 12), 30, 3);
    for (distinct, n, k) in [(2, 60, 20), (7, 100, 3), (30, 90, 30), (30, 400, 40)] {
        let order: Vec<usize> = (0..n).map(|j| (j * 5 + 3) % distinct).collect();
        check_lanczos(&few.select(&order).unwrap(), k);
    }
    // All eigenvalues equal: whatever is found must be orthonormal, by this or by the exact route.
    let mut pixels = vec![0; 60 * 64];
    for face in 0..60 {
        pixels[face * 64 + face] = 200;
    }
    let lit = FaceMatrix::from_pixels(size(8, 8), pixels).unwrap();
    check_laws(&lit, &fit(&lit, ComponentCount::Count(15), Solver::Lanczos));
}

#[test]
fn lanczos_falls_back_where_much_is_wanted() {
    let faces = faces(size(10, 10), 60, 3);
    for wanted in [
        ComponentCount::Count(21),
        ComponentCount::Auto,
        ComponentCount::Share(0.9),
    ] {
        let found = fit(&faces, wanted, Solver::Lanczos);
        assert_eq!(found.solver, Solver::Gram);
        assert_eq!(found, fit(&faces, wanted, Solver::Gram));
    }
}

/// The leading 100 of AT&T in full size, which may be mapped back in single precision, against all of them, the
/// weakest of which may not.
#[test]
fn single_precision_is_good_to_a_millionth_on_real_faces() {
    let Some(folder) = crate::support::real_data("att") else {
        return;
    };
    let mut pixels = Vec::new();
    for (person, photo) in (1..=40).flat_map(|person| (1..=10).map(move |photo| (person, photo))) {
        let file = std::fs::read(folder.join(format!("s{person}/{photo}.pgm"))).unwrap();
        pixels.extend_from_slice(&file[file.len() - 92 * 112..]);
    }
    let faces = FaceMatrix::from_pixels(size(92, 112), pixels).unwrap();
    let exact = all(&faces, Solver::Gram);
    assert_eq!(exact.count(), 399);
    assert!(orthonormality(&exact.basis) < 1e-10);
    for k in [1, 10, 50, 75, 100] {
        let found = fit(&faces, ComponentCount::Count(k), Solver::Gram);
        assert!(orthonormality(&found.basis) < 1e-6);
        let angle = angle(&exact, &found, k);
        assert!(angle < 1e-6, "{k}: {angle}");
    }
}

#[test]
fn every_solver_says_how_accurate_it_was() {
    let faces = faces(size(12, 10), 80, 3);
    for solver in EVERY_SOLVER {
        let found = fit(&faces, ComponentCount::Count(10), solver);
        let centred = centred(&faces, &found);
        let variance = &centred * centred.tr_mul(&found.basis) / (faces.len() - 1) as f64;
        let exact = &found.basis * DMatrix::from_diagonal(&found.eigenvalues.clone().into());
        let residual = (variance - exact)
            .column_iter()
            .map(|r| r.norm())
            .fold(0.0, f64::max);
        assert!(
            residual < tolerance(&found, 1e-9) * found.eigenvalues[0] + 100.0 * found.residual,
            "{solver:?}"
        );
        assert!((0.0..1e-9).contains(&found.residual), "{solver:?}");
    }
}

#[test]
fn a_stream_of_faces_gives_the_same_bits_and_the_same_errors() {
    use eigenfaces::pca::covariance::fit_stream;
    let faces = faces(size(10, 9), 130, 17);
    let part =
        |columns: std::ops::Range<usize>| faces.select(&columns.collect::<Vec<_>>()).unwrap();
    for wanted in [ComponentCount::Auto, ComponentCount::Count(12)] {
        let streamed = fit_stream([part(60..130), part(5..60), part(0..0), part(0..5)], wanted);
        assert_eq!(streamed, Ok(fit(&faces, wanted, Solver::Covariance)));
    }
    let wanted = ComponentCount::Auto;
    assert_eq!(fit_stream([], wanted), Err(PcaError::TooFewFaces(0)));
    assert_eq!(
        fit_stream([part(0..0)], wanted),
        Err(PcaError::TooFewFaces(0))
    );
    assert_eq!(
        fit_stream([part(3..4)], wanted),
        Err(PcaError::TooFewFaces(1))
    );
    let alike = [part(3..4), part(3..4), part(3..4)];
    assert_eq!(fit_stream(alike, wanted), Err(PcaError::NoVariance(3)));
    let other = FaceMatrix::from_pixels(size(8, 8), vec![0; 64]).unwrap();
    assert_eq!(
        fit_stream([part(0..9), other], wanted),
        Err(PcaError::OtherPixels {
            expected: 90,
            found: 64
        })
    );
}

#[test]
fn residual_and_weights_obey_pythagoras() {
    let faces = faces(size(12, 12), 30, 23);
    let space = FaceSpace::new(
        faces.size(),
        &fit(&faces, ComponentCount::Count(8), Solver::Gram),
    );
    let weights = space.project(&faces);
    for face in 0..faces.len() {
        let column = weights.column(face);
        let residual = space.residual(faces.face(face), column.as_slice());
        let apart: f64 = faces
            .face(face)
            .iter()
            .zip(space.rebuild(column.as_slice()))
            .map(|(&pixel, value)| (f64::from(pixel) - f64::from(value)).powi(2))
            .sum();
        assert!(
            (residual.distance - apart.sqrt()).abs() < 1e-2,
            "{} {}",
            residual.distance,
            apart.sqrt()
        );
        assert!((0.0..=residual.from_mean).contains(&residual.distance));
    }
}

#[test]
fn threads_change_no_bit() {
    let faces = faces(size(20, 24), 150, 31);
    let fit_with = |threads: usize| {
        on_threads(threads, || {
            let gram = fit(&faces, ComponentCount::Auto, Solver::Gram);
            let weights = FaceSpace::new(faces.size(), &gram).project(&faces);
            (
                gram,
                weights,
                fit(&faces, ComponentCount::Auto, Solver::Covariance),
                fit(&faces, ComponentCount::Count(30), Solver::Lanczos),
            )
        })
    };
    assert_eq!(fit_with(1), fit_with(3));
}
