//! Bringing a part of a picture to another size: bilinear, in double precision, as the cascade was trained with.

use image::GrayImage;

use vectorised::vectorised_mut;

/// A rectangle of a picture. It may reach beyond it; what lies outside is black.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    pub left: i64,
    pub top: i64,
    pub width: usize,
    pub height: usize,
}

impl Region {
    /// All of a picture.
    pub fn whole(picture: &GrayImage) -> Self {
        Self { left: 0, top: 0, width: picture.width() as usize, height: picture.height() as usize }
    }

    /// One row of the region: as it lies in the picture, or put together in `padded` where it reaches beyond.
    #[inline(always)]
    fn row<'a>(self, row: usize, picture: &'a GrayImage, padded: &'a mut Vec<u8>) -> &'a [u8] {
        let width = i64::from(picture.width());
        let y = self.top + row as i64;
        let end = self.left + self.width as i64;
        let stored: &[u8] = if (0..i64::from(picture.height())).contains(&y) {
            let first = y as usize * width as usize;
            picture.get(first..first + width as usize).unwrap_or(&[])
        } else {
            &[]
        };
        if self.left >= 0
            && end <= width
            && let Some(inside) = stored.get(self.left as usize..end as usize)
        {
            return inside;
        }
        padded.clear();
        padded.resize(self.width, 0);
        let seen = self.left.clamp(0, width) as usize..end.clamp(0, width) as usize;
        if let Some(seen) = stored.get(seen) {
            let skipped = (-self.left).clamp(0, self.width as i64) as usize;
            padded[skipped..skipped + seen.len()].copy_from_slice(seen);
        }
        padded
    }
}

/// Positions of target pixels between two neighbouring source pixels.
#[derive(Debug, Default)]
struct Positions {
    /// The source pixel before each.
    first: Vec<usize>,
    /// Weight of the next source pixel: from 0 to 1, and more at the end of what is enlarged.
    weight: Vec<f64>,
}

impl Positions {
    /// Spreads `target` pixels over `source` pixels, of which there are two or more.
    fn spread(&mut self, target: usize, source: usize) {
        let step = source as f64 / target as f64;
        self.first.clear();
        self.weight.clear();
        for at in 0..target {
            let exact = step * at as f64;
            let first = (exact as usize).min(source - 2);
            self.first.push(first);
            self.weight.push(exact - first as f64);
        }
    }
}

/// A row of the region, interpolated at the target's columns.
#[derive(Debug, Default)]
struct Line {
    /// The region's row that it was made of.
    row: Option<usize>,
    values: Vec<f64>,
}

/// Resamples; holds the memory for it, so that one can be used many times.
#[derive(Debug, Default)]
pub(super) struct Resampler {
    columns: Positions,
    rows: Positions,
    /// A row that reaches beyond the picture, put together.
    padded: Vec<u8>,
    /// Of every target column, the two source pixels that it lies between.
    pairs: Vec<u16>,
    /// The two rows that a target row lies between.
    lines: [Line; 2],
}

impl Resampler {
    /// Fills `into` (width x height) with the region of the picture; one of less than two pixels a side changes nothing.
    pub fn resample(&mut self, picture: &GrayImage, region: Region, (width, height): (usize, usize), into: &mut [u8]) {
        if region.width < 2 || region.height < 2 || width == 0 {
            return;
        }
        if (region.width, region.height) == (width, height) {
            for (row, line) in into.chunks_exact_mut(width).enumerate() {
                line.copy_from_slice(region.row(row, picture, &mut self.padded));
            }
            return;
        }
        self.columns.spread(width, region.width);
        self.rows.spread(height, region.height);
        self.pairs.resize(width, 0);
        for line in &mut self.lines {
            line.row = None;
            line.values.resize(width, 0.0);
        }
        vectorised_mut(
            #[inline(always)]
            || self.fill(picture, region, into),
        );
    }

    #[inline(always)]
    fn fill(&mut self, picture: &GrayImage, region: Region, target: &mut [u8]) {
        let lines = target.chunks_exact_mut(self.columns.first.len());
        for (target, at) in lines.zip(0..) {
            let (first, weight) = (self.rows.first[at], self.rows.weight[at]);
            // The lower row of the target row before is often the upper one of this.
            if self.lines[1].row == Some(first) {
                self.lines.swap(0, 1);
            }
            self.interpolate(0, region, first, picture);
            self.interpolate(1, region, first + 1, picture);
            let [upper, lower] = &self.lines;
            let values = upper.values.iter().zip(&lower.values);
            for (pixel, (&upper, &lower)) in target.iter_mut().zip(values) {
                *pixel = whole_part((1.0 - weight) * upper + weight * lower);
            }
        }
    }

    /// Makes one of the two lines of a row of the region, unless it is of that row already.
    #[inline(always)]
    fn interpolate(&mut self, line: usize, region: Region, row: usize, picture: &GrayImage) {
        let line = &mut self.lines[line];
        if line.row == Some(row) {
            return;
        }
        line.row = Some(row);
        let pixels = region.row(row, picture, &mut self.padded);
        for (pair, &first) in self.pairs.iter_mut().zip(&self.columns.first) {
            let both = pixels.get(first..).and_then(<[u8]>::first_chunk);
            *pair = both.copied().map_or(0, u16::from_le_bytes);
        }
        let columns = self.pairs.iter().zip(&self.columns.weight);
        for (value, (&pair, &along)) in line.values.iter_mut().zip(columns) {
            let (left, right) = (f64::from(pair & 0xff), f64::from(pair >> 8));
            *value = (1.0 - along) * left + along * right;
        }
    }
}

/// The whole part of a number, or the nearest that a byte holds: where a region is enlarged, its last pixels are extrapolated.
///
/// Adding 2^52 makes the number's last bits its whole part: vector registers do that at once, but take casts apart.
#[inline(always)]
fn whole_part(number: f64) -> u8 {
    const SHIFT: f64 = (1u64 << 52) as f64;
    ((number.clamp(0.0, 255.0).floor() + SHIFT).to_bits() & 0xff) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;

    #[test]
    fn whole_parts() {
        for (number, whole) in [(0.0, 0), (0.999, 0), (1.0, 1), (254.99999, 254), (255.0, 255), (-3.5, 0), (260.0, 255)]
        {
            assert_eq!(whole_part(number), whole);
        }
    }

    /// The formula, pixel by pixel, as the reference implementation has it.
    fn by_definition(picture: &GrayImage, region: Region, width: usize, height: usize) -> Vec<u8> {
        let at = |x: usize, y: usize| {
            let (x, y) = (region.left + x as i64, region.top + y as i64);
            let inside = (0..i64::from(picture.width())).contains(&x) && (0..i64::from(picture.height())).contains(&y);
            f64::from(if inside { picture.get_pixel(x as u32, y as u32).0[0] } else { 0 })
        };
        let mut pixels = Vec::new();
        for row in 0..height {
            for column in 0..width {
                let x = region.width as f64 / width as f64 * column as f64;
                let y = region.height as f64 / height as f64 * row as f64;
                let (left, top) = ((x as usize).min(region.width - 2), (y as usize).min(region.height - 2));
                let (wx, wy) = (x - left as f64, y - top as f64);
                let value = (1.0 - wy) * ((1.0 - wx) * at(left, top) + wx * at(left + 1, top))
                    + wy * ((1.0 - wx) * at(left, top + 1) + wx * at(left + 1, top + 1));
                pixels.push(value as u8);
            }
        }
        pixels
    }

    #[test]
    fn regions_inside_and_beyond_the_picture_are_resampled_by_the_formula() {
        let picture = GrayImage::from_fn(71, 53, |x, y| Luma([(x * 37 + y * 91 + x * y) as u8]));
        let mut resampler = Resampler::default();
        for (left, top, width, height) in [
            (0, 0, 71, 53),
            (3, 5, 40, 40),
            (-9, 4, 30, 30),
            (60, 40, 33, 33),
            (-5, -7, 90, 90),
            (200, 3, 20, 20),
            (-50, -50, 20, 20),
            (1, 1, 2, 2),
        ] {
            let region = Region { left, top, width, height };
            for (width, height) in [(40, 40), (13, 29), (80, 3)] {
                let mut target = vec![0; width * height];
                resampler.resample(&picture, region, (width, height), &mut target);
                let expected = by_definition(&picture, region, width, height);
                assert!(target == expected, "{region:?} to {width} x {height}");
            }
        }
    }
}
