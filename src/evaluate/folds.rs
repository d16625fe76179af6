//! Running the folds: learn from some faces, rank all people for the others.

use rayon::prelude::*;

use super::identification::squared_distance;
use super::split::Fold;
use super::{KPoint, Trial};
use crate::error::{Error, Result};
use crate::face_space::Weights;
use crate::gallery::{Clusters, Gallery, Match};
use crate::recognizer::{Recognizer, Settings};

/// Folds run side by side up to this many faces; with more, one fold keeps all cores busy, and the memory
/// of several would add up.
const SIDE_BY_SIDE: usize = 2000;

/// Numbers of components on the curve, up to the number that is used.
const CURVE: [usize; 18] = [
    1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 250, 300, 350, 400,
];

/// What all folds gave.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    pub trials: Vec<Trial>,
    /// Distances of true claims, and of false ones.
    pub genuine: Vec<f32>,
    pub impostors: Vec<f32>,
    /// Probes whose nearest face by plain pixels is of the right person, and all probes; of each repeat.
    pub raw_pixels: Vec<(usize, usize)>,
    /// Components chosen in each fold.
    pub components: Vec<usize>,
    pub k_curve: Vec<KPoint>,
}

/// What one fold gave.
struct Outcome {
    trials: Vec<Trial>,
    genuine: Vec<f32>,
    impostors: Vec<f32>,
    raw_right: usize,
    repeat: usize,
    components: usize,
    curve: Vec<CurvePoint>,
}

/// Sums over the probes of one fold for the first K components.
#[derive(Clone, Copy, Default)]
struct CurvePoint {
    right: usize,
    probes: usize,
    /// Share of the variance of the learned faces, times probes.
    variance: f64,
    /// Squared error of the reconstructed probes.
    error: f64,
    /// Squared distance of the probes from the mean face.
    energy: f64,
}

/// Runs all folds over the gallery of `whole`, with its settings; `progress` is called after each.
pub(super) fn run(
    whole: &Recognizer,
    folds: &[Fold],
    progress: &(dyn Fn() + Sync),
) -> Result<Outcomes> {
    let one = |fold: &Fold| {
        let outcome = run_fold(whole, fold);
        progress();
        outcome
    };
    let gallery = whole.gallery();
    let parts: Vec<Outcome> = if gallery.len() <= SIDE_BY_SIDE {
        folds.par_iter().map(one).collect::<Result<_>>()?
    } else {
        folds.iter().map(one).collect::<Result<_>>()?
    };
    let mut all = Outcomes {
        k_curve: curve(&parts, gallery.faces().size().pixels()),
        ..Outcomes::default()
    };
    for mut part in parts {
        let repeats = all.raw_pixels.len().max(part.repeat + 1);
        all.raw_pixels.resize(repeats, (0, 0));
        all.raw_pixels[part.repeat].0 += part.raw_right;
        all.raw_pixels[part.repeat].1 += part.trials.len();
        all.trials.append(&mut part.trials);
        all.genuine.append(&mut part.genuine);
        all.impostors.append(&mut part.impostors);
        all.components.push(part.components);
    }
    Ok(all)
}

fn run_fold(whole: &Recognizer, fold: &Fold) -> Result<Outcome> {
    let (gallery, settings) = (whole.gallery(), whole.settings());
    let probes = gallery.faces().select(&fold.tried)?;
    let persons = gallery.persons();
    // People of the fold are numbered anew.
    let mut people: Vec<usize> = fold.learned.iter().map(|&face| persons[face]).collect();
    people.dedup();

    let learned = gallery.select(&fold.learned)?;
    let preparation = *whole.preparation();
    let recognizer = Recognizer::learn_uncalibrated(preparation, learned, settings)?;
    let mut outcome = Outcome {
        trials: Vec::with_capacity(fold.tried.len()),
        genuine: Vec::new(),
        impostors: Vec::new(),
        raw_right: 0,
        repeat: fold.repeat,
        components: recognizer.space().components(),
        curve: fold_curve(&recognizer, gallery, settings, fold)?,
    };
    for (&face, mut ranked) in fold.tried.iter().zip(recognizer.rank(&probes, usize::MAX)) {
        for found in &mut ranked {
            found.person = people[found.person];
        }
        let person = persons[face];
        for found in &ranked {
            let claims = if found.person == person {
                &mut outcome.genuine
            } else {
                &mut outcome.impostors
            };
            claims.push(found.distance() as f32);
        }
        outcome
            .trials
            .extend(trial(whole, fold.repeat, face, person, &ranked));
        let nearest = nearest_by_pixels(gallery, face, &fold.learned);
        outcome.raw_right += usize::from(persons[nearest] == person);
    }
    Ok(outcome)
}

/// `None` where the ranking does not hold the person, which happens only to faces near nobody: their
/// coordinates are not finite, which 8-bit pixels do not lead to.
fn trial(
    whole: &Recognizer,
    repeat: usize,
    face: usize,
    person: usize,
    ranked: &[Match],
) -> Option<Trial> {
    let place = ranked.iter().position(|found| found.person == person)?;
    let other = ranked.iter().find(|found| found.person != person);
    let leading = whole.candidates(&ranked[..ranked.len().min(2)]);
    Some(Trial {
        face,
        person,
        repeat,
        named: ranked[0].person,
        rank: place + 1,
        own_distance: ranked[place].distance(),
        other_distance: other.map_or(f64::INFINITY, Match::distance),
        other: other.map_or(person, |found| found.person),
        confidence: leading.first().map_or(0.0, |first| first.confidence),
    })
}

/// The learned face nearest to a face by the plain distance between pixels; the first of equally near ones.
pub(super) fn nearest_by_pixels(gallery: &Gallery, face: usize, learned: &[usize]) -> usize {
    learned
        .iter()
        .copied()
        .min_by_key(|&other| squared_distance(gallery, face, other))
        .unwrap_or(face)
}

/// The first K components for every K of the curve, up to those that are there.
fn fold_curve(
    recognizer: &Recognizer,
    gallery: &Gallery,
    settings: Settings,
    fold: &Fold,
) -> Result<Vec<CurvePoint>> {
    let space = recognizer.space();
    let probes = gallery.faces().select(&fold.tried)?;
    let weights = space.project(&probes);
    let learned = recognizer.weights();
    let all = gallery.persons();
    let persons = recognizer.gallery().persons();
    let people = recognizer.gallery().people();
    let energies: Vec<f64> = (0..probes.len())
        .map(|at| {
            let from_mean = space.residual(probes.face(at), &[]).from_mean;
            from_mean * from_mean
        })
        .collect();
    let variances = space.eigenvalues();
    let mut points = Vec::new();
    for k in steps(space.components()) {
        let leading = |weights: &Weights| weights.rows(0, k).into_owned();
        let (known, tried) = (leading(learned), leading(&weights));
        let metric = settings.metric.fit(&variances[..k], &known, &persons);
        let clusters = Clusters::new(
            &metric.coordinates(&known),
            &persons,
            people.len(),
            settings.clusters,
            settings.metric.measure,
        )
        .ok_or(Error::Inconsistent)?;
        let coordinates = metric.coordinates(&tried);
        let mut point = CurvePoint {
            probes: fold.tried.len(),
            variance: variances[..k].iter().sum::<f64>() / space.total_variance()
                * fold.tried.len() as f64,
            ..CurvePoint::default()
        };
        for (at, &face) in fold.tried.iter().enumerate() {
            let ranked = clusters.rank(coordinates.column(at).as_slice(), 1);
            let named = ranked.first().map(|found| &people[found.person]);
            point.right += usize::from(named == Some(&gallery.people()[all[face]]));
            let inside: f64 = tried.column(at).iter().map(|&w| f64::from(w).powi(2)).sum();
            point.error += (energies[at] - inside).max(0.0);
            point.energy += energies[at];
        }
        points.push(point);
    }
    Ok(points)
}

/// The numbers of components on a curve of at most k, and k itself.
fn steps(k: usize) -> impl Iterator<Item = usize> {
    CURVE.into_iter().filter(move |&step| step < k).chain([k])
}

/// The curve over all folds. A fold with fewer components than a point counts with all that it has.
fn curve(parts: &[Outcome], pixels: usize) -> Vec<KPoint> {
    let most = parts.iter().map(|part| part.components).max().unwrap_or(0);
    steps(most)
        .map(|k| {
            let mut sum = CurvePoint::default();
            for part in parts {
                let at = steps(part.components).take_while(|&step| step < k).count();
                let Some(point) = part.curve.get(at).or(part.curve.last()) else {
                    continue;
                };
                sum.right += point.right;
                sum.probes += point.probes;
                sum.variance += point.variance;
                sum.error += point.error;
                sum.energy += point.energy;
            }
            let probes = sum.probes as f64;
            let variance = (sum.variance / probes).min(1.0);
            let mean_square = sum.error / (probes * pixels as f64);
            KPoint {
                components: k,
                variance,
                rank1: sum.right as f64 / probes,
                error_learned: 1.0 - variance,
                error_unseen: sum.error / sum.energy.max(f64::MIN_POSITIVE),
                psnr_unseen: 10.0
                    * (255.0_f64.powi(2) / mean_square.max(f64::MIN_POSITIVE)).log10(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_ends_with_all_components() {
        assert_eq!(steps(6).collect::<Vec<_>>(), [1, 2, 3, 5, 6]);
        assert_eq!(steps(5).collect::<Vec<_>>(), [1, 2, 3, 5]);
        assert_eq!(steps(1).collect::<Vec<_>>(), [1]);
    }
}
