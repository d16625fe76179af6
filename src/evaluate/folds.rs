//! Running the folds: learn from some faces, rank all people for the others.

use rayon::prelude::*;

use super::{PersonDistance, ProbeOutcome, ProbeScores, Tally};
use crate::compare::{Fold, Ranking};
use crate::error::Result;
use crate::face_matrix::FaceMatrix;
use crate::gallery::Gallery;
use crate::recognizer::Recognizer;
use crate::vectors::squared_distance;

/// Folds run side by side up to this many faces; with more, one fold keeps all cores busy.
const SIDE_BY_SIDE: usize = 2000;

#[derive(Debug, Default)]
pub(super) struct Outcomes {
    pub trials: Vec<ProbeOutcome>,
    /// Whether the nearest face by plain pixels is of the right person.
    pub raw_pixels: Tally,
    /// Every person for every probe.
    pub scores: Vec<ProbeScores>,
}

impl Outcomes {
    fn append(&mut self, mut other: Self) {
        self.raw_pixels.append(&other.raw_pixels);
        self.trials.append(&mut other.trials);
        self.scores.append(&mut other.scores);
    }
}

/// Runs all folds over the gallery of `whole`, with its settings; `progress` is called after each.
pub(super) fn run(whole: &Recognizer, folds: &[Fold], progress: &(dyn Fn() + Sync)) -> Result<Outcomes> {
    let (gallery, settings) = (whole.gallery(), whole.settings());
    let settings = (settings.distance, settings.pca);
    let parts = whole.comparer().refitted(gallery, whole.coordinates(), settings, |refitter| {
        let groups: Vec<&[Fold]> = folds.chunk_by(|one, other| refitter.belong_together(one, other)).collect();
        let of_group = |folds: &&[Fold]| -> Result<Vec<Outcomes>> {
            let rankings = refitter.rank(folds)?;
            let of_fold = |(fold, rankings): (&Fold, Vec<Ranking>)| {
                progress();
                outcomes(gallery, fold, &rankings)
            };
            Ok(folds.iter().zip(rankings).map(of_fold).collect())
        };
        match gallery.len() <= SIDE_BY_SIDE {
            true => groups.par_iter().map(of_group).collect::<Result<Vec<_>>>(),
            false => groups.iter().map(of_group).collect(),
        }
    })?;
    let mut all = Outcomes::default();
    for part in parts.into_iter().flatten() {
        all.append(part);
    }
    Ok(all)
}

fn outcomes(gallery: &Gallery, fold: &Fold, rankings: &[Ranking]) -> Outcomes {
    let persons = gallery.persons();
    let mut outcome = Outcomes::default();
    for (&face, ranking) in fold.probes.iter().zip(rankings) {
        let person = persons[face];
        let ranked = ranking
            .people
            .iter()
            .map(|found| PersonDistance { person: found.person as u32, distance: found.distance as f32 });
        outcome.scores.push(ProbeScores { face, repeat: fold.repeat, person, ranked: ranked.collect() });
        // None where nothing was left to learn from, or coordinates are not finite, which 8-bit pixels do not lead to.
        let ranked: Vec<(usize, f64)> = ranking.people.iter().map(|one| (one.person, one.distance)).collect();
        outcome.trials.extend(ProbeOutcome::of((face, person, fold.repeat), &ranked, ranking.confidence));
        let nearest = nearest_by_pixels(gallery.faces(), face, &fold.learned);
        outcome.raw_pixels.add(fold.repeat, person, persons[nearest] == person);
    }
    outcome
}

/// The learned face nearest to a face by the plain distance between pixels; the first of equally near ones.
pub(super) fn nearest_by_pixels(faces: &FaceMatrix, face: usize, learned: &[usize]) -> usize {
    let distance = |&other: &usize| squared_distance(faces.face(face), faces.face(other));
    learned.iter().copied().min_by_key(distance).unwrap_or(face)
}
