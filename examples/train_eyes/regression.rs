//! Ridge regression from what a step sees to how the eyes must move.

use std::error::Error;

use eigenfaces::locate::descent::{FEATURES, Frame, OUTPUTS, Step, View};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use crate::samples::{FOLDS, Sample, Samples};

/// A step learned from all samples, and for each fold one learned without it.
pub struct Fitted {
    pub whole: Step,
    pub by_fold: Vec<Step>,
}

/// The sums a ridge regression needs; those of several parts add up.
#[derive(Clone)]
struct Sums {
    /// Zᵀ Z, of z = (features, 1, moves).
    products: DMatrix<f64>,
}

const COLUMNS: usize = FEATURES + 1 + OUTPUTS;

/// Samples whose features are held at once.
const BATCH: usize = 1024;

pub fn fit(samples: &Samples, frame: Frame, ridge: f64) -> Result<Fitted, Box<dyn Error + Send + Sync>> {
    let folds: Vec<Sums> = (0..FOLDS)
        .into_par_iter()
        .map(|fold| {
            let members: Vec<&Sample> = samples.samples.iter().filter(|sample| samples.fold(sample) == fold).collect();
            Sums::of(samples, &members, frame)
        })
        .collect();
    let all = folds.iter().fold(Sums::none(), |sum, fold| Sums { products: sum.products + &fold.products });
    let without = |fold: &Sums| Sums { products: &all.products - &fold.products };
    Ok(Fitted {
        whole: all.solve(frame, ridge)?,
        by_fold: folds.iter().map(|fold| without(fold).solve(frame, ridge)).collect::<Result<_, _>>()?,
    })
}

impl Sums {
    fn none() -> Self {
        Self { products: DMatrix::zeros(COLUMNS, COLUMNS) }
    }

    fn of(samples: &Samples, members: &[&Sample], frame: Frame) -> Self {
        let mut sums = Self::none();
        for batch in members.chunks(BATCH) {
            let mut z = DMatrix::<f64>::zeros(COLUMNS, batch.len());
            for (sample, mut column) in batch.iter().zip(z.column_iter_mut()) {
                let view = View::new(samples.portraits[sample.portrait].picture(), frame, sample.now);
                let by = view.move_to(sample.truth);
                let numbers = view.features.iter().chain([&1.0]).chain(&by);
                column.iter_mut().zip(numbers).for_each(|(place, number)| *place = f64::from(*number));
            }
            sums.products.gemm(1.0, &z, &z.transpose(), 1.0);
        }
        sums
    }

    /// Solves (Xᵀ X + penalty) w = Xᵀ y on centred features; the bias is not penalised.
    fn solve(&self, frame: Frame, ridge: f64) -> Result<Step, Box<dyn Error + Send + Sync>> {
        let count = self.products[(FEATURES, FEATURES)];
        let means: DVector<f64> = self.products.column(FEATURES) / count;
        let mut centred = &self.products - &means * means.transpose() * count;
        let penalty = ridge * centred.view((0, 0), (FEATURES, FEATURES)).trace() / FEATURES as f64;
        for feature in 0..FEATURES {
            centred[(feature, feature)] += penalty;
        }
        let moments = centred.view((0, FEATURES + 1), (FEATURES, OUTPUTS)).into_owned();
        let square = centred.view((0, 0), (FEATURES, FEATURES)).into_owned();
        let weights = square.cholesky().ok_or("the features do not vary; are the photos all alike?")?.solve(&moments);
        let maps: [(Vec<f64>, f64); OUTPUTS] = std::array::from_fn(|output| {
            let weights = weights.column(output);
            let bias = means[FEATURES + 1 + output] - weights.dot(&means.rows(0, FEATURES));
            (weights.iter().copied().collect(), bias)
        });
        Ok(Step::from_maps(frame, &maps))
    }
}
