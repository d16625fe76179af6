//! The one place that turns eigenpairs of a scatter matrix into a spectrum: sorted, clipped at zero,
//! cut at the numerical rank and at the wanted count, signs fixed.

use nalgebra::{DMatrix, DVector};

use rayon::prelude::*;

use super::component_count::rank_cut;
use super::eigen::{self, Choice, Eigenpairs, Wanted};
use super::{ComponentCount, Components, Mirror, Parity, PcaError, Solver};

/// A scatter matrix, or one of the blocks into which symmetry takes it apart.
pub(super) struct Block {
    pub scatter: DMatrix<f64>,
    /// Its rank is at most this.
    pub rank: usize,
    /// Parity of this block's eigenfaces in the mirror, if there is one.
    pub parity: Option<Parity>,
}

/// The kept part of the spectrum of a scatter matrix (n - 1 times a covariance).
#[derive(Debug, Clone)]
pub(super) struct Spectrum {
    /// Scatter along each kept direction, decreasing, all above the rank cut.
    pub scatter: Vec<f64>,
    /// The block from which each comes: its first kept vector, then its second, ...
    pub members: Vec<usize>,
    /// The kept eigenvectors of each block, one column each, decreasing.
    pub vectors: Vec<DMatrix<f64>>,
    /// Parity of each block's eigenfaces in the mirror.
    pub parity: Vec<Option<Parity>>,
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
        self.members.truncate(k);
        for (block, vectors) in self.vectors.iter_mut().enumerate() {
            let kept = self.members.iter().filter(|&&of| of == block).count();
            if kept < vectors.ncols() {
                *vectors = vectors.columns(0, kept).into_owned();
            }
        }
    }

    /// Cuts the whole spectrum of n faces of d pixels as the rule says, if that is what is wanted.
    pub fn apply(&mut self, wanted: ComponentCount, n: usize, d: usize) -> Result<(), PcaError> {
        if let ComponentCount::Rule(rule) = wanted {
            self.truncate(rule.settle(&self.scatter, n, d)?);
        }
        Ok(())
    }

    /// Block and column of each kept vector, in decreasing order of scatter.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut next = vec![0; self.vectors.len()];
        self.members.iter().map(move |&block| {
            next[block] += 1;
            (block, next[block] - 1)
        })
    }

    /// The parity of each kept direction.
    pub fn parities(&self) -> Option<Vec<Parity>> {
        self.members
            .iter()
            .map(|&block| self.parity[block])
            .collect()
    }

    /// The vectors of the even and the odd block, given in free numbers, as faces (d x k).
    pub fn unfolded(&self, mirror: &Mirror, folded: &[DMatrix<f64>]) -> DMatrix<f64> {
        let parities = self.parities().unwrap_or_default();
        let mut basis = DMatrix::zeros(mirror.length(), parities.len());
        let places = basis.column_iter_mut().zip(self.places()).zip(parities);
        for ((mut column, (block, at)), parity) in places {
            column.copy_from(&mirror.unfold(folded[block].column(at).as_slice(), parity));
        }
        basis
    }

    /// The components of n faces with this mean and these eigenfaces (d x k), whose signs have been fixed.
    pub fn components(
        &self,
        mean: DVector<f64>,
        basis: DMatrix<f64>,
        faces: usize,
        solver: Solver,
    ) -> Components {
        let parity = self.parities();
        let observations = match parity {
            Some(_) => 2 * faces,
            None => faces,
        };
        let freedom = (observations - 1) as f64;
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
            parity,
            residual: self.residual,
            solver,
        }
    }
}

/// Solves the eigenproblem of a scatter matrix, whole or in blocks, for as many components as `wanted` settles
/// on. `faces` are how many there were, for the message where they have no variance.
pub(super) fn solve(
    mut blocks: Vec<Block>,
    faces: usize,
    wanted: ComponentCount,
) -> Result<Spectrum, PcaError> {
    let total = blocks.iter().map(|block| block.scatter.trace()).sum();
    if total <= 0.0 {
        return Err(PcaError::NoVariance(faces));
    }
    let parity: Vec<_> = blocks.iter().map(|block| block.parity).collect();
    let most = blocks.iter().map(|block| block.rank).max().unwrap_or(0);
    let whole = wanted.first_guess(blocks.iter().map(|block| block.rank).sum());
    let mut ask = match blocks.len() {
        1 => whole,
        // The leading pairs divide about evenly between the blocks; of few, one may have the most.
        _ => whole.min(whole * 5 / 8 + 8),
    };
    loop {
        // The solver consumes its matrix; a copy is kept only where another round may follow.
        let last = ask >= most || ask >= whole && !wanted.may_need_more();
        let pairs: Vec<Eigenpairs> = blocks
            .par_iter_mut()
            .map(|block| {
                let matrix = if last {
                    std::mem::replace(&mut block.scatter, DMatrix::zeros(0, 0))
                } else {
                    block.scatter.clone()
                };
                let ask = Wanted::Leading(ask.min(block.rank));
                eigen::leading(matrix, ask, Choice::Auto)
            })
            .collect::<Result<_, _>>()
            .map_err(|error| PcaError::Eigen(error.to_string()))?;
        let ranks: Vec<usize> = blocks.iter().map(|block| block.rank).collect();
        if let Some(found) = keep(pairs, &ranks, &parity, total, wanted) {
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

/// The part of the spectrum that is wanted, or nothing while more of it must be known. Each block has at most
/// `ranks` eigenvalues above zero.
pub(super) fn keep(
    pairs: Vec<Eigenpairs>,
    ranks: &[usize],
    parity: &[Option<Parity>],
    total: f64,
    wanted: ComponentCount,
) -> Option<Spectrum> {
    let largest = pairs
        .iter()
        .filter_map(|pairs| pairs.values.first())
        .fold(0.0_f64, |most, &value| most.max(value));
    let mut all: Vec<(f64, usize)> = Vec::new();
    // Below this, another block may hold a larger eigenvalue, not computed yet.
    let mut sure = 0.0_f64;
    for (block, (pairs, &rank)) in pairs.iter().zip(ranks).enumerate() {
        let cut = rank_cut(&pairs.values, largest);
        all.extend(pairs.values[..cut].iter().map(|&value| (value, block)));
        if let Some(&last) = pairs.values.last()
            && cut == pairs.values.len()
            && cut < rank
        {
            sure = sure.max(last);
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let known = all.into_iter().take_while(|&(value, _)| value >= sure);
    let (scatter, members): (Vec<f64>, Vec<usize>) = known.unzip();
    let count = wanted.settle(&scatter, total, sure == 0.0)?;
    let residual = pairs
        .iter()
        .map(|pairs| pairs.residual * pairs.values.first().map_or(0.0, |first| first.abs()))
        .fold(0.0, f64::max);
    let mut found = Spectrum {
        scatter,
        members,
        vectors: pairs.into_iter().map(|pairs| pairs.vectors).collect(),
        parity: parity.to_vec(),
        total,
        residual: residual / largest,
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
