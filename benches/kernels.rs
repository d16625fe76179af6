//! Exact Gram and covariance sums, every kernel this processor has: `cargo bench --bench kernels`.
//!
//! The sizes: AT&T (40 people x 10), LFW as scikit-learn cuts it, a large gallery, and a chunk of a stream of faces.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use eigenfaces::pca::kernel::{Columns, Kernel, accumulate_covariance, accumulate_gram};

/// Bytes that look random, the same every time.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 1u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

fn gram(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("gram");
    group.sample_size(10);
    for (pixels, faces) in [(10_304, 400), (2_914, 1_288), (10_000, 3_000)] {
        let data = noise(pixels * faces);
        let columns = Columns::new(&data, pixels, faces).expect("the data was made for this size");
        let mut table = vec![0; faces * faces];
        // Products, counting the upper triangle only.
        group.throughput(Throughput::Elements((pixels * faces * faces / 2) as u64));
        for kernel in Kernel::available() {
            let id = BenchmarkId::new(kernel.name(), format!("{pixels} x {faces}"));
            group.bench_function(id, |bencher| {
                bencher.iter(|| accumulate_gram(columns, None, kernel, &mut table))
            });
        }
    }
    group.finish();
}

fn covariance(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("covariance");
    group.sample_size(10);
    for (pixels, faces) in [(2_914, 4_096), (4_096, 512)] {
        let data = noise(pixels * faces);
        let columns = Columns::new(&data, pixels, faces).expect("the data was made for this size");
        let mut table = vec![0; pixels * pixels];
        group.throughput(Throughput::Elements((pixels * pixels * faces / 2) as u64));
        for kernel in Kernel::available() {
            let id = BenchmarkId::new(kernel.name(), format!("{pixels} x {faces}"));
            group.bench_function(id, |bencher| {
                bencher.iter(|| accumulate_covariance(columns, kernel, &mut table))
            });
        }
    }
    group.finish();
}

criterion_group!(benches, gram, covariance);
criterion_main!(benches);
