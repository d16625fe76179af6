//! The one adapter between `nalgebra` (the matrices readers see) and `faer` (the arithmetic of large matrices).
//!
//! Everything here gives the same bits for any number of threads: products are split into row blocks of
//! fixed size, each computed by one thread, and faer's own parallel routines run at a fixed [`DEGREE`],
//! which settles the order of their sums whatever the pool they run in.

use super::inner::inner_products;
pub use super::views::{View, ViewMut, columns, columns_mut, view, view_mut};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::evd::{self, tridiag};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as apply_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply_reflectors,
};
use faer::linalg::matmul::matmul;
use faer::linalg::qr::no_pivoting::factor as qr;
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::traits::ComplexField;
use faer::{Conj, Mat, Par, Spec};
use nalgebra::DMatrix;
use rayon::prelude::*;

pub use faer::Accum;

/// Parallel degree asked of faer: fixed, because its sums are split by this number and not by the pool.
const DEGREE: usize = 4;
/// Rows of a product computed by one thread at a time.
const ROW_BLOCK: usize = 128;
/// Columns that one thread transforms back at a time.
const COLUMN_BLOCK: usize = 16;

/// `out = alpha · left · right`, or `out += …`. Parallel over row blocks of `out`.
pub fn multiply<T: ComplexField>(
    out: ViewMut<'_, T>,
    accum: Accum,
    left: View<'_, T>,
    right: View<'_, T>,
    alpha: T,
) {
    if out.nrows() <= ROW_BLOCK {
        matmul(out, accum, left, right, alpha, Par::Seq);
        return;
    }
    out.par_row_chunks_mut(ROW_BLOCK)
        .enumerate()
        .for_each(|(block, out)| {
            let rows = left.subrows(block * ROW_BLOCK, out.nrows());
            matmul(out, accum, rows, right, alpha.clone(), Par::Seq);
        });
}

/// `out += alpha · left · right` on one thread: for callers that have split the work themselves.
pub fn add_product<T: ComplexField>(
    out: ViewMut<'_, T>,
    left: View<'_, T>,
    right: View<'_, T>,
    alpha: T,
) {
    matmul(out, Accum::Add, left, right, alpha, Par::Seq);
}

/// `left · right` as a new matrix.
pub fn product(left: View<'_>, right: View<'_>) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(left.nrows(), right.ncols());
    multiply(view_mut(&mut out), Accum::Replace, left, right, 1.0);
    out
}

/// `sum += a · aᵀ`.
pub fn add_outer(sum: &mut DMatrix<f64>, a: &DMatrix<f64>) {
    let transposed = a.transpose();
    multiply(view_mut(sum), Accum::Add, view(a), view(&transposed), 1.0);
}

/// `leftᵀ · right` of two tall matrices as a new matrix, without packing a factor first.
pub fn inner_product(left: View<'_>, right: View<'_>) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(left.ncols(), right.ncols());
    inner_products(view_mut(&mut out), left, right);
    out
}

/// L⁻¹ (lower triangular) of a symmetric positive definite matrix L Lᵀ, of which the lower triangle is read; `None`
/// where it is not positive definite.
pub fn inverse_cholesky(matrix: DMatrix<f64>) -> Option<DMatrix<f64>> {
    cholesky(matrix).map(|lower| inverse_lower(&lower))
}

/// L (lower triangular) of a symmetric positive definite matrix L Lᵀ, of which the lower triangle is read; `None`
/// where it is not positive definite.
pub fn cholesky(mut matrix: DMatrix<f64>) -> Option<DMatrix<f64>> {
    let n = matrix.nrows();
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Spec::default());
    llt::factor::cholesky_in_place(
        view_mut(&mut matrix),
        Default::default(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Spec::default(),
    )
    .ok()?;
    matrix.fill_upper_triangle(0.0, 1);
    Some(matrix)
}

/// The inverse of a lower triangular matrix.
pub fn inverse_lower(lower: &DMatrix<f64>) -> DMatrix<f64> {
    let n = lower.nrows();
    let mut inverse = DMatrix::zeros(n, n);
    invert_lower_triangular(view_mut(&mut inverse), view(lower), Par::Seq);
    inverse
}

/// Householder reflections that took a symmetric matrix to tridiagonal form. The vectors themselves
/// stand in the lower triangle of that matrix.
pub struct Reflectors(Mat<f64>);

/// The diagonal (n) and the off-diagonal (n - 1) of a tridiagonal matrix.
pub struct Diagonals {
    pub main: Vec<f64>,
    pub off: Vec<f64>,
}

/// Reduces a symmetric matrix to tridiagonal form `T = Qᵀ A Q`. Only the lower triangle and the diagonal
/// are read, and only they are overwritten: the strict upper triangle still holds `A` afterwards.
pub fn tridiagonalise(matrix: &mut DMatrix<f64>) -> (Diagonals, Reflectors) {
    let n = matrix.nrows();
    let inner = qr::recommended_block_size::<f64>(n, n);
    let mut factors = Mat::zeros(inner, n.saturating_sub(1));
    let par = Par::rayon(DEGREE);
    let scratch = tridiag::tridiag_in_place_scratch::<f64>(n, par, Spec::default());
    tridiag::tridiag_in_place(
        view_mut(matrix),
        factors.as_mut(),
        par,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Spec::default(),
    );
    let main = (0..n).map(|i| matrix[(i, i)]).collect();
    let off = (1..n).map(|i| matrix[(i, i - 1)]).collect();
    (Diagonals { main, off }, Reflectors(factors))
}

/// `vectors ← Q · vectors`: eigenvectors of `T` become eigenvectors of `A`. Parallel over columns.
pub fn transform_back(matrix: &DMatrix<f64>, reflectors: &Reflectors, vectors: &mut DMatrix<f64>) {
    let n = matrix.nrows();
    if n < 2 {
        return;
    }
    let basis = view(matrix).submatrix(1, 0, n - 1, n - 1);
    let factors = reflectors.0.as_ref();
    vectors
        .as_mut_slice()
        .par_chunks_mut(n * COLUMN_BLOCK)
        .for_each(|chunk| {
            let chunk = columns_mut(chunk, n).subrows_mut(1, n - 1);
            let scratch = apply_scratch::<f64>(n - 1, factors.nrows(), chunk.ncols());
            let mut memory = MemBuffer::new(scratch);
            let stack = MemStack::new(&mut memory);
            apply_reflectors(basis, factors, Conj::No, chunk, Par::Seq, stack);
        });
}

/// The algorithm by which faer solves a tridiagonal eigenproblem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TridiagonalSolver {
    /// Cuppen's divide and conquer: fast.
    DivideAndConquer,
    /// Implicit QR: slow, and as reliable as anything known.
    ImplicitQr,
}

/// All eigenvalues of a tridiagonal matrix in increasing order, and its eigenvectors (n x n); nothing if
/// the iteration did not converge.
///
/// faer's divide and conquer takes some tolerances as if the matrix had a norm of about 1: with face
/// data (norms of 1e9) residuals came out at 1e-9, and at 1e-15 once scaled. So it is scaled, by a power
/// of two, which rounds nothing.
pub fn solve_tridiagonal(
    diagonals: &Diagonals,
    solver: TridiagonalSolver,
) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let n = diagonals.main.len();
    let mut settings = Spec::<evd::SelfAdjointEvdParams, f64>::default().config;
    if solver == TridiagonalSolver::ImplicitQr {
        settings.recursion_threshold = usize::MAX;
    }
    let settings = Spec::new(settings);
    let par = Par::rayon(DEGREE);
    let scratch =
        evd::self_adjoint_evd_scratch::<f64>(n, evd::ComputeEigenvectors::Yes, par, settings);
    let largest = diagonals
        .main
        .iter()
        .chain(&diagonals.off)
        .fold(0.0_f64, |most, x| most.max(x.abs()));
    let scale = 2.0_f64.powi(-(largest.max(f64::MIN_POSITIVE).log2() as i32));
    let main: Vec<f64> = diagonals.main.iter().map(|x| x * scale).collect();
    let mut off: Vec<f64> = diagonals.off.iter().map(|x| x * scale).collect();
    off.resize(n, 0.0);
    let mut values = vec![0.0; n];
    let mut vectors = DMatrix::zeros(n, n);
    evd::tridiagonal_self_adjoint_evd(
        faer::diag::DiagRef::from_slice(&main),
        faer::diag::DiagRef::from_slice(&off),
        faer::diag::DiagMut::from_slice_mut(&mut values),
        Some(view_mut(&mut vectors)),
        par,
        MemStack::new(&mut MemBuffer::new(scratch)),
        settings,
    )
    .ok()?;
    values.iter_mut().for_each(|value| *value /= scale);
    Some((values, vectors))
}
