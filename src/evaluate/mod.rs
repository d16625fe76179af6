//! Evaluation of recognition: figures under a stated protocol.
//!
//! Everything is learned inside each fold from the faces to learn from: mean, basis, number of
//! components, metric, and where decisions are made the calibration. What is tried was never seen.
//! The faces themselves are what identifying would see: 8-bit faces of the gallery's size.
//!
//! Each figure is defined where it stands, and in docs/EVALUATION.md.

mod baselines;
mod bootstrap;
mod capture;
mod curve;
mod figures;
mod folds;
mod groups;
pub mod hygiene;
mod identification;
mod not_faces;
mod open_set;
pub mod pairs;
pub mod quality;
mod searches;
pub mod split;
mod verification;

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::dataset::Person;
use crate::decision::Acceptance;
use crate::error::Result;
use crate::face_matrix::FaceMatrix;
use crate::gallery::Gallery;
use crate::matcher::{Matcher, Space};
use crate::preparation::Preparation;
use crate::recognizer::{QueryOptions, Recognizer, Settings};
pub use baselines::{Baseline, BaselineMethod};
use bootstrap::{Bootstrap, Tally};
pub use bootstrap::{DRAWS, IntervalMethod};
pub use capture::{Capture, CaptureFigures};
pub use curve::{Compression, KPoint};
pub use figures::*;
pub use groups::{GroupFigures, GroupRate, GroupRatio, Groups};
pub use hygiene::{Duplicate, Mislabelled, NotAFaceSuspect, SeveralPeople, Suspects, several_people};
pub use identification::{ClosedSet, Confusion, PersonAccuracy, PersonDistance, ProbeOutcome, ProbeScores};
use split::Protocol;
pub use verification::{ClaimErrors, DetPoint, RocPoint};

/// Settings of an evaluation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// The split of the faces for identification and verification.
    pub protocol: Protocol,
    /// Decides where chance is asked for; results are the same for the same seed.
    pub seed: u64,
    /// Faces of people who are not in the gallery; without any, some of its people play strangers in turn.
    pub strangers: Option<Strangers>,
    /// The group of each person of the gallery, where groups are to be told apart.
    pub groups: Option<Vec<Option<String>>>,
    /// The photos given of each person, and those that could not be used, where that is known.
    pub capture: Option<Vec<Capture>>,
}

/// Faces of people who are not in the gallery, of its size.
#[derive(Debug, Clone, PartialEq)]
pub struct Strangers {
    /// The faces.
    pub faces: FaceMatrix,
    /// The person of each face, counted from 0.
    pub people: Vec<usize>,
}

impl Strangers {
    /// Number of faces.
    pub fn len(&self) -> usize {
        self.faces.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.faces.is_empty()
    }

    /// Number of people.
    fn count(&self) -> usize {
        self.people.iter().max().map_or(0, |last| last + 1)
    }
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
    plan: &Options,
    progress: Progress<'_>,
) -> Result<Evaluation> {
    let folds = plan.protocol.folds(&gallery, plan.seed)?;
    let done = AtomicUsize::new(0);
    let step = || progress(done.fetch_add(1, Ordering::Relaxed) + 1);

    let started = Instant::now();
    let whole = Recognizer::learn(preparation, gallery, settings)?;
    let learning = started.elapsed().as_secs_f64();
    let identifying_a_face = time_of_identifying(&whole)?;

    let strangers = plan.strangers.as_ref().map_or(0, Strangers::count);
    let bootstrap = Bootstrap::new(whole.gallery().people().len() + strangers, plan.seed);
    let started = Instant::now();
    let outcomes = folds::run(&whole, &folds, &step)?;
    let folds_time = started.elapsed().as_secs_f64();

    let started = Instant::now();
    let curve_protocol = if plan.protocol == Protocol::LeaveOneOut { Protocol::TEN_PARTS } else { plan.protocol };
    let curve_folds = curve_protocol.folds(whole.gallery(), plan.seed)?;
    let (k_curve, in_folds) = curve::curve(whole.gallery(), settings, &curve_folds, &bootstrap)?;
    let mut baselines = baselines::baselines(whole.gallery(), settings, &curve_folds, &bootstrap)?;
    // Where the protocol leaves one out, ten parts serve the other methods; where not, they serve to look for mistakes.
    let ten_parts = Protocol::TEN_PARTS.folds(whole.gallery(), plan.seed)?;
    let in_ten_parts = folds::run(&whole, &ten_parts, &step)?.trials;
    let (asked, for_mistakes) = match plan.protocol {
        Protocol::LeaveOneOut => (&in_ten_parts, &outcomes.trials),
        _ => (&outcomes.trials, &in_ten_parts),
    };
    let asked = Baseline { method: BaselineMethod::Asked, rank1: identification::within(asked, 1).rate(&bootstrap) };
    baselines.insert(0, asked);
    let curve_time = started.elapsed().as_secs_f64();

    let started = Instant::now();
    let open_set = open_set::open_set(&whole, plan, &bootstrap, &step)?;
    let open_set_time = started.elapsed().as_secs_f64();

    let suspects = hygiene::suspects(&whole, for_mistakes)?;
    let gallery = whole.gallery();
    let tried: HashSet<usize> = outcomes.trials.iter().map(|trial| trial.face).collect();
    let names: Vec<String> = gallery.people().iter().map(Person::to_string).collect();
    let open_probes = open_set.as_ref().map_or(&[][..], |set| &set.probes);
    let by_group = plan.groups.as_ref().map(|groups| groups::groups(groups, &outcomes, open_probes, &bootstrap));
    let blindly = gallery.enrolled().iter().filter(|face| face.origin.is_without_face()).count();
    let capture = plan.capture.as_ref().map(|given| {
        let found = identification::within(&outcomes.trials, 1);
        capture::capture(given, &names, &found, blindly, plan.seed)
    });
    Ok(Evaluation {
        names,
        groups: by_group,
        capture,
        protocol: plan.protocol,
        seed: plan.seed,
        people: gallery.people().len(),
        faces: gallery.len(),
        probes: outcomes.trials.len(),
        never_tried: gallery.len() - tried.len(),
        folds: folds.len(),
        verification: verification::verification(&outcomes.scores, &bootstrap),
        raw_pixels_rank1: outcomes.raw_pixels.rate(&bootstrap),
        baselines,
        scores: outcomes.scores,
        settings,
        confidence_limit: whole.threshold(Acceptance::default()),
        k_curve,
        k_curve_protocol: curve_protocol,
        compression: compression(&whole, in_folds),
        open_set,
        suspects,
        times: Times { learning, identifying_a_face, folds: folds_time, k_curve: curve_time, open_set: open_set_time },
        identification: identification::identification(outcomes.trials, gallery.people().len(), &bootstrap),
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

/// Seconds a face, one after the other as photos come in.
fn time_of_identifying(whole: &Recognizer) -> Result<f64> {
    const TRIES: usize = 20;
    let faces = whole.gallery().faces();
    let tries = faces.len().min(TRIES);
    let singles: Vec<FaceMatrix> = (0..tries).map(|at| Ok(faces.select(&[at])?)).collect::<Result<_>>()?;
    let started = Instant::now();
    for face in &singles {
        whole.identify_faces(face, QueryOptions::default());
    }
    Ok(started.elapsed().as_secs_f64() / tries as f64)
}

impl Evaluation {
    /// The last point of the curve over K with at most one weight for a hundred pixels; `None` of faces of fewer.
    pub fn at_one_percent(&self) -> Option<&KPoint> {
        let mut points = self.k_curve.iter();
        points.rfind(|point| point.components <= self.compression.pixels / curve::PIXELS_A_WEIGHT)
    }
}

fn compression(whole: &Recognizer, in_folds: (usize, usize)) -> Compression {
    let (space, compared) = (whole.space(), whole.matcher().map(Matcher::space));
    let (d, k) = (space.pixels(), compared.map_or(space.components(), Space::components));
    Compression {
        pixels: d,
        components: k,
        share: k as f64 / d as f64,
        bytes_a_face: k * size_of::<f32>(),
        variance: compared.map_or(space.variance_kept(), Space::variance_kept),
        components_in_folds: in_folds,
    }
}
