//! Verification of two photos, or of a photo and a name.

use nalgebra::DMatrix;

use super::identifier::SAME_FACE;
use super::{BackgroundComparer, Comparer, QueryOptions, Recognizer, evidence, similarity};
use crate::background::Background;
use crate::decision::{Acceptance, Decision, ENOUGH_PEOPLE, Pairs};
use crate::error::{Error, Result};
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::faceness::FacenessTest;
use crate::metric::Measure;
use crate::preparation::PreparedFace;

/// Whether it is the same person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Same,
    /// It is not, as far as can be told.
    Different,
    /// The photo at this position does not show a face.
    NotAFace {
        /// 0 for the first.
        photo: usize,
    },
}

/// The answer about two photos, or about a photo and a person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verification {
    /// The answer.
    pub verdict: Verdict,
    /// Probability that it is the same person: of two photos where half of all pairs are, of a photo and a
    /// person as [`Identifier::identify`](super::Identifier::identify) has it.
    pub confidence: f64,
    /// With the background model the negative logarithm of the probability that it is the same person; without it the
    /// distance by the metric (and the cluster rule, where a person is asked for).
    pub distance: f64,
    /// The confidence that is needed.
    pub needed: f64,
}

/// Whether two faces are of one person, by the background model alone, with nobody enrolled. Both were found, and prepared as
/// [`face_index::preparation`](crate::face_index::preparation) does.
///
/// # Errors
/// When the program itself is damaged; faces of another size.
pub fn verify_alone(
    first: &PreparedFace,
    second: &PreparedFace,
    acceptance: Acceptance,
) -> Result<Verification> {
    let pixels = [first, second].map(|face| face.pixels.as_slice());
    let faces = FaceMatrix::from_pixels(FaceSize::ALIGNED, pixels.concat())?;
    let (passes, verification) = BackgroundComparer::of_nobody()?.compare(&faces, acceptance)?;
    let verdict = match passes {
        true => Verdict::Same,
        false => Verdict::Different,
    };
    Ok(Verification {
        verdict,
        ..verification
    })
}

impl BackgroundComparer {
    /// Whether two photos (d x 2) pass as one person; the verification says nothing yet of whether they show faces.
    fn compare(&self, faces: &FaceMatrix, acceptance: Acceptance) -> Result<(bool, Verification)> {
        let coordinates = Background::bundled()?.coordinates(faces);
        let is_one_photo = coordinates.column(0) == coordinates.column(1);
        let calibration = self.calibration();
        let score = match is_one_photo {
            true => SAME_FACE,
            false => self.people().pair_scores(&coordinates, &[[0, 1]])[0],
        };
        let (passes, confidence) = calibration.same_person(score, acceptance);
        let verification = Verification {
            verdict: Verdict::Different,
            confidence,
            distance: calibration.pair_distance(score),
            needed: calibration.pair_threshold(acceptance),
        };
        Ok((passes, verification))
    }
}

impl Recognizer {
    /// Whether two prepared faces are of one person. Neither need be enrolled.
    ///
    /// # Errors
    /// Without background model [`Error::TooFewToVerify`] where fewer than [`ENOUGH_PEOPLE`] are enrolled: there is
    /// nothing to measure the answer by. Faces of another size.
    pub fn verify(
        &self,
        first: &PreparedFace,
        second: &PreparedFace,
        acceptance: Acceptance,
    ) -> Result<Verification> {
        let size = self.preparation().size();
        let pixels = [first, second].map(|face| face.pixels.as_slice());
        let faces = FaceMatrix::from_pixels(size, pixels.concat())?;
        let found = [first, second].map(|face| face.part.location().is_some());
        let (matcher, calibration) = match self.comparer() {
            Comparer::Gallery {
                matcher,
                calibration,
            } => (matcher, calibration),
            Comparer::Background(background) => {
                return self.verify_by_background(background, &faces, &found, acceptance);
            }
        };
        let coordinates = matcher.coordinates(&faces);
        let squared = squared_distance(&coordinates, 0, &coordinates, 1);
        let similarity = similarity(squared, self.settings().comparison.metric.measure);
        let judged = calibration.same_person(similarity, acceptance);
        let needed = calibration.pair_threshold(acceptance);
        let (Some((passes, confidence)), Some(needed)) = (judged, needed) else {
            return Err(self.too_few());
        };
        Ok(Verification {
            verdict: self.verdict(&faces, &[false; 2], passes),
            confidence,
            distance: squared.sqrt(),
            needed,
        })
    }

    /// Whether a prepared face is of an enrolled person, given by the position in
    /// [`Gallery::people`](crate::gallery::Gallery::people).
    ///
    /// As strict as identifying: a stranger who may choose the person they resemble most passes as rarely as
    /// a stranger is given a name.
    ///
    /// # Errors
    /// [`Error::TooFewToVerify`] as in [`Recognizer::verify`]; a face of another size.
    pub fn verify_person(
        &self,
        face: &PreparedFace,
        person: usize,
        acceptance: Acceptance,
    ) -> Result<Verification> {
        let pixels = face.pixels.clone();
        let faces = FaceMatrix::from_pixels(self.preparation().size(), pixels)?;
        let (matcher, calibration) = match self.comparer() {
            Comparer::Gallery { calibration, .. } if !calibration.gives_names() => {
                return Err(self.too_few());
            }
            Comparer::Gallery {
                matcher,
                calibration,
            } => (matcher, calibration),
            Comparer::Background(_) => {
                let is_found = face.part.location().is_some();
                return self.verify_claim(&faces, is_found, person, acceptance);
            }
        };
        let coordinates = matcher.coordinates(&faces);
        let ranked = matcher.rank(coordinates.as_slice(), self.gallery.people().len());
        let at = ranked.iter().position(|found| found.person == person);
        let at = at.ok_or(Error::Inconsistent)?;
        let evidence = evidence(&ranked, at, self.settings().comparison.metric.measure);
        let evidence = evidence.ok_or(Error::Inconsistent)?;
        let passes = calibration.is_known(evidence, acceptance);
        Ok(Verification {
            verdict: self.verdict(&faces, &[false], passes),
            confidence: calibration.confidence(evidence),
            distance: ranked[at].distance(),
            needed: calibration.threshold(acceptance),
        })
    }

    /// Two photos (d x 2) by the background model; `found` says which were found as faces.
    fn verify_by_background(
        &self,
        background: &BackgroundComparer,
        faces: &FaceMatrix,
        found: &[bool; 2],
        acceptance: Acceptance,
    ) -> Result<Verification> {
        let (passes, verification) = background.compare(faces, acceptance)?;
        Ok(Verification {
            verdict: match self.verdict(faces, found, passes) {
                // Who is recognised is a face, in whatever light.
                _ if passes => Verdict::Same,
                verdict => verdict,
            },
            ..verification
        })
    }

    /// A photo (d x 1) and a person by the background model: whether identifying would give that name.
    fn verify_claim(
        &self,
        faces: &FaceMatrix,
        is_found: bool,
        person: usize,
        acceptance: Acceptance,
    ) -> Result<Verification> {
        let options = QueryOptions {
            top: self.gallery.people().len(),
            acceptance,
        };
        let found = self.identifier.identify_faces(faces, options).pop();
        let found = found.ok_or(Error::BackgroundDamaged)?;
        let name = self
            .gallery
            .people()
            .get(person)
            .ok_or(Error::Inconsistent)?;
        let own = found
            .candidates
            .iter()
            .find(|candidate| candidate.person == *name);
        let own = own.ok_or(Error::Inconsistent)?;
        Ok(Verification {
            verdict: match found.decision {
                Decision::NotAFace if !is_found => Verdict::NotAFace { photo: 0 },
                Decision::Known if found.closest() == Some(own) => Verdict::Same,
                Decision::Known | Decision::Unknown | Decision::NotAFace => Verdict::Different,
            },
            confidence: own.confidence,
            distance: own.distance,
            needed: self
                .identifier
                .threshold(acceptance)
                .ok_or_else(|| self.too_few())?,
        })
    }

    fn too_few(&self) -> Error {
        Error::TooFewToVerify {
            people: self.gallery.people().len(),
            enough: ENOUGH_PEOPLE,
        }
    }

    /// The verdict about faces (d x n), of which these were `found` as faces. What neither was nor looks like one is of
    /// nobody.
    fn verdict(&self, faces: &FaceMatrix, found: &[bool], passes: bool) -> Verdict {
        let weights = self.space().project(faces);
        let test = FacenessTest::new(self.space());
        let limit = self.comparer().face_score_limit();
        let is_face = |at: usize| {
            found[at] || test.face_score(faces.face(at), weights.column(at).as_slice()) >= limit
        };
        match (0..faces.len()).find(|&at| !is_face(at)) {
            Some(photo) => Verdict::NotAFace { photo },
            None if passes => Verdict::Same,
            None => Verdict::Different,
        }
    }
}

/// Pairs of the photos tried (coordinates k x n, the person of each) that were left out of learning. Where
/// only one person was left out, false pairs are with the photos learned from and their copies (k x m).
pub(super) fn pairs(
    tried: &DMatrix<f32>,
    persons: &[usize],
    learned: &DMatrix<f32>,
    measure: Measure,
) -> Pairs {
    let mut pairs = Pairs::default();
    for first in 0..persons.len() {
        for second in first + 1..persons.len() {
            let similarity = similarity(squared_distance(tried, first, tried, second), measure);
            if persons[first] == persons[second] {
                pairs.same.push(similarity);
            } else {
                pairs.different.push(similarity);
            }
        }
    }
    if pairs.different.is_empty() {
        for first in 0..persons.len() {
            for second in 0..learned.ncols() {
                let squared = squared_distance(tried, first, learned, second);
                pairs.different.push(similarity(squared, measure));
            }
        }
    }
    pairs
}

pub(super) fn squared_distance(a: &DMatrix<f32>, at: usize, b: &DMatrix<f32>, other: usize) -> f64 {
    let values = a.column(at).into_iter().zip(b.column(other));
    values
        .map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2))
        .sum()
}
