//! Face space: the mean face, the eigenfaces and their eigenvalues, and what can be done with them.

use nalgebra::{DMatrix, DVector};

use crate::face_matrix::{FaceMatrix, FaceSize};
pub use crate::pca::Residual;
use crate::pca::{Components, Pca, PcaError, projection, variance_ratios};

/// The subspace spanned by k eigenfaces around the mean face (Turk & Pentland 1991).
///
/// The basis is held in single precision: rounded to `f32` is orthonormal to about 1e-7, and a face projects
/// to weights that are right to about 1e-5 gray levels.
#[derive(Debug, Clone, PartialEq)]
pub struct FaceSpace {
    size: FaceSize,
    mean: DVector<f64>,
    basis: DMatrix<f32>,
    eigenvalues: Vec<f64>,
    total_variance: f64,
    learned_from: usize,
}

/// The weights of n faces: k x n, one face a column, in gray levels times the square root of pixels
/// (the unit of a distance between two faces).
pub type Weights = DMatrix<f32>;

/// Both sides of the formula by which K is chosen so that 99 % of the variance is kept:
/// (1/n) Σ‖x - x'‖² over (1/n) Σ‖x - m‖² at most 0.01, where x' is x rebuilt from its weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProjectionError {
    /// The average squared projection error (1/n) Σ‖x - x'‖², in squared gray levels.
    pub average_squared: f64,
    /// The total variation (1/n) Σ‖x - m‖², in squared gray levels.
    pub total_variation: f64,
}

impl ProjectionError {
    /// The first over the second, 0 to 1.
    pub fn share(&self) -> f64 {
        if self.total_variation > 0.0 { self.average_squared / self.total_variation } else { 0.0 }
    }
}

/// The share of the total variance that these eigenvalues are, 0 to 1; all of it is 1 whatever the rounding of the sum.
pub(crate) fn share_kept(eigenvalues: &[f64], total: f64) -> f64 {
    let share = eigenvalues.iter().sum::<f64>() / total;
    if share > 1.0 - 1e-12 { 1.0 } else { share }
}

impl FaceSpace {
    /// The face space of fitted components, for faces of the given size (d = width x height).
    pub fn new(size: FaceSize, components: &Components) -> Self {
        debug_assert_eq!(components.mean.len(), size.pixels());
        Self {
            size,
            mean: components.mean.clone(),
            basis: components.basis.map(|value| value as f32),
            eigenvalues: components.eigenvalues.clone(),
            total_variance: components.total_variance,
            learned_from: components.faces,
        }
    }

    /// Learns the face space of faces (d x n): of one alone with its mirror image.
    ///
    /// # Errors
    /// Faces that are all alike.
    pub fn learn(faces: &FaceMatrix, pca: Pca) -> Result<Self, PcaError> {
        let mut components = match faces.len() {
            1 => pca.fit(&faces.with_mirror_images()),
            _ => pca.fit(faces),
        }
        .map_err(|error| match error {
            PcaError::NoVariance(_) => PcaError::NoVariance(faces.len()),
            error => error,
        })?;
        // Mirror images are not counted.
        components.faces = faces.len();
        Ok(Self::new(faces.size(), &components))
    }

    /// A face space from stored parts, or `None` where their shapes or values do not fit together.
    ///
    /// `basis` is d x k; eigenvalues are k, positive and decreasing, and at most `total_variance` together.
    pub fn from_parts(
        size: FaceSize,
        mean: DVector<f64>,
        basis: DMatrix<f32>,
        eigenvalues: Vec<f64>,
        total_variance: f64,
        learned_from: usize,
    ) -> Option<Self> {
        let shapes = mean.len() == size.pixels()
            && basis.nrows() == size.pixels()
            && basis.ncols() == eigenvalues.len()
            && !eigenvalues.is_empty();
        let finite = mean.iter().all(|value| value.is_finite())
            && basis.as_slice().iter().all(|value| value.is_finite())
            && total_variance.is_finite();
        let decreasing = eigenvalues.windows(2).all(|pair| pair[0] >= pair[1])
            && eigenvalues.iter().all(|&value| value > 0.0 && value.is_finite());
        let within = eigenvalues.iter().sum::<f64>() <= total_variance * (1.0 + 1e-6);
        let fits = shapes && finite && decreasing && within;
        fits.then_some(Self { size, mean, basis, eigenvalues, total_variance, learned_from })
    }

    /// Width and height of the faces.
    pub fn size(&self) -> FaceSize {
        self.size
    }

    /// d, the number of pixels of a face.
    pub fn pixels(&self) -> usize {
        self.size.pixels()
    }

    /// k, the number of eigenfaces.
    pub fn components(&self) -> usize {
        self.eigenvalues.len()
    }

    /// n, the number of faces the space was learned from.
    pub fn learned_from(&self) -> usize {
        self.learned_from
    }

    /// The mean face, d gray levels.
    pub fn mean(&self) -> &DVector<f64> {
        &self.mean
    }

    /// The eigenfaces, d x k.
    pub fn basis(&self) -> &DMatrix<f32> {
        &self.basis
    }

    /// The variance along each eigenface, k values, decreasing, n - 1 degrees of freedom.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// The variance of the faces over all directions, kept or not.
    pub fn total_variance(&self) -> f64 {
        self.total_variance
    }

    /// Each eigenvalue over the total variance.
    pub fn variance_ratios(&self) -> Vec<f64> {
        variance_ratios(&self.eigenvalues, self.total_variance)
    }

    /// The share of the total variance that the kept eigenfaces carry, 0 to 1.
    pub fn variance_kept(&self) -> f64 {
        share_kept(&self.eigenvalues, self.total_variance)
    }

    /// The weights Uᵀ(x - m) of each face, k x n.
    ///
    /// A face gets the same weights bit for bit whether it is projected alone or among others.
    pub fn project(&self, faces: &FaceMatrix) -> Weights {
        projection::project(&self.basis, self.mean.as_slice(), faces.as_slice())
            .expect("faces are of the size of their face space")
    }

    /// One face m + U w rebuilt from its leading weights: d gray levels, not clamped. Weights beyond k are ignored.
    pub fn rebuild(&self, weights: &[f32]) -> Vec<f32> {
        projection::rebuild(&self.basis, self.mean.as_slice(), weights)
    }

    /// The mean loss of these faces (d x n) by projection to face space. Of the faces that the space was
    /// learned from it is the share of the variance that was not kept; of others it is more.
    pub fn projection_error(&self, faces: &FaceMatrix) -> ProjectionError {
        let weights = self.project(faces);
        let (mut outside, mut all) = (0.0, 0.0);
        for (face, weights) in faces.faces().zip(weights.column_iter()) {
            let residual = self.residual(face, weights.as_slice());
            outside += residual.distance.powi(2);
            all += residual.from_mean.powi(2);
        }
        let n = faces.len().max(1) as f64;
        ProjectionError { average_squared: outside / n, total_variation: all / n }
    }

    /// The residual of the face (d pixels) with these weights (k): its distance from and in the face space.
    pub fn residual(&self, face: &[u8], weights: &[f32]) -> Residual {
        let energy: f64 =
            face.iter().zip(self.mean.iter()).map(|(&pixel, mean)| (f64::from(pixel) - mean).powi(2)).sum();
        Residual::new(energy, weights)
    }
}
