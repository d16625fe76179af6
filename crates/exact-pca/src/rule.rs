//! Rules that choose the number of components by the spectrum itself.
//!
//! | rule | keeps | good for |
//! |---|---|---|
//! | [`Rule::Profile`] | the eigenvalues before the steepest step of the scree plot | a few dominant directions; for faces it keeps the light and the pose, and too few to tell people apart |
//! | [`Rule::Parallel`] | eigenvalues above those of faces whose pixels were shuffled | any number of faces; keeps what is more than chance |
//!
//! None knows what the components are for. To recognise faces, 99 % of the variance did best: [`ComponentCount::Auto`].

use nalgebra::DMatrix;

use super::eigen::Noise;
use super::{Accumulator, Columns, ComponentCount, InnerProducts, PcaError};

/// A rule that settles the number of components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The scree plot falls into two groups of eigenvalues, each about normal with a common variance, where this
    /// is most likely (M. Zhu & A. Ghodsi, Comput. Stat. Data Anal. 51, 2006).
    Profile,
    /// Parallel analysis (J. Horn, Psychometrika 30, 1965), by shuffling each pixel among the faces (A. Buja &
    /// N. Eyuboglu, Multivar. Behav. Res. 27, 1992): components are kept up to the first whose eigenvalue is not
    /// above all those of the same rank in [`SHUFFLES`] shuffles, which is a test at the level of 5 %.
    Parallel,
}

/// Shuffles of parallel analysis: the largest of 19 is exceeded by chance in 1 of 20 cases.
pub const SHUFFLES: u64 = 19;
/// The most components that parallel analysis looks at.
pub(super) const MOST_PARALLEL: usize = 512;

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 2] = [Self::Profile, Self::Parallel];

    /// The name that a user types, and files hold.
    pub fn name(self) -> &'static str {
        if self == Self::Profile { "profile" } else { "parallel" }
    }

    /// Number of components of these faces (columns of d bytes, n of them) to keep, at least 1.
    ///
    /// # Errors
    /// Fewer than two faces or no variance.
    pub fn count<'a>(self, faces: impl Into<Columns<'a>>) -> Result<usize, PcaError> {
        let faces = faces.into();
        match self {
            Self::Parallel => parallel(faces, |faces| eigenvalues(faces, ComponentCount::Count(MOST_PARALLEL))),
            Self::Profile => self.count_of(&eigenvalues(faces, ComponentCount::Share(1.0))?),
        }
    }

    /// Number of components to keep of a spectrum: all eigenvalues above zero, decreasing.
    ///
    /// # Errors
    /// [`Rule::Parallel`] cannot be applied to a spectrum alone.
    pub fn count_of(self, spectrum: &[f64]) -> Result<usize, PcaError> {
        if self == Self::Profile { Ok(profile(spectrum)) } else { Err(PcaError::ParallelNeedsFaces) }
    }
}

/// The leading eigenvalues by the route of the shorter side; without eigenfaces.
fn eigenvalues(faces: Columns<'_>, wanted: ComponentCount) -> Result<Vec<f64>, PcaError> {
    if faces.count() <= faces.length() {
        let all: Vec<usize> = (0..faces.count()).collect();
        Ok(InnerProducts::of(faces).fit(&all, wanted)?.eigenvalues())
    } else {
        Ok(Accumulator::of(faces)?.fit(wanted)?.eigenvalues)
    }
}

/// With q values in the first group and p - q in the second, the log-likelihood is -p/2 log s² - (p - 2) / 2 but for a
/// constant, where (p - 2) s² is the sum of squares about the two means: largest where that sum is least.
fn profile(spectrum: &[f64]) -> usize {
    let squares = |group: &[f64]| {
        let mean = group.iter().sum::<f64>() / group.len() as f64;
        group.iter().map(|value| (value - mean).powi(2)).sum::<f64>()
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

/// Parallel analysis of the components whose leading eigenvalues are found so.
pub(super) fn parallel(
    faces: Columns<'_>,
    eigenvalues: impl Fn(Columns<'_>) -> Result<Vec<f64>, PcaError>,
) -> Result<usize, PcaError> {
    let found = eigenvalues(faces)?;
    let mut chance = vec![0.0_f64; found.len()];
    for seed in 0..SHUFFLES {
        let values = match eigenvalues((&shuffled(faces, seed)).into()) {
            Ok(values) => values,
            // Shuffling may even make all faces alike.
            Err(PcaError::NoVariance(_)) => continue,
            Err(error) => return Err(error),
        };
        for (most, value) in chance.iter_mut().zip(values) {
            *most = most.max(value);
        }
    }
    Ok(found.iter().zip(&chance).take_while(|(found, chance)| found > chance).count().max(1))
}

/// These bytes, those of each pixel shuffled among the faces: each pixel keeps its mean and its variance, and
/// nothing goes with anything else but by chance.
fn shuffled(faces: Columns<'_>, seed: u64) -> DMatrix<u8> {
    let (d, n) = (faces.length(), faces.count());
    let mut shuffled = DMatrix::from_column_slice(d, n, faces.data());
    let bytes = shuffled.as_mut_slice();
    let mut noise = Noise::seeded(seed);
    for pixel in 0..d {
        for face in (1..n).rev() {
            bytes.swap(face * d + pixel, noise.below(face + 1) * d + pixel);
        }
    }
    shuffled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffling_keeps_what_each_pixel_has() {
        let bytes: Vec<u8> = (0..60).map(|at| (at * 7 % 256) as u8).collect();
        let faces = Columns::new(&bytes, 6, 10).unwrap();
        let shuffled = shuffled(faces, 3).as_slice().to_vec();
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
