//! A basis without a gallery as a file and back.
//!
//! The arrays are those of a model with the same names: `mean_`, `components_`, `explained_variance_`,
//! `explained_variance_ratio_`, and `texture_mean_`, `texture_components_` (or its half), `texture_explained_variance_`
//! where texture is compared. `meta.json` names the kind, `basis`, and holds the plan.
//!
//! Nothing in it tells how the photos were split among workers: equal photos give equal bytes.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::meta::{LinearMeta, prefix};
use super::partial::read_plan;
use super::plan::{Keys, Written};
use super::{Archive, ArchiveWriter, basis};
use crate::dataset::ContentHash;
use crate::error::{ArchiveKind, ModelProblem, Result};
use crate::matcher::Feature;
use crate::partial::{Fingerprint, MergedBasis};

/// `meta.json`, but for the version of the format. `P` is the plan as it is written or read.
#[derive(Serialize, Deserialize)]
struct Meta<P> {
    kind: ArchiveKind,
    plan: P,
    pixels: LinearMeta,
    texture: Option<LinearMeta>,
    skipped: u64,
    /// Fingerprint of the photos learned from.
    photos: String,
}

/// Writes the basis into an open file, which is to be its owner's alone: the basis of few faces shows these.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_merged_basis<W: Write>(
    merged_basis: &MergedBasis,
    out: &mut BufWriter<W>,
) -> io::Result<()> {
    let space = merged_basis.pixels();
    let k = space.components();
    let meta = Meta {
        kind: ArchiveKind::Basis,
        plan: Written(merged_basis.plan()),
        pixels: LinearMeta::of(space),
        texture: merged_basis.texture().map(|space| LinearMeta::of(space)),
        skipped: merged_basis.skipped(),
        photos: merged_basis.photos().to_string(),
    };
    let mut archive = ArchiveWriter::new(out, &meta)?;
    basis::write_space(&mut archive, "", space, None)?;
    archive.add_array("explained_variance_ratio_", &[k], &space.variance_ratios())?;
    if let Some(texture) = merged_basis.texture() {
        let mirror = Feature::Texture.mirror(space.size());
        basis::write_space(
            &mut archive,
            prefix(Feature::Texture),
            texture,
            Some(&mirror),
        )?;
    }
    archive.finish()?;
    Ok(())
}

/// Reads a basis back, bit for bit.
///
/// # Errors
/// A file that is not there, is no such basis, is damaged, newer, or does not fit together.
pub fn load_merged_basis(path: &Path) -> Result<MergedBasis> {
    merged_basis_from_archive(&Archive::read_named(path)?)
}

/// Reads it from a file that is in memory already.
///
/// # Errors
/// As [`load_merged_basis`].
pub fn merged_basis_from_archive(archive: &Archive) -> Result<MergedBasis> {
    archive.expect(ArchiveKind::Basis)?;
    let meta: Meta<Keys> = archive.meta()?;
    let plan = read_plan(archive, meta.plan)?;
    let senseless = |reason: &str| archive.refuse(ModelProblem::layout(reason));
    let photos: ContentHash = meta
        .photos
        .parse()
        .map_err(|_| senseless("a fingerprint that is none"))?;
    let read = |feature: Feature, about: LinearMeta| {
        let size = plan.preparation().size();
        let mirror = (feature == Feature::Texture).then(|| feature.mirror(size));
        let (prefix, size) = (prefix(feature), feature.size(size));
        let space = basis::read_space(archive, prefix, size, about, mirror.as_ref())?;
        space.ok_or_else(|| senseless("a space whose parts do not fit together"))
    };
    let pixels = read(Feature::Pixels, meta.pixels)?;
    let ratios: Vec<f64> = archive.array("explained_variance_ratio_", &[pixels.components()])?;
    if ratios != pixels.variance_ratios() {
        return Err(senseless(
            "shares of variance that do not follow from the eigenvalues",
        ));
    }
    let texture = match meta.texture {
        Some(about) => Some(read(Feature::Texture, about)?),
        None => None,
    };
    MergedBasis::from_parts(
        plan.clone(),
        pixels,
        texture,
        Fingerprint(photos.0),
        meta.skipped,
    )
    .ok_or_else(|| senseless("spaces that do not fit the plan"))
}
