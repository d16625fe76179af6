//! `eigenfaces partial`: one worker's photos become sums, in memory that does not grow with their number.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::error::ErrorKind;
use eigenfaces::dataset::given::{in_chunks, listed, listed_in, sent};
use eigenfaces::dataset::{self, ContentHash, Given, Limits, Skipped, is_standard_input};
use eigenfaces::error::{ArchiveKind, PhotoProblem};
use eigenfaces::partial::{Partial, Plan, SumBuilder};
use eigenfaces::preparation::Preparation;
use eigenfaces::store::{self, FileKind, Outputs, Privacy};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::args::{self, Format};
use super::error::Result;
use super::outcome::Outcome;
use super::output::{Output, counted};
use super::{files, learning, misuse};

/// Photos, or the error that ends them.
type Photos = Box<dyn Iterator<Item = eigenfaces::Result<Given>> + Send>;

pub fn run(args: &args::Partial, output: &Output) -> Result<Outcome> {
    let started = Instant::now();
    refuse_contradiction(args);
    let given = args.faces.iter().filter(|path| !is_standard_input(path));
    let mut outputs = Outputs::new(given.chain([&args.plan]), args.force.into());
    let destination = outputs.claim(&args.output, FileKind::Archive(ArchiveKind::Partial))?;
    let plan = plan(&args.plan)?;
    let (photos, unusable) = photos(args, output)?;
    let mut sums = SumBuilder::new(plan);
    for _ in 0..unusable {
        sums.skip();
    }
    gather(photos, &mut sums, output)?;
    let part = sums.finish()?;
    destination.write_with(Privacy::Owner, |out| store::write_partial(&part, out))?;
    report(&part, 1, &args.output, started, output)?;
    // An empty share is no failure of the worker: another may have the faces.
    Ok(match part.skipped() {
        0 => Outcome::Done,
        _ => Outcome::SomeUnusable,
    })
}

/// Ends with a usage error where standard input is asked for twice, or for nothing.
fn refuse_contradiction(args: &args::Partial) {
    let from_stdin = args.faces.iter().filter(|path| is_standard_input(path));
    let message = match (args.bytes, from_stdin.count(), args.faces.len()) {
        (_, 2.., _) => "`-` is there twice, and standard input can be read once",
        (true, 0, _) => "--bytes is for photos on standard input: give `-` instead of paths",
        _ => return,
    };
    misuse::end(ErrorKind::ArgumentConflict, message);
}

/// The plan, if this program may act by it.
fn plan(path: &Path) -> Result<Plan> {
    let plan = store::load_plan(path)?;
    plan.refuse_other_program()
        .map_err(|problem| eigenfaces::Error::Plan {
            path: path.to_owned(),
            problem,
        })?;
    Ok(plan)
}

/// All that is given, in its order; and how much of it cannot be looked at, which is said.
fn photos(args: &args::Partial, output: &Output) -> Result<(Photos, usize)> {
    let (mut all, mut unusable): (Photos, usize) = (Box::new(std::iter::empty()), 0);
    let mut folders: Vec<PathBuf> = Vec::new();
    for path in &args.faces {
        let more: Photos = if is_standard_input(path) {
            let stdin = BufReader::new(std::io::stdin());
            match args.bytes {
                true => Box::new(sent(stdin, &Limits::default())),
                false => Box::new(listed(stdin, path)),
            }
        } else if is_list(path) {
            Box::new(listed_in(path)?)
        } else {
            folders.push(path.clone());
            continue;
        };
        all = Box::new(all.chain(more));
    }
    if !folders.is_empty() {
        let listing = dataset::list_photos(&folders)?;
        learning::report_skipped(&listing.skipped, output);
        unusable = listing.skipped.len();
        let photos = listing.photos.into_iter().map(|path| Ok(Given::At(path)));
        all = Box::new(all.chain(photos));
    }
    Ok((all, unusable))
}

fn is_list(path: &Path) -> bool {
    files::has_extension(path, &["txt", "list", "lst"]) && !path.is_dir()
}

/// Sums up the faces of all photos; names those that give none.
fn gather(photos: Photos, sums: &mut SumBuilder, output: &Output) -> Result<()> {
    let preparation = *sums.plan().preparation();
    let progress = output.progress(0, "summing up photos");
    let prepare = |chunk: eigenfaces::Result<Vec<Given>>| -> Result<Vec<Result<Face, Skipped>>> {
        let chunk = chunk?.into_par_iter();
        Ok(chunk.map(|photo| prepared(photo, &preparation)).collect())
    };
    dataset::read_ahead(in_chunks(photos), prepare, |chunks| {
        for chunk in chunks {
            for face in chunk? {
                match face {
                    Ok((pixels, photo)) => sums.add(&pixels, photo)?,
                    Err(skipped) => {
                        learning::report_skipped(&[skipped], output);
                        sums.skip();
                    }
                }
            }
            progress.reach(sums.faces());
        }
        Ok(())
    })
}

/// The pixels of a face, and the photo that it is from.
type Face = (Vec<u8>, ContentHash);

fn prepared(photo: Given, preparation: &Preparation) -> Result<Face, Skipped> {
    let path = photo.name();
    let face = || -> Result<Face, PhotoProblem> {
        let file = photo.file()?;
        let face = preparation.prepare(&file.decode()?)?;
        Ok((face.pixels, file.content_hash()))
    };
    face().map_err(|problem| Skipped { path, problem })
}

/// Tells of a worker's part, and of its file.
pub fn report(
    part: &Partial,
    merged: usize,
    path: &Path,
    started: Instant,
    output: &Output,
) -> Result<()> {
    if output.format != Format::Text {
        return output.fields(&json(part));
    }
    let faces = in_words(part.faces(), part.skipped());
    output.say(&match merged {
        1 => format!("summed up {faces}"),
        _ => format!("merged {merged} parts of {faces}"),
    });
    output.say_written(path, started);
    Ok(())
}

pub fn json(part: &Partial) -> Value {
    json!({
        "kind": "partial",
        "faces": part.faces(),
        "skipped": part.skipped(),
        "workers": part.given().len(),
        "photos": part.photos().to_string(),
    })
}

/// `12 faces, 3 photos skipped`.
pub fn in_words(faces: usize, skipped: u64) -> String {
    let faces = counted(faces, "face", "faces");
    match skipped {
        0 => faces,
        1 => format!("{faces}, 1 photo skipped"),
        _ => format!("{faces}, {skipped} photos skipped"),
    }
}
