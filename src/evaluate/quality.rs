//! Photos that weaken whom they are enrolled for: tiny, cut off, blurred, damaged alike (docs/RECIPES.md, "Quality of photos").

use crate::background::DAMAGED;
use crate::preparation::{Origin, Preparation};
use crate::recognizer::Recognizer;

/// A weakness of an enrolled photo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flaw {
    /// The eyes are so few pixels apart in the photo.
    Tiny(f32),
    /// The share of the aligned face that lies outside the photo.
    CutOff(f32),
    /// The [`sharpness`] of the aligned face.
    Blurred(f32),
    /// Noise, print or other damage leaves so little of the face ([`Background::signal`](crate::background::Background::signal)).
    Damaged(f64),
}

/// Eyes that are closer, in pixels, make a face tiny: enlarged to the size of aligned faces it shows no more.
pub const TINY: f32 = 15.0;

/// A larger share of the face outside the photo cuts it off.
pub const CUT_OFF: f32 = 0.15;

/// Less sharpness makes a face blurred.
pub const BLURRED: f32 = 0.002;

/// The first flaw of each enrolled face (position) that has one; photos taken whole are only blurred or damaged.
pub fn flaws(recognizer: &Recognizer) -> Vec<(usize, Flaw)> {
    let (gallery, preparation) = (recognizer.gallery(), recognizer.preparation());
    let width = preparation.size().width() as usize;
    let found = gallery.enrolled().iter().enumerate().filter_map(|(at, face)| {
        let placed = placement(&face.origin, preparation);
        let blurred = || {
            let sharpness = sharpness(gallery.faces().face(at), width);
            (sharpness < BLURRED).then_some(Flaw::Blurred(sharpness))
        };
        let damaged = || {
            let signal = recognizer.comparer().signal(recognizer.coordinates()?.column(at).as_slice())?;
            (signal < DAMAGED).then_some(Flaw::Damaged(signal))
        };
        Some((at, placed.or_else(blurred).or_else(damaged)?))
    });
    found.collect()
}

fn placement(origin: &Origin, preparation: &Preparation) -> Option<Flaw> {
    let (photo, eyes) = origin.found()?;
    let length = |side: u32| side as f32 / 10_000.0;
    let eyes = eyes.map(|[x, y]| [f32::from(x) * length(photo.0), f32::from(y) * length(photo.1)]);
    let apart = libm::hypotf(eyes[1][0] - eyes[0][0], eyes[1][1] - eyes[0][1]);
    if apart < TINY {
        return Some(Flaw::Tiny(apart));
    }
    let outside = preparation.share_outside(photo, eyes);
    (outside > CUT_OFF).then_some(Flaw::CutOff(outside))
}

/// The variance of a face's Laplacian over that of its gray levels: how much of it is fine detail, whatever the contrast
/// (J. L. Pech-Pacheco et al., Diatom autofocusing in brightfield microscopy, ICPR 2000). 0 for a face of one gray level.
pub fn sharpness(face: &[u8], width: usize) -> f32 {
    let level = |at: usize| f64::from(face[at]);
    let (mut sum, mut squares, mut edges, mut count) = (0.0, 0.0, 0.0, 0.0);
    for row in 1..(face.len() / width.max(1)).saturating_sub(1) {
        for at in row * width + 1..(row + 1) * width - 1 {
            let around = level(at - 1) + level(at + 1) + level(at - width) + level(at + width);
            edges += (around - 4.0 * level(at)).powi(2);
            sum += level(at);
            squares += level(at).powi(2);
            count += 1.0;
        }
    }
    let variance = squares - sum * sum / f64::max(count, 1.0);
    if variance > 0.0 { (edges / (16.0 * variance)) as f32 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blurring_takes_sharpness_and_contrast_does_not() {
        let width = 64;
        // A slope, which blurring leaves, under noise, which it takes.
        let sharp: Vec<u8> =
            (0..64 * 74_u32).map(|at| (at % 64 + 60 + (at.wrapping_mul(2_654_435_761) >> 26)) as u8).collect();
        let image = image::GrayImage::from_raw(64, 74, sharp.clone()).unwrap();
        let mut last = sharpness(&sharp, width);
        for sigma in [0.7, 1.5] {
            let blurred = image::imageops::blur(&image, sigma).into_raw();
            let now = sharpness(&blurred, width);
            assert!(now < 0.8 * last, "{now} {last}");
            last = now;
        }
        let faint: Vec<u8> = sharp.iter().map(|level| level / 2 + 40).collect();
        let ratio = sharpness(&faint, width) / sharpness(&sharp, width);
        assert!((0.9..1.1).contains(&ratio), "{ratio}");
        assert_eq!(sharpness(&[7; 64 * 74], width), 0.0);
        assert_eq!(sharpness(&[], 0), 0.0);
    }
}
