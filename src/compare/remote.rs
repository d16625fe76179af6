//! A gallery that a server of vectors keeps: what stands for its people there, and how its answers become rankings.

use std::borrow::Cow;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Comparer, Distances, Likelihoods, Ranking, SAME_FACE, rank_neighbors};
use crate::background::{self, Background, ExtendedProbe};
use crate::decision::Acceptance;
use crate::face_space::FaceSpace;
use crate::matcher::{DistanceCalibration, Neighbor, Space, squared_distance};

/// The measure by which a server orders people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By the squared distance to a person's point.
    SquaredDistance,
    /// By the inner product with a person's point, the largest first; all points have one norm.
    InnerProduct,
}

/// A probe as a server takes it.
#[derive(Debug, Clone)]
pub struct RemoteProbe {
    /// m coordinates.
    pub vector: Vec<f32>,
    /// The person, a position in the model's people, whose enrolled face this is.
    pub enrolled_as: Option<usize>,
    /// What is compared with people here, where the server is not believed to the last digit; none where distances are.
    exact: Option<ExtendedProbe>,
}

impl RemoteProbe {
    /// The distance of the very face that is enrolled.
    pub const SAME: f64 = -SAME_FACE;

    /// How far a person's point, as the model file has it, is: squared distance or negated score. `None` of another size.
    pub fn away(&self, point: &[f32]) -> Option<f64> {
        match &self.exact {
            None => Some(squared_distance(&self.vector, point)),
            Some(probe) => Some(-probe.score(point)?),
        }
    }
}

/// The map from what a server tells to decisions.
#[derive(Debug, Clone)]
pub enum RemoteCalibration {
    /// By squared distances.
    Distances(DistanceCalibration),
    /// By scores.
    Likelihoods(RemoteLikelihoods),
}

/// Calibration of a gallery of the background model, and the norm of its vectors.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct RemoteLikelihoods {
    calibration: background::Calibration,
    norm: f64,
}

/// People's points (m x P), and the person of each, in order.
pub type Points<'a> = (Cow<'a, DMatrix<f32>>, Cow<'a, [usize]>);

impl Comparer {
    /// The measure by which a server orders people.
    pub fn order(&self) -> Order {
        if let Self::Distances(_) = self { Order::SquaredDistance } else { Order::InnerProduct }
    }

    /// The points that stand for people elsewhere.
    pub fn points(&self) -> Points<'_> {
        match self {
            Self::Distances(distances) => {
                let clusters = distances.matcher.clusters();
                let (means, owners) = (clusters.means(), clusters.owners());
                (Cow::Borrowed(means), Cow::Borrowed(owners))
            }
            Self::Likelihoods(likelihoods) => {
                let people = likelihoods.people();
                let vectors = people.all_extended();
                let (owners, vectors): (Vec<usize>, Vec<Vec<f32>>) = vectors.into_iter().unzip();
                let points = DMatrix::from_vec(people.extended_dimensions(), owners.len(), vectors.concat());
                (Cow::Owned(points), Cow::Owned(owners))
            }
        }
    }

    /// Number of coordinates of a point.
    pub fn dimensions(&self) -> usize {
        match self {
            Self::Distances(distances) => distances.matcher.clusters().dimension(),
            Self::Likelihoods(likelihoods) => likelihoods.people().extended_dimensions(),
        }
    }

    /// Probes as a server takes them, of coordinates (m x p).
    pub fn remote_probes(&self, coordinates: &DMatrix<f32>) -> Vec<RemoteProbe> {
        match self {
            Self::Distances(_) => {
                let probe = |column: nalgebra::DVectorView<'_, f32>| RemoteProbe {
                    vector: column.iter().copied().collect(),
                    enrolled_as: None,
                    exact: None,
                };
                coordinates.column_iter().map(probe).collect()
            }
            Self::Likelihoods(likelihoods) => {
                let probes = likelihoods.people().extended_probes(coordinates);
                let raw = coordinates.column_iter();
                let probe = |(probe, raw): (ExtendedProbe, nalgebra::DVectorView<'_, f32>)| RemoteProbe {
                    vector: probe.vector.clone(),
                    enrolled_as: likelihoods.enrolled_as(raw.as_slice()),
                    exact: Some(probe),
                };
                probes.into_iter().zip(raw).map(probe).collect()
            }
        }
    }

    /// The map from a server's answers to decisions, as JSON, for these [points](Self::points).
    ///
    /// # Errors
    /// Numbers that JSON has not.
    pub fn remote_calibration(&self, points: &Points<'_>) -> serde_json::Result<String> {
        match self {
            Self::Distances(distances) => serde_json::to_string(&distances.calibration),
            Self::Likelihoods(likelihoods) => {
                let any = points.0.column_iter().next();
                let squares = any.map(|person| person.iter().map(|&it| f64::from(it).powi(2)).sum());
                serde_json::to_string(&RemoteLikelihoods {
                    calibration: *likelihoods.calibration(),
                    norm: squares.map_or(0.0, f64::sqrt),
                })
            }
        }
    }

    /// The map that [`remote_calibration`](Self::remote_calibration) gave, for so many people; `None` for unexpected contents.
    pub fn read_remote_calibration(&self, json: &str, people: usize) -> Option<RemoteCalibration> {
        match self {
            Self::Distances(_) => {
                let calibration: DistanceCalibration = serde_json::from_str(json).ok()?;
                calibration.is_sound(people).then_some(RemoteCalibration::Distances(calibration))
            }
            Self::Likelihoods(_) => {
                let read: RemoteLikelihoods = serde_json::from_str(json).ok()?;
                (read.calibration.is_sound(people) && read.norm.is_finite())
                    .then_some(RemoteCalibration::Likelihoods(read))
            }
        }
    }

    /// Tells a digest all that turns a prepared face into coordinates, and what of a person is compared.
    pub fn tell(&self, told: &mut FieldHasher) {
        match self {
            Self::Distances(distances) => told.distances(distances),
            Self::Likelihoods(likelihoods) => told.likelihoods(likelihoods),
        }
    }
}

impl RemoteCalibration {
    /// The norm of everybody's point, where inner products are taken: it bounds what they can be wrong by.
    pub fn norm(&self) -> f64 {
        if let Self::Likelihoods(likelihoods) = self { likelihoods.norm } else { 0.0 }
    }

    /// The confidence beyond which a name is given; `None` where none ever is.
    pub fn threshold(&self, acceptance: Acceptance) -> Option<f64> {
        match self {
            Self::Distances(calibration) => super::distances::threshold(calibration, acceptance),
            Self::Likelihoods(likelihoods) => Some(likelihoods.calibration.threshold(acceptance)),
        }
    }

    /// Slope and intercept of a person's log-odds over their score, where confidences are shares of everybody's odds.
    pub fn log_odds(&self) -> Option<[f64; 2]> {
        match self {
            Self::Distances(..) => None,
            Self::Likelihoods(likelihoods) => Some(likelihoods.calibration.enrolled_log_odds()),
        }
    }

    /// The ranking of people so far away, in the order of names; two at least if there are. `others`: everybody else's odds.
    pub fn rank(&self, away: &[f64], others: f64, top: usize, acceptance: Acceptance) -> Ranking {
        match self {
            Self::Distances(calibration) => {
                let neighbors =
                    away.iter().enumerate().map(|(person, &away)| Neighbor { person, squared_distance: away });
                let mut neighbors: Vec<Neighbor> = neighbors.collect();
                neighbors.sort_by(|a, b| a.squared_distance.total_cmp(&b.squared_distance));
                rank_neighbors(&neighbors, calibration, top, acceptance)
            }
            Self::Likelihoods(RemoteLikelihoods { calibration, .. }) => {
                let scores: Vec<f64> = away.iter().map(|away| -away).collect();
                super::likelihoods::ranking(calibration, &scores, others, top, acceptance)
            }
        }
    }
}

/// SHA-256 of a sequence of values. Each is preceded by its length, so that no two sequences run into each other.
#[derive(Default)]
pub struct FieldHasher(Sha256);

impl FieldHasher {
    /// The digest.
    pub fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn doubles(&mut self, values: &[f64]) {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.bytes(&bytes.collect::<Vec<u8>>());
    }

    fn singles(&mut self, values: &[f32]) {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.bytes(&bytes.collect::<Vec<u8>>());
    }

    fn matrix(&mut self, values: &DMatrix<f32>) {
        self.0.update((values.nrows() as u64).to_le_bytes());
        self.singles(values.as_slice());
    }

    /// Adds a face space.
    pub fn face_space(&mut self, space: &FaceSpace) {
        self.doubles(space.mean().as_slice());
        self.matrix(space.basis());
        self.doubles(space.eigenvalues());
    }

    fn likelihoods(&mut self, likelihoods: &Likelihoods) {
        let people = likelihoods.people();
        let coordinates = people.extended_dimensions();
        self.text(&format!("likelihoods, {coordinates} coordinates"));
        let background = likelihoods.background();
        match Background::bundled() {
            Ok(bundled) if std::ptr::eq(bundled, background) => {
                self.text(&Background::bundled_digest());
            }
            _ => self.0.update(background.to_bytes()),
        }
        let (directions, between) = people.adaptation().to_parts();
        self.singles(&directions);
        self.doubles(&between);
        self.doubles(&people.to_parts().means);
        // The places of numbers of photos in a vector.
        for count in people.photo_counts() {
            self.text(&count.to_string());
        }
    }

    fn distances(&mut self, distances: &Distances) {
        match distances.matcher.space() {
            Space::Linear(space) => {
                self.text("linear");
                self.face_space(space);
            }
            Space::Scaled(space) => {
                self.text("scaled");
                self.doubles(space.face_space().mean().as_slice());
                self.matrix(space.projector());
                self.doubles(space.face_space().eigenvalues());
            }
            // What it was learned from shows in its mean and in every eigenvalue.
            Space::Kernel(space, _) => {
                self.text(&space.kernel().to_string());
                self.doubles(&[space.gamma().unwrap_or(0.0), space.total_variance()]);
                self.doubles(space.mean().as_slice());
                self.doubles(space.eigenvalues());
            }
        }
    }
}
