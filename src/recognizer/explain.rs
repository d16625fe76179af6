//! Explanations: the evidence that a decision about a face rests on.

use super::Recognizer;
use crate::compare::Explanation;
use crate::error::Result;
use crate::face_matrix::FaceMatrix;

impl Recognizer {
    /// The evidence that the ranking of a prepared face (d pixels) rests on.
    ///
    /// # Errors
    /// A face of another size.
    pub fn explain(&self, face: &[u8]) -> Result<Explanation> {
        let faces = FaceMatrix::from_pixels(self.preparation().size(), face.to_vec())?;
        self.comparer().explain(self.gallery(), self.coordinates(), &faces)
    }
}

#[cfg(test)]
mod tests {
    use crate::matcher::{DistanceSettings, Metric, PixelScale};
    use crate::recognizer::Settings;
    use crate::recognizer::tests::learned;

    #[test]
    fn the_parts_add_up_to_the_distance_that_is_compared() {
        for pixel_scale in [PixelScale::Plain, PixelScale::Deviation] {
            for metric in [Metric::Euclidean, Metric::Whitened] {
                let settings = Settings {
                    distance: DistanceSettings { metric, pixel_scale, ..DistanceSettings::default() },
                    ..Settings::without_background()
                };
                let recognizer = learned("40x48", 6, 3, settings);
                let probe = recognizer.gallery().faces().face(4).to_vec();
                let noisy: Vec<u8> = probe.iter().map(|&p| p.saturating_add(p % 7)).collect();
                let why = recognizer.explain(&noisy).unwrap();
                assert_eq!(why.nearest.len(), 2);
                for person in &why.nearest {
                    let parts = person.parts.as_ref().unwrap();
                    for sum in [&parts.of_basis, &parts.of_cells] {
                        let sum: f64 = sum.iter().sum();
                        let apart = (sum - person.squared).abs();
                        assert!(apart <= 1e-3 * person.squared.max(1e-3), "{settings:?}");
                    }
                }
                assert_eq!(why.nearest[0].person, 1, "{settings:?}");
            }
        }
    }
}
