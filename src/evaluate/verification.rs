//! Is it who they say they are? ROC curve, equal error rate, area.

use super::interval::wilson;
use super::{RocPoint, Verification};

/// Points of the stored curve are at least this far apart in one of the coordinates.
const STEP: f64 = 1.0 / 256.0;

/// The figures from the distances of true and of false claims.
pub(super) fn verification(genuine: &[f32], impostors: &[f32]) -> Verification {
    let near = |distances: &[f32]| -> Vec<f32> { distances.iter().map(|d| -d).collect() };
    let curve = Curve::of(near(genuine), near(impostors));
    Verification {
        genuine: genuine.len(),
        impostors: impostors.len(),
        equal_error_rate: curve.equal_error_rate(),
        equal_error_interval: wilson(curve.equal_error_rate(), genuine.len() as f64),
        area: curve.area(),
        roc: curve.thinned(),
    }
}

/// Share of pairs in which one of `positive` lies above one of `negative`, ties counting half: the area under the ROC;
/// and the curve itself, thinned out.
pub(super) fn area_and_curve(positive: &[f64], negative: &[f64]) -> (f64, Vec<RocPoint>) {
    let short = |scores: &[f64]| scores.iter().map(|&score| score as f32).collect();
    let curve = Curve::of(short(positive), short(negative));
    (curve.area(), curve.thinned())
}

/// Every point of a ROC curve, from (0, 0) to (1, 1).
struct Curve(Vec<RocPoint>);

impl Curve {
    /// From scores that are higher for true claims. One point for each score that occurs, so that ties
    /// become slanted lines.
    fn of(mut positive: Vec<f32>, mut negative: Vec<f32>) -> Self {
        let downwards = |a: &f32, b: &f32| b.total_cmp(a);
        positive.sort_unstable_by(downwards);
        negative.sort_unstable_by(downwards);
        let share = |count: usize, of: usize| {
            if of == 0 {
                1.0
            } else {
                count as f64 / of as f64
            }
        };
        let mut points = vec![RocPoint {
            false_accepts: 0.0,
            true_accepts: 0.0,
        }];
        let (mut p, mut n) = (0, 0);
        while p < positive.len() || n < negative.len() {
            let best = match (positive.get(p), negative.get(n)) {
                (Some(&a), Some(&b)) => a.max(b),
                (Some(&only), None) | (None, Some(&only)) => only,
                (None, None) => break,
            };
            p += positive[p..].iter().take_while(|&&s| s >= best).count();
            n += negative[n..].iter().take_while(|&&s| s >= best).count();
            points.push(RocPoint {
                false_accepts: share(n, negative.len()),
                true_accepts: share(p, positive.len()),
            });
        }
        Self(points)
    }

    fn area(&self) -> f64 {
        let trapezium = |pair: &[RocPoint]| {
            (pair[1].false_accepts - pair[0].false_accepts)
                * (pair[1].true_accepts + pair[0].true_accepts)
                / 2.0
        };
        self.0.windows(2).map(trapezium).sum()
    }

    fn equal_error_rate(&self) -> f64 {
        // False accepts less false rejects: from -1 to 1, never decreasing.
        let excess = |point: &RocPoint| point.false_accepts - (1.0 - point.true_accepts);
        for pair in self.0.windows(2) {
            let (before, after) = (excess(&pair[0]), excess(&pair[1]));
            if after >= 0.0 {
                let way = if after > before {
                    -before / (after - before)
                } else {
                    0.0
                };
                return pair[0].false_accepts
                    + way * (pair[1].false_accepts - pair[0].false_accepts);
            }
        }
        0.0
    }

    fn thinned(&self) -> Vec<RocPoint> {
        let mut kept: Vec<RocPoint> = Vec::new();
        for (at, point) in self.0.iter().enumerate() {
            let far = kept.last().is_none_or(|last| {
                point.false_accepts - last.false_accepts >= STEP
                    || point.true_accepts - last.true_accepts >= STEP
            });
            if far || at + 1 == self.0.len() {
                kept.push(*point);
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn perfect_and_useless_scores() {
        let perfect = verification(&[1.0, 2.0], &[3.0, 4.0, 5.0]);
        assert_eq!((perfect.equal_error_rate, perfect.area), (0.0, 1.0));
        let useless = verification(&[1.0; 4], &[1.0; 9]);
        assert_eq!((useless.equal_error_rate, useless.area), (0.5, 0.5));
        let inverse = verification(&[5.0], &[1.0]);
        assert_eq!((inverse.equal_error_rate, inverse.area), (1.0, 0.0));
    }

    #[test]
    fn one_of_four_swapped() {
        // Accepting up to 3: one of four true claims is rejected, one of four false ones accepted.
        let figures = verification(&[1.0, 2.0, 3.0, 5.0], &[2.5, 6.0, 7.0, 8.0]);
        assert_eq!(figures.equal_error_rate, 0.25);
        assert_eq!(figures.area, 14.0 / 16.0);
    }

    proptest! {
        #[test]
        fn the_area_is_the_share_of_pairs_in_order(
            positive in prop::collection::vec(0_u8..9, 1..30),
            negative in prop::collection::vec(0_u8..9, 1..30),
        ) {
            let numbers = |all: &[u8]| all.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
            let mut pairs = 0.0;
            for p in &positive {
                for n in &negative {
                    pairs += match p.cmp(n) {
                        std::cmp::Ordering::Greater => 1.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Less => 0.0,
                    };
                }
            }
            let expected = pairs / (positive.len() * negative.len()) as f64;
            prop_assert!((area_and_curve(&numbers(&positive), &numbers(&negative)).0 - expected).abs() < 1e-9);
        }

        #[test]
        fn a_curve_rises_from_corner_to_corner(
            genuine in prop::collection::vec(0.0_f32..5.0, 1..200),
            impostors in prop::collection::vec(1.0_f32..6.0, 1..400),
        ) {
            let figures = verification(&genuine, &impostors);
            let (first, last) = (figures.roc[0], *figures.roc.last().unwrap());
            prop_assert_eq!((first.false_accepts, first.true_accepts), (0.0, 0.0));
            prop_assert_eq!((last.false_accepts, last.true_accepts), (1.0, 1.0));
            for pair in figures.roc.windows(2) {
                prop_assert!(pair[0].false_accepts <= pair[1].false_accepts);
                prop_assert!(pair[0].true_accepts <= pair[1].true_accepts);
            }
            prop_assert!((0.0..=1.0).contains(&figures.equal_error_rate));
            prop_assert!(figures.roc.len() < 600);
        }
    }
}
