//! `meta.json`: what a model says of itself beside its arrays.

use serde::{Deserialize, Serialize};

use super::Archive;
use super::background_arrays::BackgroundMeta;
use crate::background::Prior;
use crate::error::{Error, ModelProblem, Result};
use crate::face_matrix::FaceSize;
use crate::locate::framing::{CropEyes, Framing};
use crate::matcher::{DistanceCalibration, DistanceSettings};
use crate::pca::Pca;
use crate::preparation::Preparation;
use crate::recognizer::Settings;

/// `meta.json`, but for the version of the format, which the archive itself keeps.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Meta {
    /// Version of the program that wrote the file.
    pub program: String,
    pub width: u32,
    pub height: u32,
    pub framing: Framing,
    /// Position of the eyes in photos in which no face is found.
    #[serde(default)]
    pub crop_eyes: Option<CropEyes>,
    pub faces: usize,
    pub components: usize,
    /// Faces that the space was learned from.
    pub learned_from: usize,
    pub total_variance: f64,
    /// The settings as a user would type them.
    pub wanted_components: String,
    pub solver: String,
    pub metric: String,
    /// The kernel, as a user would type it.
    pub kernel: String,
    /// Whether pixels are divided by their standard deviations: `yes` or `no`.
    pub scaled_pixels: String,
    /// Of a gallery whose people are compared by what it alone teaches.
    #[serde(default)]
    pub calibration: Option<DistanceCalibration>,
    /// Of a gallery whose people are compared by the background model.
    #[serde(default)]
    pub background: Option<BackgroundMeta>,
}

pub(super) fn invalid(archive: &Archive, reason: &str) -> Error {
    archive.refuse(ModelProblem::json("meta.json", reason))
}

impl Meta {
    pub(super) fn size(&self, archive: &Archive) -> Result<FaceSize> {
        FaceSize::new(self.width, self.height).map_err(|_| invalid(archive, "an impossible size of faces"))
    }

    pub(super) fn preparation(&self, size: FaceSize) -> Preparation {
        Preparation::new(size, self.framing).with_crop_eyes(self.crop_eyes.filter(CropEyes::is_sound))
    }

    pub(super) fn settings(&self, archive: &Archive) -> Result<Settings> {
        let invalid = |reason: String| invalid(archive, &reason);
        Ok(Settings {
            prior: if let Some(about) = &self.background { about.prior(archive)? } else { Prior::None },
            pca: Pca {
                components: self.wanted_components.parse().map_err(invalid)?,
                solver: self.solver.parse().map_err(invalid)?,
            },
            distance: DistanceSettings {
                kernel: self.kernel.parse().map_err(invalid)?,
                pixel_scale: self.scaled_pixels.parse().map_err(invalid)?,
                metric: self.metric.parse().map_err(invalid)?,
            },
        })
    }
}
