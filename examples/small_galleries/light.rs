//! Faces lit from the side.

use std::ops::Range;

use eigenfaces::face_matrix::FaceSize;

/// Light that reaches shadows from everywhere, as a share of that which falls straight on the skin.
const AMBIENT: f64 = 0.03;

/// Half the width and half the height of the ellipsoid that a head is taken for, as shares of an aligned face's, and how
/// far below the top of the picture its middle lies.
const HALF_WIDTH: f64 = 0.55;
const HALF_HEIGHT: f64 = 0.65;
const MIDDLE: f64 = 0.55;

/// A lamp at some angle, in degrees, to the left or right of the camera, up to twenty degrees above or below it.
#[derive(Debug, Clone)]
pub struct Light(pub Range<f64>);

impl Light {
    /// Parses `50-77`.
    pub fn from_words(words: &str) -> Option<Self> {
        let (from, to) = words.split_once('-')?;
        Some(Self(from.parse().ok()?..to.parse().ok()?))
    }

    /// An aligned face, lit from the front, as this lamp would light it: Lambert's law on an ellipsoid. `random` gives
    /// numbers from 0 to below 1.
    pub fn fall_on(&self, face: &[u8], size: FaceSize, mut random: impl FnMut() -> f64) -> Vec<u8> {
        let side = if random() < 0.5 { -1.0 } else { 1.0 };
        let angle = self.0.start + random() * (self.0.end - self.0.start);
        let (azimuth, elevation) = (angle.to_radians(), (random() * 40.0 - 20.0).to_radians());
        let lamp = [
            side * libm::sin(azimuth) * libm::cos(elevation),
            libm::sin(elevation),
            libm::cos(azimuth) * libm::cos(elevation),
        ];
        let (width, height) = (f64::from(size.width()), f64::from(size.height()));
        let lit = |(at, &level): (usize, &u8)| {
            let (x, y) = (at % size.width() as usize, at / size.width() as usize);
            let across = (x as f64 + 0.5 - width / 2.0) / (width * HALF_WIDTH);
            let down = (y as f64 + 0.5 - height * MIDDLE) / (height * HALF_HEIGHT);
            // Beyond the outline the skin is taken to face sideways.
            let toward = (1.0 - across * across - down * down).max(0.04).sqrt();
            let straight = across * lamp[0] + down * lamp[1] + toward * lamp[2];
            let share = AMBIENT + (1.0 - AMBIENT) * straight.max(0.0) / toward;
            (f64::from(level) * share).round().min(255.0) as u8
        };
        face.iter().enumerate().map(lit).collect()
    }
}
