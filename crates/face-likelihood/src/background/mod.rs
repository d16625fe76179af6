//! The background model: what is known of how faces differ before anybody is enrolled.
//!
//! A gallery of five people cannot teach what differs between people and what differs between photos of one person;
//! thousands of other people can. From them `examples/train_background` learns, once, for two descriptions of a face
//! ([`Channel`]) a basis of coordinates in which the variance between photos of one person is 1 and the variance
//! between people is ψ: the two-covariance model (probabilistic linear discriminant analysis, Prince & Elder 2007;
//! joint Bayesian, Chen et al. 2012). A gallery then moves this prior: its mean first, then its covariance
//! ([`Adaptation`]). A face is compared with a person by a likelihood ratio ([`People::with_scores`]).
//!
//! The asset holds sums over thousands of people and nobody's coordinates. Formulas: docs/THEORY.md.

mod adaptation;
mod asset;
mod calibration;
mod constants;
mod damage;
mod description;
mod directions;
mod face_classifier;
mod light;
#[doc(hidden)]
pub mod likelihood;
mod moments;
#[doc(hidden)]
pub mod mouth;
mod people;
mod strangers;
mod training;
mod two_covariance;
#[doc(hidden)]
pub mod view;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use nalgebra::DMatrix;
use rayon::prelude::*;
use vectorised::vectorised_mut;

use crate::error::{Error, Result};
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::resize;

#[doc(hidden)]
pub use adaptation::Projected;
pub use adaptation::{Adaptation, Rotated};
pub use calibration::{Alignment, Calibration, Judgement, MOST_LOG_ODDS};
#[doc(hidden)]
pub use damage::{DamageVariation, DamagedPhotos};
pub use description::{Channel, FACE};
#[doc(hidden)]
pub use description::{LENGTH, SHEET};
#[doc(hidden)]
pub use face_classifier::FaceClassifier;
#[doc(hidden)]
pub use light::LightVariation;
pub use moments::{ONE_MOMENT, frames, moments};
#[doc(hidden)]
pub use mouth::{MarkedMouth, MouthFinder};
#[doc(hidden)]
pub use people::{ExtendedProbe, inner_product, inner_products};
pub use people::{People, PeopleParts};
pub use strangers::StrangerScores;
pub use training::{Described, Training};
#[doc(hidden)]
pub use two_covariance::TwoCovariance;

const BUNDLED: &[u8] = include_bytes!("../../models/background.bin");

/// The [signal](Background::signal) of damaged photos is less: that of 0.6, 0 and 1.0 % of the photos of LFW, AT&T and CFP, of 82 %
/// of LFW's with noise of 8 gray levels and 95 % with 14.
pub const DAMAGED: f64 = 0.6;

/// The background model: where mouths are, for each [`Channel`] the map from descriptions to coordinates, and what hard
/// light and damage do to these.
#[derive(Debug, Clone, PartialEq)]
pub struct Background {
    mouths: MouthFinder,
    /// In the order of [`Channel::ALL`].
    projections: [Projection; 2],
    light: Arc<LightVariation>,
    damage: Arc<DamageVariation>,
    /// `None` where they were not measured.
    strangers: Option<StrangerScores>,
}

/// The map from one description (d bytes) to k coordinates: `scale_i (Σ_j basis_ij x_j) - offset_i`.
///
/// Basis and description are bytes, so the sums are exact: the same coordinates on every machine.
#[derive(Debug, Clone, PartialEq)]
struct Projection {
    /// k x d, row by row.
    basis: Cow<'static, [i8]>,
    /// Of each row.
    scale: Vec<f32>,
    /// The coordinates of the mean description.
    offset: Vec<f32>,
    /// ψ, the variance between people of each coordinate, where that between photos of one person is 1; decreasing.
    between: Vec<f64>,
}

impl Background {
    /// The model that comes with the program, read once.
    ///
    /// # Errors
    /// When the program itself is damaged.
    pub fn bundled() -> Result<&'static Self> {
        static BUNDLED_MODEL: OnceLock<Option<Background>> = OnceLock::new();
        BUNDLED_MODEL.get_or_init(|| Background::from_bundled_bytes().ok()).as_ref().ok_or(Error::BackgroundDamaged)
    }

    /// Finds the mouths of the faces that are described.
    pub fn mouths(&self) -> &MouthFinder {
        &self.mouths
    }

    /// The same model with this knowledge of hard light.
    #[doc(hidden)]
    pub fn with_light(mut self, light: LightVariation) -> Self {
        self.light = Arc::new(light);
        self
    }

    /// The same model with this knowledge of damage.
    #[doc(hidden)]
    pub fn with_damage(mut self, damage: DamageVariation) -> Self {
        self.damage = Arc::new(damage);
        self
    }

    /// The same model with these scores of strangers ([`Training::stranger_scores`]).
    #[doc(hidden)]
    pub fn with_strangers(mut self, strangers: StrangerScores) -> Self {
        self.strangers = Some(strangers);
        self
    }

    /// k, the coordinates of each channel.
    pub fn components(&self) -> usize {
        self.projections[0].between.len()
    }

    /// ψ, the variance between people of a channel's k coordinates, decreasing, in units of that between photos of one.
    pub fn between_people(&self, channel: Channel) -> &[f64] {
        &self.projections[channel as usize].between
    }

    /// The share of each place of a face (size [`FACE`]) in a coordinate of a channel, of any scale; `None` beyond the last.
    pub fn strength_by_place(&self, channel: Channel, component: usize) -> Option<Vec<f32>> {
        let projection = &self.projections[channel as usize];
        let row = projection.basis.chunks_exact(LENGTH).nth(component)?;
        let direction: Vec<f32> = row.iter().map(|&value| f32::from(value)).collect();
        Some(description::strength_by_place(&direction))
    }

    /// Evidence in a face for one person rather than for another: the difference of their standardised scores, as far
    /// as it is due to what the face has and the middle between an enrolled face of each has not, place by place of a
    /// face of the size [`FACE`]. `faces` are the face, and those of the two people (d x 3).
    pub fn evidence_map(&self, people: &People, faces: &FaceMatrix, persons: [usize; 2]) -> Vec<f64> {
        let described: Vec<Vec<u8>> = faces.faces().map(|face| at_size(face, faces.size())).collect();
        let raw = self.coordinates(faces);
        let descriptions = [0, 1, 2].map(|at| description::describe(&described[at], &self.mouths));
        let mut places = vec![0.0; FACE.pixels()];
        for (channel, projection) in Channel::ALL.into_iter().zip(&self.projections) {
            let directions = people.evidence_slope(channel as usize, &raw, persons);
            let mut weights = vec![0.0; LENGTH];
            for ((row, scale), along) in projection.basis.chunks_exact(LENGTH).zip(&projection.scale).zip(directions) {
                let along = along * f64::from(*scale);
                for (weight, &value) in weights.iter_mut().zip(row) {
                    *weight += along * f64::from(value);
                }
            }
            let [face, first, second] = [0, 1, 2].map(|at| &descriptions[at][channel as usize]);
            for (at, weight) in weights.iter_mut().enumerate() {
                let middle = (f64::from(first[at]) + f64::from(second[at])) / 2.0;
                *weight *= f64::from(face[at]) - middle;
            }
            let of_channel = description::sum_by_place(channel, &weights, &described[0], &self.mouths);
            for (sum, value) in places.iter_mut().zip(of_channel) {
                *sum += value;
            }
        }
        places
    }

    /// Coordinates of faces, 2k x n: below each other those of the two channels, less what is expected of damage
    /// ([`DamageVariation`]). Faces of another size than [`FACE`] are brought to it first.
    pub fn coordinates(&self, faces: &FaceMatrix) -> DMatrix<f32> {
        let all: Vec<&[u8]> = faces.faces().collect();
        self.projected_in_blocks(&all, |face| description::describe(&at_size(face, faces.size()), &self.mouths))
    }

    /// How much a face still shows once damage is taken off: the mean over its coordinates (2k) of x² / (1 + ψ), about 1 in
    /// photos as they are. What is known by less than [`DAMAGED`] of it is hidden by noise, print or the like.
    pub fn signal(&self, coordinates: &[f32]) -> f64 {
        let between = Channel::ALL.iter().flat_map(|&it| self.between_people(it));
        let own = coordinates.iter().map(|&x| f64::from(x));
        likelihood::squared_length(own, between) / coordinates.len().max(1) as f64
    }

    /// Coordinates of photos that are described already, 2k x n.
    pub fn coordinates_of_described(&self, photos: &Described) -> DMatrix<f32> {
        let all: Vec<usize> = (0..photos.persons.len()).collect();
        self.projected_in_blocks(&all, |&photo| photos.channels.each_ref().map(|bytes| bytes.face(photo)))
    }

    /// Coordinates (2k x n) of what `describe` makes of each.
    fn projected_in_blocks<T: Sync, D: AsRef<[u8]>>(
        &self,
        all: &[T],
        describe: impl Fn(&T) -> [D; 2] + Sync,
    ) -> DMatrix<f32> {
        /// Faces projected together at most: each row of the basis is read once for all of them.
        const TOGETHER: usize = 8;
        let rows = 2 * self.components();
        let block = all.len().div_ceil(rayon::current_num_threads()).clamp(1, TOGETHER);
        let mut coordinates = DMatrix::zeros(rows, all.len());
        coordinates.as_mut_slice().par_chunks_mut(rows * block).zip(all.par_chunks(block)).for_each(
            |(coordinates, some)| {
                let described: Vec<[D; 2]> = some.iter().map(&describe).collect();
                for (channel, projection) in self.projections.iter().enumerate() {
                    let own: Vec<&[u8]> = described.iter().map(|both| both[channel].as_ref()).collect();
                    projection.project(&own, coordinates, channel * rows / 2);
                }
                for own in coordinates.chunks_exact_mut(rows) {
                    self.damage.take_off(self, own);
                }
            },
        );
        coordinates
    }
}

impl Projection {
    /// The basis as numbers, d x k.
    fn directions(&self) -> DMatrix<f64> {
        let rows = self.basis.chunks_exact(LENGTH).zip(&self.scale);
        let numbers = rows.flat_map(|(row, &scale)| row.iter().map(move |&value| f64::from(value) * f64::from(scale)));
        DMatrix::from_iterator(LENGTH, self.between.len(), numbers)
    }

    /// Writes the k coordinates of some descriptions (d bytes each) into their columns (2k each), from row `first` on.
    fn project(&self, descriptions: &[&[u8]], coordinates: &mut [f32], first: usize) {
        vectorised_mut(
            #[inline(always)]
            || {
                let k = self.scale.len();
                let wide: Vec<_> = descriptions.iter().map(|it| widened(it)).collect();
                let (fours, rest) = wide.as_chunks::<4>();
                for (at, row) in self.basis.chunks_exact(LENGTH).enumerate() {
                    let row = widened(row);
                    let mut write = |face: usize, product: i32| {
                        coordinates[face * 2 * k + first + at] = self.scale[at] * product as f32 - self.offset[at];
                    };
                    for (block, four) in fours.iter().enumerate() {
                        for (face, product) in products(&row, four.each_ref()).into_iter().enumerate() {
                            write(4 * block + face, product);
                        }
                    }
                    for (face, one) in rest.iter().enumerate() {
                        write(4 * fours.len() + face, products(&row, [one])[0]);
                    }
                }
            },
        );
    }
}

/// Bytes in 16 bits: products of neighbours are added in one instruction then.
#[inline(always)]
fn widened<T: Copy>(bytes: &[T]) -> [i16; LENGTH]
where
    i16: From<T>,
{
    let mut wide = [0; LENGTH];
    for (wide, &byte) in wide.iter_mut().zip(bytes) {
        *wide = i16::from(byte);
    }
    wide
}

/// Σ a b for each b of [`widened`] bytes, exact: with at most 2^15 terms it stays below 2^31.
#[inline(always)]
fn products<const N: usize>(a: &[i16; LENGTH], b: [&[i16; LENGTH]; N]) -> [i32; N] {
    let mut sums = [0; N];
    for at in 0..LENGTH {
        for n in 0..N {
            sums[n] += i32::from(a[at]) * i32::from(b[n][at]);
        }
    }
    sums
}

fn at_size(face: &[u8], size: FaceSize) -> Vec<u8> {
    if size == FACE {
        return face.to_vec();
    }
    let picture = image::GrayImage::from_raw(size.width(), size.height(), face.to_vec());
    let fitted = picture.and_then(|picture| resize::fit(&picture, FACE));
    // A face has at least eight pixels a side, which can always be fitted.
    fitted.map_or_else(|| vec![0; FACE.pixels()], |(fitted, _)| fitted.into_raw())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gray levels of the size [`FACE`] in which no two sides are alike.
    pub(super) fn drawn_face() -> Vec<u8> {
        (0..FACE.pixels()).map(|at| (at * at / 31 % 251) as u8).collect()
    }

    /// The face of the size [`FACE`] that a mirror shows.
    pub(super) fn mirrored(face: &[u8]) -> Vec<u8> {
        face.chunks_exact(FACE.width() as usize).flat_map(|row| row.iter().rev().copied()).collect()
    }
}
