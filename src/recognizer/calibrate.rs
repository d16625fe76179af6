//! Calibration of distances: the gallery is learned again without some of its people, and without some photos.

use rayon::prelude::*;

use super::{Recognizer, Settings};
use crate::decision::ENOUGH_PEOPLE;
use crate::error::Result;
use crate::gallery::Gallery;
use crate::matcher::{CalibrationBasis, DistanceCalibration, LeftOut, Matcher};
use crate::text::counted;

/// Parts that people, and the photos of each person, are split into; each part in turn is left out.
const FOLDS: usize = 5;

/// Probes of one kind at the most: a large gallery needs one part only.
const PROBES: usize = 500;

#[derive(Clone, Copy)]
enum Kind {
    /// Whole people, who are strangers then.
    People,
    /// Some photos of people who stay.
    Photos,
}

/// Faces to learn from, and probes.
struct Round {
    kind: Kind,
    learned: Vec<usize>,
    probes: Vec<usize>,
}

pub(super) fn calibrate(gallery: &Gallery, settings: Settings, face_score_limit: f64) -> DistanceCalibration {
    let persons = gallery.persons();
    let mut seen = LeftOut { people: gallery.people().len(), ..LeftOut::default() };
    for round in rounds(gallery) {
        // Of what is left there may be one face, or all alike: nothing to learn from.
        let Ok(distances) = distances(&round, gallery, &persons, settings) else { continue };
        match round.kind {
            Kind::People => seen.strangers.extend(distances),
            Kind::Photos => seen.genuine.extend(distances),
        }
    }
    DistanceCalibration::learn(&seen, face_score_limit)
}

/// The distance of each probe to the nearest person, or to its own where that is enrolled.
fn distances(round: &Round, gallery: &Gallery, persons: &[usize], settings: Settings) -> Result<Vec<f64>> {
    let (faces, people) = (gallery.faces(), gallery.people().len());
    let learned: Vec<usize> = round.learned.iter().map(|&face| persons[face]).collect();
    let matcher = Matcher::learn(&faces.select(&round.learned)?, &learned, people, settings.distance, settings.pca)?;
    let probes = matcher.coordinates(&faces.select(&round.probes)?);
    let distance = |(at, &face): (usize, &usize)| {
        let probe = probes.column(at);
        match round.kind {
            Kind::People => matcher.clusters().rank(probe.as_slice(), 1).first().copied(),
            Kind::Photos => matcher.clusters().of_person(persons[face], probe.as_slice()),
        }
    };
    Ok(round.probes.par_iter().enumerate().filter_map(distance).map(|found| found.distance()).collect())
}

fn rounds(gallery: &Gallery) -> Vec<Round> {
    let persons = gallery.persons();
    let folds = gallery.people().len().min(FOLDS);
    let people = (0..folds).map(|fold| split(Kind::People, &persons, |face| persons[face] % folds == fold));
    // The photos of a person stand side by side: rank within the person, and how many there are.
    let mut ranks = vec![0; persons.len()];
    for face in 1..persons.len() {
        if persons[face] == persons[face - 1] {
            ranks[face] = ranks[face - 1] + 1;
        }
    }
    let counts = gallery.counts();
    let photos = (0..FOLDS).map(|fold| {
        split(Kind::Photos, &persons, |face| {
            let parts = counts[persons[face]].min(FOLDS);
            parts > 1 && ranks[face] % parts == fold
        })
    });
    enough(people).into_iter().chain(enough(photos)).collect()
}

fn split(kind: Kind, persons: &[usize], is_probe: impl Fn(usize) -> bool) -> Round {
    let (probes, learned) = (0..persons.len()).partition(|&face| is_probe(face));
    Round { kind, learned, probes }
}

/// As many rounds as give [`PROBES`], the last one thinned out evenly.
fn enough(rounds: impl Iterator<Item = Round>) -> Vec<Round> {
    let mut count = 0;
    let mut kept = Vec::new();
    for mut round in rounds.filter(|round| !round.probes.is_empty()) {
        let room = PROBES - count;
        if room == 0 {
            break;
        }
        let all = round.probes.len();
        if all > room {
            round.probes = (0..room).map(|at| round.probes[at * all / room]).collect();
        }
        count += round.probes.len();
        kept.push(round);
    }
    kept
}

impl Recognizer {
    /// The reason why confidence is weak, if it is.
    pub fn confidence_warning(&self) -> Option<String> {
        let calibration = self.calibration()?;
        let people = counted(self.gallery.people().len(), "person", "people");
        if !calibration.gives_names() {
            return Some(format!(
                "confidence is weak: with {people} enrolled there are too few to tell strangers from them, so photos \
             are compared but no name is given; enrol {ENOUGH_PEOPLE} people or more, or let the background model compare (--background bundled)"
            ));
        }
        match calibration.basis {
            CalibrationBasis::AssumedGenuine => Some(
                "confidence is weak: hardly anybody has a second photo, so how alike two photos of one person \
             are is assumed, not measured; add more photos a person"
                    .to_owned(),
            ),
            CalibrationBasis::Measured if self.gallery.people().len() < 10 => Some(format!(
                "confidence is weak: with {people} enrolled a name is given in clear cases only; enrol more \
             people, or accept more strangers with identify --far"
            )),
            CalibrationBasis::Measured | CalibrationBasis::TooFewPeople => None,
        }
    }
}
