//! Strangers' scores, measured when a background model is learned: on people left out of it.

use super::adaptation::groups;
use super::calibration::HeldOutScores;
use super::constants::{DEVIATION_PRIOR_PEOPLE, STRANGER_DEVIATION};
use super::{Described, MouthFinder, Training};
use crate::error::Result;

/// Parts of the people, each left out of a model that is learned from the others.
const PARTS: usize = 4;

/// People in a gallery of those left out, and photos of each at most.
const GALLERY: usize = 8;
const PHOTOS: usize = 5;

/// Strangers' standardised scores in galleries of the background's own kind, σ. The fewer people a model knows, the more its ψ fits these
/// alone: others' scores vary less in the unit that it expects, and lie higher.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StrangerScores {
    /// Their standard deviation.
    pub deviation: f64,
    /// Their mean above that which the model expects.
    pub excess: f64,
}

impl StrangerScores {
    /// Of a model that none were measured for.
    pub(super) const ASSUMED: Self = Self { deviation: STRANGER_DEVIATION, excess: 0.0 };
}

impl Training {
    /// Scores of strangers: every part of the people is left out in turn and scored, each as a stranger to some others; what is assumed
    /// without counts for some people.
    ///
    /// # Errors
    /// As [`learn`](Self::learn) without a part of the people.
    pub fn stranger_scores(&self, photos: &Described, mouths: &MouthFinder) -> Result<StrangerScores> {
        let (mut people, mut scores, mut squares, mut excess) = (0.0, 0.0, 0.0, 0.0);
        for part in 0..PARTS {
            let (out, learned): (Vec<usize>, Vec<usize>) =
                (0..photos.persons.len()).partition(|&photo| photos.persons[photo] % PARTS == part);
            let model = self.learn(&photos.select(&learned)?, mouths)?;
            let left_out = photos.select(&out)?;
            let raw = model.coordinates_of_described(&left_out);
            let places: Vec<usize> = (0..out.len()).collect();
            let mut own = groups(&places, &left_out.persons);
            own.iter_mut().for_each(|photos| photos.truncate(PHOTOS));
            for gallery in own.chunks(GALLERY) {
                let found = HeldOutScores::gather(&model, &raw, gallery);
                people += gallery.len() as f64;
                scores += found.strangers.len() as f64;
                squares += found.squares_about_mean();
                excess += found.strangers.iter().sum::<f64>() - found.expected;
            }
        }
        let known = if scores > 0.0 { people } else { 0.0 };
        let share = |sum: f64| sum / scores.max(1.0) * known / (DEVIATION_PRIOR_PEOPLE + known);
        let assumed = STRANGER_DEVIATION.powi(2) * DEVIATION_PRIOR_PEOPLE / (DEVIATION_PRIOR_PEOPLE + known);
        // As a file keeps them.
        let [deviation, excess] =
            [(assumed + share(squares)).sqrt(), share(excess)].map(|value| f64::from(value as f32));
        Ok(StrangerScores { deviation, excess })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::background::{Background, FACE};
    use crate::face_matrix::FaceMatrix;
    use symmetric_eigen::Noise;

    /// Photos of people whose faces differ by smooth patterns, each with noise of its own.
    fn drawn(people: usize) -> Described {
        let mut noise = Noise::seeded(7);
        let (width, mut pixels, mut persons) = (FACE.width() as usize, Vec::new(), Vec::new());
        for person in 0..people {
            let waves: Vec<[f64; 3]> = (0..6).map(|_| [0; 3].map(|_| noise.normal())).collect();
            for _ in 0..4 {
                persons.push(person);
                pixels.extend((0..FACE.pixels()).map(|at| {
                    let (x, y) = ((at % width) as f64 / 9.0, (at / width) as f64 / 9.0);
                    let level: f64 = waves.iter().map(|[a, b, c]| 12.0 * libm::sin(a * x + b * y + 3.0 * c)).sum();
                    (128.0 + level + 8.0 * noise.normal()).clamp(0.0, 255.0) as u8
                }));
            }
        }
        let faces = FaceMatrix::from_pixels(FACE, pixels).unwrap();
        Described::of(&faces, &persons, Background::bundled().unwrap().mouths()).unwrap()
    }

    #[test]
    fn they_are_measured_the_same_each_time() {
        let mouths = Background::bundled().unwrap().mouths();
        let training = Training { components: 20, directions: 10, rounds: 2 };
        let measured = training.stranger_scores(&drawn(24), mouths).unwrap();
        assert!((0.3..3.0).contains(&measured.deviation) && measured.excess.abs() < 3.0, "{measured:?}");
        assert_ne!(measured, StrangerScores::ASSUMED);
        assert_eq!(training.stranger_scores(&drawn(24), mouths), Ok(measured));
        assert!(training.stranger_scores(&drawn(1), mouths).is_err());
    }
}
