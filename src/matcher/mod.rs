//! Matching a probe with the gallery's people: features of faces, each with its space and its metric, and
//! the clusters of coordinates that they make together.
//!
//! A face becomes one column of coordinates: of each feature (pixels, texture) the weights in its space,
//! transformed by the metric, one below the other. Distances over them add up over the features. Enrolled
//! faces stand there with their copies: mirrored, shifted.

mod comparison;
mod feature;
mod feature_matrix;
mod feature_space;
mod fixed_spaces;
mod resampling;
mod space;
mod split;

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::{Error, Result};
use crate::face_matrix::FaceMatrix;
use crate::gallery::{Clusters, Match};
use crate::kernel_pca::{Kernel, KernelPca};
use crate::pca::Pca;

use feature_space::each_times;

pub use comparison::Comparison;
pub use feature::{Augmentation, Feature, Features, PixelScale};
#[doc(hidden)]
pub use feature_matrix::FeatureMatrix;
pub use feature_space::FeatureSpace;
#[doc(hidden)]
pub use resampling::{Resample, Resampling};
pub use space::Space;
#[doc(hidden)]
pub use split::{CELLS, Split};

/// The coordinates of a gallery, by which a probe's nearest people are found.
#[derive(Debug, Clone)]
pub struct Matcher {
    parts: Vec<FeatureSpace>,
    /// Of the enrolled faces with their copies, those of a face side by side: k x (n c).
    coordinates: Arc<DMatrix<f32>>,
    /// Derived from the coordinates.
    clusters: Clusters,
}

impl Matcher {
    /// Learns from some of the faces that were described; `persons` are theirs (n), from 0 up to `people`, in
    /// increasing order.
    ///
    /// # Errors
    /// Fewer than two different faces.
    pub fn learn(
        features: &[FeatureMatrix<'_>],
        faces: &[usize],
        persons: &[usize],
        people: usize,
        comparison: Comparison,
        pca: Pca,
    ) -> Result<Self> {
        let mut parts = Vec::with_capacity(features.len());
        let mut coordinates = Vec::with_capacity(features.len());
        for feature in features {
            let components = pca.components;
            let space = match comparison.kernel {
                Kernel::Linear if comparison.scales(feature.feature) => {
                    feature.scaled(faces, components)?
                }
                Kernel::Linear => feature.linear(faces, pca)?,
                kernel => feature.kernel(faces, KernelPca { kernel, components })?,
            };
            let placed = feature.placed(&space, faces)?;
            let (part, enrolled) =
                feature.feature_space(space, &placed, comparison.metric, persons);
            coordinates.push(enrolled);
            parts.push(part);
        }
        Self::from_parts(parts, stacked(&coordinates), persons, people, comparison)
    }

    /// A matcher from its parts and the coordinates of the enrolled faces with their copies (k x (n c));
    /// `persons` are theirs (n).
    ///
    /// # Errors
    /// Parts that do not fit together.
    pub fn from_parts(
        parts: Vec<FeatureSpace>,
        coordinates: DMatrix<f32>,
        persons: &[usize],
        people: usize,
        comparison: Comparison,
    ) -> Result<Self> {
        let rows: usize = parts.iter().map(|part| part.space.components()).sum();
        let copies = coordinates.ncols() / persons.len().max(1);
        let coordinates = Arc::new(coordinates);
        let fits = rows == coordinates.nrows()
            && copies * persons.len() == coordinates.ncols()
            && parts
                .iter()
                .all(|part| part.metric.metric() == comparison.metric);
        let clusters = Clusters::new(
            Arc::clone(&coordinates),
            &each_times(persons, copies),
            people,
            comparison.clusters,
            comparison.metric.measure,
        );
        match clusters {
            Some(clusters) if fits => Ok(Self {
                parts,
                coordinates,
                clusters,
            }),
            _ => Err(Error::Inconsistent),
        }
    }

    /// The features that are compared, each with its space.
    pub fn feature_spaces(&self) -> &[FeatureSpace] {
        &self.parts
    }

    /// The part that compares this feature, if one does.
    pub fn feature_space(&self, feature: Feature) -> Option<&FeatureSpace> {
        self.parts.iter().find(|part| part.feature == feature)
    }

    /// Coordinates of the enrolled faces with their copies, those of a face side by side: k x (n c).
    pub fn enrolled(&self) -> &DMatrix<f32> {
        &self.coordinates
    }

    /// The people as probes are compared with them.
    pub fn clusters(&self) -> &Clusters {
        &self.clusters
    }

    /// Coordinates (k x n) of faces (d x n): squared distances between them are what is compared.
    pub fn coordinates(&self, faces: &FaceMatrix) -> DMatrix<f32> {
        let of_parts = self.parts.iter().map(|part| {
            let seen = part.feature.of(faces);
            part.coordinates(&part.space.project(&seen))
        });
        stacked(&of_parts.collect::<Vec<_>>())
    }

    /// The `top` nearest people to coordinates (k), nearest first.
    pub fn rank(&self, coordinates: &[f32], top: usize) -> Vec<Match> {
        self.clusters.rank(coordinates, top)
    }

    /// The rankings of many probes (k x m), in their order: together they cost much less.
    pub fn rank_all(&self, coordinates: &DMatrix<f32>, top: usize) -> Vec<Vec<Match>> {
        self.clusters.rank_all(coordinates, top)
    }
}

/// Matrices of as many columns, one below the other.
fn stacked(parts: &[DMatrix<f32>]) -> DMatrix<f32> {
    let rows = parts.iter().map(DMatrix::nrows).sum();
    let columns = parts.first().map_or(0, DMatrix::ncols);
    let mut all = DMatrix::zeros(rows, columns);
    let mut below = 0;
    for part in parts {
        all.rows_mut(below, part.nrows()).copy_from(part);
        below += part.nrows();
    }
    all
}
