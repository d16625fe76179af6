//! Running the folds: learn from some faces, rank all people for the others.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::identification::squared_distance;
use super::split::Fold;
use super::{ProbeOutcome, Score};
use crate::background::{Adaptation, Background, People};
use crate::error::Result;
use crate::gallery::{Gallery, Match};
use crate::matcher::Resampling;
use crate::recognizer::{BackgroundComparer, Recognizer};

/// Folds run side by side up to this many faces; with more, one fold keeps all cores busy, and the memory
/// of several would add up.
const SIDE_BY_SIDE: usize = 2000;

/// Results of all folds.
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

/// What one fold gave.
struct Outcome {
    trials: Vec<ProbeOutcome>,
    genuine: Vec<f32>,
    impostors: Vec<f32>,
    raw_right: usize,
    repeat: usize,
    scores: Vec<Score>,
}

/// Runs all folds over the gallery of `whole`, with its settings; `progress` is called after each.
pub(super) fn run(
    whole: &Recognizer,
    folds: &[Fold],
    keep: Keep,
    progress: &(dyn Fn() + Sync),
) -> Result<Outcomes> {
    let (gallery, settings) = (whole.gallery(), whole.settings());
    let comparison = settings.comparison();
    let features;
    let ranker = match whole.background() {
        Some(comparer) => Ranker::Background(ByBackground::new(comparer, gallery, folds)?),
        None => {
            features = comparison.feature_matrices(gallery.faces());
            let trials = Resampling::new(&features, comparison, settings.pca())?;
            let leaves_one_out = |fold: &Fold| fold.learned.len() + 1 == gallery.len();
            Ranker::Gallery(match folds.iter().any(leaves_one_out) {
                true => trials.leaving_one_out(),
                false => trials,
            })
        }
    };
    let one = |fold: &Fold| {
        let outcome = run_fold(whole, &ranker, fold, keep);
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
        all.scores.append(&mut part.scores);
    }
    Ok(all)
}

/// How a fold ranks all people for the faces that it tries.
enum Ranker<'a> {
    /// By what the faces to learn from alone teach.
    Gallery(Resampling<'a>),
    /// By the background model.
    Background(ByBackground<'a>),
}

/// All people ranked for one face, nearest first, and the confidence that it is the first.
struct Ranking {
    matches: Vec<Match>,
    confidence: f64,
}

impl Ranker<'_> {
    /// A ranking for each face that the fold tries, in order. Whoever has no face to learn from is near nobody: people
    /// keep their numbers.
    fn rank(&self, whole: &Recognizer, fold: &Fold) -> Result<Vec<Ranking>> {
        match self {
            Self::Gallery(trials) => {
                let (persons, people) = (whole.gallery().persons(), whole.gallery().people().len());
                let learned: Vec<usize> = fold.learned.iter().map(|&face| persons[face]).collect();
                let found = trials.run(&fold.learned, &learned, people, &fold.tried)?;
                let ranking = |at: usize| {
                    let matches = found.rank(at, usize::MAX);
                    let leading = whole.candidates(&matches[..matches.len().min(2)]);
                    Ranking {
                        confidence: leading.first().map_or(0.0, |first| first.confidence),
                        matches,
                    }
                };
                Ok((0..fold.tried.len()).map(ranking).collect())
            }
            Self::Background(background) => Ok(background.rank(fold)),
        }
    }
}

fn run_fold(whole: &Recognizer, ranker: &Ranker<'_>, fold: &Fold, keep: Keep) -> Result<Outcome> {
    let gallery = whole.gallery();
    let persons = gallery.persons();
    let rankings = ranker.rank(whole, fold)?;
    let mut outcome = Outcome {
        trials: Vec::with_capacity(fold.tried.len()),
        genuine: Vec::new(),
        impostors: Vec::new(),
        raw_right: 0,
        repeat: fold.repeat,
        scores: Vec::new(),
    };
    for (&face, ranking) in fold.tried.iter().zip(&rankings) {
        let person = persons[face];
        for found in &ranking.matches {
            let claims = if found.person == person {
                &mut outcome.genuine
            } else {
                &mut outcome.impostors
            };
            claims.push(found.distance() as f32);
        }
        if keep == Keep::Everybody {
            let scores = (1..).zip(&ranking.matches).map(|(rank, found)| Score {
                face,
                repeat: fold.repeat,
                person: found.person,
                rank,
                distance: found.distance(),
            });
            outcome.scores.extend(scores);
        }
        outcome
            .trials
            .extend(trial(fold.repeat, face, person, ranking));
        let nearest = nearest_by_pixels(gallery, face, &fold.learned);
        outcome.raw_right += usize::from(persons[nearest] == person);
    }
    Ok(outcome)
}

/// `None` where the ranking does not hold the person: nobody's photo was left to learn from, or the coordinates are not
/// finite, which 8-bit pixels do not lead to.
fn trial(repeat: usize, face: usize, person: usize, ranking: &Ranking) -> Option<ProbeOutcome> {
    let ranked = &ranking.matches;
    let place = ranked.iter().position(|found| found.person == person)?;
    let other = ranked.iter().find(|found| found.person != person);
    Some(ProbeOutcome {
        face,
        person,
        repeat,
        named: ranked[0].person,
        rank: place + 1,
        own_distance: ranked[place].distance(),
        other_distance: other.map_or(f64::INFINITY, Match::distance),
        other: other.map_or(person, |found| found.person),
        confidence: ranking.confidence,
    })
}

/// Folds by the background model: the coordinates of all faces are known, so a fold learns only how the model is moved.
struct ByBackground<'a> {
    comparer: &'a BackgroundComparer,
    background: &'static Background,
    persons: Vec<usize>,
    people: usize,
    /// Where single faces are tried, the model adapted without anything of each person.
    without_person: Vec<OnceLock<Adaptation>>,
}

impl<'a> ByBackground<'a> {
    fn new(comparer: &'a BackgroundComparer, gallery: &Gallery, folds: &[Fold]) -> Result<Self> {
        let single = folds.iter().any(|fold| fold.tried.len() == 1);
        let people = gallery.people().len();
        Ok(Self {
            comparer,
            background: Background::bundled()?,
            persons: gallery.persons(),
            people,
            without_person: (0..if single { people } else { 0 })
                .map(|_| OnceLock::new())
                .collect(),
        })
    }

    fn rank(&self, fold: &Fold) -> Vec<Ranking> {
        let coordinates = self.comparer.coordinates();
        let of = |faces: &[usize]| -> Vec<usize> {
            faces.iter().map(|&face| self.persons[face]).collect()
        };
        let adapted =
            |photos: &[usize]| Adaptation::learn(self.background, coordinates, photos, &of(photos));
        let adaptation = match &fold.tried[..] {
            // One face more or less of a person hardly moves the model; without any of them it saw nothing of the face.
            &[face] => {
                let person = self.persons[face];
                let without = || {
                    let others = fold.learned.iter().copied();
                    let others: Vec<usize> =
                        others.filter(|&at| self.persons[at] != person).collect();
                    adapted(&others)
                };
                self.without_person[person].get_or_init(without).clone()
            }
            _ => adapted(&fold.learned),
        };
        let persons = of(&fold.learned);
        let people = People::place(
            adaptation,
            coordinates,
            &fold.learned,
            &persons,
            self.people,
        );
        let calibration = self.comparer.calibration();
        people.with_scores(&coordinates.select_columns(&fold.tried), |_, scores| {
            let judged = calibration.judge(&scores, usize::MAX);
            let matches = judged
                .people
                .iter()
                .filter(|(person, _)| people.photos()[*person] > 0);
            Ranking {
                confidence: judged
                    .people
                    .first()
                    .map_or(0.0, |&(_, confidence)| confidence),
                matches: matches
                    .map(|&(person, _)| Match {
                        person,
                        squared_distance: calibration.distance(scores[person]).powi(2),
                    })
                    .collect(),
            }
        })
    }
}

/// The learned face nearest to a face by the plain distance between pixels; the first of equally near ones.
pub(super) fn nearest_by_pixels(gallery: &Gallery, face: usize, learned: &[usize]) -> usize {
    learned
        .iter()
        .copied()
        .min_by_key(|&other| squared_distance(gallery, face, other))
        .unwrap_or(face)
}
