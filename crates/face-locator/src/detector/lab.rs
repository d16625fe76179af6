//! The first stage: boosted classifiers over locally assembled binary features.
//!
//! S. Yan, S. Shan, X. Chen, W. Gao: Locally assembled binary (LAB) feature with feature-centric cascade for fast and
//! accurate face detection, CVPR 2008. The feature of a place compares the sum of a square of 3 x 3 pixels with the
//! sums of its eight neighbours: eight bits. As it does not depend on the window, it is computed once for each pixel
//! of a level; a window's score is then a sum of table lookups, ten at a time, each ten followed by a threshold.

use super::WINDOW;
use vectorised::{vectorised, vectorised_mut};

/// Side of the squares that are compared.
const SQUARE: usize = 3;

/// A feature spans three squares, so it is defined for so many columns and rows fewer than there are pixels.
const MARGIN: usize = 3 * SQUARE - 1;

/// Lookups before each threshold.
const GROUP: usize = 10;

/// Windows of less contrast (standard deviation of their pixels) show no face.
const MIN_CONTRAST: f64 = 10.0;

const SIDE: usize = WINDOW as usize;

/// The feature of every place of one level.
pub(super) struct Codes {
    /// Of them in a row.
    width: usize,
    codes: Vec<u8>,
}

impl Codes {
    /// Computes the features of a level of `width` x `height` pixels, at least the window's size.
    pub fn of(pixels: &[u8], width: usize, height: usize) -> Self {
        let (columns, rows) = (width.saturating_sub(MARGIN), height.saturating_sub(MARGIN));
        let mut codes = vec![0; columns * rows];
        if !codes.is_empty() {
            vectorised_mut(
                #[inline(always)]
                || fill(pixels, width, &mut codes),
            );
        }
        Self { width: columns, codes }
    }
}

/// Sums of squares are kept for the rows of squares that one row of features needs.
const KEPT: usize = 2 * SQUARE + 1;

#[inline(always)]
fn fill(pixels: &[u8], width: usize, codes: &mut [u8]) {
    let columns = width - MARGIN;
    let mut down = vec![0i16; width];
    let mut sums: [Vec<i16>; KEPT] = std::array::from_fn(|_| vec![0; width - (SQUARE - 1)]);
    for row in 0..KEPT - 1 {
        sum_squares(&pixels[row * width..], &mut down, &mut sums[row]);
    }
    for (row, line) in codes.chunks_exact_mut(columns).enumerate() {
        let last = row + KEPT - 1;
        sum_squares(&pixels[last * width..], &mut down, &mut sums[last % KEPT]);
        let at = |below: usize, right: usize| &sums[(row + below) % KEPT][right..][..columns];
        let middle = at(3, 3);
        // Clockwise from the upper left corner, the highest bit first; the order of the lower bits is the model's own.
        let (b7, b6, b5, b4) = (at(0, 0), at(0, 3), at(0, 6), at(3, 0));
        let (b3, b2, b1, b0) = (at(3, 6), at(6, 0), at(6, 3), at(6, 6));
        for (column, code) in line.iter_mut().enumerate() {
            let bit = |square: &[i16], bit: u32| i16::from(middle[column] >= square[column]) << bit;
            *code =
                (bit(b7, 7) | bit(b6, 6) | bit(b5, 5) | bit(b4, 4) | bit(b3, 3) | bit(b2, 2) | bit(b1, 1) | bit(b0, 0))
                    as u8;
        }
    }
}

/// The sums of all squares whose upper row is the first of `pixels`.
#[inline(always)]
fn sum_squares(pixels: &[u8], down: &mut [i16], sums: &mut [i16]) {
    let width = down.len();
    let (first, rest) = pixels.split_at(width);
    let (second, rest) = rest.split_at(width);
    let third = &rest[..width];
    for (x, sum) in down.iter_mut().enumerate() {
        *sum = i16::from(first[x]) + i16::from(second[x]) + i16::from(third[x]);
    }
    let (left, middle, right) = (&down[..sums.len()], &down[1..], &down[2..]);
    let (middle, right) = (&middle[..sums.len()], &right[..sums.len()]);
    for (x, sum) in sums.iter_mut().enumerate() {
        *sum = left[x] + middle[x] + right[x];
    }
}

/// A window that was accepted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Window {
    /// Its place on the level.
    pub left: usize,
    pub top: usize,
    pub score: f32,
}

/// Adds up what ten features say and rejects the window if they say too little.
#[derive(Debug)]
pub(super) struct Group {
    /// Position of each feature in the window: column and row.
    pub places: [(u8, u8); GROUP],
    /// For each feature, what each of its values counts.
    pub weights: Box<[[f32; 256]; GROUP]>,
    /// A window whose score so far is less is rejected.
    pub threshold: f32,
}

/// A boosted classifier: groups of features, the most telling first.
#[derive(Debug)]
pub(super) struct Boosted {
    groups: Vec<Group>,
}

impl Boosted {
    /// A classifier of these groups; `None` if a feature does not lie within the window.
    pub fn new(groups: Vec<Group>) -> Option<Self> {
        let inside = |&(x, y): &(u8, u8)| usize::from(x.max(y)) < SIDE - MARGIN;
        groups.iter().flat_map(|group| &group.places).all(inside).then_some(Self { groups })
    }

    /// Which windows of a level's grid this classifier accepts: row by row, from left to right.
    pub fn scan(&self, codes: &Codes, pixels: &[u8], grid: &Grid) -> Vec<Window> {
        let mut accepted = Vec::new();
        let mut alive = Vec::new();
        for (top, lefts) in &grid.rows {
            alive.clear();
            alive.extend(lefts.iter().map(|&left| Alive { left, score: 0.0 }));
            for group in &self.groups {
                group.reject(codes, *top, &mut alive);
            }
            for &Alive { left, score } in &alive {
                let left = left as usize;
                if contrast(pixels, codes.width + MARGIN, left, *top) > MIN_CONTRAST {
                    accepted.push(Window { left, top: *top, score });
                }
            }
        }
        accepted
    }
}

/// The windows of a level that are looked at.
pub(super) struct Grid {
    /// The upper edge of each row and the left edges of its windows.
    rows: Vec<(usize, Vec<u32>)>,
}

impl Grid {
    /// The windows of a level of `width` x `height` pixels, at least the window's size, that are `step` pixels apart and have their
    /// middle outside of these boxes (left, top, width, height).
    pub fn new(step: usize, (width, height): (usize, usize), outside: &[[f32; 4]]) -> Self {
        let edges = |length: usize| (0..=length - SIDE).step_by(step);
        let row = |top: usize| {
            let mut is_new = vec![true; edges(width).count()];
            for &[left, upper, width, height] in outside {
                let half = (SIDE / 2) as f32;
                if (upper..upper + height).contains(&(top as f32 + half)) {
                    let before = |x: f32| ((x - half) / step as f32).max(0.0);
                    let first = (before(left).ceil() as usize).min(is_new.len());
                    let end = (before(left + width).ceil() as usize).clamp(first, is_new.len());
                    is_new[first..end].fill(false);
                }
            }
            let new = edges(width).zip(is_new).filter(|&(_, is_new)| is_new);
            (top, new.map(|(left, _)| left as u32).collect())
        };
        Self { rows: edges(height).map(row).collect() }
    }
}

/// A window of a row not rejected so far.
#[derive(Clone, Copy)]
struct Alive {
    left: u32,
    score: f32,
}

impl Group {
    /// Keeps the windows of the row at `top` that reach the threshold, in order.
    fn reject(&self, codes: &Codes, top: usize, alive: &mut Vec<Alive>) {
        let offsets = self.places.map(|(x, y)| (top + usize::from(y)) * codes.width + usize::from(x));
        let mut kept = 0;
        for at in 0..alive.len() {
            let Alive { left, mut score } = alive[at];
            for (offset, weights) in offsets.iter().zip(self.weights.iter()) {
                score += weights[usize::from(codes.codes[offset + left as usize])];
            }
            // Written in any case, counted only if kept: whether it is can hardly be predicted.
            alive[kept] = Alive { left, score };
            kept += usize::from(score >= self.threshold);
        }
        alive.truncate(kept);
    }
}

/// The standard deviation of a window's pixels.
fn contrast(pixels: &[u8], width: usize, left: usize, top: usize) -> f64 {
    let (sum, squares) = vectorised(
        #[inline(always)]
        || {
            let (mut sum, mut squares) = (0u32, 0u32);
            for line in pixels.chunks_exact(width).skip(top).take(SIDE) {
                for &pixel in &line[left..left + SIDE] {
                    sum += u32::from(pixel);
                    squares += u32::from(pixel) * u32::from(pixel);
                }
            }
            (sum, squares)
        },
    );
    let area = (SIDE * SIDE) as f64;
    let mean = f64::from(sum) / area;
    (f64::from(squares) / area - mean * mean).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_with_their_middle_in_a_box_are_left_out() {
        let size = (97, 61);
        let boxes = [[30.0, 22.5, 21.0, 5.5], [-9.0, -9.0, 33.0, 30.0], [500.0, 0.0, 10.0, 99.0]];
        let is_free = |&(left, top): &(usize, usize)| {
            let middle = [left, top].map(|edge| (edge + SIDE / 2) as f32);
            let is_in = |[x, y, width, height]: [f32; 4]| {
                (x..x + width).contains(&middle[0]) && (y..y + height).contains(&middle[1])
            };
            !boxes.into_iter().any(is_in)
        };
        for step in [1, 4, 7] {
            let all = |length: usize| (0..=length - SIDE).step_by(step);
            let mut every: Vec<_> = all(size.1).flat_map(|top| all(size.0).map(move |left| (left, top))).collect();
            let kept = |boxes: &[[f32; 4]]| -> Vec<(usize, usize)> {
                let rows = Grid::new(step, size, boxes).rows;
                rows.into_iter()
                    .flat_map(|(top, lefts)| lefts.into_iter().map(move |left| (left as usize, top)))
                    .collect()
            };
            assert!(kept(&[]) == every, "step {step}");
            every.retain(is_free);
            assert!(kept(&boxes) == every, "step {step}");
        }
    }
}
