//! The standard deviation of strangers' scores, measured when a background model is learned: on people left out of it.

use super::calibration::HeldOutScores;
use super::constants::{DEVIATION_PRIOR_PEOPLE, STRANGER_DEVIATION};
use super::{Described, MouthFinder, Training};
use crate::error::Result;

/// Parts of the people, each left out of a model that is learned from the others.
const PARTS: usize = 4;

/// People in a gallery of those left out, and photos of each at most.
const GALLERY: usize = 8;
const PHOTOS: usize = 5;

impl Training {
    /// The standard deviation of strangers' standardised scores in galleries of the background's own kind, σ: the fewer people a model
    /// knows, the more its ψ fits these alone, and the less the scores of others vary in the unit that it expects. Every part of the
    /// people is left out in turn and scored, each as a stranger to some others; [`STRANGER_DEVIATION`] counts for some people.
    ///
    /// # Errors
    /// As [`learn`](Self::learn) without a part of the people.
    pub fn stranger_deviation(&self, photos: &Described, mouths: &MouthFinder) -> Result<f64> {
        let (mut people, mut scores, mut squares) = (0.0, 0.0, 0.0);
        for part in 0..PARTS {
            let (out, learned): (Vec<usize>, Vec<usize>) =
                (0..photos.persons.len()).partition(|&photo| photos.persons[photo] % PARTS == part);
            let model = self.learn(&photos.select(&learned)?, mouths)?;
            let raw = model.coordinates_of_described(&photos.select(&out)?);
            let places: Vec<usize> = (0..out.len()).collect();
            let of_one = places.chunk_by(|&one, &other| photos.persons[out[one]] == photos.persons[out[other]]);
            let own: Vec<Vec<usize>> = of_one.map(|own| own.iter().copied().take(PHOTOS).collect()).collect();
            for gallery in own.chunks(GALLERY) {
                let (count, sum) = HeldOutScores::gather(&model, &raw, gallery).squares_about_mean();
                people += gallery.len() as f64;
                scores += count;
                squares += sum;
            }
        }
        let prior = STRANGER_DEVIATION.powi(2);
        let measured = if scores > 0.0 { squares / scores } else { prior };
        Ok(((DEVIATION_PRIOR_PEOPLE * prior + people * measured) / (DEVIATION_PRIOR_PEOPLE + people)).sqrt())
    }
}
