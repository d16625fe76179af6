//! Comparison by distances in spaces that were learned from the gallery alone.

use nalgebra::DMatrix;

use super::{Compare, Evidence, Likeness, Ranking, Scored, Side};
use crate::decision::{Acceptance, Calibration, TopScores};
use crate::error::Result;
use crate::face_matrix::FaceMatrix;
use crate::gallery::{Gallery, Match};
use crate::kernel_pca::Kernel;
use crate::matcher::{Comparison, Feature, Matcher};
use crate::metric::Measure;

/// The spaces and everybody's coordinates in them, and the map from distances to decisions.
#[derive(Debug, Clone)]
pub struct Distances {
    /// The spaces and everybody's coordinates in them.
    pub matcher: Matcher,
    /// The map from distances to decisions.
    pub calibration: Calibration,
}

impl Distances {
    pub(super) fn measure(&self) -> Measure {
        let parts = self.matcher.feature_spaces().first();
        parts.map_or(Measure::Euclidean, |part| part.metric().metric().measure)
    }

    /// The enrolled face, or the copy of one, that is nearest to a probe.
    fn side(
        &self,
        gallery: &Gallery,
        found: &Match,
        (probe, coordinates): (&FaceMatrix, &DMatrix<f32>),
    ) -> Result<Side> {
        let enrolled = self.matcher.enrolled();
        let copies = enrolled.ncols() / gallery.len().max(1);
        let squared = |column: usize| squared_distance(enrolled, column, coordinates, 0);
        let persons = gallery.persons();
        let theirs = (0..persons.len()).filter(|&at| persons[at] == found.person);
        let columns = theirs.flat_map(|face| face * copies..(face + 1) * copies);
        let nearest = columns
            .map(|column| (squared(column), column))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map_or(0, |(_, column)| column);
        // Of a face come the straight copies first, then as many mirrored.
        let (face, mirrored) = (
            nearest / copies,
            copies > 1 && nearest % copies >= copies / 2,
        );
        let size = probe.size();
        let mut pixels = gallery.faces().face(face).to_vec();
        if mirrored {
            Feature::Pixels.mirror(size, &mut pixels);
        }
        let compared = FaceMatrix::from_pixels(size, pixels.clone())?;
        let splits = self.matcher.feature_spaces().iter().filter_map(|part| {
            let (first, second) = (part.feature().of(probe), part.feature().of(&compared));
            part.split(first.as_slice(), second.as_slice(), size)
        });
        Ok(Side {
            person: found.person,
            distance: found.distance(),
            face,
            mirrored,
            squared: squared(nearest),
            splits: splits.collect(),
            pixels,
        })
    }
}

impl Compare for Distances {
    fn face_score_limit(&self) -> f64 {
        self.calibration.face_score_limit()
    }

    fn threshold(&self, acceptance: Acceptance) -> Option<f64> {
        threshold(&self.calibration, acceptance)
    }

    fn in_words(&self, comparison: &Comparison) -> String {
        let kernel = match comparison.kernel {
            Kernel::Linear => String::new(),
            kernel => format!("kernel {kernel}, "),
        };
        format!(
            "features {}, copies {}, {kernel}metric {}, clusters {}",
            comparison.features.name(),
            comparison.copies.name(),
            comparison.metric.name(),
            comparison.clusters
        )
    }

    fn describe(&self, faces: &FaceMatrix) -> DMatrix<f32> {
        self.matcher.coordinates(faces)
    }

    fn rank(&self, probes: &DMatrix<f32>, top: usize, acceptance: Acceptance) -> Vec<Ranking> {
        // Two are needed to judge the first.
        let ranked = self.matcher.rank_all(probes, top.max(2));
        let ranking = |matches: Vec<Match>| {
            rank_matches(&matches, self.measure(), &self.calibration, top, acceptance)
        };
        ranked.into_iter().map(ranking).collect()
    }

    fn pair(&self, faces: &DMatrix<f32>, acceptance: Acceptance) -> Option<Likeness> {
        let squared = squared_distance(faces, 0, faces, 1);
        let similarity = similarity(squared, self.measure());
        let (passes, confidence) = self.calibration.same_person(similarity, acceptance)?;
        Some(Likeness {
            passes,
            is_somebody: passes,
            confidence,
            distance: squared.sqrt(),
            needed: self.calibration.pair_threshold(acceptance)?,
        })
    }

    fn claim(
        &self,
        probe: &DMatrix<f32>,
        person: usize,
        acceptance: Acceptance,
    ) -> Option<Likeness> {
        if !self.calibration.gives_names() {
            return None;
        }
        let ranked = self
            .matcher
            .rank(probe.as_slice(), self.matcher.clusters().people());
        let at = ranked.iter().position(|found| found.person == person)?;
        let of = |at: usize| evidence(&ranked, at, self.measure());
        let own = of(at)?;
        Some(Likeness {
            passes: self.calibration.is_known(own, acceptance),
            is_somebody: self.calibration.confidence(of(0)?) > 0.5,
            confidence: self.calibration.confidence(own),
            distance: ranked[at].distance(),
            needed: self.calibration.threshold(acceptance),
        })
    }

    fn explain(
        &self,
        gallery: &Gallery,
        _: Option<&DMatrix<f32>>,
        face: &FaceMatrix,
    ) -> Result<Evidence> {
        let coordinates = self.describe(face);
        let ranked = self.matcher.rank(coordinates.as_slice(), 2);
        let sides = ranked
            .iter()
            .map(|found| self.side(gallery, found, (face, &coordinates)));
        Ok(Evidence {
            sides: sides.collect::<Result<_>>()?,
            balance: None,
        })
    }
}

/// The confidence beyond which a name is given; `None` where none ever is.
pub(super) fn threshold(calibration: &Calibration, acceptance: Acceptance) -> Option<f64> {
    let gives = calibration.gives_names() || matches!(acceptance, Acceptance::Confidence(_));
    gives.then(|| calibration.threshold(acceptance))
}

/// A ranking from people at these distances (nearest first, at least two where there are two).
pub(crate) fn rank_matches(
    matches: &[Match],
    measure: Measure,
    calibration: &Calibration,
    top: usize,
    acceptance: Acceptance,
) -> Ranking {
    let confidence = |at: usize| {
        evidence(matches, at, measure).map_or(0.0, |evidence| calibration.confidence(evidence))
    };
    let scored = |(at, found): (usize, &Match)| Scored {
        person: found.person,
        distance: found.distance(),
        confidence: confidence(at),
    };
    Ranking {
        people: matches.iter().take(top).enumerate().map(scored).collect(),
        confidence: confidence(0),
        somebody_else: None,
        accepted: evidence(matches, 0, measure)
            .is_some_and(|evidence| calibration.is_known(evidence, acceptance)),
    }
}

/// The evidence for the person at a position of a ranking: its similarity, and that of the best other.
pub(crate) fn evidence(ranked: &[Match], at: usize, measure: Measure) -> Option<TopScores> {
    let similarity = |found: &Match| similarity(found.squared_distance, measure);
    let rival = if at == 0 {
        ranked.get(1)
    } else {
        ranked.first()
    };
    Some(TopScores {
        first: similarity(ranked.get(at)?),
        second: rival.map(similarity),
    })
}

/// The similarity for a squared distance: the more, the larger.
pub(crate) fn similarity(squared_distance: f64, measure: Measure) -> f64 {
    match measure {
        // Cosines add up to 2 at distance 0; twice the mean squared distance is what they lack.
        Measure::Cosine => 2.0 - squared_distance,
        Measure::Euclidean => -squared_distance.sqrt(),
    }
}

/// The squared distance between two columns.
pub(crate) fn squared_distance(a: &DMatrix<f32>, at: usize, b: &DMatrix<f32>, other: usize) -> f64 {
    let values = a.column(at).into_iter().zip(b.column(other));
    values
        .map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2))
        .sum()
}
