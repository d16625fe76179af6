//! Faces in spaces that stay as they are, whatever they were learned from.

use nalgebra::DMatrix;

use super::{Comparison, Feature, FeatureMatrix, FeatureSpace, Matcher, Space, stacked};
use crate::error::{Error, Result};

impl Matcher {
    /// The features that are compared, and their spaces.
    pub fn spaces(&self) -> Vec<(Feature, Space)> {
        let of_feature = |part: &FeatureSpace| (part.feature(), part.space().clone());
        self.parts.iter().map(of_feature).collect()
    }

    /// Learns metric and clusters of some of the faces that were described, in spaces that come from anywhere; `persons`
    /// are theirs (n), from 0 up to `people`, in increasing order.
    ///
    /// # Errors
    /// A feature of which there is no space; a kernel, whose components are tied to the faces learned from.
    pub fn in_spaces(
        spaces: &[(Feature, Space)],
        features: &[FeatureMatrix<'_>],
        faces: &[usize],
        persons: &[usize],
        people: usize,
        comparison: Comparison,
    ) -> Result<Self> {
        let mut parts = Vec::with_capacity(features.len());
        let mut coordinates: Vec<DMatrix<f32>> = Vec::with_capacity(features.len());
        for feature in features {
            let space = spaces.iter().find(|(seen, _)| *seen == feature.feature);
            let (_, space) = space.ok_or(Error::Inconsistent)?;
            if space.scaled().is_some() != comparison.scales(feature.feature) {
                return Err(Error::Inconsistent);
            }
            if space.kernel().is_some() {
                return Err(Error::KernelNotKept);
            }
            let placed = feature.placed(space, faces)?;
            let (part, enrolled) =
                feature.feature_space(space.clone(), &placed, comparison.metric, persons);
            coordinates.push(enrolled);
            parts.push(part);
        }
        Self::from_parts(parts, stacked(&coordinates), persons, people, comparison)
    }
}
