//! Exact search through blocks of 64 points that lie together.
//!
//! PCA coordinates come sorted by variance; where a metric has mixed them, the points are turned into their own
//! principal axes first. Leading axes then say most of a distance, which is used twice:
//!
//! 1. Points are split into blocks by their leading axes, as a kd-tree does. A block is skipped where its box is
//!    farther from the query than the worst point still wanted.
//! 2. Of what is left, squared distances are summed up from 8-bit codes of the axes, group by group, leading ones
//!    first, until no point of the block can be wanted any more. Codes of a group lie together, so memory that is
//!    not needed is not touched.
//!
//! Few points survive, and of those the distance is computed as anywhere else. Boxes and codes only ever give lower
//! bounds; everything by which rounding could spoil one is added up, at its worst, in [`Limits`].

mod axes;
mod boxes;
mod codes;
mod partition;

use nalgebra::DMatrix;

use axes::Axes;
use boxes::Boxes;
use codes::{Codes, LANES, Sums};

/// Blocks that lie nearest by their boxes are searched first: what they hold is near, and bounds the rest.
const FIRST: usize = 8;

/// Points of the first block that are looked at first, by their codes.
const FEW: usize = 4;

/// Points in blocks.
#[derive(Debug)]
pub(super) struct Blocks {
    axes: Axes,
    /// The points, block by block.
    order: Vec<u32>,
    boxes: Boxes,
    codes: Codes,
}

/// A query, ready to be compared.
struct Probe {
    codes: codes::Coded,
    /// Its leading axes.
    head: Vec<f32>,
    /// The error of distances in axes, in either direction of one from another.
    slack: f64,
}

impl Blocks {
    /// Blocks of points (k x n, all finite); `None` where there are none, or squares of their coordinates leave the
    /// range of `f32`.
    pub fn new(points: &DMatrix<f32>) -> Option<Self> {
        let axes = Axes::of(points)?;
        let heads = axes.heads(points);
        let order = partition::order(&heads, axes.leading())?;
        let boxes = Boxes::of(&heads, axes.leading(), &order);
        drop(heads);
        let codes = Codes::of(&axes, points, &order);
        Some(Self {
            axes,
            order,
            boxes,
            codes,
        })
    }

    /// Memory they take.
    pub fn bytes(&self) -> usize {
        self.order.len() * size_of::<u32>() + self.boxes.bytes() + self.codes.bytes()
    }

    /// See [`Index::visit`](super::Index::visit); `None`, and nothing visited, where the query is beyond the range
    /// of `f32`.
    pub fn visit(
        &self,
        query: &[f32],
        within: f64,
        offer: &mut dyn FnMut(usize) -> f64,
    ) -> Option<()> {
        let probe = self.probe(query)?;
        let mut bounds = self.boxes.bounds(&probe.head);
        let mut limits = Limits::new(self, &probe, within);
        for block in nearest(&bounds, FIRST) {
            if bounds[block] <= limits.of_boxes {
                self.look(block, &probe, &mut limits, offer);
            }
            // Not again.
            bounds[block] = f32::INFINITY;
        }
        for (block, &bound) in bounds.iter().enumerate() {
            if bound <= limits.of_boxes && bound < f32::INFINITY {
                self.look(block, &probe, &mut limits, offer);
            }
        }
        Some(())
    }

    fn probe(&self, query: &[f32]) -> Option<Probe> {
        let axes = self.axes.place_query(query)?;
        let length = axes.iter().map(|value| value * value).sum::<f64>().sqrt();
        Some(Probe {
            codes: self.codes.code(&axes),
            head: axes
                .iter()
                .take(self.axes.leading())
                .map(|&value| value as f32)
                .collect(),
            // That the head is rounded to `f32`.
            slack: self.codes.placing_error + length * f64::from(f32::EPSILON),
        })
    }

    /// Offers the points of one block that may be wanted.
    fn look(
        &self,
        block: usize,
        probe: &Probe,
        limits: &mut Limits<'_>,
        offer: &mut dyn FnMut(usize) -> f64,
    ) {
        let mut sums: Sums = [0.0; LANES];
        let may_be_wanted = self
            .codes
            .add_up(block, &probe.codes, &limits.of_groups, &mut sums);
        if !may_be_wanted {
            return;
        }
        let places = &self.order[block * LANES..];
        let sums = &sums[..places.len().min(LANES)];
        // In the first block everything is wanted: but once its nearest are known, not much else.
        let mut first = Vec::new();
        if limits.last() == f32::INFINITY {
            first = nearest(sums, FEW);
            for &lane in &first {
                limits.lower(offer(places[lane] as usize));
            }
        }
        for (lane, (sum, &point)) in sums.iter().zip(places).enumerate() {
            if *sum <= limits.last() && !first.contains(&lane) {
                limits.lower(offer(point as usize));
            }
        }
    }
}

/// Sums beyond which a point cannot be wanted.
struct Limits<'a> {
    blocks: &'a Blocks,
    probe: &'a Probe,
    within: f64,
    of_boxes: f32,
    /// After each group of axes.
    of_groups: Vec<f32>,
}

impl<'a> Limits<'a> {
    fn new(blocks: &'a Blocks, probe: &'a Probe, within: f64) -> Self {
        let mut limits = Self {
            blocks,
            probe,
            within: f64::INFINITY,
            of_boxes: f32::INFINITY,
            of_groups: vec![f32::INFINITY; blocks.codes.groups()],
        };
        limits.lower(within);
        limits
    }

    /// After all groups.
    fn last(&self) -> f32 {
        self.of_groups.last().copied().unwrap_or(f32::INFINITY)
    }

    /// Wanted are points at a squared distance of at most `within`: in axes, at most that far, and what rounding
    /// adds, away; of codes, less still by what coding loses of the query and of any point.
    fn lower(&mut self, within: f64) {
        if within >= self.within {
            return;
        }
        self.within = within;
        let reach = within.sqrt() * self.blocks.axes.stretch() + self.probe.slack;
        self.of_boxes = rounded_up(reach * reach);
        let lost = self.blocks.codes.losses(&self.probe.codes);
        for (limit, lost) in self.of_groups.iter_mut().zip(lost) {
            let reach = reach + lost;
            *limit = rounded_up(reach * reach);
        }
    }
}

/// Sums are of some dozens of `f32`, each rounded three times: a share of 1e-5 covers it.
fn rounded_up(limit: f64) -> f32 {
    ((limit * (1.0 + 1e-5)) as f32).next_up()
}

/// The positions of the smallest so many values, smallest first.
fn nearest(values: &[f32], count: usize) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::with_capacity(count + 1);
    let mut worst = f32::INFINITY;
    for (at, &value) in values.iter().enumerate() {
        if value < worst || found.len() < count {
            let place = found.partition_point(|&other| values[other] <= value);
            found.insert(place, at);
            found.truncate(count);
            if found.len() == count {
                worst = values[found[count - 1]];
            }
        }
    }
    found
}
