//! The middle-sized detail of a picture, and how alike two pictures are.

use vectorised::vectorised;

use crate::face_matrix::FaceSize;

/// Detail is what a blur of one fiftieth of the width leaves and a blur of four times that takes away.
const FINE: f64 = 1.0 / 50.0;
const COARSE: f64 = 4.0 * FINE;

/// Pearson's correlation; 0 where either is flat.
pub fn correlation(a: &[f32], b: &[f32]) -> f64 {
    let count = a.len().min(b.len());
    let (a, b) = (&a[..count], &b[..count]);
    vectorised(
        #[inline(always)]
        || {
            let [mean_a, mean_b] = sums(a, b, |a, b| [a, b]).map(|sum| sum / count as f64);
            let [ab, aa, bb] = sums(a, b, |a, b| {
                let (a, b) = (a - mean_a, b - mean_b);
                [a * b, a * a, b * b]
            });
            if aa > 1e-9 && bb > 1e-9 { ab / (aa * bb).sqrt() } else { 0.0 }
        },
    )
}

/// Sums over pairs of numbers, eight at a time side by side: for the registers of any machine, in the same order.
#[inline(always)]
fn sums<const N: usize>(a: &[f32], b: &[f32], of: impl Fn(f64, f64) -> [f64; N]) -> [f64; N] {
    let (eights_a, rest_a) = a.as_chunks::<8>();
    let (eights_b, rest_b) = b.as_chunks::<8>();
    let mut lanes = [[0.0; 8]; N];
    for (a, b) in eights_a.iter().zip(eights_b) {
        for lane in 0..8 {
            let terms = of(f64::from(a[lane]), f64::from(b[lane]));
            for (sums, term) in lanes.iter_mut().zip(terms) {
                sums[lane] += term;
            }
        }
    }
    let mut sums = lanes.map(|lanes| lanes.iter().sum::<f64>());
    for (&a, &b) in rest_a.iter().zip(rest_b) {
        for (sum, term) in sums.iter_mut().zip(of(f64::from(a), f64::from(b))) {
            *sum += term;
        }
    }
    sums
}

/// The middle-sized detail of a picture: the difference of two Gaussian blurs.
pub fn detail(size: FaceSize, picture: &[f32]) -> Vec<f32> {
    let width = f64::from(size.width());
    let fine = blur(size, picture, FINE * width);
    let coarse = blur(size, picture, COARSE * width);
    fine.iter().zip(&coarse).map(|(fine, coarse)| fine - coarse).collect()
}

/// Pixels blurred at a time: their sums stay in registers.
const STRIP: usize = 32;

/// Gaussian blur, rows then columns, the border replicated. `sigma` in pixels.
fn blur(size: FaceSize, picture: &[f32], sigma: f64) -> Vec<f32> {
    let reach = (3.0 * sigma).ceil() as usize;
    let kernel: Vec<f64> =
        (0..=2 * reach).map(|at| libm::exp(-0.5 * ((at as f64 - reach as f64) / sigma).powi(2))).collect();
    let sum: f64 = kernel.iter().sum();
    let kernel: Vec<f32> = kernel.iter().map(|value| (value / sum) as f32).collect();
    let width = size.width() as usize;
    vectorised(
        #[inline(always)]
        || weighted_rows_and_columns(picture, width, &kernel),
    )
}

/// Each pixel as a weighted sum of its neighbours, in rows, then in columns; `kernel` has a factor for each, symmetrically.
#[inline(always)]
fn weighted_rows_and_columns(picture: &[f32], width: usize, kernel: &[f32]) -> Vec<f32> {
    let (height, reach) = (picture.len() / width, kernel.len() / 2);
    let strips = width.next_multiple_of(STRIP);
    // Filled up to whole strips.
    let mut rows = vec![0.0; strips * height];
    let mut line = vec![0.0; strips + 2 * reach];
    for (from, to) in picture.chunks_exact(width).zip(rows.chunks_exact_mut(strips)) {
        line[..reach].fill(from[0]);
        line[reach..reach + width].copy_from_slice(from);
        line[reach + width..].fill(from[width - 1]);
        for (first, to) in (0..width).step_by(STRIP).zip(to.as_chunks_mut().0) {
            *to = weighted(kernel, |offset| &line[first + offset..]);
        }
    }
    let mut both = vec![0.0; picture.len()];
    for (y, to) in both.chunks_exact_mut(width).enumerate() {
        for (strip, to) in to.chunks_mut(STRIP).enumerate() {
            let row = |offset: usize| (y + offset).saturating_sub(reach).min(height - 1);
            let at = |offset| &rows[row(offset) * strips + strip * STRIP..];
            to.copy_from_slice(&weighted(kernel, at)[..to.len()]);
        }
    }
    both
}

/// A strip of sums of what lies at each offset, times the factor of that offset.
#[inline(always)]
fn weighted<'a>(kernel: &[f32], at: impl Fn(usize) -> &'a [f32]) -> [f32; STRIP] {
    let mut sums = [0.0; STRIP];
    for (offset, factor) in kernel.iter().enumerate() {
        for (sum, value) in sums.iter_mut().zip(&at(offset)[..STRIP]) {
            *sum += value * factor;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size() -> FaceSize {
        FaceSize::new(20, 24).unwrap()
    }

    #[test]
    fn blurring_keeps_a_flat_picture_and_the_total() {
        let flat = vec![7.0; 480];
        assert!(blur(size(), &flat, 1.6).iter().all(|value| (value - 7.0).abs() < 1e-4));
        let mut dot = vec![0.0; 480];
        dot[10 * 20 + 10] = 100.0;
        let total: f32 = blur(size(), &dot, 1.2).iter().sum();
        assert!((total - 100.0).abs() < 0.5, "{total}");
    }

    /// Against the definition, for widths that fill strips and others, and blurs wider than the picture.
    #[test]
    fn every_pixel_is_a_weighted_sum_of_its_neighbours() {
        for (width, height, sigma) in [(20, 24, 1.6), (32, 8, 2.0), (70, 9, 5.0), (8, 40, 4.0)] {
            let picture: Vec<f32> = (0..width * height).map(|at| (at * at % 251) as f32).collect();
            let size = FaceSize::new(width as u32, height as u32).unwrap();
            let found = blur(size, &picture, sigma);
            let reach = (3.0 * sigma).ceil() as i64;
            let factor = |off: i64| libm::exp(-0.5 * (off as f64 / sigma).powi(2));
            let sum: f64 = (-reach..=reach).map(factor).sum();
            for (at, &value) in found.iter().enumerate() {
                let (x, y) = ((at % width) as i64, (at / width) as i64);
                let mut expected = 0.0;
                for down in -reach..=reach {
                    for right in -reach..=reach {
                        let row = (y + down).clamp(0, height as i64 - 1) as usize;
                        let column = (x + right).clamp(0, width as i64 - 1) as usize;
                        let pixel = f64::from(picture[row * width + column]);
                        expected += pixel * factor(down) * factor(right);
                    }
                }
                expected /= sum * sum;
                assert!((f64::from(value) - expected).abs() < 1e-3, "{width} {at}");
            }
        }
    }

    #[test]
    fn detail_of_a_flat_picture_is_nothing() {
        assert!(detail(size(), &[99.0; 480]).iter().all(|value| value.abs() < 1e-3));
    }

    #[test]
    fn correlation_ignores_brightness_and_contrast() {
        let a: Vec<f32> = (0..50).map(|i| (i * i % 17) as f32).collect();
        let b: Vec<f32> = a.iter().map(|value| 30.0 + 4.0 * value).collect();
        let c: Vec<f32> = a.iter().map(|value| -value).collect();
        assert!((correlation(&a, &b) - 1.0).abs() < 1e-9);
        assert!((correlation(&a, &c) + 1.0).abs() < 1e-9);
        assert_eq!(correlation(&a, &[5.0; 50]), 0.0);
    }
}
