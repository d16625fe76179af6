//! The decision about a face, made once, of all that is known of it: its ranking, its pixels and coordinates, and where it was.

use super::Recognizer;
use super::identification::{Identification, is_too_small};
use crate::background::FaceClassifier;
use crate::compare::{Candidate, Ranking};
use crate::dataset::Person;
use crate::decision::Decision;
use crate::face_space::Residual;
use crate::locate::framing::Framing;
use crate::preparation::PhotoRegion;

/// The signal that 95 % of the photos of LFW, CFP and AT&T stay below, with that of strangers covered by a bar or a sticker beyond.
const ORDINARY_SIGNAL: f64 = 1.2;

/// What is known of a face beside its ranking.
pub(super) struct FaceEvidence<'a> {
    /// d.
    pub(super) pixels: &'a [u8],
    /// m.
    pub(super) coordinates: &'a [f32],
    /// The region of its photo; `None` where only the pixels are known.
    pub(super) region: Option<PhotoRegion>,
    /// The distances from face space and within it.
    pub(super) residual: Residual,
    pub(super) face_score: f64,
    /// How much damage leaves of it.
    pub(super) signal: Option<f64>,
}

impl Recognizer {
    /// Decides on a face by a ranking of people of such names.
    pub(super) fn decide(
        &self,
        ranking: Ranking,
        name: impl Fn(usize) -> Person,
        face: &FaceEvidence<'_>,
    ) -> Identification {
        let location = face.region.and_then(|region| region.location());
        let looks_like_a_face = face.face_score >= self.comparer.face_score_limit();
        // Who is likely enrolled is a face, in whatever light. In a space learned from the gallery alone a plain picture is near everybody.
        let is_likely_enrolled =
            ranking.confidence > 0.5 && (location.is_some() || self.comparer.likelihoods().is_some());
        let (decision, ranking) = if location.is_some_and(is_too_small) {
            (Decision::Unknown, Ranking { people: Vec::new(), somebody_else: None, ..ranking })
        } else if !looks_like_a_face && !is_likely_enrolled {
            // The detector overrides the face score, and so does what is learned of aligned faces.
            let is_face = location.is_some() || self.is_assumed_face(face);
            (if is_face { Decision::Unknown } else { Decision::NotAFace }, ranking)
        } else if !ranking.accepted {
            (Decision::Unknown, ranking)
        } else if self.is_sure(&ranking, &name, face) {
            (Decision::Known, ranking)
        } else {
            (Decision::Unknown, at_even_odds(ranking))
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
            residual: face.residual,
            face_score: face.face_score,
            signal: face.signal,
            location,
        }
    }

    /// Whether the nearest person can be told from others, where they are one of this gallery's.
    fn is_sure(&self, ranking: &Ranking, name: impl Fn(usize) -> Person, face: &FaceEvidence<'_>) -> bool {
        // The very photo that is enrolled has a distance of 0.
        let is_another = |closest: &&Candidate<usize>| closest.distance > 0.0;
        let Some(closest) = ranking.people.first().filter(is_another) else { return true };
        if !face.region.is_some_and(|it| self.may_be_covered(it, face.signal)) {
            return true;
        }
        let person = self.gallery.find(name(closest.person).as_str());
        person.map_or(true, |it| self.can_tell(face.pixels, face.coordinates, it))
    }

    /// Whether a face may be covered or drawn over: it was aligned by the eyes, but not found, or its signal is not ordinary.
    pub(super) fn may_be_covered(&self, region: PhotoRegion, signal: Option<f64>) -> bool {
        let is_ordinary = |signal: f64| region.location().is_some() && signal <= ORDINARY_SIGNAL;
        self.preparation.framing() == Framing::Detect && signal.is_some_and(|signal| !is_ordinary(signal))
    }

    /// Whether a face (d pixels, with its coordinates, m), or one of a person's, is
    /// [typical](crate::compare::Compare::is_typical): where neither is, they may be covered or drawn over alike.
    pub(super) fn can_tell(&self, pixels: &[u8], coordinates: &[f32], person: usize) -> bool {
        let size = self.preparation.size();
        let is_typical = |pixels: &[u8], own: &[f32]| self.comparer.is_typical((pixels, size), own);
        let is_enrolled_typical = |at: usize| {
            self.coordinates()
                .is_none_or(|known| is_typical(self.gallery.faces().face(at), known.column(at).as_slice()))
        };
        let mut enrolled = self.gallery.faces_of(person).into_iter();
        is_typical(pixels, coordinates) || enrolled.any(is_enrolled_typical)
    }

    /// Whether a crop that was aligned by assumed eyes shows a face.
    fn is_assumed_face(&self, face: &FaceEvidence<'_>) -> bool {
        let is_face = || FaceClassifier::bundled()?.is_face(face.pixels, self.preparation.size());
        face.region == Some(PhotoRegion::Assumed) && is_face().unwrap_or(false)
    }
}

/// The ranking where the nearest person cannot be told from others: their confidence is even odds at most.
fn at_even_odds(mut ranking: Ranking) -> Ranking {
    if let Some(closest) = ranking.people.first_mut() {
        let taken = closest.confidence - closest.confidence.min(0.5);
        closest.confidence -= taken;
        closest.distance = closest.distance.max(std::f64::consts::LN_2);
        ranking.somebody_else = ranking.somebody_else.map(|share| share + taken);
    }
    ranking
}
