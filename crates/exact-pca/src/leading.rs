//! Principal components by the leading eigenpairs of a scatter matrix that does not come from exact integers.

use nalgebra::{DMatrix, DVector};

use super::spectrum::{self, Spectrum};
use super::{ComponentCount, Components, PcaError, Solver, eigen, products};

/// The leading eigenpairs of a scatter matrix.
pub(crate) struct Leading {
    spectrum: Spectrum,
    /// side x k; the entry of largest magnitude of each column is positive.
    vectors: DMatrix<f64>,
    /// n, the samples.
    samples: usize,
}

impl Leading {
    /// As many eigenpairs of a scatter matrix as `wanted` settles on, for n samples.
    pub fn of(scatter: DMatrix<f64>, wanted: ComponentCount, n: usize) -> Result<Self, PcaError> {
        let rank = scatter.nrows().min(n - 1);
        let mut spectrum = spectrum::solve(scatter, rank, n, wanted)?;
        spectrum.apply(wanted)?;
        let mut vectors = std::mem::replace(&mut spectrum.vectors, DMatrix::zeros(0, 0));
        spectrum::fix_signs(&mut vectors);
        Ok(Self {
            spectrum,
            vectors,
            samples: n,
        })
    }

    /// The scatter along each vector, decreasing, all above the rank cut.
    pub fn scatter(&self) -> &[f64] {
        &self.spectrum.scatter
    }

    /// The scatter over all directions, kept or not.
    pub fn total(&self) -> f64 {
        self.spectrum.total
    }

    /// The vectors over the roots of their scatter: the combinations of samples (side x k) that have length 1, where the
    /// matrix holds the samples' inner products.
    pub fn coefficients(&self) -> DMatrix<f64> {
        let mut coefficients = self.vectors.clone();
        for (mut column, scatter) in coefficients.column_iter_mut().zip(self.scatter()) {
            column /= scatter.sqrt();
        }
        coefficients
    }

    /// The components of centred samples (d x n) by their Gram matrix, n x n.
    pub fn by_gram(
        centred: eigen::View<'_>,
        mean: DVector<f64>,
        wanted: ComponentCount,
    ) -> Result<Components, PcaError> {
        let gram = eigen::inner_product(centred, centred);
        let found = Self::of(gram, wanted, centred.ncols())?;
        let basis = eigen::product(centred, eigen::view(&found.coefficients()));
        found.components(mean, basis, Solver::Gram)
    }

    /// The components of n samples with this mean by their covariance, times n - 1: d x d.
    pub fn by_covariance(
        scatter: DMatrix<f64>,
        mean: DVector<f64>,
        wanted: ComponentCount,
        n: usize,
    ) -> Result<Components, PcaError> {
        let found = Self::of(scatter, wanted, n)?;
        let basis = found.vectors.clone();
        found.components(mean, basis, Solver::Covariance)
    }

    /// Components with this basis (d x k), which is made orthonormal, and its signs fixed.
    fn components(
        self,
        mean: DVector<f64>,
        mut basis: DMatrix<f64>,
        solver: Solver,
    ) -> Result<Components, PcaError> {
        products::reorthonormalise(&mut basis)
            .map_err(|error| PcaError::Eigen(error.to_string()))?;
        spectrum::fix_signs(&mut basis);
        Ok(self.spectrum.components(mean, basis, self.samples, solver))
    }
}
