//! Recognition and reconstruction by the first K eigenfaces.

use nalgebra::DMatrix;
use rayon::prelude::*;
use serde::Serialize;

use super::{Bootstrap, Rate, Tally};
use crate::compare::Fold;
use crate::error::{Error, Result};
use crate::face_space::{FaceSpace, Weights};
use crate::gallery::Gallery;
use crate::matcher::Clusters;
use crate::pca::{InnerProducts, Pca};
use crate::recognizer::Settings;

/// Recognition by the weights of the first K eigenfaces: the nearest mean of a person by the metric asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct KPoint {
    /// K; in a fold with fewer, all of them.
    pub components: usize,
    /// Their share of the variance of the faces learned from; mean over folds.
    pub variance: f64,
    /// Rank-1 of the probes.
    #[serde(skip)]
    pub rank1: Rate,
    /// J, the average squared error over the total variation, of the faces learned from: 1 - `variance`.
    pub error_learned: f64,
    /// J of the probes, which were never seen: usually larger.
    pub error_unseen: f64,
    /// Peak signal-to-noise ratio of rebuilt probes in decibels: 10 log10(255² / mean squared error of a pixel).
    pub psnr_unseen: f64,
}

/// The size of faces as weights, in the face space of all faces.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Compression {
    /// d, the number of pixels of a face: as many bytes.
    pub pixels: usize,
    /// K chosen from all faces.
    pub components: usize,
    /// K / d.
    pub share: f64,
    /// Bytes of a face's weights (4 each).
    pub bytes_a_face: usize,
    /// Share of the variance kept.
    pub variance: f64,
    /// The fewest and the most components chosen inside the folds of the curve.
    pub components_in_folds: (usize, usize),
}

/// Up to so many faces their inner products are kept; beyond that, pixels are looked at again.
const MOST_PRODUCTS: usize = 4000;

/// Pixels per weight: compression to one per cent.
pub(super) const PIXELS_A_WEIGHT: usize = 100;

/// Numbers of components on the curve, up to the number that is used.
const CURVE: [usize; 18] = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 250, 300, 350, 400];

/// Sums over the probes of one fold for the first K components.
#[derive(Clone, Default)]
struct Sums {
    /// Whether the nearest person is right.
    right: Tally,
    probes: usize,
    /// Share of the variance of the learned faces, times probes.
    variance: f64,
    /// Squared error of the reconstructed probes.
    error: f64,
    /// Squared distance of the probes from the mean face.
    energy: f64,
}

/// The eigenfaces of a fold, as far as the curve needs them.
pub(super) struct Eigenfaces {
    eigenvalues: Vec<f64>,
    total_variance: f64,
    /// Weights of the learned faces (k x n) and of the probes (k x m).
    pub learned: Weights,
    pub probes: Weights,
    /// Squared distance of each probe from the mean face.
    energies: Vec<f64>,
}

/// The inner products of all faces, where they are not too many.
pub(super) fn products(gallery: &Gallery) -> Option<InnerProducts> {
    (gallery.len() <= MOST_PRODUCTS).then(|| InnerProducts::of(gallery.faces()))
}

/// The curve over some folds, and the fewest and the most components that were chosen in them.
pub(super) fn curve(
    gallery: &Gallery,
    settings: Settings,
    folds: &[Fold],
    bootstrap: &Bootstrap,
) -> Result<(Vec<KPoint>, (usize, usize))> {
    let products = products(gallery);
    let one = |fold: &Fold| {
        let eigenfaces = Eigenfaces::of(products.as_ref(), gallery, settings.pca, fold)?;
        let sums: Vec<Sums> = steps(eigenfaces.eigenvalues.len(), gallery.faces().size().pixels())
            .into_iter()
            .map(|k| eigenfaces.leading(k, gallery, settings, fold))
            .collect::<Result<_>>()?;
        Ok((eigenfaces.eigenvalues.len(), sums))
    };
    let parts: Vec<(usize, Vec<Sums>)> = if products.is_some() {
        folds.par_iter().map(one).collect::<Result<_>>()?
    } else {
        folds.iter().map(one).collect::<Result<_>>()?
    };
    let counts = || parts.iter().map(|(components, _)| *components);
    let range = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
    Ok((over_folds(&parts, gallery.faces().size().pixels(), bootstrap), range))
}

impl Eigenfaces {
    /// From inner products where they are kept, from the pixels otherwise.
    pub fn of(products: Option<&InnerProducts>, gallery: &Gallery, pca: Pca, fold: &Fold) -> Result<Self> {
        if let Some(products) = products {
            let space = products.fit(&fold.learned, pca.components)?;
            let energy = |&face: &usize| space.residual(face, &[]).from_mean.powi(2);
            return Ok(Self {
                eigenvalues: space.eigenvalues(),
                total_variance: space.total_variance(),
                learned: space.training_weights(),
                probes: space.project(&fold.probes),
                energies: fold.probes.iter().map(energy).collect(),
            });
        }
        let learned = gallery.faces().select(&fold.learned)?;
        let probes = gallery.faces().select(&fold.probes)?;
        let space = FaceSpace::new(learned.size(), &pca.fit(&learned)?);
        let energy = |face: &[u8]| space.residual(face, &[]).from_mean.powi(2);
        Ok(Self {
            eigenvalues: space.eigenvalues().to_vec(),
            total_variance: space.total_variance(),
            learned: space.project(&learned),
            energies: probes.faces().map(energy).collect(),
            probes: space.project(&probes),
        })
    }

    /// Recognition and reconstruction by the first k in this fold.
    fn leading(&self, k: usize, gallery: &Gallery, settings: Settings, fold: &Fold) -> Result<Sums> {
        let all = gallery.persons();
        let persons: Vec<usize> = fold.learned.iter().map(|&face| all[face]).collect();
        let first = |weights: &Weights| -> DMatrix<f32> { weights.rows(0, k).into_owned() };
        let (learned, weights) = (first(&self.learned), first(&self.probes));
        let coordinates = |weights| settings.distance.metric.coordinates(weights, &self.eigenvalues[..k]);
        let clusters = Clusters::of_faces(&coordinates(&learned), &persons, gallery.people().len());
        let clusters = clusters.ok_or(Error::Inconsistent)?;
        let probes = fold.probes.len();
        let kept: f64 = self.eigenvalues[..k].iter().sum();
        let mut sums = Sums { probes, variance: kept / self.total_variance * probes as f64, ..Sums::default() };
        let coordinates = coordinates(&weights);
        for (at, &face) in fold.probes.iter().enumerate() {
            let ranked = clusters.rank(coordinates.column(at).as_slice(), 1);
            sums.right.add(fold.repeat, all[face], ranked.first().map(|first| first.person) == Some(all[face]));
            let inside: f64 = weights.column(at).iter().map(|&w| f64::from(w).powi(2)).sum();
            sums.error += (self.energies[at] - inside).max(0.0);
            sums.energy += self.energies[at];
        }
        Ok(sums)
    }
}

/// The numbers of components on a curve of at most k for d pixels: d / 100 and k itself among them.
fn steps(k: usize, d: usize) -> Vec<usize> {
    let percent = Some(d / PIXELS_A_WEIGHT).filter(|&percent| percent > 0);
    let mut steps: Vec<usize> = CURVE.into_iter().chain(percent).filter(|&step| step < k).chain([k]).collect();
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// Over all folds (components, sums of each step); a fold of fewer components counts with all that it has.
fn over_folds(parts: &[(usize, Vec<Sums>)], pixels: usize, bootstrap: &Bootstrap) -> Vec<KPoint> {
    let most = parts.iter().map(|(components, _)| *components).max();
    steps(most.unwrap_or(0), pixels)
        .into_iter()
        .map(|k| {
            let mut sum = Sums::default();
            for (components, sums) in parts {
                let at = steps(*components, pixels).into_iter().take_while(|&step| step < k).count();
                let Some(point) = sums.get(at).or(sums.last()) else { continue };
                sum.right.append(&point.right);
                sum.probes += point.probes;
                sum.variance += point.variance;
                sum.error += point.error;
                sum.energy += point.energy;
            }
            let probes = sum.probes as f64;
            let variance = (sum.variance / probes).min(1.0);
            let mean_square = sum.error / (probes * pixels as f64);
            KPoint {
                components: k,
                variance,
                rank1: sum.right.rate(bootstrap),
                error_learned: 1.0 - variance,
                error_unseen: sum.error / sum.energy.max(f64::MIN_POSITIVE),
                psnr_unseen: 10.0 * libm::log10(255.0_f64.powi(2) / mean_square.max(f64::MIN_POSITIVE)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_ends_with_all_components() {
        assert_eq!(steps(6, 3000), [1, 2, 3, 5, 6]);
        assert_eq!(steps(5, 99), [1, 2, 3, 5]);
        assert_eq!(steps(1, 700), [1]);
        assert_eq!(steps(12, 850), [1, 2, 3, 5, 7, 8, 10, 12]);
        assert_eq!(steps(12, 1000), [1, 2, 3, 5, 7, 10, 12]);
    }
}
