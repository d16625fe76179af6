//! The basis of merged sums: spaces in which any gallery can be placed.

use std::sync::Arc;

use super::{Fingerprint, Mirrors, Partial, Plan};
use crate::error::PcaError;
use crate::face_space::FaceSpace;
use crate::matcher::Feature;
use crate::pca::Symmetry;
use crate::pca::covariance::Accumulator;

/// The basis that all workers' photos have together, with nobody enrolled: the face space of the pixels, and that of
/// the texture where it is compared.
///
/// Bit for bit what one process learns from the same photos: for the pixels without mirror images
/// [`fit_stream`](crate::pca::covariance::fit_stream), and what a recogniser learns by
/// [`Solver::Covariance`](crate::pca::Solver::Covariance) otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedBasis {
    plan: Plan,
    pixels: Arc<FaceSpace>,
    texture: Option<Arc<FaceSpace>>,
    photos: Fingerprint,
    skipped: u64,
}

impl MergedBasis {
    /// Learns the spaces from sums.
    ///
    /// # Errors
    /// Fewer than two faces, or faces that are all alike.
    pub fn learn(sums: Partial) -> Result<Self, PcaError> {
        let (photos, skipped) = (sums.photos(), sums.skipped);
        let plan = sums.plan;
        let size = plan.preparation().size();
        let mut spaces = Vec::new();
        for (feature, sums) in plan.summed().into_iter().zip(sums.sums) {
            let mirror = feature.mirror(size);
            // As a recogniser has it: what is only shown is learned from the faces alone.
            let symmetry = match plan.mirrors() {
                Mirrors::Learned if plan.compares(feature) => Symmetry::Mirror(&mirror),
                Mirrors::Learned | Mirrors::None => Symmetry::None,
            };
            let components =
                Accumulator::from(sums).components_with_symmetry(plan.components(), symmetry)?;
            let space = FaceSpace::new(feature.size(size), &components);
            spaces.push(Arc::new(space));
        }
        let texture = plan
            .compares(Feature::Texture)
            .then(|| spaces.pop())
            .flatten();
        let pixels = spaces.pop().expect("every plan has the pixels");
        Ok(Self {
            plan,
            pixels,
            texture,
            photos,
            skipped,
        })
    }

    /// A basis from what was kept of it. `None` where it does not fit together.
    pub fn from_parts(
        plan: Plan,
        pixels: FaceSpace,
        texture: Option<FaceSpace>,
        photos: Fingerprint,
        skipped: u64,
    ) -> Option<Self> {
        let size = plan.preparation().size();
        let texture_fits = match &texture {
            Some(space) => {
                plan.compares(Feature::Texture)
                    && space.size() == Feature::Texture.size(size)
                    && space.learned_from() == pixels.learned_from()
            }
            None => !plan.compares(Feature::Texture),
        };
        (pixels.size() == size && texture_fits).then(|| Self {
            plan,
            pixels: Arc::new(pixels),
            texture: texture.map(Arc::new),
            photos,
            skipped,
        })
    }

    /// The plan that all workers agreed on.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The face space of the pixels.
    pub fn pixels(&self) -> &Arc<FaceSpace> {
        &self.pixels
    }

    /// The space of the texture, where it is compared.
    pub fn texture(&self) -> Option<&Arc<FaceSpace>> {
        self.texture.as_ref()
    }

    /// The space of a feature, if it has one.
    pub fn space(&self, feature: Feature) -> Option<&Arc<FaceSpace>> {
        match feature {
            Feature::Pixels => Some(&self.pixels),
            Feature::Texture => self.texture(),
        }
    }

    /// n, the faces learned from.
    pub fn learned_from(&self) -> usize {
        self.pixels.learned_from()
    }

    /// The photos learned from, however they were split.
    pub fn photos(&self) -> Fingerprint {
        self.photos
    }

    /// Photos that gave no face.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }
}
