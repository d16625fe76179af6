//! Eigenvalues, the choice of K, and a face from its weights, one after the other.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::{Lesson, Tile, gray, grouped, percent, picture};

/// Eigenvalues written out, and weights with a slider.
const EIGENVALUES: usize = 6;
const SLIDERS: usize = 10;

/// Shares of the variance that K is told for.
const SHARES: [f64; 5] = [0.5, 0.8, 0.9, 0.95, 0.99];

/// One eigenvalue.
#[derive(Serialize)]
pub(super) struct Eigenvalue {
    pub number: usize,
    pub value: String,
    pub share: String,
    pub together: String,
}

/// The number of basis faces that hold a share of the variance.
#[derive(Serialize)]
pub(super) struct ShareOfVariance {
    pub share: String,
    /// `None` where all that are kept hold less.
    pub components: Option<usize>,
}

/// The lesson's face, weight by weight.
#[derive(Serialize)]
pub(super) struct WeightByWeight {
    pub weights: Vec<Weight>,
    /// The mean face, then the sum with each weight added.
    pub sums: Vec<Tile>,
    pub width: u32,
    pub height: u32,
    /// For the sliders: the mean face, each basis face, and what all other weights add, as signed bytes of a scale each.
    pub mean: String,
    pub rest: String,
    pub rest_scale: String,
    pub others: usize,
}

/// A weight with its basis face.
#[derive(Serialize)]
pub(super) struct Weight {
    pub number: usize,
    pub value: String,
    pub rounded: i64,
    /// The ends of its slider: three standard deviations, or as far as the weight.
    pub end: i64,
    pub basis: String,
    pub scale: String,
}

impl Lesson<'_> {
    pub(super) fn eigenvalues(&self, ratios: &[f64]) -> Vec<Eigenvalue> {
        let mut sum = 0.0;
        let pairs = self.space.eigenvalues().iter().zip(ratios);
        let rows = (1..).zip(pairs).take(EIGENVALUES);
        rows.map(|(number, (value, ratio))| {
            sum += ratio;
            Eigenvalue { number, value: grouped(*value), share: percent(*ratio), together: percent(sum) }
        })
        .collect()
    }

    pub(super) fn shares(&self, ratios: &[f64]) -> Vec<ShareOfVariance> {
        let first = |share: f64| {
            let mut sum = 0.0;
            let reaches = |ratio: &f64| {
                sum += ratio;
                sum >= share - 1e-9
            };
            ratios.iter().position(reaches).map(|at| at + 1)
        };
        SHARES
            .into_iter()
            .map(|share| ShareOfVariance { share: format!("{:.0} %", share * 100.0), components: first(share) })
            .collect()
    }

    pub(super) fn weight_by_weight(&self, mean: &[f32]) -> WeightByWeight {
        let (space, own) = (self.space, self.weights.column(self.shown));
        let count = SLIDERS.min(space.components());
        let tile = |levels: &[f32], name: String| Tile {
            picture: picture(gray(space.size(), levels).into()),
            name,
            note: String::new(),
        };
        let mut levels = mean.to_vec();
        let mut sums = vec![tile(&levels, "the mean face".to_owned())];
        let mut weights = Vec::new();
        for at in 0..count {
            let direction = space.basis().column(at);
            for (level, value) in levels.iter_mut().zip(direction.iter()) {
                *level += own[at] * value;
            }
            let sign = if own[at] < 0.0 { "−" } else { "+" };
            let size = grouped(f64::from(own[at]));
            sums.push(tile(&levels, format!("{sign} {size} x basis face {}", at + 1)));
            let deviation = space.eigenvalues()[at].sqrt();
            let (basis, scale) = bytes(direction.iter().copied());
            weights.push(Weight {
                number: at + 1,
                value: format!("{sign}{size}"),
                rounded: own[at].round() as i64,
                end: (3.0 * deviation).max(f64::from(own[at].abs())).ceil() as i64,
                basis,
                scale: scale.to_string(),
            });
        }
        let all: Vec<f32> = own.iter().copied().collect();
        let whole = space.rebuild(&all);
        let (rest, rest_scale) = bytes(whole.iter().zip(&levels).map(|(all, some)| all - some));
        let mean = mean.iter().map(|level| level.round().clamp(0.0, 255.0) as u8);
        WeightByWeight {
            weights,
            sums,
            width: space.size().width(),
            height: space.size().height(),
            mean: STANDARD.encode(mean.collect::<Vec<u8>>()),
            rest,
            rest_scale: rest_scale.to_string(),
            others: space.components() - count,
        }
    }
}

/// Values as signed bytes, each times the scale.
fn bytes(values: impl Iterator<Item = f32>) -> (String, f32) {
    let values: Vec<f32> = values.collect();
    let largest = values.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
    let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    let bytes = values.iter().map(|value| (value / scale).round() as i8 as u8);
    (STANDARD.encode(bytes.collect::<Vec<u8>>()), scale)
}
