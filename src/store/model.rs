//! A recogniser as a model file and back: names and layout of the arrays, in scikit-learn's terms, are those of
//! docs/MODEL-FORMAT.md. Beside them `log.json` holds the [`History`].

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use nalgebra::DMatrix;

use super::background_arrays::BackgroundMeta;
use super::meta::{Meta, invalid};
use super::model_parts::{read_comparer, read_gallery};
use super::{Archive, ArchiveWriter, Privacy, background_arrays, basis, origins, replace_file};
use crate::error::{ArchiveKind, ModelProblem, Result};
use crate::gallery::History;
use crate::recognizer::Recognizer;

const LOG: &str = "log.json";

/// Writes the model; whatever stood there is replaced as a whole or not at all. Mode 0600: it holds faces.
///
/// # Errors
/// A place that cannot be written.
pub fn save(recognizer: &Recognizer, history: &History, path: &Path) -> Result<()> {
    replace_file(path, Privacy::Owner, |out| write_model(recognizer, history, out))
}

/// Reads a model back, bit for bit.
///
/// # Errors
/// A file that is not there, is no model, is damaged, newer, or does not fit together.
pub fn load(path: &Path) -> Result<Recognizer> {
    load_with_history(path).map(|(recognizer, _)| recognizer)
}

/// Reads a model back with its history, which changing it needs.
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
    Err(archive.refuse(ModelProblem::json(LOG, "it is not about the people enrolled")))
}

/// Writes it into an open file.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_model<W: Write>(recognizer: &Recognizer, history: &History, out: &mut BufWriter<W>) -> io::Result<()> {
    let (space, gallery) = (recognizer.space(), recognizer.gallery());
    let (d, k, n) = (space.pixels(), space.components(), gallery.len());
    let settings = recognizer.settings();
    let meta = Meta {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        width: space.size().width(),
        height: space.size().height(),
        framing: recognizer.preparation().framing(),
        crop_eyes: recognizer.preparation().crop_eyes(),
        faces: n,
        components: k,
        learned_from: space.learned_from(),
        total_variance: space.total_variance(),
        wanted_components: settings.pca.components.to_string(),
        solver: settings.pca.solver.name().to_owned(),
        metric: settings.distance.metric.name().to_owned(),
        kernel: settings.distance.kernel.to_string(),
        scaled_pixels: settings.distance.pixel_scale.name().to_owned(),
        calibration: recognizer.calibration().copied(),
        background: recognizer.background().map(|comparer| BackgroundMeta::of(settings.prior, comparer)),
    };
    let labels: Vec<&str> = gallery.enrolled().iter().map(|face| gallery.people()[face.person].as_str()).collect();
    let sources: Vec<&str> = gallery.enrolled().iter().map(|face| face.source.as_str()).collect();
    let hashes: Vec<u8> = gallery.enrolled().iter().flat_map(|face| face.hash.0).collect();

    let mut archive = ArchiveWriter::new(out, &meta)?;
    basis::write_space(&mut archive, space)?;
    archive.add_array("weights", &[n, k], recognizer.weights().as_slice())?;
    archive.add_text("labels", &labels)?;
    archive.add_text("sources", &sources)?;
    archive.add_array("hashes", &[n, 32], &hashes)?;
    if let (Some(background), Some(coordinates)) = (recognizer.background(), recognizer.coordinates()) {
        background_arrays::write(&mut archive, settings.prior, background, coordinates)?;
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
    let space = Arc::new(basis::read_space(archive, &meta)?);
    let gallery = read_gallery(archive, space.size(), meta.faces)?;
    let (k, n) = (meta.components, meta.faces);
    let weights = DMatrix::from_vec(k, n, archive.array("weights", &[n, k])?);
    let background = meta.background.as_ref();
    let coordinates = background
        .map(|about| background_arrays::read_coordinates(archive, settings.prior, about, gallery.faces()))
        .transpose()?;
    let comparer = read_comparer(archive, &meta, settings, &space, &gallery, &weights, coordinates.as_ref())?;
    Recognizer::from_parts(meta.preparation(space.size()), settings, space, gallery, weights, comparer, coordinates)
        .map_err(|_| invalid(archive, "parts that do not fit together"))
}
