//! Points in 8 bits an axis, and squared distances between such codes.
//!
//! Axes of about the same variance form a group, whose codes count steps of one width; values beyond five standard
//! deviations are moved to there. Neither moving both ends of a distance into an interval nor limiting its code
//! makes it longer, and what rounding to codes takes away is known exactly: so a distance between codes, less that
//! loss, is never longer than the true one.

use crate::vectors::vectorised_mut;
use nalgebra::DMatrix;
use rayon::prelude::*;

use super::axes::Axes;

/// Points in a block.
pub(super) const LANES: usize = 64;

/// Sums of the points of a block.
pub(super) type Sums = [f32; LANES];

/// Axes in each group, the last number for all that follow. Few at first: variances differ most there, and blocks
/// that are skipped early cost less.
const GROUPS: [usize; 3] = [8, 8, 16];

/// The range of codes, in standard deviations to either side of the mean.
const COVERED: f64 = 5.0;

/// The largest code.
const LARGEST: f64 = 255.0;

/// Steps are no finer than this share of the widest axis' deviation: squares of finer ones would vanish.
const FINEST: f64 = 1e-6;

/// Blocks whose codes stand together, group by group.
const PANEL: usize = 128;

/// Axes that have codes of the same width.
#[derive(Debug)]
struct Group {
    first: usize,
    end: usize,
    /// The width of a step, its inverse, and the value of code 0.
    step: f64,
    inverse: f64,
    least: f64,
    /// Differences of codes count up to this only: so many squares add up in 16 bits.
    most: u8,
}

/// The codes of points in blocks.
#[derive(Debug)]
pub(super) struct Codes {
    axes: usize,
    groups: Vec<Group>,
    blocks: usize,
    /// Panel by panel; in each, group by group; in each, block by block; in each, axis by axis: 64 points.
    codes: Vec<u8>,
    /// The longest that codes of any point are off, up to the end of each group.
    losses: Vec<f64>,
    /// The largest error of the place at which a point was coded.
    pub placing_error: f64,
}

/// The codes of a query.
pub(super) struct Coded {
    codes: Vec<u8>,
    /// The length that they are off, up to the end of each group.
    losses: Vec<f64>,
}

/// The worst of some points.
struct Worst {
    losses: Vec<f64>,
    /// Squared distance from the origin.
    squared_length: f64,
}

impl Codes {
    /// Codes of points (k x n) along the axes, in this order.
    pub fn of(axes: &Axes, points: &DMatrix<f32>, order: &[u32]) -> Self {
        let (k, blocks) = (axes.len(), order.len().div_ceil(LANES));
        let groups = groups(&axes.deviations);
        let mut codes = vec![0; blocks * LANES * k];
        let worst: Vec<Worst> = codes
            .par_chunks_mut(PANEL * LANES * k)
            .zip(order.par_chunks(PANEL * LANES))
            .map(|(codes, order)| fill(codes, order, axes, points, &groups))
            .collect();
        let mut losses = vec![0.0_f64; groups.len()];
        let mut squared_length = 0.0_f64;
        for worst in worst {
            squared_length = squared_length.max(worst.squared_length);
            for (most, loss) in losses.iter_mut().zip(worst.losses) {
                *most = most.max(loss);
            }
        }
        Self {
            axes: k,
            groups,
            blocks,
            codes,
            losses,
            placing_error: axes.placing_error(squared_length.sqrt()),
        }
    }

    /// Memory they take.
    pub fn bytes(&self) -> usize {
        self.codes.len()
    }

    /// Number of groups of axes.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The codes of a query in axes (k).
    pub fn code(&self, axes: &[f64]) -> Coded {
        let mut codes = vec![0; axes.len()];
        let mut losses = Vec::with_capacity(self.groups.len());
        let mut squared = 0.0;
        for group in &self.groups {
            for (code, &value) in codes[group.first..group.end]
                .iter_mut()
                .zip(&axes[group.first..group.end])
            {
                let (found, off) = group.code(value);
                *code = found;
                squared += off * off;
            }
            losses.push(squared.sqrt());
        }
        Coded { codes, losses }
    }

    /// The length that codes of the query and of a point are off together, up to the end of each group.
    pub fn losses<'a>(&'a self, query: &'a Coded) -> impl Iterator<Item = f64> + 'a {
        let both = self.losses.iter().zip(&query.losses);
        both.map(|(of_point, of_query)| of_point + of_query)
    }

    /// Squared distances between the codes of the query and those of a block, summed up group by group until all
    /// pass the limit of the group; whether some pass none.
    pub fn add_up(&self, block: usize, query: &Coded, limits: &[f32], sums: &mut Sums) -> bool {
        let (panel, within) = (block / PANEL, block % PANEL);
        let blocks = PANEL.min(self.blocks - panel * PANEL);
        let panel = &self.codes[panel * PANEL * LANES * self.axes..][..blocks * LANES * self.axes];
        vectorised_mut(
            #[inline(always)]
            || {
                self.groups.iter().zip(limits).all(|(group, &limit)| {
                    let width = group.end - group.first;
                    let at = (group.first * blocks + within * width) * LANES;
                    let codes = &panel[at..][..width * LANES];
                    let query = &query.codes[group.first..group.end];
                    let squares = add_squares(codes, query, group.most);
                    let weight = (group.step * group.step) as f32;
                    let mut wanted = 0_u32;
                    for (sum, &squares) in sums.iter_mut().zip(&squares) {
                        *sum += f32::from(squares) * weight;
                        wanted += u32::from(*sum <= limit);
                    }
                    wanted > 0
                })
            },
        )
    }
}

impl Group {
    /// The code of a value, and how far off that is of the value moved into what codes cover.
    #[inline(always)]
    fn code(&self, value: f64) -> (u8, f64) {
        let steps = ((value - self.least) * self.inverse).clamp(0.0, LARGEST);
        let code = (steps + 0.5) as u8;
        (code, (steps - f64::from(code)) * self.step)
    }
}

/// Σ (a - b)² of codes: of each of 64 points, over the axes of a group.
#[inline(always)]
fn add_squares(codes: &[u8], query: &[u8], most: u8) -> [u16; LANES] {
    let mut sums = [0_u16; LANES];
    for (codes, &query) in codes.as_chunks::<LANES>().0.iter().zip(query) {
        // Two loops, so that the first is compiled to instructions on bytes.
        let mut gaps = [0_u8; LANES];
        for (gap, &code) in gaps.iter_mut().zip(codes) {
            *gap = (code.saturating_sub(query) | query.saturating_sub(code)).min(most);
        }
        for (sum, &gap) in sums.iter_mut().zip(&gaps) {
            *sum = sum.wrapping_add(u16::from(gap) * u16::from(gap));
        }
    }
    sums
}

/// Groups of axes with these standard deviations, decreasing.
fn groups(deviations: &[f64]) -> Vec<Group> {
    let widest = deviations.first().copied().filter(|&d| d > 0.0);
    let widest = widest.unwrap_or(1.0);
    let mut groups = Vec::new();
    let mut first = 0;
    while first < deviations.len() {
        let size = GROUPS[groups.len().min(GROUPS.len() - 1)];
        let end = (first + size).min(deviations.len());
        let most = (f64::from(u16::MAX) / size as f64).sqrt().min(LARGEST);
        let reach = COVERED * deviations[first].max(widest * FINEST);
        groups.push(Group {
            first,
            end,
            step: 2.0 * reach / LARGEST,
            inverse: LARGEST / (2.0 * reach),
            least: -reach,
            most: most as u8,
        });
        first = end;
    }
    groups
}

/// Fills in the codes of a panel of blocks.
fn fill(
    codes: &mut [u8],
    order: &[u32],
    axes: &Axes,
    points: &DMatrix<f32>,
    groups: &[Group],
) -> Worst {
    let k = axes.len();
    let blocks = order.len().div_ceil(LANES);
    let mut worst = Worst {
        losses: vec![0.0; groups.len()],
        squared_length: 0.0,
    };
    let mut places = vec![0.0; LANES * k];
    for (block, order) in order.chunks(LANES).enumerate() {
        let places = &mut places[..order.len() * k];
        let of_block = order.iter().map(|&point| {
            let at = point as usize * k;
            &points.as_slice()[at..at + k]
        });
        axes.place(of_block, places, k);
        for (lane, place) in places.chunks_exact(k).enumerate() {
            let (mut squared_loss, mut squared_length) = (0.0, 0.0);
            for (group, most) in groups.iter().zip(&mut worst.losses) {
                let width = group.end - group.first;
                let at = (group.first * blocks + block * width) * LANES + lane;
                let of_group = codes[at..].iter_mut().step_by(LANES);
                for (code, &value) in of_group.zip(&place[group.first..group.end]) {
                    let value = f64::from(value);
                    let (found, off) = group.code(value);
                    *code = found;
                    squared_loss += off * off;
                    squared_length += value * value;
                }
                *most = most.max(squared_loss.sqrt());
            }
            worst.squared_length = worst.squared_length.max(squared_length);
        }
    }
    worst
}
