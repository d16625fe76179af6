//! Figures of strangers, and of pictures of no face.

use std::borrow::Cow;
use std::collections::HashSet;

use rayon::prelude::*;

use super::folds::nearest_by_pixels;
use super::not_faces::{blurred_noise, noise, upside_down};
use super::searches::Searches;
use super::split::{OpenFold, folds_with_strangers, open_folds};
use super::verification::area_and_curve;
use super::{
    Apart, Bootstrap, NotAFace, OpenProbe, OpenSet, Options, Reliability, ReliabilityBin, Role, Strangers, Tally,
};
use crate::background::Prior;
use crate::decision::{Decision, ENOUGH_PEOPLE, STRANGER_PRIOR};
use crate::error::Result;
use crate::face_matrix::FaceMatrix;
use crate::gallery::Gallery;
use crate::recognizer::{Identification, Probes, QueryOptions, Recognizer};
use crate::vectors::squared_distance;
use nalgebra::DMatrix;
use symmetric_eigen::Noise;

/// Generated pictures of each kind in each split.
const GENERATED: usize = 25;

const BINS: usize = 10;

#[derive(Debug, Clone, Copy)]
struct Probe {
    outcome: OpenProbe,
    face_test: FaceTest,
    /// Plain distance between pixels to the nearest learned face, negated, and whether that is right.
    raw: (f64, bool),
}

#[derive(Debug, Clone, Copy)]
struct FaceTest {
    face_score: f64,
    residual: f64,
    refused: bool,
}

struct OpenSplit {
    enrolled: usize,
    genuine: Vec<Probe>,
    strangers: Vec<Probe>,
    noise: Vec<FaceTest>,
    blurred_noise: Vec<FaceTest>,
    upside_down: Vec<FaceTest>,
}

/// The figures; `None` where too few people are there and no strangers given, or nobody has a second photo.
pub(super) fn open_set(
    whole: &Recognizer,
    plan: &Options,
    bootstrap: &Bootstrap,
    progress: &(dyn Fn() + Sync),
) -> Result<Option<OpenSet>> {
    let folds = plan.open_folds(whole.gallery(), whole.settings().prior);
    let faces = Faces::of(whole, plan.strangers.as_ref())?;
    if folds.is_empty() {
        return Ok(None);
    }
    let turned = Turned::of(whole)?;
    let one = |(at, fold): (usize, &OpenFold)| {
        let split = run(whole, (at, fold), &faces, &turned, Noise::seeded(plan.seed.wrapping_add(at as u64 + 1)));
        progress();
        split
    };
    let splits: Vec<OpenSplit> = folds.par_iter().enumerate().map(one).collect::<Result<_>>()?;
    let seen = |side: fn(&OpenSplit) -> &Vec<Probe>| splits.iter().flat_map(side).count();
    if seen(|split| &split.genuine) == 0 || seen(|split| &split.strangers) == 0 {
        return Ok(None);
    }
    Ok(Some(figures(&splits, plan.strangers.as_ref().map(Strangers::len), bootstrap)))
}

impl Options {
    /// The splits of the open set; none where too few people are there and no strangers given.
    fn open_folds(&self, gallery: &Gallery, prior: Prior) -> Vec<OpenFold> {
        // With the background model one person enrolled is told from strangers.
        let least = match prior {
            Prior::Bundled | Prior::Own(_) => 1,
            Prior::None => ENOUGH_PEOPLE,
        };
        match &self.strangers {
            Some(strangers) => folds_with_strangers(gallery, strangers.len(), self.seed),
            None => open_folds(gallery, least, self.seed),
        }
    }
}

/// All faces that may be tried: those of the gallery, then those of strangers that were given.
struct Faces<'a> {
    pixels: Cow<'a, FaceMatrix>,
    /// Their coordinates, where the background model compares.
    coordinates: Option<Cow<'a, DMatrix<f32>>>,
    /// The person of each; those of strangers that were given come after the gallery's.
    persons: Vec<usize>,
}

impl<'a> Faces<'a> {
    fn of(whole: &'a Recognizer, given: Option<&Strangers>) -> Result<Self> {
        let gallery = whole.gallery();
        let mut all = Self {
            pixels: Cow::Borrowed(gallery.faces()),
            coordinates: whole.coordinates().map(Cow::Borrowed),
            persons: gallery.persons(),
        };
        if let Some(given) = given {
            let strangers = &given.faces;
            let pixels = [gallery.faces().as_slice(), strangers.as_slice()].concat();
            all.pixels = Cow::Owned(FaceMatrix::from_pixels(strangers.size(), pixels)?);
            if let Some(known) = whole.coordinates() {
                let theirs = whole.comparer().describe(strangers);
                let columns = known.iter().chain(theirs.iter()).copied();
                let (rows, count) = (known.nrows(), known.ncols() + theirs.ncols());
                all.coordinates = Some(Cow::Owned(DMatrix::from_iterator(rows, count, columns)));
            }
            let people = gallery.people().len();
            all.persons.extend(given.people.iter().map(|person| people + person));
        }
        Ok(all)
    }
}

struct Turned {
    faces: FaceMatrix,
    /// Their coordinates, where the background model compares: most faces are tried in several splits.
    coordinates: Option<DMatrix<f32>>,
}

impl Turned {
    fn of(whole: &Recognizer) -> Result<Self> {
        let faces = upside_down(whole.gallery().faces())?;
        let coordinates = whole.background().is_some().then(|| whole.comparer().describe(&faces));
        Ok(Self { faces, coordinates })
    }

    fn identified(&self, faces: &[usize], recognizer: &Recognizer) -> Result<Vec<FaceTest>> {
        Ok(identified(recognizer, (&self.faces, self.coordinates.as_ref()), faces)?.iter().map(FaceTest::of).collect())
    }
}

/// The answers about some of all faces (d x n, with their coordinates, where they are known).
fn identified(
    recognizer: &Recognizer,
    (all, coordinates): (&FaceMatrix, Option<&DMatrix<f32>>),
    faces: &[usize],
) -> Result<Vec<Identification>> {
    let pixels = all.select(faces)?;
    let probes = match coordinates {
        Some(of_all) => Probes::pixels(&pixels).described(of_all.select_columns(faces)),
        None => Probes::pixels(&pixels),
    };
    Ok(recognizer.identify_probes(probes, QueryOptions::default()))
}

fn run(
    whole: &Recognizer,
    (split, fold): (usize, &OpenFold),
    all: &Faces<'_>,
    turned: &Turned,
    mut random: Noise,
) -> Result<OpenSplit> {
    let gallery = whole.gallery();
    let recognizer = whole.learn_again(gallery.select(&fold.learned)?, whole.settings())?;
    let probes = |faces: &[usize], role: Role| -> Result<Vec<Probe>> {
        let found = identified(&recognizer, (&*all.pixels, all.coordinates.as_deref()), faces)?;
        let probes = faces.iter().zip(&found);
        Ok(probes.map(|(&face, found)| probe(gallery, all, &fold.learned, (split, face, role), found)).collect())
    };
    let others = |pictures: &FaceMatrix| -> Vec<FaceTest> {
        recognizer.identify_faces(pictures, QueryOptions::default()).iter().map(FaceTest::of).collect()
    };
    let size = whole.preparation().size();
    Ok(OpenSplit {
        enrolled: recognizer.gallery().people().len(),
        genuine: probes(&fold.genuine, Role::Enrolled)?,
        strangers: probes(&fold.strangers, Role::Stranger)?,
        noise: others(&noise(size, GENERATED, &mut random)?),
        blurred_noise: others(&blurred_noise(size, GENERATED, &mut random)?),
        upside_down: turned.identified(&fold.genuine, &recognizer)?,
    })
}

fn probe(
    gallery: &Gallery,
    all: &Faces<'_>,
    learned: &[usize],
    (split, face, role): (usize, usize, Role),
    found: &Identification,
) -> Probe {
    let face_test = FaceTest::of(found);
    let closest = found.closest();
    let confidence = closest.map_or(0.0, |closest| closest.confidence);
    let person = closest.and_then(|closest| gallery.find(closest.person.as_str()).ok());
    let nearest = nearest_by_pixels(&all.pixels, face, learned);
    let distance = (squared_distance(all.pixels.face(face), all.pixels.face(nearest)) as f64).sqrt();
    Probe {
        outcome: OpenProbe {
            split,
            face,
            person: all.persons[face],
            role,
            score: if face_test.refused { -1.0 } else { confidence },
            right: person == Some(all.persons[face]),
            nearest: person,
            distance: person.and(closest).map_or(f64::INFINITY, |closest| closest.distance),
            confidence,
            decision: found.decision,
        },
        face_test,
        raw: (-distance, all.persons[nearest] == all.persons[face]),
    }
}

impl FaceTest {
    fn of(found: &Identification) -> Self {
        Self {
            face_score: found.face_score,
            residual: found.residual.distance,
            refused: found.decision == Decision::NotAFace,
        }
    }
}

fn figures(splits: &[OpenSplit], given: Option<usize>, bootstrap: &Bootstrap) -> OpenSet {
    let genuine: Vec<Probe> = splits.iter().flat_map(|s| s.genuine.clone()).collect();
    let strangers: Vec<Probe> = splits.iter().flat_map(|s| s.strangers.clone()).collect();
    let share = |of: &[Probe], is: fn(&OpenProbe) -> bool| {
        let tally: Tally = of.iter().map(|probe| &probe.outcome).map(|probe| (0, probe.person, is(probe))).collect();
        tally.rate_of_tries(bootstrap, different(of))
    };
    let all = || {
        let all = splits.iter();
        all.flat_map(|split| split.genuine.iter().chain(&split.strangers))
    };
    let tries = different(&genuine);
    let sure = Searches::new(all().map(|probe| probe.outcome));
    let raw =
        Searches::new(all().map(|Probe { outcome, raw, .. }| OpenProbe { score: raw.0, right: raw.1, ..*outcome }));
    OpenSet {
        splits: splits.len(),
        enrolled: splits.iter().map(|split| split.enrolled).min().unwrap_or(0),
        genuine: genuine.len(),
        strangers: strangers.len(),
        given,
        probes: all().map(|probe| probe.outcome).collect(),
        identification_at_1_percent: sure.rate(0.01, tries, bootstrap),
        identification_at_10_percent: sure.rate(0.10, tries, bootstrap),
        raw_pixels_at_1_percent: raw.rate(0.01, tries, bootstrap),
        raw_pixels_at_10_percent: raw.rate(0.10, tries, bootstrap),
        fpir_fnir: sure.curve(bootstrap),
        strangers_named: share(&strangers, |probe| probe.is_named()),
        named_rightly: share(&genuine, |probe| probe.is_named() && probe.right),
        named_wrongly: share(&genuine, |probe| probe.is_named() && !probe.right),
        confidence: reliability(&genuine, &strangers),
        not_a_face: not_a_face(splits, &genuine, &strangers),
    }
}

/// Number of different faces that were tried.
fn different(probes: &[Probe]) -> f64 {
    let faces: HashSet<usize> = probes.iter().map(|probe| probe.outcome.face).collect();
    faces.len() as f64
}

fn reliability(genuine: &[Probe], strangers: &[Probe]) -> Reliability {
    let weigh = |probes: &[Probe], share: f64, is_enrolled: bool| -> Vec<(f64, bool, f64)> {
        let weight = share / probes.len() as f64;
        let sample = |p: &OpenProbe| (p.confidence, is_enrolled && p.right, weight);
        probes.iter().map(|probe| sample(&probe.outcome)).collect()
    };
    let mut samples = weigh(genuine, 1.0 - STRANGER_PRIOR, true);
    samples.extend(weigh(strangers, STRANGER_PRIOR, false));
    samples.sort_by(|a, b| a.0.total_cmp(&b.0));

    let bins = binned(&samples, |confidence, _| (confidence * BINS as f64) as usize);
    Reliability {
        calibration_error: calibration_error(&bins),
        adaptive_calibration_error: calibration_error(&binned(&samples, |_, below| (below * BINS as f64) as usize)),
        bins,
    }
}

/// Samples (confidence, right, weight) in bins, told by the weight of all samples before, half of its own included.
fn binned(samples: &[(f64, bool, f64)], bin: impl Fn(f64, f64) -> usize) -> Vec<ReliabilityBin> {
    let mut sums = [(0.0, 0.0, 0.0); BINS];
    let mut before = 0.0;
    for &(confidence, right, weight) in samples {
        let sum = &mut sums[bin(confidence, before + weight / 2.0).min(BINS - 1)];
        sum.0 += weight * confidence;
        sum.1 += weight * f64::from(u8::from(right));
        sum.2 += weight;
        before += weight;
    }
    let filled = sums.into_iter().filter(|sum| sum.2 > 0.0);
    filled
        .map(|(confidence, right, weight)| ReliabilityBin {
            confidence: confidence / weight,
            accuracy: right / weight,
            weight,
        })
        .collect()
}

fn calibration_error(bins: &[ReliabilityBin]) -> f64 {
    bins.iter().map(|bin| bin.weight * (bin.accuracy - bin.confidence).abs()).sum()
}

fn not_a_face(splits: &[OpenSplit], genuine: &[Probe], strangers: &[Probe]) -> NotAFace {
    let faces = || genuine.iter().chain(strangers);
    let face_scores: Vec<f64> = faces().map(|probe| probe.face_test.face_score).collect();
    let near: Vec<f64> = faces().map(|probe| -probe.face_test.residual).collect();
    let apart = |kind: fn(&OpenSplit) -> &Vec<FaceTest>| {
        let others: Vec<FaceTest> = splits.iter().flat_map(kind).copied().collect();
        let other: Vec<f64> = others.iter().map(|other| other.face_score).collect();
        let refused = others.iter().filter(|other| other.refused).count();
        let far: Vec<f64> = others.iter().map(|other| -other.residual).collect();
        let (area, roc) = area_and_curve(&face_scores, &other);
        let (area_by_distance, roc_by_distance) = area_and_curve(&near, &far);
        Apart {
            count: others.len(),
            area,
            area_by_distance,
            roc,
            roc_by_distance,
            refused: refused as f64 / others.len().max(1) as f64,
        }
    };
    NotAFace {
        faces_refused: faces().filter(|probe| probe.face_test.refused).count() as f64 / face_scores.len() as f64,
        noise: apart(|split| &split.noise),
        blurred_noise: apart(|split| &split.blurred_noise),
        upside_down: apart(|split| &split.upside_down),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(confidence: f64, right: bool) -> Probe {
        Probe {
            outcome: OpenProbe {
                split: 0,
                face: 0,
                person: 0,
                role: Role::Enrolled,
                score: confidence,
                right,
                nearest: None,
                distance: f64::INFINITY,
                confidence,
                decision: Decision::Unknown,
            },
            face_test: FaceTest { face_score: 1.0, residual: 0.0, refused: false },
            raw: (0.0, right),
        }
    }

    #[test]
    fn confidence_that_means_what_it_says_has_no_error() {
        // Of all probes at 0.8, four fifths are right: four genuine (weight 1/8 each) to one stranger.
        let genuine = vec![probe(0.8, true); 4];
        let strangers: Vec<Probe> = [0.8, 0.0, 0.0, 0.0].map(|c| probe(c, false)).to_vec();
        let honest = reliability(&genuine, &strangers);
        assert!(honest.calibration_error < 1e-12, "{honest:?}");
        assert_eq!(honest.bins.len(), 2);
        let boasting = reliability(&[probe(1.0, false)], &[probe(1.0, true)]);
        assert!((boasting.calibration_error - 1.0).abs() < 1e-12);
        assert!((boasting.adaptive_calibration_error - 1.0).abs() < 1e-12);
    }
}
