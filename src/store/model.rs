//! A recogniser as a model file and back: names and layout of the arrays, in scikit-learn's terms.
//!
//! | array | shape | what |
//! |---|---|---|
//! | `mean_` | d | mean face, f64 |
//! | `components_` | k x d | eigenfaces, f32 |
//! | `explained_variance_` | k | eigenvalues, n - 1 degrees of freedom, f64 |
//! | `explained_variance_ratio_` | k | each over the total variance, f64 |
//! | `weights` | n x k | weights of the enrolled faces, f32 |
//! | `metric_` | k x k | the learned map of the weights, lower triangular, f32; where pixels are compared by a metric that learns one |
//! | `texture_mean_`, `texture_components_` (or its half: [`basis`]), `texture_explained_variance_`, `texture_metric_` | t, j x t, j, j x j | the same for the texture of the faces, where it is compared; t = 3752 |
//! | `scale_`, `scaled_mean_`, `scaled_components_`, `scaled_variance_` | d, d, k x d, k | standard deviation of each pixel (0 where it never changed), and the space of pixels divided by them, where these are compared |
//! | `coordinates` | n c x (j + k) | what probes are compared with where no background model is: each face and its c - 1 copies, those of a face together, f32 |
//! | `background_coordinates` | n x 2 m | coordinates of the enrolled faces in the background model's two channels, m each, f32 |
//! | `background_directions_`, `background_between_` | 2 m x m, 2 m | its directions and variances as this gallery moved them, the channels one below the other, f32 and f64; where there was something to move them |
//! | `faces` | n x d | the enrolled 8-bit faces |
//! | `labels`, `sources` | n | person and origin of each face, text |
//! | `hashes` | n x 32 | SHA-256 of each photo's file |
//!
//! Beside them `log.json` holds the [`History`].

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::background_arrays::BackgroundMeta;
use super::{Archive, ArchiveWriter, Kind, Privacy, background_arrays, basis, replace_file};
use crate::background::Prior;
use crate::dataset::{ContentHash, Person};
use crate::decision::Calibration;
use crate::error::{Error, ModelProblem, Result};
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::face_space::FaceSpace;
use crate::gallery::{Gallery, History, LabeledFace};
use crate::kernel_pca::{Kernel, KernelSpace};
use crate::locate::framing::{CropEyes, Framing};
use crate::matcher::{Feature, FeatureSpace, Matcher, PixelScale, Space};
use crate::metric::FittedMetric;
use crate::normalize::Illumination;
use crate::preparation::Preparation;
use crate::recognizer::{BasisOrigin, Comparer, Recognizer, Settings};
use crate::scaled_space::ScaledSpace;

/// `meta.json`, but for the version of the format, which the archive itself keeps.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Meta {
    /// Version of the program that wrote the file.
    program: String,
    width: u32,
    height: u32,
    framing: Framing,
    /// How differences of light were evened out; not named in the first models.
    #[serde(default)]
    recipe: Illumination,
    /// Where the eyes stand in photos in which no face is found.
    #[serde(default)]
    crop_eyes: Option<CropEyes>,
    pub faces: usize,
    components: usize,
    /// Faces that the space was learned from.
    learned_from: usize,
    /// What these faces were.
    origin: BasisOrigin,
    total_variance: f64,
    /// The settings as a user would type them.
    wanted_components: String,
    solver: String,
    features: String,
    copies: String,
    metric: String,
    clusters: String,
    /// Columns of each face in `coordinates`.
    columns_of_a_face: usize,
    texture: Option<LinearMeta>,
    /// Whether pixels are divided by their standard deviations, and what there is to say of their space then.
    #[serde(default)]
    scaled_pixels: Option<LinearMeta>,
    /// The kernel, as a user would type it, and what it says of each view, in their order.
    #[serde(default = "linear")]
    kernel: String,
    #[serde(default)]
    kernel_spaces: Vec<KernelMeta>,
    /// Of a gallery whose people are compared by what it alone teaches.
    #[serde(default)]
    pub calibration: Option<Calibration>,
    /// Of a gallery whose people are compared by the background model.
    #[serde(default)]
    background: Option<BackgroundMeta>,
}

fn linear() -> String {
    Kernel::Linear.to_string()
}

/// What `meta.json` says of a view's space of a kernel.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct KernelMeta {
    components: usize,
    total_variance: f64,
}

/// The member that holds the [`History`].
const LOG: &str = "log.json";

/// What `meta.json` says of a space besides that of plain pixels: of texture or scaled pixels, where these are
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

    fn of_scaled(space: &ScaledSpace) -> Self {
        Self {
            components: space.components(),
            learned_from: space.learned_from(),
            total_variance: space.total_variance(),
        }
    }
}

/// Writes the model; whatever stood there is replaced as a whole or not at all. Mode 0600: it holds faces.
///
/// # Errors
/// A place that cannot be written.
pub fn save(recognizer: &Recognizer, history: &History, path: &Path) -> Result<()> {
    replace_file(path, Privacy::Owner, |out| {
        write_model(recognizer, history, out)
    })
}

/// Reads a model back, bit for bit.
///
/// # Errors
/// A file that is not there, is no model, is damaged, newer, or does not fit together.
pub fn load(path: &Path) -> Result<Recognizer> {
    load_with_history(path).map(|(recognizer, _)| recognizer)
}

/// Reads a model back with what became of it: what whoever is to change it needs.
///
/// # Errors
/// As [`load`].
pub fn load_with_history(path: &Path) -> Result<(Recognizer, History)> {
    from_archive(&Archive::read(path)?)
}

/// The same from a file that is in memory already.
///
/// # Errors
/// As [`load`].
pub fn from_archive(archive: &Archive) -> Result<(Recognizer, History)> {
    archive.expect(Kind::Model)?;
    let recognizer = read(archive)?;
    let history: History = archive.json(LOG)?;
    if history.fits(recognizer.gallery()) {
        return Ok((recognizer, history));
    }
    Err(archive.refuse(ModelProblem::Json {
        member: LOG.to_owned(),
        reason: "it is not about the people enrolled".to_owned(),
    }))
}

/// Writes it into an open file.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_model<W: Write>(
    recognizer: &Recognizer,
    history: &History,
    out: &mut BufWriter<W>,
) -> io::Result<()> {
    let (space, gallery) = (recognizer.space(), recognizer.gallery());
    let matcher = recognizer.matcher();
    let parts = matcher.map_or(&[] as &[FeatureSpace], Matcher::feature_spaces);
    let (d, k, n) = (space.pixels(), space.components(), gallery.len());
    let settings = recognizer.settings();
    let meta = Meta {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        width: space.size().width(),
        height: space.size().height(),
        framing: recognizer.preparation().framing(),
        recipe: recognizer.preparation().light(),
        crop_eyes: recognizer.preparation().crop_eyes(),
        faces: n,
        components: k,
        learned_from: space.learned_from(),
        origin: recognizer.origin(),
        total_variance: space.total_variance(),
        wanted_components: settings.components.to_string(),
        solver: settings.solver.name().to_owned(),
        features: settings.features.name().to_owned(),
        copies: settings.copies.name().to_owned(),
        metric: settings.metric.name().to_owned(),
        clusters: settings.clusters.to_string(),
        columns_of_a_face: matcher.map_or(0, |matcher| matcher.enrolled().ncols() / n.max(1)),
        texture: matcher
            .and_then(|matcher| matcher.feature_space(Feature::Texture))
            .and_then(|part| Some(LinearMeta::of(part.space().linear()?))),
        scaled_pixels: matcher
            .and_then(|matcher| matcher.feature_space(Feature::Pixels))
            .and_then(|part| Some(LinearMeta::of_scaled(part.space().scaled()?))),
        kernel: settings.kernel.to_string(),
        kernel_spaces: parts
            .iter()
            .filter_map(|part| part.space().kernel())
            .map(|space| KernelMeta {
                components: space.components(),
                total_variance: space.total_variance(),
            })
            .collect(),
        calibration: recognizer.calibration().copied(),
        background: recognizer.background().map(BackgroundMeta::of),
    };
    let labels: Vec<&str> = gallery
        .enrolled()
        .iter()
        .map(|face| gallery.people()[face.person].as_str())
        .collect();
    let sources: Vec<&str> = gallery
        .enrolled()
        .iter()
        .map(|face| face.source.as_str())
        .collect();
    let hashes: Vec<u8> = gallery
        .enrolled()
        .iter()
        .flat_map(|face| face.hash.0)
        .collect();

    // Columns of a column-major matrix are rows of a row-major one: no transposing.
    let mut archive = ArchiveWriter::new(out, &meta)?;
    archive.add_array("mean_", &[d], space.mean().as_slice())?;
    archive.add_array("components_", &[k, d], space.basis().as_slice())?;
    archive.add_array("explained_variance_", &[k], space.eigenvalues())?;
    archive.add_array("explained_variance_ratio_", &[k], &space.variance_ratios())?;
    archive.add_array("weights", &[n, k], recognizer.weights().as_slice())?;
    archive.add_text("labels", &labels)?;
    archive.add_text("sources", &sources)?;
    archive.add_array("hashes", &[n, 32], &hashes)?;
    for (at, part) in parts.iter().enumerate() {
        let prefix = prefix(part.feature());
        let named = |name: &str| format!("{prefix}{name}");
        let k = part.space().components();
        if let Some(space) = part.space().kernel() {
            let learned = settings.comparison().learned(gallery.faces());
            let faces = learned.map_err(io::Error::other)?;
            let coefficients = space.coefficients_of(&faces[at]);
            let n = coefficients.ncols();
            archive.add_array(
                &named("kernel_coefficients_"),
                &[n, k],
                coefficients.as_slice(),
            )?;
            archive.add_array(&named("kernel_variance_"), &[k], space.eigenvalues())?;
        } else if let Some(space) = part.space().scaled() {
            archive.add_array("scale_", &[d], space.deviations().as_slice())?;
            archive.add_array("scaled_mean_", &[d], space.mean().as_slice())?;
            archive.add_array("scaled_components_", &[k, d], space.basis().as_slice())?;
            archive.add_array("scaled_variance_", &[k], space.eigenvalues())?;
        } else if let (Feature::Texture, Some(space)) = (part.feature(), part.space().linear()) {
            let d = space.pixels();
            archive.add_array(&named("mean_"), &[d], space.mean().as_slice())?;
            basis::write(
                &mut archive,
                prefix,
                space,
                &part.feature().mirror(gallery.faces().size()),
            )?;
            archive.add_array(&named("explained_variance_"), &[k], space.eigenvalues())?;
        }
        if let Some(matrix) = part.metric().matrix() {
            let rows: Vec<f32> = matrix.transpose().iter().map(|&v| v as f32).collect();
            archive.add_array(&format!("{prefix}metric_"), &[k, k], &rows)?;
        }
    }
    if let Some(matcher) = matcher {
        let coordinates = matcher.enrolled();
        let shape = [coordinates.ncols(), coordinates.nrows()];
        archive.add_array("coordinates", &shape, coordinates.as_slice())?;
    }
    if let Some(background) = recognizer.background() {
        background_arrays::write(&mut archive, background)?;
    }
    archive.add_array("faces", &[n, d], gallery.faces().as_slice())?;
    archive.add_json(LOG, history)?;
    archive.finish()?;
    Ok(())
}

/// What the names of a view's arrays begin with.
pub(super) fn prefix(view: Feature) -> &'static str {
    match view {
        Feature::Pixels => "",
        Feature::Texture => "texture_",
    }
}

fn read(archive: &Archive) -> Result<Recognizer> {
    let meta: Meta = archive.meta()?;
    let settings = meta.settings(archive)?;
    let space = Arc::new(read_space(archive, &meta)?);
    let gallery = read_gallery(archive, space.size(), meta.faces)?;
    let (k, n) = (meta.components, meta.faces);
    let weights = DMatrix::from_vec(k, n, archive.array("weights", &[n, k])?);
    let faces = EnrolledFaces {
        persons: &gallery.persons(),
        people: gallery.people().len(),
        faces: Some(gallery.faces()),
    };
    let comparer = read_comparer(archive, &meta, settings, &space, faces)?;
    Recognizer::from_parts(
        meta.preparation(space.size()),
        settings,
        space,
        gallery,
        weights,
        comparer,
    )
    .map(|recognizer| recognizer.of_origin(meta.origin))
    .map_err(|_| senseless(archive, "parts that do not fit together"))
}

/// What is wrong with `meta.json`, or with what it says.
pub(super) fn senseless(archive: &Archive, reason: &str) -> Error {
    archive.refuse(ModelProblem::Json {
        member: "meta.json".to_owned(),
        reason: reason.to_owned(),
    })
}

impl Meta {
    fn size(&self, archive: &Archive) -> Result<FaceSize> {
        FaceSize::new(self.width, self.height)
            .map_err(|_| senseless(archive, "an impossible size of faces"))
    }

    pub(super) fn preparation(&self, size: FaceSize) -> Preparation {
        Preparation::new(size, self.framing)
            .with_light(self.recipe)
            .with_crop_eyes(self.crop_eyes.filter(CropEyes::is_sound))
    }

    pub(super) fn settings(&self, archive: &Archive) -> Result<Settings> {
        let senseless = |reason: String| senseless(archive, &reason);
        Ok(Settings {
            prior: match self.background {
                Some(_) => Prior::Bundled,
                None => Prior::None,
            },
            components: self.wanted_components.parse().map_err(senseless)?,
            solver: self.solver.parse().map_err(senseless)?,
            features: self.features.parse().map_err(senseless)?,
            copies: self.copies.parse().map_err(senseless)?,
            kernel: self.kernel.parse().map_err(senseless)?,
            pixel_scale: match self.scaled_pixels {
                Some(_) => PixelScale::Deviation,
                None => PixelScale::Plain,
            },
            metric: self.metric.parse().map_err(senseless)?,
            clusters: self.clusters.parse().map_err(senseless)?,
        })
    }
}

/// The space of plain pixels.
pub(super) fn read_space(archive: &Archive, meta: &Meta) -> Result<FaceSpace> {
    let size = meta.size(archive)?;
    let (d, k) = (size.pixels(), meta.components);
    let space = FaceSpace::from_parts(
        size,
        DVector::from_vec(archive.array("mean_", &[d])?),
        DMatrix::from_vec(d, k, archive.array("components_", &[k, d])?),
        archive.array("explained_variance_", &[k])?,
        meta.total_variance,
        meta.learned_from,
    );
    let reason = "a face space whose parts do not fit together";
    let space = space.ok_or_else(|| senseless(archive, reason))?;
    let ratios: Vec<f64> = archive.array("explained_variance_ratio_", &[k])?;
    if ratios == space.variance_ratios() {
        return Ok(space);
    }
    let reason = "shares of variance that do not follow from the eigenvalues";
    Err(senseless(archive, reason))
}

/// Whose the faces are that are placed in a matcher.
pub(super) struct EnrolledFaces<'a> {
    /// The person of each.
    pub persons: &'a [usize],
    pub people: usize,
    /// Their pixels, which only kernels need.
    pub faces: Option<&'a FaceMatrix>,
}

/// How faces are compared with the people enrolled.
pub(super) fn read_comparer(
    archive: &Archive,
    meta: &Meta,
    settings: Settings,
    space: &Arc<FaceSpace>,
    placed: EnrolledFaces<'_>,
) -> Result<Comparer> {
    match (&meta.background, meta.calibration) {
        (Some(about), _) => background_arrays::read(archive, about, placed.persons),
        (None, Some(calibration)) => Ok(Comparer::Gallery {
            matcher: Box::new(read_matcher(archive, meta, settings, space, placed)?),
            calibration,
        }),
        (None, None) => Err(senseless(archive, "a model without calibration")),
    }
}

fn read_matcher(
    archive: &Archive,
    meta: &Meta,
    settings: Settings,
    space: &Arc<FaceSpace>,
    placed: EnrolledFaces<'_>,
) -> Result<Matcher> {
    let senseless = |reason: &str| {
        let reason = reason.to_owned();
        archive.refuse(ModelProblem::Layout { reason })
    };
    let kernels = placed.faces.map_or_else(
        || Ok(Vec::new()),
        |faces| read_kernels(archive, meta, settings, faces),
    );
    let mut kernels = kernels?.into_iter();
    let mut parts = Vec::new();
    let mut rows = 0_usize;
    for (view, share) in settings.features.shares(space.size()) {
        let prefix = prefix(view);
        let space = match (view, meta.texture) {
            _ if settings.kernel != Kernel::Linear => kernels
                .next()
                .ok_or_else(|| senseless("a kernel whose space is not described"))?,
            (Feature::Pixels, _) => match meta.scaled_pixels {
                Some(about) => {
                    let scaled = read_scaled(archive, space.size(), about)?;
                    let reason = "a space of scaled pixels that does not fit together";
                    Space::Scaled(Arc::new(scaled.ok_or_else(|| senseless(reason))?))
                }
                None => Space::Linear(Arc::clone(space)),
            },
            (Feature::Texture, Some(about)) => {
                let (size, mirror) = (view.size(space.size()), view.mirror(space.size()));
                let (d, k) = (size.pixels(), about.components);
                let named = |name: &str| format!("{prefix}{name}");
                let space = FaceSpace::from_parts(
                    size,
                    DVector::from_vec(archive.array(&named("mean_"), &[d])?),
                    basis::read(archive, prefix, k, &mirror)?,
                    archive.array(&named("explained_variance_"), &[k])?,
                    about.total_variance,
                    about.learned_from,
                );
                Space::Linear(Arc::new(space.ok_or_else(|| {
                    senseless("a texture space that does not fit together")
                })?))
            }
            (Feature::Texture, None) => {
                return Err(senseless("texture is compared but not described"));
            }
        };
        let k = space.components();
        let name = format!("{prefix}metric_");
        let matrix = if archive.contains(&name) {
            let values: Vec<f32> = archive.array(&name, &[k, k])?;
            let values = values.into_iter().map(f64::from);
            Some(DMatrix::from_row_iterator(k, k, values))
        } else {
            None
        };
        let metric = FittedMetric::from_matrix(settings.metric, space.eigenvalues(), matrix)
            .ok_or_else(|| senseless("a metric that does not fit its face space"))?;
        rows += k;
        parts.push(FeatureSpace::new(view, share, space, metric));
    }
    let columns = placed
        .persons
        .len()
        .checked_mul(meta.columns_of_a_face)
        .ok_or_else(|| senseless("an impossible number of copies"))?;
    let coordinates = archive.array("coordinates", &[columns, rows])?;
    let coordinates = DMatrix::from_vec(rows, columns, coordinates);
    let comparison = settings.comparison();
    Matcher::from_parts(
        parts,
        coordinates,
        placed.persons,
        placed.people,
        comparison,
    )
    .map_err(|_| senseless("coordinates that do not fit their faces"))
}

/// The space of scaled pixels; `None` where its parts do not fit together.
fn read_scaled(
    archive: &Archive,
    size: FaceSize,
    about: LinearMeta,
) -> Result<Option<ScaledSpace>> {
    let (d, k) = (size.pixels(), about.components);
    let inner = FaceSpace::from_parts(
        size,
        DVector::from_vec(archive.array("scaled_mean_", &[d])?),
        DMatrix::from_vec(d, k, archive.array("scaled_components_", &[k, d])?),
        archive.array("scaled_variance_", &[k])?,
        about.total_variance,
        about.learned_from,
    );
    let deviations = DVector::from_vec(archive.array("scale_", &[d])?);
    Ok(inner.and_then(|inner| ScaledSpace::from_parts(inner, deviations)))
}

/// The spaces of the kernel, one for each view; none where the kernel is linear.
fn read_kernels(
    archive: &Archive,
    meta: &Meta,
    settings: Settings,
    enrolled: &FaceMatrix,
) -> Result<Vec<Space>> {
    if settings.kernel == Kernel::Linear {
        return Ok(Vec::new());
    }
    let learned = settings.comparison().learned(enrolled)?;
    let views = settings.features.shares(enrolled.size());
    let described = learned.iter().zip(views).zip(&meta.kernel_spaces);
    described
        .map(|((faces, (view, _)), about)| {
            let (n, k) = (faces.len(), about.components);
            let named = |name: &str| format!("{}{name}", prefix(view));
            let coefficients = archive.array(&named("kernel_coefficients_"), &[n, k])?;
            let space = KernelSpace::from_parts(
                settings.kernel,
                faces,
                &DMatrix::from_vec(k, n, coefficients),
                archive.array(&named("kernel_variance_"), &[k])?,
                about.total_variance,
            );
            let reason = "a space of a kernel that does not fit together".to_owned();
            space
                .map(|space| Space::Kernel(Arc::new(space)))
                .ok_or_else(|| archive.refuse(ModelProblem::Layout { reason }))
        })
        .collect()
}

/// The person that a label in a file names: as this program writes it, so that one name cannot stand there twice.
pub(super) fn named(label: &str) -> Result<Person, String> {
    let person = Person::new(label).map_err(|error| error.to_string())?;
    if person.as_str() == label {
        return Ok(person);
    }
    Err(format!(
        "the name '{}' is not in Unicode's composed form, NFC, which older versions of this program did not ask for: enrol again",
        label.escape_debug()
    ))
}

fn read_gallery(archive: &Archive, size: FaceSize, n: usize) -> Result<Gallery> {
    let d = size.pixels();
    let senseless = |reason: String| archive.refuse(ModelProblem::Layout { reason });
    let labels = archive.text("labels", n)?;
    let sources = archive.text("sources", n)?;
    let hashes = archive.bytes("hashes", &[n, 32])?;
    let pixels = archive.bytes("faces", &[n, d])?;
    let mut faces = Vec::with_capacity(n);
    let rows = labels
        .into_iter()
        .zip(sources)
        .zip(hashes.chunks_exact(32))
        .zip(pixels.chunks_exact(d));
    for (((label, source), hash), pixels) in rows {
        let person = named(&label).map_err(senseless)?;
        let mut content = [0; 32];
        content.copy_from_slice(hash);
        faces.push(LabeledFace {
            person,
            source,
            hash: ContentHash(content),
            pixels: pixels.to_vec(),
        });
    }
    let order: Vec<ContentHash> = faces.iter().map(|face| face.hash).collect();
    let (gallery, _) =
        Gallery::assemble(size, faces).map_err(|error: Error| senseless(error.to_string()))?;
    let canonical = gallery.enrolled().iter().map(|face| face.hash).eq(order);
    if canonical {
        Ok(gallery)
    } else {
        Err(senseless("faces out of order or twice".to_owned()))
    }
}
