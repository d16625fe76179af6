//! What the gallery's people look like to a probe: views of faces, each with its space and its metric, and
//! the clusters of coordinates that they make together.
//!
//! A face becomes one column of coordinates: of each view (pixels, texture) the weights in its space,
//! transformed by the metric, one below the other. Distances over them add up over the views. Enrolled
//! faces stand there with their copies: mirrored, shifted.

mod kept;
mod space;
mod split;
mod trials;
mod view;

use std::borrow::Cow;
use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::{Error, Result};
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::face_space::{FaceSpace, Weights};
use crate::gallery::{ClusterRule, Clusters, Match, Recall, Search};
use crate::kernel_pca::{Kernel, KernelPca};
use crate::metric::{FittedMetric, Measure, Metric};
use crate::pca::{ComponentCount, Mirror, Parity, Pca, Symmetry, scaled as scaled_pixels};
use crate::scaled_space::ScaledSpace;

pub use space::Space;
pub use split::{CELLS, Split};
pub use trials::{Trial, Trials};
pub use view::{Copies, Features, PixelScale, View};

/// How faces are to be compared.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Comparison {
    /// What of them.
    pub features: Features,
    /// What each enrolled face stands for besides itself.
    pub copies: Copies,
    /// Whose components the weights of each view are.
    pub kernel: Kernel,
    /// Whether the pixels are scaled. They must be compared then, and not by a kernel.
    pub pixel_scale: PixelScale,
    /// How the weights of each view are compared.
    pub metric: Metric,
    /// What of a person a probe is compared with.
    pub clusters: ClusterRule,
}

/// One view with what was learned for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    view: View,
    space: Space,
    metric: FittedMetric,
    /// What this part's coordinates are multiplied by, so that its squared distances have their share.
    factor: f64,
}

impl Part {
    /// A view of faces of this size, with its space and metric; `share` of the squared distances is its.
    pub fn new(view: View, share: f64, space: Space, metric: FittedMetric) -> Self {
        Self {
            view,
            factor: factor(share, &metric, space.eigenvalues()),
            space,
            metric,
        }
    }

    /// What of a face is compared.
    pub fn view(&self) -> View {
        self.view
    }

    /// The space of this view.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The metric of this view.
    pub fn metric(&self) -> &FittedMetric {
        &self.metric
    }

    fn coordinates(&self, weights: &Weights) -> DMatrix<f32> {
        scaled(self.metric.coordinates(weights), self.factor)
    }
}

/// What a view's coordinates are multiplied by, so that its squared distances have their share.
fn factor(share: f64, metric: &FittedMetric, eigenvalues: &[f64]) -> f64 {
    let scale = match metric.metric().measure {
        // Lengths are 1.
        Measure::Cosine => 1.0,
        // One view alone keeps its own units.
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
struct Placed {
    weights: Weights,
    parity: Option<Vec<Parity>>,
}

impl Placed {
    /// The metric of these faces, whose people are `persons` (n).
    fn metric(&self, metric: Metric, eigenvalues: &[f64], persons: &[usize]) -> FittedMetric {
        let owners = each_times(persons, self.weights.ncols() / persons.len().max(1));
        metric.fit(eigenvalues, &self.weights, &owners, self.parity.as_deref())
    }
}

/// The faces of a gallery as one view sees them, with their copies: made once, learned from often.
pub struct Viewed<'a> {
    view: View,
    share: f64,
    copies: Copies,
    mirror: Mirror,
    /// The columns of each face stand side by side, the face itself first: d x (n s), s shifts a face.
    bytes: Cow<'a, FaceMatrix>,
}

impl Viewed<'_> {
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
    pub fn view(&self) -> View {
        self.view
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
    fn linear(&self, faces: &[usize], pca: Pca) -> Result<(Space, Placed)> {
        let themselves = self.bytes.select(&self.themselves(faces))?;
        let components = pca.fit_with_symmetry(&themselves, self.symmetry())?;
        let space = FaceSpace::new(themselves.size(), &components);
        drop(themselves);
        let placed = Placed {
            weights: space.project(&self.bytes.select(&self.columns(faces))?),
            parity: components.parity,
        };
        Ok((Space::Linear(Arc::new(space)), placed))
    }

    /// The space of a kernel of some faces, and their weights with those of all copies.
    fn kernel(&self, faces: &[usize], pca: KernelPca) -> Result<(Space, Placed)> {
        let space = Space::Kernel(Arc::new(pca.fit(&self.learned(faces)?)?));
        let placed = self.placed(&space, faces)?;
        Ok((space, placed))
    }

    /// The space of scaled pixels of some faces, and their weights with those of all copies.
    fn scaled(&self, faces: &[usize], components: ComponentCount) -> Result<(Space, Placed)> {
        let learned = self.learned(faces)?;
        let mut found = scaled_pixels::fit(&learned, components)?;
        // Mirror images are not counted, as elsewhere.
        found.components.faces = faces.len();
        let space = Space::Scaled(Arc::new(ScaledSpace::new(learned.size(), &found)));
        let placed = self.placed(&space, faces)?;
        Ok((space, placed))
    }

    /// The weights of all copies of some faces, a face's side by side, in any space.
    fn placed(&self, space: &Space, faces: &[usize]) -> Result<Placed> {
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
        Ok(Placed { weights, parity })
    }

    /// This view with its space and the metric of the faces placed there, whose people are `persons` (n); and the
    /// coordinates of the faces with all their copies, a face's side by side: k x (n c).
    fn part(
        &self,
        space: Space,
        placed: &Placed,
        metric: Metric,
        persons: &[usize],
    ) -> (Part, DMatrix<f32>) {
        let metric = placed.metric(metric, space.eigenvalues(), persons);
        let part = Part::new(self.view, self.share, space, metric);
        let straight = part.coordinates(&placed.weights);
        let enrolled = self.with_mirrored(straight, placed.parity.as_deref());
        (part, enrolled)
    }

    /// Whether the space is learned from mirror images too.
    pub fn symmetry(&self) -> Symmetry<'_> {
        match self.copies {
            Copies::None => Symmetry::None,
            Copies::Auto | Copies::Mirrored | Copies::Shifted => Symmetry::Mirror(&self.mirror),
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
    fn copies_of(&self, size: FaceSize, faces: usize) -> Copies {
        match (self.copies, self.features.views(size).as_slice()) {
            (Copies::Auto, [(View::Pixels, _)]) if faces <= Copies::SHIFTED_FACES => {
                Copies::Shifted
            }
            (Copies::Auto, _) => Copies::Mirrored,
            (given, _) => given,
        }
    }

    /// Whether this view's numbers are scaled before they are compared.
    fn scales(&self, view: View) -> bool {
        view == View::Pixels && self.pixel_scale == PixelScale::Deviation
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
            .views(size)
            .iter()
            .any(|view| view.0 == View::Pixels)
        {
            "pixels are not compared, but their texture"
        } else {
            return Ok(());
        };
        Err(Error::PixelsNotScaled { reason })
    }

    /// The faces that each view's space is learned from: these, seen as the view does, and their mirror images
    /// where the copies have them. d x n, or d x 2 n.
    ///
    /// # Errors
    /// None for faces of one size.
    pub fn learned(&self, faces: &FaceMatrix) -> Result<Vec<FaceMatrix>> {
        let all: Vec<usize> = (0..faces.len()).collect();
        let plain = Self {
            copies: match self.copies_of(faces.size(), faces.len()) {
                // Shifts are projected, but not learned from.
                Copies::Shifted => Copies::Mirrored,
                other => other,
            },
            ..*self
        };
        plain
            .view(faces)
            .iter()
            .map(|view| view.learned(&all))
            .collect()
    }

    /// The faces (d x n) as each view sees them.
    pub fn view<'a>(&self, faces: &'a FaceMatrix) -> Vec<Viewed<'a>> {
        let copies = self.copies_of(faces.size(), faces.len());
        let shifted = copies.shifts(faces);
        let views = self.features.views(faces.size());
        views
            .into_iter()
            .map(|(view, share)| Viewed {
                view,
                share,
                copies,
                mirror: view.mirror(faces.size()),
                bytes: match &shifted {
                    Cow::Borrowed(faces) => view.of(faces),
                    Cow::Owned(faces) => Cow::Owned(view.of(faces).into_owned()),
                },
            })
            .collect()
    }
}

/// Who a probe resembles: what a gallery looks like in coordinates.
#[derive(Debug, Clone)]
pub struct Matcher {
    parts: Vec<Part>,
    /// Of the enrolled faces with their copies, those of a face side by side: k x (n c).
    coordinates: Arc<DMatrix<f32>>,
    /// Derived from the coordinates.
    clusters: Clusters,
}

impl Matcher {
    /// Learns from some of the faces that were viewed; `persons` are theirs (n), from 0 up to `people`, in
    /// increasing order.
    ///
    /// # Errors
    /// Fewer than two different faces.
    pub fn learn(
        viewed: &[Viewed<'_>],
        faces: &[usize],
        persons: &[usize],
        people: usize,
        comparison: Comparison,
        pca: Pca,
    ) -> Result<Self> {
        let mut parts = Vec::with_capacity(viewed.len());
        let mut coordinates = Vec::with_capacity(viewed.len());
        for view in viewed {
            let components = pca.components;
            let (space, placed) = match comparison.kernel {
                Kernel::Linear if comparison.scales(view.view) => view.scaled(faces, components)?,
                Kernel::Linear => view.linear(faces, pca)?,
                kernel => view.kernel(faces, KernelPca { kernel, components })?,
            };
            let (part, enrolled) = view.part(space, &placed, comparison.metric, persons);
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
        parts: Vec<Part>,
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
            }),
            _ => Err(Error::Inconsistent),
        }
    }

    /// The views that are compared.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The part that compares this view, if one does.
    pub fn part(&self, view: View) -> Option<&Part> {
        self.parts.iter().find(|part| part.view == view)
    }

    /// Coordinates of the enrolled faces with their copies, those of a face side by side: k x (n c).
    pub fn enrolled(&self) -> &DMatrix<f32> {
        &self.coordinates
    }

    /// Coordinates (k x n) of faces (d x n): squared distances between them are what is compared.
    pub fn coordinates(&self, faces: &FaceMatrix) -> DMatrix<f32> {
        let of_parts = self.parts.iter().map(|part| {
            let seen = part.view.of(faces);
            part.coordinates(&part.space.project(&seen))
        });
        stacked(&of_parts.collect::<Vec<_>>())
    }

    /// Coordinates (k x n) of some of the faces that were viewed, without their copies.
    pub(crate) fn coordinates_of(
        &self,
        viewed: &[Viewed<'_>],
        faces: &[usize],
    ) -> Result<DMatrix<f32>> {
        let mut of_parts = Vec::with_capacity(self.parts.len());
        for (part, view) in self.parts.iter().zip(viewed) {
            let seen = view.bytes.select(&view.themselves(faces))?;
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
        self.clusters.rank_all(coordinates, top, search)
    }

    /// What [`Search::Approximate`] misses, tried with up to so many enrolled faces; `None` where it is exact here.
    pub fn recall(&self, faces: usize) -> Option<Recall> {
        self.clusters.recall(faces)
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
