//! Learning again from some of the faces and trying others: what calibration asks for, once a fold.
//!
//! A trial needs weights and hardly any eigenface, so it is made from the inner products of all faces, which are
//! found once: then it costs eigenproblems and no look at bytes. Where there are so many faces that this is no
//! longer cheaper, or their copies are shifted, it is made from bytes.

use std::borrow::Cow;

use nalgebra::DMatrix;

use super::{Comparison, Copies, Features, View, Viewed, each_times, stacked};
use crate::error::{Error, Result};
use crate::face_matrix::FaceMatrix;
use crate::face_space::{FaceSpace, Weights};
use crate::gallery::Clusters;
use crate::likeness::{self, LikenessTest};
use crate::pca::{DualSpace, InnerProducts, Parity, Pca, Solver};

/// More faces than this are not learned from inner products: 16 n² bytes are 256 MB.
const MOST_FACES: usize = 4000;

/// The faces of a gallery, ready to be learned from again and again.
pub struct Trials<'a> {
    views: Vec<Source<'a>>,
    /// The pixels, where they are not among the views: likeness is always judged by them.
    pixels: Option<Source<'a>>,
    comparison: Comparison,
    pca: Pca,
}

/// What came of one trial.
pub struct Trial {
    /// Of those learned from.
    pub clusters: Clusters,
    /// Of those tried: k x m.
    pub coordinates: DMatrix<f32>,
    /// How much each of those tried looks like a face.
    pub likeness: Vec<f64>,
}

impl<'a> Trials<'a> {
    /// Of faces (d x n) as they are viewed.
    ///
    /// # Errors
    /// Views that do not fit together.
    pub fn new(
        faces: &'a FaceMatrix,
        viewed: &'a [Viewed<'a>],
        comparison: Comparison,
        pca: Pca,
    ) -> Result<Self> {
        let views = viewed.iter().map(|viewed| Source::new(viewed, pca));
        let views: Vec<Source<'a>> = views.collect::<Result<_>>()?;
        let sees_pixels = viewed.iter().any(|viewed| viewed.view == View::Pixels);
        let pixels = (!sees_pixels).then(|| Source::of_pixels(faces, pca));
        Ok(Self {
            views,
            pixels: pixels.transpose()?,
            comparison,
            pca,
        })
    }

    /// Learns from some of the faces and places others among them; `persons` are those of the learned, in
    /// increasing order.
    ///
    /// # Errors
    /// Fewer than two different faces.
    pub fn run(
        &self,
        learned: &[usize],
        tried: &[usize],
        persons: &[usize],
        people: usize,
    ) -> Result<Trial> {
        let comparison = self.comparison;
        let (mut enrolled, mut probes) = (Vec::new(), Vec::new());
        let mut likeness = None;
        for source in &self.views {
            let space = source.learn(learned, self.pca)?;
            let weights = space.weights_with_copies(source, learned)?;
            let owners = each_times(persons, weights.ncols() / persons.len().max(1));
            let eigenvalues = space.eigenvalues();
            let metric = comparison.metric.fit(&eigenvalues, &weights, &owners);
            let factor = super::factor(&metric, source.viewed.share, &eigenvalues);
            let tried_weights = space.weights(source, tried)?;
            enrolled.push(super::scaled(&metric, factor, &weights));
            probes.push(super::scaled(&metric, factor, &tried_weights));
            if source.viewed.view == View::Pixels {
                likeness = Some(space.likeness(source, tried)?);
            }
        }
        let likeness = match (likeness, &self.pixels) {
            (Some(likeness), _) => likeness,
            (None, Some(pixels)) => pixels.learn(learned, self.pca)?.likeness(pixels, tried)?,
            (None, None) => return Err(Error::Inconsistent),
        };
        let enrolled = stacked(&enrolled);
        let owners = each_times(persons, enrolled.ncols() / persons.len().max(1));
        let measure = comparison.metric.measure;
        let clusters = Clusters::new(&enrolled, &owners, people, comparison.clusters, measure);
        Ok(Trial {
            clusters: clusters.ok_or(Error::Inconsistent)?,
            coordinates: stacked(&probes),
            likeness,
        })
    }
}

/// One view of all faces and, where that pays, their inner products.
struct Source<'a> {
    viewed: Cow<'a, Viewed<'a>>,
    /// The faces without copies, d x n.
    themselves: Cow<'a, FaceMatrix>,
    products: Option<InnerProducts>,
}

impl<'a> Source<'a> {
    fn new(viewed: &'a Viewed<'a>, pca: Pca) -> Result<Self> {
        let themselves = match viewed.copies.shifts_of_a_face() {
            1 => Cow::Borrowed(&*viewed.bytes),
            shifts => {
                let all: Vec<usize> = (0..viewed.bytes.len() / shifts).collect();
                Cow::Owned(viewed.themselves(&all)?)
            }
        };
        Self::of(Cow::Borrowed(viewed), themselves, pca)
    }

    fn of_pixels(faces: &'a FaceMatrix, pca: Pca) -> Result<Self> {
        let alone = Comparison {
            features: Features::Pixels,
            copies: Copies::None,
            ..Comparison::default()
        };
        let viewed = alone.view(faces).into_iter().next();
        let viewed = viewed.ok_or(Error::Inconsistent)?;
        Self::of(Cow::Owned(viewed), Cow::Borrowed(faces), pca)
    }

    fn of(viewed: Cow<'a, Viewed<'a>>, themselves: Cow<'a, FaceMatrix>, pca: Pca) -> Result<Self> {
        let (d, n) = (themselves.size().pixels(), themselves.len());
        let symmetry = viewed.symmetry();
        let pays = n <= MOST_FACES && pca.route(d, n, symmetry) == Solver::Gram;
        let products = pays.then(|| InnerProducts::with_symmetry(&*themselves, symmetry));
        Ok(Self {
            products: products.transpose()?,
            viewed,
            themselves,
        })
    }

    fn learn(&self, learned: &[usize], pca: Pca) -> Result<Space<'_>> {
        let Some(products) = &self.products else {
            return Ok(Space::Direct(self.viewed.space(learned, pca)?));
        };
        let space = products.fit(learned, pca.components)?;
        if self.viewed.copies.shifts_of_a_face() == 1 {
            return Ok(Space::Dual(space));
        }
        let k = space.count();
        let (_, components) = space.with_components(&*self.themselves, k)?;
        let size = self.themselves.size();
        Ok(Space::Direct(FaceSpace::new(size, &components)))
    }
}

/// What was learned of one view.
enum Space<'a> {
    Dual(DualSpace<'a>),
    Direct(FaceSpace),
}

impl Space<'_> {
    fn eigenvalues(&self) -> Vec<f64> {
        match self {
            Self::Dual(space) => space.eigenvalues(),
            Self::Direct(space) => space.eigenvalues().to_vec(),
        }
    }

    /// Weights of the faces learned from with all their copies, those of a face side by side.
    fn weights_with_copies(&self, source: &Source<'_>, learned: &[usize]) -> Result<Weights> {
        let space = match self {
            Self::Direct(space) => return source.viewed.weights(learned, space),
            Self::Dual(space) => space,
        };
        let straight = space.training_weights();
        Ok(match space.parity() {
            None => straight,
            Some(parity) => super::side_by_side(&straight, &mirrored(&straight, &parity), 1),
        })
    }

    /// Weights of some faces.
    fn weights(&self, source: &Source<'_>, faces: &[usize]) -> Result<Weights> {
        match self {
            Self::Dual(space) => Ok(space.project(faces)),
            Self::Direct(space) => Ok(space.project(&source.viewed.themselves(faces)?)),
        }
    }

    /// How much some faces look like one: of a space of pixels.
    fn likeness(&self, source: &Source<'_>, faces: &[usize]) -> Result<Vec<f64>> {
        let themselves = &*source.themselves;
        let leading;
        let (test, weights) = match self {
            Self::Direct(space) => {
                let weights = space.project(&source.viewed.themselves(faces)?);
                (LikenessTest::new(space), weights)
            }
            Self::Dual(space) => {
                let count = likeness::leading(&space.eigenvalues());
                let (space, components) = space.clone().with_components(themselves, count)?;
                leading = FaceSpace::new(themselves.size(), &components);
                (LikenessTest::of_all(&leading), space.project(faces))
            }
        };
        let judged = faces.iter().zip(weights.column_iter());
        Ok(judged
            .map(|(&face, weights)| test.likeness(themselves.face(face), weights.as_slice()))
            .collect())
    }
}

/// The weights of mirror images.
fn mirrored(weights: &Weights, parity: &[Parity]) -> Weights {
    let mut mirrored = weights.clone();
    for (mut row, parity) in mirrored.row_iter_mut().zip(parity) {
        if *parity == Parity::Odd {
            row.neg_mut();
        }
    }
    mirrored
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face_matrix::FaceSize;
    use crate::pca::ComponentCount;

    /// Five people, four photos each: every person a wave of its own, every photo a little apart.
    fn faces() -> FaceMatrix {
        let size = FaceSize::new(32, 36).unwrap();
        let mut state = 1_u64;
        let mut noise = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f64 / (1 << 24) as f64
        };
        let mut pixels = Vec::new();
        for face in 0..20 {
            let person = f64::from(face / 4 + 1);
            let (phase, level) = (noise(), 20.0 * noise());
            for at in 0..size.pixels() {
                let (x, y) = ((at % 32) as f64, (at / 32) as f64);
                let wave = (x * person / 9.0 + phase).sin() + (y * (7.0 - person) / 11.0).cos();
                pixels.push((110.0 + level + 40.0 * wave + 9.0 * noise()) as u8);
            }
        }
        FaceMatrix::from_pixels(size, pixels).unwrap()
    }

    #[test]
    fn inner_products_say_what_bytes_say() {
        let faces = faces();
        let (tried, learned): (Vec<usize>, Vec<usize>) = (0..20).partition(|face| face % 4 == 2);
        let persons: Vec<usize> = learned.iter().map(|face| face / 4).collect();
        let pca = Pca {
            components: ComponentCount::Share(0.95),
            solver: Solver::Gram,
        };
        for features in [Features::Pixels, Features::Texture, Features::Fused] {
            for copies in [Copies::None, Copies::Mirrored, Copies::Shifted] {
                let comparison = Comparison {
                    features,
                    copies,
                    ..Comparison::default()
                };
                let viewed = comparison.view(&faces);
                let mut trials = Trials::new(&faces, &viewed, comparison, pca).unwrap();
                let run = |trials: &Trials<'_>| trials.run(&learned, &tried, &persons, 5).unwrap();
                let from_products = run(&trials);
                for source in trials.views.iter_mut().chain(&mut trials.pixels) {
                    assert!(source.products.take().is_some());
                }
                let from_bytes = run(&trials);
                for at in 0..tried.len() {
                    let ranked = [&from_products, &from_bytes].map(|trial| {
                        let coordinates = trial.coordinates.column(at);
                        trial.clusters.rank(coordinates.as_slice(), 5)
                    });
                    for (a, b) in ranked[0].iter().zip(&ranked[1]) {
                        assert_eq!(a.person, b.person, "{features:?} {copies:?}");
                        assert!((a.squared_distance - b.squared_distance).abs() < 1e-4);
                    }
                    let off = from_products.likeness[at] - from_bytes.likeness[at];
                    assert!(off.abs() < 1e-4, "{features:?} {copies:?} {off}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_learned_from_is_an_error() {
        let faces = faces();
        let comparison = Comparison::default();
        let viewed = comparison.view(&faces);
        let trials = Trials::new(&faces, &viewed, comparison, Pca::default()).unwrap();
        assert!(trials.run(&[], &[0], &[], 1).is_err());
        // One face twice has a mirror image unlike it, but likeness is judged without that.
        assert!(trials.run(&[3, 3], &[0], &[0, 0], 1).is_err());
    }
}
