//! Explanations: the evidence that a decision about a face rests on.

use nalgebra::DMatrix;

use super::verify::squared_distance;
use super::{QueryOptions, Recognizer};
use crate::background::{Background, FACE};
use crate::error::{Error, Result};
use crate::face_matrix::FaceMatrix;
use crate::matcher::{CELLS, Feature, Matcher, Split};

/// Evidence for one person: their enrolled face that is nearest to the probe.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// A position in [`Gallery::people`](crate::gallery::Gallery::people).
    pub person: usize,
    /// The distance to the person by the cluster rule: what was decided by.
    pub distance: f64,
    /// A position in [`Gallery::enrolled`](crate::gallery::Gallery::enrolled).
    pub face: usize,
    /// That face as it was compared: d pixels, the mirror image where this is nearer.
    pub pixels: Vec<u8>,
    /// Whether it is the mirror image.
    pub mirrored: bool,
    /// The squared distance between the probe and that face.
    pub squared: f64,
    /// The distance taken apart, for each feature that is compared; empty where a kernel compares, which has no parts.
    pub splits: Vec<Split>,
}

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
        let Some(matcher) = self.matcher() else {
            return self.explain_by_background(&faces);
        };
        let coordinates = matcher.coordinates(&faces);
        let ranked = matcher.rank(coordinates.as_slice(), 2);
        let persons = self.gallery.persons();
        let sides = ranked
            .iter()
            .map(|found| {
                let theirs = (0..persons.len()).filter(|&at| persons[at] == found.person);
                self.side(
                    matcher,
                    found.person,
                    found.distance(),
                    theirs,
                    &faces,
                    &coordinates,
                )
            })
            .collect::<Result<_>>()?;
        Ok(Explanation {
            pixels: face.to_vec(),
            weights: self.space().project(&faces).as_slice().to_vec(),
            sides,
            balance: None,
        })
    }

    /// The likeliest people, and of each the enrolled face that is most like the probe.
    fn explain_by_background(&self, faces: &FaceMatrix) -> Result<Explanation> {
        let background = self.background().ok_or(Error::Inconsistent)?;
        let coordinates = self.coordinates().ok_or(Error::Inconsistent)?;
        let options = QueryOptions {
            top: 2,
            ..QueryOptions::default()
        };
        let found = self.identifier.identify_faces(faces, options).pop();
        let candidates = found.map_or_else(Vec::new, |found| found.candidates);
        let model = Background::bundled()?;
        let probe = model.coordinates(faces);
        let placed = background.people().coordinates(&probe);
        let persons = self.gallery.persons();
        let mut sides = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let person = self.gallery.find(candidate.person.as_str())?;
            let own: Vec<usize> = (0..persons.len())
                .filter(|&at| persons[at] == person)
                .collect();
            let theirs = coordinates.select_columns(&own);
            let theirs = background.people().coordinates(&theirs);
            let squared = |at: usize| (theirs.column(at) - placed.column(0)).norm_squared();
            let nearest = (0..own.len())
                .map(|at| (squared(at), own[at]))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let (squared, face) = nearest.ok_or(Error::Inconsistent)?;
            sides.push(Side {
                person,
                distance: candidate.distance,
                face,
                pixels: self.gallery.faces().face(face).to_vec(),
                mirrored: false,
                squared,
                splits: Vec::new(),
            });
        }
        let balance = match &sides[..] {
            [first, second] => {
                let pixels = [faces.as_slice(), &first.pixels, &second.pixels].concat();
                let three = FaceMatrix::from_pixels(faces.size(), pixels)?;
                let persons = [first.person, second.person];
                let places = model.balance(background.people(), &three, persons);
                Some(in_cells(&places))
            }
            _ => None,
        };
        Ok(Explanation {
            pixels: faces.as_slice().to_vec(),
            weights: self.space().project(faces).as_slice().to_vec(),
            sides,
            balance,
        })
    }

    fn side(
        &self,
        matcher: &Matcher,
        person: usize,
        distance: f64,
        theirs: impl Iterator<Item = usize>,
        probe: &FaceMatrix,
        coordinates: &DMatrix<f32>,
    ) -> Result<Side> {
        let enrolled = matcher.enrolled();
        let copies = enrolled.ncols() / self.gallery.len().max(1);
        let squared = |column: usize| squared_distance(enrolled, column, coordinates, 0);
        let columns = theirs.flat_map(|face| face * copies..(face + 1) * copies);
        let nearest = columns
            .map(|column| (squared(column), column))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map_or(0, |(_, column)| column);
        // Of a face come the straight copies first, then as many mirrored.
        let (face, mirrored) = (
            nearest / copies,
            copies > 1 && nearest % copies >= copies / 2,
        );
        let size = self.preparation().size();
        let straight = self.gallery.faces().face(face);
        let pixels: Vec<u8> = if mirrored {
            let mut pixels = straight.to_vec();
            Feature::Pixels.mirror(size, &mut pixels);
            pixels
        } else {
            straight.to_vec()
        };
        let compared = FaceMatrix::from_pixels(size, pixels.clone())?;
        let splits = matcher.feature_spaces().iter().filter_map(|part| {
            let (first, second) = (part.feature().of(probe), part.feature().of(&compared));
            part.split(first.as_slice(), second.as_slice(), size)
        });
        Ok(Side {
            person,
            distance,
            face,
            mirrored,
            squared: squared(nearest),
            splits: splits.collect(),
            pixels,
        })
    }
}

/// Values of the places of a face of the size [`FACE`], added up in cells.
fn in_cells(places: &[f64]) -> Vec<f64> {
    let mut cells = vec![0.0; CELLS.0 * CELLS.1];
    let (width, height) = (FACE.width() as usize, FACE.height() as usize);
    for (at, value) in places.iter().enumerate() {
        let (column, row) = (at % width * CELLS.0 / width, at / width * CELLS.1 / height);
        cells[row * CELLS.0 + column] += value;
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ContentHash;
    use crate::gallery::{Gallery, LabeledFace};
    use crate::locate::framing::Framing;
    use crate::matcher::{Comparison, Features};
    use crate::preparation::Origin;
    use crate::preparation::Preparation;
    use crate::recognizer::Settings;

    /// Six people of three photos each: a pattern of their own, with noise.
    fn learned(settings: Settings) -> Recognizer {
        let size = "40x48".parse().unwrap();
        let photos = (0..18_u32).map(|photo| {
            let person = photo / 3;
            let pixels = (0..40 * 48_u32).map(|at| {
                let (x, y) = (at % 40, at / 40);
                let own = f64::from((x * (person + 2) + y * 3) % 29) * 6.0;
                let noise = (at + photo * 7919).wrapping_mul(2_654_435_761) >> 26;
                (own + f64::from(noise)) as u8
            });
            LabeledFace {
                person: format!("p{person}").parse().unwrap(),
                source: format!("{photo}"),
                hash: ContentHash::of(&photo.to_le_bytes()),
                pixels: pixels.collect(),
                origin: Origin::Whole,
            }
        });
        let (gallery, _) = Gallery::assemble(size, photos.collect()).unwrap();
        Recognizer::learn(Preparation::new(size, Framing::AsIs), gallery, settings).unwrap()
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
