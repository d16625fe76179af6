//! The curves of an evaluation: ranks, claims, strangers, K, and how honest confidences are.

use super::super::chart::{self, Axis, CURVES, Series};
use super::super::words::percent;
use crate::evaluate::{
    Evaluation, Identification, KPoint, LargerGallery, OpenSet, SearchPoint, Verification,
};

/// The curves that an evaluation has.
pub fn of_evaluation(evaluation: &Evaluation) -> Vec<String> {
    let raw = evaluation.raw_pixels_rank1.mean;
    let enrolled = evaluation.open_set.as_ref().map_or(0, |set| set.enrolled);
    let curve = evaluation
        .open_set
        .as_ref()
        .map_or(&[][..], |set| &set.fpir_fnir);
    let mut charts = of_scores(
        (&evaluation.identification, Some(raw)),
        &evaluation.verification,
        (curve, enrolled),
        &evaluation.larger_galleries,
    );
    charts.push(accuracy_by_k(evaluation));
    charts.extend(evaluation.open_set.as_ref().map(reliability));
    charts
}

/// The curves that scores have: identification beside the rank-1 of plain pixels, verification, FNIR at FPIR with so many
/// people enrolled, and larger galleries.
pub fn of_scores(
    (identification, raw): (&Identification, Option<f64>),
    verification: &Verification,
    (curve, enrolled): (&[SearchPoint], usize),
    larger: &[LargerGallery],
) -> Vec<String> {
    let mut charts = vec![
        cmc(identification, raw),
        roc(verification),
        det(verification),
    ];
    if !curve.is_empty() {
        charts.push(fnir_at_fpir(curve, enrolled));
    }
    if larger.len() > 1 {
        charts.push(by_size(larger));
    }
    charts
}

fn cmc(identification: &Identification, raw: Option<f64>) -> String {
    let cmc = &identification.cmc;
    let points: Vec<(f64, f64)> = (1..)
        .zip(cmc)
        .map(|(rank, rate)| (f64::from(rank), rate.mean))
        .collect();
    let lowest = points
        .iter()
        .map(|point| point.1)
        .chain(raw)
        .fold(1.0, f64::min);
    let marks = points.iter().map(|&(rank, rate)| {
        let hover = format!("among the nearest {rank:.0}: {}", percent(rate));
        (rank, rate, hover)
    });
    let raw = raw.map(|raw| Series::Level(format!("plain pixels, rank-1: {}", percent(raw)), raw));
    let series = [
        Series::Curve(String::new(), points.clone(), CURVES[0]),
        Series::Marks(String::new(), marks.collect(), CURVES[0]),
    ];
    chart::svg(
        "Own person among the nearest (CMC)",
        Axis::numbers("people looked at", (1.0, cmc.len().max(2) as f64)),
        Axis::shares("share of probes", (floor_below(lowest), 1.0)),
        &series.into_iter().chain(raw).collect::<Vec<_>>(),
    )
}

fn roc(verification: &Verification) -> String {
    let points = verification.roc.iter();
    let points: Vec<(f64, f64)> = points.map(|p| (p.false_accepts, p.true_accepts)).collect();
    let shares = points.iter().map(|point| point.0);
    let least = shares.filter(|&far| far > 0.0).fold(1.0, f64::min);
    // Where the curve crosses the line of equal errors.
    let equal = verification.equal_error_rate.mean;
    let named = format!("equal error rate {}", percent(equal));
    chart::svg(
        "Is it who they say? (ROC)",
        Axis::shares(
            "false claims accepted (logarithmic)",
            (chart::decade_below(least), 1.0),
        )
        .logarithmic(),
        Axis::shares("true claims accepted", (0.0, 1.0)),
        &[
            Series::Curve(format!("area {:.4}", verification.area), points, CURVES[0]),
            Series::Marks(named.clone(), vec![(equal, 1.0 - equal, named)], CURVES[1]),
        ],
    )
}

/// Errors of one kind over those of the other, both logarithmic; no error at all stands at the foot.
fn trade_off(title: &str, [x, y]: [&str; 2], curves: Vec<(String, Vec<(f64, f64)>)>) -> String {
    let points = || curves.iter().flat_map(|(_, points)| points);
    let least = |of: fn(&(f64, f64)) -> f64| {
        let errors = points().map(of).filter(|&error| error > 0.0);
        errors.fold(0.1, f64::min)
    };
    let ends = [least(|point| point.0), least(|point| point.1)].map(chart::decade_below);
    let series = curves
        .iter()
        .zip(CURVES)
        .map(|((name, points), color)| Series::Curve(name.clone(), points.clone(), color));
    let foot = match points().any(|point| point.1 <= 0.0) {
        true => format!("{y}; none at the foot"),
        false => y.to_owned(),
    };
    chart::svg(
        title,
        Axis::shares(x, (ends[0], 1.0)).logarithmic(),
        Axis::shares(&foot, (ends[1], 1.0)).logarithmic(),
        &series.collect::<Vec<_>>(),
    )
}

fn claims(verification: &Verification) -> Vec<(f64, f64)> {
    let points = verification.det.iter();
    points.map(|point| (point.fmr, point.fnmr)).collect()
}

fn searches(curve: &[SearchPoint]) -> Vec<(f64, f64)> {
    curve.iter().map(|point| (point.fpir, point.fnir)).collect()
}

fn det(verification: &Verification) -> String {
    trade_off(
        "Detection error trade-off (DET)",
        ["false match rate", "false non-match rate"],
        vec![(String::new(), claims(verification))],
    )
}

fn fnir_at_fpir(curve: &[SearchPoint], enrolled: usize) -> String {
    trade_off(
        &format!("Searches, {enrolled} people enrolled or more"),
        [
            "false positive identification rate",
            "false negative identification rate",
        ],
        vec![(String::new(), searches(curve))],
    )
}

/// Both trade-offs in one chart: of claims, and of searches where there are strangers.
pub fn trade_offs(verification: &Verification, curve: &[SearchPoint]) -> String {
    let mut curves = vec![("FNMR at FMR".to_owned(), claims(verification))];
    if !curve.is_empty() {
        curves.push(("FNIR at FPIR".to_owned(), searches(curve)));
    }
    trade_off(
        "Detection error trade-off",
        ["FMR, FPIR", "FNMR, FNIR"],
        curves,
    )
}

fn by_size(larger: &[LargerGallery]) -> String {
    let points = |of: fn(&LargerGallery) -> f64| -> Vec<(f64, f64)> {
        larger
            .iter()
            .map(|size| (size.people as f64, of(size)))
            .collect()
    };
    let ends = (
        larger[0].people as f64,
        larger[larger.len() - 1].people as f64,
    );
    chart::svg(
        "Larger galleries, extrapolated",
        Axis::numbers("people enrolled (logarithmic)", ends).logarithmic(),
        Axis::shares("share", (0.0, 1.0)),
        &[
            Series::Curve("rank-1".to_owned(), points(|size| size.rank1), CURVES[0]),
            Series::Curve(
                "FNIR at FPIR 1 %".to_owned(),
                points(|size| size.fnir_at_fpir_1pct),
                CURVES[1],
            ),
        ],
    )
}

fn accuracy_by_k(evaluation: &Evaluation) -> String {
    let curve = &evaluation.k_curve;
    let raw = evaluation.raw_pixels_rank1.mean;
    let points = |value: fn(&KPoint) -> f64| -> Vec<(f64, f64)> {
        curve
            .iter()
            .map(|point| (point.components as f64, value(point)))
            .collect()
    };
    let most = curve.last().map_or(2.0, |point| point.components as f64);
    chart::svg(
        "Basis faces against recognition",
        Axis::numbers("K (logarithmic)", (1.0, most.max(2.0))).logarithmic(),
        Axis::shares("share", (0.0, 1.0)),
        &[
            Series::Curve(
                "variance".to_owned(),
                points(|point| point.variance),
                CURVES[2],
            ),
            Series::Curve(
                "rank-1 by weights".to_owned(),
                points(|point| point.rank1.mean),
                CURVES[0],
            ),
            Series::Level(format!("plain pixels: {}", percent(raw)), raw),
        ],
    )
}

fn reliability(open_set: &OpenSet) -> String {
    let bins = &open_set.confidence.bins;
    let marks = bins.iter().map(|bin| {
        let hover = format!(
            "confidence {}, right {}, {} of all",
            percent(bin.confidence),
            percent(bin.accuracy),
            percent(bin.weight)
        );
        (bin.confidence, bin.accuracy, hover)
    });
    chart::svg(
        "Is confidence what it says?",
        Axis::shares("confidence", (0.0, 1.0)),
        Axis::shares("how often the name is right", (0.0, 1.0)),
        &[
            Series::Curve(
                "perfectly honest".to_owned(),
                vec![(0.0, 0.0), (1.0, 1.0)],
                CURVES[2],
            ),
            Series::Curve(
                "measured".to_owned(),
                bins.iter()
                    .map(|bin| (bin.confidence, bin.accuracy))
                    .collect(),
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
