//! What the gallery shows when it is learned again without some of its people, and without some photos.

use rayon::prelude::*;

use super::{Settings, evidence};
use crate::decision::{Calibration, LeftOut};
use crate::face_space::FaceSpace;
use crate::gallery::Gallery;
use crate::likeness::LikenessTest;
use crate::matcher::{Matcher, View, Viewed};
use crate::pca::{Pca, Solver};

/// Parts the people are split into; each part in turn is left out.
const PEOPLE_FOLDS: usize = 10;

/// Parts the photos of each person are split into.
const PHOTO_FOLDS: usize = 5;

/// Probes of one kind at the most: a large gallery needs one part only.
const PROBES: usize = 500;

/// Rounds run side by side up to this many faces; with more, one round keeps all cores busy, and the memory
/// of several would add up.
const SIDE_BY_SIDE: usize = 2000;

/// What is left out of one round of learning.
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
    viewed: &[Viewed<'_>],
    settings: Settings,
) -> Calibration {
    let rounds = rounds(gallery);
    let learn_again = |round: &Round| run(gallery, viewed, settings, round);
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
        seen.likeness.append(&mut part.likeness);
    }
    Calibration::learn(&seen)
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

/// `None` where what is left cannot be learned from: one face, or all alike.
fn run(
    gallery: &Gallery,
    viewed: &[Viewed<'_>],
    settings: Settings,
    round: &Round,
) -> Option<LeftOut> {
    if round.tried.is_empty() {
        return None;
    }
    let pca = Pca {
        components: settings.components,
        // The result does not depend on the route: let each round take the cheaper one.
        solver: Solver::Auto,
    };
    let all = gallery.persons();
    let persons: Vec<usize> = round.learned.iter().map(|&face| all[face]).collect();
    let people = gallery.people().len();
    let comparison = settings.comparison();
    let matcher = Matcher::learn(viewed, &round.learned, &persons, people, comparison, pca).ok()?;
    let coordinates = matcher.coordinates_of(viewed, &round.tried).ok()?;

    let tried = gallery.faces().select(&round.tried).ok()?;
    let own;
    let space = match matcher
        .part(View::Pixels)
        .and_then(|part| part.space().linear())
    {
        Some(space) => space.as_ref(),
        None => {
            let learned = gallery.faces().select(&round.learned).ok()?;
            own = FaceSpace::new(learned.size(), &pca.fit(&learned).ok()?);
            &own
        }
    };
    let weights = space.project(&tried);
    let test = LikenessTest::new(space);
    let mut seen = LeftOut::default();
    for (at, &face) in round.tried.iter().enumerate() {
        let ranked = matcher.rank(coordinates.column(at).as_slice(), 2);
        let Some(evidence) = evidence(&ranked, 0, settings.metric.measure) else {
            continue;
        };
        match round.kind {
            Kind::People => seen.strangers.push(evidence),
            Kind::Photos => seen.genuine.push((evidence, ranked[0].person == all[face])),
        }
        seen.likeness
            .push(test.likeness(tried.face(at), weights.column(at).as_slice()));
    }
    Some(seen)
}
