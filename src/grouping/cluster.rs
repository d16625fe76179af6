//! A group of faces as the background model sees it: what it takes to score it against another one.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, RwLock};

use crate::background::likelihood::{Ratio, Standard};
use crate::background::{Adaptation, Channel, inner_product, inner_products};

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
        if let Ok(all) = self.quadratic.read()
            && let Some(found) = all.get(&photos)
        {
            return Arc::clone(found);
        }
        let new: Arc<[f32]> =
            ratios.iter().flat_map(|ratio| ratio.quadratic.iter().map(|&value| value as f32)).collect();
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
    pub fn of_face(model: &Model, face: usize, coordinates: &[f64]) -> Self {
        let mean: Vec<f32> = coordinates.iter().map(|&x| x as f32).collect();
        Self::new(model, vec![face], mean, coordinates.iter().map(|&x| (x * x) as f32).collect())
    }

    pub fn join(&self, other: &Self, model: &Model) -> Self {
        let (one, two) = (self.faces.len() as f64, other.faces.len() as f64);
        let mean = |a: &[f32], b: &[f32]| -> Vec<f32> {
            a.iter().zip(b).map(|(&a, &b)| ((one * f64::from(a) + two * f64::from(b)) / (one + two)) as f32).collect()
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
            let own: Vec<f64> = mean[channel * k..][..k].iter().map(|&value| f64::from(value)).collect();
            Ratio::new(&model.between[channel], &own, faces.len() as f64)
        });
        let (expected, spread) = Standard::of(&ratios).moments();
        let quadratic = model.quadratic(faces.len(), &ratios);
        let linear = ratios.iter().flat_map(|ratio| ratio.linear.iter().map(|value| (value / spread) as f32)).collect();
        let constant = (ratios[0].constant + ratios[1].constant - expected) / spread;
        let own_square = inner_product(&quadratic, &square);
        Self { faces, mean, square, quadratic, linear, constant, share: 1.0 / spread, own_square }
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

    /// As [`score`](Self::score), of two single faces, from the product of the linear part of this one with the other's
    /// coordinates: their log-likelihood ratio is one number, and so is one inner product enough.
    fn score_of_faces(&self, other: &Self, product: f64) -> f64 {
        let ratio = product / self.share;
        let against = |person: &Self, photo: &Self| person.share * (photo.own_square + ratio) + person.constant;
        (against(self, other) + against(other, self)) / 2.0
    }
}

/// Scores each of the single faces `ones` with all later ones, in ascending order; `hear` is told both and the score.
pub(super) fn score_pairs(faces: &[Cluster], ones: Range<usize>, mut hear: impl FnMut(usize, usize, f64)) {
    /// Faces scored together: as many products as the registers of AVX2 hold.
    const ROWS: usize = 2;
    const COLUMNS: usize = 3;
    // Beyond the last face it is taken again, and not told.
    let face = |at: usize| &faces[at.min(faces.len() - 1)];
    for other in (ones.start + 1..faces.len()).step_by(COLUMNS) {
        let means = std::array::from_fn::<_, COLUMNS, _>(|c| face(other + c).mean.as_slice());
        for one in ones.clone().step_by(ROWS) {
            let linear = std::array::from_fn::<_, ROWS, _>(|r| face(one + r).linear.as_slice());
            let products = inner_products(linear, means);
            for (one, products) in (one..ones.end).zip(products) {
                for (other, product) in (other..faces.len()).zip(products) {
                    if one < other {
                        hear(one, other, faces[one].score_of_faces(&faces[other], product));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::background::Background;

    #[test]
    fn scores_of_pairs_are_those_of_groups_of_one() {
        let background = Background::bundled().unwrap();
        let model = Model::new(&Adaptation::none(background));
        let face = |seed: usize| {
            let coordinates: Vec<f64> =
                (0..2 * background.components()).map(|at| ((at * 31 + seed * 17) % 23) as f64 / 9.0 - 1.2).collect();
            Cluster::of_face(&model, seed, &coordinates)
        };
        let faces: Vec<Cluster> = (0..9).map(face).collect();
        let mut told = Vec::new();
        for ones in [0..5, 5..9] {
            score_pairs(&faces, ones, |one, other, score| {
                let (a, b) = (&faces[one], &faces[other]);
                assert!((a.score(b) - score).abs() < 1e-3);
                assert!((a.score(b) - b.score(a)).abs() < 1e-12);
                told.push((one, other));
            });
        }
        told.sort_unstable();
        let all = (0..9).flat_map(|one| (one + 1..9).map(move |other| (one, other)));
        assert!(told.into_iter().eq(all));
        let both = faces[1].join(&faces[2], &model);
        assert_eq!(both.faces, [1, 2]);
        assert!(both.score(&faces[1]).is_finite());
    }
}
