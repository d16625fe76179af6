//! Running the folds: learn from some faces, rank all people for the others.

use rayon::prelude::*;

use super::Trial;
use super::identification::squared_distance;
use super::split::Fold;
use crate::error::Result;
use crate::gallery::{Gallery, Match};
use crate::matcher::Trials;
use crate::recognizer::Recognizer;

/// Folds run side by side up to this many faces; with more, one fold keeps all cores busy, and the memory
/// of several would add up.
const SIDE_BY_SIDE: usize = 2000;

/// What all folds gave.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    pub trials: Vec<Trial>,
    /// Distances of true claims, and of false ones.
    pub genuine: Vec<f32>,
    pub impostors: Vec<f32>,
    /// Probes whose nearest face by plain pixels is of the right person, and all probes; of each repeat.
    pub raw_pixels: Vec<(usize, usize)>,
}

/// What one fold gave.
struct Outcome {
    trials: Vec<Trial>,
    genuine: Vec<f32>,
    impostors: Vec<f32>,
    raw_right: usize,
    repeat: usize,
}

/// Runs all folds over the gallery of `whole`, with its settings; `progress` is called after each.
pub(super) fn run(
    whole: &Recognizer,
    folds: &[Fold],
    progress: &(dyn Fn() + Sync),
) -> Result<Outcomes> {
    let (gallery, settings) = (whole.gallery(), whole.settings());
    let comparison = settings.comparison();
    let viewed = comparison.view(gallery.faces());
    let mut faces = Trials::new(&viewed, comparison, settings.pca())?;
    if folds
        .iter()
        .any(|fold| fold.learned.len() + 1 == gallery.len())
    {
        faces = faces.leaving_one_out();
    }
    let one = |fold: &Fold| {
        let outcome = run_fold(whole, &faces, fold);
        progress();
        outcome
    };
    let parts: Vec<Outcome> = if gallery.len() <= SIDE_BY_SIDE {
        folds.par_iter().map(one).collect::<Result<_>>()?
    } else {
        folds.iter().map(one).collect::<Result<_>>()?
    };
    let mut all = Outcomes::default();
    for mut part in parts {
        let repeats = all.raw_pixels.len().max(part.repeat + 1);
        all.raw_pixels.resize(repeats, (0, 0));
        all.raw_pixels[part.repeat].0 += part.raw_right;
        all.raw_pixels[part.repeat].1 += part.trials.len();
        all.trials.append(&mut part.trials);
        all.genuine.append(&mut part.genuine);
        all.impostors.append(&mut part.impostors);
    }
    Ok(all)
}

fn run_fold(whole: &Recognizer, faces: &Trials<'_>, fold: &Fold) -> Result<Outcome> {
    let gallery = whole.gallery();
    let persons = gallery.persons();
    // Whoever has no face to learn from is near nobody: people keep their numbers.
    let learned: Vec<usize> = fold.learned.iter().map(|&face| persons[face]).collect();
    let people = gallery.people().len();
    let found = faces.run(&fold.learned, &learned, people, &fold.tried)?;
    let mut outcome = Outcome {
        trials: Vec::with_capacity(fold.tried.len()),
        genuine: Vec::new(),
        impostors: Vec::new(),
        raw_right: 0,
        repeat: fold.repeat,
    };
    for (at, &face) in fold.tried.iter().enumerate() {
        let ranked = found.rank(at, usize::MAX);
        let person = persons[face];
        for found in &ranked {
            let claims = if found.person == person {
                &mut outcome.genuine
            } else {
                &mut outcome.impostors
            };
            claims.push(found.distance() as f32);
        }
        let trial = trial(whole, fold.repeat, face, person, &ranked);
        outcome.trials.extend(trial);
        let nearest = nearest_by_pixels(gallery, face, &fold.learned);
        outcome.raw_right += usize::from(persons[nearest] == person);
    }
    Ok(outcome)
}

/// `None` where the ranking does not hold the person, which happens only to faces near nobody: their
/// coordinates are not finite, which 8-bit pixels do not lead to.
fn trial(
    whole: &Recognizer,
    repeat: usize,
    face: usize,
    person: usize,
    ranked: &[Match],
) -> Option<Trial> {
    let place = ranked.iter().position(|found| found.person == person)?;
    let other = ranked.iter().find(|found| found.person != person);
    let leading = whole.candidates(&ranked[..ranked.len().min(2)]);
    Some(Trial {
        face,
        person,
        repeat,
        named: ranked[0].person,
        rank: place + 1,
        own_distance: ranked[place].distance(),
        other_distance: other.map_or(f64::INFINITY, Match::distance),
        other: other.map_or(person, |found| found.person),
        confidence: leading.first().map_or(0.0, |first| first.confidence),
    })
}

/// The learned face nearest to a face by the plain distance between pixels; the first of equally near ones.
pub(super) fn nearest_by_pixels(gallery: &Gallery, face: usize, learned: &[usize]) -> usize {
    learned
        .iter()
        .copied()
        .min_by_key(|&other| squared_distance(gallery, face, other))
        .unwrap_or(face)
}
