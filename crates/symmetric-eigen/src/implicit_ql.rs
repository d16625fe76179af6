//! All eigenpairs of a symmetric tridiagonal matrix by implicit QL with Wilkinson's shift: slow, and as reliable as anything known.
//!
//! Source: G. H. Golub & C. F. Van Loan, "Matrix Computations" (2013), 8.3.5; A. Dubrulle, R. S. Martin & J. H. Wilkinson,
//! "The implicit QL algorithm" (Numer. Math. 12, 1968).

use nalgebra::DMatrix;

use super::reduction::Diagonals;
use super::tridiagonal;
use super::views::{ViewMut, for_each_rows, view_mut};

/// Rotations of one eigenvalue before it is given up; two rounds are the rule.
const MOST_ROUNDS: usize = 60;
/// Share of the norm below which an off-diagonal entry is rounding error: rotations by larger entries make no smaller one.
const DUST: f64 = f64::EPSILON;
/// Rows of the vectors that one thread rotates at a time.
const ROWS: usize = 128;

/// A rotation of columns i and i + 1 by cosine and sine.
struct Rotation {
    column: usize,
    cosine: f64,
    sine: f64,
}

/// The `k` largest eigenvalues, decreasing, and their vectors (n x k); nothing if the iteration does not converge.
pub fn leading(diagonals: &Diagonals, k: usize) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let n = diagonals.main.len();
    let mut values = diagonals.main.clone();
    let mut off = diagonals.off.clone();
    off.push(0.0);
    let mut vectors = DMatrix::identity(n, n);
    let mut rotations = Vec::new();
    // Relative to the neighbours; where these are rounding errors, as beyond the rank of a matrix, to the whole.
    let dust = DUST * tridiagonal::norm(diagonals);
    for at in 0..n {
        for round in 0.. {
            let small = |i: &usize| {
                let beside = f64::EPSILON * (values[*i].abs() + values[i + 1].abs());
                off[*i].abs() <= beside.max(dust)
            };
            let end = (at..n - 1).find(small).unwrap_or(n - 1);
            if end == at {
                break;
            }
            if round == MOST_ROUNDS {
                return None;
            }
            rotations.clear();
            sweep(&mut values, &mut off, at..=end, &mut rotations);
            rotate(&mut vectors, &rotations);
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    order.truncate(k);
    Some((order.iter().map(|&i| values[i]).collect(), vectors.select_columns(&order)))
}

/// One QL step on the rows of a range whose off-diagonal has no zero: from its last row up to its first.
fn sweep(values: &mut [f64], off: &mut [f64], range: std::ops::RangeInclusive<usize>, rotations: &mut Vec<Rotation>) {
    let (start, end) = (*range.start(), *range.end());
    // The eigenvalue of the first two rows that is closer to the first.
    let half = (values[start + 1] - values[start]) / (2.0 * off[start]);
    let shift = values[start] - off[start] / (half + libm::hypot(half, 1.0).copysign(half));
    let mut rest = values[end] - shift;
    let (mut sine, mut cosine, mut taken) = (1.0, 1.0, 0.0);
    for i in (start..end).rev() {
        let (bulge, next) = (sine * off[i], cosine * off[i]);
        let length = libm::hypot(bulge, rest);
        off[i + 1] = length;
        if length == 0.0 {
            // The matrix falls apart here.
            values[i + 1] -= taken;
            off[end] = 0.0;
            return;
        }
        (sine, cosine) = (bulge / length, rest / length);
        let lower = values[i + 1] - taken;
        let mixed = (values[i] - lower) * sine + 2.0 * cosine * next;
        taken = sine * mixed;
        values[i + 1] = lower + taken;
        rest = cosine * mixed - next;
        rotations.push(Rotation { column: i, cosine, sine });
    }
    values[start] -= taken;
    off[start] = rest;
    off[end] = 0.0;
}

/// Applies rotations to the columns of vectors.
fn rotate(vectors: &mut DMatrix<f64>, rotations: &[Rotation]) {
    for_each_rows(view_mut(vectors), ROWS, &|_, mut rows: ViewMut<'_>| {
        for rotation in rotations {
            let i = rotation.column;
            let (mut left, mut right) = rows.columns_range_pair_mut(i, i + 1);
            let pairs = left.as_mut_slice().iter_mut().zip(right.as_mut_slice());
            for (a, b) in pairs {
                let (x, y) = (*a, *b);
                *b = rotation.sine * x + rotation.cosine * y;
                *a = rotation.cosine * x - rotation.sine * y;
            }
        }
    });
}
