//! Arrays of a model that is compared by the background model.

use std::io;
use std::sync::Arc;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::own_background::{self, OwnMeta};
use super::{Archive, ArchiveWriter};
use crate::background::{Adaptation, Background, Calibration, People, PeopleParts, Prior};
use crate::compare::{Compare, Comparer, Likelihoods};
use crate::error::{Error, Result};
use crate::face_matrix::FaceMatrix;
use crate::locate::framing::Framing;

/// The part of `meta.json` about comparing by the background model.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct BackgroundMeta {
    /// SHA-256 of the background model, in hexadecimal digits.
    pub model: String,
    /// Of one that does not come with the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnMeta>,
    /// Whether the gallery moved its covariance.
    pub adapted: bool,
    pub calibration: Calibration,
    #[serde(rename = "likeness_limit")]
    pub face_score_limit: f64,
}

impl BackgroundMeta {
    pub(super) fn of(prior: Prior, comparer: &Likelihoods) -> Self {
        Self {
            model: digest(prior),
            own: if let Prior::Own(own) = prior { Some(OwnMeta::of(own)) } else { None },
            adapted: comparer.people().adaptation().is_adapted(),
            calibration: *comparer.calibration(),
            face_score_limit: comparer.face_score_limit(),
        }
    }
}

/// SHA-256 of the background model, in hexadecimal digits; nothing where there is none.
fn digest(prior: Prior) -> String {
    match prior {
        Prior::Bundled => Background::bundled_digest(),
        Prior::Own(own) => own.digest().to_owned(),
        Prior::None => String::new(),
    }
}

fn background(prior: Prior) -> Result<&'static Background> {
    prior.background()?.ok_or(Error::Inconsistent)
}

/// Writes what compares, and the coordinates of the enrolled faces (2k x n).
pub(super) fn write<W: io::Write>(
    archive: &mut ArchiveWriter<W>,
    prior: Prior,
    comparer: &Likelihoods,
    coordinates: &DMatrix<f32>,
) -> io::Result<()> {
    if let Prior::Own(own) = prior {
        own_background::write(archive, own)?;
    }
    let (rows, n) = coordinates.shape();
    archive.add_array("background_coordinates", &[n, rows], coordinates.as_slice())?;
    let fingerprints: Vec<i64> = comparer.enrolled().iter().map(|face| face.0.cast_signed()).collect();
    archive.add_array("background_fingerprints", &[n], &fingerprints)?;
    let people = comparer.people();
    let parts = people.to_parts();
    let count = people.photos().len();
    archive.add_array("background_mean_", &[rows], &parts.means)?;
    archive.add_array("background_people", &[count, rows], &parts.linear)?;
    archive.add_array("background_levels", &[count, 3], &parts.levels)?;
    let moments: Vec<i64> = people.photos().iter().map(|&photos| photos as i64).collect();
    archive.add_array("background_moments", &[count], &moments)?;
    let adaptation = comparer.people().adaptation();
    if adaptation.is_adapted() {
        let (directions, between) = adaptation.to_parts();
        let rows = between.len();
        archive.add_array("background_directions_", &[rows, rows / 2], &directions)?;
        archive.add_array("background_between_", &[rows], &between)?;
    }
    Ok(())
}

impl BackgroundMeta {
    /// The background model that compares.
    /// Errors: one that cannot be read.
    pub(super) fn prior(&self, archive: &Archive) -> Result<Prior> {
        Ok(self.own.as_ref().map(|own| own.read(archive)).transpose()?.map_or(Prior::Bundled, Prior::Own))
    }

    /// Whether the arrays were made by this background model: the bundled one may be of another version of this program.
    fn is_current(&self, prior: Prior) -> bool {
        self.model == digest(prior)
    }
}

/// Reads what compares; `persons` are those of the enrolled faces, `framing` that of their photos. What an older
/// background model made of them means nothing here: it is learned again from their `coordinates`.
pub(super) fn read(
    archive: &Archive,
    prior: Prior,
    about: &BackgroundMeta,
    framing: Framing,
    persons: &[usize],
    coordinates: &DMatrix<f32>,
) -> Result<Comparer> {
    let refuse = |reason: &str| archive.misfit(reason);
    let background = background(prior)?;
    if !about.is_current(prior) {
        let limit = about.face_score_limit;
        if !(-1.0..=1.0).contains(&limit) {
            return Err(refuse("unexpected limits of the background model"));
        }
        let comparer = Likelihoods::learn(background, coordinates, persons, limit, framing);
        return Ok(Comparer::Likelihoods(Arc::new(comparer)));
    }
    let rows = 2 * background.components();
    let adaptation = if about.adapted {
        let directions = archive.array("background_directions_", &[rows, rows / 2])?;
        Adaptation::from_parts(background, directions, archive.array("background_between_", &[rows])?)
            .ok_or_else(|| refuse("unexpected directions of the background model"))?
    } else {
        Adaptation::none(background)
    };
    let count = persons.last().map_or(0, |last| last + 1);
    let parts = PeopleParts {
        means: archive.array("background_mean_", &[rows])?,
        linear: archive.array("background_people", &[count, rows])?,
        levels: archive.array("background_levels", &[count, 3])?,
    };
    let moments: Vec<i64> = archive.array("background_moments", &[count])?;
    // Frames of one moment count as one photo, and each person has some.
    let sound = |&count: &i64| usize::try_from(count).ok().filter(|&it| 0 < it && it <= persons.len());
    let photos: Option<Vec<usize>> = moments.iter().map(sound).collect();
    let photos = photos.ok_or_else(|| refuse("unexpected numbers of photos"))?;
    let people = People::from_parts(adaptation, photos, parts)
        .ok_or_else(|| refuse("unexpected people of the background model"))?;
    let fingerprints: Vec<i64> = archive.array("background_fingerprints", &[persons.len()])?;
    let fingerprints = fingerprints.into_iter().map(i64::cast_unsigned);
    Likelihoods::from_parts(
        background,
        people,
        fingerprints.zip(persons.iter().copied()).collect(),
        about.calibration,
        about.face_score_limit,
    )
    .map(|comparer| Comparer::Likelihoods(Arc::new(comparer)))
    .map_err(|_| refuse("a calibration that does not fit its people"))
}

/// Reads the coordinates of the enrolled faces (2k x n); those of an older background model are described anew.
pub(super) fn read_coordinates(
    archive: &Archive,
    prior: Prior,
    about: &BackgroundMeta,
    faces: &FaceMatrix,
) -> Result<DMatrix<f32>> {
    let background = background(prior)?;
    if !about.is_current(prior) {
        return Ok(background.coordinates(faces));
    }
    let (rows, n) = (2 * background.components(), faces.len());
    Ok(DMatrix::from_vec(rows, n, archive.array("background_coordinates", &[n, rows])?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recognizer::{QueryOptions, Settings};
    use crate::store::tests::{learned, saved};
    use crate::store::{self, Privacy, forge_members, replace_file};
    use std::io::Read as _;

    #[test]
    fn a_model_of_an_older_background_model_is_learned_again_from_its_faces() {
        let recognizer = learned(Settings::default());
        let file = saved(Settings::default());

        // The same model, but for the digest of its background model and a coordinate.
        let mut members = Vec::new();
        let mut zip = zip::ZipArchive::new(std::fs::File::open(&file).unwrap()).unwrap();
        for at in 0..zip.len() {
            let mut member = zip.by_index(at).unwrap();
            let mut content = Vec::new();
            member.read_to_end(&mut content).unwrap();
            members.push((member.name().unwrap().into_owned(), content));
        }
        for (name, content) in &mut members {
            if name == "meta.json" {
                let digest = Background::bundled_digest();
                let text = String::from_utf8(content.clone()).unwrap();
                assert!(text.contains(&digest));
                *content = text.replace(&digest, &"0".repeat(digest.len())).into_bytes();
            }
            if name == "background_coordinates.npy" {
                *content.last_mut().unwrap() ^= 1;
            }
        }
        let older = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let forged = forge_members(&members);
        replace_file(&older, Privacy::Owner, |out| io::Write::write_all(out, &forged)).unwrap();

        let faces = recognizer.gallery().faces();
        let query = QueryOptions::default();
        let expected = recognizer.identify_faces(faces, query);
        let whole = store::load(&older).unwrap();
        assert_eq!(whole.identify_faces(faces, query), expected);
    }
}
