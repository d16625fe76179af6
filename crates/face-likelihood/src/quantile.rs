//! Quantiles of the normal and of Student's distribution, to what few people leave certain.

/// Student's quantile from the normal one (Cornish-Fisher; Abramowitz & Stegun 26.7.5).
pub fn student_quantile(share: f64, freedom: f64) -> f64 {
    let z = normal_quantile(share);
    let first = (z.powi(3) + z) / (4.0 * freedom);
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * freedom * freedom);
    z + first + second
}

/// The normal quantile for shares of at least one half, to 5e-4 (Abramowitz & Stegun 26.2.23): enough for few people.
fn normal_quantile(share: f64) -> f64 {
    let t = (-2.0 * libm::log((1.0 - share).max(1e-300))).sqrt();
    let above = 2.515_517 + 0.802_853 * t + 0.010_328 * t * t;
    let below = 1.0 + 1.432_788 * t + 0.189_269 * t * t + 0.001_308 * t.powi(3);
    t - above / below
}

/// The value that a normal variable exceeds with this probability, which may be more than a half.
pub fn upper_normal_quantile(tail: f64) -> f64 {
    if tail > 0.5 { -normal_quantile(tail) } else { normal_quantile(1.0 - tail) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        assert!((normal_quantile(0.99) - 2.3263).abs() < 1e-3);
        assert!((student_quantile(0.99, 9.0) - 2.821).abs() < 0.02);
        assert!((student_quantile(0.95, 30.0) - 1.697).abs() < 0.01);
    }
}
