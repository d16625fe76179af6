//! The one place that turns eigenpairs of a scatter matrix into a spectrum: sorted, clipped at zero,
//! cut at the numerical rank and at the wanted count, signs fixed.

use nalgebra::{DMatrix, DVector};

use rayon::prelude::*;

use super::component_count::rank_cut;
use super::eigen::{self, Choice, Eigenpairs, Wanted};
use super::{ComponentCount, Components, PcaError, Solver};

/// The kept part of the spectrum of a scatter matrix (n - 1 times a covariance).
#[derive(Debug, Clone)]
pub(super) struct Spectrum {
    /// Scatter along each kept direction, decreasing, all above the rank cut.
    pub scatter: Vec<f64>,
    /// The kept eigenvectors, one column each.
    pub vectors: DMatrix<f64>,
    /// Trace of the scatter matrix.
    pub total: f64,
    /// The largest `‖A v - λ v‖` over the largest eigenvalue.
    pub residual: f64,
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

    /// Cuts the whole spectrum as the rule says, if that is what is wanted.
    pub fn apply(&mut self, wanted: ComponentCount) -> Result<(), PcaError> {
        if let ComponentCount::Rule(rule) = wanted {
            self.truncate(rule.settle(&self.scatter)?);
        }
        Ok(())
    }

    /// The components of n faces with this mean and these eigenfaces (d x k), whose signs have been fixed.
    pub fn components(
        &self,
        mean: DVector<f64>,
        basis: DMatrix<f64>,
        faces: usize,
        solver: Solver,
    ) -> Components {
        let freedom = (faces - 1) as f64;
        let scatter = self.scatter.iter();
        Components {
            mean,
            basis,
            eigenvalues: scatter.map(|scatter| scatter / freedom).collect(),
            total_variance: self.total / freedom,
            faces,
            residual: self.residual,
            solver,
        }
    }
}

/// Solves the eigenproblem of a scatter matrix, whose rank is at most `rank`, for as many components as `wanted` settles on.
/// `faces` are how many there were, for the message where they have no variance.
pub(super) fn solve(
    mut scatter: DMatrix<f64>,
    rank: usize,
    faces: usize,
    wanted: ComponentCount,
) -> Result<Spectrum, PcaError> {
    let total = scatter.trace();
    if total <= 0.0 {
        return Err(PcaError::NoVariance(faces));
    }
    let first = wanted.first_guess(rank);
    let mut ask = first;
    loop {
        // The solver consumes its matrix; a copy is kept only where another round may follow.
        let last = ask >= rank || ask >= first && !wanted.may_need_more();
        let matrix = match last {
            true => std::mem::replace(&mut scatter, DMatrix::zeros(0, 0)),
            false => scatter.clone(),
        };
        let pairs = eigen::leading(matrix, Wanted::Leading(ask.min(rank)), Choice::Auto)
            .map_err(|error| PcaError::Eigen(error.to_string()))?;
        if let Some(found) = keep(pairs, rank, total, wanted) {
            return Ok(found);
        }
        ask *= 2;
    }
}

/// Number of eigenpairs to ask of a method that is good for few of them only; `None` where more may be
/// wanted. `side` is that of the matrix.
pub(super) fn few(wanted: ComponentCount, side: usize) -> Option<usize> {
    /// Beyond this share of all pairs a Krylov space is no cheaper than the matrix.
    const FEW: usize = 3;
    let ask = wanted.first_guess(side);
    (!wanted.may_need_more() && ask <= side / FEW).then_some(ask)
}

/// The part of the spectrum that is wanted, or nothing while more of it must be known. At most `rank` eigenvalues are above
/// zero.
pub(super) fn keep(
    pairs: Eigenpairs,
    rank: usize,
    total: f64,
    wanted: ComponentCount,
) -> Option<Spectrum> {
    let Eigenpairs {
        mut values,
        vectors,
        residual,
        ..
    } = pairs;
    let largest = values.first().copied().unwrap_or(0.0);
    let cut = rank_cut(&values, largest);
    let all_known = cut < values.len() || cut >= rank;
    values.truncate(cut);
    let count = wanted.settle(&values, total, all_known)?;
    let mut found = Spectrum {
        scatter: values,
        vectors,
        total,
        residual,
    };
    found.truncate(count);
    Some(found)
}

/// Flips each eigenface so that its pixel of largest magnitude is positive (the first such pixel).
///
/// Returns which were flipped as +1 or -1, for weights that were found beside the basis.
pub(super) fn fix_signs(basis: &mut DMatrix<f64>) -> Vec<f64> {
    let d = basis.nrows().max(1);
    basis
        .as_mut_slice()
        .par_chunks_mut(d)
        .map(|eigenface| {
            let largest = largest_magnitude(eigenface);
            let first = eigenface.iter().find(|value| value.abs() == largest);
            let sign = if first.is_some_and(|&value| value < 0.0) {
                -1.0
            } else {
                1.0
            };
            if sign < 0.0 {
                eigenface.iter_mut().for_each(|value| *value = -*value);
            }
            sign
        })
        .collect()
}

/// In eight lanes, which the compiler keeps in registers.
fn largest_magnitude(values: &[f64]) -> f64 {
    let larger = |most: f64, value: f64| {
        if value.abs() > most {
            value.abs()
        } else {
            most
        }
    };
    let (groups, rest) = values.as_chunks::<8>();
    let lanes = groups.iter().fold([0.0; 8], |most, group| {
        std::array::from_fn(|i| larger(most[i], group[i]))
    });
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
