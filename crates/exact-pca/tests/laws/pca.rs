//! Linear PCA by every route.

use exact_pca::projection::project;
use exact_pca::{Accumulator, ComponentCount, Components, Pca, PcaError, Solver};
use nalgebra::DMatrix;
use proptest::prelude::*;

use crate::{drawn, matrix, on_threads};

const EVERY_SOLVER: [Solver; 5] = [Solver::Auto, Solver::Gram, Solver::Covariance, Solver::Lanczos, Solver::Minimize];

fn faces(pixels: usize, n: usize, seed: u64) -> DMatrix<u8> {
    matrix(pixels, n, drawn::waves(pixels, n, seed))
}

/// Weights of all faces.
fn weights(faces: &DMatrix<u8>, components: &Components) -> DMatrix<f32> {
    let basis = components.basis.map(|value| value as f32);
    project(&basis, components.mean.as_slice(), faces.as_slice()).unwrap()
}

/// n faces of 64 pixels, one of which is lit in each: all n - 1 eigenvalues are exactly equal.
fn lit(n: usize) -> DMatrix<u8> {
    DMatrix::from_fn(64, n, |pixel, face| if pixel == face { 200 } else { 0 })
}

fn fit(faces: &DMatrix<u8>, components: ComponentCount, solver: Solver) -> Components {
    Pca { components, solver }.fit(faces).unwrap()
}

fn all(faces: &DMatrix<u8>, solver: Solver) -> Components {
    fit(faces, ComponentCount::Share(1.0), solver)
}

/// The largest entry of |UᵀU - I|.
fn orthonormality(basis: &DMatrix<f64>) -> f64 {
    (basis.tr_mul(basis) - DMatrix::identity(basis.ncols(), basis.ncols())).amax()
}

/// X - m 1ᵀ.
fn centred(faces: &DMatrix<u8>, components: &Components) -> DMatrix<f64> {
    let mut centred = faces.map(f64::from);
    for mut face in centred.column_iter_mut() {
        face -= &components.mean;
    }
    centred
}

/// Strong eigenfaces may be computed in single precision (see `Components::basis`), weak ones never.
fn tolerance(components: &Components, double: f64) -> f64 {
    let weakest = components.eigenvalues.last().copied().unwrap_or(0.0);
    if weakest * 4001.0 > components.total_variance { double.max(1e-6) } else { double }
}

fn check_laws(faces: &DMatrix<u8>, components: &Components) {
    let (d, n) = faces.shape();
    let k = components.count();
    assert_eq!(components.basis.shape(), (d, k));
    assert!(k < n && k <= d, "rank {k} of {n} faces of {d} pixels");
    assert!(orthonormality(&components.basis) < tolerance(components, 1e-10), "{}", orthonormality(&components.basis));
    assert!(components.eigenvalues.windows(2).all(|pair| pair[0] >= pair[1]));
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
    assert!((covariance - diagonal).amax() < tolerance(components, 1e-9) * largest, "covariance of the weights");
    for row in weights.row_iter() {
        assert!(row.mean().abs() < tolerance(components, 1e-9) * largest.sqrt(), "mean of the weights");
    }
}

fn check_recomposition(faces: &DMatrix<u8>, components: &Components) {
    let centred = centred(faces, components);
    let weights = components.basis.tr_mul(&centred);
    let error = (&components.basis * weights - &centred).amax();
    assert!(error < 1e-6, "rebuilt from all components, pixels differ by {error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_faces_obey(width in 8_usize..20, height in 8_usize..14, n in 2_usize..60, seed: u64) {
        let faces = faces(width * height, n, seed);
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
        let faces = faces(99, n, seed);
        let mut order: Vec<usize> = (0..n).collect();
        order.reverse();
        order.swap(0, n / 2);
        let shuffled = faces.select_columns(&order);
        for solver in [Solver::Gram, Solver::Covariance] {
            prop_assert_eq!(all(&faces, solver), all(&shuffled, solver));
        }
        let few = ComponentCount::Count(n.div_ceil(4));
        let by_lanczos = |faces| fit(faces, few, Solver::Lanczos);
        prop_assert_eq!(by_lanczos(&faces), by_lanczos(&shuffled));
    }

    #[test]
    fn brighter_photos_have_the_same_components(n in 3_usize..30, seed: u64, more in 1_u8..30) {
        let dark = faces(80, n, seed);
        let dark = dark.map(|pixel| pixel.min(220));
        let bright = dark.map(|pixel| pixel + more);
        let (a, b) = (all(&dark, Solver::Gram), all(&bright, Solver::Gram));
        // The centred Gram matrix is an exact integer over n²: not one bit of it changes.
        prop_assert_eq!(&a.eigenvalues, &b.eigenvalues);
        prop_assert!((a.basis - b.basis).amax() < 1e-9);
        let shift = b.mean.add_scalar(-f64::from(more)) - a.mean;
        prop_assert!(shift.amax() < 1e-12);
    }

    #[test]
    fn a_share_keeps_the_fewest_that_reach_it(n in 4_usize..40, seed: u64, share in 0.05_f64..0.999) {
        let faces = faces(90, n, seed);
        let everything = all(&faces, Solver::Gram);
        let kept = fit(&faces, ComponentCount::Share(share), Solver::Gram).count();
        let ratios = everything.variance_ratios();
        let sum = |count: usize| ratios[..count].iter().sum::<f64>();
        prop_assert!(sum(kept) >= share - 1e-9);
        prop_assert!(kept == 1 || sum(kept - 1) < share + 1e-9);
    }

}

#[test]
fn each_component_has_the_largest_variance_left() {
    // No random direction orthogonal to the leading ones may vary more than the next component.
    let faces = faces(120, 40, 7);
    let components = all(&faces, Solver::Gram);
    let centred = centred(&faces, &components);
    let mut state = 99_u64;
    for k in [0, 1, 5, 20] {
        for _ in 0..50 {
            let mut direction = nalgebra::DVector::from_fn(faces.nrows(), |_, _| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 40) as f64 / (1_u64 << 24) as f64 - 0.5
            });
            for leading in components.basis.columns(0, k).column_iter() {
                direction -= leading * leading.dot(&direction);
            }
            direction.normalize_mut();
            let variance = centred.tr_mul(&direction).norm_squared() / (faces.ncols() - 1) as f64;
            assert!(variance <= components.eigenvalues[k] * (1.0 + 1e-9));
        }
    }
}

#[test]
fn duplicates_lower_the_rank_and_break_nothing() {
    let few = faces(100, 6, 3);
    let many = few.select_columns(&[0, 1, 2, 3, 4, 5, 0, 0, 1, 2, 5, 5, 5, 3]);
    for solver in [Solver::Gram, Solver::Covariance] {
        let components = all(&many, solver);
        assert_eq!(components.count(), 5, "{solver:?}");
        check_laws(&many, &components);
        check_recomposition(&many, &components);
    }
}

#[test]
fn two_faces_span_one_direction() {
    let faces = faces(64, 2, 5);
    let components = all(&faces, Solver::Auto);
    assert_eq!(components.count(), 1);
    check_laws(&faces, &components);
    check_recomposition(&faces, &components);
    let weights = weights(&faces, &components);
    assert!((weights[(0, 0)] + weights[(0, 1)]).abs() < 1e-3, "they lie opposite");
}

#[test]
fn none_asked_for_is_one() {
    let faces = faces(64, 9, 5);
    for solver in [Solver::Auto, Solver::Gram, Solver::Covariance] {
        assert_eq!(fit(&faces, ComponentCount::Count(0), solver), fit(&faces, ComponentCount::Count(1), solver));
    }
}

#[test]
fn equal_eigenvalues_are_kept_orthonormal() {
    let n = 20;
    let faces = lit(n);
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
    let one = faces(64, 1, 1);
    assert_eq!(Pca::default().fit(&one), Err(PcaError::TooFewFaces(1)));
    let same = one.select_columns(&[0; 7]);
    for solver in EVERY_SOLVER {
        let pca = Pca { components: ComponentCount::Count(2), solver };
        assert_eq!(pca.fit(&one), Err(PcaError::TooFewFaces(1)));
        assert_eq!(pca.fit(&same), Err(PcaError::NoVariance(7)));
    }
}

#[test]
fn chunks_add_up_to_the_whole_bit_for_bit() {
    let faces = faces(99, 130, 17);
    let part = |first: usize, count: usize| faces.columns(first, count).into_owned();
    let sums = |parts: &[DMatrix<u8>]| {
        let mut sums = Accumulator::new(99).unwrap();
        parts.iter().try_for_each(|part| sums.add(part)).map(|()| sums)
    };
    let chunks = sums(&[part(60, 70), part(5, 55), part(0, 0), part(0, 5)]).unwrap();
    assert_eq!(Accumulator::of(&faces).unwrap(), chunks);
    for wanted in [ComponentCount::Auto, ComponentCount::Count(12)] {
        let streamed = chunks.clone().fit(wanted);
        assert_eq!(streamed, Ok(fit(&faces, wanted, Solver::Covariance)));
    }
    let fit = |parts: &[DMatrix<u8>]| sums(parts).and_then(|sums| sums.fit(ComponentCount::Auto));
    let one = part(3, 1);
    assert_eq!(fit(&[]), Err(PcaError::TooFewFaces(0)));
    assert_eq!(fit(std::slice::from_ref(&one)), Err(PcaError::TooFewFaces(1)));
    let alike = [one.clone(), one.clone(), one];
    assert_eq!(fit(&alike), Err(PcaError::NoVariance(3)));
    let (expected, found) = (99, 64);
    let other = Err(PcaError::OtherPixels { expected, found });
    assert_eq!(fit(&[part(0, 9), lit(3)]), other);
    let most = Accumulator::MOST_PIXELS;
    let too_many = PcaError::TooManyPixels { pixels: most + 1, most };
    assert_eq!(Accumulator::new(most + 1), Err(too_many));
}

/// The sine of the largest angle between the leading `k` directions of two bases.
fn angle(a: &Components, b: &Components, k: usize) -> f64 {
    let (a, b) = (a.basis.columns(0, k), b.basis.columns(0, k));
    let outside = b - a * a.tr_mul(&b);
    outside.singular_values().max()
}

/// The Lanczos solver must have done the work itself, and agree with the exact one.
fn check_lanczos(faces: &DMatrix<u8>, k: usize) -> Components {
    let found = fit(faces, ComponentCount::Count(k), Solver::Lanczos);
    assert_eq!(found.solver, Solver::Lanczos, "{} faces, {k}", faces.ncols());
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
    for (width, height, n, k, seed) in
        [(20, 30, 200, 20, 1), (20, 12, 700, 30, 2), (18, 20, 360, 1, 3), (16, 16, 90, 30, 4), (24, 30, 500, 100, 5)]
    {
        check_lanczos(&faces(width * height, n, seed), k);
    }
}

#[test]
fn lanczos_is_safe_where_the_rank_is_low() {
    let few = faces(144, 30, 3);
    for (distinct, n, k) in [(2, 60, 20), (7, 100, 3), (30, 90, 30), (30, 400, 40)] {
        let order: Vec<usize> = (0..n).map(|j| (j * 5 + 3) % distinct).collect();
        check_lanczos(&few.select_columns(&order), k);
    }
    // All eigenvalues equal: whatever is found must be orthonormal, by this or by the exact route.
    let lit = lit(60);
    check_laws(&lit, &fit(&lit, ComponentCount::Count(15), Solver::Lanczos));
}

#[test]
fn lanczos_falls_back_where_much_is_wanted() {
    let faces = faces(100, 60, 3);
    for wanted in [ComponentCount::Count(21), ComponentCount::Auto, ComponentCount::Share(0.9)] {
        let found = fit(&faces, wanted, Solver::Lanczos);
        assert_eq!(found.solver, Solver::Gram);
        assert_eq!(found, fit(&faces, wanted, Solver::Gram));
    }
}

#[test]
fn every_solver_says_how_accurate_it_was() {
    let faces = faces(120, 80, 3);
    for solver in EVERY_SOLVER {
        let found = fit(&faces, ComponentCount::Count(10), solver);
        let centred = centred(&faces, &found);
        let variance = &centred * centred.tr_mul(&found.basis) / (faces.ncols() - 1) as f64;
        let exact = &found.basis * DMatrix::from_diagonal(&found.eigenvalues.clone().into());
        let residual = (variance - exact).column_iter().map(|r| r.norm()).fold(0.0, f64::max);
        assert!(residual < tolerance(&found, 1e-9) * found.eigenvalues[0] + 100.0 * found.residual, "{solver:?}");
        assert!((0.0..1e-9).contains(&found.residual), "{solver:?}");
    }
}

#[test]
fn threads_change_no_bit() {
    let faces = faces(480, 150, 31);
    let fit_with = |threads: usize| {
        on_threads(threads, || {
            let gram = fit(&faces, ComponentCount::Auto, Solver::Gram);
            let weights = weights(&faces, &gram);
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
