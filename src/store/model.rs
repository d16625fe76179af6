//! A recogniser as a model file and back: names and layout of the arrays, in scikit-learn's terms, are those of
//! docs/MODEL-FORMAT.md. Beside them `log.json` holds the [`History`].

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use nalgebra::DMatrix;

use super::background_arrays::BackgroundMeta;
use super::meta::{KernelMeta, LinearMeta, Meta, prefix, senseless};
use super::model_parts::{EnrolledFaces, read_comparer, read_gallery, read_space};
use super::{Archive, ArchiveWriter, Privacy, background_arrays, basis, origins, replace_file};
use crate::error::{ArchiveKind, ModelProblem, Result};
use crate::gallery::History;
use crate::matcher::{Feature, FeatureSpace, Matcher};
use crate::recognizer::Recognizer;

/// The member that holds the [`History`].
const LOG: &str = "log.json";

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

/// Reads it from a file that is in memory already.
///
/// # Errors
/// As [`load`].
pub fn from_archive(archive: &Archive) -> Result<(Recognizer, History)> {
    archive.expect(ArchiveKind::Model)?;
    let recognizer = read(archive)?;
    let history: History = archive.json(LOG)?;
    if history.fits(recognizer.gallery()) {
        return Ok((recognizer, history));
    }
    let reason = "it is not about the people enrolled";
    Err(archive.refuse(ModelProblem::json(LOG, reason)))
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
        wanted_components: settings.pca.components.to_string(),
        solver: settings.pca.solver.name().to_owned(),
        features: settings.comparison.features.name().to_owned(),
        copies: settings.comparison.copies.name().to_owned(),
        metric: settings.comparison.metric.name().to_owned(),
        clusters: settings.comparison.clusters.to_string(),
        columns_of_a_face: matcher.map_or(0, |matcher| matcher.enrolled().ncols() / n.max(1)),
        texture: matcher
            .and_then(|matcher| matcher.feature_space(Feature::Texture))
            .and_then(|part| Some(LinearMeta::of(part.space().linear()?))),
        scaled_pixels: matcher
            .and_then(|matcher| matcher.feature_space(Feature::Pixels))
            .and_then(|part| Some(LinearMeta::of(part.space().scaled()?.inner()))),
        kernel: settings.comparison.kernel.to_string(),
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

    let mut archive = ArchiveWriter::new(out, &meta)?;
    basis::write_space(&mut archive, basis::names(""), space)?;
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
            let learned = settings.comparison.learned(gallery.faces());
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
            basis::write_space(&mut archive, basis::SCALED, space.inner())?;
        } else if let (Feature::Texture, Some(space)) = (part.feature(), part.space().linear()) {
            basis::write_space(&mut archive, basis::names(prefix), space)?;
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
    if let (Some(background), Some(coordinates)) =
        (recognizer.background(), recognizer.coordinates())
    {
        background_arrays::write(&mut archive, background, coordinates)?;
    }
    archive.add_array("faces", &[n, d], gallery.faces().as_slice())?;
    origins::write(&mut archive, gallery)?;
    archive.add_json(LOG, history)?;
    archive.finish()?;
    Ok(())
}

fn read(archive: &Archive) -> Result<Recognizer> {
    let meta: Meta = archive.meta()?;
    let settings = meta.settings(archive)?;
    let space = Arc::new(read_space(archive, &meta)?);
    let gallery = read_gallery(archive, space.size(), meta.faces)?;
    let (k, n) = (meta.components, meta.faces);
    let weights = DMatrix::from_vec(k, n, archive.array("weights", &[n, k])?);
    let background = meta.background.as_ref();
    let coordinates = background
        .map(|about| background_arrays::read_coordinates(archive, about, gallery.faces()))
        .transpose()?;
    let faces = EnrolledFaces {
        persons: &gallery.persons(),
        people: gallery.people().len(),
        faces: gallery.faces(),
        coordinates: coordinates.as_ref(),
    };
    let comparer = read_comparer(archive, &meta, settings, &space, faces)?;
    Recognizer::from_parts(
        meta.preparation(space.size()),
        settings,
        space,
        gallery,
        weights,
        comparer,
        coordinates,
    )
    .map(|recognizer| recognizer.of_origin(meta.origin))
    .map_err(|_| senseless(archive, "parts that do not fit together"))
}
