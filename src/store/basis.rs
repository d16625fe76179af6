//! Basis vectors that are even or odd about the mirror: half of their numbers tell all, and a model keeps that half.
//!
//! | array | shape | what |
//! |---|---|---|
//! | `half_components_` | k x h | of each basis vector the numbers at places p <= `mirror_`[p] |
//! | `parity_` | k | 1: the mirror image of the vector is itself; -1: its negative |
//! | `mirror_` | t | the place that each place changes with in the mirror |
//!
//! Vectors that are neither stand whole in `components_` (k x t).

use std::io::{self, Write};

use nalgebra::{DMatrix, DVector};

use super::meta::LinearMeta;
use super::{Archive, ArchiveWriter};
use crate::error::{ModelProblem, Result};
use crate::face_matrix::FaceSize;
use crate::face_space::FaceSpace;
use crate::pca::{Mirror, Parity};

/// Writes mean, basis vectors (halves of them, where there is a mirror) and variances, all names beginning alike.
pub(super) fn write_space<W: Write>(
    archive: &mut ArchiveWriter<W>,
    prefix: &str,
    space: &FaceSpace,
    mirror: Option<&Mirror>,
) -> io::Result<()> {
    let named = |name: &str| format!("{prefix}{name}");
    let (d, k) = (space.pixels(), space.components());
    archive.add_array(&named("mean_"), &[d], space.mean().as_slice())?;
    match mirror {
        Some(mirror) => write(archive, prefix, space, mirror)?,
        // Columns of a column-major matrix are rows of a row-major one: no transposing.
        None => archive.add_array(&named("components_"), &[k, d], space.basis().as_slice())?,
    }
    archive.add_array(&named("explained_variance_"), &[k], space.eigenvalues())
}

/// Reads what [`write_space`] wrote; `None` where it does not fit together.
pub(super) fn read_space(
    archive: &Archive,
    prefix: &str,
    size: FaceSize,
    about: LinearMeta,
    mirror: Option<&Mirror>,
) -> Result<Option<FaceSpace>> {
    let named = |name: &str| format!("{prefix}{name}");
    let (d, k) = (size.pixels(), about.components);
    let mean = DVector::from_vec(archive.array(&named("mean_"), &[d])?);
    let vectors = match mirror {
        Some(mirror) => read(archive, prefix, k, mirror)?,
        None => DMatrix::from_vec(d, k, archive.array(&named("components_"), &[k, d])?),
    };
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

fn write<W: Write>(
    archive: &mut ArchiveWriter<W>,
    prefix: &str,
    space: &FaceSpace,
    mirror: &Mirror,
) -> io::Result<()> {
    let named = |name: &str| format!("{prefix}{name}");
    let (d, k) = (space.pixels(), space.components());
    let Some((half, parities)) = mirror.halves(space.basis()) else {
        return archive.add_array(&named("components_"), &[k, d], space.basis().as_slice());
    };
    let signs: Vec<i64> = parities.iter().map(|&parity| sign(parity)).collect();
    archive.add_array(
        &named("half_components_"),
        &[k, half.nrows()],
        half.as_slice(),
    )?;
    archive.add_array(&named("parity_"), &[k], &signs)?;
    archive.add_array(&named("mirror_"), &[d], &mirror.places())
}

/// Basis vectors, d x k, from either form.
fn read(archive: &Archive, prefix: &str, k: usize, mirror: &Mirror) -> Result<DMatrix<f32>> {
    let named = |name: &str| format!("{prefix}{name}");
    let (d, h) = (mirror.length(), mirror.half_length());
    if !archive.contains(&named("half_components_")) {
        let whole = archive.array(&named("components_"), &[k, d])?;
        return Ok(DMatrix::from_vec(d, k, whole));
    }
    let half = DMatrix::from_vec(h, k, archive.array(&named("half_components_"), &[k, h])?);
    let signs: Vec<i64> = archive.array(&named("parity_"), &[k])?;
    let parity = |given: &i64| {
        [Parity::Even, Parity::Odd]
            .into_iter()
            .find(|&p| sign(p) == *given)
    };
    let parities: Option<Vec<Parity>> = signs.iter().map(parity).collect();
    let places: Vec<u32> = archive.array(&named("mirror_"), &[d])?;
    let whole = parities
        .filter(|_| places == mirror.places())
        .and_then(|parities| mirror.whole(&half, &parities));
    whole.ok_or_else(|| archive.refuse(ModelProblem::layout("basis vectors of another mirror")))
}

fn sign(parity: Parity) -> i64 {
    match parity {
        Parity::Even => 1,
        Parity::Odd => -1,
    }
}
