//! Options of everything that learns.

use std::convert::Infallible;
use std::path::PathBuf;

use clap::Args;
use eigenfaces::background::Prior;
use eigenfaces::face_matrix::FaceSize;
use eigenfaces::kernel_pca::Kernel;
use eigenfaces::locate::framing::FramingRule;
use eigenfaces::matcher::{Metric, PixelScale};
use eigenfaces::pca::{ComponentCount, Solver};
use eigenfaces::store;

use super::{Force, Labels, ending_in};

/// A background model, as a user names it.
#[derive(Debug, Clone)]
pub enum BackgroundModel {
    Bundled,
    None,
    /// Learned for each fold of `--pairs` from the people of the others.
    OtherFolds,
    /// A file that `eigenfaces background` wrote.
    File(PathBuf),
}

impl BackgroundModel {
    fn named(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "bundled" => Self::Bundled,
            "none" => Self::None,
            "other-folds" => Self::OtherFolds,
            path => Self::File(path.into()),
        })
    }

    /// The background model itself.
    ///
    /// # Errors
    /// A file that is none; one that only `evaluate --pairs` has.
    pub fn open(&self) -> eigenfaces::Result<Prior> {
        match self {
            Self::Bundled => Ok(Prior::Bundled),
            Self::None => Ok(Prior::None),
            Self::OtherFolds => Err(eigenfaces::Error::missing("other-folds")),
            Self::File(path) => store::load_background(path).map(Prior::Own),
        }
    }
}

#[derive(Debug, Args)]
pub struct LearnBackground {
    /// Folders with a sub-folder per person: 100 people or more with two photos or more each, none of whom need be enrolled
    #[arg(required = true, value_name = "FOLDER")]
    pub faces: Vec<PathBuf>,
    /// The file to write, for `enroll --background`
    #[arg(short, long, value_name = "FILE.npz", value_parser = ending_in(&["npz"], ".npz"))]
    pub output: PathBuf,
    /// Where the photos come from: kept in the file, and told by `info`
    #[arg(long, value_name = "TEXT", value_parser = told)]
    pub source: String,
    /// The license or permission under which they are used: kept and told likewise
    #[arg(long, value_name = "TEXT", value_parser = told)]
    pub license: String,
    #[command(flatten)]
    pub labels: Labels,
    #[command(flatten)]
    pub force: Force,
}

/// A line that says something.
fn told(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    match text.chars().any(char::is_alphanumeric) && text.len() <= 1000 {
        true => Ok(text.to_owned()),
        false => Err("want a line of text, of at most 1000 bytes"),
    }
}

/// How photos are made ready.
#[derive(Debug, Clone, Default, Args)]
pub struct Prepare {
    /// Framing of faces: as-is, detect or auto [default: auto]
    ///
    /// `as-is` takes photos whole, `detect` finds faces and aligns them by the eyes, `auto` aligns what is found and takes tiny photos whole.
    #[arg(long, value_name = "FRAMING")]
    pub framing: Option<FramingRule>,
    /// Size of the faces [default: 64x74; for photos taken as they are without background model, their own shape with at most 3,600 pixels, such as 54x66]
    #[arg(long, hide_short_help = true, value_name = "WxH")]
    pub size: Option<FaceSize>,
}

/// Options of learning; all of them are kept in the model, so that a probe is treated like the gallery.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of learning")]
pub struct LearningOptions {
    #[command(flatten)]
    pub prepare: Prepare,
    /// Background model: bundled, none, or a file that `eigenfaces background` wrote [default: bundled]
    ///
    /// What is known before anybody is enrolled: `bundled`, how faces of thousands of other people differ; a file, how those of one's own people do; or `none`, to compare by what these faces alone teach, as eigenfaces theory has it (the default with --kernel, --scale-pixels or --metric).
    #[arg(long, value_name = "bundled|none|FILE", value_parser = BackgroundModel::named)]
    pub background: Option<BackgroundModel>,
    /// Number of eigenfaces, or a rule for it [default: auto]
    ///
    /// `auto`, a count such as 40, a share of variance such as 0.95, or a rule (profile, parallel).
    #[arg(long, value_name = "K")]
    pub components: Option<ComponentCount>,
    /// Eigensolver: auto, gram, covariance, or minimize (iterative, for teaching) [default: auto]
    #[arg(long, hide_short_help = true, value_name = "SOLVER")]
    pub solver: Option<Solver>,
    /// Kernel PCA instead of linear PCA: linear, rbf:auto, rbf:GAMMA, poly:DEGREE[,C], or cosine [default: linear]
    #[arg(long, hide_short_help = true, value_name = "KERNEL")]
    pub kernel: Option<Kernel>,
    /// Divide each pixel by its standard deviation first, so that all count alike [default: no]
    #[arg(
        hide_short_help = true,
        long,
        value_name = "yes|no",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "yes"
    )]
    pub scale_pixels: Option<PixelScale>,
    /// Distance between weights: euclidean, or whitened (each over its standard deviation) [default: whitened]
    #[arg(long, hide_short_help = true, value_name = "METRIC")]
    pub metric: Option<Metric>,
}
