//! A lower triangular map of the weights, in blocks that have nothing to do with each other.

use crate::vectors::vectorised_mut;
use nalgebra::DMatrix;

use super::FACES;

/// Weights that are transformed together, apart from all others.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Triangle {
    /// Which weights, increasing (m).
    pub members: Vec<usize>,
    /// m x m, lower triangular.
    pub matrix: DMatrix<f64>,
}

impl Triangle {
    /// Transforms its members among the weights of a few faces, k each.
    pub fn apply(&self, weights: &[f32], scaled: &mut [f64], k: usize) {
        let m = self.members.len();
        let mut own = [vec![0.0; m * FACES], vec![0.0; m * FACES]];
        let [given, found] = &mut own;
        for (weights, given) in weights.chunks(k).zip(given.chunks_mut(m)) {
            for (value, &at) in given.iter_mut().zip(&self.members) {
                *value = f64::from(weights[at]);
            }
        }
        let faces = weights.len() / k;
        vectorised_mut(
            #[inline(always)]
            || {
                for (at, column) in self.matrix.column_iter().enumerate() {
                    let factors = &column.as_slice()[at..];
                    for (given, found) in given.chunks(m).zip(found.chunks_mut(m)).take(faces) {
                        let weight = given[at];
                        for (value, &factor) in found[at..].iter_mut().zip(factors) {
                            *value += weight * factor;
                        }
                    }
                }
            },
        );
        for (scaled, found) in scaled.chunks_mut(k).zip(found.chunks(m)) {
            for (&value, &at) in found.iter().zip(&self.members) {
                scaled[at] = value;
            }
        }
    }
}

/// A lower triangular matrix taken apart into blocks of weights that have nothing to do with each other; those that
/// have to do with nothing else stand in one block together.
pub(super) fn triangles(matrix: &DMatrix<f64>) -> Vec<Triangle> {
    let k = matrix.nrows();
    // The first weight of the block of each, as far as is known.
    let mut first: Vec<usize> = (0..k).collect();
    for at in 0..k {
        for row in at + 1..k {
            let (one, other) = (first[at], first[row]);
            if matrix[(row, at)] != 0.0 && one != other {
                let joined = one.min(other);
                let either = first.iter_mut().filter(|of| **of == one || **of == other);
                either.for_each(|of| *of = joined);
            }
        }
    }
    let mut sizes = vec![0; k];
    first.iter().for_each(|&block| sizes[block] += 1);
    let block_of = |at: usize| (sizes[first[at]] > 1).then_some(first[at]);
    let mut blocks: Vec<(Option<usize>, Vec<usize>)> = Vec::new();
    for at in 0..k {
        let block = block_of(at);
        match blocks.iter_mut().find(|(known, _)| *known == block) {
            Some((_, members)) => members.push(at),
            None => blocks.push((block, vec![at])),
        }
    }
    let triangle = |(_, members): (_, Vec<usize>)| Triangle {
        matrix: DMatrix::from_fn(members.len(), members.len(), |i, j| {
            matrix[(members[i], members[j])]
        }),
        members,
    };
    blocks.into_iter().map(triangle).collect()
}

/// A block of the weights that are members, to its place among all.
pub(super) fn spread(block: &DMatrix<f64>, members: &[usize], whole: &mut DMatrix<f64>) {
    for (column, &to) in block.column_iter().zip(members) {
        for (&value, &row) in column.iter().zip(members) {
            whole[(row, to)] = value;
        }
    }
}
