//! Origins of faces: the data of its photo that a gallery keeps.

use image::GrayImage;
use serde::{Deserialize, Serialize};

use crate::locate::framing::RelativeEyes;

/// The data of a photo that a gallery keeps to derive the frame of its crops ([`CropEyes`](crate::locate::framing::CropEyes)) from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Origin {
    /// A photo taken whole, or one of which nothing is known.
    #[default]
    Whole,
    /// A photo in which the face was found.
    Found {
        /// Width and height of the photo.
        photo: (u32, u32),
        /// Its eye positions.
        eyes: RelativeEyes,
    },
    /// A photo that is kept, since where its eyes are depends on the frame that the gallery's crops share: one in which no
    /// face was found, a crop or small photo whose eyes are in doubt, and any small crop.
    Kept {
        /// The photo, no longer than [`KEPT_SIDE`](super::KEPT_SIDE).
        photo: GrayImage,
        /// The eyes found in it.
        eyes: KeptEyes,
    },
}

/// The eyes that were found in a photo that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeptEyes {
    /// None.
    None,
    /// Eyes that several starts of the eye finder place differently.
    Doubtful(RelativeEyes),
    /// Eyes of a small crop.
    Sure(RelativeEyes),
}

impl KeptEyes {
    /// Their positions.
    pub fn places(self) -> Option<RelativeEyes> {
        match self {
            Self::None => None,
            Self::Doubtful(eyes) | Self::Sure(eyes) => Some(eyes),
        }
    }
}

impl Origin {
    /// Size and eyes of a photo in which the face was found, its eyes not in doubt.
    pub fn found(&self) -> Option<((u32, u32), RelativeEyes)> {
        match self {
            Self::Found { photo, eyes } => Some((*photo, *eyes)),
            Self::Kept { photo, eyes: KeptEyes::Sure(eyes) } => Some((photo.dimensions(), *eyes)),
            Self::Whole | Self::Kept { .. } => None,
        }
    }

    /// Whether no face was found in the photo.
    pub fn is_without_face(&self) -> bool {
        matches!(self, Self::Kept { eyes: KeptEyes::None, .. })
    }
}
