//! A comparison learned again from some of a gallery's faces, many times over: what evaluation and checks ask.

use nalgebra::DMatrix;

use super::likelihoods::ranking;
use super::{Comparer, Likelihoods, Ranking, rank_matches};
use crate::background::{Adaptation, Background, People};
use crate::decision::Acceptance;
use crate::error::{Error, Result};
use crate::face_matrix::FaceMatrix;
use crate::gallery::Gallery;
use crate::kernel_pca::Kernel;
use crate::matcher::{Clusters, DistanceCalibration, DistanceSettings, Match, Matcher, PixelScale};
use crate::pca::{InnerProducts, Pca};

/// Faces to learn from and faces to try: positions in the gallery.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// Faces to learn from.
    pub learned: &'a [usize],
    /// Faces to try.
    pub tried: &'a [usize],
}

/// The comparison of a gallery, learned again from parts of it.
pub trait Resample: Sync {
    /// Whether two parts are ranked faster together.
    fn belong_together(&self, one: &Part<'_>, other: &Part<'_>) -> bool;

    /// Of parts that belong together, for each the people ranked for each face that it tries. People keep their numbers; whoever
    /// has no face to learn from is not ranked.
    /// Errors: faces that nothing can be learned from.
    fn rank(&self, parts: &[Part<'_>]) -> Result<Vec<Vec<Ranking>>>;
}

impl Comparer {
    /// Hands this comparison of a gallery to `then`, to be learned again from parts of it. `coordinates` are those of the
    /// gallery's faces (m x n), where the model keeps them.
    ///
    /// # Errors
    /// Faces that nothing can be learned from; those of `then`.
    pub fn resampled<R>(
        &self,
        gallery: &Gallery,
        coordinates: Option<&DMatrix<f32>>,
        settings: (DistanceSettings, Pca),
        then: impl FnOnce(&dyn Resample) -> Result<R>,
    ) -> Result<R> {
        let (persons, people) = (gallery.persons(), gallery.people().len());
        match self {
            Self::Distances(comparer) => then(&ByDistances {
                calibration: &comparer.calibration,
                faces: gallery.faces(),
                products: keeps_products(gallery.len(), settings)
                    .then(|| InnerProducts::of(gallery.faces())),
                settings,
                persons,
                people,
            }),
            Self::Likelihoods(comparer) => then(&ByLikelihoods {
                comparer,
                coordinates: coordinates.ok_or(Error::Inconsistent)?,
                background: comparer.background(),
                persons,
                people,
            }),
        }
    }
}

fn keeps_products(faces: usize, (distance, pca): (DistanceSettings, Pca)) -> bool {
    let is_linear = distance.kernel == Kernel::Linear && distance.pixel_scale == PixelScale::Plain;
    // Parallel analysis shuffles pixels.
    is_linear && faces <= MOST_PRODUCTS && !pca.components.needs_faces()
}

/// Up to so many faces their inner products are kept, from which eigenfaces of any of them cost an eigenproblem.
const MOST_PRODUCTS: usize = 4000;

struct ByDistances<'a> {
    calibration: &'a DistanceCalibration,
    faces: &'a FaceMatrix,
    /// The inner products of the faces, where eigenfaces follow from them.
    products: Option<InnerProducts>,
    settings: (DistanceSettings, Pca),
    /// The person of each face, and the number of people.
    persons: Vec<usize>,
    people: usize,
}

impl ByDistances<'_> {
    /// The people by the faces that a part learns from, and the coordinates of those that it tries.
    fn learned(&self, part: &Part<'_>, persons: &[usize]) -> Result<(Clusters, DMatrix<f32>)> {
        let (distance, pca) = self.settings;
        let Some(products) = &self.products else {
            let faces = self.faces.select(part.learned)?;
            let matcher = Matcher::learn(&faces, persons, self.people, distance, pca)?;
            let tried = matcher.coordinates(&self.faces.select(part.tried)?);
            return Ok((matcher.clusters().clone(), tried));
        };
        let space = products.fit(part.learned, pca.components)?;
        let variances = space.eigenvalues();
        let coordinates = |weights: DMatrix<f32>| distance.metric.coordinates(&weights, &variances);
        let learned = coordinates(space.training_weights());
        let clusters = Clusters::of_faces(&learned, persons, self.people);
        let tried = coordinates(space.project(part.tried));
        Ok((clusters.ok_or(Error::Inconsistent)?, tried))
    }
}

impl Resample for ByDistances<'_> {
    fn belong_together(&self, _: &Part<'_>, _: &Part<'_>) -> bool {
        false
    }

    fn rank(&self, parts: &[Part<'_>]) -> Result<Vec<Vec<Ranking>>> {
        let of_part = |part: &Part<'_>| {
            let learned = part.learned.iter();
            let persons: Vec<usize> = learned.map(|&face| self.persons[face]).collect();
            let (clusters, tried) = self.learned(part, &persons)?;
            let ranked = clusters.rank_all(&tried, usize::MAX);
            let ranking = |matches: Vec<Match>| {
                rank_matches(
                    &matches,
                    self.calibration,
                    usize::MAX,
                    Acceptance::default(),
                )
            };
            Ok(ranked.into_iter().map(ranking).collect())
        };
        parts.iter().map(of_part).collect()
    }
}

/// The coordinates of all faces are known, so a part teaches only how the background model is moved.
struct ByLikelihoods<'a> {
    comparer: &'a Likelihoods,
    /// Of all faces, 2k x n.
    coordinates: &'a DMatrix<f32>,
    background: &'static Background,
    /// The person of each face, and the number of people.
    persons: Vec<usize>,
    people: usize,
}

impl ByLikelihoods<'_> {
    fn persons_of(&self, faces: &[usize]) -> Vec<usize> {
        faces.iter().map(|&face| self.persons[face]).collect()
    }

    fn adaptation(&self, faces: &[usize]) -> Adaptation {
        let persons = self.persons_of(faces);
        Adaptation::learn(self.background, self.coordinates, faces, &persons)
    }

    /// The person whose face a part tries, where it tries a single one, and the faces of the others to learn from.
    fn person_tried<'p>(
        &'p self,
        part: &'p Part<'_>,
    ) -> Option<(usize, impl Iterator<Item = usize> + 'p)> {
        let [face] = part.tried else { return None };
        let person = self.persons[*face];
        let others = part.learned.iter().copied();
        Some((person, others.filter(move |&at| self.persons[at] != person)))
    }
}

impl Resample for ByLikelihoods<'_> {
    fn belong_together(&self, one: &Part<'_>, other: &Part<'_>) -> bool {
        match (self.person_tried(one), self.person_tried(other)) {
            (Some((person, others)), Some((same, like))) => person == same && others.eq(like),
            _ => false,
        }
    }

    fn rank(&self, parts: &[Part<'_>]) -> Result<Vec<Vec<Ranking>>> {
        // One face more or less of a person hardly moves the model; without any of them it saw nothing of the face.
        let shared = parts.first().and_then(|part| self.person_tried(part));
        let shared = shared.map(|(_, others)| {
            let adaptation = self.adaptation(&others.collect::<Vec<_>>());
            (adaptation.rotated(self.coordinates), adaptation)
        });
        let of_part = |part: &Part<'_>| {
            let persons = self.persons_of(part.learned);
            let (rotated, adaptation) = match &shared {
                Some((rotated, adaptation)) => (Some(rotated), adaptation.clone()),
                None => (None, self.adaptation(part.learned)),
            };
            let people = People::place_rotated(
                adaptation,
                rotated,
                self.coordinates,
                part.learned,
                &persons,
                self.people,
            );
            let calibration = self.comparer.calibration();
            let people = people.allowing_for_light(calibration);
            let tried = self.coordinates.select_columns(part.tried);
            people.with_scores(&tried, |_, scores| {
                let all = usize::MAX;
                let mut ranking = ranking(calibration, &scores, 0.0, all, Acceptance::default());
                ranking
                    .people
                    .retain(|found| people.photos()[found.person] > 0);
                ranking
            })
        };
        Ok(parts.iter().map(of_part).collect())
    }
}
