//! The later stages: what a network sees of a candidate, and what becomes of the candidate.
//!
//! SURF features as in J. Li, Y. Zhang: Learning SURF cascade for fast and accurate object detection, CVPR 2013. A
//! patch of the window is cut into 2 x 2 cells; each cell is described by eight sums over its gradients. The gradients
//! are added up down the columns, all columns at once; a cell's sums are then those of the differences between two
//! rows. (An integral image, added up along the rows too, took four times as long: that way only a pixel at a time.)

use image::GrayImage;

use super::network::{self, Network, TOGETHER};
use super::resample::{Region, Resampler};
use super::{Candidate, Square, WINDOW};
use vectorised::vectorised_mut;

const SIDE: usize = WINDOW as usize;

/// Sums that describe one cell: of dx and |dx| where dy >= 0, then where dy < 0; of dy and |dy| where dx >= 0, then < 0.
const CHANNELS: usize = 8;

/// Numbers that describe a patch.
pub(super) const DESCRIPTOR: usize = 4 * CHANNELS;

/// A rectangle of the window whose gradients are described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Patch {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

/// Smallest width and height of a patch.
const SMALLEST: usize = 16;

/// Patches of one size lie so many pixels apart.
const PATCH_STEP: usize = 16;

/// All patches in the order in which the model file numbers them: by shape (width to height), size, place.
pub(super) fn patches() -> Vec<Patch> {
    let mut patches = Vec::new();
    for (wide, high) in [(1, 1), (1, 2), (2, 1), (2, 3), (3, 2)] {
        for height in (SMALLEST..=SIDE).filter(|height| height % high == 0 && height % 2 == 0) {
            let width = height / high * wide;
            if width % 2 != 0 || !(SMALLEST..=SIDE).contains(&width) {
                continue;
            }
            for top in (0..=SIDE - height).step_by(PATCH_STEP) {
                for left in (0..=SIDE - width).step_by(PATCH_STEP) {
                    patches.push(Patch { left, top, width, height });
                }
            }
        }
    }
    patches
}

/// A later stage of the cascade.
#[derive(Debug)]
pub(super) struct Refinement {
    /// The parts of the window that the network looks at.
    pub patches: Vec<Patch>,
    pub network: Network,
    /// Candidates are kept if their score is more.
    pub threshold: f32,
    /// After the stage candidates are merged that share more than this part of their union.
    pub overlap: Option<f32>,
}

/// Columns of a row of sums: those of the window, filled up with zeros to whole vector registers.
const COLUMNS: usize = 48;

/// For each channel and column, a sum over pixels of that column. At most 40 x 510 in size.
type Row = [[i16; COLUMNS]; CHANNELS];

/// For cells of each width and left edge: 1 for the columns of the cell, 0 for the others. To multiply all columns by them
/// takes fewer steps than to add up some, whose number is no multiple of a vector register's.
static CELLS: [[[i16; COLUMNS]; SIDE + 1]; SIDE / 2 + 1] = cells();

const fn cells() -> [[[i16; COLUMNS]; SIDE + 1]; SIDE / 2 + 1] {
    let mut cells = [[[0; COLUMNS]; SIDE + 1]; SIDE / 2 + 1];
    let mut width = 0;
    while width <= SIDE / 2 {
        let mut left = 0;
        while left + width <= SIDE {
            let mut column = left;
            while column < left + width {
                cells[width][left][column] = 1;
                column += 1;
            }
            left += 1;
        }
        width += 1;
    }
    cells
}

/// Looks at candidates; holds the memory for it, so that one can be used many times.
#[derive(Debug)]
pub(super) struct Looker {
    resampler: Resampler,
    window: Vec<u8>,
    /// The sums over all rows above: none at first, all rows of the window in the end.
    above: Vec<Row>,
    descriptors: Vec<f32>,
    network: network::Memory,
}

impl Default for Looker {
    fn default() -> Self {
        Self {
            resampler: Resampler::default(),
            window: vec![0; SIDE * SIDE],
            above: vec![[[0; COLUMNS]; CHANNELS]; SIDE + 1],
            descriptors: Vec::new(),
            network: network::Memory::default(),
        }
    }
}

impl Looker {
    /// Squares, [`TOGETHER`] at most, as a stage sees them: `None` if that is no face, or moved to where the face is.
    pub fn look(
        &mut self,
        picture: &GrayImage,
        stage: &Refinement,
        squares: &[Square],
    ) -> [Option<Candidate>; TOGETHER] {
        self.network.input.resize(stage.network.inputs(), [0.0; TOGETHER]);
        for (at, square) in squares.iter().enumerate().filter(|(_, square)| square.lies_in(picture)) {
            self.resampler.resample(picture, square.region(), (SIDE, SIDE), &mut self.window);
            vectorised_mut(
                #[inline(always)]
                || {
                    add_up(&self.window, &mut self.above);
                    describe(&self.above, &stage.patches, &mut self.descriptors);
                },
            );
            for (input, &number) in self.network.input.iter_mut().zip(&self.descriptors) {
                input[at] = number;
            }
        }
        let output = stage.network.output(&mut self.network);
        std::array::from_fn(|at| {
            let square = squares.get(at).filter(|square| square.lies_in(picture))?;
            let [score, right, down, growth] = output.map(|each| each[at]);
            (score > stage.threshold).then(|| square.moved([right, down], growth, score))
        })
    }
}

impl Square {
    /// Whether it shows anything of a picture.
    fn lies_in(self, picture: &GrayImage) -> bool {
        let beyond = |edge: i32, length: u32| {
            let edge = i64::from(edge);
            edge + i64::from(self.size) <= 0 || edge >= i64::from(length)
        };
        self.size >= 2 && !beyond(self.left, picture.width()) && !beyond(self.top, picture.height())
    }

    fn region(self) -> Region {
        let Self { top, left, size } = self;
        Region { left: left.into(), top: top.into(), width: size as usize, height: size as usize }
    }

    /// The square moved by what a network says of it. Its outputs lie between 0 and 1; a half means that nothing is to change.
    /// Squares that reach beyond the left or upper edge are moved from that edge, as the networks were trained.
    fn moved(self, [right, down]: [f32; 2], growth: f32, score: f32) -> Candidate {
        let (x, y, size) = (self.left.max(0) as f32, self.top.max(0) as f32, self.size as f32);
        let grown = ((growth * 2.0 - 1.0) * size + size + 0.5).floor();
        let moved = |by: f32, from: f32| ((by * 2.0 - 1.0) * size + from + (size - grown) * 0.5 + 0.5).floor() as i32;
        Candidate { left: moved(right, x), top: moved(down, y), size: grown as i32, score: f64::from(score) }
    }
}

/// Adds up the eight channels of a window's gradients, row by row.
#[inline(always)]
fn add_up(window: &[u8], above: &mut [Row]) {
    let (mut dx, mut dy) = ([0i16; COLUMNS], [0i16; COLUMNS]);
    let mut sums = [[0i16; COLUMNS]; CHANNELS];
    for row in 0..SIDE {
        gradients(window, row, &mut dx, &mut dy);
        let [c0, c1, c2, c3, c4, c5, c6, c7] = &mut sums;
        for x in 0..COLUMNS {
            let (dx, dy) = (dx[x], dy[x]);
            let (up, back) = (-i16::from(dy < 0), -i16::from(dx < 0));
            let (long_x, long_y) = (dx.abs(), dy.abs());
            c0[x] += dx & !up;
            c1[x] += long_x & !up;
            c2[x] += dx & up;
            c3[x] += long_x & up;
            c4[x] += dy & !back;
            c5[x] += long_y & !back;
            c6[x] += dy & back;
            c7[x] += long_y & back;
        }
        above[row + 1] = sums;
    }
}

/// The gradients of one row: differences of the pixels on both sides; at the window's edges of one side, counted double.
#[inline(always)]
fn gradients(window: &[u8], row: usize, dx: &mut [i16; COLUMNS], dy: &mut [i16; COLUMNS]) {
    let line = |row: usize| &window[row * SIDE..][..SIDE];
    let difference = |to: u8, from: u8| i16::from(to) - i16::from(from);
    let here = line(row);
    for x in 1..SIDE - 1 {
        dx[x] = difference(here[x + 1], here[x - 1]);
    }
    dx[0] = 2 * difference(here[1], here[0]);
    dx[SIDE - 1] = 2 * difference(here[SIDE - 1], here[SIDE - 2]);

    let (upper, lower) = (line(row.saturating_sub(1)), line((row + 1).min(SIDE - 1)));
    let doubled = 1 + i16::from(row == 0 || row == SIDE - 1);
    for x in 0..SIDE {
        dy[x] = doubled * difference(lower[x], upper[x]);
    }
}

/// The descriptors of some patches, each of length 1 (or all zeros where there is no gradient).
#[inline(always)]
fn describe(above: &[Row], patches: &[Patch], descriptors: &mut Vec<f32>) {
    descriptors.clear();
    for patch in patches {
        let (width, height) = (patch.width / 2, patch.height / 2);
        let [left, right] = [patch.left, patch.left + width].map(|from| &CELLS[width][from]);
        let mut sums = [[[0i32; CHANNELS]; 2]; 2];
        for (half, [left_sums, right_sums]) in sums.iter_mut().enumerate() {
            let top = patch.top + half * height;
            let (upper, lower) = (&above[top], &above[top + height]);
            for channel in 0..CHANNELS {
                let rows = upper[channel].iter().zip(&lower[channel]);
                let columns = rows.zip(left.iter().zip(right));
                for ((&from, &to), (&in_left, &in_right)) in columns {
                    let sum = to - from;
                    left_sums[channel] += i32::from(sum) * i32::from(in_left);
                    right_sums[channel] += i32::from(sum) * i32::from(in_right);
                }
            }
        }
        let sums = sums.as_flattened().as_flattened();
        let squares: f64 = sums.iter().map(|&sum| f64::from(sum) * f64::from(sum)).sum();
        let length = squares.sqrt() as f32;
        let scaled = |&sum: &i32| if squares > 0.0 { sum as f32 / length } else { 0.0 };
        descriptors.extend(sums.iter().map(scaled));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_numbered_as_the_model_has_them() {
        let patches = patches();
        // Five shapes, in sizes of 16 to 40 pixels that divide into cells.
        let first = Patch { left: 0, top: 0, width: 16, height: 16 };
        assert_eq!(patches[0], first);
        assert_eq!(patches[1], Patch { left: 16, ..first });
        for patch in &patches {
            assert!(patch.left + patch.width <= SIDE && patch.top + patch.height <= SIDE);
            assert!(patch.width % 2 == 0 && patch.height % 2 == 0);
        }
    }

    #[test]
    fn sums_over_a_cell_are_those_of_its_pixels() {
        let window: Vec<u8> = (0..SIDE * SIDE).map(|at| (at * at % 251) as u8).collect();
        let mut looker = Looker::default();
        add_up(&window, &mut looker.above);
        let mut all = [0; CHANNELS];
        for row in 0..SIDE {
            for column in 0..SIDE {
                let at = |x: usize, y: usize| i32::from(window[y * SIDE + x]);
                let difference = |at: usize, value: &dyn Fn(usize) -> i32| match at {
                    0 => 2 * (value(1) - value(0)),
                    last if last == SIDE - 1 => 2 * (value(last) - value(last - 1)),
                    _ => value(at + 1) - value(at - 1),
                };
                let dx = difference(column, &|x| at(x, row));
                let dy = difference(row, &|y| at(column, y));
                let by_sign = |value: i32, sign: i32| {
                    if sign >= 0 { [value, value.abs(), 0, 0] } else { [0, 0, value, value.abs()] }
                };
                let values = [by_sign(dx, dy), by_sign(dy, dx)];
                for (sum, value) in all.iter_mut().zip(values.as_flattened()) {
                    *sum += value;
                }
            }
        }
        let found = looker.above[SIDE].map(|columns| columns.map(i32::from).iter().sum::<i32>());
        assert_eq!(found, all);
    }

    #[test]
    fn a_flat_window_has_descriptors_of_zeros() {
        let mut looker = Looker::default();
        add_up(&[77; SIDE * SIDE], &mut looker.above);
        describe(&looker.above, &patches(), &mut looker.descriptors);
        assert!(looker.descriptors.iter().all(|&number| number == 0.0));
        assert_eq!(looker.descriptors.len(), patches().len() * DESCRIPTOR);
    }
}
