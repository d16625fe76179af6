//! The curves of an evaluation: ranks, claims, strangers, K, and how honest confidences are.

use super::super::chart::{self, Axis, CURVES, Series};
use crate::decision::share as percent;
use crate::evaluate::{ClaimErrors, ClosedSet, Evaluation, KPoint, OpenSet};

/// The curves that an evaluation has.
pub fn of_evaluation(evaluation: &Evaluation) -> Vec<String> {
    let mut charts = vec![
        cmc(&evaluation.identification, evaluation.raw_pixels_rank1.mean),
        roc(&evaluation.verification),
        det(&evaluation.verification),
    ];
    let open_set = evaluation.open_set.as_ref();
    charts.extend(open_set.map(fnir_at_fpir));
    charts.push(accuracy_by_k(evaluation));
    charts.extend(open_set.map(reliability));
    charts
}

fn cmc(identification: &ClosedSet, raw: f64) -> String {
    let cmc = &identification.cmc;
    let points: Vec<(f64, f64)> = (1..).zip(cmc).map(|(rank, rate)| (f64::from(rank), rate.mean)).collect();
    let lowest = points.iter().map(|point| point.1).fold(raw.min(1.0), f64::min);
    let marks =
        points.iter().map(|&(rank, rate)| (rank, rate, format!("among the nearest {rank:.0}: {}", percent(rate))));
    let series = [
        Series::Curve(String::new(), points.clone(), CURVES[0]),
        Series::Marks(String::new(), marks.collect(), CURVES[0]),
        Series::Level(format!("plain pixels, rank-1: {}", percent(raw)), raw),
    ];
    chart::svg(
        "Own person among the nearest (CMC)",
        Axis::numbers("people looked at", (1.0, cmc.len().max(2) as f64)),
        Axis::shares("share of probes", (floor_below(lowest), 1.0)),
        &series,
    )
}

fn roc(verification: &ClaimErrors) -> String {
    let points: Vec<(f64, f64)> = verification.roc.iter().map(|p| (p.false_accepts, p.true_accepts)).collect();
    let shares = points.iter().map(|point| point.0);
    let least = shares.filter(|&far| far > 0.0).fold(1.0, f64::min);
    // Where the curve crosses the line of equal errors.
    let equal = verification.equal_error_rate.mean;
    let named = format!("equal error rate {}", percent(equal));
    chart::svg(
        "Is it who they say? (ROC)",
        Axis::shares("false claims accepted (logarithmic)", (chart::decade_below(least), 1.0)).logarithmic(),
        Axis::shares("true claims accepted", (0.0, 1.0)),
        &[
            Series::Curve(format!("area {:.4}", verification.area), points, CURVES[0]),
            Series::Marks(named.clone(), vec![(equal, 1.0 - equal, named)], CURVES[1]),
        ],
    )
}

/// Errors of one kind over those of the other, both logarithmic; no error at all stands at the foot.
fn trade_off(title: &str, [x, y]: [&str; 2], points: Vec<(f64, f64)>) -> String {
    let least = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).filter(|&error| error > 0.0).fold(0.1, f64::min);
    let ends = [least(|point| point.0), least(|point| point.1)].map(chart::decade_below);
    let foot = if points.iter().any(|point| point.1 <= 0.0) { format!("{y}; none at the foot") } else { y.to_owned() };
    chart::svg(
        title,
        Axis::shares(x, (ends[0], 1.0)).logarithmic(),
        Axis::shares(&foot, (ends[1], 1.0)).logarithmic(),
        &[Series::Curve(String::new(), points, CURVES[0])],
    )
}

fn det(verification: &ClaimErrors) -> String {
    trade_off(
        "Detection error trade-off (DET)",
        ["false match rate", "false non-match rate"],
        verification.det.iter().map(|point| (point.fmr, point.fnmr)).collect(),
    )
}

fn fnir_at_fpir(open_set: &OpenSet) -> String {
    trade_off(
        &format!("Searches, {} people enrolled or more", open_set.enrolled),
        ["false positive identification rate", "false negative identification rate"],
        open_set.fpir_fnir.iter().map(|point| (point.fpir, point.fnir)).collect(),
    )
}

fn accuracy_by_k(evaluation: &Evaluation) -> String {
    let curve = &evaluation.k_curve;
    let raw = evaluation.raw_pixels_rank1.mean;
    let points = |value: fn(&KPoint) -> f64| -> Vec<(f64, f64)> {
        curve.iter().map(|point| (point.components as f64, value(point))).collect()
    };
    let most = curve.last().map_or(2.0, |point| point.components as f64);
    chart::svg(
        "Basis faces against recognition",
        Axis::numbers("K (logarithmic)", (1.0, most.max(2.0))).logarithmic(),
        Axis::shares("share", (0.0, 1.0)),
        &[
            Series::Curve("variance".to_owned(), points(|point| point.variance), CURVES[2]),
            Series::Curve("rank-1 by weights".to_owned(), points(|point| point.rank1.mean), CURVES[0]),
            Series::Level(format!("plain pixels: {}", percent(raw)), raw),
        ],
    )
}

fn reliability(open_set: &OpenSet) -> String {
    let bins = &open_set.confidence.bins;
    let marks = bins.iter().map(|bin| {
        let [confidence, accuracy, weight] = [bin.confidence, bin.accuracy, bin.weight].map(percent);
        let hover = format!("confidence {confidence}, right {accuracy}, {weight} of all");
        (bin.confidence, bin.accuracy, hover)
    });
    chart::svg(
        "Is confidence what it says?",
        Axis::shares("confidence", (0.0, 1.0)),
        Axis::shares("how often the name is right", (0.0, 1.0)),
        &[
            Series::Curve("perfectly honest".to_owned(), vec![(0.0, 0.0), (1.0, 1.0)], CURVES[2]),
            Series::Curve(
                "measured".to_owned(),
                bins.iter().map(|bin| (bin.confidence, bin.accuracy)).collect(),
                CURVES[0],
            ),
            Series::Marks(String::new(), marks.collect(), CURVES[0]),
        ],
    )
}

/// A round share below a share, so that the upper part of a chart is not all there is to see.
fn floor_below(share: f64) -> f64 {
    ((share - 0.05) * 10.0).floor().max(0.0) / 10.0
}
