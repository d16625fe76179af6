//! Learning again from some of the faces and trying the others: what calibration and evaluation are made of.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::feature_space::{Projected, each_times, factor, scaled};
use super::{Comparison, FeatureMatrix, Matcher, PixelScale, stacked};
use crate::error::{Error, Result};
use crate::face_space::Weights;
use crate::gallery::{Clusters, Match};
use crate::kernel_pca::Kernel;
use crate::pca::{InnerProducts, LeaveOneOut, Pca, Solver};

/// Up to so many columns their inner products are kept (16 bytes a pair), and learning again costs an
/// eigenproblem; beyond that, pixels are looked at again.
const MOST_COLUMNS: usize = 4_000;

/// Faces that may be learned from, again and again in different choices.
pub struct Resampling<'a> {
    features: &'a [FeatureMatrix<'a>],
    /// Of each feature; `None` where there are too many faces.
    products: Option<Vec<InnerProducts>>,
    /// Of each feature, where single faces are to be left out: see [`Resampling::leaving_one_out`].
    leaving_out: Option<Vec<LeaveOneOut>>,
    comparison: Comparison,
    pca: Pca,
}

/// A feature's space and metric, learned from some of the faces.
struct Learned {
    eigenvalues: Vec<f64>,
    placed: Projected,
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
            let of_views = features.iter().map(|feature| {
                InnerProducts::with_symmetry(feature.bytes.as_ref(), feature.symmetry())
            });
            Some(of_views.collect::<Result<_, _>>()?)
        } else {
            None
        };
        Ok(Self {
            features,
            products,
            leaving_out: None,
            comparison,
            pca,
        })
    }

    /// This resampling prepared to leave out single faces in closed form where that can be done; otherwise each is
    /// learned without as any choice of faces is. The results are those of learning again, to rounding.
    ///
    /// Made here and not when first wanted: trials may run side by side, and a worker of the thread pool that is given
    /// another trial while it prepares may steal a task that waits for this value: deadlock.
    #[must_use]
    pub fn leaving_one_out(self) -> Self {
        let everybody: Vec<usize> = (0..self.len()).collect();
        let products = self.products.iter().flatten();
        let prepare = |(feature, products): (&FeatureMatrix<'_>, _)| {
            LeaveOneOut::new(products, &feature.themselves(&everybody)).ok()
        };
        let prepared: Option<Vec<LeaveOneOut>> =
            self.features.iter().zip(products).map(prepare).collect();
        let leaving_out = prepared.filter(|prepared| prepared.len() == self.features.len());
        Self {
            leaving_out,
            ..self
        }
    }

    /// n, the number of faces.
    fn len(&self) -> usize {
        self.features.first().map_or(0, FeatureMatrix::len)
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
        let left_out = self.leaving_out.as_ref().zip(self.left_out(learned));
        for (at, (feature, products)) in self.features.iter().zip(products).enumerate() {
            let found = match left_out {
                Some((prepared, face)) => {
                    self.without(feature, &prepared[at], face, learned, tried)?
                }
                None => self.again(feature, products, learned, tried)?,
            };
            let (eigenvalues, placed) = (&found.eigenvalues, &found.placed);
            let metric = placed.metric(self.comparison.metric, eigenvalues, persons);
            let factor = factor(feature.share, &metric, eigenvalues);
            let coordinates = |weights: &Weights| scaled(metric.coordinates(weights), factor);
            let straight = coordinates(&placed.weights);
            enrolled.push(feature.with_mirrored(straight, placed.parity.as_deref()));
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

    /// The face that alone is not learned from, if there is one.
    fn left_out(&self, learned: &[usize]) -> Option<usize> {
        let n = self.len();
        let is_one = learned.len() + 1 == n && learned.is_sorted_by(|a, b| a < b);
        is_one.then(|| {
            let place = learned
                .iter()
                .enumerate()
                .position(|(at, &face)| at != face);
            place.unwrap_or(n - 1)
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
        let space = products.fit(&feature.themselves(learned), self.pca.components)?;
        Ok(Learned {
            eigenvalues: space.eigenvalues(),
            placed: Projected {
                weights: space.project(&feature.columns(learned)),
                parity: space.parity(),
            },
            tried: space.project(&feature.themselves(tried)),
        })
    }

    /// The space and metric that a feature learns from all faces but one, in closed form.
    fn without(
        &self,
        feature: &FeatureMatrix<'_>,
        prepared: &LeaveOneOut,
        face: usize,
        learned: &[usize],
        tried: &[usize],
    ) -> Result<Learned> {
        let column = feature.themselves(&[face])[0];
        let found = prepared.without(column, self.pca.components)?;
        Ok(Learned {
            eigenvalues: found.eigenvalues,
            placed: Projected {
                weights: found.weights.select_columns(&feature.columns(learned)),
                parity: found.parity,
            },
            tried: found.weights.select_columns(&feature.themselves(tried)),
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
