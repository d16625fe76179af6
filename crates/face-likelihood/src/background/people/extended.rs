//! Extended vectors: a score as one inner product, which any index of vectors can serve.
//!
//! A score is quadratic in the probe x, and its quadratic part depends on the person only by their number of photos n and
//! the spread of strangers' scores: s = <linear, x> + share q_n(x) + constant, with q_n(x) = Σ quadratic_i x_i². So it is the
//! inner product of the extended person [linear, constant, share in the place of n] and the extended probe
//! [x, 1, q_n(x) of each n]. A last coordinate, where the probe is 0, gives all people one norm: then the nearest by
//! Euclidean distance are those of the largest inner product (Bachrach et al. 2014), which is what graphs of near points find.

use super::{People, ScoreLine, inner_product, numbers};

/// Coordinates behind those that count, where the probe is 0: what single precision leaves of the constant and of the share, two
/// each, so that both can be had to the last bit; and what makes all norms one.
const REST: usize = 5;

/// A probe to be compared with extended people.
#[derive(Debug, Clone)]
pub struct ExtendedProbe {
    /// The extended vector.
    pub vector: Vec<f32>,
    /// q_n of the probe, for each n in order.
    squares: Vec<f64>,
    /// What its light makes of its scores.
    line: ScoreLine,
}

impl People {
    /// Number of coordinates of an extended vector.
    #[doc(hidden)]
    pub fn extended_dimensions(&self) -> usize {
        self.linear.nrows() + 1 + self.quadratic.len() + REST
    }

    /// The extended vectors of all people with photos, of one norm.
    #[doc(hidden)]
    pub fn all_extended(&self) -> Vec<(usize, Vec<f32>)> {
        let of_person = |person: usize| Some((person, self.extended(person)?));
        let mut all: Vec<_> = (0..self.photos.len()).filter_map(of_person).collect();
        let square = |vector: &[f32]| -> f64 { vector.iter().map(|&value| f64::from(value).powi(2)).sum() };
        let largest = all.iter().map(|(_, vector)| square(vector)).fold(0.0, f64::max);
        for (_, vector) in &mut all {
            let missing = largest - square(vector);
            if let Some(last) = vector.last_mut() {
                *last = missing.max(0.0).sqrt() as f32;
            }
        }
        all
    }

    /// The extended vector of a person, without its last coordinate; `None` of one without photos.
    fn extended(&self, person: usize) -> Option<Vec<f32>> {
        let photos = self.photos.get(person)?;
        let place = self.quadratic.keys().position(|count| count == photos)?;
        let (constant, share) = self.constant[person];
        let ([constant, constant_rest @ ..], [share, share_rest @ ..]) = (parts(constant), parts(share));
        let mut vector = self.linear.column(person).as_slice().to_vec();
        vector.push(constant);
        vector.extend((0..self.quadratic.len()).map(|at| if at == place { share } else { 0.0 }));
        vector.extend(constant_rest.into_iter().chain(share_rest).chain([0.0]));
        Some(vector)
    }

    /// Extended probes of photos (raw coordinates, 2k x p).
    #[doc(hidden)]
    pub fn extended_probes(&self, raw: &nalgebra::DMatrix<f32>) -> Vec<ExtendedProbe> {
        let projected = self.projected(raw);
        let probe = |(photo, &hard_light): (Vec<f64>, &f64)| {
            let squares: Vec<f64> = self.squares(&photo).map(|(_, square)| square).collect();
            let mut vector: Vec<f32> = photo.iter().map(|&value| value as f32).collect();
            vector.push(1.0);
            vector.extend(squares.iter().map(|&square| square as f32));
            vector.extend([0.0; REST]);
            ExtendedProbe { vector, squares, line: self.in_hard_light.at(hard_light) }
        };
        let photos = projected.coordinates.column_iter().map(|photo| numbers(photo.iter()));
        photos.zip(&projected.hard_light).map(probe).collect()
    }
}

impl ExtendedProbe {
    /// The score against an extended person, to the last bit that of [`People::with_scores`]; `None` of a vector that is none.
    pub fn score(&self, person: &[f32]) -> Option<f64> {
        let rows = self.vector.len().checked_sub(1 + self.squares.len() + REST)?;
        if person.len() != self.vector.len() {
            return None;
        }
        let (linear, rest) = person.split_at(rows);
        let (constant, rest) = rest.split_first()?;
        let (shares, rest) = rest.split_at(self.squares.len());
        let place = shares.iter().position(|&share| share != 0.0)?;
        let whole = |first: f32, rest: &[f32]| rest.iter().fold(f64::from(first), |sum, &part| sum + f64::from(part));
        let constant = whole(*constant, &rest[..2]);
        let share = whole(shares[place], &rest[2..4]);
        let linear = inner_product(linear, &self.vector[..rows]);
        let score = self.squares[place] * share + constant + linear;
        Some(self.line.apply(score))
    }
}

/// A number as three in single precision, whose sum it is: 3 x 24 bits hold its 53.
fn parts(number: f64) -> [f32; 3] {
    let first = number as f32;
    let rest = number - f64::from(first);
    let second = rest as f32;
    [first, second, (rest - f64::from(second)) as f32]
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::background::{Adaptation, Background};
    use symmetric_eigen::Noise;

    #[test]
    fn extended_people_have_the_same_scores() {
        let background = Background::bundled().unwrap();
        let rows = 2 * background.components();
        let mut noise = Noise::seeded(3);
        let raw = DMatrix::from_fn(rows, 9, |_, _| noise.normal() as f32);
        let (photos, persons) = ([0, 1, 2, 3, 4, 5], [0, 0, 2, 2, 2, 3]);
        let adaptation = Adaptation::learn(background, &raw, &photos, &persons);
        let people = People::enroll(adaptation, &raw, &photos, &persons, 4);
        let scores = people.with_scores(&raw, |_, scores| scores);
        let probes = people.extended_probes(&raw);
        let vectors = people.all_extended();
        assert_eq!(vectors.len(), 3);
        let squared = |vector: &[f32]| -> f64 { vector.iter().map(|&it| f64::from(it).powi(2)).sum() };
        let norm = squared(&vectors[0].1).sqrt();
        for (probe, scores) in probes.iter().zip(&scores) {
            for (person, vector) in &vectors {
                let score = scores[*person];
                assert_eq!(vector.len(), people.extended_dimensions());
                assert_eq!(probe.score(vector).unwrap().to_bits(), score.to_bits());
                assert!((squared(vector).sqrt() / norm - 1.0).abs() < 1e-6);
                let product: f64 = vector.iter().zip(&probe.vector).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                assert!((product - score).abs() < 1e-3, "{product} {score}");
            }
        }
        assert_eq!(probes[0].score(&[0.0; 3]), None);
        assert_eq!(probes[0].score(&vec![0.0; people.extended_dimensions()]), None);
    }
}
