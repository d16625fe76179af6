//! The space that weights live in: its basis faces, or pre-images where it has none; how the
//! variance is spread; where everybody stands.

use super::super::drawing::data_uri;
use super::super::words::percent;
use super::super::{along_components, parts, scatter, signed};
use super::{Report, Tile};
use crate::kernel_pca::KernelSpace;
use crate::kernel_pca::pre_image::{PreImages, RIDGE};
use crate::matcher::Space;

/// Basis faces shown; later ones look like noise.
pub(super) const BASIS_SHOWN: usize = 23;

/// Components of a kernel shown, each by two pre-images.
const PRE_IMAGES_SHOWN: usize = 12;

impl Report<'_> {
    /// The introduction to its pictures, for whoever never saw any.
    pub(super) fn basis_intro(&self) -> String {
        match self.space {
            Space::Linear(_) => "Every face is the mean face plus so much of each basis face (eigenface). They come in the order of how much of the differences between faces they explain, below each. Mid-gray is zero: light and dark are added or taken away.".to_owned(),
            Space::Scaled(_) => "Each pixel was divided by its standard deviation, so that all count alike. Every face so scaled is the mean face plus so much of each basis face (eigenface). They come in the order of how much of the differences between scaled faces they explain, below each. Mid-gray is zero: light and dark are added or taken away.".to_owned(),
            Space::Kernel(space, _) => format!(
                "Faces are compared by the kernel {}, whose space has no basis faces. Shown are approximate pre-images: the faces that come nearest to the mean less and plus two standard deviations along each component. They come in the order of how much of the variance in that space they carry, below each.",
                space.kernel()
            ),
        }
    }

    pub(super) fn basis(&self) -> Vec<Tile> {
        let basis = match self.space {
            Space::Linear(space) => space.basis(),
            Space::Scaled(space) => space.basis(),
            Space::Kernel(space, _) => return self.pre_images(space),
        };
        let columns = basis.column_iter().zip(self.space.variance_ratios());
        let shown = (1..).zip(columns).take(BASIS_SHOWN);
        shown
            .map(|(number, (eigenface, ratio))| Tile {
                picture: data_uri(&signed(self.space.size(), eigenface.as_slice()).into()),
                name: number.to_string(),
                source: percent(ratio),
            })
            .collect()
    }

    /// Two pictures a component: down and up along it.
    fn pre_images(&self, space: &KernelSpace) -> Vec<Tile> {
        let Some(images) = PreImages::learn(space, space.components(), RIDGE) else {
            return Vec::new();
        };
        let shown = along_components(self.space.size(), space, &images, PRE_IMAGES_SHOWN);
        let shown = shown.into_iter().zip(self.space.variance_ratios());
        let tiles = (1..).zip(shown).flat_map(|(number, ([down, up], ratio))| {
            [("down", down), ("up", up)].map(|(name, picture)| Tile {
                picture: data_uri(&picture.into()),
                name: format!("{number} {name}"),
                source: percent(ratio),
            })
        });
        tiles.collect()
    }

    pub(super) fn scatter(&self) -> String {
        let ratios = self.space.variance_ratios();
        let names = (0..self.gallery.people().len()).map(|person| self.name(person));
        let axes = (parts(self.space).0, &ratios[..]);
        scatter::of_gallery(self.gallery, self.weights, axes, names, str::to_owned)
    }
}
