//! Laws of face spaces, on random faces and on real ones.

use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::face_space::FaceSpace;
use eigenfaces::pca::{ComponentCount, Components, Pca, Solver};
use nalgebra::DMatrix;
use proptest::prelude::*;

use crate::support::att_faces;
use crate::support::drawn::wavy_faces as faces;

fn size(width: u32, height: u32) -> FaceSize {
    FaceSize::new(width, height).unwrap()
}

fn fit(faces: &FaceMatrix, components: ComponentCount) -> Components {
    let solver = Solver::Gram;
    Pca { components, solver }.fit(faces).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_face_alone_has_the_weights_it_has_among_others(n in 2_usize..70, seed: u64) {
        let faces = faces(size(13, 17), n, seed);
        let space = FaceSpace::new(faces.size(), &fit(&faces, ComponentCount::Share(1.0)));
        let together = space.project(&faces);
        for face in [0, n / 2, n - 1] {
            let alone = space.project(&faces.select(&[face]).unwrap());
            prop_assert_eq!(alone.column(0), together.column(face));
        }
    }
}

#[test]
fn residual_and_weights_obey_pythagoras() {
    let faces = faces(size(12, 12), 30, 23);
    let space = FaceSpace::new(faces.size(), &fit(&faces, ComponentCount::Count(8)));
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
        assert!((residual.distance - apart.sqrt()).abs() < 1e-2, "{} {}", residual.distance, apart.sqrt());
        assert!((0.0..=residual.from_mean).contains(&residual.distance));
    }
}

/// The leading 100 of AT&T in full size, which may be mapped back in single precision, against all of them, the
/// weakest of which may not.
#[test]
fn single_precision_is_good_to_a_millionth_on_real_faces() {
    let Some(faces) = att_faces() else { return };
    // nalgebra's `tr_mul` and SVD are compiled in this crate, without optimisation; its product of matrices is not.
    let products = |one: &DMatrix<f64>, other: &DMatrix<f64>| one.transpose() * other;
    let orthonormality =
        |basis: &DMatrix<f64>| (products(basis, basis) - DMatrix::identity(basis.ncols(), basis.ncols())).amax();
    let exact = fit(&faces, ComponentCount::Share(1.0));
    assert_eq!(exact.count(), 399);
    assert!(orthonormality(&exact.basis) < 1e-10);
    for k in [1, 10, 50, 75, 100] {
        let found = fit(&faces, ComponentCount::Count(k));
        assert!(orthonormality(&found.basis) < 1e-6);
        // The sine of the largest angle between both spans.
        let known = exact.basis.columns(0, k).into_owned();
        let outside = &found.basis - &known * products(&known, &found.basis);
        let angle = products(&outside, &outside).symmetric_eigenvalues().max().sqrt();
        assert!(angle < 1e-6, "{k}: {angle}");
    }
}
