//! Laws of principal components, on random faces and on the awkward ones.

mod drawn;
mod kernel_pca;
mod pca;

use nalgebra::DMatrix;

/// n faces of d pixels (d x n).
fn matrix(d: usize, n: usize, pixels: Vec<u8>) -> DMatrix<u8> {
    DMatrix::from_vec(d, n, pixels)
}

/// The result of some work on so many threads.
fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("a small pool").install(work)
}
