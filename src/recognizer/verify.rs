//! The same person, or not: two photos, or a photo and a name.

use nalgebra::DMatrix;

use super::{Recognizer, evidence, similarity};
use crate::decision::{Acceptance, ENOUGH_PEOPLE, Pairs};
use crate::error::{Error, Result};
use crate::face_matrix::FaceMatrix;
use crate::likeness::LikenessTest;
use crate::metric::Measure;

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

/// What is said of two photos, or of a photo and a person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verification {
    /// The answer.
    pub verdict: Verdict,
    /// Probability that it is the same person: of two photos where half of all pairs are, of a photo and a
    /// person as [`Recognizer::identify`] has it.
    pub confidence: f64,
    /// The distance by the metric (and the cluster rule, where a person is asked for).
    pub distance: f64,
    /// The confidence that is needed.
    pub needed: f64,
}

impl Recognizer {
    /// Whether two prepared faces (d pixels each) are of one person. Neither need be enrolled.
    ///
    /// # Errors
    /// [`Error::TooFewToVerify`] where fewer than [`ENOUGH_PEOPLE`] are enrolled: there is nothing to measure
    /// the answer by. Faces of another size.
    pub fn verify(
        &self,
        first: &[u8],
        second: &[u8],
        acceptance: Acceptance,
    ) -> Result<Verification> {
        let size = self.preparation().size();
        let faces = FaceMatrix::from_pixels(size, [first, second].concat())?;
        let coordinates = self.matcher().coordinates(&faces);
        let squared = squared_distance(&coordinates, 0, &coordinates, 1);
        let similarity = similarity(squared, self.settings().metric.measure);
        let judged = self.calibration().same_person(similarity, acceptance);
        let needed = self.calibration().pair_threshold(acceptance);
        let (Some((passes, confidence)), Some(needed)) = (judged, needed) else {
            return Err(self.too_few());
        };
        Ok(Verification {
            verdict: self.verdict(&faces, passes),
            confidence,
            distance: squared.sqrt(),
            needed,
        })
    }

    /// Whether a prepared face (d pixels) is of an enrolled person, given by the position in
    /// [`Gallery::people`](crate::gallery::Gallery::people).
    ///
    /// As strict as identifying: a stranger who may choose the person they resemble most passes as rarely as
    /// a stranger is given a name.
    ///
    /// # Errors
    /// [`Error::TooFewToVerify`] as in [`Recognizer::verify`]; a face of another size.
    pub fn verify_person(
        &self,
        face: &[u8],
        person: usize,
        acceptance: Acceptance,
    ) -> Result<Verification> {
        if self.goes_by_resemblance() {
            return self.verify_among_few(face, person, acceptance);
        }
        if !self.calibration().gives_names() {
            return Err(self.too_few());
        }
        let faces = FaceMatrix::from_pixels(self.preparation().size(), face.to_vec())?;
        let coordinates = self.matcher().coordinates(&faces);
        let ranked = self
            .matcher()
            .rank(coordinates.as_slice(), self.gallery.people().len());
        let at = ranked.iter().position(|found| found.person == person);
        let at = at.ok_or(Error::Inconsistent)?;
        let evidence = evidence(&ranked, at, self.settings().metric.measure);
        let evidence = evidence.ok_or(Error::Inconsistent)?;
        let passes = self.calibration().is_known(evidence, acceptance);
        Ok(Verification {
            verdict: self.verdict(&faces, passes),
            confidence: self.calibration().confidence(evidence),
            distance: ranked[at].distance(),
            needed: self.calibration().threshold(acceptance),
        })
    }

    /// Among few people: by how alike textures are, as identifying has it.
    fn verify_among_few(
        &self,
        face: &[u8],
        person: usize,
        acceptance: Acceptance,
    ) -> Result<Verification> {
        let faces = FaceMatrix::from_pixels(self.preparation().size(), face.to_vec())?;
        let few = self.identifier.few.as_ref().ok_or(Error::Inconsistent)?;
        let ranked = self.identifier.resemblances(few, faces.as_slice());
        let found = ranked.iter().find(|(other, _)| *other == person);
        let &(_, cosine) = found.ok_or(Error::Inconsistent)?;
        let is_nearest = ranked
            .first()
            .is_some_and(|&(nearest, _)| nearest == person);
        Ok(Verification {
            verdict: self.verdict(&faces, is_nearest && few.passes(cosine, acceptance)),
            confidence: crate::decision::few::confidence(cosine),
            distance: super::few::distance(cosine),
            needed: self.threshold(acceptance).ok_or_else(|| self.too_few())?,
        })
    }

    fn too_few(&self) -> Error {
        Error::TooFewToVerify {
            people: self.gallery.people().len(),
            enough: ENOUGH_PEOPLE,
        }
    }

    /// What does not look like a face is of nobody.
    fn verdict(&self, faces: &FaceMatrix, passes: bool) -> Verdict {
        let weights = self.space().project(faces);
        let test = LikenessTest::new(self.space());
        let limit = self.calibration().likeness_limit();
        let is_face =
            |at: usize| test.likeness(faces.face(at), weights.column(at).as_slice()) >= limit;
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

fn squared_distance(a: &DMatrix<f32>, at: usize, b: &DMatrix<f32>, other: usize) -> f64 {
    let values = a.column(at).into_iter().zip(b.column(other));
    values
        .map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2))
        .sum()
}
