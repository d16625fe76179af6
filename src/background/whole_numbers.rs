//! Faces at another size or nearer, in whole numbers, so that a mirrored face gives the mirrored result on any machine.

use crate::face_matrix::FaceSize;

/// Magnification of a face: `from` pixels are drawn as `to`.
#[derive(Debug, Clone, Copy)]
pub struct Zoom {
    pub to: i32,
    pub from: i32,
}

/// Position of a pixel of a view between two pixels of a face.
struct Between {
    before: usize,
    after: usize,
    /// The weight of the one after, of [`Zoom::whole`].
    weight: i32,
}

impl Zoom {
    /// The view of a face of this size: bilinear about a point two fifths from the top, where aligned eyes are; beyond
    /// the border the nearest pixels.
    pub fn of(self, face: &[u8], size: FaceSize) -> Vec<u8> {
        if self.to == self.from {
            return face.to_vec();
        }
        let (width, height) = (size.width() as i32, size.height() as i32);
        let columns = self.places(width, width);
        let rows = self.places(height, 2 * height * 2 / 5);
        let (stride, whole) = (size.width() as usize, self.whole());
        let mean = Mean::of((whole * whole) as u32);
        let mut view = vec![0; face.len()];
        let mut between = vec![0; stride];
        for (row, pixels) in rows.iter().zip(view.chunks_exact_mut(stride)) {
            let (upper, lower) = (&face[row.before * stride..], &face[row.after * stride..]);
            for (sum, (&upper, &lower)) in between.iter_mut().zip(upper.iter().zip(lower)) {
                *sum = i32::from(upper) * (whole - row.weight) + i32::from(lower) * row.weight;
            }
            for (pixel, column) in pixels.iter_mut().zip(&columns) {
                let (before, after) = (between[column.before], between[column.after]);
                let sum = before * (whole - column.weight) + after * column.weight;
                *pixel = mean.nearest(sum as u32);
            }
        }
        view
    }

    /// The sum of both weights of a place.
    fn whole(self) -> i32 {
        2 * self.to
    }

    /// The places of all pixels along a side; `middle` is twice the distance of the point that stays from its beginning.
    fn places(self, side: i32, middle: i32) -> Vec<Between> {
        let last = side - 1;
        let place = |at: i32| {
            let exact = (2 * at + 1 - middle) * self.from + (middle - 1) * self.to;
            let before = exact.div_euclid(self.whole());
            Between {
                before: before.clamp(0, last) as usize,
                after: (before + 1).clamp(0, last) as usize,
                weight: exact.rem_euclid(self.whole()),
            }
        };
        (0..side).map(place).collect()
    }
}

/// Division of weighted sums of levels by what the weights add up to, without an instruction that divides.
#[derive(Clone, Copy)]
struct Mean {
    half: u32,
    /// 2^40 / the weights, rounded up: exact for sums of at most 255 times weights of up to 2^16.
    reciprocal: u64,
}

impl Mean {
    fn of(weights: u32) -> Self {
        Self {
            half: weights / 2,
            reciprocal: (1_u64 << 40).div_ceil(u64::from(weights)),
        }
    }

    fn nearest(self, sum: u32) -> u8 {
        ((u64::from(sum + self.half) * self.reciprocal) >> 40) as u8
    }
}

/// A face at a smaller size: every pixel the mean of what it covers.
pub fn reduced(face: &[u8], from: FaceSize, to: FaceSize) -> Vec<u8> {
    let columns = overlaps(from.width(), to.width());
    let stride = from.width() as usize;
    let mean = Mean::of(from.pixels() as u32);
    let mut small = vec![0; to.pixels()];
    // A column of the face after the other, added up over the rows that a row of the smaller face covers.
    let mut sums = vec![0_u32; stride];
    let rows = small.chunks_exact_mut(to.width() as usize);
    for (row, covered) in rows.zip(overlaps(from.height(), to.height())) {
        sums.fill(0);
        for (y, height) in covered {
            for (sum, &level) in sums.iter_mut().zip(&face[y * stride..]) {
                *sum += height * u32::from(level);
            }
        }
        for (pixel, covered) in row.iter_mut().zip(&columns) {
            let sum: u32 = covered.iter().map(|&(x, width)| width * sums[x]).sum();
            *pixel = mean.nearest(sum);
        }
    }
    small
}

/// For each of `to` equal parts of a side of `from` pixels, the pixels that it covers and how much of each, in units
/// of 1 / `to` of a pixel.
fn overlaps(from: u32, to: u32) -> Vec<Vec<(usize, u32)>> {
    let part = |at: u32| {
        let (start, end) = (at * from, (at + 1) * from);
        let pixels = start / to..end.div_ceil(to);
        pixels
            .map(|pixel| {
                let covered = end.min((pixel + 1) * to) - start.max(pixel * to);
                (pixel as usize, covered)
            })
            .collect()
    };
    (0..to).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: FaceSize = FaceSize::ALIGNED;

    fn face() -> Vec<u8> {
        (0..SIZE.pixels())
            .map(|at| (at * at / 31 % 251) as u8)
            .collect()
    }

    fn mirrored(face: &[u8], size: FaceSize) -> Vec<u8> {
        let rows = face.chunks_exact(size.width() as usize);
        rows.flat_map(|row| row.iter().rev().copied()).collect()
    }

    #[test]
    fn a_smaller_face_has_the_same_mean_and_its_own_mirror_image() {
        let smaller = FaceSize::new(45, 52).unwrap();
        let small = reduced(&face(), SIZE, smaller);
        let mean =
            |pixels: &[u8]| pixels.iter().map(|&p| f64::from(p)).sum::<f64>() / pixels.len() as f64;
        assert!((mean(&small) - mean(&face())).abs() < 0.5);
        let again = reduced(&mirrored(&face(), SIZE), SIZE, smaller);
        assert_eq!(again, mirrored(&small, smaller));
        assert_eq!(reduced(&[77; 64 * 74], SIZE, smaller), vec![77; 45 * 52]);
    }

    #[test]
    fn views_of_a_mirrored_face_are_mirrored_and_what_is_flat_stays_so() {
        for (to, from) in [(9, 8), (8, 9), (3, 2), (1, 1), (1, 2)] {
            let zoom = Zoom { to, from };
            let view = zoom.of(&mirrored(&face(), SIZE), SIZE);
            assert_eq!(view, mirrored(&zoom.of(&face(), SIZE), SIZE), "{zoom:?}");
            assert_eq!(zoom.of(&[99; 64 * 74], SIZE), vec![99; 64 * 74]);
        }
    }

    #[test]
    fn a_nearer_view_shows_what_lies_nearer_the_middle() {
        // Levels rise by 3 a pixel to the right.
        let slope: Vec<u8> = (0..SIZE.pixels()).map(|at| (at % 64 * 3) as u8).collect();
        let view = Zoom { to: 2, from: 1 }.of(&slope, SIZE);
        // The pixel in column 8 lies at (8.5 - 32) / 2 + 32 - 0.5 = 19.75.
        assert_eq!((view[8], slope[8]), (59, 24));
    }
}
