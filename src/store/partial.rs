//! A worker's sums as a file and back.
//!
//! | array | shape | what |
//! |---|---|---|
//! | `totals` | d | Σx of the faces' pixels, i64 |
//! | `products` | d (d + 1) / 2 | Σxxᵀ, rows of its upper triangle one after the other, i64 |
//! | `texture_totals`, `texture_products` | t, t (t + 1) / 2 | the same of the faces' texture, where it is compared; t = 3752 |
//! | `given` | m x 32 | fingerprint of what each worker was given whose faces are in the sums, u8 |
//!
//! `meta.json` names the kind, `partial`, and holds the plan. Equal sums of the same photos give equal bytes.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::meta::prefix;
use super::plan::{Keys, Written};
use super::{Archive, ArchiveWriter};
use crate::error::{ArchiveKind, ModelProblem, Result};
use crate::partial::{Fingerprint, Partial, Plan};
use crate::pca::{Sums, sums};

/// `meta.json`, but for the version of the format. `P` is the plan as it is written or read.
#[derive(Serialize, Deserialize)]
struct Meta<P> {
    kind: ArchiveKind,
    plan: P,
    faces: usize,
    skipped: u64,
    /// m, the workers whose faces are in the sums.
    workers: usize,
}

/// Writes the part into an open file, which is to be its owner's alone: means and products of few faces show these.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_partial<W: Write>(part: &Partial, out: &mut BufWriter<W>) -> io::Result<()> {
    let meta = Meta {
        kind: ArchiveKind::Partial,
        plan: Written(part.plan()),
        faces: part.faces(),
        skipped: part.skipped(),
        workers: part.given().len(),
    };
    let mut archive = ArchiveWriter::new(out, &meta)?;
    for (view, sums) in part.plan().summed().into_iter().zip(part.sums()) {
        let named = |name: &str| format!("{}{name}", prefix(view));
        let (totals, products) = (sums.totals(), sums.products());
        archive.add_array(&named("totals"), &[totals.len()], totals)?;
        archive.add_array(&named("products"), &[products.len()], products)?;
    }
    let given: Vec<u8> = part.given().iter().flat_map(|print| print.0).collect();
    archive.add_array("given", &[part.given().len(), 32], &given)?;
    archive.finish()?;
    Ok(())
}

/// Reads a part back, bit for bit.
///
/// # Errors
/// A file that is not there, is no part, is damaged, newer, or does not fit together.
pub fn load_partial(path: &Path) -> Result<Partial> {
    partial_from_archive(&Archive::read_named(path)?)
}

/// Reads it from a file that is in memory already.
///
/// # Errors
/// As [`load_partial`].
pub fn partial_from_archive(archive: &Archive) -> Result<Partial> {
    archive.expect(ArchiveKind::Partial)?;
    let meta: Meta<Keys> = archive.meta()?;
    let plan = read_plan(archive, meta.plan)?;
    let senseless = || archive.refuse(ModelProblem::layout("sums that no faces have"));
    let size = plan.preparation().size();
    let mut sums = Vec::new();
    for view in plan.summed() {
        let named = |name: &str| format!("{}{name}", prefix(view));
        let d = view.size(size).pixels();
        let totals = archive.array(&named("totals"), &[d])?;
        let products = archive.array(&named("products"), &[sums::triangle(d)])?;
        sums.push(Sums::from_parts(d, meta.faces, totals, products).ok_or_else(senseless)?);
    }
    let given = archive.bytes("given", &[meta.workers, 32])?;
    let given = given
        .as_chunks()
        .0
        .iter()
        .map(|&print| Fingerprint(print))
        .collect();
    Partial::from_parts(plan, sums, meta.skipped, given).ok_or_else(senseless)
}

/// The plan in the `meta.json` of an archive.
pub(super) fn read_plan(archive: &Archive, plan: Keys) -> Result<Plan> {
    plan.plan().map_err(|problem| {
        archive.refuse(ModelProblem::Json {
            member: "meta.json".to_owned(),
            reason: format!("its plan {problem}"),
        })
    })
}
