//! Uniform local binary patterns: how the levels around a pixel compare with its own (Ojala, Pietikäinen & Mäenpää 2002).

use vectorised::vectorised_mut;

use super::cells::Grid;
use super::directions::mirrored_direction;
use super::{HEIGHT, Picture, WIDTH};

/// Uniform patterns of eight points, and one place for all others.
pub const PATTERNS: usize = 59;

/// Weighted counts of patterns, [`PATTERNS`] for each cell of a grid, row by row.
pub fn sums(face: &Picture, grid: &Grid) -> Vec<u32> {
    let mut sums = vec![0; grid.cells() * PATTERNS];
    // For each gap across and each pattern, what goes to the four cells around.
    let mut gaps = vec![[[0_u32; 4]; PATTERNS]; grid.columns + 1];
    vectorised_mut(
        #[inline(always)]
        || {
            let mut patterns = [0; WIDTH];
            for (y, down) in grid.down.iter().enumerate() {
                face.patterns(y, &mut patterns);
                for (across, pattern) in grid.across.iter().zip(patterns) {
                    let shares = [
                        down.before * across.before,
                        down.before * across.after,
                        down.after * across.before,
                        down.after * across.after,
                    ];
                    let corners = &mut gaps[across.gap][usize::from(LABELS[usize::from(pattern)])];
                    for (sum, share) in corners.iter_mut().zip(shares) {
                        *sum += share;
                    }
                }
                if grid.is_last_of_gap(y) {
                    for (gap, patterns) in gaps.iter_mut().enumerate() {
                        for (corner, cell) in grid.around(down.gap, gap).into_iter().enumerate() {
                            let sums = &mut sums[cell * PATTERNS..][..PATTERNS];
                            for (sum, corners) in sums.iter_mut().zip(patterns.iter()) {
                                *sum += corners[corner];
                            }
                        }
                        patterns.fill([0; 4]);
                    }
                }
            }
        },
    );
    sums
}

// All pixels in one cell.
const _: () = assert!(4 * (WIDTH * WIDTH * HEIGHT * HEIGHT) as u64 <= u32::MAX as u64);

/// The counts of a cell and of the mirror image of another.
pub fn folded(sums: &[u32], own: usize, opposite: usize) -> [u64; PATTERNS] {
    let [own, opposite] = [own, opposite].map(|cell| &sums[cell * PATTERNS..][..PATTERNS]);
    std::array::from_fn(|bin| u64::from(own[bin] + opposite[usize::from(MIRRORED[bin])]))
}

/// The place of each of the 256 patterns: one each, by number, with at most two changes around; the others share the last.
pub const LABELS: [u8; 256] = {
    let mut labels = [PATTERNS as u8 - 1; 256];
    let (mut next, mut pattern) = (0, 0);
    while pattern < 256 {
        let bits = pattern as u8;
        if (bits ^ bits.rotate_left(1)).count_ones() <= 2 {
            labels[pattern] = next;
            next += 1;
        }
        pattern += 1;
    }
    labels
};

/// The place of each pattern's mirror image.
const MIRRORED: [u8; PATTERNS] = {
    let mut places = [0; PATTERNS];
    let mut pattern = 0;
    while pattern < 256 {
        let (mut mirrored, mut bit) = (0, 0);
        while bit < 8 {
            mirrored |= (pattern >> bit & 1) << mirrored_direction(bit);
            bit += 1;
        }
        places[LABELS[mirrored] as usize] = LABELS[pattern];
        pattern += 1;
    }
    places
};
