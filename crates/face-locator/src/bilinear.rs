//! Gray values between pixels.

use image::GrayImage;

use vectorised::whole;

/// A point in a photo: x to the right, y downwards, in pixels.
pub type Point = [f32; 2];

/// The gray values at some points of a photo, which must not be empty; beyond the border those of the nearest pixels.
#[inline(always)]
pub(super) fn values<const N: usize>(photo: &GrayImage, points: &[Point; N]) -> [f32; N] {
    let (width, height) = (photo.width() as usize, photo.height() as usize);
    let pixels: &[u8] = photo;
    between(points, photo.dimensions(), |column, row| {
        let (column, row) = (column as usize, row as usize);
        let (right, below) = ((column + 1).min(width - 1), (row + 1).min(height - 1));
        let (upper, lower) = (&pixels[row * width..], &pixels[below * width..]);
        [upper[column], upper[right], lower[column], lower[right]]
    })
}

/// The gray values at some points of a picture of this width and height, of which `square` gives the pixel in a column and row,
/// the one to its right, the one below, and the one below that to the right.
#[inline(always)]
fn between<const N: usize>(
    points: &[Point; N],
    (width, height): (u32, u32),
    square: impl Fn(u32, u32) -> [u8; 4],
) -> [f32; N] {
    let last = |length: u32| length.saturating_sub(1) as f32;
    let (last_x, last_y) = (last(width), last(height));
    // Three loops, of which only the middle one goes from pixel to pixel.
    let [mut columns, mut rows] = [[0; N]; 2];
    let [mut right, mut down] = [[0.0; N]; 2];
    for i in 0..N {
        let [x, y] = points[i];
        // What is not a number becomes 0.
        let (x, y) = (x.max(0.0).min(last_x), y.max(0.0).min(last_y));
        (columns[i], rows[i]) = (whole(x), whole(y));
        (right[i], down[i]) = (x - columns[i] as i32 as f32, y - rows[i] as i32 as f32);
    }
    let mut found = [0; N];
    for i in 0..N {
        found[i] = i32::from_le_bytes(square(columns[i], rows[i]));
    }
    let mut values = [0.0; N];
    for i in 0..N {
        let [upper_left, upper_right, lower_left, lower_right] = pixels_of(found[i]).map(|pixel| pixel as f32);
        let upper = upper_left * (1.0 - right[i]) + upper_right * right[i];
        let lower = lower_left * (1.0 - right[i]) + lower_right * right[i];
        values[i] = upper * (1.0 - down[i]) + lower * down[i];
    }
    values
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

/// The four pixels of a square, a number by `i32::from_le_bytes`: vector registers take numbers apart faster than bytes.
#[inline(always)]
fn pixels_of(square: i32) -> [i32; 4] {
    [0, 8, 16, 24].map(
        #[inline(always)]
        |by| square >> by & 0xff,
    )
}

/// A picture of at most [`SIDE`](Self::SIDE) pixels a side for many looks between pixels: with each stand its neighbours.
#[derive(Debug, Clone)]
pub struct BilinearTable {
    width: u32,
    height: u32,
    /// Each pixel, the one to its right, the one below, and the one below that to the right, in rows of [`SIDE`](Self::SIDE).
    pixels: Box<[[u8; 4]; Self::SIDE * Self::SIDE]>,
}

impl BilinearTable {
    /// A power of two: the compiler sees that no row and column lies outside then.
    pub const SIDE: usize = 256;

    /// Prepares a picture.
    ///
    /// # Panics
    /// If it is larger.
    pub fn new(picture: &GrayImage) -> Self {
        let (width, height) = picture.dimensions();
        assert!(width.max(height) as usize <= Self::SIDE, "a picture too large");
        let line = |row: usize| &picture.as_raw()[row * width as usize..][..width as usize];
        let mut pixels = vec![[0; 4]; Self::SIDE * Self::SIDE];
        let rows = if width > 0 { height as usize } else { 0 };
        for (row, squares) in pixels.chunks_exact_mut(Self::SIDE).take(rows).enumerate() {
            let (here, below) = (line(row), line((row + 1).min(rows - 1)));
            let last = here.len() - 1;
            put_together(here, below, &mut squares[..last]);
            squares[last] = [here[last], here[last], below[last], below[last]];
        }
        Self { width, height, pixels: pixels.try_into().unwrap_or_else(|_| unreachable!("as long as that")) }
    }

    /// The gray values at some points; beyond the border those of the nearest pixels. Black if the picture is empty.
    #[inline(always)]
    pub(super) fn values<const N: usize>(&self, points: &[Point; N]) -> [f32; N] {
        const LAST: u32 = BilinearTable::SIDE as u32 - 1;
        between(points, (self.width, self.height), |column, row| {
            self.pixels[((row & LAST) << LAST.count_ones() | column & LAST) as usize]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;

    /// The gray value at a point, by the definition. What is not a number is 0.
    fn bilinear(photo: &GrayImage, point: Point) -> f32 {
        let last = [photo.width() - 1, photo.height() - 1];
        let [x, y] = [0, 1].map(|axis| point[axis].max(0.0).min(last[axis] as f32));
        let at = |x: f32, y: f32| {
            let [x, y] = [(x, 0), (y, 1)].map(|(at, axis)| (at as u32).min(last[axis]));
            f32::from(photo.get_pixel(x, y)[0])
        };
        let (fx, fy) = (x.fract(), y.fract());
        let upper = at(x, y) * (1.0 - fx) + at(x + 1.0, y) * fx;
        let lower = at(x, y + 1.0) * (1.0 - fx) + at(x + 1.0, y + 1.0) * fx;
        upper * (1.0 - fy) + lower * fy
    }

    #[test]
    fn values_are_those_of_the_definition() {
        let photo = GrayImage::from_fn(9, 6, |x, y| Luma([(x * 37 + y * 91) as u8]));
        let points: [Point; 64] = std::array::from_fn(|i| {
            let i = i as f32;
            [i * 0.31 - 4.0, (i * 0.77) % 9.0 - 1.5]
        });
        let table = BilinearTable::new(&photo);
        let far = [[f32::MAX, f32::MIN], [8.0, 5.0], [f32::NAN, 0.0]];
        for found in [table.values(&points), values(&photo, &points)] {
            assert_eq!(found, points.map(|point| bilinear(&photo, point)));
        }
        for found in [table.values(&far), values(&photo, &far)] {
            assert_eq!(found, far.map(|point| bilinear(&photo, point)));
        }
        assert_eq!(BilinearTable::new(&GrayImage::new(0, 3)).values(&far)[..2], [0.0; 2]);
    }
}
