//! Faces as one feature sees them, and what is learned of them.

use std::borrow::Cow;
use std::sync::Arc;

use nalgebra::DMatrix;

use super::feature_space::Projected;
use super::{Augmentation, Feature, FeatureSpace, Space};
use crate::error::Result;
use crate::face_matrix::FaceMatrix;
use crate::face_space::{FaceSpace, Weights};
use crate::kernel_pca::KernelPca;
use crate::metric::Metric;
use crate::pca::{ComponentCount, Mirror, Parity, Pca, Symmetry, scaled as scaled_pixels};
use crate::scaled_space::ScaledSpace;

/// The faces of a gallery as one feature sees them, with their copies: made once, learned from often.
pub struct FeatureMatrix<'a> {
    pub(super) feature: Feature,
    pub(super) share: f64,
    pub(super) copies: Augmentation,
    pub(super) mirror: Mirror,
    /// The columns of each face stand side by side, the face itself first: d x (n s), s shifts a face.
    pub(super) bytes: Cow<'a, FaceMatrix>,
}

impl FeatureMatrix<'_> {
    /// n, the number of faces.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() / self.copies.shifts_of_a_face()
    }

    /// The columns of some faces: n s.
    pub(super) fn columns(&self, faces: &[usize]) -> Vec<usize> {
        let shifts = self.copies.shifts_of_a_face();
        let of_a_face = |face: &usize| face * shifts..(face + 1) * shifts;
        faces.iter().flat_map(of_a_face).collect()
    }

    /// The columns of some faces as they are: n.
    pub(super) fn themselves(&self, faces: &[usize]) -> Vec<usize> {
        let shifts = self.copies.shifts_of_a_face();
        faces.iter().map(|face| face * shifts).collect()
    }

    /// The feature.
    pub fn feature(&self) -> Feature {
        self.feature
    }

    /// Some faces, followed by their mirror images where the copies have them: what the space of a kernel is learned
    /// from.
    pub(super) fn learned(&self, faces: &[usize]) -> Result<FaceMatrix> {
        let themselves = self.bytes.select(&self.themselves(faces))?;
        match self.symmetry() {
            Symmetry::None => Ok(themselves),
            Symmetry::Mirror(mirror) => {
                let mut mirrored = themselves.as_slice().to_vec();
                mirror.apply(&mut mirrored);
                let both = [themselves.as_slice(), &mirrored].concat();
                FaceMatrix::from_pixels(themselves.size(), both)
            }
        }
    }

    /// The linear space of some faces, and their weights.
    pub(super) fn linear(&self, faces: &[usize], pca: Pca) -> Result<(Space, Projected)> {
        let themselves = self.bytes.select(&self.themselves(faces))?;
        let components = pca.fit_with_symmetry(&themselves, self.symmetry())?;
        let space = FaceSpace::new(themselves.size(), &components);
        drop(themselves);
        let placed = Projected {
            weights: space.project(&self.bytes.select(&self.columns(faces))?),
            parity: components.parity,
        };
        Ok((Space::Linear(Arc::new(space)), placed))
    }

    /// The space of a kernel of some faces, and their weights with those of all copies.
    pub(super) fn kernel(&self, faces: &[usize], pca: KernelPca) -> Result<(Space, Projected)> {
        let space = Space::Kernel(Arc::new(pca.fit(&self.learned(faces)?)?));
        let placed = self.placed(&space, faces)?;
        Ok((space, placed))
    }

    /// The space of scaled pixels of some faces, and their weights with those of all copies.
    pub(super) fn scaled(
        &self,
        faces: &[usize],
        components: ComponentCount,
    ) -> Result<(Space, Projected)> {
        let learned = self.learned(faces)?;
        let mut found = scaled_pixels::fit(&learned, components)?;
        // Mirror images are not counted, as elsewhere.
        found.components.faces = faces.len();
        let space = Space::Scaled(Arc::new(ScaledSpace::new(learned.size(), &found)));
        let placed = self.placed(&space, faces)?;
        Ok((space, placed))
    }

    /// The weights of all copies of some faces, a face's side by side, in any space.
    pub(super) fn placed(&self, space: &Space, faces: &[usize]) -> Result<Projected> {
        let columns = self.bytes.select(&self.columns(faces))?;
        let mut weights = space.project(&columns);
        if let Symmetry::Mirror(mirror) = self.symmetry() {
            let mut mirrored = columns.as_slice().to_vec();
            mirror.apply(&mut mirrored);
            let mirrored = space.project(&FaceMatrix::from_pixels(columns.size(), mirrored)?);
            let shifts = self.copies.shifts_of_a_face();
            let mut all = Weights::zeros(weights.nrows(), 2 * weights.ncols());
            for face in 0..faces.len() {
                let (from, to) = (face * shifts, 2 * face * shifts);
                all.columns_mut(to, shifts)
                    .copy_from(&weights.columns(from, shifts));
                all.columns_mut(to + shifts, shifts)
                    .copy_from(&mirrored.columns(from, shifts));
            }
            weights = all;
        }
        let parity = None;
        Ok(Projected { weights, parity })
    }

    /// This feature with its space and the metric of the faces placed there, whose people are `persons` (n); and the
    /// coordinates of the faces with all their copies, a face's side by side: k x (n c).
    pub(super) fn feature_space(
        &self,
        space: Space,
        placed: &Projected,
        metric: Metric,
        persons: &[usize],
    ) -> (FeatureSpace, DMatrix<f32>) {
        let metric = placed.metric(metric, space.eigenvalues(), persons);
        let part = FeatureSpace::new(self.feature, self.share, space, metric);
        let straight = part.coordinates(&placed.weights);
        let enrolled = self.with_mirrored(straight, placed.parity.as_deref());
        (part, enrolled)
    }

    /// Whether the space is learned from mirror images too.
    pub fn symmetry(&self) -> Symmetry<'_> {
        match self.copies {
            Augmentation::None => Symmetry::None,
            Augmentation::Auto | Augmentation::Mirrored | Augmentation::Shifted => {
                Symmetry::Mirror(&self.mirror)
            }
        }
    }

    /// From the coordinates of columns (k x n s) those of all copies, a face's side by side: k x (n c). In a
    /// mirror odd ones change their sign, as the weights do.
    pub(super) fn with_mirrored(
        &self,
        straight: DMatrix<f32>,
        parity: Option<&[Parity]>,
    ) -> DMatrix<f32> {
        let Some(parity) = parity else {
            return straight;
        };
        let shifts = self.copies.shifts_of_a_face();
        let mut all = DMatrix::zeros(straight.nrows(), 2 * straight.ncols());
        for (at, face) in straight.column_iter().enumerate() {
            let place = at / shifts * shifts * 2 + at % shifts;
            all.set_column(place, &face);
            let mut mirrored = all.column_mut(place + shifts);
            for ((to, &value), parity) in mirrored.iter_mut().zip(face.iter()).zip(parity) {
                *to = match parity {
                    Parity::Even => value,
                    Parity::Odd => -value,
                };
            }
        }
        all
    }
}
