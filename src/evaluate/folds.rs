//! Running the folds: learn from some faces, rank all people for the others.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::identification::squared_distance;
use super::split::Fold;
use super::{ProbeOutcome, Score};
use crate::background::{Adaptation, Background, People};
use crate::compare::{Likelihoods, rank_matches};
use crate::decision::Acceptance;
use crate::error::Result;
use crate::face_matrix::FaceMatrix;
use crate::gallery::{Gallery, Match};
use crate::matcher::Resampling;
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
    let persons = gallery.persons();
    let comparison = settings.comparison;
    let features;
    let ranker = match (whole.background(), whole.coordinates()) {
        (Some(comparer), Some(coordinates)) => {
            Ranker::Background(ByBackground::new(comparer, coordinates, gallery)?)
        }
        _ => {
            features = comparison.feature_matrices(gallery.faces());
            Ranker::Gallery(Resampling::new(&features, comparison, settings.pca)?)
        }
    };
    let adapts = matches!(ranker, Ranker::Background(_));
    let groups: Vec<&[Fold]> = folds
        .chunk_by(|one, other| adapts && share_model(&persons, one, other))
        .collect();
    let of_group = |group: &&[Fold]| -> Result<Vec<Outcomes>> {
        let adapted = group.first().and_then(|fold| ranker.without_person(fold));
        group
            .iter()
            .map(|fold| {
                let outcome = run_fold(whole, &ranker, adapted.as_ref(), fold, keep);
                progress();
                outcome
            })
            .collect()
    };
    let parts: Vec<Vec<Outcomes>> = if gallery.len() <= SIDE_BY_SIDE {
        groups.par_iter().map(of_group).collect::<Result<_>>()?
    } else {
        groups.iter().map(of_group).collect::<Result<_>>()?
    };
    let mut all = Outcomes::default();
    for part in parts.into_iter().flatten() {
        all.append(part);
    }
    Ok(all)
}

/// The ranking of all people for the faces that a fold tries.
enum Ranker<'a> {
    /// By what the faces to learn from alone teach.
    Gallery(Resampling<'a>),
    /// By the background model.
    Background(ByBackground<'a>),
}

/// All people ranked for one face, nearest first, and the confidence that it is the first.
struct Ranking {
    people: Vec<Ranked>,
    confidence: f64,
}

/// A person, and how far from a face.
struct Ranked {
    person: usize,
    distance: f64,
}

/// The person whose face a fold tries, where it tries a single one.
fn person_tried(persons: &[usize], fold: &Fold) -> Option<usize> {
    match fold.tried[..] {
        [face] => Some(persons[face]),
        _ => None,
    }
}

/// Whether two folds each try a face of one person and learn from the same faces of the other people.
fn share_model(persons: &[usize], one: &Fold, other: &Fold) -> bool {
    let Some(person) = person_tried(persons, one) else {
        return false;
    };
    if person_tried(persons, other) != Some(person) {
        return false;
    }
    let is_other = |face: &&usize| persons[**face] != person;
    let others = one.learned.iter().filter(is_other);
    others.eq(other.learned.iter().filter(is_other))
}

impl Ranker<'_> {
    /// The background model adapted without the person whose face a fold tries, where it tries a single one.
    fn without_person(&self, fold: &Fold) -> Option<Adapted> {
        match self {
            Self::Gallery(_) => None,
            Self::Background(background) => background.without_person(fold),
        }
    }

    /// A ranking for each face that the fold tries, in order. Whoever has no face to learn from is near nobody: people
    /// keep their numbers.
    fn rank(
        &self,
        whole: &Recognizer,
        adapted: Option<&Adapted>,
        fold: &Fold,
    ) -> Result<Vec<Ranking>> {
        match self {
            Self::Gallery(trials) => {
                let (persons, people) = (whole.gallery().persons(), whole.gallery().people().len());
                let learned: Vec<usize> = fold.learned.iter().map(|&face| persons[face]).collect();
                let measure = whole.settings().comparison.metric.measure;
                let calibration = whole.calibration();
                let found = trials.run(&fold.learned, &learned, people, &fold.tried)?;
                let ranking = |at: usize| {
                    let matches = found.rank(at, usize::MAX);
                    let ranked = |found: &Match| Ranked {
                        person: found.person,
                        distance: found.distance(),
                    };
                    let judged = calibration.map(|calibration| {
                        rank_matches(&matches, measure, calibration, 1, Acceptance::default())
                    });
                    Ranking {
                        people: matches.iter().map(ranked).collect(),
                        confidence: judged.map_or(0.0, |judged| judged.confidence),
                    }
                };
                Ok((0..fold.tried.len()).map(ranking).collect())
            }
            Self::Background(background) => Ok(background.rank(adapted, fold)),
        }
    }
}

fn run_fold(
    whole: &Recognizer,
    ranker: &Ranker<'_>,
    adapted: Option<&Adapted>,
    fold: &Fold,
    keep: Keep,
) -> Result<Outcomes> {
    let gallery = whole.gallery();
    let persons = gallery.persons();
    let rankings = ranker.rank(whole, adapted, fold)?;
    let mut outcome = Outcomes::default();
    let mut raw_right = 0;
    for (&face, ranking) in fold.tried.iter().zip(&rankings) {
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
    Ok(outcome)
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

/// Folds by the background model: the coordinates of all faces are known, so a fold learns only how the model is moved.
struct ByBackground<'a> {
    comparer: &'a Likelihoods,
    /// Of all faces, 2k x n.
    coordinates: &'a DMatrix<f32>,
    background: &'static Background,
    persons: Vec<usize>,
    people: usize,
}

/// An adapted model, and the photos in its directions: see [`Adaptation::rotated`].
struct Adapted {
    adaptation: Adaptation,
    rotated: [DMatrix<f64>; 2],
}

impl<'a> ByBackground<'a> {
    fn new(
        comparer: &'a Likelihoods,
        coordinates: &'a DMatrix<f32>,
        gallery: &Gallery,
    ) -> Result<Self> {
        Ok(Self {
            comparer,
            coordinates,
            background: Background::bundled()?,
            persons: gallery.persons(),
            people: gallery.people().len(),
        })
    }

    fn persons_of(&self, faces: &[usize]) -> Vec<usize> {
        faces.iter().map(|&face| self.persons[face]).collect()
    }

    fn adaptation(&self, faces: &[usize]) -> Adaptation {
        let persons = self.persons_of(faces);
        Adaptation::learn(self.background, self.coordinates, faces, &persons)
    }

    /// One face more or less of a person hardly moves the model; without any of them it saw nothing of the face.
    fn without_person(&self, fold: &Fold) -> Option<Adapted> {
        let person = person_tried(&self.persons, fold)?;
        let others = fold.learned.iter().copied();
        let others: Vec<usize> = others.filter(|&at| self.persons[at] != person).collect();
        let adaptation = self.adaptation(&others);
        Some(Adapted {
            rotated: adaptation.rotated(self.coordinates),
            adaptation,
        })
    }

    fn rank(&self, adapted: Option<&Adapted>, fold: &Fold) -> Vec<Ranking> {
        let coordinates = self.coordinates;
        let persons = self.persons_of(&fold.learned);
        let people = People::place_rotated(
            adapted.map_or_else(
                || self.adaptation(&fold.learned),
                |adapted| adapted.adaptation.clone(),
            ),
            adapted.map(|adapted| &adapted.rotated),
            coordinates,
            &fold.learned,
            &persons,
            self.people,
        );
        let calibration = self.comparer.calibration();
        people.with_scores(&coordinates.select_columns(&fold.tried), |_, scores| {
            let judged = calibration.judge(&scores, 0.0, usize::MAX);
            let ranked = judged
                .people
                .iter()
                .filter(|(person, _)| people.photos()[*person] > 0);
            Ranking {
                confidence: judged
                    .people
                    .first()
                    .map_or(0.0, |&(_, confidence)| confidence),
                people: ranked
                    .map(|&(person, _)| Ranked {
                        person,
                        distance: calibration.distance(scores[person]),
                    })
                    .collect(),
            }
        })
    }
}

/// The learned face nearest to a face by the plain distance between pixels; the first of equally near ones.
pub(super) fn nearest_by_pixels(faces: &FaceMatrix, face: usize, learned: &[usize]) -> usize {
    learned
        .iter()
        .copied()
        .min_by_key(|&other| squared_distance(faces, face, other))
        .unwrap_or(face)
}
