//! Exact tables of inner products, seen from some of their columns and about the mean of these.

use std::iter::Sum;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::{Columns, kernel};
use vectorised::vectorised_mut;

/// All inner products of n columns, exact: n x n, both triangles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    /// All of them, row by row.
    pub entries: Vec<i64>,
    side: usize,
}

impl Table {
    pub fn of(columns: Columns<'_>) -> Self {
        Self { entries: kernel::gram(columns), side: columns.count() }
    }

    /// Those of one column with all.
    pub fn row(&self, i: usize) -> &[i64] {
        &self.entries[i * self.side..][..self.side]
    }

    fn largest(&self) -> i64 {
        self.entries.iter().step_by(self.side + 1).max().copied().unwrap_or(0)
    }
}

/// Inner products with chosen columns of a table.
///
/// n² (x_i - m)·(x_p - m) = n² G_ip - n (r_i + r_p) + S, with the sums r over the chosen columns and the total S, is an
/// integer and is computed as one, so each number is the true value rounded once. Equal columns give exact zeros.
#[derive(Debug, Clone)]
pub(crate) struct Centring<'a> {
    table: &'a Table,
    chosen: Vec<usize>,
    sums: Sums,
}

/// Sum of each chosen column's products with all chosen ones, and the sum of these. The integers that follow from
/// them are the same in 64 bits, where they fit, as in 128, and several times as fast.
#[derive(Debug, Clone)]
enum Sums {
    Small((Vec<i64>, i64)),
    Large((Vec<i128>, i128)),
}

impl<'a> Centring<'a> {
    pub fn new(table: &'a Table, chosen: Vec<usize>) -> Self {
        let count = chosen.len() as i128;
        // No term is larger than n² G_max, and there are four of them.
        let small = 4 * count * count * i128::from(table.largest()) <= i128::from(i64::MAX);
        let sums = if small { Sums::Small(totals(table, &chosen)) } else { Sums::Large(totals(table, &chosen)) };
        Self { table, chosen, sums }
    }

    /// Inner products of the chosen columns with column `p`; `at` is its place among them, if known.
    fn with(&self, p: usize, at: Option<usize>, products: &mut [f64]) {
        const FETCHED: usize = 64;
        let row = self.table.row(p);
        let entries = products.iter_mut().zip(&self.chosen);
        let count = self.chosen.len() as i64;
        let square = (count as f64).powi(2);
        match &self.sums {
            Sums::Small((sums, total)) => {
                let own = at.map_or_else(|| sum(row, &self.chosen), |at| sums[at]);
                let rest = total - count * own;
                vectorised_mut(
                    #[inline(always)]
                    || {
                        // Fetched some at a time, so that what is done with them is done in registers.
                        let mut fetched = [0; FETCHED];
                        let some = products.chunks_mut(FETCHED).zip(sums.chunks(FETCHED));
                        for ((products, sums), chosen) in some.zip(self.chosen.chunks(FETCHED)) {
                            for (entry, &i) in fetched.iter_mut().zip(chosen) {
                                *entry = row[i];
                            }
                            let entries = products.iter_mut().zip(&fetched).zip(sums);
                            for ((value, &entry), &other) in entries {
                                *value = (count * (count * entry - other) + rest) as f64 / square;
                            }
                        }
                    },
                );
            }
            Sums::Large((sums, total)) => {
                let own = at.map_or_else(|| sum(row, &self.chosen), |at| sums[at]);
                let count = i128::from(count);
                let rest = total - count * own;
                for ((value, &i), &other) in entries.zip(sums) {
                    *value = (count * (count * i128::from(row[i]) - other) + rest) as f64 / square;
                }
            }
        }
    }

    /// The squared length of column `p`.
    pub fn squared(&self, p: usize) -> f64 {
        let row = self.table.row(p);
        let own = i128::from(row[p]);
        let total = match self.sums {
            Sums::Small((_, total)) => i128::from(total),
            Sums::Large((_, total)) => total,
        };
        let count = self.chosen.len() as i128;
        let across: i128 = sum(row, &self.chosen);
        (count * (count * own - 2 * across) + total) as f64 / (count * count) as f64
    }

    /// Inner products of the chosen columns (rows of the result) with these.
    pub fn with_all(&self, columns: &[usize]) -> DMatrix<f64> {
        let mut products = DMatrix::zeros(self.chosen.len(), columns.len());
        let of_columns = products.as_mut_slice().par_chunks_mut(self.chosen.len().max(1)).zip(columns);
        of_columns.for_each(|(products, &p)| self.with(p, None, products));
        products
    }

    /// Inner products of the chosen columns with one another.
    pub fn scatter(&self) -> DMatrix<f64> {
        let n = self.chosen.len();
        let mut products = DMatrix::zeros(n, n);
        let of_columns = products.as_mut_slice().par_chunks_mut(n.max(1)).zip(&self.chosen).enumerate();
        of_columns.for_each(|(at, (products, &p))| self.with(p, Some(at), products));
        products
    }
}

/// The sum of each chosen column's products with all chosen ones, and the sum of these.
fn totals<T: From<i64> + Sum + Copy + Send>(table: &Table, chosen: &[usize]) -> (Vec<T>, T) {
    let sums: Vec<T> = chosen.par_iter().map(|&j| sum(table.row(j), chosen)).collect();
    let total = sums.iter().copied().sum();
    (sums, total)
}

fn sum<T: From<i64> + Sum>(row: &[i64], chosen: &[usize]) -> T {
    chosen.iter().map(|&i| T::from(row[i])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centring_is_exact_in_and_beyond_64_bits() {
        for power in [4, 20, 59] {
            let half = 1_i64 << power;
            let entries = vec![2 * half, half, half, 2 * half];
            let table = Table { entries, side: 2 };
            let scatter = Centring::new(&table, vec![1, 0]).scatter();
            // (G₁₁ - 2 G₁₂ + G₂₂) / 4 on the diagonal.
            let value = half as f64 / 2.0;
            assert_eq!(scatter.as_slice(), [value, -value, -value, value]);
        }
    }
}
