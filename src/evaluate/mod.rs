//! Evaluation of recognition: figures under a stated protocol.
//!
//! Everything is learned inside each fold from the faces to learn from: mean, basis, number of
//! components, metric, and where decisions are made the calibration. What is tried was never seen.
//! The faces themselves are what identifying would see: 8-bit faces of the gallery's size.
//!
//! Each figure is defined where it stands, and in docs/EVALUATION.md.

mod baselines;
mod curve;
mod figures;
mod folds;
pub mod hygiene;
mod identification;
mod interval;
mod not_faces;
mod open_set;
pub mod pairs;
pub mod split;
mod verification;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::decision::Acceptance;
use crate::error::Result;
use crate::face_matrix::FaceMatrix;
use crate::gallery::Gallery;
use crate::preparation::Preparation;
use crate::recognizer::{QueryOptions, Recognizer, Settings};
pub use figures::*;
pub use folds::Keep;
use split::Protocol;

/// Settings of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The split of the faces for identification and verification.
    pub protocol: Protocol,
    /// Decides where chance is asked for; results are the same for the same seed.
    pub seed: u64,
    /// Faces of people who are not in the gallery, of its size; without any, some of its people play strangers in turn.
    pub strangers: Option<FaceMatrix>,
    /// Pictures that show no face, of the size of the faces, besides those that are generated.
    pub not_faces: Option<FaceMatrix>,
    /// Whether the score of every person for every probe is told.
    pub keep: Keep,
}

/// Steps of the work, for a progress bar.
pub type Progress<'a> = &'a (dyn Fn(usize) + Sync);

/// Measures how well the people of a gallery are recognised.
///
/// `progress` hears how many rounds of learning are done.
///
/// # Errors
/// Fewer than two people, nothing to try under the protocol, or fewer than two different faces.
pub fn evaluate(
    preparation: Preparation,
    gallery: Gallery,
    settings: Settings,
    plan: &Plan,
    progress: Progress<'_>,
) -> Result<Evaluation> {
    let folds = plan.protocol.folds(&gallery, plan.seed)?;
    let done = AtomicUsize::new(0);
    let step = || progress(done.fetch_add(1, Ordering::Relaxed) + 1);

    let started = Instant::now();
    let whole = Recognizer::learn(preparation, gallery, settings)?;
    let learning = started.elapsed().as_secs_f64();
    let identifying_a_face = time_of_identifying(&whole)?;

    let started = Instant::now();
    let outcomes = folds::run(&whole, &folds, plan.keep, &step)?;
    let folds_time = started.elapsed().as_secs_f64();

    let started = Instant::now();
    let curve_protocol = match plan.protocol {
        Protocol::LeaveOneOut => Protocol::TEN_PARTS,
        protocol => protocol,
    };
    let curve_folds = curve_protocol.folds(whole.gallery(), plan.seed)?;
    let (k_curve, in_folds) = curve::curve(whole.gallery(), settings, &curve_folds)?;
    let mut baselines = baselines::baselines(whole.gallery(), settings, &curve_folds)?;
    let asked = match plan.protocol {
        Protocol::LeaveOneOut => {
            let outcomes = folds::run(&whole, &curve_folds, Keep::Nearest, &step)?;
            identification::rank1(&outcomes.trials)
        }
        _ => identification::rank1(&outcomes.trials),
    };
    baselines.insert(
        0,
        Baseline {
            method: BaselineMethod::Asked,
            rank1: Some(asked),
        },
    );
    let curve_time = started.elapsed().as_secs_f64();

    let started = Instant::now();
    let open_set = open_set::open_set(&whole, plan, &step)?;
    let open_set_time = started.elapsed().as_secs_f64();

    let suspects = match plan.protocol {
        Protocol::LeaveOneOut => hygiene::suspects(&whole, &outcomes.trials)?,
        _ => {
            let parts = Protocol::TEN_PARTS.folds(whole.gallery(), plan.seed)?;
            let outcomes = folds::run(&whole, &parts, Keep::Nearest, &step)?;
            hygiene::suspects(&whole, &outcomes.trials)?
        }
    };

    let gallery = whole.gallery();
    let mut tried: Vec<usize> = outcomes.trials.iter().map(|trial| trial.face).collect();
    let probes = tried.len();
    tried.sort_unstable();
    tried.dedup();
    Ok(Evaluation {
        protocol: plan.protocol,
        seed: plan.seed,
        people: gallery.people().len(),
        faces: gallery.len(),
        probes,
        never_tried: gallery.len() - tried.len(),
        folds: folds.len(),
        verification: verification::verification(&outcomes.genuine, &outcomes.impostors),
        raw_pixels_rank1: identification::rate(&outcomes.raw_pixels),
        baselines,
        scores: outcomes.scores,
        settings,
        confidence_limit: whole.identifier().threshold(Acceptance::default()),
        k_curve,
        k_curve_protocol: curve_protocol,
        compression: compression(&whole, in_folds),
        open_set,
        worst_pairs: identification::worst_pairs(&outcomes.trials, gallery, MOST_WORST_PAIRS),
        suspects,
        times: Times {
            learning,
            identifying_a_face,
            folds: folds_time,
            k_curve: curve_time,
            open_set: open_set_time,
        },
        identification: identification::identification(outcomes.trials, gallery.people().len()),
    })
}

/// Looks through a gallery for what a person would correct in the folder, without evaluating it.
///
/// # Errors
/// Fewer than two different faces.
pub fn check(preparation: Preparation, gallery: Gallery, settings: Settings) -> Result<Suspects> {
    let whole = Recognizer::learn(preparation, gallery, settings)?;
    hygiene::suspects(&whole, &hygiene::trials(&whole)?)
}

/// Those of these people (positions) whose enrolled faces clearly show several people; none where the background model does not
/// compare.
///
/// # Errors
/// When the program itself is damaged.
pub fn several_people(
    recognizer: &Recognizer,
    people: impl IntoIterator<Item = usize>,
) -> Result<Vec<SeveralPeople>> {
    hygiene::several_people(recognizer, people)
}

/// Every probe that was taken for another person, the most mistaken first.
pub fn mistakes(evaluation: &Evaluation, gallery: &Gallery) -> Vec<WorstPair> {
    identification::mistakes(&evaluation.identification.trials, gallery)
}

/// Seconds a face, one after the other as photos come in.
fn time_of_identifying(whole: &Recognizer) -> Result<f64> {
    const TRIES: usize = 20;
    let faces = whole.gallery().faces();
    let tries = faces.len().min(TRIES);
    let singles: Vec<FaceMatrix> = (0..tries)
        .map(|at| faces.select(&[at]))
        .collect::<Result<_>>()?;
    let started = Instant::now();
    for face in &singles {
        whole
            .identifier()
            .identify_faces(face, QueryOptions::default());
    }
    Ok(started.elapsed().as_secs_f64() / tries as f64)
}

impl Evaluation {
    /// The last point of the curve over K with at most one weight for a hundred pixels; `None` of faces of fewer.
    pub fn at_one_percent(&self) -> Option<&KPoint> {
        let most = self.compression.pixels / curve::PIXELS_A_WEIGHT;
        let mut points = self.k_curve.iter();
        points.rfind(|point| point.components <= most)
    }
}

fn compression(whole: &Recognizer, in_folds: (usize, usize)) -> Compression {
    let space = whole.space();
    let (d, k) = (space.pixels(), space.components());
    Compression {
        pixels: d,
        components: k,
        share: k as f64 / d as f64,
        bytes_a_face: k * size_of::<f32>(),
        variance: space.variance_kept(),
        components_in_folds: in_folds,
    }
}
