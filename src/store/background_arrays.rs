//! What a model holds for comparing by the background model.

use std::io;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::{Archive, ArchiveWriter};
use crate::background::{Adaptation, Background, Calibration};
use crate::error::{ModelProblem, Result};
use crate::recognizer::{BackgroundComparer, Comparer};

/// What `meta.json` says of comparing by the background model.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct BackgroundMeta {
    /// SHA-256 of the background model, in hexadecimal digits.
    pub model: String,
    /// Whether the gallery moved its covariance.
    pub adapted: bool,
    pub calibration: Calibration,
    pub likeness_limit: f64,
}

impl BackgroundMeta {
    pub(super) fn of(comparer: &BackgroundComparer) -> Self {
        Self {
            model: Background::bundled_digest(),
            adapted: comparer.people().adaptation().is_adapted(),
            calibration: *comparer.calibration(),
            likeness_limit: comparer.likeness_limit(),
        }
    }
}

pub(super) fn write<W: io::Write>(
    archive: &mut ArchiveWriter<W>,
    comparer: &BackgroundComparer,
) -> io::Result<()> {
    let coordinates = comparer.coordinates();
    let shape = [coordinates.ncols(), coordinates.nrows()];
    archive.add_array("background_coordinates", &shape, coordinates.as_slice())?;
    let adaptation = comparer.people().adaptation();
    if adaptation.is_adapted() {
        let (directions, between) = adaptation.to_parts();
        let rows = between.len();
        archive.add_array("background_directions_", &[rows, rows / 2], &directions)?;
        archive.add_array("background_between_", &[rows], &between)?;
    }
    Ok(())
}

/// Reads what was written; `persons` are those of the enrolled faces.
pub(super) fn read(
    archive: &Archive,
    about: &BackgroundMeta,
    persons: &[usize],
) -> Result<Comparer> {
    let background = Background::bundled()?;
    let refuse = |reason: &str| {
        archive.refuse(ModelProblem::Layout {
            reason: reason.to_owned(),
        })
    };
    if about.model != Background::bundled_digest() {
        return Err(refuse(
            "coordinates of another background model; enrol the folder again with this version",
        ));
    }
    let (rows, n) = (2 * background.components(), persons.len());
    let coordinates = archive.array("background_coordinates", &[n, rows])?;
    let adaptation = if about.adapted {
        let directions = archive.array("background_directions_", &[rows, rows / 2])?;
        let between = archive.array("background_between_", &[rows])?;
        Adaptation::from_parts(background, directions, between)
            .ok_or_else(|| refuse("senseless directions of the background model"))?
    } else {
        Adaptation::none(background)
    };
    BackgroundComparer::from_parts(
        adaptation,
        DMatrix::from_vec(rows, n, coordinates),
        persons.to_vec(),
        about.calibration,
        about.likeness_limit,
    )
    .map(|comparer| Comparer::Background(Box::new(comparer)))
    .map_err(|_| refuse("a calibration that does not fit its people"))
}
