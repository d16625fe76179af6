//! A linear space in a model file: mean, basis vectors and variances.

use std::io::{self, Write};

use nalgebra::{DMatrix, DVector};

use super::meta::LinearMeta;
use super::{Archive, ArchiveWriter};
use crate::error::Result;
use crate::face_matrix::FaceSize;
use crate::face_space::FaceSpace;

/// Writes mean (d), basis vectors (k x d) and variances (k), all names beginning alike.
pub(super) fn write_space<W: Write>(
    archive: &mut ArchiveWriter<W>,
    prefix: &str,
    space: &FaceSpace,
) -> io::Result<()> {
    let named = |name: &str| format!("{prefix}{name}");
    let (d, k) = (space.pixels(), space.components());
    archive.add_array(&named("mean_"), &[d], space.mean().as_slice())?;
    // Columns of a column-major matrix are rows of a row-major one: no transposing.
    archive.add_array(&named("components_"), &[k, d], space.basis().as_slice())?;
    archive.add_array(&named("explained_variance_"), &[k], space.eigenvalues())
}

/// Reads what [`write_space`] wrote; `None` where it does not fit together.
pub(super) fn read_space(
    archive: &Archive,
    prefix: &str,
    size: FaceSize,
    about: LinearMeta,
) -> Result<Option<FaceSpace>> {
    let named = |name: &str| format!("{prefix}{name}");
    let (d, k) = (size.pixels(), about.components);
    let mean = DVector::from_vec(archive.array(&named("mean_"), &[d])?);
    let vectors = DMatrix::from_vec(d, k, archive.array(&named("components_"), &[k, d])?);
    let variances = archive.array(&named("explained_variance_"), &[k])?;
    let (total, learned_from) = (about.total_variance, about.learned_from);
    Ok(FaceSpace::from_parts(
        size,
        mean,
        vectors,
        variances,
        total,
        learned_from,
    ))
}
