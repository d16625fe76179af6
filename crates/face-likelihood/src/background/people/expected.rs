//! Scores that the model expects in a gallery whose own people make up the mean of its domain.
//!
//! Coordinates are taken about the domain's mean m, which contains the N people enrolled. With few people that moves
//! every score: a stranger's photo y becomes y - m, which points away from everybody, and another photo of an enrolled
//! person loses what m has of that person. Both follow from the model, coordinate by coordinate. With a person's mean a
//! of n photos (their lengths normalised by the factor f), κ = nψ / (nψ + 1) and v = ψ / (nψ + 1) + 1, a stranger's
//! photo is N(-m, 1 + ψ) and another photo of that person N(κ a / f - (1 - κ) m, v).

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::{People, numbers};

/// Standardised scores that the model expects, means over the people enrolled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::background) struct Expected {
    /// Of a stranger's photo: below 0 where people are few.
    pub stranger: f64,
    /// Of another photo of an enrolled person.
    pub genuine: f64,
}

/// Mean and variance of a coordinate.
type Moments = (f64, f64);

impl People {
    /// The scores expected, where `raw` are the coordinates of the photos enrolled (2k x n) and `own` the photos of each person.
    pub(in crate::background) fn expected(&self, raw: &DMatrix<f32>, own: &[Vec<usize>]) -> Expected {
        let means = [0, 1].map(|at| {
            let mean = DMatrix::from_column_slice(self.means[at].len(), 1, &self.means[at]);
            numbers(self.adaptation.channels[at].rotated(mean).iter())
        });
        let of_person = |(person, photos): (usize, &Vec<usize>)| {
            let (constant, share) = self.constant[person];
            let mut scores = [constant; 2];
            for (channel, mean) in means.iter().enumerate() {
                let factor = self.mean_length_factor(raw, channel, photos);
                let (stranger, genuine) = self.moments(person, channel, mean, factor);
                for (score, moments) in scores.iter_mut().zip([stranger, genuine]) {
                    *score += self.expected_part(person, channel, share, &moments);
                }
            }
            scores
        };
        let scores: Vec<[f64; 2]> = own.par_iter().enumerate().map(of_person).collect();
        let mean = |at: usize| {
            let sum: f64 = scores.iter().map(|scores| scores[at]).sum();
            sum / scores.len().max(1) as f64
        };
        Expected { stranger: mean(0), genuine: mean(1) }
    }

    /// The mean factor by which the lengths of a person's photos were normalised in a channel.
    fn mean_length_factor(&self, raw: &DMatrix<f32>, channel: usize, photos: &[usize]) -> f64 {
        let (adaptation, mean) = (&self.adaptation.channels[channel], &self.means[channel]);
        let row = channel * mean.len();
        let factors = photos.iter().map(|&photo| adaptation.length_factor(raw, row, photo, mean));
        factors.sum::<f64>() / photos.len().max(1) as f64
    }

    /// The moments of a stranger's photo, and of another photo of a person, in a channel (k each); `mean` is the
    /// domain's, `factor` that of the lengths of the person's photos.
    fn moments(&self, person: usize, channel: usize, mean: &[f64], factor: f64) -> (Vec<Moments>, Vec<Moments>) {
        let between = &self.adaptation.channels[channel].between;
        let photos = self.photos[person] as f64;
        let spread = 1.0 / self.constant[person].1;
        let linear = self.linear_of(person, channel);
        let coordinate = |((&psi, &mean), &slope): ((&f64, &f64), &f32)| {
            let left = 1.0 / (photos * psi + 1.0);
            let variance = psi * left + 1.0;
            // The linear part of the ratio is κ a / v, over the spread of strangers' scores.
            let own = f64::from(slope) * spread * variance / factor;
            ((-mean, 1.0 + psi), (own - left * mean, variance))
        };
        between.iter().zip(mean).zip(linear).map(coordinate).unzip()
    }

    /// The part of a person's standardised score (whose unit is `share` of a log-likelihood) that is expected of a
    /// channel with these moments, brought to the length that the model expects.
    fn expected_part(&self, person: usize, channel: usize, share: f64, moments: &[Moments]) -> f64 {
        let k = moments.len();
        let between = &self.adaptation.channels[channel].between;
        let energy: f64 =
            moments.iter().zip(between).map(|((mean, variance), psi)| (mean * mean + variance) / (1.0 + psi)).sum();
        let factor = (k as f64 / energy).sqrt();
        let Some(quadratic) = self.quadratic.get(&self.photos[person]) else { return 0.0 };
        let curves = &quadratic[channel * k..][..k];
        let terms = moments.iter().zip(curves).zip(self.linear_of(person, channel));
        let term = |(((mean, variance), curve), &slope): ((&Moments, &f64), &f32)| {
            let square = factor * factor * (mean * mean + variance);
            share * curve * square + f64::from(slope) * factor * mean
        };
        terms.map(term).sum()
    }

    /// The linear part of a person's standardised score in a channel, k.
    fn linear_of(&self, person: usize, channel: usize) -> &[f32] {
        let rows = self.linear.nrows();
        &self.linear.as_slice()[person * rows + channel * rows / 2..][..rows / 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::background::{Adaptation, Background};
    use symmetric_eigen::Noise;

    /// Photos of people drawn from the model.
    struct Drawn<'a> {
        background: &'a Background,
        noise: Noise,
    }

    impl Drawn<'_> {
        /// Photos of one person, 2k x `photos`.
        fn person(&mut self, photos: usize) -> DMatrix<f32> {
            let channels = self.background.projections.each_ref();
            let between = channels.map(|channel| channel.between.clone()).concat();
            let mut drawn = DMatrix::zeros(between.len(), photos);
            for (mut row, psi) in drawn.row_iter_mut().zip(between) {
                let person = psi.sqrt() * self.noise.normal();
                row.iter_mut().for_each(|value| *value = (person + self.noise.normal()) as f32);
            }
            drawn
        }
    }

    /// Scores of photos drawn from the model have the means that are expected, however few the people.
    #[test]
    fn drawn_photos_have_the_scores_expected() {
        let background = Background::bundled().unwrap();
        let noise = Noise::seeded(7);
        let mut draw = Drawn { background, noise };
        for (people, photos) in [(1, 1), (1, 4), (2, 1), (3, 2), (8, 1)] {
            let (mut seen, mut expected) = ([0.0; 2], [0.0; 2]);
            let galleries = 48 / people;
            for _ in 0..galleries {
                // The last photo of each person is the probe.
                let drawn: Vec<_> = (0..people).map(|_| draw.person(photos + 1)).collect();
                let rows = drawn[0].nrows();
                let columns = |from: usize, count: usize| {
                    DMatrix::from_fn(rows, people * count, |row, column| {
                        drawn[column / count][(row, from + column % count)]
                    })
                };
                let (raw, probes) = (columns(0, photos), columns(photos, 1));
                let all: Vec<usize> = (0..raw.ncols()).collect();
                let persons: Vec<usize> = all.iter().map(|photo| photo / photos).collect();
                let own: Vec<Vec<usize>> = all.chunks(photos).map(<[usize]>::to_vec).collect();
                let adaptation = Adaptation::none(background);
                let gallery = People::enroll(adaptation, &raw, &all, &persons, people);
                let found = gallery.expected(&raw, &own);
                expected[0] += found.stranger / galleries as f64;
                expected[1] += found.genuine / galleries as f64;
                let strangers = draw.person(1);
                for scores in gallery.with_scores(&strangers, |_, scores| scores) {
                    seen[0] += scores.iter().sum::<f64>() / (people * galleries) as f64;
                }
                for (person, scores) in gallery.with_scores(&probes, |_, s| s).iter().enumerate() {
                    seen[1] += scores[person] / (people * galleries) as f64;
                }
            }
            for (seen, expected) in seen.iter().zip(expected) {
                // Scores of one photo are spread by about 1.
                assert!((seen - expected).abs() < 0.5, "{people} x {photos}: {seen} instead of {expected}");
            }
        }
    }
}
