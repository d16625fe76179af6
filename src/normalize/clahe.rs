//! Contrast-limited adaptive histogram equalisation: equalisation cell by cell.
//!
//! Zuiderveld, Contrast limited adaptive histogram equalization, Graphics Gems IV (1994); to the bit as
//! OpenCV's `createCLAHE(2.0, (4, 4))` does it where both sides are multiples of four. The limit keeps noise
//! in flat cells from becoming contrast; between the middles of cells the four mappings around are blended.

use crate::face_matrix::FaceSize;

/// Cells across and down: on a face of 60 x 72 each has 270 pixels, about one a gray level.
const CELLS: usize = 4;

/// No gray level counts more than this many times the mean of all.
const LIMIT: f32 = 2.0;

/// Which gray level becomes which.
type Mapping = [u8; 256];

/// Treats a face in its place.
pub fn apply(face: &mut [u8], size: FaceSize) {
    let (width, height) = (size.width() as usize, size.height() as usize);
    let (cell_width, cell_height) = (width.div_ceil(CELLS), height.div_ceil(CELLS));
    let mappings: Vec<Mapping> = (0..CELLS * CELLS)
        .map(|cell| {
            let (left, top) = (cell % CELLS * cell_width, cell / CELLS * cell_height);
            let rows = (top..top + cell_height).map(|y| reflected(y, height) * width);
            let levels = rows.flat_map(|row| {
                let face = &*face;
                (left..left + cell_width).map(move |x| face[row + reflected(x, width)])
            });
            mapping(levels, cell_width * cell_height)
        })
        .collect();
    let across: Vec<Between> = (0..width).map(|x| Between::new(x, cell_width)).collect();
    for (y, row) in face.chunks_exact_mut(width).enumerate() {
        let down = Between::new(y, cell_height);
        for (level, across) in row.iter_mut().zip(&across) {
            let at = usize::from(*level);
            let mapped = |row: usize, column: usize| f32::from(mappings[row * CELLS + column][at]);
            let line = |row: usize| {
                mapped(row, across.before) * (1.0 - across.share)
                    + mapped(row, across.after) * across.share
            };
            let blended = line(down.before) * (1.0 - down.share) + line(down.after) * down.share;
            *level = blended.round_ties_even() as u8;
        }
    }
}

/// Beyond its end a side runs back, the last pixel not repeated: cells that do not come out even are filled up.
fn reflected(at: usize, side: usize) -> usize {
    if at < side {
        at
    } else {
        (2 * (side - 1)).saturating_sub(at)
    }
}

/// The equalisation of one cell, no level counting more than the limit; what is cut off counts everywhere.
fn mapping(levels: impl Iterator<Item = u8>, pixels: usize) -> Mapping {
    let mut counts = [0_u32; 256];
    for level in levels {
        counts[usize::from(level)] += 1;
    }
    let limit = ((LIMIT * pixels as f32 / 256.0) as u32).max(1);
    let mut cut = 0;
    for count in &mut counts {
        cut += count.saturating_sub(limit);
        *count = (*count).min(limit);
    }
    let (each, rest) = (cut / 256, cut % 256);
    for count in &mut counts {
        *count += each;
    }
    if rest > 0 {
        let step = (256 / rest).max(1) as usize;
        for count in counts.iter_mut().step_by(step).take(rest as usize) {
            *count += 1;
        }
    }
    let scale = 255.0 / pixels as f32;
    let mut not_brighter = 0;
    counts.map(|count| {
        not_brighter += count;
        (not_brighter as f32 * scale).round_ties_even().min(255.0) as u8
    })
}

/// The two cells between whose middles a pixel lies.
struct Between {
    before: usize,
    after: usize,
    /// The share of the cell after; that before has the rest.
    share: f32,
}

impl Between {
    fn new(at: usize, cell: usize) -> Self {
        let place = at as f32 * (1.0 / cell as f32) - 0.5;
        let before = place.floor();
        Self {
            before: before.max(0.0) as usize,
            after: ((before + 1.0) as usize).min(CELLS - 1),
            share: place - before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_counts_no_more_than_the_limit() {
        // 254 of 256 pixels alike: equalised they would be black and white.
        let levels = (0..256).map(|at| if at < 2 { 200 } else { 100 });
        let mapping = mapping(levels, 256);
        assert!(mapping.is_sorted() && mapping[255] == 255);
        assert!(mapping[101] - mapping[99] <= 4, "{mapping:?}");
    }

    #[test]
    fn sides_run_back() {
        let places: Vec<usize> = (6..12).map(|at| reflected(at, 9)).collect();
        assert_eq!(places, [6, 7, 8, 7, 6, 5]);
    }
}
