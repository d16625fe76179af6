//! The face space of a folder of photos, whoever they show: for `basis --faces`.

use std::num::NonZeroUsize;

use eigenfaces::dataset::{self, PhotoFile};
use eigenfaces::enrollment;
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::locate::framing::Framing;
use eigenfaces::pca::minimize::{self, Round};
use eigenfaces::pca::scaled::{self, ScaledComponents};
use eigenfaces::pca::{Accumulator, ComponentCount, Components, Pca, Rule, Solver};
use eigenfaces::preparation::Preparation;

use super::Basis;
use crate::cli::{ExitStatus, Output, Result, learning};

/// Bytes of faces that are read at a time: enough for the sums to be bound by arithmetic.
const CHUNK: usize = 32 << 20;

pub struct Learned {
    pub size: FaceSize,
    pub how: How,
    pub outcome: ExitStatus,
}

pub enum How {
    Solved(Components),
    Minimised(Components, Vec<Round>),
    Scaled(ScaledComponents),
}

/// Learns from the photos under `args.faces`. Where these are more than the pixels of a face, memory does
/// not grow with their number: the covariance is summed up while photos are read.
pub fn learn(args: &Basis, output: &Output) -> Result<Learned> {
    let listing = dataset::list_photos(&args.faces)?;
    enrollment::report_passed_over(&listing, output);
    let photos = &listing.photos;
    let size = args.size.map_or_else(|| enrollment::choose_size(photos, &args.faces, &listing.skipped, output), Ok)?;
    let preparation = Preparation::new(size, Framing::AsIs);
    let d = size.pixels();
    let progress = output.progress(photos.len(), "reading photos");
    let mut used = 0;
    let (found, mut skipped) = dataset::stream(
        photos,
        NonZeroUsize::new(CHUNK / d).unwrap_or(NonZeroUsize::MIN),
        |_, file: &PhotoFile| Ok(preparation.prepare(&file.decode()?)?.pixels),
        &|done| progress.reach(done),
        |chunks| fit(args, size, photos.len(), chunks.inspect(|faces| used += faces.len())),
    );
    drop(progress);
    skipped.extend(listing.skipped);
    skipped.sort_by(|a, b| a.path.cmp(&b.path));
    learning::report_skipped(&skipped, output);
    if used == 0 {
        return Err(enrollment::none_usable(&args.faces, skipped.len()));
    }
    Ok(Learned { size, how: found?, outcome: ExitStatus::of_inputs(used, skipped.len()) })
}

/// The components of at most `photos` faces that come in chunks.
fn fit(args: &Basis, size: FaceSize, photos: usize, mut chunks: impl Iterator<Item = Vec<Vec<u8>>>) -> Result<How> {
    let components = args.components.unwrap_or_default();
    let solver = args.solver.unwrap_or_default();
    let matrix = |pixels| FaceMatrix::from_pixels(size, pixels).expect("prepared to this size");
    let streams = matches!(solver, Solver::Auto | Solver::Covariance)
        && !args.scale_pixels
        && components != ComponentCount::Rule(Rule::Parallel);
    if photos > size.pixels() && streams {
        let first = chunks.next();
        let mut sums = Accumulator::new(size.pixels())?;
        for faces in first.into_iter().chain(chunks) {
            sums.add(&matrix(faces.concat()))?;
        }
        return Ok(How::Solved(sums.fit(components)?));
    }
    let mut pixels = Vec::with_capacity(photos * size.pixels());
    pixels.extend(chunks.flatten().flatten());
    let faces = matrix(pixels);
    if args.scale_pixels {
        return Ok(How::Scaled(scaled::fit(&faces, components)?));
    }
    if solver == Solver::Minimize {
        let mut rounds = Vec::new();
        let found = minimize::fit(&faces, components, |round| rounds.push(round))?;
        return Ok(How::Minimised(found, rounds));
    }
    Ok(How::Solved(Pca { components, solver }.fit(&faces)?))
}
