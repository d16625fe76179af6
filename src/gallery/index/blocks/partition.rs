//! Points in an order in which those that lie together stand together.

use super::codes::LANES;

/// Points from which both halves are split side by side.
const SIDE_BY_SIDE: usize = 1 << 14;

/// Points that the widest axis is chosen by.
const SAMPLE: usize = 256;

/// All points, so ordered that every 64 are a block: halved again and again along the axis of the largest
/// variance. `heads` holds the leading axes of each, one after the other. `None` where they cannot be numbered.
///
/// The order is the same for any number of threads.
pub fn order(heads: &[f32], leading: usize) -> Option<Vec<u32>> {
    let count = u32::try_from(heads.len() / leading).ok()?;
    let mut order: Vec<u32> = (0..count).collect();
    // Sorted by the value, which is fetched once a level.
    let mut keyed = vec![(0.0, 0); order.len()];
    halve(&mut order, &mut keyed, heads, leading);
    Some(order)
}

fn halve(points: &mut [u32], keyed: &mut [(f32, u32)], heads: &[f32], leading: usize) {
    if points.len() <= LANES {
        return;
    }
    let axis = widest(points, heads, leading);
    for (keyed, &point) in keyed.iter_mut().zip(points.iter()) {
        *keyed = (heads[point as usize * leading + axis], point);
    }
    let middle = points.len().div_ceil(LANES) / 2 * LANES;
    keyed.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (point, keyed) in points.iter_mut().zip(keyed.iter()) {
        *point = keyed.1;
    }
    let is_large = points.len() >= SIDE_BY_SIDE;
    let (left, right) = points.split_at_mut(middle);
    let (left_keyed, right_keyed) = keyed.split_at_mut(middle);
    let mut halves = [(left, left_keyed), (right, right_keyed)];
    if is_large {
        let [left, right] = &mut halves;
        rayon::join(
            || halve(left.0, left.1, heads, leading),
            || halve(right.0, right.1, heads, leading),
        );
    } else {
        for (points, keyed) in &mut halves {
            halve(points, keyed, heads, leading);
        }
    }
}

/// The axis along which a sample of the points has the largest variance.
fn widest(points: &[u32], heads: &[f32], leading: usize) -> usize {
    let mut sums = vec![(0.0_f64, 0.0_f64); leading];
    let sample = points.iter().step_by(points.len().div_ceil(SAMPLE));
    let count = sample.len() as f64;
    for &point in sample {
        let head = &heads[point as usize * leading..][..leading];
        for (sum, &value) in sums.iter_mut().zip(head) {
            let value = f64::from(value);
            sum.0 += value;
            sum.1 += value * value;
        }
    }
    let spread = |axis: &usize| sums[*axis].1 - sums[*axis].0 * sums[*axis].0 / count;
    (0..leading)
        .max_by(|a, b| spread(a).total_cmp(&spread(b)).then(b.cmp(a)))
        .unwrap_or(0)
}
