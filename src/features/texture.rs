//! Texture: what the skin, the eyes' corners and the mouth's edges look like, cell by cell.
//!
//! Histograms of uniform local binary patterns (Ojala, Pietikäinen & Mäenpää 2002; for faces Ahonen, Hadid &
//! Pietikäinen 2004) and of gradient directions (Dalal & Triggs 2005) over 7 x 8 cells with soft borders.
//! Square roots of shares, so that Euclidean distance is Hellinger's; in bytes, so that the PCA of textures
//! is as exact as that of pixels. Choices are measured: docs/RECIPES.md.
//!
//! All sums are integers, and everything is symmetric: the texture of a mirrored face is, to the last bit,
//! the mirrored texture ([`mirror`]) of the face.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::face_matrix::{FaceMatrix, FaceSize};

/// Cells across.
pub const COLUMNS: usize = 7;
/// Cells down.
pub const ROWS: usize = 8;

/// Uniform patterns of eight points, and one place for all others.
const PATTERNS: usize = 59;
/// Directions of the gradient: 0 to the right, 2 down, in eighths of a turn.
const DIRECTIONS: usize = 8;
/// Bytes of a cell: its patterns, then its directions.
pub const CELL: usize = PATTERNS + DIRECTIONS;

/// A texture as a picture: one row a cell (cells row by row), its 59 patterns, then its 8 directions.
pub const SHEET: FaceSize = match FaceSize::of(CELL as u32, (COLUMNS * ROWS) as u32) {
    Some(size) => size,
    None => FaceSize::ALIGNED,
};

/// Bytes of a texture.
pub const LENGTH: usize = CELL * COLUMNS * ROWS;

/// Gradients are measured in sixteenths of a gray level and shared in 256ths.
const MAGNITUDE_STEPS: f32 = 16.0;
const SHARE_STEPS: u32 = 256;

/// Gradients fainter than this, in gray levels a pixel, say little about direction: a flat cell has none.
const FAINT: f64 = 0.001;

/// Cells into which a face is divided, and the circle on which patterns are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Cells across.
    pub columns: usize,
    /// Cells down.
    pub rows: usize,
    /// Distance of the eight points of a pattern from its pixel.
    pub radius: Radius,
}

/// Radius of the circle on which a local binary pattern is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Radius {
    /// One pixel.
    One,
    /// Two pixels.
    Two,
}

/// The grid of [`describe`].
const GRID: Grid = Grid {
    columns: COLUMNS,
    rows: ROWS,
    radius: Radius::Two,
};

impl Grid {
    /// Bytes of a [folded](describe_folded) texture on this grid.
    pub const fn folded_length(self) -> usize {
        self.columns.div_ceil(2) * self.rows * CELL
    }

    /// The weight of gradients too faint to have a direction, for a cell of average size.
    fn faint(self, size: FaceSize) -> f64 {
        let weight_of_a_pixel = 4.0 * size.pixels() as f64;
        FAINT * size.pixels() as f64 / (self.columns * self.rows) as f64
            * weight_of_a_pixel
            * f64::from(MAGNITUDE_STEPS)
            * f64::from(SHARE_STEPS)
    }
}

/// The texture of a face (d pixels): [`LENGTH`] bytes.
///
/// # Panics
/// If the face is not of this size.
pub fn describe(face: &[u8], size: FaceSize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(LENGTH);
    for cell in histograms(face, size, GRID).chunks_exact(CELL) {
        bytes.extend(roots_of_a_cell(cell, GRID.faint(size)));
    }
    bytes
}

/// The local binary patterns of a face (d pixels) alone: the roots of their shares in each cell, in bytes.
///
/// # Panics
/// If the face is not of this size.
pub fn patterns(face: &[u8], size: FaceSize) -> Vec<u8> {
    let histograms = histograms(face, size, GRID);
    let cells = histograms.chunks_exact(CELL);
    cells
        .flat_map(|cell| roots_of_shares(&cell[..PATTERNS], 0.0))
        .collect()
}

/// The texture that a face (d pixels) and its mirror image have together, on this grid: each cell added to the mirror
/// image of the cell opposite, so that half of the columns stay, the outermost first
/// ([`Grid::folded_length`] bytes). A face and its mirror image have the same.
///
/// # Panics
/// If the face is not of this size.
pub fn describe_folded(face: &[u8], size: FaceSize, grid: Grid) -> Vec<u8> {
    let sums = histograms(face, size, grid);
    let within = mirrored_bins();
    let mut bytes = Vec::with_capacity(grid.folded_length());
    let mut folded = [0_u64; CELL];
    for row in sums.chunks_exact(grid.columns * CELL) {
        for column in 0..grid.columns.div_ceil(2) {
            let own = &row[column * CELL..][..CELL];
            let opposite = &row[(grid.columns - 1 - column) * CELL..][..CELL];
            for ((sum, own), &from) in folded.iter_mut().zip(own).zip(within) {
                *sum = own + opposite[from];
            }
            bytes.extend(roots_of_a_cell(&folded, 2.0 * grid.faint(size)));
        }
    }
    bytes
}

/// The roots of shares of a cell's patterns and of its directions, in bytes.
fn roots_of_a_cell(cell: &[u64], faint: f64) -> impl Iterator<Item = u8> {
    let (patterns, directions) = cell.split_at(PATTERNS);
    roots_of_shares(patterns, 0.0).chain(roots_of_shares(directions, faint))
}

/// Weighted counts of patterns and gradient magnitudes by direction, cell by cell.
fn histograms(face: &[u8], size: FaceSize, grid: Grid) -> Vec<u64> {
    assert_eq!(face.len(), size.pixels(), "a face of another size");
    let across = places(size.width(), grid.columns);
    let down = places(size.height(), grid.rows);
    let picture = Picture::new(face, size);
    let labels = labels();

    let mut sums = vec![0_u64; CELL * grid.columns * grid.rows];
    // The shares of the four cells between whose middles a row of pixels runs, for each bin.
    let mut corners = vec![[0_u64; 4]; CELL * (grid.columns + 1)];
    let mut patterns = vec![0_u8; across.len()];
    for (y, row) in down.iter().enumerate() {
        match grid.radius {
            Radius::One => picture.patterns_at_one(y, &mut patterns),
            Radius::Two => picture.patterns_at_two(y, &mut patterns),
        }
        for (x, column) in across.iter().enumerate() {
            let bins = &mut corners[column.gap * CELL..][..CELL];
            let shares = [
                row.before * column.before,
                row.before * column.after,
                row.after * column.before,
                row.after * column.after,
            ];
            let mut add = |bin: usize, times: u64| {
                for (sum, share) in bins[bin].iter_mut().zip(shares) {
                    *sum += share * times;
                }
            };
            add(usize::from(labels[usize::from(patterns[x])]), 1);
            for (direction, magnitude) in picture.gradient(x, y) {
                add(PATTERNS + direction, magnitude);
            }
        }
        if down.get(y + 1).is_none_or(|next| next.gap != row.gap) {
            hand_out(&mut corners, row.gap, grid, &mut sums);
        }
    }
    sums
}

/// The textures of faces, in their order, as pictures of the size [`SHEET`].
pub fn describe_all(faces: &FaceMatrix) -> FaceMatrix {
    let all: Vec<&[u8]> = faces.faces().collect();
    let textures: Vec<Vec<u8>> = all
        .par_iter()
        .map(|face| describe(face, faces.size()))
        .collect();
    FaceMatrix::from_pixels(SHEET, textures.concat()).expect("textures of one length")
}

/// Where each byte of a mirrored face's texture comes from.
pub fn mirror() -> &'static [u32] {
    static MIRROR: OnceLock<Vec<u32>> = OnceLock::new();
    MIRROR.get_or_init(|| {
        let within = mirrored_bins();
        let mut from = Vec::with_capacity(LENGTH);
        for row in 0..ROWS {
            for column in (0..COLUMNS).rev() {
                let cell = (row * COLUMNS + column) * CELL;
                from.extend(within.iter().map(|&at| (cell + at) as u32));
            }
        }
        from
    })
}

/// Where each bin of a cell comes from in a mirror.
fn mirrored_bins() -> &'static [usize; CELL] {
    static BINS: OnceLock<[usize; CELL]> = OnceLock::new();
    BINS.get_or_init(|| {
        let labels = labels();
        let mut within: [usize; CELL] = std::array::from_fn(|bin| bin);
        for pattern in 0..256_usize {
            let mirrored = (0..8)
                .filter(|bit| pattern >> bit & 1 == 1)
                .fold(0, |bits, bit| bits | 1 << mirrored_direction(bit));
            within[usize::from(labels[mirrored])] = usize::from(labels[pattern]);
        }
        for direction in 0..DIRECTIONS {
            within[PATTERNS + mirrored_direction(direction)] = PATTERNS + direction;
        }
        within
    })
}

/// Left and right change places: an eighth of a turn i becomes 4 - i.
fn mirrored_direction(direction: usize) -> usize {
    (12 - direction) % 8
}

/// The place of each of the 256 patterns: those with at most two changes around the circle have one each,
/// by their number; the others share the last.
fn labels() -> &'static [u8; 256] {
    static LABELS: OnceLock<[u8; 256]> = OnceLock::new();
    LABELS.get_or_init(|| {
        let mut labels = [PATTERNS as u8 - 1; 256];
        let mut next = 0;
        for pattern in 0..=255_u8 {
            if (pattern ^ pattern.rotate_left(1)).count_ones() <= 2 {
                labels[usize::from(pattern)] = next;
                next += 1;
            }
        }
        labels
    })
}

/// Where a pixel lies along a side.
struct Place {
    /// Between the middles of cells `gap - 1` and `gap`; beyond the outermost there is only one.
    gap: usize,
    /// What of the pixel goes to the cell before, and to the one after: together twice the side.
    before: u64,
    after: u64,
}

/// The places of all pixels along a side of so many cells.
fn places(side: u32, cells: usize) -> Vec<Place> {
    let whole = 2 * i64::from(side);
    (0..i64::from(side))
        .map(|at| {
            let position = (2 * at + 1) * cells as i64 - i64::from(side);
            let after = position.rem_euclid(whole);
            Place {
                gap: (position.div_euclid(whole) + 1) as usize,
                before: (whole - after) as u64,
                after: after as u64,
            }
        })
        .collect()
}

/// The cells on both sides of a gap.
fn beside(gap: usize, cells: usize) -> [usize; 2] {
    [gap.saturating_sub(1), gap.min(cells - 1)]
}

/// Adds what a row of gaps gathered to the cells around, and empties it.
fn hand_out(corners: &mut [[u64; 4]], gap: usize, grid: Grid, sums: &mut [u64]) {
    for (column_gap, bins) in corners.chunks_exact_mut(CELL).enumerate() {
        let rows = beside(gap, grid.rows);
        let columns = beside(column_gap, grid.columns);
        for (corner, (row, column)) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().enumerate() {
            let cell = (rows[row] * grid.columns + columns[column]) * CELL;
            for (sum, bin) in sums[cell..][..CELL].iter_mut().zip(bins.iter()) {
                *sum += bin[corner];
            }
        }
        bins.fill([0; 4]);
    }
}

/// round(255 √share) of each sum, shares of all sums and `more`.
fn roots_of_shares(sums: &[u64], more: f64) -> impl Iterator<Item = u8> {
    let total = sums.iter().sum::<u64>() as f64 + more;
    sums.iter().map(move |&sum| {
        let share = if total > 0.0 { sum as f64 / total } else { 0.0 };
        (255.0 * share.sqrt()).round() as u8
    })
}

/// The pattern whose bit i is the i-th answer.
fn bits(answers: [bool; 8]) -> u8 {
    (0..8).fold(0, |bits, bit| bits | u8::from(answers[bit]) << bit)
}

/// How far the border is repeated outside: as far as a pattern looks.
const MARGIN: usize = 2;

/// A face whose border is repeated outside.
struct Picture {
    levels: Vec<i32>,
    width: usize,
}

impl Picture {
    fn new(face: &[u8], size: FaceSize) -> Self {
        let (across, down) = (size.width() as usize, size.height() as usize);
        let width = across + 2 * MARGIN;
        let mut levels = Vec::with_capacity(width * (down + 2 * MARGIN));
        for y in 0..down + 2 * MARGIN {
            let row = &face[y.saturating_sub(MARGIN).min(down - 1) * across..][..across];
            levels.extend([i32::from(row[0]); MARGIN]);
            levels.extend(row.iter().map(|&level| i32::from(level)));
            levels.extend([i32::from(row[across - 1]); MARGIN]);
        }
        Self { levels, width }
    }

    /// The pattern of each pixel of a row: bit i says that the point at i eighths of a turn, two pixels
    /// away, is not darker than the pixel.
    fn patterns_at_two(&self, y: usize, patterns: &mut [u8]) {
        /// The diagonal points lie at √2 = 1 + 106/256.
        const FAR: i32 = 106;
        const NEAR: i32 = 256 - FAR;
        const ONE: i32 = (NEAR + FAR) * (NEAR + FAR);

        let row =
            |down: usize| &self.levels[(y + down) * self.width..][..patterns.len() + 2 * MARGIN];
        let (top, above, middle, below, bottom) = (row(0), row(1), row(2), row(3), row(4));
        let diagonal = |near: i32, beside: i32, far: i32| {
            near * NEAR * NEAR + beside * NEAR * FAR + far * FAR * FAR
        };
        for (x, pattern) in patterns.iter_mut().enumerate() {
            let centre = middle[x + 2];
            let is_not_darker = [
                middle[x + 4] >= centre,
                diagonal(below[x + 3], below[x + 4] + bottom[x + 3], bottom[x + 4]) >= centre * ONE,
                bottom[x + 2] >= centre,
                diagonal(below[x + 1], below[x] + bottom[x + 1], bottom[x]) >= centre * ONE,
                middle[x] >= centre,
                diagonal(above[x + 1], above[x] + top[x + 1], top[x]) >= centre * ONE,
                top[x + 2] >= centre,
                diagonal(above[x + 3], above[x + 4] + top[x + 3], top[x + 4]) >= centre * ONE,
            ];
            *pattern = bits(is_not_darker);
        }
    }

    /// As [`patterns_at_two`](Self::patterns_at_two), of the points one pixel away.
    fn patterns_at_one(&self, y: usize, patterns: &mut [u8]) {
        /// The diagonal points lie at √½ = 181/256.
        const FAR: i32 = 181;
        const NEAR: i32 = 256 - FAR;
        const ONE: i32 = (NEAR + FAR) * (NEAR + FAR);

        let row =
            |down: usize| &self.levels[(y + down) * self.width..][..patterns.len() + 2 * MARGIN];
        let (above, middle, below) = (row(1), row(2), row(3));
        for (x, pattern) in patterns.iter_mut().enumerate() {
            let centre = middle[x + 2];
            let diagonal = |beside: i32, far: i32| {
                centre * NEAR * NEAR + beside * NEAR * FAR + far * FAR * FAR >= centre * ONE
            };
            let is_not_darker = [
                middle[x + 3] >= centre,
                diagonal(middle[x + 3] + below[x + 2], below[x + 3]),
                below[x + 2] >= centre,
                diagonal(middle[x + 1] + below[x + 2], below[x + 1]),
                middle[x + 1] >= centre,
                diagonal(middle[x + 1] + above[x + 2], above[x + 1]),
                above[x + 2] >= centre,
                diagonal(middle[x + 3] + above[x + 2], above[x + 3]),
            ];
            *pattern = bits(is_not_darker);
        }
    }

    /// The two directions between which the gradient of a pixel points, each with its part of the magnitude:
    /// the nearer axis, and the diagonal beside it.
    fn gradient(&self, x: usize, y: usize) -> [(usize, u64); 2] {
        let at = (y + MARGIN) * self.width + x + MARGIN;
        let across = self.levels[at + 1] - self.levels[at - 1];
        let down = self.levels[at + self.width] - self.levels[at - self.width];
        let axis = if across.abs() >= down.abs() {
            if across >= 0 { 0 } else { 4 }
        } else if down >= 0 {
            2
        } else {
            6
        };
        let diagonal = match (across >= 0, down >= 0) {
            (true, true) => 1,
            (false, true) => 3,
            (false, false) => 5,
            (true, false) => 7,
        };
        let (across, down) = (across.unsigned_abs() as f32, down.unsigned_abs() as f32);
        let (short, long) = (across.min(down), across.max(down));
        if long == 0.0 {
            return [(axis, 0), (diagonal, 0)];
        }
        // The angle in eighths of a turn: atan(t) / (π/4) within 0.5 %, from operations that every
        // machine rounds alike.
        let slope = short / long;
        let angle = slope + 0.3476 * slope * (1.0 - slope);
        let magnitude = ((short * short + long * long).sqrt() * MAGNITUDE_STEPS + 0.5) as u32;
        let share = (angle * SHARE_STEPS as f32 + 0.5) as u32;
        [
            (axis, u64::from(magnitude * (SHARE_STEPS - share))),
            (diagonal, u64::from(magnitude * share)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn size(width: u32, height: u32) -> FaceSize {
        FaceSize::new(width, height).unwrap()
    }

    fn mirrored(face: &[u8], size: FaceSize) -> Vec<u8> {
        face.chunks_exact(size.width() as usize)
            .flat_map(|row| row.iter().rev().copied())
            .collect()
    }

    fn permuted(texture: &[u8]) -> Vec<u8> {
        mirror()
            .iter()
            .map(|&from| texture[from as usize])
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn a_mirrored_face_has_the_mirrored_texture(
            (width, height) in (8_u32..70, 8_u32..80),
            seed in any::<u32>(),
            levels in prop_oneof![Just(2_u32), Just(7), Just(256)],
        ) {
            let size = size(width, height);
            let mut state = seed | 1;
            let face: Vec<u8> = (0..size.pixels())
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    ((state >> 16) % levels) as u8
                })
                .collect();
            prop_assert_eq!(describe(&mirrored(&face, size), size), permuted(&describe(&face, size)));
        }
    }

    #[test]
    fn a_flat_face_has_one_pattern_and_no_gradient() {
        let size = size(60, 72);
        let texture = describe(&[99; 60 * 72], size);
        let brightest = usize::from(labels()[255]);
        for cell in texture.chunks_exact(CELL) {
            assert!((0..CELL).all(|at| cell[at] == if at == brightest { 255 } else { 0 }));
        }
    }

    #[test]
    fn a_slope_points_its_way() {
        let size = size(60, 72);
        let right: Vec<u8> = (0..60 * 72).map(|at| (at % 60) as u8).collect();
        let down: Vec<u8> = (0..60 * 72).map(|at| (at / 60) as u8).collect();
        for (face, direction) in [(right, 0), (down, 2)] {
            let texture = describe(&face, size);
            let cell = &texture[(3 * COLUMNS + 3) * CELL + PATTERNS..][..DIRECTIONS];
            assert!((0..DIRECTIONS).all(|at| cell[at] == if at == direction { 255 } else { 0 }));
        }
    }

    #[test]
    fn brightness_and_contrast_hardly_matter() {
        let size = size(60, 72);
        let face: Vec<u8> = (0..60 * 72_u32)
            .map(|at| ((at * at / 7 + at / 60 * 13) % 100) as u8)
            .collect();
        let brighter: Vec<u8> = face.iter().map(|level| 50 + 2 * level).collect();
        let (dark, bright) = (describe(&face, size), describe(&brighter, size));
        for (dark, bright) in dark.chunks(CELL).zip(bright.chunks(CELL)) {
            assert_eq!(dark[..PATTERNS], bright[..PATTERNS]);
            let apart = dark.iter().zip(bright).map(|(a, b)| a.abs_diff(*b));
            assert!(apart.max() <= Some(1), "but for the rounding of magnitudes");
        }
    }

    #[test]
    fn every_pattern_has_a_place_and_uniform_ones_their_own() {
        let uniform = labels().iter().filter(|&&label| label < 58).count();
        assert_eq!((uniform, labels().iter().max()), (58, Some(&58)));
    }

    #[test]
    fn pixels_are_shared_out_wholly_and_evenly() {
        for side in [8, 9, 46, 60, 73, 1000] {
            for cells in [COLUMNS, ROWS] {
                let mut of_cells = vec![0; cells];
                for place in places(side, cells) {
                    assert_eq!(place.before + place.after, 2 * u64::from(side));
                    let [before, after] = beside(place.gap, cells);
                    of_cells[before] += place.before;
                    of_cells[after] += place.after;
                }
                assert!(
                    of_cells.iter().all(|&share| share > 0),
                    "{side} {of_cells:?}"
                );
                let mut reversed = of_cells.clone();
                reversed.reverse();
                assert_eq!(of_cells, reversed);
            }
        }
    }
}
