//! Logistic regression on one number, pulled towards what other galleries taught.

/// One probe: its standardised score, whether the name was right, and how much it counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub x: f64,
    pub right: bool,
    pub weight: f64,
}

/// Slope and midpoint pooled over AT&T, Yale and LFW, galleries of 5 to 30 people with 1 to 10 photos.
/// Single galleries had slopes of 0.6 to 1.9 and midpoints of 1.0 to 3.3.
pub(super) const POOLED: (f64, f64) = (1.1, 1.8);

/// The pull towards the pooled values: worth ten samples, each with the largest variance a yes-or-no can
/// have, 1/4.
const PULL: f64 = 10.0 * 0.25;

/// Slopes that a fit may give.
pub(super) const SLOPES: std::ops::RangeInclusive<f64> = 0.2..=4.0;

/// Newton's method settles in about ten rounds.
const ROUNDS: usize = 30;

/// The longest step: longer ones overshoot where the curve is flat.
const LONGEST_STEP: f64 = 1.0;

/// Slope a and midpoint b of the log-odds a (x - b) that a probe is right, pulled towards a slope and midpoint.
pub(super) fn fit(samples: &[Sample], towards: (f64, f64)) -> (f64, f64) {
    let pooled = (towards.0, -towards.0 * towards.1);
    let (mut slope, mut offset) = pooled;
    for _ in 0..ROUNDS {
        let mut gradient = (PULL * (pooled.0 - slope), PULL * (pooled.1 - offset));
        // Curvature, a symmetric 2 x 2 matrix.
        let (mut aa, mut ab, mut bb) = (PULL, 0.0, PULL);
        for sample in samples {
            let probability = 1.0 / (1.0 + (-(slope * sample.x + offset)).exp());
            let error = sample.weight * (f64::from(u8::from(sample.right)) - probability);
            gradient.0 += error * sample.x;
            gradient.1 += error;
            let variance = sample.weight * probability * (1.0 - probability);
            aa += variance * sample.x * sample.x;
            ab += variance * sample.x;
            bb += variance;
        }
        let determinant = aa * bb - ab * ab;
        let step = (
            (bb * gradient.0 - ab * gradient.1) / determinant,
            (aa * gradient.1 - ab * gradient.0) / determinant,
        );
        slope += step.0.clamp(-LONGEST_STEP, LONGEST_STEP);
        offset += step.1.clamp(-LONGEST_STEP, LONGEST_STEP);
        if step.0.abs().max(step.1.abs()) < 1e-12 {
            break;
        }
    }
    let slope = slope.clamp(*SLOPES.start(), *SLOPES.end());
    (slope, -offset / slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_samples_overrule_the_pooled_values() {
        // 3 of 4 right at 4, 1 of 4 at 2: log-odds of ln 3 and -ln 3, so a slope of ln 3 around 3.
        let samples: Vec<_> = (0..8000)
            .map(|i| {
                let high = i % 2 == 0;
                let odd_one = i / 2 % 4 == 0;
                Sample {
                    x: if high { 4.0 } else { 2.0 },
                    right: high != odd_one,
                    weight: 1.0,
                }
            })
            .collect();
        let (slope, midpoint) = fit(&samples, POOLED);
        assert!((slope - 3_f64.ln()).abs() < 0.01, "{slope}");
        assert!((midpoint - 3.0).abs() < 0.01, "{midpoint}");
    }

    #[test]
    fn separable_samples_do_not_claim_certainty() {
        let samples: Vec<_> = (0..40)
            .map(|i| Sample {
                x: f64::from(i) / 10.0,
                right: i >= 20,
                weight: 1.0,
            })
            .collect();
        let (slope, midpoint) = fit(&samples, POOLED);
        assert!(slope.is_finite() && slope <= 4.0 && (midpoint - 2.0).abs() < 0.3);
    }

    #[test]
    fn no_samples_leave_the_pooled_values() {
        let (slope, midpoint) = fit(&[], POOLED);
        assert!((slope - POOLED.0).abs() < 1e-12 && (midpoint - POOLED.1).abs() < 1e-12);
    }
}
