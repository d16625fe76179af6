//! The numbers of everybody's likelihood ratios, as a model file keeps them: reading takes a tenth of placing everybody.

use std::collections::BTreeMap;

use nalgebra::DMatrix;

use super::People;
use crate::background::adaptation::Adaptation;
use crate::background::light::ScoreLine;

/// Everybody of a gallery of N people, in adapted coordinates of both channels (2k).
#[derive(Debug, Clone, PartialEq)]
pub struct PeopleParts {
    /// Mean of the domain, in raw coordinates (2k).
    pub means: Vec<f64>,
    /// The linear part of each person's ratio, one person after the other (N x 2k).
    pub linear: Vec<f32>,
    /// Of each person (N x 3): the constant part, 1 over the spread of strangers' scores, and the score expected of another photo.
    pub levels: Vec<f64>,
}

impl People {
    /// What [`from_parts`](Self::from_parts) takes beside the adaptation and the numbers of photos.
    pub fn to_parts(&self) -> PeopleParts {
        let levels = self.constant.iter().zip(&self.genuine);
        let levels = levels.flat_map(|(&(constant, share), &genuine)| [constant, share, genuine]).collect();
        PeopleParts { means: self.means.concat(), linear: self.linear.as_slice().to_vec(), levels }
    }

    /// Puts stored parts together, for people with so many `photos`. `None` if not of one size, or with values out of range.
    pub fn from_parts(adaptation: Adaptation, photos: Vec<usize>, parts: PeopleParts) -> Option<Self> {
        let k = adaptation.channels[0].prior.len();
        let sound = parts.means.len() == 2 * k
            && parts.linear.len() == 2 * k * photos.len()
            && parts.levels.len() == 3 * photos.len()
            && parts.means.iter().all(|mean| mean.abs() < 1e9)
            && parts.linear.iter().all(|slope| slope.abs() < 1e9)
            && parts.levels.iter().all(|level| level.abs() < 1e9);
        if !sound {
            return None;
        }
        let (levels, _) = parts.levels.as_chunks::<3>();
        let (first, second) = parts.means.split_at(k);
        Some(Self {
            means: [first.to_vec(), second.to_vec()],
            linear: DMatrix::from_vec(2 * k, photos.len(), parts.linear),
            constant: levels.iter().map(|level| (level[0], level[1])).collect(),
            genuine: levels.iter().map(|level| level[2]).collect(),
            quadratic: adaptation.quadratic(&photos),
            in_hard_light: ScoreLine::default(),
            photos,
            adaptation,
        })
    }
}

impl Adaptation {
    /// The quadratic parts of ratios (2k) by the number of photos, of people who have so many: they depend on nothing else.
    pub(super) fn quadratic(&self, photos: &[usize]) -> BTreeMap<usize, Vec<f64>> {
        let k = self.channels[0].prior.len();
        let mut parts = BTreeMap::new();
        for &count in photos.iter().filter(|&&count| count > 0) {
            parts.entry(count).or_insert_with(|| {
                self.ratios(|_| vec![0.0; k], count as f64).into_iter().flat_map(|ratio| ratio.quadratic).collect()
            });
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::background::Background;
    use symmetric_eigen::Noise;

    #[test]
    fn people_put_together_again_score_as_before() {
        let background = Background::bundled().unwrap();
        let rows = 2 * background.components();
        let mut noise = Noise::seeded(5);
        let raw = DMatrix::from_fn(rows, 9, |_, _| noise.normal() as f32);
        let (photos, persons) = ([0, 1, 2, 3, 4, 5], [0, 0, 2, 2, 2, 3]);
        let adaptation = Adaptation::learn(background, &raw, &photos, &persons);
        let people = People::enroll(adaptation.clone(), &raw, &photos, &persons, 4);
        let parts = people.to_parts();
        let counts = people.photos().to_vec();
        assert_eq!(counts, [2, 0, 3, 1]);
        let again = People::from_parts(adaptation.clone(), counts.clone(), parts.clone()).unwrap();
        assert_eq!(again.to_parts(), parts);
        let scores = |people: &People| people.with_scores(&raw, |_, scores| scores);
        assert_eq!(scores(&again), scores(&people));

        let spoilt = |spoil: fn(&mut PeopleParts)| {
            let mut parts = parts.clone();
            spoil(&mut parts);
            People::from_parts(adaptation.clone(), counts.clone(), parts)
        };
        assert!(spoilt(|parts| parts.means[3] = f64::NAN).is_none());
        assert!(spoilt(|parts| parts.linear[7] = f32::INFINITY).is_none());
        assert!(spoilt(|parts| parts.levels[1] = 1e12).is_none());
        assert!(spoilt(|parts| parts.levels.truncate(6)).is_none());
        assert!(spoilt(|parts| parts.linear.truncate(6)).is_none());
        assert!(spoilt(|parts| parts.means.truncate(6)).is_none());
    }
}
