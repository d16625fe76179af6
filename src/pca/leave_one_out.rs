//! Principal components without one of the faces, in closed form from those of all.
//!
//! Leaving one face out takes an outer product from the scatter matrix: S' = S - n/(n-1) y yᵀ, where y is what the
//! face differs from the mean (S - y yᵀ about the origin, for odd eigenfaces). Among the eigenvectors of S that is
//! diag(λ) - ρ z zᵀ, where z are the weights of the face. So each face left out costs the roots of a secular
//! equation and a product of weights, instead of an eigenproblem.

use nalgebra::DMatrix;

use super::centring::About;
use super::eigen::{self, Accum, Downdated};
use super::inner_products::InnerProducts;
use super::symmetry::Parity;
use super::{ComponentCount, PcaError};

/// The spaces of n faces, each without one of them.
#[derive(Debug, Clone)]
pub struct LeaveOneOut {
    /// Of the whole, or of its even and its odd part.
    blocks: Vec<Block>,
    /// n.
    faces: usize,
    /// The factor of weights of a block.
    share: f64,
    /// Whether mirror images are learned too.
    mirrored: bool,
    /// d.
    length: usize,
}

#[derive(Debug, Clone)]
struct Block {
    parity: Option<Parity>,
    /// Along all r directions of the n faces, decreasing.
    scatter: Vec<f64>,
    /// Of every column there is, r x N.
    weights: DMatrix<f64>,
}

/// The space of the faces that remain.
#[derive(Debug, Clone)]
pub struct OneLeftOut {
    /// The variance along each direction, k values, decreasing.
    pub eigenvalues: Vec<f64>,
    /// Parity of each direction in the mirror, where mirror images were learned too.
    pub parity: Option<Vec<Parity>>,
    /// Of every column that there are products of, the one left out among them: k x N. The signs of the directions
    /// are arbitrary.
    pub weights: DMatrix<f32>,
}

impl LeaveOneOut {
    /// Makes ready to leave out any one of the learned columns.
    ///
    /// # Errors
    /// Fewer than three faces (two with their mirror images), or faces that are all alike.
    pub fn new(products: &InnerProducts, learned: &[usize]) -> Result<Self, PcaError> {
        let space = products.fit(learned, ComponentCount::Share(1.0))?;
        let least = if products.is_mirrored() { 2 } else { 3 };
        if learned.len() < least {
            return Err(PcaError::TooFewFaces(learned.len().saturating_sub(1)));
        }
        let columns: Vec<usize> = (0..products.len()).collect();
        let blocks = space
            .blocks(&columns)
            .map(|(parity, scatter, weights)| Block {
                parity,
                scatter,
                weights,
            });
        Ok(Self {
            blocks: blocks.collect(),
            faces: learned.len(),
            share: space.share(),
            mirrored: products.is_mirrored(),
            length: products.length(),
        })
    }

    /// The space without a learned column.
    ///
    /// # Errors
    /// If what remains is all alike, or a rule for the number of components fails.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn without(&self, column: usize, wanted: ComponentCount) -> Result<OneLeftOut, PcaError> {
        let remain = self.faces - 1;
        let found: Vec<Downdated> = self
            .blocks
            .iter()
            .map(|block| block.without(column, self.faces))
            .collect();
        let kept = self.settle(&found, wanted)?;
        let counts: Vec<usize> = (0..found.len())
            .map(|block| kept.iter().filter(|(_, of)| *of == block).count())
            .collect();
        let parts: Vec<DMatrix<f64>> = self
            .blocks
            .iter()
            .zip(found.iter().zip(&counts))
            .map(|(block, (found, &count))| {
                block.weights(column, self.faces, &found.vectors(count))
            })
            .collect();
        let mut weights = DMatrix::zeros(kept.len(), parts.first().map_or(0, DMatrix::ncols));
        let mut next = vec![0; parts.len()];
        for (row, &(_, block)) in kept.iter().enumerate() {
            let from = parts[block].row(next[block]);
            next[block] += 1;
            for (weight, value) in weights.row_mut(row).iter_mut().zip(from.iter()) {
                *weight = (self.share * value) as f32;
            }
        }
        let observations = if self.mirrored { 2 * remain } else { remain };
        let freedom = (observations - 1) as f64;
        Ok(OneLeftOut {
            eigenvalues: kept.iter().map(|(scatter, _)| scatter / freedom).collect(),
            parity: kept
                .iter()
                .map(|&(_, block)| self.blocks[block].parity)
                .collect(),
            weights,
        })
    }

    /// The directions that are wanted: the scatter along each, and its block.
    fn settle(
        &self,
        found: &[Downdated],
        wanted: ComponentCount,
    ) -> Result<Vec<(f64, usize)>, PcaError> {
        let of_block = |(block, found): (usize, &Downdated)| {
            found
                .values
                .iter()
                .map(|&value| (value, block))
                .collect::<Vec<_>>()
        };
        let mut all: Vec<(f64, usize)> = found.iter().enumerate().flat_map(of_block).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        let scatter: Vec<f64> = all.iter().map(|(value, _)| *value).collect();
        let blocks = self.blocks.iter();
        let before = blocks
            .filter_map(|block| block.scatter.first())
            .fold(0.0, |a: f64, &b| a.max(b));
        let count = wanted.of_whole_spectrum(&scatter, before, self.faces - 1, self.length)?;
        all.truncate(count);
        Ok(all)
    }
}

impl Block {
    /// ρ, and what the mean moves by, as a share of the face left out.
    fn change(&self, faces: usize) -> (f64, f64) {
        let n = faces as f64;
        match About::of(self.parity) {
            About::Mean => (n / (n - 1.0), 1.0 / (n - 1.0)),
            About::Origin => (1.0, 0.0),
        }
    }

    fn without(&self, column: usize, faces: usize) -> Downdated {
        let z = self.weights.column(column);
        eigen::downdate(&self.scatter, z.as_slice(), self.change(faces).0)
    }

    /// The weights of every column in the space without one, whose directions are `vectors` (r x k): k x N.
    fn weights(&self, column: usize, faces: usize, vectors: &DMatrix<f64>) -> DMatrix<f64> {
        let mut weights = DMatrix::zeros(vectors.ncols(), self.weights.ncols());
        eigen::multiply(
            eigen::view_mut(&mut weights),
            Accum::Replace,
            eigen::view(vectors).transpose(),
            eigen::view(&self.weights),
            1.0,
        );
        let (_, share) = self.change(faces);
        if share > 0.0 {
            // The mean moves away from the face that was left out.
            let moved = weights.column(column) * share;
            weights
                .column_iter_mut()
                .for_each(|mut weights| weights += &moved);
        }
        weights
    }
}
