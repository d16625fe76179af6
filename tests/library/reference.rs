//! The numbers are NumPy's: PCA of the AT&T faces against its SVD in double precision (tests/reference/).

use std::collections::HashMap;

use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::face_space::FaceSpace;
use eigenfaces::matcher::Clusters;
use eigenfaces::pca::{ComponentCount, Pca, Solver};

use crate::support::att_faces;

fn reference() -> HashMap<String, Vec<f64>> {
    crate::support::reference("att.txt")
}

fn fit(faces: &FaceMatrix, components: usize) -> eigenfaces::pca::Components {
    Pca { components: ComponentCount::Count(components), solver: Solver::Auto }.fit(faces).unwrap()
}

fn near(ours: f64, theirs: f64, scale: f64, what: &str) {
    assert!((ours - theirs).abs() <= 1e-9 * scale, "{what}: {ours} instead of {theirs}");
}

#[test]
fn the_spectrum_is_numpys() {
    let Some(faces) = att_faces() else { return };
    let reference = reference();
    let components = fit(&faces, 100);
    let largest = reference["eigenvalues"][0];
    near(components.total_variance, reference["total_variance"][0], largest, "total variance");
    for (at, &theirs) in reference["mean_first_pixels"].iter().enumerate() {
        near(components.mean[at], theirs, 1.0, "mean face");
    }
    for (at, &theirs) in reference["eigenvalues"].iter().enumerate() {
        near(components.eigenvalues[at], theirs, largest, "eigenvalue");
    }
    let ratios = components.variance_ratios();
    for (at, &theirs) in reference["explained_variance_ratio"].iter().enumerate() {
        near(ratios[at], theirs, 1.0, "share of the total variance");
    }
}

#[test]
fn weights_are_numpys_up_to_sign() {
    let Some(faces) = att_faces() else { return };
    let reference = reference();
    let components = fit(&faces, 20);
    let space = FaceSpace::new(faces.size(), &components);
    let weights = space.project(&faces);
    for face in [0, 57, 123, 399] {
        for (at, &theirs) in reference[&format!("weights_{face}")].iter().enumerate() {
            let ours = f64::from(weights[(at, face)]);
            // The basis is stored in single precision, and weights reach 5,000.
            assert!(
                (ours.abs() - theirs.abs()).abs() < 0.05,
                "face {face}, component {at}: {ours} instead of {theirs}"
            );
        }
    }
}

#[test]
fn plain_nearest_neighbours_are_numpys_probe_by_probe() {
    let Some(faces) = att_faces() else { return };
    let (learned, probes): (Vec<usize>, Vec<usize>) = (0..400).partition(|face| face % 10 < 5);
    let gallery = faces.select(&learned).unwrap();
    let space = FaceSpace::new(faces.size(), &fit(&gallery, 60));
    // Each face is a cluster of its own.
    let faces_alone: Vec<usize> = (0..learned.len()).collect();
    let clusters = Clusters::of_faces(&space.project(&gallery), &faces_alone, learned.len());
    let clusters = clusters.unwrap();
    let probes = space.project(&faces.select(&probes).unwrap());
    let found: Vec<f64> =
        probes.column_iter().map(|probe| (learned[clusters.rank(probe.as_slice(), 1)[0].person] / 10) as f64).collect();
    assert_eq!(found, reference()["nearest_first5_k60"]);
}
