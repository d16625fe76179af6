//! Calibration: the gallery is learned again without some of its people, and without some photos.

use rayon::prelude::*;

use super::{Settings, verify};
use crate::compare::evidence;
use crate::decision::{Calibration, LeftOut};

use crate::error::Result;
use crate::face_space::FaceSpace;
use crate::gallery::{Gallery, Match};
use crate::matcher::{FeatureMatrix, Matcher, Resample, Resampling};

/// Parts the people are split into; each part in turn is left out.
const PEOPLE_FOLDS: usize = 5;

/// Parts of up to [`FEW_PEOPLE`], of whom a fifth is missed more: with five parts .58 of Yale's ten people were told their
/// names and with ten parts .66. Of AT&T, LFW and CFP it is .949, .617 and .245 with five, .946, .639 and .258 with ten,
/// with as many strangers.
const FEW_PEOPLE_FOLDS: usize = 10;
const FEW_PEOPLE: usize = 15;

/// Parts the photos of each person are split into.
const PHOTO_FOLDS: usize = 5;

/// Probes of one kind at the most: a large gallery needs one part only.
const PROBES: usize = 500;

/// Rounds run side by side up to this many faces; with more, one round keeps all cores busy, and the memory
/// of several would add up.
const SIDE_BY_SIDE: usize = 2000;

/// Spaces of more faces than this, and of [`FACES_A_DIRECTION`] times as many as they have directions, are settled: what
/// is left out of a round hardly moves them. Measured with 10,000 faces and 300 directions: strangers' scores have
/// the mean 0.955 and the spread 0.258 where rounds keep the spaces, 0.958 and 0.253 where each learns its own, which
/// makes four of six eigenproblems.
const SETTLED: usize = 4_000;
const FACES_A_DIRECTION: usize = 13;

/// The kind of resampling: people or photos left out.
#[derive(Clone, Copy)]
enum Kind {
    /// Whole people, who are strangers then.
    People,
    /// Some photos of people who stay.
    Photos,
}

/// Faces to learn from and faces to try.
struct Round {
    kind: Kind,
    learned: Vec<usize>,
    tried: Vec<usize>,
}

pub(super) fn calibrate(
    gallery: &Gallery,
    features: &[FeatureMatrix<'_>],
    settings: Settings,
    face_score_limit: f64,
) -> Result<Calibration> {
    let trials = Resampling::new(features, settings.comparison, settings.pca)?;
    let people = gallery.people().len();
    let seen = gather(gallery, settings, |round, persons| {
        trials.run(&round.learned, persons, people, &round.tried)
    });
    Ok(Calibration::learn(&seen, face_score_limit))
}

/// Whether rounds may go by the spaces of all faces; metric, clusters and limits are always learned without what is
/// left out. Kernels have one direction a face.
pub(super) fn is_settled(space: &FaceSpace, matcher: &Matcher, faces: usize) -> bool {
    let spaces = matcher.feature_spaces().iter().map(|part| part.space());
    let of_matcher = spaces.map(|space| Some(space.linear()?.components()));
    let directions = of_matcher.chain([Some(space.components())]);
    let enough = |count: Option<usize>| {
        count.is_some_and(|count| faces >= FACES_A_DIRECTION.saturating_mul(count))
    };
    faces > SETTLED && directions.into_iter().all(enough)
}

/// As [`calibrate`], but no round learns spaces: all go by these.
pub(super) fn calibrate_keeping(
    matcher: &Matcher,
    gallery: &Gallery,
    features: &[FeatureMatrix<'_>],
    settings: Settings,
    face_score_limit: f64,
) -> Calibration {
    let (spaces, people) = (matcher.spaces(), gallery.people().len());
    let seen = gather(gallery, settings, |round, persons| {
        let (learned, comparison) = (&round.learned, settings.comparison);
        Matcher::in_spaces(&spaces, features, learned, persons, people, comparison)?
            .tried(features, &round.tried)
    });
    Calibration::learn(&seen, face_score_limit)
}

/// The evidence of all rounds, in their order. There is none of a round without faces to learn from or to try, or where
/// what is left cannot be learned from: one face, or all alike.
fn gather(
    gallery: &Gallery,
    settings: Settings,
    learn_again: impl Fn(&Round, &[usize]) -> Result<Resample> + Sync,
) -> LeftOut {
    let (rounds, all) = (rounds(gallery), gallery.persons());
    let seen_in = |round: &Round| {
        if round.tried.is_empty() || round.learned.is_empty() {
            return None;
        }
        let persons: Vec<usize> = round.learned.iter().map(|&face| all[face]).collect();
        let trial = learn_again(round, &persons).ok()?;
        Some(seen_in(round, &all, settings, &trial))
    };
    let parts: Vec<LeftOut> = if gallery.len() <= SIDE_BY_SIDE {
        rounds.par_iter().filter_map(seen_in).collect()
    } else {
        rounds.iter().filter_map(seen_in).collect()
    };
    let mut seen = LeftOut {
        people: gallery.people().len(),
        ..LeftOut::default()
    };
    for mut part in parts {
        seen.strangers.append(&mut part.strangers);
        seen.genuine.append(&mut part.genuine);
        seen.pairs.same.append(&mut part.pairs.same);
        seen.pairs.different.append(&mut part.pairs.different);
    }
    seen
}

/// The evidence of one round.
fn seen_in(round: &Round, persons: &[usize], settings: Settings, trial: &Resample) -> LeftOut {
    let measure = settings.comparison.metric.measure;
    let mut seen = LeftOut::default();
    let all: Vec<Vec<Match>> = (0..round.tried.len())
        .into_par_iter()
        .map(|at| trial.rank(at, 2))
        .collect();
    for (ranked, &face) in all.into_iter().zip(&round.tried) {
        let Some(evidence) = evidence(&ranked, 0, measure) else {
            continue;
        };
        match round.kind {
            Kind::People => seen.strangers.push(evidence),
            Kind::Photos => seen
                .genuine
                .push((evidence, ranked[0].person == persons[face])),
        }
    }
    if matches!(round.kind, Kind::People) {
        let tried: Vec<usize> = round.tried.iter().map(|&face| persons[face]).collect();
        seen.pairs = verify::pairs(&trial.probes, &tried, &trial.enrolled, measure);
    }
    seen
}

fn rounds(gallery: &Gallery) -> Vec<Round> {
    let persons = gallery.persons();
    let people_folds = match gallery.people().len() {
        people @ ..=FEW_PEOPLE => people.min(FEW_PEOPLE_FOLDS),
        _ => PEOPLE_FOLDS,
    };
    let people = (0..people_folds).map(|fold| {
        split(Kind::People, &persons, |face| {
            persons[face] % people_folds == fold
        })
    });

    // The photos of a person stand side by side: rank within the person, and how many there are.
    let mut ranks = vec![0; persons.len()];
    for face in 1..persons.len() {
        if persons[face] == persons[face - 1] {
            ranks[face] = ranks[face - 1] + 1;
        }
    }
    let counts = gallery.counts();
    let photos = (0..PHOTO_FOLDS).map(|fold| {
        split(Kind::Photos, &persons, |face| {
            let parts = counts[persons[face]].min(PHOTO_FOLDS);
            parts > 1 && ranks[face] % parts == fold
        })
    });
    let (people, photos): (Vec<_>, Vec<_>) = (people.collect(), photos.collect());
    let mut rounds = enough(people);
    rounds.extend(enough(photos));
    rounds
}

fn split(kind: Kind, persons: &[usize], is_tried: impl Fn(usize) -> bool) -> Round {
    let (tried, learned) = (0..persons.len()).partition(|&face| is_tried(face));
    Round {
        kind,
        learned,
        tried,
    }
}

/// As many rounds as give [`PROBES`], the last one thinned out evenly.
fn enough(rounds: Vec<Round>) -> Vec<Round> {
    let mut probes = 0;
    let mut kept = Vec::new();
    for mut round in rounds {
        let room = PROBES - probes;
        if room == 0 {
            break;
        }
        let tried = round.tried.len();
        if tried > room {
            round.tried = (0..room).map(|at| round.tried[at * tried / room]).collect();
        }
        probes += round.tried.len();
        kept.push(round);
    }
    kept
}
