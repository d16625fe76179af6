//! Faces drawn from a seed.

use eigenfaces::face_matrix::{FaceMatrix, FaceSize};

#[path = "../../crates/exact-pca/tests/laws/drawn.rs"]
mod pixels;

/// n faces of a few patterns mixed: see [`pixels::mixed`].
pub fn drawn_faces(size: FaceSize, n: usize, seed: u64) -> FaceMatrix {
    let drawn = pixels::mixed(size.pixels(), n, seed);
    FaceMatrix::from_pixels(size, drawn).expect("whole faces")
}

/// n faces no two of whose eigenvalues are equal: see [`pixels::waves`].
pub fn wavy_faces(size: FaceSize, n: usize, seed: u64) -> FaceMatrix {
    let drawn = pixels::waves(size.pixels(), n, seed);
    FaceMatrix::from_pixels(size, drawn).expect("whole faces")
}
