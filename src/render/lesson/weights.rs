//! Eigenvalues, the choice of K, and a face from its weights, one after the other.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::{Value, context};

use super::{Lesson, gray, grouped, percent, tile};

/// Eigenvalues written out, and weights with a slider.
const EIGENVALUES: usize = 6;
const SLIDERS: usize = 10;

/// Shares of the variance that K is told for.
const SHARES: [f64; 5] = [0.5, 0.8, 0.9, 0.95, 0.99];

impl Lesson<'_> {
    pub(super) fn eigenvalues(&self, ratios: &[f64]) -> Vec<Value> {
        let mut sum = 0.0;
        let rows = (1..).zip(self.space.eigenvalues().iter().zip(ratios)).take(EIGENVALUES);
        rows.map(|(number, (value, ratio))| {
            sum += ratio;
            context! { number, value => grouped(*value), share => percent(*ratio), together => percent(sum) }
        })
        .collect()
    }

    /// The numbers of basis faces that hold shares of the variance; none where all that are kept hold less.
    pub(super) fn shares(&self, ratios: &[f64]) -> Vec<Value> {
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
            .map(|share| context! { share => format!("{:.0} %", share * 100.0), components => first(share) })
            .collect()
    }

    /// The lesson's face: the mean face, then the sum with each weight added. For the sliders the mean face, each basis face,
    /// and what all other weights add, as signed bytes of a scale each.
    pub(super) fn weight_by_weight(&self, mean: &[f32]) -> Value {
        let (space, own) = (self.space, self.weights.column(self.shown));
        let count = SLIDERS.min(space.components());
        let mut levels = mean.to_vec();
        let mut sums = vec![tile(gray(space.size(), &levels), "the mean face", "")];
        let mut weights = Vec::new();
        for at in 0..count {
            let direction = space.basis().column(at);
            for (level, value) in levels.iter_mut().zip(direction.iter()) {
                *level += own[at] * value;
            }
            let sign = if own[at] < 0.0 { "−" } else { "+" };
            let size = grouped(f64::from(own[at]));
            sums.push(tile(gray(space.size(), &levels), format!("{sign} {size} x basis face {}", at + 1), ""));
            let deviation = space.eigenvalues()[at].sqrt();
            let (basis, scale) = bytes(direction.iter().copied());
            weights.push(context! {
                number => at + 1,
                value => format!("{sign}{size}"),
                rounded => own[at].round() as i64,
                // The ends of its slider: three standard deviations, or as far as the weight.
                end => (3.0 * deviation).max(f64::from(own[at].abs())).ceil() as i64,
                basis,
                scale => scale.to_string(),
            });
        }
        let all: Vec<f32> = own.iter().copied().collect();
        let (rest, rest_scale) = bytes(space.rebuild(&all).iter().zip(&levels).map(|(all, some)| all - some));
        let mean = mean.iter().map(|level| level.round().clamp(0.0, 255.0) as u8);
        context! {
            weights,
            sums,
            width => space.size().width(),
            height => space.size().height(),
            mean => STANDARD.encode(mean.collect::<Vec<u8>>()),
            rest,
            rest_scale => rest_scale.to_string(),
            others => space.components() - count,
        }
    }
}

/// Values as signed bytes, each times the scale.
fn bytes(values: impl Iterator<Item = f32>) -> (String, f32) {
    let values: Vec<f32> = values.collect();
    let largest = values.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
    let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    (STANDARD.encode(values.iter().map(|value| (value / scale).round() as i8 as u8).collect::<Vec<u8>>()), scale)
}
