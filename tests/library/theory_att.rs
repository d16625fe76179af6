//! What docs/THEORY.md says of real faces: the AT&T set, learned from photos 1 to 5 of each person, tried on 6 to 10.

use eigenfaces::face_space::FaceSpace;
use eigenfaces::pca::{ComponentCount, Pca, Solver};
use nalgebra::DMatrix;

use crate::support::att_faces;

/// How many probes (columns) have their nearest known face among those of the same person; `known` and `probes` are
/// 5 of each person, in the same order.
fn right(known: &DMatrix<f32>, probes: &DMatrix<f32>) -> usize {
    // |known - probe|² less |probe|², which is the same for all known faces.
    let (known, probes) = (known.map(f64::from), probes.map(f64::from));
    let products = known.transpose() * &probes;
    let lengths: Vec<f64> = known.column_iter().map(|face| face.norm_squared()).collect();
    let is_right = |at: &usize| {
        let distances = products.column(*at).into_iter().zip(&lengths).map(|(product, length)| length - 2.0 * product);
        let nearest = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        nearest.0 / 5 == at / 5
    };
    (0..probes.ncols()).filter(is_right).count()
}

#[test]
fn one_per_cent_of_the_pixels_is_enough() {
    let Some(faces) = att_faces() else { return };
    let (known, probes): (Vec<usize>, Vec<usize>) = (0..400).partition(|face| face % 10 < 5);
    let (known, probes) = (faces.select(&known).unwrap(), faces.select(&probes).unwrap());
    let raw = right(&known.matrix().map(f32::from), &probes.matrix().map(f32::from));
    let k = faces.size().pixels() / 100;
    assert_eq!(k, 103);
    let pca = Pca { components: ComponentCount::Count(k), solver: Solver::Auto };
    let space = FaceSpace::new(faces.size(), &pca.fit(&known).unwrap());
    let (known, probes) = (space.project(&known), space.project(&probes));
    let kept = right(&known, &probes);
    println!("raw pixels: {raw} of 200; {k} weights: {kept} of 200");
    // Five probes of 200 are what 99 % of the numbers were worth.
    assert!(kept + 5 >= raw, "{kept} with {k} weights, {raw} with all pixels");
}
