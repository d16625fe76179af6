//! Naming the people in photos: faces ranked by the comparison, and a decision about each.

use std::borrow::Cow;

use image::GrayImage;
use nalgebra::DMatrix;
use rayon::prelude::*;

use super::Recognizer;
use super::decide::FaceEvidence;
use super::identification::{Identification, QueryOptions};
use crate::compare::Ranking;
use crate::dataset::Person;
use crate::decision::Acceptance;
use crate::error::{Error, PhotoProblem, Result};
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::face_score::FaceScorer;
use crate::preparation::{PhotoRegion, PreparedFace};

/// Faces that are to be identified, in order.
#[derive(Debug, Clone)]
pub struct Probes<'a> {
    /// d x n.
    faces: Cow<'a, FaceMatrix>,
    /// The region of its photo that each was; none where only the pixels are known.
    regions: Vec<PhotoRegion>,
    /// m x n, where they are known ([`Compare::describe`](crate::compare::Compare::describe)): computing them is most of the work.
    coordinates: Option<DMatrix<f32>>,
}

impl<'a> Probes<'a> {
    /// Faces that were prepared, one after the other: together they cost less.
    ///
    /// # Errors
    /// Faces of another size.
    pub fn prepared<'f>(size: FaceSize, faces: impl Iterator<Item = &'f PreparedFace> + Clone) -> Result<Self> {
        let pixels = faces.clone().flat_map(|face| face.pixels.iter().copied());
        Ok(Self {
            faces: Cow::Owned(FaceMatrix::from_pixels(size, pixels.collect())?),
            regions: faces.map(|face| face.region).collect(),
            coordinates: None,
        })
    }

    /// Faces of which nothing is known but the pixels (d x n).
    pub fn pixels(faces: &'a FaceMatrix) -> Self {
        Self { faces: Cow::Borrowed(faces), regions: Vec::new(), coordinates: None }
    }

    /// These, with their coordinates (m x n).
    #[must_use]
    pub fn described(self, coordinates: DMatrix<f32>) -> Self {
        Self { coordinates: Some(coordinates), ..self }
    }
}

/// Answers about the faces of some photos, photo by photo.
pub(crate) fn by_photo(photos: &[Vec<PreparedFace>], identified: Vec<Identification>) -> Vec<Vec<Identification>> {
    let mut identified = identified.into_iter();
    photos.iter().map(|faces| identified.by_ref().take(faces.len()).collect()).collect()
}

impl Recognizer {
    /// The confidence beyond which a name is given; `None` where none ever is.
    pub fn threshold(&self, acceptance: Acceptance) -> Option<f64> {
        self.comparer.threshold(acceptance)
    }

    /// Identifies the people in the photo: prepares it as the gallery was prepared, then [`Recognizer::identify_probes`].
    ///
    /// Where faces are looked for, one identification for every face, row by row, or none; where photos are taken as they are, one.
    ///
    /// # Errors
    /// A photo that cannot be prepared.
    pub fn identify(&self, photo: &GrayImage, options: QueryOptions) -> Result<Vec<Identification>, PhotoProblem> {
        let prepared = self.preparation.prepare_all(photo)?;
        let unfit = |error: Error| PhotoProblem::Unfit { reason: error.to_string() };
        let probes = Probes::prepared(self.preparation.size(), prepared.iter()).map_err(unfit)?;
        Ok(self.identify_probes(probes, options))
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
        let probes = Probes::prepared(self.preparation.size(), photos.iter().flatten())?;
        Ok(by_photo(photos, self.identify_probes(probes, options)))
    }

    /// Identifies each face (d x n), in order, by nothing but its pixels.
    pub fn identify_faces(&self, faces: &FaceMatrix, options: QueryOptions) -> Vec<Identification> {
        self.identify_probes(Probes::pixels(faces), options)
    }

    /// Identifies each face, in order.
    pub fn identify_probes(&self, probes: Probes<'_>, options: QueryOptions) -> Vec<Identification> {
        let coordinates = self.coordinates_of(&probes);
        let ranked = self.comparer.rank(&coordinates, options.top, options.acceptance);
        let name = |person: usize| self.gallery.people()[person].clone();
        let evidence = self.face_evidence(&probes, &coordinates);
        let decide = |(ranking, evidence)| self.decide(ranking, name, &evidence);
        ranked.into_iter().zip(evidence).map(decide).collect()
    }

    /// Identifies each face, in order, where `rank` ranks a gallery elsewhere by their coordinates (m x n): for each people by
    /// their positions among these names.
    ///
    /// The same as [`Recognizer::identify_probes`] says where the gallery is this one's own.
    ///
    /// # Errors
    /// Those of `rank`.
    pub fn identify_ranked(
        &self,
        probes: Probes<'_>,
        rank: impl FnOnce(&DMatrix<f32>) -> Result<Vec<(Ranking, Vec<Person>)>>,
    ) -> Result<Vec<Identification>> {
        let coordinates = self.coordinates_of(&probes);
        let ranked = rank(&coordinates)?;
        let evidence = self.face_evidence(&probes, &coordinates);
        let decide = |((ranking, names), evidence): ((Ranking, Vec<Person>), FaceEvidence<'_>)| {
            self.decide(ranking, |person| names[person].clone(), &evidence)
        };
        Ok(ranked.into_iter().zip(evidence).map(decide).collect())
    }

    fn coordinates_of<'p>(&self, probes: &'p Probes<'_>) -> Cow<'p, DMatrix<f32>> {
        probes.coordinates.as_ref().map_or_else(|| Cow::Owned(self.comparer.describe(&probes.faces)), Cow::Borrowed)
    }

    /// What is known of each face (with its coordinates, m x n), in order.
    fn face_evidence<'p>(&self, probes: &'p Probes<'_>, coordinates: &'p DMatrix<f32>) -> Vec<FaceEvidence<'p>> {
        let weights = self.space.project(&probes.faces);
        let test = FaceScorer::new(&self.space);
        let rows = coordinates.nrows();
        let evidence = |at: usize| {
            let (pixels, weights) = (probes.faces.face(at), weights.column(at));
            let coordinates = &coordinates.as_slice()[at * rows..][..rows];
            FaceEvidence {
                pixels,
                coordinates,
                region: probes.regions.get(at).copied(),
                residual: self.space.residual(pixels, weights.as_slice()),
                face_score: test.face_score(pixels, weights.as_slice()),
                signal: self.comparer.signal(coordinates),
            }
        };
        (0..probes.faces.len()).into_par_iter().map(evidence).collect()
    }
}
