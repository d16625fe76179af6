//! Learning again from some of the faces and trying the others: what calibration and evaluation are made of.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::{Comparison, Matcher, Viewed, each_times, factor, scaled, stacked};
use crate::error::{Error, Result};
use crate::gallery::{Clusters, Match};
use crate::kernel_pca::Kernel;
use crate::pca::{InnerProducts, Pca, Solver};

/// Up to so many columns their inner products are kept (16 bytes a pair), and learning again costs an
/// eigenproblem; beyond that, pixels are looked at again.
const MOST_COLUMNS: usize = 4_000;

/// Faces that may be learned from, again and again in different choices.
pub struct Trials<'a> {
    viewed: &'a [Viewed<'a>],
    /// Of each view; `None` where there are too many faces.
    products: Option<Vec<InnerProducts>>,
    comparison: Comparison,
    pca: Pca,
}

/// What some of the faces say of the others.
#[derive(Debug, Clone)]
pub struct Trial {
    clusters: Clusters,
    /// Of the faces learned from with their copies, k x (n c).
    enrolled: Arc<DMatrix<f32>>,
    /// Of the faces tried, k x m.
    probes: DMatrix<f32>,
}

impl<'a> Trials<'a> {
    /// Trials with these faces. The solver is the cheapest that is exact: the result does not depend on it.
    ///
    /// # Errors
    /// None that faces viewed by this comparison can bring about.
    pub fn new(viewed: &'a [Viewed<'a>], comparison: Comparison, pca: Pca) -> Result<Self> {
        let pca = Pca {
            solver: Solver::Auto,
            ..pca
        };
        let is_small = |view: &Viewed<'_>| view.bytes.len() <= MOST_COLUMNS;
        // Kernels are not inner products of these, and parallel analysis shuffles pixels.
        let is_dual = comparison.kernel == Kernel::Linear && !pca.components.needs_faces();
        let products = if is_dual && viewed.iter().all(is_small) {
            let of_views = viewed
                .iter()
                .map(|view| InnerProducts::with_symmetry(view.bytes.as_ref(), view.symmetry()));
            Some(of_views.collect::<Result<_, _>>()?)
        } else {
            None
        };
        Ok(Self {
            viewed,
            products,
            comparison,
            pca,
        })
    }

    /// n, the number of faces.
    pub fn len(&self) -> usize {
        self.viewed.first().map_or(0, Viewed::len)
    }

    /// Whether there is no face.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
    ) -> Result<Trial> {
        let Some(products) = &self.products else {
            let matcher = Matcher::learn(
                self.viewed,
                learned,
                persons,
                people,
                self.comparison,
                self.pca,
            )?;
            let probes = matcher.coordinates_of(self.viewed, tried)?;
            return Ok(Trial {
                clusters: matcher.clusters,
                enrolled: matcher.coordinates,
                probes,
            });
        };
        let (mut enrolled, mut probes, mut copies) = (Vec::new(), Vec::new(), 1);
        for (view, products) in self.viewed.iter().zip(products) {
            let space = products.fit(&view.themselves(learned), self.pca.components)?;
            let eigenvalues = space.eigenvalues();
            let straight = space.project(&view.columns(learned));
            let weights = view.with_mirrored(straight, space.parity().as_deref());
            copies = weights.ncols() / learned.len();
            let owners = each_times(persons, copies);
            let metric = self.comparison.metric.fit(&eigenvalues, &weights, &owners);
            let factor = factor(view.share, &metric, &eigenvalues);
            enrolled.push(scaled(metric.coordinates(&weights), factor));
            let weights = space.project(&view.themselves(tried));
            probes.push(scaled(metric.coordinates(&weights), factor));
        }
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
        Ok(Trial {
            clusters,
            enrolled,
            probes,
        })
    }
}

impl Trial {
    /// Coordinates of the faces learned from with their copies, those of a face side by side: k x (n c).
    pub fn enrolled(&self) -> &DMatrix<f32> {
        &self.enrolled
    }

    /// Coordinates of the faces tried: k x m.
    pub fn probes(&self) -> &DMatrix<f32> {
        &self.probes
    }

    /// The `top` nearest people to the face that was tried at this place, nearest first.
    ///
    /// # Panics
    /// If fewer faces were tried.
    pub fn rank(&self, at: usize, top: usize) -> Vec<Match> {
        self.clusters.rank(self.probes.column(at).as_slice(), top)
    }
}
