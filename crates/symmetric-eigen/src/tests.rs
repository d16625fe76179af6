//! Laws, and every way in which an eigensolver was provoked to fail before.

use super::random::Noise;
use super::*;

const METHODS: [Method; 4] = [Method::Auto, Method::Full, Method::Tridiagonal, Method::Lanczos];

/// A random orthonormal n x n matrix.
fn rotation(n: usize, seed: u64) -> DMatrix<f64> {
    let mut q = DMatrix::from_iterator(n, n, Noise::seeded(seed).take(n * n));
    orthogonal::extend(dense::columns(&[], n), q.as_mut_slice(), 0.0, 1);
    q
}

/// A symmetric matrix with this spectrum, exactly symmetric.
fn with_spectrum(values: &[f64], seed: u64) -> DMatrix<f64> {
    let q = rotation(values.len(), seed);
    let mut scaled = q.clone();
    for (mut column, value) in scaled.column_iter_mut().zip(values) {
        column *= *value;
    }
    let a = dense::product(dense::view(&scaled), dense::view(&q.transpose()));
    (&a + a.transpose()) * 0.5
}

/// The spectrum of faces, roughly.
fn decaying(n: usize) -> Vec<f64> {
    (1..=n).map(|i| 1e9 * libm::pow(i as f64, -1.5)).collect()
}

/// Solves, and checks everything the contract promises by means of nalgebra alone.
fn solve_checked(a: &DMatrix<f64>, k: usize, method: Method) -> Eigenpairs {
    let pairs =
        leading(a.clone(), k, method).unwrap_or_else(|error| panic!("{method:?}, n = {}, k = {k}: {error}", a.nrows()));
    let (n, k) = (a.nrows(), k.min(a.nrows()));
    assert_eq!(pairs.values.len(), k);
    assert_eq!(pairs.vectors.shape(), (n, k));
    assert!(pairs.values.windows(2).all(|pair| pair[0] >= pair[1]), "{method:?}: not decreasing");
    let scale = pairs.values.first().map_or(0.0, |x| x.abs()).max(a.amax());
    let tolerance = match pairs.method {
        EigenMethod::Lanczos { .. } => 10.0 * lanczos::TOLERANCE,
        _ => 1e-12,
    };
    for (j, &value) in pairs.values.iter().enumerate() {
        let v = pairs.vectors.column(j);
        let residual = (a * v - v * value).amax();
        assert!(residual <= tolerance * scale, "{method:?} {:?}: residual {residual:e} of {j}", pairs.method);
    }
    let gram = pairs.vectors.transpose() * &pairs.vectors;
    let error = (gram - DMatrix::identity(k, k)).amax();
    assert!(error <= 1e-12, "{method:?} {:?}: orthogonality {error:e}", pairs.method);
    pairs
}

/// All methods on one matrix whose spectrum is known.
fn all_agree(values: &[f64], k: usize, seed: u64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let a = with_spectrum(values, seed);
    for method in METHODS {
        let pairs = solve_checked(&a, k, method);
        for (found, known) in pairs.values.iter().zip(&sorted) {
            let error = (found - known).abs() / sorted[0].abs().max(f64::MIN_POSITIVE);
            assert!(error <= 1e-10, "{method:?} {:?}: {found} is not {known}", pairs.method);
        }
    }
}

#[test]
fn smallest_sizes() {
    for method in METHODS {
        let empty = solve_checked(&DMatrix::zeros(0, 0), 3, method);
        assert!(empty.values.is_empty());
        let one = solve_checked(&DMatrix::from_element(1, 1, 7.0), 1, method);
        assert!((one.values[0] - 7.0).abs() < 1e-14);
        let two = solve_checked(&DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]), 2, method);
        assert!((two.values[0] - 3.0).abs() < 1e-14 && (two.values[1] - 1.0).abs() < 1e-14);
        let three = solve_checked(&with_spectrum(&[3.0, 3.0, 1.0], 5), 9, method);
        assert_eq!(three.values.len(), 3);
    }
}

#[test]
fn identical_images_give_a_zero_matrix() {
    for method in METHODS {
        let pairs = solve_checked(&DMatrix::zeros(40, 40), 10, method);
        assert!(pairs.values.iter().all(|&value| value == 0.0));
    }
}

#[test]
fn rank_one() {
    for n in [5, 60, 300] {
        let v = nalgebra::DVector::from_iterator(n, Noise::seeded(9).take(n)) * 1e5;
        let a = &v * v.transpose();
        for method in METHODS {
            let pairs = solve_checked(&a, n.min(30), method);
            assert!((pairs.values[0] / v.norm_squared() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn duplicate_columns_and_more_wanted_than_the_rank() {
    // 300 faces, only 12 different ones, as an integer Gram matrix.
    let faces: Vec<Vec<i64>> =
        (0..12).map(|i| Noise::seeded(i).take(500).map(|x| (x * 127.0 + 128.0) as i64).collect()).collect();
    let a = DMatrix::from_fn(300, 300, |i, j| {
        faces[i % 12].iter().zip(&faces[j % 12]).map(|(x, y)| x * y).sum::<i64>() as f64
    });
    for method in METHODS {
        for k in [5, 12, 40, 300] {
            let pairs = solve_checked(&a, k, method);
            let zeros = pairs.values.iter().skip(12);
            assert!(zeros.into_iter().all(|value| value.abs() < 1e-11 * pairs.values[0]));
        }
    }
}

#[test]
fn repeated_top_eigenvalues() {
    for repeated in [2, 7, 20, 33] {
        let mut values = decaying(400);
        values[..repeated].fill(2e9);
        all_agree(&values, 40, 11);
    }
    // Nothing but one value, and two values.
    all_agree(&[4.0; 90], 30, 12);
    all_agree(&[vec![5.0; 50], vec![1.0; 150]].concat(), 60, 13);
}

#[test]
fn exactly_repeated_without_a_rotation() {
    // A diagonal matrix: the tridiagonal form splits into single rows.
    let mut a = DMatrix::zeros(200, 200);
    a.set_diagonal(&nalgebra::DVector::from_fn(200, |i, _| if i % 3 == 0 { 9.0 } else { i as f64 / 200.0 }));
    for method in METHODS {
        let pairs = solve_checked(&a, 70, method);
        assert!(pairs.values[..67].iter().all(|value| (value - 9.0).abs() < 1e-12));
    }
}

#[test]
fn clustered_decaying_and_random_spectra() {
    all_agree(&decaying(450), 60, 21);
    let clustered: Vec<f64> = (0..300).map(|i| 1.0 / (1 + i / 10) as f64 + 1e-13 * i as f64).collect();
    all_agree(&clustered, 55, 22);
    let noise: Vec<f64> = Noise::seeded(4).take(250).map(|x| x + 1.0).collect();
    all_agree(&noise, 250, 23);
    // One giant value above a plateau: the uncentred Gram of faces.
    let giant: Vec<f64> = (0..320).map(|i| if i == 0 { 1e12 } else { 1e3 / i as f64 }).collect();
    all_agree(&giant, 50, 24);
}

#[test]
fn wilkinson_pairs() {
    // W21+: eigenvalues in pairs that agree to many digits; glued together five times.
    let n = 105;
    let a = DMatrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => (i as f64 % 21.0 - 10.0).abs(),
        1 if i.max(j) % 21 == 0 => 1e-8,
        1 => 1.0,
        _ => 0.0,
    });
    for method in METHODS {
        solve_checked(&a, 30, method);
        solve_checked(&a, n, method);
    }
}

#[test]
fn any_scale() {
    for scale in [1e-300, 1e-160, 1e-12, 1e12, 1e160, 1e300] {
        let a = with_spectrum(&decaying(80).iter().map(|x| x / 1e9).collect::<Vec<_>>(), 31) * scale;
        for method in METHODS {
            let pairs = leading(a.clone(), 20, method).expect("any scale is fine");
            for (i, value) in pairs.values.iter().enumerate() {
                let known = libm::pow((i + 1) as f64, -1.5);
                assert!((value / scale - known).abs() < 1e-10, "{method:?} at {scale:e}");
            }
        }
    }
}

#[test]
fn indefinite_dust() {
    // What centring leaves of identical images: rounding, of both signs.
    let n = 150;
    let b = DMatrix::from_iterator(n, n, Noise::seeded(6).take(n * n)) * 1e-7;
    let a = &b + b.transpose();
    for method in METHODS {
        solve_checked(&a, 25, method);
    }
}

#[test]
fn subspaces_agree_where_the_gap_allows() {
    let mut values = decaying(500);
    for value in &mut values[30..] {
        *value *= 0.1;
    }
    let a = with_spectrum(&values, 41);
    let reference = solve_checked(&a, 30, Method::Full);
    for method in METHODS {
        let pairs = solve_checked(&a, 30, method);
        // The sine of the largest angle: what of one space lies outside the other.
        let inside = reference.vectors.transpose() * &pairs.vectors;
        let outside = &pairs.vectors - &reference.vectors * inside;
        assert!(outside.norm() < 1e-8, "{method:?}: {:e}", outside.norm());
    }
}

#[test]
fn every_pair_of_a_large_matrix() {
    let a = with_spectrum(&decaying(900), 51);
    let pairs = solve_checked(&a, 900, Method::Full);
    assert!(pairs.residual < 1e-12);
}

#[test]
fn implicit_ql_is_exact_at_the_scale_of_faces() {
    // A few strong directions above much noise: many values that nearly coincide.
    let n = 500;
    let noise = DMatrix::from_iterator(n, 650, Noise::seeded(52).take(n * 650)) * 2e3;
    let ramp = DMatrix::from_fn(n, 40, |i, j| {
        2e4 * libm::sin(0.01 * ((i * 7919) % n) as f64 * (j + 1) as f64) / (1 + j) as f64
    });
    let faces = dense::product(dense::view(&ramp), dense::view(&ramp.transpose()))
        + dense::product(dense::view(&noise), dense::view(&noise.transpose()));
    let mut a = (&faces + faces.transpose()) * 0.5;
    let (diagonals, _) = tridiagonalise(&mut a);
    let (values, vectors) = implicit_ql::leading(&diagonals, n).expect("solved");
    let norm = tridiagonal::norm(&diagonals);
    assert!(tridiagonal::residual(&diagonals, &values, &vectors) < 1e-13 * norm);
    assert!(check::orthogonality(&vectors) < 1e-12);
}

#[test]
fn the_tridiagonal_form_has_the_same_entries_above_the_diagonal_and_comes_back() {
    for n in [1, 2, 3, 8, 41, 600] {
        let before = with_spectrum(&decaying(n), 53);
        let mut a = before.clone();
        let (diagonals, reflections) = tridiagonalise(&mut a);
        assert!(
            a.upper_triangle() - DMatrix::from_diagonal(&a.diagonal())
                == before.upper_triangle() - DMatrix::from_diagonal(&before.diagonal())
        );
        let mut t = DMatrix::from_diagonal(&diagonals.main.into());
        for (i, off) in diagonals.off.into_iter().enumerate() {
            (t[(i, i + 1)], t[(i + 1, i)]) = (off, off);
        }
        let mut q = DMatrix::identity(n, n);
        transform_back(&a, &reflections, &mut q);
        assert!(check::orthogonality(&q) < 1e-13);
        assert!((&q * t * q.transpose() - &before).amax() < 1e-13 * before.amax());
    }
}

#[test]
fn lanczos_is_used_where_it_pays_and_agrees() {
    let a = with_spectrum(&decaying(1200), 61);
    let pairs = solve_checked(&a, 50, Method::Auto);
    assert!(matches!(pairs.method, EigenMethod::Lanczos { .. }), "{:?}", pairs.method);
    for (i, value) in pairs.values.iter().enumerate() {
        assert!((value / 1e9 - libm::pow((i + 1) as f64, -1.5)).abs() < 1e-10);
    }
}

#[test]
fn an_overlooked_copy_of_an_eigenvalue_is_noticed() {
    let mut values = decaying(300);
    values[..30].fill(2e9);
    let q = rotation(300, 62);
    let a = with_spectrum(&values, 62);
    let claim = |columns: Vec<usize>| Eigenpairs {
        values: columns.iter().map(|&j| values[j]).collect(),
        vectors: q.select_columns(&columns),
        method: EigenMethod::Lanczos { dimension: 300 },
        residual: 0.0,
    };
    let complete = claim((0..40).collect());
    assert!(!lanczos::overlooked(&a, &complete, a.amax()));
    let incomplete = claim((0..29).chain(30..40).collect());
    assert!(lanczos::overlooked(&a, &incomplete, a.amax()));
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let a = with_spectrum(&decaying(700), 71);
    let run = |threads: usize, method: Method, k: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| leading(a.clone(), k, method)).expect("solved")
    };
    for (method, k) in [(Method::Full, 700), (Method::Tridiagonal, 90), (Method::Lanczos, 40)] {
        let one = run(1, method, k);
        for threads in [2, 3] {
            let more = run(threads, method, k);
            let bits = |pairs: &Eigenpairs| -> Vec<u64> {
                pairs.values.iter().chain(pairs.vectors.iter()).map(|x| x.to_bits()).collect()
            };
            assert!(bits(&one) == bits(&more), "{method:?} with {threads} threads");
        }
    }
}

#[test]
fn bad_matrices_are_refused_by_name() {
    let fails = |a: DMatrix<f64>| leading(a, usize::MAX, Method::Auto).expect_err("bad");
    assert_eq!(fails(DMatrix::zeros(2, 3)), EigenError::NotSquare { rows: 2, columns: 3 });
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut a = DMatrix::identity(80, 80);
        a[(3, 70)] = bad;
        a[(70, 3)] = bad;
        assert_eq!(fails(a), EigenError::NotFinite { row: 70, column: 3 });
    }
    let mut a = DMatrix::identity(80, 80);
    a[(3, 70)] = 0.5;
    assert_eq!(fails(a), EigenError::NotSymmetric { row: 70, column: 3 });
}

/// Centred Gram matrix of real faces, 50 x 50 pixels; nothing, with a clear line, where they are absent.
fn real_faces(count: usize) -> Option<DMatrix<f64>> {
    let root = std::env::var_os("EIGENFACES_DATA")
        .map_or_else(|| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), Into::into);
    let folder = root.join("eyes-train");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        #[allow(clippy::print_stderr)] // a skipped test says so
        {
            eprintln!("skipped: no faces in {}", folder.display());
        }
        return None;
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let faces: Vec<f64> = paths
        .par_iter()
        .take(count)
        .filter_map(|path| Some(image::open(path).ok()?.thumbnail_exact(50, 50).to_luma8()))
        .flat_map_iter(|face| face.into_raw().into_iter().map(f64::from))
        .collect();
    let mut faces = DMatrix::from_vec(2500, faces.len() / 2500, faces);
    let mean = faces.column_mean();
    faces.column_iter_mut().for_each(|mut face| face -= &mean);
    let gram = dense::inner_product(dense::view(&faces), dense::view(&faces));
    Some((&gram + gram.transpose()) * 0.5)
}

#[test]
fn real_faces_by_all_methods() {
    let Some(a) = real_faces(700) else { return };
    let reference = solve_checked(&a, 60, Method::Full);
    for method in METHODS {
        let pairs = solve_checked(&a, 60, method);
        for (found, known) in pairs.values.iter().zip(&reference.values) {
            assert!((found - known).abs() <= 1e-10 * reference.values[0]);
        }
    }
}

#[test]
fn pairs_that_are_not_measured_hold_the_laws_all_the_same() {
    for (n, values) in [(1, vec![3.0]), (2, vec![1.0, 1.0]), (90, decaying(90))] {
        let a = with_spectrum(&values, 5);
        let (found, vectors) = all_unmeasured(a.clone()).expect("finite");
        assert_eq!((found.len(), vectors.shape()), (n, (n, n)));
        assert!(found.is_sorted_by(|first, next| first >= next));
        let largest = a.amax();
        let rebuilt = &vectors * DMatrix::from_diagonal(&found.into()) * vectors.transpose();
        assert!((rebuilt - &a).amax() <= 1e-12 * largest);
        assert!(check::orthogonality(&vectors) <= 1e-12);
    }
    for wrong in [f64::NAN, f64::INFINITY] {
        let mut a = with_spectrum(&decaying(9), 5);
        a[(4, 2)] = wrong;
        assert!(all_unmeasured(a).is_none());
    }
}

/// Beyond the rank a tridiagonal form holds nothing but rounding errors, which must not keep the iteration from ending.
#[test]
fn every_pair_of_a_matrix_of_low_rank() {
    for (rank, seed) in [(3, 1), (40, 2), (101, 3), (101, 4), (120, 5)] {
        let noise = Noise::seeded(seed).take(256 * rank);
        let factor = DMatrix::from_iterator(256, rank, noise);
        let a = &factor * factor.transpose();
        let (values, vectors) = all_unmeasured(a.clone()).expect("finite");
        let rebuilt = &vectors * DMatrix::from_diagonal(&values.into()) * vectors.transpose();
        assert!((rebuilt - &a).amax() <= 1e-12 * a.amax(), "{rank}, {seed}");
        assert!(check::orthogonality(&vectors) <= 1e-12, "{rank}, {seed}");
    }
}
