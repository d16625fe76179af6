//! Principal components without looking at pixels again: everything that learning from some of n faces and
//! comparing the others with them needs, but for the pictures, follows from the n x n inner products.
//!
//! The products are exact integers and are computed once. Leaving out one face, a person or a fold then costs
//! an eigenproblem, whatever the number of pixels. Centred products of any two faces are integers over n'²,
//! rounded once; so eigenvalues come out as from the pixels of the chosen faces, bit for bit.
//!
//! With C = XcᵀXc = V M Vᵀ and U = Xc V M^(-1/2), the weights of the learned faces are UᵀXc = M^(1/2) Vᵀ, those
//! of another face x are Uᵀ(x - m) = M^(-1/2) Vᵀ (Xcᵀ(x - m)).
//!
//! With mirror images, let a_ij = x_i·x_j, b_ij = x_i·x_j mirrored. Both tables are symmetric, and the scatter
//! matrix of the 2 n faces has the eigenvalues of a + b, centred (eigenfaces are even), and those of a - b (they
//! are odd, of which the mean is zero). A face's weights then are as above, divided by √2.

use std::f64::consts::FRAC_1_SQRT_2;

use nalgebra::DMatrix;

use super::centring::{About, Centring, Table};
use super::kernel::{self, Columns, Kernel};
use super::spectrum::{self, Block, Spectrum};
use super::symmetry::{Mirror, Parity, Symmetry};
use super::{ComponentCount, Components, PcaError, Residual, Solver, eigen, gram};

/// The inner products of n faces (columns), and of their mirror images if so asked: 8 n² bytes, or 16 n².
#[derive(Debug, Clone)]
pub struct InnerProducts {
    parts: Vec<(Table, Option<Parity>)>,
    /// The place of each face in an order that depends on nothing but the pixels.
    ranks: Vec<usize>,
    /// d.
    length: usize,
    mirror: Option<Mirror>,
}

impl InnerProducts {
    /// All inner products of faces (d x n).
    pub fn of<'a>(faces: impl Into<Columns<'a>>) -> Self {
        let faces = faces.into();
        let parts = vec![(table(faces, None), None)];
        Self::new(faces, parts, None)
    }

    /// Those of faces and, if so asked, their mirror images.
    ///
    /// # Errors
    /// A mirror for faces of another length.
    pub fn with_symmetry<'a>(
        faces: impl Into<Columns<'a>>,
        symmetry: Symmetry<'_>,
    ) -> Result<Self, PcaError> {
        let faces = faces.into();
        let Symmetry::Mirror(mirror) = symmetry else {
            return Ok(Self::of(faces));
        };
        mirror.refuse_other(faces.length())?;
        let mut mirrored = faces.data().to_vec();
        mirror.apply(&mut mirrored);
        let mirrored = Columns::new(&mirrored, faces.length(), faces.count());
        let (direct, across) = (table(faces, None), table(faces, mirrored));
        let even = direct.combined(&across, |a, b| a + b);
        let odd = direct.combined(&across, |a, b| a - b);
        let parts = vec![(even, Some(Parity::Even)), (odd, Some(Parity::Odd))];
        Ok(Self::new(faces, parts, Some(mirror.clone())))
    }

    fn new(
        faces: Columns<'_>,
        parts: Vec<(Table, Option<Parity>)>,
        mirror: Option<Mirror>,
    ) -> Self {
        let mut ranks = vec![0; faces.count()];
        for (rank, face) in gram::canonical_order(faces).into_iter().enumerate() {
            ranks[face] = rank;
        }
        Self {
            parts,
            ranks,
            length: faces.length(),
            mirror,
        }
    }

    /// n, the number of faces.
    pub(super) fn len(&self) -> usize {
        self.ranks.len()
    }

    /// d, the numbers of a face.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Whether there are those of mirror images.
    pub(super) fn is_mirrored(&self) -> bool {
        self.mirror.is_some()
    }

    /// Principal components of the learned faces only, given by their columns; one may come twice.
    ///
    /// # Errors
    /// Fewer than two faces, or faces that are all alike (with their mirror images, where there are any).
    ///
    /// # Panics
    /// If a column is not below n.
    pub fn fit(
        &self,
        learned: &[usize],
        wanted: ComponentCount,
    ) -> Result<DualSpace<'_>, PcaError> {
        let n = learned.len();
        let observations = if self.mirror.is_some() { 2 * n } else { n };
        if observations < 2 {
            return Err(PcaError::TooFewFaces(n));
        }
        // The order of the learned faces changes no bit: sums are taken in that of the ranks.
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_unstable_by_key(|&at| (self.ranks[learned[at]], at));
        let chosen: Vec<usize> = order.iter().map(|&at| learned[at]).collect();
        let centrings: Vec<Centring<'_>> = self
            .parts
            .iter()
            .map(|(table, parity)| Centring::new(table, chosen.clone(), About::of(*parity)))
            .collect();
        let blocks = centrings.iter().zip(&self.parts);
        let blocks = blocks.map(|(centring, &(_, parity))| Block {
            scatter: centring.scatter(),
            rank: match About::of(parity) {
                About::Mean => n - 1,
                About::Origin => n,
            },
            parity,
        });
        let mut spectrum = spectrum::solve(blocks.collect(), n, wanted)?;
        spectrum.apply(wanted, n, self.length)?;
        for vectors in &mut spectrum.vectors {
            spectrum::fix_signs(vectors);
        }
        let mut places = vec![0; n];
        for (place, at) in order.into_iter().enumerate() {
            places[at] = place;
        }
        Ok(DualSpace {
            products: self,
            chosen,
            places,
            centrings,
            spectrum,
        })
    }
}

/// XᵀX or XᵀY in exact integers.
pub(crate) fn table(faces: Columns<'_>, partners: Option<Columns<'_>>) -> Table {
    let n = faces.count();
    let mut entries = kernel::zeros(n);
    kernel::accumulate_gram(faces, partners, Kernel::best(), &mut entries)
        .expect("the table is n x n");
    Table::from_upper(entries, n)
}

/// The face space of some of the faces, known by its inner products with all faces: weights and distances of
/// any of them, and the eigenfaces when asked.
///
/// The signs of the directions are arbitrary (the learned face with the largest weight along each has a positive
/// one) but do not depend on the order of the learned faces. [`with_components`](Self::with_components) turns
/// them as those of eigenfaces.
#[derive(Debug, Clone)]
pub struct DualSpace<'a> {
    products: &'a InnerProducts,
    /// The learned columns in the order of their ranks.
    chosen: Vec<usize>,
    /// Position in it of each learned column, in the order in which they were listed.
    places: Vec<usize>,
    centrings: Vec<Centring<'a>>,
    /// Rows of its vectors are in the order of `chosen`.
    spectrum: Spectrum,
}

impl DualSpace<'_> {
    /// k, the number of directions.
    pub fn count(&self) -> usize {
        self.spectrum.count()
    }

    /// The variance along each direction, k values, decreasing; degrees of freedom n' - 1, or 2 n' - 1 with
    /// mirror images.
    pub fn eigenvalues(&self) -> Vec<f64> {
        let freedom = self.freedom();
        let scatter = self.spectrum.scatter.iter();
        scatter.map(|scatter| scatter / freedom).collect()
    }

    /// The variance of the learned faces over all directions, kept or not.
    pub fn total_variance(&self) -> f64 {
        self.spectrum.total / self.freedom()
    }

    /// Parity of each of the k directions in the mirror, where mirror images were learned too.
    pub fn parity(&self) -> Option<Vec<Parity>> {
        self.spectrum.parities()
    }

    /// The weights of the learned faces, k x n', in the order in which they were listed: M^(1/2) Vᵀ.
    pub fn training_weights(&self) -> DMatrix<f32> {
        let factors = self.factors(|scatter| scatter.sqrt());
        let mut weights = DMatrix::zeros(self.count(), self.places.len());
        for (mut column, &place) in weights.column_iter_mut().zip(&self.places) {
            for ((weight, factor), (block, at)) in
                column.iter_mut().zip(&factors).zip(self.spectrum.places())
            {
                *weight = (factor * self.spectrum.vectors[block][(place, at)]) as f32;
            }
        }
        weights
    }

    /// The weights of any of the n faces, learned or not: k x m. (Those of learned ones agree with
    /// [`training_weights`](Self::training_weights) but for rounding.)
    ///
    /// # Panics
    /// If a column is not below n.
    pub fn project(&self, probes: &[usize]) -> DMatrix<f32> {
        let parts: Vec<DMatrix<f64>> = self.blocks(probes).map(|block| block.2).collect();
        let share = self.share();
        let mut weights = DMatrix::zeros(self.count(), probes.len());
        for (i, (block, at)) in self.spectrum.places().enumerate() {
            let part = parts[block].row(at);
            for (weight, value) in weights.row_mut(i).iter_mut().zip(part.iter()) {
                *weight = (share * value) as f32;
            }
        }
        weights
    }

    /// Of each block its parity, the scatter along its directions, and the weights of
    /// some columns (k x m) as they are before [`share`](Self::share).
    pub(super) fn blocks(
        &self,
        columns: &[usize],
    ) -> impl Iterator<Item = (Option<Parity>, Vec<f64>, DMatrix<f64>)> {
        let parts = self.products.parts.iter();
        let spaces = self.centrings.iter().zip(&self.spectrum.vectors);
        parts
            .zip(spaces)
            .enumerate()
            .map(move |(block, ((_, parity), (centring, vectors)))| {
                let own = self.spectrum.scatter.iter().zip(&self.spectrum.members);
                let scatter: Vec<f64> = own
                    .filter_map(|(&scatter, &of)| (of == block).then_some(scatter))
                    .collect();
                let across = centring.with_all(columns);
                let mut weights = eigen::inner_product(eigen::view(vectors), eigen::view(&across));
                for (mut row, scatter) in weights.row_iter_mut().zip(&scatter) {
                    row /= scatter.sqrt();
                }
                (*parity, scatter, weights)
            })
    }

    /// The residual of one of the n faces with these weights in this face space.
    ///
    /// # Panics
    /// If the column is not below n.
    pub fn residual(&self, column: usize, weights: &[f32]) -> Residual {
        let squared = self.centrings.iter().map(|part| part.squared(column));
        Residual::new(self.share().powi(2) * squared.sum::<f64>(), weights)
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
        let (expected, found) = (self.products.len(), faces.count());
        if expected != found || self.products.length != faces.length() {
            return Err(PcaError::OtherPixels {
                expected: expected * self.products.length,
                found: found * faces.length(),
            });
        }
        let mirror = self.products.mirror.as_ref();
        let mut mean = gram::mean_face(faces, &self.chosen);
        if let Some(mirror) = mirror {
            mirror.symmetrise(mean.as_mut_slice());
        }
        let mut kept = self.spectrum.clone();
        kept.truncate(leading);
        let mut basis = gram::eigenfaces(faces, &self.chosen, mean.as_slice(), &kept, mirror)?;
        let signs = spectrum::fix_signs(&mut basis);
        let places: Vec<_> = self.spectrum.places().collect();
        for (sign, (block, at)) in signs.into_iter().zip(places) {
            self.spectrum.vectors[block].column_mut(at).scale_mut(sign);
        }
        let components = kept.components(mean, basis, self.chosen.len(), Solver::Gram);
        Ok((self, components))
    }

    fn freedom(&self) -> f64 {
        let n = self.chosen.len();
        let observations = if self.products.mirror.is_some() {
            2 * n
        } else {
            n
        };
        (observations - 1) as f64
    }

    /// The change of the scatter along each direction, as a factor of weights.
    fn factors(&self, of: impl Fn(f64) -> f64) -> Vec<f64> {
        let share = self.share();
        let scatter = self.spectrum.scatter.iter();
        scatter.map(|&scatter| share * of(scatter)).collect()
    }

    /// A face is one of two that its even and odd parts stand for.
    pub(super) fn share(&self) -> f64 {
        match self.products.mirror {
            Some(_) => FRAC_1_SQRT_2,
            None => 1.0,
        }
    }
}
