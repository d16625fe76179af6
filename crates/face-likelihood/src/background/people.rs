//! The people of a gallery as the background model sees them: for each a likelihood ratio.

mod expected;
mod extended;
mod parts;

pub use extended::ExtendedProbe;
pub use parts::PeopleParts;

use std::borrow::Cow;
use std::collections::BTreeMap;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::adaptation::{Adaptation, ChannelAdaptation, Projected, Rotated, domain_mean, groups};
use super::calibration::Calibration;
use super::light::ScoreLine;
use super::likelihood::{Ratio, Standard};
use super::two_covariance::means;
use vectorised::products_in_lanes;

/// People projected at a time: bounds memory.
const CHUNK: usize = 1_024;

/// Everything that scores a photo against everybody enrolled.
///
/// A score is the log-likelihood ratio of both channels together, standardised: in spreads above the mean that the model expects of
/// a stranger's score against the same person. So scores against people with few and with many photos mean the same.
#[derive(Debug, Clone)]
pub struct People {
    adaptation: Adaptation,
    /// Mean of the domain, of each channel (k).
    means: [Vec<f64>; 2],
    /// Number of photos of each person; 0 for those who have none and are never ranked.
    photos: Vec<usize>,
    /// 2k x N: the linear part of each person's ratio over the spread of strangers' scores.
    linear: DMatrix<f32>,
    /// The constant part less the mean of strangers' scores, and 1, over that spread.
    constant: Vec<(f64, f64)>,
    /// The quadratic part of ratios, 2k, by the number of photos.
    quadratic: BTreeMap<usize, Vec<f64>>,
    /// The standardised score expected of another photo of each person.
    genuine: Vec<f64>,
    /// What scores of photos in hard light are levelled by.
    in_hard_light: ScoreLine,
}

#[derive(Clone, Copy)]
struct Coordinates<'a> {
    /// Of photos, 2k x n.
    raw: &'a DMatrix<f32>,
    /// The same rotated into adapted directions, where that has been done already.
    rotated: Option<&'a Rotated>,
}

impl Coordinates<'_> {
    /// The mean of each person's photos about the channel's mean, normalised, in adapted directions: k x people.
    fn person_means(self, channel: usize, adapted: &ChannelAdaptation, own: &[&[usize]], mean: &[f64]) -> DMatrix<f64> {
        let (photos, counts) = (own.concat(), own.iter().map(|photos| photos.len()).collect::<Vec<_>>());
        let row = channel * adapted.prior.len();
        match self.rotated {
            Some(rotated) => {
                means(&adapted.project_rotated(&rotated.channels[channel], self.raw, row, &photos, mean), &counts)
            }
            // The mean of what is rotated is the rotated mean: so many fewer columns to rotate.
            None => adapted.rotated(means(&adapted.normalised(self.raw, row, &photos, mean), &counts)),
        }
    }
}

impl People {
    /// Enrols people, in adapted coordinates. `raw` are the coordinates of all photos (2k x n); `photos` those that are
    /// enrolled and `persons` the person of each, below `people`.
    pub fn enroll(
        adaptation: Adaptation,
        raw: &DMatrix<f32>,
        photos: &[usize],
        persons: &[usize],
        people: usize,
    ) -> Self {
        Self::enroll_rotated(adaptation, None, raw, photos, persons, people)
    }

    /// As [`enroll`](Self::enroll), where the photos may have been rotated by [`Adaptation::rotated`] already: for many
    /// galleries that differ by few photos, with one adaptation.
    pub fn enroll_rotated(
        adaptation: Adaptation,
        rotated: Option<&Rotated>,
        raw: &DMatrix<f32>,
        photos: &[usize],
        persons: &[usize],
        people: usize,
    ) -> Self {
        let k = adaptation.channels[0].prior.len();
        let own = groups(photos, persons);
        let means = [0, 1].map(|at| domain_mean(raw, at * k, k, &own));
        let (relit, _) = adaptation.in_even_light(raw, photos, &means, rotated);
        let all = Coordinates { raw: &relit, rotated: rotated.filter(|_| matches!(relit, Cow::Borrowed(_))) };
        let mut of_person = vec![Vec::new(); people];
        for (&photo, &person) in photos.iter().zip(persons) {
            of_person[person].push(photo);
        }
        let counts: Vec<usize> = of_person.iter().map(Vec::len).collect();
        let mut enrolled = Self {
            means,
            quadratic: adaptation.quadratic(&counts),
            photos: counts,
            linear: DMatrix::zeros(2 * k, people),
            constant: vec![(0.0, 0.0); people],
            genuine: vec![0.0; people],
            in_hard_light: ScoreLine::default(),
            adaptation,
        };
        let everybody: Vec<usize> = (0..people).filter(|&at| !of_person[at].is_empty()).collect();
        for some in everybody.chunks(CHUNK) {
            let own: Vec<&[usize]> = some.iter().map(|&at| of_person[at].as_slice()).collect();
            let centres = [0, 1].map(|channel| {
                let adapted = &enrolled.adaptation.channels[channel];
                all.person_means(channel, adapted, &own, &enrolled.means[channel])
            });
            let ratios = |at: usize| {
                let photos = own[at].len() as f64;
                enrolled.adaptation.ratios(|channel| numbers(centres[channel].column(at).iter()), photos)
            };
            let ratios: Vec<[Ratio; 2]> = (0..some.len()).into_par_iter().map(ratios).collect();
            for (&person, ratios) in some.iter().zip(&ratios) {
                enrolled.put(person, ratios);
            }
        }
        enrolled
    }

    /// With scores of photos in hard light brought to the scale of even light, which this calibration knows.
    pub fn allowing_for_light(self, calibration: &Calibration) -> Self {
        Self { in_hard_light: ScoreLine::of(calibration), ..self }
    }

    fn put(&mut self, person: usize, ratios: &[Ratio; 2]) {
        let standard = Standard::of(ratios);
        let (mean, spread) = standard.moments();
        let constant = ratios[0].constant + ratios[1].constant;
        let linear = ratios.iter().flat_map(|ratio| &ratio.linear);
        for (to, value) in self.linear.column_mut(person).iter_mut().zip(linear) {
            *to = (value / spread) as f32;
        }
        self.constant[person] = ((constant - mean) / spread, 1.0 / spread);
        self.genuine[person] = standard.genuine;
    }

    /// Photos (raw coordinates, 2k x n) in adapted coordinates of both channels, without hard light: 2k x n.
    pub fn coordinates(&self, raw: &DMatrix<f32>) -> DMatrix<f64> {
        self.projected(raw).coordinates
    }

    /// The same, and who is lit hard.
    fn projected(&self, raw: &DMatrix<f32>) -> Projected {
        self.adaptation.projected_about(raw, &self.means)
    }

    /// Standardised scores of photos (raw coordinates, 2k x n) against each of the N people, in order, those of photos in
    /// hard light as [`allowing_for_light`](Self::allowing_for_light) says; negative infinity for people without photos.
    /// `use_scores` hears the position and the scores of each photo.
    pub fn with_scores<R: Send>(&self, raw: &DMatrix<f32>, use_scores: impl Fn(usize, Vec<f64>) -> R + Sync) -> Vec<R> {
        let projected = self.projected(raw);
        let photos: Vec<Vec<f64>> = projected.coordinates.column_iter().map(|c| numbers(c.iter())).collect();
        let scored = |(at, photo): (usize, &Vec<f64>)| {
            let line = self.in_hard_light.at(projected.hard_light[at]);
            use_scores(at, self.scores_of(photo, line))
        };
        photos.par_iter().enumerate().map(scored).collect()
    }

    /// The numbers of photos that people have, and the quadratic part of a photo's ratio against whoever has so many.
    fn squares(&self, photo: &[f64]) -> impl Iterator<Item = (usize, f64)> {
        self.quadratic
            .iter()
            .map(move |(&photos, curve)| (photos, curve.iter().zip(photo).map(|(curve, x)| curve * x * x).sum()))
    }

    fn scores_of(&self, photo: &[f64], line: ScoreLine) -> Vec<f64> {
        let single: Vec<f32> = photo.iter().map(|&value| value as f32).collect();
        let squares: BTreeMap<usize, f64> = self.squares(photo).collect();
        let score = |person: usize| {
            let Some(square) = squares.get(&self.photos[person]) else { return f64::NEG_INFINITY };
            let rows = self.linear.nrows();
            let linear = &self.linear.as_slice()[person * rows..][..rows];
            let (constant, share) = self.constant[person];
            line.apply(square * share + constant + inner_product(linear, &single))
        };
        let people = self.photos.len();
        (0..people).into_par_iter().with_min_len(512).map(score).collect()
    }

    /// The scores of pairs of photos (columns of `raw`, 2k x n), none enrolled, as of one person: the mean of the scores of
    /// either against the other, so that their order does not matter.
    pub fn pair_scores(&self, raw: &DMatrix<f32>, pairs: &[[usize; 2]]) -> Vec<f64> {
        let projected = self.coordinates(raw);
        let k = projected.nrows() / 2;
        let of_photo = |photo: usize| {
            let column = projected.column(photo);
            let ratios = self.adaptation.ratios(|channel| numbers(column.rows(channel * k, k).iter()), 1.0);
            (Standard::of(&ratios), ratios)
        };
        let enrolled: Vec<_> = (0..raw.ncols()).into_par_iter().map(of_photo).collect();
        let against = |photo: usize, probe: usize| {
            let (standard, ratios) = &enrolled[photo];
            standard.score(ratios, projected.column(probe).as_slice())
        };
        let of_pair = |&[first, second]: &[usize; 2]| (against(first, second) + against(second, first)) / 2.0;
        pairs.par_iter().map(of_pair).collect()
    }

    /// By how much each raw coordinate of a channel, of the first photo of `raw`, moves the score of one person above that
    /// of another (k): the difference of the linear parts, as the two have it.
    pub(super) fn evidence_slope(&self, channel: usize, raw: &DMatrix<f32>, [first, second]: [usize; 2]) -> Vec<f64> {
        let adaptation = &self.adaptation.channels[channel];
        let k = adaptation.prior.len();
        let linear = |person: usize| self.linear.view((channel * k, person), (k, 1)).map(f64::from);
        let mut difference = linear(first) - linear(second);
        if let Some(rotation) = &adaptation.rotation {
            difference = rotation.map(f64::from) * difference;
        }
        let (relit, hard_light) = self.adaptation.in_even_light(raw, &[0], &self.means, None);
        let factor = adaptation.length_factor(&relit, channel * k, 0, &self.means[channel]);
        let mut slope: Vec<f64> = difference.iter().map(|value| value * factor).collect();
        self.adaptation.slope_in_even_light(channel, &mut slope, hard_light[0]);
        slope
    }

    /// Number of photos of each person.
    pub fn photos(&self) -> &[usize] {
        &self.photos
    }

    /// The numbers of photos that people have, increasing.
    pub fn photo_counts(&self) -> impl Iterator<Item = usize> {
        self.quadratic.keys().copied()
    }

    /// The background as it was adapted.
    pub fn adaptation(&self) -> &Adaptation {
        &self.adaptation
    }

    /// The score that the model expects of two photos of one person, neither enrolled: where a photo's coordinates have
    /// the squares that the model expects of anybody's.
    pub(super) fn expected_pair(&self) -> f64 {
        let channel = |at: usize| -> Vec<f64> {
            let between = &self.adaptation.channels[at].between;
            between.iter().map(|psi| (1.0 + psi).sqrt()).collect()
        };
        Standard::of(&self.adaptation.ratios(channel, 1.0)).genuine
    }

    /// Mean over people of the score that the model expects of another photo of them.
    pub(super) fn expected_genuine(&self) -> f64 {
        let enrolled = self.photos.iter().zip(&self.genuine).filter(|(photos, _)| **photos > 0);
        let (count, sum) = enrolled.fold((0.0, 0.0), |(count, sum), (_, genuine)| (count + 1.0, sum + genuine));
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// The score of one enrolled photo against its person's other photos, and what the model expects of it; `None`
    /// where there is no other. `projected` are the person's photos in adapted [`coordinates`](Self::coordinates).
    pub(super) fn left_out(&self, projected: &DMatrix<f64>, photo: usize, others: &[usize]) -> Option<(f64, f64)> {
        if others.is_empty() {
            return None;
        }
        let k = projected.nrows() / 2;
        let count = others.len() as f64;
        let mean = |channel: usize| {
            let mut sum = nalgebra::DVector::zeros(k);
            for &other in others {
                sum += projected.view((channel * k, other), (k, 1));
            }
            sum / count
        };
        let means = [mean(0), mean(1)];
        let ratios = self.adaptation.ratios(|channel| numbers(&means[channel]), count);
        let standard = Standard::of(&ratios);
        Some((standard.score(&ratios, projected.column(photo).as_slice()), standard.genuine))
    }
}

impl Adaptation {
    /// The ratios of a person whose photos have these means (k, of each channel).
    fn ratios(&self, mean: impl Fn(usize) -> Vec<f64>, photos: f64) -> [Ratio; 2] {
        [0, 1].map(|channel| Ratio::new(&self.channels[channel].between, &mean(channel), photos))
    }
}

fn numbers<'a>(column: impl IntoIterator<Item = &'a f64>) -> Vec<f64> {
    column.into_iter().copied().collect()
}

/// [`inner_product`] of each row with each column, all of one length.
pub fn inner_products(rows: [&[f32]; 2], columns: [&[f32]; 3]) -> [[f64; 3]; 2] {
    products_in_lanes(rows, columns)
}

/// Σ a b in sixteen sums side by side: the same bits on any machine.
pub fn inner_product(a: &[f32], b: &[f32]) -> f64 {
    let [[product]] = products_in_lanes([a], [b]);
    product
}
