//! Comparison by the distance to the nearest cluster in a space that was learned from the gallery alone.

use nalgebra::DMatrix;

use super::{Candidate, Compare, EvidenceFor, Explanation, PairDecision, Ranking};
use crate::decision::Acceptance;
use crate::error::Result;
use crate::face_matrix::FaceMatrix;
use crate::gallery::Gallery;
use crate::matcher::{DistanceCalibration, DistanceSettings, Matcher, Neighbor, squared_distance};

/// The space and everybody's mean in it, and the map from distances to decisions.
#[derive(Debug, Clone)]
pub struct Distances {
    /// The space and everybody's mean in it.
    pub matcher: Matcher,
    /// The map from distances to decisions.
    pub calibration: DistanceCalibration,
}

impl Distances {
    /// The enrolled face of a person that is nearest to a probe.
    fn evidence_for(&self, gallery: &Gallery, found: &Neighbor, probe: &FaceMatrix) -> Result<EvidenceFor> {
        let persons = gallery.persons();
        let own: Vec<usize> = (0..persons.len()).filter(|&face| persons[face] == found.person).collect();
        let (theirs, projected) = (gallery.faces().select(&own)?, self.describe(probe));
        let coordinates = self.describe(&theirs);
        let squared = |at: usize| squared_distance(coordinates.column(at).as_slice(), projected.column(0).as_slice());
        let (squared, at) =
            (0..own.len()).map(|at| (squared(at), at)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
        Ok(EvidenceFor {
            person: found.person,
            distance: found.distance(),
            face: own[at],
            squared,
            parts: self.matcher.distance_parts(probe, &theirs.select(&[at])?),
            pixels: theirs.face(at).to_vec(),
        })
    }

    fn decision(&self, distance: f64, acceptance: Acceptance) -> PairDecision {
        PairDecision {
            passes: self.calibration.is_known(distance, acceptance),
            is_somebody: false,
            confidence: self.calibration.confidence(distance),
            distance,
            needed: self.calibration.threshold(acceptance),
        }
    }
}

impl Compare for Distances {
    fn face_score_limit(&self) -> f64 {
        self.calibration.face_score_limit()
    }

    fn threshold(&self, acceptance: Acceptance) -> Option<f64> {
        threshold(&self.calibration, acceptance)
    }

    fn in_words(&self, settings: &DistanceSettings) -> String {
        let (space, metric) = (settings.space_in_words(), settings.metric.name());
        format!("nearest mean of a person's weights ({space}), {metric} distance")
    }

    fn describe(&self, faces: &FaceMatrix) -> DMatrix<f32> {
        self.matcher.coordinates(faces)
    }

    fn rank(&self, probes: &DMatrix<f32>, top: usize, acceptance: Acceptance) -> Vec<Ranking> {
        let ranked = self.matcher.clusters().rank_all(probes, top.max(1));
        let ranking = |neighbors: Vec<Neighbor>| rank_neighbors(&neighbors, &self.calibration, top, acceptance);
        ranked.into_iter().map(ranking).collect()
    }

    /// As of a probe and a person with one photo.
    fn pair(&self, faces: &DMatrix<f32>, acceptance: Acceptance) -> Option<PairDecision> {
        let [first, second] = [0, 1].map(|at| faces.column(at));
        let distance = squared_distance(first.as_slice(), second.as_slice()).sqrt();
        self.calibration.gives_names().then(|| self.decision(distance, acceptance))
    }

    fn claim(&self, probe: &DMatrix<f32>, person: usize, acceptance: Acceptance) -> Option<PairDecision> {
        if !self.calibration.gives_names() {
            return None;
        }
        let clusters = self.matcher.clusters();
        let nearest = clusters.rank(probe.as_slice(), 1);
        let own = clusters.of_person(person, probe.as_slice())?;
        let decision = self.decision(own.distance(), acceptance);
        Some(PairDecision { passes: decision.passes && nearest.first()?.person == person, ..decision })
    }

    fn explain(&self, gallery: &Gallery, _: Option<&DMatrix<f32>>, face: &FaceMatrix) -> Result<Explanation> {
        let coordinates = self.describe(face);
        let ranked = self.matcher.clusters().rank(coordinates.as_slice(), 2);
        let nearest = ranked.iter().map(|found| self.evidence_for(gallery, found, face));
        Ok(Explanation { nearest: nearest.collect::<Result<_>>()?, evidence_map: None })
    }
}

/// The confidence beyond which a name is given; `None` where none ever is.
pub(super) fn threshold(calibration: &DistanceCalibration, acceptance: Acceptance) -> Option<f64> {
    let gives = calibration.gives_names() || matches!(acceptance, Acceptance::Confidence(_));
    gives.then(|| calibration.threshold(acceptance))
}

/// A ranking from people at these distances, nearest first.
pub(crate) fn rank_neighbors(
    neighbors: &[Neighbor],
    calibration: &DistanceCalibration,
    top: usize,
    acceptance: Acceptance,
) -> Ranking {
    let confidence = |found: &Neighbor| calibration.confidence(found.distance());
    let scored = |found: &Neighbor| Candidate {
        person: found.person,
        distance: found.distance(),
        confidence: confidence(found),
    };
    let first = neighbors.first();
    Ranking {
        people: neighbors.iter().take(top).map(scored).collect(),
        confidence: first.map_or(0.0, confidence),
        somebody_else: None,
        accepted: first.is_some_and(|first| calibration.is_known(first.distance(), acceptance)),
    }
}
