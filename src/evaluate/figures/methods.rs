//! Figures of the textbook methods: baselines, the first K eigenfaces, and the size of weights.

use serde::Serialize;

use super::Rate;

/// Rank-1 of one method.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Baseline {
    /// Which.
    #[serde(serialize_with = "by_name")]
    pub method: BaselineMethod,
    /// Share of probes whose own person is the nearest; `None` where the method has nothing to learn from.
    #[serde(skip)]
    pub rank1: Option<Rate>,
}

fn by_name<S: serde::Serializer>(method: &BaselineMethod, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(method.name())
}

/// A way to recognise faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaselineMethod {
    /// The one that is evaluated, with the settings asked for.
    Asked,
    /// The nearest face by the plain distance between pixels.
    Pixels,
    /// The nearest face by the plain distance between weights (Turk & Pentland 1991).
    Eigenfaces,
    /// The nearest face by linear discriminants of the weights (Belhumeur, Hespanha & Kriegman 1997).
    Fisherfaces,
    /// The nearest face by histograms of local binary patterns, cell by cell (Ahonen, Hadid & Pietikäinen 2004).
    PatternHistograms,
}

impl BaselineMethod {
    /// What it compares, in words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Asked => "the method of the figures above",
            Self::Pixels => "nearest photo by the distance between pixels",
            Self::Eigenfaces => {
                "nearest photo by the Euclidean distance between weights (Turk & Pentland 1991)"
            }
            Self::Fisherfaces => {
                "nearest photo by discriminants of the weights (Belhumeur et al. 1997)"
            }
            Self::PatternHistograms => {
                "nearest photo by histograms of local binary patterns (Ahonen et al. 2004)"
            }
        }
    }

    /// The name that the field has for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Asked => "as asked",
            Self::Pixels => "plain pixels",
            Self::Eigenfaces => "eigenfaces",
            Self::Fisherfaces => "Fisherfaces",
            Self::PatternHistograms => "LBP histograms",
        }
    }
}

/// Recognition by the weights of the first K eigenfaces, whatever features were asked for, that is the weights of
/// the faces' pixels without copies, with the metric and the clusters asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct KPoint {
    /// K; in a fold with fewer, all of them.
    pub components: usize,
    /// Their share of the variance of the faces learned from; mean over folds.
    pub variance: f64,
    /// Rank-1 of the probes.
    #[serde(skip)]
    pub rank1: Rate,
    /// J, the average squared error of the reconstruction over the total variation about the mean face, of
    /// the faces learned from: 1 - `variance`.
    pub error_learned: f64,
    /// J of the probes, which were never seen: usually larger.
    pub error_unseen: f64,
    /// Peak signal-to-noise ratio of the reconstructed probes in decibels: 10 log10(255² / mean squared
    /// error of a pixel).
    pub psnr_unseen: f64,
}

/// The size of faces as weights, in the face space of all faces.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Compression {
    /// d, the number of pixels of a face: as many bytes.
    pub pixels: usize,
    /// K chosen from all faces.
    pub components: usize,
    /// K / d.
    pub share: f64,
    /// Bytes of a face's weights (4 each).
    pub bytes_a_face: usize,
    /// Share of the variance kept.
    pub variance: f64,
    /// The fewest and the most components chosen inside the folds of the curve.
    pub components_in_folds: (usize, usize),
}
