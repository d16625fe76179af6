//! Comparison by likelihood ratios of the background model, moved by the gallery.

use nalgebra::DMatrix;
use sha2::{Digest, Sha256};

use super::{Candidate, Compare, EvidenceFor, Explanation, PairDecision, Ranking};
use crate::background::{self, Adaptation, Background, Calibration, FACE, FaceClassifier, People};
use crate::decision::Acceptance;
use crate::error::{Error, Result};
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::gallery::Gallery;
use crate::locate::framing::Framing;
use crate::matcher::{CELLS, DistanceSettings};

/// The score of a face that is enrolled itself: beyond all others.
pub(super) const SAME_FACE: f64 = 1e6;

/// The people of a gallery as the background model sees them.
#[derive(Debug, Clone)]
pub struct Likelihoods {
    background: &'static Background,
    people: People,
    /// The [fingerprint](fingerprint) of each enrolled face, and its person.
    enrolled: Vec<(u64, usize)>,
    calibration: Calibration,
    face_score_limit: f64,
}

impl Likelihoods {
    /// Learns from enrolled faces: their coordinates (2k x n) and the person of each, from 0 on without gaps; frames of one
    /// moment count as one. `framing` is that of their photos.
    pub fn learn(
        background: &'static Background,
        coordinates: &DMatrix<f32>,
        persons: &[usize],
        face_score_limit: f64,
        framing: Framing,
    ) -> Self {
        let count = persons.last().map_or(0, |last| last + 1);
        let (moments, of) = background::moments(background, coordinates, persons);
        let photos: Vec<usize> = (0..of.len()).collect();
        let adaptation = Adaptation::learn(background, &moments, &photos, &of);
        let people = People::enroll(adaptation, &moments, &photos, &of, count);
        let calibration = Calibration::learn(background, &people, &moments, &of, framing.into());
        let fingerprints = coordinates.column_iter().map(|face| fingerprint(face.as_slice()));
        Self {
            background,
            people: people.allowing_for_light(&calibration),
            enrolled: fingerprints.zip(persons.iter().copied()).collect(),
            calibration,
            face_score_limit,
        }
    }

    /// With nobody enrolled: what the bundled background model alone says of two photos.
    ///
    /// # Errors
    /// When the program itself is damaged.
    pub fn of_nobody() -> Result<Self> {
        let background = Background::bundled()?;
        Ok(Self::learn(background, &DMatrix::zeros(2 * background.components(), 0), &[], -1.0, Framing::Detect))
    }

    /// From stored parts: everybody's ratios, the fingerprint of each enrolled face and its person.
    ///
    /// # Errors
    /// Parts that do not fit together.
    pub fn from_parts(
        background: &'static Background,
        people: People,
        enrolled: Vec<(u64, usize)>,
        calibration: Calibration,
        face_score_limit: f64,
    ) -> Result<Self> {
        let count = people.photos().len();
        let fits = calibration.is_sound(count)
            && (-1.0..=1.0).contains(&face_score_limit)
            && enrolled.iter().all(|&(_, person)| person < count);
        if !fits {
            return Err(Error::Inconsistent);
        }
        let people = people.allowing_for_light(&calibration);
        Ok(Self { background, people, enrolled, calibration, face_score_limit })
    }

    /// The background model that compares.
    pub fn background(&self) -> &'static Background {
        self.background
    }

    /// The fingerprint of each enrolled face, and its person, in the order of the gallery.
    pub fn enrolled(&self) -> &[(u64, usize)] {
        &self.enrolled
    }

    /// Everybody's likelihood ratios.
    pub fn people(&self) -> &People {
        &self.people
    }

    /// The map from scores to decisions.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// The person of whom this very face (its coordinates, 2k) is enrolled, if there is one.
    pub(super) fn enrolled_as(&self, probe: &[f32]) -> Option<usize> {
        let probe = fingerprint(probe);
        self.enrolled.iter().find(|(face, _)| *face == probe).map(|&(_, person)| person)
    }

    /// The scores of each probe (2k x p) against everybody; the very face that is enrolled is recognised as that.
    fn with_scores<R: Send>(&self, probes: &DMatrix<f32>, then: impl Fn(Vec<f64>) -> R + Sync) -> Vec<R> {
        self.people.with_scores(probes, |at, mut scores| {
            if let Some(person) = self.enrolled_as(probes.column(at).as_slice()) {
                scores[person] = SAME_FACE;
            }
            then(scores)
        })
    }
}

/// Fingerprint of the coordinates of a face: the first eight bytes of their SHA-256. That a stranger's are those
/// of one of a million enrolled faces happens once in 10^13 times.
fn fingerprint(coordinates: &[f32]) -> u64 {
    let mut hasher = Sha256::new();
    for value in coordinates {
        hasher.update(value.to_le_bytes());
    }
    let digest: [u8; 32] = hasher.finalize().into();
    digest[..8].iter().fold(0, |all, &byte| all << 8 | u64::from(byte))
}

impl Compare for Likelihoods {
    fn face_score_limit(&self) -> f64 {
        self.face_score_limit
    }

    fn threshold(&self, acceptance: Acceptance) -> Option<f64> {
        Some(self.calibration.threshold(acceptance))
    }

    fn in_words(&self, _: &DistanceSettings) -> String {
        "by the background model: how faces of thousands of other people differ".to_owned()
    }

    fn describe(&self, faces: &FaceMatrix) -> DMatrix<f32> {
        self.background.coordinates(faces)
    }

    fn signal(&self, coordinates: &[f32]) -> Option<f64> {
        Some(self.background.signal(coordinates))
    }

    fn is_typical(&self, face: (&[u8], FaceSize), coordinates: &[f32]) -> bool {
        let typicality =
            FaceClassifier::bundled().and_then(|classifier| classifier.typicality(self.background, face, coordinates));
        typicality.is_ok_and(|typicality| typicality >= 0.0)
    }

    fn rank(&self, probes: &DMatrix<f32>, top: usize, acceptance: Acceptance) -> Vec<Ranking> {
        self.with_scores(probes, |scores| ranking(&self.calibration, &scores, 0.0, top, acceptance))
    }

    fn pair(&self, faces: &DMatrix<f32>, acceptance: Acceptance) -> Option<PairDecision> {
        let is_one_photo = faces.column(0) == faces.column(1);
        let score = if is_one_photo { SAME_FACE } else { self.people.pair_scores(faces, &[[0, 1]])[0] };
        let (passes, confidence) = self.calibration.same_person(score, acceptance);
        Some(PairDecision {
            passes,
            is_somebody: passes,
            confidence,
            distance: self.calibration.pair_distance(score),
            needed: self.calibration.pair_threshold(acceptance),
        })
    }

    fn claim(&self, probe: &DMatrix<f32>, person: usize, acceptance: Acceptance) -> Option<PairDecision> {
        let ranking = self.rank(probe, self.people.photos().len(), acceptance).pop()?;
        let own = ranking.people.iter().find(|found| found.person == person)?;
        Some(PairDecision {
            passes: ranking.accepted && ranking.people[0].person == person,
            is_somebody: ranking.confidence > 0.5,
            confidence: own.confidence,
            distance: own.distance,
            needed: self.threshold(acceptance)?,
        })
    }

    fn explain(&self, gallery: &Gallery, coordinates: Option<&DMatrix<f32>>, face: &FaceMatrix) -> Result<Explanation> {
        let enrolled = coordinates.ok_or(Error::Inconsistent)?;
        let probe = self.describe(face);
        let ranking = self.rank(&probe, 2, Acceptance::default()).pop();
        let projected = self.people.coordinates(&probe);
        let persons = gallery.persons();
        let mut nearest = Vec::new();
        for found in ranking.map_or_else(Vec::new, |ranking| ranking.people) {
            let own: Vec<usize> = (0..persons.len()).filter(|&at| persons[at] == found.person).collect();
            let theirs = self.people.coordinates(&enrolled.select_columns(&own));
            let squared = |at: usize| (theirs.column(at) - projected.column(0)).norm_squared();
            let closest = (0..own.len()).map(|at| (squared(at), own[at])).min_by(|a, b| a.0.total_cmp(&b.0));
            let (squared, face) = closest.ok_or(Error::Inconsistent)?;
            nearest.push(EvidenceFor {
                person: found.person,
                distance: found.distance,
                face,
                pixels: gallery.faces().face(face).to_vec(),
                squared,
                parts: None,
            });
        }
        let evidence_map = match &nearest[..] {
            [first, second] => {
                let pixels = [face.as_slice(), &first.pixels, &second.pixels].concat();
                let three = FaceMatrix::from_pixels(face.size(), pixels)?;
                let places = self.background.evidence_map(&self.people, &three, [first.person, second.person]);
                Some(in_cells(&places))
            }
            _ => None,
        };
        Ok(Explanation { nearest, evidence_map })
    }
}

/// The ranking of people by their scores; `others` are the odds of everybody else together.
pub(super) fn ranking(
    calibration: &Calibration,
    scores: &[f64],
    others: f64,
    top: usize,
    acceptance: Acceptance,
) -> Ranking {
    let judged = calibration.judge(scores, others, top.max(1));
    let scored = |&(person, confidence): &(usize, f64)| Candidate {
        person,
        distance: calibration.distance(scores[person]),
        confidence,
    };
    let first = judged.people.first();
    Ranking {
        people: judged.people.iter().take(top).map(scored).collect(),
        confidence: first.map_or(0.0, |&(_, confidence)| confidence),
        somebody_else: Some(judged.somebody_else),
        accepted: first
            .is_some_and(|&(person, confidence)| calibration.is_known(scores[person], confidence, acceptance)),
    }
}

/// Values of the places of a face of the size [`FACE`], added up in cells.
fn in_cells(places: &[f64]) -> Vec<f64> {
    let mut cells = vec![0.0; CELLS.0 * CELLS.1];
    let (width, height) = (FACE.width() as usize, FACE.height() as usize);
    for (at, value) in places.iter().enumerate() {
        let (column, row) = (at % width * CELLS.0 / width, at / width * CELLS.1 / height);
        cells[row * CELLS.0 + column] += value;
    }
    cells
}
