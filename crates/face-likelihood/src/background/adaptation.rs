//! The background model moved by a gallery: its mean, then its covariance between photos of one person.

mod covariance;

use std::borrow::Cow;
use std::sync::Arc;

use nalgebra::DMatrix;
use rayon::prelude::*;

use self::covariance::{adapt, scatter};
use super::directions::whitened;
use super::light::LightVariation;
use super::likelihood::{length_factor, normalise};
use super::{Background, Channel};
use symmetric_eigen as eigen;

/// Photos projected at a time: bounds memory.
const CHUNK: usize = 4_096;

/// Coordinates in which photos of one person, of this gallery's kind, vary by 1 and people by ψ.
#[derive(Debug, Clone, PartialEq)]
pub struct Adaptation {
    /// In the order of [`Channel::ALL`](super::Channel::ALL).
    pub(super) channels: [ChannelAdaptation; 2],
    /// What hard light does, in the background's own directions.
    light: Arc<LightVariation>,
}

/// Photos in adapted coordinates of both channels.
pub struct Projected {
    /// About the domain's mean, without hard light, normalised: 2k x n.
    pub coordinates: DMatrix<f64>,
    /// The probability that each is lit hard.
    pub hard_light: Vec<f64>,
}

/// Photos in adapted directions, neither about a mean nor normalised: what
/// [`People::enroll_rotated`](super::People::enroll_rotated) takes.
pub struct Rotated {
    /// Of each channel, k x n.
    pub(super) channels: [DMatrix<f64>; 2],
    /// The light of each photo, of each channel.
    light: [Vec<Vec<f64>>; 2],
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ChannelAdaptation {
    /// ψ of the background, by which lengths are normalised.
    pub prior: Vec<f64>,
    /// ψ of the adapted coordinates, decreasing.
    pub between: Vec<f64>,
    /// Columns are the adapted directions, k x k; `None` where there was nothing to adapt to.
    pub rotation: Option<DMatrix<f32>>,
}

impl ChannelAdaptation {
    fn none(prior: &[f64]) -> Self {
        Self { prior: prior.to_vec(), between: prior.to_vec(), rotation: None }
    }

    /// Photos (raw coordinates, k rows from `row` on) about the domain's mean, normalised, in adapted directions.
    pub fn project(&self, raw: &DMatrix<f32>, row: usize, photos: &[usize], mean: &[f64]) -> DMatrix<f64> {
        self.rotated(self.normalised(raw, row, photos, mean))
    }

    /// As [`project`](Self::project), in the background's own directions.
    pub fn normalised(&self, raw: &DMatrix<f32>, row: usize, photos: &[usize], mean: &[f64]) -> DMatrix<f64> {
        let k = self.prior.len();
        let mut projected = DMatrix::zeros(k, photos.len());
        for (mut column, &photo) in projected.column_iter_mut().zip(photos) {
            let values = of_channel(raw, row, k, photo).iter().zip(mean);
            for (to, (&from, mean)) in column.as_mut_slice().iter_mut().zip(values) {
                *to = f64::from(from) - mean;
            }
            normalise(column.as_mut_slice(), &self.prior);
        }
        projected
    }

    /// Columns (k x n) in adapted directions.
    pub fn rotated(&self, columns: DMatrix<f64>) -> DMatrix<f64> {
        match &self.rotation {
            Some(rotation) => eigen::inner_product(eigen::view(&rotation.map(f64::from)), eigen::view(&columns)),
            None => columns,
        }
    }

    /// The factor by which the length of a photo (raw coordinates, k rows from `row` on) about the domain's mean is normalised.
    pub fn length_factor(&self, raw: &DMatrix<f32>, row: usize, photo: usize, mean: &[f64]) -> f64 {
        let values = of_channel(raw, row, self.prior.len(), photo).iter().zip(mean);
        length_factor(values.map(|(&x, mean)| f64::from(x) - mean), &self.prior)
    }

    /// As [`project`](Self::project), of raw coordinates that are `rotated` (k x n) already: they are moved and scaled.
    pub fn project_rotated(
        &self,
        rotated: &DMatrix<f64>,
        raw: &DMatrix<f32>,
        row: usize,
        photos: &[usize],
        mean: &[f64],
    ) -> DMatrix<f64> {
        let k = self.prior.len();
        let rotated_mean = self.rotated(DMatrix::from_column_slice(k, 1, mean));
        let mut projected = DMatrix::zeros(k, photos.len());
        for (mut column, &photo) in projected.column_iter_mut().zip(photos) {
            let factor = self.length_factor(raw, row, photo, mean);
            let values = rotated.column(photo);
            let values = values.as_slice().iter().zip(rotated_mean.as_slice());
            for (to, (from, mean)) in column.as_mut_slice().iter_mut().zip(values) {
                *to = factor * (from - mean);
            }
        }
        projected
    }
}

impl Adaptation {
    /// The background as it is.
    pub fn none(background: &Background) -> Self {
        let channels = background.projections.each_ref();
        Self {
            channels: channels.map(|projection| ChannelAdaptation::none(&projection.between)),
            light: background.light.clone(),
        }
    }

    /// Adapts to photos: `raw` are coordinates of all (2k x n), `photos` those to adapt to, `persons` their people.
    ///
    /// The covariance between photos of one person becomes `(ν I + S) / (ν + f)`, S the scatter about their mean, f its
    /// degrees of freedom, ν the background's weight: the mode of an inverse Wishart posterior. That between people stays.
    pub fn learn(background: &Background, raw: &DMatrix<f32>, photos: &[usize], persons: &[usize]) -> Self {
        let k = background.components();
        let groups = groups(photos, persons);
        let means = [0, 1].map(|at| domain_mean(raw, at * k, k, &groups));
        Self::learn_about(background, raw, &groups, &means)
    }

    /// Adapts to the photos of each person where the domain's means of both channels are known: see [`learn`](Self::learn).
    #[doc(hidden)]
    pub fn learn_about(
        background: &Background,
        raw: &DMatrix<f32>,
        groups: &[Vec<usize>],
        means: &[Vec<f64>; 2],
    ) -> Self {
        let k = background.components();
        let mut adapted = Self::none(background);
        let freedom: usize = groups.iter().map(|photos| photos.len() - 1).sum();
        if freedom == 0 {
            return adapted;
        }
        for (at, (channel, mean)) in adapted.channels.iter_mut().zip(means).enumerate() {
            let scatter = scatter(channel, raw, at * k, groups, mean);
            if let Some(learned) = adapt(&channel.prior, scatter, freedom as f64) {
                *channel = learned;
            }
        }
        adapted
    }

    /// ψ of the adapted coordinates of a channel, decreasing.
    pub fn between_people(&self, channel: Channel) -> &[f64] {
        &self.channels[channel as usize].between
    }
}

impl Adaptation {
    /// Photos (raw coordinates, 2k x n) about these means of the channels, in adapted coordinates.
    #[doc(hidden)]
    pub fn projected_about(&self, raw: &DMatrix<f32>, means: &[Vec<f64>; 2]) -> Projected {
        let photos: Vec<usize> = (0..raw.ncols()).collect();
        let k = self.channels[0].prior.len();
        let (raw, hard_light) = self.in_even_light(raw, &photos, means, None);
        let mut coordinates = DMatrix::zeros(2 * k, photos.len());
        for (at, (channel, mean)) in self.channels.iter().zip(means).enumerate() {
            coordinates.rows_mut(at * k, k).copy_from(&channel.project(&raw, at * k, &photos, mean));
        }
        Projected { coordinates, hard_light }
    }

    /// Raw coordinates (2k x n) in which the light expected of some of the photos is taken off, and the probability that
    /// each of these is lit hard; `rotated` holds all photos where that has been done already.
    pub(super) fn in_even_light<'a>(
        &self,
        raw: &'a DMatrix<f32>,
        photos: &[usize],
        means: &[Vec<f64>; 2],
        rotated: Option<&Rotated>,
    ) -> (Cow<'a, DMatrix<f32>>, Vec<f64>) {
        if self.light.is_unknown() {
            return (Cow::Borrowed(raw), vec![0.0; photos.len()]);
        }
        let k = self.channels[0].prior.len();
        let of_means = [0, 1].map(|at| self.light_along(at, means[at].iter().copied()));
        let factor = |at: usize, photo| self.channels[at].length_factor(raw, at * k, photo, &means[at]);
        let of_photo = |&photo: &usize| {
            let along = [0, 1].map(|at| {
                let of_photo = match rotated {
                    Some(rotated) => Cow::Borrowed(&rotated.light[at][photo]),
                    None => Cow::Owned(self.light_of(at, raw, photo)),
                };
                let factor = factor(at, photo);
                of_photo.iter().zip(&of_means[at]).map(|(x, mean)| factor * (x - mean)).collect()
            });
            (self.light.probability(&along), along)
        };
        let found: Vec<(f64, [Vec<f64>; 2])> = photos.par_iter().map(of_photo).collect();
        let mut relit = Cow::Borrowed(raw);
        for (&photo, (hard, along)) in photos.iter().zip(&found) {
            if *hard == 0.0 {
                continue;
            }
            for (at, along) in along.iter().enumerate() {
                let light = self.light.channels[at].expected(along, &self.channels[at].prior);
                let scale = hard / factor(at, photo);
                let mut column = relit.to_mut().view_mut((at * k, photo), (k, 1));
                for (value, light) in column.iter_mut().zip(light) {
                    *value -= (scale * light) as f32;
                }
            }
        }
        (relit, found.into_iter().map(|(hard, _)| hard).collect())
    }

    /// How taking off the light changes a slope along a channel's raw coordinates, of a photo this likely lit hard.
    pub(super) fn slope_in_even_light(&self, channel: usize, slope: &mut [f64], hard: f64) {
        let prior = &self.channels[channel].prior;
        let scaled = slope.iter().zip(prior).map(|(value, psi)| value * (1.0 + psi));
        let along = self.light_along(channel, scaled);
        let light = self.light.channels[channel].expected(&along, prior);
        for ((value, light), psi) in slope.iter_mut().zip(light).zip(prior) {
            *value -= hard * light / (1.0 + psi);
        }
    }

    fn light_along(&self, channel: usize, x: impl IntoIterator<Item = f64>) -> Vec<f64> {
        self.light.channels[channel].along(&whitened(x, &self.channels[channel].prior))
    }

    fn light_of(&self, channel: usize, raw: &DMatrix<f32>, photo: usize) -> Vec<f64> {
        let k = self.channels[0].prior.len();
        let values = of_channel(raw, channel * k, k, photo).iter();
        self.light_along(channel, values.map(|&value| f64::from(value)))
    }

    /// Photos (raw coordinates, 2k x n) in adapted directions.
    pub fn rotated(&self, raw: &DMatrix<f32>) -> Rotated {
        let k = self.channels[0].prior.len();
        let of_channel = |at: usize| raw.rows(at * k, k).map(f64::from);
        let photos = 0..raw.ncols();
        Rotated {
            channels: [0, 1].map(|at| self.channels[at].rotated(of_channel(at))),
            light: [0, 1].map(|at| photos.clone().into_par_iter().map(|photo| self.light_of(at, raw, photo)).collect()),
        }
    }

    /// Whether a gallery moved the covariance.
    pub fn is_adapted(&self) -> bool {
        self.channels.iter().any(|channel| channel.rotation.is_some())
    }

    /// What [`from_parts`](Self::from_parts) takes: a channel's k x k directions, by columns, k variances between people.
    pub fn to_parts(&self) -> (Vec<f32>, Vec<f64>) {
        let k = self.channels[0].prior.len();
        let identity = DMatrix::identity(k, k);
        let directions =
            self.channels.iter().flat_map(|channel| channel.rotation.as_ref().unwrap_or(&identity).iter().copied());
        let between = self.channels.iter().flat_map(|channel| &channel.between);
        (directions.collect(), between.copied().collect())
    }

    /// Puts stored parts together; `None` where they are not of the background's size, or hold values out of range.
    pub fn from_parts(background: &Background, directions: Vec<f32>, between: Vec<f64>) -> Option<Self> {
        let k = background.components();
        let sound = directions.len() == 2 * k * k
            && between.len() == 2 * k
            && directions.iter().all(|value| value.abs() < 1e6)
            && between.iter().all(|psi| (0.0..1e6).contains(psi));
        if !sound {
            return None;
        }
        let mut parts = Self::none(background);
        for (at, channel) in parts.channels.iter_mut().enumerate() {
            channel.rotation = Some(DMatrix::from_vec(k, k, directions[at * k * k..][..k * k].to_vec()));
            channel.between = between[at * k..][..k].to_vec();
        }
        Some(parts)
    }
}

/// Raw coordinates of a photo in the channel whose k rows begin with `row`.
fn of_channel(raw: &DMatrix<f32>, row: usize, k: usize, photo: usize) -> &[f32] {
    &raw.as_slice()[photo * raw.nrows() + row..][..k]
}

/// The photos of each person, of those who have any.
pub(super) fn groups(photos: &[usize], persons: &[usize]) -> Vec<Vec<usize>> {
    let mut of_person: Vec<Vec<usize>> = Vec::new();
    of_person.resize(persons.iter().max().map_or(0, |most| most + 1), Vec::new());
    for (&photo, &person) in photos.iter().zip(persons) {
        of_person[person].push(photo);
    }
    of_person.retain(|photos| !photos.is_empty());
    of_person
}

/// Mean of the people's means, drawn towards the background's by N / (N + 1) for N people: the mode under a domain
/// whose mean differs from the background's as one person differs from another.
pub(super) fn domain_mean(raw: &DMatrix<f32>, row: usize, k: usize, groups: &[Vec<usize>]) -> Vec<f64> {
    let mut sum = vec![0.0; k];
    for photos in groups {
        let share = 1.0 / photos.len() as f64;
        for &photo in photos {
            for (sum, &value) in sum.iter_mut().zip(of_channel(raw, row, k, photo)) {
                *sum += share * f64::from(value);
            }
        }
    }
    let shrunk = 1.0 / (groups.len() as f64 + 1.0);
    sum.iter_mut().for_each(|sum| *sum *= shrunk);
    sum
}
