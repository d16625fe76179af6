//! The covariance between photos of one person, moved by a gallery.

use nalgebra::DMatrix;
use symmetric_eigen as eigen;

use super::super::constants::COVARIANCE_PRIOR_PHOTOS;
use super::{CHUNK, ChannelAdaptation};

/// Scatter of normalised photos about their person's mean, k x k.
pub(super) fn scatter(
    channel: &ChannelAdaptation,
    raw: &DMatrix<f32>,
    row: usize,
    groups: &[Vec<usize>],
    mean: &[f64],
) -> DMatrix<f64> {
    let k = channel.prior.len();
    let mut scatter = DMatrix::zeros(k, k);
    let several = groups.iter().filter(|photos| photos.len() > 1);
    let mut waiting: Vec<&Vec<usize>> = Vec::new();
    let mut add = |people: &mut Vec<&Vec<usize>>| {
        let photos: Vec<usize> = people.iter().flat_map(|photos| photos.iter().copied()).collect();
        if photos.is_empty() {
            return;
        }
        let mut projected = channel.project(raw, row, &photos, mean);
        let mut from = 0;
        for photos in people.drain(..) {
            let mut own = projected.columns_mut(from, photos.len());
            let centre = own.column_mean();
            for mut column in own.column_iter_mut() {
                column -= &centre;
            }
            from += photos.len();
        }
        eigen::add_outer(&mut scatter, &projected);
    };
    let mut count = 0;
    for photos in several {
        waiting.push(photos);
        count += photos.len();
        if count >= CHUNK {
            add(&mut waiting);
            count = 0;
        }
    }
    add(&mut waiting);
    scatter
}

/// Diagonalises both covariances at once: with W = L Lᵀ and the eigenvectors Q of L⁻¹ Ψ L⁻ᵀ, the directions are L⁻ᵀ Q.
pub(super) fn adapt(prior: &[f64], scatter: DMatrix<f64>, freedom: f64) -> Option<ChannelAdaptation> {
    let k = prior.len();
    let mut within = scatter;
    for at in 0..k {
        within[(at, at)] += COVARIANCE_PRIOR_PHOTOS;
    }
    within /= COVARIANCE_PRIOR_PHOTOS + freedom;
    let inverse = eigen::inverse_cholesky(within)?;
    let mut root = inverse.clone();
    for (mut column, psi) in root.column_iter_mut().zip(prior) {
        column *= psi.max(0.0).sqrt();
    }
    let transposed = root.transpose();
    let between = eigen::product(eigen::view(&root), eigen::view(&transposed));
    let (values, mut vectors) = eigen::all_unmeasured(between)?;
    for mut column in vectors.column_iter_mut() {
        // Signs are fixed as everywhere: the entry of largest magnitude is positive.
        let largest =
            column.iter().copied().fold(0.0_f64, |most, value| if value.abs() > most.abs() { value } else { most });
        if largest < 0.0 {
            column.neg_mut();
        }
    }
    let inverse = inverse.transpose();
    let rotation = eigen::product(eigen::view(&inverse), eigen::view(&vectors));
    let between = values.iter().map(|value| value.max(0.0)).collect();
    Some(ChannelAdaptation { prior: prior.to_vec(), between, rotation: Some(rotation.map(|value| value as f32)) })
}
