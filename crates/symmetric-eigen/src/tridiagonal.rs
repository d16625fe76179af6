//! Leading eigenpairs of a symmetric tridiagonal matrix: values by bisection on Sturm counts, vectors by inverse iteration.
//!
//! Source: W. Barth, R. S. Martin & J. H. Wilkinson, "Calculation of the eigenvalues of a symmetric tridiagonal matrix by
//! the method of bisection" (Numer. Math. 9, 1967); G. Peters & J. H. Wilkinson, "The calculation of specified eigenvectors
//! by inverse iteration" (Handbook for Automatic Computation II, 1971). Different from the textbook: vectors are
//! orthogonalised one against another only within clusters that are close to working accuracy; what the others lose is a
//! small error that one Newton-Schulz step squares away ([`check::polish`]). So all vectors can be computed in parallel.

use super::check;
use super::random::Noise;
use super::reduction::Diagonals;
use nalgebra::DMatrix;
use rayon::prelude::*;
use std::ops::Range;

/// Eigenvalues found side by side: the divisions of one wait for those of none of the others.
const LANES: usize = 16;
/// Neighbouring eigenvalues closer than this share of the norm are orthogonalised explicitly.
const CLUSTER_GAP: f64 = 1e-8;
/// A cluster larger than this is left to implicit QL, which does not orthogonalise.
const LARGEST_CLUSTER: usize = 100;
/// Inverse iterations before a vector is given up; two or three are the rule.
const MOST_ITERATIONS: usize = 6;

/// The `k` largest eigenvalues, decreasing, and their vectors (n x k), which want polishing; nothing if
/// inverse iteration is the wrong tool for this spectrum.
pub fn leading(t: &Diagonals, k: usize) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let n = t.main.len();
    let norm = norm(t);
    let values = largest_values(t, k, norm);
    let clusters = clusters(&values, norm);
    if clusters.iter().any(|cluster| cluster.len() > LARGEST_CLUSTER) {
        return None;
    }
    let vectors: Vec<Vec<f64>> = clusters
        .par_iter()
        .with_min_len(4)
        .map(|cluster| cluster_vectors(t, norm, cluster.start, &values[cluster.clone()]))
        .collect::<Option<_>>()?;
    Some((values, DMatrix::from_vec(n, k, vectors.concat())))
}

/// The largest sum of absolute values of a row: no eigenvalue is larger.
pub fn norm(t: &Diagonals) -> f64 {
    let before = std::iter::once(0.0).chain(t.off.iter().copied());
    let after = t.off.iter().copied().chain(std::iter::once(0.0));
    t.main.iter().zip(before).zip(after).map(|((d, b), a)| d.abs() + b.abs() + a.abs()).fold(0.0, f64::max)
}

/// The largest `‖T v - λ v‖` of all pairs, absolute.
pub fn residual(t: &Diagonals, values: &[f64], vectors: &DMatrix<f64>) -> f64 {
    let n = t.main.len();
    let mut images = vectors.clone();
    images.as_mut_slice().par_chunks_mut(n.max(1)).zip(vectors.as_slice().par_chunks(n.max(1))).for_each(
        |(image, v)| {
            for i in 0..n {
                let before = if i > 0 { t.off[i - 1] * v[i - 1] } else { 0.0 };
                let after = if i + 1 < n { t.off[i] * v[i + 1] } else { 0.0 };
                image[i] = before + t.main[i] * v[i] + after;
            }
        },
    );
    check::largest_difference(&images, values, vectors)
}

/// The `k` largest eigenvalues, decreasing, each to about 2 ulp of the norm.
fn largest_values(t: &Diagonals, k: usize, norm: f64) -> Vec<f64> {
    let squares: Vec<f64> = t.off.iter().map(|e| e * e).collect();
    let wanted: Vec<usize> = (0..k).collect();
    let mut values: Vec<f64> = wanted
        .par_chunks(LANES)
        .flat_map_iter(|group| {
            let search = Bisection { main: &t.main, squares: &squares, norm, first: group[0] };
            pulp::Arch::new().dispatch(search).into_iter().take(group.len())
        })
        .collect();
    // Rounding in the counts can put neighbours an ulp out of order.
    for i in 1..values.len() {
        values[i] = values[i].min(values[i - 1]);
    }
    values
}

/// A search for the eigenvalues of rank `first`, `first + 1`, ... (0 is the largest), one per lane.
/// Compiled once for each instruction set; the result is the same.
struct Bisection<'a> {
    main: &'a [f64],
    /// Of the off-diagonal.
    squares: &'a [f64],
    norm: f64,
    first: usize,
}

impl pulp::WithSimd for Bisection<'_> {
    type Output = [f64; LANES];

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> [f64; LANES] {
        let Self { main, squares, norm, first } = self;
        let n = main.len();
        let tolerance = 2.0 * f64::EPSILON * norm;
        // In increasing order, the eigenvalue of rank r has n - 1 - r below it.
        let below: [usize; LANES] = std::array::from_fn(|lane| n.saturating_sub(1 + first + lane));
        let mut low = [-norm * (1.0 + 1e-12); LANES];
        let mut high = [norm * (1.0 + 1e-12); LANES];
        while (0..LANES).any(|lane| high[lane] - low[lane] > tolerance) {
            let middle: [f64; LANES] = std::array::from_fn(|lane| 0.5 * (low[lane] + high[lane]));
            let counts = count_below(main, squares, norm, &middle);
            let mut moved = false;
            for lane in 0..LANES {
                moved |= low[lane] < middle[lane] && middle[lane] < high[lane];
                if counts[lane] > below[lane] {
                    high[lane] = middle[lane];
                } else {
                    low[lane] = middle[lane];
                }
            }
            if !moved {
                break;
            }
        }
        std::array::from_fn(|lane| 0.5 * (low[lane] + high[lane]))
    }
}

/// Number of eigenvalues below each `x`: the negative pivots of `T - x I` (Sylvester's law of inertia).
#[inline(always)]
fn count_below(main: &[f64], squares: &[f64], norm: f64, x: &[f64; LANES]) -> [usize; LANES] {
    // No pivot may be so small that the next one overflows.
    let smallest = f64::MIN_POSITIVE.max(f64::EPSILON * f64::EPSILON * norm);
    let mut counts = [0_u64; LANES];
    let mut pivot = [1.0_f64; LANES];
    for (d, e2) in main.iter().zip(std::iter::once(&0.0).chain(squares)) {
        for lane in 0..LANES {
            let q = (d - x[lane]) - e2 / pivot[lane];
            let q = if q.abs() < smallest { -smallest } else { q };
            counts[lane] += u64::from(q < 0.0);
            pivot[lane] = q;
        }
    }
    counts.map(|count| count as usize)
}

/// Runs of eigenvalues (decreasing) whose neighbours are too close for inverse iteration to part them.
fn clusters(values: &[f64], norm: f64) -> Vec<Range<usize>> {
    let mut clusters = Vec::new();
    let mut start = 0;
    for i in 1..=values.len() {
        if i == values.len() || values[i - 1] - values[i] > CLUSTER_GAP * norm {
            clusters.push(start..i);
            start = i;
        }
    }
    clusters
}

/// Orthonormal eigenvectors of one cluster, one after the other. `rank` numbers its first eigenvalue.
fn cluster_vectors(t: &Diagonals, norm: f64, rank: usize, values: &[f64]) -> Option<Vec<f64>> {
    let n = t.main.len();
    let mut found: Vec<f64> = Vec::with_capacity(n * values.len());
    for (i, &value) in values.iter().enumerate() {
        let factors = Shifted::factorise(t, value, norm);
        let mut vector: Vec<f64> = Noise::seeded((rank + i) as u64).take(n).collect();
        // A solve by T - λ I blows a unit vector up by 1 / residual. Once that is at rounding level, one
        // more solve cleans the vector of its neighbours.
        let enough = 8.0 * f64::EPSILON * norm * (n as f64).sqrt();
        let mut good = 0;
        for iteration in 0.. {
            orthogonalise(&mut vector, &found);
            let growth = normalise(&mut vector)?;
            if iteration > 0 && growth.recip() <= enough {
                good += 1;
            }
            if good == 2 {
                break;
            }
            if iteration == MOST_ITERATIONS {
                return None;
            }
            factors.solve(&mut vector);
        }
        found.extend_from_slice(&vector);
    }
    Some(found)
}

/// Takes out of `vector` its parts along the orthonormal vectors in `found`; twice, which is enough.
fn orthogonalise(vector: &mut [f64], found: &[f64]) {
    for _ in 0..2 {
        for other in found.chunks(vector.len().max(1)) {
            let along: f64 = vector.iter().zip(other).map(|(a, b)| a * b).sum();
            vector.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
        }
    }
}

/// Scales to length 1 and returns the length there was; nothing if it was zero or not a number.
fn normalise(vector: &mut [f64]) -> Option<f64> {
    // First by the largest entry: the squares of the solution of a nearly singular system may overflow.
    let largest = vector.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    vector.iter_mut().for_each(|x| *x /= largest);
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    Some(length * largest)
}

/// One step of Gaussian elimination on `T - λ I`.
#[derive(Clone, Copy, Default)]
struct Row {
    /// Inverse of the pivot, and the two entries right of it.
    inverse: f64,
    right: f64,
    right2: f64,
    /// The multiple of the pivot row that was subtracted from the row below.
    multiplier: f64,
    /// Whether the two rows were exchanged.
    exchanged: bool,
}

/// `T - λ I`, factorised with partial pivoting.
struct Shifted(Vec<Row>);

impl Shifted {
    fn factorise(t: &Diagonals, shift: f64, norm: f64) -> Self {
        let n = t.main.len();
        let tiny = f64::EPSILON * norm;
        let guard = |pivot: f64| if pivot.abs() < tiny { tiny.copysign(pivot) } else { pivot };
        let mut rows = vec![Row::default(); n];
        // The row being eliminated: its pivot and the entry right of it.
        let mut pivot = t.main.first().map_or(0.0, |d| d - shift);
        let mut right = t.off.first().copied().unwrap_or(0.0);
        for (i, row) in rows.iter_mut().enumerate() {
            let Some(&below) = t.off.get(i) else {
                row.inverse = guard(pivot).recip();
                break;
            };
            let next = t.main[i + 1] - shift;
            let next_right = t.off.get(i + 1).copied().unwrap_or(0.0);
            row.exchanged = below.abs() > pivot.abs();
            if row.exchanged {
                row.inverse = below.recip();
                (row.right, row.right2) = (next, next_right);
                row.multiplier = pivot * row.inverse;
                (pivot, right) = (right - row.multiplier * next, -row.multiplier * next_right);
            } else {
                row.inverse = guard(pivot).recip();
                row.right = right;
                row.multiplier = below * row.inverse;
                (pivot, right) = (next - row.multiplier * right, next_right);
            }
        }
        Self(rows)
    }

    /// Solves `(T - λ I) y = x` in place.
    fn solve(&self, x: &mut [f64]) {
        for i in 1..x.len() {
            let row = &self.0[i - 1];
            if row.exchanged {
                x.swap(i - 1, i);
            }
            x[i] -= row.multiplier * x[i - 1];
        }
        let (mut next, mut next2) = (0.0, 0.0);
        for (x, row) in x.iter_mut().zip(&self.0).rev() {
            *x = (*x - row.right * next - row.right2 * next2) * row.inverse;
            (next, next2) = (*x, next);
        }
    }
}
