//! The methods of the textbooks on the same folds: what a method must be held against.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::curve::{Eigenfaces, products};
use super::folds::nearest_by_pixels;
use super::{Bootstrap, Rate, Tally};
use crate::compare::Fold;
use crate::error::Result;
use crate::gallery::Gallery;
use crate::recognizer::Settings;

/// Rank-1 of one method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Baseline {
    /// Which.
    pub method: BaselineMethod,
    /// Share of probes whose own person is the nearest.
    pub rank1: Rate,
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
}

named!(BaselineMethod { Asked = "as asked", Pixels = "plain pixels", Eigenfaces = "eigenfaces" });

impl BaselineMethod {
    /// The comparison, in words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Asked => "the method of the figures above",
            Self::Pixels => "nearest photo by the distance between pixels",
            Self::Eigenfaces => "nearest photo by the Euclidean distance between weights (Turk & Pentland 1991)",
        }
    }
}

/// Rank-1 of each method but the one evaluated.
pub(super) fn baselines(
    gallery: &Gallery,
    settings: Settings,
    folds: &[Fold],
    bootstrap: &Bootstrap,
) -> Result<Vec<Baseline>> {
    let persons = gallery.persons();
    let products = products(gallery);
    let one = |fold: &Fold| -> Result<[Tally; 2]> {
        let right = |nearest: &dyn Fn(usize) -> Option<usize>| {
            let probes = fold.probes.iter().enumerate();
            let one = |(at, &face): (usize, &usize)| {
                (fold.repeat, persons[face], nearest(at).map(|face| persons[face]) == Some(persons[face]))
            };
            probes.map(one).collect::<Tally>()
        };
        let found = Eigenfaces::of(products.as_ref(), gallery, settings.pca, fold)?;
        let (learned, probes) = (found.learned.map(f64::from), found.probes.map(f64::from));
        let by_pixels = |at: usize| nearest_by_pixels(gallery.faces(), fold.probes[at], &fold.learned);
        Ok([
            right(&|at| Some(by_pixels(at))),
            right(&|at| nearest_column(&learned, &probes, at).map(|column| fold.learned[column])),
        ])
    };
    let found: Vec<[Tally; 2]> = folds.par_iter().map(one).collect::<Result<_>>()?;
    let baselines = [BaselineMethod::Pixels, BaselineMethod::Eigenfaces].iter().enumerate().map(|(at, &method)| {
        let mut all = Tally::default();
        found.iter().for_each(|tallies| all.append(&tallies[at]));
        Baseline { method, rank1: all.rate(bootstrap) }
    });
    Ok(baselines.collect())
}

/// The column of `learned` that is nearest to a column of `probes`; the first of equally near ones.
fn nearest_column(learned: &DMatrix<f64>, probes: &DMatrix<f64>, at: usize) -> Option<usize> {
    let probe = probes.column(at);
    let probe = probe.as_slice();
    let distance = |column: usize| -> f64 {
        let column = learned.column(column);
        column.as_slice().iter().zip(probe).map(|(a, b)| (a - b).powi(2)).sum()
    };
    let distances = (0..learned.ncols()).map(|column| (distance(column), column));
    distances.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, column)| column)
}
