//! A box of a photo brought to another size. Total, as [`align`](super::align) is: any size, any numbers.

use image::GrayImage;

use vectorised::vectorised_mut;

/// Crops a box `[x, y, width, height]` (its edges, in pixels) without turning it, stretched to the size wanted.
pub fn crop(photo: &GrayImage, [x, y, w, h]: [f32; 4], (width, height): (u32, u32)) -> GrayImage {
    if photo.width() == 0 || photo.height() == 0 {
        return GrayImage::new(width, height);
    }
    let (step_x, step_y) = (w / width as f32, h / height as f32);
    let samples = samples(step_x.abs().max(step_y.abs()));
    let columns = Columns::new(&spans(x, step_x, width, samples, photo.width()));
    let rows = spans(y, step_y, height, samples, photo.height());
    let mut pixels = Vec::with_capacity(width as usize * height as usize);
    let mut mean = vec![0.0f32; columns.seen];
    for row in &rows {
        vectorised_mut(
            #[inline(always)]
            || mean_row(photo, columns.first, row, &mut mean),
        );
        columns.means(&mean, &mut pixels);
    }
    GrayImage::from_raw(width, height, pixels).unwrap_or_default()
}

/// The source pixels that a column or row of a crop is the weighted mean of.
struct Span {
    first: usize,
    weights: Vec<f32>,
}

/// The columns of a crop, each of as many source pixels: what a column has less of counts for nothing.
struct Columns {
    /// The first source pixel that is looked at, and how many are from there on.
    first: usize,
    seen: usize,
    /// The first source pixel of each column, from [`first`](Self::first) on.
    starts: Vec<usize>,
    /// Number of weights of each column; one column's after the other's.
    taps: usize,
    weights: Vec<f32>,
}

impl Columns {
    fn new(spans: &[Span]) -> Self {
        let taps = spans.iter().map(|span| span.weights.len()).max().unwrap_or(0).max(2);
        let first = spans.iter().map(|span| span.first).min().unwrap_or(0);
        let starts: Vec<usize> = spans.iter().map(|span| span.first - first).collect();
        let mut weights = vec![0.0; taps * spans.len()];
        for (weights, span) in weights.chunks_exact_mut(taps).zip(spans) {
            weights[..span.weights.len()].copy_from_slice(&span.weights);
        }
        Self { first, seen: starts.iter().max().map_or(0, |last| last + taps), starts, taps, weights }
    }

    /// The pixels of a row, from the source pixels of a row.
    fn means(&self, source: &[f32], pixels: &mut Vec<u8>) {
        match self.taps {
            2 => self.means_of::<2>(source, pixels),
            3 => self.means_of::<3>(source, pixels),
            4 => self.means_of::<4>(source, pixels),
            taps => {
                let columns = self.starts.iter().zip(self.weights.chunks_exact(taps));
                pixels.extend(columns.map(|(&from, weights)| mean(&source[from..], weights)));
            }
        }
    }

    /// As [`means`](Self::means), where so few weights need no loop.
    fn means_of<const TAPS: usize>(&self, source: &[f32], pixels: &mut Vec<u8>) {
        let columns = self.starts.iter().zip(self.weights.as_chunks::<TAPS>().0);
        pixels.extend(columns.map(|(&from, weights)| mean(&source[from..][..TAPS], weights)));
    }
}

/// A weighted mean, rounded.
#[inline(always)]
fn mean(values: &[f32], weights: &[f32]) -> u8 {
    let products = values.iter().zip(weights).map(|(value, weight)| value * weight);
    (products.sum::<f32>() + 0.5) as u8
}

/// Each of `count` columns (or rows) is the mean of `samples` bilinear samples of the photo's `length` pixels.
fn spans(from: f32, step: f32, count: u32, samples: u32, length: u32) -> Vec<Span> {
    let last = length - 1;
    let share = 1.0 / samples as f32;
    let mut taps = Vec::new();
    (0..count)
        .map(|at| {
            taps.clear();
            for sample in 0..samples {
                let offset = (sample as f32 + 0.5) * share;
                let place = (from + (at as f32 + offset) * step - 0.5).clamp(0.0, last as f32);
                // Truncation is floor here, and NaN becomes 0.
                let before = place as u32;
                let beyond = if place.is_nan() { 0.0 } else { place - before as f32 };
                taps.push((before as usize, (1.0 - beyond) * share));
                taps.push(((before + 1).min(last) as usize, beyond * share));
            }
            let first = taps.iter().map(|tap| tap.0).min().unwrap_or(0);
            let end = taps.iter().map(|tap| tap.0 + 1).max().unwrap_or(0);
            let mut weights = vec![0.0; end - first];
            for (place, weight) in &taps {
                weights[place - first] += weight;
            }
            Span { first, weights }
        })
        .collect()
}

/// The weighted mean of some rows of the photo, from column `first` on.
#[inline(always)]
fn mean_row(photo: &GrayImage, first: usize, rows: &Span, mean: &mut [f32]) {
    let pixels: &[u8] = photo;
    mean.fill(0.0);
    let lines = pixels.chunks_exact(photo.width() as usize).skip(rows.first);
    for (line, weight) in lines.zip(&rows.weights) {
        for (mean, &pixel) in mean.iter_mut().zip(&line[first..]) {
            *mean += weight * f32::from(pixel);
        }
    }
}

/// More samples than this along one side of an output pixel are never needed in practice; it bounds the work.
const MAX_SAMPLES: u32 = 64;

/// Number of samples along each side of an output pixel, for a step of so many photo pixels.
///
/// A little more than one pixel apart is still sharp enough for a single sample. (NaN becomes 0.)
pub fn samples(step: f32) -> u32 {
    ((step - 0.25).ceil() as u32).clamp(1, MAX_SAMPLES)
}
