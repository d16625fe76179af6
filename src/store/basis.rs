//! A linear space in a model file: mean, basis vectors and variances.

use std::io::{self, Write};

use nalgebra::{DMatrix, DVector};

use super::meta::LinearMeta;
use super::{Archive, ArchiveWriter};
use crate::error::Result;
use crate::face_matrix::FaceSize;
use crate::face_space::FaceSpace;

/// What the names of a space's arrays begin with, and how the variances are called.
pub(super) type Names<'a> = (&'a str, &'a str);

/// How a space is named whose names begin so.
pub(super) fn names(prefix: &str) -> Names<'_> {
    (prefix, "explained_variance_")
}

/// The names of the space of scaled pixels.
pub(super) const SCALED: Names<'_> = ("scaled_", "variance_");

/// Writes mean (d), basis vectors (k x d) and variances (k).
pub(super) fn write_space<W: Write>(
    archive: &mut ArchiveWriter<W>,
    (prefix, variances): Names<'_>,
    space: &FaceSpace,
) -> io::Result<()> {
    let named = |name: &str| format!("{prefix}{name}");
    let (d, k) = (space.pixels(), space.components());
    archive.add_array(&named("mean_"), &[d], space.mean().as_slice())?;
    // Columns of a column-major matrix are rows of a row-major one: no transposing.
    archive.add_array(&named("components_"), &[k, d], space.basis().as_slice())?;
    archive.add_array(&named(variances), &[k], space.eigenvalues())
}

/// Reads what [`write_space`] wrote; `None` where it does not fit together.
pub(super) fn read_space(
    archive: &Archive,
    (prefix, variances): Names<'_>,
    size: FaceSize,
    about: LinearMeta,
) -> Result<Option<FaceSpace>> {
    let named = |name: &str| format!("{prefix}{name}");
    let (d, k) = (size.pixels(), about.components);
    let mean = DVector::from_vec(archive.array(&named("mean_"), &[d])?);
    let vectors = DMatrix::from_vec(d, k, archive.array(&named("components_"), &[k, d])?);
    let variances = archive.array(&named(variances), &[k])?;
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
