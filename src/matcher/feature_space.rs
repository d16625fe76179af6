//! One feature with the space and the metric that were learned for it.

use nalgebra::DMatrix;

use super::{Feature, Space};
use crate::face_space::Weights;
use crate::metric::{FittedMetric, Measure};

/// One feature with what was learned for it.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureSpace {
    pub(super) feature: Feature,
    pub(super) space: Space,
    pub(super) metric: FittedMetric,
    /// The factor of this part's coordinates, so that its squared distances have their share.
    pub(super) factor: f64,
}

impl FeatureSpace {
    /// A feature of faces of this size, with its space and metric; `share` of the squared distances is its.
    pub fn new(feature: Feature, share: f64, space: Space, metric: FittedMetric) -> Self {
        Self {
            feature,
            factor: factor(share, &metric, space.eigenvalues()),
            space,
            metric,
        }
    }

    /// The feature.
    pub fn feature(&self) -> Feature {
        self.feature
    }

    /// The space of this feature.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The metric of this feature.
    pub fn metric(&self) -> &FittedMetric {
        &self.metric
    }

    pub(super) fn coordinates(&self, weights: &Weights) -> DMatrix<f32> {
        scaled(self.metric.coordinates(weights), self.factor)
    }
}

/// The factor of a feature's coordinates, so that its squared distances have their share.
pub(super) fn factor(share: f64, metric: &FittedMetric, eigenvalues: &[f64]) -> f64 {
    let scale = match metric.metric().measure {
        // Lengths are 1.
        Measure::Cosine => 1.0,
        // One feature alone keeps its own units.
        Measure::Euclidean if share >= 1.0 => 1.0,
        Measure::Euclidean => metric.mean_squared_length(eigenvalues),
    };
    (share / scale).sqrt()
}

pub(super) fn scaled(mut coordinates: DMatrix<f32>, factor: f64) -> DMatrix<f32> {
    if factor != 1.0 {
        coordinates.apply(|value| *value = (f64::from(*value) * factor) as f32);
    }
    coordinates
}

/// Every value repeated a number of times in a row.
pub(super) fn each_times(values: &[usize], times: usize) -> Vec<usize> {
    values
        .iter()
        .flat_map(|&value| std::iter::repeat_n(value, times))
        .collect()
}
