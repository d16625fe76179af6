//! The boxes that blocks lie in, in the leading axes.

use super::codes::LANES;
use crate::vectors::vectorised_mut;

/// The least and the largest value of each block along each leading axis.
#[derive(Debug)]
pub(super) struct Boxes {
    /// Of all blocks along the first axis, along the second, ...
    least: Vec<f32>,
    largest: Vec<f32>,
    blocks: usize,
}

impl Boxes {
    /// The boxes of blocks of points in this order, `leading` axes each.
    pub fn of(heads: &[f32], leading: usize, order: &[u32]) -> Self {
        let blocks = order.len().div_ceil(LANES);
        let mut least = vec![f32::INFINITY; blocks * leading];
        let mut largest = vec![f32::NEG_INFINITY; blocks * leading];
        for (block, points) in order.chunks(LANES).enumerate() {
            for &point in points {
                let head = &heads[point as usize * leading..][..leading];
                for (axis, &value) in head.iter().enumerate() {
                    let at = axis * blocks + block;
                    least[at] = least[at].min(value);
                    largest[at] = largest[at].max(value);
                }
            }
        }
        Self {
            least,
            largest,
            blocks,
        }
    }

    /// Memory they take.
    pub fn bytes(&self) -> usize {
        (self.least.len() + self.largest.len()) * size_of::<f32>()
    }

    /// The squared distance from a query, of which these are the leading axes, to each box.
    pub fn bounds(&self, head: &[f32]) -> Vec<f32> {
        let mut bounds = vec![0.0; self.blocks];
        vectorised_mut(
            #[inline(always)]
            || {
                let least = self.least.chunks_exact(self.blocks);
                for ((least, largest), &value) in
                    least.zip(self.largest.chunks_exact(self.blocks)).zip(head)
                {
                    for ((bound, least), largest) in bounds.iter_mut().zip(least).zip(largest) {
                        let gap = (least - value).max(value - largest).max(0.0);
                        *bound += gap * gap;
                    }
                }
            },
        );
        bounds
    }
}
