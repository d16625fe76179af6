//! Identifying people who are enrolled elsewhere: in a gallery that another machine keeps and ranks.

use nalgebra::DMatrix;

use super::identification::Identification;
use super::identifier::{Identifier, Looks};
use crate::compare::Ranking;
use crate::dataset::Person;
use crate::face_matrix::FaceMatrix;

impl Identifier {
    /// Identifies each prepared face (d x n, with its coordinates, m x n), given the ranking of a gallery elsewhere for each, of
    /// people by their positions among these names.
    ///
    /// The same as [`Identifier::identify_faces`] says where the gallery is this one's own.
    pub fn identify_ranked(
        &self,
        faces: &FaceMatrix,
        coordinates: &DMatrix<f32>,
        ranked: Vec<(Ranking, Vec<Person>)>,
    ) -> Vec<Identification> {
        let looks = self.looks(faces, coordinates);
        let identify = |((ranking, names), looks): ((Ranking, Vec<Person>), Looks)| {
            self.judge(ranking, |person| names[person].clone(), looks)
        };
        ranked.into_iter().zip(looks).map(identify).collect()
    }
}
