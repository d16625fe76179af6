//! Kernel PCA: principal components of faces in the space of a kernel, where they have no pixels.
//!
//! With the kernel matrix K (n x n, K_ij = φ(x_i)·φ(x_j)) and 1 the n x n matrix of 1/n, the centred matrix K - 1K - K1 + 1K1 = V Λ
//! Vᵀ takes the place of XcᵀXc of the small trick. The coefficients A = V Λ^(-1/2) are all that is learned: a face x has the
//! weights Aᵀ k(x), its kernels with all faces learned from, centred alike. There is no basis to look at: an eigenvector is a
//! mixture of φ(x_i) and usually no φ of any face, so a face can only be rebuilt approximately, by a [pre-image](pre_image).
//!
//! Source: B. Schölkopf, A. Smola & K.-R. Müller, "Kernel principal component analysis", in: Advances in Kernel Methods, 1999.

mod kernel;
pub mod pre_image;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use vectorised::inner_product;

use crate::centring::{Centring, Table};
use crate::{Columns, ComponentCount, PcaError, Rule, gram, spectrum};
use kernel::{Function, Products};
pub use kernel::{Gamma, Kernel};

/// Settings of a fit: the kernel, and the number of components.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct KernelPca {
    /// The kernel.
    pub kernel: Kernel,
    /// Number of components to keep.
    pub components: ComponentCount,
}

/// The principal components of n faces in the space of a kernel, k of them.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelSpace {
    kernel: Kernel,
    /// The faces and what the kernel says of them.
    learned: Learned,
    /// Aᵀ, k x n: the coefficients of face j in column j.
    coefficients: DMatrix<f64>,
    eigenvalues: Vec<f64>,
    total_variance: f64,
}

/// The faces learned from, in an order that depends on their pixels only, and the means of their kernel matrix.
#[derive(Debug, Clone, PartialEq)]
struct Learned {
    function: Function,
    faces: DMatrix<u8>,
    /// x_j·x_j.
    squares: Vec<i64>,
    /// The mean of each row of the kernel matrix.
    row_means: Vec<f64>,
    /// The mean of the kernel matrix.
    mean: f64,
}

impl KernelPca {
    /// Learns the components. The result does not depend on the order of the faces, nor on the number of threads.
    ///
    /// # Errors
    /// Fewer than two faces, faces that are all alike to the kernel, or a rule for the number of components that is about pixels.
    pub fn fit<'a>(&self, faces: impl Into<Columns<'a>>) -> Result<KernelSpace, PcaError> {
        let faces = faces.into();
        let n = faces.count();
        PcaError::refuse_too_few(n)?;
        if let ComponentCount::Rule(rule @ Rule::Parallel) = self.components {
            return Err(PcaError::NotForKernels(rule.name()));
        }
        let (learned, centred) = Learned::new(self.kernel, faces);
        if centred.trace() <= learned.rounding() {
            return Err(PcaError::NoVariance(n));
        }
        let found = spectrum::solve(centred, n, self.components, spectrum::RANK_TOLERANCE)?;
        Ok(KernelSpace {
            kernel: self.kernel,
            learned,
            coefficients: found.coefficients().transpose(),
            eigenvalues: found.variances(n),
            total_variance: found.total_variance(n),
        })
    }
}

impl KernelSpace {
    /// The kernel, as it was asked for.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// γ for gray levels from 0 to 1, chosen or given, if the kernel is a radial basis function.
    pub fn gamma(&self) -> Option<f64> {
        self.learned.function.gamma()
    }

    /// The mean of the faces learned from, d gray levels. It is no point of the kernel's space: pre-images are about it.
    pub fn mean(&self) -> DVector<f64> {
        let all: Vec<usize> = (0..self.learned_from()).collect();
        gram::mean_face(self.learned.columns(), &all)
    }

    /// k, the number of components.
    pub fn components(&self) -> usize {
        self.eigenvalues.len()
    }

    /// n, the number of faces learned from.
    pub fn learned_from(&self) -> usize {
        self.learned.faces.ncols()
    }

    /// The variance along each component, k values, decreasing, n - 1 degrees of freedom. In squared gray levels
    /// for the linear kernel, without a unit for the others.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// The variance over all components, kept or not: trace of the centred kernel matrix over n - 1.
    pub fn total_variance(&self) -> f64 {
        self.total_variance
    }

    /// The weights of each face, k x m: its kernels with the faces learned from, centred, times the coefficients.
    ///
    /// A face gets the same weights bit for bit whether it is projected alone or among others.
    ///
    /// # Panics
    /// If the faces have another size than those learned from.
    pub fn weights<'a>(&self, faces: impl Into<Columns<'a>>) -> DMatrix<f64> {
        let faces = faces.into();
        assert_eq!(faces.length(), self.learned.faces.nrows(), "faces of one size");
        let (k, n) = (self.components(), self.learned_from());
        let mut weights = DMatrix::zeros(k, faces.count());
        for first in (0..faces.count()).step_by(n) {
            let count = n.min(faces.count() - first);
            let products = self.learned.products_with(faces, first, count);
            weights.as_mut_slice()[first * k..(first + count) * k]
                .par_chunks_mut(k)
                .zip(products.par_chunks(n + 1))
                .for_each(|(weights, products)| {
                    let kernels = self.learned.centred_kernels(products);
                    for (column, kernel) in self.coefficients.column_iter().zip(&kernels) {
                        for (weight, coefficient) in weights.iter_mut().zip(column.iter()) {
                            *weight += kernel * coefficient;
                        }
                    }
                });
        }
        weights
    }

    /// [`weights`](Self::weights) in single precision, as face spaces have them.
    ///
    /// # Panics
    /// If the faces have another size than those learned from.
    pub fn project<'a>(&self, faces: impl Into<Columns<'a>>) -> DMatrix<f32> {
        self.weights(faces).map(|weight| weight as f32)
    }
}

impl Learned {
    /// Sums over the faces that kernels need, and their centred kernel matrix.
    fn new(kernel: Kernel, given: Columns<'_>) -> (Self, DMatrix<f64>) {
        let n = given.count();
        let order = gram::canonical_order(given).into_iter();
        let ordered: Vec<&[u8]> = order.filter_map(|face| given.column(face)).collect();
        let faces = DMatrix::from_vec(given.length(), n, ordered.concat());
        let products = Table::of((&faces).into());
        let squares: Vec<i64> = (0..n).map(|face| products.row(face)[face]).collect();
        let function = Function::new(kernel, faces.nrows(), mean_squared_distance(&products.entries, &squares));

        let mut matrix = DMatrix::zeros(n, n);
        matrix.as_mut_slice().par_chunks_mut(n).enumerate().for_each(|(j, column)| {
            for ((value, &xy), &xx) in column.iter_mut().zip(products.row(j)).zip(&squares) {
                *value = function.of(Products { xy, xx, yy: squares[j] });
            }
        });
        let row_means: Vec<f64> = matrix.column_iter().map(|column| column.sum() / n as f64).collect();
        let mean = row_means.iter().sum::<f64>() / n as f64;
        let centred = match function {
            // An exact integer over n², rounded once.
            Function::Linear => Centring::new(&products, (0..n).collect()).scatter(),
            _ => centred(matrix, &row_means, mean),
        };
        (Self { function, faces, squares, row_means, mean }, centred)
    }

    fn columns(&self) -> Columns<'_> {
        (&self.faces).into()
    }

    /// The sum that rounding alone can leave on the diagonal of the centred kernel matrix.
    fn rounding(&self) -> f64 {
        match self.function {
            // Exact where faces are alike.
            Function::Linear | Function::Rbf(_) => 0.0,
            _ => 8.0 * self.row_means.len() as f64 * f64::EPSILON * self.mean.abs(),
        }
    }

    /// Inner products of some faces with all faces learned from, and at last with themselves: n + 1 exact integers a
    /// face. A table of all products of both is wasteful, but made at many times the speed of one by one.
    fn products_with(&self, faces: Columns<'_>, first: usize, count: usize) -> Vec<i64> {
        /// So few faces are multiplied one by one.
        const FEW: usize = 8;
        let (d, n) = self.faces.shape();
        let new = &faces.data()[first * d..(first + count) * d];
        if count < FEW {
            let each = |face: &[u8]| {
                let with_learned = self.columns().iter().map(|other| inner_product(face, other));
                with_learned.chain([inner_product(face, face)]).collect::<Vec<_>>()
            };
            return new.par_chunks(d).flat_map_iter(each).collect();
        }
        let all = [self.faces.as_slice(), new].concat();
        let table = Table::of((&DMatrix::from_vec(d, n + count, all)).into());
        let rows = (n..n + count).map(|face| (table.row(face), face));
        rows.flat_map(|(row, face)| row[..n].iter().chain([&row[face]]).copied()).collect()
    }

    /// The n kernels of a face, of these [products](Self::products_with), with all faces learned from, centred as theirs.
    fn centred_kernels(&self, products: &[i64]) -> Vec<f64> {
        let (&own, products) = products.split_last().unwrap_or((&0, &[]));
        let kernel = |(&xy, &yy): (&i64, &i64)| self.function.of(Products { xy, xx: own, yy });
        let mut kernels: Vec<f64> = products.iter().zip(&self.squares).map(kernel).collect();
        let mean = kernels.iter().sum::<f64>() / kernels.len() as f64;
        for (kernel, row) in kernels.iter_mut().zip(&self.row_means) {
            *kernel = *kernel - mean - row + self.mean;
        }
        kernels
    }
}

/// K - 1K - K1 + 1K1.
fn centred(mut matrix: DMatrix<f64>, row_means: &[f64], mean: f64) -> DMatrix<f64> {
    for (mut column, column_mean) in matrix.column_iter_mut().zip(row_means) {
        for (value, row_mean) in column.iter_mut().zip(row_means) {
            // The sum of the two means first, so that the matrix stays symmetric to the last bit.
            *value = *value - (row_mean + column_mean) + mean;
        }
    }
    matrix
}

/// The mean squared distance of two different faces: exact integers until the division.
fn mean_squared_distance(products: &[i64], squares: &[i64]) -> f64 {
    let n = squares.len() as i128;
    let trace: i128 = squares.iter().map(|&square| i128::from(square)).sum();
    let all: i128 = products.iter().map(|&product| i128::from(product)).sum();
    // Σ_ij (a_ii + a_jj - 2 a_ij) over the n (n - 1) ordered pairs.
    (2 * (n * trace - all)) as f64 / (n * (n - 1)) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_pairs() {
        // 0, 3 and 4 on a line: squared distances 9, 16 and 1.
        let x = [0_i64, 3, 4];
        let products: Vec<i64> = x.iter().flat_map(|a| x.map(|b| a * b)).collect();
        let typical = mean_squared_distance(&products, &[0, 9, 16]);
        assert!((typical - 26.0 / 3.0).abs() < 1e-12);
    }
}
