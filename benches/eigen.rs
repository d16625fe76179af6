//! The eigenproblem and the products around it, at the sizes of real face folders.
//!
//! `cargo bench --bench eigen`; set `RAYON_NUM_THREADS` to compare thread counts.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use eigenfaces::pca::eigen::{Choice, Wanted, leading};
use eigenfaces::pca::products::{Precision, map_back};
use eigenfaces::pca::projection::project;
use nalgebra::DMatrix;
use std::time::Duration;

/// A Gram matrix with a spectrum like that of faces: smooth images of random amplitude, and noise.
fn gram(n: usize) -> DMatrix<f64> {
    let pixels = 400;
    let mut state = 1_u64;
    let mut noise = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
    };
    let faces = DMatrix::from_fn(n, pixels, |_, j| {
        1e4 * ((j + 1) as f64).powf(-0.75) * noise()
    });
    let gram = &faces * faces.transpose();
    (&gram + gram.transpose()) * 0.5
}

fn eigenproblems(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("eigen");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    for (n, choice) in [
        (400, Choice::Tridiagonal),
        (400, Choice::Full),
        (1288, Choice::Auto),
        (2000, Choice::Auto),
    ] {
        let matrix = gram(n);
        group.bench_function(format!("{n} leading 100 {choice:?}"), |bencher| {
            bencher.iter_batched(
                || matrix.clone(),
                |matrix| leading(matrix, Wanted::Leading(100), choice),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

fn products(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("products");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    let (d, n, k) = (10304, 400, 100);
    let faces: Vec<u8> = (0..d * n)
        .map(|i| ((i * 2_654_435_761) >> 7) as u8)
        .collect();
    let mean = vec![127.5; d];
    let order: Vec<usize> = (0..n).collect();
    let coefficients = DMatrix::from_fn(n, k, |i, j| ((i * 31 + j * 17) % 101) as f64);
    let basis = DMatrix::from_fn(d, k, |i, j| ((i * 31 + j * 17) % 101) as f32 / 1e4);
    for precision in [Precision::Single, Precision::Double] {
        group.bench_function(
            format!("map back 10304 x 400 x 100 {precision:?}"),
            |bencher| {
                bencher.iter(|| map_back(&faces, &mean, &order, &coefficients, precision));
            },
        );
    }
    group.bench_function("project 400 faces", |bencher| {
        bencher.iter(|| project(&basis, &mean, &faces));
    });
    group.bench_function("project one face", |bencher| {
        bencher.iter(|| project(&basis, &mean, &faces[..d]));
    });
    group.finish();
}

criterion_group!(benches, eigenproblems, products);
criterion_main!(benches);
