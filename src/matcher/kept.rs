//! Faces in spaces that stay as they are, whatever they were learned from.

use nalgebra::DMatrix;

use super::{Comparison, Matcher, Placed, Space, Viewed, stacked};
use crate::error::{Error, Result};
use crate::pca::{Parity, Symmetry};

impl Matcher {
    /// Learns metric and clusters of some of the faces that were viewed, in the spaces of this matcher; `persons` are
    /// theirs (n), from 0 up to `people`, in increasing order.
    ///
    /// # Errors
    /// A view of which this matcher has no space; a kernel, whose components are tied to the faces learned from.
    pub fn keeping_spaces(
        &self,
        viewed: &[Viewed<'_>],
        faces: &[usize],
        persons: &[usize],
        people: usize,
        comparison: Comparison,
    ) -> Result<Self> {
        let mut parts = Vec::with_capacity(viewed.len());
        let mut coordinates: Vec<DMatrix<f32>> = Vec::with_capacity(viewed.len());
        for view in viewed {
            let part = self.part(view.view).ok_or(Error::Inconsistent)?;
            let space = part.space();
            if space.scaled().is_some() != comparison.scales(view.view) {
                return Err(Error::Inconsistent);
            }
            let placed = match space {
                Space::Linear(linear) => Placed {
                    weights: linear.project(&view.bytes.select(&view.columns(faces))?),
                    parity: view.parity_of(linear.basis()),
                },
                Space::Scaled(_) => view.placed(space, faces)?,
                Space::Kernel(_) => return Err(Error::KernelNotKept),
            };
            let (part, enrolled) = view.part(space.clone(), &placed, comparison.metric, persons);
            coordinates.push(enrolled);
            parts.push(part);
        }
        Self::from_parts(parts, stacked(&coordinates), persons, people, comparison)
    }
}

impl Viewed<'_> {
    /// How each of these basis vectors (d x k) looks in the mirror, where there is one.
    fn parity_of(&self, basis: &DMatrix<f32>) -> Option<Vec<Parity>> {
        match self.symmetry() {
            Symmetry::None => None,
            Symmetry::Mirror(mirror) => {
                let vectors = basis.column_iter();
                Some(
                    vectors
                        .map(|vector| mirror.parity(vector.as_slice()))
                        .collect(),
                )
            }
        }
    }
}
