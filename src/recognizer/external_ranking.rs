//! Identifying people who are enrolled elsewhere: in a gallery that another machine keeps and ranks.

use super::identification::{Identification, QueryOptions};
use super::identifier::{Identifier, Looks};
use crate::compare::rank_matches;
use crate::dataset::Person;
use crate::decision::Calibration;
use crate::face_matrix::FaceMatrix;
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
    /// person of a [`Known`](crate::decision::Decision::Known) is then 0: the first of the candidates.
    ///
    /// The same as [`Identifier::identify_faces`] says where the gallery is this one's own.
    pub fn identify_ranked(
        &self,
        faces: &FaceMatrix,
        ranked: &[Vec<RankedPerson>],
        calibration: &Calibration,
        options: QueryOptions,
    ) -> Vec<Identification> {
        let measure = self.settings().comparison.metric.measure;
        let identify = |(ranked, looks): (&Vec<RankedPerson>, Looks)| {
            let matches = ranked.iter().enumerate().map(|(person, near)| Match {
                person,
                squared_distance: near.squared_distance,
            });
            let matches: Vec<Match> = matches.collect();
            let (top, acceptance) = (options.top, options.acceptance);
            let ranking = rank_matches(&matches, measure, calibration, top, acceptance);
            self.judge(ranking, |person| ranked[person].person.clone(), looks)
        };
        ranked.iter().zip(self.looks(faces)).map(identify).collect()
    }
}
