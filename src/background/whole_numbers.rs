//! Faces at another size or nearer, in whole numbers, so that a mirrored face gives the mirrored result on any machine.

use crate::face_matrix::FaceSize;

/// How much nearer a face is looked at: `from` pixels are drawn as `to`.
#[derive(Debug, Clone, Copy)]
pub struct Zoom {
    pub to: i32,
    pub from: i32,
}

/// Where a pixel of a view lies between two pixels of a face.
struct Between {
    before: usize,
    after: usize,
    /// What the one after weighs, of [`Zoom::whole`].
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
        let whole = self.whole();
        let stride = size.width() as usize;
        let mut view = Vec::with_capacity(face.len());
        for row in &rows {
            let (upper, lower) = (&face[row.before * stride..], &face[row.after * stride..]);
            for column in &columns {
                let along = |line: &[u8]| {
                    i32::from(line[column.before]) * (whole - column.weight)
                        + i32::from(line[column.after]) * column.weight
                };
                let sum = along(upper) * (whole - row.weight) + along(lower) * row.weight;
                let square = whole * whole;
                view.push(((sum + square / 2) / square) as u8);
            }
        }
        view
    }

    /// What both weights of a place add up to.
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

/// A face at a smaller size: every pixel the mean of what it covers.
pub fn reduced(face: &[u8], from: FaceSize, to: FaceSize) -> Vec<u8> {
    let (columns, rows) = (
        overlaps(from.width(), to.width()),
        overlaps(from.height(), to.height()),
    );
    let stride = from.width() as usize;
    let whole = from.pixels() as u64;
    let mut small = Vec::with_capacity(to.pixels());
    for row in &rows {
        for column in &columns {
            let mut sum = 0;
            for &(y, height) in row {
                for &(x, width) in column {
                    sum += u64::from(face[y * stride + x]) * height * width;
                }
            }
            small.push(((sum + whole / 2) / whole) as u8);
        }
    }
    small
}

/// For each of `to` equal parts of a side of `from` pixels, the pixels that it covers and how much of each, in units
/// of 1 / `to` of a pixel.
fn overlaps(from: u32, to: u32) -> Vec<Vec<(usize, u64)>> {
    let (from, to) = (u64::from(from), u64::from(to));
    let part = |at: u64| {
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
