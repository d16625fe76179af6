//! Faces in spaces that stay as they are, whatever they were learned from.

use nalgebra::DMatrix;

use super::{Comparison, Matcher, Part, Placed, Space, View, Viewed, stacked};
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
        let of_view = |part: &Part| (part.view(), part.space().clone());
        let spaces: Vec<_> = self.parts.iter().map(of_view).collect();
        Self::in_spaces(&spaces, viewed, faces, persons, people, comparison)
    }

    /// The same in spaces that come from anywhere.
    ///
    /// # Errors
    /// As [`keeping_spaces`](Self::keeping_spaces).
    pub fn in_spaces(
        spaces: &[(View, Space)],
        viewed: &[Viewed<'_>],
        faces: &[usize],
        persons: &[usize],
        people: usize,
        comparison: Comparison,
    ) -> Result<Self> {
        let mut parts = Vec::with_capacity(viewed.len());
        let mut coordinates: Vec<DMatrix<f32>> = Vec::with_capacity(viewed.len());
        for view in viewed {
            let space = spaces.iter().find(|(seen, _)| *seen == view.view);
            let (_, space) = space.ok_or(Error::Inconsistent)?;
            if space.scaled().is_some() != comparison.scales(view.view) {
                return Err(Error::Inconsistent);
            }
            let placed = match space {
                Space::Linear(linear) => match view.parity_of(linear.basis()) {
                    Parities::Known(parity) => Placed {
                        weights: linear.project(&view.bytes.select(&view.columns(faces))?),
                        parity,
                    },
                    Parities::Neither => view.placed(space, faces)?,
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

/// What the mirror does to the weights of a basis.
enum Parities {
    /// It changes the sign of some, or there is none.
    Known(Option<Vec<Parity>>),
    /// The basis was not learned from mirror images, and they have weights of their own.
    Neither,
}

impl Viewed<'_> {
    /// How these basis vectors (d x k) look in the mirror, where there is one.
    fn parity_of(&self, basis: &DMatrix<f32>) -> Parities {
        match self.symmetry() {
            Symmetry::None => Parities::Known(None),
            Symmetry::Mirror(mirror) => match mirror.halves(basis) {
                Some((_, parities)) => Parities::Known(Some(parities)),
                None => Parities::Neither,
            },
        }
    }
}
