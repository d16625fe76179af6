//! Exact tables of inner products, seen from some of their columns and about the mean of these.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::kernel;

/// All inner products of n columns, exact: n x n, both triangles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    entries: Vec<i64>,
    side: usize,
}

impl Table {
    /// From the upper triangle, row by row.
    pub fn from_upper(mut entries: Vec<i64>, side: usize) -> Self {
        kernel::mirror_upper(&mut entries, side).expect("the table is n x n");
        Self { entries, side }
    }

    /// Entry by entry.
    pub fn combined(&self, other: &Self, combine: impl Fn(i64, i64) -> i64) -> Self {
        let entries = self.entries.iter().zip(&other.entries);
        Self {
            entries: entries.map(|(&a, &b)| combine(a, b)).collect(),
            side: self.side,
        }
    }

    fn row(&self, i: usize) -> &[i64] {
        &self.entries[i * self.side..][..self.side]
    }

    fn largest(&self) -> i64 {
        let diagonal = self.entries.iter().step_by(self.side + 1);
        diagonal.max().copied().unwrap_or(0)
    }
}

/// Where vectors start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// At the mean of the chosen columns.
    Mean,
    /// Where they are; their mean is zero anyway.
    Origin,
}

/// Inner products with chosen columns of a table.
///
/// n² (x_i - m)·(x_p - m) = n² G_ip - n (r_i + r_p) + S, with the sums r over the chosen columns and the total S,
/// is an integer and is computed as one, so each number is the true value rounded once. Equal columns give
/// exact zeros.
#[derive(Debug, Clone)]
pub(super) struct Centring<'a> {
    table: &'a Table,
    chosen: Vec<usize>,
    about: About,
    /// Sum of each chosen column's products with all chosen ones, and the sum of these.
    sums: Vec<i128>,
    total: i128,
    /// Whether all that follows fits 64 bits.
    small: bool,
}

impl<'a> Centring<'a> {
    pub fn new(table: &'a Table, chosen: Vec<usize>, about: About) -> Self {
        let sum = |&j: &usize| sum(table.row(j), &chosen);
        let sums: Vec<i128> = match about {
            About::Mean => chosen.par_iter().map(sum).collect(),
            About::Origin => Vec::new(),
        };
        let count = chosen.len() as i128;
        // No term is larger than n² G_max, and there are four of them.
        let largest = 4 * count * count * i128::from(table.largest());
        Self {
            total: sums.iter().sum(),
            table,
            chosen,
            about,
            sums,
            small: largest <= i128::from(i64::MAX),
        }
    }

    /// Inner products of the chosen columns with column `p`.
    pub fn with(&self, p: usize, products: &mut [f64]) {
        let row = self.table.row(p);
        let entries = products.iter_mut().zip(&self.chosen);
        if self.about == About::Origin {
            for (value, &i) in entries {
                *value = row[i] as f64;
            }
            return;
        }
        let count = self.chosen.len() as i128;
        let square = (count * count) as f64;
        let rest = self.total - count * sum(row, &self.chosen);
        // The integer is the same in 64 bits, where it fits, as in 128, and several times as fast.
        if self.small {
            let (count, rest) = (count as i64, rest as i64);
            for ((value, &i), &other) in entries.zip(&self.sums) {
                *value = (count * (count * row[i] - other as i64) + rest) as f64 / square;
            }
        } else {
            for ((value, &i), &other) in entries.zip(&self.sums) {
                let exact = count * (count * i128::from(row[i]) - other) + rest;
                *value = exact as f64 / square;
            }
        }
    }

    /// The squared length of column `p`.
    pub fn squared(&self, p: usize) -> f64 {
        let row = self.table.row(p);
        let own = i128::from(row[p]);
        match self.about {
            About::Origin => own as f64,
            About::Mean => {
                let count = self.chosen.len() as i128;
                let exact = count * (count * own - 2 * sum(row, &self.chosen)) + self.total;
                exact as f64 / (count * count) as f64
            }
        }
    }

    /// Inner products of the chosen columns (rows of the result) with these.
    pub fn with_all(&self, columns: &[usize]) -> DMatrix<f64> {
        let mut products = DMatrix::zeros(self.chosen.len(), columns.len());
        products
            .as_mut_slice()
            .par_chunks_mut(self.chosen.len().max(1))
            .zip(columns)
            .for_each(|(products, &p)| self.with(p, products));
        products
    }

    /// Inner products of the chosen columns with one another.
    pub fn scatter(&self) -> DMatrix<f64> {
        self.with_all(&self.chosen)
    }
}

fn sum(row: &[i64], chosen: &[usize]) -> i128 {
    chosen.iter().map(|&i| i128::from(row[i])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centring_is_exact_in_and_beyond_64_bits() {
        for power in [4, 20, 59] {
            let half = 1_i64 << power;
            let table = Table::from_upper(vec![2 * half, half, 0, 2 * half], 2);
            let scatter = Centring::new(&table, vec![1, 0], About::Mean).scatter();
            // (G₁₁ - 2 G₁₂ + G₂₂) / 4 on the diagonal.
            let value = half as f64 / 2.0;
            assert_eq!(scatter.as_slice(), [value, -value, -value, value]);
        }
    }
}
