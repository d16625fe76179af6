//! How a photo becomes a face of the model's size: the same for the gallery and for every probe.

use image::GrayImage;

use crate::error::PhotoProblem;
use crate::face_matrix::FaceSize;
use crate::normalize::resize::{self, Fit};

/// How photos are made ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preparation {
    size: FaceSize,
}

/// A face of the model's size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedFace {
    /// d pixels, row by row.
    pub pixels: Vec<u8>,
    /// What had to be done to the photo.
    pub fit: Fit,
}

impl Preparation {
    /// Photos are brought to this size; their shape is kept and what is over is cropped.
    pub fn new(size: FaceSize) -> Self {
        Self { size }
    }

    /// Width and height of the faces.
    pub fn size(&self) -> FaceSize {
        self.size
    }

    /// Makes one photo ready.
    ///
    /// # Errors
    /// A photo too small to show a face.
    pub fn prepare(&self, photo: &GrayImage) -> Result<PreparedFace, PhotoProblem> {
        let (face, fit) = resize::fit(photo, self.size)?;
        Ok(PreparedFace {
            pixels: face.into_raw(),
            fit,
        })
    }
}
