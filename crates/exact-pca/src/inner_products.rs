//! Principal components without looking at pixels again: everything that learning from some of n faces and
//! comparing the others with them needs, but for the pictures, follows from the n x n inner products.
//!
//! The products are exact integers and are computed once. Leaving out one face, a person or a fold then costs
//! an eigenproblem, whatever the number of pixels. Centred products of any two faces are integers over n'²,
//! rounded once; so eigenvalues come out as from the pixels of the chosen faces, bit for bit.
//!
//! With C = XcᵀXc = V M Vᵀ and U = Xc V M^(-1/2), the weights of the learned faces are UᵀXc = M^(1/2) Vᵀ, those
//! of another face x are Uᵀ(x - m) = M^(-1/2) Vᵀ (Xcᵀ(x - m)).

use nalgebra::DMatrix;

use super::centring::{Centring, Table};
use super::spectrum::{self, Of, RANK_TOLERANCE, Spectrum};
use super::{Columns, ComponentCount, Components, PcaError, Residual, Solver, eigen, gram};

/// The inner products of n faces (columns): 8 n² bytes.
#[derive(Debug, Clone)]
pub struct InnerProducts {
    table: Table,
    /// The place of each face in an order that depends on nothing but the pixels.
    ranks: Vec<usize>,
    /// d.
    length: usize,
}

impl InnerProducts {
    /// All inner products of faces (d x n).
    pub fn of<'a>(faces: impl Into<Columns<'a>>) -> Self {
        let faces = faces.into();
        let mut ranks = vec![0; faces.count()];
        for (rank, face) in gram::canonical_order(faces).into_iter().enumerate() {
            ranks[face] = rank;
        }
        Self { table: Table::of(faces), ranks, length: faces.length() }
    }

    /// Principal components of the learned faces only, given by their columns; one may come twice.
    ///
    /// # Errors
    /// Fewer than two faces, or faces that are all alike.
    ///
    /// # Panics
    /// If a column is not below n.
    pub fn fit(&self, learned: &[usize], wanted: ComponentCount) -> Result<DualSpace<'_>, PcaError> {
        let n = learned.len();
        PcaError::refuse_too_few(n)?;
        // The order of the learned faces changes no bit: sums are taken in that of the ranks.
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_unstable_by_key(|&at| (self.ranks[learned[at]], at));
        let chosen: Vec<usize> = order.iter().map(|&at| learned[at]).collect();
        let centring = Centring::new(&self.table, chosen.clone());
        let spectrum = spectrum::solve(centring.scatter(), n, wanted, RANK_TOLERANCE)?;
        let mut places = vec![0; n];
        for (place, at) in order.into_iter().enumerate() {
            places[at] = place;
        }
        Ok(DualSpace { products: self, chosen, places, centring, spectrum })
    }
}

/// The face space of some faces, known by inner products with all: weights and distances of any, eigenfaces when asked.
///
/// The signs of the directions are arbitrary (the learned face with the largest weight along each has a positive one) but do not
/// depend on the order of the learned faces. [`with_components`](Self::with_components) turns them as those of eigenfaces.
#[derive(Debug, Clone)]
pub struct DualSpace<'a> {
    products: &'a InnerProducts,
    /// The learned columns in the order of their ranks.
    chosen: Vec<usize>,
    /// Position in it of each learned column, in the order in which they were listed.
    places: Vec<usize>,
    centring: Centring<'a>,
    /// Rows of its vectors are in the order of `chosen`.
    spectrum: Spectrum,
}

impl DualSpace<'_> {
    /// k, the number of directions.
    pub fn count(&self) -> usize {
        self.spectrum.count()
    }

    /// The variance along each direction, k values, decreasing; degrees of freedom n' - 1.
    pub fn eigenvalues(&self) -> Vec<f64> {
        self.spectrum.variances(self.chosen.len())
    }

    /// The variance of the learned faces over all directions, kept or not.
    pub fn total_variance(&self) -> f64 {
        self.spectrum.total_variance(self.chosen.len())
    }

    /// The weights of the learned faces, k x n', in the order in which they were listed: M^(1/2) Vᵀ.
    pub fn training_weights(&self) -> DMatrix<f32> {
        let factors: Vec<f64> = self.spectrum.scatter.iter().map(|s| s.sqrt()).collect();
        DMatrix::from_fn(self.count(), self.places.len(), |i, face| {
            (factors[i] * self.spectrum.vectors[(self.places[face], i)]) as f32
        })
    }

    /// The weights of any of the n faces, learned or not: k x m. (Those of learned ones agree with
    /// [`training_weights`](Self::training_weights) but for rounding.)
    ///
    /// # Panics
    /// If a column is not below n.
    pub fn project(&self, probes: &[usize]) -> DMatrix<f32> {
        let across = self.centring.with_all(probes);
        let mut weights = eigen::inner_product(eigen::view(&self.spectrum.vectors), eigen::view(&across));
        for (mut row, scatter) in weights.row_iter_mut().zip(&self.spectrum.scatter) {
            row /= scatter.sqrt();
        }
        weights.map(|weight| weight as f32)
    }

    /// The residual of one of the n faces with these weights in this face space.
    ///
    /// # Panics
    /// If the column is not below n.
    pub fn residual(&self, column: usize, weights: &[f32]) -> Residual {
        Residual::new(self.centring.squared(column), weights)
    }

    /// The mean face and the `leading` eigenfaces (all if that is more than k), from the same faces (d x n) of
    /// which the products are; and this space with the signs of those.
    ///
    /// # Errors
    /// Faces of another length or number.
    pub fn with_components<'b>(
        mut self,
        faces: impl Into<Columns<'b>>,
        leading: usize,
    ) -> Result<(Self, Components), PcaError> {
        let faces = faces.into();
        let (expected, found) = (self.products.ranks.len(), faces.count());
        if expected != found || self.products.length != faces.length() {
            let (expected, found) = (expected * self.products.length, found * faces.length());
            return Err(PcaError::OtherPixels { expected, found });
        }
        let mean = gram::mean_face(faces, &self.chosen);
        let mut kept = self.spectrum.clone();
        kept.truncate(leading);
        let of = Of::Gram(faces, &self.chosen);
        let (components, signs) = kept.components_and_signs(of, mean, self.chosen.len(), Solver::Gram)?;
        for (sign, mut vector) in signs.into_iter().zip(self.spectrum.vectors.column_iter_mut()) {
            vector.scale_mut(sign);
        }
        Ok((self, components))
    }
}
