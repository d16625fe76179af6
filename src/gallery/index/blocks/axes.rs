//! The axes in which points are compared in part: ordered by variance, turned where that gathers more of it.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use crate::pca::eigen::{self, Choice, Wanted};
use crate::vectors::vectorised_mut;

/// Axes that blocks are split by.
const LEADING: usize = 12;

/// Points that the axes are learned from. Any axes give right answers; better ones, faster.
const SAMPLE: usize = 4096;

/// Fewer points are not worth the turning.
const TURNED: usize = 4096;

/// Turned if as many axes as blocks are split by then have this much more of the variance.
const GAIN: f64 = 1.1;

/// Standard deviations must lie above this, and coordinates within this: so that squares of what is compared are
/// ordinary `f32`.
const LEAST: f64 = 1e-9;
const LARGEST: f32 = 1e15;

/// Points placed at a time by one thread.
const TOGETHER: usize = 256;

/// An isometry, but for rounding, from coordinates to axes of decreasing variance.
#[derive(Debug)]
pub(super) struct Axes {
    /// The origin, k.
    mean: Vec<f32>,
    turn: Turn,
    /// The standard deviation along each axis, as far as it is known from a sample: k.
    pub deviations: Vec<f64>,
}

#[derive(Debug)]
enum Turn {
    /// Which coordinate each axis is.
    Ordered(Vec<usize>),
    /// Rows are axes: k x k, orthonormal to `error`.
    Turned { axes: DMatrix<f32>, error: f64 },
}

impl Axes {
    /// Axes of points (k x n). `None` where there are no points or coordinates, or beyond the range of `f32`.
    pub fn of(points: &DMatrix<f32>) -> Option<Self> {
        let (k, n) = points.shape();
        let is_within = |values: &[f32]| values.iter().all(|value| value.abs() < LARGEST);
        if k == 0 || n == 0 || !points.as_slice().par_chunks(TOGETHER * k).all(is_within) {
            return None;
        }
        let step = n.div_ceil(SAMPLE);
        let sample = DMatrix::from_fn(k, n.div_ceil(step), |row, at| {
            f64::from(points[(row, at * step)])
        });
        let mean: DVector<f64> = sample.column_mean();
        let mean = mean.map(|value| f64::from(value as f32));
        let centred = DMatrix::from_fn(k, sample.ncols(), |row, at| sample[(row, at)] - mean[row]);
        drop(sample);
        let variance = |row: usize| centred.row(row).norm_squared() / centred.ncols() as f64;
        let variances: Vec<f64> = (0..k).map(variance).collect();
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by(|&a, &b| variances[b].total_cmp(&variances[a]));
        let ordered: Vec<f64> = order.iter().map(|&row| variances[row]).collect();
        let turned = (n >= TURNED).then(|| turned(&centred, &ordered)).flatten();
        let (turn, variances) = turned.unwrap_or((Turn::Ordered(order), ordered));
        let deviations: Vec<f64> = variances.iter().map(|v| v.max(0.0).sqrt()).collect();
        let largest = deviations.iter().copied().fold(0.0, f64::max);
        let is_fit = largest == 0.0 || largest > LEAST;
        is_fit.then(|| Self {
            mean: mean.iter().map(|&value| value as f32).collect(),
            turn,
            deviations,
        })
    }

    /// k, the number of axes.
    pub fn len(&self) -> usize {
        self.mean.len()
    }

    /// Number of axes by which blocks are split.
    pub fn leading(&self) -> usize {
        LEADING.min(self.len())
    }

    /// The factor by which distances can become longer at most, but for the rounding of places.
    pub fn stretch(&self) -> f64 {
        1.0 + match self.turn {
            Turn::Ordered(_) => 1e-12,
            Turn::Turned { error, .. } => error + 1e-12,
        }
    }

    /// The error of the place of a point that lies so far from the origin, at most: sums of k products of `f32`,
    /// in any order, along each of k axes, twice over.
    pub fn placing_error(&self, length: f64) -> f64 {
        let k = self.len() as f64;
        length * k.sqrt() * (k + 3.0) * f64::from(f32::EPSILON)
    }

    /// The leading axes of points (k x n), one point after the other.
    pub fn heads(&self, points: &DMatrix<f32>) -> Vec<f32> {
        let (k, leading) = (self.len(), self.leading());
        let mut heads = vec![0.0; points.ncols() * leading];
        let chunks = heads.par_chunks_mut(TOGETHER * leading);
        chunks
            .zip(points.as_slice().par_chunks(TOGETHER * k))
            .for_each(|(heads, points)| self.place(points.chunks_exact(k), heads, leading));
        heads
    }

    /// The leading `rows` axes of some points (k each), one point after the other.
    pub fn place<'a>(
        &self,
        points: impl Iterator<Item = &'a [f32]>,
        places: &mut [f32],
        rows: usize,
    ) {
        match &self.turn {
            Turn::Ordered(order) => {
                for (place, point) in places.chunks_exact_mut(rows).zip(points) {
                    for (value, &from) in place.iter_mut().zip(order) {
                        *value = point[from] - self.mean[from];
                    }
                }
            }
            Turn::Turned { axes, .. } => {
                let mut centred = Vec::with_capacity(places.len() / rows * self.len());
                for point in points {
                    centred.extend(
                        point
                            .iter()
                            .zip(&self.mean)
                            .map(|(value, mean)| value - mean),
                    );
                }
                places.fill(0.0);
                eigen::add_product(
                    eigen::columns_mut(places, rows),
                    eigen::view(axes).subrows(0, rows),
                    eigen::columns(&centred, self.len()),
                    1.0,
                );
            }
        }
    }

    /// A query (k finite coordinates) in axes; `None` where it lies beyond the range of `f32`.
    pub fn place_query(&self, query: &[f32]) -> Option<Vec<f64>> {
        let centred = query
            .iter()
            .zip(&self.mean)
            .map(|(&value, &mean)| f64::from(value) - f64::from(mean));
        let placed: Vec<f64> = match &self.turn {
            Turn::Ordered(order) => {
                let centred: Vec<f64> = centred.collect();
                order.iter().map(|&from| centred[from]).collect()
            }
            Turn::Turned { axes, .. } => {
                let mut placed = vec![0.0; self.len()];
                vectorised_mut(
                    #[inline(always)]
                    || {
                        let columns = axes.as_slice().chunks(placed.len());
                        for (value, column) in centred.clone().zip(columns) {
                            for (sum, &axis) in placed.iter_mut().zip(column) {
                                *sum += f64::from(axis) * value;
                            }
                        }
                    },
                );
                placed
            }
        };
        let is_within = |value: &f64| value.abs() < f64::from(LARGEST);
        placed.iter().all(is_within).then_some(placed)
    }
}

/// The principal axes of a centred sample (k x m) and the variances along them, where they gather more variance
/// than coordinates do as they are (`ordered`, decreasing).
fn turned(centred: &DMatrix<f64>, ordered: &[f64]) -> Option<(Turn, Vec<f64>)> {
    let k = centred.nrows();
    let transposed = centred.transpose();
    let mut covariance = eigen::inner_product(eigen::view(&transposed), eigen::view(&transposed));
    covariance /= centred.ncols() as f64;
    let found = eigen::leading(covariance, Wanted::All, Choice::Auto).ok()?;
    let leading = |variances: &[f64]| variances.iter().take(LEADING).sum::<f64>();
    if leading(&found.values) <= leading(ordered) * GAIN {
        return None;
    }
    let axes = found.vectors.transpose().map(|value| value as f32);
    let wide = axes.map(f64::from);
    let error = (eigen::product(eigen::view(&wide), eigen::view(&wide).transpose())
        - DMatrix::identity(k, k))
    .norm();
    Some((Turn::Turned { axes, error }, found.values))
}
