//! Block Lanczos with full re-orthogonalisation, for a few leading eigenpairs of a large matrix.
//!
//! Source: G. H. Golub & R. Underwood, "The block Lanczos method for computing eigenvalues" (1977); Y. Saad, "Numerical Methods for
//! Large Eigenvalue Problems" (2011), ch. 6. Different here: the projected matrix `Qᵀ A Q` is taken from the re-orthogonalisation
//! itself, so a block that had to be filled up with random directions (after a breakdown: repeated faces, exhausted rank) is
//! nothing special, and at the end the complement is searched for eigenvalues that the start block overlooked.

use super::dense;
use super::operator::Symmetric;
use super::random::Noise;
use super::{EigenMethod, Eigenpairs, check, orthogonal};
use nalgebra::DMatrix;

/// Columns that are multiplied at once: enough to be bound by arithmetic more than by memory. The fewer they are, the
/// fewer dimensions it takes (280 with 8, 320 with 12, 380 with 20, for 100 eigenpairs of 1288 faces).
const BLOCK: usize = 12;
/// Residuals, in terms of the largest eigenvalue, at which an eigenpair counts as found.
pub const TOLERANCE: f64 = 1e-10;
/// Random directions in which overlooked eigenvalues are searched.
const PROBES: usize = 8;

/// The dimension at which `k` eigenpairs of faces converge: measured, 144 for 20, 192 for 40, 312 to 324 for 100, 504 for
/// 200, 648 for 300.
pub fn usual_dimension(k: f64) -> f64 {
    2.0 * k + 120.0
}

/// The `k` largest eigenpairs of `matrix`, whose largest entry is about `scale`; nothing if the Krylov space
/// would grow past the size at which other methods are cheaper, or something was overlooked.
pub fn leading(matrix: &impl Symmetric, k: usize, scale: f64) -> Option<Eigenpairs> {
    let n = matrix.side();
    let most = n.min(4 * k + 600);
    let mut krylov = Krylov::start(matrix, scale, k, most);
    let mut schedule = Schedule::new(k, most, n);
    loop {
        krylov.grow();
        let m = krylov.dimension();
        if m < schedule.due {
            continue;
        }
        let (values, small) = krylov.ritz(k)?;
        let bound = krylov.residual_bound(&small);
        let largest = values[0].abs().max(scale);
        let target = TOLERANCE * largest;
        if bound <= target || m == n {
            let found = krylov.found(values, &small, largest);
            return (!overlooked(matrix, &found, scale)).then_some(found);
        }
        schedule.missed(m, bound, target)?;
    }
}

/// The schedule of looks whether enough eigenpairs have converged: a look costs about as much as growing twice.
struct Schedule {
    due: usize,
    most: usize,
    /// The dimension at which nothing is left out, so that no prediction matters.
    whole: usize,
    /// Dimension and residual at the last look.
    last: Option<(usize, f64)>,
}

impl Schedule {
    fn new(k: usize, most: usize, whole: usize) -> Self {
        Self { due: (usual_dimension(k as f64) as usize).min(most), most, whole, last: None }
    }

    /// Sets the next look to where the residual will have come down to `target` if it goes on falling
    /// geometrically; nothing if there is no room for that.
    fn missed(&mut self, dimension: usize, residual: f64, target: f64) -> Option<()> {
        // On faces residuals fall sixfold with each block once they fall at all.
        const USUAL_FALL: f64 = 6.0;
        let excess = libm::log(residual / target);
        let blocks = match self.last.replace((dimension, residual)) {
            None => (excess / libm::log(USUAL_FALL)).min(6.0),
            Some((before, larger)) => {
                let fall = libm::log(larger / residual) / (dimension - before).max(1) as f64;
                excess / (fall * BLOCK as f64).max(1e-6)
            }
        };
        self.due = dimension + (blocks.ceil() as usize).clamp(1, 1000) * BLOCK;
        if self.most == self.whole {
            self.due = self.due.min(self.whole);
        }
        (self.due <= self.most).then_some(())
    }
}

/// An orthonormal basis `Q` of a block Krylov space, and `A` seen from within it.
struct Krylov<'a, A> {
    matrix: &'a A,
    /// The length that rounding leaves of a product that should be zero.
    dust: f64,
    /// n x (m + b), column after column; the last block has not been multiplied by `A` yet.
    basis: Vec<f64>,
    /// n x m: `A Q`.
    images: Vec<f64>,
    /// `Qᵀ A Q`, in the top left m x m corner; there is room for the usual dimension, and for more when it is needed.
    projected: DMatrix<f64>,
    /// The part of `A Q`'s last block that lies outside the basis: its coefficients on the block to come.
    coupling: DMatrix<f64>,
    /// Memory that products work in.
    scratch: Vec<f64>,
}

impl<'a, A: Symmetric> Krylov<'a, A> {
    fn start(matrix: &'a A, scale: f64, k: usize, most: usize) -> Self {
        let n = matrix.side();
        let b = BLOCK.min(n);
        let room = (most + 2 * BLOCK).min(n);
        let usual = (usual_dimension(k as f64) as usize + 2 * BLOCK).min(room);
        let mut basis = Vec::with_capacity(n * room);
        basis.extend(Noise::seeded(1).take(n * b));
        orthogonal::extend(dense::columns(&[], n), &mut basis, 0.0, 2);
        Self {
            matrix,
            dust: matrix.dust(scale),
            basis,
            images: Vec::with_capacity(n * room),
            projected: DMatrix::zeros(usual, usual),
            coupling: DMatrix::zeros(0, 0),
            scratch: Vec::new(),
        }
    }

    /// m: how many basis vectors have been multiplied by `A`.
    fn dimension(&self) -> usize {
        self.images.len() / self.matrix.side()
    }

    /// Multiplies the newest block by `A` and makes the next block of what is new in the product.
    fn grow(&mut self) {
        let n = self.matrix.side();
        let old = self.dimension();
        let held = self.basis.len() / n;
        let b = held - old;
        self.images.resize(n * held, 0.0);
        let image = &mut self.images[n * old..];
        self.matrix.apply(dense::columns(&self.basis[n * old..], n), dense::columns_mut(image, n), &mut self.scratch);
        let mut next = image.to_vec();
        let room = n - held;
        let parts = if room >= b {
            let basis = dense::columns(&self.basis, n);
            // A symmetric matrix takes a block to itself, the one before it and what is new.
            let near = old.saturating_sub(BLOCK);
            orthogonal::extend_near(basis, near, &mut next, self.dust, held as u64)
        } else {
            self.last_coefficients(&mut next, room)
        };
        let side = self.projected.ncols();
        if held > side {
            let larger = (2 * side).min(n);
            self.projected.resize_mut(larger, larger, 0.0);
        }
        self.projected.view_mut((0, old), (held, b)).copy_from(&parts.onto);
        self.projected.view_mut((old, 0), (b, old)).copy_from(&parts.onto.rows(0, old).transpose());
        self.basis.extend_from_slice(&next);
        self.coupling = parts.within;
    }

    /// As the space fills up, the last block is narrower than its image: nothing is missed by that, since
    /// no further directions exist.
    fn last_coefficients(&self, next: &mut Vec<f64>, room: usize) -> orthogonal::BlockCoefficients {
        let n = self.matrix.side();
        let basis = dense::columns(&self.basis, n);
        let onto = dense::inner_product(basis, dense::columns(next, n));
        let b = onto.ncols();
        next.clear();
        next.extend(Noise::seeded(n as u64).take(n * room));
        if room > 0 {
            orthogonal::extend(basis, next, self.dust, n as u64);
        }
        let image = dense::columns(&self.images[self.images.len() - n * b..], n);
        let within = dense::inner_product(dense::columns(next, n), image);
        orthogonal::BlockCoefficients { onto, within }
    }

    /// The `k` leading eigenpairs of the projected matrix.
    fn ritz(&self, k: usize) -> Option<(Vec<f64>, DMatrix<f64>)> {
        let m = self.dimension();
        let corner = self.projected.view((0, 0), (m, m)).into_owned();
        super::by_tridiagonal((&corner + corner.transpose()) * 0.5, k.min(m)).filter(|(values, _)| values.len() == k)
    }

    /// An upper bound on the residuals of Ritz vectors `Q s`: what `A` takes out of the basis.
    fn residual_bound(&self, small: &DMatrix<f64>) -> f64 {
        let b = self.coupling.ncols();
        let outside = &self.coupling * small.rows(small.nrows() - b, b);
        outside.column_iter().map(|column| column.norm()).fold(0.0, f64::max)
    }

    /// Ritz vectors in full length, with the residual they really have, in terms of the `largest` eigenvalue.
    fn found(&self, values: Vec<f64>, small: &DMatrix<f64>, largest: f64) -> Eigenpairs {
        let (n, m) = (self.matrix.side(), self.dimension());
        let small = dense::view(small);
        let vectors = dense::product(dense::columns(&self.basis[..n * m], n), small);
        let images = dense::product(dense::columns(&self.images, n), small);
        let residual = check::largest_difference(&images, &values, &vectors) / largest;
        Eigenpairs { values, vectors, method: EigenMethod::Lanczos { dimension: m }, residual }
    }
}

/// Whether some eigenvalue larger than the smallest found lies outside the space found. Exact repetitions of an eigenvalue beyond
/// the block size are invisible to block Lanczos; a few power steps from random directions in the complement bring them to light.
pub fn overlooked(matrix: &impl Symmetric, found: &Eigenpairs, scale: f64) -> bool {
    const STEPS: usize = 3;
    let n = matrix.side();
    let width = PROBES.min(n - found.values.len());
    let Some(&smallest) = found.values.last() else { return false };
    if width == 0 {
        return false;
    }
    let known = dense::view(&found.vectors);
    let mut probe = DMatrix::from_iterator(n, width, Noise::seeded(3).take(n * width));
    let mut scratch = Vec::new();
    for _ in 0..STEPS {
        orthogonal::extend(known, probe.as_mut_slice(), 0.0, 4);
        let mut image = DMatrix::zeros(n, width);
        matrix.apply(dense::view(&probe), dense::view_mut(&mut image), &mut scratch);
        let seen = dense::inner_product(dense::view(&probe), dense::view(&image));
        if seen.symmetric_eigenvalues().max() > smallest * (1.0 + 1e-6) + TOLERANCE * scale {
            return true;
        }
        probe = image;
    }
    false
}
