//! Learning where mouths are, from aligned faces whose mouths were marked.

use face_likelihood::background::FACE;
use face_likelihood::background::mouth::{FEATURES, Line, MarkedMouth, MouthFinder, STEPS, Step, ViewGradients};
use face_likelihood::background::view::{BELOW_EYES, EYES, Mouth, SUBPIXELS};
use face_likelihood::face_matrix::FaceMatrix;
use face_likelihood::{BackgroundProblem, Error, Result};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use symmetric_eigen::{self as eigen, Noise};

/// Beyond the first step, mouths are looked for from where they were found and from a place as far from it, in pixels (the
/// spread of normal numbers): steps are to mend what others missed.
const DISTURBED: f64 = 1.2;

/// Weight of the ridge, as a share of the features' mean variance.
const RIDGE: f64 = 1.0;

/// A face to learn from, and the place from which its mouth is looked for.
struct Sample<'a> {
    face: &'a [u8],
    marked: MarkedMouth,
    from: Mouth,
}

/// Learns from faces of the size [`FACE`]. The same faces give the same bits.
///
/// # Errors
/// Another number of marks than of faces, or too few of them.
pub fn learn(faces: &FaceMatrix, marks: &[MarkedMouth]) -> Result<MouthFinder> {
    if faces.size() != FACE || faces.len() != marks.len() {
        return Err(Error::Inconsistent);
    }
    let mut noise = Noise::seeded(1);
    let mut samples: Vec<Sample<'_>> =
        faces.faces().zip(marks).map(|(face, &marked)| Sample { face, marked, from: Mouth::default() }).collect();
    let mut steps: Vec<Step> = Vec::with_capacity(STEPS);
    for _ in 0..STEPS {
        let step = fitted_step(&samples)?;
        let found: Vec<Mouth> =
            samples.par_iter().take(marks.len()).map(|sample| step.take(sample.face, sample.from)).collect();
        samples.truncate(marks.len());
        for (sample, found) in samples.iter_mut().zip(found) {
            sample.from = found;
        }
        samples.extend(disturbed(&samples, &mut noise));
        steps.push(step);
    }
    Ok(MouthFinder { steps })
}

fn disturbed<'a>(samples: &[Sample<'a>], noise: &mut Noise) -> Vec<Sample<'a>> {
    let mut off = || (noise.normal() * DISTURBED * f64::from(SUBPIXELS)).round() as i32;
    samples
        .iter()
        .map(|sample| Sample { from: Mouth::at(sample.from.across() + off(), sample.from.down() + off()), ..*sample })
        .collect()
}

impl Sample<'_> {
    /// The marked place as it is seen in the view drawn for `from`, from the usual place: the inverse of
    /// `moved` in the library.
    fn target(&self) -> [f64; 2] {
        let usual = f64::from(BELOW_EYES);
        let parts = f64::from(SUBPIXELS);
        let middle = f64::from(FACE.width() - 1) / 2.0;
        let across = (self.marked[0] - middle) * parts;
        let below = self.marked[1] * parts - f64::from(EYES);
        let below = below * usual / (usual + f64::from(self.from.down()));
        [across - below * f64::from(self.from.across()) / usual, below - usual]
    }
}

fn fitted_step(samples: &[Sample<'_>]) -> Result<Step> {
    let seen: Vec<ViewGradients> =
        samples.par_iter().map(|sample| ViewGradients::of(sample.face, sample.from)).collect();
    let targets: Vec<[f64; 2]> = samples.iter().map(Sample::target).collect();
    let features = |of: fn(&ViewGradients) -> &Vec<i16>| {
        let numbers = seen.iter().flat_map(|seen| of(seen).iter().map(|&x| f64::from(x)));
        DMatrix::from_iterator(FEATURES, seen.len(), numbers)
    };
    let along = |axis: usize| DVector::from_iterator(targets.len(), targets.iter().map(|target| target[axis]));
    Ok(Step {
        // Mirror images stand for the other side: means are zero.
        across: fitted_line(features(|seen| &seen.apart), along(0), Centre::Zero)?,
        down: fitted_line(features(|seen| &seen.both), along(1), Centre::Mean)?,
    })
}

/// About which a regression is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Centre {
    Zero,
    Mean,
}

/// Ridge regression from features (a column each) to targets, its weights rounded to bytes.
fn fitted_line(mut features: DMatrix<f64>, mut targets: DVector<f64>, centre: Centre) -> Result<Line> {
    let too_few = || Error::Background { problem: BackgroundProblem::TooFewPhotos };
    let (mut mean, mut level) = (DVector::zeros(FEATURES), 0.0);
    if centre == Centre::Mean {
        (mean, level) = (features.column_mean(), targets.mean());
    }
    for mut column in features.column_iter_mut() {
        column -= &mean;
    }
    targets.add_scalar_mut(-level);
    let mut products = eigen::product(eigen::view(&features), eigen::view(&features.transpose()));
    let ridge = RIDGE * products.trace() / FEATURES as f64;
    for at in 0..FEATURES {
        products[(at, at)] += ridge;
    }
    let root = eigen::inverse_cholesky(products).ok_or_else(too_few)?;
    let weights = root.tr_mul(&(&root * (features * targets)));
    let largest = weights.amax();
    if largest.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
        return Err(too_few());
    }
    let scale = (largest / 127.0) as f32;
    let weights: Vec<i8> = weights.iter().map(|weight| (weight / f64::from(scale)).round() as i8).collect();
    let of_mean: f64 = weights.iter().zip(&mean).map(|(&w, m)| f64::from(w) * m).sum();
    Ok(Line { bias: (level - f64::from(scale) * of_mean) as f32, weights, scale })
}
