//! Verification of two photos, or of a photo and a name.

use nalgebra::{DMatrix, DVectorView};

use super::Recognizer;
use crate::background::DAMAGED;
use crate::compare::{Compare, Likelihoods, PairDecision};
use crate::decision::{Acceptance, ENOUGH_PEOPLE};
use crate::error::{Error, LikelihoodError, Result};
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::face_score::FaceScorer;
use crate::locate::framing::Framing;
use crate::preparation::PreparedFace;

/// Whether it is the same person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Same,
    /// It is not, as far as can be told.
    Different,
    /// Damage hides too much of a face ([`DAMAGED`]), or neither photo is like a face ([`Compare::is_typical`]).
    CannotTell,
    /// The photo at this position does not show a face.
    NotAFace {
        /// 0 for the first.
        photo: usize,
    },
}

impl Verdict {
    /// The answer in JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Different => "different",
            Self::CannotTell => "cannot-tell",
            Self::NotAFace { .. } => "not-a-face",
        }
    }
}

/// The answer about two photos, or about a photo and a person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verification {
    /// The answer.
    pub verdict: Verdict,
    /// Probability that it is the same person: of two photos where half of all pairs are, of a photo and a
    /// person as [`Recognizer::identify`] has it.
    pub confidence: f64,
    /// With the background model the negative logarithm of the probability that it is the same person; without it the
    /// distance by the metric.
    pub distance: f64,
    /// The confidence that is needed.
    pub needed: f64,
}

/// Whether two faces are of one person, by the background model alone, with nobody enrolled. Both were found and aligned
/// (`Framing::Detect`, 64x74 pixels).
///
/// # Errors
/// When the program itself is damaged; faces of another size.
pub fn verify_alone(first: &PreparedFace, second: &PreparedFace, acceptance: Acceptance) -> Result<Verification> {
    let pixels = [first, second].map(|face| face.pixels.as_slice());
    let faces = FaceMatrix::from_pixels(FaceSize::ALIGNED, pixels.concat())?;
    let nobody = Likelihoods::of_nobody()?;
    let coordinates = nobody.describe(&faces);
    let decision = nobody.pair(&coordinates, acceptance).ok_or(LikelihoodError::BackgroundDamaged)?;
    let verdict = if decision.passes { yes(&nobody, &faces, &coordinates) } else { no(&nobody, &coordinates) };
    Ok(Verification::of(decision, verdict))
}

/// The verdict on faces (d x n, with their coordinates, m x n) that pass as one person's: two that are covered or drawn over alike
/// have that in common.
fn yes(comparer: &dyn Compare, faces: &FaceMatrix, coordinates: &DMatrix<f32>) -> Verdict {
    let is_typical =
        |(face, own): (&[u8], DVectorView<'_, f32>)| comparer.is_typical((face, faces.size()), own.as_slice());
    if faces.faces().zip(coordinates.column_iter()).any(is_typical) { Verdict::Same } else { Verdict::CannotTell }
}

/// The verdict on faces (coordinates, m x n) that do not pass as one person's.
fn no(comparer: &dyn Compare, coordinates: &DMatrix<f32>) -> Verdict {
    let mut signals = coordinates.column_iter().filter_map(|face| comparer.signal(face.as_slice()));
    if signals.any(|signal| signal < DAMAGED) { Verdict::CannotTell } else { Verdict::Different }
}

impl Verification {
    fn of(decision: PairDecision, verdict: Verdict) -> Self {
        Self { verdict, confidence: decision.confidence, distance: decision.distance, needed: decision.needed }
    }
}

impl Recognizer {
    /// Whether two prepared faces are of one person. Neither need be enrolled.
    ///
    /// # Errors
    /// Without background model [`Error::TooFewToVerify`] where fewer than [`ENOUGH_PEOPLE`] are enrolled: there is
    /// nothing to measure the answer by. Faces of another size.
    pub fn verify(&self, first: &PreparedFace, second: &PreparedFace, acceptance: Acceptance) -> Result<Verification> {
        let pixels = [first, second].map(|face| face.pixels.as_slice());
        let faces = FaceMatrix::from_pixels(self.preparation().size(), pixels.concat())?;
        let found = [first, second].map(|face| face.region.location().is_some());
        let comparer = self.comparer();
        let coordinates = comparer.describe(&faces);
        let yes = || match self.preparation().framing() {
            Framing::Detect => yes(&**comparer, &faces, &coordinates),
            Framing::AsIs => Verdict::Same,
        };
        self.answer(&faces, &coordinates, &found, (comparer.pair(&coordinates, acceptance), yes))
    }

    /// Whether a prepared face is of an enrolled person, given by the position in
    /// [`Gallery::people`](crate::gallery::Gallery::people).
    ///
    /// As strict as identifying: a stranger who may choose the person they resemble most passes as rarely as
    /// a stranger is given a name.
    ///
    /// # Errors
    /// [`Error::TooFewToVerify`] as in [`Recognizer::verify`]; a face of another size.
    pub fn verify_person(&self, face: &PreparedFace, person: usize, acceptance: Acceptance) -> Result<Verification> {
        let faces = FaceMatrix::from_pixels(self.preparation().size(), face.pixels.clone())?;
        let found = [face.region.location().is_some()];
        let comparer = self.comparer();
        let coordinates = comparer.describe(&faces);
        let decision = comparer.claim(&coordinates, person, acceptance);
        let signal = comparer.signal(coordinates.as_slice());
        let is_the_very_photo = decision.is_some_and(|decision| decision.distance <= 0.0);
        let can_tell = || {
            !self.may_be_covered(face.region, signal) || self.can_tell(faces.face(0), coordinates.as_slice(), person)
        };
        let yes = || if is_the_very_photo || can_tell() { Verdict::Same } else { Verdict::CannotTell };
        self.answer(&faces, &coordinates, &found, (decision, yes))
    }

    /// The answer about faces (d x n, with their coordinates, m x n), of which these were `found` as faces, by the decision, and by the
    /// verdict where that passes.
    fn answer(
        &self,
        faces: &FaceMatrix,
        coordinates: &DMatrix<f32>,
        found: &[bool],
        (decision, yes): (Option<PairDecision>, impl FnOnce() -> Verdict),
    ) -> Result<Verification> {
        let too_few = Error::TooFewToVerify { people: self.gallery.people().len(), enough: ENOUGH_PEOPLE };
        let decision = decision.ok_or(too_few)?;
        // Neither detected nor face-like.
        let not_a_face = if decision.is_somebody { None } else { self.not_a_face(faces, found) };
        let verdict = match not_a_face {
            Some(photo) => Verdict::NotAFace { photo },
            None if decision.passes => yes(),
            None => no(&**self.comparer(), coordinates),
        };
        Ok(Verification::of(decision, verdict))
    }

    /// The first of these faces (d x n) that neither was found as a face nor looks like one.
    fn not_a_face(&self, faces: &FaceMatrix, found: &[bool]) -> Option<usize> {
        let weights = self.space().project(faces);
        let test = FaceScorer::new(self.space());
        let limit = self.comparer().face_score_limit();
        let looks_like_one = |at: usize| test.face_score(faces.face(at), weights.column(at).as_slice()) >= limit;
        (0..faces.len()).find(|&at| !found[at] && !looks_like_one(at))
    }
}
