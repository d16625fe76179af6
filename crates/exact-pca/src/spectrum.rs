//! The beginning and end of every route: a scatter matrix's eigenproblem, the part of its spectrum wanted, the components.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::eigen::{self, Eigenpairs, Method, View};
use super::{Columns, ComponentCount, Components, PcaError, Solver, gram, products};

/// A direction whose scatter is below this share of the largest is rounding, not variance.
/// The scatter matrices are correctly rounded from exact integers, so 1e-12 is well above their noise.
pub(crate) const RANK_TOLERANCE: f64 = 1e-12;

/// The same of scatter matrices that were summed in floating point, of so many terms: a bound of the noise of their eigenvalues.
pub(crate) fn rounded_tolerance(terms: usize) -> f64 {
    (terms.max(100) as f64 * f64::EPSILON).min(RANK_TOLERANCE)
}

/// The kept part of the spectrum of a scatter matrix (n - 1 times a covariance).
#[derive(Debug, Clone)]
pub(crate) struct Spectrum {
    /// Scatter along each kept direction, decreasing, all above the rank cut.
    pub scatter: Vec<f64>,
    /// The kept eigenvectors, one column each.
    pub vectors: DMatrix<f64>,
    /// Trace of the scatter matrix.
    pub total: f64,
    /// The largest `‖A v - λ v‖` over the largest eigenvalue.
    pub residual: f64,
}

/// The matrix whose eigenvectors were found, and so how the basis follows from them.
pub(crate) enum Of<'a> {
    /// XcXcᵀ of bytes: they are the basis.
    Scatter,
    /// XcᵀXc of bytes, its rows in this order of the faces: they are mapped back.
    Gram(Columns<'a>, &'a [usize]),
    /// The same two of centred numbers, which are not exact.
    RoundedScatter,
    RoundedGram(View<'a>),
}

impl Spectrum {
    /// k, the number of kept directions.
    pub fn count(&self) -> usize {
        self.scatter.len()
    }

    /// Leaves out all but the leading `k`.
    pub fn truncate(&mut self, k: usize) {
        self.scatter.truncate(k);
        if self.scatter.len() < self.vectors.ncols() {
            self.vectors = self.vectors.columns(0, self.scatter.len()).into_owned();
        }
    }

    /// The variance along each kept direction, for n faces.
    pub fn variances(&self, faces: usize) -> Vec<f64> {
        let freedom = (faces - 1) as f64;
        self.scatter.iter().map(|scatter| scatter / freedom).collect()
    }

    /// The variance over all directions, kept or not, for n faces.
    pub fn total_variance(&self, faces: usize) -> f64 {
        self.total / (faces - 1) as f64
    }

    /// V Λ^(-1/2): combinations of samples that have length 1, where the matrix holds the samples' inner products.
    pub fn coefficients(&self) -> DMatrix<f64> {
        let mut coefficients = self.vectors.clone();
        for (mut column, scatter) in coefficients.column_iter_mut().zip(&self.scatter) {
            column /= scatter.sqrt();
        }
        coefficients
    }

    /// The components of n faces with this mean.
    pub fn components(self, of: Of<'_>, mean: DVector<f64>, n: usize, solver: Solver) -> Result<Components, PcaError> {
        Ok(self.components_and_signs(of, mean, n, solver)?.0)
    }

    /// As [`components`](Self::components), with the sign that each vector was multiplied by: +1 or -1.
    pub fn components_and_signs(
        mut self,
        of: Of<'_>,
        mean: DVector<f64>,
        faces: usize,
        solver: Solver,
    ) -> Result<(Components, Vec<f64>), PcaError> {
        let mut basis = match of {
            Of::Gram(faces, order) => gram::eigenfaces(faces, order, mean.as_slice(), &self)?,
            Of::RoundedGram(centred) => eigen::product(centred, eigen::view(&self.coefficients())),
            Of::Scatter | Of::RoundedScatter => std::mem::replace(&mut self.vectors, DMatrix::zeros(0, 0)),
        };
        if let Of::RoundedGram(_) | Of::RoundedScatter = of {
            products::reorthonormalise(&mut basis)?;
        }
        let signs = fix_signs(&mut basis);
        let (eigenvalues, total_variance) = (self.variances(faces), self.total_variance(faces));
        let components =
            Components { mean, basis, eigenvalues, total_variance, faces, residual: self.residual, solver };
        Ok((components, signs))
    }
}

/// The part of the spectrum of a scatter matrix of n faces that is wanted. The entry of largest magnitude of each eigenvector
/// is positive.
pub(crate) fn solve(
    mut scatter: DMatrix<f64>,
    faces: usize,
    wanted: ComponentCount,
    tolerance: f64,
) -> Result<Spectrum, PcaError> {
    let total = scatter.trace();
    if total <= 0.0 {
        return Err(PcaError::NoVariance(faces));
    }
    let rank = scatter.nrows().min(faces - 1);
    let mut ask = wanted.first_guess(rank);
    let mut found = loop {
        // The solver consumes its matrix; a copy is kept only where another round may follow.
        let last = ask >= rank || !wanted.may_need_more();
        let matrix = if last { std::mem::replace(&mut scatter, DMatrix::zeros(0, 0)) } else { scatter.clone() };
        let pairs =
            eigen::leading(matrix, ask.min(rank), Method::Auto).map_err(|error| PcaError::Eigen(error.to_string()))?;
        if let Some(found) = keep(pairs, rank, total, wanted, tolerance) {
            break found;
        }
        ask *= 2;
    };
    if let ComponentCount::Rule(rule) = wanted {
        found.truncate(rule.count_of(&found.scatter)?);
    }
    fix_signs(&mut found.vectors);
    Ok(found)
}

/// Number of eigenpairs of a matrix of this side to ask of a method good for few; `None` where more may be wanted.
pub(crate) fn few(wanted: ComponentCount, side: usize) -> Option<usize> {
    /// Beyond this share of all pairs a Krylov space is no cheaper than the matrix.
    const FEW: usize = 3;
    let ask = wanted.first_guess(side);
    (!wanted.may_need_more() && ask <= side / FEW).then_some(ask)
}

/// The part of the spectrum that is wanted, or nothing while more of it must be known. At most `rank` eigenvalues are above
/// zero, which what is below this share of the largest is.
pub(crate) fn keep(
    pairs: Eigenpairs,
    rank: usize,
    total: f64,
    wanted: ComponentCount,
    tolerance: f64,
) -> Option<Spectrum> {
    let Eigenpairs { mut values, vectors, residual, .. } = pairs;
    let largest = values.first().copied().unwrap_or(0.0);
    let cut = values.iter().take_while(|&&value| value > tolerance * largest).count();
    let all_known = cut < values.len() || cut >= rank;
    values.truncate(cut);
    let count = wanted.count(&values, total, all_known)?;
    let mut found = Spectrum { scatter: values, vectors, total, residual };
    found.truncate(count);
    Some(found)
}

/// Flips each eigenface so that its pixel of largest magnitude is positive (the first such pixel).
///
/// Returns which were flipped as +1 or -1, for weights that were found beside the basis.
pub(crate) fn fix_signs(basis: &mut DMatrix<f64>) -> Vec<f64> {
    let d = basis.nrows().max(1);
    let signs = basis.as_mut_slice().par_chunks_mut(d).map(|eigenface| {
        let largest = largest_magnitude(eigenface);
        let first = eigenface.iter().find(|value| value.abs() == largest);
        let sign = if first.is_some_and(|&value| value < 0.0) { -1.0 } else { 1.0 };
        if sign < 0.0 {
            eigenface.iter_mut().for_each(|value| *value = -*value);
        }
        sign
    });
    signs.collect()
}

/// In eight lanes, which the compiler keeps in registers.
fn largest_magnitude(values: &[f64]) -> f64 {
    let larger = |most: f64, value: f64| if value.abs() > most { value.abs() } else { most };
    let (groups, rest) = values.as_chunks::<8>();
    let lanes = groups.iter().fold([0.0; 8], |most, group| std::array::from_fn(|i| larger(most[i], group[i])));
    lanes.iter().chain(rest).copied().fold(0.0, larger)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_make_the_largest_pixel_positive() {
        let mut basis = DMatrix::from_column_slice(3, 2, &[0.1, -0.9, 0.2, 0.5, 0.5, -0.1]);
        assert_eq!(fix_signs(&mut basis), vec![-1.0, 1.0]);
        assert_eq!(basis.column(0).as_slice(), &[-0.1, 0.9, -0.2]);
    }
}
