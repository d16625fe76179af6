#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
#![forbid(unsafe_code)]

// The picture is cut into overlapping tiles (overlap-save), so that memory does not grow with it and tiles can be
// worked on side by side. Two real templates at a time are the real and imaginary part of one complex template: the
// picture is real, so their correlations come out as the real and imaginary part of the result.

use std::sync::Arc;

use image::GrayImage;
use rayon::prelude::*;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};

type Number = Complex<f64>;

/// Bytes of transformed tiles that are held at a time.
const HELD: usize = 128 << 20;
/// Tiles are at least so wide and high, or as the picture where that is less.
const LEAST_SIDE: usize = 256;

/// A picture, to be correlated with templates of one size.
pub struct Tiling<'a> {
    picture: &'a GrayImage,
    template: (usize, usize),
    plane: Plane,
}

impl<'a> Tiling<'a> {
    /// Templates are of this width and height.
    ///
    /// # Panics
    /// If the picture is smaller.
    pub fn new(picture: &'a GrayImage, template: (usize, usize)) -> Self {
        let side = |template: usize, picture: u32| {
            // Wide enough for most of a tile to be of use.
            (3 * template).next_power_of_two().max(LEAST_SIDE).min(smooth(picture as usize))
        };
        let (width, height) = picture.dimensions();
        assert!(width as usize >= template.0 && height as usize >= template.1, "a picture smaller than the templates");
        Self { picture, template, plane: Plane::new(side(template.0, width), side(template.1, height)) }
    }

    /// Adds to every position's entry of `into` (row after row) what `what` makes of the position, the number of each
    /// template (pixels row by row) and its correlation there; in the order of templates, whatever the number of threads.
    pub fn correlate(&self, templates: &[&[f64]], into: &mut [f64], what: impl Fn(usize, usize, f64) -> f64 + Sync) {
        let (width, height) = (self.picture.width() as usize, self.picture.height() as usize);
        let columns = width - self.template.0 + 1;
        let rows = height - self.template.1 + 1;
        let step = (self.plane.width - self.template.0 + 1, self.plane.height - self.template.1 + 1);
        let corners: Vec<(usize, usize)> =
            (0..rows).step_by(step.1).flat_map(|y| (0..columns).step_by(step.0).map(move |x| (x, y))).collect();
        for corners in corners.chunks((HELD / (self.plane.len() * size_of::<Number>())).max(1)) {
            let mut tiles: Vec<Tile> = corners
                .par_iter()
                .map(|&corner| Tile::new(self, corner, (step.0.min(columns - corner.0), step.1.min(rows - corner.1))))
                .collect();
            for (pair, both) in templates.chunks(2).enumerate() {
                let spectrum = self.spectrum_of(both);
                tiles.par_iter_mut().for_each_init(
                    || vec![Number::default(); 2 * self.plane.len()],
                    |buffer, tile| {
                        let (corner, extent) = (tile.corner, tile.extent);
                        let found = tile.correlate(&self.plane, &spectrum, buffer);
                        for (at, (sum, number)) in tile.sums.iter_mut().zip(found).enumerate() {
                            let (x, y) = (at % extent.0, at / extent.0);
                            let position = (corner.1 + y) * columns + corner.0 + x;
                            *sum += what(position, 2 * pair, number.re);
                            if both.len() == 2 {
                                *sum += what(position, 2 * pair + 1, number.im);
                            }
                        }
                    },
                );
            }
            for tile in &tiles {
                for (row, sums) in tile.sums.chunks_exact(tile.extent.0).enumerate() {
                    let from = (tile.corner.1 + row) * columns + tile.corner.0;
                    for (entry, sum) in into[from..][..sums.len()].iter_mut().zip(sums) {
                        *entry += sum;
                    }
                }
            }
        }
    }

    /// The transform of one or two templates, turned and scaled so that its product with a tile's is their correlation.
    fn spectrum_of(&self, templates: &[&[f64]]) -> Vec<Number> {
        let (width, height) = (self.plane.width, self.plane.height);
        let scale = 1.0 / self.plane.len() as f64;
        let mut numbers = vec![Number::default(); self.plane.len()];
        for y in 0..self.template.1 {
            for x in 0..self.template.0 {
                let at = y * self.template.0 + x;
                let turned = (height - y) % height * width + (width - x) % width;
                let im = templates.get(1).map_or(0.0, |template| template[at]);
                numbers[turned] = Number::new(templates[0][at], im) * scale;
            }
        }
        self.plane.forward(numbers)
    }
}

struct Tile {
    /// The upper left position that it stands for.
    corner: (usize, usize),
    /// Number of positions it stands for, from left to right and from top to bottom.
    extent: (usize, usize),
    /// Its transform, column after column.
    spectrum: Vec<Number>,
    sums: Vec<f64>,
}

impl Tile {
    fn new(tiling: &Tiling<'_>, corner: (usize, usize), extent: (usize, usize)) -> Self {
        let plane = &tiling.plane;
        let mut numbers = vec![Number::default(); plane.len()];
        let rows = tiling.picture.as_raw().chunks_exact(tiling.picture.width() as usize).skip(corner.1);
        for (numbers, row) in numbers.chunks_exact_mut(plane.width).zip(rows) {
            for (number, &pixel) in numbers.iter_mut().zip(&row[corner.0..]) {
                number.re = f64::from(pixel);
            }
        }
        Self { corner, extent, spectrum: plane.forward(numbers), sums: vec![0.0; extent.0 * extent.1] }
    }

    /// The correlations at its positions, row after row. `buffer` holds two planes.
    fn correlate<'b>(
        &self,
        plane: &Plane,
        template: &[Number],
        buffer: &'b mut [Number],
    ) -> impl Iterator<Item = Number> + use<'b> {
        let (product, result) = buffer.split_at_mut(plane.len());
        for ((to, a), b) in product.iter_mut().zip(&self.spectrum).zip(template) {
            *to = a * b;
        }
        plane.backward(product, result, self.extent.1);
        let (width, (columns, rows)) = (plane.width, self.extent);
        result.chunks_exact(width).take(rows).flat_map(move |row| row[..columns].iter().copied())
    }
}

/// Transforms of planes of one size. Spectra lie column after column, which saves one turn in each direction.
struct Plane {
    width: usize,
    height: usize,
    rows: [Arc<dyn Fft<f64>>; 2],
    columns: [Arc<dyn Fft<f64>>; 2],
}

impl Plane {
    fn new(width: usize, height: usize) -> Self {
        let mut planner = FftPlanner::new();
        Self {
            width,
            height,
            rows: [planner.plan_fft_forward(width), planner.plan_fft_inverse(width)],
            columns: [planner.plan_fft_forward(height), planner.plan_fft_inverse(height)],
        }
    }

    fn len(&self) -> usize {
        self.width * self.height
    }

    /// From rows to the spectrum.
    fn forward(&self, mut plane: Vec<Number>) -> Vec<Number> {
        let mut spectrum = vec![Number::default(); self.len()];
        self.rows[0].process(&mut plane);
        turn(&plane, self.width, &mut spectrum);
        self.columns[0].process(&mut spectrum);
        spectrum
    }

    /// From the spectrum, which is used up, to the first `rows` rows, times the number of pixels.
    fn backward(&self, spectrum: &mut [Number], plane: &mut [Number], rows: usize) {
        self.columns[1].process(spectrum);
        turn(spectrum, self.height, plane);
        self.rows[1].process(&mut plane[..rows * self.width]);
    }
}

/// Rows of `length` numbers become columns.
fn turn(from: &[Number], length: usize, to: &mut [Number]) {
    /// 16 x 16 numbers of 16 bytes stay in the first-level cache.
    const BLOCK: usize = 16;
    let count = from.len() / length;
    for top in (0..count).step_by(BLOCK) {
        for left in (0..length).step_by(BLOCK) {
            for y in top..(top + BLOCK).min(count) {
                for x in left..(left + BLOCK).min(length) {
                    to[x * count + y] = from[y * length + x];
                }
            }
        }
    }
}

/// The least number from `n` on whose prime factors are 2, 3 and 5: fast transforms have such lengths.
fn smooth(n: usize) -> usize {
    let rough = |mut number: usize| {
        for factor in [2, 3, 5] {
            while number.is_multiple_of(factor) {
                number /= factor;
            }
        }
        number > 1
    };
    let mut length = n.max(1);
    while rough(length) {
        length += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smooth_lengths() {
        assert_eq!([1, 7, 11, 13, 257, 375, 497].map(smooth), [1, 8, 12, 15, 270, 375, 500]);
    }

    #[test]
    fn turning_twice_changes_nothing() {
        let numbers: Vec<Number> = (0..17 * 35).map(|at| Number::new(f64::from(at), 0.0)).collect();
        let (mut turned, mut again) = (numbers.clone(), numbers.clone());
        turn(&numbers, 17, &mut turned);
        assert_eq!(turned[1], numbers[17]);
        turn(&turned, 35, &mut again);
        assert_eq!(again, numbers);
    }
}
