//! Metrics: each transforms the weights once, so that the search always sees squared Euclidean distance.
//!
//! Handing a cosine or other callback to a tree built on other coordinates gives wrong neighbours;
//! here no such callback exists.

mod within;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use crate::face_space::Weights;
use crate::vectors::vectorised_mut;
use within::whitening_within;
pub use within::{RIDGE, TOTAL_SHARE};

/// The scaling of weights before faces are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// As they are: distances are those between images.
    Plain,
    /// Each over the fourth root of its eigenvalue: large variations count less, noise is not blown up.
    Root,
    /// Each over the square root of its eigenvalue: every eigenface counts alike (Mahalanobis).
    Whitened,
    /// So that photos of one person vary alike in every direction: what changes from photo to photo
    /// (light, expression, pose) counts less than what differs between people. Within-class covariance
    /// normalisation (Hatch, Kajarekar & Stolcke 2006), shrunk: see [`TOTAL_SHARE`] and [`RIDGE`].
    Within,
}

/// The measure of distance after scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The straight distance.
    Euclidean,
    /// The angle: weights are normalised to length 1, so squared distance is 2 - 2 cos.
    Cosine,
}

impl Measure {
    /// A point made from others (their mean), brought back to where this measure compares points: to
    /// length 1 for angles.
    pub fn settle(self, mut point: DVector<f32>) -> DVector<f32> {
        if self == Self::Cosine {
            let length = point
                .iter()
                .map(|&v| f64::from(v).powi(2))
                .sum::<f64>()
                .sqrt();
            if length > 0.0 {
                point.apply(|value| *value = (f64::from(*value) / length) as f32);
            }
        }
        point
    }
}

/// The metric by which two faces' weights are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metric {
    /// The scaling of weights.
    pub scaling: Scaling,
    /// The measure after that.
    pub measure: Measure,
}

impl Metric {
    /// Every metric with the name a user types.
    pub const NAMED: [(&'static str, Metric); 8] = [
        ("euclidean", Metric::of(Scaling::Plain, Measure::Euclidean)),
        ("cosine", Metric::of(Scaling::Plain, Measure::Cosine)),
        ("root", Metric::of(Scaling::Root, Measure::Euclidean)),
        ("root-cosine", Metric::of(Scaling::Root, Measure::Cosine)),
        (
            "whitened",
            Metric::of(Scaling::Whitened, Measure::Euclidean),
        ),
        (
            "whitened-cosine",
            Metric::of(Scaling::Whitened, Measure::Cosine),
        ),
        ("within", Metric::of(Scaling::Within, Measure::Euclidean)),
        (
            "within-cosine",
            Metric::of(Scaling::Within, Measure::Cosine),
        ),
    ];

    const fn of(scaling: Scaling, measure: Measure) -> Self {
        Self { scaling, measure }
    }

    /// The name a user types for this metric.
    pub fn name(self) -> &'static str {
        Self::NAMED
            .iter()
            .find(|(_, metric)| *metric == self)
            .map_or("", |(name, _)| name)
    }

    /// Learns what the metric needs from faces in a face space: the k eigenvalues (variances), the
    /// weights of the faces (k x n) and the person of each (n).
    pub fn fit(self, eigenvalues: &[f64], weights: &Weights, persons: &[usize]) -> FittedMetric {
        let power = |exponent: f64| {
            Transform::Diagonal(
                eigenvalues
                    .iter()
                    .map(|value| value.powf(exponent))
                    .collect(),
            )
        };
        let transform = match self.scaling {
            Scaling::Plain => power(0.0),
            Scaling::Root => power(-0.25),
            Scaling::Whitened => power(-0.5),
            Scaling::Within => whitening_within(eigenvalues, weights, persons)
                .map_or_else(|| power(-0.5), Transform::Triangular),
        };
        FittedMetric {
            metric: self,
            transform,
        }
    }
}

/// A metric ready for use in one face space of k components.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedMetric {
    metric: Metric,
    transform: Transform,
}

/// A linear map of the weights.
#[derive(Debug, Clone, PartialEq)]
enum Transform {
    /// k factors.
    Diagonal(Vec<f64>),
    /// Lower triangular, k x k: coordinate i comes from weights 0 to i.
    Triangular(DMatrix<f64>),
}

impl FittedMetric {
    /// A fitted metric from the matrix that [`FittedMetric::matrix`] gave; `None` where it does not fit k.
    pub fn from_matrix(
        metric: Metric,
        eigenvalues: &[f64],
        matrix: Option<DMatrix<f64>>,
    ) -> Option<Self> {
        let k = eigenvalues.len();
        match matrix {
            Some(matrix) => {
                let upper =
                    |column: usize| matrix.column(column).iter().take(column).all(|v| *v == 0.0);
                let sound = matrix.shape() == (k, k)
                    && matrix.iter().all(|value| value.is_finite())
                    && (0..k).all(|at| matrix[(at, at)] > 0.0 && upper(at));
                (sound && metric.scaling == Scaling::Within).then_some(Self {
                    metric,
                    transform: Transform::Triangular(matrix),
                })
            }
            None => (metric.scaling != Scaling::Within)
                .then(|| metric.fit(eigenvalues, &DMatrix::zeros(k, 0), &[])),
        }
    }

    /// The metric that was fitted.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The learned map (k x k, lower triangular) where the metric learns one.
    pub fn matrix(&self) -> Option<&DMatrix<f64>> {
        match &self.transform {
            Transform::Triangular(matrix) => Some(matrix),
            Transform::Diagonal(_) => None,
        }
    }

    /// The mean squared length of the coordinates of faces whose weights have these variances (k), before
    /// any normalising.
    pub fn mean_squared_length(&self, eigenvalues: &[f64]) -> f64 {
        match &self.transform {
            Transform::Diagonal(factors) => factors
                .iter()
                .zip(eigenvalues)
                .map(|(factor, value)| factor * factor * value)
                .sum(),
            Transform::Triangular(matrix) => matrix
                .column_iter()
                .zip(eigenvalues)
                .map(|(column, value)| column.norm_squared() * value)
                .sum(),
        }
    }

    /// Turns weights (k x n) into coordinates (k x n) whose Euclidean distance is this metric's.
    ///
    /// A face whose weights are all zero (the mean face itself) has no angle and stays at the origin.
    pub fn coordinates(&self, weights: &Weights) -> DMatrix<f32> {
        let k = weights.nrows().max(1);
        let mut coordinates = weights.clone();
        // Each face is summed in an order of its own: it has the same coordinates alone and among others.
        coordinates
            .as_mut_slice()
            .par_chunks_mut(FACES * k)
            .for_each_init(
                || vec![0.0; FACES * k],
                |scaled, faces| {
                    let scaled = &mut scaled[..faces.len()];
                    self.transform.apply(faces, scaled, k);
                    for (face, scaled) in faces.chunks_mut(k).zip(scaled.chunks(k)) {
                        self.write(face, scaled);
                    }
                },
            );
        coordinates
    }

    /// The coordinates of one face from its transformed weights.
    fn write(&self, face: &mut [f32], scaled: &[f64]) {
        let length = match self.metric.measure {
            Measure::Euclidean => 1.0,
            Measure::Cosine => scaled.iter().map(|value| value * value).sum::<f64>().sqrt(),
        };
        let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
        for (coordinate, value) in face.iter_mut().zip(scaled) {
            *coordinate = (value * inverse) as f32;
        }
    }
}

impl FittedMetric {
    /// T w, the weights (k) as they are scaled, before any normalising.
    pub fn scaled(&self, weights: &[f32]) -> Vec<f64> {
        let mut scaled = vec![0.0; weights.len()];
        self.transform
            .apply(weights, &mut scaled, weights.len().max(1));
        scaled
    }

    /// Tᵀ z: for every z (k) and w, the inner product of z and T w is that of Tᵀ z and w.
    pub fn transposed(&self, z: &[f64]) -> Vec<f64> {
        match &self.transform {
            Transform::Diagonal(factors) => z
                .iter()
                .zip(factors)
                .map(|(z, factor)| z * factor)
                .collect(),
            Transform::Triangular(matrix) => matrix
                .column_iter()
                .map(|column| column.iter().zip(z).map(|(factor, z)| factor * z).sum())
                .collect(),
        }
    }
}

/// Faces transformed at a time, so that the matrix is read once for all of them.
const FACES: usize = 4;

impl Transform {
    /// Transforms the weights of a few faces, k each.
    fn apply(&self, weights: &[f32], scaled: &mut [f64], k: usize) {
        match self {
            Self::Diagonal(factors) => {
                for (weights, scaled) in weights.chunks(k).zip(scaled.chunks_mut(k)) {
                    for ((value, &weight), factor) in scaled.iter_mut().zip(weights).zip(factors) {
                        *value = f64::from(weight) * factor;
                    }
                }
            }
            Self::Triangular(matrix) => vectorised_mut(
                #[inline(always)]
                || {
                    scaled.fill(0.0);
                    for (at, column) in matrix.column_iter().enumerate() {
                        let factors = &column.as_slice()[at..];
                        for (weights, scaled) in weights.chunks(k).zip(scaled.chunks_mut(k)) {
                            let weight = f64::from(weights[at]);
                            for (value, &factor) in scaled[at..].iter_mut().zip(factors) {
                                *value += weight * factor;
                            }
                        }
                    }
                },
            ),
        }
    }
}

impl Default for Metric {
    /// Chosen by cross-validation: see docs/RECIPES.md.
    fn default() -> Self {
        Self::of(Scaling::Within, Measure::Cosine)
    }
}

impl std::str::FromStr for Metric {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::NAMED
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, metric)| *metric)
            .ok_or_else(|| {
                let names: Vec<_> = Self::NAMED.iter().map(|(name, _)| *name).collect();
                format!("expected one of {}", names.join(", "))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights() -> Weights {
        DMatrix::from_column_slice(2, 3, &[3.0, 4.0, -30.0, 8.0, 0.0, 0.0])
    }

    fn fitted(metric: Metric, eigenvalues: &[f64]) -> FittedMetric {
        metric.fit(eigenvalues, &weights(), &[0, 0, 1])
    }

    #[test]
    fn within_person_variation_becomes_small() {
        // Two people, apart along the second weight only; each varies wildly along the first.
        let faces: Weights =
            DMatrix::from_column_slice(2, 4, &[-9.0, 1.0, 9.0, 1.0, -9.0, -1.0, 9.0, -1.0]);
        let eigenvalues = [108.0, 4.0 / 3.0];
        let metric: Metric = "within".parse().unwrap();
        let fitted = metric.fit(&eigenvalues, &faces, &[0, 0, 1, 1]);
        let spread = |a: usize, b: usize| {
            let z = fitted.coordinates(&faces);
            (z.column(a) - z.column(b)).norm()
        };
        let plain = (spread(0, 1) / spread(0, 2), 18.0 / 2.0);
        assert!(plain.0 < plain.1 / 2.0, "{plain:?}");
        let again =
            FittedMetric::from_matrix(metric, &eigenvalues, fitted.matrix().cloned()).unwrap();
        assert_eq!(again, fitted);
    }

    #[test]
    fn one_photo_a_person_falls_back_on_the_total_covariance() {
        let metric: Metric = "within".parse().unwrap();
        let fitted = metric.fit(&[9.0, 4.0], &weights(), &[0, 1, 2]);
        let matrix = fitted.matrix().unwrap();
        let ridge = RIDGE * TOTAL_SHARE * 13.0 / 2.0;
        let expected = (TOTAL_SHARE * 9.0 + ridge).powf(-0.5);
        assert!((matrix[(0, 0)] - expected).abs() < 1e-6);
        assert_eq!(matrix[(1, 0)], 0.0);
    }

    #[test]
    fn the_transposed_map_has_the_same_inner_products() {
        for name in ["whitened", "within-cosine"] {
            let metric: Metric = name.parse().unwrap();
            let fitted = metric.fit(&[9.0, 4.0], &weights(), &[0, 0, 1]);
            let (w, z) = ([3.0_f32, -2.0], [0.7, 5.0]);
            let scaled = fitted.scaled(&w);
            let one = scaled[0] * z[0] + scaled[1] * z[1];
            let back = fitted.transposed(&z);
            let other = back[0] * f64::from(w[0]) + back[1] * f64::from(w[1]);
            assert!((one - other).abs() < 1e-12 * one.abs(), "{name}");
        }
    }

    #[test]
    fn names_and_metrics_are_one_to_one() {
        for (name, metric) in Metric::NAMED {
            assert_eq!(name.parse(), Ok(metric));
            assert_eq!(metric.name(), name);
        }
        assert!("manhattan".parse::<Metric>().is_err());
    }

    #[test]
    fn euclidean_leaves_weights_alone() {
        let metric: Metric = "euclidean".parse().unwrap();
        assert_eq!(
            fitted(metric, &[9.0, 4.0]).coordinates(&weights()),
            weights()
        );
    }

    #[test]
    fn cosine_distance_is_two_minus_two_cosines_whatever_the_length() {
        let metric: Metric = "cosine".parse().unwrap();
        let coordinates = fitted(metric, &[9.0, 4.0]).coordinates(&weights());
        let (a, b) = (
            weights().column(0).into_owned(),
            weights().column(1).into_owned(),
        );
        let cosine = a.dot(&b) / (a.norm() * b.norm());
        let distance = (coordinates.column(0) - coordinates.column(1)).norm_squared();
        assert!((distance - (2.0 - 2.0 * cosine)).abs() < 1e-6);
        assert_eq!(
            coordinates.column(2).norm(),
            0.0,
            "the mean face has no angle"
        );
    }

    #[test]
    fn whitening_gives_unit_variance_to_each_eigenface() {
        let metric: Metric = "whitened".parse().unwrap();
        let coordinates = fitted(metric, &[9.0, 16.0]).coordinates(&weights());
        assert_eq!(coordinates.column(0).as_slice(), &[1.0, 1.0]);
    }
}
