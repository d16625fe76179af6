//! The face score below which a picture is not a face: from faces of people who are left out in turn.

use rayon::prelude::*;

use crate::decision;
use crate::face_score::{self, FaceScorer};
use crate::face_space::FaceSpace;
use crate::gallery::Gallery;
use crate::pca::{ComponentCount, InnerProducts};

/// Parts of the people that are left out in turn.
const FOLDS: usize = 3;

/// In a gallery of more faces leaving people out hardly moves the space.
const SETTLED: usize = 2_000;

/// Faces that are judged where the space stays.
const PROBES: usize = 500;

/// The limit by spaces of as many leading eigenfaces as the test takes of `space`, learned without the people judged; in a
/// large gallery by the space of all.
pub(super) fn learned(gallery: &Gallery, space: &FaceSpace) -> f64 {
    if gallery.len() > SETTLED {
        return in_space(gallery, space);
    }
    let persons = gallery.persons();
    let faces = gallery.faces();
    let leading = face_score::leading(space.eigenvalues());
    let products = InnerProducts::of(faces);
    let of_fold = |fold: usize| {
        let (judged, learned): (Vec<usize>, Vec<usize>) =
            (0..persons.len()).partition(|&face| persons[face] % FOLDS == fold);
        let dual = products.fit(&learned, ComponentCount::Count(leading)).ok()?;
        let (dual, components) = dual.with_components(faces, leading).ok()?;
        let space = FaceSpace::new(faces.size(), &components);
        let test = FaceScorer::with_leading(&space, leading);
        Some(test.face_scores(&faces.select(&judged).ok()?, &dual.project(&judged)))
    };
    let folds = (0..FOLDS).into_par_iter().filter_map(of_fold);
    decision::face_score_limit(&folds.collect::<Vec<_>>().concat(), gallery.people().len())
}

/// The limit by a space that stays, from some of the faces, spread evenly.
fn in_space(gallery: &Gallery, space: &FaceSpace) -> f64 {
    let count = gallery.len().min(PROBES);
    let some: Vec<usize> = (0..count).map(|at| at * gallery.len() / count).collect();
    let scores = gallery
        .faces()
        .select(&some)
        .map_or_else(|_| Vec::new(), |some| FaceScorer::new(space).face_scores(&some, &space.project(&some)));
    decision::face_score_limit(&scores, gallery.people().len())
}
