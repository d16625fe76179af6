//! What the gallery's own people teach about its scores: people and photos are left out in turn.

use std::cmp::Ordering;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::super::constants::*;
use super::super::{Adaptation, Background, People};

/// Parts the people are split into; each in turn is left out of adapting.
const FOLDS: usize = 5;

/// People taken for calibration at most, evenly spread.
const MOST_PEOPLE: usize = 200;

/// At most [`MOST_PEOPLE`], evenly spread, in the order of their photos' coordinates: names say nothing of faces, so that
/// nobody's confidence depends on what others are called.
fn some(raw: &DMatrix<f32>, own: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let by_coordinates = |&one: &usize, &other: &usize| {
        let pairs = raw.column(one).into_iter().zip(raw.column(other));
        let mut orders = pairs.map(|(one, other)| one.total_cmp(other));
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let with_first = own.iter().filter_map(|photos| {
        let first = photos.iter().copied().min_by(by_coordinates)?;
        Some((first, photos))
    });
    let mut ordered: Vec<_> = with_first.collect();
    ordered.sort_by(|(one, _), (other, _)| by_coordinates(one, other));
    let (count, kept) = (ordered.len(), ordered.len().min(MOST_PEOPLE));
    (0..kept).map(|at| ordered[at * count / kept].1.clone()).collect()
}

#[derive(Default)]
pub struct HeldOutScores {
    people: usize,
    pub strangers: Vec<f64>,
    /// The sum of what the model expects of each stranger's score.
    pub expected: f64,
    /// Scores of photos against their person's other photos, and what the model expects of these.
    genuine: Vec<(f64, f64)>,
}

impl HeldOutScores {
    /// Leaves out some of the people (`own` are the photos of each, at least one), in turn.
    pub fn gather(background: &Background, raw: &DMatrix<f32>, own: &[Vec<usize>]) -> Self {
        let own = some(raw, own);
        // Of a large gallery few photos are looked at, many times.
        let raw = &raw.select_columns(&own.concat());
        let mut next = 0..;
        let mut places = |photos: &Vec<usize>| next.by_ref().take(photos.len()).collect();
        let own: Vec<Vec<usize>> = own.iter().map(&mut places).collect();
        let own = &own[..];
        let folds = own.len().min(FOLDS);
        let of_fold = |fold: usize| Self::of_fold(background, raw, own, |person| person % folds == fold);
        let parts: Vec<Self> = (0..folds).into_par_iter().map(of_fold).collect();
        let mut held_out = Self { people: own.len(), ..Self::default() };
        for mut part in parts {
            held_out.strangers.append(&mut part.strangers);
            held_out.expected += part.expected;
            held_out.genuine.append(&mut part.genuine);
        }
        held_out
    }

    fn of_fold(
        background: &Background,
        raw: &DMatrix<f32>,
        own: &[Vec<usize>],
        is_left_out: impl Fn(usize) -> bool,
    ) -> Self {
        let mut held_out = Self::default();
        let (out, stay): (Vec<usize>, Vec<usize>) = (0..own.len()).partition(|&at| is_left_out(at));
        let list = |people: &[usize]| -> (Vec<usize>, Vec<usize>) {
            let labelled = people.iter().enumerate();
            labelled.flat_map(|(number, &person)| own[person].iter().map(move |&photo| (photo, number))).unzip()
        };
        let (photos, persons) = list(&stay);
        let adaptation = Adaptation::learn(background, raw, &photos, &persons);
        let (probes, _) = list(&out);
        if !stay.is_empty() {
            let people = People::enroll(adaptation.clone(), raw, &photos, &persons, stay.len());
            held_out.strangers = people.with_scores(&raw.select_columns(&probes), |_, scores| scores).concat();
            let of_those: Vec<Vec<usize>> = stay.iter().map(|&at| own[at].clone()).collect();
            let expected = people.expected(raw, &of_those).stranger;
            held_out.expected = expected * held_out.strangers.len() as f64;
        }
        let everybody: Vec<usize> = (0..own.len()).collect();
        let (photos, persons) = list(&everybody);
        let people = People::enroll(adaptation, raw, &photos, &persons, own.len());
        for &person in &out {
            let projected = people.coordinates(&raw.select_columns(&own[person]));
            for photo in 0..own[person].len() {
                let others: Vec<usize> = (0..own[person].len()).filter(|&at| at != photo).collect();
                held_out.genuine.extend(people.left_out(&projected, photo, &others));
            }
        }
        held_out
    }

    /// The number of people that this gallery's own strangers count for; `None` where these are too few to tell.
    fn worth(&self) -> Option<f64> {
        let enough = self.people > 2 && !self.strangers.is_empty();
        enough.then(|| (self.people.min(MAX_PEOPLE_COUNTED) - 1) as f64)
    }

    /// The mean of strangers' scores: what is `assumed` where the model expects `expected`, and the `excess` measured with the
    /// model, which count for one person, or more where this gallery's own strangers lie higher than is assumed of them.
    pub fn location(&self, assumed: impl Fn(f64) -> f64, expected: f64, excess: f64) -> f64 {
        let prior = assumed(expected);
        let Some(weight) = self.worth() else { return prior + excess };
        let count = self.strangers.len() as f64;
        let mean = self.strangers.iter().sum::<f64>() / count;
        let above = mean - assumed(self.expected / count);
        prior + (excess + above.max(0.0) * weight) / (1.0 + weight)
    }

    /// Spread of strangers' scores, `usual` in galleries of the background's kind, from those and this one; `distant` weighs
    /// what is assumed of distant photos.
    pub fn spread(&self, usual: f64, offset: f64, foreign: f64, distant: f64) -> f64 {
        let distant = distant * (offset - DISTANT_AT).clamp(0.0, MAX_DISTANT);
        let prior = usual + SHIFTED_DEVIATION * foreign + DISTANT_DEVIATION * distant;
        let Some(weight) = self.worth() else { return prior };
        let (count, squares) = (self.strangers.len() as f64, self.squares_about_mean());
        ((DEVIATION_PRIOR_PEOPLE * prior * prior + weight * squares / count) / (DEVIATION_PRIOR_PEOPLE + weight)).sqrt()
    }

    /// The sum of the squared differences of strangers' scores from their mean.
    pub fn squares_about_mean(&self) -> f64 {
        let mean = self.strangers.iter().sum::<f64>() / self.strangers.len().max(1) as f64;
        self.strangers.iter().map(|score| (score - mean).powi(2)).sum()
    }

    /// The distance of enrolled people's scores from strangers' (whose mean is `location`) in terms of what the model
    /// expects, and their spread; `share` is that of the range expected of people who have no part in the domain's mean,
    /// `once` the mean of one over the numbers of photos.
    pub fn genuine(&self, location: f64, share: f64, once: f64) -> (f64, f64) {
        let usable = || {
            let expected = self.genuine.iter().filter(|(_, range)| range * share > 0.0);
            expected.map(|(score, range)| (score - location, range * share))
        };
        let count = usable().count() as f64;
        let sum: f64 = usable().map(|(above, range)| above / range).sum();
        let assumed = GENUINE.0 + GENUINE.1 * once;
        let ratio = (GENUINE_PRIOR_PHOTOS * assumed + sum) / (GENUINE_PRIOR_PHOTOS + count);
        let squares: f64 = usable().map(|(above, range)| (above - ratio * range).powi(2)).sum();
        let assumed = GENUINE_DEVIATION.0 + GENUINE_DEVIATION.1 * once;
        let variance =
            (GENUINE_DEVIATION_PRIOR_PHOTOS * assumed.powi(2) + squares) / (GENUINE_DEVIATION_PRIOR_PHOTOS + count);
        (ratio.max(0.05), variance.sqrt())
    }
}
