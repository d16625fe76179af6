//! Running the folds: learn from some faces, rank all people for the others.

use rayon::prelude::*;

use super::identification::squared_distance;
use super::split::Fold;
use super::{ProbeOutcome, Score};
use crate::compare::{Part, Ranking};
use crate::error::Result;
use crate::face_matrix::FaceMatrix;
use crate::gallery::Gallery;
use crate::recognizer::Recognizer;

/// Folds run side by side up to this many faces; with more, one fold keeps all cores busy, and the memory
/// of several would add up.
const SIDE_BY_SIDE: usize = 2000;

/// Results of folds.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    pub trials: Vec<ProbeOutcome>,
    /// Distances of true claims, and of false ones.
    pub genuine: Vec<f32>,
    pub impostors: Vec<f32>,
    /// Probes whose nearest face by plain pixels is of the right person, and all probes; of each repeat.
    pub raw_pixels: Vec<(usize, usize)>,
    /// Every person for every probe, where that is asked for.
    pub scores: Vec<Score>,
}

/// Whether the scores of all people are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Those of the nearest only.
    Nearest,
    /// All.
    Everybody,
}

impl Outcomes {
    fn append(&mut self, mut other: Self) {
        let repeats = self.raw_pixels.len().max(other.raw_pixels.len());
        self.raw_pixels.resize(repeats, (0, 0));
        for (sum, counts) in self.raw_pixels.iter_mut().zip(other.raw_pixels) {
            *sum = (sum.0 + counts.0, sum.1 + counts.1);
        }
        self.trials.append(&mut other.trials);
        self.genuine.append(&mut other.genuine);
        self.impostors.append(&mut other.impostors);
        self.scores.append(&mut other.scores);
    }
}

/// Runs all folds over the gallery of `whole`, with its settings; `progress` is called after each.
pub(super) fn run(
    whole: &Recognizer,
    folds: &[Fold],
    keep: Keep,
    progress: &(dyn Fn() + Sync),
) -> Result<Outcomes> {
    let (gallery, settings) = (whole.gallery(), whole.settings());
    let settings = (settings.comparison, settings.pca);
    let comparer = whole.comparer();
    let parts = comparer.resampled(gallery, whole.coordinates(), settings, |resample| {
        let groups: Vec<&[Fold]> = folds
            .chunk_by(|one, other| resample.belong_together(&one.part(), &other.part()))
            .collect();
        let of_group = |folds: &&[Fold]| -> Result<Vec<Outcomes>> {
            let parts: Vec<Part<'_>> = folds.iter().map(Fold::part).collect();
            let rankings = resample.rank(&parts)?;
            let of_fold = |(fold, rankings): (&Fold, Vec<Ranking>)| {
                progress();
                outcomes(gallery, fold, &rankings, keep)
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

fn outcomes(gallery: &Gallery, fold: &Fold, rankings: &[Ranking], keep: Keep) -> Outcomes {
    let persons = gallery.persons();
    let mut outcome = Outcomes::default();
    let mut raw_right = 0;
    for (&face, ranking) in fold.tried.iter().zip(rankings) {
        let person = persons[face];
        for found in &ranking.people {
            let claims = if found.person == person {
                &mut outcome.genuine
            } else {
                &mut outcome.impostors
            };
            claims.push(found.distance as f32);
        }
        if keep == Keep::Everybody {
            let scores = (1..).zip(&ranking.people).map(|(rank, found)| Score {
                face,
                repeat: fold.repeat,
                person: found.person,
                rank,
                distance: found.distance,
            });
            outcome.scores.extend(scores);
        }
        outcome
            .trials
            .extend(trial(fold.repeat, face, person, ranking));
        let nearest = nearest_by_pixels(gallery.faces(), face, &fold.learned);
        raw_right += usize::from(persons[nearest] == person);
    }
    outcome.raw_pixels.resize(fold.repeat, (0, 0));
    outcome.raw_pixels.push((raw_right, outcome.trials.len()));
    outcome
}

/// `None` where the ranking does not hold the person: nobody's photo was left to learn from, or the coordinates are not
/// finite, which 8-bit pixels do not lead to.
fn trial(repeat: usize, face: usize, person: usize, ranking: &Ranking) -> Option<ProbeOutcome> {
    let ranked = &ranking.people;
    let place = ranked.iter().position(|found| found.person == person)?;
    let other = ranked.iter().find(|found| found.person != person);
    Some(ProbeOutcome {
        face,
        person,
        repeat,
        named: ranked[0].person,
        rank: place + 1,
        own_distance: ranked[place].distance,
        other_distance: other.map_or(f64::INFINITY, |found| found.distance),
        other: other.map_or(person, |found| found.person),
        confidence: ranking.confidence,
    })
}

/// The learned face nearest to a face by the plain distance between pixels; the first of equally near ones.
pub(super) fn nearest_by_pixels(faces: &FaceMatrix, face: usize, learned: &[usize]) -> usize {
    learned
        .iter()
        .copied()
        .min_by_key(|&other| squared_distance(faces, face, other))
        .unwrap_or(face)
}
