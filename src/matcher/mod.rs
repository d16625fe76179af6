//! What the gallery's people look like to a probe: features of faces, each with its space and its metric, and
//! the clusters of coordinates that they make together.
//!
//! A face becomes one column of coordinates: of each feature (pixels, texture) the weights in its space,
//! transformed by the metric, one below the other. Distances over them add up over the features. Enrolled
//! faces stand there with their copies: mirrored, shifted.

mod feature;
mod fixed_spaces;
mod resampling;
mod space;
mod split;

use std::borrow::Cow;
use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::{Error, Result};
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::face_space::{FaceSpace, Weights};
use crate::gallery::{BatchRanking, ClusterRule, Clusters, Match, Recall, Search};
use crate::kernel_pca::{Kernel, KernelPca};
use crate::metric::{FittedMetric, Measure, Metric};
use crate::pca::{ComponentCount, Mirror, Parity, Pca, Symmetry, scaled as scaled_pixels};
use crate::scaled_space::ScaledSpace;

pub use feature::{Augmentation, Feature, Features, PixelScale};
pub use resampling::{Resample, Resampling};
pub use space::Space;
pub use split::{CELLS, Split};

/// How faces are to be compared.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Comparison {
    /// What of them.
    pub features: Features,
    /// What each enrolled face stands for besides itself.
    pub copies: Augmentation,
    /// Whose components the weights of each feature are.
    pub kernel: Kernel,
    /// Whether the pixels are scaled. They must be compared then, and not by a kernel.
    pub pixel_scale: PixelScale,
    /// How the weights of each feature are compared.
    pub metric: Metric,
    /// What of a person a probe is compared with.
    pub clusters: ClusterRule,
}

/// One feature with what was learned for it.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureSpace {
    feature: Feature,
    space: Space,
    metric: FittedMetric,
    /// What this part's coordinates are multiplied by, so that its squared distances have their share.
    factor: f64,
}

impl FeatureSpace {
    /// A feature of faces of this size, with its space and metric; `share` of the squared distances is its.
    pub fn new(feature: Feature, share: f64, space: Space, metric: FittedMetric) -> Self {
        Self {
            feature,
            factor: factor(share, &metric, space.eigenvalues()),
            space,
            metric,
        }
    }

    /// What of a face is compared.
    pub fn feature(&self) -> Feature {
        self.feature
    }

    /// The space of this feature.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The metric of this feature.
    pub fn metric(&self) -> &FittedMetric {
        &self.metric
    }

    fn coordinates(&self, weights: &Weights) -> DMatrix<f32> {
        scaled(self.metric.coordinates(weights), self.factor)
    }
}

/// What a feature's coordinates are multiplied by, so that its squared distances have their share.
fn factor(share: f64, metric: &FittedMetric, eigenvalues: &[f64]) -> f64 {
    let scale = match metric.metric().measure {
        // Lengths are 1.
        Measure::Cosine => 1.0,
        // One feature alone keeps its own units.
        Measure::Euclidean if share >= 1.0 => 1.0,
        Measure::Euclidean => metric.mean_squared_length(eigenvalues),
    };
    (share / scale).sqrt()
}

fn scaled(mut coordinates: DMatrix<f32>, factor: f64) -> DMatrix<f32> {
    if factor != 1.0 {
        coordinates.apply(|value| *value = (f64::from(*value) * factor) as f32);
    }
    coordinates
}

/// Faces in a space: weights of their columns, k x (n s); where `parity` is known, those of mirror images
/// follow from them, otherwise they stand there too.
struct Projected {
    weights: Weights,
    parity: Option<Vec<Parity>>,
}

impl Projected {
    /// The metric of these faces, whose people are `persons` (n).
    fn metric(&self, metric: Metric, eigenvalues: &[f64], persons: &[usize]) -> FittedMetric {
        let owners = each_times(persons, self.weights.ncols() / persons.len().max(1));
        metric.fit(eigenvalues, &self.weights, &owners, self.parity.as_deref())
    }
}

/// The faces of a gallery as one feature sees them, with their copies: made once, learned from often.
pub struct FeatureMatrix<'a> {
    feature: Feature,
    share: f64,
    copies: Augmentation,
    mirror: Mirror,
    /// The columns of each face stand side by side, the face itself first: d x (n s), s shifts a face.
    bytes: Cow<'a, FaceMatrix>,
}

impl FeatureMatrix<'_> {
    /// n, the number of faces.
    fn len(&self) -> usize {
        self.bytes.len() / self.copies.shifts_of_a_face()
    }

    /// The columns of some faces: n s.
    fn columns(&self, faces: &[usize]) -> Vec<usize> {
        let shifts = self.copies.shifts_of_a_face();
        let of_a_face = |face: &usize| face * shifts..(face + 1) * shifts;
        faces.iter().flat_map(of_a_face).collect()
    }

    /// The columns of some faces as they are: n.
    fn themselves(&self, faces: &[usize]) -> Vec<usize> {
        let shifts = self.copies.shifts_of_a_face();
        faces.iter().map(|face| face * shifts).collect()
    }

    /// What of the faces is seen.
    pub fn feature(&self) -> Feature {
        self.feature
    }

    /// Some faces, followed by their mirror images where the copies have them: what the space of a kernel is learned
    /// from.
    fn learned(&self, faces: &[usize]) -> Result<FaceMatrix> {
        let themselves = self.bytes.select(&self.themselves(faces))?;
        match self.symmetry() {
            Symmetry::None => Ok(themselves),
            Symmetry::Mirror(mirror) => {
                let mut mirrored = themselves.as_slice().to_vec();
                mirror.apply(&mut mirrored);
                let both = [themselves.as_slice(), &mirrored].concat();
                FaceMatrix::from_pixels(themselves.size(), both)
            }
        }
    }

    /// The linear space of some faces, and their weights.
    fn linear(&self, faces: &[usize], pca: Pca) -> Result<(Space, Projected)> {
        let themselves = self.bytes.select(&self.themselves(faces))?;
        let components = pca.fit_with_symmetry(&themselves, self.symmetry())?;
        let space = FaceSpace::new(themselves.size(), &components);
        drop(themselves);
        let placed = Projected {
            weights: space.project(&self.bytes.select(&self.columns(faces))?),
            parity: components.parity,
        };
        Ok((Space::Linear(Arc::new(space)), placed))
    }

    /// The space of a kernel of some faces, and their weights with those of all copies.
    fn kernel(&self, faces: &[usize], pca: KernelPca) -> Result<(Space, Projected)> {
        let space = Space::Kernel(Arc::new(pca.fit(&self.learned(faces)?)?));
        let placed = self.placed(&space, faces)?;
        Ok((space, placed))
    }

    /// The space of scaled pixels of some faces, and their weights with those of all copies.
    fn scaled(&self, faces: &[usize], components: ComponentCount) -> Result<(Space, Projected)> {
        let learned = self.learned(faces)?;
        let mut found = scaled_pixels::fit(&learned, components)?;
        // Mirror images are not counted, as elsewhere.
        found.components.faces = faces.len();
        let space = Space::Scaled(Arc::new(ScaledSpace::new(learned.size(), &found)));
        let placed = self.placed(&space, faces)?;
        Ok((space, placed))
    }

    /// The weights of all copies of some faces, a face's side by side, in any space.
    fn placed(&self, space: &Space, faces: &[usize]) -> Result<Projected> {
        let columns = self.bytes.select(&self.columns(faces))?;
        let mut weights = space.project(&columns);
        if let Symmetry::Mirror(mirror) = self.symmetry() {
            let mut mirrored = columns.as_slice().to_vec();
            mirror.apply(&mut mirrored);
            let mirrored = space.project(&FaceMatrix::from_pixels(columns.size(), mirrored)?);
            let shifts = self.copies.shifts_of_a_face();
            let mut all = Weights::zeros(weights.nrows(), 2 * weights.ncols());
            for face in 0..faces.len() {
                let (from, to) = (face * shifts, 2 * face * shifts);
                all.columns_mut(to, shifts)
                    .copy_from(&weights.columns(from, shifts));
                all.columns_mut(to + shifts, shifts)
                    .copy_from(&mirrored.columns(from, shifts));
            }
            weights = all;
        }
        let parity = None;
        Ok(Projected { weights, parity })
    }

    /// This feature with its space and the metric of the faces placed there, whose people are `persons` (n); and the
    /// coordinates of the faces with all their copies, a face's side by side: k x (n c).
    fn feature_space(
        &self,
        space: Space,
        placed: &Projected,
        metric: Metric,
        persons: &[usize],
    ) -> (FeatureSpace, DMatrix<f32>) {
        let metric = placed.metric(metric, space.eigenvalues(), persons);
        let part = FeatureSpace::new(self.feature, self.share, space, metric);
        let straight = part.coordinates(&placed.weights);
        let enrolled = self.with_mirrored(straight, placed.parity.as_deref());
        (part, enrolled)
    }

    /// Whether the space is learned from mirror images too.
    pub fn symmetry(&self) -> Symmetry<'_> {
        match self.copies {
            Augmentation::None => Symmetry::None,
            Augmentation::Auto | Augmentation::Mirrored | Augmentation::Shifted => {
                Symmetry::Mirror(&self.mirror)
            }
        }
    }

    /// From the coordinates of columns (k x n s) those of all copies, a face's side by side: k x (n c). In a
    /// mirror odd ones change their sign, as the weights do.
    fn with_mirrored(&self, straight: DMatrix<f32>, parity: Option<&[Parity]>) -> DMatrix<f32> {
        let Some(parity) = parity else {
            return straight;
        };
        let shifts = self.copies.shifts_of_a_face();
        let mut all = DMatrix::zeros(straight.nrows(), 2 * straight.ncols());
        for (at, face) in straight.column_iter().enumerate() {
            let place = at / shifts * shifts * 2 + at % shifts;
            all.set_column(place, &face);
            let mut mirrored = all.column_mut(place + shifts);
            for ((to, &value), parity) in mirrored.iter_mut().zip(face.iter()).zip(parity) {
                *to = match parity {
                    Parity::Even => value,
                    Parity::Odd => -value,
                };
            }
        }
        all
    }
}

impl Comparison {
    /// The copies of each of so many faces of this size.
    fn copies_of(&self, size: FaceSize, faces: usize) -> Augmentation {
        match (self.copies, self.features.shares(size).as_slice()) {
            (Augmentation::Auto, [(Feature::Pixels, _)])
                if faces <= Augmentation::SHIFTED_FACES =>
            {
                Augmentation::Shifted
            }
            (Augmentation::Auto, _) => Augmentation::Mirrored,
            (given, _) => given,
        }
    }

    /// Whether this feature's numbers are scaled before they are compared.
    fn scales(&self, feature: Feature) -> bool {
        feature == Feature::Pixels && self.pixel_scale == PixelScale::Deviation
    }

    /// Refuses to scale pixels of faces of this size where that has no meaning: pixels that are not compared, or by a
    /// kernel.
    ///
    /// # Errors
    /// [`Error::PixelsNotScaled`].
    pub fn refuse_senseless(&self, size: FaceSize) -> Result<()> {
        if self.pixel_scale == PixelScale::Plain {
            return Ok(());
        }
        let reason = if self.kernel != Kernel::Linear {
            "a kernel compares gray levels as they are"
        } else if !self
            .features
            .shares(size)
            .iter()
            .any(|feature| feature.0 == Feature::Pixels)
        {
            "pixels are not compared, but their texture"
        } else {
            return Ok(());
        };
        Err(Error::PixelsNotScaled { reason })
    }

    /// The faces that each feature's space is learned from: these, seen as the feature does, and their mirror images
    /// where the copies have them. d x n, or d x 2 n.
    ///
    /// # Errors
    /// None for faces of one size.
    pub fn learned(&self, faces: &FaceMatrix) -> Result<Vec<FaceMatrix>> {
        let all: Vec<usize> = (0..faces.len()).collect();
        let plain = Self {
            copies: match self.copies_of(faces.size(), faces.len()) {
                // Shifts are projected, but not learned from.
                Augmentation::Shifted => Augmentation::Mirrored,
                other => other,
            },
            ..*self
        };
        plain
            .feature_matrices(faces)
            .iter()
            .map(|feature| feature.learned(&all))
            .collect()
    }

    /// The faces (d x n) as each feature sees them.
    pub fn feature_matrices<'a>(&self, faces: &'a FaceMatrix) -> Vec<FeatureMatrix<'a>> {
        let copies = self.copies_of(faces.size(), faces.len());
        let shifted = copies.shifts(faces);
        let shares = self.features.shares(faces.size());
        shares
            .into_iter()
            .map(|(feature, share)| FeatureMatrix {
                feature,
                share,
                copies,
                mirror: feature.mirror(faces.size()),
                bytes: match &shifted {
                    Cow::Borrowed(faces) => feature.of(faces),
                    Cow::Owned(faces) => Cow::Owned(feature.of(faces).into_owned()),
                },
            })
            .collect()
    }
}

/// Who a probe resembles: what a gallery looks like in coordinates.
#[derive(Debug, Clone)]
pub struct Matcher {
    parts: Vec<FeatureSpace>,
    /// Of the enrolled faces with their copies, those of a face side by side: k x (n c).
    coordinates: Arc<DMatrix<f32>>,
    /// Derived from the coordinates.
    clusters: Clusters,
    /// For many probes at once.
    batch: Arc<BatchRanking>,
}

impl Matcher {
    /// Learns from some of the faces that were features; `persons` are theirs (n), from 0 up to `people`, in
    /// increasing order.
    ///
    /// # Errors
    /// Fewer than two different faces.
    pub fn learn(
        features: &[FeatureMatrix<'_>],
        faces: &[usize],
        persons: &[usize],
        people: usize,
        comparison: Comparison,
        pca: Pca,
    ) -> Result<Self> {
        let mut parts = Vec::with_capacity(features.len());
        let mut coordinates = Vec::with_capacity(features.len());
        for feature in features {
            let components = pca.components;
            let (space, placed) = match comparison.kernel {
                Kernel::Linear if comparison.scales(feature.feature) => {
                    feature.scaled(faces, components)?
                }
                Kernel::Linear => feature.linear(faces, pca)?,
                kernel => feature.kernel(faces, KernelPca { kernel, components })?,
            };
            let (part, enrolled) =
                feature.feature_space(space, &placed, comparison.metric, persons);
            coordinates.push(enrolled);
            parts.push(part);
        }
        Self::from_parts(parts, stacked(&coordinates), persons, people, comparison)
    }

    /// A matcher from its parts and the coordinates of the enrolled faces with their copies (k x (n c));
    /// `persons` are theirs (n).
    ///
    /// # Errors
    /// Parts that do not fit together.
    pub fn from_parts(
        parts: Vec<FeatureSpace>,
        coordinates: DMatrix<f32>,
        persons: &[usize],
        people: usize,
        comparison: Comparison,
    ) -> Result<Self> {
        let rows: usize = parts.iter().map(|part| part.space.components()).sum();
        let copies = coordinates.ncols() / persons.len().max(1);
        let coordinates = Arc::new(coordinates);
        let fits = rows == coordinates.nrows()
            && copies * persons.len() == coordinates.ncols()
            && parts
                .iter()
                .all(|part| part.metric.metric() == comparison.metric);
        let clusters = Clusters::new(
            Arc::clone(&coordinates),
            &each_times(persons, copies),
            people,
            comparison.clusters,
            comparison.metric.measure,
        );
        match clusters {
            Some(clusters) if fits => Ok(Self {
                parts,
                coordinates,
                clusters,
                batch: Arc::default(),
            }),
            _ => Err(Error::Inconsistent),
        }
    }

    /// The features that are compared, each with its space.
    pub fn feature_spaces(&self) -> &[FeatureSpace] {
        &self.parts
    }

    /// The part that compares this feature, if one does.
    pub fn feature_space(&self, feature: Feature) -> Option<&FeatureSpace> {
        self.parts.iter().find(|part| part.feature == feature)
    }

    /// Coordinates of the enrolled faces with their copies, those of a face side by side: k x (n c).
    pub fn enrolled(&self) -> &DMatrix<f32> {
        &self.coordinates
    }

    /// The people as probes are compared with them.
    pub fn clusters(&self) -> &Clusters {
        &self.clusters
    }

    /// Coordinates (k x n) of faces (d x n): squared distances between them are what is compared.
    pub fn coordinates(&self, faces: &FaceMatrix) -> DMatrix<f32> {
        let of_parts = self.parts.iter().map(|part| {
            let seen = part.feature.of(faces);
            part.coordinates(&part.space.project(&seen))
        });
        stacked(&of_parts.collect::<Vec<_>>())
    }

    /// Coordinates (k x n) of some of the faces that were features, without their copies.
    pub(crate) fn coordinates_of(
        &self,
        features: &[FeatureMatrix<'_>],
        faces: &[usize],
    ) -> Result<DMatrix<f32>> {
        let mut of_parts = Vec::with_capacity(self.parts.len());
        for (part, feature) in self.parts.iter().zip(features) {
            let seen = feature.bytes.select(&feature.themselves(faces))?;
            let weights = part.space.project(&seen);
            of_parts.push(part.coordinates(&weights));
        }
        Ok(stacked(&of_parts))
    }

    /// The `top` nearest people to coordinates (k), nearest first.
    pub fn rank(&self, coordinates: &[f32], top: usize) -> Vec<Match> {
        self.clusters.rank(coordinates, top)
    }

    /// The same of many (k x m), in their order: together they cost much less.
    pub fn rank_all(
        &self,
        coordinates: &DMatrix<f32>,
        top: usize,
        search: Search,
    ) -> Vec<Vec<Match>> {
        self.batch
            .rank_all(&self.clusters, coordinates, top, search)
    }

    /// What [`Search::Approximate`] misses, tried with up to so many enrolled faces; `None` where it is exact here.
    pub fn recall(&self, faces: usize) -> Option<Recall> {
        self.batch.recall(&self.clusters, faces)
    }
}

/// Every value so many times in a row.
fn each_times(values: &[usize], times: usize) -> Vec<usize> {
    values
        .iter()
        .flat_map(|&value| std::iter::repeat_n(value, times))
        .collect()
}

/// Matrices of as many columns, one below the other.
fn stacked(parts: &[DMatrix<f32>]) -> DMatrix<f32> {
    let rows = parts.iter().map(DMatrix::nrows).sum();
    let columns = parts.first().map_or(0, DMatrix::ncols);
    let mut all = DMatrix::zeros(rows, columns);
    let mut below = 0;
    for part in parts {
        all.rows_mut(below, part.nrows()).copy_from(part);
        below += part.nrows();
    }
    all
}
