//! Metrics: each transforms the weights once, so that the search always sees squared Euclidean distance.
//!
//! Handing a cosine or other callback to a tree built on other coordinates gives wrong neighbours; here no such callback exists.

use nalgebra::DMatrix;

use crate::face_space::Weights;

/// The metric by which two faces' weights are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    /// The Euclidean distance of the weights: that between the faces rebuilt from them.
    Euclidean,
    /// The Mahalanobis distance: each weight over the standard deviation of its component, so that all count alike.
    #[default]
    Whitened,
}

named!(Metric {
    Euclidean = "euclidean",
    Whitened = "whitened",
});

impl Metric {
    /// Turns weights (k x n) into coordinates (k x n) whose Euclidean distance is this metric's. `eigenvalues` are the k variances.
    pub fn coordinates(self, weights: &Weights, eigenvalues: &[f64]) -> DMatrix<f32> {
        let mut coordinates = weights.clone();
        for (mut row, factor) in coordinates.row_iter_mut().zip(self.factors(eigenvalues)) {
            row.apply(|weight| *weight = (f64::from(*weight) * factor) as f32);
        }
        coordinates
    }

    pub(super) fn factors(self, eigenvalues: &[f64]) -> impl Iterator<Item = f64> {
        eigenvalues.iter().map(move |variance| match self {
            Self::Euclidean => 1.0,
            Self::Whitened => variance.sqrt().recip(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whitened_weights_vary_by_one() {
        let weights = DMatrix::from_row_slice(2, 3, &[-20.0, 0.0, 20.0, 1.0, -2.0, 1.0]);
        let variances = [400.0, 3.0];
        assert_eq!(Metric::Euclidean.coordinates(&weights, &variances), weights);
        let whitened = Metric::Whitened.coordinates(&weights, &variances);
        for row in whitened.row_iter() {
            let variance = row.iter().map(|value| value * value).sum::<f32>() / 2.0;
            assert!((variance - 1.0).abs() < 1e-6, "{whitened}");
        }
    }
}
