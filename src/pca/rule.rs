//! Rules that choose the number of components by the spectrum itself.
//!
//! | rule | keeps | good for |
//! |---|---|---|
//! | [`Rule::Profile`] | the eigenvalues before the steepest step of the scree plot | a few dominant directions; for faces it keeps the light and the pose, and too few to tell people apart |
//! | [`Rule::Minka`] | as many as make the faces most probable (Bayesian) | more faces than pixels only; keeps nearly all where the noise is not the same in every pixel |
//! | [`Rule::Parallel`] | eigenvalues above those of faces whose pixels were shuffled | any number of faces; keeps what is more than chance |
//!
//! None of them knows what the components are for. For recognition, keeping 99 % of the variance did best
//! (docs/RECIPES.md), which is what `auto` does.

use super::eigen::Noise;
use super::kernel::Columns;
use super::{ComponentCount, InnerProducts, PcaError, Symmetry, covariance};

/// A rule that settles the number of components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The scree plot falls into two groups of eigenvalues, each about normal with a common variance, where this
    /// is most likely (M. Zhu & A. Ghodsi, Comput. Stat. Data Anal. 51, 2006).
    Profile,
    /// The most probable dimension by Laplace's approximation (T. Minka, "Automatic choice of dimensionality for
    /// PCA", NIPS 13, 2000). Needs more faces than pixels.
    Minka,
    /// Parallel analysis (J. Horn, Psychometrika 30, 1965), by shuffling each pixel among the faces (A. Buja &
    /// N. Eyuboglu, Multivar. Behav. Res. 27, 1992): components are kept up to the first whose eigenvalue is not
    /// above all those of the same rank in [`SHUFFLES`] shuffles, which is a test at the level of 5 %.
    Parallel,
}

/// Shuffles of parallel analysis: the largest of 19 is exceeded by chance in 1 of 20 cases.
pub const SHUFFLES: u64 = 19;
/// The most components that parallel analysis looks at.
pub(super) const MOST_PARALLEL: usize = 512;

named!(Rule {
    Profile = "profile",
    Minka = "minka",
    Parallel = "parallel",
});

impl Rule {
    /// Number of components of these faces (columns of d bytes, n of them) to keep, at least 1.
    ///
    /// # Errors
    /// Fewer than two faces or no variance; [`Rule::Minka`] with no more faces than pixels.
    pub fn count<'a>(self, faces: impl Into<Columns<'a>>) -> Result<usize, PcaError> {
        let faces = faces.into();
        match self {
            Self::Parallel => parallel(faces, |faces| {
                eigenvalues(faces, ComponentCount::Count(MOST_PARALLEL))
            }),
            Self::Minka if faces.count() <= faces.length() => Err(PcaError::MinkaNeedsMoreFaces {
                faces: faces.count(),
                pixels: faces.length(),
            }),
            Self::Profile | Self::Minka => {
                let spectrum = eigenvalues(faces, ComponentCount::Share(1.0))?;
                self.settle(&spectrum, faces.count(), faces.length())
            }
        }
    }

    /// Number of components to keep of a spectrum: all eigenvalues above zero, decreasing, of n faces of d pixels.
    ///
    /// # Errors
    /// [`Rule::Parallel`] cannot be applied to a spectrum alone; [`Rule::Minka`] with no more faces than pixels.
    pub fn settle(self, spectrum: &[f64], n: usize, d: usize) -> Result<usize, PcaError> {
        match self {
            Self::Profile => Ok(profile(spectrum)),
            Self::Minka if n <= d => Err(PcaError::MinkaNeedsMoreFaces {
                faces: n,
                pixels: d,
            }),
            Self::Minka => Ok(minka(spectrum, n, d)),
            Self::Parallel => Err(PcaError::ParallelNeedsFaces),
        }
    }
}

/// The leading eigenvalues by the route of the shorter side; without eigenfaces.
fn eigenvalues(faces: Columns<'_>, wanted: ComponentCount) -> Result<Vec<f64>, PcaError> {
    if faces.count() <= faces.length() {
        let all: Vec<usize> = (0..faces.count()).collect();
        Ok(InnerProducts::of(faces).fit(&all, wanted)?.eigenvalues())
    } else {
        Ok(covariance::fit(faces, wanted, Symmetry::None)?.eigenvalues)
    }
}

/// With q values in the first group and p - q in the second, the log-likelihood is -p/2 log s² - (p - 2) / 2 but for a
/// constant, where (p - 2) s² is the sum of squares about the two means: largest where that sum is least.
fn profile(spectrum: &[f64]) -> usize {
    let squares = |group: &[f64]| {
        let mean = group.iter().sum::<f64>() / group.len() as f64;
        group
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>()
    };
    let mut best = (1, f64::INFINITY);
    for count in 1..spectrum.len() {
        let (first, second) = spectrum.split_at(count);
        let sum = squares(first) + squares(second);
        if sum < best.1 {
            best = (count, sum);
        }
    }
    best.0
}

/// The k with the largest evidence, in Minka's notation:
///
/// log p(D | k) ≈ log p(U) - N/2 Σ_(i≤k) log λ_i - N (d - k) / 2 log v + (m + k) / 2 log 2π - 1/2 log |A| - k/2 log N
///
/// with v the mean of the d - k last eigenvalues, m = d k - k (k + 1) / 2, and log |A| the sum over i ≤ k and j > i of
/// log ((1/λ̂_j - 1/λ̂_i) (λ_i - λ_j) N), where λ̂_j is v beyond k.
fn minka(spectrum: &[f64], n: usize, d: usize) -> usize {
    let (n, all) = (n as f64, d);
    let d = all as f64;
    let value = |at: usize| spectrum.get(at).copied().unwrap_or(0.0);
    let ln_gamma = ln_gamma_of_halves(all);
    let mut rest: f64 = spectrum.iter().sum();
    // Sums over i ≤ k, grown as k grows.
    let (mut prior, mut logs, mut among, mut beyond) = (0.0, 0.0, 0.0, 0.0);
    let mut best = (1, f64::NEG_INFINITY);
    for k in 1..all.min(spectrum.len() + 1) {
        let last = value(k - 1);
        rest -= last;
        let free = all - k + 1;
        prior += ln_gamma[free] - free as f64 / 2.0 * std::f64::consts::PI.ln() - 2.0_f64.ln();
        logs += last.ln();
        among += (0..k - 1)
            .map(|i| (1.0 / last - 1.0 / value(i)).ln())
            .sum::<f64>();
        beyond += (k..all).map(|j| (last - value(j)).ln()).sum::<f64>();
        // Never below what rounding leaves of the sum.
        let v = (rest / (d - k as f64)).max(f64::EPSILON * spectrum[0] / d);
        let with_rest: f64 = (0..k).map(|i| (1.0 / v - 1.0 / value(i)).ln()).sum();
        let k = k as f64;
        let m = d * k - k * (k + 1.0) / 2.0;
        let hessian = among + with_rest * (d - k) + beyond + m * n.ln();
        let evidence = prior - n / 2.0 * logs - n * (d - k) / 2.0 * v.ln()
            + (m + k) / 2.0 * (2.0 * std::f64::consts::PI).ln()
            - hessian / 2.0
            - k / 2.0 * n.ln();
        // Not a number where two eigenvalues are equal, which no k may part: passed over.
        if evidence > best.1 && evidence.is_finite() {
            best = (k as usize, evidence);
        }
    }
    best.0
}

/// log Γ(i / 2) for i from 0 (where it is not used) to `most`.
fn ln_gamma_of_halves(most: usize) -> Vec<f64> {
    let mut table = vec![0.0; most.max(2) + 1];
    // Γ(1/2) = √π, Γ(1) = 1, Γ(x + 1) = x Γ(x).
    table[1] = std::f64::consts::PI.ln() / 2.0;
    for i in 3..table.len() {
        table[i] = table[i - 2] + (i as f64 / 2.0 - 1.0).ln();
    }
    table
}

/// Parallel analysis of the components whose leading eigenvalues are found so.
pub(super) fn parallel(
    faces: Columns<'_>,
    eigenvalues: impl Fn(Columns<'_>) -> Result<Vec<f64>, PcaError>,
) -> Result<usize, PcaError> {
    let found = eigenvalues(faces)?;
    let mut chance = vec![0.0_f64; found.len()];
    for seed in 0..SHUFFLES {
        let shuffled = shuffled(faces, seed);
        let columns = Columns::new(&shuffled, faces.length(), faces.count())
            .expect("as many bytes as there were");
        let values = match eigenvalues(columns) {
            Ok(values) => values,
            // Shuffling may even make all faces alike.
            Err(PcaError::NoVariance(_)) => continue,
            Err(error) => return Err(error),
        };
        for (most, value) in chance.iter_mut().zip(values) {
            *most = most.max(value);
        }
    }
    let above = found
        .iter()
        .zip(&chance)
        .take_while(|(found, chance)| found > chance);
    Ok(above.count().max(1))
}

/// These bytes, those of each pixel shuffled among the faces: each pixel keeps its mean and its variance, and
/// nothing goes with anything else but by chance.
fn shuffled(faces: Columns<'_>, seed: u64) -> Vec<u8> {
    let (d, n) = (faces.length(), faces.count());
    let mut bytes = faces.data().to_vec();
    let mut noise = Noise::seeded(seed);
    for pixel in 0..d {
        for face in (1..n).rev() {
            bytes.swap(face * d + pixel, noise.below(face + 1) * d + pixel);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_gamma_of_halves() {
        let table = ln_gamma_of_halves(10);
        // Γ(5/2) = 3/4 √π, Γ(4) = 6.
        assert!((table[5] - (0.75 * std::f64::consts::PI.sqrt()).ln()).abs() < 1e-14);
        assert!((table[8] - 6.0_f64.ln()).abs() < 1e-14);
    }

    #[test]
    fn shuffling_keeps_what_each_pixel_has() {
        let bytes: Vec<u8> = (0..60).map(|at| (at * 7 % 256) as u8).collect();
        let faces = Columns::new(&bytes, 6, 10).unwrap();
        let shuffled = shuffled(faces, 3);
        assert_ne!(shuffled, bytes);
        for pixel in 0..6 {
            let sorted = |bytes: &[u8]| {
                let mut values: Vec<u8> = bytes.iter().skip(pixel).step_by(6).copied().collect();
                values.sort_unstable();
                values
            };
            assert_eq!(sorted(&shuffled), sorted(&bytes));
        }
    }
}
