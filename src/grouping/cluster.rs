//! A group of faces as the background model sees it: what it takes to score it against another one.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

use crate::background::likelihood::{Ratio, Standard};
use crate::background::{Adaptation, Channel, inner_product};

/// Variances between people, and what depends on the number of photos only.
pub(super) struct Model {
    between: [Vec<f64>; 2],
    /// The quadratic part of a ratio (2k), by the number of photos.
    quadratic: RwLock<BTreeMap<usize, Arc<[f32]>>>,
}

impl Model {
    pub fn new(adaptation: &Adaptation) -> Self {
        Self {
            between: Channel::ALL.map(|channel| adaptation.between_people(channel).to_vec()),
            quadratic: RwLock::default(),
        }
    }

    fn quadratic(&self, photos: usize, ratios: &[Ratio; 2]) -> Arc<[f32]> {
        let known = |all: &BTreeMap<usize, Arc<[f32]>>| all.get(&photos).cloned();
        if let Ok(all) = self.quadratic.read()
            && let Some(found) = known(&all)
        {
            return found;
        }
        let new: Arc<[f32]> = ratios
            .iter()
            .flat_map(|ratio| ratio.quadratic.iter().map(|&value| value as f32))
            .collect();
        if let Ok(mut all) = self.quadratic.write() {
            all.insert(photos, Arc::clone(&new));
        }
        new
    }
}

/// A group of faces. All vectors have 2k entries, the channels one below the other.
pub(super) struct Cluster {
    /// In no order.
    pub faces: Vec<usize>,
    /// Mean of the faces' coordinates, and of their squares.
    mean: Vec<f32>,
    square: Vec<f32>,
    /// The parts of the ratio of this group's person, over the spread of strangers' scores: for a photo x the score is
    /// `share Σ quadratic x² + Σ linear x + constant`.
    quadratic: Arc<[f32]>,
    linear: Vec<f32>,
    constant: f64,
    share: f64,
    /// `Σ quadratic square`, of a single face.
    own_square: f64,
}

impl Cluster {
    /// A face by itself.
    pub fn of_face(model: &Model, face: usize, coordinates: &[f64]) -> Self {
        let mean: Vec<f32> = coordinates.iter().map(|&x| x as f32).collect();
        let square = coordinates.iter().map(|&x| (x * x) as f32).collect();
        Self::new(model, vec![face], mean, square)
    }

    /// The faces of two groups.
    pub fn join(&self, other: &Self, model: &Model) -> Self {
        let (one, two) = (self.faces.len() as f64, other.faces.len() as f64);
        let mean = |a: &[f32], b: &[f32]| -> Vec<f32> {
            let terms = a.iter().zip(b);
            terms
                .map(|(&a, &b)| ((one * f64::from(a) + two * f64::from(b)) / (one + two)) as f32)
                .collect()
        };
        Self::new(
            model,
            [&self.faces[..], &other.faces[..]].concat(),
            mean(&self.mean, &other.mean),
            mean(&self.square, &other.square),
        )
    }

    fn new(model: &Model, faces: Vec<usize>, mean: Vec<f32>, square: Vec<f32>) -> Self {
        let k = mean.len() / 2;
        let ratios = [0, 1].map(|channel: usize| {
            let own: Vec<f64> = mean[channel * k..][..k]
                .iter()
                .map(|&value| f64::from(value))
                .collect();
            Ratio::new(&model.between[channel], &own, faces.len() as f64)
        });
        let (expected, spread) = Standard::of(&ratios).moments();
        let quadratic = model.quadratic(faces.len(), &ratios);
        let linear = ratios
            .iter()
            .flat_map(|ratio| ratio.linear.iter().map(|value| (value / spread) as f32))
            .collect();
        Self {
            own_square: inner_product(&quadratic, &square),
            constant: (ratios[0].constant + ratios[1].constant - expected) / spread,
            share: 1.0 / spread,
            faces,
            mean,
            square,
            quadratic,
            linear,
        }
    }

    /// The mean score of the photos of either group against the other's person.
    pub fn score(&self, other: &Self) -> f64 {
        (self.against(other) + other.against(self)) / 2.0
    }

    /// The mean score of another group's photos against this one's person.
    fn against(&self, photos: &Self) -> f64 {
        self.share * inner_product(&self.quadratic, &photos.square)
            + inner_product(&self.linear, &photos.mean)
            + self.constant
    }

    /// As [`score`](Self::score), of two single faces: their log-likelihood ratio is one number, and so is one inner
    /// product enough.
    pub fn score_of_faces(&self, other: &Self) -> f64 {
        let ratio = inner_product(&self.linear, &other.mean) / self.share;
        let against = |person: &Self, photo: &Self| {
            person.share * (photo.own_square + ratio) + person.constant
        };
        (against(self, other) + against(other, self)) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::background::Background;

    #[test]
    fn the_score_of_faces_is_that_of_groups_of_one() {
        let background = Background::bundled().unwrap();
        let model = Model::new(&Adaptation::none(background));
        let face = |seed: usize| {
            let coordinates: Vec<f64> = (0..2 * background.components())
                .map(|at| ((at * 31 + seed * 17) % 23) as f64 / 9.0 - 1.2)
                .collect();
            Cluster::of_face(&model, seed, &coordinates)
        };
        let (a, b) = (face(1), face(2));
        assert!((a.score(&b) - a.score_of_faces(&b)).abs() < 1e-3);
        assert!((a.score(&b) - b.score(&a)).abs() < 1e-12);
        let both = a.join(&b, &model);
        assert_eq!(both.faces, [1, 2]);
        assert!(both.score(&a).is_finite());
    }
}
