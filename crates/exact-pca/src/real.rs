//! Principal components of numbers that are no bytes, for programs that have other data than photos; and the plain
//! linear algebra of a fitted basis in double precision, for bytes and for numbers.
//!
//! What the kernels do exactly for bytes is done here in f64: centring first, then the smaller of the two scatter matrices, then
//! the same eigenproblem, cut of the rank and signs as everywhere. The bits do not depend on the number of threads, but on the
//! order of the samples, and are right to rounding only. Whole numbers from 0 to 255 are bytes: see [`Samples::to_bytes`].

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::eigen::{self, View};
use super::products::CentredFaces;
use super::spectrum::{self, Of};
use super::{Accumulator, Columns, ComponentCount, Components, PcaError, ShapeError, Solver};

/// n samples of d numbers.
pub type Samples<'a> = Columns<'a, f64>;

impl Columns<'_, f64> {
    /// These samples as bytes, where every number is a whole one from 0 to 255: then [`Pca`](super::Pca) learns from them exactly.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let byte = |&number: &f64| {
            // What is no byte comes back as another number, and NaN as 0.
            let byte = number as u8;
            (f64::from(byte) == number).then_some(byte)
        };
        self.data().iter().map(byte).collect()
    }

    /// The mean of each of the d numbers. Where all samples have the same number, exactly that one.
    fn mean(&self) -> DVector<f64> {
        let Some((first, rest)) = self.data().split_at_checked(self.length()) else {
            return DVector::zeros(self.length());
        };
        let mut sums = vec![(0.0, true); self.length()];
        for sample in rest.chunks_exact(self.length().max(1)) {
            for ((sum, is_same), (number, first)) in sums.iter_mut().zip(sample.iter().zip(first)) {
                // From the first, so that what is far from zero and varies little is not rounded away.
                *sum += number - first;
                *is_same &= number == first;
            }
        }
        let n = self.count() as f64;
        let mean =
            sums.iter().zip(first).map(|((sum, is_same), first)| if *is_same { *first } else { first + sum / n });
        DVector::from_iterator(self.length(), mean)
    }

    /// X - m 1ᵀ, d x n.
    fn centred(&self, mean: &[f64]) -> DMatrix<f64> {
        let mut centred = DMatrix::from_column_slice(self.length(), self.count(), self.data());
        centred.as_mut_slice().par_chunks_mut(self.length().max(1)).for_each(|sample| {
            sample.iter_mut().zip(mean).for_each(|(number, mean)| *number -= mean);
        });
        centred
    }
}

/// Learns the principal components of the samples. `Gram` and `Covariance` are the routes; `Auto` and the others take the
/// cheaper of the two, and [`Components::solver`] says which.
///
/// # Errors
/// Fewer than two samples, samples that are all alike, numbers that are not finite, and
/// [`Rule::Parallel`](super::Rule::Parallel), which shuffles bytes.
pub fn fit(samples: Samples<'_>, wanted: ComponentCount, solver: Solver) -> Result<Components, PcaError> {
    let (d, n) = (samples.length(), samples.count());
    PcaError::refuse_too_few(n)?;
    if wanted.needs_faces() {
        return Err(PcaError::ParallelNeedsBytes);
    }
    let mean = samples.mean();
    let centred = samples.centred(mean.as_slice());
    let solver = match solver {
        Solver::Gram | Solver::Covariance => solver,
        _ if n <= d => Solver::Gram,
        _ => Solver::Covariance,
    };
    let view = eigen::view(&centred);
    if solver == Solver::Gram {
        return by_gram(view, mean, wanted);
    }
    Accumulator::check_pixels(d)?;
    let mut scatter = eigen::product(view, eigen::view(&centred.transpose()));
    // A product of this form is symmetric but for rounding.
    scatter.fill_lower_triangle_with_upper_triangle();
    let tolerance = spectrum::rounded_tolerance(n);
    spectrum::solve(scatter, n, wanted, tolerance)?.components(Of::RoundedScatter, mean, n, Solver::Covariance)
}

/// The components of centred numbers (d x n) by their Gram matrix.
pub(crate) fn by_gram(centred: View<'_>, mean: DVector<f64>, wanted: ComponentCount) -> Result<Components, PcaError> {
    let n = centred.ncols();
    let tolerance = spectrum::rounded_tolerance(centred.nrows());
    let found = spectrum::solve(eigen::inner_product(centred, centred), n, wanted, tolerance)?;
    found.components(Of::RoundedGram(centred), mean, n, Solver::Gram)
}

/// A mean and a basis that were learned, as they lie in memory.
#[derive(Debug, Clone, Copy)]
pub struct Basis<'a> {
    mean: &'a [f64],
    /// k vectors of d numbers, one after the other.
    vectors: &'a [f64],
}

impl<'a> Basis<'a> {
    /// A basis of whole vectors, each as long as the mean.
    ///
    /// # Errors
    /// If the sizes do not fit together.
    pub fn new(mean: &'a [f64], vectors: &'a [f64]) -> Result<Self, ShapeError> {
        let whole = vectors.len() - vectors.len().checked_rem(mean.len()).unwrap_or(0);
        ShapeError::unless_equal("numbers of the basis", whole, vectors.len())?;
        Ok(Self { mean, vectors })
    }

    fn view(&self) -> View<'a> {
        eigen::columns(self.vectors, self.mean.len())
    }

    /// k, the number of vectors.
    pub fn count(&self) -> usize {
        self.vectors.len().checked_div(self.mean.len()).unwrap_or(0)
    }

    /// The weights Uᵀ(x - m) of samples, k x n.
    ///
    /// # Errors
    /// Samples of another length.
    pub fn weights(&self, samples: Samples<'_>) -> Result<DMatrix<f64>, ShapeError> {
        ShapeError::unless_equal("numbers of a sample", self.mean.len(), samples.length())?;
        Ok(eigen::inner_product(self.view(), eigen::view(&samples.centred(self.mean))))
    }

    /// The weights Uᵀ(x - m) of faces, k x n, without a copy of all faces in floating point.
    ///
    /// # Errors
    /// Faces of another length.
    pub fn weights_of_bytes(&self, faces: Columns<'_>) -> Result<DMatrix<f64>, ShapeError> {
        ShapeError::unless_equal("pixels of a face", self.mean.len(), faces.length())?;
        let order: Vec<usize> = (0..faces.count()).collect();
        let mut weights = DMatrix::zeros(faces.count(), self.count());
        CentredFaces::new(faces, self.mean, &order).transpose_times(self.view(), eigen::view_mut(&mut weights));
        Ok(weights.transpose())
    }

    /// m 1ᵀ + U W (d x n): samples rebuilt from their weights (k each, one after the other).
    ///
    /// # Errors
    /// Weights of another number.
    pub fn rebuilt(&self, weights: Samples<'_>) -> Result<DMatrix<f64>, ShapeError> {
        ShapeError::unless_equal("weights of a sample", self.count(), weights.length())?;
        let mut rebuilt = DMatrix::zeros(self.mean.len(), weights.count());
        for mut sample in rebuilt.column_iter_mut() {
            sample.copy_from_slice(self.mean);
        }
        let (basis, weights) = (self.view(), eigen::columns(weights.data(), weights.length()));
        eigen::par_add_product(eigen::view_mut(&mut rebuilt), basis, weights, 1.0);
        Ok(rebuilt)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Pca;
    use super::*;

    /// Numbers that look random, the same at each run.
    fn numbers(count: usize) -> Vec<f64> {
        eigen::Noise::seeded(11).take(count).collect()
    }

    fn close(a: &DMatrix<f64>, b: &DMatrix<f64>, tolerance: f64) {
        assert_eq!(a.shape(), b.shape());
        assert!((a - b).amax() <= tolerance, "{}", (a - b).amax());
    }

    #[test]
    fn both_routes_agree_with_a_plain_covariance() {
        for (d, n) in [(7, 40), (40, 7), (1, 5), (12, 12)] {
            let numbers = numbers(d * n);
            let samples = Samples::new(&numbers, d, n).unwrap();
            let [gram, covariance] = [Solver::Gram, Solver::Covariance]
                .map(|solver| fit(samples, ComponentCount::Share(1.0), solver).unwrap());
            assert_eq!(gram.count(), d.min(n - 1));
            let plain = DMatrix::from_column_slice(d, n, &numbers);
            let centred = &plain - plain.column_mean() * DMatrix::from_element(1, n, 1.0);
            let expected = &centred * centred.transpose() / (n - 1) as f64;
            for found in [&gram, &covariance] {
                let values = DMatrix::from_diagonal(&DVector::from_row_slice(&found.eigenvalues));
                let rebuilt = &found.basis * values * found.basis.transpose();
                close(&rebuilt, &expected, 1e-12);
                assert!((found.total_variance - expected.trace()).abs() < 1e-12);
            }
            close(&gram.basis, &covariance.basis, 1e-6);
        }
    }

    #[test]
    fn bytes_as_numbers_give_what_bytes_give() {
        let (d, n) = (30, 20);
        let bytes: Vec<u8> = numbers(d * n).iter().map(|x| (x * 127.0 + 128.0) as u8).collect();
        let numbers: Vec<f64> = bytes.iter().map(|&byte| f64::from(byte)).collect();
        let samples = Samples::new(&numbers, d, n).unwrap();
        assert_eq!(samples.to_bytes().unwrap(), bytes);
        let columns = Columns::new(&bytes, d, n).unwrap();
        let pca = Pca { components: ComponentCount::Count(5), solver: Solver::Auto };
        let exact = pca.fit(columns).unwrap();
        let rounded = fit(samples, pca.components, pca.solver).unwrap();
        close(&exact.basis, &rounded.basis, 1e-9);
        for (a, b) in exact.eigenvalues.iter().zip(&rounded.eigenvalues) {
            assert!((a - b).abs() <= 1e-9 * exact.eigenvalues[0]);
        }
        let basis = Basis::new(exact.mean.as_slice(), exact.basis.as_slice()).unwrap();
        let weights = basis.weights(samples).unwrap();
        close(&weights, &basis.weights_of_bytes(columns).unwrap(), 1e-9);
        let all = fit(samples, ComponentCount::Share(1.0), Solver::Auto).unwrap();
        let basis = Basis::new(all.mean.as_slice(), all.basis.as_slice()).unwrap();
        let weights = basis.weights(samples).unwrap();
        let weights = Samples::new(weights.as_slice(), all.count(), n).unwrap();
        let rebuilt = basis.rebuilt(weights).unwrap();
        close(&rebuilt, &DMatrix::from_column_slice(d, n, &numbers), 1e-9);
    }

    #[test]
    fn what_has_no_components_is_an_error() {
        let fit = |numbers: &[f64], d, n| {
            let samples = Samples::new(numbers, d, n).unwrap();
            fit(samples, ComponentCount::Auto, Solver::Auto)
        };
        assert_eq!(fit(&[1.0, 2.0], 2, 1), Err(PcaError::TooFewFaces(1)));
        assert_eq!(fit(&[0.1; 9], 3, 3), Err(PcaError::NoVariance(3)));
        assert_eq!(fit(&[], 0, 3), Err(PcaError::NoVariance(3)));
        for odd in [f64::NAN, f64::INFINITY, 1e300] {
            assert!(fit(&[1.0, odd, 2.0, -odd], 2, 2).is_err(), "{odd}");
        }
        assert!(Samples::new(&[1.0; 5], 2, 2).is_none());
        for odd in [-1.0, 255.5, 256.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Samples::new(&[odd], 1, 1).unwrap().to_bytes(), None);
        }
        let other = [1.0; 3];
        let basis = Basis::new(&other, &other).unwrap();
        assert!(basis.weights(Samples::new(&[1.0; 4], 4, 1).unwrap()).is_err());
        assert!(basis.rebuilt(Samples::new(&[1.0; 4], 4, 1).unwrap()).is_err());
        assert!(Basis::new(&other, &[1.0; 4]).is_err());
    }
}
