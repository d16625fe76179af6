//! Gray values between pixels.

use image::GrayImage;

use vectorised::whole;

/// A point in a photo: x to the right, y downwards, in pixels.
pub type Point = [f32; 2];

/// The gray value at a point between pixels, beyond the border that of the nearest; the photo must not be empty.
#[inline]
pub(super) fn bilinear(photo: &GrayImage, [x, y]: Point) -> f32 {
    let (last_x, last_y) = (photo.width() - 1, photo.height() - 1);
    let x = x.clamp(0.0, last_x as f32);
    let y = y.clamp(0.0, last_y as f32);
    // Truncation is floor here, and NaN becomes 0.
    let (left, top) = (x as u32, y as u32);
    let (right, bottom) = ((left + 1).min(last_x), (top + 1).min(last_y));
    let (fx, fy) = (x - left as f32, y - top as f32);
    let stride = photo.width() as usize;
    let pixels: &[u8] = photo;
    let at = |column: u32, row: u32| f32::from(pixels[row as usize * stride + column as usize]);
    let upper = at(left, top) * (1.0 - fx) + at(right, top) * fx;
    let lower = at(left, bottom) * (1.0 - fx) + at(right, bottom) * fx;
    upper * (1.0 - fy) + lower * fy
}

/// For every pixel of a row but the last: itself, the one to its right, the one below, and the one below that to the right.
#[inline(always)]
fn put_together(upper: &[u8], lower: &[u8], squares: &mut [[u8; 4]]) {
    let left = upper.iter().zip(lower);
    let right = upper[1..].iter().zip(&lower[1..]);
    for (square, ((&a, &c), (&b, &d))) in squares.iter_mut().zip(left.zip(right)) {
        *square = [a, b, c, d];
    }
}

/// The four pixels of a square that was made a number by `i32::from_le_bytes`: vector registers take numbers apart faster than
/// they sort bytes.
#[inline(always)]
fn pixels_of(square: i32) -> [i32; 4] {
    [0, 8, 16, 24].map(
        #[inline(always)]
        |by| square >> by & 0xff,
    )
}

/// A picture prepared for many looks between its pixels: with every pixel stand its neighbours.
#[derive(Debug, Clone)]
pub struct BilinearTable {
    width: u32,
    height: u32,
    /// Each pixel, the one to its right, the one below, and the one below that to the right.
    pixels: Vec<[u8; 4]>,
}

impl BilinearTable {
    /// Prepares a picture.
    pub fn new(picture: &GrayImage) -> Self {
        let (width, height) = picture.dimensions();
        let line = |row: usize| {
            let pixels: &[u8] = picture;
            &pixels[row * width as usize..][..width as usize]
        };
        let mut pixels = vec![[0; 4]; width as usize * height as usize];
        for (row, squares) in pixels.chunks_exact_mut(width.max(1) as usize).enumerate() {
            let (here, below) = (line(row), line((row + 1).min(height as usize - 1)));
            let last = here.len() - 1;
            put_together(here, below, &mut squares[..last]);
            squares[last] = [here[last], here[last], below[last], below[last]];
        }
        Self {
            width,
            height,
            pixels,
        }
    }

    /// The gray values at some points; beyond the border those of the nearest pixels. Black if the picture is empty.
    #[inline(always)]
    pub(super) fn values<const N: usize>(&self, points: &[Point; N]) -> [f32; N] {
        let last = |length: u32| length.saturating_sub(1) as f32;
        let (last_x, last_y) = (last(self.width), last(self.height));
        // Three loops, of which only the middle one goes from pixel to pixel.
        let mut index = [0u32; N];
        let (mut right, mut down) = ([0.0; N], [0.0; N]);
        for i in 0..N {
            let [x, y] = points[i];
            // What is not a number becomes 0.
            let (x, y) = (x.max(0.0).min(last_x), y.max(0.0).min(last_y));
            let (column, row) = (whole(x), whole(y));
            (right[i], down[i]) = (x - column as i32 as f32, y - row as i32 as f32);
            index[i] = row.wrapping_mul(self.width).wrapping_add(column);
        }
        let mut found = [0; N];
        for (found, &index) in found.iter_mut().zip(&index) {
            let pixels = self.pixels.get(index as usize).copied();
            *found = i32::from_le_bytes(pixels.unwrap_or_default());
        }
        let mut values = [0.0; N];
        for i in 0..N {
            let [upper_left, upper_right, lower_left, lower_right] =
                pixels_of(found[i]).map(|pixel| pixel as f32);
            let upper = upper_left * (1.0 - right[i]) + upper_right * right[i];
            let lower = lower_left * (1.0 - right[i]) + lower_right * right[i];
            values[i] = upper * (1.0 - down[i]) + lower * down[i];
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;

    #[test]
    fn a_table_gives_the_values_of_its_picture() {
        let photo = GrayImage::from_fn(9, 6, |x, y| Luma([(x * 37 + y * 91) as u8]));
        let points: [Point; 64] = std::array::from_fn(|i| {
            let i = i as f32;
            [i * 0.31 - 4.0, (i * 0.77) % 9.0 - 1.5]
        });
        let values = BilinearTable::new(&photo).values(&points);
        assert_eq!(values, points.map(|point| bilinear(&photo, point)));
        let far = [[f32::MAX, f32::MIN], [8.0, 5.0], [f32::NAN, 0.0]];
        assert_eq!(
            BilinearTable::new(&photo).values(&far)[..2],
            [far[0], far[1]].map(|p| bilinear(&photo, p))
        );
        assert_eq!(
            BilinearTable::new(&GrayImage::new(0, 3)).values(&far)[..2],
            [0.0; 2]
        );
    }
}
