//! The parts of a model, read from its arrays.

use std::collections::HashSet;
use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use super::meta::{LinearMeta, Meta, prefix, senseless};
use super::{Archive, background_arrays, basis, origins};
use crate::compare::{Comparer, Distances};
use crate::dataset::{ContentHash, Person};
use crate::error::Result;
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::face_space::FaceSpace;
use crate::gallery::{Gallery, LabeledFace};
use crate::kernel_pca::{Kernel, KernelSpace};
use crate::matcher::{Feature, FeatureSpace, Matcher, Space};
use crate::metric::FittedMetric;
use crate::recognizer::Settings;
use crate::scaled_space::ScaledSpace;

/// The space of plain pixels.
pub(super) fn read_space(archive: &Archive, meta: &Meta) -> Result<FaceSpace> {
    let size = meta.size(archive)?;
    let about = LinearMeta {
        components: meta.components,
        learned_from: meta.learned_from,
        total_variance: meta.total_variance,
    };
    let space = basis::read_space(archive, basis::names(""), size, about)?;
    let reason = "a face space whose parts do not fit together";
    let space = space.ok_or_else(|| senseless(archive, reason))?;
    let ratios: Vec<f64> = archive.array("explained_variance_ratio_", &[meta.components])?;
    if ratios == space.variance_ratios() {
        return Ok(space);
    }
    let reason = "shares of variance that do not follow from the eigenvalues";
    Err(senseless(archive, reason))
}

/// The people whose faces are placed in a matcher.
pub(super) struct EnrolledFaces<'a> {
    /// The person of each.
    pub persons: &'a [usize],
    pub people: usize,
    /// Their pixels, which kernels need.
    pub faces: &'a FaceMatrix,
    /// Their coordinates in the background model, which people of an older one need.
    pub coordinates: Option<&'a DMatrix<f32>>,
}

/// Reads the comparison of faces with the people enrolled.
pub(super) fn read_comparer(
    archive: &Archive,
    meta: &Meta,
    settings: Settings,
    space: &Arc<FaceSpace>,
    placed: EnrolledFaces<'_>,
) -> Result<Comparer> {
    match (&meta.background, meta.calibration) {
        (Some(about), _) => {
            let missing = || senseless(archive, "a background model without coordinates");
            let coordinates = placed.coordinates.ok_or_else(missing)?;
            background_arrays::read(archive, about, meta.framing, placed.persons, coordinates)
        }
        (None, Some(calibration)) => Ok(Comparer::Distances(Box::new(Distances {
            matcher: read_matcher(archive, meta, settings, space, placed)?,
            calibration,
        }))),
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
    let senseless = |reason: &str| archive.misfit(reason);
    let mut kernels = read_kernels(archive, meta, settings, placed.faces)?.into_iter();
    let mut parts = Vec::new();
    let mut rows = 0_usize;
    for (view, share) in settings.comparison.features.shares(space.size()) {
        let prefix = prefix(view);
        let space = match (view, meta.texture) {
            _ if settings.comparison.kernel != Kernel::Linear => kernels
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
                let size = view.size(space.size());
                let space = basis::read_space(archive, basis::names(prefix), size, about)?;
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
        let metric =
            FittedMetric::from_matrix(settings.comparison.metric, space.eigenvalues(), matrix)
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
    let comparison = settings.comparison;
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
    let inner = basis::read_space(archive, basis::SCALED, size, about)?;
    let deviations = DVector::from_vec(archive.array("scale_", &[size.pixels()])?);
    Ok(inner.and_then(|inner| ScaledSpace::from_parts(inner, deviations)))
}

/// The spaces of the kernel, one for each view; none where the kernel is linear.
fn read_kernels(
    archive: &Archive,
    meta: &Meta,
    settings: Settings,
    enrolled: &FaceMatrix,
) -> Result<Vec<Space>> {
    if settings.comparison.kernel == Kernel::Linear {
        return Ok(Vec::new());
    }
    let learned = settings.comparison.learned(enrolled)?;
    let views = settings.comparison.features.shares(enrolled.size());
    let described = learned.iter().zip(views).zip(&meta.kernel_spaces);
    described
        .map(|((faces, (view, _)), about)| {
            let (n, k) = (faces.len(), about.components);
            let named = |name: &str| format!("{}{name}", prefix(view));
            let coefficients = archive.array(&named("kernel_coefficients_"), &[n, k])?;
            let space = KernelSpace::from_parts(
                settings.comparison.kernel,
                faces,
                &DMatrix::from_vec(k, n, coefficients),
                archive.array(&named("kernel_variance_"), &[k])?,
                about.total_variance,
            );
            space
                .map(|space| Space::Kernel(Arc::new(space), faces.size()))
                .ok_or_else(|| archive.misfit("a space of a kernel that does not fit together"))
        })
        .collect()
}

/// The person that a label in a file names: as this program writes it, so that one name cannot stand there twice.
fn named(label: &str) -> Result<Person, String> {
    let person = Person::stored(label).map_err(|error| error.to_string())?;
    if person.as_str() == label {
        return Ok(person);
    }
    Err(format!(
        "the name '{}' is not in Unicode's composed form, NFC, which older versions of this program did not ask for: enrol again",
        label.escape_debug()
    ))
}

pub(super) fn read_gallery(archive: &Archive, size: FaceSize, n: usize) -> Result<Gallery> {
    let d = size.pixels();
    let senseless = |reason: String| archive.misfit(reason);
    let labels = archive.text("labels", n)?;
    let sources = archive.text("sources", n)?;
    let hashes = archive.bytes("hashes", &[n, 32])?;
    let pixels = archive.bytes("faces", &[n, d])?;
    let mut origins = origins::read(archive, n)?.into_iter();
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
            origin: origins.next().unwrap_or_default(),
        });
    }
    let order: Vec<ContentHash> = faces.iter().map(|face| face.hash).collect();
    let files: HashSet<ContentHash> = order.iter().copied().collect();
    let is_once = files.len() == order.len();
    let gallery = Gallery::in_order(size, faces);
    let canonical = gallery.enrolled().iter().map(|face| face.hash).eq(order);
    if is_once && canonical {
        Ok(gallery)
    } else {
        Err(senseless("faces out of order or twice".to_owned()))
    }
}
