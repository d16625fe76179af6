//! The frame that the crops of a gallery share, and the photos that are aligned by it.

use super::{Gallery, LabeledFace};
use crate::locate::framing::{CropEyes, Framing};
use crate::preparation::{Origin, Preparation};

impl Gallery {
    /// The common eye positions of this gallery's photos, if they are crops that agree.
    pub fn crop_eyes(&self) -> Option<CropEyes> {
        CropEyes::of(self.enrolled().iter().filter_map(|face| face.origin.found()).collect())
    }

    /// The preparation whose frame is that of this gallery, and the gallery, whose faces were prepared by `preparation`, as
    /// it is prepared by that one: kept photos ([`Origin::Kept`]) are aligned by the frame where it serves, and all stay. So
    /// both depend on nothing but the photos that are enrolled, whenever and in whatever order they came.
    pub fn framed(self, preparation: &Preparation) -> (Preparation, Self) {
        let crop_eyes = if preparation.framing() == Framing::AsIs { None } else { self.crop_eyes() };
        let framed = preparation.with_crop_eyes(crop_eyes);
        let is_aligned = |origin: &Origin| match origin {
            Origin::Kept { photo, eyes } => preparation.aligns_alike(&framed, photo.dimensions(), *eyes),
            Origin::Whole | Origin::Found { .. } => true,
        };
        if self.enrolled().iter().all(|face| is_aligned(&face.origin)) {
            return (framed, self);
        }
        let gallery = self.changed(|face| {
            if !is_aligned(&face.origin) {
                face.align(&framed);
            }
        });
        (framed, gallery)
    }
}

impl LabeledFace {
    /// Aligns it as a preparation does, if its photo is kept ([`Origin::Kept`]).
    pub(crate) fn align(&mut self, preparation: &Preparation) {
        if let Origin::Kept { photo, eyes } = &self.origin
            && let Some(aligned) = preparation.assumed(photo.clone(), *eyes)
        {
            self.pixels = aligned.pixels.into();
        }
    }
}
