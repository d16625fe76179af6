//! Squared distances between the codes of probes and of points, from products of bytes.

use std::ops::Range;

use super::codes::{Codes, Sums};
use crate::pca::kernel::{BAND, Bench, Kernel, Laid};
use crate::vectors::vectorised_mut;

/// Probes, ready to be multiplied.
pub(super) struct Probes {
    pub count: usize,
    even: Option<Laid>,
    odd: Option<Laid>,
    /// The rest that makes a sum over even axes a squared distance, of each probe.
    even_rest: Vec<i32>,
    /// The rest of the product over odd axes, of each probe.
    odd_rest: Vec<i32>,
}

impl Probes {
    /// `None` where they have too many axes.
    pub fn new(coded: &Codes) -> Option<Self> {
        let (count, kernel) = (coded.len(), Kernel::best());
        let (of_even, of_odd) = coded.constants();
        // Nothing is laid out where there are no such axes.
        let lay_out = |columns: Option<_>| match columns {
            Some(columns) => Laid::new(columns, kernel).map(Some),
            None => Some(None),
        };
        let rest = |of: &dyn Fn(&Sums) -> i32| coded.sums.iter().map(of).collect();
        Some(Self {
            count,
            even: lay_out(coded.even(0..count))?,
            odd: lay_out(coded.odd(0..count))?,
            even_rest: rest(&|sums| sums.even - 2 * of_even),
            odd_rest: rest(&|sums| of_odd - sums.odd),
        })
    }
}

/// The part of the odd axes in a point's distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Odd {
    /// All points are 0 there.
    Nothing,
    /// The point is what it is.
    Signed,
    /// It stands for its mirror image too: the nearer of both is meant.
    Either,
}

/// Memory of one thread.
#[derive(Default)]
pub(super) struct Scratch {
    bench: Bench,
    even: Vec<i32>,
    odd: Vec<i32>,
    /// Squared distances of codes: probe by probe, as many as were summed up, in whole bands.
    pub sums: Vec<i32>,
    pub of_centroids: Vec<i32>,
    /// Of each point of a band, the place of its centroid.
    pub places: Vec<usize>,
}

impl Scratch {
    /// Squared distances, in steps, between all probes and some points.
    pub fn sum_up(&mut self, probes: &Probes, codes: &Codes, range: Range<usize>, odd: Odd) {
        let across = range.len().next_multiple_of(BAND);
        self.sums.resize(probes.count * across, 0);
        self.even.resize(probes.count * BAND, 0);
        self.odd.resize(probes.count * BAND, 0);
        let has_odd = probes.odd.is_some() && odd != Odd::Nothing;
        for start in range.clone().step_by(BAND) {
            let here = start..range.end.min(start + BAND);
            let mut multiply = |laid: &Option<Laid>, columns, into: &mut [i32]| {
                if let (Some(laid), Some(columns)) = (laid, columns) {
                    laid.products(columns, 0, &mut self.bench, into);
                }
            };
            multiply(&probes.even, codes.even(here.clone()), &mut self.even);
            if has_odd {
                multiply(&probes.odd, codes.odd(here.clone()), &mut self.odd);
            }
            let of_points = &codes.sums[here];
            vectorised_mut(
                #[inline(always)]
                || {
                    for probe in 0..probes.count {
                        let sums = &mut self.sums[probe * across + start - range.start..];
                        let sums = &mut sums[..of_points.len()];
                        let even = &self.even[probe * BAND..][..BAND];
                        add_even(sums, even, of_points, probes.even_rest[probe]);
                        if has_odd {
                            let products = &self.odd[probe * BAND..][..BAND];
                            take_odd(sums, products, of_points, probes.odd_rest[probe], odd);
                        }
                    }
                },
            );
        }
    }
}

/// Squared distances along the even axes.
#[inline(always)]
fn add_even(sums: &mut [i32], products: &[i32], of_points: &[Sums], rest: i32) {
    for ((sum, product), point) in sums.iter_mut().zip(products).zip(of_points) {
        // What comes out fits; what it is made of may wrap around.
        *sum = rest
            .wrapping_add(point.even)
            .wrapping_sub(product.wrapping_mul(2));
    }
}

/// Adds the part of the odd axes to them.
#[inline(always)]
fn take_odd(sums: &mut [i32], products: &[i32], of_points: &[Sums], rest: i32, odd: Odd) {
    for ((sum, product), point) in sums.iter_mut().zip(products).zip(of_points) {
        let product = product.wrapping_add(rest).wrapping_sub(point.odd);
        let product = match odd {
            Odd::Either => product.abs(),
            Odd::Signed | Odd::Nothing => product,
        };
        *sum = sum.wrapping_sub(product.wrapping_mul(2));
    }
}
