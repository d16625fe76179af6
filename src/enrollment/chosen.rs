//! The faces of one photo, to be enrolled one by one.

use crate::dataset::{ContentHash, Person, Photo};
use crate::error::PhotoProblem;
use crate::gallery::LabeledFace;
use crate::locate::{Location, main_face};
use crate::preparation::{FaceChoice, Preparation, PreparedFace};

/// The faces of a photo, prepared, row by row.
#[derive(Debug, Clone)]
pub struct PhotoFaces {
    faces: Vec<PreparedFace>,
    main: usize,
    photo: ContentHash,
}

impl PhotoFaces {
    /// All faces of a photo.
    ///
    /// # Errors
    /// A photo that is too small to show a face.
    pub fn of(preparation: &Preparation, photo: &Photo) -> Result<Self, PhotoProblem> {
        let faces = preparation.prepare_all(photo.luma())?;
        let found: Vec<Location> = faces
            .iter()
            .filter_map(|face| face.part.location())
            .collect();
        Ok(Self {
            main: main_face(&found, photo.luma().dimensions()).unwrap_or(0),
            faces,
            photo: photo.content_hash(),
        })
    }

    /// Identity of the photo.
    pub fn content_hash(&self) -> ContentHash {
        self.photo
    }

    /// The faces, row by row.
    pub fn prepared(&self) -> &Vec<PreparedFace> {
        &self.faces
    }

    /// The box and eyes of each face; `None` where the photo was taken as it is.
    pub fn locations(&self) -> Vec<Option<Location>> {
        let faces = self.faces.iter();
        faces.map(|face| face.part.location()).collect()
    }

    /// The position of the chosen face.
    ///
    /// # Errors
    /// No face, or not the chosen one.
    pub fn position(&self, choice: FaceChoice) -> Result<usize, PhotoProblem> {
        choice.among(self.faces.len(), self.main)
    }

    /// The face at a position, labelled with a person's name; `None` beyond the last.
    ///
    /// The main face has the content hash of the photo, as where a folder of photos is enrolled; each other face has a
    /// hash of its own, so that several people of a group photo can be enrolled from it. `source` tells where the photo
    /// lies; the number of the face is added where the photo shows several.
    pub fn labeled(&self, at: usize, person: &Person, source: &str) -> Option<LabeledFace> {
        let face = self.faces.get(at)?;
        let number = format!("face {}", at + 1);
        let hash = match at == self.main {
            true => self.photo,
            false => ContentHash::of(&[&self.photo.0[..], number.as_bytes()].concat()),
        };
        let source = match (source, self.faces.len()) {
            ("", _) | (_, 1) => source.to_owned(),
            _ => format!("{source} ({number})"),
        };
        Some(LabeledFace {
            person: person.clone(),
            source,
            hash,
            pixels: face.pixels.clone().into(),
            origin: face.origin.clone(),
        })
    }
}

/// One face of a photo, prepared and labelled with a person's name: see [`PhotoFaces::labeled`].
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
    let faces = PhotoFaces::of(preparation, photo)?;
    let at = faces.position(choice)?;
    faces
        .labeled(at, person, source)
        .ok_or(PhotoProblem::NoFace)
}
