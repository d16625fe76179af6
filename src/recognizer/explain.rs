//! Explanations: the evidence that a decision about a face rests on.

use super::Recognizer;
use crate::compare::{Evidence, Side};
use crate::error::Result;
use crate::face_matrix::FaceMatrix;

/// The evidence that a decision about one face rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The face (d pixels).
    pub pixels: Vec<u8>,
    /// Its weights in face space (k).
    pub weights: Vec<f32>,
    /// The nearest person, and the next where there is one.
    pub sides: Vec<Side>,
    /// Where the background model compares two people, the evidence for the first rather than for the second, in each
    /// cell of the face (7 x 8, row by row), in spreads of strangers' scores.
    pub balance: Option<Vec<f64>>,
}

impl Recognizer {
    /// Takes apart why a prepared face (d pixels) is near to the people it is nearest to.
    ///
    /// # Errors
    /// A face of another size.
    pub fn explain(&self, face: &[u8]) -> Result<Explanation> {
        let faces = FaceMatrix::from_pixels(self.preparation().size(), face.to_vec())?;
        let (gallery, coordinates) = (self.gallery(), self.coordinates());
        let Evidence { sides, balance } = self.comparer().explain(gallery, coordinates, &faces)?;
        Ok(Explanation {
            pixels: face.to_vec(),
            weights: self.space().project(&faces).as_slice().to_vec(),
            sides,
            balance,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::matcher::{DistanceSettings, Metric, PixelScale};
    use crate::recognizer::{Settings, drawn};

    #[test]
    fn the_parts_add_up_to_the_distance_that_is_compared() {
        for pixel_scale in [PixelScale::Plain, PixelScale::Deviation] {
            for metric in [Metric::Euclidean, Metric::Whitened] {
                let settings = Settings {
                    distance: DistanceSettings {
                        metric,
                        pixel_scale,
                        ..DistanceSettings::default()
                    },
                    ..Settings::without_background()
                };
                let recognizer = drawn::learned("40x48", 6, 3, settings);
                let probe = recognizer.gallery().faces().face(4).to_vec();
                let noisy: Vec<u8> = probe.iter().map(|&p| p.saturating_add(p % 7)).collect();
                let why = recognizer.explain(&noisy).unwrap();
                assert_eq!(why.sides.len(), 2);
                for side in &why.sides {
                    let split = side.split.as_ref().unwrap();
                    for sum in [&split.of_basis, &split.of_cells] {
                        let sum: f64 = sum.iter().sum();
                        let apart = (sum - side.squared).abs();
                        assert!(apart <= 1e-3 * side.squared.max(1e-3), "{settings:?}");
                    }
                }
                assert_eq!(why.sides[0].person, 1, "{settings:?}");
            }
        }
    }
}
