//! Points in whole steps of one width, and what a mirror does to them.
//!
//! A coordinate v becomes the byte 128 + v / step, rounded, within 1 to 255; so the negative of a coordinate has the
//! negative code. What the codes of a point are off, as a length, is known exactly.

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::pca::kernel::Columns;

/// The code of 0.
const ZERO: i32 = 128;

/// Codes reach this far to either side.
const REACH: f64 = 127.0;

/// The range of codes, in standard deviations of the widest axis to either side of 0.
const COVERED: f64 = 4.5;

/// Points that one thread makes codes of at a time.
const TOGETHER: usize = 512;

/// Points that the width of a step is learned from. Any width gives right answers.
const SAMPLE: usize = 4096;

/// Which axes a mirror keeps, and which it turns to their negatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parities {
    pub even: Vec<usize>,
    pub odd: Vec<usize>,
}

impl Parities {
    /// Of points (k x n) of which each second is the mirror image of the one before: the same but for the signs of
    /// some axes, which are the same axes everywhere. `None` where they are not that.
    pub fn of_pairs(points: &DMatrix<f32>, owners: &[usize]) -> Option<Self> {
        let (k, n) = points.shape();
        if k == 0 || n == 0 || n % 2 == 1 || owners.chunks(2).any(|pair| pair[0] != pair[1]) {
            return None;
        }
        let pairs = points.as_slice().par_chunks_exact(2 * k);
        // Of an axis that was 0 so far, nothing is known.
        let mut signs = vec![0.0_f32; k];
        for pair in points.as_slice().chunks_exact(2 * k) {
            let (straight, mirrored) = pair.split_at(k);
            for ((sign, &a), &b) in signs.iter_mut().zip(straight).zip(mirrored) {
                if *sign == 0.0 && a != 0.0 {
                    *sign = if a == b { 1.0 } else { -1.0 };
                }
            }
            if signs.iter().all(|&sign| sign != 0.0) {
                break;
            }
        }
        let is_pair = |pair: &[f32]| {
            let (straight, mirrored) = pair.split_at(k);
            let values = straight.iter().zip(mirrored).zip(&signs);
            values.fold(true, |all, ((&a, &b), &sign)| all & (a * sign == b))
        };
        if !pairs.into_par_iter().all(is_pair) {
            return None;
        }
        let (odd, even) = (0..k).partition(|&axis| signs[axis] < 0.0);
        Some(Self { even, odd })
    }

    /// All axes are kept: no point is another's mirror image.
    pub fn none(k: usize) -> Self {
        Self {
            even: (0..k).collect(),
            odd: Vec::new(),
        }
    }
}

/// The width of a step for points (k x n); `None` where there is none to choose.
pub(super) fn step(points: &DMatrix<f32>) -> Option<f64> {
    let k = points.nrows();
    let sample = points
        .column_iter()
        .step_by(points.ncols().div_ceil(SAMPLE).max(1));
    let count = sample.len() as f64;
    let mut squares = vec![0.0_f64; k];
    for point in sample {
        for (sum, &value) in squares.iter_mut().zip(point.iter()) {
            *sum += f64::from(value).powi(2);
        }
    }
    let widest = squares.into_iter().fold(0.0, f64::max);
    let step = (widest / count).sqrt() * COVERED / REACH;
    (step.is_normal() && step.recip().is_normal()).then_some(step)
}

/// The sums that turn a product of codes into a squared distance, one for each point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sums {
    /// Σ c² + 256 Σ (128 + c), the latter over the even axes.
    pub even: i32,
    /// 128 Σ (128 + c) over the odd axes.
    pub odd: i32,
}

/// Points as codes.
#[derive(Debug)]
pub(super) struct Codes {
    /// Axes that a mirror keeps.
    evens: usize,
    odds: usize,
    even: Vec<u8>,
    odd: Vec<u8>,
    pub sums: Vec<Sums>,
    /// The length that the codes of each point are off.
    pub errors: Vec<f64>,
}

impl Codes {
    /// Codes of every so-many-eth of some points (k x n), the first among them.
    pub fn of(points: &DMatrix<f32>, every: usize, parities: &Parities, step: f64) -> Self {
        let k = points.nrows();
        let count = points.ncols().div_ceil(every);
        let parts = points.as_slice().par_chunks(TOGETHER * every * k);
        let parts: Vec<Self> = parts
            .map(|points| {
                let mut part = Self::empty(parities, TOGETHER.min(count));
                let points = points.chunks_exact(k).step_by(every);
                points.for_each(|point| part.push(point, parities, step));
                part
            })
            .collect();
        let mut all = Self::empty(parities, count);
        for mut part in parts {
            all.even.append(&mut part.even);
            all.odd.append(&mut part.odd);
            all.sums.append(&mut part.sums);
            all.errors.append(&mut part.errors);
        }
        all
    }

    fn empty(parities: &Parities, count: usize) -> Self {
        let (evens, odds) = (parities.even.len(), parities.odd.len());
        Self {
            evens,
            odds,
            even: Vec::with_capacity(evens * count),
            odd: Vec::with_capacity(odds * count),
            sums: Vec::with_capacity(count),
            errors: Vec::with_capacity(count),
        }
    }

    fn push(&mut self, point: &[f32], parities: &Parities, step: f64) {
        let inverse = step.recip();
        let (mut squares, mut squared_error) = (0, 0.0);
        let mut code = |axis: usize| {
            let value = f64::from(point[axis]);
            // Rounded by hand: `round` is a call of the C library where SSE4 is not taken for granted.
            let magnitude = ((value * inverse).abs() + 0.5).min(REACH) as i32;
            let whole = if value < 0.0 { -magnitude } else { magnitude };
            squares += whole * whole;
            squared_error += (value - f64::from(whole) * step).powi(2);
            (whole + ZERO) as u8
        };
        let (evens, odds) = (self.even.len(), self.odd.len());
        self.even
            .extend(parities.even.iter().map(|&axis| code(axis)));
        self.odd.extend(parities.odd.iter().map(|&axis| code(axis)));
        let sum = |codes: &[u8]| codes.iter().map(|&code| i32::from(code)).sum::<i32>();
        self.sums.push(Sums {
            even: squares + 2 * ZERO * sum(&self.even[evens..]),
            odd: ZERO * sum(&self.odd[odds..]),
        });
        // As much more as its own rounding may have taken away.
        self.errors.push(squared_error.sqrt() * (1.0 + 1e-9));
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.sums.len()
    }

    /// Codes of the even axes of some points.
    pub fn even(&self, points: std::ops::Range<usize>) -> Option<Columns<'_>> {
        columns(&self.even, self.evens, points)
    }

    /// Codes of the odd axes of some points.
    pub fn odd(&self, points: std::ops::Range<usize>) -> Option<Columns<'_>> {
        columns(&self.odd, self.odds, points)
    }

    /// Whether all points are 0 along the odd axes, as the mean of faces and their mirror images is. Looks at all.
    pub fn is_symmetric(&self) -> bool {
        self.odd.iter().all(|&code| i32::from(code) == ZERO)
    }

    /// Terms of all points: 128² for every even axis, and for every odd one.
    pub fn constants(&self) -> (i32, i32) {
        let of = |axes: usize| ZERO * ZERO * axes as i32;
        (of(self.evens), of(self.odds))
    }
}

fn columns(codes: &[u8], axes: usize, points: std::ops::Range<usize>) -> Option<Columns<'_>> {
    if axes == 0 {
        return None;
    }
    let count = points.len();
    Columns::new(&codes[points.start * axes..points.end * axes], axes, count)
}
