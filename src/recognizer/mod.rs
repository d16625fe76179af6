//! Everything that takes part in recognising, as one value: what a model file holds.
//!
//! How photos are prepared, the face space, the metric, the gallery and the calibration belong together:
//! a probe can never be treated differently from the gallery.

mod calibrate;
mod comparer;
mod explain;
mod external_ranking;
mod identifier;
mod shown;
mod verify;

pub use comparer::{BackgroundComparer, Comparer};
pub use explain::{Explanation, Side};
pub use external_ranking::RankedPerson;
pub use identifier::{Candidate, Identification, Identifier, QueryOptions};
pub use verify::{Verdict, Verification};

use std::sync::Arc;

use image::GrayImage;
use nalgebra::DMatrix;

use crate::background::Prior;
use crate::decision::{Acceptance, Calibration, TopScores};
use crate::error::{Error, PhotoProblem, Result};
use crate::face_matrix::FaceMatrix;
use crate::face_space::{FaceSpace, Weights};
use crate::gallery::{ClusterRule, Gallery, Match};
use crate::kernel_pca::Kernel;
use crate::matcher::{
    Augmentation, Comparison, Feature, FeatureMatrix, FeatureSpace, Features, Matcher, PixelScale,
    Space,
};
use crate::metric::{Measure, Metric};
use crate::partial::MergedBasis;
use crate::pca::{ComponentCount, Pca, Solver, Symmetry};
use crate::preparation::{Preparation, PreparedFace};

/// What learning is asked to do; the defaults are measured (docs/RECIPES.md).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Settings {
    /// What is known before anybody is enrolled. With the background model, features, copies, kernel, pixel scale,
    /// metric and clusters take no part in comparing.
    pub prior: Prior,
    /// How many eigenfaces to keep.
    pub components: ComponentCount,
    /// The route to them; the result does not depend on it beyond rounding.
    pub solver: Solver,
    /// What of the faces is compared.
    pub features: Features,
    /// What each enrolled face stands for besides itself.
    pub copies: Augmentation,
    /// Whose components the weights are: linear ones, or those of a kernel.
    pub kernel: Kernel,
    /// Whether the pixels are scaled before they are compared.
    pub pixel_scale: PixelScale,
    /// How weights are compared.
    pub metric: Metric,
    /// What of a person a probe is compared with.
    pub clusters: ClusterRule,
}

impl Settings {
    /// The defaults without the background model: all is learned from the gallery alone.
    pub fn without_background() -> Self {
        Self {
            prior: Prior::None,
            ..Self::default()
        }
    }

    /// How the components are fitted.
    pub fn pca(&self) -> Pca {
        Pca {
            components: self.components,
            solver: self.solver,
        }
    }

    /// How faces are compared.
    pub fn comparison(&self) -> Comparison {
        Comparison {
            features: self.features,
            copies: self.copies,
            kernel: self.kernel,
            pixel_scale: self.pixel_scale,
            metric: self.metric,
            clusters: self.clusters,
        }
    }
}

/// What a recogniser's spaces were learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BasisOrigin {
    /// The faces of its gallery.
    Gallery,
    /// Other faces, the gallery's perhaps among them: see [`Recognizer::keeping_basis`].
    Kept,
}

/// A learned recogniser: identifies faces among the enrolled people, and holds these.
#[derive(Debug, Clone)]
pub struct Recognizer {
    identifier: Identifier,
    origin: BasisOrigin,
    gallery: Gallery,
    /// Weights of the enrolled faces, k x n.
    weights: Weights,
}

impl Recognizer {
    /// Learns from a gallery: fits the face space, places everybody in it, and calibrates by leaving out.
    ///
    /// # Errors
    /// Fewer than two different faces; scaled pixels that are not compared.
    pub fn learn(preparation: Preparation, gallery: Gallery, settings: Settings) -> Result<Self> {
        match settings.prior {
            Prior::Bundled => {
                let coordinates = comparer::coordinates(&gallery, None)?;
                Self::learn_with_background(preparation, gallery, settings, coordinates)
            }
            Prior::None => Self::learn_from_gallery(preparation, gallery, settings),
        }
    }

    /// Learns a gallery that holds faces of this recogniser's: of those the background model's coordinates are known.
    /// The result is that of [`learn`](Self::learn).
    ///
    /// # Errors
    /// As [`learn`](Self::learn).
    pub fn learn_again(&self, gallery: Gallery, settings: Settings) -> Result<Self> {
        let preparation = *self.preparation();
        match settings.prior {
            Prior::Bundled => {
                let coordinates = comparer::coordinates(&gallery, Some(self))?;
                Self::learn_with_background(preparation, gallery, settings, coordinates)
            }
            Prior::None => Self::learn(preparation, gallery, settings),
        }
    }

    /// Learns with the background model, given its coordinates of the gallery's faces (2k x n).
    fn learn_with_background(
        preparation: Preparation,
        gallery: Gallery,
        settings: Settings,
        coordinates: DMatrix<f32>,
    ) -> Result<Self> {
        let mirror = Feature::Pixels.mirror(gallery.faces().size());
        let symmetry = match gallery.len() {
            1 => Symmetry::Mirror(&mirror),
            _ => Symmetry::None,
        };
        let components = settings
            .pca()
            .fit_with_symmetry(gallery.faces(), symmetry)?;
        let space = Arc::new(FaceSpace::new(gallery.faces().size(), &components));
        Self::compared_by_background(preparation, gallery, settings, space, coordinates)
    }

    fn compared_by_background(
        preparation: Preparation,
        gallery: Gallery,
        settings: Settings,
        space: Arc<FaceSpace>,
        coordinates: DMatrix<f32>,
    ) -> Result<Self> {
        let likeness_limit = calibrate::likeness_limit(&gallery, &space, settings);
        let comparer = BackgroundComparer::learn(coordinates, gallery.persons(), likeness_limit)?;
        let weights = space.project(gallery.faces());
        let comparer = Comparer::Background(Box::new(comparer));
        Self::from_parts(preparation, settings, space, gallery, weights, comparer)
    }

    fn learn_from_gallery(
        preparation: Preparation,
        gallery: Gallery,
        settings: Settings,
    ) -> Result<Self> {
        let faces: Vec<usize> = (0..gallery.len()).collect();
        let (people, persons) = (gallery.people().len(), gallery.persons());
        let comparison = settings.comparison();
        comparison.refuse_senseless(preparation.size())?;
        let features = comparison.feature_matrices(gallery.faces());
        let matcher = Matcher::learn(
            &features,
            &faces,
            &persons,
            people,
            comparison,
            settings.pca(),
        )?;
        let space = match matcher
            .feature_space(Feature::Pixels)
            .and_then(|part| part.space().linear())
        {
            Some(space) => Arc::clone(space),
            None => Arc::new(pixel_space(gallery.faces(), &features, settings.pca())?),
        };
        let calibration = if calibrate::is_settled(&space, &matcher, gallery.len()) {
            calibrate::calibrate_keeping(&space, &matcher, &gallery, &features, settings)
        } else {
            calibrate::calibrate(&gallery, &features, settings)?
        };
        drop(features);
        let weights = space.project(gallery.faces());
        // The checks of a stored recogniser hold for a new one too: what is learned can be loaded.
        let comparer = Comparer::Gallery {
            matcher: Box::new(matcher),
            calibration,
        };
        Self::from_parts(preparation, settings, space, gallery, weights, comparer)
    }

    /// Another gallery in the spaces of this recogniser: faces are projected, and only metric, clusters and
    /// calibration are learned anew. For a basis that was published and must not change. Of `settings` those of the
    /// spaces (components, solver) are without effect.
    ///
    /// # Errors
    /// Faces of another size; other features, of which this recogniser has no space.
    pub fn keeping_basis(&self, gallery: Gallery, settings: Settings) -> Result<Self> {
        let (preparation, space) = (*self.preparation(), self.identifier.shared_space());
        if settings.prior == Prior::Bundled {
            if gallery.faces().size() != preparation.size() {
                return Err(Error::Inconsistent);
            }
            let coordinates = comparer::coordinates(&gallery, Some(self))?;
            return Self::compared_by_background(
                preparation,
                gallery,
                settings,
                space,
                coordinates,
            )
            .map(|learned| learned.of_origin(BasisOrigin::Kept));
        }
        let of_feature = |part: &FeatureSpace| (part.feature(), part.space().clone());
        let matcher = self.matcher().ok_or(Error::Inconsistent)?;
        let spaces: Vec<_> = matcher.feature_spaces().iter().map(of_feature).collect();
        Self::in_spaces(preparation, space, &spaces, gallery, settings)
    }

    /// A gallery in spaces that were learned from any photos, perhaps on many machines: as [`keeping_basis`], but of
    /// `settings` those of the merged basis count for components, solver, features, kernel and scaling.
    ///
    /// # Errors
    /// Faces of another size.
    ///
    /// [`keeping_basis`]: Self::keeping_basis
    pub fn on_merged_basis(
        merged_basis: &MergedBasis,
        gallery: Gallery,
        settings: Settings,
    ) -> Result<Self> {
        let plan = merged_basis.plan();
        let settings = Settings {
            prior: Prior::None,
            components: plan.components(),
            features: plan.features(),
            solver: Solver::Auto,
            kernel: Kernel::Linear,
            pixel_scale: PixelScale::Plain,
            ..settings
        };
        let features = plan.summed().into_iter();
        let spaces: Vec<_> = features
            .filter_map(|feature| {
                Some((
                    feature,
                    Space::Linear(Arc::clone(merged_basis.space(feature)?)),
                ))
            })
            .collect();
        let space = Arc::clone(merged_basis.pixels());
        Self::in_spaces(*plan.preparation(), space, &spaces, gallery, settings)
    }

    fn in_spaces(
        preparation: Preparation,
        space: Arc<FaceSpace>,
        spaces: &[(Feature, Space)],
        gallery: Gallery,
        settings: Settings,
    ) -> Result<Self> {
        if gallery.faces().size() != preparation.size() {
            return Err(Error::Inconsistent);
        }
        let faces: Vec<usize> = (0..gallery.len()).collect();
        let (people, persons) = (gallery.people().len(), gallery.persons());
        let comparison = settings.comparison();
        comparison.refuse_senseless(preparation.size())?;
        let features = comparison.feature_matrices(gallery.faces());
        let matcher = Matcher::in_spaces(spaces, &features, &faces, &persons, people, comparison)?;
        let calibration =
            calibrate::calibrate_keeping(&space, &matcher, &gallery, &features, settings);
        drop(features);
        let weights = space.project(gallery.faces());
        let comparer = Comparer::Gallery {
            matcher: Box::new(matcher),
            calibration,
        };
        Self::from_parts(preparation, settings, space, gallery, weights, comparer)
            .map(|learned| learned.of_origin(BasisOrigin::Kept))
    }

    /// A recogniser from stored parts.
    ///
    /// # Errors
    /// Parts that do not fit together.
    pub fn from_parts(
        preparation: Preparation,
        settings: Settings,
        space: Arc<FaceSpace>,
        gallery: Gallery,
        weights: Weights,
        comparer: Comparer,
    ) -> Result<Self> {
        let (size, components) = (preparation.size(), space.components());
        let identifier = Identifier::from_parts(
            preparation,
            settings,
            space,
            gallery.people().to_vec(),
            comparer,
        )?;
        let fits = weights.shape() == (components, gallery.len()) && gallery.faces().size() == size;
        if !fits {
            return Err(Error::Inconsistent);
        }
        Ok(Self {
            identifier,
            origin: BasisOrigin::Gallery,
            gallery,
            weights,
        })
    }

    /// This recogniser, with the given origin of its spaces.
    #[must_use]
    pub fn of_origin(self, origin: BasisOrigin) -> Self {
        Self { origin, ..self }
    }

    /// What the face space, and that of texture, was learned from.
    pub fn origin(&self) -> BasisOrigin {
        self.origin
    }

    /// Whether so many faces were learned from that those of the gallery among them hardly moved the spaces. Where
    /// they did, and the spaces were kept, calibration saw nobody who was really left out: it is too sure.
    pub fn is_settled(&self) -> bool {
        self.matcher().is_none_or(|matcher| {
            calibrate::is_settled(self.space(), matcher, self.space().learned_from())
        })
    }

    /// How photos are made ready.
    pub fn preparation(&self) -> &Preparation {
        self.identifier.preparation()
    }

    /// What learning was asked to do.
    pub fn settings(&self) -> Settings {
        self.identifier.settings()
    }

    /// The face space.
    pub fn space(&self) -> &FaceSpace {
        self.identifier.space()
    }

    /// Who is enrolled.
    pub fn gallery(&self) -> &Gallery {
        &self.gallery
    }

    /// Weights of the enrolled faces, k x n.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// What the gallery looks like to a probe, where faces are compared by what this gallery alone teaches.
    pub fn matcher(&self) -> Option<&Matcher> {
        self.identifier.matcher()
    }

    /// How distances become decisions, where faces are compared by what this gallery alone teaches.
    pub fn calibration(&self) -> Option<&Calibration> {
        self.identifier.calibration()
    }

    /// What the background model knows of the gallery, where faces are compared by it.
    pub fn background(&self) -> Option<&BackgroundComparer> {
        self.identifier.background()
    }

    /// How faces are compared.
    pub fn comparer(&self) -> &Comparer {
        self.identifier.comparer()
    }

    /// What of this names people: all but the enrolled faces themselves.
    pub fn identifier(&self) -> &Identifier {
        &self.identifier
    }

    /// The same, the faces let go.
    #[must_use]
    pub fn into_identifier(self) -> Identifier {
        self.identifier
    }

    /// See [`Identifier::identify`].
    ///
    /// # Errors
    /// A photo that cannot be prepared.
    pub fn identify(
        &self,
        photo: &GrayImage,
        options: QueryOptions,
    ) -> Result<Vec<Identification>, PhotoProblem> {
        self.identifier.identify(photo, options)
    }

    /// See [`Identifier::identify_prepared`].
    ///
    /// # Errors
    /// Faces of another size.
    pub fn identify_prepared(
        &self,
        photos: &[Vec<PreparedFace>],
        options: QueryOptions,
    ) -> Result<Vec<Vec<Identification>>> {
        self.identifier.identify_prepared(photos, options)
    }

    /// See [`Identifier::identify_faces`].
    pub fn identify_faces(&self, faces: &FaceMatrix, options: QueryOptions) -> Vec<Identification> {
        self.identifier.identify_faces(faces, options)
    }

    /// See [`Identifier::candidates`].
    pub fn candidates(&self, ranked: &[Match]) -> Vec<Candidate> {
        self.identifier.candidates(ranked)
    }

    /// See [`Identifier::threshold`].
    pub fn threshold(&self, acceptance: Acceptance) -> Option<f64> {
        self.identifier.threshold(acceptance)
    }
}

/// The space of plain pixels, where they are not what is compared, or not plain: with mirror images where these are
/// compared by their pixels too; of one face alone always.
fn pixel_space(faces: &FaceMatrix, features: &[FeatureMatrix<'_>], pca: Pca) -> Result<FaceSpace> {
    let mirror = Feature::Pixels.mirror(faces.size());
    let pixels = features
        .iter()
        .find(|matrix| matrix.feature() == Feature::Pixels);
    let symmetry = match (pixels, faces.len()) {
        (Some(pixels), _) => pixels.symmetry(),
        (None, 1) => Symmetry::Mirror(&mirror),
        (None, _) => Symmetry::None,
    };
    let components = pca.fit_with_symmetry(faces, symmetry)?;
    Ok(FaceSpace::new(faces.size(), &components))
}

/// What speaks for the person at a position of a ranking: its similarity, and that of the best other.
fn evidence(ranked: &[Match], at: usize, measure: Measure) -> Option<TopScores> {
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

/// How similar what lies at a squared distance is: the more, the larger.
fn similarity(squared_distance: f64, measure: Measure) -> f64 {
    match measure {
        // Cosines add up to 2 at distance 0; twice the mean squared distance is what they lack.
        Measure::Cosine => 2.0 - squared_distance,
        Measure::Euclidean => -squared_distance.sqrt(),
    }
}
