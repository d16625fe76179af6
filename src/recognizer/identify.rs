//! Naming the people in photos: faces ranked by the comparison, and the rule that turns a ranking into a decision.

use image::GrayImage;
use nalgebra::DMatrix;
use rayon::prelude::*;

use super::Recognizer;
use super::identification::{Identification, QueryOptions};
use crate::background::FaceClassifier;
use crate::compare::{Candidate, Ranking};
use crate::dataset::Person;
use crate::decision::{Acceptance, Decision};
use crate::error::{Error, PhotoProblem, Result};
use crate::face_matrix::FaceMatrix;
use crate::face_score::FaceScorer;
use crate::face_space::Residual;
use crate::locate::framing::Framing;
use crate::preparation::{PhotoRegion, PreparedFace};

impl Recognizer {
    /// The confidence beyond which a name is given; `None` where none ever is.
    pub fn threshold(&self, acceptance: Acceptance) -> Option<f64> {
        self.comparer.threshold(acceptance)
    }

    /// Identifies the people in the photo: prepares it as the gallery was prepared, then [`Recognizer::identify_faces`].
    ///
    /// Where faces are looked for, one identification for every face, row by row, or none; where
    /// photos are taken as they are, one.
    ///
    /// # Errors
    /// A photo that cannot be prepared.
    pub fn identify(
        &self,
        photo: &GrayImage,
        options: QueryOptions,
    ) -> Result<Vec<Identification>, PhotoProblem> {
        let prepared = self.preparation.prepare_all(photo)?;
        let identified = self.identify_prepared(&[prepared], options);
        let unfit = |error: Error| PhotoProblem::Unfit {
            reason: error.to_string(),
        };
        Ok(identified.map_err(unfit)?.remove(0))
    }

    /// Identifies the people in some photos, whose faces were prepared as the gallery was: in order, as
    /// [`Recognizer::identify`] tells it of one. Together they cost less.
    ///
    /// # Errors
    /// Faces of another size.
    pub fn identify_prepared(
        &self,
        photos: &[Vec<PreparedFace>],
        options: QueryOptions,
    ) -> Result<Vec<Vec<Identification>>> {
        self.identify_prepared_by(photos, |faces| Ok(self.identify_faces(faces, options)))
    }

    /// Identifies the people in prepared photos, where `identify` names each of the faces (d x n).
    ///
    /// # Errors
    /// Faces of another size; those of `identify`.
    pub fn identify_prepared_by(
        &self,
        photos: &[Vec<PreparedFace>],
        identify: impl FnOnce(&FaceMatrix) -> Result<Vec<Identification>>,
    ) -> Result<Vec<Vec<Identification>>> {
        let faces = || photos.iter().flatten();
        let pixels = faces().flat_map(|face| face.pixels.iter().copied());
        let together = FaceMatrix::from_pixels(self.preparation.size(), pixels.collect())?;
        let mut identified = identify(&together)?.into_iter();
        let of_photo = |faces: &Vec<PreparedFace>| {
            let with_place = |(face, found): (&PreparedFace, Identification)| {
                let location = face.region.location();
                let decision = match found.decision {
                    // The detector overrides the face score, and so does what is learned of aligned faces.
                    Decision::NotAFace if location.is_some() || self.is_face(face) => {
                        Decision::Unknown
                    }
                    decision => decision,
                };
                let found = Identification {
                    decision,
                    location,
                    ..found
                };
                match self.is_sure_of(face, &found) {
                    true => found.if_large_enough(),
                    false => found.unsure().if_large_enough(),
                }
            };
            let found = faces.iter().zip(identified.by_ref());
            found.map(with_place).collect()
        };
        Ok(photos.iter().map(of_photo).collect())
    }

    /// Whether a name that is given to a face can be told, where the person is one of this gallery's.
    fn is_sure_of(&self, face: &PreparedFace, found: &Identification) -> bool {
        // The very photo that is enrolled has a distance of 0.
        let is_another = |closest: &&Candidate| closest.distance > 0.0;
        let Some(closest) = found.closest().filter(is_another) else {
            return true;
        };
        if found.decision != Decision::Known || !self.may_be_covered(face, found.signal) {
            return true;
        }
        let person = self.gallery.find(closest.person.as_str());
        let faces = FaceMatrix::from_pixels(self.preparation.size(), face.pixels.clone());
        match (person, faces) {
            (Ok(person), Ok(faces)) => {
                self.can_tell(&faces, &self.comparer.describe(&faces), person)
            }
            (person, _) => person.is_err(),
        }
    }

    /// Whether a face may be covered or drawn over: it was aligned by the eyes, but not found, or its signal is not ordinary.
    pub(super) fn may_be_covered(&self, face: &PreparedFace, signal: Option<f64>) -> bool {
        let is_found = face.region.location().is_some();
        let is_ordinary = |signal: f64| is_found && signal <= ORDINARY_SIGNAL;
        self.preparation.framing() == Framing::Detect
            && signal.is_some_and(|signal| !is_ordinary(signal))
    }

    /// Whether a face (d x 1, with its coordinates, m x 1), or one of a person's, is
    /// [typical](crate::compare::Compare::is_typical): where neither is, they may be covered or drawn over alike.
    pub(super) fn can_tell(
        &self,
        face: &FaceMatrix,
        coordinates: &DMatrix<f32>,
        person: usize,
    ) -> bool {
        let is_typical =
            |pixels: &[u8], own: &[f32]| self.comparer.is_typical((pixels, face.size()), own);
        let is_enrolled_typical = |at: usize| {
            self.coordinates().is_none_or(|known| {
                is_typical(self.gallery.faces().face(at), known.column(at).as_slice())
            })
        };
        is_typical(face.face(0), coordinates.as_slice())
            || self
                .gallery
                .faces_of(person)
                .into_iter()
                .any(is_enrolled_typical)
    }

    /// Whether a crop that was aligned by assumed eyes shows a face.
    fn is_face(&self, face: &PreparedFace) -> bool {
        let size = self.preparation.size();
        let is_face = || FaceClassifier::bundled()?.is_face(&face.pixels, size);
        face.region == PhotoRegion::Assumed && is_face().unwrap_or(false)
    }

    /// Identifies each prepared face (d x n), in order.
    pub fn identify_faces(&self, faces: &FaceMatrix, options: QueryOptions) -> Vec<Identification> {
        self.identify_described(faces, None, options)
    }

    /// Identifies each prepared face (d x n), in order, where its coordinates (m x n) may be known
    /// ([`Compare::describe`](crate::compare::Compare::describe)): computing them is most of the work.
    pub fn identify_described(
        &self,
        faces: &FaceMatrix,
        coordinates: Option<DMatrix<f32>>,
        options: QueryOptions,
    ) -> Vec<Identification> {
        let coordinates = coordinates.unwrap_or_else(|| self.comparer.describe(faces));
        let ranked = self
            .comparer
            .rank(&coordinates, options.top, options.acceptance);
        let name = |person: usize| self.gallery.people()[person].clone();
        let evidence = self.face_evidence(faces, &coordinates);
        let judge = |(ranking, evidence)| self.judge(ranking, name, evidence);
        ranked.into_iter().zip(evidence).map(judge).collect()
    }

    /// Identifies each prepared face (d x n, with its coordinates, m x n), given the ranking of a gallery elsewhere for each, of
    /// people by their positions among these names.
    ///
    /// The same as [`Recognizer::identify_faces`] says where the gallery is this one's own.
    pub fn identify_ranked(
        &self,
        faces: &FaceMatrix,
        coordinates: &DMatrix<f32>,
        ranked: Vec<(Ranking, Vec<Person>)>,
    ) -> Vec<Identification> {
        let evidence = self.face_evidence(faces, coordinates);
        let identify = |((ranking, names), evidence): ((Ranking, Vec<Person>), FaceEvidence)| {
            self.judge(ranking, |person| names[person].clone(), evidence)
        };
        ranked.into_iter().zip(evidence).map(identify).collect()
    }

    /// The evidence that each picture (d x n, with its coordinates, m x n) is a face, in order.
    fn face_evidence(&self, faces: &FaceMatrix, coordinates: &DMatrix<f32>) -> Vec<FaceEvidence> {
        let weights = self.space.project(faces);
        let test = FaceScorer::new(&self.space);
        let evidence = |at: usize| {
            let (face, weights) = (faces.face(at), weights.column(at));
            FaceEvidence {
                residual: self.space.residual(face, weights.as_slice()),
                face_score: test.face_score(face, weights.as_slice()),
                signal: self.comparer.signal(coordinates.column(at).as_slice()),
            }
        };
        (0..faces.len()).into_par_iter().map(evidence).collect()
    }

    /// Decides by a ranking of people of such names.
    fn judge(
        &self,
        ranking: Ranking,
        name: impl Fn(usize) -> Person,
        evidence: FaceEvidence,
    ) -> Identification {
        let is_face = evidence.face_score >= self.comparer.face_score_limit();
        let decision = match ranking.accepted {
            // Who is likely enrolled is a face, in whatever light.
            _ if !is_face && ranking.confidence <= 0.5 => Decision::NotAFace,
            true => Decision::Known,
            false => Decision::Unknown,
        };
        let candidate = |found: Candidate<usize>| Candidate {
            person: name(found.person),
            distance: found.distance,
            confidence: found.confidence,
        };
        Identification {
            decision,
            candidates: ranking.people.into_iter().map(candidate).collect(),
            somebody_else: ranking.somebody_else,
            residual: evidence.residual,
            face_score: evidence.face_score,
            signal: evidence.signal,
            location: None,
        }
    }
}

/// The signal that 95 % of the photos of LFW, CFP and AT&T stay below, with that of strangers covered by a bar or a sticker beyond.
const ORDINARY_SIGNAL: f64 = 1.2;

/// The distances of a picture from face space and within it, its face score, and how much damage leaves of it.
#[derive(Clone, Copy)]
struct FaceEvidence {
    residual: Residual,
    face_score: f64,
    signal: Option<f64>,
}
