//! A diagonal matrix less an outer product: the eigenproblem of leaving one out.
//!
//! The eigenvalues of diag(λ) - ρ z zᵀ are the roots of the secular equation, one between any two neighbours of λ;
//! each is found by its distance from the nearer neighbour, so that no digit is lost. The eigenvectors are those
//! of the z for which the roots found are exact, and are therefore orthogonal to working precision.
//!
//! Sources: J. R. Bunch, C. P. Nielsen & D. C. Sorensen, "Rank-one modification of the symmetric eigenproblem",
//! Numer. Math. 31, 1978; M. Gu & S. C. Eisenstat, "A stable and efficient algorithm for the rank-one modification
//! of the symmetric eigenproblem", SIAM J. Matrix Anal. Appl. 15, 1994; R.-C. Li, "Solving secular equations stably
//! and efficiently", LAPACK Working Note 89, 1993 (the step between two poles).

use crate::vectors::{vectorised, vectorised_mut};
use nalgebra::DMatrix;

/// Terms that change an eigenvalue by less than this many units of rounding are left out.
const NEGLIGIBLE: f64 = 8.0 * f64::EPSILON;
/// Steps towards a root before the bracket is halved to the end.
const STEPS: usize = 40;

/// The eigenpairs of diag(λ) - ρ z zᵀ.
#[derive(Debug, Clone)]
pub(crate) struct Downdated {
    /// Eigenvalues, decreasing; rounding may leave the last a little below zero.
    pub values: Vec<f64>,
    /// The source of each.
    pairs: Vec<Pair>,
    /// Places that take part, their -λ (increasing), and the z for which the roots are exact.
    members: Vec<usize>,
    poles: Vec<f64>,
    exact: Vec<f64>,
    /// Planes in which the basis was turned, in this order.
    turns: Vec<Turn>,
    side: usize,
}

#[derive(Debug, Clone, Copy)]
enum Pair {
    /// The unit vector of a place that takes no part.
    Unit(usize),
    /// A root of the secular equation.
    Root(Root),
}

/// -μ, as a pole and the distance from it.
#[derive(Debug, Clone, Copy)]
struct Root {
    pole: usize,
    distance: f64,
}

/// Two equal eigenvalues let their vectors be turned so that the first takes no part.
#[derive(Debug, Clone, Copy)]
struct Turn {
    first: usize,
    second: usize,
    cosine: f64,
    sine: f64,
}

/// Takes ρ z zᵀ (ρ > 0) from diag(`values`), which must be decreasing; `z` is as long.
pub(crate) fn downdate(values: &[f64], z: &[f64], rho: f64) -> Downdated {
    let (mut poles, mut z): (Vec<f64>, Vec<f64>) =
        (values.iter().map(|v| -v).collect(), z.to_vec());
    let norm = z.iter().map(|v| v * v).sum::<f64>().sqrt();
    let largest = values
        .iter()
        .fold(rho * norm * norm, |most, v| most.max(v.abs()));
    let turns = deflate(&mut poles, &mut z, NEGLIGIBLE * largest, rho * norm);
    let members: Vec<usize> = (0..z.len()).filter(|&at| z[at] != 0.0).collect();
    let units = (0..z.len()).filter(|&at| z[at] == 0.0);
    let mut found: Vec<(f64, Pair)> = units.map(|at| (-poles[at], Pair::Unit(at))).collect();
    let of_members = |all: &[f64]| members.iter().map(|&at| all[at]).collect::<Vec<f64>>();
    let (own, z) = (of_members(&poles), of_members(&z));
    let squares: Vec<f64> = z.iter().map(|v| rho * v * v).collect();
    let roots: Vec<Root> = (0..own.len()).map(|at| root(&own, &squares, at)).collect();
    let exact = exact_for(&own, &roots, &z, rho);
    for root in roots {
        found.push((-(own[root.pole] + root.distance), Pair::Root(root)));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (values, pairs) = found.into_iter().unzip();
    Downdated {
        values,
        pairs,
        members,
        poles: own,
        exact,
        turns,
        side: poles.len(),
    }
}

/// Sets to zero what of z makes no difference; neighbours that are equal are turned first.
fn deflate(poles: &mut [f64], z: &mut [f64], tolerance: f64, weight: f64) -> Vec<Turn> {
    let mut turns = Vec::new();
    let mut before: Option<usize> = None;
    for at in 0..z.len() {
        if weight * z[at].abs() <= tolerance {
            z[at] = 0.0;
            continue;
        }
        if let Some(first) = before {
            let length = z[first].hypot(z[at]);
            let (cosine, sine) = (z[at] / length, -z[first] / length);
            if ((poles[at] - poles[first]) * cosine * sine).abs() <= tolerance {
                let (one, other) = (poles[first], poles[at]);
                poles[first] = one * cosine * cosine + other * sine * sine;
                poles[at] = one * sine * sine + other * cosine * cosine;
                (z[first], z[at]) = (0.0, length);
                let second = at;
                turns.push(Turn {
                    first,
                    second,
                    cosine,
                    sine,
                });
            }
        }
        before = Some(at);
    }
    turns
}

/// The secular function 1 + Σ s_j / (δ_j - t) in two halves, and their slopes; δ_j are the poles about `origin`.
struct Sums {
    left: f64,
    right: f64,
    left_slope: f64,
    right_slope: f64,
}

impl Sums {
    /// At a distance from `origin`; the first `split` poles are the left half.
    #[inline(always)]
    fn at(poles: &[f64], squares: &[f64], split: usize, origin: f64, distance: f64) -> Self {
        let half =
            |from: usize, to: usize| sums(&poles[from..to], &squares[from..to], origin, distance);
        let ((left, left_slope), (right, right_slope)) = (half(0, split), half(split, poles.len()));
        Self {
            left,
            right,
            left_slope,
            right_slope,
        }
    }

    fn value(&self) -> f64 {
        1.0 + self.left + self.right
    }

    /// The value is zero to the rounding of its sums.
    fn is_zero(&self) -> bool {
        self.value().abs() <= NEGLIGIBLE * (1.0 + self.left.abs() + self.right)
    }
}

/// Eight sums side by side, which the compiler keeps in registers.
#[inline(always)]
fn sums(poles: &[f64], squares: &[f64], origin: f64, distance: f64) -> (f64, f64) {
    let (mut values, mut slopes) = ([0.0; 8], [0.0; 8]);
    let (poles, last_poles) = poles.as_chunks::<8>();
    let (squares, last_squares) = squares.as_chunks::<8>();
    for (poles, squares) in poles.iter().zip(squares) {
        for lane in 0..8 {
            let inverse = 1.0 / ((poles[lane] - origin) - distance);
            let term = squares[lane] * inverse;
            values[lane] += term;
            slopes[lane] += term * inverse;
        }
    }
    let (mut value, mut slope) = (values.iter().sum::<f64>(), slopes.iter().sum::<f64>());
    for (pole, square) in last_poles.iter().zip(last_squares) {
        let inverse = 1.0 / ((pole - origin) - distance);
        value += square * inverse;
        slope += square * inverse * inverse;
    }
    (value, slope)
}

/// The root between pole `at` and the next one, or beyond the last.
fn root(poles: &[f64], squares: &[f64], at: usize) -> Root {
    vectorised(
        #[inline(always)]
        || match poles.get(at + 1) {
            Some(next) => {
                let gap = next - poles[at];
                let middle = Sums::at(poles, squares, at + 1, poles[at], gap / 2.0);
                let (pole, bracket) = if middle.value() >= 0.0 {
                    (at, (0.0, gap / 2.0))
                } else {
                    (at + 1, (-gap / 2.0, 0.0))
                };
                approach(poles, squares, at, pole, bracket)
            }
            None => approach(poles, squares, at, at, (0.0, squares.iter().sum())),
        },
    )
}

/// The root after pole `at` as a distance from `pole`, which lies within the bracket.
#[inline(always)]
fn approach(
    poles: &[f64],
    squares: &[f64],
    at: usize,
    pole: usize,
    (mut low, mut high): (f64, f64),
) -> Root {
    let origin = poles[pole];
    let mut distance = low + (high - low) / 2.0;
    for step in 0.. {
        let sums = Sums::at(poles, squares, at + 1, origin, distance);
        let value = sums.value();
        if sums.is_zero() || high - low <= f64::EPSILON * low.abs().max(high.abs()) {
            break;
        }
        if value < 0.0 {
            low = distance;
        } else {
            high = distance;
        }
        let own = (poles[at] - origin) - distance;
        let change = match poles.get(at + 1) {
            Some(next) => between(&sums, own, (next - origin) - distance),
            // The function as a pole and a constant.
            None => own + own * own * sums.left_slope / (1.0 + sums.left - own * sums.left_slope),
        };
        let next = distance + change;
        distance = if step < STEPS && next > low && next < high {
            next
        } else if low == 0.0 {
            // Roots lie close to poles by many orders of magnitude.
            high / 16.0
        } else if high == 0.0 {
            low / 16.0
        } else {
            low + (high - low) / 2.0
        };
        if distance == 0.0 || distance == low || distance == high {
            break;
        }
    }
    Root { pole, distance }
}

/// The step to the root of the function as two poles, at distances `left` < 0 < `right`, and a constant.
#[inline(always)]
fn between(sums: &Sums, left: f64, right: f64) -> f64 {
    let value = sums.value();
    let slope = sums.left_slope + sums.right_slope;
    let a = (left + right) * value - left * right * slope;
    let b = left * right * value;
    let c = value - left * sums.left_slope - right * sums.right_slope;
    let root = (a * a - 4.0 * b * c).abs().sqrt();
    if a <= 0.0 {
        (a - root) / (2.0 * c)
    } else {
        2.0 * b / (a + root)
    }
}

/// The z, with the signs of the one given, for which the roots are exact (Gu & Eisenstat, after Löwner).
fn exact_for(poles: &[f64], roots: &[Root], z: &[f64], rho: f64) -> Vec<f64> {
    let m = poles.len();
    let mut squares = vec![rho.recip(); m];
    vectorised_mut(
        #[inline(always)]
        || {
            for (i, root) in roots.iter().enumerate() {
                let (origin, distance) = (poles[root.pole], root.distance);
                // Each root goes with the pole on the far side of j, so that all factors are near 1.
                for (j, square) in squares[..=i].iter_mut().enumerate() {
                    let above = (origin - poles[j]) + distance;
                    *square *= match poles.get(i + 1) {
                        Some(next) => above / (next - poles[j]),
                        None => above,
                    };
                }
                for (j, square) in squares.iter_mut().enumerate().skip(i + 1) {
                    *square *= ((origin - poles[j]) + distance) / (poles[i] - poles[j]);
                }
            }
        },
    );
    let signed = |(square, z): (f64, &f64)| square.max(0.0).sqrt().copysign(*z);
    squares.into_iter().zip(z).map(signed).collect()
}

impl Downdated {
    /// The eigenvectors of the `count` largest eigenvalues, as columns; signs are arbitrary but reproducible.
    pub fn vectors(&self, count: usize) -> DMatrix<f64> {
        let mut vectors = DMatrix::zeros(self.side, count);
        for (mut column, pair) in vectors.column_iter_mut().zip(&self.pairs) {
            match pair {
                Pair::Unit(at) => column[*at] = 1.0,
                Pair::Root(root) => {
                    let entries = self.of_root(*root);
                    for (&at, value) in self.members.iter().zip(entries) {
                        column[at] = value;
                    }
                }
            }
            for turn in self.turns.iter().rev() {
                let (one, other) = (column[turn.first], column[turn.second]);
                column[turn.first] = turn.cosine * one - turn.sine * other;
                column[turn.second] = turn.sine * one + turn.cosine * other;
            }
        }
        vectors
    }

    fn of_root(&self, root: Root) -> Vec<f64> {
        let origin = self.poles[root.pole];
        let mut entries = vec![0.0; self.poles.len()];
        vectorised_mut(
            #[inline(always)]
            || {
                for ((entry, z), pole) in entries.iter_mut().zip(&self.exact).zip(&self.poles) {
                    *entry = z / ((pole - origin) - root.distance);
                }
            },
        );
        // Entries can be large: a root may lie next to a pole.
        let largest = entries.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        entries.iter_mut().for_each(|v| *v /= largest);
        let length = entries.iter().map(|v| v * v).sum::<f64>().sqrt();
        entries.iter_mut().for_each(|v| *v /= length);
        entries
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The eigenpairs are those of the matrix, to rounding.
    fn assert_solved(values: &[f64], z: &[f64], rho: f64) {
        let n = values.len();
        let mut matrix = DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(values));
        for i in 0..n {
            for j in 0..n {
                matrix[(i, j)] -= rho * z[i] * z[j];
            }
        }
        let scale = matrix
            .amax()
            .max(values.iter().fold(0.0, |most, v| most.max(v.abs())));
        let found = downdate(values, z, rho);
        let vectors = found.vectors(n);
        assert!(found.values.is_sorted_by(|a, b| a >= b));
        let gram = vectors.transpose() * &vectors;
        let error = (gram - DMatrix::identity(n, n)).amax();
        assert!(
            error < 1e-13 * n as f64,
            "not orthonormal by {error:e}: {values:?} {z:?}"
        );
        let wanted = DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(&found.values));
        let error = (matrix * &vectors - &vectors * wanted).amax();
        assert!(
            error <= 1e-14 * n as f64 * scale,
            "residual {error:e}: {values:?} {z:?}"
        );
    }

    #[test]
    fn equal_values_zeros_and_tiny_entries_are_no_trouble() {
        assert_solved(&[3.0, 3.0, 3.0, 1.0], &[1.0, -2.0, 0.5, 0.1], 1.0);
        assert_solved(&[3.0, 2.0, 1.0], &[0.0, 0.0, 0.0], 1.0);
        assert_solved(&[3.0, 2.0, 1.0], &[1e-9, 1.0, 1e-200], 0.5);
        assert_solved(&[1e300, 1.0, 0.0], &[1e149, 1.0, 1e-3], 1.0);
        assert_solved(&[2.0, 2.0 - 1e-15, 1.0, 1.0 - 1e-12], &[1.0; 4], 0.25);
        assert_solved(&[5.0], &[2.0], 1.0);
        assert!(downdate(&[], &[], 1.0).values.is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn pairs_of_random_matrices_are_right(
            mut values in proptest::collection::vec(0.0_f64..10.0, 1..40),
            seed in proptest::collection::vec(-1.0_f64..1.0, 40),
            steep in 0_i32..6,
            rho in 0.01_f64..3.0,
        ) {
            // From flat spectra to those that fall over many orders of magnitude.
            values.iter_mut().for_each(|v| *v = v.powi(steep));
            values.sort_by(|a, b| b.total_cmp(a));
            let z: Vec<f64> = seed.iter().zip(&values).map(|(s, v)| s * v.sqrt()).collect();
            assert_solved(&values, &z, rho);
        }
    }
}
