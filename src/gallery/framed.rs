//! The frame that the crops of a gallery share, and the photos that are aligned by it.

use super::Gallery;
use crate::locate::framing::{CropEyes, Framing};
use crate::preparation::{Origin, Preparation};

impl Gallery {
    /// Where the eyes stand in all photos of this gallery, if they are crops that agree.
    pub fn crop_eyes(&self) -> Option<CropEyes> {
        let found = self
            .enrolled()
            .iter()
            .filter_map(|face| face.origin.found());
        CropEyes::of(found.collect())
    }

    /// The preparation whose frame is that of this gallery, and the gallery as it is prepared by it: photos in which no
    /// face was found are aligned by the frame, those that it does not fit are left out. So both depend on nothing but
    /// the photos that are enrolled, whenever and in whatever order they came.
    pub fn framed(self, preparation: &Preparation) -> (Preparation, Self) {
        let crop_eyes = match preparation.framing() {
            Framing::AsIs => None,
            Framing::Detect => self.crop_eyes(),
        };
        let preparation = preparation.with_crop_eyes(crop_eyes);
        let gallery = self.aligned_by(&preparation);
        (preparation, gallery)
    }

    /// The gallery whose photos without a face found, or with eyes in doubt, are aligned by a frame that was given; those
    /// that have neither frame nor eyes are left out.
    pub fn aligned_by(self, preparation: &Preparation) -> Self {
        let is_located = |origin: &Origin| !matches!(origin, Origin::Unlocated { .. });
        if self.enrolled().iter().all(|face| is_located(&face.origin)) {
            return self;
        }
        self.changed(|face| {
            let Origin::Unlocated { photo, eyes } = &face.origin else {
                return true;
            };
            let aligned = preparation.assumed(photo, *eyes);
            aligned.is_some_and(|aligned| {
                face.pixels = aligned.pixels;
                true
            })
        })
    }

    /// Sources of the faces that are not among those of `other`, by content.
    pub fn missing_in(&self, other: &Self) -> Vec<String> {
        let there: std::collections::HashSet<_> =
            other.enrolled().iter().map(|face| face.hash).collect();
        let gone = self
            .enrolled()
            .iter()
            .filter(|face| !there.contains(&face.hash));
        gone.map(|face| face.source.clone()).collect()
    }
}
