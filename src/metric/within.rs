//! The covariance between photos of one person, and the map in which it is alike in every direction.

use nalgebra::DMatrix;

use crate::face_space::Weights;
use symmetric_eigen::{self as eigen, Accum};

/// Share of the total covariance Λ added to the within-person covariance; all there is where each person
/// has one photo. Anything from 0.03 to 0.3 does as well: docs/RECIPES.md.
pub const TOTAL_SHARE: f64 = 0.1;

/// Ridge added then, in terms of the mean variance of a direction. 0.1 to 0.3 do alike.
pub const RIDGE: f64 = 0.3;

/// L⁻¹ of T = L Lᵀ, where T is the shrunk within-person covariance of the weights; `None` where T is not
/// positive definite.
pub(super) fn whitening_within(
    eigenvalues: &[f64],
    weights: &Weights,
    persons: &[usize],
) -> Option<DMatrix<f64>> {
    let k = eigenvalues.len();
    let mut covariance = within_person_covariance(weights, persons);
    for (at, value) in eigenvalues.iter().enumerate() {
        covariance[(at, at)] += TOTAL_SHARE * value;
    }
    let ridge = RIDGE * covariance.trace() / k as f64;
    for at in 0..k {
        covariance[(at, at)] += ridge;
    }
    let inverse = eigen::inverse_cholesky(covariance)?;
    // To the precision that a model keeps: what is learned and what is loaded are the same.
    Some(inverse.map(|value| f64::from(value as f32)))
}

/// The mean over all faces of (w - m)(w - m)ᵀ, with w the weights and m their mean over the photos of the face's person:
/// k x k.
fn within_person_covariance(weights: &Weights, persons: &[usize]) -> DMatrix<f64> {
    let k = weights.nrows();
    let mut deviations = weights.map(f64::from);
    subtract_means(&mut deviations, persons);
    let count = (weights.ncols().max(1)) as f64;
    let mut covariance = DMatrix::zeros(k, k);
    let deviations = eigen::view(&deviations);
    let (out, transposed) = (eigen::view_mut(&mut covariance), deviations.transpose());
    eigen::multiply(out, Accum::Replace, deviations, transposed, count.recip());
    covariance
}

/// From each column its person's mean.
fn subtract_means(columns: &mut DMatrix<f64>, persons: &[usize]) {
    let people = persons.iter().max().map_or(0, |&last| last + 1);
    let mut means = DMatrix::<f64>::zeros(columns.nrows(), people);
    let mut counts = vec![0.0; people];
    for (column, &person) in columns.column_iter().zip(persons) {
        counts[person] += 1.0;
        let mut mean = means.column_mut(person);
        mean += column;
    }
    for (mut mean, &count) in means.column_iter_mut().zip(&counts) {
        if count > 0.0 {
            mean /= count;
        }
    }
    for (mut column, &person) in columns.column_iter_mut().zip(persons) {
        column -= means.column(person);
    }
}
