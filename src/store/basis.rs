//! The face space in a model file: mean, basis vectors and variances.

use std::io::{self, Write};

use nalgebra::{DMatrix, DVector};

use super::meta::Meta;
use super::{Archive, ArchiveWriter};
use crate::error::Result;
use crate::face_space::FaceSpace;

/// Writes mean (d), basis vectors (k x d), variances (k) and their shares of the total variance (k).
pub(super) fn write_space<W: Write>(archive: &mut ArchiveWriter<W>, space: &FaceSpace) -> io::Result<()> {
    let (d, k) = (space.pixels(), space.components());
    archive.add_array("mean_", &[d], space.mean().as_slice())?;
    // Columns of a column-major matrix are rows of a row-major one: no transposing.
    archive.add_array("components_", &[k, d], space.basis().as_slice())?;
    archive.add_array("explained_variance_", &[k], space.eigenvalues())?;
    archive.add_array("explained_variance_ratio_", &[k], &space.variance_ratios())
}

pub(super) fn read_space(archive: &Archive, meta: &Meta) -> Result<FaceSpace> {
    let size = meta.size(archive)?;
    let (d, k) = (size.pixels(), meta.components);
    let mean = DVector::from_vec(archive.array("mean_", &[d])?);
    let vectors = DMatrix::from_vec(d, k, archive.array("components_", &[k, d])?);
    let variances = archive.array("explained_variance_", &[k])?;
    let (total, learned_from) = (meta.total_variance, meta.learned_from);
    let space = FaceSpace::from_parts(size, mean, vectors, variances, total, learned_from);
    let space = space.ok_or_else(|| archive.misfit("a face space whose parts do not fit together"))?;
    let ratios: Vec<f64> = archive.array("explained_variance_ratio_", &[k])?;
    if ratios == space.variance_ratios() {
        return Ok(space);
    }
    Err(archive.misfit("shares of variance that do not follow from the eigenvalues"))
}
