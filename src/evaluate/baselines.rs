//! The methods of the textbooks on the same folds: what a method must be held against.

use std::collections::BTreeMap;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::curve::{Eigenfaces, products};
use super::folds::nearest_by_pixels;
use super::split::Fold;
use super::{Bootstrap, Rate, Tally};
use crate::error::Result;
use crate::features::texture;
use crate::gallery::Gallery;
use crate::pca::{ComponentCount, Pca};
use crate::recognizer::Settings;
use crate::vectors::squared_distance;

/// Rank-1 of one method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Baseline {
    /// Which.
    pub method: BaselineMethod,
    /// Share of probes whose own person is the nearest; `None` where the method has nothing to learn from.
    pub rank1: Option<Rate>,
}

/// A way to recognise faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaselineMethod {
    /// The one that is evaluated, with the settings asked for.
    Asked,
    /// The nearest face by the plain distance between pixels.
    Pixels,
    /// The nearest face by the plain distance between weights (Turk & Pentland 1991).
    Eigenfaces,
    /// The nearest face by linear discriminants of the weights (Belhumeur, Hespanha & Kriegman 1997).
    Fisherfaces,
    /// The nearest face by histograms of local binary patterns, cell by cell (Ahonen, Hadid & Pietikäinen 2004).
    PatternHistograms,
}

impl BaselineMethod {
    /// What it compares, in words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Asked => "the method of the figures above",
            Self::Pixels => "nearest photo by the distance between pixels",
            Self::Eigenfaces => {
                "nearest photo by the Euclidean distance between weights (Turk & Pentland 1991)"
            }
            Self::Fisherfaces => {
                "nearest photo by discriminants of the weights (Belhumeur et al. 1997)"
            }
            Self::PatternHistograms => {
                "nearest photo by histograms of local binary patterns (Ahonen et al. 2004)"
            }
        }
    }

    /// The name that the field has for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Asked => "as asked",
            Self::Pixels => "plain pixels",
            Self::Eigenfaces => "eigenfaces",
            Self::Fisherfaces => "Fisherfaces",
            Self::PatternHistograms => "LBP histograms",
        }
    }
}

/// Added to the scatter within people, in terms of its mean variance: enough for an inverse, too little to be felt.
const RIDGE: f64 = 1e-6;

/// Rank-1 of each method but the one evaluated.
pub(super) fn baselines(
    gallery: &Gallery,
    settings: Settings,
    folds: &[Fold],
    bootstrap: &Bootstrap,
) -> Result<Vec<Baseline>> {
    let persons = gallery.persons();
    let products = products(gallery);
    let patterns = patterns(gallery);
    let one = |fold: &Fold| -> Result<[Option<Tally>; 4]> {
        let right = |nearest: &dyn Fn(usize) -> Option<usize>| {
            let tried = fold.tried.iter().enumerate();
            let one = |(at, &face): (usize, &usize)| {
                let is_hit = nearest(at).map(|face| persons[face]) == Some(persons[face]);
                (fold.repeat, persons[face], is_hit)
            };
            tried.map(one).collect::<Tally>()
        };
        let found = Eigenfaces::of(products.as_ref(), gallery, settings.pca, fold)?;
        let (learned, tried) = (wide(&found.learned), wide(&found.tried));
        let near = |learned: &DMatrix<f64>, tried: &DMatrix<f64>| {
            right(&|at| nearest_column(learned, tried, at).map(|column| fold.learned[column]))
        };
        let owners: Vec<usize> = fold.learned.iter().map(|&face| persons[face]).collect();
        // All eigenfaces that there are, of which the discriminants take the leading n - c.
        let every = Pca {
            components: ComponentCount::Share(1.0),
            ..settings.pca
        };
        let found = Eigenfaces::of(products.as_ref(), gallery, every, fold)?;
        let (all, all_tried) = (wide(&found.learned), wide(&found.tried));
        let fisher = discriminants(&all, &owners)
            .map(|discriminants| near(&(&discriminants * &all), &(&discriminants * &all_tried)));
        Ok([
            Some(right(&|at| {
                Some(nearest_by_pixels(
                    gallery.faces(),
                    fold.tried[at],
                    &fold.learned,
                ))
            })),
            Some(near(&learned, &tried)),
            fisher,
            Some(right(&|at| {
                let probe = &patterns[fold.tried[at]];
                let learned = fold.learned.iter().copied();
                learned.min_by_key(|&face| squared_distance(probe, &patterns[face]))
            })),
        ])
    };
    let found: Vec<[Option<Tally>; 4]> = folds.par_iter().map(one).collect::<Result<_>>()?;
    let methods = [
        BaselineMethod::Pixels,
        BaselineMethod::Eigenfaces,
        BaselineMethod::Fisherfaces,
        BaselineMethod::PatternHistograms,
    ];
    let baselines = methods.iter().enumerate().map(|(at, &method)| {
        let folds: Option<Vec<&Tally>> = found.iter().map(|tallies| tallies[at].as_ref()).collect();
        let rank1 = folds.map(|folds| {
            let mut all = Tally::default();
            folds.into_iter().for_each(|tally| all.append(tally));
            all.rate(bootstrap)
        });
        Baseline { method, rank1 }
    });
    Ok(baselines.collect())
}

fn wide(weights: &DMatrix<f32>) -> DMatrix<f64> {
    weights.map(f64::from)
}

/// The column of `learned` that is nearest to a column of `tried`; the first of equally near ones.
fn nearest_column(learned: &DMatrix<f64>, tried: &DMatrix<f64>, at: usize) -> Option<usize> {
    let probe = tried.column(at);
    let probe = probe.as_slice();
    let distance = |column: usize| -> f64 {
        let column = learned.column(column);
        let differences = column.as_slice().iter().zip(probe);
        differences.map(|(a, b)| (a - b).powi(2)).sum()
    };
    let distances = (0..learned.ncols()).map(|column| (distance(column), column));
    distances
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, column)| column)
}

/// Fisher's linear discriminants of weights (k x n), one a row of length 1: the directions of the leading n - c eigenfaces in
/// which people differ most where photos of one person vary by 1. `None` where no person has a second photo, or there is one
/// person only.
fn discriminants(weights: &DMatrix<f64>, persons: &[usize]) -> Option<DMatrix<f64>> {
    let members = members(persons);
    let people = members.len();
    let k = weights.nrows().min(weights.ncols().checked_sub(people)?);
    if k == 0 || people < 2 {
        return None;
    }
    let mut deviations = weights.rows(0, k).into_owned();
    let mut means = DMatrix::<f64>::zeros(k, people);
    for (mut mean, members) in means.column_iter_mut().zip(&members) {
        for &at in members {
            mean += deviations.column(at) / members.len() as f64;
        }
        for &at in members {
            let mut deviation = deviations.column_mut(at);
            deviation -= &mean;
        }
    }
    let mut within = &deviations * deviations.transpose();
    let ridge = RIDGE * within.trace() / k as f64;
    for at in 0..k {
        within[(at, at)] += ridge;
    }
    // L⁻¹ of the scatter within people L Lᵀ: behind it photos of one person vary by 1 in every direction.
    let whitening = symmetric_eigen::inverse_cholesky(within)?;
    let sizes: Vec<f64> = members.iter().map(|own| own.len() as f64).collect();
    let middle = weights.rows(0, k).column_mean();
    for (mut mean, size) in means.column_iter_mut().zip(&sizes) {
        mean -= &middle;
        mean *= size.sqrt();
    }
    // Left singular vectors of the scatter between people, at most one for each dimension; their sum is 0, so one of as many
    // as people adds nothing.
    let between = (&whitening * means).svd(true, false).u?;
    let leading = between.columns(0, k.min(people - 1)).into_owned();
    let mut discriminants = leading.transpose() * whitening;
    for mut row in discriminants.row_iter_mut() {
        row.normalize_mut();
    }
    // Weights beyond the leading ones count for nothing.
    Some(discriminants.resize_horizontally(weights.nrows(), 0.0))
}

/// The faces of each person.
fn members(persons: &[usize]) -> Vec<Vec<usize>> {
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, &person) in persons.iter().enumerate() {
        members.entry(person).or_default().push(at);
    }
    members.into_values().collect()
}

/// Of every face the square roots of the shares of local binary patterns in each cell: between these the plain distance is
/// Hellinger's.
fn patterns(gallery: &Gallery) -> Vec<Vec<u8>> {
    let size = gallery.faces().size();
    let faces: Vec<&[u8]> = gallery.faces().faces().collect();
    faces
        .into_par_iter()
        .map(|face| texture::patterns(face, size))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two people who differ along the second axis, photos of each along the first.
    fn weights() -> (DMatrix<f64>, [usize; 6]) {
        let points = [
            [-9.0, 1.0, 0.1],
            [0.0, 1.2, -0.1],
            [9.0, 0.8, 0.0],
            [-8.0, -1.0, 0.0],
            [1.0, -0.9, 0.1],
            [8.0, -1.1, -0.1],
        ];
        (
            DMatrix::from_fn(3, 6, |row, at| points[at][row]),
            [4, 4, 4, 7, 7, 7],
        )
    }

    #[test]
    fn discriminants_look_where_people_differ() {
        let (weights, persons) = weights();
        let found = discriminants(&weights, &persons).unwrap();
        assert_eq!(found.shape(), (1, 3), "one less than people");
        let along = found.row(0).map(f64::abs);
        assert!(along[1] > 5.0 * along[0], "{found}");
        assert!((found.norm() - 1.0).abs() < 1e-12, "{found}");
    }

    #[test]
    fn two_photos_of_each_of_many_people_are_enough() {
        // Six faces of three people: three dimensions; nine of them with one of two photos left out: fewer than people.
        let weights = DMatrix::from_fn(8, 9, |row, at| ((row * 7 + at * 13) % 17) as f64);
        let persons = [0, 0, 1, 2, 3, 4, 5, 6, 7];
        let found = discriminants(&weights, &persons).unwrap();
        assert_eq!(found.shape(), (1, 8));
    }

    #[test]
    fn without_second_photos_there_are_no_discriminants() {
        let (weights, _) = weights();
        assert_eq!(discriminants(&weights, &[0, 1, 2, 3, 4, 5]), None);
        assert_eq!(discriminants(&weights, &[3; 6]), None);
    }
}
