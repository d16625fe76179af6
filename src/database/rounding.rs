//! The error that a distance told by pgvector can have.

#[derive(Debug, Clone, Copy)]
pub(super) struct RoundingBound {
    relative: f64,
    absolute: f64,
}

impl RoundingBound {
    /// For points of this dimension. All that is added up is positive, so that the k - 1 sums, in whatever order,
    /// and the few roundings of each difference and square are relative errors of at most 2^-24 each (Higham 2002,
    /// "Accuracy and Stability of Numerical Algorithms", 3.1); what is too small for single precision is lost.
    pub fn of(coordinates: usize) -> Self {
        let roundings = (coordinates + 16) as f64;
        Self { relative: 1.0 + 1.01 * roundings * f64::from(f32::EPSILON) / 2.0, absolute: roundings * 1e-40 }
    }

    /// Error bound of an inner product of vectors whose norms have this product (Higham 2002, 3.5, and Cauchy-Schwarz).
    pub fn of_product(self, norms: f64) -> f64 {
        (self.relative - 1.0) * norms + self.absolute
    }

    /// The least that a sum can be in truth which the server takes for `told`.
    pub fn least(self, told: f64) -> f64 {
        // Beyond the range of single precision nothing more is known.
        told.min(f64::from(f32::MAX)) / self.relative - self.absolute
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::squared_distance;

    /// Sums in single precision, from the first to the last, are never further off than is believed.
    #[test]
    fn single_precision_is_not_believed_too_much() {
        let mut state = 1_u32;
        let mut draw = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 16_777_216.0 - 0.5
        };
        for coordinates in [1, 7, 100, 5000] {
            let rounding = RoundingBound::of(coordinates);
            for scale in [1e-21, 1e-3, 1.0, 1e8] {
                let a: Vec<f32> = (0..coordinates).map(|_| draw() * scale).collect();
                let b: Vec<f32> = (0..coordinates).map(|_| draw() * scale).collect();
                let told = a.iter().zip(&b).fold(0.0_f32, |sum, (a, b)| sum + (a - b) * (a - b));
                let told = f64::from(told.sqrt()).powi(2);
                let truth = squared_distance(&a, &b);
                assert!(rounding.least(told) <= truth, "{coordinates} at {scale}");
                assert!(rounding.least(told) >= truth * (1.0 - 3.0 * (rounding.relative - 1.0)) - 1e-30);
            }
        }
    }
}
