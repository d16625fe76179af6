//! `eigenfaces merge`: the parts of all workers become one basis, or one part.

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use eigenfaces::error::ArchiveKind;
use eigenfaces::face_space::FaceSpace;
use eigenfaces::partial::{Fingerprint, MergedBasis, Partial};
use eigenfaces::store::{self, FileKind, Outputs, Privacy};
use serde_json::{Value, json};

use super::args::{Format, MergeParts};
use super::error::Result;
use super::outcome::Outcome;
use super::output::{Output, counted, keep, percent, shown};
use super::partial;

pub fn run(args: &MergeParts, output: &Output) -> Result<Outcome> {
    let started = Instant::now();
    let kind = if args.partial {
        ArchiveKind::Partial
    } else {
        ArchiveKind::Basis
    };
    let mut outputs = Outputs::new(&args.parts, args.force.into());
    let destination = outputs.claim(&args.output, FileKind::Archive(kind))?;
    let merged = merged(args, output)?;
    if args.partial {
        destination.write_with(Privacy::Owner, |out| store::write_partial(&merged, out))?;
        partial::report(&merged, args.parts.len(), &args.output, started, output)?;
        return Ok(Outcome::Done);
    }
    let merged_basis = MergedBasis::learn(merged)?;
    destination.write_with(Privacy::Owner, |out| {
        store::write_merged_basis(&merged_basis, out)
    })?;
    report(&merged_basis, args, started, output)?;
    Ok(Outcome::Done)
}

/// All parts as one; two at a time are in memory.
fn merged(args: &MergeParts, output: &Output) -> Result<Partial> {
    let progress = output.progress(args.parts.len(), "merging parts");
    let mut owners: HashMap<Fingerprint, &Path> = HashMap::new();
    let mut all: Option<(&Path, Partial)> = None;
    for (at, path) in args.parts.iter().enumerate() {
        progress.reach(at);
        let part = store::load_partial(path)?;
        let given = part.given().to_vec();
        match &mut all {
            None => all = Some((path, part)),
            Some((first, sums)) => sums.merge(&part).map_err(|problem| {
                let owner = given.iter().find_map(|given| owners.get(given));
                eigenfaces::Error::Merge {
                    first: owner.unwrap_or(first).to_path_buf(),
                    second: path.clone(),
                    problem,
                }
            })?,
        }
        owners.extend(given.into_iter().map(|given| (given, path.as_path())));
    }
    Ok(all.expect("at least one part is required").1)
}

fn report(
    merged_basis: &MergedBasis,
    args: &MergeParts,
    started: Instant,
    output: &Output,
) -> Result<()> {
    let path = &args.output;
    if output.format != Format::Text {
        return output.fields(&json(merged_basis));
    }
    output.say(&format!(
        "merged {} of {}",
        counted(args.parts.len(), "part", "parts"),
        partial::in_words(merged_basis.learned_from(), merged_basis.skipped())
    ));
    for line in spaces(merged_basis) {
        output.say(&line);
    }
    output.say_written(path, started);
    output.say(&format!(
        "next: eigenfaces enroll FACES --basis {}",
        shown(path)
    ));
    Ok(())
}

pub fn json(merged_basis: &MergedBasis) -> Value {
    let about = |space: &FaceSpace| {
        json!({
            "components": space.components(),
            "variance_kept": space.variance_kept(),
        })
    };
    json!({
        "kind": "basis",
        "faces": merged_basis.learned_from(),
        "skipped": merged_basis.skipped(),
        "photos": merged_basis.photos().to_string(),
        "pixels": about(merged_basis.pixels()),
        "texture": merged_basis.texture().map(|space| about(space)),
    })
}

/// A line for each space.
pub fn spaces(merged_basis: &MergedBasis) -> Vec<String> {
    let space = merged_basis.pixels();
    let of_pixels = format!(
        "{} of {} pixels {} {} of the variance",
        counted(space.components(), "basis face", "basis faces"),
        space.size(),
        keep(space.components()),
        percent(space.variance_kept())
    );
    let of_texture = merged_basis.texture().map(|space| {
        format!(
            "{} of texture {} {} of its variance",
            counted(space.components(), "basis vector", "basis vectors"),
            keep(space.components()),
            percent(space.variance_kept())
        )
    });
    std::iter::once(of_pixels).chain(of_texture).collect()
}
