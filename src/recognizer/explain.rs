//! Explanations: the evidence that a decision about a face rests on.

use super::Recognizer;
use crate::compare::{Evidence, Side};
use crate::error::Result;
use crate::face_matrix::FaceMatrix;
use crate::matcher::{CELLS, Feature, Split};

impl Side {
    /// The contribution of each cell of the face to it, over all features: 7 x 8, row by row.
    pub fn of_cells(&self) -> Vec<f64> {
        let mut cells = vec![0.0; CELLS.0 * CELLS.1];
        for split in &self.splits {
            for (sum, value) in cells.iter_mut().zip(&split.of_cells) {
                *sum += value;
            }
        }
        cells
    }

    /// The split of the pixels, where they are compared.
    pub fn pixels_split(&self) -> Option<&Split> {
        self.splits
            .iter()
            .find(|split| split.feature == Feature::Pixels)
    }
}

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
    use super::*;
    use crate::matcher::{Comparison, Features};
    use crate::recognizer::{Settings, drawn};

    fn learned(settings: Settings) -> Recognizer {
        drawn::learned("40x48", 6, 3, settings)
    }

    #[test]
    fn the_parts_add_up_to_the_distance_that_is_compared() {
        for features in [Features::Pixels, Features::Texture, Features::Fused] {
            for metric in ["within-cosine", "whitened", "euclidean"] {
                let settings = Settings {
                    comparison: Comparison {
                        features,
                        metric: metric.parse().unwrap(),
                        ..Comparison::default()
                    },
                    ..Settings::without_background()
                };
                let recognizer = learned(settings);
                let probe = recognizer.gallery().faces().face(4).to_vec();
                let noisy: Vec<u8> = probe.iter().map(|&p| p.saturating_add(p % 7)).collect();
                let why = recognizer.explain(&noisy).unwrap();
                assert_eq!(why.sides.len(), 2);
                for side in &why.sides {
                    let compared = FaceMatrix::from_pixels(
                        recognizer.space().size(),
                        [noisy.as_slice(), &side.pixels].concat(),
                    );
                    let at = recognizer
                        .matcher()
                        .unwrap()
                        .coordinates(&compared.unwrap());
                    let distance = f64::from((at.column(0) - at.column(1)).norm_squared());
                    let sum: f64 = side.of_cells().iter().sum();
                    let close = |a: f64| (a - distance).abs() <= 1e-3 * distance.max(1e-3);
                    let splits = side.splits.iter().map(|split| split.squared_distance);
                    assert!(close(splits.sum()) && close(sum), "{features:?} {metric}");
                }
                assert_eq!(why.sides[0].person, 1, "{features:?} {metric}");
            }
        }
    }

    #[test]
    fn a_mirrored_photo_is_nearest_to_the_mirror_image() {
        let recognizer = learned(Settings::without_background());
        let size = recognizer.space().size();
        let face = recognizer.gallery().faces().face(7);
        let mut mirrored = face.to_vec();
        Feature::Pixels.mirror(size, &mut mirrored);
        let why = recognizer.explain(&mirrored).unwrap();
        assert_eq!((why.sides[0].face, why.sides[0].mirrored), (7, true));
        assert_eq!(why.sides[0].pixels, mirrored);
        assert!(
            why.sides[0]
                .splits
                .iter()
                .all(|split| split.squared_distance < 1e-6)
        );
    }
}
