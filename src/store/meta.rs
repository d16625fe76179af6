//! `meta.json`: what a model says of itself beside its arrays.

use serde::{Deserialize, Serialize};

use super::Archive;
use super::background_arrays::BackgroundMeta;
use crate::background::Prior;
use crate::decision::Calibration;
use crate::error::{Error, ModelProblem, Result};
use crate::face_matrix::FaceSize;
use crate::face_space::FaceSpace;
use crate::kernel_pca::Kernel;
use crate::locate::framing::{CropEyes, Framing};
use crate::matcher::{Comparison, Feature, PixelScale};
use crate::pca::Pca;
use crate::preparation::Preparation;
use crate::recognizer::{BasisOrigin, Settings};

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
    /// The kind of these faces.
    pub origin: BasisOrigin,
    pub total_variance: f64,
    /// The settings as a user would type them.
    pub wanted_components: String,
    pub solver: String,
    pub features: String,
    pub copies: String,
    pub metric: String,
    pub clusters: String,
    /// Columns of each face in `coordinates`.
    pub columns_of_a_face: usize,
    pub texture: Option<LinearMeta>,
    /// Whether pixels are divided by their standard deviations, and what there is to say of their space then.
    #[serde(default)]
    pub scaled_pixels: Option<LinearMeta>,
    /// The kernel, as a user would type it, and what it says of each feature, in their order.
    #[serde(default = "linear")]
    pub kernel: String,
    #[serde(default)]
    pub kernel_spaces: Vec<KernelMeta>,
    /// Of a gallery whose people are compared by what it alone teaches.
    #[serde(default)]
    pub calibration: Option<Calibration>,
    /// Of a gallery whose people are compared by the background model.
    #[serde(default)]
    pub background: Option<BackgroundMeta>,
}

fn linear() -> String {
    Kernel::Linear.to_string()
}

/// The part of `meta.json` about a feature's space of a kernel.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct KernelMeta {
    pub components: usize,
    pub total_variance: f64,
}

/// The part of `meta.json` about a space besides that of plain pixels: of texture or scaled pixels, where these are
/// compared.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct LinearMeta {
    pub(super) components: usize,
    pub(super) learned_from: usize,
    pub(super) total_variance: f64,
}

impl LinearMeta {
    pub(super) fn of(space: &FaceSpace) -> Self {
        Self {
            components: space.components(),
            learned_from: space.learned_from(),
            total_variance: space.total_variance(),
        }
    }
}

/// The beginning of the names of a feature's arrays.
pub(super) fn prefix(view: Feature) -> &'static str {
    match view {
        Feature::Pixels => "",
        Feature::Texture => "texture_",
    }
}

/// The error of a wrong `meta.json`.
pub(super) fn senseless(archive: &Archive, reason: &str) -> Error {
    archive.refuse(ModelProblem::json("meta.json", reason))
}

impl Meta {
    pub(super) fn size(&self, archive: &Archive) -> Result<FaceSize> {
        FaceSize::new(self.width, self.height)
            .map_err(|_| senseless(archive, "an impossible size of faces"))
    }

    pub(super) fn preparation(&self, size: FaceSize) -> Preparation {
        Preparation::new(size, self.framing)
            .with_crop_eyes(self.crop_eyes.filter(CropEyes::is_sound))
    }

    pub(super) fn settings(&self, archive: &Archive) -> Result<Settings> {
        let senseless = |reason: String| senseless(archive, &reason);
        Ok(Settings {
            prior: match self.background {
                Some(_) => Prior::Bundled,
                None => Prior::None,
            },
            pca: Pca {
                components: self.wanted_components.parse().map_err(senseless)?,
                solver: self.solver.parse().map_err(senseless)?,
            },
            comparison: Comparison {
                features: self.features.parse().map_err(senseless)?,
                copies: self.copies.parse().map_err(senseless)?,
                kernel: self.kernel.parse().map_err(senseless)?,
                pixel_scale: match self.scaled_pixels {
                    Some(_) => PixelScale::Deviation,
                    None => PixelScale::Plain,
                },
                metric: self.metric.parse().map_err(senseless)?,
                clusters: self.clusters.parse().map_err(senseless)?,
            },
        })
    }
}
