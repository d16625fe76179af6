//! Everything that takes part in recognising, as one value: what a model file holds.
//!
//! How photos are prepared, the face space, the metric, the gallery and the calibration belong together:
//! a probe can never be treated differently from the gallery.

mod calibrate;

use image::GrayImage;

use crate::dataset::Person;
use crate::decision::{Calibration, Decision, Evidence, FALSE_ACCEPT_TARGET, LeftOut};
use crate::error::{Error, PhotoProblem, Result};
use crate::face_matrix::FaceMatrix;
use crate::face_space::{FaceSpace, Residual, Weights};
use crate::gallery::{ClusterRule, Clusters, Gallery, Match};
use crate::likeness::LikenessTest;
use crate::locate::Location;
use crate::metric::{FittedMetric, Measure, Metric};
use crate::pca::{ComponentCount, Pca, Solver};
use crate::preparation::Preparation;

/// What learning is asked to do; the defaults are measured (docs/RECIPES.md).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Settings {
    /// How many eigenfaces to keep.
    pub components: ComponentCount,
    /// The route to them; the result does not depend on it beyond rounding.
    pub solver: Solver,
    /// How weights are compared.
    pub metric: Metric,
    /// What of a person a probe is compared with.
    pub clusters: ClusterRule,
}

/// A learned recogniser: identifies faces among the enrolled people.
#[derive(Debug, Clone)]
pub struct Recognizer {
    preparation: Preparation,
    settings: Settings,
    space: FaceSpace,
    gallery: Gallery,
    /// Weights of the enrolled faces, k x n.
    weights: Weights,
    metric: FittedMetric,
    calibration: Calibration,
    /// Derived from the weights.
    clusters: Clusters,
}

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
    /// The share of strangers that may be given a name.
    pub false_accepts: f64,
}

impl Default for Question {
    fn default() -> Self {
        Self {
            top: 1,
            false_accepts: FALSE_ACCEPT_TARGET,
        }
    }
}

impl Recognizer {
    /// Learns from a gallery: fits the face space, places everybody in it, and calibrates by leaving out.
    ///
    /// # Errors
    /// Fewer than two different faces.
    pub fn learn(preparation: Preparation, gallery: Gallery, settings: Settings) -> Result<Self> {
        let calibration = calibrate::calibrate(&gallery, settings);
        Self::learn_with(preparation, gallery, settings, calibration)
    }

    fn learn_with(
        preparation: Preparation,
        gallery: Gallery,
        settings: Settings,
        calibration: Calibration,
    ) -> Result<Self> {
        let pca = Pca {
            components: settings.components,
            solver: settings.solver,
        };
        let components = pca.fit(gallery.faces())?;
        let space = FaceSpace::new(preparation.size(), &components);
        let weights = space.project(gallery.faces());
        let metric = settings
            .metric
            .fit(space.eigenvalues(), &weights, &gallery.persons());
        // The checks of a stored recogniser hold for a new one too: what is learned can be loaded.
        Self::from_parts(
            preparation,
            settings,
            space,
            gallery,
            weights,
            metric,
            calibration,
        )
    }

    /// Learns all but the calibration, which stays assumed: for ranking people where nothing is decided.
    ///
    /// # Errors
    /// Fewer than two different faces.
    pub fn learn_uncalibrated(
        preparation: Preparation,
        gallery: Gallery,
        settings: Settings,
    ) -> Result<Self> {
        let calibration = Calibration::learn(&LeftOut {
            people: gallery.people().len(),
            ..LeftOut::default()
        });
        Self::learn_with(preparation, gallery, settings, calibration)
    }

    /// A recogniser from stored parts.
    ///
    /// # Errors
    /// Parts that do not fit together.
    pub fn from_parts(
        preparation: Preparation,
        settings: Settings,
        space: FaceSpace,
        gallery: Gallery,
        weights: Weights,
        metric: FittedMetric,
        calibration: Calibration,
    ) -> Result<Self> {
        let fits = weights.shape() == (space.components(), gallery.len())
            && space.size() == preparation.size()
            && gallery.faces().size() == preparation.size()
            && metric.metric() == settings.metric
            && calibration.is_sound(gallery.people().len());
        if !fits {
            return Err(Error::Inconsistent);
        }
        let clusters = clusters(&metric, &weights, &gallery, settings.clusters)?;
        Ok(Self {
            preparation,
            settings,
            space,
            gallery,
            weights,
            metric,
            calibration,
            clusters,
        })
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

    /// Who is enrolled.
    pub fn gallery(&self) -> &Gallery {
        &self.gallery
    }

    /// Weights of the enrolled faces, k x n.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The metric, fitted to the gallery.
    pub fn metric(&self) -> &FittedMetric {
        &self.metric
    }

    /// How distances become decisions.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// Who is in the photo: prepares it as the gallery was prepared, then [`Recognizer::identify_faces`].
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
        let pixels = prepared.iter().flat_map(|face| &face.pixels).copied();
        let faces = FaceMatrix::from_pixels(self.preparation.size(), pixels.collect()).map_err(
            |error| PhotoProblem::Unfit {
                reason: error.to_string(),
            },
        )?;
        let mut identified = self.identify_faces(&faces, question);
        for (identification, face) in identified.iter_mut().zip(&prepared) {
            identification.location = face.part.location();
        }
        Ok(identified)
    }

    /// Who each prepared face (d x n) is, in order.
    pub fn identify_faces(&self, faces: &FaceMatrix, question: Question) -> Vec<Identification> {
        let weights = self.space.project(faces);
        let coordinates = self.metric.coordinates(&weights);
        let test = LikenessTest::new(&self.space);
        (0..faces.len())
            .map(|at| {
                let (face, weights) = (faces.face(at), weights.column(at));
                let residual = self.space.residual(face, weights.as_slice());
                let likeness = test.likeness(face, weights.as_slice());
                // Two are needed to judge the first.
                let ranked = self
                    .clusters
                    .rank(coordinates.column(at).as_slice(), question.top.max(2));
                let (decision, candidates) = self.judge(&ranked, likeness, question);
                Identification {
                    decision,
                    candidates,
                    residual,
                    likeness,
                    location: None,
                }
            })
            .collect()
    }

    /// The `top` nearest people of each prepared face (d x n), nearest first.
    pub fn rank(&self, faces: &FaceMatrix, top: usize) -> Vec<Vec<Match>> {
        let coordinates = self.metric.coordinates(&self.space.project(faces));
        coordinates
            .column_iter()
            .map(|probe| self.clusters.rank(probe.as_slice(), top))
            .collect()
    }

    /// What a ranking of the enrolled people (nearest first, at least two where there are two) says of each.
    pub fn candidates(&self, ranked: &[Match]) -> Vec<Candidate> {
        let measure = self.settings.metric.measure;
        ranked
            .iter()
            .enumerate()
            .map(|(at, found)| Candidate {
                person: self.gallery.people()[found.person].clone(),
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
            .is_some_and(|evidence| self.calibration.is_known(evidence, question.false_accepts));
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

/// What speaks for the person at a position of a ranking: its similarity, and that of the best other.
fn evidence(ranked: &[Match], at: usize, measure: Measure) -> Option<Evidence> {
    let similarity = |found: &Match| match measure {
        // Cosines add up to 2 at distance 0; twice the mean squared distance is what they lack.
        Measure::Cosine => 2.0 - found.squared_distance,
        Measure::Euclidean => -found.distance(),
    };
    let rival = if at == 0 {
        ranked.get(1)
    } else {
        ranked.first()
    };
    Some(Evidence {
        first: similarity(ranked.get(at)?),
        second: rival.map(similarity),
    })
}

fn clusters(
    metric: &FittedMetric,
    weights: &Weights,
    gallery: &Gallery,
    rule: ClusterRule,
) -> Result<Clusters> {
    Clusters::new(
        &metric.coordinates(weights),
        &gallery.persons(),
        gallery.people().len(),
        rule,
        metric.metric().measure,
    )
    .ok_or(Error::Inconsistent)
}
