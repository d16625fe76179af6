//! What hard light does to coordinates, and its removal.
//!
//! A face lit from the side differs from its person's other photos along a few directions. So a photo is its person, plus what differs
//! between photos of that person, plus light, which is 0 in even light and N(0, V) in hard light. V, of rank r, was learned from photos of
//! people under known lights (`examples/train_light`). In coordinates z whitened by what anybody's photo varies, z = x / √(1 + ψ), it is Σ
//! v w wᵀ with orthonormal w. The log-likelihood ratio of hard against even light is then ½ Σ (s (wᵀz)² - ln(1 + v)), s = v / (1 + v), and
//! the light expected in the photo is √(1 + ψ) Σ s w wᵀz ([`Directions`]). It is taken off, times the probability of hard light:
//! compensation of eigenchannels (Kenny et al., Joint factor analysis versus eigenchannels in speaker recognition, IEEE TASLP 15, 2007).

use nalgebra::{DMatrix, DVector};
use symmetric_eigen as eigen;

use super::constants::{EVEN_LIGHT_LOG_ODDS, HARD_LIGHT_STRANGERS, NEGLIGIBLE};
use super::directions::{Directions, whitened};
use super::{Background, Calibration, Projection};
use crate::error::{BackgroundProblem, Error, Result};

/// r, the directions of each channel. 12 to 40 do alike.
const DIRECTIONS: usize = 20;

/// The variance of coordinates by hard light, of each channel; of rank 0 where nothing is known of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LightVariation {
    /// In the order of [`Channel::ALL`](super::Channel::ALL).
    pub(super) channels: [Directions; 2],
}

impl LightVariation {
    /// Learns from photos (raw coordinates, 2k x n) of people in even and in hard light: the differences of the latter from
    /// the mean of their person's in even light. `persons` and `in_hard_light` are of each photo.
    /// Errors: Nobody with photos in both.
    pub fn learn(
        background: &Background,
        raw: &DMatrix<f32>,
        persons: &[usize],
        in_hard_light: &[bool],
    ) -> Result<Self> {
        let k = background.components();
        let count = persons.iter().max().map_or(0, |last| last + 1);
        let mut light = Self::default();
        for (channel, directions) in light.channels.iter_mut().enumerate() {
            let between = &background.projections[channel].between;
            let whitened = |photo: usize| {
                let column = raw.view((channel * k, photo), (k, 1)).map(f64::from);
                DVector::from_vec(whitened(column.iter().copied(), between))
            };
            let mut differences = Vec::new();
            for person in 0..count {
                let own = |hard: bool| {
                    let photos = 0..persons.len();
                    photos.filter(move |&at| persons[at] == person && in_hard_light[at] == hard)
                };
                let even: Vec<DVector<f64>> = own(false).map(whitened).collect();
                if even.is_empty() {
                    continue;
                }
                let mean = even.iter().sum::<DVector<f64>>() / even.len() as f64;
                differences.extend(own(true).map(|photo| whitened(photo) - &mean));
            }
            *directions = Directions::learn(&differences, DIRECTIONS)
                .ok_or(Error::Background { problem: BackgroundProblem::TooFewPhotos })?;
        }
        Ok(light)
    }

    /// What the model `from` knows of light, in the coordinates of `to`, which learned from other photos: of the smallest
    /// change of a description that has a direction's coordinates in `from`, the coordinates in `to`.
    ///
    /// With the bases B and B' (k x d) that is B' Bᵀ (B Bᵀ)⁻¹. Light that one of the bases does not show is lost.
    /// Errors: Coordinates of `from` that depend on one another: no model that was learned.
    pub fn carried(from: &Background, to: &Background) -> Result<Self> {
        let mut light = Self::default();
        for (channel, carried) in light.channels.iter_mut().enumerate() {
            let (known, k) = (&from.light.channels[channel], from.components());
            if known.variance.is_empty() {
                continue;
            }
            let [of, into] = [from, to].map(|model| &model.projections[channel]);
            let [basis, other] = [of, into].map(Projection::directions);
            let products = eigen::inner_product(eigen::view(&basis), eigen::view(&basis));
            let root = eigen::inverse_cholesky(products).ok_or(Error::BackgroundDamaged)?;
            let across = eigen::inner_product(eigen::view(&other), eigen::view(&basis));
            // √v w of each direction as coordinates, no longer whitened: k x r.
            let mut moved = DMatrix::from_column_slice(k, known.variance.len(), &known.rows).map(f64::from);
            for (mut row, psi) in moved.row_iter_mut().zip(&of.between) {
                row *= (1.0 + psi).sqrt();
            }
            for (mut column, &v) in moved.column_iter_mut().zip(&known.variance) {
                column *= f64::from(v).sqrt();
            }
            moved = across * (root.transpose() * (root * moved));
            for (mut row, psi) in moved.row_iter_mut().zip(&into.between) {
                row /= (1.0 + psi).sqrt();
            }
            let mut second = DMatrix::zeros(into.between.len(), into.between.len());
            eigen::add_outer(&mut second, &moved);
            *carried = Directions::of(second, known.variance.len()).ok_or(Error::BackgroundDamaged)?;
        }
        Ok(light)
    }

    pub(super) fn is_unknown(&self) -> bool {
        self.channels.iter().all(|channel| channel.variance.is_empty())
    }

    /// The probability of hard light, from the light of each channel ([`Directions::along`]); 0 where it is negligible.
    pub(super) fn probability(&self, along: &[Vec<f64>; 2]) -> f64 {
        let ratio: f64 = self.channels.iter().zip(along).map(|(own, along)| own.log_ratio(along)).sum();
        let probability = 1.0 / (1.0 + libm::exp(EVEN_LIGHT_LOG_ODDS - ratio));
        if probability < NEGLIGIBLE { 0.0 } else { probability }
    }
}

/// A straight line that takes scores of photos in hard light to what they would be in even light.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScoreLine {
    offset: f64,
    slope: f64,
}

impl Default for ScoreLine {
    /// Scores stay as they are.
    fn default() -> Self {
        Self { offset: 0.0, slope: 1.0 }
    }
}

impl ScoreLine {
    /// Takes strangers' scores to where this gallery's lie in even light, and all half of the threshold's raise higher: that
    /// is for photos under other conditions than those enrolled, and light, which is known, is most of these.
    pub fn of(calibration: &Calibration) -> Self {
        let (mean, spread) = (calibration.location, calibration.spread);
        let slope = spread / HARD_LIGHT_STRANGERS.1;
        Self { offset: mean - slope * HARD_LIGHT_STRANGERS.0 + calibration.raise() / 2.0, slope }
    }

    /// The line for a photo with this probability of hard light.
    pub fn at(self, hard_light: f64) -> Self {
        Self { offset: hard_light * self.offset, slope: 1.0 + hard_light * (self.slope - 1.0) }
    }

    /// The score that this one becomes.
    pub fn apply(self, score: f64) -> f64 {
        self.offset + self.slope * score
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Adaptation, Alignment, People};
    use super::*;
    use symmetric_eigen::Noise;

    const PEOPLE: usize = 4;
    const PHOTOS: usize = 6;

    /// Photos of people drawn from the model, the second half of each in a light that adds `strength` times one of three
    /// directions; and the person of each.
    fn drawn(background: &Background, strength: f64, seed: u64) -> (DMatrix<f32>, Vec<usize>, Vec<bool>) {
        let rows = 2 * background.components();
        let mut noise = Noise::seeded(17);
        let lights = DMatrix::from_fn(rows, 3, |_, _| noise.normal());
        let mut noise = Noise::seeded(seed);
        let between = background.projections.each_ref().map(|it| &it.between);
        let between: Vec<f64> = between.into_iter().flatten().copied().collect();
        let mut photos = DMatrix::zeros(rows, PEOPLE * PHOTOS);
        for person in 0..PEOPLE {
            let own: Vec<f64> = between.iter().map(|psi| psi.sqrt() * noise.normal()).collect();
            for photo in 0..PHOTOS {
                let hard = photo >= PHOTOS / 2;
                let light = lights.column(photo % 3) * (strength * noise.normal().abs().max(0.5));
                for row in 0..rows {
                    let light = if hard { light[row] } else { 0.0 };
                    photos[(row, person * PHOTOS + photo)] = (own[row] + noise.normal() + light) as f32;
                }
            }
        }
        let persons = (0..PEOPLE * PHOTOS).map(|at| at / PHOTOS).collect();
        let hard = (0..PEOPLE * PHOTOS).map(|at| at % PHOTOS >= PHOTOS / 2);
        (photos, persons, hard.collect())
    }

    /// The bundled model with light learned from drawn people.
    fn learned() -> Background {
        let background = Background::bundled().unwrap().clone();
        let (raw, persons, hard) = drawn(&background, 2.0, 1);
        let light = LightVariation::learn(&background, &raw, &persons, &hard).unwrap();
        background.with_light(light)
    }

    #[test]
    fn hard_light_is_known_and_taken_off() {
        let background = learned();
        let (raw, _, hard) = drawn(&background, 2.0, 2);
        let none = [0, 1].map(|_| vec![0.0; background.components()]);
        let adaptation = Adaptation::none(&background);
        let all: Vec<usize> = (0..raw.ncols()).collect();
        let (relit, found) = adaptation.in_even_light(&raw, &all, &none, None);
        let light: Vec<f64> = drawn(&background, 0.0, 2).0.iter().map(|&x| x.into()).collect();
        let error = |raw: &DMatrix<f32>, photo: usize| -> f64 {
            let even = light[photo * raw.nrows()..].iter();
            let column = raw.column(photo);
            let off = column.iter().zip(even).map(|(&x, even)| f64::from(x) - even);
            off.map(|off| off * off).sum()
        };
        for photo in all {
            assert_eq!(found[photo] > 0.5, hard[photo], "{photo}: {}", found[photo]);
            match hard[photo] {
                true => assert!(error(&relit, photo) < 0.5 * error(&raw, photo), "{photo}"),
                // To the last bit.
                false => assert_eq!(relit.column(photo), raw.column(photo)),
            }
        }
    }

    #[test]
    fn photos_rotated_before_are_placed_alike() {
        let background = learned();
        let (raw, persons, _) = drawn(&background, 2.0, 3);
        let photos: Vec<usize> = (0..raw.ncols()).collect();
        let adaptation = Adaptation::learn(&background, &raw, &photos, &persons);
        let rotated = adaptation.rotated(&raw);
        let plain = People::enroll(adaptation.clone(), &raw, &photos, &persons, PEOPLE);
        let other = People::enroll_rotated(adaptation, Some(&rotated), &raw, &photos, &persons, PEOPLE);
        let scores = |people: &People| people.with_scores(&raw, |_, scores| scores).concat();
        for (a, b) in scores(&plain).into_iter().zip(scores(&other)) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
    }

    /// A stranger's to where they lie in even light, and half of the threshold's raise higher; others stay.
    #[test]
    fn scores_in_hard_light_are_levelled() {
        let background = learned();
        let (raw, persons, hard) = drawn(&background, 2.0, 6);
        let even: Vec<usize> = (0..persons.len()).filter(|&at| !hard[at]).collect();
        let mut enrolled = raw.select_columns(&even);
        // Alike, as photos of one sitting are.
        for mut own in (0..PEOPLE).map(|at| at * PHOTOS / 2) {
            let mean = enrolled.columns(own, PHOTOS / 2).column_mean();
            for _ in 0..PHOTOS / 2 {
                let photo = &mean * 0.8 + enrolled.column(own) * 0.2;
                enrolled.set_column(own, &photo);
                own += 1;
            }
        }
        let persons: Vec<usize> = even.iter().map(|&at| persons[at]).collect();
        let photos: Vec<usize> = (0..even.len()).collect();
        let adaptation = Adaptation::learn(&background, &enrolled, &photos, &persons);
        let plain = People::enroll(adaptation, &enrolled, &photos, &persons, PEOPLE);
        let calibration = Calibration::learn(&background, &plain, &enrolled, &persons, Alignment::ByEyes);
        assert!(calibration.raise() > 0.1, "{}", calibration.raise());
        let allowing = plain.clone().allowing_for_light(&calibration);
        let (mean, spread) = (calibration.location, calibration.spread);
        let scores = |people: &People| people.with_scores(&raw, |_, scores| scores);
        for (photo, (plain, levelled)) in scores(&plain).iter().zip(scores(&allowing)).enumerate() {
            for (&plain, levelled) in plain.iter().zip(levelled) {
                let expected = match hard[photo] {
                    true => {
                        let spreads = (plain - HARD_LIGHT_STRANGERS.0) / HARD_LIGHT_STRANGERS.1;
                        mean + spreads * spread + calibration.raise() / 2.0
                    }
                    false => plain,
                };
                assert!((levelled - expected).abs() < 1e-2, "{photo}: {plain} {levelled}");
            }
        }
    }

    /// A slope is that of the score along each coordinate, but for the length, which is normalised.
    #[test]
    fn slopes_go_through_what_is_taken_off() {
        let background = learned();
        let k = background.components();
        let (raw, ..) = drawn(&background, 2.0, 4);
        let adaptation = Adaptation::none(&background);
        let none = [0, 1].map(|_| vec![0.0; k]);
        let photo = PHOTOS - 1;
        let slope: Vec<f64> = (0..k).map(|at| libm::sin((at * at) as f64)).collect();
        let along = |raw: &DMatrix<f32>| -> f64 {
            let (relit, _) = adaptation.in_even_light(raw, &[photo], &none, None);
            let column = relit.column(photo);
            let values = slope.iter().zip(column.iter());
            values.map(|(slope, &x)| slope * f64::from(x)).sum()
        };
        let mut through = slope.clone();
        adaptation.slope_in_even_light(0, &mut through, 1.0);
        for at in [0, 7, 100] {
            let mut moved = raw.clone();
            moved[(at, photo)] += 0.25;
            let difference = (along(&moved) - along(&raw)) / 0.25;
            let expected = through[at];
            assert!((difference - expected).abs() < 0.05, "{at}: {difference} {expected}");
        }
    }

    #[test]
    fn light_carried_to_the_model_itself_stays_as_it_is() {
        let background = Background::bundled().unwrap();
        let carried = LightVariation::carried(background, background).unwrap();
        for (own, carried) in background.light.channels.iter().zip(&carried.channels) {
            for (own, carried) in own.variance.iter().zip(&carried.variance) {
                assert!((own - carried).abs() < 1e-3 * own, "{own} {carried}");
            }
            let k = background.components();
            let rows = |rows: &[f32]| DMatrix::from_row_slice(rows.len() / k, k, rows);
            let angles = rows(&own.rows) * rows(&carried.rows).transpose();
            // Each direction has length 1 in the space of the others.
            for direction in angles.row_iter() {
                assert!((direction.norm() - 1.0).abs() < 1e-3, "{}", direction.norm());
            }
        }
    }

    #[test]
    fn light_that_no_photo_shows_cannot_be_learned() {
        let nothing = LightVariation::default();
        assert!(nothing.is_unknown());
        let background = Background::bundled().unwrap();
        let (raw, persons, _) = drawn(background, 0.0, 5);
        let even = vec![false; persons.len()];
        assert!(LightVariation::learn(background, &raw, &persons, &even).is_err());
    }
}
