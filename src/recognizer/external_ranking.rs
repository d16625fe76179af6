//! Identifying people who are enrolled elsewhere: in a gallery that another machine keeps and ranks.

use rayon::prelude::*;

use super::evidence;
use super::identification::{Candidate, Identification, QueryOptions};
use super::identifier::{Identifier, decide};
use crate::dataset::Person;
use crate::decision::{Calibration, Decision};
use crate::face_matrix::FaceMatrix;
use crate::faceness::FacenessTest;
use crate::gallery::Match;

/// A person enrolled elsewhere, and how far from a probe.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedPerson {
    /// The person.
    pub person: Person,
    /// Squared distance by the cluster rule, as [`Match::squared_distance`] has it.
    pub squared_distance: f64,
}

impl Identifier {
    /// Identifies each prepared face (d x n), given who of a gallery elsewhere is nearest to each (n rankings, nearest
    /// first, at least two people where there are two) and how the distances of that gallery become decisions. The
    /// person of a [`Decision::Known`] is then 0: the first of the candidates.
    ///
    /// The same as [`Identifier::identify_faces`] says where the gallery is this one's own.
    pub fn identify_ranked(
        &self,
        faces: &FaceMatrix,
        ranked: &[Vec<RankedPerson>],
        calibration: &Calibration,
        options: QueryOptions,
    ) -> Vec<Identification> {
        let weights = self.space().project(faces);
        let test = FacenessTest::new(self.space());
        let identify = |(at, ranked): (usize, &Vec<RankedPerson>)| {
            let (face, weights) = (faces.face(at), weights.column(at));
            let face_score = test.face_score(face, weights.as_slice());
            let (decision, candidates) = self.judge_near(ranked, face_score, calibration, options);
            Identification {
                decision,
                candidates,
                somebody_else: None,
                residual: self.space().residual(face, weights.as_slice()),
                face_score,
                location: None,
            }
        };
        ranked.par_iter().enumerate().map(identify).collect()
    }

    fn judge_near(
        &self,
        near: &[RankedPerson],
        face_score: f64,
        calibration: &Calibration,
        options: QueryOptions,
    ) -> (Decision, Vec<Candidate>) {
        let matches = near.iter().enumerate().map(|(person, near)| Match {
            person,
            squared_distance: near.squared_distance,
        });
        let matches: Vec<Match> = matches.collect();
        let measure = self.settings().metric.measure;
        let candidate = |(at, near): (usize, &RankedPerson)| Candidate {
            person: near.person.clone(),
            distance: matches[at].distance(),
            confidence: evidence(&matches, at, measure)
                .map_or(0.0, |evidence| calibration.confidence(evidence)),
        };
        let candidates = near.iter().enumerate().take(options.top);
        let decision = decide(&matches, face_score, measure, calibration, options);
        (decision, candidates.map(candidate).collect())
    }
}
