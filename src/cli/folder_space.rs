//! The face space of a folder of photos, whoever they show: for `basis --faces`.

use std::num::NonZeroUsize;

use eigenfaces::dataset::{self, Limits, PhotoFile};
use eigenfaces::error::Result;
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::face_space::FaceSpace;
use eigenfaces::locate::framing::Framing;
use eigenfaces::pca::{Components, Pca, covariance};
use eigenfaces::preparation::Preparation;

use super::Outcome;
use super::args::Basis;
use super::learning;
use super::output::Output;

/// Bytes of faces that are read at a time: enough for the sums to be bound by arithmetic.
const CHUNK: usize = 32 << 20;

/// Learns from the photos under `args.faces`. Where these are more than the pixels of a face, memory does
/// not grow with their number: the covariance is summed up while photos are read.
pub fn learn(args: &Basis, output: &Output) -> Result<(FaceSpace, Outcome)> {
    let listing = dataset::list_photos(&args.faces)?;
    let photos = &listing.photos;
    let size = match args.size {
        Some(size) => size,
        None => learning::chosen_size(photos, &args.faces, &listing.skipped, output)?,
    };
    let preparation =
        Preparation::new(size, Framing::AsIs).with_light(args.normalize.unwrap_or_default());
    let d = size.pixels();
    let progress = output.progress(photos.len(), "reading photos");
    let mut used = 0;
    let (components, mut skipped) = dataset::stream(
        photos,
        &Limits::default(),
        NonZeroUsize::new(CHUNK / d).unwrap_or(NonZeroUsize::MIN),
        |_, file: &PhotoFile| Ok(preparation.prepare(&file.decode()?)?.pixels),
        &|done| progress.reach(done),
        |chunks| {
            let chunks = chunks.inspect(|faces| used += faces.len());
            fit(args, size, photos.len(), chunks)
        },
    );
    drop(progress);
    skipped.extend(listing.skipped);
    skipped.sort_by(|a, b| a.path.cmp(&b.path));
    learning::report_skipped(&skipped, output);
    if used == 0 {
        return Err(learning::none_usable(&args.faces, skipped.len()));
    }
    let space = FaceSpace::new(size, &components?);
    Ok((space, Outcome::of_inputs(used, skipped.len())))
}

/// The components of at most `photos` faces that come in chunks.
fn fit(
    args: &Basis,
    size: FaceSize,
    photos: usize,
    chunks: impl Iterator<Item = Vec<Vec<u8>>>,
) -> Result<Components> {
    let components = args.components.unwrap_or_default();
    let matrix = |pixels| FaceMatrix::from_pixels(size, pixels).expect("prepared to this size");
    if photos > size.pixels() {
        let chunks = chunks.map(|faces| matrix(faces.concat()));
        return Ok(covariance::fit_stream(chunks, components)?);
    }
    let mut pixels = Vec::with_capacity(photos * size.pixels());
    pixels.extend(chunks.flatten().flatten());
    let pca = Pca {
        components,
        ..Pca::default()
    };
    Ok(pca.fit(&matrix(pixels))?)
}
