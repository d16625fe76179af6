//! Learning again from some of the faces and trying the others: what calibration and evaluation are made of.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::feature_space::{each_times, factor, scaled};
use super::{Comparison, FeatureMatrix, Matcher, PixelScale, stacked};
use crate::error::{Error, Result};
use crate::face_space::Weights;
use crate::gallery::{Clusters, Match};
use crate::kernel_pca::Kernel;
use crate::pca::{InnerProducts, Pca, Solver};

/// Maximum number of columns whose inner products are kept (8 bytes a pair), and learning again costs an
/// eigenproblem; beyond that, pixels are looked at again.
const MOST_COLUMNS: usize = 4_000;

/// Faces that may be learned from, again and again in different choices.
pub struct Resampling<'a> {
    features: &'a [FeatureMatrix<'a>],
    /// Of each feature; `None` where there are too many faces.
    products: Option<Vec<InnerProducts>>,
    comparison: Comparison,
    pca: Pca,
}

/// A feature's space and metric, learned from some of the faces.
struct Learned {
    eigenvalues: Vec<f64>,
    /// Of all copies of the faces learned from, k x (n c).
    placed: Weights,
    /// Of the faces tried, k x m.
    tried: Weights,
}

/// Learning from some of the faces, to try the others.
#[derive(Debug, Clone)]
pub struct Resample {
    clusters: Clusters,
    /// Coordinates of the faces learned from with their copies, those of a face side by side: k x (n c).
    pub enrolled: Arc<DMatrix<f32>>,
    /// Coordinates of the faces tried: k x m.
    pub probes: DMatrix<f32>,
}

impl<'a> Resampling<'a> {
    /// Resampling with these faces. The solver is the cheapest that is exact: the result does not depend on it.
    ///
    /// # Errors
    /// None that faces described by this comparison can bring about.
    pub fn new(
        features: &'a [FeatureMatrix<'a>],
        comparison: Comparison,
        pca: Pca,
    ) -> Result<Self> {
        let pca = Pca {
            solver: Solver::Auto,
            ..pca
        };
        let is_small = |feature: &FeatureMatrix<'_>| feature.bytes.len() <= MOST_COLUMNS;
        // Kernels are not inner products of these, nor are those of scaled pixels, and parallel analysis shuffles pixels.
        let is_dual = comparison.kernel == Kernel::Linear
            && comparison.pixel_scale == PixelScale::Plain
            && !pca.components.needs_faces();
        let products = if is_dual && features.iter().all(is_small) {
            let of_feature = |feature: &FeatureMatrix<'_>| InnerProducts::of(feature.bytes());
            Some(features.iter().map(of_feature).collect())
        } else {
            None
        };
        Ok(Self {
            features,
            products,
            comparison,
            pca,
        })
    }

    /// Learns from some faces and places others. `persons` are those of the learned faces, from 0 up to
    /// `people`, in increasing order.
    ///
    /// # Errors
    /// Fewer than two different faces to learn from.
    pub fn run(
        &self,
        learned: &[usize],
        persons: &[usize],
        people: usize,
        tried: &[usize],
    ) -> Result<Resample> {
        let Some(products) = &self.products else {
            let matcher = Matcher::learn(
                self.features,
                learned,
                persons,
                people,
                self.comparison,
                self.pca,
            )?;
            return matcher.tried(self.features, tried);
        };
        let (mut enrolled, mut probes) = (Vec::new(), Vec::new());
        for (feature, products) in self.features.iter().zip(products) {
            let found = self.again(feature, products, learned, tried)?;
            let (eigenvalues, placed) = (&found.eigenvalues, &found.placed);
            let metric = feature.metric(self.comparison.metric, eigenvalues, placed, persons);
            let factor = factor(feature.share, &metric, eigenvalues);
            let coordinates = |weights: &Weights| scaled(metric.coordinates(weights), factor);
            enrolled.push(coordinates(placed));
            probes.push(coordinates(&found.tried));
        }
        let copies = enrolled.first().map_or(1, DMatrix::ncols) / learned.len();
        let enrolled = Arc::new(stacked(&enrolled));
        let clusters = Clusters::new(
            Arc::clone(&enrolled),
            &each_times(persons, copies),
            people,
            self.comparison.clusters,
            self.comparison.metric.measure,
        )
        .ok_or(Error::Inconsistent)?;
        let probes = stacked(&probes);
        Ok(Resample {
            clusters,
            enrolled,
            probes,
        })
    }

    /// The space and metric that a feature learns from some faces, by an eigenproblem.
    fn again(
        &self,
        feature: &FeatureMatrix<'_>,
        products: &InnerProducts,
        learned: &[usize],
        tried: &[usize],
    ) -> Result<Learned> {
        let space = products.fit(&feature.learned_columns(learned), self.pca.components)?;
        Ok(Learned {
            eigenvalues: space.eigenvalues(),
            placed: space.project(&feature.columns(learned)),
            tried: space.project(&feature.themselves(tried)),
        })
    }
}

impl Matcher {
    /// What was learned, and the places of some of the faces that were described.
    pub fn tried(self, features: &[FeatureMatrix<'_>], faces: &[usize]) -> Result<Resample> {
        let mut probes = Vec::with_capacity(self.parts.len());
        for (part, feature) in self.parts.iter().zip(features) {
            let seen = feature.bytes.select(&feature.themselves(faces))?;
            probes.push(part.coordinates(&part.space.project(&seen)));
        }
        Ok(Resample {
            clusters: self.clusters,
            enrolled: self.coordinates,
            probes: stacked(&probes),
        })
    }
}

impl Resample {
    /// The `top` nearest people to the face that was tried at this place, nearest first.
    ///
    /// # Panics
    /// If fewer faces were tried.
    pub fn rank(&self, at: usize, top: usize) -> Vec<Match> {
        self.clusters.rank(self.probes.column(at).as_slice(), top)
    }
}
