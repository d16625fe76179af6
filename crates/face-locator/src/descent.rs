//! One step of the supervised descent method (Xiong & De la Torre, CVPR 2013): what a patch looks like,
//! and the linear map from there to the way the eyes must move.

use super::align::{EyePlacement, Point, Similarity};
use super::bilinear::BilinearTable;
use vectorised::vectorised;

/// Width and height of the patch a step looks at, in pixels.
pub const PATCH: usize = 64;
/// Cells along one side of the patch.
const CELLS: usize = 8;
/// Width of a cell, in pixels.
const CELL: usize = PATCH / CELLS;
/// Directions of the gradient that are told apart, over the full circle.
const DIRECTIONS: usize = 8;
/// Numbers that describe a patch.
pub const FEATURES: usize = CELLS * CELLS * DIRECTIONS;
/// Coordinates a step predicts: x and y of the image-left eye, then of the other.
pub const OUTPUTS: usize = 4;

/// Two eyes, image-left first.
pub type Eyes = [Point; 2];

/// Position of the current eyes in the patch that a step looks at. A small inset looks close.
pub type Frame = EyePlacement;

/// The patch around the current eyes, described, and the way back from it to the picture.
pub struct View {
    to_picture: Similarity,
    start: Eyes,
    /// Gradient directions by cell: [`FEATURES`] numbers.
    pub features: Vec<f32>,
}

impl View {
    /// Looks at `picture` through `frame`, laid over the eyes as they are believed to be.
    pub fn new(picture: &BilinearTable, frame: Frame, eyes: Eyes) -> Self {
        let start = frame.points(PATCH as u32, PATCH as u32);
        let to_picture = Similarity::between(start, eyes);
        let features = vectorised(
            #[inline(always)]
            || {
                let mut patch = vec![0.0; PATCH * PATCH];
                for (row, line) in patch.chunks_exact_mut(PATCH).enumerate() {
                    let points: [Point; PATCH] = std::array::from_fn(
                        #[inline(always)]
                        |column| to_picture.apply([column as f32, row as f32]),
                    );
                    line.copy_from_slice(&picture.values(&points));
                }
                describe(&patch)
            },
        );
        Self { to_picture, start, features }
    }

    /// The eyes in the picture after a move, given in patch pixels.
    pub fn moved(&self, by: [f32; OUTPUTS]) -> Eyes {
        let [left, right] = self.start;
        [[left[0] + by[0], left[1] + by[1]], [right[0] + by[2], right[1] + by[3]]].map(|eye| self.to_picture.apply(eye))
    }

    /// The move, in patch pixels, that would bring the eyes to where they truly are: what training asks for.
    pub fn move_to(&self, truth: Eyes) -> [f32; OUTPUTS] {
        // The inverse of the similarity, as the one that maps any two of its points back.
        let back = Similarity::between(self.start.map(|eye| self.to_picture.apply(eye)), self.start);
        let [left, right] = truth.map(|eye| back.apply(eye));
        let [[x1, y1], [x2, y2]] = self.start;
        [left[0] - x1, left[1] - y1, right[0] - x2, right[1] - y2]
    }
}

/// Histograms of gradient direction over a grid of cells (Dalal & Triggs, CVPR 2005), each cell measured
/// against the contrast of its neighbourhood, so that the light matters little.
#[inline(always)]
fn describe(patch: &[f32]) -> Vec<f32> {
    let shares: [_; PATCH] = std::array::from_fn(cell_shares);
    // Each cell row's sums, still by pixel column: whole lines are added, which is quick.
    let mut lines = vec![[[0.0f32; PATCH]; DIRECTIONS]; CELLS];
    let mut bands = [[0.0f32; PATCH]; DIRECTIONS];
    for (row, row_shares) in shares.iter().enumerate() {
        gradient_directions(patch, row, &mut bands);
        for (cell_row, share) in row_shares {
            for (sums, band) in lines[*cell_row].iter_mut().zip(&bands) {
                sums.iter_mut().zip(band).for_each(|(sum, value)| *sum += share * value);
            }
        }
    }
    let mut histograms = vec![0.0f32; FEATURES];
    for (cells, by_direction) in histograms.chunks_exact_mut(CELLS * DIRECTIONS).zip(&lines) {
        for (column, column_shares) in shares.iter().enumerate() {
            // All directions at once, in one register.
            let values: [f32; DIRECTIONS] = std::array::from_fn(
                #[inline(always)]
                |direction| by_direction[direction][column],
            );
            for (cell, share) in column_shares {
                let sums = cells[cell * DIRECTIONS..][..DIRECTIONS].iter_mut();
                sums.zip(values).for_each(|(sum, value)| *sum += share * value);
            }
        }
    }
    level_contrast(&histograms)
}

/// The share of each direction in one row of pixels.
///
/// A gradient's length is shared by the directions less than 45 degrees from it: the excess of its
/// projection over cos 45 degrees. No angle is computed, hence no library function that differs by machine.
#[inline(always)]
fn gradient_directions(patch: &[f32], row: usize, bands: &mut [[f32; PATCH]; DIRECTIONS]) {
    const DIAGONAL: f32 = std::f32::consts::FRAC_1_SQRT_2;
    let line = |row: usize| &patch[row * PATCH..][..PATCH];
    let (above, here, below) = (line(row.saturating_sub(1)), line(row), line((row + 1).min(PATCH - 1)));
    let across: [f32; PATCH] =
        std::array::from_fn(|column| here[(column + 1).min(PATCH - 1)] - here[column.saturating_sub(1)]);
    let down: [f32; PATCH] = std::array::from_fn(|column| below[column] - above[column]);
    let threshold: [f32; PATCH] =
        std::array::from_fn(|i| DIAGONAL * (across[i] * across[i] + down[i] * down[i]).sqrt());
    for i in 0..PATCH {
        let (across, down) = (across[i], down[i]);
        let (oblique_across, oblique_down) = (DIAGONAL * across, DIAGONAL * down);
        // The other four directions are opposite.
        let along = [across, oblique_across + oblique_down, down, oblique_down - oblique_across];
        for (direction, along) in along.into_iter().enumerate() {
            bands[direction][i] = (along - threshold[i]).max(0.0);
            bands[direction + DIRECTIONS / 2][i] = (-along - threshold[i]).max(0.0);
        }
    }
}

/// The two cells nearest to a pixel and its share in each, linear with distance; at the edge both are the outermost.
#[inline(always)]
fn cell_shares(pixel: usize) -> [(usize, f32); 2] {
    let at = (pixel as f32 + 0.5) / CELL as f32 - 0.5;
    let first = at.floor();
    let share = at - first;
    let cell = |index: f32| (index.max(0.0) as usize).min(CELLS - 1);
    [(cell(first), 1.0 - share), (cell(first + 1.0), share)]
}

/// Divides each cell's histogram by the length of all histograms in the 3 x 3 cells around it.
#[inline(always)]
fn level_contrast(histograms: &[f32]) -> Vec<f32> {
    let energy: Vec<f32> = histograms.chunks_exact(DIRECTIONS).map(|cell| cell.iter().map(|v| v * v).sum()).collect();
    let mut levelled = Vec::with_capacity(FEATURES);
    for (index, cell) in histograms.chunks_exact(DIRECTIONS).enumerate() {
        let around = |at: usize| at.saturating_sub(1)..(at + 2).min(CELLS);
        let mut sum = FLAT;
        for row in around(index / CELLS) {
            for column in around(index % CELLS) {
                sum += energy[row * CELLS + column];
            }
        }
        let scale = 1.0 / sum.sqrt();
        levelled.extend(cell.iter().map(|value| (value * scale).sqrt()));
    }
    levelled
}

/// Energy below which a neighbourhood counts as flat (a gradient of about one gray level).
const FLAT: f32 = 100.0;

/// One step: a frame to look through, and the learned linear map, in 8 bits.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub(super) frame: Frame,
    pub(super) rows: Vec<Row>,
}

/// The map to one coordinate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// Patch pixels for one unit of a weight.
    pub scale: f32,
    /// Patch pixels added to it all.
    pub bias: f32,
    /// [`FEATURES`] weights.
    pub weights: Vec<i8>,
}

impl Row {
    fn quantised(weights: &[f64], bias: f64) -> Self {
        let largest = weights.iter().fold(0.0f64, |max, weight| max.max(weight.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        let weights = weights.iter().map(|weight| (weight / scale).round() as i8).collect();
        Self { scale: scale as f32, bias: bias as f32, weights }
    }

    fn apply(&self, features: &[f32]) -> f32 {
        let sum: f32 = self.weights.iter().zip(features).map(|(weight, feature)| f32::from(*weight) * feature).sum();
        self.bias + self.scale * sum
    }
}

impl Step {
    /// A step from trained maps: for each of the [`OUTPUTS`] coordinates [`FEATURES`] weights, to be 8 bits, and a bias.
    pub fn from_maps(frame: Frame, maps: &[(Vec<f64>, f64); OUTPUTS]) -> Self {
        Self { frame, rows: maps.iter().map(|(weights, bias)| Row::quantised(weights, *bias)).collect() }
    }

    /// Looks at the picture around the eyes and moves them.
    pub fn take(&self, picture: &BilinearTable, eyes: Eyes) -> Eyes {
        let view = View::new(picture, self.frame, eyes);
        let mut by = [0.0; OUTPUTS];
        for (by, row) in by.iter_mut().zip(&self.rows) {
            *by = row.apply(&view.features);
        }
        view.moved(by)
    }
}
