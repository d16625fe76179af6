//! The one place that turns eigenpairs of a scatter matrix into a spectrum: sorted, clipped at zero,
//! cut at the numerical rank and at the wanted count, signs fixed.

use nalgebra::{DMatrix, DVector};

use super::eigen::{self, Choice, Eigenpairs, Wanted};
use super::{Components, PcaError, Solver};

/// How many components to keep.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum ComponentCount {
    /// As many as carry [`AUTO_SHARE`] of the variance, but at most [`AUTO_LIMIT`].
    #[default]
    Auto,
    /// This many (at least 1), or the rank where that is less.
    Count(usize),
    /// The fewest whose eigenvalues sum to this share of the total variance, in (0, 1].
    Share(f64),
}

/// Share of the variance that [`ComponentCount::Auto`] asks for: see docs/RECIPES.md.
pub const AUTO_SHARE: f64 = 0.99;
/// The most components that [`ComponentCount::Auto`] keeps: see docs/RECIPES.md.
pub const AUTO_LIMIT: usize = 400;

/// A direction whose scatter is below this share of the largest is rounding, not variance.
/// The scatter matrices are correctly rounded from exact integers, so 1e-12 is well above their noise.
const RANK_TOLERANCE: f64 = 1e-12;

/// How many eigenpairs are asked for at first where a share decides: all of a matrix up to this side, and
/// so many of a larger one, doubled while too few.
const FIRST_GUESS: usize = 512;

impl std::str::FromStr for ComponentCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "expected `auto`, a count such as 40, or a share of variance such as 0.95".to_string()
        };
        if text == "auto" {
            return Ok(Self::Auto);
        }
        if let Ok(count) = text.parse::<usize>() {
            return if count > 0 {
                Ok(Self::Count(count))
            } else {
                Err(wrong())
            };
        }
        match text.parse::<f64>() {
            Ok(share) if share > 0.0 && share <= 1.0 => Ok(Self::Share(share)),
            _ => Err(wrong()),
        }
    }
}

impl std::fmt::Display for ComponentCount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Share(share) => write!(f, "{share:?}"),
        }
    }
}

impl ComponentCount {
    /// How many of the leading eigenvalues to keep, or `None` while more of them must be known.
    ///
    /// `eigenvalues` are the leading ones in decreasing order, `total` is the sum over all of them.
    fn settle(self, eigenvalues: &[f64], total: f64, all_known: bool) -> Option<usize> {
        let (share, limit) = match self {
            Self::Auto => (AUTO_SHARE, AUTO_LIMIT),
            Self::Count(count) => (f64::INFINITY, count),
            Self::Share(share) => (share, usize::MAX),
        };
        let mut sum = 0.0;
        for (index, value) in eigenvalues.iter().enumerate() {
            sum += value;
            // The tolerance lets a share of 1 stop at the rank although the sum is rounded.
            if index + 1 >= limit || sum >= share * total * (1.0 - 1e-12) {
                return Some(index + 1);
            }
        }
        all_known.then_some(eigenvalues.len())
    }

    /// Whether the first guess may turn out too small.
    fn may_need_more(self) -> bool {
        matches!(self, Self::Share(_))
    }

    fn first_guess(self, side: usize) -> usize {
        match self {
            Self::Auto => AUTO_LIMIT,
            Self::Count(count) => count,
            Self::Share(_) => FIRST_GUESS,
        }
        .min(side)
    }
}

/// The kept part of the spectrum of a scatter matrix (n - 1 times a covariance).
pub(crate) struct Spectrum {
    /// Scatter along each kept direction, decreasing, all above the rank cut.
    pub scatter: Vec<f64>,
    /// The eigenvectors, one column each.
    pub vectors: DMatrix<f64>,
    /// Trace of the scatter matrix.
    pub total: f64,
    /// The largest `‖A v - λ v‖` over the largest eigenvalue.
    pub residual: f64,
}

impl Spectrum {
    /// The components of n faces with this mean, where the vectors are eigenfaces (d x k).
    pub(super) fn into_components(
        self,
        mean: DVector<f64>,
        faces: usize,
        solver: Solver,
    ) -> Components {
        let mut basis = self.vectors;
        fix_signs(&mut basis);
        let freedom = (faces - 1) as f64;
        Components {
            mean,
            basis,
            eigenvalues: self
                .scatter
                .iter()
                .map(|scatter| scatter / freedom)
                .collect(),
            total_variance: self.total / freedom,
            faces,
            residual: self.residual,
            solver,
        }
    }
}

/// Solves the eigenproblem of a scatter matrix for as many components as `wanted` settles on.
///
/// `observations` is n: centred faces span at most n - 1 directions.
pub(crate) fn solve(
    scatter: DMatrix<f64>,
    observations: usize,
    wanted: ComponentCount,
) -> Result<Spectrum, PcaError> {
    let total = scatter.trace();
    if total <= 0.0 {
        return Err(PcaError::NoVariance(observations));
    }
    let side = scatter.nrows();
    let bound = side.min(observations - 1);
    let mut scatter = Some(scatter);
    let mut ask = wanted.first_guess(bound);
    loop {
        // The solver consumes its matrix; a copy is kept only where another round may follow.
        let (matrix, spare) = if ask < bound && wanted.may_need_more() {
            (scatter.clone(), scatter)
        } else {
            (scatter, None)
        };
        let matrix = matrix.expect("kept while another round may follow");
        let pairs = eigen::leading(matrix, Wanted::Leading(ask), Choice::Auto)
            .map_err(|error| PcaError::Eigen(error.to_string()))?;
        if let Some(found) = keep(&pairs, total, wanted, spare.is_none()) {
            return Ok(found);
        }
        scatter = spare;
        ask = (ask * 2).min(bound);
    }
}

/// How many components of a matrix of this side may be wanted, before any is known.
pub(super) fn guess(wanted: ComponentCount, side: usize) -> usize {
    wanted.first_guess(side)
}

/// How many eigenpairs to ask of a method that is good for few of them only; `None` where more may be
/// wanted. `side` is that of the matrix.
pub(super) fn few(wanted: ComponentCount, side: usize) -> Option<usize> {
    /// Beyond this share of all pairs a Krylov space is no cheaper than the matrix.
    const FEW: usize = 3;
    let ask = wanted.first_guess(side);
    (!wanted.may_need_more() && ask <= side / FEW).then_some(ask)
}

/// The part of the spectrum that is wanted, or nothing while more of it must be known.
pub(super) fn keep(
    pairs: &Eigenpairs,
    total: f64,
    wanted: ComponentCount,
    all_known: bool,
) -> Option<Spectrum> {
    let cut = rank_cut(pairs);
    let all_known = all_known || cut < pairs.values.len();
    let keep = wanted.settle(&pairs.values[..cut], total, all_known)?;
    Some(Spectrum {
        scatter: pairs.values[..keep].to_vec(),
        vectors: pairs.vectors.columns(0, keep).into_owned(),
        total,
        residual: pairs.residual,
    })
}

/// How many of the pairs carry variance beyond rounding.
fn rank_cut(pairs: &Eigenpairs) -> usize {
    let largest = pairs.values.first().copied().unwrap_or(0.0);
    pairs
        .values
        .iter()
        .take_while(|&&value| value > RANK_TOLERANCE * largest)
        .count()
}

/// Flips each eigenface so that its pixel of largest magnitude is positive (the first such pixel).
///
/// Returns which were flipped as +1 or -1, for weights that were found beside the basis.
pub(crate) fn fix_signs(basis: &mut DMatrix<f64>) -> Vec<f64> {
    basis
        .column_iter_mut()
        .map(|mut eigenface| {
            let largest = eigenface.iter().fold(0.0_f64, |best, &value| {
                if value.abs() > best.abs() {
                    value
                } else {
                    best
                }
            });
            let sign = if largest < 0.0 { -1.0 } else { 1.0 };
            if sign < 0.0 {
                eigenface.neg_mut();
            }
            sign
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_parse_as_documented() {
        assert_eq!("auto".parse(), Ok(ComponentCount::Auto));
        assert_eq!("40".parse(), Ok(ComponentCount::Count(40)));
        assert_eq!("0.95".parse(), Ok(ComponentCount::Share(0.95)));
        assert_eq!("1.0".parse(), Ok(ComponentCount::Share(1.0)));
        for wrong in ["0", "-3", "1.5", "0.0", "nan", "inf", "many", ""] {
            assert!(
                wrong.parse::<ComponentCount>().is_err(),
                "{wrong} was accepted"
            );
        }
    }

    #[test]
    fn counts_print_as_they_parse() {
        for text in ["auto", "7", "0.9", "1.0"] {
            assert_eq!(text.parse::<ComponentCount>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_share_is_of_the_total_and_not_of_the_known_part() {
        let known = [6.0, 3.0];
        assert_eq!(
            ComponentCount::Share(0.5).settle(&known, 10.0, false),
            Some(1)
        );
        assert_eq!(
            ComponentCount::Share(0.9).settle(&known, 10.0, false),
            Some(2)
        );
        assert_eq!(
            ComponentCount::Share(0.95).settle(&known, 10.0, false),
            None
        );
        assert_eq!(
            ComponentCount::Share(0.95).settle(&known, 10.0, true),
            Some(2)
        );
        assert_eq!(
            ComponentCount::Count(1).settle(&known, 10.0, false),
            Some(1)
        );
    }

    #[test]
    fn signs_make_the_largest_pixel_positive() {
        let mut basis = DMatrix::from_column_slice(3, 2, &[0.1, -0.9, 0.2, 0.5, 0.5, -0.1]);
        assert_eq!(fix_signs(&mut basis), vec![-1.0, 1.0]);
        assert_eq!(basis.column(0).as_slice(), &[-0.1, 0.9, -0.2]);
    }
}
