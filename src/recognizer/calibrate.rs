//! Calibration: the gallery is learned again without some of its people, and without some photos.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::{Settings, evidence, verify};
use crate::decision::{self, Calibration, LeftOut};

use crate::error::Result;
use crate::face_matrix::FaceMatrix;
use crate::face_space::FaceSpace;
use crate::faceness::{self, FacenessTest};
use crate::gallery::{Gallery, Match};
use crate::matcher::{Feature, FeatureMatrix, Matcher, Resampling};
use crate::pca::{ComponentCount, InnerProducts, Pca, Symmetry};

/// Parts the people are split into; each part in turn is left out.
const PEOPLE_FOLDS: usize = 10;

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
) -> Result<Calibration> {
    let rounds = rounds(gallery);
    // As the recogniser's own face space is learned.
    let symmetry = features
        .iter()
        .find(|matrix| matrix.feature() == Feature::Pixels)
        .map_or(Symmetry::None, FeatureMatrix::symmetry);
    let pixels = if gallery.len() <= SIDE_BY_SIDE && !settings.components.needs_faces() {
        Some(InnerProducts::with_symmetry(gallery.faces(), symmetry)?)
    } else {
        None
    };
    let trials = Resampling::new(features, settings.comparison(), settings.pca())?;
    let (all, people) = (gallery.persons(), gallery.people().len());
    Ok(gather(gallery, &rounds, |round| {
        let persons: Vec<usize> = round.learned.iter().map(|&face| all[face]).collect();
        let trial = trials.run(&round.learned, &persons, people, &round.tried);
        let trial = trial.ok()?;
        let face_scores = left_out_face_scores(
            gallery.faces(),
            pixels.as_ref(),
            symmetry,
            settings.components,
            round,
        )?;
        let ranked = |at| trial.rank(at, 2);
        let compared = (trial.probes(), trial.enrolled());
        Some(seen_in(
            round,
            &all,
            settings,
            face_scores,
            ranked,
            compared,
        ))
    }))
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
    space: &FaceSpace,
    matcher: &Matcher,
    gallery: &Gallery,
    features: &[FeatureMatrix<'_>],
    settings: Settings,
) -> Calibration {
    let (all, people) = (gallery.persons(), gallery.people().len());
    let test = FacenessTest::new(space);
    gather(gallery, &rounds(gallery), |round| {
        let persons: Vec<usize> = round.learned.iter().map(|&face| all[face]).collect();
        let matcher = matcher
            .keeping_spaces(
                features,
                &round.learned,
                &persons,
                people,
                settings.comparison(),
            )
            .ok()?;
        let coordinates = matcher.coordinates_of(features, &round.tried).ok()?;
        let ranked = |at: usize| matcher.rank(coordinates.column(at).as_slice(), 2);
        let tried = gallery.faces().select(&round.tried).ok()?;
        let face_scores = test.face_scores(&tried, &space.project(&tried));
        let compared = (&coordinates, matcher.enrolled());
        Some(seen_in(
            round,
            &all,
            settings,
            face_scores,
            ranked,
            compared,
        ))
    })
}

/// The evidence of all rounds, in their order. There is none of a round without faces to learn from or to try, or where
/// what is left cannot be learned from: one face, or all alike.
fn gather(
    gallery: &Gallery,
    rounds: &[Round],
    learn_again: impl Fn(&Round) -> Option<LeftOut> + Sync,
) -> Calibration {
    let learn_again = |round: &Round| {
        let is_empty = round.tried.is_empty() || round.learned.is_empty();
        if is_empty { None } else { learn_again(round) }
    };
    let parts: Vec<LeftOut> = if gallery.len() <= SIDE_BY_SIDE {
        rounds.par_iter().filter_map(learn_again).collect()
    } else {
        rounds.iter().filter_map(learn_again).collect()
    };
    let mut seen = LeftOut {
        people: gallery.people().len(),
        ..LeftOut::default()
    };
    for mut part in parts {
        seen.strangers.append(&mut part.strangers);
        seen.genuine.append(&mut part.genuine);
        seen.face_scores.append(&mut part.face_scores);
        seen.pairs.same.append(&mut part.pairs.same);
        seen.pairs.different.append(&mut part.pairs.different);
    }
    Calibration::learn(&seen)
}

/// The evidence of one round, its faces that were tried ranked by `ranked`; `compared` is what was compared, of the tried
/// and of the learned faces.
fn seen_in(
    round: &Round,
    persons: &[usize],
    settings: Settings,
    face_scores: Vec<f64>,
    ranked: impl Fn(usize) -> Vec<Match> + Sync,
    compared: (&DMatrix<f32>, &DMatrix<f32>),
) -> LeftOut {
    let measure = settings.metric.measure;
    let mut seen = LeftOut {
        face_scores,
        ..LeftOut::default()
    };
    let all: Vec<Vec<Match>> = (0..round.tried.len())
        .into_par_iter()
        .map(&ranked)
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
        seen.pairs = verify::pairs(compared.0, &tried, compared.1, measure);
    }
    seen
}

fn rounds(gallery: &Gallery) -> Vec<Round> {
    let persons = gallery.persons();
    let people_folds = gallery.people().len().min(PEOPLE_FOLDS);
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

/// Face scores of the faces that are tried, by those that are learned from; from `products` of the pixels where they are
/// given.
fn left_out_face_scores(
    faces: &FaceMatrix,
    products: Option<&InnerProducts>,
    symmetry: Symmetry<'_>,
    wanted: ComponentCount,
    round: &Round,
) -> Option<Vec<f64>> {
    let tried = faces.select(&round.tried).ok()?;
    let (components, weights, leading) = match products {
        Some(products) => {
            let dual = products.fit(&round.learned, wanted).ok()?;
            let leading = faceness::leading(&dual.eigenvalues());
            let (dual, components) = dual.with_components(faces, leading).ok()?;
            let weights = dual.project(&round.tried);
            (components, weights, leading)
        }
        None => {
            let learned = faces.select(&round.learned).ok()?;
            let components = pca(wanted).fit_with_symmetry(&learned, symmetry).ok()?;
            let leading = faceness::leading(&components.eigenvalues);
            let space = FaceSpace::new(faces.size(), &components);
            (components, space.project(&tried), leading)
        }
    };
    let space = FaceSpace::new(faces.size(), &components);
    let test = FacenessTest::with_leading(&space, leading);
    Some(test.face_scores(&tried, &weights))
}

/// Parts of the people that are left out to see how much faces look like faces.
const FACE_SCORE_FOLDS: usize = 3;

/// The face score below which something is not a face, from faces of people who are left out in turn. In a gallery so
/// large that leaving out hardly moves the space, the space of all faces judges some of them.
pub(super) fn face_score_limit(gallery: &Gallery, space: &FaceSpace, settings: Settings) -> f64 {
    let (faces, persons) = (gallery.faces(), gallery.persons());
    let face_scores = if gallery.len() > SIDE_BY_SIDE {
        let some: Vec<usize> = (0..PROBES).map(|at| at * gallery.len() / PROBES).collect();
        faces.select(&some).map_or_else(
            |_| Vec::new(),
            |some| FacenessTest::new(space).face_scores(&some, &space.project(&some)),
        )
    } else {
        let products = match settings.components.needs_faces() {
            false => Some(InnerProducts::of(faces)),
            true => None,
        };
        let of_fold = |fold: usize| {
            let round = split(Kind::People, &persons, |face| {
                persons[face] % FACE_SCORE_FOLDS == fold
            });
            if round.tried.is_empty() || round.learned.is_empty() {
                return None;
            }
            let components = settings.components;
            left_out_face_scores(faces, products.as_ref(), Symmetry::None, components, &round)
        };
        let folds = (0..FACE_SCORE_FOLDS).into_par_iter().filter_map(of_fold);
        folds.collect::<Vec<_>>().concat()
    };
    decision::face_score_limit(&face_scores, gallery.people().len())
}

/// By the cheaper route: the result does not depend on it.
fn pca(components: ComponentCount) -> Pca {
    Pca {
        components,
        ..Pca::default()
    }
}
