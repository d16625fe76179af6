//! The distance that answers are given in.

use crate::vectors::vectorised;

/// Σ (a - b)² in double precision, in eight sums that the processor can run side by side. The order is
/// fixed: equal faces are at distance 0, and the result does not depend on how the search went.
pub fn squared_distance(a: &[f32], b: &[f32]) -> f64 {
    vectorised(
        #[inline(always)]
        || sum(a, b),
    )
}

#[inline(always)]
fn sum(a: &[f32], b: &[f32]) -> f64 {
    const LANES: usize = 8;
    let square = |a: f32, b: f32| {
        let gap = f64::from(a) - f64::from(b);
        gap * gap
    };
    let mut sums = [0.0_f64; LANES];
    let (blocks, rests) = (a.chunks_exact(LANES).zip(b.chunks_exact(LANES)), a.len() % LANES);
    for (a, b) in blocks {
        for ((sum, &a), &b) in sums.iter_mut().zip(a).zip(b) {
            *sum += square(a, b);
        }
    }
    let tail: f64 = a.iter().zip(b).skip(a.len() - rests).map(|(&a, &b)| square(a, b)).sum();
    sums.iter().sum::<f64>() + tail
}
