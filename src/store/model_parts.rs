//! The parts of a model, read from its arrays.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use nalgebra::DMatrix;

use super::meta::Meta;
use super::{Archive, background_arrays, origins};
use crate::compare::{Comparer, Distances};
use crate::dataset::{ContentHash, Person};
use crate::error::Result;
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::face_space::{FaceSpace, Weights};
use crate::gallery::{Gallery, LabeledFace, Pixels};
use crate::kernel_pca::Kernel;
use crate::matcher::{Matcher, PixelScale, Space};
use crate::recognizer::Settings;

/// The comparison of faces with the people enrolled. `weights` are those of the enrolled faces in face space (k x n),
/// `coordinates` those in the background model, which people of an older one need.
pub(super) fn read_comparer(
    archive: &Archive,
    meta: &Meta,
    settings: Settings,
    space: &Arc<FaceSpace>,
    gallery: &Gallery,
    weights: &Weights,
    coordinates: Option<&DMatrix<f32>>,
) -> Result<Comparer> {
    match (&meta.background, meta.calibration) {
        (Some(about), _) => {
            let missing = || archive.misfit("a background model without coordinates");
            let coordinates = coordinates.ok_or_else(missing)?;
            background_arrays::read(archive, settings.prior, about, meta.framing, &gallery.persons(), coordinates)
        }
        (None, Some(calibration)) => Ok(Comparer::Distances(Box::new(Distances {
            matcher: matcher(settings, space, gallery, weights)
                .map_err(|_| archive.misfit("weights that do not fit their faces"))?,
            calibration,
        }))),
        (None, None) => Err(archive.misfit("a model without calibration")),
    }
}

/// The people by distances. The space of a kernel or of scaled pixels is learned again from the faces: it follows from them.
fn matcher(settings: Settings, space: &Arc<FaceSpace>, gallery: &Gallery, weights: &Weights) -> Result<Matcher> {
    let distance = settings.distance;
    let (space, weights) = match (distance.kernel, distance.pixel_scale) {
        (Kernel::Linear, PixelScale::Plain) => (Space::Linear(Arc::clone(space)), Cow::Borrowed(weights)),
        _ => {
            let space = Space::learn(gallery.faces(), distance, settings.pca)?;
            let weights = space.project(gallery.faces());
            (space, Cow::Owned(weights))
        }
    };
    Matcher::from_parts(space, &weights, &gallery.persons(), gallery.people().len(), distance.metric)
}

/// The person that a label in a file names: as this program writes it, so that one name cannot stand there twice.
fn named(label: &str) -> Result<Person, String> {
    let person = Person::stored(label).map_err(|error| error.to_string())?;
    if person.as_str() == label {
        return Ok(person);
    }
    Err(format!("the name '{}' is not in Unicode's composed form, NFC: enrol again", label.escape_debug()))
}

pub(super) fn read_gallery(archive: &Archive, size: FaceSize, n: usize) -> Result<Gallery> {
    let d = size.pixels();
    let invalid = |reason: String| archive.misfit(reason);
    let labels = archive.text("labels", n)?;
    let sources = archive.text("sources", n)?;
    let hashes = archive.bytes("hashes", &[n, 32])?;
    let pixels = archive.bytes("faces", &[n, d])?.to_vec();
    let pixels = FaceMatrix::from_pixels(size, pixels).map(Arc::new)?;
    let origins = origins::read(archive, n)?;
    let mut faces = Vec::with_capacity(n);
    let rows = labels.into_iter().zip(sources).zip(hashes.as_chunks().0).zip(Pixels::of_all(&pixels)).zip(origins);
    for ((((label, source), &hash), pixels), origin) in rows {
        let (person, hash) = (named(&label).map_err(invalid)?, ContentHash(hash));
        faces.push(LabeledFace { person, source, hash, pixels, origin });
    }
    let order: Vec<ContentHash> = faces.iter().map(|face| face.hash).collect();
    let files: HashSet<ContentHash> = order.iter().copied().collect();
    let is_once = files.len() == order.len();
    let gallery = Gallery::in_order(size, faces);
    let canonical = gallery.enrolled().iter().map(|face| face.hash).eq(order);
    if is_once && canonical { Ok(gallery) } else { Err(invalid("faces out of order or twice".to_owned())) }
}
