//! Learning the background model from described photos of many people.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::likelihood::normalise;
use super::{Background, LENGTH, MouthFinder, Projection, SHEET, TwoCovariance, description};
use crate::error::{BackgroundProblem, Error, Result};
use crate::face_matrix::FaceMatrix;
use exact_pca::{ComponentCount, Pca, projection};
use symmetric_eigen as eigen;

/// Photos of people, described; those of a person stand side by side.
#[derive(Debug, Clone)]
pub struct Described {
    /// Descriptions of each channel, [`LENGTH`] x n, in the order of [`Channel::ALL`](super::Channel::ALL).
    pub channels: [FaceMatrix; 2],
    /// The person of each photo, in increasing order.
    pub persons: Vec<usize>,
}

impl Described {
    /// Describes aligned faces of the size [`FACE`](super::FACE); `persons` are theirs, in increasing order.
    ///
    /// # Errors
    /// Faces of another size.
    pub fn of(faces: &FaceMatrix, persons: &[usize], mouths: &MouthFinder) -> Result<Self> {
        use rayon::prelude::*;
        if faces.size() != super::FACE {
            return Err(Error::Inconsistent);
        }
        let all: Vec<&[u8]> = faces.faces().collect();
        let described = all.par_iter().map(|face| description::describe(face, mouths));
        let (plain, relit): (Vec<_>, Vec<_>) = described.map(|[plain, relit]| (plain, relit)).unzip();
        Ok(Self {
            channels: [
                FaceMatrix::from_pixels(SHEET, plain.concat())?,
                FaceMatrix::from_pixels(SHEET, relit.concat())?,
            ],
            persons: persons.to_vec(),
        })
    }

    /// Some of the photos: increasing positions.
    ///
    /// # Errors
    /// No photo.
    pub fn select(&self, photos: &[usize]) -> Result<Self> {
        let [plain, relit] = &self.channels;
        Ok(Self {
            channels: [plain.select(photos)?, relit.select(photos)?],
            persons: photos.iter().map(|&photo| self.persons[photo]).collect(),
        })
    }
}

/// Settings of training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Training {
    /// Principal components of each channel that people are told apart in.
    pub components: usize,
    /// k, the directions among these that are kept: those in which people differ most.
    pub directions: usize,
    /// Rounds of expectation and maximisation.
    pub rounds: usize,
}

impl Default for Training {
    fn default() -> Self {
        Self { components: 500, directions: 256, rounds: 8 }
    }
}

impl Training {
    /// Learns the background model: PCA of each channel, weights whitened and brought to one length, the
    /// two-covariance model of these, and both maps folded into one basis of bytes. `mouths` are those by which the photos
    /// were described. Nothing is learned of hard light and of damage.
    ///
    /// # Errors
    /// Too few photos, or nobody with two.
    pub fn learn(&self, photos: &Described, mouths: &MouthFinder) -> Result<Background> {
        let [plain, relit] = &photos.channels;
        let counts: Vec<usize> = photos.persons.chunk_by(|a, b| a == b).map(<[usize]>::len).collect();
        if !counts.iter().any(|&photos| photos > 1) {
            return Err(too_few());
        }
        let projections = [self.channel(plain, &counts)?, self.channel(relit, &counts)?];
        Ok(Background {
            mouths: mouths.clone(),
            projections,
            light: Arc::default(),
            damage: Arc::default(),
            strangers: None,
        })
    }

    fn channel(&self, descriptions: &FaceMatrix, counts: &[usize]) -> Result<Projection> {
        // How photos of one person differ is learned from as many directions as there are photos more than people; with half as
        // many components each is seen twice.
        let most = (counts.iter().sum::<usize>() - counts.len()) / 2;
        let pca = Pca { components: ComponentCount::Count(self.components.min(most.max(1))), ..Pca::default() };
        let components = pca.fit(descriptions)?;
        let (k, mean) = (components.count(), components.mean.as_slice());
        let basis: DMatrix<f32> = components.basis.map(|value| value as f32);
        let mut whitened = projection::project(&basis, mean, descriptions.as_slice())
            .expect("descriptions are of the length of their mean")
            .map(f64::from);
        for (mut row, value) in whitened.row_iter_mut().zip(&components.eigenvalues) {
            row /= value.sqrt();
        }
        let unit = vec![0.0; k];
        for mut photo in whitened.column_iter_mut() {
            normalise(photo.as_mut_slice(), &unit);
        }
        let model = TwoCovariance::fit(&whitened, counts, self.rounds);
        let (directions, mut between) = model.and_then(|model| model.diagonalise()).ok_or_else(too_few)?;
        between.truncate(self.directions);
        let mut directions = directions.columns(0, between.len()).into_owned();
        for (mut row, value) in directions.row_iter_mut().zip(&components.eigenvalues) {
            row /= value.sqrt();
        }
        let folded = eigen::product(eigen::view(&basis.map(f64::from)), eigen::view(&directions));
        Ok(Projection::rounded(&folded, mean, between))
    }
}

fn too_few() -> Error {
    Error::Background { problem: BackgroundProblem::TooFewPhotos }
}

impl Projection {
    /// The map with this basis (d x k) about this mean (d), its columns rounded to bytes.
    fn rounded(basis: &DMatrix<f64>, mean: &[f64], between: Vec<f64>) -> Self {
        let k = basis.ncols();
        let mut rounded = Vec::with_capacity(k * LENGTH);
        let (mut scales, mut offset) = (Vec::with_capacity(k), Vec::with_capacity(k));
        for column in basis.column_iter() {
            let largest = column.amax().max(f64::MIN_POSITIVE);
            let scale = (largest / 127.0) as f32;
            let bytes = column.iter().map(|value| (value / f64::from(scale)).round() as i8);
            let from = rounded.len();
            rounded.extend(bytes);
            let sum: f64 = rounded[from..].iter().zip(mean).map(|(&value, mean)| f64::from(value) * mean).sum();
            scales.push(scale);
            offset.push((f64::from(scale) * sum) as f32);
        }
        let between = between.iter().map(|&psi| f64::from(psi as f32)).collect();
        Self { basis: rounded.into(), scale: scales, offset, between }
    }
}
