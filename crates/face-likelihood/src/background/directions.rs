//! What a condition under which photos are taken, such as hard light or noise, adds to coordinates.
//!
//! In coordinates z whitened by what anybody's photo varies, z = x / √(1 + ψ), a photo is N(0, I), and N(0, I + Σ v w wᵀ) under the
//! condition, with orthonormal w. Both the log-likelihood ratio of the condition and its expected part in a photo follow from wᵀz.

use nalgebra::{DMatrix, DVector};
use symmetric_eigen as eigen;
use vectorised::products_in_lanes;

/// z = x / √(1 + ψ), for coordinates x (k) with ψ.
pub fn whitened(x: impl IntoIterator<Item = f64>, between: &[f64]) -> Vec<f64> {
    x.into_iter().zip(between).map(|(x, psi)| x / (1.0 + psi).sqrt()).collect()
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
        Self::of(second, rank.min(differences.len()))
    }

    /// At most `rank` principal directions of second moments (k x k) of whitened differences; `None` where these are not finite.
    pub fn of(second: DMatrix<f64>, rank: usize) -> Option<Self> {
        let kept = rank.min(second.nrows());
        let (values, vectors) = eigen::all_unmeasured(second)?;
        let rows = vectors.columns(0, kept);
        Some(Self {
            variance: values[..kept].iter().map(|&v| v.max(0.0) as f32).collect(),
            rows: rows.iter().map(|&value| value as f32).collect(),
        })
    }

    /// wᵀz of each direction, for z ([`whitened`], k).
    pub fn along(&self, whitened: &[f64]) -> Vec<f64> {
        let z: Vec<f32> = whitened.iter().map(|&z| z as f32).collect();
        let rows: Vec<&[f32]> = self.rows.chunks_exact(z.len().max(1)).collect();
        let (fours, rest) = rows.as_chunks::<4>();
        let fours = fours.iter().flat_map(|&four| products_in_lanes(four, [&z]));
        let rest = rest.iter().flat_map(|&one| products_in_lanes([one], [&z]));
        fours.chain(rest).map(|[along]| along).collect()
    }

    /// The log-likelihood ratio of photos taken under the condition against others.
    pub fn log_ratio(&self, along: &[f64]) -> f64 {
        let terms = self.variance.iter().zip(along).map(|(&v, along)| {
            let v = f64::from(v);
            0.5 * (v / (1.0 + v) * along * along - libm::log1p(v))
        });
        terms.sum()
    }

    /// What is expected of the condition in a photo: √(1 + ψ) Σ s w wᵀz, k.
    pub fn expected(&self, along: &[f64], between: &[f64]) -> Vec<f64> {
        let mut expected = vec![0.0; between.len()];
        for ((row, &v), along) in self.rows.chunks_exact(between.len().max(1)).zip(&self.variance).zip(along) {
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
