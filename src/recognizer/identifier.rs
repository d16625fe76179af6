//! The part of a recogniser that names people: without the faces that are enrolled.

use std::sync::Arc;

use image::GrayImage;
use nalgebra::DMatrix;
use rayon::prelude::*;

use super::comparer::{BackgroundComparer, Comparer};
use super::identification::{Candidate, Identification, QueryOptions};
use super::{Settings, evidence};
use crate::background::Background;
use crate::dataset::Person;
use crate::decision::{Acceptance, Calibration, Decision};
use crate::error::{Error, PhotoProblem, Result};
use crate::face_matrix::FaceMatrix;
use crate::face_space::{FaceSpace, Residual};
use crate::faceness::FacenessTest;
use crate::gallery::Match;
use crate::matcher::{Feature, FeatureSpace, Matcher};
use crate::metric::Measure;
use crate::preparation::{Preparation, PreparedFace};

/// All that takes part in naming people: how photos are prepared, the spaces, the coordinates of everybody, the
/// calibration. A [`Recognizer`](super::Recognizer) has more, of which a large model is mostly made: the pixels of
/// the enrolled faces, their weights, where they came from.
#[derive(Debug, Clone)]
pub struct Identifier {
    preparation: Preparation,
    settings: Settings,
    /// Of the pixels, whatever is compared: it shows the basis faces and tells faces from other things.
    space: Arc<FaceSpace>,
    people: Vec<Person>,
    comparer: Comparer,
}

impl Identifier {
    /// An identifier from stored parts.
    ///
    /// # Errors
    /// Parts that do not fit together.
    pub fn from_parts(
        preparation: Preparation,
        settings: Settings,
        space: Arc<FaceSpace>,
        people: Vec<Person>,
        comparer: Comparer,
    ) -> Result<Self> {
        let size = preparation.size();
        let compares = match &comparer {
            Comparer::Gallery {
                matcher,
                calibration,
            } => {
                settings.comparison.refuse_senseless(size)?;
                let expected = settings.comparison.features.shares(size);
                let is_compared = |(part, feature): (&FeatureSpace, &(Feature, f64))| {
                    part.feature() == feature.0 && part.space().size() == feature.0.size(size)
                };
                matcher.feature_spaces().len() == expected.len()
                    && matcher
                        .feature_spaces()
                        .iter()
                        .zip(&expected)
                        .all(is_compared)
                    && calibration.is_sound(people.len())
            }
            Comparer::Background(background) => background.people().photos().len() == people.len(),
        };
        let fits = space.size() == size && compares;
        if !fits {
            return Err(Error::Inconsistent);
        }
        Ok(Self {
            preparation,
            settings,
            space,
            people,
            comparer,
        })
    }

    /// Preparation of photos.
    pub fn preparation(&self) -> &Preparation {
        &self.preparation
    }

    /// Settings of learning.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// The face space.
    pub fn space(&self) -> &FaceSpace {
        &self.space
    }

    pub(super) fn shared_space(&self) -> Arc<FaceSpace> {
        Arc::clone(&self.space)
    }

    /// The people, in natural order of their names.
    pub fn people(&self) -> &[Person] {
        &self.people
    }

    /// The comparison of faces.
    pub fn comparer(&self) -> &Comparer {
        &self.comparer
    }

    /// The matcher, where faces are compared by what this gallery alone teaches.
    pub fn matcher(&self) -> Option<&Matcher> {
        match &self.comparer {
            Comparer::Gallery { matcher, .. } => Some(matcher),
            Comparer::Background(_) => None,
        }
    }

    /// The calibration, where faces are compared by what this gallery alone teaches.
    pub fn calibration(&self) -> Option<&Calibration> {
        match &self.comparer {
            Comparer::Gallery { calibration, .. } => Some(calibration),
            Comparer::Background(_) => None,
        }
    }

    /// The background model moved by the gallery, where faces are compared by it.
    pub fn background(&self) -> Option<&BackgroundComparer> {
        match &self.comparer {
            Comparer::Gallery { .. } => None,
            Comparer::Background(background) => Some(background),
        }
    }

    /// The confidence beyond which a name is given; `None` where none ever is.
    pub fn threshold(&self, acceptance: Acceptance) -> Option<f64> {
        self.comparer.threshold(acceptance)
    }

    /// Identifies the people in the photo: prepares it as the gallery was prepared, then [`Identifier::identify_faces`].
    ///
    /// Where faces are looked for, one identification for every face, from left to right, or none; where
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
    /// [`Identifier::identify`] tells it of one. Together they cost less.
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
                let location = face.part.location();
                // What was found as a face is one, in whatever light; the background model tells strangers itself.
                let is_face =
                    location.is_some() && matches!(self.comparer, Comparer::Background(_));
                let decision = match found.decision {
                    Decision::NotAFace if is_face => Decision::Unknown,
                    decision => decision,
                };
                Identification {
                    decision,
                    location,
                    ..found
                }
            };
            let found = faces.iter().zip(identified.by_ref());
            found.map(with_place).collect()
        };
        Ok(photos.iter().map(of_photo).collect())
    }

    /// Identifies each prepared face (d x n), in order.
    pub fn identify_faces(&self, faces: &FaceMatrix, options: QueryOptions) -> Vec<Identification> {
        self.identify_described(faces, None, options)
    }

    /// Identifies each prepared face (d x n), in order, where its [coordinates](Background::coordinates) (2k x n) may
    /// be known: computing them is most of the work.
    pub fn identify_described(
        &self,
        faces: &FaceMatrix,
        coordinates: Option<DMatrix<f32>>,
        options: QueryOptions,
    ) -> Vec<Identification> {
        let looks = self.looks(faces);
        match &self.comparer {
            Comparer::Gallery {
                matcher,
                calibration,
            } => {
                // Two are needed to judge the first.
                let top = options.top.max(2);
                let ranked = matcher.rank_all(&matcher.coordinates(faces), top);
                let name = |person: usize| self.people[person].clone();
                let judge = |(ranked, looks): (Vec<Match>, Looks)| {
                    self.judge(&ranked, name, calibration, looks, options)
                };
                ranked.into_iter().zip(looks).map(judge).collect()
            }
            Comparer::Background(background) => {
                let Ok(model) = Background::bundled() else {
                    return Vec::new();
                };
                let coordinates = coordinates.unwrap_or_else(|| model.coordinates(faces));
                let judge = |at: usize, scores: Vec<f64>| {
                    let probe = coordinates.column(at);
                    self.judge_by_background(
                        background,
                        probe.as_slice(),
                        scores,
                        looks[at],
                        options,
                    )
                };
                background.people().with_scores(&coordinates, judge)
            }
        }
    }

    /// How each face (d x n) looks, in order.
    pub(super) fn looks(&self, faces: &FaceMatrix) -> Vec<Looks> {
        let weights = self.space.project(faces);
        let test = FacenessTest::new(&self.space);
        let looks = |at: usize| {
            let (face, weights) = (faces.face(at), weights.column(at));
            Looks {
                residual: self.space.residual(face, weights.as_slice()),
                face_score: test.face_score(face, weights.as_slice()),
            }
        };
        (0..faces.len()).into_par_iter().map(looks).collect()
    }

    /// The candidates that a ranking of the enrolled people (nearest first, at least two where there are two) gives.
    pub fn candidates(&self, ranked: &[Match]) -> Vec<Candidate> {
        let Comparer::Gallery { calibration, .. } = &self.comparer else {
            return Vec::new();
        };
        self.candidates_named(ranked, |person| self.people[person].clone(), calibration)
    }

    fn candidates_named(
        &self,
        ranked: &[Match],
        name: impl Fn(usize) -> Person,
        calibration: &Calibration,
    ) -> Vec<Candidate> {
        let measure = self.settings.comparison.metric.measure;
        let candidate = |(at, found): (usize, &Match)| Candidate {
            person: name(found.person),
            distance: found.distance(),
            confidence: evidence(ranked, at, measure)
                .map_or(0.0, |evidence| calibration.confidence(evidence)),
        };
        ranked.iter().enumerate().map(candidate).collect()
    }

    /// Decides by a ranking of people (nearest first, at least two where there are two) of such names.
    pub(super) fn judge(
        &self,
        ranked: &[Match],
        name: impl Fn(usize) -> Person,
        calibration: &Calibration,
        looks: Looks,
        options: QueryOptions,
    ) -> Identification {
        let measure = self.settings.comparison.metric.measure;
        let mut candidates = self.candidates_named(ranked, name, calibration);
        candidates.truncate(options.top);
        Identification {
            decision: decide(ranked, looks.face_score, measure, calibration, options),
            candidates,
            somebody_else: None,
            residual: looks.residual,
            face_score: looks.face_score,
            location: None,
        }
    }

    /// Decides by the scores against everybody; the very face that is enrolled is recognised as that.
    fn judge_by_background(
        &self,
        background: &BackgroundComparer,
        probe: &[f32],
        mut scores: Vec<f64>,
        looks: Looks,
        options: QueryOptions,
    ) -> Identification {
        if let Some(person) = background.enrolled_as(probe) {
            scores[person] = SAME_FACE;
        }
        let calibration = background.calibration();
        let judged = calibration.judge(&scores, options.top.max(1));
        let decision = match judged.people.first() {
            Some(&(_, confidence))
                if looks.face_score < self.comparer.face_score_limit() && confidence <= 0.5 =>
            {
                Decision::NotAFace
            }
            Some(&(person, confidence))
                if calibration.is_known(scores[person], confidence, options.acceptance) =>
            {
                Decision::Known
            }
            _ => Decision::Unknown,
        };
        let candidate = |&(person, confidence): &(usize, f64)| Candidate {
            person: self.people[person].clone(),
            distance: calibration.distance(scores[person]),
            confidence,
        };
        Identification {
            decision,
            candidates: judged
                .people
                .iter()
                .take(options.top)
                .map(candidate)
                .collect(),
            somebody_else: Some(judged.somebody_else),
            residual: looks.residual,
            face_score: looks.face_score,
            location: None,
        }
    }
}

/// The score of a face that is enrolled itself: beyond all others.
pub(super) const SAME_FACE: f64 = 1e6;

/// The distances of a picture from face space and within it, and its face score.
#[derive(Clone, Copy)]
pub(super) struct Looks {
    residual: Residual,
    face_score: f64,
}

/// The answer about a face of which the people at these distances (nearest first) are the nearest.
fn decide(
    ranked: &[Match],
    face_score: f64,
    measure: Measure,
    calibration: &Calibration,
    options: QueryOptions,
) -> Decision {
    let sure = evidence(ranked, 0, measure)
        .is_some_and(|evidence| calibration.is_known(evidence, options.acceptance));
    match ranked.first() {
        _ if face_score < calibration.face_score_limit() => Decision::NotAFace,
        Some(_) if sure => Decision::Known,
        _ => Decision::Unknown,
    }
}
