//! The likelihood ratio of the two-covariance model, coordinate by coordinate, and its moments in closed form.
//!
//! In coordinates where photos of one person vary by 1 and people by ψ, n enrolled photos with the mean m leave for a
//! further photo of that person N(κ m, v) with κ = nψ / (nψ + 1) and v = ψ / (nψ + 1) + 1, where a photo of somebody
//! else is N(0, 1 + ψ). The score is the difference of the two log densities.

/// Log-likelihood ratios against one person in one channel: `Σ quadratic_i x_i² + Σ linear_i x_i + constant`.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratio {
    /// Half the difference of the two precisions: depends on the number of photos only.
    pub quadratic: Vec<f64>,
    /// The coefficient of x in the log-likelihood ratio: κ m / v.
    pub linear: Vec<f64>,
    pub constant: f64,
    /// Mean and variance of the score of a stranger.
    pub stranger: (f64, f64),
    /// Mean of the score of another photo of this person.
    pub genuine: f64,
}

impl Ratio {
    /// The ratio for a person with `photos` enrolled photos whose mean is `mean` (k), where people vary by `between` (k).
    pub fn new(between: &[f64], mean: &[f64], photos: f64) -> Self {
        let k = between.len();
        let (mut quadratic, mut linear) = (Vec::with_capacity(k), Vec::with_capacity(k));
        let (mut constant, mut genuine) = (0.0, 0.0);
        let mut stranger = (0.0, 0.0);
        for (&psi, &mean) in between.iter().zip(mean) {
            let expected = photos * psi / (photos * psi + 1.0) * mean;
            let known = psi / (photos * psi + 1.0) + 1.0;
            let anybody = 1.0 + psi;
            let curve = 0.5 * (1.0 / anybody - 1.0 / known);
            let slope = expected / known;
            let level = 0.5 * libm::log(anybody / known);
            quadratic.push(curve);
            linear.push(slope);
            constant += level - 0.5 * expected * slope;
            stranger.0 += level + 0.5 - 0.5 * (anybody + expected * expected) / known;
            stranger.1 += 2.0 * (curve * anybody).powi(2) + slope * slope * anybody;
            genuine += level - 0.5 + 0.5 * (known + expected * expected) / anybody;
        }
        Self { quadratic, linear, constant, stranger, genuine }
    }

    /// The score of a photo (k).
    pub fn of(&self, photo: &[f64]) -> f64 {
        let terms = photo.iter().zip(self.quadratic.iter().zip(&self.linear));
        self.constant + terms.map(|(x, (curve, slope))| x * (curve * x + slope)).sum::<f64>()
    }
}

/// The scores of both channels against one person, added and measured in spreads of a stranger's score above its mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standard {
    mean: f64,
    spread: f64,
    /// The standardised score that the model expects of another photo of this person.
    pub genuine: f64,
}

impl Standard {
    pub fn of(ratios: &[Ratio; 2]) -> Self {
        let mean = ratios[0].stranger.0 + ratios[1].stranger.0;
        let variance = ratios[0].stranger.1 + ratios[1].stranger.1;
        let spread = variance.sqrt().max(f64::MIN_POSITIVE.sqrt());
        Self { mean, spread, genuine: (ratios[0].genuine + ratios[1].genuine - mean) / spread }
    }

    /// The standardised score of a photo (2k, the channels one below the other) by these ratios.
    pub fn score(&self, ratios: &[Ratio; 2], photo: &[f64]) -> f64 {
        let channels = photo.split_at(photo.len() / 2);
        let score = ratios[0].of(channels.0) + ratios[1].of(channels.1);
        (score - self.mean) / self.spread
    }

    /// Mean and spread of a stranger's score.
    pub fn moments(&self) -> (f64, f64) {
        (self.mean, self.spread)
    }
}

/// Brings coordinates to the length that the model expects of a photo of anybody: `Σ x² / (1 + ψ) = k`. No coordinates stay none.
pub(super) fn normalise(x: &mut [f64], between: &[f64]) {
    let factor = length_factor(x.iter().copied(), between);
    for x in x {
        *x *= factor;
    }
}

/// The factor of [`normalise`]; 1 where there is no length.
pub(super) fn length_factor(x: impl Iterator<Item = f64>, between: &[f64]) -> f64 {
    let squared = squared_length(x, between);
    if squared > 0.0 { (between.len() as f64 / squared).sqrt() } else { 1.0 }
}

/// `Σ x² / (1 + ψ)`: of a photo of anybody the model expects the number of coordinates.
pub(super) fn squared_length<'a>(x: impl Iterator<Item = f64>, between: impl IntoIterator<Item = &'a f64>) -> f64 {
    x.zip(between).map(|(x, psi)| x * x / (1.0 + psi)).sum()
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::*;
    use symmetric_eigen::Noise;

    /// log N(x; 0, C).
    fn log_density(x: &DVector<f64>, covariance: &DMatrix<f64>) -> f64 {
        let cholesky = covariance.clone().cholesky().unwrap();
        let half = cholesky.l().solve_lower_triangular(x).unwrap();
        let determinant: f64 = cholesky.l().diagonal().iter().map(|&d| libm::log(d)).sum();
        -0.5 * half.norm_squared() - determinant - 0.5 * x.len() as f64 * libm::log(2.0 * std::f64::consts::PI)
    }

    /// The covariance of `n` photos of one person in one coordinate.
    fn of_one_person(n: usize, psi: f64) -> DMatrix<f64> {
        DMatrix::from_fn(n, n, |a, b| psi + f64::from(u8::from(a == b)))
    }

    #[test]
    fn the_ratio_is_that_of_the_joint_densities() {
        let between = [3.0, 0.7, 0.0, 0.05];
        for n in 1..=4 {
            let photos =
                DMatrix::from_fn(4, n + 1, |row, column| ((row * 7 + column * 13 + n) % 11) as f64 / 3.0 - 1.5);
            let mean: Vec<f64> = (0..4).map(|row| photos.view((row, 0), (1, n)).mean()).collect();
            let probe: Vec<f64> = photos.column(n).iter().copied().collect();
            let mut direct = 0.0;
            for (row, &psi) in between.iter().enumerate() {
                let all = DVector::from_iterator(n + 1, photos.row(row).iter().copied());
                let enrolled = all.rows(0, n).into_owned();
                let alone = DVector::from_element(1, all[n]);
                direct += log_density(&all, &of_one_person(n + 1, psi))
                    - log_density(&enrolled, &of_one_person(n, psi))
                    - log_density(&alone, &of_one_person(1, psi));
            }
            let score = Ratio::new(&between, &mean, n as f64).of(&probe);
            assert!((score - direct).abs() < 1e-10, "{n} photos: {score} {direct}");
        }
    }

    #[test]
    fn moments_are_those_of_drawn_strangers_and_photos() {
        let between = [4.0, 1.0, 0.3];
        let mean = [2.0, -1.0, 0.5];
        let photos = 3.0;
        let ratio = Ratio::new(&between, &mean, photos);
        let mut noise = Noise::seeded(1);
        let mut normal = || noise.normal();
        let draws = 100_000;
        let (mut sum, mut squares, mut genuine) = (0.0, 0.0, 0.0);
        for _ in 0..draws {
            let stranger: Vec<f64> = between.iter().map(|psi| normal() * (1.0 + psi).sqrt()).collect();
            let score = ratio.of(&stranger);
            (sum, squares) = (sum + score, squares + score * score);
            let same: Vec<f64> = between
                .iter()
                .zip(mean)
                .map(|(psi, mean)| {
                    let expected = photos * psi / (photos * psi + 1.0) * mean;
                    expected + normal() * (psi / (photos * psi + 1.0) + 1.0).sqrt()
                })
                .collect();
            genuine += ratio.of(&same);
        }
        let draws = f64::from(draws);
        let mean = sum / draws;
        let variance = squares / draws - mean * mean;
        assert!((mean - ratio.stranger.0).abs() < 0.03, "{mean} {:?}", ratio.stranger);
        assert!((variance / ratio.stranger.1 - 1.0).abs() < 0.05, "{variance} {:?}", ratio.stranger);
        assert!((genuine / draws - ratio.genuine).abs() < 0.03);
    }

    #[test]
    fn nothing_has_no_length() {
        let mut nothing = [0.0; 3];
        normalise(&mut nothing, &[1.0; 3]);
        assert_eq!(nothing, [0.0; 3]);
        let mut some = [3.0, 0.0, -1.0];
        normalise(&mut some, &[1.0, 2.0, 0.0]);
        assert!((some[0] * some[0] / 2.0 + some[2] * some[2] - 3.0).abs() < 1e-12);
    }
}
