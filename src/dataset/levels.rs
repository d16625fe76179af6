//! Black and white levels of pictures whose samples are not 8-bit levels.
//!
//! Cameras and instruments put 10 or 12 bits into 16, or measured values into floats: by the type's range nearly black.

use image::DynamicImage;

/// White of numbers: the first that none exceeds; 13 bits or more count as 16, so that a photo keeps its brightness.
const WHITES: [f64; 7] = [1.0, 255.0, 511.0, 1023.0, 2047.0, 4095.0, 65535.0];

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    low: f64,
    high: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Levels {
    black: f64,
    white: f64,
}

/// Whether numbers have parts: whole ones up to 1 are no shares of white.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    Whole,
    Floating,
}

impl Range {
    pub(super) const NONE: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };

    /// Adds a number; one that is not finite is ignored.
    pub(super) fn see(&mut self, number: f64) {
        if number.is_finite() {
            self.low = self.low.min(number);
            self.high = self.high.max(number);
        }
    }

    pub(super) fn levels(self, numbers: Numbers) -> Levels {
        let first = usize::from(numbers == Numbers::Whole);
        match WHITES[first..].iter().find(|&&white| self.high <= white) {
            Some(&white) if self.low >= 0.0 => Levels { black: 0.0, white },
            _ => Levels { black: self.low, white: self.high },
        }
    }
}

impl Levels {
    /// The number as a level of 16 bits. What is no number is black.
    pub(super) fn level(self, number: f64) -> u16 {
        let range = self.white - self.black;
        let share = (number - self.black) / range;
        (share * 65535.0).round() as u16
    }
}

/// Brings 16-bit samples of which none needs 13 bits to the range of 16. Pictures with transparent pixels stay.
pub(super) fn stretch(image: &mut DynamicImage) {
    let samples = match image {
        DynamicImage::ImageLuma16(gray) => gray.as_mut(),
        DynamicImage::ImageRgb16(colors) => colors.as_mut(),
        _ => return,
    };
    let mut range = Range::NONE;
    samples.iter().for_each(|&sample| range.see(f64::from(sample)));
    let levels = range.levels(Numbers::Whole);
    for sample in samples {
        *sample = levels.level(f64::from(*sample));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(numbers: Numbers, seen: &[f64]) -> Vec<u16> {
        let mut range = Range::NONE;
        seen.iter().for_each(|&number| range.see(number));
        let levels = range.levels(numbers);
        seen.iter().map(|&number| levels.level(number)).collect()
    }

    #[test]
    fn numbers_mean_what_their_range_says() {
        use Numbers::{Floating, Whole};
        for v in [0u16, 1, 4096, 30000, 65535] {
            assert_eq!(levels(Whole, &[f64::from(v), 4096.0])[0], v, "16 bits stay");
        }
        assert_eq!(levels(Whole, &[0.0, 1023.0]), [0, 65535]);
        assert_eq!(levels(Whole, &[0.0, 1.0]), [0, 257], "no share of white");
        assert_eq!(levels(Floating, &[0.0, 0.5, 1.0]), [0, 32768, 65535]);
        assert_eq!(levels(Floating, &[0.0, 51.0, 255.0]), [0, 13107, 65535]);
        assert_eq!(levels(Floating, &[-2.0, 0.0, 2.0]), [0, 32768, 65535]);
        assert_eq!(levels(Whole, &[0.0, 1e6]), [0, 65535]);
        let odd = [f64::NAN, f64::INFINITY, 0.0, 1.0];
        assert_eq!(levels(Floating, &odd), [0, 65535, 0, 65535]);
        assert_eq!(levels(Floating, &[-7.0]), [0], "all the same");
        assert_eq!(levels(Floating, &[f64::NAN]), [0], "none at all");
    }
}
