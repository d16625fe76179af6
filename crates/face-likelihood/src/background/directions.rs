//! What a condition under which photos are taken, such as hard light or noise, adds to coordinates.
//!
//! In coordinates z whitened by what anybody's photo varies, z = x / √(1 + ψ), a photo is N(0, I), and N(0, I + Σ v w wᵀ) under the
//! condition, with orthonormal w. Both the log-likelihood ratio of the condition and its expected part in a photo follow from wᵀz.

use nalgebra::{DMatrix, DVector};
use symmetric_eigen as eigen;

/// z = x / √(1 + ψ), for coordinates x (k) with ψ.
pub fn whitened(x: impl IntoIterator<Item = f64>, between: &[f64]) -> Vec<f64> {
    let pairs = x.into_iter().zip(between);
    pairs.map(|(x, psi)| x / (1.0 + psi).sqrt()).collect()
}

/// The covariance Σ v w wᵀ, of rank r, that a condition of photos adds to whitened coordinates.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Directions {
    /// v along each, decreasing.
    pub variance: Vec<f32>,
    /// w, orthonormal: r x k, row by row.
    pub rows: Vec<f32>,
}

impl Directions {
    /// At most `rank` principal directions of whitened differences about 0; `None` where there is none.
    pub fn learn(differences: &[DVector<f64>], rank: usize) -> Option<Self> {
        let k = differences.first()?.len();
        let mut second = DMatrix::zeros(k, k);
        eigen::add_outer(&mut second, &DMatrix::from_columns(differences));
        second /= differences.len() as f64;
        let (values, vectors) = eigen::all_unmeasured(second)?;
        let kept = rank.min(differences.len()).min(k);
        let rows = vectors.columns(0, kept);
        Some(Self {
            variance: values[..kept].iter().map(|&v| v.max(0.0) as f32).collect(),
            rows: rows.iter().map(|&value| value as f32).collect(),
        })
    }

    /// wᵀz of each direction, for z ([`whitened`], k).
    pub fn along(&self, whitened: &[f64]) -> Vec<f64> {
        /// Directions whose sums are formed side by side: each in order, and none waits for another's.
        const TOGETHER: usize = 10;
        let rows = self.rows.chunks_exact(whitened.len().max(1));
        let rows: Vec<&[f32]> = rows.collect();
        let (tens, rest) = rows.as_chunks::<TOGETHER>();
        let mut along = Vec::with_capacity(rows.len());
        tens.iter()
            .for_each(|&ten| along.extend(sums(ten, whitened)));
        rest.iter()
            .for_each(|&one| along.extend(sums([one], whitened)));
        along
    }

    /// The log-likelihood ratio of photos taken under the condition against others.
    pub fn log_ratio(&self, along: &[f64]) -> f64 {
        let terms = self.variance.iter().zip(along).map(|(&v, along)| {
            let v = f64::from(v);
            0.5 * (v / (1.0 + v) * along * along - v.ln_1p())
        });
        terms.sum()
    }

    /// What is expected of the condition in a photo: √(1 + ψ) Σ s w wᵀz, k.
    pub fn expected(&self, along: &[f64], between: &[f64]) -> Vec<f64> {
        let mut expected = vec![0.0; between.len()];
        let rows = self.rows.chunks_exact(between.len().max(1));
        for ((row, &v), along) in rows.zip(&self.variance).zip(along) {
            let share = f64::from(v) / (1.0 + f64::from(v)) * along;
            for (sum, &w) in expected.iter_mut().zip(row) {
                *sum += share * f64::from(w);
            }
        }
        for (value, psi) in expected.iter_mut().zip(between) {
            *value *= (1.0 + psi).sqrt();
        }
        expected
    }
}

/// Σ w z of each row, from the first to the last.
fn sums<const N: usize>(rows: [&[f32]; N], whitened: &[f64]) -> [f64; N] {
    let rows = rows.map(|row| &row[..whitened.len()]);
    let mut sums = [-0.0; N];
    for (at, z) in whitened.iter().enumerate() {
        for n in 0..N {
            sums[n] += f64::from(rows[n][at]) * z;
        }
    }
    sums
}
