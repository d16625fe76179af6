//! Sums over any window of a picture, in exact integers: summed-area tables (F. Crow, SIGGRAPH 1984).

/// Sums of levels and of their squares over all pixels above and to the left.
pub(crate) struct SummedArea {
    corner: Vec<[i64; 2]>,
    width: usize,
}

impl SummedArea {
    /// Of a picture, row by row.
    pub(crate) fn new(picture: &[u8], width: usize) -> Self {
        let line = width + 1;
        let mut corner = vec![[0; 2]; line];
        for row in picture.chunks_exact(width) {
            let mut sum = [0; 2];
            corner.push([0; 2]);
            for &level in row {
                let level = i64::from(level);
                let above = corner[corner.len() - line];
                sum = [sum[0] + level, sum[1] + level * level];
                corner.push([above[0] + sum[0], above[1] + sum[1]]);
            }
        }
        Self { corner, width: line }
    }

    /// Σx and Σx² over a window; right and bottom just outside.
    pub(crate) fn within(&self, left: usize, top: usize, right: usize, bottom: usize) -> [i64; 2] {
        let at = |x: usize, y: usize| self.corner[y * self.width + x];
        let (a, b, c, d) = (at(left, top), at(right, top), at(left, bottom), at(right, bottom));
        [0, 1].map(|i| d[i] - b[i] - c[i] + a[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_window() {
        let face: Vec<u8> = (0..12 * 9_u8).map(|at| at.wrapping_mul(31)).collect();
        let window = (2..5).flat_map(|y| (3..11).map(move |x| y * 12 + x));
        let levels: Vec<i64> = window.map(|at| i64::from(face[at])).collect();
        let squares = levels.iter().map(|level| level * level).sum::<i64>();
        let sums = SummedArea::new(&face, 12).within(3, 2, 11, 5);
        assert_eq!(sums, [levels.iter().sum::<i64>(), squares]);
    }
}
