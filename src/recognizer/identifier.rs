//! What names people: a recogniser without the faces that are enrolled.

use std::sync::Arc;

use image::GrayImage;
use rayon::prelude::*;

use super::few::Few;
use super::{Settings, evidence};
use crate::dataset::Person;
use crate::decision::{Acceptance, Calibration, Decision};
use crate::error::{Error, PhotoProblem, Result};
use crate::face_matrix::FaceMatrix;
use crate::face_space::{FaceSpace, Residual};
use crate::gallery::{Gallery, Match, Search};
use crate::likeness::LikenessTest;
use crate::locate::Location;
use crate::matcher::Matcher;
use crate::preparation::{Preparation, PreparedFace};

/// A person a probe may be.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Who.
    pub person: Person,
    /// The distance by the metric and the cluster rule.
    pub distance: f64,
    /// Probability that the probe is this person, given that it may be a stranger.
    pub confidence: f64,
}

/// What is said of one face.
#[derive(Debug, Clone, PartialEq)]
pub struct Identification {
    /// Known, unknown, or not a face.
    pub decision: Decision,
    /// The nearest people, nearest first; the first is the one named where the decision is known.
    pub candidates: Vec<Candidate>,
    /// How the face lies to face space.
    pub residual: Residual,
    /// How much it looks like a face, -1 to 1: see [`LikenessTest`].
    pub likeness: f64,
    /// Where in the photo the face was found; `None` where the photo was taken as it is.
    pub location: Option<Location>,
}

impl Identification {
    /// The nearest person, named or not.
    pub fn closest(&self) -> Option<&Candidate> {
        self.candidates.first()
    }
}

/// How to decide and how much to tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question {
    /// How many candidates to return at most.
    pub top: usize,
    /// When a name is given.
    pub acceptance: Acceptance,
}

impl Default for Question {
    fn default() -> Self {
        Self {
            top: 1,
            acceptance: Acceptance::default(),
        }
    }
}

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
    matcher: Matcher,
    calibration: Calibration,
    search: Search,
    /// Of few people, who are told apart by how alike faces look.
    pub(super) few: Option<Few>,
}

impl Identifier {
    /// An identifier from stored parts. Of few people the faces are needed too: see
    /// [`goes_by_resemblance`](Self::goes_by_resemblance).
    ///
    /// # Errors
    /// Parts that do not fit together.
    pub fn from_parts(
        preparation: Preparation,
        settings: Settings,
        space: Arc<FaceSpace>,
        people: Vec<Person>,
        matcher: Matcher,
        calibration: Calibration,
    ) -> Result<Self> {
        let size = preparation.size();
        settings.comparison().refuse_senseless(size)?;
        let views = settings.features.views(size);
        let is_viewed = matcher.parts().len() == views.len()
            && matcher.parts().iter().zip(&views).all(|(part, view)| {
                part.view() == view.0 && part.space().size() == view.0.size(size)
            });
        let fits = space.size() == size && is_viewed && calibration.is_sound(people.len());
        if !fits {
            return Err(Error::Inconsistent);
        }
        Ok(Self {
            preparation,
            settings,
            space,
            people,
            matcher,
            calibration,
            search: Search::Exact,
            few: None,
        })
    }

    /// The same for this gallery, whose faces are kept where they are needed.
    pub(super) fn among(self, gallery: &Gallery) -> Self {
        let few = self.goes_by_resemblance().then(|| Few::new(gallery));
        Self { few, ..self }
    }

    /// The same, looking for people so thoroughly.
    #[must_use]
    pub fn searching(self, search: Search) -> Self {
        Self { search, ..self }
    }

    /// How photos are made ready.
    pub fn preparation(&self) -> &Preparation {
        &self.preparation
    }

    /// What learning was asked to do.
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

    /// What the gallery looks like to a probe.
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// How distances become decisions.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// Who is in the photo: prepares it as the gallery was prepared, then [`Identifier::identify_faces`].
    ///
    /// Where faces are looked for, one identification for every face, from left to right, or none; where
    /// photos are taken as they are, one.
    ///
    /// # Errors
    /// A photo that cannot be prepared.
    pub fn identify(
        &self,
        photo: &GrayImage,
        question: Question,
    ) -> Result<Vec<Identification>, PhotoProblem> {
        let prepared = self.preparation.prepare_all(photo)?;
        let identified = self.identify_prepared(&[prepared], question);
        let unfit = |error: Error| PhotoProblem::Unfit {
            reason: error.to_string(),
        };
        Ok(identified.map_err(unfit)?.remove(0))
    }

    /// Who is in each of some photos, whose faces were prepared as the gallery was: in order, as
    /// [`Identifier::identify`] tells it of one. Together they cost less.
    ///
    /// # Errors
    /// Faces of another size.
    pub fn identify_prepared(
        &self,
        photos: &[Vec<PreparedFace>],
        question: Question,
    ) -> Result<Vec<Vec<Identification>>> {
        let faces = || photos.iter().flatten();
        let pixels = faces().flat_map(|face| face.pixels.iter().copied());
        let together = FaceMatrix::from_pixels(self.preparation.size(), pixels.collect())?;
        let mut identified = self.identify_faces(&together, question).into_iter();
        let of_photo = |faces: &Vec<PreparedFace>| {
            let with_place = |(face, found): (&PreparedFace, Identification)| Identification {
                location: face.part.location(),
                ..found
            };
            let found = faces.iter().zip(identified.by_ref());
            found.map(with_place).collect()
        };
        Ok(photos.iter().map(of_photo).collect())
    }

    /// Who each prepared face (d x n) is, in order.
    pub fn identify_faces(&self, faces: &FaceMatrix, question: Question) -> Vec<Identification> {
        let weights = self.space.project(faces);
        // Two are needed to judge the first.
        let top = question.top.max(2);
        let ranked = self.few.is_none().then(|| {
            let coordinates = self.matcher.coordinates(faces);
            self.matcher.rank_all(&coordinates, top, self.search)
        });
        let test = LikenessTest::new(&self.space);
        let identify = |at: usize| {
            let (face, weights) = (faces.face(at), weights.column(at));
            let residual = self.space.residual(face, weights.as_slice());
            let likeness = test.likeness(face, weights.as_slice());
            let (decision, candidates) = match (&self.few, &ranked) {
                (Some(few), _) => self.judge_among_few(few, face, likeness, question),
                (None, Some(ranked)) => self.judge(&ranked[at], likeness, question),
                (None, None) => self.judge(&[], likeness, question),
            };
            Identification {
                decision,
                candidates,
                residual,
                likeness,
                location: None,
            }
        };
        (0..faces.len()).into_par_iter().map(identify).collect()
    }

    /// What a ranking of the enrolled people (nearest first, at least two where there are two) says of each.
    pub fn candidates(&self, ranked: &[Match]) -> Vec<Candidate> {
        let measure = self.settings.metric.measure;
        ranked
            .iter()
            .enumerate()
            .map(|(at, found)| Candidate {
                person: self.people[found.person].clone(),
                distance: found.distance(),
                confidence: evidence(ranked, at, measure)
                    .map_or(0.0, |evidence| self.calibration.confidence(evidence)),
            })
            .collect()
    }

    fn judge(
        &self,
        ranked: &[Match],
        likeness: f64,
        question: Question,
    ) -> (Decision, Vec<Candidate>) {
        let measure = self.settings.metric.measure;
        let mut candidates = self.candidates(ranked);
        candidates.truncate(question.top);
        let sure = evidence(ranked, 0, measure)
            .is_some_and(|evidence| self.calibration.is_known(evidence, question.acceptance));
        let decision = match ranked.first() {
            _ if likeness < self.calibration.likeness_limit() => Decision::NotAFace,
            Some(first) if sure => Decision::Known {
                person: first.person,
            },
            _ => Decision::Unknown,
        };
        (decision, candidates)
    }
}
