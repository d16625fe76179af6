//! One face of a photo, chosen to be enrolled.

use crate::dataset::{ContentHash, Person, Photo};
use crate::error::PhotoProblem;
use crate::gallery::LabeledFace;
use crate::locate::{Location, main_face};
use crate::preparation::{FaceChoice, Preparation};

/// One face of a photo, prepared and labelled with a person's name.
///
/// The main face has the content hash of the photo, as where a folder of photos is enrolled; each other face has a hash
/// of its own, so that several people of a group photo can be enrolled from it. `source` tells where the photo lies; the
/// number of the face is added where the photo shows several.
///
/// # Errors
/// A photo without a face, or without the chosen one.
pub fn chosen_face(
    preparation: &Preparation,
    person: &Person,
    photo: &Photo,
    choice: FaceChoice,
    source: &str,
) -> Result<LabeledFace, PhotoProblem> {
    let mut faces = preparation.prepare_all(photo.luma())?;
    let found: Vec<Location> = faces
        .iter()
        .filter_map(|face| face.part.location())
        .collect();
    let main = main_face(&found, photo.luma().dimensions()).unwrap_or(0);
    let at = choice.among(faces.len(), main)?;
    let of = faces.len();
    let whole = photo.content_hash();
    Ok(LabeledFace {
        person: person.clone(),
        source: match (source, of) {
            ("", _) | (_, 1) => source.to_owned(),
            _ => format!("{source} (face {})", at + 1),
        },
        hash: if at == main {
            whole
        } else {
            ContentHash::of(&[&whole.0[..], format!("face {}", at + 1).as_bytes()].concat())
        },
        pixels: faces.swap_remove(at).pixels,
    })
}
