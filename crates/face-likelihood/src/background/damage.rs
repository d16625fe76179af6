//! What damage of a photo - noise, grain, print screens, scan lines, compression, blur - does to coordinates, and its removal.
//!
//! Two photos damaged alike have the damage in common, and would look like one person. So coordinates are freed of it as soon as
//! a face is described. A photo is clean, or damaged by one of some kinds, each a Gaussian of low rank ([`Directions`]) learned
//! from photos and damaged copies of them (`examples/train_background`): what differs between the two is damage, and says nothing
//! of people. Each kind's expected part is taken off, times the kind's posterior probability; as with
//! [light](super::light), but before anything is known of a gallery. Where no kind is likely, coordinates keep every bit.

use nalgebra::{DMatrix, DVector};

use super::constants::{CLEAN_LOG_ODDS, NEGLIGIBLE};
use super::directions::{Directions, whitened};
use super::likelihood::length_factor;
use super::{Background, Channel};
use crate::error::{BackgroundProblem, Error, Result};

/// r, the directions of each channel and kind. 16 to 40 do alike.
const DIRECTIONS: usize = 24;

/// Kinds that a family of damage is divided into, by how far the damage goes.
const STRENGTHS: usize = 2;

/// The kinds of damage that are known; none in a model that learned of none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DamageVariation {
    /// For each kind, the directions of each channel, in the order of [`Channel::ALL`].
    pub(super) kinds: Vec<[Directions; 2]>,
}

/// Photos and copies of them with one family of damage: coordinates (2k x n each), column for column.
pub struct DamagedPhotos {
    /// The photos.
    pub clean: DMatrix<f32>,
    /// Their damaged copies.
    pub damaged: DMatrix<f32>,
}

impl DamageVariation {
    /// Learns [`STRENGTHS`] kinds from each family of damage, and as many from all of them together: a kind for what is like none.
    /// Errors: A family of too few photos.
    pub fn learn(background: &Background, families: &[DamagedPhotos]) -> Result<Self> {
        let mut kinds = Vec::new();
        let mut all = Vec::new();
        for photos in families {
            let differences = photos.differences(background);
            all.extend(differences.iter().cloned());
            kinds.extend(kinds_of(differences)?);
        }
        kinds.extend(kinds_of(all)?);
        Ok(Self { kinds })
    }

    /// Takes off the coordinates of a photo (2k) what is expected of damage.
    pub(super) fn take_off(&self, background: &Background, coordinates: &mut [f32]) {
        if self.kinds.is_empty() {
            return;
        }
        let k = background.components();
        let mut expected = vec![0.0; 2 * k];
        for (probability, found) in self.posterior(background, coordinates) {
            for (channel, expected) in expected.chunks_exact_mut(k).enumerate() {
                let between = background.between_people(Channel::ALL[channel]);
                let of_kind = found.kind[channel].expected(&found.along[channel], between);
                for (sum, value) in expected.iter_mut().zip(of_kind) {
                    *sum += probability * value;
                }
            }
        }
        for (value, expected) in coordinates.iter_mut().zip(expected) {
            *value -= expected as f32;
        }
    }

    /// The kinds that are likely in a photo, each with its probability.
    fn posterior(&self, background: &Background, coordinates: &[f32]) -> Vec<(f64, KindProjection<'_>)> {
        let k = background.components();
        let channels = [0, 1].map(|channel| {
            let between = background.between_people(Channel::ALL[channel]);
            let own = coordinates[channel * k..][..k].iter().map(|&x| f64::from(x));
            // Kinds are judged at the length that the model expects.
            (whitened(own.clone(), between), length_factor(own, between))
        });
        let of_kind = |kind| {
            let kind: &[Directions; 2] = kind;
            let mut log_odds = -CLEAN_LOG_ODDS;
            let along = [0, 1].map(|channel| {
                let (whitened, factor) = &channels[channel];
                let along = kind[channel].along(whitened);
                let scaled: Vec<f64> = along.iter().map(|x| factor * x).collect();
                log_odds += kind[channel].log_ratio(&scaled);
                along
            });
            (log_odds, KindProjection { kind, along })
        };
        let found: Vec<(f64, KindProjection<'_>)> = self.kinds.iter().map(of_kind).collect();
        // A clean photo has the odds of 1, relative to the greatest.
        let greatest = found.iter().fold(0.0_f64, |most, (log_odds, _)| most.max(*log_odds));
        let odds = |log_odds: f64| libm::exp(log_odds - greatest);
        let all: f64 = odds(0.0) + found.iter().map(|(own, _)| odds(*own)).sum::<f64>();
        let found = found.into_iter().map(|(log_odds, found)| (odds(log_odds) / all, found));
        found.filter(|(probability, _)| *probability >= NEGLIGIBLE).collect()
    }
}

/// The kinds of a family, the mildest first, from how its copies differ from their photos.
fn kinds_of(mut differences: Vec<Difference>) -> Result<Vec<[Directions; 2]>> {
    let too_few = || Error::Background { problem: BackgroundProblem::TooFewPhotos };
    let strength = |of: &Difference| of[0].norm_squared() + of[1].norm_squared();
    differences.sort_by(|a, b| strength(a).total_cmp(&strength(b)));
    let of_kind = |kind: &[Difference]| {
        let of_channel =
            |channel: usize| -> Vec<DVector<f64>> { kind.iter().map(|both| both[channel].clone()).collect() };
        match [0, 1].map(|channel| Directions::learn(&of_channel(channel), DIRECTIONS)) {
            [Some(plain), Some(relit)] => Ok([plain, relit]),
            _ => Err(too_few()),
        }
    };
    if differences.is_empty() {
        return Err(too_few());
    }
    differences.chunks(differences.len().div_ceil(STRENGTHS)).map(of_kind).collect()
}

struct KindProjection<'a> {
    kind: &'a [Directions; 2],
    /// The photo's part along the kind's directions, of each channel.
    along: [Vec<f64>; 2],
}

/// What a copy differs by from its photo, in whitened coordinates of each channel (k).
type Difference = [DVector<f64>; 2];

impl DamagedPhotos {
    fn differences(&self, background: &Background) -> Vec<Difference> {
        (0..self.clean.ncols()).map(|photo| [0, 1].map(|channel| self.whitened(background, channel, photo))).collect()
    }

    /// The damage of a photo in one channel, in whitened coordinates (k).
    fn whitened(&self, background: &Background, channel: usize, photo: usize) -> DVector<f64> {
        let between = background.between_people(Channel::ALL[channel]);
        let rows = channel * between.len()..;
        let difference = |row: usize| self.damaged[(row, photo)] - self.clean[(row, photo)];
        DVector::from_vec(whitened(rows.map(|row| f64::from(difference(row))), between))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symmetric_eigen::Noise;

    const PHOTOS: usize = 60;

    /// Coordinates of photos drawn from the model (2k x n), and the same with `strength` times one of three damages.
    fn drawn(background: &Background, strength: f64, seed: u64) -> DamagedPhotos {
        let rows = 2 * background.components();
        let mut noise = Noise::seeded(23);
        let damages = DMatrix::from_fn(rows, 3, |_, _| noise.normal());
        let mut noise = Noise::seeded(seed);
        let between: Vec<f64> =
            Channel::ALL.iter().flat_map(|&channel| background.between_people(channel).to_vec()).collect();
        let clean = DMatrix::from_fn(rows, PHOTOS, |row, _| ((1.0 + between[row]).sqrt() * noise.normal()) as f32);
        let mut damaged = clean.clone();
        for (photo, mut column) in damaged.column_iter_mut().enumerate() {
            let strength = strength * (1.0 + noise.normal().abs());
            for (row, value) in column.iter_mut().enumerate() {
                *value += (strength * damages[(row, photo % 3)]) as f32;
            }
        }
        DamagedPhotos { clean, damaged }
    }

    fn learned(strength: f64) -> Background {
        let background = Background::bundled().unwrap().clone();
        let photos = drawn(&background, strength, 1);
        let damage = DamageVariation::learn(&background, &[photos]).unwrap();
        background.with_damage(damage)
    }

    fn freed(background: &Background, photos: &DMatrix<f32>, photo: usize) -> Vec<f32> {
        let mut coordinates: Vec<f32> = photos.column(photo).iter().copied().collect();
        background.damage.take_off(background, &mut coordinates);
        coordinates
    }

    #[test]
    fn damage_is_taken_off_and_clean_photos_keep_every_bit() {
        let background = learned(2.0);
        let photos = drawn(&background, 2.0, 2);
        let error = |found: &[f32], photo: usize| -> f32 {
            let clean = photos.clean.column(photo);
            found.iter().zip(clean.iter()).map(|(a, b)| (a - b).powi(2)).sum()
        };
        for photo in 0..PHOTOS {
            let clean = photos.clean.column(photo);
            assert_eq!(freed(&background, &photos.clean, photo), clean.as_slice(), "{photo}");
            let before = error(photos.damaged.column(photo).as_slice(), photo);
            let after = error(&freed(&background, &photos.damaged, photo), photo);
            assert!(after < 0.3 * before, "{photo}: {before} {after}");
        }
    }

    #[test]
    fn what_is_left_of_a_damaged_photo_is_less() {
        let background = learned(2.0);
        let photos = drawn(&background, 2.0, 2);
        let mean = |photos: &DMatrix<f32>| -> f64 {
            let signal = |photo| background.signal(&freed(&background, photos, photo));
            (0..PHOTOS).map(signal).sum::<f64>() / PHOTOS as f64
        };
        let clean = mean(&photos.clean);
        assert!((clean - 1.0).abs() < 0.05, "{clean}");
        assert!(mean(&photos.damaged) < clean);
        assert_eq!(background.signal(&[]), 0.0);
    }

    #[test]
    fn probabilities_of_kinds_are_below_one_together() {
        let background = learned(2.0);
        let photos = drawn(&background, 1.0, 3);
        for column in photos.damaged.column_iter() {
            let found = background.damage.posterior(&background, column.as_slice());
            let sum: f64 = found.iter().map(|(probability, _)| probability).sum();
            assert!((0.0..=1.0 + 1e-12).contains(&sum), "{sum}");
        }
    }

    #[test]
    fn a_family_without_photos_is_refused() {
        let background = Background::bundled().unwrap();
        let nothing = DMatrix::zeros(2 * background.components(), 0);
        let photos = DamagedPhotos { clean: nothing.clone(), damaged: nothing };
        assert!(DamageVariation::learn(background, &[photos]).is_err());
    }
}
